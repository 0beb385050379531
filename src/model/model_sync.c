/*
 * The semantics of synchronization as clauses (docs/prediction.md): critical sections of a lock
 * exclude each other; a woken waiter has a signal of its own or a broadcast between its wait and
 * its wake-up; a semaphore wait has a post of its own or a unit of the initial value; uses of an
 * object or block come before its DESTROY or FREE.
 */
#include "model/model_internal.h"

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>

/* -- locks -- */

static void exclude_sections(struct model *m, uint32_t i, uint32_t j)
{
	const struct ctp_region *a = facts_region(m->f, i), *b = facts_region(m->f, j);
	lit_t ij, ji, na, nb;

	assert(i != j && a->object == b->object);
	if (a->thread == b->thread || (a->shared && b->shared) ||
		facts_same_group(m->f, a->thread, b->thread))
		return;
	na = lit_not(model_x(m, a->begin));
	nb = lit_not(model_x(m, b->begin));
	ij = model_region_before(m, i, j);
	ji = model_region_before(m, j, i);
	model_or(m, na, nb, ij, ji);
	if (ij != LIT_FALSE)
		model_or(m, na, nb, lit_not(ij),
			a->end == CTP_NONE ? LIT_FALSE : model_x(m, a->end));
	if (ji != LIT_FALSE)
		model_or(m, na, nb, lit_not(ji),
			b->end == CTP_NONE ? LIT_FALSE : model_x(m, b->end));
	if (ij != LIT_TRUE && ji != LIT_TRUE)
		model_or(m, lit_not(ij), lit_not(ji));
}

/* Critical section i is open when the window starts: j begins after its end. */
static void order_after_held(struct model *m, uint32_t i, uint32_t j)
{
	const struct ctp_region *a = facts_region(m->f, i), *b = facts_region(m->f, j);
	lit_t x = model_x(m, b->begin);

	assert(a->object == b->object && model_x(m, a->begin) == LIT_TRUE);
	if (a->thread == b->thread || (a->shared && b->shared))
		return;
	if (a->end == CTP_NONE || !model_has(m, a->end)) {
		model_or(m, lit_not(x));
		return;
	}
	model_or(m, lit_not(x), model_x(m, a->end));
	model_or(m, lit_not(x), model_before(m, a->end, b->begin));
}

/* critical sections of a lock that are open at the start, and that begin in the window, in order */
static void regions_of(
	const struct model *m, uint32_t object, struct vec_u32 *held, struct vec_u32 *begun)
{
	const struct facts_object *o = &m->f->objects.at[object];

	vec_each (&m->c->threads, t) {
		const struct ctp_thread *th = &m->c->threads.at[t];
		uint32_t e = m->lo.at[t];
		uint32_t h = e < th->first + th->n ? m->f->held_at.at[e] : m->f->held_end.at[t];

		for (; h != CTP_NONE; h = m->f->held.at[h].next)
			if (m->c->regions.at[m->f->held.at[h].region].object == o->addr)
				vec_push(held, m->f->held.at[h].region);
	}
	for (uint32_t i = facts_op_at(m->f, o, m->from); i < o->ops.n; i++) {
		const struct ctp_event *ev = ctp_at(m->c, o->ops.at[i]);

		if (facts_rank(m->f, o->ops.at[i]) >= m->to)
			break;
		if (model_rep(m, o->ops.at[i]) == o->ops.at[i] && facts_takes(ev) &&
			facts_lock(m->f, o->ops.at[i]) == object)
			vec_push(begun, ev->region);
	}
}

/* The trylock f failed: a critical section of another thread is open then. */
static void encode_failed_try(
	struct model *m, uint32_t f, const struct vec_u32 *held, const struct vec_u32 *begun)
{
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(model_x(m, f)));
	for (uint32_t k = 0; k < held->n + begun->n; k++) {
		const struct ctp_region *r = facts_region(
			m->f, k < held->n ? held->at[k] : begun->at[k - held->n]);
		lit_t l;

		if (r->thread == ctp_at(m->c, f)->thread ||
			facts_same_group(m->f, r->thread, ctp_at(m->c, f)->thread) ||
			(r->shared && m->f->tries.at[f] == TRY_EXCLUSIVE))
			continue;
		l = solve_bool(m->q);
		vec_push(&some, l);
		model_or(m, lit_not(l), model_x(m, r->begin));
		model_or(m, lit_not(l), model_before(m, r->begin, f));
		if (r->end != CTP_NONE)
			model_or(m, lit_not(l), lit_not(model_x(m, r->end)),
				model_before(m, f, r->end));
	}
	solve_clause(m->q, some.at, some.n);
	vec_release(&some);
}

static void encode_lock(struct model *m, uint32_t object)
{
	struct vec_u32 held = {0}, begun = {0};
	const struct facts_object *o = &m->f->objects.at[object];

	regions_of(m, object, &held, &begun);
	vec_each (&begun, j) {
		vec_each (&held, i)
			order_after_held(m, held.at[i], begun.at[j]);
		for (uint32_t i = 0; i < j; i++)
			exclude_sections(m, begun.at[i], begun.at[j]);
	}
	for (uint32_t i = facts_op_at(m->f, o, m->from); i < o->ops.n; i++) {
		uint32_t e = o->ops.at[i];

		if (facts_rank(m->f, e) >= m->to)
			break;
		if (model_rep(m, e) == e && ctp_at(m->c, e)->kind == CTP_TRYFAIL && m->f->tries.at[e] != TRY_NOTHING)
			encode_failed_try(m, e, &held, &begun);
	}
	vec_release(&held);
	vec_release(&begun);
}

/* -- derived critical sections -- */

/* the same for derived critical sections */
static void derived_sections_of(
	const struct model *m, uint64_t object, struct vec_u32 *held, struct vec_u32 *begun)
{
	const struct facts *f = m->f;

	vec_each (&m->c->threads, t) {
		const struct ctp_thread *th = &m->c->threads.at[t];
		uint32_t e = m->lo.at[t];
		uint32_t h = e < th->first + th->n ? f->derived_at.at[e] : f->derived_end.at[t];

		for (; h != CTP_NONE; h = f->held.at[h].next)
			if (facts_region(f, f->held.at[h].region)->object == object)
				vec_push(held, f->held.at[h].region);
	}
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = f->order.at[r], s = f->derived_of.at[e];

		if (s && f->derived.at[s - 1].begin == e && f->derived.at[s - 1].object == object)
			vec_push(begun, m->c->regions.n + s - 1);
	}
}

/* A failed wait found the semaphore 0: its own thread or another one is in a critical section. */
static void encode_failed_waits(
	struct model *m, uint64_t object, const struct vec_u32 *held, const struct vec_u32 *begun)
{
	const struct facts *f = m->f;

	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = f->order.at[r], h;

		if (ctp_at(m->c, e)->kind != CTP_SEM_FAIL || ctp_at(m->c, e)->object != object)
			continue;
		for (h = facts_derived_at(f, e); h != CTP_NONE; h = f->held.at[h].next)
			if (facts_region(f, f->held.at[h].region)->object == object)
				break;
		if (h == CTP_NONE)
			encode_failed_try(m, e, held, begun);
	}
}

static void encode_derived_sections(struct model *m)
{
	struct vec_u32 held = {0}, begun = {0};
	struct map seen = {0};

	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r], s = m->f->derived_of.at[e];
		bool fails = ctp_at(m->c, e)->kind == CTP_SEM_FAIL &&
			     m->f->objects.at[m->f->object.at[e]].is_lock;
		uint64_t object, *was;

		if (!s && !fails)
			continue;
		object = fails ? ctp_at(m->c, e)->object : m->f->derived.at[s - 1].object;
		was = map_put(&seen, object);
		if (*was)
			continue;
		*was = 1;
		vec_clear(&held);
		vec_clear(&begun);
		derived_sections_of(m, object, &held, &begun);
		vec_each (&begun, j) {
			vec_each (&held, i)
				order_after_held(m, held.at[i], begun.at[j]);
			for (uint32_t i = 0; i < j; i++)
				exclude_sections(m, begun.at[i], begun.at[j]);
		}
		encode_failed_waits(m, object, &held, &begun);
	}
	vec_release(&held);
	vec_release(&begun);
	map_release(&seen);
}

/* -- matching of events that need something with events that give it, each at most once -- */

struct match {
	struct vec_u32 need, give,
		lit; /* give: an event, or beyond the events a unit of the initial value */
};

static void match_once(struct model *m, const struct match *ma, bool rows)
{
	vec_each (&ma->lit, i)
		for (uint32_t k = 0; k < i; k++)
			if (rows ? ma->need.at[i] == ma->need.at[k]
				 : ma->give.at[i] == ma->give.at[k])
				model_or(m, lit_not(ma->lit.at[i]), lit_not(ma->lit.at[k]));
}

static void match_release(struct match *ma)
{
	vec_release(&ma->need);
	vec_release(&ma->give);
	vec_release(&ma->lit);
}

static lit_t match_add(struct match *ma, struct model *m, uint32_t need, uint32_t give)
{
	lit_t l = solve_bool(m->q);

	vec_push(&ma->need, need);
	vec_push(&ma->give, give);
	vec_push(&ma->lit, l);
	return l;
}

/* x of the event implies one of its literals */
static void match_needs(struct model *m, const struct match *ma, uint32_t need)
{
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(model_x(m, need)));
	vec_each (&ma->lit, i)
		if (ma->need.at[i] == need)
			vec_push(&some, ma->lit.at[i]);
	solve_clause(m->q, some.at, some.n);
	vec_release(&some);
}

/* -- conditions -- */

static void match_wakeups(
	struct model *m, struct match *ma, uint32_t woken, const struct vec_u32 *ops)
{
	const struct ctp_event *ev = ctp_at(m->c, woken);
	uint32_t wait = ctp_wait(ev);

	vec_each (ops, i) {
		uint32_t s = ops->at[i];
		uint8_t k = ctp_at(m->c, s)->kind;
		lit_t l;

		if ((k != CTP_SIGNAL && k != CTP_BROADCAST) || mhb_before(m->mhb, s, wait) ||
			mhb_before(m->mhb, woken, s) || facts_exclude(m->f, s, woken))
			continue;
		if (!model_has(m, s) && (model_has(m, wait) || facts_rank(m->f, s) < facts_rank(m->f, wait)))
			continue;
		l = match_add(ma, m, woken, s);
		model_or(m, lit_not(l), model_x(m, s));
		model_or(m, lit_not(l), model_before(m, wait, s));
		model_or(m, lit_not(l), model_before(m, s, woken));
		vec_push(&m->wakeups, (struct wakeup){m->f->object.at[woken], woken, s, l});
	}
}

static void encode_condition(struct model *m, uint32_t object)
{
	const struct facts_object *o = &m->f->objects.at[object];
	uint32_t first = facts_op_at(m->f, o, m->from);
	struct vec_u32 here = {0}, with_old = {0};
	struct match ma = {0};

	for (uint32_t i = first; i < o->ops.n && facts_rank(m->f, o->ops.at[i]) < m->to; i++)
		if (model_rep(m, o->ops.at[i]) == o->ops.at[i])
			vec_push(&here, o->ops.at[i]);
	vec_each (&here, i) {
		const struct ctp_event *ev = ctp_at(m->c, here.at[i]);

		if (ev->kind != CTP_WOKEN)
			continue;
		vec_clear(&with_old);
		if (!model_has(m, ctp_wait(ev)))
			facts_pending_signals(m->f, object, facts_rank(m->f, ctp_wait(ev)), m->from,
				&with_old);
		vec_each (&here, k)
			vec_push(&with_old, here.at[k]);
		match_wakeups(m, &ma, here.at[i], &with_old);
		match_needs(m, &ma, here.at[i]);
	}
	vec_each (&ma.lit, i) /* a signal wakes one */
		for (uint32_t k = 0; k < i; k++)
			if (ma.give.at[i] == ma.give.at[k] &&
				ctp_at(m->c, ma.give.at[i])->kind == CTP_SIGNAL)
				model_or(m, lit_not(ma.lit.at[i]), lit_not(ma.lit.at[k]));
	vec_release(&here);
	vec_release(&with_old);
	match_release(&ma);
}

/* -- semaphores -- */

/* The wait f found 0: the unit that `give` gave before f was consumed before f. */
static void require_empty_at(struct model *m, const struct match *ma, uint32_t f, uint32_t give)
{
	struct vec_u32 some = {0};
	bool old = give >= m->c->events.n;

	vec_push(&some, lit_not(model_x(m, f)));
	if (!old) {
		vec_push(&some, lit_not(model_x(m, give)));
		vec_push(&some, lit_not(model_before(m, give, f)));
	}
	vec_each (&ma->lit, i) {
		lit_t l;

		if (ma->give.at[i] != give)
			continue;
		l = solve_bool(m->q);
		model_or(m, lit_not(l), ma->lit.at[i]);
		model_or(m, lit_not(l), model_before(m, ma->need.at[i], f));
		vec_push(&some, l);
	}
	model_clause(m, some.at, some.n);
	vec_release(&some);
}

static void encode_semaphore(struct model *m, uint32_t object)
{
	const struct facts_object *o = &m->f->objects.at[object];
	int64_t value = facts_sem_value(m->f, object, m->from);
	struct vec_u32 waits = {0}, gives = {0}, fails = {0};
	struct match ma = {0};

	for (uint32_t i = facts_op_at(m->f, o, m->from); i < o->ops.n; i++) {
		const struct ctp_event *ev = ctp_at(m->c, o->ops.at[i]);

		if (facts_rank(m->f, o->ops.at[i]) >= m->to)
			break;
		if (model_rep(m, o->ops.at[i]) != o->ops.at[i])
			continue;
		if (ev->kind == CTP_SEM_WAIT)
			vec_push(&waits, o->ops.at[i]);
		else if (ev->kind == CTP_SEM_POST)
			vec_push(&gives, o->ops.at[i]);
		else if (ev->kind == CTP_SEM_FAIL)
			vec_push(&fails, o->ops.at[i]);
	}
	if (value >= (int64_t)waits.n && !fails.n)
		goto out; /* no wait can block */
	if (value > (int64_t)waits.n) {
		vec_each (&fails, i)
			model_or(m, lit_not(model_x(m, fails.at[i])));
		goto out;
	}
	for (int64_t i = 0; i < value; i++)
		vec_push(&gives, m->c->events.n + (uint32_t)i);
	vec_each (&waits, i) {
		vec_each (&gives, k) {
			uint32_t p = gives.at[k];
			bool old = p >= m->c->events.n;
			lit_t l;

			if (!old && (model_mhb_before(m, waits.at[i], p) ||
					    model_excludes(m, waits.at[i], p)))
				continue;
			l = match_add(&ma, m, waits.at[i], p);
			model_or(m, lit_not(l), model_x(m, waits.at[i]));
			if (old)
				continue;
			model_or(m, lit_not(l), model_x(m, p));
			model_or(m, lit_not(l), model_before(m, p, waits.at[i]));
		}
		match_needs(m, &ma, waits.at[i]);
	}
	match_once(m, &ma, true);
	match_once(m, &ma, false);
	vec_each (&fails, i)
		vec_each (&gives, k)
			require_empty_at(m, &ma, fails.at[i], gives.at[k]);
out:
	vec_release(&waits);
	vec_release(&gives);
	vec_release(&fails);
	match_release(&ma);
}

/* -- lifetimes -- */

static void require_use_before(struct model *m, uint32_t use, uint32_t end)
{
	if (end == CTP_NONE || use == end || model_excludes(m, use, end))
		return;
	if (!model_has(m, end)) {
		if (model_x(m, end) == LIT_TRUE)
			model_or(m, lit_not(model_x(m, use)));
		return;
	}
	if (!model_mhb_before(m, use, end))
		model_or(m, lit_not(model_x(m, use)), lit_not(model_x(m, end)),
			model_before(m, use, end));
}

static void require_object_alive(struct model *m, uint32_t e, uint32_t object)
{
	const struct facts_object *o = object == CTP_NONE ? NULL : &m->f->objects.at[object];

	for (uint32_t i = 0; o && !o->ordered && i < o->ends.n; i++)
		require_use_before(m, e, o->ends.at[i]);
}

/* The thread that the join found running has not ended: no alternative of it has. */
static void require_running(struct model *m, uint32_t join)
{
	uint32_t peer = ctp_peer(ctp_at(m->c, join));

	vec_each (&m->c->threads, t)
		if (ctp_group(m->c, t) == ctp_group(m->c, peer))
			require_use_before(m, join, m->c->threads.at[t].end);
}

static void encode_lives(struct model *m)
{
	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r];
		const struct ctp_event *ev = ctp_at(m->c, e);
		uint32_t o = m->f->object.at[e], o2 = m->f->object2.at[e];

		if (model_rep(m, e) != e)
			continue;
		for (uint32_t i = 0, f; facts_uses_block(m->f, e) &&
					(f = facts_free_of(m->f, ev->block, i)) != CTP_NONE;
			i++)
			require_use_before(m, e, f);
		if (ev->kind != CTP_WOKEN && ev->kind != CTP_TIMEOUT)
			require_object_alive(m, e, o);
		require_object_alive(m, e, o2);
		if (ev->kind == CTP_JOINFAIL)
			require_running(m, e);
	}
}

void model_sync(struct model *m)
{
	struct bitset locks = {0}, conds = {0}, sems = {0};

	for (uint32_t r = m->from; r < m->to; r++) {
		uint32_t e = m->f->order.at[r];
		const struct ctp_event *ev = ctp_at(m->c, e);

		if (facts_takes(ev) || ev->kind == CTP_TRYFAIL)
			bitset_add(&locks, facts_lock(m->f, e));
		if (ev->kind == CTP_WOKEN)
			bitset_add(&conds, m->f->object.at[e]);
		if (ev->kind == CTP_SEM_WAIT || ev->kind == CTP_SEM_FAIL)
			bitset_add(&sems, m->f->object.at[e]);
	}
	bitset_each (&locks, o)
		if (!m->f->objects.at[o].ordered)
			encode_lock(m, o);
	bitset_each (&conds, o)
		if (!m->f->objects.at[o].ordered)
			encode_condition(m, o);
	bitset_each (&sems, o)
		if (!m->f->objects.at[o].ordered && !m->f->objects.at[o].is_lock)
			encode_semaphore(m, o);
	if (m->f->derived.n)
		encode_derived_sections(m);
	encode_lives(m);
	bitset_release(&locks);
	bitset_release(&conds);
	bitset_release(&sems);
}
