/*
 * Addresses that do not depend on the schedule. Every thread that has a name (log/schedule.h) has a
 * piece of the address space of its own, which follows from that name: there lie the blocks that it
 * allocates, one behind the other and never twice at the same place, and its stack. So the address of
 * a block depends only on who allocated it and on what the same thread had allocated before.
 *
 *   4 TB    blocks of the main thread, 1 TB
 *   8 TB    a slot of 4 GB for each other thread: 3 GB of blocks, and its stack at the end. The first
 *           4096 threads that the main one creates have theirs in a row; others where the hash of their
 *           name says, or behind it if that is taken
 *
 * Pages whose blocks are gone are given back to the system, the addresses are not used again. Where a
 * piece is used up, or is not to be had, blocks and stacks are the library's own: SCHED_F_PLACES.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_REGION_H
#define HEDDLE_RUNTIME_ENFORCE_REGION_H

#include "runtime/enforce/control.h"

/* With the lock. The thread's own slot; false if it has none any more. */
void region_take(struct controlled *t, const struct controlled *parent);
/* It was not created after all: the next of its name has the same. */
void region_give(struct controlled *t);
/* n bytes of zeros for the thread, NULL if there is no room. align is a power of two. */
void *region_alloc(struct controlled *t, uint64_t n, uint64_t align);
/* With the lock: nobody uses these any more, whoever allocated them. */
void region_release(uint64_t addr, uint64_t n);
static inline bool in_region(uint64_t addr)
{
	return addr >> 42 == 1 || (addr >= 1ull << 43 && addr < 9ull << 43);
}

/* The lowest address of a stack of that size for the thread, with a guard below it; NULL if there is
 * no room. */
void *region_stack(const struct controlled *t, uint64_t size, uint64_t guard);
/* The thread has left it for good: its memory is given back, the addresses stay. */
void region_stack_left(const struct controlled *t);

/* ---- interpose.c ---------------------------------------------------------------------------- */

/* What the program calls by these names is ours, so that blocks of ours may be given to code that is
 * not traced, which frees them. */
bool interposed(void);

#endif
