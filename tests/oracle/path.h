/*
 * What each thread of a recorded run did, as far as another schedule could have made it different:
 * the branches it took, the addresses of its accesses that others may see, and the results of its
 * synchronization. The enumerator (enumerate.c) looks only at executions in which every thread
 * stays on a prefix of its path.
 *
 * Lifetime: heap, paths_release(). The trace must outlive it.
 */
#ifndef ORACLE_PATH_H
#define ORACLE_PATH_H

#include "base/vec.h"
#include "trace/trace.h"

enum path_kind {
	PATH_BRANCH,
	PATH_ACCESS,
	PATH_SYNC,
	PATH_DEREF, /* an access that nobody else sees: its address */
	PATH_CALL,  /* through a pointer: the function's address */
};

struct path_item {
	uint8_t kind; /* enum path_kind */
	uint8_t sync; /* SYNC: enum log_sync_kind */
	bool more;    /* SYNC: the next item is a record of the same call */
	bool failed;  /* ACCESS: a compare-and-swap that did not write */
	uint32_t func, insn;
	uint32_t taken;      /* BRANCH: number of the edge */
	int32_t result;      /* SYNC */
	uint32_t extra;      /* SYNC: number of a thread: CREATE, JOIN */
	uint64_t addr, from; /* ACCESS: what is written (or read, if it only reads); of a copy also
				its source. SYNC: the object, or the block of ALLOC and FREE; of a
				wait `from` is the mutex. DEREF, CALL: where to */
	uint64_t index;
};

struct path {
	VEC(struct path_item) items;
};

struct paths {
	struct trace *trace;
	VEC(struct path) of; /* by number of the thread, as trace_thread() counts */
};

/* Whether such an item is made of the instruction. */
static inline bool path_is_deref(const struct ir_insn *in, const struct plan_insn *pi)
{
	return (in->op == IR_LOAD || in->op == IR_STORE) && !ir_is_const(in->arg[0]) &&
	       !(pi->flags & PLAN_F_EVENT);
}
static inline bool path_is_call(const struct ir_insn *in)
{
	return in->op == IR_CALL && !ir_is_const(in->arg[0]);
}

/* 0, or -1 after error_(). */
int paths_init(struct paths *p, struct trace *t);
void paths_release(struct paths *p);
/* The thread whose number in the log is `id`; LOG_NONE if there is none. */
uint32_t paths_thread(const struct paths *p, uint32_t id);

#endif
