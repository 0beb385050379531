/*
 * Counts the scheduling points (log/schedule.h) that threads pass while the machine executes a
 * program, as the enforce image of the same program counts them, and builds the schedule under
 * which the image executes the same interleaving.
 *
 * The machine reports every instruction in careful mode (exec_options.observe); its driver reports
 * every context switch. Between two points a thread does nothing that other threads can see, so a
 * thread that the machine stops there counts as standing before its next point.
 *
 * An operation passes its point when it is done; one with two points passes the first when it
 * begins to wait, or, for a once, to run its routine. Code that a model calls is native code for the image and has no points; signal
 * handlers have none either.
 *
 * Lifetime: heap, counter_release().
 */
#ifndef HEDDLE_REPLAY_POINT_COUNTER_H
#define HEDDLE_REPLAY_POINT_COUNTER_H

#include "base/vec.h"
#include "machine/machine.h"
#include "facts/plan.h"
#include "finding/finding.h"

struct counted_op {       /* a synchronization operation in progress */
	uint32_t depth;  /* number of frames at its call */
	uint8_t kind;    /* LOG_S_* */
	uint8_t counted; /* how many of its points are in the count */
};

struct counted_thread {                   /* one thread */
	uint64_t count;                /* points passed */
	uint64_t moved;                /* `until` of its last segment */
	bool moves;                    /* it has a segment */
	bool seen;                     /* another thread has run after it */
	bool at_event;                 /* the last counted point is the access in execution */
	VEC(struct counted_op) pending; /* outermost first */
};

struct point_counter {
	const struct ir_program *p; /* with models */
	const struct plan *plan; /* of the program without models; same function numbers */
	uint8_t *kinds;          /* by function: LOG_S_* + 1 of a model of log/sync.def; else 0 */
	uint32_t sync;           /* function __heddle_sync() of the models; IR_NONE */
	uint32_t order, syscall; /* __heddle_order(), __heddle_syscall() */
	uint32_t handlers;       /* function of the models that runs a signal handler; IR_NONE */
	VEC(struct counted_thread) threads; /* by thread of the machine */
	VEC(struct finding_move) moves; /* the schedule so far */
};

void counter_init(struct point_counter *pc, const struct ir_program *p, const struct plan *plan);
void counter_release(struct point_counter *pc);

/* exec_options.observe; ctx is the struct point_counter */
void counter_observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
/* Thread t yields before its current instruction, which the machine will report again: takes the
 * instruction out of the count. */
void counter_again(struct point_counter *pc, struct machine *m, struct thread *t);
/* Ends the segment of thread t: another thread runs next, or no thread can run. False: the thread
 * has passed no point since its last segment, or has done nothing yet. */
bool counter_switch(struct point_counter *pc, struct machine *m, struct thread *t);
/* The execution ended while thread t ran: adds the last segment. */
void counter_end(struct point_counter *pc, struct machine *m, struct thread *t);
/* The number of the point before which thread t, which has yielded, stands. */
uint64_t counter_standing(struct point_counter *pc, struct machine *m, struct thread *t);
/* Points that the thread has passed; 0 if it has not run. */
uint64_t counter_count(const struct point_counter *pc, uint32_t thread);
/* Whether the thread stands before a point that is an access. */
bool counter_at_access(const struct point_counter *pc, uint32_t thread);

#endif
