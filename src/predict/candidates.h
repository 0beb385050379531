/*
 * What the properties (prop_*.c) share: functions that make candidates, and a bound on the number
 * of candidates of a group. Private to the properties and the driver.
 */
#ifndef HEDDLE_PREDICT_CANDIDATES_H
#define HEDDLE_PREDICT_CANDIDATES_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "predict/property.h"

/* Candidates of one group: the cheapest are kept; a limit reports that others were left out. */
enum { GROUP_TRIES = 256 };

static inline bool kind_wanted(uint32_t kinds, enum fault k)
{
	return kinds >> k & 1;
}

/* Appends a candidate of that kind with these key events; the pointer is valid until the next one.
 */
struct candidate *candidates_add(struct candidates *cs, enum fault kind, uint32_t goal,
	const uint32_t *keys, uint32_t nkeys);
void candidates_release(struct candidates *cs);
/* Adds a sentence about what was not analysed; equal sentences are kept once. */
void candidates_limit(struct candidates *cs, const char *fmt, ...) PRINTF(2, 3);

/* hash of the kind and the set of places */
uint64_t group_of_set(
	const struct ctp *c, enum fault kind, const uint32_t *events, uint32_t n);
/* hash of the kind and the places in their order */
uint64_t group_of_list(
	const struct ctp *c, enum fault kind, const uint32_t *events, uint32_t n);
/* Adds: the update changes its cell. A compare-and-swap that fails only reads. */
void query_changes(struct query *q, const struct ctp *c, uint32_t event);
/* The distance of two events in the observed order. */
uint32_t rank_distance(const struct ctp *c, uint32_t a, uint32_t b);
/* "data race on 'counter'": the title of the kind and the name of an access or object. */
char *title_of_access(const struct ctp *c, enum fault kind, uint32_t event);
char *title_of_object(const struct ctp *c, enum fault kind, uint64_t object);
/* "assertion failure in 'deposit'" */
char *title_of_place(const struct ctp *c, enum fault kind, uint32_t event);

/*
 * The cheapest pairs of each group, from a sequence of pairs: for properties in which one pair of
 * places has many instances.
 */
struct pair {
	uint32_t a, b, cost;
	uint32_t third; /* a third event, of atomicity violations */
};
struct pair_group {
	uint64_t group;
	VEC(struct pair) at; /* heap by cost, the largest first, at most GROUP_TRIES */
	bool cut;            /* some pairs were left out */
};
struct pair_groups {
	VEC(struct pair_group) at;
	struct map by_group;
};
void pair_groups_offer(struct pair_groups *pg, uint64_t group, struct pair p);
/* Pairs of the group, if it has any, were left out. */
void pair_groups_cut(struct pair_groups *pg, uint64_t group);
void pair_groups_release(struct pair_groups *pg);
/* A pair of that cost would be kept; if not, it counts as left out. */
bool pair_groups_wants(struct pair_groups *pg, uint64_t group, uint32_t cost);

#endif
