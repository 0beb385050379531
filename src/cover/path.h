/*
 * One path through an epoch: ExecutePath() of paper 000, Figure 5, and what it leaves behind, a trace
 * for the slice (slice.h) and the operations of the schedule (schedule.h).
 *
 * The threads run one after another, in a fixed order: each until it is before an epoch marker, has
 * ended, or is blocked. At a condition with two possible outcomes the path takes the edge with the
 * shortest static distance to an exit (distance.h), but never, if it can choose, one from which the
 * process ends (exits.h). The path ends when no thread can run before a marker. The initial state and
 * its constraint belong to the caller; the machine is in careful mode. Threads that live at the start
 * begin before a marker, which they pass, or blocked in an operation, which is *carried* into the
 * epoch: it ends there. They run in the order of their calling contexts, so that the order does not
 * depend on their numbers (4.1.3).
 *
 * Lifetime: heap, path_release(); the terms belong to the machine.
 */
#ifndef HEDDLE_COVER_PATH_H
#define HEDDLE_COVER_PATH_H

#include "base/map.h"
#include "base/vec.h"
#include "cover/between.h"
#include "cover/distance.h"
#include "symbolic/sym.h"

#include <signal.h>

struct running;

struct cover_facts { /* of the program, shared by all epochs */
	const struct ir_program *p;
	struct points_to *pt;
	struct sync_ops *so;
	struct markers *markers;
	struct exits *exits;
	struct between *between;
	struct distances *distances;
};

struct extent {              /* bytes that an access may touch */
	uint64_t base, size; /* size UINT64_MAX: any memory */
	bool exact; /* it touches all of them; else some of an object, at a symbolic address */
};

struct trace_step { /* an executed instruction */
	uint32_t thread, func, insn;
	uint32_t frame;   /* index in path.frames */
	struct extent at; /* accesses: the bytes; block operations: those that are written */
};

struct trace_read { /* further bytes that a step reads: the source of a block operation, memory that
		       the arguments of a call without a frame point to */
	uint32_t step;
	ir_ref operand;
	struct extent at;
};

struct trace_frame { /* an activation */
	uint32_t func;
	uint32_t call;         /* the step that called it; IR_NONE: it was there at the start */
	uint32_t parent, site; /* the frame that called it, and its call; IR_NONE: none */
	uint32_t stop;  /* the instruction that it is at when the path ends; IR_NONE: it returned */
	bool primitive; /* inside a synchronization operation */
};

struct trace_decision { /* a symbolic condition that the path decided */
	uint32_t step;
	term_t holds; /* one bit, true on this path */
};

enum {
	OP_BEGIN = -10,
	OP_END = -11,
	OP_MARKER = -12
}; /* beside enum log_sync_kind and SYNC_OP_* */

struct path_op { /* a synchronization operation, in the order in which they took effect */
	uint32_t thread;
	int op;
	uint32_t step;  /* IR_NONE: none (OP_BEGIN, OP_END) */
	uint64_t place; /* hash of the calling context */
	uint64_t objects
		[2];    /* addresses, 0 = none; a second one: the mutex of a condition variable */
	uint32_t other; /* CREATE, JOIN: the thread; IR_NONE = not known */
	bool carried;   /* it began in an earlier epoch */
};

struct path_start { /* a thread that lives at the start */
	uint32_t thread;
	uint64_t role; /* hash of its calling context; 0: it is at the program's entry */
};

enum path_end {
	PATH_EPOCH, /* every thread is before a marker, blocked, or has ended; one is not ended */
	PATH_EXIT,  /* the process ended */
	PATH_DEADLOCK,
	PATH_FAULT,
	PATH_INFEASIBLE, /* the constraint contradicts a fact about the initial state */
	PATH_STOPPED,    /* something is not modelled, or a budget is used up: see `why` */
};

struct path_place { /* where a thread is at the end of an epoch: before a marker, or blocked */
	uint32_t thread;
	uint32_t func, insn; /* of its innermost frame that is code of the program */
	uint64_t context;    /* hash of its calling context */
	bool waiting;
};

struct path {
	VEC(struct trace_step) steps;
	VEC(struct trace_read) reads; /* by rising step */
	VEC(struct trace_frame) frames;
	VEC(struct trace_decision) decisions;
	VEC(struct path_op) ops;
	VEC(struct path_start) starts;
	enum path_end end;
	uint32_t last_thread;          /* the thread that ended the process */
	VEC(char *) why;               /* reasons why the path is incomplete; heap */
	VEC(struct path_place) places; /* PATH_EPOCH: of the threads that live */
};

struct path_limits {
	uint64_t max_steps;
	double deadline; /* clock_seconds(); 0 = none */
	const volatile sig_atomic_t *interrupted;
};

/* One execution; the context of the machine's hooks. */
struct path_run {
	const struct cover_facts *facts;
	const struct path_limits *limits;
	struct path *out;
	struct machine *m;
	struct map frames;           /* serial number of a frame -> 1 + index in path.frames */
	VEC(struct running) threads; /* by thread */
	uint64_t start_serial;       /* of the last frame at the start */
	bool over;                   /* every thread is at the end of the epoch */
	const char *cut;             /* a limit of the path is reached; NULL */
};

/* Sets the hooks of a machine that executes paths; their context is `run`. */
void path_hooks(struct exec_options *eo, struct path_run *run);
extern const struct sym_ops path_sym_ops;
/* Executes the machine from its current state to the end of the epoch. run->facts, limits and m are
 * set. */
void path_execute(struct path_run *run, struct path *out);
void path_release(struct path *p);

#endif
