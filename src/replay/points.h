/*
 * The points (log/schedule.h) of a recorded run, thread by thread, with their places in the source:
 * how a schedule's numbers are understood, and how another program's numbers are found.
 *
 * Threads are numbered as the trace numbers them; points_thread() finds one by its name in a
 * schedule. Lifetime: heap, points_free(). 12 bytes a point.
 */
#ifndef HEDDLE_REPLAY_POINTS_H
#define HEDDLE_REPLAY_POINTS_H

#include "base/vec.h"
#include "finding/finding.h"
#include "trace/names.h"
#include "trace/trace.h"

struct point {
	uint32_t func, insn;
	uint8_t kind; /* enum follow_kind: READ, WRITE, RMW, SYNC; BLOCKED: under way when the run
			 ended */
	uint8_t sync; /* SYNC: enum log_sync_kind */
};

struct points_thread {
	VEC(struct point) at;
	struct vec_u32 children; /* threads that it created, in order */
	uint32_t routine;        /* function that it began with, IR_NONE */
};

struct points {
	struct trace *t;
	const struct ir_program *p;
	VEC(struct points_thread) threads;
	struct names names;
};

/* Re-executes the trace in that directory. NULL after error_(). */
struct points *points_read(const char *dir);
void points_free(struct points *ps);

/* The thread that a finding calls `thread`; UINT32_MAX if the run has none. */
uint32_t points_find(const struct points *ps, const struct finding *f, uint32_t thread);
/* The source position of a point; what stood there is named. Strings are the program's. */
const struct ir_pos *points_pos(const struct points *ps, const struct point *p);
/* "reads", "writes", "locks", …: the verb of an operation */
const char *points_verb(const struct point *p);
/* A thread may have to wait before it. */
bool points_may_wait(const struct point *p);
/* What the instruction accesses or synchronizes on, as the source writes it; NULL if not known. */
const char *points_object(struct points *ps, const struct point *p);
/* The function that a created thread began with; NULL if it is not known. */
const char *points_routine(const struct points *ps, uint32_t thread);
/* The place as a finding keeps it, strings owned. */
void points_place(const struct points *ps, const struct point *p, struct finding_place *out);

#endif
