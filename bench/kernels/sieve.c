/* Sieve of Eratosthenes: byte stores in a strided loop. */
#include <stdio.h>

enum { N = 1000000 };
static unsigned char composite[N + 1];

int main(void)
{
	int count = 0;

	for (int round = 0; round < 2; round++) {
		count = 0;
		for (int i = 0; i <= N; i++)
			composite[i] = 0;
		for (int i = 2; i <= N; i++) {
			if (composite[i])
				continue;
			count++;
			for (int j = 2 * i; j <= N; j += i)
				composite[j] = 1;
		}
	}
	printf("%d\n", count);
	return 0;
}
