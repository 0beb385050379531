/*
 * What comes before what in every linearization: edges, and needs where runs were merged. And the
 * order that all of them are consistent with.
 */
#include "model/model_facts_internal.h"

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctp/transfers.h"

#include <assert.h>

#include <stdlib.h>

/* -- edges -- */

static void add_edge(struct facts *f, uint32_t from, uint32_t to, enum facts_reason why)
{
	if (from == CTP_NONE || to == CTP_NONE || from == to || facts_rank(f, to) == UINT32_MAX ||
		ctp_at(f->c, from)->thread == ctp_at(f->c, to)->thread)
		return;
	if (facts_rank(f, from) > facts_rank(f, to))
		f->wrong =
			"the observed order contradicts the order of creation, joining or barriers";
	vec_push(&f->edges, (struct facts_edge){from, to, (uint8_t)why});
}

/* one of `from` is executed before `to` */
static void add_need(
	struct facts *f, const struct vec_u32 *from, uint32_t to, enum facts_reason why)
{
	if (from->n == 1) {
		add_edge(f, from->at[0], to, why);
		return;
	}
	if (!from->n || facts_rank(f, to) == UINT32_MAX)
		return;
	vec_each (from, i)
		if (ctp_at(f->c, from->at[i])->thread == ctp_at(f->c, to)->thread &&
			from->at[i] < to)
			return; /* its own thread has executed one before */
	vec_push(&f->needs, (struct facts_need){to, f->need_from.n, from->n, (uint8_t)why});
	vec_each (from, i)
		vec_push(&f->need_from, from->at[i]);
}

/* the need for the first event of each thread in `to`, which rises in each thread */
static void add_needs_of_first(struct facts *f, const struct vec_u32 *from,
	const struct vec_u32 *to, enum facts_reason why)
{
	struct bitset seen = {0};

	vec_each (to, i) {
		const struct ctp_event *ev = ctp_at(f->c, to->at[i]);

		if (ev->kind != CTP_INIT && bitset_add(&seen, ev->thread))
			add_need(f, from, to->at[i], why);
	}
	bitset_release(&seen);
}

static void add_object_edges(struct facts *f, const struct facts_object *o)
{
	if (o->ordered)
		for (uint32_t i = 0;
			i + 1 < o->ops.n && facts_rank(f, o->ops.at[i + 1]) < f->observed; i++)
			add_edge(f, o->ops.at[i], o->ops.at[i + 1], FACTS_ORDERED);
	else
		add_needs_of_first(f, &o->inits, &o->ops, FACTS_INIT);
}

/* A LEAVE of a round comes after all ENTERs of the round; so does an ENTER of the next round by a
 * thread that was not in it. */
static void add_barrier_edges(struct facts *f, const struct facts_object *o)
{
	struct map first = {0};  /* round -> into enters + 1: rounds follow each other */
	struct map was_in = {0}; /* round, thread */
	struct vec_u32 enters = {0};

	vec_each (&o->ops, i)
		if (ctp_at(f->c, o->ops.at[i])->kind == CTP_BARRIER_ENTER)
			vec_push(&enters, o->ops.at[i]);
	vec_each (&enters, i) {
		const struct ctp_event *ev = ctp_at(f->c, enters.at[i]);
		uint64_t *at = map_put(&first, ctp_round(ev));

		if (!*at)
			*at = i + 1;
		*map_put(&was_in, (uint64_t)ctp_round(ev) << 32 | ev->thread) = 1;
	}
	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		bool next = ev->kind == CTP_BARRIER_ENTER && ctp_round(ev) > 0 &&
			    !map_get(&was_in, (uint64_t)(ctp_round(ev) - 1) << 32 | ev->thread);
		uint32_t round, at;

		if (ev->kind != CTP_BARRIER_LEAVE && !next)
			continue;
		round = next ? ctp_round(ev) - 1 : ctp_round(ev);
		at = (uint32_t)map_get_or(&first, round, 0);
		for (uint32_t k = at ? at - 1 : enters.n; k < enters.n; k++) {
			uint32_t r = ctp_round(ctp_at(f->c, enters.at[k]));

			if (r > round + 1)
				break;
			if (r == round)
				add_edge(f, enters.at[k], o->ops.at[i], FACTS_BARRIER);
		}
	}
	map_release(&first);
	map_release(&was_in);
	vec_release(&enters);
}

/* The same for merged runs: one alternative of each thread that enters the round. */
static void add_round_needs(struct facts *f, const struct facts_object *o)
{
	struct vec_u32 from = {0};

	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		struct bitset seen = {0};

		for (uint32_t k = 0; ev->kind == CTP_BARRIER_LEAVE && k < o->ops.n; k++) {
			const struct ctp_event *en = ctp_at(f->c, o->ops.at[k]);
			uint32_t g = ctp_group(f->c, en->thread);

			if (en->kind != CTP_BARRIER_ENTER || ctp_round(en) != ctp_round(ev) ||
				!bitset_add(&seen, g))
				continue;
			vec_clear(&from);
			for (uint32_t m = k; m < o->ops.n; m++) {
				const struct ctp_event *x = ctp_at(f->c, o->ops.at[m]);

				if (x->kind == CTP_BARRIER_ENTER && ctp_round(x) == ctp_round(ev) &&
					ctp_group(f->c, x->thread) == g)
					vec_push(&from, o->ops.at[m]);
			}
			add_need(f, &from, o->ops.at[i], FACTS_BARRIER);
		}
		bitset_release(&seen);
	}
	vec_release(&from);
}

/* the last event of a thread, or of each of its alternatives that end */
static void last_events_of(const struct facts *f, uint32_t thread, struct vec_u32 *out)
{
	vec_clear(out);
	vec_each (&f->c->threads, t) {
		const struct ctp_thread *th = &f->c->threads.at[t];

		if (th->n && (t == thread || facts_same_group(f, t, thread)) &&
			(!f->merged || th->end != CTP_NONE))
			vec_push(out, th->first + th->n - 1);
	}
}

static void creates_of(const struct facts *f, uint32_t t, struct vec_u32 *out)
{
	vec_clear(out);
	if (!f->merged && f->c->threads.at[t].create != CTP_NONE)
		vec_push(out, f->c->threads.at[t].create);
	for (uint32_t e = 0; f->merged && e < f->c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(f->c, e);

		if (ev->kind == CTP_CREATE && ctp_peer(ev) < f->c->threads.n &&
			ctp_group(f->c, ctp_peer(ev)) == ctp_group(f->c, t))
			vec_push(out, e);
	}
}

/* the event that runs the routine of a once, or such an event of each alternative */
static void runners_of(const struct facts *f, uint32_t e, struct vec_u32 *out)
{
	const struct ctp_event *ev = ctp_at(f->c, e);

	vec_clear(out);
	if (ctp_runner(ev) == CTP_NONE || ctp_runner(ev) == e)
		return;
	if (!f->merged)
		vec_push(out, ctp_runner(ev));
	for (uint32_t i = 0; f->merged && i < f->c->events.n; i++) {
		const struct ctp_event *x = ctp_at(f->c, i);

		if (x->kind == CTP_ONCE && x->object == ev->object && ctp_runner(x) == i)
			vec_push(out, i);
	}
}

static void add_thread_edges(struct facts *f)
{
	const struct ctp *c = f->c;
	struct vec_u32 from = {0};

	vec_each (&c->threads, t)
		if (c->threads.at[t].n) {
			creates_of(f, t, &from);
			add_need(f, &from, c->threads.at[t].first, FACTS_CREATE);
		}
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_JOIN && ctp_peer(ev) < c->threads.n) {
			last_events_of(f, ctp_peer(ev), &from);
			add_need(f, &from, e, FACTS_JOIN);
		}
		if (ev->kind == CTP_ONCE) {
			runners_of(f, e, &from);
			add_need(f, &from, e, FACTS_ONCE);
		}
	}
	vec_release(&from);
}

/* A read of a pipe comes after the write of the bytes that it returned. */
static void add_transfer_edges(struct facts *f)
{
	struct vec_u32 from = {0};
	struct transfers tr;

	transfers_init(&tr, f->c);
	vec_each (&tr.at, i) {
		uint32_t e = tr.at.at[i];
		bool forward = true;

		transfers_source(&tr, e, &from);
		vec_each (&from, k)
			forward &= facts_rank(f, from.at[k]) < facts_rank(f, e) || f->merged;
		if (forward)
			add_need(f, &from, e, FACTS_DATA);
	}
	transfers_release(&tr);
	vec_release(&from);
}

static void add_block_edges(struct facts *f)
{
	const struct ctp *c = f->c;
	VEC(struct vec_u32) allocs = {0};
	struct map seen = {0};
	struct vec_u32 one = {0};

	vec_resize(&f->frees, f->merged ? c->blocks.n : 0);
	vec_resize(&allocs, f->merged ? c->blocks.n : 0);
	for (uint32_t e = 0; f->merged && e < c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->block != CTP_NONE && ev->kind == CTP_ALLOC)
			vec_push(&allocs.at[ev->block], e);
		if (ev->block != CTP_NONE && ev->kind == CTP_FREE)
			vec_push(&f->frees.at[ev->block], e);
	}
	vec_each (&f->order, r) {
		uint32_t e = f->order.at[r];
		const struct ctp_event *ev = ctp_at(c, e);
		uint64_t *at;

		if (ev->block == CTP_NONE || ev->kind == CTP_ALLOC)
			continue;
		at = map_put(&seen, (uint64_t)ev->block << 32 | ev->thread);
		vec_clear(&one);
		if (c->blocks.at[ev->block].alloc != CTP_NONE)
			vec_push(&one, c->blocks.at[ev->block].alloc);
		if (!*at)
			add_need(f, f->merged ? &allocs.at[ev->block] : &one, e, FACTS_ALLOC);
		*at = 1;
	}
	vec_each (&allocs, i)
		vec_release(&allocs.at[i]);
	vec_release(&allocs);
	vec_release(&one);
	map_release(&seen);
}

static int by_to(const void *a, const void *b)
{
	const struct facts_edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_need(const void *a, const void *b)
{
	const struct facts_need *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

static void sort_needs(struct facts *f)
{
	if (f->needs.n)
		qsort(f->needs.at, f->needs.n, sizeof *f->needs.at, by_need);
	vec_resize(&f->need_first, f->c->events.n + 1);
	vec_each (&f->needs, i)
		f->need_first.at[f->needs.at[i].to + 1]++;
	for (uint32_t e = 0; e < f->c->events.n; e++)
		f->need_first.at[e + 1] += f->need_first.at[e];
}

/* Each edge goes forward in the observed order, so edges have no cycle. */
__attribute__((unused)) static bool edges_go_forward(const struct facts *f)
{
	vec_each (&f->edges, i)
		if (facts_rank(f, f->edges.at[i].from) >= facts_rank(f, f->edges.at[i].to))
			return false;
	return true;
}

void facts_find_edges(struct facts *f)
{
	add_thread_edges(f);
	add_transfer_edges(f);
	add_block_edges(f);
	vec_each (&f->objects, i) {
		add_object_edges(f, &f->objects.at[i]);
		(f->merged ? add_round_needs : add_barrier_edges)(f, &f->objects.at[i]);
	}
	if (f->edges.n)
		qsort(f->edges.at, f->edges.n, sizeof *f->edges.at, by_to);
	vec_resize(&f->edge_first, f->c->events.n + 1);
	vec_each (&f->edges, i)
		f->edge_first.at[f->edges.at[i].to + 1]++;
	for (uint32_t e = 0; e < f->c->events.n; e++)
		f->edge_first.at[e + 1] += f->edge_first.at[e];
	sort_needs(f);
	assert(f->wrong || edges_go_forward(f));
	assert(f->edge_first.at[f->c->events.n] == f->edges.n);
}

/* -- the observed order -- */

/* an alternative of each thread of the round is in the order */
static bool round_is_full(const struct facts *f, const struct ctp_event *leave)
{
	struct bitset there = {0};
	bool full = true;

	for (uint32_t pass = 0; pass < 2; pass++)
		vec_each (&f->c->events, e) {
			const struct ctp_event *ev = ctp_at(f->c, e);

			if (ev->kind != CTP_BARRIER_ENTER || ev->object != leave->object ||
				ctp_round(ev) != ctp_round(leave))
				continue;
			if (pass)
				full &= bitset_has(&there, ctp_group(f->c, ev->thread));
			else if (f->rank.at[e] != UINT32_MAX)
				bitset_add(&there, ctp_group(f->c, ev->thread));
		}
	bitset_release(&there);
	return full;
}

/* What the events in the order have made, while events of other runs are appended. */
struct made {
	struct bitset allocs, allocated; /* blocks that some event allocates; that one in the order does */
	struct map inits;                /* object -> 1: some event initializes it, 2: one in the order */
	struct transfers transfers;
};

static void note_made(struct made *m, const struct ctp_event *ev, bool in_order)
{
	if (ev->kind == CTP_ALLOC && ev->block != CTP_NONE)
		bitset_add(in_order ? &m->allocated : &m->allocs, ev->block);
	if (ev->kind == CTP_INIT)
		*map_put(&m->inits, ev->object) = in_order ? 2 : 1;
}

static void made_init(struct made *m, const struct facts *f)
{
	*m = (struct made){0};
	vec_each (&f->c->events, e)
		note_made(m, ctp_at(f->c, e), false);
	vec_each (&f->order, r)
		note_made(m, ctp_at(f->c, f->order.at[r]), true);
	transfers_init(&m->transfers, f->c);
}

static void made_release(struct made *m)
{
	bitset_release(&m->allocs);
	bitset_release(&m->allocated);
	map_release(&m->inits);
	transfers_release(&m->transfers);
}

/* The block and the object of the event exist. */
static bool is_made(const struct made *m, const struct ctp_event *ev)
{
	if (ev->block != CTP_NONE && ev->kind != CTP_ALLOC && bitset_has(&m->allocs, ev->block) &&
		!bitset_has(&m->allocated, ev->block))
		return false;
	if (ev->kind == CTP_INIT)
		return true;
	return (!ev->object || map_get_or(&m->inits, ev->object, 2) == 2) &&
	       (!ctp_has_mutex(ev->kind) || map_get_or(&m->inits, ctp_mutex(ev), 2) == 2);
}

/* An event of another run can be next in the order: its thread is created, joined … */
static bool can_follow(const struct facts *f, const struct made *m, uint32_t e)
{
	const struct ctp *c = f->c;
	const struct ctp_event *ev = ctp_at(c, e);
	struct vec_u32 from = {0};
	bool any;

	if (e == c->threads.at[ev->thread].first)
		creates_of(f, ev->thread, &from);
	else if (ev->kind == CTP_JOIN && ctp_peer(ev) < c->threads.n)
		last_events_of(f, ctp_peer(ev), &from);
	else if (ev->kind == CTP_ONCE)
		runners_of(f, e, &from);
	else if (ev->kind == CTP_HIDDEN)
		transfers_source(&m->transfers, e, &from);
	else if (ev->kind == CTP_BARRIER_LEAVE && !round_is_full(f, ev))
		return false;
	any = !from.n;
	vec_each (&from, i)
		any |= f->rank.at[from.at[i]] != UINT32_MAX;
	vec_release(&from);
	return any;
}

/* Appends the events of other runs, thread by thread as far as each can go. */
static void order_others(struct facts *f)
{
	const struct ctp *c = f->c;
	bool more = true;
	struct made made;

	made_init(&made, f);
	while (more) {
		more = false;
		vec_each (&c->threads, t)
			for (uint32_t i = 0; i < c->threads.at[t].n; i++) {
				uint32_t e = c->threads.at[t].first + i;

				if (f->rank.at[e] != UINT32_MAX)
					continue;
				if (ctp_at(c, e)->flags & CTP_PENDING ||
					!is_made(&made, ctp_at(c, e)) || !can_follow(f, &made, e))
					break;
				f->rank.at[e] = f->order.n;
				vec_push(&f->order, e);
				note_made(&made, ctp_at(c, e), true);
				more = true;
			}
	}
	made_release(&made);
}

/* An event that is pending when the recording ends is never executed and has no rank. */
void facts_take_order(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_each (&c->threads, t)
		f->merged |= c->threads.at[t].alt != 0;
	vec_resize(&f->rank, c->events.n);
	vec_each (&c->events, e)
		f->rank.at[e] = UINT32_MAX;
	vec_each (&c->order, r) {
		f->rank.at[c->order.at[r]] = f->order.n;
		vec_push(&f->order, c->order.at[r]);
	}
	f->observed = f->order.n;
	if (f->merged)
		order_others(f);
	f->unknown_cells =
		f->merged; /* values that an alternative wrote are missing if another runs */
	vec_each (&c->events, e)
		if (f->rank.at[e] == UINT32_MAX && !(ctp_at(c, e)->flags & CTP_PENDING))
			f->wrong = "the observed order does not have all events";
}
