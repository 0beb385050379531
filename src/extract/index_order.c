/*
 * Finds the observed order of all entries of an index. The trace orders the operations on one
 * object (trace/order.h), and creation, begin, end and join of a thread; it does not order
 * accesses. The search is for an order in which every read gets its recorded value:
 *  - a read whose cell has the recorded value, and a synchronization whose dependencies are
 *    executed, are executed at once
 *  - a write is executed on demand: for a read that needs its value, or because the next
 *    synchronization of its thread is due. It is delayed while another thread must still read the
 *    old value, or must still write another value before the new value is read
 *  - a free waits for the accesses of other threads to its block
 * The search is greedy and does not backtrack. Where it is stuck, it forces a read: it sets the
 * cell to the recorded value, and the order is not exact. Then the search is repeated with other
 * settings, and the order with the fewest forced reads is kept: `strict` orders all synchronization
 * by rank, as far as clocks are exact; `eager` executes writes that do not change the value at
 * once.
 */
#include "extract/index.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/search.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct wanted { /* a cache: the read at `pos` waits for the write at `at` */
	uint32_t pos, cell, writer, at;
};

struct orderer {
	struct ix *ix;
	uint64_t *value;       /* by cell: current value (ix_value()) */
	bool *known, *initial; /* by cell: the current value, the initial value is known */
	uint32_t *writer;      /* by cell: entry of the last write, CTP_NONE */
	uint32_t *left;       /* by index in ix.freed: accesses of other threads not executed yet */
	uint32_t *next;       /* by thread: index in its row of the next entry */
	uint32_t *sync_at;    /* by thread: index of its next synchronization, or its end */
	uint32_t *since;      /* by entry: rank of its thread's last synchronization up to it */
	uint32_t nops;        /* the first nops elements of ix.ops are executed */
	uint32_t done;        /* number of executed entries */
	struct vec_u32 ready; /* threads that may be able to continue */
	bool *is_ready, *asked; /* by thread: it is in ready; demand_thread() for it is active */
	struct wanted *wanted;  /* by thread */
	bool strict;            /* execute all synchronization by rank */
	bool eager;             /* execute writes that do not change the value at once */
};

/* ---- entries -------------------------------------------------------------------------------- */

static uint32_t row_length(const struct orderer *o, uint32_t t)
{
	return o->ix->threads[t].at.n;
}

static bool entry_fits(const struct orderer *o, const struct ix_entry *e)
{
	return e->kind != IX_READ || !o->known[e->what] || (e->flags & IX_UNSEEN) ||
	       o->value[e->what] == e->value;
}

static bool event_fits(const struct orderer *o, uint32_t t, uint32_t pos, uint32_t end)
{
	for (; pos < end; pos++)
		if (!entry_fits(o, ix_at(o->ix, t, pos)))
			return false;
	return true;
}

/* The event does not change memory, so its execution need not wait for a demand. */
static bool is_quiet(const struct orderer *o, uint32_t t, uint32_t pos, uint32_t end)
{
	for (; pos < end; pos++) {
		const struct ix_entry *e = ix_at(o->ix, t, pos);

		if (e->kind == IX_WRITE &&
			(!o->eager || !o->known[e->what] || o->value[e->what] != e->value))
			return false;
	}
	return true;
}

static void make_ready(struct orderer *o, uint32_t t)
{
	if (o->is_ready[t] || o->next[t] == row_length(o, t))
		return;
	o->is_ready[t] = true;
	vec_push(&o->ready, t);
}

/* The index in its row of the thread's i-th use that is not executed; the row's length: none. */
static uint32_t use_at(const struct orderer *o, const struct ix_user *u, uint32_t i)
{
	return u->cursor + i < u->n
		       ? o->ix->uses[u->first + u->cursor + i] - o->ix->threads[u->thread].first
		       : row_length(o, u->thread);
}

/* The entry that writes the cell of the access at pos, in the same event; NULL: none. */
static const struct ix_entry *write_of(const struct orderer *o, uint32_t t, uint32_t pos)
{
	const struct ix_entry *e = ix_at(o->ix, t, pos);

	if (e->kind == IX_READ && (e->flags & IX_MORE) && e[1].what == e->what)
		e++;
	return e->kind == IX_WRITE ? e : NULL;
}

/* ---- executing ------------------------------------------------------------------------------ */

/* Makes the threads ready that still use the cell. */
static void wake_users(struct orderer *o, uint32_t cell)
{
	each_user (o->ix, cell, u)
		if (u->cursor < u->n)
			make_ready(o, u->thread);
}

static void read_cell(struct orderer *o, uint32_t number, struct ix_entry *e)
{
	struct ctp_cell *cell = &o->ix->x->c->cells.at[e->what];

	if (e->flags & IX_UNSEEN) {
		e->value = o->value[e->what];
	} else if (!o->known[e->what]) {
		o->known[e->what] = true;
		o->value[e->what] = e->value;
		if (cell->size <= 8) {
			cell->known = true;
			cell->initial = e->value;
		}
	}
	o->ix->on[number] = o->writer[e->what];
}

static void count_use(struct orderer *o, uint32_t cell, uint32_t t)
{
	uint32_t block = o->ix->block[cell], by;

	each_user (o->ix, cell, u)
		u->cursor += u->thread == t;
	if (!block || !o->left[block - 1])
		return;
	by = o->ix->freed.at[block - 1].thread;
	if (by != t && !--o->left[block - 1])
		make_ready(o, by);
}

static void execute_event(struct orderer *o, uint32_t t)
{
	struct ix *ix = o->ix;
	struct ix_thread *th = &ix->threads[t];
	uint32_t pos = o->next[t], end = ix_event_end(o->ix, t, pos);

	for (uint32_t k = pos; k < end; k++) {
		struct ix_entry *e = &th->at.at[k];

		assert(ix->rank[th->first + k] == UINT32_MAX);
		ix->rank[th->first + k] = o->done++;
		if (!ix_is_access(e))
			continue;
		count_use(o, e->what, t);
		if (e->kind == IX_READ)
			read_cell(o, th->first + k, e);
	}
	o->next[t] = end;
	for (uint32_t k = pos; k < end; k++) {
		const struct ix_entry *e = &th->at.at[k];

		if (e->kind != IX_WRITE)
			continue;
		o->known[e->what] = true;
		o->value[e->what] = e->value;
		o->writer[e->what] = th->first + k;
		wake_users(o, e->what);
	}
	if (ix->runs.n && vec_last(&ix->runs).thread == t)
		vec_last(&ix->runs).to = end;
	else
		vec_push(&ix->runs, (struct ix_run){t, end});
}

/* ---- execution without demand --------------------------------------------------------------- */

static bool is_done(const struct orderer *o, uint32_t number)
{
	return number == CTP_NONE || o->ix->rank[number] != UINT32_MAX;
}

/* If the entry frees a block that other threads must still access: sets *block to its index in
 * ix.freed. */
static bool frees_too_early(const struct orderer *o, uint32_t t, uint32_t pos, uint32_t *block)
{
	const struct ix *ix = o->ix;

	return (ix_at(o->ix, t, pos)->flags & IX_FREES) &&
	       search_find(0u, ix->freed.n, i, ix->freed.at[i].entry, ix->threads[t].first + pos,
		       block) &&
	       o->left[*block];
}

static bool may_sync(const struct orderer *o, uint32_t t, uint32_t pos)
{
	uint32_t number = o->ix->threads[t].first + pos, block;

	if (frees_too_early(o, t, pos, &block))
		return false;
	if (o->strict)
		return o->ix->ops.at[o->nops].entry == number;
	return is_done(o, o->ix->on[number]) &&
	       is_done(o, (uint32_t)ix_at(o->ix, t, pos)->value - 1);
}

static void next_sync(struct orderer *o, uint32_t t)
{
	uint32_t pos = o->next[t];

	while (pos < row_length(o, t) && ix_at(o->ix, t, pos)->kind != IX_SYNC)
		pos++;
	o->sync_at[t] = pos;
}

static void wake_waiting(struct orderer *o)
{
	while (o->nops < o->ix->ops.n && is_done(o, o->ix->ops.at[o->nops].entry))
		o->nops++;
	if (o->strict) {
		if (o->nops < o->ix->ops.n)
			make_ready(o, ix_thread_of(o->ix, o->ix->ops.at[o->nops].entry));
		return;
	}
	for (uint32_t t = 0; t < o->ix->nthreads; t++)
		if (o->next[t] < row_length(o, t) && ix_at(o->ix, t, o->next[t])->kind == IX_SYNC &&
			may_sync(o, t, o->next[t]))
			make_ready(o, t);
}

/* Executes the events of the thread up to the next that changes memory or must wait. */
static void go_on(struct orderer *o, uint32_t t)
{
	while (o->next[t] < row_length(o, t)) {
		uint32_t pos = o->next[t], end = ix_event_end(o->ix, t, pos);

		if (ix_at(o->ix, t, pos)->kind == IX_SYNC) {
			if (!may_sync(o, t, pos))
				return;
			execute_event(o, t);
			next_sync(o, t);
			wake_waiting(o);
		} else if (event_fits(o, t, pos, end) && is_quiet(o, t, pos, end)) {
			execute_event(o, t);
		} else {
			return;
		}
	}
}

/* ---- choice of the next write --------------------------------------------------------------- */

enum { DEPTH = 32, AHEAD = 1 << 20, BACK = 64 };

static uint32_t demand_thread(struct orderer *o, uint32_t t, uint32_t depth);

/* Whether a thread other than `who` writes the cell's current value again, after the event of t
 * that ends at `end`. */
static bool comes_back(
	const struct orderer *o, uint32_t cell, uint32_t t, uint32_t end, uint32_t who)
{
	each_user (o->ix, cell, u) {
		uint32_t from = 0, pos;

		if (u->thread == who)
			continue;
		while (u->thread == t && use_at(o, u, from) < end)
			from++;
		for (uint32_t i = from; i < from + BACK; i++) {
			pos = use_at(o, u, i);
			if (pos == row_length(o, u->thread))
				break;
			if (ix_at(o->ix, u->thread, pos)->kind == IX_WRITE &&
				ix_at(o->ix, u->thread, pos)->value == o->value[cell])
				return true;
		}
	}
	return false;
}

static bool reads_next(const struct orderer *o, uint32_t t, uint32_t cell)
{
	uint32_t end = ix_event_end(o->ix, t, o->next[t]);

	for (uint32_t k = o->next[t]; k < end; k++)
		if (ix_at(o->ix, t, k)->kind == IX_READ && ix_at(o->ix, t, k)->what == cell)
			return true;
	return false;
}

/* The read of the cell at pos of t and the next event of the writer both read the current value and
 * change it, and only the writer's thread writes that value again later: then the writer must be
 * first. */
static bool must_wait(
	const struct orderer *o, uint32_t cell, uint32_t t, uint32_t pos, uint32_t writer)
{
	const struct ix_entry *w = write_of(o, t, pos);

	return w && w->value != ix_at(o->ix, t, pos)->value && reads_next(o, writer, cell) &&
	       !comes_back(o, cell, t, ix_event_end(o->ix, t, pos), writer) &&
	       comes_back(o, cell, writer, ix_event_end(o->ix, writer, o->next[writer]), t);
}

/* The demand for a thread that must still read the current value of the cell, before its next
 * synchronization; CTP_NONE. */
static uint32_t spare_reader(struct orderer *o, uint32_t cell, uint32_t writer, uint32_t depth)
{
	each_user (o->ix, cell, u) {
		uint32_t pos = use_at(o, u, 0), found;

		if (u->thread == writer || o->asked[u->thread] || pos >= o->sync_at[u->thread] ||
			ix_at(o->ix, u->thread, pos)->kind != IX_READ || !o->known[cell] ||
			ix_at(o->ix, u->thread, pos)->value != o->value[cell] ||
			must_wait(o, cell, u->thread, pos, writer))
			continue;
		found = demand_thread(o, u->thread, depth + 1);
		if (found != CTP_NONE)
			return found;
	}
	return CTP_NONE;
}

/* The index in its row of the thread's next write of that value; the row's length: none. */
static uint32_t find_write(
	const struct orderer *o, const struct ix_user *u, uint64_t value, bool far)
{
	uint32_t end = far ? row_length(o, u->thread) : o->sync_at[u->thread];

	for (uint32_t k = 0; k < AHEAD; k++) {
		uint32_t pos = use_at(o, u, k);

		if (pos >= end)
			break;
		if (ix_at(o->ix, u->thread, pos)->kind == IX_WRITE &&
			ix_at(o->ix, u->thread, pos)->value == value)
			return pos;
	}
	return row_length(o, u->thread);
}

/* The demand for a thread that will write the value; far: even after its next synchronization. */
static uint32_t find_writer(
	struct orderer *o, const struct ix_entry *want, uint32_t reader, bool far, uint32_t depth)
{
	each_user (o->ix, want->what, u) {
		uint32_t found, pos;

		if (u->thread == reader || o->asked[u->thread] || !u->writes)
			continue;
		pos = find_write(o, u, want->value, far);
		if (pos == row_length(o, u->thread))
			continue;
		found = demand_thread(o, u->thread, depth + 1);
		if (found != CTP_NONE) {
			o->wanted[reader] =
				(struct wanted){o->next[reader], want->what, u->thread, pos};
			return found;
		}
	}
	return CTP_NONE;
}

/* As find_writer(), from the cache, if that write is not executed yet. */
static uint32_t known_writer(
	struct orderer *o, const struct ix_entry *want, uint32_t reader, uint32_t depth)
{
	const struct wanted *w = &o->wanted[reader];

	if (w->pos != o->next[reader] || w->cell != want->what || w->at < o->next[w->writer] ||
		o->asked[w->writer])
		return CTP_NONE;
	return demand_thread(o, w->writer, depth + 1);
}

/* The smallest rank of synchronization after which a thread reads, as its next use of the cell, the
 * value that the entry at pos of t will write; t itself included. 0: none. */
static uint32_t read_after(const struct orderer *o, uint32_t t, uint32_t pos)
{
	const struct ix_entry *w = ix_at(o->ix, t, pos);
	uint32_t least = UINT32_MAX, end = ix_event_end(o->ix, t, pos);

	each_user (o->ix, w->what, u) {
		uint32_t i = 0, k;

		while (u->thread == t && use_at(o, u, i) < end)
			i++;
		k = use_at(o, u, i);
		if (k < row_length(o, u->thread) && ix_at(o->ix, u->thread, k)->kind == IX_READ &&
			ix_at(o->ix, u->thread, k)->value == w->value)
			least = MIN(least, o->since[o->ix->threads[u->thread].first + k]);
	}
	return least == UINT32_MAX ? 0 : least;
}

/* The demand for a thread that must write the cell before read_after(), and so would overwrite the
 * value of the write at pos of t if that came first; CTP_NONE. */
static uint32_t find_spoiler(struct orderer *o, uint32_t t, uint32_t pos, uint32_t depth)
{
	uint32_t before = read_after(o, t, pos), found = CTP_NONE;

	if (!before)
		return CTP_NONE;
	each_user (o->ix, ix_at(o->ix, t, pos)->what, u) {
		uint32_t k = use_at(o, u, 0), sync = o->sync_at[u->thread];

		if (u->thread != t && !o->asked[u->thread] && k < sync &&
			sync < row_length(o, u->thread) &&
			o->since[o->ix->threads[u->thread].first + sync] < before &&
			write_of(o, u->thread, k))
			found = demand_thread(o, u->thread, depth + 1);
		if (found != CTP_NONE)
			return found;
	}
	return CTP_NONE;
}

/* The demand for a thread that must still access a block of that generation, which `by` frees. */
static uint32_t find_user(struct orderer *o, uint32_t gen, uint32_t by, uint32_t depth)
{
	const struct extractor *x = o->ix->x;
	uint32_t k = cells_from(&x->cells, x->c, gen, 0);

	for (; k < x->c->cells.n && x->c->cells.at[k].gen == gen; k++)
		each_user (o->ix, k, u) {
			uint32_t found = u->thread == by || o->asked[u->thread] || u->cursor == u->n
						 ? CTP_NONE
						 : demand_thread(o, u->thread, depth + 1);

			if (found != CTP_NONE)
				return found;
		}
	return CTP_NONE;
}

/* The thread whose write is next so that the synchronization at pos of t can be executed: the
 * demand for a user of the block that it frees, or for one of its dependencies. */
static uint32_t demand_sync(struct orderer *o, uint32_t t, uint32_t pos, uint32_t depth)
{
	uint32_t on[] = {o->ix->on[o->ix->threads[t].first + pos],
		(uint32_t)ix_at(o->ix, t, pos)->value - 1};
	uint32_t found = CTP_NONE, block;

	if (frees_too_early(o, t, pos, &block))
		found = find_user(o, o->ix->freed.at[block].gen, t, depth);
	for (uint32_t i = 0; !o->strict && i < ARRAY_SIZE(on) && found == CTP_NONE; i++)
		if (!is_done(o, on[i]) && !o->asked[ix_thread_of(o->ix, on[i])])
			found = demand_thread(o, ix_thread_of(o->ix, on[i]), depth + 1);
	return found;
}

/* The thread whose write is next so that the event of t at [pos, end) can be executed, t itself
 * included; CTP_NONE if no write helps. */
static uint32_t demand_access(
	struct orderer *o, uint32_t t, uint32_t pos, uint32_t end, uint32_t depth)
{
	uint32_t found = CTP_NONE;
	bool stuck = false;

	for (uint32_t k = pos; k < end && found == CTP_NONE; k++)
		if (!entry_fits(o, ix_at(o->ix, t, k))) {
			stuck = true;
			found = known_writer(o, ix_at(o->ix, t, k), t, depth);
			if (found == CTP_NONE)
				found = find_writer(o, ix_at(o->ix, t, k), t, false, depth);
			if (found == CTP_NONE)
				found = find_writer(o, ix_at(o->ix, t, k), t, true, depth);
		}
	for (uint32_t k = pos; !stuck && k < end && found == CTP_NONE; k++) {
		const struct ix_entry *e = ix_at(o->ix, t, k);

		if (e->kind == IX_WRITE && e->value != o->value[e->what])
			found = spare_reader(o, e->what, t, depth);
		if (e->kind == IX_WRITE && found == CTP_NONE)
			found = find_spoiler(o, t, k, depth);
	}
	return found != CTP_NONE ? found : stuck ? CTP_NONE : t;
}

/* The thread whose write is next so that t can continue, t itself included; CTP_NONE if no write
 * helps. */
static uint32_t demand_thread(struct orderer *o, uint32_t t, uint32_t depth)
{
	uint32_t pos = o->next[t], found;

	if (pos >= row_length(o, t) || depth > DEPTH)
		return CTP_NONE;
	o->asked[t] = true;
	found = ix_at(o->ix, t, pos)->kind == IX_SYNC
			? demand_sync(o, t, pos, depth)
			: demand_access(o, t, pos, ix_event_end(o->ix, t, pos), depth);
	o->asked[t] = false;
	return found;
}

/* The thread of the next synchronization, or the first thread with entries left. */
static uint32_t find_urgent(const struct orderer *o)
{
	if (o->nops < o->ix->ops.n)
		return ix_thread_of(o->ix, o->ix->ops.at[o->nops].entry);
	for (uint32_t t = 0; t < o->ix->nthreads; t++)
		if (o->next[t] < row_length(o, t))
			return t;
	return CTP_NONE;
}

/* No write explains the next read of t: sets the cells to its recorded values. Or t frees a block
 * that other threads access later: lets it. False if t waits for an operation that waits for t. */
static bool force_event(struct orderer *o, uint32_t t)
{
	uint32_t pos = o->next[t], end = ix_event_end(o->ix, t, pos), block;

	if (ix_at(o->ix, t, pos)->kind == IX_SYNC) {
		if (!frees_too_early(o, t, pos, &block))
			return false;
		o->left[block] = 0;
		return true;
	}
	for (; pos < end; pos++) {
		const struct ix_entry *e = ix_at(o->ix, t, pos);

		if (entry_fits(o, e))
			continue;
		vec_push(&o->ix->forced, o->ix->threads[t].first + pos);
		o->value[e->what] = e->value;
		wake_users(o, e->what);
	}
	return true;
}

/* CTP_NONE, or the entry of a synchronization that would have to come before itself. */
static uint32_t search_order(struct orderer *o)
{
	for (;;) {
		uint32_t t, w;

		while (o->ready.n) {
			t = vec_pop(&o->ready);
			o->is_ready[t] = false;
			go_on(o, t);
		}
		t = find_urgent(o);
		if (t == CTP_NONE) {
			assert(o->done == o->ix->n);
			return CTP_NONE;
		}
		w = demand_thread(o, t, 0);
		if (w != CTP_NONE) {
			execute_event(o, w);
			make_ready(o, w);
		} else if (!force_event(o, t)) {
			return o->ix->threads[t].first + o->next[t];
		}
		make_ready(o, t);
	}
}

/* ---- the search ----------------------------------------------------------------------------- */

static void restart_search(struct orderer *o)
{
	struct ix *ix = o->ix;

	vec_clear(&ix->runs);
	vec_clear(&ix->forced);
	o->nops = o->done = 0;
	memset(o->left, 0, (ix->freed.n + 1) * sizeof *o->left);
	vec_each (&ix->users, i)
		ix->users.at[i].cursor = 0;
	for (uint32_t i = 0; i < ix->n; i++)
		ix->rank[i] = UINT32_MAX;
	vec_each (&ix->x->c->cells, c) {
		struct ctp_cell *cell = &ix->x->c->cells.at[c];

		cell->known = o->known[c] = o->initial[c];
		o->value[c] = ix_value(cell->initial, cell->size);
		o->writer[c] = CTP_NONE;
		if (!ix->block[c])
			continue;
		each_user (ix, c, u)
			if (u->thread != ix->freed.at[ix->block[c] - 1].thread)
				o->left[ix->block[c] - 1] += u->n;
	}
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		o->next[t] = 0;
		o->wanted[t].pos = UINT32_MAX;
	}
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		next_sync(o, t);
		make_ready(o, t);
	}
}

static void orderer_init(struct orderer *o, struct ix *ix)
{
	uint32_t n = ix->nthreads, ncells = ix->x->c->cells.n;

	*o = (struct orderer){.ix = ix,
		.value = xcalloc(ncells + 1, sizeof *o->value),
		.known = xcalloc(ncells + 1, sizeof *o->known),
		.initial = xcalloc(ncells + 1, sizeof *o->initial),
		.writer = xcalloc(ncells + 1, sizeof *o->writer),
		.left = xcalloc(ix->freed.n + 1, sizeof *o->left),
		.next = xcalloc(n + 1, sizeof *o->next),
		.sync_at = xcalloc(n + 1, sizeof *o->sync_at),
		.since = ix_tables(ix),
		.is_ready = xcalloc(n + 1, sizeof *o->is_ready),
		.asked = xcalloc(n + 1, sizeof *o->asked),
		.wanted = xcalloc(n + 1, sizeof *o->wanted)};
	for (uint32_t c = 0; c < ncells; c++)
		o->initial[c] = ix->x->c->cells.at[c].known;
}

static void orderer_release(struct orderer *o)
{
	free(o->value);
	free(o->known);
	free(o->initial);
	free(o->writer);
	free(o->left);
	free(o->next);
	free(o->sync_at);
	free(o->since);
	free(o->is_ready);
	free(o->asked);
	free(o->wanted);
	vec_release(&o->ready);
}

uint32_t ix_order(struct ix *ix, bool by_rank)
{
	static const struct {
		bool strict, eager;
	} manners[] = {{false, false}, {false, true}, {true, true}, {true, false}};
	uint32_t best = 0, least = UINT32_MAX, stuck = CTP_NONE;
	struct orderer o;

	orderer_init(&o, ix);
	for (uint32_t i = 0; i < ARRAY_SIZE(manners) + 1 && stuck == CTP_NONE; i++) {
		bool again = i == ARRAY_SIZE(manners);
		uint32_t k = ((again ? best : i) + (by_rank ? 2 : 0)) % ARRAY_SIZE(manners);

		if (again && best == i - 1)
			break;
		o.strict = manners[k].strict;
		o.eager = manners[k].eager;
		restart_search(&o);
		stuck = search_order(&o);
		if (!ix->forced.n || again)
			break;
		if (ix->forced.n < least) {
			least = ix->forced.n;
			best = i;
		}
	}
	/* initial values that were derived from a first read are wrong if the order is */
	for (uint32_t c = 0; ix->forced.n && c < ix->x->c->cells.n; c++)
		ix->x->c->cells.at[c].known = o.initial[c];
	ix_find_frees(ix);
	orderer_release(&o);
	return stuck;
}

int ix_contradiction(const struct extractor *x, uint32_t func, uint32_t insn)
{
	struct strbuf place = {0};
	int status;

	names_pos(&place, x->p, func, insn);
	status = error_at((struct diag_pos){.file = place.s},
		"the trace contradicts itself: the synchronization here would have to come before "
		"itself (record again)");
	strbuf_release(&place);
	return status;
}
