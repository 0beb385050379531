/*
 * Decisions that depend on the schedule (findings of kind BRANCH), inside: what the property
 * (prop_branch.c), the explanation (explain_flip.c) and the classification (branch_class.c) share.
 *
 * The *location* of a decision is its place in the source: file, line, column and function, and what
 * kind of decision it is. A loop that the compiler turned round, or a function that it copied into
 * others, has one location though several instructions. Without a place in the source it is the
 * instruction.
 */
#ifndef HEDDLE_EXPLAIN_BRANCH_H
#define HEDDLE_EXPLAIN_BRANCH_H

#include "explain/violation.h"
#include "trace/trace.h"

/* The event is a decision: a guard of those kinds, or a try for a lock. */
bool branch_decides(const struct ctp *c, uint32_t event);
/* What decides there. INDEX for every index: whether it is one that leaves its object, only the
 * values say. */
enum flip_kind branch_kind(const struct ctp *c, uint32_t event);

/* The object that an address with a known base is meant for: a heap block or a global variable. False:
 * it has no such base, or the object is not known. */
bool branch_bounds(const struct ctp *c, const struct ctp_event *e, uint64_t *addr, uint64_t *size);
/* Kinds of one location: which of them it is depends on the run. */
uint32_t branch_family(enum flip_kind k);

struct branch_places {
	const struct ctp *c;
	struct map known; /* function, instruction and kind -> hash */
};
void branch_places_init(struct branch_places *p, const struct ctp *c);
void branch_places_release(struct branch_places *p);
uint64_t branch_place(struct branch_places *p, uint32_t event);

#endif
