/*
 * check-name: a write far behind the end of a file
 * check-command: heddle explore -- $exe
 * check-run: --switch sync => "keeps files of up to 268435456 bytes"
 * check-correct: no
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	char name[] = "/tmp/largeXXXXXX";
	int fd = mkstemp(name);

	if (fd < 0 || lseek(fd, 1l << 40, SEEK_SET) < 0)
		return 1;
	return write(fd, "x", 1) == 1 ? 0 : 2;
}
