/*
 * check-name: divisions of 64 bits by values that depend on one digit of the input
 * check-command: heddle explore -- $exe 4
 * check-correct: no
 * check-timeout: 20
 * check-run: --sym argv[1]:1 => 6
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	long digit = argc > 1 ? argv[1][0] & 15 : 4;
	long side = 1L << (digit / 3), width = side * 24 + 5;

	if (side < 2)
		return 1;
	long share = width / side, rest = width % side;
	long padding = (8192 - share * side) / (share + 1) + rest;
	char *grid = calloc(1, 65536);

	if (!grid)
		return 2;
	for (long i = 0; i < side; i++)
		for (long j = 0; j < share; j++)
			grid[(i * share + j + i / (rest + 1) * padding) & 65535] =
				(char)((i + j) % (share + 2));
	return grid[7] == 3;
}
