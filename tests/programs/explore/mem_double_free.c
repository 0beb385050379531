/*
 * check-name: a block that an input has freed twice
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: double-free again
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	char *p[4];
	unsigned char c;

	for (int i = 0; i < 4; i++)
		p[i] = malloc(i + 1);
	if (read(0, &c, 1) != 1)
		return 1;
	free(p[2]);
#ifdef CORRECT
	p[2] = NULL;
#endif
	free(p[c % 4]); /* BUG: again */
	return 0;
}
