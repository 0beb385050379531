#include "touched.h"

/* A transaction's second access to the variable: others between the two that no serial order
 * allows. */
static void close_touched(struct world *w, const struct touched *t, uint32_t line, bool write)
{
	uint32_t g = t->addr >= ADDR_CONST && t->addr < ADDR_HEAP
			     ? globals_find(&w->m->globals, w->p, t->addr)
			     : IR_NONE;
	struct sighting s = {.kind = "atomicity",
		.n = 3,
		.name = g == IR_NONE ? NULL : ir_str(w->p, w->p->globals.at[g].name)};

	for (uint32_t i = 0; i < t->nothers; i++) {
		uint32_t lines[] = {t->line, t->others[i].line, line};
		bool by_write = t->others[i].write;

		if (t->last_write ? write && !by_write : by_write || (t->write && write))
			world_tell(w, &s, lines);
	}
}

static bool in_transaction(const struct world *w, const struct lane *l)
{
	const struct path *p = &w->paths->of.at[l->path];
	int depth = 0;

	for (uint32_t i = 0; i < l->at; i++)
		if (p->items.at[i].kind == PATH_SYNC)
			depth += (p->items.at[i].sync == LOG_S_USER_ATOMIC_BEGIN) -
				 (p->items.at[i].sync == LOG_S_USER_ATOMIC_END);
	return depth > 0;
}

void touched_add(struct world *w, uint32_t thread, const struct access *a, bool changed)
{
	const struct lane *l = &w->lanes.at[thread];
	uint32_t line = lane_line(w, l), n = 0;
	struct touched mine = {.thread = thread,
		.line = line,
		.insn = l->insn,
		.addr = a->addr,
		.write = a->write};

	vec_each (&w->touched, i) {
		struct touched *t = &w->touched.at[i];

		if (t->addr == a->addr && t->thread != thread) {
			BUG_ON(t->nothers == ARRAY_SIZE(t->others));
			t->others[t->nothers].line = line;
			t->others[t->nothers++].write = changed;
		}
		if (t->addr == a->addr && t->thread == thread) {
			close_touched(w, t, line, a->write);
			if (!t->last_write || a->write)
				continue; /* gone: this access is the last now */
		}
		w->touched.at[n++] = *t;
	}
	w->touched.n = n;
	if (!in_transaction(w, l))
		return;
	vec_push(&w->touched, mine);
	mine.last_write = true;
	if (a->write)
		vec_push(&w->touched, mine);
}

void touched_end(struct world *w, uint32_t thread)
{
	uint32_t n = 0;

	vec_each (&w->touched, i)
		if (w->touched.at[i].thread != thread)
			w->touched.at[n++] = w->touched.at[i];
	w->touched.n = n;
}
