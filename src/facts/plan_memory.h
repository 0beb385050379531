/*
 * Which accesses of a program must be logged, and which are events; private to plan.c. The rules of
 * plan.h are applied to objects of the points-to analysis and offsets in them. Reads are logged
 * from
 *  - foreign objects: code outside can reach them, or has allocated them
 *  - offsets of other objects that code outside writes without logging: the inside of a mutex, an
 *    array that is being sorted
 *  - offsets of objects that more than one thread can reach, if late code (phase.h) writes them;
 *    such reads are logged in late code only
 * Late reads of shared objects that late code frees are events, whether they are logged or not.
 *
 * Lifetime: heap, plan_memory_free(). plan.pt must be set before.
 */
#ifndef HEDDLE_FACTS_PLAN_MEMORY_H
#define HEDDLE_FACTS_PLAN_MEMORY_H

#include "facts/natives.h"
#include "facts/phase.h"

struct plan_memory;

enum {
	ACCESS_LOG = 1 << 0,   /* the re-execution cannot compute the value that is read */
	ACCESS_EVENT = 1 << 1, /* other threads may access the memory */
};
#define ACCESS_ALL UINT32_MAX /* an unknown width */

/* open: points_to_options.open */
struct plan_memory *plan_memory_new(const struct plan *pl, const struct native *natives,
	const struct phase *ph, bool open);
void plan_memory_free(struct plan_memory *pm);

/* ACCESS_* flags for a read or a write of `width` bytes at the operand by the instruction. */
unsigned plan_memory_read(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);
unsigned plan_memory_write(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);

#endif
