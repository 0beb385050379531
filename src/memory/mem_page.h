/*
 * The parts of memory that mem.c uses: pages (mem_page.c), cells of symbolic and partly undefined
 * bytes (mem_sym.c), versions of pages in images (mem_image.c).
 */
#ifndef HEDDLE_MEMORY_MEM_PAGE_H
#define HEDDLE_MEMORY_MEM_PAGE_H

#include "base/base.h"
#include "memory/mem.h"

/* ---- pages ----------------------------------------------------------------------------------- */

/* The page for reading, or NULL; never NULL in open memory. */
struct mem_page *page_look_up(struct mem *m, uint64_t no);
/* The page for writing, or NULL. It is unshared and not clean afterwards. */
struct mem_page *page_for_write(struct mem *m, uint64_t no);
/* The page for writing; made if it does not exist. */
struct mem_page *page_make(struct mem *m, uint64_t no);
/* Removes a page without valid bytes. */
void page_drop(struct mem *m, uint64_t no, struct mem_page *p);
/* Removes the page from the TLB. */
void tlb_drop(struct mem *m, uint64_t no);

/* Allocate a page without initializing its contents, and free it. */
struct mem_page *page_alloc(struct mem *m);
void page_free(struct mem *m, struct mem_page *p);
/* Copies bytes, valid and init. */
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

/* iterates over [a, a+n) page by page: page number `no`, offset `off`, length `len` */
#define EACH_PIECE(a, n)                                                                           \
	for (uint64_t at_ = (a), end_ = (a) + (n), no, off, len;                                   \
		at_ < end_ && (no = at_ >> MEM_PAGE_BITS, off = at_ & (MEM_PAGE - 1),              \
				      len = MIN(end_ - at_, MEM_PAGE - off), true);                \
		at_ += len)

/* ---- cells: tables shared by a page and its versions, copied on write ------------------------ */

struct mem_cell {
	uint16_t off;  /* in the page */
	uint8_t byte;  /* index of the byte in the term */
	uint8_t undef; /* without a term: the undefined bits */
	uint32_t term; /* id, or 0 */
};

struct mem_cells {
	uint32_t refs, n, cap;
	struct mem_cell at[];
};

struct mem_cells *cells_ref(struct mem_cells *c);
void cells_unref(struct mem_cells *c);
/* The cell of a byte, or NULL; it is stale if the byte is init. */
const struct mem_cell *cells_find(const struct mem_page *p, unsigned off);
void cells_put(struct mem_page *p, struct mem_cell c);
/* Removes the cells of the range. */
void cells_drop(struct mem_page *p, unsigned off, unsigned n);
/* Removes stale cells: those of bytes that are init. */
void cells_tidy(struct mem_page *p);

/* ---- versions: mem.pages has a tagged version until its page is first accessed --------------- */

static inline struct mem_version *version_of(uint64_t entry)
{
	return entry & 1 ? (struct mem_version *)(uintptr_t)(entry & ~1ull) : NULL;
}

/* A clean page with the contents of the version: the version's own page if it is a whole one. */
struct mem_page *version_page(struct mem *m, struct mem_version *v);
/* Whether the page belongs to a version: it must not be written or freed. */
bool page_is_shared(const struct mem_page *p);
void images_release(struct mem *m);

#endif
