#include "explore/explore_internal.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>

struct omitted *omitted_keep(struct omitted *s)
{
	if (s)
		s->refs++;
	return s;
}

void omitted_drop(struct omitted *s)
{
	if (!s || --s->refs)
		return;
	snapshot_drop(s->snap);
	trail_drop(s->trail);
	sleep_release(&s->sleep);
	vec_release(&s->others);
	free(s);
}

void omitted_take(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t chosen,
	enum exec_pick why)
{
	struct omitted *s = xcalloc(1, sizeof *s);

	s->refs = 1;
	s->snap = snapshot_new(machine_save(ex->m));
	s->trail = trail_keep(ex->trail);
	s->why = why;
	s->node = ex->node;
	sleep_copy(&s->sleep, &ex->sleep);
	vec_push(&s->sleep.at, pending_of(ex->m, ex->m->threads.at[chosen]));
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] != chosen && !sleep_has(&ex->sleep, ready[i]))
			vec_push(&s->others, pending_of(ex->m, ex->m->threads.at[ready[i]]));
	ex->omitted = s;
}

void omitted_use(struct explore *ex)
{
	struct omitted *from = ex->omitted;

	if (!from)
		return;
	vec_each (&from->others, i) {
		struct state *s = state_new();

		s->pick = from->others.at[i].thread;
		s->why = from->why;
		s->node = from->node;
		s->snap = snapshot_keep(from->snap);
		s->trail = trail_add(from->trail, s->pick);
		sleep_copy(&s->sleep, &from->sleep);
		sleep_step(&s->sleep, &from->others.at[i]);
		frontier_add(ex->frontier, s);
	}
	vec_clear(&from->others);
}
