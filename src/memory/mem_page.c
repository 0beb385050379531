/* The pages of a memory: look-up, creation, copy on write. */
#include "memory/mem_page.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

enum { MAX_SPARE = 64 };

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

		if (!version_of(m->pages.slots[i].val) && !page_is_shared(p))
			page_free(m, p);
	}
	map_release(&m->pages);
	images_release(m);
	while (m->spare) {
		struct mem_page *p = m->spare;

		memcpy(&m->spare, p->bytes, sizeof m->spare);
		free(p);
	}
}

/* ---- the look-aside table -------------------------------------------------------------------- */

static void tlb_fill(struct mem *m, uint64_t no, struct mem_page *p)
{
	*mem_slot(m, no << MEM_PAGE_BITS) = (struct mem_tlb){
		.tag = no + 1, .page = p, .wpage = p->readonly || p->clean ? NULL : p};
}

static void tlb_fill_under(struct mem *m, uint64_t no, struct mem_page *p)
{
	*mem_slot(m, no << MEM_PAGE_BITS) = (struct mem_tlb){.tag = no + 1, .page = p};
}

void tlb_drop(struct mem *m, uint64_t no)
{
	struct mem_tlb *t = mem_slot(m, no << MEM_PAGE_BITS);

	if (t->tag == no + 1)
		*t = (struct mem_tlb){0};
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct mem_page *page_alloc(struct mem *m)
{
	struct mem_page *p = m->spare;

	if (p) {
		memcpy(&m->spare, p->bytes, sizeof m->spare);
		m->nspare--;
	} else {
		p = xmalloc(sizeof *p);
	}
	p->cells = NULL;
	p->version = NULL;
	p->nvalid = 0;
	p->readonly = p->clean = false;
	return p;
}

void page_free(struct mem *m, struct mem_page *p)
{
	cells_unref(p->cells);
	if (m->nspare >= MAX_SPARE) {
		free(p);
		return;
	}
	memcpy(p->bytes, &m->spare, sizeof m->spare);
	m->spare = p;
	m->nspare++;
}

void page_copy(struct mem_page *to, const struct mem_page *from)
{
	memcpy(to, from, offsetof(struct mem_page, cells));
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

static void enter_page(struct mem *m, uint64_t no, struct mem_page *p)
{
	*map_put(&m->pages, no) = map_ptr(p);
	m->npages++;
	m->peak = MAX(m->peak, m->npages);
	if (m->base)
		vec_push(&m->dirty, no);
}

static struct mem_page *page_zero(struct mem *m)
{
	struct mem_page *p = page_alloc(m);

	memset(p, 0, offsetof(struct mem_page, cells));
	return p;
}

/* Open memory: the page for writing, copied from below or zero if it does not exist yet. */
static struct mem_page *page_own(struct mem *m, uint64_t no)
{
	struct mem_page *p = (void *)(uintptr_t)map_get_or(&m->pages, no, 0), *under;

	if (!p) {
		under = page_under(m, no);
		if (under) {
			p = page_alloc(m);
			page_copy(p, under);
		} else {
			p = page_zero(m);
			memset(p->valid, 0xff, sizeof p->valid);
			memset(p->init, 0xff, sizeof p->init);
		}
		p->nvalid = MEM_PAGE;
		enter_page(m, no, p);
	}
	tlb_fill(m, no, p);
	return p;
}

struct mem_page *page_look_up(struct mem *m, uint64_t no)
{
	uint64_t *entry = map_get(&m->pages, no);
	struct mem_page *p;

	if (entry) {
		if (version_of(*entry))
			*entry = map_ptr(version_page(m, version_of(*entry)));
		p = (void *)(uintptr_t)*entry;
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

struct mem_page *page_for_write(struct mem *m, uint64_t no)
{
	struct mem_page *p, *old;

	if (m->open)
		return page_own(m, no);
	p = page_find(m, no);
	if (!p || !p->clean)
		return p;
	if (page_is_shared(p)) {
		old = p;
		p = page_alloc(m);
		page_copy(p, old);
		p->cells = cells_ref(old->cells);
		p->version = old->version;
		p->nvalid = old->nvalid;
		p->readonly = old->readonly;
		*map_put(&m->pages, no) = map_ptr(p);
	}
	p->clean = false;
	vec_push(&m->dirty, no);
	tlb_fill(m, no, p);
	return p;
}

struct mem_page *page_make(struct mem *m, uint64_t no)
{
	struct mem_page *p = page_for_write(m, no);

	if (p)
		return p;
	p = page_zero(m);
	enter_page(m, no, p);
	tlb_fill(m, no, p);
	return p;
}

void page_drop(struct mem *m, uint64_t no, struct mem_page *p)
{
	tlb_drop(m, no);
	map_del(&m->pages, no);
	m->npages--;
	if (m->base)
		vec_push(&m->dirty, no);
	if (!page_is_shared(p))
		page_free(m, p);
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

/* ---- bits ------------------------------------------------------------------------------------ */

void bits_fill(uint8_t *bits, unsigned off, unsigned n, bool on)
{
	for (; n && off & 7; off++, n--)
		bits[off / 8] = (uint8_t)((bits[off / 8] & ~(1 << (off & 7))) | on << (off & 7));
	memset(bits + off / 8, on ? 0xff : 0, n / 8);
	off += n & ~7u;
	for (n &= 7; n; off++, n--)
		bits[off / 8] = (uint8_t)((bits[off / 8] & ~(1 << (off & 7))) | on << (off & 7));
}

unsigned bits_first_clear(const uint8_t *bits, unsigned off, unsigned n)
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
