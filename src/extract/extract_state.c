/*
 * The state of synchronization objects as cells: an operation whose result depends on the state of
 * its object reads the object's cell, and operations that change the state write it. So the result
 * is a term, and depends on the order like other data.
 *
 * The accesses belong to the event of the operation, which is atomic. The addresses of the cells are
 * outside of user memory and depend on the address of the object only, so that runs can be merged.
 *
 * A cell holds the value of a semaphore. Only programs that call sem_getvalue() have these cells.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

#include <string.h>

enum { STATE_BYTES = 4 };
#define STATES_AT 0xffffc00000000000ull

void state_prepare(struct extractor *x)
{
	vec_each (&x->p->funcs, i)
		x->counts |= !strcmp(ir_func_name(x->p, i), "sem_getvalue");
	/* in a part of a run, values before the part are not known */
	x->counts &= !x->begun && !x->chunk;
}

static uint32_t state_cell(struct extractor *x, uint64_t object)
{
	uint64_t *at = map_put(&x->states, object);

	if (!*at) {
		vec_push(&x->c->cells, (struct ctp_cell){.addr = STATES_AT + (object & 0x3fffffffffff),
					.size = STATE_BYTES});
		*at = x->c->cells.n;
	}
	return (uint32_t)*at - 1;
}

term_t state_read(struct extractor *x, uint64_t object)
{
	struct ctp_event *e = &vec_last(&x->c->events);
	struct ctp_access a = {.cell = state_cell(x, object),
		.sym = term_fresh(x->ts, "state", 8 * STATE_BYTES)};

	BUG_ON(e->n || ctp_is_access(e->kind));
	e->first = x->c->accesses.n;
	e->n = 1;
	vec_push(&x->c->accesses, a);
	return a.sym;
}

void state_write(struct extractor *x, term_t value)
{
	BUG_ON(vec_last(&x->c->events).n != 1);
	vec_last(&x->c->accesses).value = value;
}

void state_add(struct extractor *x, uint64_t object, int by)
{
	term_t old = state_read(x, object);

	state_write(x, term_add(x->ts, old, term_const(x->ts, 8 * STATE_BYTES, (uint32_t)by)));
}

/* ---- recorded values ------------------------------------------------------------------------ */

/* The value that the access writes if it reads `seen`: a term over its own symbol. */
static u128 value_written(struct extractor *x, const struct ctp_access *a, u128 seen)
{
	struct term_subst s;
	u128 v = 0;

	term_subst_init(&s, x->ts);
	if (a->sym.id)
		term_subst_put(&s, a->sym, term_const(x->ts, 8 * STATE_BYTES, seen));
	BUG_ON(!term_is_const(x->ts, term_subst(&s, a->value), &v));
	term_subst_release(&s);
	return v;
}

static void set_initial(struct extractor *x)
{
	map_each (&x->states, k) {
		struct ctp_cell *cell = &x->c->cells.at[*map_value(&x->states, k) - 1];
		const uint64_t *ob = map_get(&x->objects, map_key(&x->states, k));
		int64_t initial = ob ? x->c->objects.at[*ob - 1].initial : -1;

		cell->known = initial >= 0;
		cell->initial = initial >= 0 ? (uint32_t)initial : 0;
	}
}

void state_link(struct extractor *x, const struct vec_u32 *sync)
{
	u128 *now;

	if (!x->states.n)
		return;
	set_initial(x);
	now = xcalloc(x->c->cells.n + 1, sizeof *now);
	vec_each (&x->c->cells, i)
		now[i] = x->c->cells.at[i].initial;
	vec_each (sync, i) {
		const struct ctp_event *e = ctp_at(x->c, sync->at[i]);

		for (uint32_t k = e->first; k < e->first + e->n; k++) {
			struct ctp_access *a = &x->c->accesses.at[k];

			if (!a->value.id) /* the result of the operation, as recorded */
				continue;
			a->seen = now[a->cell];
			now[a->cell] = a->put = value_written(x, a, a->seen);
		}
	}
	free(now);
}
