#include "base/sparse.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

void sparse_release(struct sparse *s)
{
	if (s->cap)
		free(s->at);
	*s = (struct sparse){0};
}

static struct sparse_block *blocks_of(struct sparse *s)
{
	return s->cap ? s->at : &s->one;
}

/* the index of the first block with a key of at least `key`; s->n if there is none */
static uint32_t find_block(const struct sparse *s, uint32_t key)
{
	const struct sparse_block *b = sparse_blocks(s);

	if (s->n && b[s->n - 1].key < key)
		return s->n;
	return lower_bound(0, s->n, i, b[i].key, key);
}

bool sparse_has(const struct sparse *s, uint32_t i)
{
	const struct sparse_block *b = sparse_blocks(s);
	uint32_t k = find_block(s, i / 32);

	return k < s->n && b[k].key == i / 32 && b[k].bits >> i % 32 & 1;
}

static void reserve_blocks(struct sparse *s, uint32_t n)
{
	struct sparse_block one;

	if (n <= MAX(s->cap, 1))
		return;
	if (!s->cap) {
		one = s->one;
		s->cap = MAX(n, 4);
		s->at = xmalloc(s->cap * sizeof *s->at);
		s->at[0] = one;
	} else {
		s->cap = MAX(n, s->cap + s->cap / 2);
		s->at = xrealloc(s->at, s->cap * sizeof *s->at);
	}
}

bool sparse_add(struct sparse *s, uint32_t i)
{
	uint32_t k = find_block(s, i / 32), bit = 1u << i % 32;
	struct sparse_block *b = blocks_of(s);

	if (k < s->n && b[k].key == i / 32) {
		if (b[k].bits & bit)
			return false;
		b[k].bits |= bit;
		return true;
	}
	reserve_blocks(s, s->n + 1);
	b = blocks_of(s);
	memmove(b + k + 1, b + k, (s->n - k) * sizeof *b);
	b[k] = (struct sparse_block){i / 32, bit};
	s->n++;
	return true;
}

/* the bits of block `key` in `less`, or 0; *k is a cursor that only moves forward, so the keys of
 * successive calls must rise */
static uint32_t bits_at(const struct sparse *less, uint32_t *k, uint32_t key)
{
	const struct sparse_block *b = sparse_blocks(less);

	while (*k < less->n && b[*k].key < key)
		++*k;
	return *k < less->n && b[*k].key == key ? b[*k].bits : 0;
}

bool sparse_or_diff(struct sparse *s, const struct sparse *t, const struct sparse *less)
{
	const struct sparse_block *b = sparse_blocks(t);
	struct sparse_block *a = blocks_of(s), *out;
	uint32_t i, j, k, l, more = 0, bits;
	bool any = false;

	/* add to existing blocks in place; count the blocks to insert */
	for (i = j = l = 0; j < t->n; j++) {
		bits = b[j].bits & ~bits_at(less, &l, b[j].key);
		while (i < s->n && a[i].key < b[j].key)
			i++;
		if (i < s->n && a[i].key == b[j].key) {
			any |= (bits & ~a[i].bits) != 0;
			a[i].bits |= bits;
		} else {
			more += bits != 0;
		}
	}
	if (!more)
		return any;
	reserve_blocks(s, s->n + more);
	out = blocks_of(s);
	/* merge from the back: no block is overwritten before it was moved */
	i = s->n;
	j = t->n;
	k = s->n + more;
	l = less->n;
	s->n = k;
	while (k > i) {
		j--;
		while (i && out[i - 1].key > b[j].key)
			out[--k] = out[--i];
		if (i && out[i - 1].key == b[j].key)
			continue;
		while (l && sparse_blocks(less)[l - 1].key > b[j].key)
			l--;
		bits = b[j].bits;
		if (l && sparse_blocks(less)[l - 1].key == b[j].key)
			bits &= ~sparse_blocks(less)[l - 1].bits;
		if (bits)
			out[--k] = (struct sparse_block){b[j].key, bits};
	}
	return true;
}

bool sparse_or(struct sparse *s, const struct sparse *t)
{
	static const struct sparse none;

	return sparse_or_diff(s, t, &none);
}

void sparse_and(struct sparse *s, const struct sparse *t)
{
	struct sparse_block *a = blocks_of(s);
	uint32_t n = 0, l = 0, bits;

	for (uint32_t i = 0; i < s->n; i++) {
		bits = a[i].bits & bits_at(t, &l, a[i].key);
		if (bits)
			a[n++] = (struct sparse_block){a[i].key, bits};
	}
	s->n = n;
}
