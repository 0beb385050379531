/*
 * Addresses that do not depend on the schedule. Every thread that has a name (log/schedule.h) has
 * its own region of the address space, which the name determines. The region has the blocks that
 * the thread allocates, one behind the other and never twice at the same address, and its stack. So
 * the address of a block depends only on the thread and on what the same thread has allocated
 * before.
 *
 *   4 TB    blocks of the main thread, 1 TB
 *   8 TB    a slot of 4 GB for each other thread: 3 GB of blocks, and its stack at the end. The
 *           first 4096 threads that the main thread creates have slots in a row; other threads have
 *           the slot at the hash of their name, or the next free one
 *
 * Pages whose blocks are gone are returned to the system; their addresses are not reused. When a
 * region is full or cannot be mapped, blocks and stacks come from the library: SCHED_F_PLACES.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_REGION_H
#define HEDDLE_RUNTIME_ENFORCE_REGION_H

#include "runtime/enforce/control.h"

/* With the lock: gives the thread its slot, if one is free. */
void region_take(struct controlled *t, const struct controlled *parent);
/* The thread was not created: the next thread of its name gets the slot. */
void region_give(struct controlled *t);
/* n bytes of zeros for the thread, NULL if there is no room. align is a power of two. */
void *region_alloc(struct controlled *t, uint64_t n, uint64_t align);
/* With the lock: these bytes are not used any more. */
void region_release(uint64_t addr, uint64_t n);
static inline bool in_region(uint64_t addr)
{
	return addr >> 42 == 1 || (addr >= 1ull << 43 && addr < 9ull << 43);
}

/* The lowest address of a stack of that size for the thread, with a guard below it; NULL if there
 * is no room. */
void *region_stack(const struct controlled *t, uint64_t size, uint64_t guard);
/* The thread has ended: the memory of its stack is returned to the system. */
void region_stack_left(const struct controlled *t);

/* ---- interpose.c ---------------------------------------------------------------------------- */

/* Whether free and realloc of the program are those of interpose.c, so that native code can free
 * blocks of a region. */
bool interposed(void);

#endif
