/*
 * check-name: an index past a heap block, through a pointer past its start
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: overflow past
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	int *p = calloc(10, sizeof *p), v = 0;
	unsigned char i;

	if (!p || read(0, &i, 1) != 1)
		return 1;
#ifdef CORRECT
	if (i >= 'a' && i < 'a' + 10)
#else
	if (i >= 'a' && i <= 'a' + 10)
#endif
		v = p[i - 'a']; /* BUG: past */
	free(p);
	return v;
}
