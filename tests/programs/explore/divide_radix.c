/*
 * check-name: the digits of radix sort, whose radix is a power of two that the input gives
 * check-command: heddle explore --sym 'argv[1]:1' -- $exe
 * check-finds: overflow digit
 * check-timeout: 60
 */
#include <heddle/heddle.h>
#include <stdlib.h>

enum { KEYS = 6 };

static unsigned key[KEYS];

int main(int argc, char **argv)
{
	unsigned log2_radix = argc > 1 ? argv[1][0] - '0' : 4, radix, loops;
	unsigned *rank;

	if (log2_radix < 1 || log2_radix > 8)
		return 1;
	radix = 1u << log2_radix;
	loops = 12 / log2_radix;
	heddle_input(key, sizeof key, "key");
	rank = calloc(radix, sizeof *rank);
	if (!rank)
		return 2;
	for (unsigned loop = 0; loop < loops; loop++) {
		unsigned bb = radix - 1, shift = loop * log2_radix;

		for (unsigned i = 0; i < KEYS; i++) {
			unsigned my_key = key[i] & (bb << shift);

			my_key >>= shift;
#ifdef CORRECT
			rank[my_key % radix]++;
#else
			rank[my_key + (key[i] / radix == 77)]++; /* BUG: digit */
#endif
		}
	}
	free(rank);
	return 0;
}
