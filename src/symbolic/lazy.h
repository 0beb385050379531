/*
 * Memory that is not known yet: the lazily expanded symbolic heap of paper 001 (§3.1).
 *
 * A region is an object at a range of concrete addresses whose bytes are an array of terms. Where the
 * paper gives each symbolic pointer x a primary object and keeps the copies of aliased objects equal,
 * addresses here are numbers of one space, and x itself says where it points: on its first use x gets
 * a primary region of its own, and the path gets "x lies in its own region, or in one of those that
 * it may alias". A load chooses between the candidate regions by guards, a store writes to each of
 * them under its guard. So one copy of each object exists and x = y needs no further invariant.
 *
 * Regions are
 *  - primary objects, in ADDR_LAZY, made on the first use of a pointer symbol; their size may be a term
 *  - variables of the program that exist before it starts to run here (globals, stack variables of the
 *    initial frames), at their own addresses
 *  - heap blocks with a symbolic size
 *
 * What a pointer symbol may point to is asked of `ops->targets` once, at its first use; the points-to
 * analysis limits it (X5). The regions belong to the state: saved and restored, shared until changed.
 */
#ifndef HEDDLE_SYMBOLIC_LAZY_H
#define HEDDLE_SYMBOLIC_LAZY_H

#include "symbolic/sym.h"

#define LAZY_STRIDE (1ull << 32) /* between primary objects, which begin at ADDR_LAZY */

struct lazy_region {
	uint64_t base;
	uint64_t size;      /* the greatest it can be */
	bool assumed;       /* its size is not known: every access is assumed to be inside */
	term_t size_term;   /* of 64 bits; TERM_NONE: exactly `size` */
	term_t bytes;       /* the array; index 0 is `base` */
	term_t below;       /* the array as it was before the first write of `log` */
	const struct lazy_write *log; /* the writes since, the last one first */
	term_t init;        /* an array: 0 where a byte is not initialized; TERM_NONE: all are */
	term_t live;        /* one bit: not freed; TERM_NONE = live for sure */
	bool readonly;
	uint32_t object;    /* what it stands for: the asker's number (a points-to object), or IR_NONE */
	uint32_t name;      /* in machine.names, for reports; 0 = none */
};

/*
 * The writes to a region once more, as values instead of bytes: a load that finds the pointer it wants
 * there is a choice between pointers (X4), which no array of bytes would tell.
 */
struct lazy_write {
	const struct lazy_write *prev;
	term_t offset, value, when; /* the value, of 8n bits, is there if `when` */
};

struct lazy_target {    /* one thing that a pointer symbol may point to */
	uint32_t region;    /* an existing one; IR_NONE: a new primary object, or */
	uint64_t base;      /* not 0: ordinary memory, the object that begins there */
	uint64_t low, high; /* offsets into it that the pointer may have, both included */
	uint32_t step;      /* they lie that far apart; 1 = all of them */
	uint64_t size;      /* new primary: its size, UINT64_MAX = not known (lazy_region.assumed) */
	uint32_t object, name; /* new primary: as in struct lazy_region */
};

struct vec_lazy_target {
	struct lazy_target *at;
	uint32_t n, cap;
};

struct lazy_ops {
	/* The targets of a pointer symbol, at its first use; n = 0: it points to nothing known, its use
	 * ends the path with an incomplete. A pointer that lay in a region from the start has no name:
	 * lazy_origin() tells where it was read. */
	void (*targets)(void *ctx, struct machine *m, term_t sym, struct vec_lazy_target *out);
	void *ctx;
	bool check_initial; /* pointers that exist before the start may be null or wild: report it */
};

/* ---- regions --------------------------------------------------------------------------------- */

struct lazy *lazy_new(const struct lazy_ops *ops);
void lazy_free(struct lazy *l);
/* For save.c: a copy that shares what it can. */
struct lazy *lazy_copy(const struct lazy *l);

/* A region of its own at the given address, or a primary one (base 0). Returns its number. */
uint32_t lazy_add(struct lazy *l, struct lazy_region r);
/* to change it, and to look at it */
struct lazy_region *lazy_at(struct lazy *l, uint32_t region);
const struct lazy_region *lazy_get(const struct lazy *l, uint32_t region);
uint32_t lazy_count(const struct lazy *l);
/* The region that has the address, or ends there, or IR_NONE. Logarithmic. */
uint32_t lazy_find(const struct lazy *l, uint64_t a);
/* The symbol is a pointer that exists before the start: resolve it by ops->targets. Others are data. */
void lazy_pointer(struct lazy *l, term_t sym);
bool lazy_is_pointer(const struct lazy *l, term_t t);
/* A value that a load took from a region as it was at the start: a pointer symbol, should it be used as
 * one. lazy_origin() is false for other terms. */
void lazy_note_read(struct lazy *l, term_t value, uint32_t region, term_t offset);
bool lazy_origin(const struct lazy *l, term_t value, uint32_t *region, term_t *offset);
/* What the pointer may point to, asked at its first use: new primary objects are made, and every
 * target has a region. NULL: nothing is known. Lives as long as all copies. */
const struct vec_lazy_target *lazy_targets(struct machine *m, term_t pointer);
/* Addresses (terms) of synchronization objects that an operation has come to since the start. */
void lazy_adopt(struct lazy *l, term_t object);
uint32_t lazy_adopted_count(const struct lazy *l);
term_t lazy_adopted(const struct lazy *l, uint32_t i);
bool lazy_checks_initial(const struct lazy *l);
/* A write at the head of a region's log. */
void lazy_log(struct lazy *l, uint32_t region, term_t offset, term_t value, term_t when);

/* ---- where an address leads (resolve.c) ------------------------------------------------------ */

struct resolved {          /* one place that an access may touch */
	term_t guard;      /* one bit: it is this one. Guards exclude each other */
	uint32_t region;   /* or IR_NONE: ordinary memory */
	uint64_t base, size; /* of the object */
	term_t offset;     /* of the access from base, 64 bits; a constant where it is known */
};
struct vec_resolved {
	struct resolved *at;
	uint32_t n, cap;
};
/*
 * The places that n bytes at the address may be; with `len` that many bytes, n at the most. Choices
 * are walked to guarded leaves (X4), each leaf
 * is a constant address plus an offset, or a pointer symbol plus an offset; the solver prunes. Accesses
 * that leave the object, or touch a freed one, fork off as faults (X6): STEP_STOP when this state is
 * the one that faults. The path may grow: a symbol's first use.
 */
enum step resolve(struct machine *m, struct thread *t, term_t addr, uint64_t n, term_t len,
	bool write, struct vec_resolved *out);
/* The same without an access: the state forks until the address is in one object, or in none (base 0).
 * Nothing is checked. */
enum step resolve_one(struct machine *m, struct thread *t, term_t addr, struct resolved *out);
/* a value that the address may have, if one is found */
void resolve_example(struct machine *m, term_t addr, uint64_t *a);

#endif
