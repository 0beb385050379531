#include "model/simulate_internal.h"

#include "base/base.h"
#include "base/map.h"

#include <assert.h>

#include <stdlib.h>

struct sim *sim_new(struct facts *f, enum model_kind kind)
{
	struct sim *s = xcalloc(1, sizeof *s);

	*s = (struct sim){.f = f, .c = f->c, .kind = kind, .ahead = CTP_NONE};
	vec_resize(&s->next, f->c->threads.n);
	vec_resize(&s->waiting, f->c->threads.n);
	vec_resize(&s->cells, f->c->cells.n);
	vec_resize(&s->objects, f->objects.n);
	vec_resize(&s->reads, f->c->accesses.n);
	return s;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	vec_release(&s->next);
	vec_release(&s->waiting);
	vec_release(&s->cells);
	vec_each (&s->objects, i) {
		vec_release(&s->objects.at[i].holders);
		vec_release(&s->objects.at[i].signals);
		vec_release(&s->objects.at[i].waits);
	}
	vec_release(&s->objects);
	vec_release(&s->reads);
	vec_release(&s->terms);
	vec_release(&s->todo);
	vec_release(&s->place);
	vec_release(&s->signals);
	free(s);
}

uint32_t sim_next(const struct sim *s, uint32_t thread)
{
	return s->next.at[thread];
}

/* -- the state at the start, made when first needed -- */

struct sim_cell *sim_cell_at(struct sim *s, uint32_t cell)
{
	struct sim_cell *x = &s->cells.at[cell];

	if (x->stamp != s->epoch) {
		x->stamp = s->epoch;
		x->writer = CTP_NONE;
		x->known = facts_cell_value(s->f, cell, s->from, &x->value);
	}
	return x;
}

struct sim_object *sim_object_at(struct sim *s, uint32_t object)
{
	struct sim_object *o = &s->objects.at[object];

	if (o->stamp != s->epoch) {
		o->stamp = s->epoch;
		vec_clear(&o->holders);
		vec_clear(&o->signals);
		vec_clear(&o->waits);
		if (s->f->objects.at[object].semaphore)
			o->count = facts_sem_value(s->f, object, s->from);
	}
	return o;
}

static uint32_t region_object(const struct sim *s, uint32_t region)
{
	return (uint32_t)map_get_or(&s->f->object_at, s->c->regions.at[region].object, 0) - 1;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct facts *f = ctx;
	uint32_t x = facts_rank(f, *(const uint32_t *)a), y = facts_rank(f, *(const uint32_t *)b);

	return x < y ? -1 : x > y;
}

/* signals that can still wake threads that wait at the start; those of an object by rank */
static void start_signals(struct sim *s)
{
	vec_clear(&s->signals);
	vec_each (&s->c->threads, t) {
		const struct ctp_thread *th = &s->c->threads.at[t];
		uint32_t e = s->next.at[t];
		const struct ctp_event *ev = ctp_at(s->c, e);

		if (e == th->first || e == th->first + th->n || ev->kind != CTP_WOKEN ||
			ctp_wait(ev) == CTP_NONE)
			continue;
		facts_pending_signals(s->f, s->f->object.at[e], facts_rank(s->f, ctp_wait(ev)),
			s->from, &s->signals);
	}
	if (s->signals.n)
		qsort_r(s->signals.at, s->signals.n, sizeof(uint32_t), by_rank, s->f);
	vec_each (&s->signals, i) {
		uint32_t e = s->signals.at[i];
		struct sim_object *o = sim_object_at(s, s->f->object.at[e]);

		if (!o->signals.n || vec_last(&o->signals).event != e)
			vec_push(&o->signals, (struct sim_signal){e, facts_rank(s->f, e) + 1, false});
	}
}

void sim_start(struct sim *s, uint32_t from)
{
	s->from = MIN(from, s->f->order.n);
	s->epoch++;
	s->term_epoch++;
	s->time = s->from + 1; /* events before the start have the time rank + 1 */
	vec_each (&s->c->threads, t) {
		const struct ctp_thread *th = &s->c->threads.at[t];
		uint32_t e = s->next.at[t] = facts_first_event(s->f, t, s->from);
		uint32_t h = e < th->first + th->n ? s->f->held_at.at[e] : s->f->held_end.at[t];

		for (; h != CTP_NONE; h = s->f->held.at[h].next) {
			uint32_t r = s->f->held.at[h].region;
			struct sim_object *o = sim_object_at(s, region_object(s, r));

			vec_push(&o->holders, (struct lock_holder){t, r});
		}
		s->waiting.at[t] = e > th->first && ctp_at(s->c, e - 1)->kind == CTP_WAIT
					   ? facts_rank(s->f, e - 1) + 1
					   : 0;
	}
	start_signals(s);
	facts_terms(s->f);
	vec_resize(&s->terms, s->f->late.n);
}

/* -- threads -- */

/* another alternative of the thread has begun */
static bool other_runs(const struct sim *s, uint32_t thread)
{
	for (uint32_t t = 0; s->f->merged && t < s->c->threads.n; t++)
		if (facts_same_group(s->f, t, thread) && s->next.at[t] > s->c->threads.at[t].first)
			return true;
	return false;
}

bool sim_stands_at(const struct sim *s, uint32_t event)
{
	uint32_t t = ctp_at(s->c, event)->thread;

	return s->next.at[t] == event && !other_runs(s, t);
}

/* -- what an event needs -- */

static const char *const edge_words[] = {
	[FACTS_CREATE] = "its thread is not created yet",
	[FACTS_JOIN] = "the thread that it joins has not ended",
	[FACTS_ONCE] = "the routine has not run yet",
	[FACTS_DATA] = "the bytes that it reads are not written yet",
	[FACTS_BARRIER] = "not all threads of the round are at the barrier",
	[FACTS_INIT] = "its object is not initialized yet",
	[FACTS_ALLOC] = "its block is not allocated yet",
	[FACTS_ORDERED] = "the operations of its object keep their observed order",
};

static const char *unmet_alternative(const struct sim *s, uint32_t e)
{
	uint32_t object = s->f->object.at[e], object2 = s->f->object2.at[e];

	if (e == s->c->threads.at[ctp_at(s->c, e)->thread].first &&
		other_runs(s, ctp_at(s->c, e)->thread))
		return "another alternative of its thread runs";
	if (facts_rank(s->f, e) >= s->f->observed &&
		((object != CTP_NONE && s->f->objects.at[object].ordered) ||
			(object2 != CTP_NONE && s->f->objects.at[object2].ordered)))
		return "the operations of its object keep their observed order";
	for (uint32_t i = s->f->need_first.at[e]; i < s->f->need_first.at[e + 1]; i++) {
		const struct facts_need *n = &s->f->needs.at[i];
		bool any = false;

		for (uint32_t k = n->first; k < n->first + n->n; k++)
			any |= sim_done(s, s->c, s->f->need_from.at[k]);
		if (!any)
			return edge_words[n->why];
	}
	return NULL;
}

static const char *unmet_edge(const struct sim *s, uint32_t e)
{
	for (uint32_t i = s->f->edge_first.at[e]; i < s->f->edge_first.at[e + 1]; i++)
		if (!sim_done(s, s->c, s->f->edges.at[i].from))
			return edge_words[s->f->edges.at[i].why];
	return s->f->merged ? unmet_alternative(s, e) : NULL;
}

static bool is_destroyed(const struct sim *s, uint32_t object, uint32_t e)
{
	const struct facts_object *o = object == CTP_NONE ? NULL : &s->f->objects.at[object];
	bool any = false;

	for (uint32_t i = 0; o && !o->ordered && i < o->ends.n; i++)
		any |= o->ends.at[i] != e && sim_done(s, s->c, o->ends.at[i]);
	return any;
}

static const char *unmet_life(const struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);

	for (uint32_t i = 0, f; facts_uses_block(s->f, e) &&
				(f = facts_free_of(s->f, ev->block, i)) != CTP_NONE;
		i++)
		if (sim_done(s, s->c, f))
			return "its block is freed";
	if (ev->kind == CTP_WOKEN || ev->kind == CTP_TIMEOUT)
		return is_destroyed(s, s->f->object2.at[e], e) ? "its mutex is destroyed" : NULL;
	if (is_destroyed(s, s->f->object.at[e], e) || is_destroyed(s, s->f->object2.at[e], e))
		return "its object is destroyed";
	return NULL;
}

static const char *unmet_lock(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);
	uint32_t object = facts_lock(s->f, e);
	const struct sim_object *o;

	if (!facts_takes(ev) || s->f->objects.at[object].ordered)
		return NULL;
	o = sim_object_at(s, object);
	vec_each (&o->holders, i)
		if (ev->kind != CTP_RDLOCK || !s->c->regions.at[o->holders.at[i].region].shared)
			return "its lock is held";
	return NULL;
}

static const char *unmet_holder(struct sim *s, uint32_t e)
{
	uint8_t need = s->f->tries.at[e];
	const struct sim_object *o = sim_object_at(s, s->f->object.at[e]);

	if (need == TRY_NOTHING || s->f->objects.at[s->f->object.at[e]].ordered)
		return NULL;
	vec_each (&o->holders, i)
		if (o->holders.at[i].thread != ctp_at(s->c, e)->thread &&
			(need == TRY_ANY || !s->c->regions.at[o->holders.at[i].region].shared))
			return NULL;
	return "the lock that it failed to take is free";
}

/* the signal that wakes the event's thread; NULL: none */
static struct sim_signal *signal_for(struct sim *s, uint32_t e)
{
	struct sim_object *o = sim_object_at(s, s->f->object.at[e]);
	uint32_t since = s->waiting.at[ctp_at(s->c, e)->thread];
	struct sim_signal *found = NULL;

	vec_each (&o->signals, i) {
		struct sim_signal *x = &o->signals.at[i];

		if (x->time <= since)
			continue;
		if (ctp_at(s->c, x->event)->kind == CTP_BROADCAST)
			return x;
		if (!x->taken && !found)
			found = x;
	}
	return found;
}

static const char *unmet_running(const struct sim *s, uint32_t e)
{
	uint32_t peer = ctp_group(s->c, ctp_peer(ctp_at(s->c, e)));

	vec_each (&s->c->threads, t)
		if (ctp_group(s->c, t) == peer && s->c->threads.at[t].end != CTP_NONE &&
			sim_done(s, s->c, s->c->threads.at[t].end))
			return "the thread that it found running has ended";
	return NULL;
}

static const char *unmet_value(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);

	if (s->kind != MODEL_MCM)
		return NULL;
	for (uint32_t i = 0; i < ev->n; i++) {
		const struct ctp_access *a = &s->c->accesses.at[ev->first + i];
		const struct sim_cell *x = sim_cell_at(s, a->cell);

		if (a->sym.id && (!x->known || x->value != a->seen) &&
			!facts_only_asserted(s->f, ev->first + i))
			return "it would not read its recorded value";
	}
	return NULL;
}

static const char *unmet_need(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);
	uint32_t object = s->f->object.at[e];
	bool ordered = object != CTP_NONE && s->f->objects.at[object].ordered;

	switch (ev->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_TIMEOUT: return unmet_lock(s, e);
	case CTP_TRYFAIL: return unmet_holder(s, e);
	case CTP_JOINFAIL: return unmet_running(s, e);
	case CTP_WOKEN:
		if (!ordered && !signal_for(s, e))
			return "no signal wakes it";
		return unmet_lock(s, e);
	case CTP_SEM_WAIT:
		return !ordered && sim_object_at(s, object)->count <= 0 ? "the semaphore is 0" : NULL;
	case CTP_SEM_FAIL:
		return !ordered && sim_object_at(s, object)->count != 0 ? "the semaphore is not 0"
								    : NULL;
	default: return NULL;
	}
}

/* -- what an event does -- */

static void read_cells(struct sim *s, const struct ctp_event *ev)
{
	for (uint32_t i = 0; i < ev->n; i++) {
		const struct ctp_access *a = &s->c->accesses.at[ev->first + i];
		const struct sim_cell *x;

		if (!a->sym.id)
			continue;
		x = sim_cell_at(s, a->cell);
		s->reads.at[ev->first + i] = (struct sim_read){s->epoch, x->writer,
			x->known, x->value & term_mask(term_width(s->c->ts, a->sym))};
		/* the symbol may have been evaluated before, when it had no value */
		s->terms.at[a->sym.id].stamp = 0;
	}
}

static void write_cells(struct sim *s, const struct ctp_event *ev)
{
	for (uint32_t i = 0; i < ev->n; i++) {
		const struct ctp_access *a = &s->c->accesses.at[ev->first + i];
		struct sim_cell *x;

		if (!a->value.id)
			continue;
		x = sim_cell_at(s, a->cell);
		x->writer = ev->first + i;
		x->known = true;
		if (s->kind == MODEL_CTP)
			x->known = sim_value(s, a->value, &x->value);
		else
			x->value = a->put;
	}
}

static void drop_region(struct sim *s, uint32_t e)
{
	struct sim_object *o = sim_object_at(s, facts_lock(s->f, e));

	if (!facts_gives(ctp_at(s->c, e)))
		return;
	vec_each (&o->holders, i)
		if (o->holders.at[i].region == ctp_at(s->c, e)->region) {
			o->holders.at[i] = vec_last(&o->holders);
			o->holders.n--;
			return;
		}
}

static void take_region(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);

	if (facts_takes(ev) && !s->c->regions.at[ev->region].foreign)
		vec_push(&sim_object_at(s, facts_lock(s->f, e))->holders,
			(struct lock_holder){ev->thread, ev->region});
}

static void take_signal(struct sim *s, uint32_t e)
{
	struct sim_signal *x = signal_for(s, e);

	if (x && ctp_at(s->c, x->event)->kind == CTP_SIGNAL)
		x->taken = true;
	vec_push(&sim_object_at(s, s->f->object.at[e])->waits,
		(struct sim_wait){s->waiting.at[ctp_at(s->c, e)->thread], s->time});
}

static void execute_event(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);
	uint32_t object = s->f->object.at[e];

	s->time++;
	read_cells(s, ev);
	write_cells(s, ev);
	switch (ev->kind) {
	case CTP_WAIT:
		s->waiting.at[ev->thread] = s->time;
		drop_region(s, e);
		break;
	case CTP_UNLOCK:
	case CTP_RDUNLOCK: drop_region(s, e); break;
	case CTP_WOKEN: take_signal(s, e); take_region(s, e); break;
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_TIMEOUT: take_region(s, e); break;
	case CTP_SIGNAL:
	case CTP_BROADCAST:
		vec_push(&sim_object_at(s, object)->signals, (struct sim_signal){e, s->time, false});
		break;
	case CTP_SEM_WAIT:
		sim_object_at(s, object)->count--;
		assert(s->f->objects.at[object].ordered || sim_object_at(s, object)->count >= 0);
		break;
	case CTP_SEM_POST: sim_object_at(s, object)->count++; break;
	default: break;
	}
	s->next.at[ev->thread]++;
	assert(s->next.at[ev->thread] <=
		s->c->threads.at[ev->thread].first + s->c->threads.at[ev->thread].n);
}

const char *sim_step_anyway(struct sim *s, uint32_t e, bool *holds)
{
	const struct ctp_event *ev = ctp_at(s->c, e);
	const char *why;
	u128 v;

	*holds = true;
	if (ev->flags & CTP_PENDING)
		return "it was still pending when the recording ended";
	if (s->next.at[ev->thread] != e)
		return "its thread does not stand before it";
	if ((why = unmet_edge(s, e)) || (why = unmet_life(s, e)) || (why = unmet_need(s, e)) ||
		(why = unmet_value(s, e)))
		return why;
	if (ctp_is_guard(ev->kind) && ev->cond.id &&
		(s->kind == MODEL_CTP || (s->kind == MODEL_MCM && facts_is_property(ev->kind))))
		*holds = sim_value(s, ev->cond, &v) && v;
	execute_event(s, e);
	return NULL;
}

const char *sim_step(struct sim *s, uint32_t e)
{
	bool holds;
	const char *why = sim_step_anyway(s, e, &holds);

	if (why || holds)
		return why;
	s->next.at[ctp_at(s->c, e)->thread]--;
	return "its condition does not hold";
}
