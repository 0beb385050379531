#include "cover/snapshot.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "memory/mem_page.h"

#include <stdlib.h>
#include <string.h>

struct snapshot {
	struct map pages; /* page number -> 1 + index in copies */
	VEC(struct mem_page *) copies;
	struct vec_u64 numbers; /* of the copies */
};

struct snapshot *snapshot_take(struct machine *m)
{
	struct snapshot *s = xcalloc(1, sizeof *s);

	map_each (&m->mem.pages, i)
		vec_push(&s->numbers, m->mem.pages.slots[i].key);
	vec_each (&s->numbers, i) {
		struct mem_page *p = page_find(&m->mem, s->numbers.at[i]), *c;

		if (!p || p->readonly) {
			s->numbers.at[i] = UINT64_MAX;
			vec_push(&s->copies, NULL);
			continue;
		}
		c = xmalloc(sizeof *c);
		*c = *p;
		c->cells = p->cells ? cells_ref(p->cells) : NULL;
		vec_push(&s->copies, c);
		*map_put(&s->pages, s->numbers.at[i]) = s->copies.n;
	}
	return s;
}

void snapshot_free(struct snapshot *s)
{
	vec_each (&s->copies, i)
		if (s->copies.at[i]) {
			if (s->copies.at[i]->cells)
				cells_unref(s->copies.at[i]->cells);
			free(s->copies.at[i]);
		}
	vec_release(&s->copies);
	vec_release(&s->numbers);
	map_release(&s->pages);
	free(s);
}

static const struct mem_page *page_at(const struct snapshot *s, uint64_t no)
{
	uint64_t k = map_get_or(&s->pages, no, 0);

	return k ? s->copies.at[k - 1] : NULL;
}

static bool same_page(const struct mem_page *a, const struct mem_page *b)
{
	return !a->cells && !b->cells && !memcmp(a->bytes, b->bytes, sizeof a->bytes) &&
	       !memcmp(a->init, b->init, sizeof a->init);
}

static int by_number(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void sort_numbers(struct vec_u64 *v)
{
	if (v->n)
		qsort(v->at, v->n, sizeof *v->at, by_number);
}

void snapshots_changed(const struct snapshot *a, const struct snapshot *b, struct vec_u64 *pages)
{
	vec_each (&a->numbers, i) {
		const struct mem_page *x = a->copies.at[i],
				      *y = x ? page_at(b, a->numbers.at[i]) : NULL;

		if (y && !same_page(x, y))
			vec_push(pages, a->numbers.at[i] << MEM_PAGE_BITS);
	}
	sort_numbers(pages);
}

void snapshot_symbolic(const struct snapshot *s, struct vec_u64 *pages)
{
	vec_each (&s->numbers, i)
		if (s->copies.at[i] && s->copies.at[i]->cells)
			vec_push(pages, s->numbers.at[i] << MEM_PAGE_BITS);
	sort_numbers(pages);
}

struct byte {
	enum chunk_kind kind;
	uint8_t known, undef;
	uint32_t term; /* 0: known */
	uint8_t index;
};

static struct byte byte_at(const struct mem_page *p, unsigned off)
{
	const struct mem_cell *c;

	if (!p || !bit(p->valid, off))
		return (struct byte){.kind = CHUNK_INVALID};
	if (bit(p->init, off))
		return (struct byte){.kind = CHUNK_VALUE, .known = p->bytes[off]};
	c = cells_find(p, off);
	if (c && c->term)
		return (struct byte){.kind = CHUNK_VALUE, .term = c->term, .index = c->byte};
	return (struct byte){.kind = CHUNK_UNDEFINED,
		.undef = c ? c->undef : 0xff,
		.known = c ? p->bytes[off] & (uint8_t)~c->undef : 0};
}

term_t snapshot_term_at(const struct snapshot *s, const struct terms *ts, uint64_t a)
{
	const struct mem_page *p = page_at(s, a >> MEM_PAGE_BITS);
	unsigned off = a & (MEM_PAGE - 1), n;
	struct byte b = byte_at(p, off);

	if (b.kind != CHUNK_VALUE || !b.term || b.index)
		return TERM_NONE;
	n = term_width(ts, (term_t){b.term}) / 8;
	if (!n || n > 16 || n * 8 != term_width(ts, (term_t){b.term}) || off + n > MEM_PAGE)
		return TERM_NONE;
	for (unsigned i = 1; i < n; i++) {
		struct byte c = byte_at(p, off + i);

		if (c.kind != CHUNK_VALUE || c.term != b.term || c.index != i)
			return TERM_NONE;
	}
	return (term_t){b.term};
}

static term_t term_of_byte(struct terms *ts, struct byte b)
{
	term_t t = {b.term};
	unsigned low = 8u * b.index, width;

	if (!b.term)
		return term_const(ts, 8, b.known);
	width = term_width(ts, t);
	if (low >= width)
		return term_const(ts, 8, 0);
	if (width - low >= 8)
		return term_extract(ts, t, low, 8);
	return term_zext(ts, term_extract(ts, t, low, width - low), 8);
}

enum chunk_kind snapshot_get(
	const struct snapshot *s, struct terms *ts, uint64_t a, unsigned n, term_t *value)
{
	const struct mem_page *p = page_at(s, a >> MEM_PAGE_BITS);
	unsigned off = a & (MEM_PAGE - 1);
	term_t whole = snapshot_term_at(s, ts, a);
	u128 known = 0;
	bool terms = false;

	if (whole.id && term_width(ts, whole) == 8 * n) {
		*value = whole;
		return CHUNK_VALUE;
	}
	for (unsigned i = 0; i < n; i++) {
		struct byte b = byte_at(p, off + i);

		if (b.kind != CHUNK_VALUE)
			return b.kind;
		terms |= b.term != 0;
		known |= (u128)b.known << 8 * i;
	}
	if (!terms) {
		*value = term_const(ts, 8 * n, known);
		return CHUNK_VALUE;
	}
	*value = term_of_byte(ts, byte_at(p, off));
	for (unsigned i = 1; i < n; i++)
		*value = term_concat(ts, term_of_byte(ts, byte_at(p, off + i)), *value);
	return CHUNK_VALUE;
}

bool snapshots_same_bytes(
	const struct snapshot *a, const struct snapshot *b, uint64_t at, unsigned n)
{
	const struct mem_page *x = page_at(a, at >> MEM_PAGE_BITS),
			      *y = page_at(b, at >> MEM_PAGE_BITS);

	for (unsigned i = 0; i < n; i++) {
		struct byte c = byte_at(x, (at & (MEM_PAGE - 1)) + i),
			    d = byte_at(y, (at & (MEM_PAGE - 1)) + i);

		if (c.kind != d.kind || c.term || d.term || c.known != d.known ||
			c.undef != d.undef)
			return false;
	}
	return true;
}
