/*
 * A bound on the number of context switches (Fusion, §6). Executed events lie in segments 0 .. max,
 * each segment belongs to one thread, a thread's segments rise, and an ordering of two events of
 * different threads puts the later event into a later segment. The linearization is read off the
 * segments. The clauses have an effect only where m->bounded is assumed.
 */
#include "model/model_internal.h"

#include "base/vec.h"

#include <assert.h>

static uint32_t place_of(const struct model *m, uint32_t e)
{
	uint32_t t = ctp_at(m->c, e)->thread;

	assert(!m->rep.n); /* folded models do not count switches */
	assert(e >= m->lo.at[t] && e < m->hi.at[t]);
	return m->base.at[t] + e - m->lo.at[t];
}

/* e is in segment i or later */
static lit_t in_segment_from(const struct model *m, uint32_t e, uint32_t i)
{
	if (!i)
		return LIT_TRUE;
	return i > m->max_switches ? LIT_FALSE
				   : m->seg.at[place_of(m, e) * m->max_switches + i - 1];
}

uint32_t model_segment(const struct model *m, uint32_t e)
{
	uint32_t i = 0;

	while (i < m->max_switches && solve_true(m->q, in_segment_from(m, e, i + 1)))
		i++;
	return i;
}

static void event_segments(struct model *m, uint32_t e, const struct vec_u32 *owner)
{
	uint32_t t = ctp_at(m->c, e)->thread, n = m->c->threads.n;
	lit_t off = lit_not(m->bounded), nx = lit_not(model_x(m, e));

	for (uint32_t i = 0; i <= m->max_switches; i++) {
		model_or(m, off, nx, lit_not(in_segment_from(m, e, i)),
			in_segment_from(m, e, i + 1), owner->at[i * n + t]);
		if (i)
			model_or(m, off, lit_not(in_segment_from(m, e, i + 1)),
				in_segment_from(m, e, i));
		if (e > m->lo.at[t])
			model_or(m, off, lit_not(in_segment_from(m, e - 1, i)),
				in_segment_from(m, e, i));
		model_or(
			m, lit_not(m->bound_lits.at[i]), nx, lit_not(in_segment_from(m, e, i + 1)));
	}
}

static void make_segments(struct model *m, uint32_t max)
{
	uint32_t n = m->c->threads.n;
	struct vec_u32 owner = {0};

	if (m->bounded)
		solve_unit(m->q, lit_not(m->bounded));
	m->bounded = solve_bool(m->q);
	m->max_switches = max;
	m->bound_done = 0;
	vec_clear(&m->seg);
	vec_clear(&m->bound_lits);
	for (uint32_t i = 0; i < m->x.n * max; i++)
		vec_push(&m->seg, solve_bool(m->q));
	for (uint32_t i = 0; i <= max; i++)
		vec_push(&m->bound_lits, solve_bool(m->q));
	for (uint32_t i = 0; i < (max + 1) * n; i++)
		vec_push(&owner, solve_bool(m->q));
	for (uint32_t i = 0; i <= max; i++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < a; b++)
				model_or(m, lit_not(m->bounded), lit_not(owner.at[i * n + a]),
					lit_not(owner.at[i * n + b]));
	for (uint32_t r = m->from; r < m->to; r++)
		event_segments(m, m->f->order.at[r], &owner);
	vec_release(&owner);
}

static void order_segments(struct model *m, const struct ordering *o)
{
	for (uint32_t i = 0; i <= m->max_switches; i++)
		model_or(m, lit_not(m->bounded), lit_not(o->lit), lit_not(model_x(m, o->a)),
			lit_not(model_x(m, o->b)), lit_not(in_segment_from(m, o->a, i)),
			in_segment_from(m, o->b, i + 1));
}

void model_bound_more(struct model *m)
{
	for (; m->bound_done < m->orderings.n; m->bound_done++)
		order_segments(m, &m->orderings.at[m->bound_done]);
}

void model_bound_assume(struct model *m, uint32_t max, uint32_t k, struct vec_u32 *assume)
{
	assert(k <= max);
	if (!m->bounded || max > m->max_switches)
		make_segments(m, max);
	model_bound_more(m);
	vec_push(assume, m->bounded);
	vec_push(assume, m->bound_lits.at[k]);
}

bool model_bound_in_core(const struct model *m)
{
	uint32_t n;
	const lit_t *core = solve_core(m->q, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (core[i] == m->bounded)
			return true;
		vec_each (&m->bound_lits, k)
			if (core[i] == m->bound_lits.at[k])
				return true;
	}
	return false;
}
