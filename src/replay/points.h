/*
 * The scheduling points (log/schedule.h) of a recorded run, by thread, with their source positions.
 * They give the places for the point numbers of a schedule, and the point numbers for the places of
 * another build of the program (map_place.h).
 *
 * Threads have the numbers of the trace; points_find() converts the number of a thread in a
 * finding. Lifetime: heap, points_free(). 12 bytes for each point.
 */
#ifndef HEDDLE_REPLAY_POINTS_H
#define HEDDLE_REPLAY_POINTS_H

#include "base/vec.h"
#include "finding/finding.h"
#include "trace/names.h"
#include "trace/trace.h"

struct point {
	uint32_t func, insn;
	uint8_t kind; /* enum follow_kind: READ, WRITE, RMW, SYNC; BLOCKED: the run ended before the
			 operation did */
	uint8_t sync; /* SYNC: enum log_sync_kind */
};

struct points_thread {
	VEC(struct point) at;
	struct vec_u32 children; /* threads that this thread created, in order of creation */
	uint32_t routine;        /* its start function; IR_NONE: not known */
};

struct points {
	struct trace *t;
	const struct ir_program *p;
	VEC(struct points_thread) threads;
	struct names names;
};

/* Re-executes all threads of the trace in directory `dir`. NULL after error_(). */
struct points *points_read(const char *dir);
void points_free(struct points *ps);

/* The number in ps of the finding's thread `thread`; UINT32_MAX: the run has no such thread. */
uint32_t points_find(const struct points *ps, const struct finding *f, uint32_t thread);
/* The source position of a point; position 0 if it is not known. Owned by the program. */
const struct ir_pos *points_pos(const struct points *ps, const struct point *p);
/* "reads", "writes", "locks", …: the verb of an operation */
const char *points_verb(const struct point *p);
/* Whether a thread can block at the point. */
bool points_may_wait(const struct point *p);
/* The object of the access or synchronization operation, as the source names it; NULL: not
 * known. */
const char *points_object(struct points *ps, const struct point *p);
/* Name of the thread's start function; NULL: not known. */
const char *points_routine(const struct points *ps, uint32_t thread);
/* Sets *out to the place of the point; the caller owns its strings (finding_place_release()). */
void points_place(const struct points *ps, const struct point *p, struct finding_place *out);

#endif
