/*
 * What lay at an address, and when: heap blocks from their allocation to their free, variables of
 * stacks that lived while their thread synchronized, and the stacks of threads. Addresses are used
 * again; a *generation* is one of the things that lay there. Time is the observed order (order.h).
 *
 * A variable that comes and goes between two synchronizations of its thread cannot have been shared
 * in order, and is not kept; its own thread knows it by struct live_locals.
 *
 * Lifetime: heap, generations_release().
 */
#ifndef HEDDLE_TRACE_GENERATIONS_H
#define HEDDLE_TRACE_GENERATIONS_H

#include "base/vec.h"
#include "trace/order.h"

enum generation_kind { GEN_HEAP, GEN_LOCAL, GEN_STACK };

struct generation {
	uint64_t base, size;
	uint32_t from, to; /* ranks: there from the one to the other; to is UINT32_MAX at the end */
	uint32_t thread;   /* that allocated it, or whose stack it is */
	uint32_t event;    /* HEAP: its ALLOC */
	uint32_t func, local; /* LOCAL */
	uint8_t kind;
};

/* ---- variables of one thread's stack, as it goes along -------------------------------------- */

struct live_local {
	uint64_t base, size;
	uint32_t func, local;
	uint32_t born;   /* synchronization events of the thread before it */
	uint32_t serial; /* number among the thread's variables */
};
struct kept_local {
	struct live_local l;
	uint32_t died; /* events before it was gone; UINT32_MAX: it was there at the end */
};
struct live_locals {
	VEC(struct live_local) live; /* by rising address, apart from each other */
	VEC(struct kept_local) kept; /* by rising serial once live_locals_end() was called */
	uint32_t serial;
};
void live_locals_add(struct live_locals *ll, uint64_t base, uint64_t size, uint32_t func,
	uint32_t local, uint32_t events);
const struct live_local *live_locals_at(const struct live_locals *ll, uint64_t addr);
void live_locals_end(struct live_locals *ll);
void live_locals_release(struct live_locals *ll);

/* ---- all of them ---------------------------------------------------------------------------- */

struct span_group { /* those of one base; max_end is over all groups up to it */
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
	struct vec_u32 *by_serial; /* by thread: (serial, generation) pairs */
	uint32_t nthreads;
};

/* locals: by thread, ended. */
void generations_build(
	struct generations *g, const struct sync_order *o, const struct live_locals *locals);
void generations_release(struct generations *g);
/* The generation that was there all the time between two ranks, or if there is none, for a part of
 * it; 0 = none. */
uint32_t generation_at(const struct generations *g, uint64_t addr, uint32_t after, uint32_t before);
/* The stack that was there, whatever variable lay in it; 0 = none. */
uint32_t generation_of_stack(
	const struct generations *g, uint64_t addr, uint32_t after, uint32_t before);
/* Of a thread's own variable; 0 = none. */
uint32_t generation_of_local(const struct generations *g, uint32_t thread, uint32_t serial);
static inline bool generation_spans(
	const struct generations *g, uint32_t gen, uint32_t after, uint32_t before)
{
	return g->at.at[gen].from <= after && g->at.at[gen].to >= before;
}

#endif
