/*
 * One property: who its candidates are and how each becomes a query. Properties live in prop_*.c, one
 * file for one idea; the table is in predict.c.
 *
 * A property offers *candidates* in groups. Each candidate has a query, and if that has a witness
 * the events that make the violation. The driver (predict.c) asks the cheap ones first, stops a group
 * at its first witness, and lets explain.c make the finding.
 */
#ifndef HEDDLE_PREDICT_PROPERTY_H
#define HEDDLE_PREDICT_PROPERTY_H

#include "extract/ctp_names.h"
#include "model/model.h"
#include "finding/finding.h"

enum { CANDIDATE_KEYS = 8 };
struct candidate {
	enum finding_kind kind;
	uint64_t group;   /* same: same bug; of source places and names, not of addresses */
	struct query query;
	uint32_t key[CANDIDATE_KEYS]; /* the events that make it, in the order of the violation */
	uint32_t nkeys;
	uint32_t cost;    /* smaller is asked earlier: distance in the observed order */
	uint32_t goal;    /* enum sched_goal, with a and b the threads of key[0], key[1] */
	char *title;      /* "data race on 'counter'" */
	char *detail;     /* for a note, may be NULL */
	bool by_outcome;  /* as in finding */
	bool certain;     /* the recorded run shows it: no query */
	/* A minor group is asked last, and left out when another of its family has a witness: the user
	 * would call it the same bug after all. 0: no family */
	uint64_t family;
	bool minor;
};

struct candidates {
	const struct ctp *c;
	const struct mhb *mhb;
	const struct map *skip, *only; /* as in predict_options; may be NULL */
	bool every;                    /* as in predict_options */
	VEC(struct candidate) at;
	uint64_t seen, filtered; /* looked at; dropped by filters */
	VEC(char *) limits;
};

/* Appends the candidates of the kinds that the bits name. */
typedef void (*property_fn)(struct candidates *cs, uint32_t kinds);
void prop_assert(struct candidates *cs, uint32_t kinds);   /* ASSERT, DIVISION */
void prop_race(struct candidates *cs, uint32_t kinds);     /* RACE */
void prop_atomicity(struct candidates *cs, uint32_t kinds);
void prop_deadlock(struct candidates *cs, uint32_t kinds); /* DEADLOCK, LOST_WAKEUP, DOUBLE_LOCK */
void prop_locks(struct candidates *cs, uint32_t kinds);    /* misuse of locks, DESTROY, RECURSION */
void prop_memory(struct candidates *cs, uint32_t kinds);   /* USE_AFTER_FREE … OVERFLOW */
void prop_branch(struct candidates *cs, uint32_t kinds);   /* BRANCH */

/* explain.c: the finding of a candidate and its witness: threads, steps with source and values, why
 * the recorded run passed, why this order is possible, the data's location, schedule and goal. */
struct finding *explain(const struct ctp *c, const struct mhb *mhb, const struct candidate *cand,
	const struct witness *w);
/* schedule.c: the witness as moves of log/schedule.h; the threads' last points included. */
void schedule_of(const struct ctp *c, const struct candidate *cand, const struct witness *w,
	struct finding *f);

#endif
