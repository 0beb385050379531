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

#include "explain/violation.h"

struct candidate {
	struct violation v;
	struct query query; /* not asked if v.certain */
	uint64_t group;     /* same: same bug; of source places and names, not of addresses */
	uint32_t cost;      /* smaller is asked earlier: distance in the observed order */
	/* A minor group is asked last, and left out when another of its family has a witness: the user
	 * would call it the same bug after all. 0: no family */
	uint64_t family;
	bool minor;
};

struct candidates {
	const struct ctp *c;
	const struct mhb *mhb;
	const struct map *skip, *only; /* as in predict_options; may be NULL */
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

#endif
