/* Conflict analysis: the first unique implication point, and cores over assumptions. */
#include "smt/sat_core.h"

#include "base/base.h"

#include <string.h>

/* the clause that implied l; if the theory implied l, the clause is made from explain() */
static uint32_t sat_reason(struct sat *s, lit_t l)
{
	uint32_t *r = &s->reason.at[lit_var(l)], tag = *r & ~BY_THEORY;

	if (*r == NO_CLAUSE || !(*r & BY_THEORY))
		return *r;
	vec_clear(&s->explain);
	vec_push(&s->explain, lit_not(l));
	s->theory.explain(s->theory.ctx, l, tag, &s->explain);
	vec_each (&s->explain, i) {
		s->explain.at[i] = lit_not(s->explain.at[i]);
		BUG_ON(i && s->val.at[s->explain.at[i]] >= 0);
	}
	s->stats.theory_explained++;
	*r = cl_new(s, s->explain.at, s->explain.n, 0, 0);
	return *r;
}

static void bump_var(struct sat *s, uint32_t v)
{
	s->activity.at[v] += s->step;
	if (s->activity.at[v] > 1e100) {
		vec_each (&s->activity, i)
			s->activity.at[i] *= 1e-100;
		s->step *= 1e-100;
	}
	if (s->heap_at.at[v])
		heap_up(s, s->heap_at.at[v] - 1);
}

static void bump_clause(struct sat *s, uint32_t c)
{
	uint32_t *word = &s->arena.at[c + CL_ACTIVITY];
	float f;

	memcpy(&f, word, sizeof f);
	f += (float)s->clause_step;
	memcpy(word, &f, sizeof f);
	if (f < 1e20f)
		return;
	vec_each (&s->learned, i) {
		word = &s->arena.at[s->learned.at[i] + CL_ACTIVITY];
		memcpy(&f, word, sizeof f);
		f *= 1e-20f;
		memcpy(word, &f, sizeof f);
	}
	s->clause_step *= 1e-20;
}

static void mark_variable(struct sat *s, uint32_t v)
{
	s->seen.at[v] = 1;
	vec_push(&s->cleared, v);
}

/* whether a literal of the learned clause is implied by the others, and can be left out */
static bool is_redundant(struct sat *s, lit_t l)
{
	uint32_t undo = s->cleared.n;

	vec_clear(&s->stack);
	vec_push(&s->stack, l);
	while (s->stack.n) {
		lit_t p = vec_pop(&s->stack);
		uint32_t c = sat_reason(s, lit_not(p));

		for (uint32_t i = 1; i < cl_size(s, c); i++) {
			lit_t q = cl_lits(s, c)[i];
			uint32_t v = lit_var(q);

			if (s->seen.at[v] || !s->level.at[v])
				continue;
			/* a decision, or a literal of a level that no literal of the clause has */
			if (s->reason.at[v] == NO_CLAUSE ||
				s->level_mark.at[s->level.at[v]] != s->mark) {
				while (s->cleared.n > undo)
					s->seen.at[vec_pop(&s->cleared)] = 0;
				return false;
			}
			mark_variable(s, v);
			vec_push(&s->stack, q);
		}
	}
	return true;
}

static void minimize_clause(struct sat *s)
{
	uint32_t m = 1;

	s->mark++;
	for (uint32_t i = 1; i < s->lits.n; i++)
		s->level_mark.at[s->level.at[lit_var(s->lits.at[i])]] = s->mark;
	for (uint32_t i = 1; i < s->lits.n; i++) {
		lit_t l = s->lits.at[i];

		if (s->reason.at[lit_var(l)] == NO_CLAUSE || !is_redundant(s, l))
			s->lits.at[m++] = l;
	}
	s->lits.n = m;
}

/* sets s->lits to the learned clause; its first literal will be implied after backtracking */
static void first_uip(struct sat *s, uint32_t c)
{
	uint32_t open = 0, at = s->trail.n;
	lit_t p = LIT_NONE;

	vec_clear(&s->lits);
	vec_push(&s->lits, LIT_NONE);
	do {
		if (s->arena.at[c + CL_FLAGS] & CL_LEARNED)
			bump_clause(s, c);
		for (uint32_t i = p == LIT_NONE ? 0 : 1; i < cl_size(s, c); i++) {
			lit_t q = cl_lits(s, c)[i];
			uint32_t v = lit_var(q);

			if (s->seen.at[v] || !s->level.at[v])
				continue;
			mark_variable(s, v);
			bump_var(s, v);
			if (s->level.at[v] == sat_level(s))
				open++;
			else
				vec_push(&s->lits, q);
		}
		while (!s->seen.at[lit_var(s->trail.at[--at])])
			;
		p = s->trail.at[at];
		if (--open)
			c = sat_reason(s, p);
	} while (open);
	s->lits.at[0] = lit_not(p);
	minimize_clause(s);
	vec_each (&s->cleared, i)
		s->seen.at[s->cleared.at[i]] = 0;
	vec_clear(&s->cleared);
}

static uint32_t glue_of_lits(struct sat *s)
{
	uint32_t n = 0;

	s->mark++;
	vec_each (&s->lits, i) {
		uint32_t level = s->level.at[lit_var(s->lits.at[i])];

		if (s->level_mark.at[level] != s->mark) {
			s->level_mark.at[level] = s->mark;
			n++;
		}
	}
	return n;
}

/* backtracks to the level at which the learned clause implies its first literal, and adds it */
static void learn_clause(struct sat *s)
{
	uint32_t c, glue, back = 1;

	s->stats.learned++;
	if (s->lits.n == 1) {
		sat_backtrack(s, 0);
		sat_enqueue(s, s->lits.at[0], NO_CLAUSE);
		return;
	}
	glue = glue_of_lits(s);
	for (uint32_t i = 2; i < s->lits.n; i++)
		if (s->level.at[lit_var(s->lits.at[i])] > s->level.at[lit_var(s->lits.at[back])])
			back = i;
	c = s->lits.at[back];
	s->lits.at[back] = s->lits.at[1];
	s->lits.at[1] = c;
	sat_backtrack(s, s->level.at[lit_var(s->lits.at[1])]);
	c = cl_new(s, s->lits.at, s->lits.n, CL_LEARNED | CL_WATCHED, glue);
	vec_push(&s->learned, c);
	cl_attach(s, c);
	bump_clause(s, c);
	sat_enqueue(s, s->lits.at[0], c);
}

/* Clause c has one literal of its highest level, at index `at`: backtracks to the second highest
 * level, where c implies that literal, which becomes the first. */
static void imply_single(struct sat *s, uint32_t c, uint32_t at)
{
	lit_t *l = cl_lits(s, c), t = l[at];
	uint32_t second = 0;

	BUG_ON(at > 1 && s->arena.at[c + CL_FLAGS] & CL_WATCHED);
	l[at] = l[0];
	l[0] = t;
	for (uint32_t i = 1; i < cl_size(s, c); i++)
		second = MAX(second, s->level.at[lit_var(l[i])]);
	sat_backtrack(s, second);
	sat_enqueue(s, t, c);
}

bool sat_resolve(struct sat *s, uint32_t c)
{
	uint32_t top = 0, n = 0, at = 0;

	s->stats.conflicts++;
	for (uint32_t i = 0; i < cl_size(s, c); i++) {
		uint32_t level = s->level.at[lit_var(cl_lits(s, c)[i])];

		BUG_ON(s->val.at[cl_lits(s, c)[i]] >= 0);
		if (level > top) {
			top = level;
			n = 0;
		}
		if (level == top) {
			n++;
			at = i;
		}
	}
	if (!top)
		return false;
	sat_backtrack(s, top);
	if (n == 1) {
		imply_single(s, c, at);
		return true;
	}
	first_uip(s, c);
	learn_clause(s);
	s->step /= 0.95;
	s->clause_step /= 0.999;
	return true;
}

void sat_final_core(struct sat *s, lit_t l)
{
	vec_clear(&s->core);
	vec_push(&s->core, l);
	if (!s->level.at[lit_var(l)])
		return;
	s->seen.at[lit_var(l)] = 1;
	for (uint32_t at = s->trail.n; at-- > s->trail_at.at[0];) {
		lit_t p = s->trail.at[at];
		uint32_t v = lit_var(p), c;

		if (!s->seen.at[v])
			continue;
		s->seen.at[v] = 0;
		c = sat_reason(s, p);
		if (c == NO_CLAUSE) { /* only assumptions are decided when this is called */
			if (p != l)
				vec_push(&s->core, p);
			continue;
		}
		for (uint32_t i = 1; i < cl_size(s, c); i++) {
			uint32_t q = lit_var(cl_lits(s, c)[i]);

			if (s->level.at[q])
				s->seen.at[q] = 1;
		}
	}
}
