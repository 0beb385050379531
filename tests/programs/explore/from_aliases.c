/*
 * check-name: pointers of the initial state that may be the same, or not
 * check-command: heddle explore -- $exe
 * check-run: --from work:$start@T0 => assert same, assert apart
 * check-run: --from work:$start@T0 --no-reach => assert same, assert apart, assert own
 */
#include <assert.h>
#include <pthread.h>

static int a, b;

static void work(int *p, int *q, int *r)
{
	*p = 1; /* AT: start */
	*q = 2;
	assert(*p == 1);         /* BUG: same */
	assert(*p != 2 || p == q);
	assert(*q == 2);
	if (p != q)
		assert(r != p && r != q); /* BUG: apart */
	if (*r == 7)
		assert(*p == 1 && r == &a); /* BUG: own */
}

int main(int argc, char **argv)
{
	static int c;

	(void)argv;
	work(&a, argc > 2 ? &a : &b, argc > 1 ? &a : &c);
	return 0;
}
