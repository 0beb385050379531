/*
 * check-name: a record that an input selects is handed over by value
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert copy
 */
#include <assert.h>
#include <stdarg.h>
#include <unistd.h>

struct record {
	long at[5];
};

static struct record table[4] = {{{1}}, {{2}}, {{3}}, {{4}}};

__attribute__((noinline)) static long first(struct record r)
{
	r.at[0] += 100;
	return r.at[0];
}

__attribute__((noinline)) static long last(int n, ...)
{
	struct record r = {0};
	va_list ap;

	va_start(ap, n);
	while (n-- > 0)
		r = va_arg(ap, struct record);
	va_end(ap);
	return r.at[0];
}

int main(void)
{
	unsigned char c;
	unsigned i, k;

	if (read(0, &c, 1) != 1)
		return 1;
	i = c & 3;
	k = c >> 2 & 3;
	table[i].at[0] = 9;
	assert((first(table[k]) == 109) == (i == k));
	assert(table[i].at[0] == 9);
#ifdef CORRECT
	assert((last(2, table[k], table[i ^ k]) == 9) == (k == 0));
#else
	assert(last(2, table[k], table[i ^ k]) != 9); /* BUG: copy */
#endif
	return 0;
}
