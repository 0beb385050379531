#include "extract/partition_chunk.h"

#include "base/base.h"
#include "base/search.h"
#include "trace/check.h"
#include "trace/locksets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAST_STEP = 256, /* entries for each row of past_tables.need */
	PAST_FAR = 4096, /* entries by which a prefix may grow to end at a clean border */
};

/* ---- tables --------------------------------------------------------------------------------- */

static void note_need(const struct ix *ix, uint32_t on, uint32_t *need)
{
	uint32_t u;

	if (on == CTP_NONE)
		return;
	u = ix_thread_of(ix, on);
	on -= ix->threads[u].first;
	if (on >= need[u])
		need[u] = ix_event_end(ix, u, on);
}

static void free_needs(const struct ix *ix, uint32_t entry, uint32_t *need)
{
	uint32_t lo = lower_bound(0u, ix->frees.n, i, ix->frees.at[i].entry, entry);

	for (; lo < ix->frees.n && ix->frees.at[lo].entry == entry; lo++)
		note_need(ix, ix->frees.at[lo].on, need);
}

static void entry_needs(const struct ix *ix, uint32_t t, uint32_t pos, uint32_t *need)
{
	const struct ix_entry *e = ix_at(ix, t, pos);

	note_need(ix, ix->on[ix->threads[t].first + pos], need);
	if (e->kind == IX_SYNC && e->value)
		note_need(ix, (uint32_t)e->value - 1, need);
	if (e->flags & IX_FREES)
		free_needs(ix, ix->threads[t].first + pos, need);
}

static void build_needs(struct past_tables *p)
{
	const struct ix *ix = p->ix;
	uint32_t rows = 0, k = ix->nthreads;

	p->first = xcalloc(k + 1, sizeof *p->first);
	for (uint32_t t = 0; t < k; t++) {
		p->first[t] = rows;
		rows += ix->threads[t].at.n / PAST_STEP + 1;
	}
	p->need = xcalloc((size_t)rows * k + 1, sizeof *p->need);
	for (uint32_t t = 0; t < k; t++)
		for (uint32_t i = 0; i < ix->threads[t].at.n / PAST_STEP * PAST_STEP; i++) {
			uint32_t *row = p->need + (size_t)(p->first[t] + i / PAST_STEP + 1) * k;

			if (i % PAST_STEP == 0)
				memcpy(row, row - k, k * sizeof *row);
			entry_needs(ix, t, i, row);
		}
}

static void note_op(struct past_tables *p, const struct sync_event *s, struct past_op op)
{
	uint64_t *at = map_put(&p->objects, s->object);

	if (!*at) {
		vec_push(&p->at, (struct past_object){{0}});
		*at = p->at.n;
	}
	vec_push(&p->at.at[*at - 1].ops, op);
}

static bool is_init(uint8_t kind)
{
	return kind == LOG_S_MUTEX_INIT || kind == LOG_S_SEM_INIT || kind == LOG_S_BARRIER_INIT;
}

static bool is_sem_op(uint8_t kind)
{
	return kind == LOG_S_SEM_WAIT || kind == LOG_S_SEM_TRYWAIT || kind == LOG_S_SEM_POST;
}

static const struct sync_event *op_event(const struct ix *ix, const struct past_op *op)
{
	return &ix->x->sync->h.threads.at[ix->threads[op->thread].stream].events.at[op->nth];
}

static int compare_op(const void *a, const void *b, void *ctx)
{
	const struct ix *ix = ctx;
	const struct past_op *x = a, *y = b;
	uint32_t i = sync_order_first(&ix->x->sync->o, ix->threads[x->thread].stream, x->nth);
	uint32_t k = sync_order_first(&ix->x->sync->o, ix->threads[y->thread].stream, y->nth);

	return i < k ? -1 : i > k;
}

static void find_objects(struct past_tables *p)
{
	const struct ix *ix = p->ix;

	for (uint32_t t = 0; t < ix->nthreads; t++) {
		const struct sync_thread *h = &ix->x->sync->h.threads.at[ix->threads[t].stream];

		vec_each (&h->events, i) {
			uint8_t kind = h->events.at[i].kind;

			if ((is_init(kind) || is_sem_op(kind) || kind == LOG_S_BARRIER_ENTER) &&
				sync_succeeded(&h->events.at[i]))
				note_op(p, &h->events.at[i], (struct past_op){t, i});
		}
	}
	vec_each (&p->at, i)
		qsort_r(p->at.at[i].ops.at, p->at.at[i].ops.n, sizeof(struct past_op), compare_op,
			(void *)ix);
}

void past_tables_init(struct past_tables *p, const struct ix *ix)
{
	*p = (struct past_tables){.ix = ix};
	build_needs(p);
	find_objects(p);
}

void past_tables_release(struct past_tables *p)
{
	vec_each (&p->at, i)
		vec_release(&p->at.at[i].ops);
	vec_release(&p->at);
	map_release(&p->objects);
	free(p->need);
	free(p->first);
}

void chunk_init(struct chunk *k, const struct ix *ix)
{
	*k = (struct chunk){.from = xcalloc(ix->nthreads + 1, sizeof *k->from),
		.to = xcalloc(ix->nthreads + 1, sizeof *k->to)};
}

void chunk_release(struct chunk *k)
{
	free(k->from);
	free(k->to);
	*k = (struct chunk){0};
}

/* ---- the closure of a prefix ---------------------------------------------------------------- */

static bool is_border(const struct ix *ix, uint32_t t, uint32_t pos, uint8_t how)
{
	uint8_t flags;

	if (pos >= ix->threads[t].at.n)
		return true;
	flags = ix_at(ix, t, pos)->flags | (pos ? 0 : IX_BORDER);
	return (flags & how) == how;
}

static bool stays_at(const struct ix *ix, uint32_t t, uint32_t pos)
{
	return !is_border(ix, t, pos, IX_CLEAN);
}

uint32_t past_settle(const struct ix *ix, uint32_t t, uint32_t pos)
{
	uint32_t p = pos, end = MIN(ix->threads[t].at.n, pos + PAST_FAR);

	while (p < end && !is_border(ix, t, p, IX_BORDER | IX_CLEAN))
		p++;
	if (p < end || is_border(ix, t, p, IX_BORDER | IX_CLEAN))
		return p;
	while (!is_border(ix, t, pos, IX_BORDER))
		pos++;
	return pos;
}

bool chunk_close(const struct past_tables *p, struct chunk *k)
{
	const struct ix *ix = p->ix;
	uint32_t n = ix->nthreads, *need = xcalloc(n + 1, sizeof *need);
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t t = 0; t < n; t++) {
			uint32_t pos = k->from[t] = past_settle(ix, t, k->from[t]);
			uint32_t row = p->first[t] + pos / PAST_STEP;

			memcpy(need, p->need + (size_t)row * n, n * sizeof *need);
			for (uint32_t i = pos / PAST_STEP * PAST_STEP; i < pos; i++)
				entry_needs(ix, t, i, need);
			for (uint32_t u = 0; u < n; u++)
				if (need[u] > k->from[u]) {
					k->from[u] = need[u];
					changed = true;
				}
		}
	}
	for (uint32_t t = 0; t < n; t++)
		assert(is_border(ix, t, k->from[t], IX_BORDER));
	free(need);
	vec_each (&ix->forced, i) {
		uint32_t t = ix_thread_of(ix, ix->forced.at[i]);

		if (ix->forced.at[i] - ix->threads[t].first < k->from[t])
			return false;
	}
	return true;
}

/* ---- the end of a chunk --------------------------------------------------------------------- */

/* How many of the thread's synchronization events come before the entry at pos. */
static uint32_t history_at(const struct ix *ix, uint32_t t, uint32_t pos)
{
	const struct ix_thread *th = &ix->threads[t];

	for (uint32_t i = pos; i-- > 0;)
		if (th->at.at[i].kind == IX_SYNC)
			return th->at.at[i].what + 1;
	for (uint32_t i = 0; i < th->sync_pos.n; i++) /* early events have no entry */
		if (th->sync_pos.at[i] != UINT32_MAX)
			return i;
	return th->sync_pos.n;
}

/* Adds the objects that a thread which stays at pos holds: of locks, a wait, a barrier. */
static void note_held(const struct ix *ix, uint32_t t, uint32_t pos, struct map *held)
{
	const struct sync_thread *h = &ix->x->sync->h.threads.at[ix->threads[t].stream];
	uint32_t n = history_at(ix, t, pos);
	struct locksets sets;
	struct held locks = {0};
	uint64_t inside = 0;

	locksets_init(&sets);
	for (uint32_t i = 0; i < n; i++) {
		const struct sync_event *s = &h->events.at[i];

		held_step(&locks, &sets, s);
		if (s->kind == LOG_S_COND_WAIT || s->kind == LOG_S_BARRIER_ENTER)
			inside = s->object;
		else if (s->kind == LOG_S_COND_WOKEN || s->kind == LOG_S_BARRIER_LEAVE)
			inside = 0;
	}
	vec_each (&locks.locks, i)
		*map_put(held, locks.locks.at[i]) = 1;
	if (inside)
		*map_put(held, inside) = 1;
	held_release(&locks);
	locksets_release(&sets);
}

static bool in_chunk(const struct ix *ix, const struct chunk *k, uint32_t number)
{
	uint32_t t;

	if (number == CTP_NONE)
		return true;
	t = ix_thread_of(ix, number);
	return number - ix->threads[t].first < k->to[t];
}

static bool op_in_chunk(const struct ix *ix, const struct chunk *k, const struct past_op *op)
{
	uint32_t pos = ix_sync_pos(ix, op->thread, op->nth);

	return pos == UINT32_MAX || pos < k->to[op->thread];
}

/* Whether the prefix and the chunk contain all enters of the round that the thread leaves with its
 * nth synchronization event. */
static bool round_is_there(
	const struct past_tables *p, const struct chunk *k, uint32_t t, uint32_t nth, uint64_t object)
{
	const uint64_t *at = map_get(&p->objects, object);
	const struct past_object *o = at ? &p->at.at[*at - 1] : NULL;
	uint32_t count = 0, entered = 0, first = 0, from = UINT32_MAX;

	for (uint32_t i = 0; o && i < o->ops.n; i++) {
		const struct past_op *op = &o->ops.at[i];
		const struct sync_event *s = op_event(p->ix, op);

		if (s->kind != LOG_S_BARRIER_ENTER) {
			if (from != UINT32_MAX)
				break;
			count = s->extra;
			entered = 0;
			continue;
		}
		if (!count)
			return false;
		if (entered++ % count == 0) {
			if (from != UINT32_MAX)
				break;
			first = i;
		}
		if (op->thread == t && op->nth + 1 == nth)
			from = first;
	}
	if (from == UINT32_MAX || from + count > o->ops.n)
		return false;
	for (uint32_t i = from; i < from + count; i++)
		if (!op_in_chunk(p->ix, k, &o->ops.at[i]))
			return false;
	return true;
}

/* Whether the prefix and the chunk contain what the synchronization at pos needs. */
static bool can_be(const struct past_tables *p, const struct chunk *k, uint32_t t, uint32_t pos,
	const struct map *held)
{
	const struct ix *ix = p->ix;
	const struct sync_event *s = ix_sync(ix, t, pos);
	uint32_t on = ix->on[ix->threads[t].first + pos];

	if (s->kind == SYNC_BEGIN || (s->kind == LOG_S_JOIN && sync_succeeded(s)))
		return in_chunk(ix, k, on);
	if (s->kind == LOG_S_BARRIER_LEAVE &&
		!round_is_there(p, k, t, ix_at(ix, t, pos)->what, s->object))
		return false;
	if (s->kind == LOG_S_ONCE)
		return s->extra == 1 || in_chunk(ix, k, on);
	if (map_get(held, s->object))
		return false;
	return !(s->kind == LOG_S_COND_WAIT || s->kind == LOG_S_COND_WOKEN) ||
	       !map_get(held, s->value);
}

static uint32_t border_back(const struct ix *ix, uint32_t t, uint32_t pos, uint32_t from)
{
	while (pos > from && !is_border(ix, t, pos, IX_BORDER))
		pos--;
	return pos;
}

void chunk_trim(const struct past_tables *p, struct chunk *k)
{
	const struct ix *ix = p->ix;
	struct map held = {0};
	bool changed = true;

	for (uint32_t t = 0; t < ix->nthreads; t++) {
		k->to[t] = MIN(k->to[t], ix->threads[t].at.n);
		if (stays_at(ix, t, k->from[t])) {
			k->to[t] = k->from[t];
			note_held(ix, t, k->from[t], &held);
		}
		k->to[t] = border_back(ix, t, MAX(k->to[t], k->from[t]), k->from[t]);
	}
	while (changed) {
		changed = false;
		for (uint32_t t = 0; t < ix->nthreads; t++)
			for (uint32_t i = k->from[t]; i < k->to[t]; i++)
				if (ix_at(ix, t, i)->kind == IX_SYNC &&
					!can_be(p, k, t, i, &held)) {
					k->to[t] = border_back(ix, t, i, k->from[t]);
					changed = true;
				}
	}
	for (uint32_t t = 0; t < ix->nthreads; t++)
		assert(k->from[t] <= k->to[t] && k->to[t] <= ix->threads[t].at.n &&
			(k->to[t] == k->from[t] || is_border(ix, t, k->to[t], IX_BORDER)));
	map_release(&held);
}

/* ---- the state at the end of the prefix ------------------------------------------------------ */

bool chunk_value(const struct ix *ix, const struct chunk *k, uint32_t cell, uint64_t *value)
{
	const struct ctp_cell *c = &ix->x->c->cells.at[cell];
	const struct ix_entry *last = NULL;
	uint32_t rank = 0;

	if (c->size > 8)
		return false;
	for (uint32_t i = ix->user_first[cell]; i < ix->user_first[cell + 1]; i++) {
		const struct ix_user *u = &ix->users.at[i];
		uint32_t end = ix->threads[u->thread].first + k->from[u->thread];
		uint32_t lo = lower_bound(u->first, u->first + u->n, n, ix->uses[n], end);

		if (lo == u->first || (last && ix->rank[ix->uses[lo - 1]] < rank))
			continue;
		rank = ix->rank[ix->uses[lo - 1]];
		last = ix_at(ix, u->thread, ix->uses[lo - 1] - ix->threads[u->thread].first);
	}
	*value = last ? last->value : (uint64_t)c->initial;
	return last ? !(last->flags & IX_UNSEEN) || c->known : c->known;
}

static bool has_point(const struct ix *ix, uint32_t t, uint32_t pos)
{
	const struct ix_entry *e = ix_at(ix, t, pos);
	const struct sync_event *s = e->kind == IX_SYNC ? ix_sync(ix, t, pos) : NULL;

	return s ? s->kind != SYNC_BEGIN && s->kind != SYNC_END : !(e->flags & IX_TOUCHES);
}

uint64_t past_point(const struct ix *ix, uint32_t t, uint32_t pos)
{
	return pos ? ix_at(ix, t, pos - 1)->point + has_point(ix, t, pos - 1) : 0;
}

void chunk_moves(const struct ix *ix, const struct chunk *k, struct ctp *c)
{
	uint32_t *at = xcalloc(ix->nthreads + 1, sizeof *at);

	vec_each (&ix->runs, i) {
		uint32_t t = ix->runs.at[i].thread, to = MIN(ix->runs.at[i].to, k->from[t]);
		struct ctp_move m = {.thread = t};

		if (to <= at[t])
			continue;
		at[t] = to;
		m.until = past_point(ix, t, to);
		if (c->before.n && vec_last(&c->before).thread == t)
			vec_last(&c->before).until = m.until;
		else if (m.until)
			vec_push(&c->before, m);
	}
	free(at);
}

static void object_state(const struct past_tables *p, const struct past_object *o,
	const uint32_t *seen, struct ctp_object *ob)
{
	vec_each (&o->ops, i) {
		const struct past_op *op = &o->ops.at[i];
		const struct sync_event *s = op_event(p->ix, op);

		if (op->nth >= seen[op->thread])
			continue;
		if (is_init(s->kind) && ob->kind == CHECK_MUTEX)
			ob->type = s->extra & 15;
		else if (is_init(s->kind))
			ob->initial = s->extra;
		else if (is_sem_op(s->kind) && ob->initial >= 0)
			ob->initial += s->kind == LOG_S_SEM_POST ? 1 : -1;
	}
}

void chunk_objects(const struct past_tables *p, const struct chunk *k, struct extractor *x)
{
	uint32_t *seen = xcalloc(p->ix->nthreads + 1, sizeof *seen);

	for (uint32_t t = 0; t < p->ix->nthreads; t++)
		seen[t] = history_at(p->ix, t, k->from[t]);
	vec_each (&x->c->objects, i) {
		struct ctp_object *ob = &x->c->objects.at[i];
		const uint64_t *at = map_get(&p->objects, ob->addr);

		if (at)
			object_state(p, &p->at.at[*at - 1], seen, ob);
	}
	free(seen);
}
