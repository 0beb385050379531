/*
 * check-name: a function pointer of the initial state leads to what the analysis knows, nowhere else
 * check-command: heddle explore -- $exe
 * check-run: --from handle:$call@T0 => 3, assert sum
 * check-run: --from handle:$call@T0 --no-reach => 3, assert sum
 */
#include <assert.h>

struct event {
	int (*run)(int);
	int value;
};

static int twice(int x)
{
	return 2 * x;
}

static int plus(int x)
{
	return x + 1000;
}

static int never(int x)
{
	assert(!x); /* its address is taken, but no event has it */
	return x;
}

static int (*volatile unused)(int) = never;

static int handle(struct event *e)
{
	int r = e->run(5); /* AT: call */

	assert(r != 1005); /* BUG: sum */
	if (e->value > 3)
		r++;
	return r;
}

int main(int argc, char **argv)
{
	struct event e = {argc > 1 ? twice : plus, argc};

	(void)argv;
	return handle(&e) + (unused == 0);
}
