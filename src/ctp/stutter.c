#include "ctp/stutter.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/*
 * The events from an anchor to the next one at the same instruction are as many as those of a round,
 * but do not begin where the round begins. The beginning is found by comparison: it is as far before
 * the anchor as the events before both anchors are the same.
 */
enum { MOST = 4096 /* events of a round */ };

struct reducer {
	struct ctp *c;
	struct spins *spins;
	struct bitset dropped;
	struct bitset gone; /* critical sections of dropped events */
	struct map done;  /* instruction -> its anchors before that event begin no chain */
	struct map keeps; /* function, header -> stutter_keeps_first() + 1 */
};

/* ---- loops ------------------------------------------------------------------------------- */

/* The number of branches of the loop. With one of them all rounds that leave the loop are the same;
 * with more, also such that do not leave it themselves, rounds can leave it on several ways. */
static uint32_t exits_of(
	struct spins *spins, const struct ir_program *p, uint32_t func, uint32_t header)
{
	const struct ir_func *fn = &p->funcs.at[func];
	uint32_t n = 0;

	vec_each (&fn->insns, i)
		if (fn->insns.at[i].op == IR_CBR || fn->insns.at[i].op == IR_SWITCH) {
			struct spin s = spin_of(spins, func, i);

			n += s.kind != SPIN_NONE && s.header == header;
		}
	return n;
}

bool stutter_keeps_first(
	const struct ctp *c, struct spins *spins, uint32_t func, const struct spin *s)
{
	return s->locks || s->timed || exits_of(spins, trace_program(c->trace), func, s->header) > 1;
}

static bool is_sure(const struct spin *s)
{
	return s->sure && s->kind != SPIN_NONE;
}

static bool is_cbr(const struct ctp *c, const struct ctp_event *e)
{
	return trace_program(c->trace)->funcs.at[e->func].insns.at[e->insn].op == IR_CBR;
}

enum anchor stutter_anchor(
	const struct ctp *c, struct spins *spins, uint32_t event, struct spin *s)
{
	const struct ctp_event *e = ctp_at(c, event);

	switch (e->kind) {
	case CTP_BRANCH:
	case CTP_ASSERT:
		*s = spin_of(spins, e->func, e->insn);
		if (!is_sure(s) || !is_cbr(c, e))
			return ANCHOR_NONE;
		if (!s->leaves)
			return ANCHOR_INSIDE;
		return (ctp_decided(e) != 0) == s->stays_if ? ANCHOR_STAYS : ANCHOR_LEAVES;
	case CTP_TRYFAIL:
	case CTP_SEM_FAIL:
		*s = spin_of(spins, e->func, e->insn);
		return is_sure(s) && s->kind == SPIN_TRY ? ANCHOR_STAYS : ANCHOR_NONE;
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_SEM_WAIT:
		if (!(e->flags & (CTP_TRIED | CTP_TIMED)))
			return ANCHOR_NONE;
		*s = spin_of(spins, e->func, e->insn);
		return is_sure(s) && s->kind == SPIN_TRY ? ANCHOR_LEAVES : ANCHOR_NONE;
	default: return ANCHOR_NONE;
	}
}

uint32_t stutter_next(
	const struct ctp *c, struct spins *spins, uint32_t event, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(c, event);
	const struct ctp_thread *t = &c->threads.at[e->thread];
	uint32_t end = MIN(t->first + t->n, event + MOST);

	for (uint32_t i = event + 1; i < end; i++) {
		const struct ctp_event *x = ctp_at(c, i);
		struct spin other;

		if (x->func != e->func)
			continue;
		if (!spin_inside(spins, e->func, s->header, x->insn))
			return CTP_NONE;
		if (x->insn == e->insn && stutter_anchor(c, spins, i, &other) != ANCHOR_NONE)
			return i;
		if (ctp_is_guard(x->kind) && stutter_anchor(c, spins, i, &other) == ANCHOR_LEAVES &&
			other.header == s->header)
			return CTP_NONE;
	}
	return CTP_NONE;
}

/* ---- rounds ------------------------------------------------------------------------------ */

static bool looks_same(const struct ctp_event *a, const struct ctp_event *b)
{
	return a->kind == b->kind && a->func == b->func && a->insn == b->insn &&
	       a->object == b->object && ctp_base(a) == ctp_base(b) && a->n == b->n &&
	       ctp_recorded(a) == ctp_recorded(b);
}

/* The number of events of the round up to the anchor a, itself included. */
static uint32_t back(const struct ctp *c, uint32_t a, uint32_t b, uint32_t before_b)
{
	uint32_t first = c->threads.at[ctp_at(c, a)->thread].first, n = 1;

	while (a - first >= n && b - before_b > n && looks_same(ctp_at(c, a - n), ctp_at(c, b - n)))
		n++;
	return n;
}

/* The critical section that the event begins, or ends; CTP_NONE. */
static uint32_t begun_region(const struct ctp *c, uint32_t e)
{
	uint32_t k = ctp_at(c, e)->region;

	return k != CTP_NONE && c->regions.at[k].begin == e ? k : CTP_NONE;
}

static uint32_t ended_region(const struct ctp *c, uint32_t e)
{
	uint32_t k = ctp_at(c, e)->region;

	return k != CTP_NONE && c->regions.at[k].end == e ? k : CTP_NONE;
}

/* The critical section of the same lock that begins before `from` and ends in [from, to); CTP_NONE. */
static uint32_t section_before(const struct ctp *c, uint32_t from, uint32_t to, uint32_t region)
{
	for (uint32_t e = from; e < to; e++) {
		uint32_t k = ended_region(c, e);

		if (k != CTP_NONE && c->regions.at[k].begin < from &&
			c->regions.at[k].object == c->regions.at[region].object &&
			c->regions.at[k].shared == c->regions.at[region].shared)
			return k;
	}
	return CTP_NONE;
}

/* Without the events [from, to), a critical section that ends there continues as the one of the same
 * lock that begins there. False: a section begins or ends there alone. */
static bool join_regions(struct reducer *r, uint32_t from, uint32_t to)
{
	struct ctp *c = r->c;
	uint32_t in = 0, out = 0;

	for (uint32_t e = from; e < to; e++) {
		uint32_t k = begun_region(c, e);

		in += k != CTP_NONE && (c->regions.at[k].end == CTP_NONE || c->regions.at[k].end >= to);
		if (k != CTP_NONE && (c->regions.at[k].end == CTP_NONE || c->regions.at[k].end >= to) &&
			section_before(c, from, to, k) == CTP_NONE)
			return false;
		k = ended_region(c, e);
		out += k != CTP_NONE && c->regions.at[k].begin < from;
	}
	if (in != out)
		return false;
	for (uint32_t e = from; e < to; e++) {
		uint32_t k = begun_region(c, e), was, end;

		if (k == CTP_NONE)
			continue;
		bitset_add(&r->gone, k);
		end = c->regions.at[k].end;
		if (end != CTP_NONE && end < to)
			continue;
		was = section_before(c, from, to, k);
		c->regions.at[was].end = end;
		if (end != CTP_NONE)
			c->events.at[end].region = was;
	}
	return true;
}

static void drop(struct reducer *r, uint32_t from, uint32_t to)
{
	const struct ctp_thread *t = &r->c->threads.at[ctp_at(r->c, from)->thread];
	uint64_t points = ctp_at(r->c, to)->point - ctp_at(r->c, from)->point;
	uint64_t index = ctp_at(r->c, to)->index - ctp_at(r->c, from)->index;

	if (!join_regions(r, from, to))
		return;
	for (uint32_t e = from; e < to; e++)
		bitset_add(&r->dropped, e);
	for (uint32_t e = to; e < t->first + t->n; e++) {
		r->c->events.at[e].point -= points;
		r->c->events.at[e].index -= index;
	}
}

static bool keeps_first(struct reducer *r, uint32_t func, const struct spin *s)
{
	uint64_t *at = map_put(&r->keeps, (uint64_t)func << 32 | s->header);

	if (!*at)
		*at = stutter_keeps_first(r->c, r->spins, func, s) + 1;
	return *at > 1;
}

/* Whether the thread left the loop after the event. */
static bool came_out(
	const struct ctp *c, struct spins *spins, uint32_t event, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(c, event);
	const struct ctp_thread *t = &c->threads.at[e->thread];

	for (uint32_t i = event + 1; i < t->first + t->n; i++)
		if (ctp_at(c, i)->func != e->func ||
			!spin_inside(spins, e->func, s->header, ctp_at(c, i)->insn))
			return true;
	return false;
}

/* The anchors from `first` on whose rounds continued, and the anchor after them. */
static void find_chain(struct reducer *r, uint32_t first, enum anchor how, const struct spin *s,
	struct vec_u32 *chain, uint64_t *done)
{
	struct spin other;
	uint64_t out;
	uint32_t n;

	vec_clear(chain);
	for (uint32_t e = first; e != CTP_NONE;) {
		vec_push(chain, e);
		if (how == ANCHOR_STAYS &&
			stutter_anchor(r->c, r->spins, e, &other) != ANCHOR_STAYS)
			break;
		e = stutter_next(r->c, r->spins, e, s);
	}
	if (how == ANCHOR_STAYS || !came_out(r->c, r->spins, vec_last(chain), s))
		return;
	/* a branch inside of the loop: the outcome of the last anchor led out of the loop */
	out = ctp_decided(ctp_at(r->c, vec_last(chain)));
	for (n = 0; n < chain->n && ctp_decided(ctp_at(r->c, chain->at[n])) == out; n++)
		;
	*done = n < chain->n ? chain->at[n] : vec_last(chain) + 1;
	for (n = 0; n < chain->n && ctp_decided(ctp_at(r->c, chain->at[n])) != out; n++)
		;
	chain->n = MIN(n + 1, chain->n);
}

/* The thread waited between two anchors of a loop around a timed wait, and each wait timed out. */
static bool timed_out(const struct ctp *c, uint32_t from, uint32_t to)
{
	bool any = false;

	for (uint32_t e = from + 1; e < to; e++) {
		if (ctp_at(c, e)->kind == CTP_WOKEN)
			return false;
		any |= ctp_at(c, e)->kind == CTP_TIMEOUT;
	}
	return any;
}

/* Drops rounds that timed out and follow such a round. The others consumed a signal. */
static uint32_t reduce_timed(struct reducer *r, uint32_t event, const struct vec_u32 *chain)
{
	uint32_t i = 1;

	while (i < chain->n) {
		uint32_t k = i, last;

		while (k < chain->n && timed_out(r->c, chain->at[k - 1], chain->at[k]))
			k++;
		last = k - (k == chain->n ? 2 : 1); /* the last anchor may end the loop: it stays */
		if (k > i && last > i)
			drop(r, chain->at[i] + 1, chain->at[last] + 1);
		i = k + 1;
	}
	return chain->n > 1 ? vec_last(chain) : event + 1;
}

/* Drops rounds of the loop if the event is an anchor; returns the next event to consider. */
static uint32_t reduce(struct reducer *r, uint32_t event, struct vec_u32 *chain)
{
	struct spin s;
	enum anchor how = stutter_anchor(r->c, r->spins, event, &s);
	uint32_t last, len, keep;
	uint64_t *done;

	if (how != ANCHOR_STAYS && how != ANCHOR_INSIDE)
		return event + 1;
	done = map_put(&r->done, (uint64_t)ctp_at(r->c, event)->func << 32 | ctp_at(r->c, event)->insn);
	if (event < *done)
		return event + 1;
	find_chain(r, event, how, &s, chain, done);
	if (s.timed)
		return reduce_timed(r, event, chain);
	keep = keeps_first(r, ctp_at(r->c, event)->func, &s);
	if (chain->n < 2 + keep)
		return chain->n > 1 ? vec_last(chain) : event + 1;
	last = vec_last(chain);
	len = back(r->c, event, last, chain->at[chain->n - 2]);
	drop(r, chain->at[keep] - len + 1, last - len + 1);
	return last;
}

/* ---- compaction -------------------------------------------------------------------------- */

static uint32_t moved(const uint32_t *to, uint32_t e)
{
	return e == CTP_NONE ? CTP_NONE : to[e];
}

static void move_references(struct ctp *c, const uint32_t *to)
{
	uint32_t n = 0;

	vec_each (&c->events, i) {
		struct ctp_event *e = &c->events.at[i];

		if (ctp_has_wait(e->kind))
			e->link.wait = moved(to, e->link.wait);
		if (e->kind == CTP_ONCE)
			e->link.runner = moved(to, e->link.runner);
	}
	vec_each (&c->regions, i) {
		c->regions.at[i].begin = moved(to, c->regions.at[i].begin);
		c->regions.at[i].end = moved(to, c->regions.at[i].end);
	}
	vec_each (&c->blocks, i) {
		c->blocks.at[i].alloc = moved(to, c->blocks.at[i].alloc);
		c->blocks.at[i].free = moved(to, c->blocks.at[i].free);
	}
	vec_each (&c->threads, i) {
		c->threads.at[i].create = moved(to, c->threads.at[i].create);
		c->threads.at[i].begin = moved(to, c->threads.at[i].begin);
		c->threads.at[i].end = moved(to, c->threads.at[i].end);
	}
	vec_each (&c->order, i) {
		uint32_t e = to[c->order.at[i]];

		if (e == CTP_NONE)
			continue;
		c->events.at[e].rank = n;
		c->order.at[n++] = e;
	}
	c->order.n = n;
}

/* Closes the gaps of critical sections of dropped events. */
static void compact_regions(struct reducer *r)
{
	struct ctp *c = r->c;
	uint32_t *to = xmalloc((c->regions.n + 1) * sizeof *to), n = 0;

	vec_each (&c->regions, i) {
		to[i] = bitset_has(&r->gone, i) ? CTP_NONE : n;
		if (to[i] != CTP_NONE)
			c->regions.at[n++] = c->regions.at[i];
	}
	c->regions.n = n;
	vec_each (&c->events, e)
		c->events.at[e].region = moved(to, c->events.at[e].region);
	free(to);
}

/* Closes the gaps of dropped events and their accesses. */
static void compact(struct reducer *r)
{
	struct ctp *c = r->c;
	uint32_t *to = xmalloc((c->events.n + 1) * sizeof *to), n = 0, accesses = 0;

	vec_each (&c->threads, t) {
		struct ctp_thread *th = &c->threads.at[t];
		uint32_t first = n;

		for (uint32_t i = th->first; i < th->first + th->n; i++) {
			struct ctp_event e = c->events.at[i];

			to[i] = CTP_NONE;
			if (bitset_has(&r->dropped, i))
				continue;
			memmove(&c->accesses.at[accesses], &c->accesses.at[e.first],
				e.n * sizeof *c->accesses.at);
			e.first = accesses;
			accesses += e.n;
			to[i] = n;
			c->events.at[n++] = e;
		}
		th->first = first;
		th->n = n - first;
	}
	c->events.n = n;
	c->accesses.n = accesses;
	move_references(c, to);
	free(to);
}

/* Whether accesses have the order of their events, so that compact() can move them in place. */
static bool accesses_rise(const struct ctp *c)
{
	uint32_t last = 0;

	vec_each (&c->events, e) {
		if (ctp_at(c, e)->n && ctp_at(c, e)->first < last)
			return false;
		last = MAX(last, ctp_at(c, e)->first + ctp_at(c, e)->n);
	}
	return true;
}

static void sort_accesses(struct ctp *c)
{
	VEC(struct ctp_access) sorted = {0};

	vec_each (&c->events, i) {
		struct ctp_event *e = &c->events.at[i];
		uint32_t first = sorted.n;

		for (uint32_t k = 0; k < e->n; k++)
			vec_push(&sorted, c->accesses.at[e->first + k]);
		e->first = first;
	}
	vec_release(&c->accesses);
	c->accesses.at = sorted.at;
	c->accesses.n = sorted.n;
	c->accesses.cap = sorted.cap;
}

void stutter_remove(struct ctp *c, struct spins *spins)
{
	struct reducer r = {.c = c, .spins = spins ? spins : spins_new(trace_program(c->trace))};
	struct vec_u32 chain = {0};
	uint32_t end = 0;

	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];

		for (uint32_t e = th->first; e < th->first + th->n;)
			e = reduce(&r, e, &chain);
		end = MAX(end, th->first + th->n);
	}
	if (r.dropped.n) {
		if (!accesses_rise(c))
			sort_accesses(c);
		compact(&r);
		compact_regions(&r);
	}
	vec_release(&chain);
	bitset_release(&r.dropped);
	bitset_release(&r.gone);
	map_release(&r.done);
	map_release(&r.keeps);
	if (!spins)
		spins_free(r.spins);
}

/* ---- queries ----------------------------------------------------------------------------- */

/* The anchor at the same instruction in the round before, in the same visit; CTP_NONE. */
static uint32_t anchor_before(
	const struct ctp *c, struct spins *spins, uint32_t event, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(c, event);
	uint32_t first = c->threads.at[e->thread].first;

	for (uint32_t i = event; i-- > first && event - i < MOST;) {
		const struct ctp_event *x = ctp_at(c, i);

		if (x->func != e->func)
			continue;
		if (!spin_inside(spins, e->func, s->header, x->insn))
			return CTP_NONE;
		if (x->insn == e->insn)
			return stutter_next(c, spins, i, s) == event ? i : CTP_NONE;
	}
	return CTP_NONE;
}

/* The end of a timed wait: whether the round before it timed out, too. */
static bool follows_timeout(const struct ctp *c, struct spins *spins, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);
	struct spin s = spin_of(spins, e->func, e->insn), other;
	uint32_t first = c->threads.at[e->thread].first, before;

	if (!is_sure(&s) || !s.timed)
		return false;
	for (uint32_t i = event; i-- > first && event - i < MOST;) {
		if (ctp_at(c, i)->func == e->func &&
			!spin_inside(spins, e->func, s.header, ctp_at(c, i)->insn))
			return false;
		if (stutter_anchor(c, spins, i, &other) == ANCHOR_NONE || other.header != s.header)
			continue;
		before = anchor_before(c, spins, i, &s);
		return before != CTP_NONE && timed_out(c, before, i);
	}
	return false;
}

bool stutter_is_round(const struct ctp *c, struct spins *spins, uint32_t event)
{
	struct spin s;
	enum anchor how = spins ? stutter_anchor(c, spins, event, &s) : ANCHOR_NONE;

	if (spins && ctp_has_wait(ctp_at(c, event)->kind))
		return follows_timeout(c, spins, event);
	if (how == ANCHOR_NONE)
		return false;
	if (stutter_keeps_first(c, spins, ctp_at(c, event)->func, &s)) {
		uint32_t before = anchor_before(c, spins, event, &s);

		return before != CTP_NONE && (!s.timed || timed_out(c, before, event));
	}
	return how == ANCHOR_LEAVES || (how == ANCHOR_INSIDE && came_out(c, spins, event, &s));
}
