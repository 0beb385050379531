/* Private header of from*.c. */
#ifndef HEDDLE_EXPLORE_FROM_INTERNAL_H
#define HEDDLE_EXPLORE_FROM_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "explore/from.h"

struct from_local {
	uint32_t thread, frame, func, local; /* thread and frame: indices in the context */
	uint64_t addr, size;
	uint32_t reg; /* the register that holds its address */
};

struct from_solved { /* a symbol that is equal to a term without symbols of this kind */
	term_t sym, is;
};

struct from {
	const struct ir_program *p;
	char *text;                 /* the text of --from; or NULL */
	struct points_to *pt;
	struct from_options opt;
	struct vec_context_thread threads;
	struct context *c;
	struct terms *ts;
	struct machine *m;
	struct lazy_ops ops;
	uint32_t stop_at;           /* the machine pauses at the start of this function */
	VEC(struct from_local) locals;
	uint32_t *ids;              /* by index in the context: id of the machine's thread */
	struct map words;           /* symbol in memory -> points-to object that it lies in, + 1 */
	struct map heaps;           /* symbol of a CONTEXT_HEAP -> its region + 1 */
	struct map addresses;       /* symbol of an address -> the address */
	VEC(struct from_solved) solved; /* symbols that the conditions define (from_solved.c) */
	struct term_subst subst;    /* those, and symbols of addresses -> the addresses */
	bool subst_ready;
};

/* Finds the symbols that the conditions of the context define. */
void from_solve(struct from *f);
/* A term of the context, with addresses in the place of their symbols, and without symbols that the
 * conditions define. */
term_t from_term(struct from *f, term_t t);
/* Sets the variables of the program to symbols, or to their known values (from_memory.c). */
void from_memory(struct from *f, struct machine *m);
/* Assumes that two threads do not hold the same lock (from_invariants.c); -1 after error_() if they
 * hold it at their places in every run. */
int from_exclude(struct from *f, struct machine *m);
/* For struct lazy_ops (from_targets.c). */
void from_targets(void *ctx, struct machine *m, term_t sym, struct vec_lazy_target *out);

#endif
