/*
 * The atom ASLEEP, executed: which threads the signals of a condition variable woke.
 *
 * Each signal wakes a thread that waits, if there is one. Of those it wakes the one whose wake-up
 * comes first: if any choice wakes every thread in time, this one does, and it leaves as many
 * threads waiting as any other. Then come threads that stand at their wake-ups and need not sleep.
 * A signal that finds none of these wakes a thread that must sleep: the query does not hold.
 */
#include "model/simulate_internal.h"

#include "base/vec.h"

struct waits { /* VEC(struct sim_wait) with a name */
	struct sim_wait *at;
	uint32_t n, cap;
};

static bool must_sleep(const struct sim *s, const struct query *q, uint32_t thread)
{
	vec_each (&q->atoms, i)
		if (q->atoms.at[i].kind == ATOM_ASLEEP &&
			ctp_at(s->c, q->atoms.at[i].a)->thread == thread)
			return true;
	return false;
}

/* All waits for the condition variable that a signal may have ended. */
static void find_waits(
	struct sim *s, const struct query *q, uint32_t object, struct waits *out)
{
	const struct sim_object *o = sim_object_at(s, object);

	vec_each (&o->waits, i)
		vec_push(out, o->waits.at[i]);
	vec_each (&s->c->threads, t) {
		const struct ctp_thread *th = &s->c->threads.at[t];
		uint32_t e = s->next.at[t];

		if (e < th->first + th->n && e > th->first && ctp_at(s->c, e)->kind == CTP_WOKEN &&
			s->f->object.at[e] == object && !must_sleep(s, q, t))
			vec_push(out, (struct sim_wait){s->waiting.at[t], UINT32_MAX});
	}
}

/* Removes the wait that ends first of those that a signal can end at that time. */
static bool wake_one(struct waits *waits, uint32_t time)
{
	uint32_t first = UINT32_MAX;

	vec_each (waits, i)
		if (waits->at[i].since < time && time < waits->at[i].until &&
			(first == UINT32_MAX || waits->at[i].until < waits->at[first].until))
			first = i;
	if (first == UINT32_MAX)
		return false;
	waits->at[first] = vec_last(waits);
	waits->n--;
	return true;
}

static void wake_all(struct waits *waits, uint32_t time)
{
	uint32_t n = 0;

	vec_each (waits, i)
		if (waits->at[i].since >= time)
			waits->at[n++] = waits->at[i];
	waits->n = n;
}

bool sim_asleep(struct sim *s, const struct query *q, uint32_t event)
{
	const struct sim_object *o = sim_object_at(s, s->f->object.at[event]);
	uint32_t since = s->waiting.at[ctp_at(s->c, event)->thread];
	struct waits waits = {0};
	bool asleep = sim_stands_at(s, event);

	find_waits(s, q, s->f->object.at[event], &waits);
	vec_each (&o->signals, i) {
		const struct sim_signal *x = &o->signals.at[i];
		bool all = ctp_at(s->c, x->event)->kind == CTP_BROADCAST;

		if (all)
			wake_all(&waits, x->time);
		if ((all || !wake_one(&waits, x->time)) && since < x->time)
			asleep = false;
	}
	vec_release(&waits);
	return asleep;
}
