/*
 * Which accesses of a program must be logged and which ones others may see: inside plan.c.
 */
#ifndef HEDDLE_FACTS_PLAN_MEMORY_H
#define HEDDLE_FACTS_PLAN_MEMORY_H

#include "facts/natives.h"

struct plan_memory;

enum {
	ACCESS_LOG = 1 << 0,   /* what is read cannot be recomputed */
	ACCESS_EVENT = 1 << 1, /* other threads may see it */
};
#define ACCESS_ALL UINT32_MAX /* a width that is not known */

struct plan_memory *plan_memory_new(const struct plan *pl, const struct native *natives);
void plan_memory_free(struct plan_memory *pm);

/* Of `width` bytes at the operand, read or written by that instruction. */
unsigned plan_memory_read(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);
unsigned plan_memory_write(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width);

#endif
