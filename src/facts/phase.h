/*
 * The early phase of a program: the instructions that run only before the first thread is started
 * and the first signal handler is set. All other instructions are late. While early code runs, no
 * other thread and no handler accesses the memory of the program.
 *
 * The early phase ends at a call that starts a thread, that sets a function of the program as a
 * signal handler, or that goes to unknown code outside if code outside can reach a traced function:
 * it may start threads of its own that call this function. If code outside can reach no traced
 * function, it cannot change memory that it cannot reach.
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
	bool **late;         /* by function and instruction; NULL: all of the function is late, or
				it is not traced */
	struct bitset early; /* functions of which all instructions are early */
	struct bitset *ends; /* by function: call instructions that end the early phase */
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
