/*
 * Decisions that depend on the schedule (findings of kind BRANCH): what the property
 * (prop_branch.c), the explanation (explain_flip.c) and the classification (branch_class.c) share.
 *
 * The *location* of a decision is its place in the source (file, line, column and function) and its
 * kind. A loop that the compiler rotated, or a function that it inlined, has one location for
 * several instructions. Without a place in the source the location is the instruction.
 */
#ifndef HEDDLE_EXPLAIN_BRANCH_H
#define HEDDLE_EXPLAIN_BRANCH_H

#include "base/map.h"
#include "explain/violation.h"
#include "trace/trace.h"

/* The event is a decision: a guard of those kinds, or a try for a lock. */
bool branch_decides(const struct ctp *c, uint32_t event);
/* The kind of the decision. INDEX for every index; BOUNDS depends on the values. */
enum flip_kind branch_kind(const struct ctp *c, uint32_t event);

/* The heap block or global variable that contains the known base of an address. False: the address
 * has no known base, or its object is not known. */
bool branch_bounds(const struct ctp *c, const struct ctp_event *e, uint64_t *addr, uint64_t *size);
/* Kinds with the same family may be the same location in different runs. */
uint32_t branch_family(enum flip_kind k);

struct branch_places {
	const struct ctp *c;
	struct map known; /* function, instruction and kind -> hash */
};
void branch_places_init(struct branch_places *p, const struct ctp *c);
void branch_places_release(struct branch_places *p);
uint64_t branch_place(struct branch_places *p, uint32_t event);

#endif
