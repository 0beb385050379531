/*
 * Outcomes of synchronization that no run has: a try that fails where it succeeded, a wait that is
 * woken where it timed out, an operation that was pending when its run ended.
 *
 * A *probe* is another alternative of a thread: its events before the operation, and the operation
 * with the other outcome as its last event. A query asks whether that event can be executed; a run
 * then shows how the thread continues.
 */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/words.h"

struct copy {
	struct ctp *c;
	uint32_t from, to; /* threads */
	uint32_t shift;    /* of events */
	struct map region; /* region of `from` -> region of `to` + 1 */
	struct term_subst s;
};

static term_t rename_symbols(struct copy *k, term_t t)
{
	return t.id ? term_subst(&k->s, t) : t;
}

/* The reads of the copy get symbols of their own: they may read other values. */
static void copy_accesses(struct copy *k, struct ctp_event *e)
{
	uint32_t first = k->c->accesses.n;

	for (uint32_t i = 0; i < e->n; i++) {
		struct ctp_access a = k->c->accesses.at[e->first + i];

		if (a.sym.id) {
			term_t sym = term_fresh(
				k->c->ts, "probe", term_width(k->c->ts, a.sym));

			term_subst_put(&k->s, a.sym, sym);
			a.sym = sym;
		}
		vec_push(&k->c->accesses, a);
	}
	for (uint32_t i = 0; i < e->n; i++) {
		struct ctp_access *a = &k->c->accesses.at[first + i];

		a->value = rename_symbols(k, a->value);
	}
	e->first = first;
}

static uint32_t copy_region(struct copy *k, uint32_t region, uint32_t e)
{
	uint64_t *at = map_put(&k->region, region);
	struct ctp_region r;

	if (*at) {
		k->c->regions.at[*at - 1].end = e;
		return (uint32_t)*at - 1;
	}
	r = k->c->regions.at[region];
	r.thread = k->to;
	if (r.begin == CTP_NONE || r.begin + k->shift == e) {
		r.begin = r.begin == CTP_NONE ? CTP_NONE : e;
		r.end = r.begin == CTP_NONE ? e : CTP_NONE;
	} else { /* the region begins before the copied events */
		r.begin = CTP_NONE;
		r.end = e;
	}
	vec_push(&k->c->regions, r);
	*at = k->c->regions.n;
	return k->c->regions.n - 1;
}

/* The copy of an event that another one names, if it is of the thread that is copied. */
static uint32_t copied_event(const struct copy *k, uint32_t event)
{
	bool copied = event != CTP_NONE && ctp_at(k->c, event)->thread == k->from;

	return copied ? event + k->shift : event;
}

static void copy_event(struct copy *k, uint32_t event)
{
	struct ctp_event e = *ctp_at(k->c, event);

	e.thread = k->to;
	e.rank = UINT32_MAX;
	e.stack = 0;
	copy_accesses(k, &e);
	e.cond = rename_symbols(k, e.cond);
	e.operand = rename_symbols(k, e.operand);
	if (e.region != CTP_NONE)
		e.region = copy_region(k, e.region, event + k->shift);
	if (ctp_has_wait(e.kind))
		e.link.wait = copied_event(k, e.link.wait);
	if (e.kind == CTP_ONCE)
		e.link.runner = copied_event(k, e.link.runner);
	vec_push(&k->c->events, e);
}

/* Appends the operation with its other outcome. */
static void add_outcome(struct copy *k, uint32_t event, enum ctp_kind kind)
{
	struct ctp_event e = *ctp_at(k->c, event);
	bool takes = kind == CTP_LOCK || kind == CTP_RDLOCK || kind == CTP_WOKEN ||
		     kind == CTP_TIMEOUT;
	uint64_t lock = kind == CTP_WOKEN || kind == CTP_TIMEOUT ? ctp_mutex(&e) : e.object;

	e.kind = kind;
	e.flags &= (uint16_t) ~(CTP_PENDING | CTP_RECURSIVE);
	e.thread = k->to;
	e.rank = UINT32_MAX;
	e.stack = 0;
	e.region = CTP_NONE;
	e.n = 0; /* nothing in the probe depends on the state of the object after it */
	if ((kind == CTP_WOKEN || kind == CTP_TIMEOUT) && e.link.wait != CTP_NONE)
		e.link.wait += k->shift;
	if (takes) {
		e.region = k->c->regions.n;
		vec_push(&k->c->regions, (struct ctp_region){.object = lock,
						 .thread = k->to,
						 .begin = k->c->events.n,
						 .end = CTP_NONE,
						 .shared = kind == CTP_RDLOCK});
	}
	vec_push(&k->c->events, e);
}

uint32_t probe_add(struct ctp *c, uint32_t e, enum ctp_kind kind, uint64_t max)
{
	uint32_t from = ctp_at(c, e)->thread, first = c->threads.at[from].first;
	struct copy k = {.c = c, .from = from, .to = c->threads.n, .shift = c->events.n - first};
	struct ctp_thread th = c->threads.at[from];

	BUG_ON(e < first || e >= first + c->threads.at[from].n);
	if (c->events.n + (e - first) + 1 > max)
		return CTP_NONE;
	term_subst_init(&k.s, c->ts);
	for (uint32_t i = first; i < e; i++)
		copy_event(&k, i);
	add_outcome(&k, e, kind);
	BUG_ON(c->events.n != first + k.shift + (e - first) + 1); /* the copy is contiguous */
	th.alt = ctp_group(c, from) + 1;
	th.first = first + k.shift;
	th.n = e - first + 1;
	th.begin = th.begin != CTP_NONE && th.begin < e ? th.begin + k.shift : CTP_NONE;
	th.end = CTP_NONE;
	th.cut = true;
	vec_push(&c->threads, th);
	c->order_exact = false;
	term_subst_release(&k.s);
	map_release(&k.region);
	return k.to;
}

/* ---- outcomes that no run has ------------------------------------------------------------ */

/* The kind of event of a failed try if it succeeds; CTP_NKINDS: the operation is not known. */
static enum ctp_kind get_success(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_program *p = trace_program(c->trace);
	const struct ir_func *fn = e->func < p->funcs.n ? &p->funcs.at[e->func] : NULL;
	const struct ir_insn *in = fn && e->insn < fn->insns.n ? &fn->insns.at[e->insn] : NULL;
	uint32_t callee = in ? ir_callee(fn, in) : IR_NONE;
	const struct log_sync_fn *f =
		callee == IR_NONE ? NULL : log_sync_find(ir_func_name(p, callee));

	if (!f)
		return CTP_NKINDS;
	return f->kind == LOG_S_RDLOCK || f->kind == LOG_S_TRYRDLOCK ? CTP_RDLOCK : CTP_LOCK;
}

/* CTP_NKINDS: the event has no other outcome. */
static enum ctp_kind get_other_outcome(const struct ctp *c, const struct ctp_event *e)
{
	bool may_fail = e->flags & (CTP_TRIED | CTP_TIMED);

	if (e->flags & CTP_PENDING)
		return e->kind;
	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK: return may_fail ? CTP_TRYFAIL : CTP_NKINDS;
	case CTP_TRYFAIL: return e->flags & CTP_ERRORCHECK ? CTP_NKINDS : get_success(c, e);
	case CTP_SEM_WAIT: return may_fail ? CTP_SEM_FAIL : CTP_NKINDS;
	case CTP_SEM_FAIL: return CTP_SEM_WAIT;
	case CTP_JOIN: return may_fail ? CTP_JOINFAIL : CTP_NKINDS;
	case CTP_JOINFAIL: return CTP_JOIN;
	case CTP_WOKEN: return may_fail ? CTP_TIMEOUT : CTP_NKINDS;
	case CTP_TIMEOUT: return e->flags & CTP_TIMED ? CTP_WOKEN : CTP_NKINDS;
	default: return CTP_NKINDS;
	}
}

static bool may_end(const struct ctp *c, uint32_t thread)
{
	vec_each (&c->threads, t)
		if (ctp_group(c, t) == ctp_group(c, thread) && c->threads.at[t].end != CTP_NONE)
			return true;
	return false;
}

/* The operation cannot return with another outcome: a lock that its thread holds already (it blocks
 * for ever or fails at once), or a join of a thread that ends on no known path. */
static bool is_stuck(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	if (e->kind == CTP_JOIN || e->kind == CTP_JOINFAIL)
		return ctp_peer(e) >= c->threads.n || !may_end(c, ctp_peer(e));

	if (e->kind != CTP_LOCK && e->kind != CTP_RDLOCK && e->kind != CTP_TRYFAIL)
		return false;
	vec_each (&c->regions, i) {
		const struct ctp_region *r = &c->regions.at[i];

		if (r->thread == e->thread && r->object == e->object && r->begin < event &&
			(r->end == CTP_NONE || r->end > event))
			return true;
	}
	return false;
}

bool probes_add_all(struct deep *d, struct ctp *c)
{
	uint32_t threads = c->threads.n;
	struct path_names names = {0};
	struct map done = {0};
	bool room = true;

	for (uint32_t t = 0; t < threads; t++) {
		struct ctp_thread th = c->threads.at[t];

		paths_names(c, t, &names);
		for (uint32_t i = 0; i < th.n && room; i++) {
			const struct ctp_event *e = ctp_at(c, th.first + i);
			const struct path_node *node = paths_node(&d->paths, names.at[i]);
			enum ctp_kind other = get_other_outcome(c, e);
			uint64_t *seen;

			if (other == CTP_NKINDS || !node ||
				node->ways > !(e->flags & CTP_PENDING) ||
				is_stuck(c, th.first + i) ||
				stutter_is_round(c, d->spins, th.first + i))
				continue;
			seen = map_put(&done, names.at[i]);
			if (!*seen)
				room = probe_add(c, th.first + i, other, d->opt->max_events) !=
				       CTP_NONE;
			*seen = 1;
		}
	}
	vec_release(&names);
	map_release(&done);
	return room;
}
