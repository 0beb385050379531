/*
 * A step that touches nothing shared was chosen alone. If it ends the program all the same, by a
 * fault, the others could have been there first: they are kept then (spare_use).
 */
#include "explore/exploring.h"

void spare_drop(struct explore *ex)
{
	snapshot_drop(ex->spare.snap);
	trail_drop(ex->spare.trail);
	ex->spare.snap = NULL;
	ex->spare.trail = NULL;
}

void spare_take(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t chosen,
	enum exec_pick why)
{
	struct pending p = pending_of(ex->m, ex->m->threads.at[chosen]);

	ex->spare.snap = snapshot_new(machine_save(ex->m));
	ex->spare.trail = trail_keep(ex->trail);
	ex->spare.why = why;
	sleep_copy(&ex->spare.sleep, &ex->sleep);
	vec_push(&ex->spare.sleep.at, p);
	vec_clear(&ex->spare.others);
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] != chosen && !sleep_has(&ex->sleep, ready[i]))
			vec_push(&ex->spare.others, ready[i]);
}

void spare_use(struct explore *ex)
{
	if (!ex->spare.snap)
		return;
	vec_each (&ex->spare.others, i) {
		struct state *s = state_new();

		s->pick = ex->spare.others.at[i];
		s->why = ex->spare.why;
		s->snap = snapshot_keep(ex->spare.snap);
		s->trail = trail_add(ex->spare.trail, s->pick);
		sleep_copy(&s->sleep, &ex->spare.sleep);
		frontier_add(ex->frontier, s);
	}
	spare_drop(ex);
}
