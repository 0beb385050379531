/*
 * The driver's insides: groups of candidates, asked in rounds, by this process or by several.
 * Private to predict.c and predict_workers.c.
 *
 * A *group* is what the user would call one bug. In the first round the cheapest candidate of each
 * group is asked, in the second some more, then the rest: a group with many hopeless candidates
 * does not take the time of the others. An *item* is a group in a round. Minor groups are asked in
 * the last round only, when their families are known.
 */
#ifndef HEDDLE_PREDICT_PREDICT_INTERNAL_H
#define HEDDLE_PREDICT_PREDICT_INTERNAL_H

#include "predict/candidates.h"
#include "predict/predict.h"

enum { ROUNDS = 3 };
extern const uint32_t round_tries[ROUNDS + 1]; /* candidates before the round; one more: its end */

struct group {
	uint64_t id;
	enum finding_kind kind;
	uint32_t first, n; /* of work.sorted */
	uint32_t cost;
	uint64_t family;
	bool minor;
};

struct item_result {
	uint64_t queries, yes, no, bounded, unknown;
	uint32_t widest;
	struct finding *finding; /* NULL: none */
	char *why;               /* of an unknown; NULL */
	bool done;               /* it was asked, or need not be */
	bool refused;            /* it was not: the budget was spent */
};

struct work {
	const struct ctp *c;
	struct mhb *mhb;
	const struct predict_options *opt;
	struct candidates *cs;
	struct vec_u32 sorted;    /* candidates by group, then cost */
	VEC(struct group) groups; /* by cost */
	struct asker *asker;      /* of this process; made when first needed */
	struct branch_classes *classes; /* likewise */
	double deadline;          /* 0 = none; of the monotonic clock */
	const char *spent;        /* which budget, if one is */
	uint64_t died;            /* workers that did not come back */
};

/* The group is minor, and found() says that another of its family was found: one that is not, or one
 * that comes before it. */
typedef bool (*found_fn)(const void *ctx, uint32_t group);
bool work_is_covered(const struct work *w, uint32_t group, found_fn found, const void *ctx);
/* Asks one item. */
void work_item(struct work *w, uint32_t item, struct item_result *out);
/* All items over processes; done(ctx, item, result) is called in the order of the items. */
typedef void (*item_fn)(void *ctx, uint32_t item, struct item_result *res);
void work_over_processes(struct work *w, uint32_t jobs, item_fn done, void *ctx);
static inline uint32_t work_nitems(const struct work *w)
{
	return w->groups.n * ROUNDS;
}

#endif
