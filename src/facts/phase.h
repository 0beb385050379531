/*
 * The early phase of a program: what runs before the first thread is started or the first signal
 * handler is set, and never after. Everything else is late. Early code has the memory of the
 * program for itself.
 *
 * The early phase ends at a call that starts a thread, sets a handler of the program's, or goes to
 * code outside that knows a traced function: it may start threads of its own that call it back.
 * Code outside that knows none can do no harm to memory that it cannot reach.
 *
 * By instruction; interprocedural, over the call graph of the points-to analysis, without contexts:
 * a function that is also called late is late as a whole. Linear. Lifetime: heap, owner the struct.
 */
#ifndef HEDDLE_FACTS_PHASE_H
#define HEDDLE_FACTS_PHASE_H

#include "base/arena.h"
#include "base/bitset.h"
#include "facts/natives.h"

struct phase {
	struct arena arena;
	bool **late;         /* by function, by instruction; NULL = all of it, or it is not traced */
	struct bitset early; /* functions: all of it is early */
	struct bitset *ends; /* by function: calls that end the early phase themselves */
	uint32_t nfuncs;
	bool handlers;       /* functions of the program may run as signal handlers */
};

void phase_init(struct phase *ph, const struct plan *pl, const struct native *natives);
void phase_release(struct phase *ph);

static inline bool phase_late(const struct phase *ph, uint32_t func, uint32_t insn)
{
	return !ph->late[func] || ph->late[func][insn];
}
static inline bool phase_ends(const struct phase *ph, uint32_t func, uint32_t insn)
{
	return bitset_has(&ph->ends[func], insn);
}

#endif
