/*
 * check-name: a number of threads from 1 to 6 divides numbers of 64 bits; a power of two is kept in an int
 * check-command: heddle explore --solver-seconds 5 -- $exe
 * check-finds: assert place
 */
#include <assert.h>
#include <heddle/heddle.h>

static int m, p;
static long key;

int main(void)
{
	long side, row, column;

	heddle_input(&m, sizeof m, "m");
	heddle_input(&p, sizeof p, "p");
	heddle_input(&key, sizeof key, "key");
	if (m < 2 || m > 28 || m % 2 || p < 1 || p > 6 || key < 0)
		return 1;
	side = 1 << (m / 2);
	row = key / side;
	column = key % side;
#ifdef CORRECT
	assert((1L << m) / side == side);
	assert(key % p < p && key / p <= key);
	assert(row * side + column == key);
#else
	assert(row != 1000 || column != 17 || side != 256 || key % p != 3); /* BUG: place */
#endif
	return 0;
}
