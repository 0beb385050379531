/* The search: decisions, restarts, limits. */
#include "base/base.h"
#include "base/clock.h"
#include "smt/sat_core.h"

#include <stdlib.h>

enum { RESTART_UNIT = 100 };

struct search {
	struct sat *s;
	const lit_t *assume;
	uint32_t n_assume;
	uint64_t max_conflicts;   /* limit for s->stats.conflicts, which counts all solves */
	double deadline;          /* in clock_seconds(); 0: none */
	uint64_t restart_at;      /* value of s->stats.conflicts at the next restart */
	uint32_t restarts, ticks; /* restarts so far; calls of out_of_budget() without the clock */
};

/* element i of the Luby sequence 1 1 2 1 1 2 4 1 1 2 ... */
static uint64_t luby_element(uint32_t i)
{
	uint32_t size = 1, seq = 0;

	while (size < i + 1) {
		seq++;
		size = 2 * size + 1;
	}
	while (size - 1 != i) {
		size = (size - 1) / 2;
		seq--;
		i %= size;
	}
	return 1ull << seq;
}

static bool out_of_budget(struct search *se, bool look_at_clock)
{
	struct sat *s = se->s;

	if (s->stats.conflicts >= se->max_conflicts) {
		s->why = SAT_WHY_CONFLICTS;
		return true;
	}
	if (se->deadline > 0 && (look_at_clock || !(++se->ticks & 255)) &&
		clock_seconds() > se->deadline) {
		s->why = SAT_WHY_TIME;
		return true;
	}
	return false;
}

static void new_level(struct sat *s)
{
	vec_push(&s->trail_at, s->trail.n);
	/* there can be as many levels as variables, and more: true assumptions make empty levels */
	while (s->level_mark.n <= s->trail_at.n)
		vec_push(&s->level_mark, 0);
}

/* a literal to decide, or LIT_NONE if all variables (of the focus) are assigned */
static lit_t pick_literal(struct sat *s)
{
	lit_t l = s->theory.decide ? s->theory.decide(s->theory.ctx) : LIT_NONE;

	if (l != LIT_NONE && !s->val.at[l])
		return l;
	while (s->heap.n) {
		uint32_t v = heap_pop(s);

		if (s->val.at[2 * v])
			continue;
		if (s->watched.at[v] && s->theory.phase) {
			l = s->theory.phase(s->theory.ctx, 2 * v);
			if (l != LIT_NONE)
				return l;
		}
		return 2 * v + s->phase.at[v];
	}
	return LIT_NONE;
}

/* Adds the pending clauses up to the first whose literals are all false, which it returns;
 * NO_CLAUSE if there is none. */
static uint32_t take_pending(struct sat *s)
{
	uint32_t c = NO_CLAUSE, at = 0;

	while (at < s->pending.n && c == NO_CLAUSE && !s->broken) {
		uint32_t n = s->pending.at[at];

		c = cl_add_late(s, s->pending.at + at + 1, n);
		at += n + 1;
	}
	/* the other clauses wait until the conflict is resolved */
	for (uint32_t i = at; i < s->pending.n; i++)
		s->pending.at[i - at] = s->pending.at[i];
	s->pending.n -= at;
	return c;
}

/* All variables are assigned: calls final(). SAT_UNSAT means that the search continues. */
static enum sat_result at_the_end(struct search *se)
{
	struct sat *s = se->s;
	enum sat_final f = SAT_FINAL_ACCEPT;

	s->stats.finals++;
	if (s->theory.final)
		f = s->theory.final(s->theory.final_ctx);
	if (f == SAT_FINAL_ACCEPT && !s->pending.n && !s->heap.n) {
		vec_clear(&s->model);
		for (uint32_t v = 0; v <= s->n_vars && !s->focused; v++)
			vec_push(&s->model, s->val.at[2 * v]);
		return SAT_SAT;
	}
	if (f == SAT_FINAL_GIVE_UP) {
		s->why = SAT_WHY_THEORY;
		return SAT_UNKNOWN;
	}
	BUG_ON(f == SAT_FINAL_AGAIN && !s->pending.n);
	return out_of_budget(se, true) ? SAT_UNKNOWN : SAT_UNSAT; /* SAT_UNSAT: continue */
}

/* Makes the next assumption or decision true. Returns true if the search is finished, with *r. */
static bool decide_literal(struct search *se, enum sat_result *r)
{
	struct sat *s = se->s;
	lit_t l = LIT_NONE;

	while (sat_level(s) < se->n_assume && l == LIT_NONE) {
		lit_t a = se->assume[sat_level(s)];

		if (s->val.at[a] < 0) {
			sat_final_core(s, a);
			*r = SAT_UNSAT;
			return true;
		}
		if (s->val.at[a] > 0)
			new_level(s);
		else
			l = a;
	}
	if (l == LIT_NONE)
		l = pick_literal(s);
	if (l == LIT_NONE) {
		*r = at_the_end(se);
		return *r != SAT_UNSAT;
	}
	s->stats.decisions++;
	new_level(s);
	sat_enqueue(s, l, NO_CLAUSE);
	return false;
}

static void restart_or_reduce(struct search *se)
{
	struct sat *s = se->s;

	if (s->stats.conflicts >= se->restart_at) {
		s->stats.restarts++;
		se->restart_at = s->stats.conflicts + RESTART_UNIT * luby_element(++se->restarts);
		sat_backtrack(s, se->n_assume);
	}
	if (s->learned.n >= s->max_learned + sat_level(s)) {
		s->max_learned += s->max_learned / 10;
		cl_reduce(s);
	}
}

static enum sat_result search_model(struct search *se)
{
	struct sat *s = se->s;

	for (;;) {
		enum sat_result r;
		uint32_t c = s->pending.n ? take_pending(s) : NO_CLAUSE;

		if (s->broken)
			return SAT_UNSAT;
		if (c == NO_CLAUSE)
			c = sat_propagate(s);
		if (c != NO_CLAUSE) {
			if (!sat_resolve(s, c)) {
				s->broken = true;
				return SAT_UNSAT;
			}
			if (out_of_budget(se, false))
				return SAT_UNKNOWN;
			continue;
		}
		if (s->pending.n)
			continue;
		restart_or_reduce(se);
		if (decide_literal(se, &r))
			return r;
		if (!(s->stats.decisions & 1023) && out_of_budget(se, true))
			return SAT_UNKNOWN;
	}
}

enum sat_result sat_solve(
	struct sat *s, const lit_t *assume, uint32_t n, const struct sat_limits *limits)
{
	struct search se = {.s = s, .assume = assume, .n_assume = n, .max_conflicts = UINT64_MAX};
	enum sat_result r;

	BUG_ON(s->searching);
	vec_clear(&s->core);
	s->why = SAT_WHY_NONE;
	if (limits && limits->conflicts)
		se.max_conflicts = s->stats.conflicts + limits->conflicts;
	if (limits)
		se.deadline = limits->until;
	se.restart_at = s->stats.conflicts + RESTART_UNIT;
	if (s->broken)
		return SAT_UNSAT;
	cl_simplify(s);
	s->searching = true;
	r = search_model(&se);
	s->searching = false;
	sat_backtrack(s, 0);
	/* clauses that the theory added before the limit was reached */
	for (uint32_t at = 0; at < s->pending.n; at += s->pending.at[at] + 1)
		sat_clause(s, s->pending.at + at + 1, s->pending.at[at]);
	vec_clear(&s->pending);
	return r;
}

enum sat_why sat_why(const struct sat *s)
{
	return s->why;
}

bool sat_true(const struct sat *s, lit_t l)
{
	BUG_ON(lit_var(l) >= s->model.n);
	return (s->model.at[lit_var(l)] > 0) != lit_negated(l);
}

const lit_t *sat_core(const struct sat *s, uint32_t *n)
{
	*n = s->core.n;
	return s->core.at;
}

const struct sat_stats *sat_stats(const struct sat *s)
{
	return &s->stats;
}
