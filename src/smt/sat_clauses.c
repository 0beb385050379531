/* Clauses: adding, removing, compaction. */
#include "smt/sat_core.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

uint32_t cl_new(struct sat *s, const lit_t *lits, uint32_t n, uint32_t flags, uint32_t glue)
{
	uint32_t c = s->arena.n;

	BUG_ON((uint64_t)c + n + CL_HEAD >= BY_THEORY);
	vec_push(&s->arena, n);
	vec_push(&s->arena, flags | MIN(glue, (uint32_t)CL_MAX_GLUE) << CL_GLUE_SHIFT);
	vec_push(&s->arena, 0);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->arena, lits[i]);
	if (!(flags & CL_WATCHED))
		s->wasted += n + CL_HEAD;
	return c;
}

void cl_attach(struct sat *s, uint32_t c)
{
	lit_t *l = cl_lits(s, c);
	struct watches *a = &s->watch.at[lit_not(l[0])], *b = &s->watch.at[lit_not(l[1])];

	vec_push(a, (struct watch){c, l[1]});
	vec_push(b, (struct watch){c, l[0]});
}

static void sort_lits(lit_t *l, uint32_t n)
{
	if (n > 32) {
		sort_u32(l, n);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		lit_t x = l[i];
		uint32_t k = i;

		for (; k && l[k - 1] > x; k--)
			l[k] = l[k - 1];
		l[k] = x;
	}
}

/* Sorts the literals; removes duplicates and literals that are false at level 0. False if the
 * clause is a tautology or true at level 0. */
static bool normalize_clause(struct sat *s, lit_t *l, uint32_t *n)
{
	uint32_t m = 0;

	sort_lits(l, *n);
	for (uint32_t i = 0; i < *n; i++) {
		int v;

		BUG_ON(l[i] < 2 || lit_var(l[i]) > s->n_vars);
		v = s->level.at[lit_var(l[i])] ? 0 : s->val.at[l[i]];
		if (v > 0 || (m && l[m - 1] == lit_not(l[i])))
			return false;
		if (v == 0 && !(m && l[m - 1] == l[i]))
			l[m++] = l[i];
	}
	*n = m;
	return true;
}

void sat_clause(struct sat *s, const lit_t *lits, uint32_t n)
{
	struct vec_u32 *l = &s->adding;

	if (s->searching) {
		vec_push(&s->pending, n);
		for (uint32_t i = 0; i < n; i++)
			vec_push(&s->pending, lits[i]);
		return;
	}
	if (s->broken)
		return;
	vec_clear(l);
	for (uint32_t i = 0; i < n; i++)
		vec_push(l, lits[i]);
	if (!normalize_clause(s, l->at, &l->n))
		return;
	if (!l->n) {
		s->broken = true;
	} else if (l->n == 1) {
		sat_enqueue(s, l->at[0], NO_CLAUSE);
	} else {
		uint32_t c = cl_new(s, l->at, l->n, CL_WATCHED, 0);

		vec_push(&s->given, c);
		cl_attach(s, c);
	}
}

/* preference of a literal for watching: greatest if it is not false, else its level */
static uint64_t watch_rank(const struct sat *s, lit_t l)
{
	return s->val.at[l] >= 0 ? UINT64_MAX : s->level.at[lit_var(l)];
}

uint32_t cl_add_late(struct sat *s, lit_t *l, uint32_t n)
{
	uint32_t c;

	if (!normalize_clause(s, l, &n))
		return NO_CLAUSE;
	if (!n) {
		s->broken = true;
		return NO_CLAUSE;
	}
	if (n == 1) {
		sat_backtrack(s, 0);
		sat_enqueue(s, l[0], NO_CLAUSE);
		return NO_CLAUSE;
	}
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (watch_rank(s, l[k]) > watch_rank(s, l[i])) {
				lit_t t = l[i];

				l[i] = l[k];
				l[k] = t;
			}
	c = cl_new(s, l, n, CL_WATCHED, 0);
	vec_push(&s->given, c);
	cl_attach(s, c);
	if (s->val.at[l[0]] < 0)
		return c;
	if (s->val.at[l[1]] < 0) { /* it implies its first literal, at the level of the second */
		sat_backtrack(s, s->level.at[lit_var(l[1])]);
		if (!s->val.at[l[0]])
			sat_enqueue(s, l[0], c);
	}
	return NO_CLAUSE;
}

static void kill_clause(struct sat *s, uint32_t c)
{
	s->arena.at[c + CL_FLAGS] |= CL_DEAD;
	s->wasted += cl_size(s, c) + CL_HEAD;
}

/* whether c is the reason of its first literal */
static bool is_locked(struct sat *s, uint32_t c)
{
	lit_t l = cl_lits(s, c)[0];

	return s->val.at[l] > 0 && s->reason.at[lit_var(l)] == c;
}

static uint32_t move_clause(struct sat *s, struct vec_u32 *to, uint32_t c)
{
	uint32_t n = cl_size(s, c) + CL_HEAD, at = to->n;

	if (s->arena.at[c + CL_FLAGS] & CL_MOVED)
		return s->arena.at[c + CL_ACTIVITY];
	vec_reserve(to, to->n + n);
	memcpy(to->at + at, s->arena.at + c, n * sizeof *to->at);
	to->n += n;
	s->arena.at[c + CL_FLAGS] |= CL_MOVED;
	s->arena.at[c + CL_ACTIVITY] = at;
	return at;
}

static void move_list(struct sat *s, struct vec_u32 *to, struct vec_u32 *list)
{
	uint32_t m = 0;

	vec_each (list, i)
		if (!(s->arena.at[list->at[i] + CL_FLAGS] & CL_DEAD))
			list->at[m++] = move_clause(s, to, list->at[i]);
	list->n = m;
}

/* copies the live clauses to a new arena and rebuilds all watches */
static void compact_clauses(struct sat *s)
{
	struct vec_u32 to = {0};

	vec_reserve(&to, s->arena.n - MIN(s->wasted, s->arena.n) + 16);
	vec_push(&to, 0);
	move_list(s, &to, &s->given);
	move_list(s, &to, &s->learned);
	s->wasted = 0;
	vec_each (&s->trail, i) {
		uint32_t *r = &s->reason.at[lit_var(s->trail.at[i])];

		if (*r == NO_CLAUSE || *r & BY_THEORY)
			continue;
		if (!(s->arena.at[*r + CL_FLAGS] & CL_WATCHED))
			s->wasted += cl_size(s, *r) + CL_HEAD;
		*r = move_clause(s, &to, *r);
	}
	vec_release(&s->arena);
	s->arena = to;
	vec_each (&s->watch, i)
		s->watch.at[i].n = 0;
	vec_each (&s->given, i)
		cl_attach(s, s->given.at[i]);
	vec_each (&s->learned, i)
		cl_attach(s, s->learned.at[i]);
}

static float activity_of(const struct sat *s, uint32_t c)
{
	float f;

	memcpy(&f, &s->arena.at[c + CL_ACTIVITY], sizeof f);
	return f;
}

static int by_worth(const void *a, const void *b, void *ctx)
{
	const struct sat *s = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	float fx, fy;

	if (cl_glue(s, x) != cl_glue(s, y))
		return cl_glue(s, x) < cl_glue(s, y) ? -1 : 1;
	fx = activity_of(s, x);
	fy = activity_of(s, y);
	return fx > fy ? -1 : fx < fy ? 1 : (x < y ? -1 : x > y);
}

void cl_reduce(struct sat *s)
{
	qsort_r(s->learned.at, s->learned.n, sizeof *s->learned.at, by_worth, s);
	for (uint32_t i = s->learned.n / 2; i < s->learned.n; i++) {
		uint32_t c = s->learned.at[i];

		if (cl_glue(s, c) > 2 && cl_size(s, c) > 2 && !is_locked(s, c)) {
			kill_clause(s, c);
			s->stats.removed++;
		}
	}
	compact_clauses(s);
}

static void remove_satisfied(struct sat *s, struct vec_u32 *list)
{
	vec_each (list, i) {
		uint32_t c = list->at[i];

		for (uint32_t k = 0; k < cl_size(s, c); k++)
			if (s->val.at[cl_lits(s, c)[k]] > 0) {
				kill_clause(s, c);
				break;
			}
	}
}

void cl_simplify(struct sat *s)
{
	BUG_ON(sat_level(s));
	/* one solver runs many short solves: simplify only if half of the arena is wasted, or if
	 * there are new level-0 literals and enough propagations since the last time */
	if (s->wasted < s->arena.n / 2 &&
		(s->trail.n == s->simplified_at ||
			s->stats.propagations - s->simplified_work < s->arena.n / 4))
		return;
	s->simplified_work = s->stats.propagations;
	remove_satisfied(s, &s->given);
	remove_satisfied(s, &s->learned);
	s->simplified_at = s->trail.n;
	compact_clauses(s);
}
