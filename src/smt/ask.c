/* The layers of a query: layers 1 and 2, and the order in which caches and solvers are tried. */
#include "smt/ask.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/map.h"
#include "smt/ask_cache.h"
#include "smt/ask_models.h"
#include "smt/enumerate.h"
#include "smt/slice.h"
#include "smt/solve.h"
#include "term/term_bounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double DEFAULT_SECONDS = 10;
enum { DEFAULT_CONFLICTS = 20000, MAX_GATES = 3000000 };

struct ask {
	struct terms *ts;
	struct ask_options opt;
	struct ask_stats stats;
	struct slice *slice;
	struct ask_cache *cache;
	struct ask_models *models;
	struct enumerate *enumerate;
	struct solve *solve;

	double deadline;     /* of all queries; 0: none */
	double until;        /* deadline of the query, in clock_seconds() */
	struct vec_u32 news; /* conjuncts of the condition that are not conjuncts of the path */
	struct vec_u32 set;  /* the query: the slice of the path and the news, sorted */
	/* the set with the condition negated, and the conjuncts of the negated condition */
	struct vec_u32 other, other_news;
	struct term_assign none; /* no symbol has a value */
	const char *why;
	uint32_t dumped; /* number of the last query that was written to opt.dump */
};

struct ask *ask_new(struct terms *ts, const struct ask_options *opt)
{
	struct ask *a = xcalloc(1, sizeof *a);

	a->ts = ts;
	a->opt = *opt;
	if (a->opt.seconds <= 0)
		a->opt.seconds = DEFAULT_SECONDS;
	if (!a->opt.conflicts)
		a->opt.conflicts = DEFAULT_CONFLICTS;
	a->slice = slice_new(ts);
	a->cache = ask_cache_new();
	a->models = ask_models_new(ts);
	a->enumerate = enumerate_new(ts, a->slice);
	a->solve = solve_new(ts);
	term_assign_init(&a->none, ts);
	a->why = "";
	if (opt->dump && mkdir(opt->dump, 0777) && errno != EEXIST) {
		error_("cannot make '%s' for queries: %s", opt->dump, strerror(errno));
		a->opt.dump = NULL;
	}
	return a;
}

void ask_free(struct ask *a)
{
	if (!a)
		return;
	slice_free(a->slice);
	ask_cache_free(a->cache);
	ask_models_free(a->models);
	enumerate_free(a->enumerate);
	solve_free(a->solve);
	vec_release(&a->news);
	vec_release(&a->set);
	vec_release(&a->other);
	vec_release(&a->other_news);
	term_assign_release(&a->none);
	free(a);
}

void ask_until(struct ask *a, double deadline)
{
	a->deadline = deadline;
}

const char *ask_why(const struct ask *a)
{
	return a->why;
}

const struct ask_stats *ask_stats(const struct ask *a)
{
	return &a->stats;
}

/* -- layer 6: the solvers -- */

static void dump(struct ask *a)
{
	char *path = xasprintf("%s/%06u.smt2", a->opt.dump, ++a->dumped);

	if (solve_dump(a->solve, NULL, 0, SAT_UNKNOWN, path)) {
		note_("no more queries are written to '%s'", a->opt.dump);
		a->opt.dump = NULL;
	}
	free(path);
}

static struct ask_known solve(struct ask *a)
{
	struct ask_known k = {.model = ASK_NO_MODEL, .seconds = a->until - clock_seconds()};
	struct solve_limits limits = {.seconds = MAX(k.seconds / 2, 1e-9),
		.z3_until = a->until,
		.conflicts = a->opt.conflicts,
		.gates = MAX_GATES,
		.z3_only = a->opt.z3_only};

	solve_assume(a->solve, &a->set);
	if (a->opt.dump)
		dump(a);
	k.result = solve_check(a->solve, NULL, 0, &limits);
	if (k.result == SAT_UNKNOWN)
		a->why = solve_why(a->solve);
	else if (solve_stats(a->solve)->stage == SOLVE_Z3)
		a->stats.by_z3++;
	else
		a->stats.by_solver++;
	if (k.result == SAT_SAT)
		k.model = ask_models_put(a->models, solve_values(a->solve));
	return k;
}

/* -- layer 5: few bits of input -- */

/* Whether this layer is off: in the slow twins. */
static bool only_solvers(const struct ask *a)
{
	return a->opt.no_cache || a->opt.z3_only;
}

static bool enumerate_values(struct ask *a, struct ask_known *k)
{
	struct term_assign as;

	if (only_solvers(a) || !enumerate_begin(a->enumerate, &a->set, TERM_NONE))
		return false;
	term_assign_init(&as, a->ts);
	*k = (struct ask_known){.result = SAT_UNSAT, .model = ASK_NO_MODEL};
	if (enumerate_model(a->enumerate, &as)) {
		k->result = SAT_SAT;
		k->model = ask_models_put(a->models, &as);
	}
	term_assign_release(&as);
	ask_cache_put(a->cache, &a->set, *k);
	a->stats.by_values++;
	return true;
}

/* -- layers 3 and 4: results of earlier queries -- */

/* Whether the cache refutes the slice with the negated condition. The slice is satisfiable, so it
 * then implies the condition, and a->set is satisfiable. Only for a condition of one conjunct. */
static bool negation_refuted(struct ask *a)
{
	if (a->news.n != 1)
		return false;
	vec_clear(&a->other);
	vec_clear(&a->other_news);
	slice_split(a->ts, term_not(a->ts, (term_t){a->news.at[0]}), &a->other_news);
	vec_each (&a->set, i)
		if (a->set.at[i] != a->news.at[0])
			vec_push(&a->other, a->set.at[i]);
	vec_each (&a->other_news, i)
		vec_push(&a->other, a->other_news.at[i]);
	vec_u32_sort(&a->other, 0);
	return ask_cache_refutes(a->cache, &a->other, &a->other_news);
}

static bool find_known(struct ask *a, bool need_model, struct ask_known *k)
{
	/* a query that was not decided is tried again with much more time than it had */
	if (ask_cache_find(a->cache, &a->set, &a->news, k) &&
		(k->result != SAT_UNKNOWN || a->until - clock_seconds() <= 2 * k->seconds)) {
		a->stats.by_cache++;
		if (k->result == SAT_UNKNOWN)
			a->why = "it was not decided before";
		return true;
	}
	if (!need_model && negation_refuted(a)) {
		*k = (struct ask_known){SAT_SAT, ASK_NO_MODEL, 0};
		a->stats.by_cache++;
		return true;
	}
	k->model =
		ask_models_try(a->models, &a->set, a->news.n ? a->news.at[0] : vec_last(&a->set));
	k->result = SAT_SAT;
	if (k->model == UINT32_MAX)
		return false;
	a->stats.by_model++;
	ask_cache_put(a->cache, &a->set, *k);
	return true;
}

static void remember(struct ask *a, struct ask_known k)
{
	const struct vec_u32 *core = solve_core_terms(a->solve);

	ask_cache_put(a->cache, &a->set, k);
	if (k.result == SAT_UNSAT && core->n < a->set.n)
		ask_cache_put(a->cache, core, k);
}

/* decides a->set, which is not empty, by the layers from 3 on */
static struct ask_known decide(struct ask *a, bool need_model)
{
	double start = clock_seconds();
	struct ask_known k;

	if (a->opt.no_cache || (!find_known(a, need_model, &k) && !enumerate_values(a, &k))) {
		k = solve(a);
		if (!a->opt.no_cache)
			remember(a, k);
	}
	a->stats.unknown += k.result == SAT_UNKNOWN;
	a->stats.seconds += clock_seconds() - start;
	return k;
}

/* -- layers 1 and 2 -- */

/* Sets a->set to the slice of the path that the terms depend on, and adds the terms themselves if
 * they are conjuncts of the query. */
static void make_set(struct ask *a, const struct vec_u32 *about, bool conjuncts)
{
	uint32_t m = 0;

	vec_clear(&a->set);
	if (a->opt.no_independence)
		vec_each (slice_all(a->slice), i)
			vec_push(&a->set, slice_all(a->slice)->at[i]);
	else
		slice_about(a->slice, about->at, about->n, &a->set);
	for (uint32_t i = 0; conjuncts && i < about->n; i++)
		vec_push(&a->set, about->at[i]);
	vec_u32_sort(&a->set, 0);
	vec_each (&a->set, i)
		if (!i || a->set.at[i] != a->set.at[i - 1])
			a->set.at[m++] = a->set.at[i];
	a->set.n = m;
}

/* Layer 1. SAT_UNKNOWN: not decided, and a->news are the conjuncts that the path does not have. */
static enum sat_result by_shape(struct ask *a, term_t condition)
{
	uint32_t m = 0;

	vec_clear(&a->news);
	if (!slice_split(a->ts, condition, &a->news))
		return SAT_UNSAT;
	vec_each (&a->news, i) {
		uint32_t c = a->news.at[i];

		if (slice_has(a->slice, c))
			continue;
		if (slice_has(a->slice, term_not(a->ts, (term_t){c}).id))
			return SAT_UNSAT;
		a->news.at[m++] = c;
	}
	a->news.n = m;
	return m ? SAT_UNKNOWN : SAT_SAT;
}

/* All layers for one condition under the path in a->slice. *model is the number of a model after
 * ASK_YES; ASK_NO_MODEL is possible if layer 1 decided or if need_model is false. */
static enum ask_answer question(struct ask *a, term_t condition, bool need_model, uint32_t *model)
{
	struct ask_known k = {.model = ASK_NO_MODEL};

	a->stats.asked++;
	k.result = by_shape(a, condition);
	if (k.result == SAT_UNKNOWN) {
		make_set(a, &a->news, true);
		k = decide(a, need_model);
	} else {
		a->stats.by_shape++;
	}
	*model = k.model;
	return k.result == SAT_SAT ? ASK_YES : k.result == SAT_UNSAT ? ASK_NO : ASK_UNKNOWN;
}

static void begin(struct ask *a, const term_t *path, uint32_t n)
{
	if (a->opt.no_cache || ask_cache_full(a->cache)) {
		ask_cache_drop(a->cache);
		ask_models_drop(a->models);
	}
	a->why = "";
	a->until = clock_seconds() + a->opt.seconds;
	if (a->deadline > 0)
		a->until = MIN(a->until, a->deadline);
	slice_path(a->slice, path, n);
}

/* -- the queries of ask.h -- */

enum ask_answer ask_may(struct ask *a, const term_t *path, uint32_t n, term_t condition)
{
	uint32_t model;

	BUG_ON(term_width(a->ts, condition) != 1);
	begin(a, path, n);
	return question(a, condition, false, &model);
}

enum ask_answer ask_must(struct ask *a, const term_t *path, uint32_t n, term_t condition)
{
	enum ask_answer r = ask_may(a, path, n, term_not(a->ts, condition));

	return r == ASK_YES ? ASK_NO : r == ASK_NO ? ASK_YES : r;
}

/* a model of the slice of the path that the terms depend on; *model is ASK_NO_MODEL for an empty
 * one */
static enum ask_answer model_about(struct ask *a, const struct vec_u32 *about, uint32_t *model)
{
	struct ask_known k;

	*model = ASK_NO_MODEL;
	make_set(a, about, false);
	if (!a->set.n)
		return ASK_YES;
	vec_clear(&a->news);
	k = decide(a, true);
	*model = k.model;
	return k.result == SAT_SAT ? ASK_YES : k.result == SAT_UNSAT ? ASK_NO : ASK_UNKNOWN;
}

static u128 value_under(struct ask *a, uint32_t model, term_t t)
{
	if (model != ASK_NO_MODEL)
		return ask_models_value(a->models, model, t);
	return term_value(&a->none, t);
}

static enum ask_answer value_on_path(struct ask *a, term_t t, u128 *value)
{
	struct vec_u32 about = {.at = &t.id, .n = 1};
	enum ask_answer r;
	uint32_t model;

	a->stats.asked++;
	if (term_is_const(a->ts, t, value)) {
		a->stats.by_shape++;
		return ASK_YES;
	}
	r = model_about(a, &about, &model);
	if (r == ASK_YES)
		*value = value_under(a, model, t);
	return r;
}

enum ask_answer ask_value(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value)
{
	begin(a, path, n);
	return value_on_path(a, t, value);
}

/*
 * Finds one end of the range by bisection: the lower end if `down`. No value lies beyond *end;
 * `inside` is a possible value. Moves *end inwards until it is a possible value or time is over.
 */
static void narrow(struct ask *a, term_t t, u128 *end, u128 inside, bool down)
{
	while (*end != inside) {
		u128 dist = down ? inside - *end : *end - inside, mid, v;
		term_t k, c;
		uint32_t model;

		mid = down ? *end + (dist - 1) / 2 : *end - (dist - 1) / 2;
		k = term_const(a->ts, term_width(a->ts, t), mid);
		c = down ? term_ule(a->ts, t, k) : term_ule(a->ts, k, t);
		if (clock_seconds() > a->until)
			return;
		switch (question(a, c, true, &model)) {
		case ASK_UNKNOWN: return;
		case ASK_NO: *end = down ? mid + 1 : mid - 1; break;
		case ASK_YES:
			v = model == ASK_NO_MODEL ? mid : value_under(a, model, t);
			inside = down ? MIN(v, mid) : MAX(v, mid);
			break;
		}
	}
}

/* whether the bound from term_bounds.h is a possible value: one query instead of a bisection */
static bool end_possible(struct ask *a, term_t t, u128 end)
{
	uint32_t model;
	term_t k = term_const(a->ts, term_width(a->ts, t), end);

	return question(a, term_eq(a->ts, t, k), false, &model) == ASK_YES;
}

/* The range from all values that the term has, if its slice has few bits of input. */
static bool range_of_values(struct ask *a, term_t t, u128 *least, u128 *most)
{
	struct vec_u32 about = {.at = &t.id, .n = 1};

	if (only_solvers(a))
		return false;
	make_set(a, &about, false);
	if (!enumerate_begin(a->enumerate, &a->set, t) ||
		!enumerate_range(a->enumerate, least, most))
		return false;
	a->stats.asked++;
	a->stats.by_values++;
	return true;
}

bool ask_single(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value)
{
	u128 most;

	begin(a, path, n);
	return range_of_values(a, t, value, &most) && *value == most;
}

void ask_range(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *least, u128 *most)
{
	struct term_bounds b = term_bounds(a->ts, t);
	const struct vec_u32 *all;
	u128 v;

	begin(a, path, n);
	if (range_of_values(a, t, least, most))
		return;
	all = slice_all(a->slice);
	vec_each (all, i)
		term_bounds_given(a->ts, t, (term_t){all->at[i]}, &b);
	if (b.least < b.most && value_on_path(a, t, &v) == ASK_YES) {
		if (v != b.least && !end_possible(a, t, b.least))
			narrow(a, t, &b.least, v, true);
		if (v != b.most && !end_possible(a, t, b.most))
			narrow(a, t, &b.most, v, false);
	}
	*least = b.least;
	*most = b.most;
}

/* -- a model of the whole path -- */

/* copies the values of the atoms of one conjunct from the model of its class, and no others */
static void take_atoms(struct ask *a, uint32_t conjunct, uint32_t model, struct term_assign *as)
{
	const struct term_syms *atoms = slice_atoms(a->slice, (term_t){conjunct});
	const struct term_assign *from = ask_models_at(a->models, model);

	for (uint32_t i = 0; i < atoms->n; i++) {
		term_t t = atoms->at[i];
		uint64_t *at;

		if (term_is_array(a->ts, t)) {
			at = map_get(&from->array, t.id);
			if (at)
				term_assign_cells(as, t, &from->arrays.at[*at]);
		} else if (term_op(a->ts, t) == TERM_SYM) {
			if (!map_get(&as->sym, t.id))
				term_assign_set(as, t, ask_models_value(a->models, model, t));
		} else {
			u128 k = 0;

			term_is_const(a->ts, term_arg(a->ts, t, 1), &k);
			term_assign_cell(as, term_arg(a->ts, t, 0), (uint64_t)k,
				(uint8_t)ask_models_value(a->models, model, t));
		}
	}
}

/* a model for each class of conjuncts of the path, merged into *as */
static enum ask_answer solve_classes(struct ask *a, struct term_assign *as)
{
	const struct vec_u32 *all = slice_all(a->slice);
	struct map done = {0};
	enum ask_answer r = ASK_YES;

	for (uint32_t i = 0; i < all->n && r == ASK_YES; i++) {
		struct vec_u32 about = {.at = &all->at[i], .n = 1};
		uint64_t *at = map_put(&done, slice_class(a->slice, i));
		uint32_t model;

		if (!slice_atoms(a->slice, (term_t){all->at[i]})->n)
			continue; /* no symbol: nothing to solve */
		if (!*at) {
			r = model_about(a, &about, &model);
			if (r != ASK_YES)
				break;
			*at = model + 1;
		}
		take_atoms(a, all->at[i], (uint32_t)*at - 1, as);
	}
	map_release(&done);
	return r;
}

enum ask_answer ask_model(struct ask *a, const term_t *path, uint32_t n, struct term_assign *as)
{
	enum ask_answer r;

	a->stats.asked++;
	begin(a, path, n);
	term_assign_clear(as);
	r = solve_classes(a, as);
	for (uint32_t i = 0; r == ASK_YES && i < n; i++)
		if (!term_value(as, path[i]))
			BUG("a model of each part that is none of the whole");
	return r;
}
