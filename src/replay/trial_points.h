/*
 * The points (log/schedule.h) that threads pass while the machine executes a program, counted as
 * the enforce image of the same program counts them, and the moves that lead the image the same
 * way.
 *
 * Told of every instruction of the careful mode (exec_options.observe) and of every switch. Between
 * two points a thread does nothing that others see, so a thread that the machine stops there has
 * got to its next one as far as the schedule is concerned.
 *
 * Operations that wait pass their point when they are done; those with two points pass the first
 * when they begin to wait. Whatever a model calls is native code to the image: it has no points,
 * and what handlers of signals do has none.
 *
 * Lifetime: heap, points_release().
 */
#ifndef HEDDLE_REPLAY_TRIAL_POINTS_H
#define HEDDLE_REPLAY_TRIAL_POINTS_H

#include "base/vec.h"
#include "machine/machine.h"
#include "facts/plan.h"
#include "finding/finding.h"

struct points_op {       /* an operation that the thread is in */
	uint32_t depth;  /* frames when it was called */
	uint8_t kind;    /* LOG_S_* */
	uint8_t counted; /* of its points */
};

struct points_lane {
	uint64_t count;                /* passed */
	uint64_t moved;                /* `until` of its last move */
	bool moves;                    /* it has one */
	bool at_event;                 /* the last point is the access that it is executing */
	VEC(struct points_op) pending; /* outermost first */
};

struct points {
	const struct ir_program *p; /* with models */
	const struct plan *plan; /* of the program without, whose functions have the same numbers */
	uint8_t *kinds;          /* by function: LOG_S_* + 1 of a model of log/sync.def */
	uint32_t sync;           /* function: __heddle_sync() of the models, IR_NONE */
	uint32_t handlers;       /* function of the models that runs a signal handler, IR_NONE */
	VEC(struct points_lane) lanes; /* by thread of the machine */
	VEC(struct finding_move) moves;
};

void points_init(struct points *ps, const struct ir_program *p, const struct plan *plan);
void points_release(struct points *ps);

/* exec_options.observe, with the points as its context */
void points_observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
/* The thread gives way before the instruction that it stands at, which will be told of again. */
void points_again(struct points *ps, struct machine *m, struct thread *t);
/* The thread has run, and another one is next; or nobody can run. */
void points_switch(struct points *ps, struct machine *m, struct thread *t);
/* The machine has ended while that thread ran. */
void points_end(struct points *ps, struct machine *m, struct thread *t);
/* The number of the point that a thread which has given way stands before. */
uint64_t points_standing(struct points *ps, struct machine *m, struct thread *t);
/* Points that the thread has passed; 0 for one that has not run. */
uint64_t points_count(const struct points *ps, uint32_t thread);
/* The thread stands before a point that is an access. */
bool points_at_access(const struct points *ps, uint32_t thread);

#endif
