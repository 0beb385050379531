/*
 * The atom ASLEEP: a thread waits for a condition variable, and no signal has ended its wait.
 *
 * A signal wakes one of the threads that wait when it comes, if there are any; POSIX leaves open
 * which one. A broadcast wakes all of them. A thread that was woken waits no more, although it
 * executes its wake-up later. So a thread is asleep if there was no broadcast since its WAIT, and
 * each signal since then woke another thread, which it can only do if that thread still waited.
 *
 * model_sync.c gives each wake-up a literal for each signal or broadcast that may have caused it.
 * Where nothing is asked about sleeping threads, it does not matter which cause a wake-up has.
 * Here it does, so the causes are exact under a literal of the condition variable:
 *  - a wake-up has one cause, which a thread may have that has not executed its wake-up yet
 *  - a signal that woke no thread, and each broadcast, came when the thread did not wait: before
 *    its WAIT, or after the cause of its wake-up
 */
#include "model/model_internal.h"

#include "base/map.h"
#include "base/vec.h"

#include <assert.h>

/* The signals and broadcasts that may come after the wait. */
static void signals_since(struct model *m, uint32_t object, uint32_t wait, struct vec_u32 *out)
{
	const struct facts_object *o = &m->f->objects.at[object];

	if (!model_has(m, wait))
		facts_pending_signals(m->f, object, facts_rank(m->f, wait), m->from, out);
	for (uint32_t i = facts_op_at(m->f, o, m->from); i < o->ops.n; i++) {
		uint32_t e = o->ops.at[i];
		uint8_t kind = ctp_at(m->c, e)->kind;

		if (facts_rank(m->f, e) >= m->to)
			break;
		if ((kind == CTP_SIGNAL || kind == CTP_BROADCAST) && !mhb_before(m->mhb, e, wait) &&
			!facts_exclude(m->f, e, wait))
			vec_push(out, e);
	}
}

/* A literal that, if true, makes the signal wake a thread. */
static lit_t consumed_literal(struct model *m, uint32_t signal)
{
	uint64_t *kept = map_put(&m->consumed, signal);
	struct vec_u32 some = {0};
	lit_t l;

	if (*kept)
		return (lit_t)*kept;
	*kept = l = solve_bool(m->q);
	vec_push(&some, lit_not(l));
	vec_each (&m->wakeups, i)
		if (m->wakeups.at[i].cause == signal)
			vec_push(&some, m->wakeups.at[i].lit);
	solve_clause(m->q, some.at, some.n);
	vec_release(&some);
	return l;
}

/* Threads that can only stand at their wake-ups, because these lie behind the window, can be woken
 * too: model_sync.c has no literals for their causes. */
static void add_wakeups_behind(struct model *m, uint32_t object)
{
	struct vec_u32 since = {0};

	vec_each (&m->c->threads, t) {
		const struct ctp_thread *th = &m->c->threads.at[t];
		uint32_t e = m->hi.at[t], wait;

		if (e == th->first + th->n || ctp_at(m->c, e)->kind != CTP_WOKEN ||
			m->f->object.at[e] != object)
			continue;
		wait = ctp_wait(ctp_at(m->c, e));
		vec_clear(&since);
		if (wait != CTP_NONE)
			signals_since(m, object, wait, &since);
		vec_each (&since, i) {
			lit_t l = solve_bool(m->q);

			model_or(m, lit_not(l), model_x(m, since.at[i]));
			model_or(m, lit_not(l), model_before(m, wait, since.at[i]));
			vec_push(&m->wakeups, (struct wakeup){object, e, since.at[i], l});
		}
	}
	vec_release(&since);
}

/* If the wake-up has that cause, the thread did not wait when `other` came. */
static void require_not_waiting(
	struct model *m, lit_t exact, const struct wakeup *u, uint32_t other)
{
	uint32_t wait = ctp_wait(ctp_at(m->c, u->woken));
	lit_t consumed = ctp_at(m->c, other)->kind == CTP_SIGNAL ? consumed_literal(m, other)
								  : LIT_FALSE;

	model_or(m, lit_not(exact), lit_not(u->lit), lit_not(model_x(m, other)), consumed,
		model_before(m, other, wait), model_before(m, u->cause, other));
}

/* The literal under which the causes of all wake-ups of the condition variable are exact. */
static lit_t exact_literal(struct model *m, uint32_t object)
{
	uint64_t *kept = map_put(&m->exact, object);
	struct vec_u32 since = {0};
	lit_t l;

	if (*kept)
		return (lit_t)*kept;
	*kept = l = solve_bool(m->q);
	add_wakeups_behind(m, object);
	vec_each (&m->wakeups, i) {
		const struct wakeup u = m->wakeups.at[i];

		if (u.object != object)
			continue;
		model_or(m, lit_not(l), lit_not(u.lit), model_x(m, ctp_wait(ctp_at(m->c, u.woken))));
		for (uint32_t k = i; k-- > 0 && m->wakeups.at[k].woken == u.woken;)
			model_or(m, lit_not(l), lit_not(u.lit), lit_not(m->wakeups.at[k].lit));
		vec_clear(&since);
		signals_since(m, object, ctp_wait(ctp_at(m->c, u.woken)), &since);
		vec_each (&since, k)
			if (since.at[k] != u.cause)
				require_not_waiting(m, l, &u, since.at[k]);
	}
	vec_release(&since);
	return l;
}

lit_t model_asleep(struct model *m, uint32_t e)
{
	uint32_t object = m->f->object.at[e], wait = ctp_wait(ctp_at(m->c, e));
	lit_t at = model_at(m, e), exact, l;
	uint64_t *kept = map_put(&m->asleep_lits, e);
	struct vec_u32 since = {0};

	assert(ctp_at(m->c, e)->kind == CTP_WOKEN && !m->rep.n && object != CTP_NONE);
	if (at == LIT_FALSE || wait == CTP_NONE)
		return at;
	if (*kept)
		return (lit_t)*kept;
	*kept = l = solve_bool(m->q);
	exact = exact_literal(m, object);
	model_or(m, lit_not(l), at);
	model_or(m, lit_not(l), exact);
	vec_each (&m->wakeups, i)
		if (m->wakeups.at[i].woken == e)
			model_or(m, lit_not(l), lit_not(m->wakeups.at[i].lit));
	signals_since(m, object, wait, &since);
	vec_each (&since, i) {
		uint32_t s = since.at[i];

		model_or(m, lit_not(l), lit_not(model_x(m, s)), model_before(m, s, wait),
			ctp_at(m->c, s)->kind == CTP_SIGNAL ? consumed_literal(m, s) : LIT_FALSE);
	}
	vec_release(&since);
	return l;
}
