/*
 * Which accesses of a program must be logged and which ones other threads may see: inside plan.c.
 * plan.h has the rules; they are applied to objects of the points-to analysis and offsets in them:
 *  - some objects are not ours: code outside can reach them, or made them
 *  - of ours, code outside writes some places without a word about it: the inside of a mutex, an
 *    array that is being sorted
 *  - of those that more than one thread can reach, late code (phase.h) writes some places
 * Reads of all these are logged, the last kind in late code only. Reads of what late code frees are
 * events, logged or not.
 *
 * Lifetime: heap, plan_memory_free(). The plan's points-to analysis must be there.
 */
#ifndef HEDDLE_FACTS_PLAN_MEMORY_H
#define HEDDLE_FACTS_PLAN_MEMORY_H

#include "facts/natives.h"
#include "facts/phase.h"

struct plan_memory;

enum {
	ACCESS_LOG = 1 << 0,   /* what is read cannot be recomputed */
	ACCESS_EVENT = 1 << 1, /* other threads may see it */
};
#define ACCESS_ALL UINT32_MAX /* a width that is not known */

/* open: see points_to.h */
struct plan_memory *plan_memory_new(const struct plan *pl, const struct native *natives,
	const struct phase *ph, bool open);
void plan_memory_free(struct plan_memory *pm);

/* Of `width` bytes at the operand, read or written by that instruction: ACCESS_*. */
unsigned plan_memory_read(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);
unsigned plan_memory_write(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);

#endif
