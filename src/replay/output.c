#include "replay/output.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct line {
	const char *s;
	size_t n;
};

struct output_lines {
	struct line *at;
	uint32_t n, cap;
};

static int compare_line(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	int c = memcmp(a->s, b->s, MIN(a->n, b->n));

	return c ? c : (a->n > b->n) - (a->n < b->n);
}

/* The lines that are not empty, sorted. */
static void sort_lines(struct output_lines *lines, const char *s, size_t n)
{
	for (size_t at = 0; at < n;) {
		const char *end = memchr(s + at, '\n', n - at);
		size_t length = end ? (size_t)(end - s) - at : n - at;

		if (length)
			vec_push(lines, (struct line){s + at, length});
		at += length + 1;
	}
	if (lines->n)
		qsort(lines->at, lines->n, sizeof *lines->at, compare_line);
}

static bool have_same_bytes(const char *a, const char *b, size_t n)
{
	size_t count[256] = {0};
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		count[(unsigned char)a[i]]++;
		count[(unsigned char)b[i]]--;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(count); i++)
		same &= !count[i];
	return same;
}

enum output_match output_compare(const char *a, size_t na, const char *b, size_t nb, bool whole)
{
	struct output_lines x = {0}, y = {0};
	size_t n = MIN(na, nb);
	bool same;

	if ((na == nb || !whole) && (!n || !memcmp(a, b, n)))
		return OUTPUT_SAME;
	if (na != nb)
		return OUTPUT_OTHER;
	sort_lines(&x, a, na);
	sort_lines(&y, b, nb);
	same = x.n == y.n;
	for (uint32_t i = 0; same && i < x.n; i++)
		same = !compare_line(&x.at[i], &y.at[i]);
	vec_release(&x);
	vec_release(&y);
	return same ? OUTPUT_ORDER : have_same_bytes(a, b, na) ? OUTPUT_MIXED : OUTPUT_OTHER;
}
