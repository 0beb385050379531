/*
 * What clean-up level must leave alone. The comment before a function counts what it has after
 * clean-up: accesses that are not to promoted locals, calls, conditional branches and switches.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int flag, a, b, g;
volatile int v;
atomic_int at;
_Thread_local int own;
struct s {
	int x, y, z, w;
} ss, tt;
int pure_fn(int) __attribute__((pure));
int const_fn(int) __attribute__((const));
void ext(int);

/* expect: load=1 branch=1 loop */
void wait_for_flag(void)
{
	while (!flag)
		;
}

/* expect: load=2 */
int two_loads(void)
{
	return g + g;
}

/* expect: load=3 */
void dead_loads(void)
{
	int x = g;

	(void)x;
	(void)a;
	b;
}

/* expect: load=2 branch=1 */
int loads_in_arms(int c)
{
	int r;

	if (c)
		r = a + 1;
	else
		r = b + 1;
	return r;
}

/* expect: store=2 branch=1 */
void equal_stores_in_arms(int c)
{
	if (c)
		g = 1;
	else
		g = 1;
}

/* expect: store=2 */
void store_twice(void)
{
	g = 1;
	g = 2;
}

/* expect: store=1 load=1 */
int store_then_load(void)
{
	g = 1;
	return g;
}

/* expect: load=1 branch=1 */
int local_or_shared(int c)
{
	int local = 5, *p = c ? &local : &g;

	return *p;
}

/* expect: branch=1 */
int switch_of_values(int x)
{
	switch (x) {
	case 1: return 10;
	case 2: return 20;
	case 3: return 30;
	default: return 0;
	}
}

/* expect: branch=3 */
int chain_of_tests(int x)
{
	if (x == 1)
		return 1;
	else if (x == 2)
		return 2;
	else if (x == 3)
		return 5;
	return 9;
}

/* expect: branch=2 */
int both(int x, int y)
{
	if (x && y)
		return 1;
	return 2;
}

/* expect: branch=1 store=1 */
void unreachable_arm(int x)
{
	if (x)
		__builtin_unreachable();
	g = x;
}

/* expect: memory=2 call=1 */
void whole_copies(void)
{
	struct s l = ss;

	ext(l.x);
	tt = ss;
}

/* expect: memory=3 */
void small_copies(void)
{
	memcpy(&a, &b, 4);
	memmove(&ss, &tt, 8);
	memset(&a, 0, 4);
}

/* expect: fence=2 */
void fences(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	atomic_thread_fence(memory_order_seq_cst);
}

/* expect: rmw=2 cmpxchg=1 load=2 branch=1 */
int atomics(void)
{
	int expected = 0;

	atomic_fetch_or(&at, 0);
	atomic_fetch_add(&at, 0);
	atomic_compare_exchange_strong(&at, &expected, 1);
	return at + at;
}

/* expect: load=2 store=1 */
int volatiles(void)
{
	v;
	v = 1;
	return v;
}

/* expect: call=5 */
int promised_calls(void)
{
	pure_fn(1);
	return pure_fn(2) + pure_fn(2) + const_fn(3) + const_fn(3);
}

/* expect: call=3 */
void libc_calls(void)
{
	void *p = malloc(4);

	free(p);
	abs((int)strlen((char *)&ss));
}

/* expect: load=2 store=1 */
long not_split(void)
{
	union {
		long l;
		int i[2];
	} u;

	u.i[0] = a;
	u.i[1] = b;
	*(long *)&ss = u.l;
	return 0;
}

/* expect: load=1 branch=1 loop */
int sum(const int *p, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}

/* expect: load=1 branch=1 undef */
int unset_on_one_way(int c)
{
	int r;

	if (c)
		r = g;
	return r;
}

/* expect: branch=1 undef */
int branch_on_unset(void)
{
	int r;

	if (r)
		return 1;
	return 2;
}

/* expect: store=1 load=1 */
int null_pointer(void)
{
	int *p = 0;

	*p = 1;
	return *p;
}

/* expect: load=1 store=1 */
int thread_local_too(void)
{
	return own++;
}

/* expect: */
int constants(void)
{
	static const int k = 7, t[] = {1, 2, 3};

	return k + t[1];
}
