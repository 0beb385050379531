/*
 * Makes the trace programs of several chunks in one pass (extract_pass.h). Each chunk is an
 * extraction of its own, with its own cells and terms; it shares the tables of the extractor of the
 * index.
 */
#include "extract/partition_chunk.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "extract/extract_pass.h"

#include <assert.h>
#include <stdlib.h>

/* ---- cells of a chunk ----------------------------------------------------------------------- */

struct use { /* of a cell in a chunk */
	uint32_t cell, thread;
	bool two, writes; /* two threads access it; a thread writes it */
	bool odd;         /* a read has another value than the prefix or an earlier write gives */
	bool known;       /* `value` is known */
	uint64_t past, value; /* at the end of the prefix; after the entries so far */
};
struct uses {
	struct map at; /* cell -> use + 1 */
	VEC(struct use) list;
};

static struct use *use_of(
	struct uses *u, const struct ix *ix, const struct chunk *k, uint32_t cell, uint32_t t)
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
	uint32_t block = ix->block[u->cell];
	const struct ix_freed *f = block ? &ix->freed.at[block - 1] : NULL;
	uint32_t pos = f ? f->entry - ix->threads[f->thread].first : 0;

	return f && (f->thread != u->thread || u->two) && pos >= k->from[f->thread] &&
	       pos < k->to[f->thread];
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

static void open_chunk(struct extractor *x, const struct ix *ix, const struct chunk *k)
{
	const struct extractor *base = ix->x;

	*x = (struct extractor){.c = ctp_new(),
		.t = base->t,
		.sync = base->sync,
		.p = base->p,
		.pl = base->pl,
		.cells = base->cells,
		.fails = base->fails,
		.fixed = base->fixed,
		.thread_of = base->thread_of,
		.lives = base->lives,
		.robust = base->robust,
		.gen_of_alloc = base->gen_of_alloc,
		.kept_blocks = base->kept_blocks,
		.used = base->used,
		.traits = base->traits,
		.hidden = base->hidden,
		.max_accesses = UINT64_MAX,
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
	find_cells(x, ix, k);
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

static int finish_chunk(struct extractor *x, const struct past_tables *p, struct chunk *k)
{
	const struct extractor *base = p->ix->x;

	x->selves = base->selves;
	joins_of_past(x);
	chunk_objects(p, k, x);
	if (extract_finish(x)) {
		ctp_free(x->c);
		return -1;
	}
	chunk_moves(p->ix, k, x->c);
	x->c->all_events = base->cells.accesses;
	if (!x->c->order_exact && x->late.n) { /* values of native reads come from that order */
		ctp_free(x->c);
		x->c = NULL;
	}
	k->c = x->c ? ctp_finish(x->c) : NULL;
	return 0;
}

/* ---- all chunks ----------------------------------------------------------------------------- */

enum { EARLY = 64 };

/* See pass_part.early: at most EARLY points before the entry, and after the entry before it. */
static uint64_t early_for(const struct ix *ix, uint32_t t, uint32_t pos)
{
	uint64_t point = ix_at(ix, t, pos)->point;
	uint64_t early = point - MIN(point, (uint64_t)EARLY);

	return pos ? MAX(early, MIN((uint64_t)ix_at(ix, t, pos - 1)->point + 1, point)) : early;
}

/* Adds the parts of a chunk. */
static void add_parts(
	struct pass *p, const struct ix *ix, const struct chunk *k, struct extractor *x)
{
	for (uint32_t t = 0; t < ix->nthreads; t++) {
		const struct ix_thread *th = &ix->threads[t];
		uint32_t from = k->from[t], to = k->to[t];

		assert(from <= to && to <= th->at.n);
		if (from < to)
			pass_add(p, th->stream,
				&(struct pass_part){.x = x,
					.from = ix_at(ix, t, from)->point,
					.to = to == th->at.n ? UINT64_MAX : ix_at(ix, t, to)->point,
					.early = early_for(ix, t, from)});
	}
}

int chunks_extract(const struct past_tables *p, struct chunk *chunks, uint32_t n)
{
	struct extractor *base = p->ix->x, *xs = xcalloc(n + 1, sizeof *xs);
	struct pass pass;
	int status;

	pass_init(&pass, base, true);
	for (uint32_t i = 0; i < n; i++) {
		open_chunk(&xs[i], p->ix, &chunks[i]);
		add_parts(&pass, p->ix, &chunks[i], &xs[i]);
	}
	status = pass_run(&pass);
	pass_release(&pass);
	for (uint32_t i = 0; i < n; i++) {
		if (!status)
			status = finish_chunk(&xs[i], p, &chunks[i]);
		else
			ctp_free(xs[i].c);
		extract_close(&xs[i]);
	}
	free(xs);
	return status;
}
