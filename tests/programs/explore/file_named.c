/*
 * check-name: the name of a file is an input, and so is what is in it
 * check-command: heddle explore --sym argv[1]:3 --sym file:ab:1 -- $exe
 * check-finds: assert contents
 * check-incomplete: a byte of a file's name
 */
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	unsigned char c = 0;

	if (fd < 0)
		return 1;
	if (read(fd, &c, 1) != 1)
		return 2;
#ifdef CORRECT
	if (c == 'q')
		return 3;
#endif
	assert(c != 'q'); /* BUG: contents */
	return 0;
}
