#include "predict/predict.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/diag.h"
#include "explain/branch.h"
#include "predict/predict_work.h"

#include <stdlib.h>
#include <string.h>

/* The whole trace is asked, if windows did not answer, up to that many events. */
enum { WHOLE_TRACE = 3000 };
/* A round in which the solver gave up on so many of a group ends for that group. */
enum { HOPELESS = 3 };

#define BIT(id) (1u << FINDING_##id)
static const struct property {
	const char *name;
	property_fn fn;
	uint32_t kinds;
} properties[] = {
	{"assert", prop_assert, BIT(ASSERT) | BIT(DIVISION)},
	{"race", prop_race, BIT(RACE)},
	{"deadlock", prop_deadlock, BIT(DEADLOCK) | BIT(LOST_WAKEUP) | BIT(DOUBLE_LOCK)},
	{"locks", prop_locks,
		BIT(DOUBLE_UNLOCK) | BIT(FOREIGN_UNLOCK) | BIT(RECURSION) | BIT(DESTROY)},
	{"memory", prop_memory,
		BIT(USE_AFTER_FREE) | BIT(DOUBLE_FREE) | BIT(NULL_DEREF) | BIT(WILD_DEREF) |
			BIT(OVERFLOW)},
	{"atomicity", prop_atomicity, BIT(ATOMICITY)},
	{"branch", prop_branch, BIT(BRANCH)},
};
#undef BIT

const uint32_t round_tries[ROUNDS + 1] = {0, 1, 8, UINT32_MAX};

void predict_stats_release(struct predict_stats *s)
{
	vec_each (&s->limits, i)
		free(s->limits.at[i]);
	vec_release(&s->limits);
}

/* ---- groups --------------------------------------------------------------------------------- */

static int by_group(const void *x, const void *y, void *ctx)
{
	const struct candidates *cs = ctx;
	const struct candidate *a = &cs->at.at[*(const uint32_t *)x],
			       *b = &cs->at.at[*(const uint32_t *)y];

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->certain != b->certain)
		return a->certain ? -1 : 1;
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

static void make_groups(struct work *w)
{
	const struct candidates *cs = w->cs;

	vec_each (&cs->at, i)
		vec_push(&w->sorted, i);
	if (w->sorted.n)
		qsort_r(w->sorted.at, w->sorted.n, sizeof *w->sorted.at, by_group, w->cs);
	vec_each (&w->sorted, i) {
		const struct candidate *k = &cs->at.at[w->sorted.at[i]];

		if (!w->groups.n || vec_last(&w->groups).id != k->group ||
			vec_last(&w->groups).kind != k->kind)
			vec_push(&w->groups, (struct group){.id = k->group,
						     .kind = k->kind,
						     .first = i,
						     .cost = k->certain ? 0 : k->cost + 1,
						     .family = k->family,
						     .minor = k->minor});
		vec_last(&w->groups).n++;
	}
	if (w->groups.n)
		qsort(w->groups.at, w->groups.n, sizeof *w->groups.at, by_cost);
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool budget_left(struct work *w)
{
	if (w->deadline && clock_seconds() > w->deadline)
		w->spent = "time";
	if (!w->spent && w->opt->memory && asker_memory() > w->opt->memory) {
		asker_drop(w->asker); /* its models are the most of it */
		if (asker_memory() > w->opt->memory)
			w->spent = "memory";
	}
	return !w->spent;
}

/* A query has its own time, but not more than is left for all. */
static double query_seconds(const struct work *w)
{
	double s = w->opt->query_seconds > 0 ? w->opt->query_seconds : 10;
	double left = w->deadline ? w->deadline - clock_seconds() : s;

	return MAX(MIN(s, left), 0.01);
}

static struct asker *asker_of(struct work *w)
{
	struct model_limits lim = {
		.memory = w->opt->memory,
		.switches = w->opt->switches,
		.dump = w->opt->dump,
	};

	if (!w->asker)
		w->asker = asker_on(w->mhb, w->opt->model, &lim, WHOLE_TRACE);
	asker_seconds(w->asker, query_seconds(w));
	return w->asker;
}

/* What the recorded run had done when it came to the misuse. */
static struct finding *observed(struct work *w, const struct candidate *k)
{
	struct witness wit = {0};
	struct finding *f;
	uint32_t last = 0;

	for (uint32_t i = 0; i < k->nkeys; i++)
		last = MAX(last, ctp_at(w->c, k->key[i])->rank);
	vec_each (&w->c->order, i) {
		if (i >= last)
			break;
		if (i && ctp_at(w->c, w->c->order.at[i])->thread !=
				 ctp_at(w->c, w->c->order.at[i - 1])->thread)
			wit.switches++;
		vec_push(&wit.events, w->c->order.at[i]);
	}
	f = explain(w->c, w->mhb, k, &wit);
	witness_release(&wit);
	return f;
}

static struct branch_classes *classes_of(struct work *w)
{
	if (!w->classes)
		w->classes = branch_classes_new(w->c, w->mhb);
	return w->classes;
}

static void ask(struct work *w, const struct candidate *k, struct item_result *out)
{
	struct model_result r = {0};

	if (k->certain) {
		out->finding = observed(w, k);
		return;
	}
	asker_ask(asker_of(w), &k->query, &r);
	out->queries++;
	switch (r.answer) {
	case ANSWER_YES:
		out->yes++;
		out->finding = explain(w->c, w->mhb, k, &r.witness);
		if (k->kind == FINDING_BRANCH)
			branch_classify(classes_of(w), w->asker, k, out->finding);
		break;
	case ANSWER_NO:
		out->no++;
		out->bounded += r.bounded;
		break;
	case ANSWER_UNKNOWN:
		out->unknown++;
		if (!out->why && r.why)
			out->why = xstrdup(r.why);
		break;
	}
	out->widest = MAX(out->widest, asker_stats(w->asker)->widest);
	model_result_release(&r);
}

bool work_is_covered(const struct work *w, uint32_t group, found_fn found, const void *ctx)
{
	const struct group *g = &w->groups.at[group];

	if (!g->minor || !g->family)
		return false;
	vec_each (&w->groups, i)
		if (w->groups.at[i].family == g->family && (!w->groups.at[i].minor || i < group) &&
			found(ctx, i))
			return true;
	return false;
}

void work_item(struct work *w, uint32_t item, struct item_result *out)
{
	const struct group *g = &w->groups.at[item % w->groups.n];
	uint32_t round = item / w->groups.n, from = round_tries[round],
		 to = MIN(g->n, round_tries[round + 1]);

	if (g->minor) {
		from = 0;
		to = round == ROUNDS - 1 ? g->n : 0;
	}
	for (uint32_t i = from; i < to && !out->finding && out->unknown < HOPELESS; i++) {
		if (!budget_left(w)) {
			out->refused = true;
			return;
		}
		ask(w, &w->cs->at.at[w->sorted.at[g->first + i]], out);
	}
	out->done = true;
}

/* ---- what came of it ------------------------------------------------------------------------ */

enum { GROUP_FOUND = 1, GROUP_UNKNOWN = 2, GROUP_BOUNDED = 4, GROUP_REFUSED = 8 };

struct telling {
	struct work *w;
	struct predict_stats *st;
	uint8_t *groups; /* GROUP_* */
	VEC(char *) why; /* reasons for "unknown", each once */
};

static void keep_reason(struct telling *t, char *why)
{
	vec_each (&t->why, i)
		if (!strcmp(t->why.at[i], why)) {
			free(why);
			return;
		}
	vec_push(&t->why, why);
}

static bool was_found(const void *ctx, uint32_t group)
{
	return ((const struct telling *)ctx)->groups[group] & GROUP_FOUND;
}

static void tell(void *ctx, uint32_t item, struct item_result *r)
{
	struct telling *t = ctx;
	const struct predict_options *opt = t->w->opt;
	uint32_t g = item % t->w->groups.n;
	struct predict_kind_stats *k = &t->st->kind[t->w->groups.at[g].kind];

	t->st->queries += r->queries;
	t->st->yes += r->yes;
	t->st->no += r->no;
	t->st->bounded += r->bounded;
	t->st->unknown += r->unknown;
	t->st->widest = MAX(t->st->widest, r->widest);
	k->queries += r->queries;
	if (r->refused)
		t->groups[g] |= GROUP_REFUSED;
	if (r->unknown || (!r->done && !r->refused))
		t->groups[g] |= GROUP_UNKNOWN;
	if (r->bounded)
		t->groups[g] |= GROUP_BOUNDED;
	if (r->why)
		keep_reason(t, r->why);
	if (r->finding && !(t->groups[g] & GROUP_FOUND) &&
		!work_is_covered(t->w, g, was_found, t)) {
		t->groups[g] |= GROUP_FOUND;
		k->found++;
		opt->found(opt->ctx, r->finding);
	} else if (r->finding) {
		finding_free(r->finding);
	}
	if (opt->progress)
		opt->progress(opt->ctx, "asking", item + 1, work_nitems(t->w));
}

static void ask_here(struct work *w, struct telling *t)
{
	for (uint32_t i = 0; i < work_nitems(w); i++) {
		struct item_result r = {0};

		if (t->groups[i % w->groups.n] & GROUP_FOUND ||
			work_is_covered(w, i % w->groups.n, was_found, t))
			r.done = true;
		else
			work_item(w, i, &r);
		tell(t, i, &r);
	}
}

static void sum_up(struct telling *t)
{
	struct predict_stats *st = t->st;
	uint32_t refused = 0, bounded = 0, unknown = 0, all = t->w->groups.n;

	for (uint32_t g = 0; g < all; g++) {
		struct predict_kind_stats *k = &st->kind[t->w->groups.at[g].kind];
		uint8_t how = t->groups[g];

		k->candidates += t->w->groups.at[g].n;
		if (how & GROUP_FOUND)
			continue;
		refused += !!(how & GROUP_REFUSED);
		unknown += !!(how & GROUP_UNKNOWN);
		bounded += !!(how & GROUP_BOUNDED);
		k->unknown += !!(how & GROUP_UNKNOWN);
		k->bounded += !!(how & GROUP_BOUNDED);
	}
	if (refused)
		vec_push(&st->limits,
			xasprintf("%u of %u suspicions were not, or not fully, "
				  "looked into: the limit of %s was reached",
				refused, all, t->w->spent ? t->w->spent : "time or memory"));
	if (unknown) {
		struct strbuf b = {0};

		strbuf_addf(&b, "%u of %u suspicions could not be decided", unknown, all);
		vec_each (&t->why, i)
			strbuf_addf(&b, "%s%s", i ? "; " : ": ", t->why.at[i]);
		vec_push(&st->limits, strbuf_detach(&b));
	}
	if (bounded)
		vec_push(
			&st->limits, xasprintf("%u of %u suspicions were excluded only within "
					       "bounds (windows of up to %u events%s)",
					     bounded, all, st->widest,
					     t->w->opt->switches >= 0 ? ", limited switches" : ""));
	if (t->w->died)
		vec_push(&st->limits,
			xasprintf("%llu worker process%s died; what %s looking into "
				  "counts as undecided",
				(unsigned long long)t->w->died, t->w->died > 1 ? "es" : "",
				t->w->died > 1 ? "they were" : "it was"));
	vec_each (&t->why, i)
		free(t->why.at[i]);
	vec_release(&t->why);
}

static void collect_candidates(struct work *w, struct predict_stats *st)
{
	uint32_t kinds = w->opt->kinds ? w->opt->kinds : ~(1u << FINDING_BRANCH);

	for (uint32_t i = 0; i < ARRAY_SIZE(properties); i++) {
		uint32_t before = w->cs->at.n;

		if (w->opt->progress)
			w->opt->progress(w->opt->ctx, "candidates", i, ARRAY_SIZE(properties));
		if (properties[i].kinds & kinds)
			properties[i].fn(w->cs, kinds);
		LOG(predict, "property %s: %u candidates", properties[i].name,
			w->cs->at.n - before);
	}
	st->candidates = w->cs->at.n;
	st->filtered = w->cs->filtered;
	vec_each (&w->cs->limits, i)
		vec_push(&st->limits, xstrdup(w->cs->limits.at[i]));
}

int predict(const struct ctp *c, const struct predict_options *opt, struct predict_stats *st)
{
	double start = clock_seconds();
	struct mhb *mhb = mhb_new(c);
	struct candidates cs = {.c = c, .mhb = mhb, .skip = opt->skip, .only = opt->only,
		.every = opt->every};
	struct work w = {.c = c,
		.mhb = mhb,
		.opt = opt,
		.cs = &cs,
		.deadline = opt->seconds > 0 ? start + opt->seconds : 0};
	struct telling t = {.w = &w, .st = st};

	memset(st, 0, sizeof *st);
	collect_candidates(&w, st);
	make_groups(&w);
	t.groups = xcalloc(w.groups.n + 1, 1);
	if (opt->jobs > 1 && w.groups.n > 1)
		work_over_processes(&w, MIN(opt->jobs, w.groups.n), tell, &t);
	else
		ask_here(&w, &t);
	sum_up(&t);
	st->seconds = clock_seconds() - start;
	branch_classes_free(w.classes);
	asker_free(w.asker);
	free(t.groups);
	vec_release(&w.sorted);
	vec_release(&w.groups);
	candidates_release(&cs);
	mhb_free(mhb);
	return 0;
}
