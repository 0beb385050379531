/*
 * check-name: a stack of calls: what the callers passed and will do next is known
 * check-command: heddle explore -- $exe
 * check-run: --from main>run>work:$work@T0 => 2
 * check-run: --from work:$work@T0 => 2
 * check-run: --from main>run>work:$work@T0 --no-reach => assert small, assert middle, assert outer
 */
#include <assert.h>

static int limit = 10;

static int work(int *p, int n)
{
	int k = n * 2;

	if (*p > limit) /* AT: work */
		return k;
	assert(k == 42); /* BUG: small */
	return k + *p;
}

static int run(int n)
{
	int local = n & 7, r;

	r = work(&local, n);
	assert(local < 8); /* BUG: middle */
	return r;
}

int main(int argc, char **argv)
{
	int r;

	(void)argv;
	if (argc > 5)
		limit = 3;
	r = run(21);
	assert(r == 42 || r == 47); /* BUG: outer */
	return 0;
}
