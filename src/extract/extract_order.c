/*
 * Extraction: the observed order of all events. A trace that executed a schedule has its order in
 * the schedule (turns_order()); for others the search of index_order.c finds it, over an index of
 * the events. Then the events are executed in that order, which gives ranks, initial values that
 * are known only from a read, and the values of native reads.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctp/transfers.h"
#include "extract/extract_internal.h"
#include "extract/index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the index of the events ---------------------------------------------------------------- */

/* A failed compare-and-swap has no entry for a write; the accesses of synchronization have none
 * because its order is known. */
static void add_entries(const struct extractor *x, struct ix_thread *th, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(x->c, e);
	uint32_t first = th->at.n;

	for (uint32_t k = ev->first; !x->rank.at[e] && k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &x->c->accesses.at[k];
		struct ix_entry en = {.what = a->cell, .place = e, .flags = IX_MORE};
		uint32_t size = x->c->cells.at[a->cell].size;

		if (a->sym.id) {
			en.kind = IX_READ;
			en.value = ix_value(a->seen, size);
			en.flags = IX_MORE | (bitset_has(&x->unseen, k) ? IX_UNSEEN : 0);
			vec_push(&th->at, en);
		}
		if (a->value.id && (ev->flags & CTP_WROTE)) {
			en.kind = IX_WRITE;
			en.value = ix_value(a->put, size);
			en.flags = IX_MORE;
			vec_push(&th->at, en);
		}
	}
	if (th->at.n == first)
		vec_push(&th->at,
			(struct ix_entry){.kind = x->rank.at[e] ? IX_SYNC : IX_OTHER, .place = e});
	vec_last(&th->at).flags &= (uint8_t)~IX_MORE;
}

/* A begin depends on the creation of the thread, a join on its end, any other operation on the
 * previous one on its object. entry_of: by event. */
static struct ix_op op_of(const struct extractor *x, const uint32_t *entry_of, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(x->c, e);
	bool joins = ev->kind == CTP_JOIN && ctp_peer(ev) != CTP_NONE;
	uint32_t on = ev->kind == CTP_BEGIN ? x->c->threads.at[ev->thread].create
		      : joins               ? x->c->threads.at[ctp_peer(ev)].end
					    : CTP_NONE;
	struct ix_op op = {.rank = x->rank.at[e],
		.entry = entry_of[e],
		.on = on == CTP_NONE ? CTP_NONE : entry_of[on]};

	if (ev->kind == CTP_ALLOC || ev->kind == CTP_FREE)
		op.object[0] = ev->at;
	else if (ev->kind != CTP_BEGIN && !joins)
		op.object[0] = ev->object;
	if (ctp_has_mutex(ev->kind))
		op.object[1] = ctp_mutex(ev);
	return op;
}

static void index_events(struct ix *ix, struct extractor *x)
{
	const struct ctp *c = x->c;
	uint32_t *entry_of = xmalloc((c->events.n + 1) * sizeof *entry_of);

	memset(entry_of, 0xff, (c->events.n + 1) * sizeof *entry_of);
	*ix = (struct ix){.x = x, .nthreads = c->threads.n};
	ix->threads = xcalloc(ix->nthreads + 1, sizeof *ix->threads);
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];

		for (uint32_t e = th->first; e < th->first + th->n; e++)
			if (!(ctp_at(c, e)->flags & CTP_PENDING))
				add_entries(x, &ix->threads[t], e);
	}
	ix_number(ix);
	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i)
			if (!ix_is_access(ix_at(ix, t, i)))
				entry_of[ix_at(ix, t, i)->place] = ix->threads[t].first + i;
	vec_each (&c->events, e)
		if (x->rank.at[e] && entry_of[e] != CTP_NONE)
			vec_push(&ix->ops, op_of(x, entry_of, e));
	free(entry_of);
}

/* Searches the order of the events. 0, or -1 after error_(). */
static int search_order(struct extractor *x)
{
	uint32_t *at = xcalloc(x->c->threads.n + 1, sizeof *at), stuck;
	struct ix ix;

	assert(x->rank.n == x->c->events.n);
	index_events(&ix, x);
	stuck = ix_order(&ix, true);
	vec_clear(&x->c->order);
	vec_each (&ix.runs, i) {
		uint32_t t = ix.runs.at[i].thread;

		for (; at[t] < ix.runs.at[i].to; at[t] = ix_event_end(&ix, t, at[t]))
			vec_push(&x->c->order, ix_at(&ix, t, at[t])->place);
	}
	if (stuck != CTP_NONE) {
		uint32_t t = ix_thread_of(&ix, stuck);
		const struct ctp_event *e =
			ctp_at(x->c, ix_at(&ix, t, stuck - ix.threads[t].first)->place);

		ix_contradiction(x, e->func, e->insn);
	}
	ix_release(&ix);
	free(at);
	return stuck == CTP_NONE ? 0 : -1;
}

/* ---- execution in that order ---------------------------------------------------------------- */

struct memory {
	u128 *value; /* by cell */
	bool *known; /* by cell */
};

static bool read_cell(struct extractor *x, struct memory *m, uint32_t k)
{
	struct ctp_access *a = &x->c->accesses.at[k];
	struct ctp_cell *cell = &x->c->cells.at[a->cell];
	bool fits = true;

	if (bitset_has(&x->unseen, k)) {
		a->seen = m->value[a->cell];
	} else if (!m->known[a->cell]) {
		cell->initial = m->value[a->cell] = a->seen;
		cell->known = m->known[a->cell] = true;
	} else if (m->value[a->cell] != a->seen) {
		fits = false;
		m->value[a->cell] = a->seen;
	}
	return fits;
}

/* False if a read does not have the value of the last write before it. */
static bool execute_event(struct extractor *x, struct memory *m, const struct ctp_event *ev)
{
	bool fits = true;

	for (uint32_t k = ev->first; k < ev->first + ev->n; k++)
		if (x->c->accesses.at[k].sym.id && !read_cell(x, m, k))
			fits = false;
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &x->c->accesses.at[k];

		if (!a->value.id)
			continue;
		m->known[a->cell] = true;
		m->value[a->cell] = a->put;
	}
	return fits;
}

/* Executes the events in the order of the program. Returns the number of reads that do not have the
 * value of the last write before them. */
static uint64_t execute_order(struct extractor *x, const bool *initial)
{
	struct ctp *c = x->c;
	struct memory m = {.value = xcalloc(c->cells.n + 1, sizeof *m.value),
		.known = xcalloc(c->cells.n + 1, sizeof *m.known)};
	uint64_t wrong = 0;

	vec_each (&c->cells, i) {
		c->cells.at[i].known = m.known[i] = initial[i];
		m.value[i] = c->cells.at[i].initial;
	}
	vec_each (&c->order, i) {
		struct ctp_event *ev = &c->events.at[c->order.at[i]];

		ev->rank = i;
		wrong += !execute_event(x, &m, ev);
	}
	free(m.value);
	free(m.known);
	return wrong;
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

/* Fills order and ranks, and counts the reads that the order does not explain in *wrong. initial:
 * by cell, whether its initial value is known. 0, or -1 after error_(). */
static int find_order(struct extractor *x, const bool *initial, uint64_t *wrong)
{
	const char *turns = x->t ? trace_meta(x->t)->turns : NULL;

	*wrong = 0;
	if (turns && turns_order(x->c, turns, &x->c->order) && !execute_order(x, initial))
		return 0;
	if (search_order(x))
		return -1;
	*wrong = execute_order(x, initial);
	return 0;
}

/* ---- calls that transfer data --------------------------------------------------------------- */

/* Appends the events of the thread that were held back. */
static void append_held(struct vec_u32 *order, struct vec_u32 *held)
{
	vec_each (held, i)
		vec_push(order, held->at[i]);
	vec_clear(held);
}

/* Holds each read of a pipe back, with what its thread does after it, until the write of its bytes.
 * Appends the order to *out; false: the order of synchronization would change. */
static bool delay_reads(const struct extractor *x, const struct transfers *tr, struct vec_u32 *out)
{
	const struct ctp *c = x->c;
	struct vec_u32 *held = xcalloc(c->threads.n + 1, sizeof *held), source = {0};
	struct map waits = {0}; /* write -> thread that waits for it + 1 */
	struct bitset done = {0};
	uint32_t rank = 0, left = 0;
	bool kept = true;

	vec_each (&c->order, i) {
		uint32_t e = c->order.at[i], t = ctp_at(c, e)->thread;
		uint64_t *waiter;

		transfers_source(tr, e, &source);
		if (!held[t].n && source.n && !bitset_has(&done, source.at[0]))
			*map_put(&waits, source.at[0]) = t + 1;
		else if (!held[t].n)
			source.n = 0;
		if (held[t].n || source.n) {
			vec_push(&held[t], e);
			left++;
			continue;
		}
		vec_push(out, e);
		bitset_add(&done, e);
		waiter = map_get(&waits, e);
		if (waiter && *waiter) {
			left -= held[*waiter - 1].n;
			append_held(out, &held[*waiter - 1]);
			*waiter = 0;
		}
	}
	vec_each (out, i) {
		kept &= !x->rank.at[out->at[i]] || x->rank.at[out->at[i]] >= rank;
		rank = MAX(rank, x->rank.at[out->at[i]]);
	}
	vec_each (&c->threads, t)
		vec_release(&held[t]);
	free(held);
	map_release(&waits);
	bitset_release(&done);
	vec_release(&source);
	return kept && !left;
}

/* Changes the order that was found so that reads of pipes come after the writes of their bytes, if
 * every read of memory keeps its value. */
static void order_transfers(struct extractor *x, const bool *initial, uint64_t *wrong)
{
	struct vec_u32 other = {0}, found = {0};
	struct transfers tr;
	uint64_t n;

	transfers_init(&tr, x->c);
	if (tr.at.n && delay_reads(x, &tr, &other)) {
		assert(other.n == x->c->order.n);
		vec_each (&x->c->order, i) {
			vec_push(&found, x->c->order.at[i]);
			x->c->order.at[i] = other.at[i];
		}
		n = execute_order(x, initial);
		for (uint32_t i = 0; n > *wrong && i < found.n; i++)
			x->c->order.at[i] = found.at[i];
		*wrong = n > *wrong ? execute_order(x, initial) : n;
	}
	transfers_release(&tr);
	vec_release(&other);
	vec_release(&found);
}

/* Marks the accesses to a variable that come after the return of its function: they are no uses of
 * the variable, which a linearization would put before its FREE. */
static void mark_late(struct extractor *x)
{
	vec_each (&x->c->events, e) {
		struct ctp_event *ev = &x->c->events.at[e];
		const struct ctp_block *b =
			ev->block != CTP_NONE ? &x->c->blocks.at[ev->block] : NULL;

		if (!b || !b->stack || b->free == CTP_NONE || !ctp_is_access(ev->kind) ||
			ev->rank == UINT32_MAX || ev->rank < ctp_at(x->c, b->free)->rank)
			continue;
		ev->flags |= CTP_LATE;
		ev->block = CTP_NONE;
	}
}

int order_events(struct extractor *x)
{
	bool *initial = xcalloc(x->c->cells.n + 1, sizeof *initial);
	uint64_t wrong;
	int status;

	vec_each (&x->c->cells, i)
		initial[i] = x->c->cells.at[i].known;
	status = find_order(x, initial, &wrong);
	if (!status)
		order_transfers(x, initial, &wrong);
	x->c->order_exact = !wrong;
	/* initial values that were derived from first reads are wrong if the order is; in a chunk,
	 * a read may take its value from a write outside of the chunk */
	for (uint32_t i = 0; i < x->c->cells.n; i++)
		if (x->chunk || (wrong && (x->merge || x->begun)))
			x->c->cells.at[i].known = initial[i];
	if (wrong && !x->merge && !x->chunk)
		extract_limit(x, "%llu read%s returned a value that no modelled write explains",
			(unsigned long long)wrong, wrong == 1 ? "" : "s");
	fix_late(x);
	mark_late(x);
	free(initial);
	return status;
}
