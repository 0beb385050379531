/* Reading and writing the program's memory. */
#include "memory/mem_page.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

void mem_map(struct mem *m, uint64_t a, uint64_t n, bool zero)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_make(m, no);

		if (m->open) {
			memset(p->bytes + off, 0, len);
			continue;
		}
		bits_fill(p->valid, (unsigned)off, (unsigned)len, true);
		bits_fill(p->init, (unsigned)off, (unsigned)len, zero);
		p->nvalid += (uint32_t)len;
		if (zero)
			memset(p->bytes + off, 0, len);
	}
}

void mem_unmap(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);

		BUG_ON(!p || p->nvalid < len);
		if (p->nvalid == len) {
			page_drop(m, no, p);
			continue;
		}
		p = page_for_write(m, no);
		p->nvalid -= (uint32_t)len;
		bits_fill(p->valid, (unsigned)off, (unsigned)len, false);
		bits_fill(p->init, (unsigned)off, (unsigned)len, false);
		cells_drop(p, (unsigned)off, (unsigned)len);
	}
}

void mem_forget(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_for_write(m, no);

		BUG_ON(!p);
		bits_fill(p->init, (unsigned)off, (unsigned)len, false);
		cells_drop(p, (unsigned)off, (unsigned)len);
	}
}

void mem_protect(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_for_write(m, no);

		if (p) {
			p->readonly = true;
			tlb_drop(m, no);
		}
	}
}

bool mem_valid(struct mem *m, uint64_t a, uint64_t n, uint64_t *bad)
{
	if (a + n < a) {
		*bad = a;
		return false;
	}
	if (m->open)
		return true;
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);
		unsigned k = p ? bits_first_clear(p->valid, (unsigned)off, (unsigned)len)
			       : (unsigned)off;

		if (k < off + len) {
			*bad = no << MEM_PAGE_BITS | k;
			return false;
		}
	}
	return true;
}

static bool any_readonly(struct mem *m, uint64_t a, uint64_t n, uint64_t *bad)
{
	if (m->open)
		return false;
	EACH_PIECE(a, n)
	{
		if (page_find(m, no)->readonly) {
			*bad = no << MEM_PAGE_BITS | off;
			return true;
		}
	}
	return false;
}

static enum mem_status may_write(struct mem *m, uint64_t a, uint64_t n, uint64_t *bad)
{
	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	return any_readonly(m, a, n, bad) ? MEM_READONLY : MEM_OK;
}

/* ---- accesses within one page; the caller has checked validity --------------------------- */

/* Reads n bytes. MEM_SYM if a byte is symbolic; `sym` (may be NULL) gets the terms. */
static enum mem_status piece_get(struct mem *m, uint64_t a, uint8_t *to, uint8_t *mask,
	struct mem_sym *sym, unsigned n)
{
	const struct mem_page *p = page_find(m, a >> MEM_PAGE_BITS);
	unsigned off = a & (MEM_PAGE - 1);
	bool known = bits_first_clear(p->init, off, n) == off + n, any = false;

	memcpy(to, p->bytes + off, n);
	if (mask)
		memset(mask, 0, n);
	if (sym)
		memset(sym, 0, n * sizeof *sym);
	if (known)
		return MEM_OK;
	for (unsigned i = 0; (mask || p->cells) && i < n; i++) {
		const struct mem_cell *c;

		if (bit(p->init, off + i))
			continue;
		c = cells_find(p, off + i);
		if (mask)
			mask[i] = c && !c->term ? c->undef : 0xff;
		if (!c || !c->term)
			continue;
		any = true;
		if (!sym)
			break;
		sym[i] = (struct mem_sym){c->term, c->byte};
	}
	return any ? MEM_SYM : MEM_UNDEF;
}

static void piece_put(struct mem *m, uint64_t a, const uint8_t *from, const uint8_t *mask,
	const struct mem_sym *sym, unsigned n)
{
	struct mem_page *p = page_for_write(m, a >> MEM_PAGE_BITS);
	unsigned off = a & (MEM_PAGE - 1);

	memcpy(p->bytes + off, from, n);
	bits_fill(p->init, off, n, true);
	cells_drop(p, off, n);
	for (unsigned i = 0; mask && i < n; i++) {
		struct mem_cell c = {.off = (uint16_t)(off + i), .undef = mask[i]};

		if (sym && sym[i].term)
			c = (struct mem_cell){.off = c.off, .byte = sym[i].byte, .term = sym[i].term};
		if (!mask[i] && !c.term)
			continue;
		bits_fill(p->init, off + i, 1, false);
		if (c.term || c.undef != 0xff)
			cells_put(p, c);
	}
}

static enum mem_status first_sym(struct mem *m, uint64_t a, uint64_t *bad)
{
	for (;; a++) {
		const struct mem_page *p = page_find(m, a >> MEM_PAGE_BITS);
		unsigned off = a & (MEM_PAGE - 1);
		const struct mem_cell *c = bit(p->init, off) ? NULL : cells_find(p, off);

		if (c && c->term)
			break;
	}
	*bad = a;
	return MEM_SYM;
}

enum mem_status mem_read(struct mem *m, uint64_t a, void *to, uint8_t *mask, unsigned n,
	uint64_t *bad)
{
	unsigned first = MIN(n, (unsigned)(MEM_PAGE - (a & (MEM_PAGE - 1))));
	enum mem_status st, rest = MEM_OK;

	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	st = piece_get(m, a, to, mask, NULL, first);
	if (first < n)
		rest = piece_get(m, a + first, (uint8_t *)to + first, mask ? mask + first : NULL,
			NULL, n - first);
	st = MAX(st, rest); /* MEM_OK, MEM_UNDEF, MEM_SYM */
	return st == MEM_SYM ? first_sym(m, a, bad) : st;
}

enum mem_status mem_write(struct mem *m, uint64_t a, const void *from, const uint8_t *mask,
	unsigned n, uint64_t *bad)
{
	unsigned first = MIN(n, (unsigned)(MEM_PAGE - (a & (MEM_PAGE - 1))));
	enum mem_status st = may_write(m, a, n, bad);

	if (st != MEM_OK)
		return st;
	piece_put(m, a, from, mask, NULL, first);
	if (first < n)
		piece_put(m, a + first, (const uint8_t *)from + first, mask ? mask + first : NULL,
			NULL, n - first);
	return MEM_OK;
}

/* ---- any length -------------------------------------------------------------------------- */

enum mem_status mem_move(struct mem *m, uint64_t to, uint64_t from, uint64_t n, uint64_t *bad,
	bool *bad_is_write)
{
	uint8_t bytes[512], mask[512];
	struct mem_sym sym[512];
	bool back = to > from && to < from + n;
	enum mem_status st;
	uint64_t done, k, at;

	*bad_is_write = false;
	if (!mem_valid(m, from, n, bad))
		return MEM_INVALID;
	*bad_is_write = true;
	st = may_write(m, to, n, bad);
	if (st != MEM_OK)
		return st;
	for (done = 0; done < n; done += k) {
		/* k bytes that cross no page on either side; from the end if `back` */
		uint64_t f = back ? from + n - done : from + done;
		uint64_t t = back ? to + n - done : to + done;

		k = MIN(n - done, sizeof bytes);
		if (back) {
			k = MIN(k, ((f - 1) & (MEM_PAGE - 1)) + 1);
			k = MIN(k, ((t - 1) & (MEM_PAGE - 1)) + 1);
			at = n - done - k;
		} else {
			k = MIN(k, MEM_PAGE - (f & (MEM_PAGE - 1)));
			k = MIN(k, MEM_PAGE - (t & (MEM_PAGE - 1)));
			at = done;
		}
		st = piece_get(m, from + at, bytes, mask, NULL, (unsigned)k);
		if (st == MEM_SYM)
			piece_get(m, from + at, bytes, mask, sym, (unsigned)k);
		piece_put(m, to + at, bytes, st == MEM_OK ? NULL : mask,
			st == MEM_SYM ? sym : NULL, (unsigned)k);
	}
	return MEM_OK;
}

enum mem_status mem_set(struct mem *m, uint64_t a, uint8_t byte, uint64_t n, uint64_t *bad)
{
	enum mem_status st = may_write(m, a, n, bad);

	if (st != MEM_OK)
		return st;
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_for_write(m, no);

		memset(p->bytes + off, byte, len);
		bits_fill(p->init, (unsigned)off, (unsigned)len, true);
		cells_drop(p, (unsigned)off, (unsigned)len);
	}
	return MEM_OK;
}

static void add_pages(struct vec_u64 *out, const struct map *pages, uint64_t first, uint64_t last)
{
	map_each (pages, i)
		if (pages->slots[i].key >= first && pages->slots[i].key <= last)
			vec_push(out, pages->slots[i].key);
}

enum range_change { RANGE_CLEAR, RANGE_LOSE, RANGE_KNOW };

static void change_piece(
	struct mem *m, uint64_t no, unsigned off, unsigned len, enum range_change how)
{
	struct mem_page *p = page_for_write(m, no);

	if (how == RANGE_CLEAR)
		memset(p->bytes + off, 0, len);
	bits_fill(p->init, off, len, how != RANGE_LOSE);
}

/* change_existing() of a range with more pages than the memory has: goes over the memory's pages. */
static void change_pages(struct mem *m, uint64_t a, uint64_t n, enum range_change how)
{
	uint64_t first = a >> MEM_PAGE_BITS, last = (a + n - 1) >> MEM_PAGE_BITS;
	struct vec_u64 pages = {0};

	add_pages(&pages, &m->pages, first, last);
	if (m->under)
		add_pages(&pages, &m->under->pages, first, last);
	vec_each (&pages, i) {
		uint64_t from = MAX(a, pages.at[i] << MEM_PAGE_BITS);
		uint64_t to = MIN(a + n, (pages.at[i] + 1) << MEM_PAGE_BITS);

		change_piece(m, pages.at[i], (unsigned)(from & (MEM_PAGE - 1)),
			(unsigned)(to - from), how);
	}
	vec_release(&pages);
}

static bool has_page(const struct mem *m, uint64_t no)
{
	return map_get(&m->pages, no) || (m->under && map_get(&m->under->pages, no));
}

/* Open memory: changes the bytes of the pages that exist. */
static void change_existing(struct mem *m, uint64_t a, uint64_t n, enum range_change how)
{
	uint64_t npages = m->npages + (m->under ? m->under->npages : 0);

	if (n >> MEM_PAGE_BITS > npages) {
		change_pages(m, a, n, how);
		return;
	}
	EACH_PIECE(a, n)
	{
		if (has_page(m, no))
			change_piece(m, no, (unsigned)off, (unsigned)len, how);
	}
}

void mem_clear(struct mem *m, uint64_t a, uint64_t n)
{
	change_existing(m, a, n, RANGE_CLEAR);
}

void mem_lose(struct mem *m, uint64_t a, uint64_t n)
{
	change_existing(m, a, n, RANGE_LOSE);
}

void mem_know(struct mem *m, uint64_t a, uint64_t n)
{
	change_existing(m, a, n, RANGE_KNOW);
}

bool mem_is_known(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		if (has_page(m, no) && bits_first_clear(page_find(m, no)->init, (unsigned)off,
					       (unsigned)len) != off + len)
			return false;
	}
	return true;
}

enum mem_status mem_out(struct mem *m, uint64_t a, void *host, uint64_t n, uint64_t *bad)
{
	uint8_t *to = host;

	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	EACH_PIECE(a, n)
	{
		if (piece_get(m, no << MEM_PAGE_BITS | off, to, NULL, NULL, (unsigned)len) == MEM_SYM)
			return first_sym(m, no << MEM_PAGE_BITS | off, bad);
		to += len;
	}
	return MEM_OK;
}

enum mem_status mem_in(struct mem *m, uint64_t a, const void *host, uint64_t n, uint64_t *bad)
{
	enum mem_status st = may_write(m, a, n, bad);
	const uint8_t *from = host;

	if (st != MEM_OK)
		return st;
	EACH_PIECE(a, n)
	{
		piece_put(m, no << MEM_PAGE_BITS | off, from, NULL, NULL, (unsigned)len);
		from += len;
	}
	return MEM_OK;
}

int64_t mem_strlen(struct mem *m, uint64_t a, uint64_t *bad)
{
	for (uint64_t i = 0;; i++) {
		struct mem_page *p = page_find(m, (a + i) >> MEM_PAGE_BITS);
		unsigned off = (a + i) & (MEM_PAGE - 1);

		if (!p || !bit(p->valid, off)) {
			*bad = a + i;
			return -1;
		}
		if (p->cells && !bit(p->init, off)) {
			const struct mem_cell *c = cells_find(p, off);

			if (c && c->term) {
				*bad = a + i;
				return -2;
			}
		}
		if (!p->bytes[off])
			return (int64_t)i;
	}
}
