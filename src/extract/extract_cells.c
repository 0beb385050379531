#include "extract/extract_cells.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MAX = 16, CELL_PART = 8 };

/* ---- accesses of one thread ----------------------------------------------------------------- */

struct toucher { /* the fast pass over one thread */
	struct touched at;
	uint64_t accesses;
	bool alone; /* it is the main thread, and has created no thread yet */
	struct cells_call call;
	VEC(struct buffer_seen { uint64_t at; uint32_t callee; }) buffers; /* results */
};

struct fast_pass {
	struct cell_index *x;
	const struct collected *sync;
	struct toucher *threads;
};

static void touch_bytes(struct toucher *t, uint64_t addr, uint64_t size, unsigned how)
{
	t->accesses++;
	if (!t->alone)
		touched_access(&t->at, addr, size, how, IR_NONE, IR_NONE);
}

static void touch_call(
	struct fast_pass *p, struct toucher *t, struct follow *f, const struct follow_event *e)
{
	struct effects_range r[CELLS_RANGES];
	uint32_t n = cells_call(p->x, &t->call, f, e, r);

	for (uint32_t i = 0; i < n; i++)
		touch_bytes(t, r[i].addr, r[i].n, TOUCH_READ);
	if (e->kind == FOLLOW_RETURN && e->callee < p->x->nfuncs && p->x->buffer[e->callee])
		vec_push(&t->buffers, (struct buffer_seen){e->value.lo, e->callee});
}

static void add_buffers(struct cell_index *x, struct toucher *t)
{
	vec_each (&t->buffers, i) {
		const struct buffer_seen *b = &t->buffers.at[i];
		uint64_t end = b->at + HIDDEN_BUFFER_BYTES;

		for (uint64_t at = b->at / 8; b->at && at < end / 8; at++)
			*map_put(&x->buffers, at) = b->callee + 1;
	}
	vec_release(&t->buffers);
}

const struct hidden_fn *cells_buffer(const struct cell_index *x, uint64_t addr)
{
	uint64_t callee = x->buffers.n ? map_get_or(&x->buffers, addr / 8, 0) : 0;

	return callee ? x->buffer[callee - 1] : NULL;
}

static void on_sync(struct fast_pass *p, struct toucher *t, uint32_t thread)
{
	const struct sync_thread *h = &p->sync->h.threads.at[thread];
	const struct sync_event *e = &h->events.at[t->at.events];

	if (t->at.events >= h->events.n)
		return;
	if (e->kind == LOG_S_CREATE && sync_succeeded(e))
		t->alone = false;
	touched_sync(&t->at, e);
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct fast_pass *p = ctx;
	struct toucher *t = &p->threads[thread];

	t->at.func = e->func;
	t->at.insn = e->insn;
	switch (e->kind) {
	case FOLLOW_READ:
	case FOLLOW_NATIVE_READ: touch_bytes(t, e->addr, e->size, TOUCH_READ); break;
	case FOLLOW_WRITE:
	case FOLLOW_NATIVE_WRITE: touch_bytes(t, e->addr, e->size, TOUCH_WRITE); break;
	case FOLLOW_RMW:
	case FOLLOW_CAS_FAIL: touch_bytes(t, e->addr, e->size, TOUCH_READ | TOUCH_WRITE); break;
	case FOLLOW_CALL:
	case FOLLOW_RETURN: touch_call(p, t, f, e); break;
	case FOLLOW_LOCAL: touched_local(&t->at, e->addr, e->size, e->func, e->local); break;
	case FOLLOW_SYNC:
	case FOLLOW_BEGIN:
	case FOLLOW_END: on_sync(p, t, thread); break;
	}
}

/* ---- functions of the library -------------------------------------------------------------- */

static void find_pure(struct cell_index *x, const struct ir_program *p)
{
	x->nfuncs = p->funcs.n;
	x->pure = xcalloc(p->funcs.n + 1, sizeof *x->pure);
	x->buffer = xcalloc(p->funcs.n + 1, sizeof *x->buffer);
	vec_each (&p->funcs, i) {
		struct effects_entry e = {.kind = EFFECTS_UNKNOWN};

		if (p->funcs.at[i].flags & IR_FN_EXTERN)
			e = effects_find(ir_func_name(p, i));
		if (p->funcs.at[i].flags & IR_FN_EXTERN)
			x->buffer[i] = hidden_buffer(ir_func_name(p, i));
		x->pure[i] = e.kind == EFFECTS_PURE ? e.number : -1;
	}
}

static bool peek(void *ctx, uint64_t addr, void *to, uint32_t n)
{
	return follow_memory(ctx, addr, to, n);
}

uint32_t cells_pure_reads(const struct cell_index *x, const struct follow *f, uint32_t callee,
	uint64_t result, const uint64_t *args, uint32_t nargs, struct effects_range *out)
{
	int n;

	if (callee >= x->nfuncs || x->pure[callee] < 0)
		return 0;
	n = effects_reads((uint32_t)x->pure[callee], result, args, nargs, peek, (void *)f, out,
		CELLS_RANGES);
	return n < 0 ? 0 : MIN((uint32_t)n, (uint32_t)CELLS_RANGES);
}

uint32_t cells_call(const struct cell_index *x, struct cells_call *call, const struct follow *f,
	const struct follow_event *e, struct effects_range *out)
{
	if (e->kind == FOLLOW_RETURN)
		return cells_pure_reads(x, f, e->callee, e->value.lo, call->args, call->nargs, out);
	call->nargs = MIN(e->nargs, (uint32_t)CELLS_ARGS);
	for (uint32_t i = 0; i < call->nargs; i++)
		call->args[i] = e->args[i].lo;
	return 0;
}

/* ---- the sweep over the accesses of all threads --------------------------------------------- */

struct finder { /* of the cells */
	struct cell_index *x;
	struct ctp *c;
	const struct collected *sync;
	const struct bitset *model;
	const struct extract_options *opt;
	struct sweep s;
	struct map joins;   /* thread << 32 | joined thread -> index of the join in its events */
	struct map creates; /* thread -> index of its creation in the events of its creator */
	uint32_t freer, freed; /* the freeing thread, index of the free in its events; CTP_NONE */
};

/* The thread that frees the generation has joined `thread` before the free. */
static bool ended_before(const struct finder *s, uint32_t thread)
{
	uint64_t *join = map_get(&s->joins, (uint64_t)s->freer << 32 | thread);

	return join && *join < s->freed;
}

static void find_ends(struct finder *s)
{
	vec_each (&s->sync->h.threads, t) {
		const struct sync_thread *h = &s->sync->h.threads.at[t];

		vec_each (&h->events, i) {
			const struct sync_event *e = &h->events.at[i];

			if (e->kind == LOG_S_JOIN && sync_succeeded(e))
				*map_put(&s->joins, (uint64_t)t << 32 | e->extra) = i;
			if (e->kind == LOG_S_CREATE && sync_succeeded(e))
				*map_put(&s->creates, e->extra) = i;
		}
	}
}

/* Thread `by` created `thread`, or an ancestor of it, after its first `events` events. */
static bool started_after(const struct finder *s, uint32_t thread, uint32_t by, uint32_t events)
{
	const struct history *h = &s->sync->h;
	uint64_t *create;

	while (thread < h->threads.n && h->threads.at[thread].parent != by)
		thread = h->threads.at[thread].parent;
	if (thread >= h->threads.n)
		return false;
	create = map_get(&s->creates, thread);
	return create && events <= *create;
}

struct users { /* the threads that access the current bytes */
	uint32_t first, writer; /* one of them, one that writes; CTP_NONE: none */
	uint32_t last;          /* synchronization events of the writer before its last write */
	bool two, writers;      /* two threads access, two threads write */
	bool foreign;           /* code outside of the model writes */
};

static struct users find_users(const struct finder *s)
{
	struct users u = {.first = CTP_NONE, .writer = CTP_NONE};

	vec_each (&s->s.active, i) {
		const struct span *a = sweep_span(&s->s, i);
		bool writes = a->how & TOUCH_WRITE;

		if (!bitset_has(s->model, a->thread)) {
			u.foreign |= writes;
			continue;
		}
		u.two |= u.first != CTP_NONE && u.first != a->thread;
		u.first = u.first == CTP_NONE ? a->thread : u.first;
		if (!writes)
			continue;
		u.writers |= u.writer != CTP_NONE && u.writer != a->thread;
		u.writer = a->thread;
		u.last = MAX(u.last, a->wrote);
	}
	return u;
}

static uint32_t least_thread(const struct finder *s)
{
	uint32_t t = CTP_NONE;

	vec_each (&s->s.active, i)
		t = MIN(t, sweep_span(&s->s, i)->thread);
	return t;
}

/* Only two threads access the bytes, and one of them does not access them after it has created the
 * other. */
static bool is_handed_over(const struct finder *s)
{
	uint32_t from = least_thread(s), to = from, last = 0; /* a creator has the smaller number */

	vec_each (&s->s.active, i)
		to = MAX(to, sweep_span(&s->s, i)->thread);
	vec_each (&s->s.active, i) {
		const struct span *a = sweep_span(&s->s, i);

		if (a->thread != from && a->thread != to)
			return false;
		if (a->thread == from)
			last = MAX(last, a->last);
	}
	return started_after(s, to, from, last);
}

static bool is_published(const struct finder *s, const struct users *u)
{
	if (u->writers)
		return is_handed_over(s);
	vec_each (&s->s.active, i) {
		uint32_t t = sweep_span(&s->s, i)->thread;

		if (t != u->writer && !started_after(s, t, u->writer, u->last))
			return false;
	}
	return true;
}

/* A thread accesses the current bytes, and another thread that has not joined it frees them. */
static bool may_be_freed(const struct finder *s)
{
	if (s->freer == CTP_NONE)
		return false;
	vec_each (&s->s.active, i) {
		uint32_t t = sweep_span(&s->s, i)->thread;

		if (t != s->freer && bitset_has(s->model, t) && !ended_before(s, t))
			return true;
	}
	return false;
}

static bool is_wanted(const struct finder *s, uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < s->opt->nalso; i++)
		if (addr < s->opt->also[i].addr + s->opt->also[i].size &&
			addr + size > s->opt->also[i].addr)
			return true;
	return false;
}

static bool is_shared(struct finder *s, uint64_t addr, uint64_t size)
{
	struct users u = find_users(s);
	bool freed = may_be_freed(s);

	if (freed && s->sync->g.at.at[s->s.gen].kind == GEN_LOCAL)
		bitset_add(&s->x->returned, s->s.gen);
	if (u.foreign) {
		s->x->nforeign += size;
		return false;
	}
	if (s->opt->every || is_wanted(s, addr, size))
		return u.first != CTP_NONE;
	if (u.two && u.writer != CTP_NONE) {
		if (!is_published(s, &u))
			return true;
		if (!freed)
			vec_push(&s->x->published, (struct published){addr, size, s->s.gen,
							   u.writers ? least_thread(s) : u.writer});
	}
	return freed;
}

static void add_cell(struct finder *s, uint64_t addr, uint64_t size)
{
	if (!bitset_has(&s->x->gens, s->s.gen)) {
		bitset_add(&s->x->gens, s->s.gen);
		*map_put(&s->x->by_gen, s->s.gen) = s->c->cells.n + 1;
	}
	assert(size && size <= CELL_MAX);
	assert(!s->c->cells.n || vec_last(&s->c->cells).gen < s->s.gen ||
		vec_last(&s->c->cells).addr + vec_last(&s->c->cells).size <= addr);
	vec_push(&s->c->cells,
		(struct ctp_cell){.addr = addr, .size = (uint32_t)size, .gen = s->s.gen});
	*map_put(&s->x->lines, addr / CELLS_LINE) = 1;
	*map_put(&s->x->lines, (addr + size - 1) / CELLS_LINE) = 1;
}

static void add_cells(struct finder *s, uint64_t from, uint64_t to)
{
	while (to - from > CELL_MAX) {
		uint64_t n = CELL_PART - from % CELL_PART;

		add_cell(s, from, n);
		from += n;
	}
	add_cell(s, from, to - from);
}

static void find_freer(struct finder *s)
{
	const struct sync_order *o = &s->sync->o;
	const struct generation *g = &s->sync->g.at.at[s->s.gen];

	s->freer = CTP_NONE;
	if (s->s.gen && g->kind == GEN_LOCAL && g->left != UINT32_MAX) {
		s->freer = g->thread; /* by the return of its function */
		s->freed = g->left;
	}
	if (!s->s.gen || g->kind != GEN_HEAP || g->to >= o->n)
		return;
	s->freer = o->at[g->to].thread;
	s->freed = o->at[g->to].event;
}

/* The next place after `at` where a range of extract_options.also begins or ends, at most `to`. */
static uint64_t next_cut(const struct finder *s, uint64_t at, uint64_t to)
{
	for (uint32_t i = 0; i < s->opt->nalso; i++) {
		uint64_t lo = s->opt->also[i].addr, hi = lo + s->opt->also[i].size;

		to = lo > at ? MIN(to, lo) : hi > at ? MIN(to, hi) : to;
	}
	return to;
}

static void find_cells(struct finder *s)
{
	while (sweep_next(&s->s)) {
		if (s->s.apart)
			find_freer(s);
		for (uint64_t at = s->s.from, to; at < s->s.to; at = to) {
			to = next_cut(s, at, s->s.to);
			if (is_shared(s, at, to - at))
				add_cells(s, at, to);
		}
	}
}

int cells_build(struct cell_index *x, struct ctp *c, struct trace *t,
	const struct collected *sync, const struct bitset *model, const struct extract_options *opt)
{
	uint32_t n = trace_nthreads(t);
	struct fast_pass p = {x, sync, xcalloc(n + 1, sizeof *p.threads)};
	struct trace_observer o = {
		.event = on_event, .ctx = &p, .kinds = CELLS_EVENTS | FOLLOW_BIT(FOLLOW_CALL)};
	struct finder s = {.x = x, .c = c, .sync = sync, .model = model, .opt = opt};
	struct locksets sets;
	int status;

	*x = (struct cell_index){0};
	find_pure(x, trace_program(t));
	locksets_init(&sets);
	for (uint32_t i = 0; i < n; i++) {
		touched_init(&p.threads[i].at, &sync->g, &sync->o, &sets, i);
		p.threads[i].at.ever = true;
		p.threads[i].at.pl = trace_plan(t);
		touched_fixed_range(&p.threads[i].at, t);
		p.threads[i].alone = trace_thread(t, i)->kind == LOG_T_MAIN;
	}
	status = trace_follow(t, &o, NULL, opt->jobs);
	for (uint32_t i = 0; i < n; i++) {
		sweep_add(&s.s, &p.threads[i].at);
		x->accesses += p.threads[i].accesses;
		add_buffers(x, &p.threads[i]);
		touched_release(&p.threads[i].at);
	}
	if (!status) {
		find_ends(&s);
		find_cells(&s);
	}
	map_release(&s.joins);
	map_release(&s.creates);
	sweep_release(&s.s);
	free(p.threads);
	locksets_release(&sets);
	return status;
}

void cells_release(struct cell_index *x)
{
	map_release(&x->lines);
	map_release(&x->by_gen);
	bitset_release(&x->gens);
}

void cells_release_tables(struct cell_index *x)
{
	vec_release(&x->published);
	bitset_release(&x->returned);
	free(x->pure);
	free(x->buffer);
	map_release(&x->buffers);
}

/* ---- lookup --------------------------------------------------------------------------------- */

bool cells_maybe(const struct cell_index *x, uint64_t addr, uint64_t size)
{
	if (!x->lines.n || !size)
		return false;
	for (uint64_t l = addr / CELLS_LINE; l <= (addr + size - 1) / CELLS_LINE; l++)
		if (map_get(&x->lines, l))
			return true;
	return false;
}

uint32_t cells_from(const struct cell_index *x, const struct ctp *c, uint32_t gen, uint64_t addr)
{
	uint32_t lo = (uint32_t)map_get_or(&x->by_gen, gen, 0), hi = c->cells.n;

	if (!lo--)
		return CTP_NONE;
	lo = search_first(lo, hi, i, c->cells.at[i].gen != gen ||
					     c->cells.at[i].addr + c->cells.at[i].size > addr);
	return lo < c->cells.n && c->cells.at[lo].gen == gen ? lo : CTP_NONE;
}

bool cells_published(
	const struct cell_index *x, uint32_t by, uint32_t gen, uint64_t addr, uint64_t size)
{
	const struct published *at = x->published.at;
	uint32_t lo = search_first(0u, x->published.n, i,
		at[i].gen > gen || (at[i].gen == gen && at[i].addr + at[i].size > addr));

	for (; lo < x->published.n && x->published.at[lo].gen == gen &&
		x->published.at[lo].addr < addr + size;
		lo++)
		if (x->published.at[lo].by == by)
			return true;
	return false;
}
