/* The tables of an index that the search for its order needs: dependencies of synchronization,
 * users of cells, freed blocks. */
#include "extract/index.h"

#include "base/base.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>

static int compare_op(const void *a, const void *b)
{
	const struct ix_op *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Sorts the synchronization by rank. Raises ranks that contradict program order, which happens if
 * the order of the trace is wrong. Returns by entry the rank of its thread's last synchronization
 * up to it. */
static uint32_t *sort_ops(struct ix *ix)
{
	uint32_t k = 0, *since = xmalloc(((size_t)ix->n + 1) * sizeof *since);

	for (uint32_t t = 0; t < ix->nthreads; t++) {
		uint32_t rank = 0;

		vec_each (&ix->threads[t].at, i) {
			uint32_t number = ix->threads[t].first + i;

			if (k < ix->ops.n && ix->ops.at[k].entry == number) {
				rank = MAX(rank, ix->ops.at[k].rank);
				ix->ops.at[k++].rank = rank;
			}
			since[number] = rank;
		}
	}
	assert(k == ix->ops.n);
	if (ix->ops.n)
		qsort(ix->ops.at, ix->ops.n, sizeof *ix->ops.at, compare_op);
	return since;
}

/* The last operation on the object before this one, which becomes the last; CTP_NONE. */
static uint32_t previous_op(struct map *last, uint64_t object, uint32_t number)
{
	uint64_t *at = object ? map_put(last, object) : NULL;
	uint32_t old = at ? (uint32_t)*at - 1 : CTP_NONE;

	if (at)
		*at = number + 1;
	return old;
}

/* Sets for each synchronization the entries that it depends on. */
static void find_deps(struct ix *ix)
{
	struct map last = {0};

	vec_each (&ix->ops, i) {
		const struct ix_op *op = &ix->ops.at[i];
		uint32_t t = ix_thread_of(ix, op->entry);
		struct ix_entry *e = &ix->threads[t].at.at[op->entry - ix->threads[t].first];
		uint32_t on = previous_op(&last, op->object[0], op->entry);

		assert(e->kind == IX_SYNC);
		ix->on[op->entry] = op->on != CTP_NONE ? op->on : on;
		e->value = (uint32_t)(previous_op(&last, op->object[1], op->entry) + 1);
	}
	map_release(&last);
}

/* Sorts the accesses by cell, then thread, then program order. */
static void find_users(struct ix *ix)
{
	uint32_t ncells = ix->x->c->cells.n, *end = xcalloc(ncells + 2, sizeof *end), k = 0;

	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i)
			if (ix_is_access(ix_at(ix, t, i)))
				end[ix_at(ix, t, i)->what + 1]++;
	for (uint32_t c = 0; c < ncells; c++)
		end[c + 1] += end[c];
	ix->uses = xcalloc((size_t)ix->n + 1, sizeof *ix->uses);
	for (uint32_t t = 0; t < ix->nthreads; t++)
		vec_each (&ix->threads[t].at, i)
			if (ix_is_access(ix_at(ix, t, i)))
				ix->uses[end[ix_at(ix, t, i)->what]++] = ix->threads[t].first + i;
	ix->user_first = xcalloc(ncells + 2, sizeof *ix->user_first);
	for (uint32_t c = 0; c < ncells; c++) {
		ix->user_first[c] = ix->users.n;
		for (; k < end[c]; k++) {
			uint32_t t = ix_thread_of(ix, ix->uses[k]);

			if (ix->users.n == ix->user_first[c] || vec_last(&ix->users).thread != t)
				vec_push(&ix->users, (struct ix_user){.thread = t, .first = k});
			vec_last(&ix->users).n++;
			vec_last(&ix->users).writes |=
				ix_at(ix, t, ix->uses[k] - ix->threads[t].first)->kind == IX_WRITE;
		}
	}
	ix->user_first[ncells] = ix->users.n;
	free(end);
}

static int compare_freed(const void *a, const void *b)
{
	const struct ix_freed *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Sets for each cell the freed block that it is in. */
static void find_blocks(struct ix *ix)
{
	const struct extractor *x = ix->x;

	if (ix->freed.n)
		qsort(ix->freed.at, ix->freed.n, sizeof *ix->freed.at, compare_freed);
	vec_each (&ix->freed, i) {
		uint32_t gen = ix->freed.at[i].gen, k = cells_from(&x->cells, x->c, gen, 0);

		for (; k < x->c->cells.n && x->c->cells.at[k].gen == gen; k++)
			ix->block[k] = i + 1;
	}
}

uint32_t *ix_tables(struct ix *ix)
{
	uint32_t *since;

	ix->rank = xcalloc((size_t)ix->n + 1, sizeof *ix->rank);
	ix->block = xcalloc(ix->x->c->cells.n + 1, sizeof *ix->block);
	ix->on = xmalloc(((size_t)ix->n + 1) * sizeof *ix->on);
	for (uint32_t i = 0; i <= ix->n; i++)
		ix->on[i] = CTP_NONE;
	find_users(ix);
	since = sort_ops(ix);
	find_deps(ix);
	find_blocks(ix);
	return since;
}

void ix_find_frees(struct ix *ix)
{
	vec_each (&ix->freed, i) {
		const struct ix_freed *f = &ix->freed.at[i];
		uint32_t k = cells_from(&ix->x->cells, ix->x->c, f->gen, 0);

		for (; k < ix->x->c->cells.n && ix->block[k] == i + 1; k++)
			each_user (ix, k, u) {
				uint32_t end = u->first + u->n;
				uint32_t last = lower_bound(u->first, end, n, ix->rank[ix->uses[n]],
					ix->rank[f->entry]);

				if (u->thread != f->thread && last > u->first)
					vec_push(&ix->frees,
						(struct ix_free){f->entry, ix->uses[last - 1]});
			}
	}
}
