#include "view/view.h"

#include "base/base.h"

#include <stdlib.h>

static int compare_global(const void *x, const void *y)
{
	const struct global_at *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void find_globals(struct view *v)
{
	const struct follow_snapshot *s = trace_snapshot(v->t);

	for (uint32_t g = 0; s && g < v->p->globals.n; g++) {
		uint64_t addr = follow_global_addr(s, g);

		if (addr && v->p->globals.at[g].size)
			vec_push(
				&v->globals, (struct global_at){addr, v->p->globals.at[g].size, g});
	}
	if (v->globals.n)
		qsort(v->globals.at, v->globals.n, sizeof *v->globals.at, compare_global);
}

int view_open(struct view *v)
{
	v->p = trace_program(v->t);
	if (collect(&v->c, v->t, v->jobs))
		return -1;
	check_run(&v->check, &v->c.o);
	names_init(&v->names, v->p);
	find_globals(v);
	return 0;
}

void view_release(struct view *v)
{
	vec_release(&v->globals);
	names_release(&v->names);
	check_release(&v->check);
	collect_release(&v->c);
	bitset_release(&v->only);
	bitset_release(&v->sync_kinds);
}

bool view_is_whole(struct view *v)
{
	struct strbuf b = {0};
	bool whole = !v->check.count[CHECK_VIOLATION] && !trace_gap(v->t);

	for (uint32_t t = 0; t < trace_nthreads(v->t); t++)
		whole &= view_thread_fate(&b, v, t);
	strbuf_release(&b);
	return whole;
}
