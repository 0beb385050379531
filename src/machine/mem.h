/*
 * The program's memory: a flat 47-bit address space of pages with, for every byte, whether it may
 * be touched (valid) and whether it holds a known value (init). A byte that is not init has nothing
 * known about it, unless it has a cell beside the page: a piece of a term (a symbolic byte, struct
 * mem_sym), or which of its bits are unknown (a bit field in a fresh struct).
 *
 *  - init implies valid; a page without any valid byte does not exist
 *  - the fast paths below look a page up in a direct-mapped table and test the bits of the bytes
 *    touched; whatever they cannot decide goes to mem_read/mem_write, which tell what is wrong
 *  - a cell whose byte is init counts for nothing: the fast paths do not look at cells. Whoever makes
 *    a byte not init takes its cell away
 *  - a read-only page is never in the table for writing, nor is one that is as an image has it
 *    (mem_save): its first write takes the slow path, which makes it the memory's own
 *  - open memory has every address: pages come from a frozen memory under it (shared, copied when
 *    they are written) or are zero, and every byte is valid and known
 *
 * Which object an address belongs to is objects.h's business. Lifetime: heap, owner struct machine.
 */
#ifndef HEDDLE_MACHINE_MEM_H
#define HEDDLE_MACHINE_MEM_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <string.h>

enum { MEM_PAGE_BITS = 12, MEM_PAGE = 1 << MEM_PAGE_BITS, MEM_TLB = 1024 };

struct mem_page {
	uint8_t bytes[MEM_PAGE];
	uint8_t valid[MEM_PAGE / 8 + 8]; /* a bit a byte; padded so that a word may be read anywhere */
	uint8_t init[MEM_PAGE / 8 + 8];
	struct mem_cells *cells;   /* sorted by offset (mem_page.h), or NULL */
	struct mem_version *version; /* what an image has of this page, or had before it was written */
	uint32_t nvalid;
	bool readonly;
	bool clean; /* the same as its version; that may be this very page */
};

struct mem_tlb {
	uint64_t tag; /* page number + 1 */
	struct mem_page *page;
	struct mem_page *wpage; /* NULL if writes must take the slow path */
};

struct mem {
	struct mem_tlb tlb[MEM_TLB];
	struct map pages; /* page number -> struct mem_page *, or a tagged version (mem_page.h) */
	uint64_t npages, peak;
	bool open;
	const struct mem *under; /* open: what lies under it, or NULL; frozen, not owned */
	/* images (mem_image.c) */
	struct mem_image *base;  /* the last one saved or restored; NULL = none yet */
	struct vec_u64 dirty;    /* numbers of pages that may be different there, some more than once */
	struct map index;        /* page number -> place in images + 1; only grows */
	struct vec_u64 numbers;  /* its inverse */
	struct mem_version *zero; /* a page of zeros: what new pages are compared with */
	struct mem_page *spare;  /* pages to use again, linked by their bytes */
	uint32_t nspare;
};

enum mem_status {
	MEM_OK,
	MEM_UNDEF,    /* read: some bits are unknown; see the mask */
	MEM_SYM,      /* read: some byte is a piece of a term, *bad the first; what was read counts for
	                 nothing. mem_get_sym() */
	MEM_INVALID,  /* some byte is not part of a live object */
	MEM_READONLY, /* write to constant memory */
};

void mem_init(struct mem *m);
void mem_release(struct mem *m);
void mem_init_open(struct mem *m, const struct mem *under);
/* Open memory: moves all of its own pages into `frozen`, which is uninitialized, and stands on it
 * from now on. */
void mem_freeze(struct mem *m, struct mem *frozen);

/* Bytes [a, a+n) become part of an object, uninitialized or zero. They were not before. */
void mem_map(struct mem *m, uint64_t a, uint64_t n, bool zero);
/* They cease to be. */
void mem_unmap(struct mem *m, uint64_t a, uint64_t n);
/* They stay valid and lose their values. */
void mem_forget(struct mem *m, uint64_t a, uint64_t n);
/* No byte of the pages that hold [a, a+n) may be written any more. */
void mem_protect(struct mem *m, uint64_t a, uint64_t n);

/* n <= 16 bytes. On MEM_UNDEF `mask` (n bytes, may be NULL) has the unknown bits. On MEM_INVALID
 * *bad is the first offending address. A write with a mask leaves those bits unknown. */
enum mem_status mem_read(struct mem *m, uint64_t a, void *to, uint8_t *mask, unsigned n,
	uint64_t *bad);
enum mem_status mem_write(struct mem *m, uint64_t a, const void *from, const uint8_t *mask,
	unsigned n, uint64_t *bad);
/* Any length; like memmove, unknown bits and terms travel along. `from` and `to` are both checked
 * first, so that nothing is changed on failure; *bad_is_write tells which side was wrong. */
enum mem_status mem_move(struct mem *m, uint64_t to, uint64_t from, uint64_t n, uint64_t *bad,
	bool *bad_is_write);
enum mem_status mem_set(struct mem *m, uint64_t a, uint8_t byte, uint64_t n, uint64_t *bad);
/* Open memory: zero, without making pages that are not there. */
void mem_clear(struct mem *m, uint64_t a, uint64_t n);
/* Between the program and the host, any length. Unknown bits read as they lie; MEM_SYM as above. */
enum mem_status mem_out(struct mem *m, uint64_t a, void *host, uint64_t n, uint64_t *bad);
enum mem_status mem_in(struct mem *m, uint64_t a, const void *host, uint64_t n, uint64_t *bad);
/* Length of the string at a, or -1 with *bad set where it runs out of its object, or -2 with *bad set
 * where a symbolic byte decides it. */
int64_t mem_strlen(struct mem *m, uint64_t a, uint64_t *bad);
/* True if every byte is valid; else *bad is the first that is not. */
bool mem_valid(struct mem *m, uint64_t a, uint64_t n, uint64_t *bad);

/* ---- symbolic bytes -------------------------------------------------------------------------- */

struct mem_sym { /* bits 8 * byte .. 8 * byte + 7 of the term; a term of no whole bytes ends in zeros */
	uint32_t term; /* id; 0 = the byte is not symbolic */
	uint8_t byte;
};
/* n valid bytes from a on become these pieces; cells with term 0 are left as they are. */
enum mem_status mem_put_sym(struct mem *m, uint64_t a, const struct mem_sym *cells, unsigned n,
	uint64_t *bad);
/* The pieces of the n bytes, term 0 where a byte is not symbolic; known bytes into `to`, unknown bits
 * into `mask` (n bytes each, neither may be NULL). MEM_OK or MEM_INVALID. Any n. */
enum mem_status mem_get_sym(struct mem *m, uint64_t a, struct mem_sym *cells, uint8_t *to,
	uint8_t *mask, unsigned n, uint64_t *bad);

/* ---- images ------------------------------------------------------------------------------------ */

/*
 * What the memory holds now, for ever; of a memory that is not open. A save costs what was written
 * since the last save or restore; a page that differs in few places from an older one is kept as the
 * difference. A restore, into the same memory, costs the pages in which the two differ, and each of
 * them once more when it is next touched. Images may outlive the memory. Bytes that belong to no
 * object have no meaning: a save may change them.
 */
struct mem_image;
struct mem_image *mem_save(struct mem *m);
void mem_restore(struct mem *m, struct mem_image *image);
void mem_image_free(struct mem_image *image);
/* Whether the memory is what it was when the image was saved, but for bytes that are not known. Looks
 * only at pages written since, and at those that differ from the last image saved or restored. */
bool mem_same(struct mem *m, const struct mem_image *image);
/* What no other image holds. */
uint64_t mem_image_bytes(const struct mem_image *image);

/* Where a page stands in the table. Heaps of threads lie 64 MiB apart and would all meet in one place. */
static inline struct mem_tlb *mem_slot(struct mem *m, uint64_t a)
{
	return &m->tlb[(a >> MEM_PAGE_BITS ^ a >> (MEM_PAGE_BITS + 6)) & (MEM_TLB - 1)];
}

/* Fast paths for constant n <= 8; false: nothing done, take the slow one. */
static inline bool mem_load_fast(struct mem *m, uint64_t a, void *to, unsigned n)
{
	struct mem_tlb *t = mem_slot(m, a);
	unsigned off = a & (MEM_PAGE - 1), want = (1u << n) - 1;
	uint32_t w;

	if (unlikely(t->tag != (a >> MEM_PAGE_BITS) + 1 || off > MEM_PAGE - n))
		return false;
	memcpy(&w, t->page->init + off / 8, 4);
	if (unlikely((w >> (off & 7) & want) != want))
		return false;
	memcpy(to, t->page->bytes + off, n);
	return true;
}

static inline bool mem_store_fast(struct mem *m, uint64_t a, const void *from, unsigned n)
{
	struct mem_tlb *t = mem_slot(m, a);
	unsigned off = a & (MEM_PAGE - 1), want = (1u << n) - 1;
	struct mem_page *p = t->wpage;
	uint32_t w;

	if (unlikely(t->tag != (a >> MEM_PAGE_BITS) + 1 || off > MEM_PAGE - n || !p))
		return false;
	memcpy(&w, p->init + off / 8, 4);
	if (unlikely((w >> (off & 7) & want) != want)) {
		uint32_t v;

		memcpy(&v, p->valid + off / 8, 4);
		if ((v >> (off & 7) & want) != want)
			return false;
		w |= want << (off & 7);
		memcpy(p->init + off / 8, &w, 4);
	}
	memcpy(p->bytes + off, from, n);
	return true;
}

#endif
