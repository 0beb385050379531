/*
 * Makes the trace programs of several chunks in one pass. The re-execution of a thread is in the
 * fast mode, and changes to the careful mode where the thread is in some chunk. Each chunk is an
 * extraction of its own, with its own cells and terms; it shares the tables of the extractor of the
 * index.
 */
#include "extract/partition_chunk.h"

#include "base/base.h"
#include "base/bitset.h"

#include <stdlib.h>

struct part { /* the events of one thread in one chunk */
	uint32_t chunk;
	uint64_t from, to; /* points; to UINT64_MAX: up to its end */
	uint64_t early;    /* a point, at most `from`, without entries in between, at which the
			      careful mode begins: the fast mode does not report every point */
};

struct stream {
	VEC(struct part) parts; /* by early */
	uint32_t next;          /* the next part that has not begun */
	struct vec_u32 active;  /* indices of parts that have begun and not ended */
	struct touched touched;
	bool careful;
};

struct sweep {
	const struct past_tables *p;
	const struct ix *ix;
	struct extractor *base;
	struct extractor *xs; /* by chunk */
	struct tracer *trs;
	struct stream *streams;
	uint32_t nstreams;
	uint32_t at; /* the current stream, CTP_NONE */
};

enum { FAST = FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) | FOLLOW_BIT(FOLLOW_RMW) |
	      FOLLOW_BIT(FOLLOW_CAS_FAIL) | FOLLOW_BIT(FOLLOW_NATIVE_READ) |
	      FOLLOW_BIT(FOLLOW_NATIVE_WRITE) | FOLLOW_BIT(FOLLOW_LOCAL) |
	      FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END) |
	      FOLLOW_BIT(FOLLOW_RETURN) | FOLLOW_BIT(FOLLOW_BLOCKED),
       CAREFUL = FAST | FOLLOW_BIT(FOLLOW_ENTER) | FOLLOW_BIT(FOLLOW_LEAVE) };

/* ---- cells of a chunk ----------------------------------------------------------------------- */

struct use { /* of a cell in a chunk */
	uint32_t cell, thread;
	bool two, writes; /* two threads access it; a thread writes it */
	bool odd; /* a read has another value than the prefix or an earlier write gives */
	bool known;       /* `value` is known */
	uint64_t past, value; /* at the end of the prefix; after the entries so far */
};
struct uses {
	struct map at; /* cell -> use + 1 */
	VEC(struct use) list;
};

static struct use *use_of(struct uses *u, const struct ix *ix, const struct chunk *k,
	uint32_t cell, uint32_t t)
{
	uint64_t *at = map_put(&u->at, cell);
	struct use *x;

	if (!*at) {
		struct use new = {.cell = cell, .thread = t};

		new.known = chunk_value(ix, k, cell, &new.past);
		new.value = new.past;
		vec_push(&u->list, new);
		*at = u->list.n;
	}
	x = &u->list.at[*at - 1];
	x->two |= x->thread != t;
	return x;
}

/* Whether another thread frees the cell's block in the chunk, which counts as a write. */
static bool freed_by_another(const struct ix *ix, const struct chunk *k, const struct use *u)
{
	const struct collected *sync = ix->x->sync;
	uint32_t gen = ix->x->c->cells.at[u->cell].gen, t, pos;
	const struct generation *g = &sync->g.at.at[gen];

	if (!gen || g->kind != GEN_HEAP || g->to >= sync->o.n)
		return false;
	t = ix->x->thread_of[sync->o.at[g->to].thread];
	if (t == CTP_NONE || (t == u->thread && !u->two))
		return false;
	pos = ix->threads[t].sync_pos.at[sync->o.at[g->to].event];
	return pos != UINT32_MAX && pos >= k->from[t] && pos < k->to[t];
}

static int compare_use(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static void find_uses(struct uses *u, const struct ix *ix, const struct chunk *k)
{
	for (uint32_t t = 0; t < ix->nthreads; t++)
		for (uint32_t i = k->from[t]; i < k->to[t]; i++) {
			const struct ix_entry *e = ix_at(ix, t, i);
			struct use *x;

			if (e->kind == IX_SYNC)
				continue;
			x = use_of(u, ix, k, e->what, t);
			if (e->kind == IX_WRITE) {
				x->writes = x->known = true;
				x->value = e->value;
			} else {
				x->odd |= !x->known || x->value != e->value;
			}
		}
	if (u->list.n)
		qsort(u->list.at, u->list.n, sizeof *u->list.at, compare_use);
}

static void add_cell(struct extractor *x, const struct ix *ix, const struct chunk *k, uint32_t cell)
{
	struct ctp_cell c = ix->x->c->cells.at[cell];
	uint64_t v = 0;

	c.known = chunk_value(ix, k, cell, &v);
	c.initial = v;
	if (!bitset_has(&x->cells.gens, c.gen)) {
		bitset_add(&x->cells.gens, c.gen);
		*map_put(&x->cells.by_gen, c.gen) = x->c->cells.n + 1;
	}
	vec_push(&x->c->cells, c);
	*map_put(&x->cells.lines, c.addr / CELLS_LINE) = 1;
	*map_put(&x->cells.lines, (c.addr + c.size - 1) / CELLS_LINE) = 1;
}

/* Adds the cells that are shared within the chunk, and those with a read that does not have the
 * value at the end of the prefix. Other cells have their recorded values. */
static void find_cells(struct extractor *x, const struct ix *ix, const struct chunk *k)
{
	struct uses u = {0};

	find_uses(&u, ix, k);
	vec_each (&u.list, i) {
		const struct use *s = &u.list.at[i];

		if ((s->two && s->writes) || s->odd || freed_by_another(ix, k, s))
			add_cell(x, ix, k, s->cell);
	}
	map_release(&u.at);
	vec_release(&u.list);
}

/* ---- one chunk ------------------------------------------------------------------------------ */

static void open_chunk(struct sweep *s, uint32_t i, const struct chunk *k)
{
	struct extractor *x = &s->xs[i], *base = s->base;

	*x = (struct extractor){.c = ctp_new(),
		.t = base->t,
		.sync = base->sync,
		.p = base->p,
		.pl = base->pl,
		.cells = base->cells,
		.fails = base->fails,
		.fixed = base->fixed,
		.thread_of = base->thread_of,
		.gen_of_alloc = base->gen_of_alloc,
		.kept_blocks = base->kept_blocks,
		.used = base->used,
		.traits = base->traits,
		.max_accesses = UINT64_MAX,
		.tr = &s->trs[i],
		.chunk = true,
		.cut_rank = UINT32_MAX};
	x->cells.lines = x->cells.by_gen = (struct map){0};
	x->cells.gens = (struct bitset){0};
	x->ts = x->c->ts;
	x->c->trace = base->t;
	x->c->sync = base->sync;
	x->c->shared_sync = true;
	vec_each (&base->c->threads, t) {
		vec_push(&x->c->threads, base->c->threads.at[t]);
		vec_last(&x->c->threads).cut = true;
	}
	vec_each (&base->c->limits, l)
		extract_limit(x, "%s", base->c->limits.at[l]);
	vec_resize(&x->results, x->c->threads.n + 1);
	s->trs[i] = (struct tracer){.stream = CTP_NONE};
	find_cells(x, s->ix, k);
}

static void close_chunk(struct extractor *x)
{
	map_release(&x->cells.lines);
	map_release(&x->cells.by_gen);
	bitset_release(&x->cells.gens);
	map_release(&x->block_of);
	map_release(&x->objects);
	map_release(&x->limits);
	bitset_release(&x->unseen);
	vec_release(&x->rank);
	vec_release(&x->late);
	vec_release(&x->early);
	vec_release(&x->results);
}

/* Removes the peer from joins of threads that ended in the prefix: such a join never blocks. */
static void joins_of_past(struct extractor *x)
{
	struct bitset ends = {0};

	vec_each (&x->c->events, e)
		if (ctp_at(x->c, e)->kind == CTP_END)
			bitset_add(&ends, ctp_at(x->c, e)->thread);
	vec_each (&x->c->events, e) {
		struct ctp_event *ev = &x->c->events.at[e];

		if (ev->kind == CTP_JOIN && ctp_peer(ev) != CTP_NONE &&
			!bitset_has(&ends, ctp_peer(ev)))
			ev->link.peer = CTP_NONE;
	}
	bitset_release(&ends);
}

static void finish_chunk(struct sweep *s, uint32_t i, struct chunk *k)
{
	struct extractor *x = &s->xs[i];

	map_release(&x->selves);
	x->selves = s->base->selves;
	joins_of_past(x);
	chunk_objects(s->p, k, x);
	extract_finish(x);
	chunk_moves(s->ix, k, x->c);
	x->c->all_events = s->base->cells.accesses;
	if (!x->c->order_exact && x->late.n) { /* values of native reads come from that order */
		ctp_free(x->c);
		x->c = NULL;
	}
	if (x->c)
		ctp_finish(x->c);
	k->c = x->c;
}

/* ---- the pass ------------------------------------------------------------------------------- */

static void begin_part(struct sweep *s, uint32_t stream, struct follow *f, const struct part *p,
	uint64_t points)
{
	struct extractor *x = &s->xs[p->chunk];
	uint32_t t = x->thread_of[stream];

	*x->tr = (struct tracer){.stream = stream,
		.thread = t,
		.touched = &s->streams[stream].touched,
		.points = points,
		.insns = follow_instructions(f),
		.bulk_event = CTP_NONE,
		.joined = CTP_NONE,
		.blocked = LOG_NSYNC,
		.func = IR_NONE,
		.insn = IR_NONE,
		.doubt_reg = IR_NONE};
	x->c->threads.at[t].first = x->c->events.n;
}

static void end_part(struct sweep *s, const struct part *p)
{
	struct extractor *x = &s->xs[p->chunk];
	struct ctp_thread *th = &x->c->threads.at[x->tr->thread];

	th->n = x->c->events.n - th->first;
	tracer_release(x->tr);
	*x->tr = (struct tracer){.stream = CTP_NONE};
}

/* Ends the active parts of the current stream, whose log has ended. */
static void end_stream(struct sweep *s)
{
	struct stream *st;

	if (s->at == CTP_NONE)
		return;
	st = &s->streams[s->at];
	vec_each (&st->active, i) {
		extract_thread_ends(&s->xs[st->parts.at[st->active.at[i]].chunk]);
		end_part(s, &st->parts.at[st->active.at[i]]);
	}
	touched_release(&st->touched);
	s->at = CTP_NONE;
}

static void turn_to(struct sweep *s, uint32_t stream)
{
	struct stream *st = &s->streams[stream];

	if (s->at == stream)
		return;
	end_stream(s);
	s->at = stream;
	touched_init(&st->touched, &s->base->sync->g, &s->base->sync->o, &s->base->sets, stream);
	st->touched.fixed_lo = s->base->fixed.fixed_lo;
	st->touched.fixed_hi = s->base->fixed.fixed_hi;
}

static void on_insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn)
{
	struct sweep *s = ctx;
	struct stream *st = &s->streams[thread];

	vec_each (&st->active, i) {
		const struct part *p = &st->parts.at[st->active.at[i]];
		struct extractor *x = &s->xs[p->chunk];

		x->tr->on |= x->tr->points >= p->from;
		step_insn_begins(x, f, func, insn);
	}
}

/* Whether the event is a record with a scheduling point. */
static bool is_point(const struct sweep *s, const struct follow_event *e)
{
	return e->kind == FOLLOW_SYNC && e->callee < s->base->p->funcs.n &&
	       (s->base->traits[e->callee] & FUNC_SYNC);
}

static void tell(struct sweep *s, const struct part *p, struct follow *f,
	const struct follow_event *e)
{
	struct extractor *x = &s->xs[p->chunk];

	/* the point of an access is counted before its event: on_insn() checks it */
	if (e->kind == FOLLOW_SYNC || e->kind == FOLLOW_BEGIN || e->kind == FOLLOW_END ||
		e->kind == FOLLOW_BLOCKED)
		x->tr->on |= x->tr->points >= p->from;
	if (!x->tr->on) {
		x->tr->points += is_point(s, e);
		return;
	}
	switch (e->kind) {
	case FOLLOW_SYNC:
	case FOLLOW_BEGIN:
	case FOLLOW_END: sync_event(x, f, e); break;
	case FOLLOW_BLOCKED: sync_blocked(x, f, e); break;
	case FOLLOW_LOCAL: shadow_clear(&x->tr->mem, e->addr, e->size); break;
	default: extract_data_event(x, f, e);
	}
}

/* Ends and begins parts when the thread has passed that number of points. */
static void change_parts(struct sweep *s, uint32_t stream, struct follow *f, uint64_t points)
{
	struct stream *st = &s->streams[stream];

	for (uint32_t i = 0; i < st->active.n;) {
		const struct part *p = &st->parts.at[st->active.at[i]];

		if (points < p->to) {
			i++;
			continue;
		}
		end_part(s, p);
		st->active.at[i] = vec_pop(&st->active);
	}
	while (st->next < st->parts.n && st->parts.at[st->next].early <= points) {
		if (!st->careful) {
			follow_shift(f, true, CAREFUL);
			st->careful = true;
		}
		begin_part(s, stream, f, &st->parts.at[st->next], points);
		vec_push(&st->active, st->next++);
	}
	if (st->careful && !st->active.n) {
		follow_shift(f, false, FAST);
		st->careful = false;
	}
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct sweep *s = ctx;
	struct stream *st = &s->streams[thread];
	const struct sync_thread *h = &s->base->sync->h.threads.at[thread];

	if (s->base->thread_of[thread] == CTP_NONE)
		return;
	turn_to(s, thread);
	if (e->kind == FOLLOW_BEGIN) {
		*map_put(&s->base->selves, e->thread->self) = s->base->thread_of[thread] + 1;
		change_parts(s, thread, f, 0);
	}
	vec_each (&st->active, i)
		tell(s, &st->parts.at[st->active.at[i]], f, e);
	if (e->kind == FOLLOW_LOCAL)
		touched_local(&st->touched, e->addr, e->size, e->func, e->local);
	if ((e->kind == FOLLOW_SYNC || e->kind == FOLLOW_BEGIN || e->kind == FOLLOW_END) &&
		st->touched.events < h->events.n)
		touched_sync(&st->touched, &h->events.at[st->touched.events]);
	if (e->kind != FOLLOW_ENTER && e->kind != FOLLOW_LEAVE)
		change_parts(s, thread, f, follow_points(f) + is_point(s, e));
}

static int compare_part(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->early < y->early ? -1 : x->early > y->early;
}

enum { EARLY = 64 };

/* See part.early: at most EARLY points before the entry, and after the entry before it. */
static uint64_t early_for(const struct ix *ix, uint32_t t, uint32_t pos)
{
	uint64_t point = ix_at(ix, t, pos)->point;
	uint64_t early = point - MIN(point, (uint64_t)EARLY);

	return pos ? MAX(early, MIN((uint64_t)ix_at(ix, t, pos - 1)->point + 1, point)) : early;
}

static void find_parts(struct sweep *s, const struct chunk *chunks, uint32_t n)
{
	const struct ix *ix = s->ix;

	for (uint32_t t = 0; t < ix->nthreads; t++) {
		const struct ix_thread *th = &ix->threads[t];
		struct stream *st = &s->streams[th->stream];

		for (uint32_t i = 0; i < n; i++) {
			uint32_t from = chunks[i].from[t], to = chunks[i].to[t];

			if (from == to)
				continue;
			vec_push(&st->parts,
				(struct part){.chunk = i,
					.from = ix_at(ix, t, from)->point,
					.to = to == th->at.n ? UINT64_MAX : ix_at(ix, t, to)->point,
					.early = early_for(ix, t, from)});
		}
		if (st->parts.n)
			qsort(st->parts.at, st->parts.n, sizeof *st->parts.at, compare_part);
	}
}

int chunks_extract(const struct past_tables *p, struct chunk *chunks, uint32_t n)
{
	struct sweep s = {.p = p,
		.ix = p->ix,
		.base = p->ix->x,
		.xs = xcalloc(n + 1, sizeof *s.xs),
		.trs = xcalloc(n + 1, sizeof *s.trs),
		.nstreams = trace_nthreads(p->ix->x->t),
		.at = CTP_NONE};
	struct trace_observer o = {
		.event = on_event, .insn = on_insn, .ctx = &s, .kinds = FAST, .shifts = true};
	int status;

	s.streams = xcalloc(s.nstreams + 1, sizeof *s.streams);
	for (uint32_t i = 0; i < n; i++)
		open_chunk(&s, i, &chunks[i]);
	find_parts(&s, chunks, n);
	status = trace_follow(s.base->t, &o, NULL, 1);
	end_stream(&s);
	for (uint32_t i = 0; i < n; i++) {
		if (!status)
			finish_chunk(&s, i, &chunks[i]);
		else
			ctp_free(s.xs[i].c);
		close_chunk(&s.xs[i]);
	}
	for (uint32_t i = 0; i < s.nstreams; i++) {
		vec_release(&s.streams[i].parts);
		vec_release(&s.streams[i].active);
	}
	free(s.streams);
	free(s.xs);
	free(s.trs);
	return status;
}
