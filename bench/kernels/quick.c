/* Quicksort of 100,000 ints by hand: compares, swaps, recursion. */
#include <stdio.h>

enum { N = 100000 };
static int v[N];

static void sort(int *a, int lo, int hi)
{
	while (lo < hi) {
		int pivot = a[lo + (hi - lo) / 2], i = lo, j = hi;

		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j) {
				int t = a[i];

				a[i++] = a[j];
				a[j--] = t;
			}
		}
		if (j - lo < hi - i) {
			sort(a, lo, j);
			lo = i;
		} else {
			sort(a, i, hi);
			hi = j;
		}
	}
}

int main(void)
{
	unsigned x = 12345, sum = 0;

	for (int i = 0; i < N; i++) {
		x = x * 1103515245u + 12345u;
		v[i] = (int)(x >> 8);
	}
	sort(v, 0, N - 1);
	for (int i = 0; i < N; i += 97)
		sum = sum * 31 + (unsigned)v[i];
	printf("%d\n", (int)(sum & 0x7fffffff));
	return 0;
}
