/*
 * Which objects more than one thread can reach: those reachable from ordinary globals, from what is
 * handed to a new thread or returned by one, or from code outside the program. All others are
 * touched by the thread that made them, in every run, and by nobody else.
 *
 * A thread-local variable is shared only if its address is put where others find it. That an
 * object is shared says nothing about when: it may be private for most of its life.
 *
 * Valid as long as the points-to analysis. Lifetime: heap, owner the struct.
 */
#ifndef HEDDLE_FACTS_ESCAPE_H
#define HEDDLE_FACTS_ESCAPE_H

#include "base/bitset.h"
#include "facts/points_to.h"

struct escape {
	struct bitset shared; /* objects */
};

void escape_init(struct escape *e, const struct ir_program *p, const struct points_to *pt);
/* The object is shared after all, and so is whatever can be reached from it. */
void escape_add(struct escape *e, const struct points_to *pt, uint32_t object);
void escape_release(struct escape *e);

static inline bool escape_thread_local(const struct escape *e, uint32_t object)
{
	return !bitset_has(&e->shared, object);
}
/* Does the operand point to thread-local objects only? (Also if it points to nothing.) */
bool escape_pointer_local(const struct escape *e, const struct points_to *pt, uint32_t func,
	ir_ref ref);

#endif
