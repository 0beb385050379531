/* Inside from*.c only. */
#ifndef HEDDLE_EXPLORE_FROM_IN_H
#define HEDDLE_EXPLORE_FROM_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "explore/from.h"

struct from_local {
	uint32_t thread, frame, func, local; /* positions in the context */
	uint64_t addr, size;
	uint32_t reg;
};

struct from {
	const struct ir_program *p;
	char *text;                 /* the places; or NULL */
	struct points_to *pt;
	struct from_options opt;
	struct vec_context_thread threads;
	struct context *c;
	struct terms *ts;
	struct machine *m;
	struct lazy_ops ops;
	uint32_t stop_at;           /* a function before whose first instruction the machine pauses */
	VEC(struct from_local) locals;
	uint32_t *ids;              /* of the machine's threads, by position in the context */
	struct map words;           /* symbol in memory -> points-to object that it lies in, + 1 */
	struct map heaps;           /* symbol of a CONTEXT_HEAP -> its region + 1 */
	struct term_subst subst;    /* symbols of addresses -> the addresses */
	bool subst_ready;
};

/* A term of the context with addresses filled in. */
term_t from_term(struct from *f, term_t t);
/* Variables of the program become symbols or what is known of them (from_memory.c). */
void from_memory(struct from *f, struct machine *m);
/* Two threads do not hold one lock (from_invariants.c). */
void from_exclude(struct from *f, struct machine *m);
/* For struct lazy_ops (from_targets.c). */
void from_targets(void *ctx, struct machine *m, term_t sym, struct vec_lazy_target *out);

#endif
