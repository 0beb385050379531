/*
 * Extraction: finds the observed order of all events. The trace orders the operations on one object
 * (trace/order.h), and creation, begin, end and join of a thread; it does not order accesses. The
 * search is for an order in which every read gets its recorded value:
 *  - a read whose cell has the recorded value, a guard, and a synchronization whose dependencies
 *    are executed are executed at once
 *  - a write is executed on demand: for a read that needs its value, or because the next
 *    synchronization of its thread is due. It is delayed while another thread must still read the
 *    old value, or must still write another value before the new value is read
 * The search is greedy and does not backtrack. Where it is stuck, it forces a read: it sets the
 * cell to the recorded value, and the order is not exact. Then the search is repeated with other
 * settings: `strict` orders all synchronization by rank, as far as clocks are exact; `eager`
 * executes writes that do not change the value at once.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "extract/extract_internal.h"
#include "extract/extract_turns.h"

#include <stdlib.h>
#include <string.h>

struct orderer {
	struct extractor *x;
	struct ctp *c;
	u128 *value;          /* by cell: current value */
	bool *known, *initial; /* by cell: the current value, the initial value is known */
	uint32_t *next, *end; /* by thread: next event to execute, end of its events */
	uint32_t *sync_at;    /* by thread: its next synchronization, or its end */
	uint32_t *after;      /* by event: rank of the last synchronization of its thread before it */
	struct vec_u32 sync;  /* all synchronization by rank */
	uint32_t nsync;       /* the first nsync elements of sync are executed */
	struct deps {         /* by event: events that must be executed before it; CTP_NONE */
		uint32_t at[2];
	} *deps;
	uint32_t *first_use;  /* by cell: first index in uses; one element more at the end */
	uint32_t *uses;       /* events, rising */
	struct vec_u32 ready; /* threads that may be able to continue */
	bool *is_ready, *asked; /* by thread: it is in ready; demand() for it is active */
	bool strict;          /* execute all synchronization by rank */
	bool eager;           /* execute writes that do not change the value at once */
	uint64_t forced;      /* number of reads that were forced */
};

/* ---- one event ------------------------------------------------------------------------------ */

static bool access_fits(const struct orderer *o, uint32_t k)
{
	const struct ctp_access *a = &o->c->accesses.at[k];

	return !a->sym.id || !o->known[a->cell] || bitset_has(&o->x->unseen, k) ||
	       o->value[a->cell] == a->seen;
}

static bool fits(const struct orderer *o, const struct ctp_event *e)
{
	for (uint32_t k = e->first; k < e->first + e->n; k++)
		if (!access_fits(o, k))
			return false;
	return true;
}

/* The event does not change memory, so its execution need not wait for a demand. */
static bool is_quiet(const struct orderer *o, const struct ctp_event *e)
{
	if (!(e->flags & CTP_WROTE))
		return true;
	for (uint32_t k = e->first; o->eager && k < e->first + e->n; k++) {
		const struct ctp_access *a = &o->c->accesses.at[k];

		if (a->value.id && (!o->known[a->cell] || o->value[a->cell] != a->put))
			return false;
	}
	return o->eager;
}

static void make_ready(struct orderer *o, uint32_t t)
{
	if (o->is_ready[t] || o->next[t] == o->end[t])
		return;
	o->is_ready[t] = true;
	vec_push(&o->ready, t);
}

/* Index in uses of the first use of the cell by event e or a later one. */
static uint32_t use_from(const struct orderer *o, uint32_t cell, uint32_t e)
{
	uint32_t lo = o->first_use[cell], hi = o->first_use[cell + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (o->uses[mid] < e)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Makes the threads ready that use the cell and whose next event reads. */
static void wake_readers(struct orderer *o, uint32_t cell)
{
	for (uint32_t i = o->first_use[cell]; i < o->first_use[cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread;
		uint32_t e = o->next[t];

		if (e < o->end[t] && ctp_is_access(ctp_at(o->c, e)->kind) &&
			ctp_at(o->c, e)->kind != CTP_WRITE)
			make_ready(o, t);
		i = use_from(o, cell, o->end[t]);
	}
}

static void read_access(struct orderer *o, uint32_t k)
{
	struct ctp_access *a = &o->c->accesses.at[k];

	if (!o->known[a->cell] && !bitset_has(&o->x->unseen, k)) {
		o->c->cells.at[a->cell].initial = a->seen;
		o->c->cells.at[a->cell].known = o->known[a->cell] = true;
		o->value[a->cell] = a->seen;
	}
	if (bitset_has(&o->x->unseen, k))
		a->seen = o->value[a->cell];
}

static void execute(struct orderer *o, uint32_t e)
{
	struct ctp_event *ev = &o->c->events.at[e];

	ev->rank = o->c->order.n;
	vec_push(&o->c->order, e);
	o->next[ev->thread]++;
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++)
		if (o->c->accesses.at[k].sym.id)
			read_access(o, k);
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		struct ctp_access *a = &o->c->accesses.at[k];

		if (!a->value.id)
			continue;
		o->known[a->cell] = true;
		o->value[a->cell] = a->put;
		wake_readers(o, a->cell);
	}
}

/* ---- execution without demand --------------------------------------------------------------- */

static void next_sync(struct orderer *o, uint32_t t)
{
	uint32_t e = o->next[t];

	while (e < o->end[t] && !o->x->rank.at[e])
		e++;
	o->sync_at[t] = e;
}

static bool is_done(const struct orderer *o, uint32_t e)
{
	return e == CTP_NONE || ctp_at(o->c, e)->rank != UINT32_MAX;
}

static bool may_sync(const struct orderer *o, uint32_t e)
{
	if (o->strict)
		return o->sync.at[o->nsync] == e;
	return is_done(o, o->deps[e].at[0]) && is_done(o, o->deps[e].at[1]);
}

static void skip_done(struct orderer *o)
{
	while (o->nsync < o->sync.n && is_done(o, o->sync.at[o->nsync]))
		o->nsync++;
}

static void wake_waiting(struct orderer *o)
{
	if (o->strict) {
		if (o->nsync < o->sync.n)
			make_ready(o, ctp_at(o->c, o->sync.at[o->nsync])->thread);
		return;
	}
	vec_each (&o->c->threads, t) {
		uint32_t e = o->next[t];

		if (e < o->end[t] && o->x->rank.at[e] && may_sync(o, e))
			make_ready(o, t);
	}
}

/* Executes the events of the thread up to the next that changes memory or must wait. */
static void go_on(struct orderer *o, uint32_t t)
{
	while (o->next[t] < o->end[t]) {
		uint32_t e = o->next[t];
		const struct ctp_event *ev = ctp_at(o->c, e);

		if (o->x->rank.at[e]) {
			if (!may_sync(o, e))
				return;
			execute(o, e);
			next_sync(o, t);
			skip_done(o);
			wake_waiting(o);
		} else if (!ctp_is_access(ev->kind) || (fits(o, ev) && is_quiet(o, ev))) {
			execute(o, e);
		} else {
			return;
		}
	}
}

/* ---- choice of the next write --------------------------------------------------------------- */

static const struct ctp_access *access_of(const struct orderer *o, uint32_t e, uint32_t cell)
{
	const struct ctp_event *ev = ctp_at(o->c, e);

	for (uint32_t k = ev->first; k < ev->first + ev->n; k++)
		if (o->c->accesses.at[k].cell == cell)
			return &o->c->accesses.at[k];
	return NULL;
}

static uint32_t demand(struct orderer *o, uint32_t t, uint32_t depth);

enum { DEPTH = 32, AHEAD = 64 };

/* Whether a thread other than `who` writes the cell's current value again, after e is executed. */
static bool comes_back(const struct orderer *o, uint32_t cell, uint32_t e, uint32_t who)
{
	for (uint32_t i = o->first_use[cell]; i < o->first_use[cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread;
		uint32_t k = use_from(o, cell, t == ctp_at(o->c, e)->thread ? e + 1 : o->next[t]);
		uint32_t stop = MIN(k + AHEAD, o->first_use[cell + 1]);

		for (; t != who && k < stop && o->uses[k] < o->end[t]; k++) {
			const struct ctp_access *a = access_of(o, o->uses[k], cell);

			if (a->value.id && a->put == o->value[cell])
				return true;
		}
		i = use_from(o, cell, o->end[t]);
	}
	return false;
}

/* Event e and the next event of the writer both read the current value and change it, and only the
 * writer's thread writes that value again later: then the writer must be first. */
static bool must_wait(const struct orderer *o, uint32_t cell, uint32_t e, uint32_t writer)
{
	const struct ctp_access *a = access_of(o, e, cell);
	const struct ctp_access *b = access_of(o, o->next[writer], cell);

	return a->value.id && a->put != a->seen && b->sym.id && !comes_back(o, cell, e, writer) &&
	       comes_back(o, cell, o->next[writer], ctp_at(o->c, e)->thread);
}

/* The demand for a thread that must still read the current value of the cell, before its next
 * synchronization; CTP_NONE. */
static uint32_t spare_reader(struct orderer *o, uint32_t cell, uint32_t writer, uint32_t depth)
{
	for (uint32_t i = o->first_use[cell]; i < o->first_use[cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread, found = CTP_NONE;
		uint32_t k = use_from(o, cell, o->next[t]);

		if (t != writer && !o->asked[t] && k < o->first_use[cell + 1] &&
			o->uses[k] < o->sync_at[t]) {
			const struct ctp_access *a = access_of(o, o->uses[k], cell);

			if (a->sym.id && o->known[cell] && a->seen == o->value[cell] &&
				!must_wait(o, cell, o->uses[k], writer))
				found = demand(o, t, depth + 1);
		}
		if (found != CTP_NONE)
			return found;
		i = use_from(o, cell, o->end[t]);
	}
	return CTP_NONE;
}

/* The demand for a thread that will write the value; far: even after its next synchronization. */
static uint32_t find_writer(struct orderer *o, uint32_t cell, u128 value, uint32_t reader, bool far,
	uint32_t depth)
{
	for (uint32_t i = o->first_use[cell]; i < o->first_use[cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread, found = CTP_NONE;
		uint32_t k = use_from(o, cell, o->next[t]), stop = k + AHEAD;
		bool has = false;

		for (; t != reader && !o->asked[t] && k < MIN(stop, o->first_use[cell + 1]) &&
			o->uses[k] < (far ? o->end[t] : o->sync_at[t]) && !has;
			k++) {
			const struct ctp_access *a = access_of(o, o->uses[k], cell);

			has = a->value.id && a->put == value;
		}
		if (has)
			found = demand(o, t, depth + 1);
		if (found != CTP_NONE)
			return found;
		i = use_from(o, cell, o->end[t]);
	}
	return CTP_NONE;
}

/* The smallest rank of synchronization after which a thread reads, as its next use of the cell, the
 * value that e will write; e's own thread included. 0: none. */
static uint32_t read_after(const struct orderer *o, uint32_t e, const struct ctp_access *a)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = o->first_use[a->cell]; i < o->first_use[a->cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread;
		uint32_t from = t == ctp_at(o->c, e)->thread ? e + 1 : o->next[t];
		uint32_t k = use_from(o, a->cell, from);

		if (k < o->first_use[a->cell + 1] && o->uses[k] < o->end[t]) {
			const struct ctp_access *b = access_of(o, o->uses[k], a->cell);

			if (b->sym.id && b->seen == a->put)
				least = MIN(least, o->after[o->uses[k]]);
		}
		i = use_from(o, a->cell, o->end[t]);
	}
	return least == UINT32_MAX ? 0 : least;
}

/* The demand for a thread that must write the cell before read_after(), and so would overwrite the
 * value of e if e came first; CTP_NONE. */
static uint32_t spoiler(struct orderer *o, uint32_t e, const struct ctp_access *a, uint32_t depth)
{
	uint32_t before = read_after(o, e, a), found = CTP_NONE;

	for (uint32_t i = o->first_use[a->cell]; before && i < o->first_use[a->cell + 1];) {
		uint32_t t = ctp_at(o->c, o->uses[i])->thread;
		uint32_t k = use_from(o, a->cell, o->next[t]);

		if (t != ctp_at(o->c, e)->thread && !o->asked[t] && k < o->first_use[a->cell + 1] &&
			o->uses[k] < o->sync_at[t] && o->sync_at[t] < o->end[t] &&
			o->x->rank.at[o->sync_at[t]] < before &&
			access_of(o, o->uses[k], a->cell)->value.id)
			found = demand(o, t, depth + 1);
		if (found != CTP_NONE)
			return found;
		i = use_from(o, a->cell, o->end[t]);
	}
	return CTP_NONE;
}

/* The thread whose write is next so that synchronization e of t can be executed: the demand for one
 * of its dependencies. */
static uint32_t demand_sync(struct orderer *o, uint32_t t, uint32_t e, uint32_t depth)
{
	uint32_t found = CTP_NONE;

	o->asked[t] = true;
	for (uint32_t i = 0; i < ARRAY_SIZE(o->deps->at) && found == CTP_NONE; i++) {
		uint32_t dep = o->deps[e].at[i];

		if (!is_done(o, dep) && !o->asked[ctp_at(o->c, dep)->thread])
			found = demand(o, ctp_at(o->c, dep)->thread, depth + 1);
	}
	o->asked[t] = false;
	return found;
}

/* The thread whose write is next so that t can continue, t itself included; CTP_NONE if no write
 * helps. */
static uint32_t demand(struct orderer *o, uint32_t t, uint32_t depth)
{
	uint32_t e = o->next[t], found = CTP_NONE;
	const struct ctp_event *ev;
	bool stuck = false;

	if (e >= o->end[t] || depth > DEPTH)
		return CTP_NONE;
	if (o->x->rank.at[e])
		return o->strict ? CTP_NONE : demand_sync(o, t, e, depth);
	ev = ctp_at(o->c, e);
	o->asked[t] = true;
	for (uint32_t k = ev->first; k < ev->first + ev->n && found == CTP_NONE; k++) {
		const struct ctp_access *a = &o->c->accesses.at[k];

		if (!access_fits(o, k)) {
			stuck = true;
			found = find_writer(o, a->cell, a->seen, t, false, depth);
			if (found == CTP_NONE)
				found = find_writer(o, a->cell, a->seen, t, true, depth);
		}
	}
	for (uint32_t k = ev->first; !stuck && k < ev->first + ev->n && found == CTP_NONE; k++) {
		const struct ctp_access *a = &o->c->accesses.at[k];

		if (a->value.id && a->put != o->value[a->cell])
			found = spare_reader(o, a->cell, t, depth);
		if (a->value.id && found == CTP_NONE)
			found = spoiler(o, e, a, depth);
	}
	o->asked[t] = false;
	if (found != CTP_NONE)
		return found;
	return stuck ? CTP_NONE : t;
}

/* The thread of the next synchronization, or the first thread with events left. */
static uint32_t urgent(const struct orderer *o)
{
	if (o->nsync < o->sync.n)
		return ctp_at(o->c, o->sync.at[o->nsync])->thread;
	vec_each (&o->c->threads, t)
		if (o->next[t] < o->end[t])
			return t;
	return CTP_NONE;
}

/* No write explains the next read of t: sets the cells to its recorded values. */
static void force(struct orderer *o, uint32_t t)
{
	const struct ctp_event *ev = ctp_at(o->c, o->next[t]);

	o->forced++;
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++)
		if (!access_fits(o, k)) {
			o->value[o->c->accesses.at[k].cell] = o->c->accesses.at[k].seen;
			wake_readers(o, o->c->accesses.at[k].cell);
		}
}

static void run(struct orderer *o)
{
	for (;;) {
		uint32_t t, w;

		while (o->ready.n) {
			t = vec_pop(&o->ready);
			o->is_ready[t] = false;
			go_on(o, t);
		}
		t = urgent(o);
		if (t == CTP_NONE)
			return;
		w = demand(o, t, 0);
		if (w == CTP_NONE) {
			BUG_ON(o->x->rank.at[o->next[t]]);
			force(o, t);
		} else {
			execute(o, o->next[w]);
			make_ready(o, w);
		}
		make_ready(o, t);
	}
}

/* ---- the whole search ----------------------------------------------------------------------- */

static int compare_rank(const void *a, const void *b, void *ctx)
{
	const struct extractor *x = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (x->rank.at[i] != x->rank.at[j])
		return x->rank.at[i] < x->rank.at[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

static void find_uses(struct orderer *o)
{
	uint32_t n = o->c->cells.n, *at = xcalloc(n + 2, sizeof *at);

	vec_each (&o->c->events, e)
		for (uint32_t k = 0; k < ctp_at(o->c, e)->n; k++)
			at[o->c->accesses.at[ctp_at(o->c, e)->first + k].cell + 1]++;
	for (uint32_t i = 0; i < n; i++)
		at[i + 1] += at[i];
	o->uses = xcalloc((size_t)at[n] + 1, sizeof *o->uses);
	o->first_use = xcalloc(n + 2, sizeof *o->first_use);
	memcpy(o->first_use, at, (n + 1) * sizeof *at);
	vec_each (&o->c->events, e)
		for (uint32_t k = 0; k < ctp_at(o->c, e)->n; k++)
			o->uses[at[o->c->accesses.at[ctp_at(o->c, e)->first + k].cell]++] = e;
	free(at);
}

static uint64_t object_of(const struct ctp_event *e)
{
	return e->kind == CTP_ALLOC || e->kind == CTP_FREE ? e->at : e->object;
}

static uint32_t last_use(struct map *last, uint64_t object, uint32_t e)
{
	uint64_t *at = map_put(last, object);
	uint32_t old = (uint32_t)*at - 1;

	*at = e + 1;
	return old;
}

/* An operation depends on the previous one on its object, a begin on the creation of the thread, a
 * join on its end. */
static void find_deps(struct orderer *o)
{
	struct map last = {0};

	o->deps = xmalloc((o->c->events.n + 1) * sizeof *o->deps);
	memset(o->deps, 0xff, (o->c->events.n + 1) * sizeof *o->deps);
	vec_each (&o->sync, i) {
		uint32_t e = o->sync.at[i];
		const struct ctp_event *ev = ctp_at(o->c, e);
		uint32_t *d = o->deps[e].at;

		if (ev->kind == CTP_BEGIN) {
			d[0] = o->c->threads.at[ev->thread].create;
			continue;
		}
		if (ev->kind == CTP_JOIN && ctp_peer(ev) != CTP_NONE)
			d[0] = o->c->threads.at[ctp_peer(ev)].end;
		else if (object_of(ev))
			d[0] = last_use(&last, object_of(ev), e);
		if (ctp_has_mutex(ev->kind) && ctp_mutex(ev))
			d[1] = last_use(&last, ctp_mutex(ev), e);
	}
	map_release(&last);
}

static void orderer_init(struct orderer *o)
{
	uint32_t n = o->c->threads.n;

	o->value = xcalloc(o->c->cells.n + 1, sizeof *o->value);
	o->known = xcalloc(o->c->cells.n + 1, sizeof *o->known);
	o->initial = xcalloc(o->c->cells.n + 1, sizeof *o->initial);
	o->next = xcalloc(n + 1, sizeof *o->next);
	o->end = xcalloc(n + 1, sizeof *o->end);
	o->sync_at = xcalloc(n + 1, sizeof *o->sync_at);
	o->is_ready = xcalloc(n + 1, sizeof *o->is_ready);
	o->asked = xcalloc(n + 1, sizeof *o->asked);
	o->after = xcalloc(o->c->events.n + 1, sizeof *o->after);
	find_uses(o);
	vec_each (&o->c->cells, i)
		o->initial[i] = o->c->cells.at[i].known;
	vec_each (&o->c->threads, t) {
		const struct ctp_thread *th = &o->c->threads.at[t];
		uint32_t rank = 0;

		o->end[t] = th->first + th->n;
		if (th->n && (ctp_at(o->c, o->end[t] - 1)->flags & CTP_PENDING))
			o->end[t]--;
		for (uint32_t e = th->first; e < o->end[t]; e++) {
			o->after[e] = rank;
			if (o->x->rank.at[e])
				vec_push(&o->sync, e);
			rank = o->x->rank.at[e] ? o->x->rank.at[e] : rank;
		}
	}
	if (o->sync.n)
		qsort_r(o->sync.at, o->sync.n, sizeof *o->sync.at, compare_rank, o->x);
	find_deps(o);
}

static void restart(struct orderer *o)
{
	o->forced = o->nsync = 0;
	o->c->order.n = 0;
	vec_each (&o->c->events, e)
		o->c->events.at[e].rank = UINT32_MAX;
	vec_each (&o->c->cells, i) {
		o->c->cells.at[i].known = o->known[i] = o->initial[i];
		o->value[i] = o->c->cells.at[i].initial;
	}
	vec_each (&o->c->threads, t)
		o->next[t] = o->c->threads.at[t].first;
	vec_each (&o->c->threads, t) {
		next_sync(o, t);
		make_ready(o, t);
	}
}

static void orderer_release(struct orderer *o)
{
	free(o->value);
	free(o->known);
	free(o->initial);
	free(o->next);
	free(o->end);
	free(o->sync_at);
	free(o->after);
	free(o->deps);
	free(o->is_ready);
	free(o->asked);
	free(o->first_use);
	free(o->uses);
	vec_release(&o->sync);
	vec_release(&o->ready);
}

/* Sets the conditions of FIX events for native reads, whose values are known now. */
static void fix_late(struct extractor *x)
{
	struct terms *ts = x->ts;

	vec_each (&x->late, i) {
		const struct ctp_event *r = ctp_at(x->c, x->late.at[i].read);
		term_t all = term_bool(ts, true);

		for (uint32_t k = r->first; k < r->first + r->n; k++) {
			const struct ctp_access *a = &x->c->accesses.at[k];

			all = term_and(ts, all,
				term_eq(ts, a->sym,
					term_const(ts, term_width(ts, a->sym), a->seen)));
		}
		x->c->events.at[x->late.at[i].fix].cond = all;
	}
}

/* Drops initial values that were derived from first reads: they are wrong if the order is. */
static void forget_initial(struct orderer *o)
{
	vec_each (&o->c->cells, i)
		o->c->cells.at[i].known = o->initial[i];
}

/* Executes the schedule of the trace, if any; true if every read gets its recorded value. */
static bool run_turns(struct orderer *o)
{
	const char *turns = o->x->t ? trace_meta(o->x->t)->turns : NULL;
	struct vec_u32 order = {0};
	bool exact = turns && turns_order(o->c, turns, &order);

	if (exact)
		restart(o);
	for (uint32_t i = 0; exact && i < order.n; i++) {
		exact = fits(o, ctp_at(o->c, order.at[i]));
		execute(o, order.at[i]);
	}
	vec_release(&order);
	return exact;
}

void order_events(struct extractor *x)
{
	static const struct {
		bool strict, eager;
	} manners[] = {{true, true}, {true, false}, {false, false}, {false, true}};
	struct orderer o = {.x = x, .c = x->c};
	bool told;

	orderer_init(&o);
	told = run_turns(&o);
	for (size_t i = 0; i < ARRAY_SIZE(manners) && !told; i++) {
		o.strict = manners[i].strict;
		o.eager = manners[i].eager;
		restart(&o);
		run(&o);
		if (!o.forced)
			break;
	}
	x->c->order_exact = !o.forced;
	/* in a chunk, a read may take its value from a write outside of the chunk */
	if (x->chunk || (o.forced && (x->merge || x->begun)))
		forget_initial(&o);
	if (o.forced && !x->merge && !x->chunk)
		extract_limit(x, "%llu read%s returned a value that no modelled write explains",
			(unsigned long long)o.forced, o.forced == 1 ? "" : "s");
	fix_late(x);
	orderer_release(&o);
}
