/*
 * check-name: pointers that were put into a table at one index and taken out at another
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert through
 */
#include <assert.h>
#include <unistd.h>

static int x = 1, y = 2, z = 3;
static int *at[4] = {&x, &x, &x, &x};

int main(void)
{
	unsigned char c[2];

	if (read(0, c, 2) != 2)
		return 1;
	at[c[0] % 4] = &y;
	at[c[1] % 4] = &z;
	*at[c[0] % 4] += 10;
	*at[c[1] % 4] += 100;
	assert(z == 103 || z == 113);
#ifdef CORRECT
	assert(x == 1 && (y == 12 || z == 113));
#else
	assert(y == 12); /* BUG: through */
#endif
	return 0;
}
