/*
 * Inside memory: pages and where they come from (mem_page.c), the cells of bytes that are not plainly
 * known (mem_sym.c), versions of pages that images hold (mem_image.c). mem.c is built on these.
 */
#ifndef HEDDLE_MACHINE_MEM_PAGE_H
#define HEDDLE_MACHINE_MEM_PAGE_H

#include "base/base.h"
#include "machine/mem.h"

/* ---- pages ----------------------------------------------------------------------------------- */

/* The page for reading, or NULL; never NULL in open memory. */
struct mem_page *page_look_up(struct mem *m, uint64_t no);
/* The page for writing, or NULL; own and not clean from now on. */
struct mem_page *page_for_write(struct mem *m, uint64_t no);
/* The same; made if it does not exist. */
struct mem_page *page_make(struct mem *m, uint64_t no);
/* Its last byte is gone. */
void page_drop(struct mem *m, uint64_t no, struct mem_page *p);
void tlb_drop(struct mem *m, uint64_t no);

/* Without contents; and back. */
struct mem_page *page_alloc(struct mem *m);
void page_free(struct mem *m, struct mem_page *p);
/* bytes, valid and init */
void page_copy(struct mem_page *to, const struct mem_page *from);

static inline struct mem_page *page_find(struct mem *m, uint64_t no)
{
	struct mem_tlb *t = mem_slot(m, no << MEM_PAGE_BITS);

	return likely(t->tag == no + 1) ? t->page : page_look_up(m, no);
}

/* ---- bits: ranges within one page ------------------------------------------------------------ */

void bits_fill(uint8_t *bits, unsigned off, unsigned n, bool on);
/* the first offset in [off, off+n) whose bit is 0, or off+n */
unsigned bits_first_clear(const uint8_t *bits, unsigned off, unsigned n);
static inline bool bit(const uint8_t *bits, unsigned off)
{
	return bits[off / 8] >> (off & 7) & 1;
}

/* walks [a, a+n) page by page: no, off, len are set for each piece */
#define EACH_PIECE(a, n)                                                                           \
	for (uint64_t at_ = (a), end_ = (a) + (n), no, off, len;                                   \
		at_ < end_ && (no = at_ >> MEM_PAGE_BITS, off = at_ & (MEM_PAGE - 1),              \
				      len = MIN(end_ - at_, MEM_PAGE - off), true);                \
		at_ += len)

/* ---- cells: shared by a page and its versions; who changes one that others hold makes a copy - */

struct mem_cell {
	uint16_t off;
	uint8_t byte;  /* of the term */
	uint8_t undef; /* no term: these bits are unknown */
	uint32_t term; /* or 0 */
};

struct mem_cells {
	uint32_t refs, n, cap;
	struct mem_cell at[];
};

struct mem_cells *cells_ref(struct mem_cells *c);
void cells_unref(struct mem_cells *c);
/* The cell of a byte, or NULL; it says nothing if the byte is init. */
const struct mem_cell *cells_find(const struct mem_page *p, unsigned off);
void cells_put(struct mem_page *p, struct mem_cell c);
/* No byte of the range has one any more. */
void cells_drop(struct mem_page *p, unsigned off, unsigned n);
/* Those that count for nothing go. */
void cells_tidy(struct mem_page *p);

/* ---- versions: in mem.pages stands a version, tagged, until its page is looked at ------------ */

static inline struct mem_version *version_of(uint64_t entry)
{
	return entry & 1 ? (struct mem_version *)(uintptr_t)(entry & ~1ull) : NULL;
}

/* A page with the version's contents, clean; the version's own if it has a whole one. */
struct mem_page *version_page(struct mem *m, struct mem_version *v);
/* Whether the page is part of a version, and so not to be written or freed. */
bool page_is_shared(const struct mem_page *p);
void images_release(struct mem *m);

#endif
