/*
 * A schedule (paper 000, section 2): a happens-before graph over synchronization operations. A node
 * is an operation at a place with its calling context, in a symbolic thread, with its dynamic count: the
 * how-manieth execution of that place by the thread in the epoch. The order of one thread's nodes
 * is implicit; edges between threads are transitively reduced.
 *
 * Edges come from the order in which the operations took effect on one path: each operation on an
 * object after the last one on it by another thread, the begin of a thread after its creation, a
 * join after the end of the thread. A run that follows all edges executes the operations on each
 * object in that order, so that every one of them has the same outcome.
 *
 * The threads of a schedule are numbered in a canonical order, so that schedules that are equal up to
 * renaming of threads of the same role compare equal. Lifetime: heap, schedule_free().
 */
#ifndef HEDDLE_COVER_SCHEDULE_H
#define HEDDLE_COVER_SCHEDULE_H

#include "base/vec.h"
#include "cover/path.h"

struct schedule_node {
	int op;              /* enum log_sync_kind, SYNC_OP_*, OP_* */
	uint64_t place;      /* hash of the calling context */
	uint32_t func, insn; /* the instruction; IR_NONE: none */
	uint32_t count;      /* 1 for the first execution of the place in the thread */
};

struct schedule_edge { /* node `from_node` of thread `from` happens before node `to_node` of `to` */
	uint32_t from, from_node, to, to_node;
};

struct schedule_thread {
	uint32_t id;   /* of the thread on the path */
	uint64_t role; /* hash of the place where it is created; 0 for the main thread */
	VEC(struct schedule_node) nodes;
};

struct schedule {
	VEC(struct schedule_thread) threads;
	VEC(struct schedule_edge) edges; /* by rising `to`, `to_node`, `from` */
	enum path_end end;
	uint64_t hash; /* equal schedules have equal hashes */
};

struct schedule *schedule_make(const struct path *p);
void schedule_free(struct schedule *s);
bool schedule_same(const struct schedule *a, const struct schedule *b);
/* Whether every thread of a executes a prefix of what it executes in b, in the same order: a run that
 * ends early can follow b. */
bool schedule_is_prefix(const struct schedule *a, const struct schedule *b);
/* "lock", "begin", … */
const char *schedule_op_name(int op);

#endif
