/*
 * The driver of prediction, inside: what predict.c, predict_groups.c, predict_budget.c,
 * predict_results.c and predict_workers.c share.
 *
 * A *group* is what a user would call one bug. Groups are asked in rounds: in the first round the
 * cheapest candidate of each group, in the second some more, then the rest, so that a group with
 * many hopeless candidates does not use up the time of the others. An *item* is a group in a round.
 * Minor groups are asked in the last round only, when the results of their families are known.
 */
#ifndef HEDDLE_PREDICT_PREDICT_INTERNAL_H
#define HEDDLE_PREDICT_PREDICT_INTERNAL_H

#include "base/vec.h"
#include "predict/branch_class.h"
#include "predict/candidates.h"
#include "predict/predict.h"

enum { ROUNDS = 3 };

struct group {
	uint64_t id;
	enum fault kind;
	uint32_t first, n; /* of prediction.sorted */
	uint32_t cost;
	uint64_t family;
	bool minor;
};

struct item_result {
	uint64_t queries, yes, no, bounded, unknown;
	uint32_t widest;
	struct finding *finding; /* NULL: none */
	char *why;               /* the reason of an unknown answer; NULL */
	bool done;               /* the candidates were asked, or need not be */
	bool refused;            /* they were not: the budget was spent */
};

/* One call of predict(). */
struct prediction {
	const struct ctp *c;
	struct mhb *mhb;
	const struct predict_options *opt;
	struct predict_stats *st;
	struct candidates cs;
	struct vec_u32 sorted;          /* candidates by group, then cost */
	VEC(struct group) groups;       /* by cost */
	uint8_t *group_states;          /* by group: GROUP_* of predict_results.c */
	VEC(char *) unknown_reasons;    /* each once */
	struct asker *asker;            /* of this process; made when first needed */
	struct branch_classes *classes; /* likewise */
	uint64_t memory;                /* limit of this process, in bytes; 0 = none */
	double deadline;                /* of the monotonic clock; 0 = none */
	const char *spent;              /* the budget that is spent; NULL: none is */
	uint64_t died;                  /* worker processes that died */
};

/* -- predict.c -- */
/* Asks the candidates of one item until one has a witness. */
void check_item(struct prediction *p, uint32_t item, struct item_result *out);

/* -- predict_groups.c -- */
void group_candidates(struct prediction *p);
static inline uint32_t count_items(const struct prediction *p)
{
	return p->groups.n * ROUNDS;
}
static inline uint32_t item_group(const struct prediction *p, uint32_t item)
{
	return item % p->groups.n;
}
/* The candidates of the item: [*from, *to) of its group. */
void item_range(const struct prediction *p, uint32_t item, uint32_t *from, uint32_t *to);
/* The group is minor, and found() says that a group of its family has a witness: a major group, or
 * a minor one before it. */
typedef bool (*found_fn)(const void *ctx, uint32_t group);
bool group_is_covered(const struct prediction *p, uint32_t group, found_fn found, const void *ctx);

/* -- predict_budget.c -- */
bool budget_left(struct prediction *p);
/* The asker of this process, with the time that one query may take. */
struct asker *budgeted_asker(struct prediction *p);

/* -- predict_results.c -- */
/* Counts the result of an item and passes its finding on; consumes the result. */
void result_take(struct prediction *p, uint32_t item, struct item_result *r);
/* Sentences about what was not decided, into predict_stats.limits. */
void result_add_limits(struct prediction *p);

/* -- hidden_order.c -- */
/* Sentences about calls whose results are assumed as recorded although a schedule changes their
 * order, into predict_stats.limits. */
void hidden_add_limits(struct prediction *p);

/* -- predict_workers.c -- */
/* check_item() of all items, over opt->jobs processes; result_take() in the order of the items. */
void check_items(struct prediction *p);

#endif
