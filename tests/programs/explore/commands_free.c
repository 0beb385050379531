/*
 * check-name: commands that free and use
 * check-command: heddle explore --sym stdin:3 -- $exe
 * check-finds: use-after-free use
 * check-finds: double-free twice
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[3];
	int *p = calloc(1, sizeof *p);

	if (!p || read(0, c, 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++) {
		if (c[i] == 'f') {
			free(p); /* BUG: twice */
#ifdef CORRECT
			p = calloc(1, sizeof *p);
			if (!p)
				return 1;
#endif
		} else if (c[i] == 'u') {
			*p += 1; /* BUG: use */
		}
	}
	return 0;
}
