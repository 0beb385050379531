/*
 * check-name: blocks of rows for a number of threads that has few values
 * check-command: heddle explore -- $exe
 * check-finds: assert last
 * check-timeout: 60
 */
#include <assert.h>
#include <heddle/heddle.h>

static unsigned n, p, id;

int main(void)
{
	unsigned first, last, share;

	heddle_input(&n, sizeof n, "n");
	heddle_input(&p, sizeof p, "p");
	heddle_input(&id, sizeof id, "id");
	heddle_assume(p == 1 || p == 2 || p == 4 || p == 6);
	heddle_assume(id < p && n < 100000);
	share = n / p;
	first = id * share;
	last = id == p - 1 ? n : first + share;
	assert(first <= last && last <= n);
#ifdef CORRECT
	assert(last - first < share + p);
#else
	assert(last - first <= share + 3); /* BUG: last */
#endif
	return (int)(n % p);
}
