/* A merge sort of symbolic bytes, and the check that it sorts.
 * explore: --sym stdin:6 -- */
#include <assert.h>
#include <unistd.h>

enum { N = 6 };

static void sort(unsigned char *a, unsigned char *tmp, int n)
{
	int half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	sort(a, tmp, half);
	sort(a + half, tmp, n - half);
	while (k < n)
		if (j == n || (i < half && a[i] <= a[j]))
			tmp[k++] = a[i++];
		else
			tmp[k++] = a[j++];
	for (i = 0; i < n; i++)
		a[i] = tmp[i];
}

int main(void)
{
	unsigned char a[N], tmp[N];

	if (read(0, a, N) != N)
		return 1;
	sort(a, tmp, N);
	for (int i = 1; i < N; i++)
		assert(a[i - 1] <= a[i]);
	return 0;
}
