/*
 * Escape analysis: the objects that more than one thread can reach. These are the objects reachable
 * from globals that are not thread-local, from arguments and results of threads, or from code
 * outside the program. In every run, only the thread that created an object accesses it if it is
 * not one of these.
 *
 * A thread-local variable is shared only if its address is stored where other threads can load it.
 * The analysis has no notion of time: a shared object may be private for most of its life.
 *
 * Valid as long as the points-to analysis. Lifetime: heap, owner the struct.
 */
#ifndef HEDDLE_FACTS_ESCAPE_H
#define HEDDLE_FACTS_ESCAPE_H

#include "base/bitset.h"
#include "facts/points_to.h"

struct escape {
	struct bitset shared; /* ids of the objects that more than one thread can reach */
};

void escape_init(struct escape *e, const struct ir_program *p, const struct points_to *pt);
/* Adds the object, and every object that is reachable from it, to the shared ones. */
void escape_add(struct escape *e, const struct points_to *pt, uint32_t object);
void escape_release(struct escape *e);

static inline bool escape_thread_local(const struct escape *e, uint32_t object)
{
	return !bitset_has(&e->shared, object);
}
/* Does the operand point to thread-local objects only? True if it points to no object. */
bool escape_pointer_local(const struct escape *e, const struct points_to *pt, uint32_t func,
	ir_ref ref);

#endif
