#include "smt/ask.h"

#include "base/clock.h"
#include "smt/solve.h"

struct ask {
	struct terms *ts;
	struct ask_options opt;
	struct ask_stats stats;
	struct solve *solve;
	VEC(lit_t) lits;
	struct strbuf why;
};

struct ask *ask_new(struct terms *ts, const struct ask_options *opt)
{
	struct ask *a = xcalloc(1, sizeof *a);

	a->ts = ts;
	a->opt = *opt;
	a->solve = solve_new(ts);
	return a;
}

void ask_free(struct ask *a)
{
	solve_free(a->solve);
	vec_release(&a->lits);
	strbuf_release(&a->why);
	free(a);
}

static enum ask_answer check(struct ask *a, const term_t *path, uint32_t n, term_t condition)
{
	double limit = a->opt.seconds > 0 ? a->opt.seconds : 10;
	struct solve_limits l = {.eager = true, .seconds = limit / 2, .z3_seconds = limit / 2};
	enum sat_result r;

	a->stats.asked++;
	vec_clear(&a->lits);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&a->lits, solve_lit(a->solve, path[i]));
	vec_push(&a->lits, solve_lit(a->solve, condition));
	r = solve_check(a->solve, a->lits.at, a->lits.n, &l);
	a->stats.by_solver++;
	if (r == SAT_UNKNOWN) {
		a->stats.unknown++;
		strbuf_clear(&a->why);
		strbuf_adds(&a->why, solve_why(a->solve));
	}
	return r == SAT_SAT ? ASK_YES : r == SAT_UNSAT ? ASK_NO : ASK_UNKNOWN;
}

enum ask_answer ask_may(struct ask *a, const term_t *path, uint32_t n, term_t condition)
{
	u128 v;

	if (term_is_const(a->ts, condition, &v))
		return v ? ASK_YES : ASK_NO;
	return check(a, path, n, condition);
}

enum ask_answer ask_must(struct ask *a, const term_t *path, uint32_t n, term_t condition)
{
	enum ask_answer r = ask_may(a, path, n, term_not(a->ts, condition));

	return r == ASK_YES ? ASK_NO : r == ASK_NO ? ASK_YES : r;
}

enum ask_answer ask_value(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value)
{
	enum ask_answer r;

	if (term_is_const(a->ts, t, value))
		return ASK_YES;
	r = check(a, path, n, term_eq(a->ts, t, t));
	if (r == ASK_YES)
		*value = solve_value(a->solve, t);
	return r;
}

void ask_range(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *least, u128 *most)
{
	(void)a, (void)path, (void)n;
	*least = 0;
	*most = term_mask(term_width(a->ts, t));
}

enum ask_answer ask_model(struct ask *a, const term_t *path, uint32_t n, struct term_assign *as)
{
	enum ask_answer r = check(a, path, n, term_bool(a->ts, true));

	term_assign_clear(as);
	if (r != ASK_YES)
		return r;
	for (uint32_t i = 0; i < terms_n_syms(a->ts); i++) {
		term_t s = terms_sym_at(a->ts, i);

		term_assign_set(as, s, solve_value(a->solve, s));
	}
	return r;
}

const char *ask_why(const struct ask *a)
{
	return a->why.n ? a->why.s : "";
}

const struct ask_stats *ask_stats(const struct ask *a)
{
	return &a->stats;
}
