/*
 * check-name: quicksort that gives the smaller part to a new thread
 * check-seeds: 100
 * check-output:
 * sorted 120 numbers with more than one thread, sum 57061
 * check-output-end
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N = 120, ALONE = 12 };

struct part {
	int *first, n;
};

static int numbers[N];
static atomic_int threads;

static void swap(int *a, int *b)
{
	int t = *a;

	*a = *b;
	*b = t;
}

static int partition(int *v, int n)
{
	int pivot = v[n / 2], at = 0;

	swap(&v[n / 2], &v[n - 1]);
	for (int i = 0; i < n - 1; i++)
		if (v[i] < pivot)
			swap(&v[i], &v[at++]);
	swap(&v[at], &v[n - 1]);
	return at;
}

static void *sort(void *arg)
{
	struct part p = *(struct part *)arg;

	if (p.n < 2)
		return NULL;
	int at = partition(p.first, p.n);
	struct part low = {p.first, at}, high = {p.first + at + 1, p.n - at - 1};
	if (p.n > ALONE) {
		pthread_t t;
		atomic_fetch_add(&threads, 1);
		pthread_create(&t, NULL, sort, &low);
		sort(&high);
		pthread_join(t, NULL);
	} else {
		sort(&low);
		sort(&high);
	}
	return NULL;
}

int main(void)
{
	struct part all = {numbers, N};
	unsigned x = 12345, sum = 0;
	int sorted = 1;

	for (int i = 0; i < N; i++) {
		x = x * 1103515245 + 12345;
		numbers[i] = (int)(x >> 16) % 1000;
	}
	sort(&all);
	for (int i = 0; i < N; i++) {
		sum += (unsigned)numbers[i];
		sorted &= i == 0 || numbers[i - 1] <= numbers[i];
	}
	printf("%s %d numbers with %s thread, sum %u\n", sorted ? "sorted" : "did not sort", N,
		threads > 0 ? "more than one" : "one", sum);
	return 0;
}
