/*
 * An access of the program to memory, decided: inside sym_mem.c and sym_bulk.c. open_access() forks and
 * faults as need be; after it nothing is decided any more, and loads and stores act.
 */
#ifndef HEDDLE_SYMBOLIC_SYM_ACCESS_H
#define HEDDLE_SYMBOLIC_SYM_ACCESS_H

#include "base/vec.h"
#include "symbolic/lazy.h"

struct spot { /* the positions of an access in one place: first, first + step, ... */
	struct resolved p;
	uint64_t first, step;
	uint32_t n;
	term_t index; /* which of them; TERM_NONE if n is 1 */
};

struct access {
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	struct vec_resolved places;
	VEC(struct spot) spots;
	uint64_t unknown; /* where it read uninitialized bytes; 0 = nowhere */
};

/* n bytes at the address; `len` of them if it is not TERM_NONE, n at the most. No spots: len is 0. */
enum step open_access(struct access *x, struct machine *m, struct thread *t, struct opnd addr,
	uint64_t n, term_t len, bool write);
void close_access(struct access *x);
/* n <= 16 bytes, `skip` past the place of the access; the store where `when` holds */
term_t load_all(struct access *x, uint64_t skip, unsigned n);
void store_all(struct access *x, uint64_t skip, term_t value, unsigned n, term_t when);
/* a value for memory: n whole bytes, unknown bits as a symbol */
term_t value_term(struct machine *m, struct opnd o, unsigned n);

#endif
