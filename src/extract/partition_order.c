/*
 * Finds the observed order of a long run from its index: the search of extract_order.c, on entries.
 * It finds an order in which every read gets its recorded value; reads whose cell has the value and
 * synchronization are executed at once, writes on demand. In a long run some clocks are often
 * wrong, so the strict order of synchronization by rank is tried last.
 */
#include "extract/partition_index.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct orderer {
	struct ix *ix;
	uint64_t *value;    /* by cell: current value */
	bool *known, *initial; /* by cell: the current value, the initial value is known */
	uint32_t *writer;   /* by cell: entry of the last write, CTP_NONE */
	uint32_t *next;     /* by thread: index in its row of the next entry */
	uint32_t *sync_at;  /* by thread: index of its next synchronization, or its end */
	struct sync_rank {
		uint32_t rank, entry;
	} *sync;            /* all synchronization by rank */
	uint32_t nsync, at; /* length of sync; its first `at` elements are executed */
	uint32_t done;      /* number of executed entries */
	struct vec_u32 ready; /* threads that may be able to continue */
	bool *is_ready, *asked; /* by thread: it is in ready; demand() for it is active */
	struct wanted { /* by thread, a cache: the read at `pos` waits for the write at `at` */
		uint32_t pos, cell, writer, at;
	} *wanted;
	uint32_t *left;     /* by freed generation: accesses of other threads not executed yet */
	bool strict, eager; /* see extract_order.c */
};

/* ---- entries -------------------------------------------------------------------------------- */

static const struct ix_entry *entry(const struct orderer *o, uint32_t t, uint32_t pos)
{
	return &o->ix->threads[t].at.at[pos];
}

static uint32_t length(const struct orderer *o, uint32_t t)
{
	return o->ix->threads[t].at.n;
}

/* The index after the last entry of the event that begins at pos. */
static uint32_t event_end(const struct orderer *o, uint32_t t, uint32_t pos)
{
	while (entry(o, t, pos)->flags & IX_MORE)
		pos++;
	return pos + 1;
}

static bool entry_fits(const struct orderer *o, const struct ix_entry *e)
{
	return e->kind != IX_READ || !o->known[e->what] || (e->flags & IX_UNSEEN) ||
	       o->value[e->what] == e->value;
}

static bool fits(const struct orderer *o, uint32_t t, uint32_t pos, uint32_t end)
{
	for (; pos < end; pos++)
		if (!entry_fits(o, entry(o, t, pos)))
			return false;
	return true;
}

/* The event does not change memory, so its execution need not wait for a demand. */
static bool is_quiet(const struct orderer *o, uint32_t t, uint32_t pos, uint32_t end)
{
	for (; pos < end; pos++) {
		const struct ix_entry *e = entry(o, t, pos);

		if (e->kind == IX_WRITE &&
			(!o->eager || !o->known[e->what] || o->value[e->what] != e->value))
			return false;
	}
	return true;
}

static void make_ready(struct orderer *o, uint32_t t)
{
	if (o->is_ready[t] || o->next[t] == length(o, t))
		return;
	o->is_ready[t] = true;
	vec_push(&o->ready, t);
}

/* ---- executing ------------------------------------------------------------------------------ */

static struct ix_user *user_of(const struct orderer *o, uint32_t cell, uint32_t t)
{
	const struct ix *ix = o->ix;

	for (uint32_t i = ix->user_first[cell]; i < ix->user_first[cell + 1]; i++)
		if (ix->users.at[i].thread == t)
			return &ix->users.at[i];
	BUG("a cell without its user");
}

/* Makes the threads ready that still use the cell. */
static void wake_users(struct orderer *o, uint32_t cell)
{
	const struct ix *ix = o->ix;

	for (uint32_t i = ix->user_first[cell]; i < ix->user_first[cell + 1]; i++) {
		const struct ix_user *u = &ix->users.at[i];

		if (u->cursor < u->n && ix->uses[u->first + u->cursor] >=
				ix->threads[u->thread].first + o->next[u->thread])
			make_ready(o, u->thread);
	}
}

static void read(struct orderer *o, uint32_t number, struct ix_entry *e)
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

/* The thread that frees a generation, and the index of the free in its events; CTP_NONE: none. */
static uint32_t freer(const struct ix *ix, uint32_t gen, uint32_t *event)
{
	const struct collected *sync = ix->x->sync;
	const struct generation *g = &sync->g.at.at[gen];

	if (!gen || g->kind != GEN_HEAP || g->to >= sync->o.n)
		return CTP_NONE;
	*event = sync->o.at[g->to].event;
	return ix->x->thread_of[sync->o.at[g->to].thread];
}

static void used(struct orderer *o, uint32_t cell, uint32_t t)
{
	uint32_t gen = o->ix->x->c->cells.at[cell].gen, event, by;

	if (!gen || !o->left[gen] || (by = freer(o->ix, gen, &event)) == t)
		return;
	if (!--o->left[gen])
		make_ready(o, by);
}

static void execute(struct orderer *o, uint32_t t)
{
	struct ix *ix = o->ix;
	struct ix_thread *th = &ix->threads[t];
	uint32_t pos = o->next[t], end = event_end(o, t, pos);

	for (uint32_t k = pos; k < end; k++) {
		struct ix_entry *e = &th->at.at[k];

		ix->rank[th->first + k] = o->done++;
		if (e->kind == IX_SYNC)
			continue;
		user_of(o, e->what, t)->cursor++;
		used(o, e->what, t);
		if (e->kind == IX_READ)
			read(o, th->first + k, e);
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

static bool may_sync(const struct orderer *o, uint32_t t, uint32_t pos)
{
	uint32_t number = o->ix->threads[t].first + pos;

	if ((entry(o, t, pos)->flags & IX_FREES) &&
		o->left[map_get_or(&o->ix->freed, number, 0)])
		return false;
	if (o->strict)
		return o->sync[o->at].entry == number;
	return is_done(o, o->ix->on[number]) &&
	       is_done(o, (uint32_t)entry(o, t, pos)->value - 1);
}

static void next_sync(struct orderer *o, uint32_t t)
{
	uint32_t pos = o->next[t];

	while (pos < length(o, t) && entry(o, t, pos)->kind != IX_SYNC)
		pos++;
	o->sync_at[t] = pos;
}

static void wake_waiting(struct orderer *o)
{
	while (o->at < o->nsync && is_done(o, o->sync[o->at].entry))
		o->at++;
	if (o->strict) {
		if (o->at < o->nsync)
			make_ready(o, ix_thread_of(o->ix, o->sync[o->at].entry));
		return;
	}
	for (uint32_t t = 0; t < o->ix->nthreads; t++)
		if (o->next[t] < length(o, t) && entry(o, t, o->next[t])->kind == IX_SYNC &&
			may_sync(o, t, o->next[t]))
			make_ready(o, t);
}

static void go_on(struct orderer *o, uint32_t t)
{
	while (o->next[t] < length(o, t)) {
		uint32_t pos = o->next[t], end = event_end(o, t, pos);

		if (entry(o, t, pos)->kind == IX_SYNC) {
			if (!may_sync(o, t, pos))
				return;
			execute(o, t);
			next_sync(o, t);
			wake_waiting(o);
		} else if (fits(o, t, pos, end) && is_quiet(o, t, pos, end)) {
			execute(o, t);
		} else {
			return;
		}
	}
}

/* ---- choice of the next write --------------------------------------------------------------- */

enum { DEPTH = 32, AHEAD = 1 << 20 };

static uint32_t demand(struct orderer *o, uint32_t t, uint32_t depth);

/* The index in its row of the thread's i-th use that is not executed; the row's length: none. */
static uint32_t use(const struct orderer *o, const struct ix_user *u, uint32_t i)
{
	return u->cursor + i < u->n ? o->ix->uses[u->first + u->cursor + i] -
					      o->ix->threads[u->thread].first
				    : length(o, u->thread);
}

/* The demand for a thread that must still read the current value of the cell, before its next
 * synchronization; CTP_NONE. */
static uint32_t spare_reader(struct orderer *o, uint32_t cell, uint32_t writer, uint32_t depth)
{
	const struct ix *ix = o->ix;

	for (uint32_t i = ix->user_first[cell]; i < ix->user_first[cell + 1]; i++) {
		const struct ix_user *u = &ix->users.at[i];
		uint32_t pos = use(o, u, 0), found;

		if (u->thread == writer || o->asked[u->thread] || pos >= o->sync_at[u->thread] ||
			entry(o, u->thread, pos)->kind != IX_READ || !o->known[cell] ||
			entry(o, u->thread, pos)->value != o->value[cell])
			continue;
		found = demand(o, u->thread, depth + 1);
		if (found != CTP_NONE)
			return found;
	}
	return CTP_NONE;
}

/* The index in its row of the thread's next write of that value; the row's length: none. */
static uint32_t find_write(
	const struct orderer *o, const struct ix_user *u, uint64_t value, bool far)
{
	uint32_t end = far ? length(o, u->thread) : o->sync_at[u->thread];

	for (uint32_t k = 0; k < AHEAD; k++) {
		uint32_t pos = use(o, u, k);

		if (pos >= end)
			break;
		if (entry(o, u->thread, pos)->kind == IX_WRITE &&
			entry(o, u->thread, pos)->value == value)
			return pos;
	}
	return length(o, u->thread);
}

/* The demand for a thread that will write the value; far: even after its next synchronization. */
static uint32_t find_writer(struct orderer *o, const struct ix_entry *want, uint32_t reader,
	bool far, uint32_t depth)
{
	const struct ix *ix = o->ix;

	for (uint32_t i = ix->user_first[want->what]; i < ix->user_first[want->what + 1]; i++) {
		const struct ix_user *u = &ix->users.at[i];
		uint32_t found, pos;

		if (u->thread == reader || o->asked[u->thread] || !u->writes)
			continue;
		pos = find_write(o, u, want->value, far);
		if (pos == length(o, u->thread))
			continue;
		found = demand(o, u->thread, depth + 1);
		if (found != CTP_NONE) {
			o->wanted[reader] =
				(struct wanted){o->next[reader], want->what, u->thread, pos};
			return found;
		}
	}
	return CTP_NONE;
}

/* As find_writer(), from the cache, if that write is not executed yet. */
static uint32_t known_writer(struct orderer *o, const struct ix_entry *want, uint32_t reader,
	uint32_t depth)
{
	const struct wanted *w = &o->wanted[reader];

	if (w->pos != o->next[reader] || w->cell != want->what || w->at < o->next[w->writer] ||
		o->asked[w->writer])
		return CTP_NONE;
	return demand(o, w->writer, depth + 1);
}

/* The demand for a thread that must still access the block which the entry frees. */
static uint32_t find_user(struct orderer *o, uint32_t number, uint32_t by, uint32_t depth)
{
	const struct ix *ix = o->ix;
	uint32_t gen = (uint32_t)map_get_or(&ix->freed, number, 0);
	uint32_t k = gen && o->left[gen] ? cells_from(&ix->x->cells, ix->x->c, gen, 0) : CTP_NONE;

	for (; k < ix->x->c->cells.n && ix->x->c->cells.at[k].gen == gen; k++)
		for (uint32_t i = ix->user_first[k]; i < ix->user_first[k + 1]; i++) {
			const struct ix_user *u = &ix->users.at[i];
			uint32_t found = u->thread == by || o->asked[u->thread] || u->cursor == u->n
						 ? CTP_NONE
						 : demand(o, u->thread, depth + 1);

			if (found != CTP_NONE)
				return found;
		}
	return CTP_NONE;
}

/* The thread whose write is next so that t can continue, t itself included; CTP_NONE if no write
 * helps. */
static uint32_t demand(struct orderer *o, uint32_t t, uint32_t depth)
{
	uint32_t pos = o->next[t], end, found = CTP_NONE;
	bool stuck = false;

	if (pos >= length(o, t) || depth > DEPTH)
		return CTP_NONE;
	end = event_end(o, t, pos);
	o->asked[t] = true;
	if (entry(o, t, pos)->kind == IX_SYNC) {
		if (entry(o, t, pos)->flags & IX_FREES)
			found = find_user(o, o->ix->threads[t].first + pos, t, depth);
		o->asked[t] = false;
		return found;
	}
	for (uint32_t k = pos; k < end && found == CTP_NONE; k++)
		if (!entry_fits(o, entry(o, t, k))) {
			stuck = true;
			found = known_writer(o, entry(o, t, k), t, depth);
			if (found == CTP_NONE)
				found = find_writer(o, entry(o, t, k), t, false, depth);
			if (found == CTP_NONE)
				found = find_writer(o, entry(o, t, k), t, true, depth);
		}
	for (uint32_t k = pos; !stuck && k < end && found == CTP_NONE; k++) {
		const struct ix_entry *e = entry(o, t, k);

		if (e->kind == IX_WRITE && e->value != o->value[e->what])
			found = spare_reader(o, e->what, t, depth);
	}
	o->asked[t] = false;
	if (found != CTP_NONE)
		return found;
	return stuck ? CTP_NONE : t;
}

/* The thread of the next synchronization, or the first thread with entries left. */
static uint32_t urgent(const struct orderer *o)
{
	if (o->at < o->nsync)
		return ix_thread_of(o->ix, o->sync[o->at].entry);
	for (uint32_t t = 0; t < o->ix->nthreads; t++)
		if (o->next[t] < length(o, t))
			return t;
	return CTP_NONE;
}

/* No write explains the next read of t: sets the cells to its recorded values. Or t frees a block
 * that other threads access later: lets it. */
static void force(struct orderer *o, uint32_t t)
{
	uint32_t pos = o->next[t], end = event_end(o, t, pos);

	if (entry(o, t, pos)->kind == IX_SYNC) {
		BUG_ON(!(entry(o, t, pos)->flags & IX_FREES));
		o->left[map_get_or(&o->ix->freed, o->ix->threads[t].first + pos, 0)] = 0;
		return;
	}
	for (; pos < end; pos++) {
		const struct ix_entry *e = entry(o, t, pos);

		if (entry_fits(o, e))
			continue;
		vec_push(&o->ix->forced, o->ix->threads[t].first + pos);
		o->value[e->what] = e->value;
		wake_users(o, e->what);
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
			force(o, t);
		} else {
			execute(o, w);
			make_ready(o, w);
		}
		make_ready(o, t);
	}
}

/* ---- tables --------------------------------------------------------------------------------- */

static int compare_sync(const void *a, const void *b)
{
	const struct sync_rank *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* The rank of a record, as in the extraction: the last one of a signal and of a wake-up. */
static uint32_t rank_of(const struct ix *ix, uint32_t t, const struct sync_event *s, uint32_t nth)
{
	const struct sync_order *o = &ix->x->sync->o;
	bool last = s->kind == LOG_S_COND_WOKEN || s->kind == LOG_S_COND_SIGNAL ||
		    s->kind == LOG_S_COND_BROADCAST;

	return last ? sync_order_last(o, ix->threads[t].stream, nth)
		    : sync_order_first(o, ix->threads[t].stream, nth);
}

static void sort_sync(struct orderer *o)
{
	struct ix *ix = o->ix;

	for (uint32_t t = 0; t < ix->nthreads; t++)
		o->nsync += ix->threads[t].sync_pos.n;
	o->sync = xcalloc(o->nsync + 1, sizeof *o->sync);
	o->nsync = 0;
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		const struct ix_thread *th = &ix->threads[t];
		uint32_t rank = 0;

		vec_each (&th->sync_pos, nth) {
			uint32_t pos = th->sync_pos.at[nth];

			if (pos == UINT32_MAX)
				continue;
			rank = MAX(rank, rank_of(ix, t, ix_sync(ix, t, pos), nth));
			o->sync[o->nsync++] = (struct sync_rank){rank, th->first + pos};
		}
	}
	if (o->nsync)
		qsort(o->sync, o->nsync, sizeof *o->sync, compare_sync);
}

static uint32_t last_use(struct map *last, uint64_t object, uint32_t number)
{
	uint64_t *at = map_put(last, object);
	uint32_t old = (uint32_t)*at - 1;

	*at = number + 1;
	return old;
}

static uint32_t edge_of(const struct ix *ix, uint32_t stream, bool end)
{
	uint32_t t = stream < trace_nthreads(ix->x->t) ? ix->x->thread_of[stream] : CTP_NONE;
	const struct ix_thread *th = t == CTP_NONE ? NULL : &ix->threads[t];

	if (!th || !th->at.n)
		return CTP_NONE;
	return th->first + (end ? th->at.n - 1 : 0);
}

/* Fills the dependencies of synchronization: an operation depends on the previous one on its
 * object, a thread's first entry on its creation, a join on the thread's last entry. */
static void find_standing(struct orderer *o)
{
	struct ix *ix = o->ix;
	struct map last = {0};

	for (uint32_t i = 0; i < o->nsync; i++) {
		uint32_t number = o->sync[i].entry, t = ix_thread_of(ix, number), begun;
		struct ix_entry *e = &ix->threads[t].at.at[number - ix->threads[t].first];
		const struct sync_event *s = ix_sync(ix, t, number - ix->threads[t].first);

		e->value = 0;
		if (s->kind == LOG_S_JOIN && sync_succeeded(s))
			ix->on[number] = edge_of(ix, s->extra, true);
		else if (s->object)
			ix->on[number] = last_use(&last, s->object, number);
		if (s->kind == LOG_S_COND_WAIT || s->kind == LOG_S_COND_WOKEN)
			e->value = last_use(&last, s->value, number) + 1ull;
		if (s->kind == LOG_S_CREATE && sync_succeeded(s)) {
			begun = edge_of(ix, s->extra, false);
			if (begun != CTP_NONE)
				ix->on[begun] = number;
		}
		e->value = (uint32_t)e->value;
	}
	map_release(&last);
}

static void find_users(struct ix *ix)
{
	uint32_t ncells = ix->x->c->cells.n;
	uint32_t *fill = xcalloc(ncells + 2, sizeof *fill), *last = xcalloc(ncells + 1, sizeof *last);

	/* counts the users of each cell, then the uses of each user, then fills uses */
	ix->user_first = xcalloc(ncells + 2, sizeof *ix->user_first);
	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i) {
			const struct ix_entry *e = &ix->threads[t].at.at[i];

			if (e->kind == IX_SYNC || last[e->what] == t + 1)
				continue;
			last[e->what] = t + 1;
			ix->user_first[e->what + 1]++;
		}
	for (uint32_t c = 0; c < ncells; c++) {
		ix->user_first[c + 1] += ix->user_first[c];
		fill[c] = ix->user_first[c];
		last[c] = 0;
	}
	vec_resize(&ix->users, ix->user_first[ncells] + 1);
	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i) {
			const struct ix_entry *e = &ix->threads[t].at.at[i];
			struct ix_user *u;

			if (e->kind == IX_SYNC)
				continue;
			if (last[e->what] != t + 1) {
				last[e->what] = t + 1;
				ix->users.at[fill[e->what]++].thread = t;
			}
			u = &ix->users.at[fill[e->what] - 1];
			u->n++;
			u->writes |= e->kind == IX_WRITE;
		}
	for (uint32_t i = 1; i < ix->users.n; i++)
		ix->users.at[i].first = ix->users.at[i - 1].first + ix->users.at[i - 1].n;
	ix->uses = xcalloc((size_t)ix->n + 1, sizeof *ix->uses);
	for (uint32_t c = 0; c < ncells; c++)
		fill[c] = ix->user_first[c];
	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i) {
			const struct ix_entry *e = &ix->threads[t].at.at[i];
			struct ix_user *u;

			if (e->kind == IX_SYNC)
				continue;
			while (ix->users.at[fill[e->what]].thread != t)
				fill[e->what]++;
			u = &ix->users.at[fill[e->what]];
			ix->uses[u->first + u->cursor++] = ix->threads[t].first + i;
		}
	free(fill);
	free(last);
}

/* Finds the blocks that are freed, and counts the accesses of other threads to them. */
static void find_freed(struct orderer *o)
{
	struct ix *ix = o->ix;
	uint32_t event;

	vec_each (&ix->x->c->cells, c) {
		uint32_t gen = ix->x->c->cells.at[c].gen, t = freer(ix, gen, &event), pos;

		if (t == CTP_NONE || (pos = ix->threads[t].sync_pos.at[event]) == UINT32_MAX)
			continue;
		ix->threads[t].at.at[pos].flags |= IX_FREES;
		*map_put(&ix->freed, ix->threads[t].first + pos) = gen;
		for (uint32_t i = ix->user_first[c]; i < ix->user_first[c + 1]; i++)
			if (ix->users.at[i].thread != t)
				o->left[gen] += ix->users.at[i].n;
	}
}

/* The entry of the thread's last use of the cell with a smaller rank; CTP_NONE. */
static uint32_t last_before(const struct ix *ix, const struct ix_user *u, uint32_t rank)
{
	uint32_t lo = u->first, hi = u->first + u->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ix->rank[ix->uses[mid]] < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == u->first ? CTP_NONE : ix->uses[lo - 1];
}

static int compare_free(const void *a, const void *b)
{
	const struct ix_free *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* A free depends on the accesses of other threads to the block before it. */
static void find_frees(struct ix *ix)
{
	uint32_t event;

	vec_each (&ix->x->c->cells, c) {
		uint32_t t = freer(ix, ix->x->c->cells.at[c].gen, &event), pos;

		if (t == CTP_NONE || (pos = ix->threads[t].sync_pos.at[event]) == UINT32_MAX)
			continue;
		for (uint32_t i = ix->user_first[c]; i < ix->user_first[c + 1]; i++) {
			const struct ix_user *u = &ix->users.at[i];
			uint32_t entry = ix->threads[t].first + pos,
				 on = u->thread == t ? CTP_NONE
						     : last_before(ix, u, ix->rank[entry]);

			if (on != CTP_NONE)
				vec_push(&ix->frees, (struct ix_free){entry, on});
		}
	}
	if (ix->frees.n)
		qsort(ix->frees.at, ix->frees.n, sizeof *ix->frees.at, compare_free);
}

static void restart(struct orderer *o)
{
	struct ix *ix = o->ix;
	uint32_t ncells = ix->x->c->cells.n;

	vec_clear(&ix->runs);
	vec_clear(&ix->forced);
	o->at = o->done = 0;
	memset(o->left, 0, ix->x->sync->g.at.n * sizeof *o->left);
	find_freed(o);
	vec_each (&ix->users, i)
		ix->users.at[i].cursor = 0;
	for (uint32_t i = 0; i < ix->n; i++)
		ix->rank[i] = UINT32_MAX;
	for (uint32_t c = 0; c < ncells; c++) {
		struct ctp_cell *cell = &ix->x->c->cells.at[c];

		cell->known = o->initial[c];
		o->known[c] = cell->known && cell->size <= 8;
		o->value[c] = (uint64_t)cell->initial;
		o->writer[c] = CTP_NONE;
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

static void orderer_init(struct orderer *o)
{
	struct ix *ix = o->ix;
	uint32_t n = ix->nthreads, ncells = ix->x->c->cells.n;

	ix->rank = xcalloc((size_t)ix->n + 1, sizeof *ix->rank);
	ix->on = xmalloc(((size_t)ix->n + 1) * sizeof *ix->on);
	for (uint32_t i = 0; i <= ix->n; i++)
		ix->on[i] = CTP_NONE;
	o->value = xcalloc(ncells + 1, sizeof *o->value);
	o->known = xcalloc(ncells + 1, sizeof *o->known);
	o->initial = xcalloc(ncells + 1, sizeof *o->initial);
	o->writer = xcalloc(ncells + 1, sizeof *o->writer);
	o->next = xcalloc(n + 1, sizeof *o->next);
	o->sync_at = xcalloc(n + 1, sizeof *o->sync_at);
	o->is_ready = xcalloc(n + 1, sizeof *o->is_ready);
	o->asked = xcalloc(n + 1, sizeof *o->asked);
	o->wanted = xcalloc(n + 1, sizeof *o->wanted);
	o->left = xcalloc(ix->x->sync->g.at.n + 1, sizeof *o->left);
	for (uint32_t c = 0; c < ncells; c++)
		o->initial[c] = ix->x->c->cells.at[c].known;
	find_users(ix);
	sort_sync(o);
	find_standing(o);
}

static void orderer_release(struct orderer *o)
{
	free(o->value);
	free(o->known);
	free(o->initial);
	free(o->writer);
	free(o->next);
	free(o->sync_at);
	free(o->is_ready);
	free(o->asked);
	free(o->wanted);
	free(o->left);
	free(o->sync);
	vec_release(&o->ready);
}

void ix_order(struct ix *ix)
{
	static const struct {
		bool strict, eager;
	} manners[] = {{false, false}, {false, true}, {true, true}, {true, false}};
	struct orderer o = {.ix = ix};
	uint32_t best = 0, least = UINT32_MAX;

	orderer_init(&o);
	for (uint32_t i = 0; i < ARRAY_SIZE(manners) + 1; i++) {
		bool again = i == ARRAY_SIZE(manners);

		if (again && best == i - 1)
			break;
		o.strict = manners[again ? best : i].strict;
		o.eager = manners[again ? best : i].eager;
		restart(&o);
		run(&o);
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
	orderer_release(&o);
	find_frees(ix);
}
