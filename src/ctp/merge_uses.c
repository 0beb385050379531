/* Finds the bytes that are shared in several runs together (merge.h). */
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctp/merge.h"

#include <stdlib.h>

static int compare_use(const void *x, const void *y)
{
	const struct merge_use *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->write - b->write;
}

/* Sorts the uses and removes duplicates. */
static void sort_uses(struct merge_uses *u)
{
	uint32_t n = 0;

	if (u->at.n)
		qsort(u->at.at, u->at.n, sizeof *u->at.at, compare_use);
	vec_each (&u->at, i)
		if (!n || compare_use(&u->at.at[n - 1], &u->at.at[i]))
			u->at.at[n++] = u->at.at[i];
	u->at.n = n;
}

void merge_uses_add(struct merge_uses *u, const struct ctp *c)
{
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		for (uint32_t i = ev->first; i < ev->first + ev->n; i++) {
			const struct ctp_access *a = &c->accesses.at[i];
			const struct ctp_cell *cell = &c->cells.at[a->cell];

			vec_push(&u->at, (struct merge_use){cell->addr, cell->size,
						 ctp_thread_name(c, ev->thread), a->value.id != 0});
		}
	}
}

void merge_uses_join(struct merge_uses *u)
{
	sort_uses(u);
	for (uint32_t i = 0, k; i < u->at.n; i = k) {
		uint64_t end = u->at.at[i].addr + u->at.at[i].size;
		bool write = false, two = false;

		for (k = i; k < u->at.n && u->at.at[k].addr < end; k++) {
			end = MAX(end, u->at.at[k].addr + u->at.at[k].size);
			write = write || u->at.at[k].write;
			two = two || u->at.at[k].thread != u->at.at[i].thread;
		}
		for (uint32_t m = i; m < k && write && two; m++)
			if (m == i || u->at.at[m].addr != u->at.at[m - 1].addr ||
				u->at.at[m].size != u->at.at[m - 1].size)
				vec_push(&u->shared, (struct ctp_range){u->at.at[m].addr,
							     u->at.at[m].size});
	}
}

void merge_uses_release(struct merge_uses *u)
{
	vec_release(&u->at);
	vec_release(&u->shared);
}
