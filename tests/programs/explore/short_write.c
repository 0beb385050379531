/*
 * check-name: a write takes a part of its bytes, and the rest is lost
 * check-command: heddle explore --sym syscall:write -- $exe
 * check-test: no
 * check-finds: assert rest
 */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char path[] = "/tmp/heddle-short-write", back[8] = "";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t n = 0, k;

	signal(SIGPIPE, SIG_IGN);
	if (fd < 0)
		return 1;
#ifdef CORRECT
	for (; n < 4; n += k) {
		k = write(fd, "data" + n, 4 - n);
		if (k <= 0)
			return 2;
	}
#else
	k = write(fd, "data", 4);
	if (k < 0)
		return 2;
#endif
	lseek(fd, 0, SEEK_SET);
	n = read(fd, back, sizeof back);
	close(fd);
	unlink(path);
	assert(n == 4 && !memcmp(back, "data", 4)); /* BUG: rest */
	return 0;
}
