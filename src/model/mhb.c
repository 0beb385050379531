/*
 * Must-happen-before as vector clocks over the edges of model_facts.h. A thread's clock changes
 * only at the target of an edge: the events between two such targets share one clock.
 */
#include "model/model_facts.h"
#include "base/base.h"
#include "base/vec.h"
#include "model/model.h"
#include "model/model_internal.h"

#include <assert.h>
#include <stdlib.h>

struct mhb {
	struct facts *f;
	bool own;
	struct vec_u32 clock_of; /* by event: number of its clock */
	struct vec_u32 clocks; /* by clock and thread: how many of the thread's events come before */
};

static uint32_t *clock_at(const struct mhb *m, uint32_t clock)
{
	return m->clocks.at + (size_t)clock * m->f->c->threads.n;
}

/* Joins the clock of `from`, and `from` itself, into a clock; true if that changes it. */
static bool clock_join(struct mhb *m, uint32_t *into, uint32_t from)
{
	const struct ctp *c = m->f->c;
	const uint32_t *of = clock_at(m, m->clock_of.at[from]); /* known: edges go forward */
	uint32_t thread = ctp_at(c, from)->thread, done = from - c->threads.at[thread].first + 1;
	bool more = false;

	vec_each (&c->threads, t) {
		uint32_t n = t == thread ? done : of[t];

		if (n > into[t]) {
			into[t] = n;
			more = true;
		}
	}
	return more;
}

static void clock_event(struct mhb *m, uint32_t e, uint32_t *last, uint32_t *now)
{
	const struct facts *f = m->f;
	uint32_t n = f->c->threads.n, t = ctp_at(f->c, e)->thread;
	bool more = false;

	if (f->edge_first.at[e] != f->edge_first.at[e + 1]) {
		for (uint32_t i = 0; i < n; i++)
			now[i] = clock_at(m, last[t])[i];
		for (uint32_t i = f->edge_first.at[e]; i < f->edge_first.at[e + 1]; i++)
			more |= clock_join(m, now, f->edges.at[i].from);
	}
	if (more) {
		last[t] = m->clocks.n / n;
		for (uint32_t i = 0; i < n; i++)
			vec_push(&m->clocks, now[i]);
	}
	m->clock_of.at[e] = last[t];
}

struct mhb *mhb_of(struct facts *f)
{
	struct mhb *m = xcalloc(1, sizeof *m);
	const struct ctp *c = f->c;
	uint32_t *last = xcalloc(c->threads.n + 1, sizeof *last);
	uint32_t *now = xcalloc(c->threads.n + 1, sizeof *now);

	m->f = f;
	vec_resize(&m->clock_of, c->events.n);
	vec_resize(&m->clocks, c->threads.n);
	if (!f->wrong)
		vec_each (&f->order, r)
			clock_event(m, f->order.at[r], last, now);
	vec_each (&c->events, e)
		if (facts_rank(f, e) == UINT32_MAX && ctp_pred(c, e) != CTP_NONE)
			m->clock_of.at[e] = m->clock_of.at[e - 1];
	free(last);
	free(now);
	return m;
}

struct facts *mhb_facts(const struct mhb *m)
{
	return m->f;
}

struct mhb *mhb_new(const struct ctp *c)
{
	struct mhb *m = mhb_of(facts_new(c));

	m->own = true;
	return m;
}

void mhb_free(struct mhb *m)
{
	if (!m)
		return;
	if (m->own)
		facts_free(m->f);
	vec_release(&m->clock_of);
	vec_release(&m->clocks);
	free(m);
}

bool mhb_before(const struct mhb *m, uint32_t a, uint32_t b)
{
	const struct ctp *c = m->f->c;
	uint32_t ta = ctp_at(c, a)->thread;

	assert(a < c->events.n && b < c->events.n);
	if (ta == ctp_at(c, b)->thread)
		return a < b;
	return clock_at(m, m->clock_of.at[b])[ta] > a - c->threads.at[ta].first;
}

void mhb_held(const struct mhb *m, uint32_t e, struct vec_u32 *regions)
{
	uint32_t from = regions->n;

	for (uint32_t h = m->f->held_at.at[e]; h != CTP_NONE; h = m->f->held.at[h].next)
		vec_push(regions, m->f->held.at[h].region);
	for (uint32_t i = from, k = regions->n; i + 1 < k; i++) {
		uint32_t r = regions->at[i];

		regions->at[i] = regions->at[--k];
		regions->at[k] = r;
	}
}

/* Two lists of critical sections have some that exclude each other. */
static bool lists_exclude(const struct facts *f, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i != CTP_NONE; i = f->held.at[i].next) {
		const struct ctp_region *r = facts_region(f, f->held.at[i].region);

		for (uint32_t k = b; k != CTP_NONE; k = f->held.at[k].next) {
			const struct ctp_region *q = facts_region(f, f->held.at[k].region);

			if (r->object == q->object && !(r->shared && q->shared))
				return true;
		}
	}
	return false;
}

static bool common_lock(const struct mhb *m, uint32_t a, uint32_t b)
{
	return lists_exclude(m->f, m->f->held_at.at[a], m->f->held_at.at[b]);
}

bool mhb_derived_exclude(const struct mhb *m, uint32_t a, uint32_t b)
{
	return lists_exclude(m->f, facts_derived_at(m->f, a), facts_derived_at(m->f, b));
}

/* a is executed before a thread can stand AT b. What b itself waits for (the end of a joined
 * thread, a signal, the other threads at a barrier) need not have happened. */
static bool before_standing(const struct mhb *m, uint32_t a, uint32_t b)
{
	uint32_t pred = ctp_pred(m->f->c, b);

	return pred != CTP_NONE && mhb_before(m, a, pred);
}

bool mhb_co_enabled(const struct mhb *m, uint32_t a, uint32_t b)
{
	return ctp_at(m->f->c, a)->thread != ctp_at(m->f->c, b)->thread &&
	       !before_standing(m, a, b) && !before_standing(m, b, a) && !common_lock(m, a, b);
}
