/*
 * The program's memory: a flat 47-bit address space of pages. Each byte has two bits: valid (it
 * belongs to a live object) and init (it has a known value). A byte that is not init is undefined,
 * unless it has a cell in the page's table: a byte of a term (a symbolic byte, struct mem_sym), or
 * a mask of its undefined bits (a bit field in a fresh struct).
 *
 *  - init implies valid; a page without any valid byte does not exist
 *  - the fast paths below look a page up in a direct-mapped table (TLB) and test the bits of the
 *    accessed bytes; all other cases take mem_read/mem_write, which also give the reason of a
 *    failure
 *  - the cell of a byte that is init is stale and ignored: the fast paths do not read cells. Code
 *    that clears an init bit removes the byte's cell
 *  - the TLB never has a read-only page for writing, nor a page that is unchanged since an image
 *    (mem_save): the first write takes the slow path, which makes the page unshared
 *  - open memory has every address: pages come from a frozen memory under it (shared, copied on
 *    write) or are zero, and every byte is valid and, unless mem_lose() was called
 *    for it, init
 *
 * objects.h finds the object of an address. Lifetime: heap, owner struct machine.
 */
#ifndef HEDDLE_MEMORY_MEM_H
#define HEDDLE_MEMORY_MEM_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <string.h>

enum { MEM_PAGE_BITS = 12, MEM_PAGE = 1 << MEM_PAGE_BITS, MEM_TLB = 1024 };

struct mem_page {
	uint8_t bytes[MEM_PAGE];
	uint8_t valid[MEM_PAGE / 8 + 8]; /* one bit per byte; padded for reads of whole words */
	uint8_t init[MEM_PAGE / 8 + 8];
	struct mem_cells *cells;   /* sorted by offset (mem_page.h), or NULL */
	struct mem_version *version; /* its version in the last image that had it, or NULL */
	uint32_t nvalid;             /* number of valid bytes */
	bool readonly;
	bool clean; /* equal to its version, which may share this page */
};

struct mem_tlb {
	uint64_t tag; /* page number + 1 */
	struct mem_page *page;
	struct mem_page *wpage; /* NULL: writes take the slow path */
};

struct mem {
	struct mem_tlb tlb[MEM_TLB];
	struct map pages; /* page number -> struct mem_page *, or a tagged version (mem_page.h) */
	uint64_t npages, peak;
	bool open;
	const struct mem *under; /* open: the frozen memory under it, not owned; or NULL */
	/* images (mem_image.c) */
	struct mem_image *base;  /* the last image saved or restored; NULL = none yet */
	struct vec_u64 dirty;    /* numbers of pages that may differ from base, with duplicates */
	struct map index;        /* page number -> index in images + 1; only grows */
	struct vec_u64 numbers;  /* index in images -> page number */
	struct mem_version *zero; /* a page of zeros: base for the differences of new pages */
	struct mem_page *spare;  /* free pages for reuse, linked through their bytes */
	uint32_t nspare;
};

enum mem_status {
	MEM_OK,
	MEM_UNDEF,    /* read: some bits are undefined; see the mask */
	MEM_SYM,      /* read: some byte is symbolic, *bad is the first; the value read is invalid,
			 use mem_get_sym() */
	MEM_INVALID,  /* some byte is not part of a live object */
	MEM_READONLY, /* write to constant memory */
};

void mem_init(struct mem *m);
void mem_release(struct mem *m);
void mem_init_open(struct mem *m, const struct mem *under);
/* Open memory: moves all its own pages into `frozen`, which is uninitialized, and continues on top
 * of it. `frozen` must outlive m and must not change. */
void mem_freeze(struct mem *m, struct mem *frozen);

/* Makes the bytes [a, a+n), which are not valid, valid: uninitialized or zero. */
void mem_map(struct mem *m, uint64_t a, uint64_t n, bool zero);
/* Makes valid bytes invalid. */
void mem_unmap(struct mem *m, uint64_t a, uint64_t n);
/* Makes valid bytes uninitialized. */
void mem_forget(struct mem *m, uint64_t a, uint64_t n);
/* Makes all pages of [a, a+n) read-only. */
void mem_protect(struct mem *m, uint64_t a, uint64_t n);

/* Read or write n <= 16 bytes. On MEM_UNDEF `mask` (n bytes, may be NULL) has the undefined bits.
 * On MEM_INVALID *bad is the first invalid address. A write makes the bits of a mask undefined. */
enum mem_status mem_read(struct mem *m, uint64_t a, void *to, uint8_t *mask, unsigned n,
	uint64_t *bad);
enum mem_status mem_write(struct mem *m, uint64_t a, const void *from, const uint8_t *mask,
	unsigned n, uint64_t *bad);
/* memmove of any length; undefined bits and terms are copied too. Both sides are checked first, so
 * that a failure changes nothing; *bad_is_write is the side of the failure. */
enum mem_status mem_move(struct mem *m, uint64_t to, uint64_t from, uint64_t n, uint64_t *bad,
	bool *bad_is_write);
enum mem_status mem_set(struct mem *m, uint64_t a, uint8_t byte, uint64_t n, uint64_t *bad);
/* Open memory: sets the bytes to zero, without making pages that do not exist. */
void mem_clear(struct mem *m, uint64_t a, uint64_t n);
/* Open memory: the bytes have no known value until they are written or mem_know() is called; the
 * same without making pages that do not exist. mem_is_known(): no byte has lost its value. */
void mem_lose(struct mem *m, uint64_t a, uint64_t n);
void mem_know(struct mem *m, uint64_t a, uint64_t n);
bool mem_is_known(struct mem *m, uint64_t a, uint64_t n);
/* Copy any length from the program to the host (out) and back (in). Undefined bits are read with
 * the value in memory. */
enum mem_status mem_out(struct mem *m, uint64_t a, void *host, uint64_t n, uint64_t *bad);
enum mem_status mem_in(struct mem *m, uint64_t a, const void *host, uint64_t n, uint64_t *bad);
/* Length of the string at a; -1 with *bad if it reaches an invalid byte; -2 with *bad if it reaches
 * a symbolic byte. */
int64_t mem_strlen(struct mem *m, uint64_t a, uint64_t *bad);
/* Whether every byte is valid; else *bad is the first invalid address. */
bool mem_valid(struct mem *m, uint64_t a, uint64_t n, uint64_t *bad);

/* ---- symbolic bytes -------------------------------------------------------------------------- */

struct mem_sym { /* bits 8 * byte .. 8 * byte + 7 of the term, zero-extended to whole bytes */
	uint32_t term; /* id; 0 = the byte is not symbolic */
	uint8_t byte;
};
/* Makes n valid bytes from a on symbolic; a byte whose cell has term 0 is not changed. */
enum mem_status mem_put_sym(struct mem *m, uint64_t a, const struct mem_sym *cells, unsigned n,
	uint64_t *bad);
/* Reads n bytes of any kind: terms into `cells` (term 0: not symbolic), known bytes into `to`,
 * undefined bits into `mask` (n bytes each, neither may be NULL). MEM_OK or MEM_INVALID. Any n. */
enum mem_status mem_get_sym(struct mem *m, uint64_t a, struct mem_sym *cells, uint8_t *to,
	uint8_t *mask, unsigned n, uint64_t *bad);

/* ---- images ---------------------------------------------------------------------------------- */

/*
 * An image is an immutable copy of the contents of a memory that is not open. A save takes time
 * linear in the pages written since the last save or restore; a page that differs in few words from
 * an older one is kept as the difference. A restore, into the same memory, takes time linear in the
 * pages that differ, and once more for each of them at its next access. Images may outlive the
 * memory. Invalid bytes have no meaning: a save may change them.
 */
struct mem_image;
struct mem_image *mem_save(struct mem *m);
void mem_restore(struct mem *m, struct mem_image *image);
void mem_image_free(struct mem_image *image);
/* Whether the memory equals the image, except for the values of uninitialized bytes. Compares only
 * pages that were written, or that differ between the image and the last one saved or restored. */
bool mem_same(struct mem *m, const struct mem_image *image);
/* A hash of 128 bits of the contents, without the values of uninitialized bytes. Only pages that were
 * written since the last save or restore are read. */
void mem_hash(struct mem *m, uint64_t hash[2]);
/* Bytes that no other image shares. */
uint64_t mem_image_bytes(const struct mem_image *image);

/* The TLB entry of a page. The hash mixes in higher bits because the stacks of threads lie 64 MiB
 * apart and would all have the same entry. */
static inline struct mem_tlb *mem_slot(struct mem *m, uint64_t a)
{
	return &m->tlb[(a >> MEM_PAGE_BITS ^ a >> (MEM_PAGE_BITS + 6)) & (MEM_TLB - 1)];
}

/* Fast paths for constant n <= 8. False: nothing was done, use mem_read() or mem_write(). */
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
