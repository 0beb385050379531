#include "extract/index.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/search.h"
#include "log/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct indexer { /* the pass over one thread of the trace */
	struct touched touched;
	struct ix_thread *out;  /* NULL: not modelled */
	bool on;                /* other threads exist */
	uint32_t waits, inside; /* 1 in a wait; number of barriers and transactions it is in */
	struct cells_call call;
};

struct index_pass {
	struct ix *ix;
	struct indexer *threads; /* by stream */
};

/* ---- entries -------------------------------------------------------------------------------- */

static uint32_t place_of(const struct ix *ix, const struct follow_event *e)
{
	return e->func == IR_NONE ? IX_NO_PLACE : ix->place_base[e->func] + e->insn;
}

static void add_entry(struct indexer *t, struct ix_entry e, bool has_point)
{
	const struct ix_entry *last = t->out->at.n ? &vec_last(&t->out->at) : NULL;

	e.locks = t->touched.held.set <= UINT16_MAX ? (uint16_t)t->touched.held.set : 0;
	if (!t->touched.held.locks.n && !t->waits && !t->inside)
		e.flags |= IX_CLEAN;
	assert(!last || last->point <= e.point);
	if (has_point && (!last || last->point < e.point))
		e.flags |= IX_BORDER;
	vec_push(&t->out->at, e);
}

/* ---- accesses ------------------------------------------------------------------------------- */

struct bytes {             /* data of an access */
	const uint8_t *at; /* NULL: `value` has the data */
	u128 value;
	bool known; /* false: the data is not recorded */
};

static uint64_t piece_value(const struct bytes *b, uint64_t offset, uint32_t size)
{
	u128 v = 0;

	if (!b->known)
		return 0;
	if (b->at)
		memcpy(&v, b->at + offset, MIN(size, 16u));
	else
		v = b->value >> 8 * offset;
	return ix_value(v & (size >= 16 ? ~(u128)0 : ((u128)1 << 8 * size) - 1), size);
}

uint64_t ix_value(u128 v, uint32_t size)
{
	return size <= 8 ? (uint64_t)v : hash_u64((uint64_t)v ^ hash_u64((uint64_t)(v >> 64)));
}

struct touch { /* an access */
	uint64_t addr, size;
	const struct bytes *old, *neu; /* NULL: not read, not written */
	uint8_t flags;
};

static void add_access(struct index_pass *p, struct indexer *t, struct follow *f,
	const struct follow_event *e, const struct touch *a)
{
	const struct extractor *x = p->ix->x;
	bool native = a->flags & IX_TOUCHES;
	uint32_t first = t->out->at.n, gen, k;
	struct ix_entry en = {.place = place_of(p->ix, e),
		.point = (uint32_t)(follow_points(f) - !native),
		.flags = a->flags};

	if (!t->on || !cells_maybe(&x->cells, a->addr, a->size))
		return;
	t->touched.func = e->func;
	t->touched.insn = e->insn;
	gen = touched_generation_ever(&t->touched, a->addr);
	k = cells_from(&x->cells, x->c, gen, a->addr);
	for (; k < x->c->cells.n; k++) {
		const struct ctp_cell *c = &x->c->cells.at[k];

		if (c->gen != gen || c->addr >= a->addr + a->size)
			break;
		if (c->addr < a->addr || c->addr + c->size > a->addr + a->size) {
			t->out->at.n = first;
			return;
		}
		en.what = k;
		if (a->old) {
			en.kind = IX_READ;
			en.value = piece_value(a->old, c->addr - a->addr, c->size);
			en.flags = a->flags | IX_MORE | (a->old->known ? 0 : IX_UNSEEN);
			add_entry(t, en, !native);
		}
		if (a->neu) {
			en.kind = IX_WRITE;
			en.value = piece_value(a->neu, c->addr - a->addr, c->size);
			en.flags = a->flags | IX_MORE;
			add_entry(t, en, !native);
		}
	}
	if (t->out->at.n > first)
		vec_last(&t->out->at).flags &= (uint8_t)~IX_MORE;
}

static void add_data(
	struct index_pass *p, struct indexer *t, struct follow *f, const struct follow_event *e)
{
	struct bytes old = {e->bytes, val_u128(e->kind == FOLLOW_READ ? e->value : e->old), true};
	struct bytes neu = {e->bytes, val_u128(e->value), true};
	struct touch a = {.addr = e->addr, .size = e->size, .flags = e->order ? IX_ATOMIC : 0};

	if (e->kind != FOLLOW_WRITE && e->kind != FOLLOW_NATIVE_WRITE)
		a.old = &old;
	if (e->kind != FOLLOW_READ && e->kind != FOLLOW_NATIVE_READ)
		a.neu = &neu;
	if (e->kind == FOLLOW_NATIVE_READ || e->kind == FOLLOW_NATIVE_WRITE)
		a.flags |= IX_TOUCHES;
	old.known = e->kind != FOLLOW_NATIVE_READ;
	add_access(p, t, f, e, &a);
}

static void add_call(
	struct index_pass *p, struct indexer *t, struct follow *f, const struct follow_event *e)
{
	struct effects_range r[CELLS_RANGES];
	struct bytes old = {0};
	uint32_t n = cells_call(&p->ix->x->cells, &t->call, f, e, r);

	for (uint32_t i = 0; i < n; i++)
		add_access(p, t, f, e, &(struct touch){r[i].addr, r[i].n, &old, NULL, IX_TOUCHES});
}

/* ---- synchronization ------------------------------------------------------------------------ */

static void count_inside(struct indexer *t, const struct sync_event *s)
{
	switch (s->kind) {
	case LOG_S_COND_WAIT: t->waits = 1; break;
	case LOG_S_COND_WOKEN: t->waits = 0; break;
	case LOG_S_BARRIER_ENTER:
	case LOG_S_USER_ATOMIC_BEGIN: t->inside++; break;
	case LOG_S_BARRIER_LEAVE:
	case LOG_S_USER_ATOMIC_END: t->inside -= t->inside > 0; break;
	default: break;
	}
}

static void add_sync(struct index_pass *p, struct indexer *t, uint32_t stream, struct follow *f,
	const struct follow_event *e)
{
	struct extractor *x = p->ix->x;
	const struct sync_thread *h = &x->sync->h.threads.at[stream];
	uint32_t nth = t->touched.events;
	const struct sync_event *s = &h->events.at[nth];
	uint16_t traits =
		e->kind == FOLLOW_SYNC && e->callee < x->p->funcs.n ? x->traits[e->callee] : 0;

	if (nth >= h->events.n)
		return;
	if (s->kind == LOG_S_CREATE && sync_succeeded(s) && !t->on) {
		extract_first_values(x, f, stream, nth);
		t->on = true;
	}
	if (s->kind == LOG_S_ALLOC && (traits & FUNC_ZEROS))
		extract_zeros(x, stream, nth);
	vec_push(&t->out->sync_pos, t->on ? t->out->at.n : UINT32_MAX);
	if (t->on)
		add_entry(t,
			(struct ix_entry){.what = nth,
				.kind = IX_SYNC,
				.place = s->func == IR_NONE ? IX_NO_PLACE
							    : p->ix->place_base[s->func] + s->insn,
				.point = (uint32_t)follow_points(f)},
			traits & FUNC_SYNC);
	count_inside(t, s);
	touched_sync(&t->touched, s);
}

/* ---- the pass ------------------------------------------------------------------------------- */

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct index_pass *p = ctx;
	struct indexer *t = &p->threads[thread];

	if (!t->out)
		return;
	switch (e->kind) {
	case FOLLOW_READ:
	case FOLLOW_NATIVE_READ:
	case FOLLOW_WRITE:
	case FOLLOW_NATIVE_WRITE:
	case FOLLOW_RMW:
	case FOLLOW_CAS_FAIL: add_data(p, t, f, e); break;
	case FOLLOW_CALL:
	case FOLLOW_RETURN: add_call(p, t, f, e); break;
	case FOLLOW_LOCAL: touched_local(&t->touched, e->addr, e->size, e->func, e->local); break;
	case FOLLOW_SYNC:
	case FOLLOW_BEGIN:
	case FOLLOW_END: add_sync(p, t, thread, f, e); break;
	}
	t->out->points = follow_points(f);
}

/* ---- what the observed order depends on ----------------------------------------------------- */

/* The rank of a record, as in the extraction: the last one of a signal and of a wake-up. */
static uint32_t rank_of(const struct ix *ix, uint32_t t, const struct sync_event *s, uint32_t nth)
{
	const struct sync_order *o = &ix->x->sync->o;
	bool last = s->kind == LOG_S_COND_WOKEN || s->kind == LOG_S_COND_SIGNAL ||
		    s->kind == LOG_S_COND_BROADCAST;

	return last ? sync_order_last(o, ix->threads[t].stream, nth)
		    : sync_order_first(o, ix->threads[t].stream, nth);
}

/* The thread that the event created or joined, if it has entries; CTP_NONE. */
static uint32_t peer_of(const struct ix *ix, const struct sync_event *s)
{
	uint32_t t = s->extra < trace_nthreads(ix->x->t) ? ix->x->thread_of[s->extra] : CTP_NONE;

	return sync_succeeded(s) && t != CTP_NONE && ix->threads[t].at.n ? t : CTP_NONE;
}

/* A thread's first entry depends on its creation, a join on the thread's last entry, any other
 * operation on the previous one on its object. */
static void find_ops(struct ix *ix)
{
	uint32_t *created = xmalloc((ix->nthreads + 1) * sizeof *created);

	memset(created, 0xff, (ix->nthreads + 1) * sizeof *created);
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		const struct ix_thread *th = &ix->threads[t];

		vec_each (&th->sync_pos, nth) {
			uint32_t pos = th->sync_pos.at[nth];
			const struct sync_event *s;
			struct ix_op op = {.entry = th->first + pos, .on = CTP_NONE};
			uint32_t peer;

			if (pos == UINT32_MAX)
				continue;
			s = ix_sync(ix, t, pos);
			peer = peer_of(ix, s);
			op.rank = rank_of(ix, t, s, nth);
			if (s->kind == LOG_S_JOIN && sync_succeeded(s)) {
				if (peer != CTP_NONE)
					op.on = ix->threads[peer].first + ix->threads[peer].at.n -
						1;
			} else {
				op.object[0] = s->object;
			}
			if (s->kind == LOG_S_COND_WAIT || s->kind == LOG_S_COND_WOKEN)
				op.object[1] = s->value;
			if (s->kind == LOG_S_CREATE && peer != CTP_NONE)
				created[peer] = op.entry;
			vec_push(&ix->ops, op);
		}
	}
	vec_each (&ix->ops, i) {
		uint32_t t = ix_thread_of(ix, ix->ops.at[i].entry);

		if (ix->ops.at[i].entry == ix->threads[t].first && created[t] != CTP_NONE)
			ix->ops.at[i].on = created[t];
	}
	free(created);
}

/* Finds the frees of blocks with cells. */
static void find_freed(struct ix *ix)
{
	const struct collected *sync = ix->x->sync;
	uint32_t last = 0;

	vec_each (&ix->x->c->cells, c) {
		uint32_t gen = ix->x->c->cells.at[c].gen, t, pos;
		const struct generation *g = &sync->g.at.at[gen];

		if (gen == last || g->kind != GEN_HEAP || g->to >= sync->o.n)
			continue;
		last = gen;
		t = ix->x->thread_of[sync->o.at[g->to].thread];
		pos = t == CTP_NONE ? UINT32_MAX : ix_sync_pos(ix, t, sync->o.at[g->to].event);
		if (pos == UINT32_MAX)
			continue;
		ix->threads[t].at.at[pos].flags |= IX_FREES;
		vec_push(&ix->freed, (struct ix_freed){ix->threads[t].first + pos, t, gen});
	}
}

/* ---- the whole index ------------------------------------------------------------------------ */

static void find_places(struct ix *ix)
{
	const struct ir_program *p = ix->x->p;

	ix->place_base = xcalloc(p->funcs.n + 1, sizeof *ix->place_base);
	vec_each (&p->funcs, i) {
		ix->place_base[i] = ix->nplaces;
		ix->nplaces += p->funcs.at[i].insns.n;
	}
}

int ix_build(struct ix *ix, struct extractor *x, uint32_t jobs)
{
	uint32_t n = trace_nthreads(x->t);
	struct index_pass p = {ix, xcalloc(n + 1, sizeof *p.threads)};
	struct trace_observer o = {
		.event = on_event, .ctx = &p, .kinds = CELLS_EVENTS | FOLLOW_BIT(FOLLOW_CALL)};
	int status;

	*ix = (struct ix){.x = x, .nthreads = x->c->threads.n};
	ix->threads = xcalloc(ix->nthreads + 1, sizeof *ix->threads);
	find_places(ix);
	for (uint32_t i = 0; i < n; i++) {
		struct indexer *t = &p.threads[i];

		touched_init(&t->touched, &x->sync->g, &x->sync->o, &x->sets, i);
		t->touched.pl = x->pl;
		t->touched.fixed_lo = x->fixed.fixed_lo;
		t->touched.fixed_hi = x->fixed.fixed_hi;
		t->on = trace_thread(x->t, i)->kind != LOG_T_MAIN;
		if (x->thread_of[i] == CTP_NONE)
			continue;
		t->out = &ix->threads[x->thread_of[i]];
		t->out->stream = i;
	}
	status = trace_follow(x->t, &o, NULL, jobs);
	for (uint32_t i = 0; i < n; i++)
		touched_release(&p.threads[i].touched);
	free(p.threads);
	if (status)
		return status;
	ix_number(ix);
	find_ops(ix);
	find_freed(ix);
	return 0;
}

void ix_number(struct ix *ix)
{
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		ix->threads[t].first = ix->n;
		ix->n += ix->threads[t].at.n;
	}
}

void ix_release(struct ix *ix)
{
	for (uint32_t t = 0; ix->threads && t < ix->nthreads; t++) {
		vec_release(&ix->threads[t].at);
		vec_release(&ix->threads[t].sync_pos);
	}
	free(ix->threads);
	free(ix->place_base);
	free(ix->rank);
	free(ix->on);
	free(ix->block);
	free(ix->user_first);
	free(ix->uses);
	vec_release(&ix->users);
	vec_release(&ix->runs);
	vec_release(&ix->frees);
	vec_release(&ix->ops);
	vec_release(&ix->freed);
	vec_release(&ix->forced);
}

uint32_t ix_thread_of(const struct ix *ix, uint32_t entry)
{
	uint32_t t = 0;

	while (t + 1 < ix->nthreads && ix->threads[t + 1].first <= entry)
		t++;
	return t;
}

const struct sync_event *ix_sync(const struct ix *ix, uint32_t thread, uint32_t pos)
{
	const struct ix_thread *th = &ix->threads[thread];

	return &ix->x->sync->h.threads.at[th->stream].events.at[th->at.at[pos].what];
}

uint32_t ix_before(const struct ix *ix, uint32_t thread, uint32_t rank)
{
	const struct ix_thread *th = &ix->threads[thread];

	return lower_bound(0u, th->at.n, i, ix->rank[th->first + i], rank);
}
