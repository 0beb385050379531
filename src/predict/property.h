/*
 * A property: a kind of violation with its rule for candidates. Each property is one file
 * prop_NAME.c and one line of properties.def.
 *
 * A property appends *candidates*: possible violations, each with the query that decides it. It
 * drops what cheap filters exclude (must-happen-before, locks held, constant conditions), so that a
 * query is asked only where order and values decide. Candidates that a user would call the same bug
 * have the same group; the driver (predict.c) asks the cheapest ones first and stops a group at its
 * first witness.
 */
#ifndef HEDDLE_PREDICT_PROPERTY_H
#define HEDDLE_PREDICT_PROPERTY_H

#include "base/map.h"
#include "base/vec.h"
#include "explain/violation.h"

struct candidate {
	struct violation v;
	struct query query; /* not asked if v.certain */
	uint64_t group;     /* hash of source places and names, not of addresses */
	uint32_t cost; /* candidates of less cost are asked earlier: distance in the observed order
			*/
	/* A minor group is asked last, and dropped when another group of its family has a witness:
	 * a user would call both the same bug. 0: no family */
	uint64_t family;
	bool minor;
};

struct candidates {
	const struct ctp *c;
	const struct mhb *mhb;
	const struct map *skip, *only; /* as in predict_options; may be NULL */
	bool every;                    /* as in predict_options */
	VEC(struct candidate) at;
	uint64_t seen, filtered; /* combinations that properties examined; that filters dropped */
	VEC(char *) limits;      /* sentences about what was not examined */
};

/* Appends the candidates of the kinds whose bits are set. */
typedef void (*property_fn)(struct candidates *cs, uint32_t kinds);
#define PROPERTY(name, kinds) void prop_##name(struct candidates *cs, uint32_t wanted);
#include "predict/properties.def"
#undef PROPERTY

#endif
