/*
 * check-name: a pointer that is a choice over the choices before it, many times
 * check-command: heddle explore -- $exe x
 * check-correct: no
 * check-timeout: 20
 * check-run: --sym argv[1]:1 => 8
 */
#include <stdlib.h>

enum { ROUNDS = 24 };

int main(int argc, char **argv)
{
	unsigned x = argc > 1 ? argv[1][0] & 7 : 0;
	long *last[3] = {calloc(999, sizeof(long)), calloc(999, sizeof(long)), calloc(999, sizeof(long))};
	long *a[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		unsigned owner = (i * x + i / 2) % 3;

		a[i] = last[owner];
		last[owner] += i == (int)x - 1 ? x * x : x;
	}
	a[ROUNDS - 1][0] = 7;
	return (int)a[ROUNDS - 1][0] - 7;
}
