#include "extract/extract_cells.h"

#include "base/base.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_MAX = 16, CELL_PART = 8 };

/* ---- accesses of one thread ----------------------------------------------------------------- */

struct span { /* all accesses of a thread with one address, size and generation */
	uint64_t addr, size;
	uint32_t gen, thread;
	uint32_t last, wrote; /* synchronization events of the thread before its last access, write */
	uint8_t how;   /* TOUCH_READ, TOUCH_WRITE; 0: the slot is free */
};

struct toucher { /* the fast pass over one thread */
	struct touched at; /* finds generations */
	struct span *spans; /* hash table, open addressing */
	uint32_t n, cap;
	uint64_t accesses;
	bool alone; /* it is the main thread, and has created no thread yet */
	/* the current call of a library function */
	uint64_t args[CELLS_ARGS];
	uint32_t nargs;
};

struct fast_pass {
	struct cell_index *x;
	const struct collected *sync;
	struct toucher *threads;
};

static uint32_t span_slot(const struct span *at, uint32_t cap, const struct span *s)
{
	uint64_t h = hash_u64(s->addr ^ (uint64_t)s->gen << 40 ^ s->size << 56);
	uint32_t k = (uint32_t)h & (cap - 1);

	while (at[k].how &&
		(at[k].addr != s->addr || at[k].size != s->size || at[k].gen != s->gen))
		k = (k + 1) & (cap - 1);
	return k;
}

static void grow(struct toucher *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 256;
	struct span *at = xcalloc(cap, sizeof *at);

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->spans[i].how)
			at[span_slot(at, cap, &t->spans[i])] = t->spans[i];
	free(t->spans);
	t->spans = at;
	t->cap = cap;
}

static void touch(struct toucher *t, uint32_t thread, uint64_t addr, uint64_t size, uint8_t how)
{
	struct span s = {.addr = addr, .size = size, .thread = thread, .how = how}, *at;

	t->accesses++;
	if (t->alone || !size)
		return;
	s.gen = cells_generation(&t->at, addr);
	if (t->n + 1 > t->cap / 4 * 3)
		grow(t);
	at = &t->spans[span_slot(t->spans, t->cap, &s)];
	if (!at->how) {
		*at = s;
		t->n++;
	}
	at->how |= how;
	at->last = t->at.events;
	if (how & TOUCH_WRITE)
		at->wrote = t->at.events;
}

static void touch_call(struct fast_pass *p, uint32_t thread, struct follow *f,
	const struct follow_event *e)
{
	struct toucher *t = &p->threads[thread];
	struct effects_range r[CELLS_RANGES];
	uint32_t n;

	if (e->kind == FOLLOW_CALL) {
		t->nargs = MIN(e->nargs, (uint32_t)CELLS_ARGS);
		for (uint32_t i = 0; i < t->nargs; i++)
			t->args[i] = e->args[i].lo;
		return;
	}
	n = cells_pure_reads(p->x, f, e->callee, e->value.lo, t->args, t->nargs, r);
	for (uint32_t i = 0; i < n; i++)
		touch(t, thread, r[i].addr, r[i].n, TOUCH_READ);
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

	switch (e->kind) {
	case FOLLOW_READ:
	case FOLLOW_NATIVE_READ: touch(t, thread, e->addr, e->size, TOUCH_READ); break;
	case FOLLOW_WRITE:
	case FOLLOW_NATIVE_WRITE: touch(t, thread, e->addr, e->size, TOUCH_WRITE); break;
	case FOLLOW_RMW:
	case FOLLOW_CAS_FAIL:
		touch(t, thread, e->addr, e->size, TOUCH_READ | TOUCH_WRITE);
		break;
	case FOLLOW_CALL:
	case FOLLOW_RETURN: touch_call(p, thread, f, e); break;
	case FOLLOW_LOCAL: touched_local(&t->at, e->addr, e->size, e->func, e->local); break;
	case FOLLOW_SYNC:
	case FOLLOW_BEGIN:
	case FOLLOW_END: on_sync(p, t, thread); break;
	}
}

uint32_t cells_generation(const struct touched *t, uint64_t addr)
{
	uint32_t gen = touched_generation(t, addr);

	if (gen || (addr >= t->fixed_lo && addr < t->fixed_hi))
		return gen;
	return generation_at(t->g, addr, 0, t->o->n);
}

void cells_fixed_range(struct touched *t, const struct trace *tr)
{
	const struct ir_program *p = trace_program(tr);

	vec_each (&p->globals, g) {
		uint64_t a = p->globals.at[g].flags & (IR_G_EXTERN | IR_G_TLS)
				     ? 0
				     : follow_global_addr(trace_snapshot(tr), g);

		if (!a)
			continue;
		t->fixed_lo = t->fixed_hi ? MIN(t->fixed_lo, a) : a;
		t->fixed_hi = MAX(t->fixed_hi, a + p->globals.at[g].size);
	}
}

/* ---- functions that only read -------------------------------------------------------------- */

static void find_pure(struct cell_index *x, const struct ir_program *p)
{
	x->nfuncs = p->funcs.n;
	x->pure = xcalloc(p->funcs.n + 1, sizeof *x->pure);
	vec_each (&p->funcs, i) {
		struct effects_entry e = {.kind = EFFECTS_UNKNOWN};

		if (p->funcs.at[i].flags & IR_FN_EXTERN)
			e = effects_find(ir_func_name(p, i));
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

/* ---- the sweep over the accesses of all threads --------------------------------------------- */

static int compare_span(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->gen != b->gen)
		return a->gen < b->gen ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

struct sweep {
	struct cell_index *x;
	struct ctp *c;
	const struct collected *sync;
	const struct bitset *model;
	const struct extract_options *opt;
	VEC(struct span) spans;
	struct vec_u32 active; /* spans that contain the current address */
	struct map joins;   /* thread << 32 | joined thread -> index of the join in its events */
	struct map creates; /* thread -> index of its creation in the events of its creator */
	uint32_t gen;       /* the current generation */
	uint32_t freer, freed; /* the freeing thread, index of the free in its events; CTP_NONE */
};

/* The thread that frees the generation has joined `thread` before the free. */
static bool ended_before(const struct sweep *s, uint32_t thread)
{
	uint64_t *join = map_get(&s->joins, (uint64_t)s->freer << 32 | thread);

	return join && *join < s->freed;
}

static void find_ends(struct sweep *s)
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
static bool started_after(const struct sweep *s, uint32_t thread, uint32_t by, uint32_t events)
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

static struct users find_users(const struct sweep *s)
{
	struct users u = {.first = CTP_NONE, .writer = CTP_NONE};

	vec_each (&s->active, i) {
		const struct span *a = &s->spans.at[s->active.at[i]];
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

static uint32_t least_thread(const struct sweep *s)
{
	uint32_t t = CTP_NONE;

	vec_each (&s->active, i)
		t = MIN(t, s->spans.at[s->active.at[i]].thread);
	return t;
}

/* Only two threads access the bytes, and one of them does not access them after it has created the
 * other. */
static bool is_handed_over(const struct sweep *s)
{
	uint32_t from = least_thread(s), to = from, last = 0; /* a creator has the smaller number */

	vec_each (&s->active, i)
		to = MAX(to, s->spans.at[s->active.at[i]].thread);
	vec_each (&s->active, i) {
		const struct span *a = &s->spans.at[s->active.at[i]];

		if (a->thread != from && a->thread != to)
			return false;
		if (a->thread == from)
			last = MAX(last, a->last);
	}
	return started_after(s, to, from, last);
}

static bool is_published(const struct sweep *s, const struct users *u)
{
	if (u->writers)
		return is_handed_over(s);
	vec_each (&s->active, i) {
		uint32_t t = s->spans.at[s->active.at[i]].thread;

		if (t != u->writer && !started_after(s, t, u->writer, u->last))
			return false;
	}
	return true;
}

/* A thread accesses the current bytes, and another thread that has not joined it frees them. */
static bool may_be_freed(const struct sweep *s)
{
	if (s->freer == CTP_NONE)
		return false;
	vec_each (&s->active, i) {
		uint32_t t = s->spans.at[s->active.at[i]].thread;

		if (t != s->freer && bitset_has(s->model, t) && !ended_before(s, t))
			return true;
	}
	return false;
}

static bool is_wanted(const struct sweep *s, uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < s->opt->nalso; i++)
		if (addr < s->opt->also[i].addr + s->opt->also[i].size &&
			addr + size > s->opt->also[i].addr)
			return true;
	return false;
}

static bool is_shared(struct sweep *s, uint64_t addr, uint64_t size)
{
	struct users u = find_users(s);

	if (u.foreign) {
		s->x->nforeign += size;
		return false;
	}
	if (s->opt->every || is_wanted(s, addr, size))
		return u.first != CTP_NONE;
	if (u.two && u.writer != CTP_NONE) {
		if (!is_published(s, &u))
			return true;
		if (!may_be_freed(s))
			vec_push(&s->x->published,
				(struct published){addr, size, s->gen,
					u.writers ? least_thread(s) : u.writer});
	}
	return may_be_freed(s);
}

static void add_cell(struct sweep *s, uint64_t addr, uint64_t size)
{
	if (!bitset_has(&s->x->gens, s->gen)) {
		bitset_add(&s->x->gens, s->gen);
		*map_put(&s->x->by_gen, s->gen) = s->c->cells.n + 1;
	}
	vec_push(&s->c->cells,
		(struct ctp_cell){.addr = addr, .size = (uint32_t)size, .gen = s->gen});
	*map_put(&s->x->lines, addr / CELLS_LINE) = 1;
	*map_put(&s->x->lines, (addr + size - 1) / CELLS_LINE) = 1;
}

static void add_cells(struct sweep *s, uint64_t from, uint64_t to)
{
	while (to - from > CELL_MAX) {
		uint64_t n = CELL_PART - from % CELL_PART;

		add_cell(s, from, n);
		from += n;
	}
	add_cell(s, from, to - from);
}

static uint64_t next_cut(const struct sweep *s, uint64_t at, uint32_t next, uint32_t end)
{
	uint64_t to = next < end ? s->spans.at[next].addr : UINT64_MAX;

	for (uint32_t i = 0; i < s->opt->nalso; i++) {
		uint64_t lo = s->opt->also[i].addr, hi = lo + s->opt->also[i].size;

		to = lo > at ? MIN(to, lo) : hi > at ? MIN(to, hi) : to;
	}

	vec_each (&s->active, i) {
		const struct span *a = &s->spans.at[s->active.at[i]];

		to = MIN(to, a->addr + a->size);
	}
	return to;
}

static void drop_ended(struct sweep *s, uint64_t at)
{
	for (uint32_t i = 0; i < s->active.n;) {
		const struct span *a = &s->spans.at[s->active.at[i]];

		if (a->addr + a->size <= at)
			s->active.at[i] = vec_pop(&s->active);
		else
			i++;
	}
}

static void find_freer(struct sweep *s)
{
	const struct sync_order *o = &s->sync->o;
	const struct generation *g = &s->sync->g.at.at[s->gen];

	s->freer = CTP_NONE;
	if (!s->gen || g->kind != GEN_HEAP || g->to >= o->n)
		return;
	s->freer = o->at[g->to].thread;
	s->freed = o->at[g->to].event;
}

/* Makes the cells of one generation, whose spans are [i, end). */
static void sweep_generation(struct sweep *s, uint32_t i, uint32_t end)
{
	uint64_t at, to;

	s->gen = s->spans.at[i].gen;
	find_freer(s);
	vec_clear(&s->active);
	at = s->spans.at[i].addr;
	while (i < end || s->active.n) {
		if (!s->active.n)
			at = s->spans.at[i].addr;
		while (i < end && s->spans.at[i].addr == at)
			vec_push(&s->active, i++);
		to = next_cut(s, at, i, end);
		if (is_shared(s, at, to - at))
			add_cells(s, at, to);
		at = to;
		drop_ended(s, at);
	}
}

static void sweep(struct sweep *s)
{
	uint32_t i = 0, end;

	if (s->spans.n)
		qsort(s->spans.at, s->spans.n, sizeof *s->spans.at, compare_span);
	for (; i < s->spans.n; i = end) {
		for (end = i; end < s->spans.n && s->spans.at[end].gen == s->spans.at[i].gen;)
			end++;
		sweep_generation(s, i, end);
	}
}

static void merge(struct sweep *s, struct toucher *t)
{
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->spans[i].how)
			vec_push(&s->spans, t->spans[i]);
	s->x->accesses += t->accesses;
}

int cells_build(struct cell_index *x, struct ctp *c, struct trace *t,
	const struct collected *sync, const struct bitset *model, const struct extract_options *opt)
{
	uint32_t n = trace_nthreads(t);
	struct fast_pass p = {x, sync, xcalloc(n + 1, sizeof *p.threads)};
	struct trace_observer o = {.event = on_event,
		.ctx = &p,
		.kinds = FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) |
			 FOLLOW_BIT(FOLLOW_RMW) | FOLLOW_BIT(FOLLOW_CAS_FAIL) |
			 FOLLOW_BIT(FOLLOW_NATIVE_READ) | FOLLOW_BIT(FOLLOW_NATIVE_WRITE) |
			 FOLLOW_BIT(FOLLOW_LOCAL) | FOLLOW_BIT(FOLLOW_SYNC) |
			 FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END) |
			 FOLLOW_BIT(FOLLOW_CALL) | FOLLOW_BIT(FOLLOW_RETURN)};
	struct sweep s = {.x = x, .c = c, .sync = sync, .model = model, .opt = opt};
	struct locksets sets;
	int status;

	*x = (struct cell_index){0};
	find_pure(x, trace_program(t));
	locksets_init(&sets);
	for (uint32_t i = 0; i < n; i++) {
		touched_init(&p.threads[i].at, &sync->g, &sync->o, &sets, i);
		cells_fixed_range(&p.threads[i].at, t);
		p.threads[i].alone = trace_thread(t, i)->kind == LOG_T_MAIN;
	}
	status = trace_follow(t, &o, NULL, opt->jobs);
	for (uint32_t i = 0; i < n; i++) {
		if (!status)
			merge(&s, &p.threads[i]);
		free(p.threads[i].spans);
		touched_release(&p.threads[i].at);
	}
	if (!status) {
		find_ends(&s);
		sweep(&s);
	}
	map_release(&s.joins);
	map_release(&s.creates);
	vec_release(&s.spans);
	vec_release(&s.active);
	free(p.threads);
	locksets_release(&sets);
	return status;
}

void cells_release(struct cell_index *x)
{
	map_release(&x->lines);
	map_release(&x->by_gen);
	bitset_release(&x->gens);
	vec_release(&x->published);
	free(x->pure);
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
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct ctp_cell *cell = &c->cells.at[mid];

		if (cell->gen == gen && cell->addr + cell->size <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->cells.n && c->cells.at[lo].gen == gen ? lo : CTP_NONE;
}

bool cells_published(
	const struct cell_index *x, uint32_t by, uint32_t gen, uint64_t addr, uint64_t size)
{
	uint32_t lo = 0, hi = x->published.n;

	while (lo < hi) { /* the first that ends after addr */
		uint32_t mid = lo + (hi - lo) / 2;
		const struct published *p = &x->published.at[mid];

		if (p->gen < gen || (p->gen == gen && p->addr + p->size <= addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->published.n && x->published.at[lo].gen == gen &&
		x->published.at[lo].addr < addr + size;
		lo++)
		if (x->published.at[lo].by == by)
			return true;
	return false;
}
