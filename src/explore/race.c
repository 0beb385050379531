/*
 * Detection of data races during exploration (--switch access): the next steps of two ready threads
 * are accesses to the same bytes, one of them writes, and not both are atomic. Each pair of places
 * is reported once, as if a path ended there; the path itself continues.
 */
#include "explore/explore_internal.h"

#include "base/map.h"

static uint64_t place_key(const struct pending *a)
{
	return (uint64_t)a->func << 32 | a->insn;
}

static struct fault_access access_of(struct machine *m, const struct pending *a)
{
	return (struct fault_access){m->threads.at[a->thread], a->addr, a->n, a->write, a->atomic};
}

static void report_race(struct explore *ex, const struct pending *a, const struct pending *b)
{
	struct fault_access x = access_of(ex->m, a), y = access_of(ex->m, b);
	struct exec_result old = ex->res;

	ex->res = (struct exec_result){0};
	fault_race(ex->m, &x, &y);
	outcome(ex, x.thread);
	exec_result_release(&ex->res);
	ex->res = old;
}

static void check_accesses(struct explore *ex, struct pending a, struct pending b)
{
	uint64_t *told;

	if (!pending_races(&a, &b))
		return;
	told = map_put(&ex->races,
		place_key(&a) * 31 ^ place_key(&b) * 31 ^ (place_key(&a) + place_key(&b)));
	if (!*told)
		report_race(ex, &a, &b);
	*told = 1;
}

void race_check(struct explore *ex, struct thread *t, const uint32_t *ready, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct thread *u = ex->m->threads.at[ready[i]];

		if (u == t)
			continue;
		check_accesses(ex, pending_of(ex->m, t), pending_of(ex->m, u));
		race_check_calls(ex, t, u);
	}
}
