/*
 * check-name: a length in a file's header
 * check-command: heddle explore --sym file:/data/in.bin:4 -- $exe
 * check-finds: overflow copy
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char header[4];
	volatile unsigned char *body;
	int fd = open("/data/in.bin", O_RDONLY);

	if (fd < 0 || read(fd, header, 4) != 4)
		return 1;
	if (header[0] != 'H' || header[1] != 'D')
		return 2;
	body = calloc(1, 16);
#ifdef CORRECT
	if (header[2] >= 16)
		return 3;
#endif
	body[header[2]] = header[3]; /* BUG: copy */
	free((void *)body);
	close(fd);
	return 0;
}
