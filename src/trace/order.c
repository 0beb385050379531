#include "trace/order.h"

#include "base/base.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct edge {
	uint32_t from, to;
};

struct use { /* an operation on an object */
	uint64_t object;
	uint32_t seq, point;
};

struct sorter {
	struct sync_order *o;
	const struct history *h;
	VEC(struct order_point) points; /* by thread, then event, then part */
	VEC(uint64_t) tsc;              /* by point */
	VEC(uint32_t) first;            /* by event: its first point; one more at the end */
	VEC(struct edge) edges;
	VEC(struct use) uses;
	uint32_t *out, *out_at; /* successors of point p: out[out_at[p] .. out_at[p + 1]) */
	uint32_t *missing;      /* by point: number of predecessors without a rank */
	bool *placed;
	VEC(uint32_t) heap; /* points without missing predecessors, the earliest on top */
};

static void add_fault(struct sorter *s, enum order_fault_kind kind, uint32_t at, uint32_t other)
{
	if (s->o->nfaults++ < ORDER_MAX_FAULTS)
		vec_push(&s->o->faults,
			(struct order_fault){kind, s->points.at[at], s->points.at[other]});
}

static const struct sync_event *event_of(const struct sorter *s, uint32_t point)
{
	const struct order_point *p = &s->points.at[point];

	return &s->h->threads.at[p->thread].events.at[p->event];
}

static uint32_t event_number(const struct sorter *s, uint32_t thread, uint32_t event)
{
	return s->o->base[thread] + event;
}

/* ---- points --------------------------------------------------------------------------------- */

static bool is_numbered(const struct sync_event *e)
{
	switch (e->kind) {
	case LOG_S_CREATE:
	case LOG_S_JOIN:
	case LOG_S_DETACH:
	case LOG_S_EXIT:
	case LOG_S_CANCEL:
	case LOG_S_SEM_OPEN:
	case SYNC_BEGIN:
	case SYNC_END: return false;
	default: return e->object && e->kind < LOG_S_FORK;
	}
}

static bool is_span(const struct sync_event *e)
{
	return e->kind == LOG_S_COND_SIGNAL || e->kind == LOG_S_COND_BROADCAST;
}

/* Time of an event. A new thread may run and log before the record of its creation is written: the
 * creation is no later than the thread's first event. */
static uint64_t time_of(const struct sorter *s, const struct sync_thread *th, uint32_t event,
	uint64_t estimate)
{
	const struct sync_event *e = &th->events.at[event];

	if (e->kind == LOG_S_CREATE && !e->result && e->extra < s->h->threads.n) {
		const struct sync_thread *t = &s->h->threads.at[e->extra];

		if (t->events.n)
			return MIN(estimate, t->events.at[0].tsc);
	}
	return estimate;
}

/* Events without a time stamp of their own are placed evenly between those with one: between the
 * times `from` (of event `begin`) and `to`, which are `gap` events apart. */
struct stretch {
	uint64_t from, to;
	uint32_t begin, gap;
};

static uint64_t estimate_time(struct stretch *st, const struct sync_thread *th, uint32_t event)
{
	if (sync_is_stamped(th, event)) {
		uint32_t next = event + 1;

		while (next < th->events.n && !sync_is_stamped(th, next))
			next++;
		*st = (struct stretch){th->events.at[event].tsc, th->events.at[event].tsc, event,
			next - event};
		if (next < th->events.n)
			st->to = MAX(st->from, th->events.at[next].tsc);
	}
	return st->from + (st->to - st->from) / st->gap * (event - st->begin);
}

static void add_points(struct sorter *s)
{
	const struct history *h = s->h;

	vec_each (&h->threads, t) {
		struct stretch st = {0};
		uint64_t now = 0;

		vec_each (&h->threads.at[t].events, i) {
			const struct sync_event *e = &h->threads.at[t].events.at[i];
			uint32_t n = sync_is_double(e) ? 2 : 1;

			now = MAX(now, time_of(s, &h->threads.at[t], i,
					       estimate_time(&st, &h->threads.at[t], i)));
			vec_push(&s->first, s->points.n);
			for (uint32_t part = 0; part < n; part++) {
				bool mutex = part && !is_span(e);

				if (is_numbered(e) && (!mutex || e->value))
					vec_push(&s->uses,
						(struct use){mutex ? e->value : e->object,
							part ? e->seq2 : e->seq, s->points.n});
				vec_push(&s->points, (struct order_point){t, i, (uint8_t)part});
				vec_push(&s->tsc, now);
			}
		}
	}
	vec_push(&s->first, s->points.n);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void add_edge(struct sorter *s, uint32_t from, uint32_t to)
{
	vec_push(&s->edges, (struct edge){from, to});
}

/* Orders all points of event a before all points of event b. */
static void event_before(struct sorter *s, uint32_t a, uint32_t b)
{
	for (uint32_t i = s->first.at[a]; i < s->first.at[a + 1]; i++)
		for (uint32_t j = s->first.at[b]; j < s->first.at[b + 1]; j++)
			add_edge(s, i, j);
}

static void thread_edges(struct sorter *s)
{
	const struct history *h = s->h;

	vec_each (&h->threads, t) {
		const struct sync_thread *th = &h->threads.at[t];

		vec_each (&th->events, i) {
			const struct sync_event *e = &th->events.at[i];
			uint32_t n = event_number(s, t, i);

			if (i)
				event_before(s, n - 1, n);
			if (is_span(e) && s->first.at[n + 1] - s->first.at[n] == 2)
				add_edge(s, s->first.at[n], s->first.at[n] + 1);
			if ((e->kind != LOG_S_CREATE && e->kind != LOG_S_JOIN) || e->result ||
				e->extra >= h->threads.n || !h->threads.at[e->extra].events.n)
				continue;
			if (e->kind == LOG_S_CREATE)
				event_before(s, n, event_number(s, e->extra, 0));
			else
				event_before(s,
					event_number(
						s, e->extra, h->threads.at[e->extra].events.n - 1),
					n);
		}
	}
}

/* uses[from..to) are the operations on one object. If they are returns from a once: the last event
 * of the thread that ran the routine, before its return, precedes the returns of all other threads,
 * whatever their sequence numbers are. */
static void once_edges(struct sorter *s, uint32_t from, uint32_t to)
{
	uint32_t runner = UINT32_MAX, n = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct sync_event *e = event_of(s, s->uses.at[i].point);

		if (e->kind != LOG_S_ONCE)
			return;
		if (e->extra == 1 && (e->flags & LOG_F_EXTRA)) {
			runner = s->uses.at[i].point;
			n++;
		}
	}
	if (n != 1 || !s->points.at[runner].event)
		return;
	for (uint32_t i = from; i < to; i++) {
		const struct order_point *r = &s->points.at[runner];
		const struct order_point *p = &s->points.at[s->uses.at[i].point];

		if (p->thread != r->thread)
			event_before(s, event_number(s, r->thread, r->event - 1),
				event_number(s, p->thread, p->event));
	}
}

static int compare_use(const void *x, const void *y)
{
	const struct use *a = x, *b = y;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

/* The last operation of a thread that was cut off may have no record. If another thread acquires a
 * lock that it held, that operation was the release: all its events precede the acquisition. */
struct cut_holder {
	bool any; /* some threads were cut off, and the histories of all others are complete */
	uint32_t thread; /* that holds the lock; UINT32_MAX */
};

static void cut_edge(struct sorter *s, struct cut_holder *holder, const struct use *u)
{
	const struct order_point *p = &s->points.at[u->point];
	const struct sync_event *e = event_of(s, u->point);
	uint32_t held = holder->thread;

	if (!holder->any)
		return;
	switch (e->kind) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
		if (e->result)
			return;
		break;
	case LOG_S_COND_WOKEN:
		if (!p->part)
			return;
		break;
	case LOG_S_COND_WAIT:
	case LOG_S_UNLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_MUTEX_INIT: holder->thread = UINT32_MAX; return;
	default: return;
	}
	if (held != UINT32_MAX && held != p->thread && s->h->threads.at[held].fate == SYNC_CUT)
		event_before(s, event_number(s, held, s->h->threads.at[held].events.n - 1),
			event_number(s, p->thread, p->event));
	holder->thread = p->thread;
}

static bool some_were_cut(const struct history *h)
{
	bool some = false;

	if (h->foreign)
		return false;
	vec_each (&h->threads, t) {
		if (h->threads.at[t].fate == SYNC_DARK)
			return false;
		some = some || h->threads.at[t].fate == SYNC_CUT;
	}
	return some;
}

static void object_edges(struct sorter *s)
{
	struct cut_holder holder = {some_were_cut(s->h), UINT32_MAX};
	uint32_t from = 0;

	if (s->uses.n)
		qsort(s->uses.at, s->uses.n, sizeof *s->uses.at, compare_use);
	for (uint32_t i = 1; i <= s->uses.n; i++) {
		const struct use *a = &s->uses.at[i - 1], *b = a + 1;

		cut_edge(s, &holder, a);
		if (i == s->uses.n || a->object != b->object) {
			once_edges(s, from, i);
			from = i;
			holder.thread = UINT32_MAX;
		} else if (a->seq == b->seq) {
			add_fault(s, ORDER_SAME_SEQ, b->point, a->point);
		} else {
			add_edge(s, a->point, b->point);
		}
	}
}

static void index_edges(struct sorter *s)
{
	uint32_t n = s->points.n, *fill = xcalloc((size_t)n + 1, sizeof *fill);

	s->out_at = xcalloc((size_t)n + 1, sizeof *s->out_at);
	s->out = xcalloc((size_t)s->edges.n + 1, sizeof *s->out);
	s->missing = xcalloc((size_t)n + 1, sizeof *s->missing);
	vec_each (&s->edges, i) {
		s->out_at[s->edges.at[i].from + 1]++;
		s->missing[s->edges.at[i].to]++;
	}
	for (uint32_t p = 0; p < n; p++)
		s->out_at[p + 1] += s->out_at[p];
	vec_each (&s->edges, i) {
		uint32_t from = s->edges.at[i].from;

		s->out[s->out_at[from] + fill[from]++] = s->edges.at[i].to;
	}
	free(fill);
}

/* ---- the sort ------------------------------------------------------------------------------- */

static bool is_earlier(const struct sorter *s, uint32_t a, uint32_t b)
{
	return s->tsc.at[a] != s->tsc.at[b] ? s->tsc.at[a] < s->tsc.at[b] : a < b;
}

static void heap_push(struct sorter *s, uint32_t p)
{
	uint32_t i = s->heap.n;

	vec_push(&s->heap, p);
	for (; i && is_earlier(s, p, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap.at[i] = s->heap.at[(i - 1) / 2];
	s->heap.at[i] = p;
}

static uint32_t heap_pop(struct sorter *s)
{
	uint32_t top = s->heap.at[0], p = vec_pop(&s->heap), i = 0, k;

	for (; (k = 2 * i + 1) < s->heap.n; i = k) {
		if (k + 1 < s->heap.n && is_earlier(s, s->heap.at[k + 1], s->heap.at[k]))
			k++;
		if (!is_earlier(s, s->heap.at[k], p))
			break;
		s->heap.at[i] = s->heap.at[k];
	}
	if (s->heap.n)
		s->heap.at[i] = p;
	return top;
}

static void place_point(struct sorter *s, uint32_t p)
{
	struct sync_order *o = s->o;
	const struct order_point *pt = &s->points.at[p];
	uint32_t *rank = &o->rank[2 * event_number(s, pt->thread, pt->event)];

	assert(!s->placed[p] && o->n < s->points.n);
	s->placed[p] = true;
	o->time[event_number(s, pt->thread, pt->event)] = s->tsc.at[p];
	rank[0] = MIN(rank[0], o->n);
	rank[1] = o->n;
	o->at[o->n++] = *pt;
	for (uint32_t k = s->out_at[p]; k < s->out_at[p + 1]; k++) {
		uint32_t q = s->out[k];

		if (s->placed[q])
			continue;
		s->tsc.at[q] = MAX(s->tsc.at[q], s->tsc.at[p]);
		if (!--s->missing[q])
			heap_push(s, q);
	}
}

/* Every remaining point has a missing predecessor: returns the earliest by time of the threads'
 * first unplaced points, so that program order is kept. threads: by thread, its first point that
 * may be unplaced. */
static uint32_t break_cycle(struct sorter *s, uint32_t *threads)
{
	uint32_t best = UINT32_MAX;

	vec_each (&s->h->threads, t) {
		uint32_t end = s->first.at[s->o->base[t + 1]];

		while (threads[t] < end && s->placed[threads[t]])
			threads[t]++;
		if (threads[t] < end && (best == UINT32_MAX || is_earlier(s, threads[t], best)))
			best = threads[t];
	}
	assert(best != UINT32_MAX); /* points are left, and each is of a thread */
	return best;
}

static void sort_points(struct sorter *s)
{
	struct sync_order *o = s->o;
	uint32_t *threads = xcalloc((size_t)s->h->threads.n + 1, sizeof *threads);

	vec_each (&s->h->threads, t)
		threads[t] = s->first.at[o->base[t]];
	for (uint32_t p = 0; p < s->points.n; p++)
		if (!s->missing[p])
			heap_push(s, p);
	while (o->n < s->points.n) {
		if (s->heap.n) {
			place_point(s, heap_pop(s));
		} else {
			uint32_t p = break_cycle(s, threads);

			add_fault(s, ORDER_CYCLE, p, p);
			place_point(s, p);
		}
	}
	free(threads);
}

void sync_order_build(struct sync_order *o, const struct history *h)
{
	struct sorter s = {.o = o, .h = h};
	uint32_t n = 0;

	*o = (struct sync_order){.h = h};
	o->base = xcalloc((size_t)h->threads.n + 1, sizeof *o->base);
	vec_each (&h->threads, t) {
		o->base[t] = n;
		n += h->threads.at[t].events.n;
	}
	o->base[h->threads.n] = n;
	o->rank = xmalloc(2 * ((size_t)n + 1) * sizeof *o->rank);
	memset(o->rank, 0xff, 2 * ((size_t)n + 1) * sizeof *o->rank);
	o->time = xcalloc((size_t)n + 1, sizeof *o->time);
	add_points(&s);
	o->at = xcalloc((size_t)s.points.n + 1, sizeof *o->at);
	s.placed = xcalloc((size_t)s.points.n + 1, sizeof *s.placed);
	thread_edges(&s);
	object_edges(&s);
	index_edges(&s);
	sort_points(&s);
	vec_release(&s.points);
	vec_release(&s.tsc);
	vec_release(&s.first);
	vec_release(&s.edges);
	vec_release(&s.uses);
	vec_release(&s.heap);
	free(s.out);
	free(s.out_at);
	free(s.missing);
	free(s.placed);
}

void sync_order_release(struct sync_order *o)
{
	free(o->at);
	free(o->base);
	free(o->rank);
	free(o->time);
	vec_release(&o->faults);
	*o = (struct sync_order){0};
}
