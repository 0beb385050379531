/*
 * The synchronization operations of a program, as input-covering schedules see them (paper 000): calls
 * of the functions of log/sync.def from the program's own code, atomic accesses, and calls of
 * heddle_epoch(). Calls that only set up or destroy an object, and calls of the allocator, order
 * nothing and are no operations. Synchronization inside the library is left out (4.1.2): the models
 * of other functions do not synchronize.
 *
 * Each instruction has a set of classes, the operations that it may execute: itself, and, for a call,
 * all functions that it may reach. Lifetime: heap, sync_ops_free(); the program and the points-to
 * analysis must live longer.
 */
#ifndef HEDDLE_COVER_SYNC_OPS_H
#define HEDDLE_COVER_SYNC_OPS_H

#include "facts/points_to.h"
#include "ir/callgraph.h"
#include "log/format.h"

enum sync_class {
	SYNC_CREATE = 1 << 0,
	SYNC_JOIN = 1 << 1,
	SYNC_COND_WAIT = 1 << 2,
	SYNC_BARRIER = 1 << 3,
	SYNC_EPOCH = 1 << 4, /* heddle_epoch() in the source */
	SYNC_OTHER = 1 << 5,
};

enum { SYNC_OP_NONE = -1, SYNC_OP_ATOMIC = -2, SYNC_OP_EPOCH = -3 };

struct sync_ops {
	const struct ir_program *p;
	const struct points_to *pt;
	struct callgraph
		calls;  /* of the program's own code: library functions call nothing in it */
	int16_t *kind;  /* by function: enum log_sync_kind of the library function, or SYNC_OP_* */
	int8_t *object; /* by function: the parameter that is the object, -1 = none */
	unsigned *classes; /* by function: what a call of it may execute */
};

struct sync_ops *sync_ops_new(const struct ir_program *p, const struct points_to *pt);
void sync_ops_free(struct sync_ops *so);

/* The operation that the instruction executes itself: enum log_sync_kind, or SYNC_OP_*. For a call,
 * `callee` gets the function that it calls directly, or IR_NONE. */
int sync_op(const struct sync_ops *so, uint32_t func, uint32_t insn, uint32_t *callee);
/* The classes of all operations that the instruction may execute, functions that it calls included;
 * 0 = it does not synchronize. */
unsigned sync_classes(const struct sync_ops *so, uint32_t func, uint32_t insn);
/* Calls fn(ctx, function) for each function that the call may execute: its callees, and the functions
 * that a library function calls back; not the function of a new thread. */
void sync_each_callee(const struct sync_ops *so, uint32_t func, uint32_t insn,
	void (*fn)(void *ctx, uint32_t callee), void *ctx);
/* "lock", "barrier-enter", "atomic access", … */
const char *sync_op_name(int op);

#endif
