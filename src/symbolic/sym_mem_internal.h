/*
 * A resolved access to memory, for sym_mem.c and sym_bulk.c. open_access() makes all decisions:
 * forks and faults. After it load_all() and store_all() only act.
 */
#ifndef HEDDLE_SYMBOLIC_SYM_MEM_INTERNAL_H
#define HEDDLE_SYMBOLIC_SYM_MEM_INTERNAL_H

#include "base/vec.h"
#include "symbolic/lazy.h"

struct spot { /* the possible offsets of an access in one object: first, first + step, ... */
	struct resolved p;
	uint64_t first, step; /* in bytes from p.base; not used for a region */
	uint32_t n;           /* offsets */
	term_t index;         /* selects one of the n offsets; TERM_NONE if n is 1 */
};

struct access {
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	struct vec_resolved places;
	VEC(struct spot) spots;
	uint64_t unknown; /* address at which it read uninitialized bytes; 0 = none */
};

/* Resolves n bytes at the address; if `len` is not TERM_NONE: len bytes, at most n. No spots: len
 * is 0 on this path. Call close_access() also after STEP_STOP. */
enum step open_access(struct access *x, struct machine *m, struct thread *t, struct opnd addr,
	uint64_t n, term_t len, bool write);
void close_access(struct access *x);
/* Loads or stores n <= 16 bytes, `skip` bytes after the start of the access. The store has an
 * effect only if `when` holds. */
term_t load_all(struct access *x, uint64_t skip, unsigned n);
void store_all(struct access *x, uint64_t skip, term_t value, unsigned n, term_t when);
/* The operand as a term of n whole bytes; undefined bits become a fresh symbol. */
term_t value_term(struct machine *m, struct opnd o, unsigned n);

#endif
