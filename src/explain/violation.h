/*
 * From a violation and its witness to a finding. The driver of prediction (predict.c), the failure
 * of the recorded run (observed.c) and the search for schedules (deep/) describe what goes wrong in
 * this form; the query that found the witness is not part of it.
 */
#ifndef HEDDLE_EXPLAIN_VIOLATION_H
#define HEDDLE_EXPLAIN_VIOLATION_H

#include "ctp/ctp_names.h"
#include "finding/finding.h"
#include "model/model.h"

enum { VIOLATION_KEYS = 8 };
struct violation {
	enum fault kind;
	uint32_t key[VIOLATION_KEYS]; /* the events that make it, in the order of the violation */
	uint32_t nkeys;
	uint32_t goal;   /* enum sched_goal, with a and b the threads of key[0], key[1] */
	char *title;     /* "data race on 'counter'"; NULL: the title of the kind */
	char *detail;    /* a sentence for a note, may be NULL */
	bool by_outcome; /* as in struct finding */
	bool certain;    /* the recorded run shows it: the observed order is its witness */
};

/* explain.c: the finding of a violation and its witness: threads, steps with source and values, why
 * the recorded run passed, why this order is possible, the data's location, schedule and goal. */
struct finding *explain(const struct ctp *c, const struct mhb *mhb, const struct violation *v,
	const struct witness *w);
/* explain.c: fills the fields of the finding that describe the recorded run: program, arguments,
 * directory. t may be NULL. */
void copy_provenance(const struct trace *t, struct finding *f);
/* schedule.c: fills the finding's schedule: threads, goal, and the witness as moves of
 * log/schedule.h, up to each thread's last point. */
void schedule_of(
	const struct ctp *c, const struct violation *v, const struct witness *w, struct finding *f);
/* Of two racing accesses, the one that names the data: not a copy, whose range includes data that
 * the other access does not use; otherwise the write. */
uint32_t race_named_by(const struct ctp *c, uint32_t a, uint32_t b);

#endif
