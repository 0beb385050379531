/*
 * Images: saved contents of a memory. An image is a persistent array of versions of pages. A page
 * gets its index in the array when it is first saved; the index is the same in all images of a
 * memory.
 *
 * A version is a whole page, or the words in which it differs from a whole page. So the first
 * access to a page after a restore costs one copy and a few words, and there are no chains of
 * differences.
 *
 * The running memory has the image that it came from (mem.base) and the pages that may differ from
 * it (mem.dirty). That image holds the references to clean pages, and to versions in mem.pages
 * whose pages were not accessed yet.
 */
#include "base/base.h"
#include "base/map.h"
#include "base/parray.h"
#include "base/vec.h"
#include "memory/mem_page.h"

#include <stdlib.h>

enum {
	WORDS = offsetof(struct mem_page, cells) / 8, /* bytes, valid and init as words */
	BYTE_WORDS = MEM_PAGE / 8,
	MAX_DELTA = 1024, /* bytes; a page with a larger difference is kept whole, as a new base */
};
_Static_assert(offsetof(struct mem_page, cells) % 8 == 0, "a page is whole words");

/* Word i of a page and those after it; the first ones are its bytes. */
static uint8_t *words_from(struct mem_page *p, uint32_t i)
{
	return (uint8_t *)p + i * 8u;
}
_Static_assert(offsetof(struct mem_page, bytes) == 0, "bytes come first");

struct mem_version {
	uint32_t refs;
	uint32_t nvalid;
	struct mem_version *base; /* the whole version that delta refers to; NULL: this is one */
	struct mem_page *page;    /* of a whole version */
	struct mem_cells *cells;  /* of a difference */
	bool readonly;
	bool hashed;              /* `hash` is set */
	uint64_t hash[2];
	uint16_t n;               /* bytes of delta: runs of words */
	uint8_t delta[];
};

struct run {              /* in delta; its words follow */
	uint16_t word, n; /* first word, number of words */
};

struct mem_image {
	uint32_t refs;
	struct parray pages; /* struct mem_version * */
	uint64_t npages;
};

/* ---- versions -------------------------------------------------------------------------------- */

static void version_ref(void *element)
{
	((struct mem_version *)element)->refs++;
}

static void version_unref(void *element)
{
	struct mem_version *v = element;

	if (--v->refs)
		return;
	if (v->base) {
		version_unref(v->base);
		cells_unref(v->cells);
	} else {
		cells_unref(v->page->cells);
		free(v->page);
	}
	free(v);
}

static uint64_t cells_bytes(const struct mem_cells *c)
{
	return c && c->refs == 1 ? sizeof *c + c->cap * sizeof *c->at : 0;
}

static uint64_t version_bytes(const void *element)
{
	const struct mem_version *v = element;

	if (v->refs > 1)
		return 0;
	if (v->base)
		return sizeof *v + v->n + cells_bytes(v->cells) + version_bytes(v->base);
	return sizeof *v + sizeof *v->page + cells_bytes(v->page->cells);
}

static const struct parray_ops version_ops = {version_ref, version_unref, version_bytes};

bool page_is_shared(const struct mem_page *p)
{
	return p->version && p->version->page == p;
}

static struct mem_version *version_whole(struct mem_page *p)
{
	struct mem_version *v = xmalloc(sizeof *v);

	*v = (struct mem_version){.refs = 1, .page = p};
	return v;
}

struct mem_page *version_page(struct mem *m, struct mem_version *v)
{
	struct mem_page *p;
	struct run r;

	if (!v->base)
		return v->page;
	p = page_alloc(m);
	page_copy(p, v->base->page);
	for (uint32_t at = 0; at < v->n; at += sizeof r + r.n * 8u) {
		memcpy(&r, v->delta + at, sizeof r);
		memcpy(words_from(p, r.word), v->delta + at + sizeof r, r.n * 8u);
	}
	p->cells = cells_ref(v->cells);
	p->version = v;
	p->nvalid = v->nvalid;
	p->readonly = v->readonly;
	p->clean = true;
	return p;
}

/* ---- differences ----------------------------------------------------------------------------- */

static uint64_t word_at(const struct mem_page *p, uint32_t i)
{
	uint64_t w;

	memcpy(&w, words_from((struct mem_page *)p, i), 8);
	return w;
}

/* 0xff in each byte whose bit is set */
static uint64_t spread_bits(uint8_t bits)
{
	uint64_t w = bits * 0x0101010101010101u & 0x8040201008040201u;

	return ((w + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

/* Whether word i differs. Copies invalid bytes from base, so that they do not differ. */
static bool word_differs(struct mem_page *p, const struct mem_page *base, uint32_t i)
{
	uint64_t a = word_at(p, i), b = word_at(base, i), keep;

	if (a == b)
		return false;
	if (i >= BYTE_WORDS || p->valid[i] == 0xff)
		return true;
	keep = spread_bits(p->valid[i]);
	a = (a & keep) | (b & ~keep);
	memcpy(words_from(p, i), &a, 8);
	return a != b;
}

/* Writes the runs of words in which the page differs to `out`, of MAX_DELTA bytes. Returns the
 * number of bytes; -1: too many. */
static int32_t delta_make(struct mem_page *p, const struct mem_page *base, uint8_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < WORDS;) {
		struct run r = {.word = (uint16_t)i};

		if (i % 8 == 0 && i + 8 <= WORDS &&
			!memcmp(words_from(p, i), words_from((struct mem_page *)base, i), 64)) {
			i += 8;
			continue;
		}
		if (!word_differs(p, base, i)) {
			i++;
			continue;
		}
		for (i++; i < WORDS && word_differs(p, base, i); i++)
			;
		r.n = (uint16_t)(i - r.word);
		if (n + sizeof r + r.n * 8u > MAX_DELTA)
			return -1;
		memcpy(out + n, &r, sizeof r);
		memcpy(out + n + sizeof r, words_from((struct mem_page *)p, r.word), r.n * 8u);
		n += (uint32_t)sizeof r + r.n * 8u;
	}
	return (int32_t)n;
}

static struct mem_version *zero_version(struct mem *m)
{
	struct mem_page *p;

	if (!m->zero) {
		p = xcalloc(1, sizeof *p);
		m->zero = version_whole(p);
	}
	return m->zero;
}

static bool same_delta(const struct mem_version *v, const struct mem_version *base,
	const struct mem_page *p, const uint8_t *delta, uint32_t n)
{
	return v && v->base == base && v->n == n && v->nvalid == p->nvalid &&
	       v->readonly == p->readonly && v->cells == p->cells && !memcmp(v->delta, delta, n);
}

/* The version of a written page, which becomes clean. The caller owns a reference. */
static struct mem_version *version_make(struct mem *m, struct mem_page *p)
{
	struct mem_version *old = p->version, *base = old && old->base ? old->base : old, *v;
	uint8_t delta[MAX_DELTA];
	int32_t n;

	cells_tidy(p);
	if (!base)
		base = zero_version(m);
	n = delta_make(p, base->page, delta);
	p->clean = true;
	if (n < 0)
		return p->version = version_whole(p);
	if (same_delta(old, base, p, delta, (uint32_t)n)) {
		version_ref(old);
		return old;
	}
	v = xmalloc(sizeof *v + (uint32_t)n);
	*v = (struct mem_version){.refs = 1,
		.base = base,
		.nvalid = p->nvalid,
		.readonly = p->readonly,
		.n = (uint16_t)n,
		.cells = cells_ref(p->cells)};
	memcpy(v->delta, delta, (uint32_t)n);
	version_ref(base);
	return p->version = v;
}

/* Whether the pages are equal, except for the values of uninitialized bytes. */
static bool same_page(const struct mem_page *a, const struct mem_page *b)
{
	if (memcmp(a->valid, b->valid, sizeof a->valid) || memcmp(a->init, b->init, sizeof a->init))
		return false;
	for (uint32_t i = 0; i < BYTE_WORDS; i++)
		if ((word_at(a, i) ^ word_at(b, i)) & spread_bits(a->init[i]))
			return false;
	if (a->cells == b->cells)
		return true;
	for (unsigned off = 0; off < MEM_PAGE; off++) {
		const struct mem_cell *x, *y;

		if (!bit(a->valid, off) || bit(a->init, off))
			continue;
		x = cells_find(a, off);
		y = cells_find(b, off);
		if (!x != !y || (x && memcmp(x, y, sizeof *x)))
			return false;
	}
	return true;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static void hash_add(uint64_t hash[2], uint64_t x)
{
	hash[0] = (hash[0] ^ x) * 0x9e3779b97f4a7c15u;
	hash[0] ^= hash[0] >> 32;
	hash[1] = (hash[1] ^ x) * 0xc2b2ae3d27d4eb4fu;
	hash[1] ^= hash[1] >> 29;
}

static void hash_page(const struct mem_page *p, uint64_t hash[2])
{
	hash[0] = hash[1] = 1;
	for (uint32_t i = 0; i < BYTE_WORDS; i++) {
		if (!p->valid[i])
			continue;
		hash_add(hash, (uint64_t)i << 16 | (uint64_t)p->valid[i] << 8 | (p->init[i] & p->valid[i]));
		hash_add(hash, word_at(p, i) & spread_bits(p->init[i] & p->valid[i]));
	}
	for (unsigned off = 0; p->cells && off < MEM_PAGE; off++) {
		const struct mem_cell *c = NULL;

		if (bit(p->valid, off) && !bit(p->init, off))
			c = cells_find(p, off);
		if (!c)
			continue;
		hash_add(hash, (uint64_t)c->off << 16 | (uint64_t)c->byte << 8 | c->undef);
		hash_add(hash, c->term);
	}
}

static void hash_version(struct mem *m, struct mem_version *v)
{
	struct mem_page *p;

	if (v->hashed)
		return;
	p = version_page(m, v);
	hash_page(p, v->hash);
	v->hashed = true;
	if (!page_is_shared(p))
		page_free(m, p);
}

void mem_hash(struct mem *m, uint64_t hash[2])
{
	hash[0] = hash[1] = 0;
	map_each (&m->pages, i) {
		uint64_t entry = m->pages.slots[i].val, one[2], each[2] = {3, 5};
		struct mem_version *v = version_of(entry);
		struct mem_page *p = v ? NULL : (struct mem_page *)(uintptr_t)entry;

		if (p && p->clean && p->version)
			v = p->version;
		if (v) {
			hash_version(m, v);
			memcpy(one, v->hash, sizeof one);
		} else {
			hash_page(p, one);
		}
		hash_add(each, m->pages.slots[i].key);
		hash_add(each, one[0]);
		hash_add(each, one[1]);
		hash[0] += each[0]; /* the order of the pages does not count */
		hash[1] += each[1];
	}
}

/* ---- images ---------------------------------------------------------------------------------- */

static uint32_t place_of(struct mem *m, uint64_t no)
{
	uint64_t *i = map_put(&m->index, no);

	if (!*i) {
		vec_push(&m->numbers, no);
		*i = m->numbers.n;
	}
	return (uint32_t)*i - 1;
}

static void all_dirty(struct mem *m)
{
	map_each (&m->pages, i)
		vec_push(&m->dirty, m->pages.slots[i].key);
	sort_u64(m->dirty.at, m->dirty.n); /* neighbouring pages change together: near indices */
}

static void save_page(struct mem *m, struct mem_image *image, uint64_t no)
{
	uint64_t entry = map_get_or(&m->pages, no, 0);
	struct mem_page *p = (void *)(uintptr_t)entry;
	uint32_t at = place_of(m, no);

	if (entry && (version_of(entry) || p->clean))
		return; /* a duplicate in mem.dirty */
	if (entry || parray_get(image->pages, at))
		parray_set(&image->pages, &version_ops, at, entry ? version_make(m, p) : NULL);
	tlb_drop(m, no);
}

struct mem_image *mem_save(struct mem *m)
{
	struct mem_image *image;

	BUG_ON(m->open);
	if (!m->base)
		all_dirty(m);
	else if (!m->dirty.n)
		return m->base->refs++, m->base;
	image = xmalloc(sizeof *image);
	*image = (struct mem_image){.refs = 2, .npages = m->npages};
	if (m->base)
		image->pages = parray_copy(m->base->pages);
	vec_each (&m->dirty, i)
		save_page(m, image, m->dirty.at[i]);
	vec_clear(&m->dirty);
	if (m->base)
		mem_image_free(m->base);
	m->base = image;
	return image;
}

/* Replaces a page of the running memory by a version; NULL: removes the page. */
static void put_version(struct mem *m, uint64_t no, struct mem_version *v)
{
	uint64_t *entry = map_get(&m->pages, no);
	struct mem_page *p = entry ? (void *)(uintptr_t)*entry : NULL;

	if (entry && !version_of(*entry) && !page_is_shared(p))
		page_free(m, p);
	tlb_drop(m, no);
	if (v)
		*(entry ? entry : map_put(&m->pages, no)) = map_ptr(v) | 1;
	else if (entry)
		map_del(&m->pages, no);
}

static void restore_page(void *ctx, uint32_t at, void *old, void *new)
{
	struct mem *m = ctx;

	(void)old;
	put_version(m, m->numbers.at[at], new);
}

void mem_restore(struct mem *m, struct mem_image *image)
{
	BUG_ON(!m->base);
	vec_each (&m->dirty, i) {
		uint64_t no = m->dirty.at[i];

		put_version(m, no, parray_get(m->base->pages, place_of(m, no)));
	}
	vec_clear(&m->dirty);
	parray_diff(m->base->pages, image->pages, restore_page, m);
	image->refs++;
	mem_image_free(m->base);
	m->base = image;
	m->npages = image->npages;
}

struct same {
	struct mem *m;
	bool differs;
};

static void same_version(void *ctx, uint32_t at, void *old, void *new)
{
	struct same *x = ctx;
	struct mem_version *v = new;
	struct mem_page *p, *q;

	(void)old;
	if (x->differs)
		return;
	p = page_find(x->m, x->m->numbers.at[at]);
	if (!p || !v) {
		x->differs = p || v;
		return;
	}
	q = version_page(x->m, v);
	x->differs = !same_page(p, q);
	if (!page_is_shared(q))
		page_free(x->m, q);
}

bool mem_same(struct mem *m, const struct mem_image *image)
{
	struct same x = {m, m->npages != image->npages};

	BUG_ON(!m->base);
	for (uint32_t i = 0; i < m->dirty.n && !x.differs; i++) {
		uint32_t at = place_of(m, m->dirty.at[i]);

		same_version(&x, at, NULL, parray_get(image->pages, at));
	}
	if (!x.differs)
		parray_diff(m->base->pages, image->pages, same_version, &x);
	return !x.differs;
}

void mem_image_free(struct mem_image *image)
{
	if (--image->refs)
		return;
	parray_release(&image->pages, &version_ops);
	free(image);
}

uint64_t mem_image_bytes(const struct mem_image *image)
{
	return sizeof *image + parray_bytes(image->pages, &version_ops);
}

void images_release(struct mem *m)
{
	if (m->base)
		mem_image_free(m->base);
	if (m->zero)
		version_unref(m->zero);
	vec_release(&m->dirty);
	vec_release(&m->numbers);
	map_release(&m->index);
}
