/*
 * Memory with symbolic initial contents: the lazily expanded symbolic heap of paper 001 (§3.1).
 *
 * A region is an object at a range of concrete addresses whose bytes are an array of terms. The
 * paper gives each symbolic pointer x a primary object and keeps the copies of aliased objects
 * equal. Here addresses are numbers of one address space, and the value of x selects the object: on
 * its first use x gets a primary region of its own, and the path condition gets "x lies in its own
 * region, or in one of the regions that it may alias". A load chooses between the candidate regions
 * by guards, a store writes to each of them under its guard. So there is one copy of each object,
 * and x = y needs no further invariant.
 *
 * Regions are
 *  - primary objects, in ADDR_LAZY, made on the first use of a pointer symbol; their size may be a
 *    term
 *  - variables of the program that exist when exploration starts (globals, stack variables of the
 *    initial frames), at their own addresses
 *  - heap blocks with a symbolic size
 *
 * `ops->targets` gives the possible targets of a pointer symbol. It is called once, at the first
 * use of the symbol; the points-to analysis limits the targets (X5). The regions belong to the
 * state: they are saved and restored with it, and states share them until one of them changes them.
 *
 * Symbols are named by what they stand for, and the address of a primary object depends only on its
 * name. So all paths from one initial state, in any order, have the same terms for the same part of
 * it, and their conditions can be compared.
 */
#ifndef HEDDLE_SYMBOLIC_LAZY_H
#define HEDDLE_SYMBOLIC_LAZY_H

#include "base/strbuf.h"
#include "symbolic/sym.h"

#define LAZY_STRIDE (1ull << 32) /* between primary objects, which begin at ADDR_LAZY */

struct lazy_region {
	uint64_t base;
	uint64_t size;      /* the greatest possible size in bytes */
	bool assumed;       /* the size is not known: every access is assumed to be inside */
	term_t size_term;   /* of 64 bits; TERM_NONE: exactly `size` */
	term_t bytes;       /* the array; index 0 is `base` */
	term_t initial;     /* the array at the start, a symbol with a name; TERM_NONE: not initial */
	term_t below;       /* the array before the first write of `log` */
	const struct lazy_write *log; /* the writes after `below`, the last one first */
	term_t init;        /* an array: 0 for an uninitialized byte; TERM_NONE: none is */
	term_t live;        /* one bit: not freed; TERM_NONE: it was never freed */
	bool readonly;
	uint32_t object;    /* the points-to object that it stands for (lazy_target), or IR_NONE */
	uint32_t name;      /* in machine.names, for reports; 0 = none */
};

/*
 * A write to a region, as a value instead of bytes. A load that finds its value in the log becomes
 * a choice between whole pointers (X4); the array of bytes does not show pointers.
 */
struct lazy_write {
	const struct lazy_write *prev;
	term_t offset, value, when; /* value, of 8n bits, was written at offset if `when` holds */
};

struct lazy_target {    /* one thing that a pointer symbol may point to */
	uint32_t region;    /* an existing region; IR_NONE with base 0: a new primary object */
	uint64_t base;      /* not 0: the object of ordinary memory that begins at this address */
	uint64_t low, high; /* least and greatest offset of the pointer into the object */
	uint32_t step;      /* distance of possible offsets, in bytes; 1 = all offsets */
	uint64_t size;      /* new primary: size in bytes, UINT64_MAX = not known (assumed) */
	uint32_t object, name; /* new primary: as in struct lazy_region */
	bool made;          /* set by lazy_targets(): it was a new primary */
};

struct vec_lazy_target {
	struct lazy_target *at;
	uint32_t n, cap;
};

struct lazy_ops {
	/* Appends the targets of a pointer symbol, at its first use. No targets: the use of the
	 * pointer ends the path, which is incomplete. A pointer from the initial contents of a
	 * region has no name: lazy_origin() gives the place that it was read from. */
	void (*targets)(void *ctx, struct machine *m, term_t sym, struct vec_lazy_target *out);
	void *ctx;
	bool check_initial; /* report initial pointers that are null or out of bounds */
};

/* ---- regions --------------------------------------------------------------------------------- */

struct lazy *lazy_new(const struct lazy_ops *ops);
void lazy_free(struct lazy *l);
/* A copy for a saved state. It shares the regions until one side changes them; constant time. */
struct lazy *lazy_copy(const struct lazy *l);

/* Adds a region at its base, or a primary object (base 0: chosen here by `initial`, the same one in
 * all copies of l). Returns its number. */
uint32_t lazy_add(struct lazy *l, struct lazy_region r);
/* Appends a name of a term of the initial state: that of the symbol, the place that the value was
 * read from, or the number of the term. Different terms have different names. */
void lazy_name(struct machine *m, term_t t, struct strbuf *out);
/* The region, to change it and to read it. Valid until the next call that changes l. */
struct lazy_region *lazy_at(struct lazy *l, uint32_t region);
const struct lazy_region *lazy_get(const struct lazy *l, uint32_t region);
uint32_t lazy_count(const struct lazy *l);
/* The region that contains the address or ends at it, or IR_NONE. Logarithmic. */
uint32_t lazy_find(const struct lazy *l, uint64_t a);
/* Declares the symbol a pointer of the initial state, which ops->targets resolves. */
void lazy_pointer(struct lazy *l, term_t sym);
bool lazy_is_pointer(const struct lazy *l, term_t t);
/* Records that the value was loaded from the initial contents of a region: used as an address, it
 * is a pointer symbol. lazy_origin() gives region and offset, and is false for other terms. */
void lazy_note_read(struct lazy *l, term_t value, uint32_t region, term_t offset);
bool lazy_origin(const struct lazy *l, term_t value, uint32_t *region, term_t *offset);
/* The targets of the pointer. The first call asks ops->targets and makes new primary objects; each
 * target has a region or a base. NULL: no targets. Lives as long as all copies of l. */
const struct vec_lazy_target *lazy_targets(struct machine *m, term_t pointer);
/* Addresses (terms) of the initial synchronization objects that were used since the start. */
void lazy_adopt(struct lazy *l, term_t object);
uint32_t lazy_adopted_count(const struct lazy *l);
term_t lazy_adopted(const struct lazy *l, uint32_t i);
bool lazy_checks_initial(const struct lazy *l);
/* Is there an initial state with pointers to resolve (--from)? NULL has none. */
bool lazy_is_initial(const struct lazy *l);
/* Adds a write to a region's log. */
void lazy_log(struct lazy *l, uint32_t region, term_t offset, term_t value, term_t when);

/* ---- resolution of addresses (resolve.c) ----------------------------------------------------- */

struct resolved {          /* one object that an access may be in */
	term_t guard;      /* one bit: the access is in this object. Guards exclude each other */
	uint32_t region;   /* its number, or IR_NONE: ordinary memory */
	uint64_t base, size; /* of the object */
	term_t offset;     /* of the access from base, 64 bits; a constant if it is known */
};
struct vec_resolved {
	struct resolved *at;
	uint32_t n, cap;
};
/*
 * The objects that n bytes at the address may be in; with `len`: len bytes, at most n. Choices in
 * the address are expanded to guarded leaves (X4). Each leaf is a constant address plus an offset,
 * or a pointer symbol plus an offset; the solver removes infeasible leaves. Accesses outside the
 * object, or in a freed one, fork off as faults (X6): STEP_STOP if the running state is the
 * faulting one. The first use of a pointer symbol adds a condition to the path.
 */
enum step resolve(struct machine *m, struct thread *t, term_t addr, uint64_t n, term_t len,
	bool write, struct vec_resolved *out);
/* Resolves an address without an access: the state forks until the address is in one object, or in
 * none (size 0). Does not check bounds or liveness. */
enum step resolve_one(struct machine *m, struct thread *t, term_t addr, struct resolved *out);
/* Sets *a to a possible value of the address; leaves it unchanged if the solver finds none. */
void resolve_example(struct machine *m, term_t addr, uint64_t *a);

#endif
