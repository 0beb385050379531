#include "model/model_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>

#include <stdlib.h>

/* -- limits -- */

bool model_is_late(struct model *m)
{
	if (m->spoilt || ++m->looked & 31)
		return m->spoilt;
	if (m->until > 0 && clock_seconds() > m->until)
		m->spoilt = "the time was used up while the query was encoded";
	else if (m->memory && !(m->looked & 1023) && asker_memory() > m->memory)
		m->spoilt = "the memory limit was reached while the query was encoded";
	return m->spoilt;
}

/* -- events of the window -- */

bool model_has(const struct model *m, uint32_t e)
{
	uint32_t t = ctp_at(m->c, e)->thread;

	return e >= m->lo.at[t] && e < m->hi.at[t];
}

static uint32_t place_of(const struct model *m, uint32_t e)
{
	uint32_t t;

	e = model_rep(m, e);
	t = ctp_at(m->c, e)->thread;
	assert(e >= m->lo.at[t] && e < m->hi.at[t]); /* the event is in the window */
	return m->base.at[t] + e - m->lo.at[t];
}

lit_t model_x(const struct model *m, uint32_t e)
{
	uint32_t t;

	e = model_rep(m, e);
	t = ctp_at(m->c, e)->thread;
	if (e < m->lo.at[t])
		return LIT_TRUE;
	return e < m->hi.at[t] ? m->x.at[place_of(m, e)] : LIT_FALSE;
}

void model_clause(struct model *m, const lit_t *lits, uint32_t n)
{
	lit_t kept[16];
	uint32_t k = 0;

	if (n > ARRAY_SIZE(kept)) {
		solve_clause(m->q, lits, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		assert(lits[i] >= LIT_TRUE); /* a literal of variable 1 or above */
		if (lits[i] == LIT_TRUE)
			return;
		if (lits[i] != LIT_FALSE)
			kept[k++] = lits[i];
	}
	solve_clause(m->q, kept, k);
}

/* -- orders -- */

static bool needs_node(const struct model *m, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(m->c, e);

	return !ctp_is_guard(ev->kind) ||
	       (ev->block != CTP_NONE && m->c->blocks.at[ev->block].free != CTP_NONE);
}

/* the nearest event of the thread in the window that has a node, in the direction of `step` */
static uint32_t neighbour_with_node(const struct model *m, uint32_t e, int step)
{
	uint32_t t = ctp_at(m->c, e)->thread;

	for (e += (uint32_t)step; e >= m->lo.at[t] && e < m->hi.at[t]; e += (uint32_t)step)
		if (m->node.at[place_of(m, e)] != NODE_NONE)
			return e;
	return CTP_NONE;
}

uint32_t model_node_of(const struct model *m, uint32_t e)
{
	return m->node.at[place_of(m, e)];
}

/* a guard gets its node when it is first needed */
static uint32_t make_node(struct model *m, uint32_t e)
{
	uint32_t *n = &m->node.at[place_of(m, e)], before, after, i;

	if (*n != NODE_NONE)
		return *n;
	e = model_rep(m, e);
	i = e - m->c->threads.at[ctp_at(m->c, e)->thread].first;
	before = neighbour_with_node(m, e, -1);
	after = neighbour_with_node(m, e, 1);
	*n = solve_node(m->q);
	if (before != CTP_NONE)
		solve_edge(m->q, make_node(m, before), *n);
	if (after != CTP_NONE)
		solve_edge(m->q, *n, make_node(m, after));
	for (uint32_t t = 0; m->rep.n && t < m->c->threads.n; t++) {
		uint32_t e2 = m->c->threads.at[t].first + i;

		if (!facts_same_group(m->f, t, ctp_at(m->c, e)->thread) ||
			!model_same_until(m, t, ctp_at(m->c, e)->thread, i + 1))
			continue;
		after = neighbour_with_node(m, e2, 1);
		if (after != CTP_NONE)
			solve_edge(m->q, *n, make_node(m, after));
	}
	return *n;
}

static void note_order(struct model *m, lit_t l, uint32_t a, uint32_t b)
{
	assert(a != b && model_has(m, a) && model_has(m, b));
	if (ctp_at(m->c, a)->thread != ctp_at(m->c, b)->thread)
		vec_push(&m->orderings, (struct ordering){l, a, b});
}

/* two critical sections of one lock, not both shared, of two lists of what is held */
static bool common_of(
	const struct facts *f, uint32_t a, uint32_t b, uint32_t *ra, uint32_t *rb)
{
	for (uint32_t i = a; i != CTP_NONE; i = f->held.at[i].next) {
		const struct ctp_region *r = facts_region(f, *ra = f->held.at[i].region);
		bool lock = *ra < f->c->regions.n;

		for (uint32_t k = b; k != CTP_NONE; k = f->held.at[k].next) {
			const struct ctp_region *q = facts_region(f, *rb = f->held.at[k].region);

			if (r->object == q->object && !(r->shared && q->shared) &&
				!(lock && f->objects.at[facts_lock(f, r->begin)].ordered))
				return true;
		}
	}
	return false;
}

/* critical sections of the two events that exclude each other */
static bool common_regions(
	const struct model *m, uint32_t a, uint32_t b, uint32_t *ra, uint32_t *rb)
{
	const struct facts *f = m->f;

	return common_of(f, f->held_at.at[a], f->held_at.at[b], ra, rb) ||
	       common_of(f, facts_derived_at(f, a), facts_derived_at(f, b), ra, rb);
}

/* If both critical sections have begun, one literal of the pair is true (model_sync.c). */
lit_t model_region_before(struct model *m, uint32_t i, uint32_t j)
{
	const struct ctp_region *a = facts_region(m->f, i), *b = facts_region(m->f, j);
	uint64_t *at;
	lit_t l;

	if (!model_has(m, a->begin) && model_x(m, a->begin) == LIT_TRUE)
		return LIT_TRUE;
	if (!model_has(m, b->begin) || a->end == CTP_NONE || !model_has(m, a->end) ||
		mhb_before(m->mhb, b->begin, a->end))
		return LIT_FALSE;
	if (mhb_before(m->mhb, a->end, b->begin))
		return LIT_TRUE;
	at = map_put(&m->regions, (uint64_t)i << 32 | j);
	if (*at)
		return (lit_t)*at;
	*at = l = solve_bool(m->q);
	solve_order_if(m->q, l, make_node(m, a->end), make_node(m, b->begin));
	note_order(m, l, a->end, b->begin);
	return l;
}

lit_t model_before(struct model *m, uint32_t a, uint32_t b)
{
	uint32_t ra, rb;
	uint64_t *at;
	lit_t l;

	a = model_rep(m, a);
	b = model_rep(m, b);
	if (a == b || model_excludes(m, a, b))
		return LIT_FALSE;
	if (!model_has(m, a) || !model_has(m, b)) {
		bool a_first = facts_rank(m->f, a) < facts_rank(m->f, b);

		return a_first ? LIT_TRUE : LIT_FALSE;
	}
	if (model_mhb_before(m, a, b))
		return LIT_TRUE;
	if (model_mhb_before(m, b, a))
		return LIT_FALSE;
	if (common_regions(m, a, b, &ra, &rb))
		return model_region_before(m, ra, rb);
	l = solve_before(m->q, make_node(m, a), make_node(m, b));
	at = map_put(&m->pairs, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
	if (!*at) {
		*at = 1;
		note_order(m, l, a, b);
		note_order(m, lit_not(l), b, a);
	}
	return l;
}

static void init_threads(struct model *m)
{
	uint32_t n = 0;

	vec_each (&m->c->threads, t) {
		vec_push(&m->lo, facts_first_event(m->f, t, m->from));
		vec_push(&m->hi, facts_first_event(m->f, t, m->to));
		vec_push(&m->base, n);
		assert(m->lo.at[t] <= m->hi.at[t]);
		n += m->hi.at[t] - m->lo.at[t];
	}
	vec_resize(&m->x, n);
	vec_resize(&m->node, n);
	vec_each (&m->x, i) {
		m->x.at[i] = solve_bool(m->q);
		m->node.at[i] = NODE_NONE;
	}
}

static void encode_program_order(struct model *m)
{
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r];

		if (model_rep(m, e) == e && needs_node(m, e))
			m->node.at[place_of(m, e)] = solve_node(m->q);
	}
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r], pred = ctp_pred(m->c, e), before;

		if (model_rep(m, e) != e)
			continue;
		before = needs_node(m, e) ? neighbour_with_node(m, e, -1) : CTP_NONE;
		if (before != CTP_NONE)
			solve_edge(m->q, make_node(m, before), make_node(m, e));
		if (pred != CTP_NONE && model_has(m, pred))
			solve_implies(m->q, model_x(m, e), model_x(m, pred));
	}
}

static void encode_edges(struct model *m)
{
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r];

		for (uint32_t i = m->f->edge_first.at[e]; i < m->f->edge_first.at[e + 1]; i++) {
			uint32_t from = m->f->edges.at[i].from;

			assert(m->f->edges.at[i].to == e);
			if (!model_has(m, from) || model_rep(m, e) != e)
				continue;
			solve_edge(m->q, make_node(m, from), make_node(m, e));
			solve_implies(m->q, model_x(m, e), model_x(m, from));
			note_order(m, LIT_TRUE, from, e);
		}
	}
}

static bool in_ordered(const struct facts *f, uint32_t e)
{
	uint32_t o = f->object.at[e], o2 = f->object2.at[e];

	return (o != CTP_NONE && f->objects.at[o].ordered) ||
	       (o2 != CTP_NONE && f->objects.at[o2].ordered);
}

/* one of several events is executed before e */
static void encode_need(struct model *m, uint32_t e, const struct facts_need *n)
{
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(model_x(m, e)));
	for (uint32_t k = n->first; k < n->first + n->n; k++) {
		uint32_t from = m->f->need_from.at[k];
		lit_t l = solve_bool(m->q);

		vec_push(&some, l);
		model_or(m, lit_not(l), model_x(m, from));
		model_or(m, lit_not(l), model_before(m, from, e));
	}
	solve_clause(m->q, some.at, some.n);
	vec_release(&some);
}

/* where two alternatives diverge, at most one continues */
static void exclude_other_alternative(
	struct model *m, const struct ctp_thread *s, const struct ctp_thread *t)
{
	uint32_t i = 0;

	while (i < s->n && i < t->n && model_rep(m, s->first + i) == model_rep(m, t->first + i))
		i++;
	if (i < s->n && i < t->n)
		model_or(m, lit_not(model_x(m, s->first + i)), lit_not(model_x(m, t->first + i)));
}

/* merged runs: at most one alternative of a thread runs */
static void encode_alternatives(struct model *m)
{
	const struct ctp *c = m->c;

	vec_each (&c->threads, t)
		for (uint32_t s = 0; s < t; s++)
			if (facts_same_group(m->f, s, t))
				exclude_other_alternative(m, &c->threads.at[s], &c->threads.at[t]);
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r];

		if (model_rep(m, e) != e)
			continue;
		for (uint32_t i = m->f->need_first.at[e]; i < m->f->need_first.at[e + 1]; i++)
			encode_need(m, e, &m->f->needs.at[i]);
		if (r >= m->f->observed && in_ordered(m->f, e))
			model_or(m, lit_not(model_x(m, e)));
	}
}

struct model *model_of(struct facts *f, struct mhb *mhb, struct lemmas *lemmas, struct sim *sim,
	enum model_kind kind, uint32_t from, uint32_t to)
{
	struct model *m = xcalloc(1, sizeof *m);

	*m = (struct model){.c = f->c, .f = f, .mhb = mhb, .lemmas = lemmas, .sim = sim,
		.kind = kind};
	m->to = MIN(to, f->order.n);
	m->from = MIN(from, m->to);
	assert(!mhb || mhb_facts(mhb) == f);
	m->q = solve_new(f->c->ts);
	facts_terms(f);
	term_subst_init(&m->old, f->c->ts);
	m->substitute = m->from > 0;
	if (f->wrong)
		return m;
	if (f->merged && f->fold && kind == MODEL_CTP && !m->from && m->to == f->order.n)
		model_fold(m);
	init_threads(m);
	encode_program_order(m);
	encode_edges(m);
	if (f->merged)
		encode_alternatives(m);
	model_sync(m);
	model_data(m);
	solve_set_refine(m->q, model_refine, m);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	solve_free(m->q);
	vec_release(&m->lo);
	vec_release(&m->hi);
	vec_release(&m->base);
	vec_release(&m->x);
	vec_release(&m->node);
	vec_release(&m->rep);
	bitset_release(&m->named);
	vec_release(&m->orderings);
	map_release(&m->pairs);
	map_release(&m->regions);
	vec_release(&m->reads_from);
	vec_release(&m->choice);
	map_release(&m->reads);
	map_release(&m->now);
	map_release(&m->unsure);
	map_release(&m->at_lits);
	map_release(&m->before_lits);
	vec_release(&m->wakeups);
	map_release(&m->asleep_lits);
	map_release(&m->consumed);
	map_release(&m->exact);
	bitset_release(&m->guards);
	vec_release(&m->failed);
	vec_release(&m->holds);
	term_subst_release(&m->old);
	vec_release(&m->linearization);
	vec_release(&m->once);
	vec_release(&m->seg);
	vec_release(&m->bound_lits);
	free(m);
}
