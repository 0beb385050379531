/*
 * qsort is a stable merge sort that calls the comparison in glibc's order: halves, the first one
 * rounded down. Elements larger than 32 bytes are compared in place and moved at the end.
 */
#include "model.h"
#include <stdlib.h>

struct sort {
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *arg;
	bool indirect;
	char *spare; /* room for all elements */
};

static int compare(const struct sort *s, const char *a, const char *b)
{
	if (s->indirect)
		return s->compare(*(void *const *)a, *(void *const *)b, s->arg);
	return s->compare(a, b, s->arg);
}

static void merge_sort(const struct sort *s, char *base, size_t n)
{
	size_t n1 = n / 2, n2 = n - n1;
	char *a = base, *b = base + n1 * s->size, *out = s->spare;

	if (n <= 1)
		return;
	merge_sort(s, a, n1);
	merge_sort(s, b, n2);
	while (n1 && n2) {
		if (compare(s, a, b) <= 0) {
			__builtin_memcpy(out, a, s->size);
			a += s->size;
			n1--;
		} else {
			__builtin_memcpy(out, b, s->size);
			b += s->size;
			n2--;
		}
		out += s->size;
	}
	if (n1)
		__builtin_memcpy(out, a, n1 * s->size);
	__builtin_memcpy(base, s->spare, (n - n2) * s->size);
}

static void sort_direct(const struct sort *how, char *base, size_t n)
{
	struct sort s = *how;

	s.spare = __heddle_alloc(n * s.size, 16, false);
	if (!s.spare)
		__heddle_unmodelled("qsort without memory for its copy");
	merge_sort(&s, base, n);
	__heddle_free(s.spare);
}

static void sort_pointers(const struct sort *how, char *base, size_t n)
{
	struct sort s = {.size = sizeof(char *), .compare = how->compare, .arg = how->arg,
		.indirect = true};
	char **pointers = __heddle_alloc(n * sizeof *pointers, 16, false);
	char *copy = __heddle_alloc(n * how->size, 16, false);

	if (!pointers || !copy)
		__heddle_unmodelled("qsort without memory for its copy");
	for (size_t i = 0; i < n; i++)
		pointers[i] = base + i * how->size;
	sort_direct(&s, (char *)pointers, n);
	for (size_t i = 0; i < n; i++)
		__builtin_memcpy(copy + i * how->size, pointers[i], how->size);
	__builtin_memcpy(base, copy, n * how->size);
	__heddle_free(copy);
	__heddle_free(pointers);
}

void __qsort_r(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *),
	void *arg)
{
	struct sort s = {.size = size, .compare = cmp, .arg = arg};

	if (n <= 1 || !size)
		return;
	if (size > 32)
		sort_pointers(&s, base, n);
	else
		sort_direct(&s, base, n);
}
M_ALIAS(qsort_r, __qsort_r);

static int call_plain(const void *a, const void *b, void *cmp)
{
	return (*(int (**)(const void *, const void *))cmp)(a, b);
}

void qsort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	__qsort_r(base, n, size, call_plain, &cmp);
}

void *bsearch(const void *key, const void *base, size_t n, size_t size,
	int (*cmp)(const void *, const void *))
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *p = (const char *)base + middle * size;
		int c = cmp(key, p);
		if (c == 0)
			return (void *)p;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
