/*
 * Extraction, after the events of all threads exist: links events of different threads. One pass
 * over the order of synchronization keeps the state of each object, and so finds critical sections,
 * rounds of barriers, the wait of each wake-up, the runner of each once.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

#include <assert.h>
#include <stdlib.h>

struct hold { /* state of an object */
	uint32_t region, thread; /* lock: of the exclusive holder; CTP_NONE */
	uint32_t depth;          /* levels of a recursive lock above the first */
	uint32_t waiting, tokens; /* condition variable: waiting threads; unused signals */
	uint32_t enters, leaves, round, users; /* barrier: users are threads that have entered */
	uint32_t runner;                /* once: event that ran the routine; CTP_NONE */
};

struct reader { /* a read lock that is held */
	uint64_t object;
	uint32_t thread, region;
};

struct linker {
	struct extractor *x;
	struct ctp *c;
	struct map holds; /* address -> hold + 1 */
	VEC(struct hold) at;
	VEC(struct reader) readers;
	struct map rounds;   /* thread << 32 | object's hold -> round of the barrier */
	uint32_t *last_wait; /* by thread: event */
};

static struct hold *hold_of(struct linker *l, uint64_t object)
{
	uint64_t *at = map_put(&l->holds, object);

	if (!*at) {
		vec_push(&l->at, (struct hold){.region = CTP_NONE,
					 .thread = CTP_NONE,
					 .runner = CTP_NONE});
		*at = l->at.n;
	}
	return &l->at.at[*at - 1];
}

/* ---- locks ---------------------------------------------------------------------------------- */

static uint32_t begin_region(struct linker *l, uint64_t object, uint32_t e, bool shared)
{
	vec_push(&l->c->regions, (struct ctp_region){.object = object,
					 .thread = l->c->events.at[e].thread,
					 .begin = e,
					 .end = CTP_NONE,
					 .shared = shared});
	return l->c->regions.n - 1;
}

static void take(struct linker *l, uint64_t object, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];
	struct hold *h = hold_of(l, object);

	if (h->thread == ev->thread && ev->kind == CTP_LOCK) {
		h->depth++;
		ev->flags |= CTP_RECURSIVE;
		return;
	}
	ev->region = begin_region(l, object, e, false);
	h->region = ev->region;
	h->thread = ev->thread;
	h->depth = 0;
}

static void give(struct linker *l, uint64_t object, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];
	struct hold *h = hold_of(l, object);

	if (h->thread == ev->thread && h->depth) {
		h->depth--;
		ev->flags |= CTP_RECURSIVE;
		return;
	}
	if (h->thread == CTP_NONE) { /* its lock is not among the events */
		vec_push(&l->c->regions, (struct ctp_region){.object = object,
						 .thread = ev->thread,
						 .begin = CTP_NONE,
						 .end = e});
		ev->region = l->c->regions.n - 1;
		return;
	}
	ev->region = h->region;
	l->c->regions.at[h->region].end = e;
	l->c->regions.at[h->region].foreign = h->thread != ev->thread;
	h->thread = h->region = CTP_NONE;
}

static bool give_shared(struct linker *l, uint64_t object, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];

	for (uint32_t i = l->readers.n; i-- > 0;) {
		struct reader *r = &l->readers.at[i];

		if (r->object != object || r->thread != ev->thread)
			continue;
		ev->kind = CTP_RDUNLOCK;
		ev->region = r->region;
		l->c->regions.at[r->region].end = e;
		*r = vec_pop(&l->readers);
		return true;
	}
	return false;
}

static void link_unlock(struct linker *l, uint32_t e)
{
	uint64_t object = l->c->events.at[e].object;
	const uint64_t *ob = map_get(&l->x->objects, object);

	if (ob && l->c->objects.at[*ob - 1].kind == CHECK_RWLOCK && give_shared(l, object, e))
		return;
	give(l, object, e);
}

static void link_rdlock(struct linker *l, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];

	ev->region = begin_region(l, ev->object, e, true);
	vec_push(&l->readers, (struct reader){ev->object, ev->thread, ev->region});
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void link_wait(struct linker *l, uint32_t e)
{
	l->last_wait[l->c->events.at[e].thread] = e;
	hold_of(l, l->c->events.at[e].object)->waiting++;
	give(l, ctp_mutex(ctp_at(l->c, e)), e);
	l->c->events.at[e].flags &= (uint16_t)~CTP_RECURSIVE;
}

static void link_woken(struct linker *l, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];
	struct hold *h = hold_of(l, ev->object);

	ev->link.wait = l->last_wait[ev->thread];
	if (ev->kind == CTP_WOKEN && (h->tokens || l->x->chunk || l->x->begun)) {
		/* in a part of a run the signal may come before the part */
		h->tokens -= h->tokens > 0;
	} else { /* a time-out, or a spurious wake-up */
		ev->kind = CTP_TIMEOUT;
		if (h->waiting)
			h->waiting--;
		else if (h->tokens)
			h->tokens--;
	}
	take(l, ctp_mutex(ev), e);
}

static void link_signal(struct linker *l, uint32_t e)
{
	struct hold *h = hold_of(l, l->c->events.at[e].object);
	uint32_t n = l->c->events.at[e].kind == CTP_BROADCAST ? h->waiting : MIN(h->waiting, 1u);

	h->tokens += n;
	h->waiting -= n;
}

static void link_barrier(struct linker *l, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];
	struct hold *h = hold_of(l, ev->object);
	const uint64_t *ob = map_get(&l->x->objects, ev->object);
	int64_t count = ob ? l->c->objects.at[*ob - 1].initial : -1;
	uint64_t key = (uint64_t)ev->thread << 32 | (uint64_t)(h - l->at.at);

	if (ev->kind == CTP_BARRIER_LEAVE) {
		h->leaves++;
		ev->link.round = (uint32_t)map_get_or(&l->rounds, key, 0);
		return;
	}
	if (count > 0)
		h->round = h->enters / (uint32_t)count;
	else if (h->enters && h->leaves == h->enters)
		h->round++;
	h->enters++;
	ev->link.round = h->round;
	if (count > 0 && !map_get(&l->rounds, key) && ++h->users > count)
		extract_limit(l->x,
			"a barrier is used by more threads than its count: the threads of "
			"each round are assumed as recorded");
	*map_put(&l->rounds, key) = h->round;
}

static void link_once(struct linker *l, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];
	struct hold *h = hold_of(l, ev->object);

	if (ev->flags & CTP_RAN)
		h->runner = e;
	ev->link.runner = h->runner;
}

/* ---- threads and memory --------------------------------------------------------------------- */

static void link_create(struct linker *l, uint32_t e)
{
	const struct ctp_event *ev = &l->c->events.at[e];
	struct ctp_thread *th;

	if (ctp_peer(ev) == CTP_NONE)
		return;
	th = &l->c->threads.at[ctp_peer(ev)];
	th->create = e;
	th->parent = ev->thread;
}

static void link_event(struct linker *l, uint32_t e)
{
	struct ctp_event *ev = &l->c->events.at[e];

	switch (ev->kind) {
	case CTP_LOCK: take(l, ev->object, e); break;
	case CTP_UNLOCK: link_unlock(l, e); break;
	case CTP_RDLOCK: link_rdlock(l, e); break;
	case CTP_WAIT: link_wait(l, e); break;
	case CTP_WOKEN:
	case CTP_TIMEOUT: link_woken(l, e); break;
	case CTP_SIGNAL:
	case CTP_BROADCAST: link_signal(l, e); break;
	case CTP_BARRIER_ENTER:
	case CTP_BARRIER_LEAVE: link_barrier(l, e); break;
	case CTP_ONCE: link_once(l, e); break;
	case CTP_CREATE: link_create(l, e); break;
	case CTP_BEGIN: l->c->threads.at[ev->thread].begin = e; break;
	case CTP_END:
		if (!l->c->threads.at[ev->thread].exits || !ev->thread)
			l->c->threads.at[ev->thread].end = e;
		break;
	case CTP_ALLOC: l->c->blocks.at[ev->block].alloc = e; break;
	case CTP_FREE:
		if (ev->block != CTP_NONE)
			l->c->blocks.at[ev->block].free = e;
		break;
	default: break;
	}
}

/* ---- all events ----------------------------------------------------------------------------- */

void extract_name_threads(struct extractor *x)
{
	vec_each (&x->c->threads, i) {
		const struct sync_thread *h = &x->sync->h.threads.at[x->c->threads.at[i].id];
		uint32_t nth = 0;

		vec_each (&h->events, k) {
			const struct sync_event *s = &h->events.at[k];
			struct ctp_thread *th;

			if (s->kind != LOG_S_CREATE || !sync_succeeded(s))
				continue;
			if (s->extra < trace_nthreads(x->t) && x->thread_of[s->extra] != CTP_NONE) {
				th = &x->c->threads.at[x->thread_of[s->extra]];
				th->parent = i;
				th->nth = nth;
				th->start_func = follow_func_at(trace_snapshot(x->t), s->value);
			}
			nth++;
		}
	}
}

/* Removes the events of each thread after cut_rank. */
static void truncate_threads(struct extractor *x)
{
	struct bitset keep = {0};

	vec_each (&x->c->threads, t) {
		struct ctp_thread *th = &x->c->threads.at[t];
		uint32_t e = th->first;

		for (; e < th->first + th->n && x->rank.at[e] <= 2 + 2 * (uint64_t)x->cut_rank; e++)
			bitset_add(&keep, e);
		th->cut |= e < th->first + th->n;
	}
	extract_keep(x, &keep);
	bitset_release(&keep);
}

/* Links pending events to their WAIT, thread or round. */
static void link_pending(struct linker *l)
{
	vec_each (&l->c->threads, t) {
		const struct ctp_thread *th = &l->c->threads.at[t];
		struct ctp_event *e = th->n ? &l->c->events.at[th->first + th->n - 1] : NULL;

		if (!e || !(e->flags & CTP_PENDING))
			continue;
		if (e->kind == CTP_WOKEN)
			e->link.wait = l->last_wait[t];
		if (e->kind == CTP_JOIN) { /* object holds its pthread_t until here */
			e->link.peer = (uint32_t)map_get_or(&l->x->selves, e->object, 0) - 1;
			e->object = 0;
		}
		if (e->kind == CTP_BARRIER_LEAVE)
			e->link.round = ctp_round(e - 1);
	}
}

static int compare_rank(const void *a, const void *b, void *ctx)
{
	const struct extractor *x = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (x->rank.at[i] != x->rank.at[j])
		return x->rank.at[i] < x->rank.at[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* The rank at which a signal began; x->rank has the one at which it ended. */
static uint32_t signal_begins(const struct extractor *x, uint32_t e)
{
	const struct sync_order *o = &x->sync->o;
	uint32_t last = (x->rank.at[e] - 2) / 2;
	const struct order_point *p = &o->at[last];

	if (p->thread != x->c->threads.at[ctp_at(x->c, e)->thread].id ||
		sync_order_last(o, p->thread, p->event) != last)
		return x->rank.at[e]; /* find_sync() has raised this rank */
	return 2 + 2 * sync_order_first(o, p->thread, p->event);
}

/* A signal takes effect between its two ranks: places it before the first wake-up between them. */
static void place_signals(struct extractor *x, const struct vec_u32 *sync)
{
	for (uint32_t i = sync->n; i-- > 0;) {
		uint32_t e = sync->at[i], next = 0, begin;
		const struct ctp_event *ev = ctp_at(x->c, e);

		if (ev->kind != CTP_SIGNAL && ev->kind != CTP_BROADCAST)
			continue;
		begin = signal_begins(x, e);
		for (uint32_t k = i; k-- > 0 && x->rank.at[sync->at[k]] > begin;)
			if (x->c->events.at[sync->at[k]].kind == CTP_WOKEN &&
				x->c->events.at[sync->at[k]].object == ev->object)
				next = x->rank.at[sync->at[k]];
		if (next)
			x->rank.at[e] = next - 1;
	}
}

static void settle_objects(struct extractor *x)
{
	struct ctp *c = x->c;

	for (uint32_t i = 0; x->begun && i < c->objects.n; i++)
		if (c->objects.at[i].kind == CHECK_SEM)
			c->objects.at[i].initial = -1;
	vec_each (&c->events, e)
		if (c->events.at[e].flags & CTP_RECURSIVE) {
			uint64_t *at = map_get(&x->objects, c->events.at[e].object);

			if (at && c->objects.at[*at - 1].kind == CHECK_MUTEX)
				c->objects.at[*at - 1].type = 1;
		}
	ctp_sort_objects(c);
}

/* Collects the synchronization of all threads. Raises ranks that contradict program order, which
 * happens if the order of the trace is wrong. */
static void find_sync(struct extractor *x, struct vec_u32 *sync)
{
	uint32_t thread = CTP_NONE, rank = 0;

	vec_each (&x->c->events, e) {
		if (!x->rank.at[e])
			continue;
		if (x->c->events.at[e].thread != thread)
			rank = 0;
		thread = x->c->events.at[e].thread;
		rank = x->rank.at[e] = MAX(rank, x->rank.at[e]);
		vec_push(sync, e);
	}
}

/* Returns of functions free variables; they are not in the order of synchronization. */
static void link_returns(struct ctp *c)
{
	vec_each (&c->events, e)
		if (c->events.at[e].kind == CTP_FREE && c->events.at[e].flags & CTP_RETURN)
			c->blocks.at[c->events.at[e].block].free = e;
}

void link_events(struct extractor *x)
{
	struct linker l = {.x = x, .c = x->c};
	struct vec_u32 sync = {0};

	assert(x->rank.n == x->c->events.n && !x->tr);
	extract_name_threads(x);
	if (x->cut_rank != UINT32_MAX)
		truncate_threads(x);
	if (x->merge)
		merge_cells(x);
	find_sync(x, &sync);
	if (sync.n)
		qsort_r(sync.at, sync.n, sizeof *sync.at, compare_rank, x);
	place_signals(x, &sync);
	barrier_place_last(x, &sync);
	if (sync.n)
		qsort_r(sync.at, sync.n, sizeof *sync.at, compare_rank, x);
	l.last_wait = xcalloc(x->c->threads.n + 1, sizeof *l.last_wait);
	vec_each (&x->c->threads, t)
		l.last_wait[t] = CTP_NONE;
	vec_each (&sync, i)
		link_event(&l, sync.at[i]);
	link_pending(&l);
	link_returns(x->c);
	state_link(x, &sync);
	settle_objects(x);
	vec_release(&sync);
	vec_release(&l.at);
	vec_release(&l.readers);
	map_release(&l.holds);
	map_release(&l.rounds);
	free(l.last_wait);
}
