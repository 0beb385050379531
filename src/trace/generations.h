/*
 * Which object was at an address at a given time: heap blocks from allocation to free, variables of
 * stacks whose lifetime contains a synchronization operation of their thread, and the stacks of
 * threads. A program reuses addresses; a *generation* is one object with its address range and
 * lifetime. Time is the rank in the observed order (order.h).
 *
 * A variable that begins and ends between two synchronization operations of its thread cannot be
 * shared in an ordered way, and has no generation. Its thread finds it in struct live_locals.
 *
 * Lifetime: heap, generations_release().
 */
#ifndef HEDDLE_TRACE_GENERATIONS_H
#define HEDDLE_TRACE_GENERATIONS_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/order.h"

/* LIBRARY: a block that a function of the library allocated (strdup) and the program freed. When it was
 * allocated is not recorded: from the last free of its address on. Its size is not known; bytes up to the next block
 * count. */
enum generation_kind { GEN_HEAP, GEN_LOCAL, GEN_STACK, GEN_LIBRARY };

struct generation {
	uint64_t base, size;
	uint32_t from, to; /* ranks of its begin and end; to is UINT32_MAX if it was never freed */
	uint32_t thread;   /* that allocated it, or that owns the stack; LIBRARY: that freed it */
	uint32_t event;    /* HEAP: number of its ALLOC among the thread's events */
	uint32_t func, local; /* LOCAL: function, and number among its variables */
	uint32_t left;        /* LOCAL: events of its thread before its function returned;
				 UINT32_MAX: it did not, or no event came after */
	uint8_t kind;         /* enum generation_kind */
};

/* ---- variables of one thread's stack, during its re-execution -------------------------------- */

struct live_local {
	uint64_t base, size;
	uint32_t func, local;
	uint32_t born;   /* number of the thread's synchronization events before its begin */
	uint32_t serial; /* number among all variables of the thread, in order of their begin */
};
struct kept_local {
	struct live_local l;
	uint32_t died; /* number of events before its end; UINT32_MAX: live at the thread's end */
};
struct live_locals {
	VEC(struct live_local) live; /* by ascending address, disjoint */
	VEC(struct kept_local) kept; /* after live_locals_end(): by ascending serial */
	uint32_t serial;             /* of the next variable */
	struct map left;             /* serial -> generation.left, + 1; the caller fills it */
};
/* A variable begins. Ends the variables that it overlaps; keeps those that began before the last
 * synchronization event. events: number of the thread's events so far. */
void live_locals_add(struct live_locals *ll, uint64_t base, uint64_t size, uint32_t func,
	uint32_t local, uint32_t events);
/* The live variable at the address, or NULL. */
const struct live_local *live_locals_at(const struct live_locals *ll, uint64_t addr);
/* The thread is at its end: keeps all live variables. */
void live_locals_end(struct live_locals *ll);
void live_locals_release(struct live_locals *ll);

/* ---- generations of all threads ------------------------------------------------------------- */

struct span_group { /* n generations with one base, from index `first`; max_end: largest end of
		       this group and all groups before */
	uint64_t base, max_end;
	uint32_t first, n;
};
struct span_index { /* generations by base, then by time */
	struct vec_u32 at;
	VEC(struct span_group) groups;
};

struct generations {
	VEC(struct generation) at; /* 0 is "none" */
	struct span_index blocks, stacks;
	struct vec_u32 *by_serial; /* by thread: (serial, generation) pairs, by ascending serial */
	uint32_t nthreads;
};

/* locals: by thread, after live_locals_end(); or NULL. */
void generations_build(
	struct generations *g, const struct sync_order *o, const struct live_locals *locals);
void generations_release(struct generations *g);
/* The generation at the address from rank `after` to rank `before`; if there is none, one that
 * exists for a part of that time; 0 = none. Blocks and variables first, then stacks. */
uint32_t generation_at(const struct generations *g, uint64_t addr, uint32_t after, uint32_t before);
/* The same for stacks only, without their variables; 0 = none. */
uint32_t generation_of_stack(
	const struct generations *g, uint64_t addr, uint32_t after, uint32_t before);
/* The generation of a thread's variable; 0 = none. */
uint32_t generation_of_local(const struct generations *g, uint32_t thread, uint32_t serial);
static inline bool generation_spans(
	const struct generations *g, uint32_t gen, uint32_t after, uint32_t before)
{
	return g->at.at[gen].from <= after && g->at.at[gen].to >= before;
}

#endif
