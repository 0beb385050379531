#include "base/vec.h"

void *vec_grow_(void *at, uint32_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;

	while (n < want)
		n *= 2;
	if (n > UINT32_MAX)
		oom_die();
	*cap = (uint32_t)n;
	return xrealloc(at, n * size);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void sort_u32(uint32_t *at, size_t n)
{
	if (n > 1)
		qsort(at, n, sizeof *at, by_number);
}

static int by_number_64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void sort_u64(uint64_t *at, size_t n)
{
	if (n > 1)
		qsort(at, n, sizeof *at, by_number_64);
}

void vec_u32_sort(struct vec_u32 *v, uint32_t from)
{
	if (v->n > from)
		sort_u32(v->at + from, v->n - from);
}
