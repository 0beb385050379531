#include "base/bitset.h"

#include <stdlib.h>
#include <string.h>

void bitset_release(struct bitset *s)
{
	free(s->w);
	*s = (struct bitset){0};
}

void bitset_clear(struct bitset *s)
{
	if (s->n)
		memset(s->w, 0, s->n * sizeof *s->w);
}

static void reserve_words(struct bitset *s, uint32_t words)
{
	uint32_t n = MAX(words, s->n + s->n / 2);

	s->w = xrealloc(s->w, n * sizeof *s->w);
	memset(s->w + s->n, 0, (n - s->n) * sizeof *s->w);
	s->n = n;
}

bool bitset_add(struct bitset *s, uint32_t i)
{
	uint64_t bit = 1ull << (i % 64);

	if (i / 64 >= s->n)
		reserve_words(s, i / 64 + 1);
	if (s->w[i / 64] & bit)
		return false;
	s->w[i / 64] |= bit;
	return true;
}

void bitset_del(struct bitset *s, uint32_t i)
{
	if (i / 64 < s->n)
		s->w[i / 64] &= ~(1ull << (i % 64));
}

bool bitset_or(struct bitset *s, const struct bitset *t)
{
	uint64_t fresh, any = 0;
	uint32_t top = t->n;

	while (top && !t->w[top - 1])
		top--;
	if (top > s->n)
		reserve_words(s, top);
	for (uint32_t i = 0; i < top; i++) {
		fresh = t->w[i] & ~s->w[i];
		s->w[i] |= fresh;
		any |= fresh;
	}
	return any != 0;
}

bool bitset_intersects(const struct bitset *s, const struct bitset *t)
{
	for (uint32_t i = 0; i < MIN(s->n, t->n); i++)
		if (s->w[i] & t->w[i])
			return true;
	return false;
}

uint32_t bitset_count(const struct bitset *s)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < s->n; i++)
		k += (uint32_t)__builtin_popcountll(s->w[i]);
	return k;
}

uint32_t bitset_next(const struct bitset *s, uint32_t i)
{
	uint32_t k = i / 64;
	uint64_t w;

	if (k >= s->n)
		return UINT32_MAX;
	w = s->w[k] & ~0ull << (i % 64);
	while (!w) {
		if (++k >= s->n)
			return UINT32_MAX;
		w = s->w[k];
	}
	return k * 64 + (uint32_t)__builtin_ctzll(w);
}
