/*
 * check-name: an array whose size is an input, one element too many
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: overflow element
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char n;
	int *a, sum = 0;

	if (read(0, &n, 1) != 1)
		return 1;
	n %= 5;
	a = calloc(n, sizeof *a);
	if (!a)
		return 2;
#ifdef CORRECT
	for (int i = 0; i < n; i++)
#else
	for (int i = 0; i <= n; i++)
#endif
		a[i] = i; /* BUG: element */
	for (int i = 0; i < n; i++)
		sum += a[i];
	free(a);
	return sum != n * (n - 1) / 2;
}
