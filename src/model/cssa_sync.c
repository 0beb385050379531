/*
 * Synchronization of cssa.h that is no variable: creation, joins, once, barriers, objects that keep
 * their order, wake-ups, and lifetimes of objects and blocks.
 */
#include "model/cssa_internal.h"

#include "base/base.h"

/* If e is executed, `from` is executed before it. */
static void need_before(struct cssa *z, uint32_t from, uint32_t e)
{
	cssa_or(z, lit_not(cssa_g(z, e)), cssa_g(z, from));
	cssa_or(z, lit_not(cssa_g(z, e)), cssa_before(z, from, e));
}

/* If e is executed, one of the events is executed before it, unless there are none. */
static void need_one(struct cssa *z, const struct vec_u32 *from, uint32_t e)
{
	if (from->n)
		cssa_one_before(z, cssa_g(z, e), from, e);
}

/* ---- threads ----------------------------------------------------------------------------- */

static void encode_create(struct cssa *z, uint32_t thread)
{
	const struct ctp *c = z->c;
	struct vec_u32 from = {0};

	if (!z->merged && c->threads.at[thread].create != CTP_NONE)
		vec_push(&from, c->threads.at[thread].create);
	for (uint32_t e = 0; z->merged && e < c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_CREATE && ctp_peer(ev) < c->threads.n &&
			ctp_group(c, ctp_peer(ev)) == ctp_group(c, thread))
			vec_push(&from, e);
	}
	need_one(z, &from, c->threads.at[thread].first);
	vec_release(&from);
}

/* A join needs the last event of the thread, or of one of its alternatives that ended. */
static void encode_join(struct cssa *z, uint32_t e)
{
	const struct ctp *c = z->c;
	uint32_t peer = ctp_peer(ctp_at(c, e));
	struct vec_u32 from = {0};

	if (peer >= c->threads.n)
		return;
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];

		if (th->n && ctp_group(c, t) == ctp_group(c, peer) &&
			(!z->merged || th->end != CTP_NONE))
			vec_push(&from, th->first + th->n - 1);
	}
	need_one(z, &from, e);
	vec_release(&from);
}

static void encode_once(struct cssa *z, uint32_t e)
{
	const struct ctp *c = z->c;
	const struct ctp_event *ev = ctp_at(c, e);
	struct vec_u32 from = {0};

	if (ctp_runner(ev) == CTP_NONE || ctp_runner(ev) == e)
		return;
	if (!z->merged)
		vec_push(&from, ctp_runner(ev));
	for (uint32_t i = 0; z->merged && i < c->events.n; i++) {
		const struct ctp_event *x = ctp_at(c, i);

		if (x->kind == CTP_ONCE && x->object == ev->object && ctp_runner(x) == i)
			vec_push(&from, i);
	}
	need_one(z, &from, e);
	vec_release(&from);
}

/* At most one alternative of a thread is executed. */
static void encode_alternatives(struct cssa *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->threads, t)
		for (uint32_t s = 0; s < t; s++)
			if (ctp_group(c, s) == ctp_group(c, t) && c->threads.at[s].n &&
				c->threads.at[t].n)
				cssa_or(z, lit_not(cssa_g(z, c->threads.at[s].first)),
					lit_not(cssa_g(z, c->threads.at[t].first)));
}

/* ---- barriers ---------------------------------------------------------------------------- */

/* If e is executed, each thread of the round has entered it before. */
static void need_round(struct cssa *z, const struct cssa_object *o, uint32_t round, uint32_t e)
{
	const struct ctp *c = z->c;

	vec_each (&c->threads, t) {
		struct vec_u32 from = {0};

		vec_each (&o->ops, i) {
			const struct ctp_event *ev = ctp_at(c, o->ops.at[i]);

			if (ev->kind == CTP_BARRIER_ENTER && ctp_round(ev) == round &&
				ctp_group(c, ev->thread) == t)
				vec_push(&from, o->ops.at[i]);
		}
		if (z->merged)
			need_one(z, &from, e);
		else
			vec_each (&from, i)
				need_before(z, from.at[i], e);
		vec_release(&from);
	}
}

/* A thread leaves a round when all have entered it; the next round begins after that. Where runs
 * were merged each thread is in every round, so that follows. */
static void encode_barrier(struct cssa *z, const struct cssa_object *o)
{
	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(z->c, o->ops.at[i]);

		if (ev->kind == CTP_BARRIER_LEAVE)
			need_round(z, o, ctp_round(ev), o->ops.at[i]);
		if (ev->kind == CTP_BARRIER_ENTER && ctp_round(ev) > 0 && !z->merged)
			need_round(z, o, ctp_round(ev) - 1, o->ops.at[i]);
	}
}

/* ---- objects and blocks ------------------------------------------------------------------ */

/* If both are executed, the use comes before the end. */
static void use_before_end(struct cssa *z, uint32_t use, uint32_t end)
{
	if (use != end)
		cssa_or(z, lit_not(cssa_g(z, use)), lit_not(cssa_g(z, end)),
			cssa_before(z, use, end));
}

static void encode_order(struct cssa *z, const struct cssa_object *o)
{
	vec_each (&o->ops, i) {
		if (ctp_at(z->c, o->ops.at[i])->rank == UINT32_MAX)
			cssa_or(z, lit_not(cssa_g(z, o->ops.at[i])));
		else if (i)
			need_before(z, o->ops.at[i - 1], o->ops.at[i]);
	}
}

static void encode_object_life(struct cssa *z, const struct cssa_object *o)
{
	vec_each (&o->ops, i) {
		uint32_t e = o->ops.at[i];
		const struct ctp_event *ev = ctp_at(z->c, e);

		if (ev->kind != CTP_INIT)
			need_one(z, &o->inits, e);
		/* a thread that waits may return after the condition variable is destroyed */
		if (ctp_has_wait(ev->kind) && ctp_mutex(ev) != o->addr)
			continue;
		vec_each (&o->ends, k)
			use_before_end(z, e, o->ends.at[k]);
	}
}

static void encode_block_lives(struct cssa *z)
{
	const struct ctp *c = z->c;
	VEC(struct vec_u32) allocs = {0}, frees = {0};

	vec_resize(&allocs, c->blocks.n);
	vec_resize(&frees, c->blocks.n);
	for (uint32_t i = 0; !z->merged && i < c->blocks.n; i++) {
		if (c->blocks.at[i].alloc != CTP_NONE)
			vec_push(&allocs.at[i], c->blocks.at[i].alloc);
		if (c->blocks.at[i].free != CTP_NONE)
			vec_push(&frees.at[i], c->blocks.at[i].free);
	}
	for (uint32_t e = 0; z->merged && e < c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->block != CTP_NONE && ev->kind == CTP_ALLOC)
			vec_push(&allocs.at[ev->block], e);
		if (ev->block != CTP_NONE && ev->kind == CTP_FREE)
			vec_push(&frees.at[ev->block], e);
	}
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->block == CTP_NONE || ev->kind == CTP_ALLOC)
			continue;
		need_one(z, &allocs.at[ev->block], e);
		if (z->merged && ev->kind == CTP_FREE)
			continue;
		vec_each (&frees.at[ev->block], i)
			use_before_end(z, e, frees.at[ev->block].at[i]);
	}
	vec_each (&c->blocks, i) {
		vec_release(&allocs.at[i]);
		vec_release(&frees.at[i]);
	}
	vec_release(&allocs);
	vec_release(&frees);
}

/* ---- condition variables ----------------------------------------------------------------- */

/* The wake-up `woken` exists for its wait: a signal may end it. */
static lit_t wake_literal(const struct cssa *z, uint32_t signal, uint32_t woken)
{
	vec_each (&z->wakes, i)
		if (z->wakes.at[i].signal == signal && z->wakes.at[i].woken == woken)
			return z->wakes.at[i].lit;
	return LIT_FALSE;
}

/* The signal ends the wait: it comes while the thread waits, and nothing ended the wait before. */
static lit_t add_wake(
	struct cssa *z, uint32_t signal, uint32_t woken, const struct vec_u32 *broadcasts)
{
	uint32_t wait = ctp_wait(ctp_at(z->c, woken));
	lit_t k = solve_bool(z->q), no = lit_not(k);

	cssa_or(z, no, cssa_g(z, signal));
	cssa_or(z, no, cssa_g(z, wait));
	cssa_or(z, no, cssa_before(z, wait, signal));
	cssa_or(z, no, lit_not(cssa_g(z, woken)), cssa_before(z, signal, woken));
	vec_each (&z->wakes, i)
		if (z->wakes.at[i].signal == signal || z->wakes.at[i].woken == woken)
			cssa_or(z, no, lit_not(z->wakes.at[i].lit));
	vec_each (broadcasts, i)
		cssa_or(z, no, lit_not(cssa_g(z, broadcasts->at[i])),
			cssa_before(z, broadcasts->at[i], wait),
			cssa_before(z, signal, broadcasts->at[i]));
	vec_push(&z->wakes, (struct cssa_wake){signal, woken, k});
	return k;
}

/* A wake-up needs a signal of its own, or a broadcast since its wait. */
static void encode_wakeup(struct cssa *z, uint32_t woken, const struct vec_u32 *signals,
	const struct vec_u32 *broadcasts)
{
	uint32_t wait = ctp_wait(ctp_at(z->c, woken));
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(cssa_g(z, woken)));
	vec_each (signals, i)
		vec_push(&some, add_wake(z, signals->at[i], woken, broadcasts));
	vec_each (broadcasts, i) {
		uint32_t b = broadcasts->at[i];
		lit_t l = solve_bool(z->q);

		cssa_or(z, lit_not(l), cssa_g(z, b));
		cssa_or(z, lit_not(l), cssa_before(z, wait, b));
		cssa_or(z, lit_not(l), cssa_before(z, b, woken));
		vec_push(&some, l);
	}
	cssa_clause(z, some.at, some.n);
	vec_release(&some);
}

/* If the thread of `woken` waits when the signal comes, the signal ends the wait of some thread. */
static void encode_no_loss(struct cssa *z, uint32_t signal, uint32_t woken,
	const struct vec_u32 *wakeups, const struct vec_u32 *signals,
	const struct vec_u32 *broadcasts)
{
	uint32_t wait = ctp_wait(ctp_at(z->c, woken));
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(cssa_g(z, signal)));
	vec_push(&some, lit_not(cssa_g(z, wait)));
	vec_push(&some, cssa_before(z, signal, wait));
	vec_each (wakeups, i)
		vec_push(&some, wake_literal(z, signal, wakeups->at[i]));
	vec_each (signals, i) /* an earlier signal has ended the wait */
		if (signals->at[i] != signal) {
			lit_t l = solve_bool(z->q);

			cssa_or(z, lit_not(l), wake_literal(z, signals->at[i], woken));
			cssa_or(z, lit_not(l), cssa_before(z, signals->at[i], signal));
			vec_push(&some, l);
		}
	vec_each (broadcasts, i) { /* or a broadcast */
		lit_t l = solve_bool(z->q);

		cssa_or(z, lit_not(l), cssa_g(z, broadcasts->at[i]));
		cssa_or(z, lit_not(l), cssa_before(z, wait, broadcasts->at[i]));
		cssa_or(z, lit_not(l), cssa_before(z, broadcasts->at[i], signal));
		vec_push(&some, l);
	}
	cssa_clause(z, some.at, some.n);
	vec_release(&some);
}

/* Wake-ups that are pending count as waits too: their threads may be the ones that a signal wakes.
 */
static void find_wakeups(const struct cssa *z, const struct cssa_object *o, struct vec_u32 *out)
{
	vec_each (&z->c->events, e) {
		const struct ctp_event *ev = ctp_at(z->c, e);

		if (ev->kind == CTP_WOKEN && ev->object == o->addr && ctp_wait(ev) != CTP_NONE)
			vec_push(out, e);
	}
}

static void encode_condition(struct cssa *z, const struct cssa_object *o)
{
	struct vec_u32 signals = {0}, broadcasts = {0}, wakeups = {0};

	vec_each (&o->ops, i) {
		uint8_t k = ctp_at(z->c, o->ops.at[i])->kind;

		if (k == CTP_SIGNAL)
			vec_push(&signals, o->ops.at[i]);
		if (k == CTP_BROADCAST)
			vec_push(&broadcasts, o->ops.at[i]);
	}
	find_wakeups(z, o, &wakeups);
	vec_each (&wakeups, i)
		encode_wakeup(z, wakeups.at[i], &signals, &broadcasts);
	vec_each (&signals, i)
		vec_each (&wakeups, k)
			encode_no_loss(
				z, signals.at[i], wakeups.at[k], &wakeups, &signals, &broadcasts);
	vec_release(&signals);
	vec_release(&broadcasts);
	vec_release(&wakeups);
}

lit_t cssa_asleep(struct cssa *z, uint32_t e)
{
	uint32_t wait = ctp_wait(ctp_at(z->c, e));
	lit_t l = solve_bool(z->q);

	cssa_or(z, lit_not(l), cssa_at(z, e));
	vec_each (&z->wakes, i)
		if (z->wakes.at[i].woken == e)
			cssa_or(z, lit_not(l), lit_not(z->wakes.at[i].lit));
	vec_each (&z->c->events, b) {
		const struct ctp_event *ev = ctp_at(z->c, b);

		if (ev->kind == CTP_BROADCAST && ev->object == ctp_at(z->c, e)->object &&
			!(ev->flags & CTP_PENDING))
			cssa_or(z, lit_not(l), lit_not(cssa_g(z, b)), cssa_before(z, b, wait));
	}
	return l;
}

/* ---- all --------------------------------------------------------------------------------- */

static void encode_object(struct cssa *z, const struct cssa_object *o)
{
	encode_barrier(z, o);
	if (o->ordered) {
		encode_order(z, o);
		return;
	}
	encode_object_life(z, o);
	encode_condition(z, o);
}

void cssa_encode_sync(struct cssa *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->threads, t)
		if (c->threads.at[t].n)
			encode_create(z, t);
	encode_alternatives(z);
	vec_each (&c->events, e) {
		if (ctp_at(c, e)->kind == CTP_JOIN)
			encode_join(z, e);
		if (ctp_at(c, e)->kind == CTP_ONCE)
			encode_once(z, e);
	}
	vec_each (&z->objects, i)
		encode_object(z, &z->objects.at[i]);
	encode_block_lives(z);
}
