#include "exec/mem.h"

#include <stdlib.h>

void mem_init(struct mem *m)
{
	*m = (struct mem){0};
}

void mem_init_open(struct mem *m, const struct mem *under)
{
	*m = (struct mem){.open = true, .under = under};
}

void mem_release(struct mem *m)
{
	map_each (&m->pages, i) {
		struct mem_page *p = (void *)(uintptr_t)m->pages.slots[i].val;

		free(p->undef);
		free(p);
	}
	map_release(&m->pages);
}

/* ---- pages ------------------------------------------------------------------------------- */

static void tlb_fill(struct mem *m, uint64_t no, struct mem_page *p)
{
	*mem_slot(m, no << MEM_PAGE_BITS) = (struct mem_tlb){
		.tag = no + 1, .page = p, .wpage = p->readonly || p->undef ? NULL : p};
}

static void tlb_fill_under(struct mem *m, uint64_t no, struct mem_page *p)
{
	*mem_slot(m, no << MEM_PAGE_BITS) = (struct mem_tlb){.tag = no + 1, .page = p};
}

static void tlb_drop(struct mem *m, uint64_t no)
{
	struct mem_tlb *t = mem_slot(m, no << MEM_PAGE_BITS);

	if (t->tag == no + 1)
		*t = (struct mem_tlb){0};
}

static struct mem_page *page_under(const struct mem *m, uint64_t no)
{
	for (m = m->under; m; m = m->under) {
		struct mem_page *p = (void *)(uintptr_t)map_get_or(&m->pages, no, 0);

		if (p)
			return p;
	}
	return NULL;
}

static struct mem_page *page_own(struct mem *m, uint64_t no);

static struct mem_page *page_find(struct mem *m, uint64_t no)
{
	struct mem_tlb *t = mem_slot(m, no << MEM_PAGE_BITS);
	struct mem_page *p;

	if (t->tag == no + 1)
		return t->page;
	p = (void *)(uintptr_t)map_get_or(&m->pages, no, 0);
	if (p) {
		tlb_fill(m, no, p);
		return p;
	}
	if (!m->open)
		return NULL;
	p = page_under(m, no);
	if (!p)
		return page_own(m, no);
	tlb_fill_under(m, no, p);
	return p;
}

static struct mem_page *page_new(struct mem *m, uint64_t no)
{
	struct mem_page *p = xcalloc(1, sizeof *p);

	*map_put(&m->pages, no) = map_ptr(p);
	m->npages++;
	m->peak = MAX(m->peak, m->npages);
	return p;
}

/* Open memory: the page, made its own if it is not. */
static struct mem_page *page_own(struct mem *m, uint64_t no)
{
	struct mem_page *p = (void *)(uintptr_t)map_get_or(&m->pages, no, 0), *under;

	if (!p) {
		under = page_under(m, no);
		p = page_new(m, no);
		if (under) {
			memcpy(p, under, sizeof *p);
		} else {
			memset(p->valid, 0xff, sizeof p->valid);
			memset(p->init, 0xff, sizeof p->init);
			p->nvalid = MEM_PAGE;
		}
	}
	tlb_fill(m, no, p);
	return p;
}

static struct mem_page *page_for_write(struct mem *m, uint64_t no)
{
	return m->open ? page_own(m, no) : page_find(m, no);
}

static struct mem_page *page_make(struct mem *m, uint64_t no)
{
	struct mem_page *p = m->open ? page_own(m, no) : page_find(m, no);

	if (p)
		return p;
	p = page_new(m, no);
	tlb_fill(m, no, p);
	return p;
}

static void page_drop(struct mem *m, uint64_t no, struct mem_page *p)
{
	tlb_drop(m, no);
	map_del(&m->pages, no);
	m->npages--;
	free(p->undef);
	free(p);
}

void mem_freeze(struct mem *m, struct mem *frozen)
{
	BUG_ON(!m->open);
	*frozen = (struct mem){.open = true, .under = m->under, .pages = m->pages,
		.npages = m->npages, .peak = m->peak};
	m->pages = (struct map){0};
	m->npages = 0;
	m->under = frozen;
	memset(m->tlb, 0, sizeof m->tlb);
}

/* ---- bits: ranges within one page -------------------------------------------------------- */

static void bits_fill(uint8_t *bits, unsigned off, unsigned n, bool on)
{
	for (; n && off & 7; off++, n--)
		bits[off / 8] = (uint8_t)((bits[off / 8] & ~(1 << (off & 7))) | on << (off & 7));
	memset(bits + off / 8, on ? 0xff : 0, n / 8);
	off += n & ~7u;
	for (n &= 7; n; off++, n--)
		bits[off / 8] = (uint8_t)((bits[off / 8] & ~(1 << (off & 7))) | on << (off & 7));
}

static bool bit(const uint8_t *bits, unsigned off)
{
	return bits[off / 8] >> (off & 7) & 1;
}

/* the first offset in [off, off+n) whose bit is 0, or off+n */
static unsigned bits_first_clear(const uint8_t *bits, unsigned off, unsigned n)
{
	unsigned end = off + n;

	while (off < end) {
		if (!(off & 7) && off + 8 <= end && bits[off / 8] == 0xff)
			off += 8;
		else if (bit(bits, off))
			off++;
		else
			return off;
	}
	return end;
}

/* walks [a, a+n) page by page: no, off, len are set for each piece */
#define EACH_PIECE(a, n)                                                                           \
	for (uint64_t at_ = (a), end_ = (a) + (n), no, off, len;                                   \
		at_ < end_ && (no = at_ >> MEM_PAGE_BITS, off = at_ & (MEM_PAGE - 1),              \
				      len = MIN(end_ - at_, MEM_PAGE - off), true);                \
		at_ += len)

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
		else if (p->undef)
			memset(p->undef + off, 0xff, len);
	}
}

void mem_unmap(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);

		BUG_ON(!p || p->nvalid < len);
		p->nvalid -= (uint32_t)len;
		if (!p->nvalid) {
			page_drop(m, no, p);
			continue;
		}
		bits_fill(p->valid, (unsigned)off, (unsigned)len, false);
		bits_fill(p->init, (unsigned)off, (unsigned)len, false);
	}
}

void mem_forget(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);

		BUG_ON(!p);
		bits_fill(p->init, (unsigned)off, (unsigned)len, false);
		if (p->undef)
			memset(p->undef + off, 0xff, len);
	}
}

void mem_protect(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);

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

/* ---- one piece in, one piece out; the caller has checked --------------------------------- */

static uint8_t undef_of(const struct mem_page *p, unsigned off)
{
	if (bit(p->init, off))
		return 0;
	return p->undef ? p->undef[off] : 0xff;
}

static bool piece_get(struct mem *m, uint64_t a, uint8_t *to, uint8_t *mask, unsigned n)
{
	struct mem_page *p = page_find(m, a >> MEM_PAGE_BITS);
	unsigned off = a & (MEM_PAGE - 1);
	bool known = bits_first_clear(p->init, off, n) == off + n;

	memcpy(to, p->bytes + off, n);
	if (mask) {
		memset(mask, 0, n);
		for (unsigned i = 0; !known && i < n; i++)
			mask[i] = undef_of(p, off + i);
	}
	return known;
}

static void piece_put(struct mem *m, uint64_t a, const uint8_t *from, const uint8_t *mask,
	unsigned n)
{
	uint64_t no = a >> MEM_PAGE_BITS;
	struct mem_page *p = page_for_write(m, no);
	unsigned off = a & (MEM_PAGE - 1);
	bool partial = false;

	memcpy(p->bytes + off, from, n);
	bits_fill(p->init, off, n, true);
	for (unsigned i = 0; mask && i < n; i++) {
		if (mask[i])
			bits_fill(p->init, off + i, 1, false);
		partial |= mask[i] && mask[i] != 0xff;
	}
	if (partial && !p->undef) {
		p->undef = xmalloc(MEM_PAGE);
		memset(p->undef, 0xff, MEM_PAGE);
		tlb_drop(m, no);
	}
	if (p->undef && mask)
		memcpy(p->undef + off, mask, n);
}

enum mem_status mem_read(struct mem *m, uint64_t a, void *to, uint8_t *mask, unsigned n,
	uint64_t *bad)
{
	unsigned first = MIN(n, (unsigned)(MEM_PAGE - (a & (MEM_PAGE - 1))));
	bool known;

	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	known = piece_get(m, a, to, mask, first);
	if (first < n)
		known &= piece_get(m, a + first, (uint8_t *)to + first,
			mask ? mask + first : NULL, n - first);
	return known ? MEM_OK : MEM_UNDEF;
}

enum mem_status mem_write(struct mem *m, uint64_t a, const void *from, const uint8_t *mask,
	unsigned n, uint64_t *bad)
{
	unsigned first = MIN(n, (unsigned)(MEM_PAGE - (a & (MEM_PAGE - 1))));
	enum mem_status st = may_write(m, a, n, bad);

	if (st != MEM_OK)
		return st;
	piece_put(m, a, from, mask, first);
	if (first < n)
		piece_put(m, a + first, (const uint8_t *)from + first, mask ? mask + first : NULL,
			n - first);
	return MEM_OK;
}

/* ---- any length -------------------------------------------------------------------------- */

enum mem_status mem_move(struct mem *m, uint64_t to, uint64_t from, uint64_t n, uint64_t *bad,
	bool *bad_is_write)
{
	uint8_t bytes[512], mask[512];
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
		/* a chunk that crosses no page on either side, taken from the far end if `back` */
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
		if (piece_get(m, from + at, bytes, mask, (unsigned)k))
			piece_put(m, to + at, bytes, NULL, (unsigned)k);
		else
			piece_put(m, to + at, bytes, mask, (unsigned)k);
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
	}
	return MEM_OK;
}

void mem_clear(struct mem *m, uint64_t a, uint64_t n)
{
	EACH_PIECE(a, n)
	{
		if (!map_get(&m->pages, no) && !(m->under && map_get(&m->under->pages, no)))
			continue;
		memset(page_for_write(m, no)->bytes + off, 0, len);
	}
}

enum mem_status mem_out(struct mem *m, uint64_t a, void *host, uint64_t n, uint64_t *bad)
{
	uint8_t *to = host;

	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	EACH_PIECE(a, n)
	{
		memcpy(to, page_find(m, no)->bytes + off, len);
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
		piece_put(m, no << MEM_PAGE_BITS | off, from, NULL, (unsigned)len);
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
		if (!p->bytes[off])
			return (int64_t)i;
	}
}
