/* Variables, the trail, propagation, and the heap of activities. */
#include "smt/sat_core.h"

#include "base/base.h"

#include <stdlib.h>

struct sat *sat_new(void)
{
	struct sat *s = xcalloc(1, sizeof *s);
	lit_t t;

	s->step = s->clause_step = 1;
	s->max_learned = 3000;
	vec_push(&s->arena, 0);
	vec_resize(&s->val, 2);
	vec_resize(&s->watch, 2);
	vec_resize(&s->level, 1);
	vec_resize(&s->reason, 1);
	vec_resize(&s->phase, 1);
	vec_resize(&s->seen, 1);
	vec_resize(&s->watched, 1);
	vec_resize(&s->activity, 1);
	vec_resize(&s->heap_at, 1);
	vec_resize(&s->focus, 1);
	vec_resize(&s->level_mark, 2);
	t = sat_var(s);
	sat_clause(s, &t, 1);
	return s;
}

void sat_free(struct sat *s)
{
	if (!s)
		return;
	vec_each (&s->watch, i)
		free(s->watch.at[i].at);
	vec_release(&s->arena);
	vec_release(&s->given);
	vec_release(&s->learned);
	vec_release(&s->val);
	vec_release(&s->watch);
	vec_release(&s->level);
	vec_release(&s->reason);
	vec_release(&s->phase);
	vec_release(&s->seen);
	vec_release(&s->watched);
	vec_release(&s->activity);
	vec_release(&s->heap);
	vec_release(&s->heap_at);
	vec_release(&s->focus);
	vec_release(&s->trail);
	vec_release(&s->trail_at);
	vec_release(&s->told);
	vec_release(&s->conflict);
	vec_release(&s->adding);
	vec_release(&s->pending);
	vec_release(&s->lits);
	vec_release(&s->stack);
	vec_release(&s->cleared);
	vec_release(&s->explain);
	vec_release(&s->level_mark);
	vec_release(&s->model);
	vec_release(&s->core);
	free(s);
}

static void heap_insert(struct sat *s, uint32_t v);

lit_t sat_var(struct sat *s)
{
	uint32_t v = ++s->n_vars;

	BUG_ON(v >= BY_THEORY / 2);
	vec_resize(&s->val, 2 * v + 2);
	vec_resize(&s->watch, 2 * v + 2);
	vec_push(&s->level, 0);
	vec_push(&s->reason, NO_CLAUSE);
	vec_push(&s->phase, 1);
	vec_push(&s->seen, 0);
	vec_push(&s->watched, 0);
	vec_push(&s->activity, 0);
	vec_push(&s->heap_at, 0);
	vec_push(&s->focus, 0);
	vec_push(&s->level_mark, 0);
	heap_insert(s, v);
	return 2 * v;
}

uint32_t sat_n_vars(const struct sat *s)
{
	return s->n_vars;
}

void sat_phase(struct sat *s, lit_t l)
{
	s->phase.at[lit_var(l)] = lit_negated(l);
}

void sat_focus(struct sat *s, const uint32_t *vars, uint32_t n)
{
	BUG_ON(s->searching);
	vec_each (&s->heap, i)
		s->heap_at.at[s->heap.at[i]] = 0;
	vec_clear(&s->heap);
	s->focused = n;
	s->focus_mark++;
	for (uint32_t i = 0; i < n; i++) {
		s->focus.at[vars[i]] = s->focus_mark;
		if (!s->val.at[2 * vars[i]])
			heap_insert(s, vars[i]);
	}
	for (uint32_t v = 1; !n && v <= s->n_vars; v++)
		if (!s->val.at[2 * v])
			heap_insert(s, v);
}

void sat_set_theory(struct sat *s, const struct sat_theory *theory)
{
	s->theory = *theory;
}

void sat_watch(struct sat *s, uint32_t var)
{
	/* assign() sees literals from theory_head on: it would miss one that is already assigned */
	BUG_ON(s->val.at[2 * var]);
	s->watched.at[var] = 1;
}

int sat_current(const struct sat *s, lit_t l)
{
	return s->val.at[l];
}

void sat_enqueue(struct sat *s, lit_t l, uint32_t reason)
{
	uint32_t v = lit_var(l);

	s->val.at[l] = 1;
	s->val.at[lit_not(l)] = -1;
	s->level.at[v] = sat_level(s);
	s->reason.at[v] = sat_level(s) ? reason : NO_CLAUSE;
	vec_push(&s->trail, l);
}

void sat_backtrack(struct sat *s, uint32_t level)
{
	uint32_t keep;

	if (sat_level(s) <= level)
		return;
	keep = s->trail_at.at[level];
	while (s->trail.n > keep) {
		lit_t l = vec_pop(&s->trail);
		uint32_t v = lit_var(l);

		s->val.at[l] = s->val.at[lit_not(l)] = 0;
		s->phase.at[v] = lit_negated(l);
		heap_insert(s, v);
	}
	s->trail_at.n = level;
	s->head = MIN(s->head, keep);
	s->theory_head = MIN(s->theory_head, keep);
	if (s->told.n && vec_last(&s->told) >= keep) {
		while (s->told.n && vec_last(&s->told) >= keep)
			s->told.n--;
		if (s->theory.backtrack)
			s->theory.backtrack(s->theory.ctx, s->told.n);
	}
}

static void watch_push(struct sat *s, lit_t l, struct watch w)
{
	struct watches *ws = &s->watch.at[l];

	vec_push(ws, w);
}

/* Visits clause c, which watches the negation of p, after p became true. True if the clause now
 * watches another literal instead. False if the watch stays: the clause is satisfied, has implied
 * its first literal, or *conflict is set because all its literals are false. */
static bool visit_clause(struct sat *s, uint32_t c, lit_t p, struct watch *w, bool *conflict)
{
	lit_t *lits = cl_lits(s, c), false_lit = lit_not(p);
	uint32_t size = cl_size(s, c);

	if (lits[0] == false_lit) {
		lits[0] = lits[1];
		lits[1] = false_lit;
	}
	w->blocker = lits[0];
	if (s->val.at[lits[0]] > 0)
		return false;
	for (uint32_t k = 2; k < size; k++)
		if (s->val.at[lits[k]] >= 0) {
			lits[1] = lits[k];
			lits[k] = false_lit;
			watch_push(s, lit_not(lits[1]), *w);
			return true;
		}
	if (s->val.at[lits[0]] < 0)
		*conflict = true;
	else
		sat_enqueue(s, lits[0], c);
	return false;
}

static uint32_t propagate_clauses(struct sat *s)
{
	while (s->head < s->trail.n) {
		lit_t p = s->trail.at[s->head++];
		uint32_t n = s->watch.at[p].n, i = 0, j = 0;
		struct watch *at = s->watch.at[p].at; /* stable: visits do not add to p's list */
		bool conflict = false;
		uint32_t c = NO_CLAUSE;

		s->stats.propagations++;
		while (i < n && !conflict) {
			struct watch w = at[i++];

			if (s->val.at[w.blocker] > 0) {
				at[j++] = w;
				continue;
			}
			c = w.clause;
			if (!visit_clause(s, c, p, &w, &conflict))
				at[j++] = w;
		}
		while (i < n)
			at[j++] = at[i++];
		s->watch.at[p].n = j;
		if (conflict)
			return c;
	}
	return NO_CLAUSE;
}

void sat_imply(struct sat *s, lit_t l, uint32_t tag)
{
	if (s->val.at[l] > 0)
		return;
	BUG_ON(s->val.at[l] < 0 || tag >= BY_THEORY);
	s->stats.theory_implied++;
	sat_enqueue(s, l, BY_THEORY | tag);
}

void sat_conflict(struct sat *s, const lit_t *lits, uint32_t n)
{
	vec_clear(&s->conflict);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->conflict, lit_not(lits[i]));
}

uint32_t sat_propagate(struct sat *s)
{
	for (;;) {
		uint32_t c = propagate_clauses(s);
		lit_t l;

		if (c != NO_CLAUSE || s->theory_head == s->trail.n)
			return c;
		l = s->trail.at[s->theory_head++];
		if (!s->watched.at[lit_var(l)] || !s->theory.assign)
			continue;
		vec_push(&s->told, s->theory_head - 1);
		if (s->theory.assign(s->theory.ctx, l))
			continue;
		s->told.n--;
		s->theory_head--;
		s->stats.theory_conflicts++;
		return cl_new(s, s->conflict.at, s->conflict.n, 0, 0);
	}
}

/* -- the heap: greatest activity first -- */

static void heap_put(struct sat *s, uint32_t i, uint32_t v)
{
	s->heap.at[i] = v;
	s->heap_at.at[v] = i + 1;
}

void heap_up(struct sat *s, uint32_t i)
{
	uint32_t v = s->heap.at[i];

	while (i) {
		uint32_t up = (i - 1) / 2;

		if (s->activity.at[s->heap.at[up]] >= s->activity.at[v])
			break;
		heap_put(s, i, s->heap.at[up]);
		i = up;
	}
	heap_put(s, i, v);
}

static void heap_down(struct sat *s, uint32_t i)
{
	uint32_t v = s->heap.at[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= s->heap.n)
			break;
		if (child + 1 < s->heap.n &&
			s->activity.at[s->heap.at[child + 1]] > s->activity.at[s->heap.at[child]])
			child++;
		if (s->activity.at[s->heap.at[child]] <= s->activity.at[v])
			break;
		heap_put(s, i, s->heap.at[child]);
		i = child;
	}
	heap_put(s, i, v);
}

static void heap_insert(struct sat *s, uint32_t v)
{
	if (s->heap_at.at[v] || (s->focused && s->focus.at[v] != s->focus_mark))
		return;
	vec_push(&s->heap, v);
	heap_up(s, s->heap.n - 1);
}

uint32_t heap_pop(struct sat *s)
{
	uint32_t v = s->heap.at[0], last = vec_pop(&s->heap);

	s->heap_at.at[v] = 0;
	if (s->heap.n) {
		heap_put(s, 0, last);
		heap_down(s, 0);
	}
	return v;
}
