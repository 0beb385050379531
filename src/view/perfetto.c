/*
 * `heddle trace --perfetto`: writes the run for ui.perfetto.dev, in Chrome's JSON trace format: a
 * track for each thread, a slice for each critical section and each wait, arrows from create to
 * begin, from end to join, and from a signal to the thread that it woke. Slices of a track must
 * nest, critical sections need not: if a lock is released while a later one is held, the slice of
 * the later one is closed too and opened again.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/json.h"
#include "report/trace_events.h"
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_slice {
	uint64_t object;
	char *name;
};

struct track {
	VEC(struct open_slice) open;
	uint64_t tsc;       /* time of the last event, monotonic */
	uint32_t wait_rank; /* rank of the current wait for a condition variable */
};

struct woken_by {
	uint32_t rank, thread, event;
};

struct perfetto {
	struct view *v;
	FILE *file;
	struct strbuf out;
	struct trace_events te;
	struct track *tracks;
	struct map signals;        /* address of a condition variable -> index in `last`, plus 1 */
	VEC(struct woken_by) last; /* last signal or broadcast of each condition variable */
	bool failed;
};

/* ---- trace events --------------------------------------------------------------------------- */

static void put_out(struct perfetto *p)
{
	if (!p->failed && fwrite(p->out.s, 1, p->out.n, p->file) != p->out.n)
		p->failed = true;
	strbuf_clear(&p->out);
}

static void end_event(struct perfetto *p)
{
	trace_event_close(&p->te);
	if (p->out.n > 1 << 16)
		put_out(p);
}

static double to_us(const struct perfetto *p, uint64_t tsc)
{
	return trace_time(p->v->t, tsc) * 1e6;
}

static void begin_event(struct perfetto *p, const char *phase, uint32_t thread, const char *name)
{
	trace_event_open(&p->te, phase, view_thread_id(p->v, thread), name, name ? "sync" : NULL,
		to_us(p, p->tracks[thread].tsc));
}

static void put_place(struct perfetto *p, const struct sync_event *e)
{
	struct strbuf b = {0};

	if (e->func >= p->v->p->funcs.n)
		return;
	names_place(&b, p->v->p, e->func, e->insn);
	json_object(&p->te.j, "args");
	json_str(&p->te.j, "place", b.s);
	if (e->result)
		json_i64(&p->te.j, "result", e->result);
	json_end(&p->te.j);
	strbuf_release(&b);
}

static void slice_begin(
	struct perfetto *p, uint32_t t, const char *name, const struct sync_event *e)
{
	begin_event(p, "B", t, name);
	if (e)
		put_place(p, e);
	end_event(p);
}

static void slice_end(struct perfetto *p, uint32_t t)
{
	begin_event(p, "E", t, NULL);
	end_event(p);
}

static void add_instant(
	struct perfetto *p, uint32_t t, const char *name, const struct sync_event *e)
{
	begin_event(p, "i", t, name);
	put_place(p, e);
	end_event(p);
}

static void add_flow(struct perfetto *p, const char *name, uint32_t from, uint64_t from_tsc,
	uint32_t to, uint64_t to_tsc)
{
	trace_events_flow(&p->te, name, view_thread_id(p->v, from), to_us(p, from_tsc),
		view_thread_id(p->v, to), to_us(p, to_tsc));
}

/* ---- slices of a thread --------------------------------------------------------------------- */

static void open_slice(struct perfetto *p, uint32_t t, uint64_t object, const char *word,
	const struct sync_event *e, uint32_t event, bool mutex)
{
	struct strbuf b = {0};

	strbuf_adds(&b, word);
	if (mutex) /* the mutex of a wait: the names of the event are of the condition variable */
		view_data(
			&b, p->v, object, UINT64_MAX, view_generation(p->v, t, event + 1, object));
	else
		view_sync_object(&b, p->v, t, event);
	slice_begin(p, t, b.s, e);
	vec_push(&p->tracks[t].open, (struct open_slice){object, strbuf_detach(&b)});
}

static void close_slice(struct perfetto *p, uint32_t t, uint64_t object)
{
	struct track *tr = &p->tracks[t];
	uint32_t i = tr->open.n;

	while (i && tr->open.at[i - 1].object != object)
		i--;
	if (!i--)
		return;
	for (uint32_t k = tr->open.n; k > i; k--)
		slice_end(p, t);
	free(tr->open.at[i].name);
	memmove(&tr->open.at[i], &tr->open.at[i + 1], (tr->open.n - i - 1) * sizeof *tr->open.at);
	tr->open.n--;
	for (uint32_t k = i; k < tr->open.n; k++)
		slice_begin(p, t, tr->open.at[k].name, NULL);
}

static void put_signal(
	struct perfetto *p, uint32_t rank, const struct order_point *pt, uint64_t cond)
{
	uint64_t *at = map_put(&p->signals, cond);

	if (!*at) {
		(void)vec_add(&p->last);
		*at = p->last.n;
	}
	p->last.at[*at - 1] = (struct woken_by){rank, pt->thread, pt->event};
}

static void put_woken(struct perfetto *p, uint32_t t, const struct sync_event *e)
{
	uint64_t at = map_get_or(&p->signals, e->object, 0);
	const struct woken_by *w = at ? &p->last.at[at - 1] : NULL;
	uint64_t from;

	if (e->result || !w || w->rank < p->tracks[t].wait_rank)
		return;
	from = sync_order_time(&p->v->c.o, w->thread, w->event);
	add_flow(p, "wakes", w->thread, MIN(from, p->tracks[t].tsc), t, p->tracks[t].tsc);
}

static void put_cond(
	struct perfetto *p, uint32_t rank, const struct order_point *pt, const struct sync_event *e)
{
	uint32_t t = pt->thread;

	if (e->kind == LOG_S_COND_WAIT) {
		close_slice(p, t, e->value);
		p->tracks[t].wait_rank = rank;
		open_slice(p, t, e->object, "wait ", e, pt->event, false);
	} else if (e->kind == LOG_S_COND_WOKEN) {
		put_woken(p, t, e);
		close_slice(p, t, e->object);
		if (sync_succeeded(e))
			open_slice(p, t, e->value, "holds ", e, pt->event, true);
	} else {
		put_signal(p, rank, pt, e->object);
		add_instant(p, t, sync_kind_name(e->kind), e);
	}
}

static void put_thread(struct perfetto *p, const struct order_point *pt, const struct sync_event *e)
{
	const struct history *h = &p->v->c.h;
	uint32_t t = pt->thread;
	struct strbuf b = {0};

	if (e->kind == SYNC_BEGIN) {
		view_thread_name(&b, p->v, t);
		slice_begin(p, t, b.s, NULL);
		vec_push(&p->tracks[t].open, (struct open_slice){0, strbuf_detach(&b)});
		return;
	}
	if (e->kind == SYNC_END) {
		while (p->tracks[t].open.n) {
			slice_end(p, t);
			free(vec_pop(&p->tracks[t].open).name);
		}
		return;
	}
	add_instant(p, t, sync_kind_name(e->kind), e);
	if (e->result || e->extra >= h->threads.n || !h->threads.at[e->extra].events.n)
		return;
	if (e->kind == LOG_S_CREATE) {
		uint64_t begun = sync_order_time(&p->v->c.o, e->extra, 0);

		add_flow(p, "creates", t, MIN(p->tracks[t].tsc, begun), e->extra, begun);
	} else if (e->kind == LOG_S_JOIN) {
		uint64_t ended = p->tracks[e->extra].tsc;

		add_flow(p, "is joined", e->extra, MIN(ended, p->tracks[t].tsc), t,
			p->tracks[t].tsc);
	}
}

static void put_event(
	struct perfetto *p, uint32_t rank, const struct order_point *pt, const struct sync_event *e)
{
	uint32_t t = pt->thread;

	switch (check_primitive_of(e->kind)) {
	case CHECK_THREAD: put_thread(p, pt, e); return;
	case CHECK_COND: put_cond(p, rank, pt, e); return;
	}
	switch (e->kind) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
		if (sync_succeeded(e))
			open_slice(p, t, e->object, "holds ", e, pt->event, false);
		else
			add_instant(p, t, sync_kind_name(e->kind), e);
		break;
	case LOG_S_UNLOCK:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_UNLOCK: close_slice(p, t, e->object); break;
	case LOG_S_BARRIER_ENTER:
		open_slice(p, t, e->object, "barrier ", e, pt->event, false);
		break;
	case LOG_S_BARRIER_LEAVE: close_slice(p, t, e->object); break;
	case LOG_S_ALLOC:
	case LOG_S_FREE:
	case LOG_S_REALLOC: break; /* omitted: they would hide all other events */
	default: add_instant(p, t, sync_kind_name(e->kind), e);
	}
}

/* ---- the file ------------------------------------------------------------------------------- */

static void put_header(struct perfetto *p)
{
	struct strbuf b = {0};

	trace_events_begin(&p->te, trace_meta(p->v->t)->exe);
	for (uint32_t t = 0; t < trace_nthreads(p->v->t); t++) {
		strbuf_clear(&b);
		view_thread_name(&b, p->v, t);
		trace_events_name_thread(&p->te, view_thread_id(p->v, t), b.s);
	}
	strbuf_release(&b);
}

static void put_all(struct perfetto *p)
{
	const struct sync_order *o = &p->v->c.o;

	put_header(p);
	for (uint32_t r = 0; r < o->n; r++) {
		const struct order_point *pt = &o->at[r];
		const struct sync_event *e = &o->h->threads.at[pt->thread].events.at[pt->event];
		struct track *tr = &p->tracks[pt->thread];

		tr->tsc = MAX(tr->tsc, sync_order_time(o, pt->thread, pt->event));
		if (!pt->part)
			put_event(p, r, pt, e);
		else if (e->kind == LOG_S_COND_SIGNAL || e->kind == LOG_S_COND_BROADCAST)
			put_signal(p, r, pt, e->object);
	}
	for (uint32_t t = 0; t < trace_nthreads(p->v->t); t++) { /* threads that did not end */
		p->tracks[t].tsc = MAX(p->tracks[t].tsc, trace_meta(p->v->t)->tsc_end);
		while (p->tracks[t].open.n) {
			slice_end(p, t);
			free(vec_pop(&p->tracks[t].open).name);
		}
		vec_release(&p->tracks[t].open);
	}
	trace_events_end(&p->te);
	put_out(p);
}

int view_perfetto(struct view *v, const char *path)
{
	struct perfetto p = {.v = v, .file = fopen(path, "w")};

	if (!p.file) {
		error_at((struct diag_pos){.file = path}, "cannot write: %s", strerror(errno));
		return -1;
	}
	p.te.j.out = &p.out;
	p.tracks = xcalloc((size_t)trace_nthreads(v->t) + 1, sizeof *p.tracks);
	put_all(&p);
	if (fclose(p.file))
		p.failed = true;
	if (p.failed)
		error_at((struct diag_pos){.file = path}, "cannot write: %s", strerror(errno));
	free(p.tracks);
	map_release(&p.signals);
	vec_release(&p.last);
	strbuf_release(&p.out);
	return p.failed ? -1 : 0;
}
