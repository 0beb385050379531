/* Groups of candidates, and the rounds in which they are asked. */
#include "predict/predict_internal.h"

#include "base/base.h"

#include <assert.h>
#include <stdlib.h>

/* Candidates of a group that are asked before each round; the last entry ends the last round. */
static const uint32_t round_tries[ROUNDS + 1] = {0, 1, 8, UINT32_MAX};

static int by_group(const void *x, const void *y, void *ctx)
{
	const struct candidates *cs = ctx;
	const struct candidate *a = &cs->at.at[*(const uint32_t *)x],
			       *b = &cs->at.at[*(const uint32_t *)y];

	if (a->v.kind != b->v.kind)
		return a->v.kind < b->v.kind ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->v.certain != b->v.certain)
		return a->v.certain ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static int by_cost(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	if (a->minor != b->minor)
		return a->minor ? 1 : -1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void group_candidates(struct prediction *p)
{
	vec_each (&p->cs.at, i)
		vec_push(&p->sorted, i);
	if (p->sorted.n)
		qsort_r(p->sorted.at, p->sorted.n, sizeof *p->sorted.at, by_group, &p->cs);
	vec_each (&p->sorted, i) {
		const struct candidate *k = &p->cs.at.at[p->sorted.at[i]];

		if (!p->groups.n || vec_last(&p->groups).id != k->group ||
			vec_last(&p->groups).kind != k->v.kind)
			vec_push(&p->groups, (struct group){.id = k->group,
						     .kind = k->v.kind,
						     .first = i,
						     .cost = k->v.certain ? 0 : k->cost + 1,
						     .family = k->family,
						     .minor = k->minor});
		vec_last(&p->groups).n++;
	}
	assert(!p->groups.n == !p->cs.at.n);
	if (p->groups.n)
		qsort(p->groups.at, p->groups.n, sizeof *p->groups.at, by_cost);
	p->group_states = xcalloc(p->groups.n + 1, 1);
}

void item_range(const struct prediction *p, uint32_t item, uint32_t *from, uint32_t *to)
{
	const struct group *g = &p->groups.at[item_group(p, item)];
	uint32_t round = item / p->groups.n;

	assert(round < ROUNDS);
	*from = round_tries[round];
	*to = MIN(g->n, round_tries[round + 1]);
	if (g->minor) {
		*from = 0;
		*to = round == ROUNDS - 1 ? g->n : 0;
	}
}

bool group_is_covered(const struct prediction *p, uint32_t group, found_fn found, const void *ctx)
{
	const struct group *g = &p->groups.at[group];

	if (!g->minor || !g->family)
		return false;
	vec_each (&p->groups, i)
		if (p->groups.at[i].family == g->family && (!p->groups.at[i].minor || i < group) &&
			found(ctx, i))
			return true;
	return false;
}
