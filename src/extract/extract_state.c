/*
 * The state of synchronization objects as cells: an operation whose result depends on the state of
 * its object reads the object's cell, and operations that change the state write it. So the result
 * is a term, and depends on the order like other data.
 *
 * The accesses belong to the event of the operation, which is atomic. The addresses of the cells
 * are outside of user memory and depend on the address of the object only, so that runs can be
 * merged.
 *
 * A cell holds
 *  - the value of a semaphore, in programs that call sem_getvalue()
 *  - the number of threads that entered a barrier, because the last one of a round gets
 *    PTHREAD_BARRIER_SERIAL_THREAD
 *  - of a robust mutex whether its last owner ended while it held the mutex (enum robust_state)
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_BYTES = 4, STATE_BITS = 8 * STATE_BYTES };
enum robust_state { ROBUST_OK, ROBUST_OWNER_DIED, ROBUST_LOST /* ENOTRECOVERABLE */ };
#define STATES_AT 0xffffc00000000000ull

void state_prepare(struct extractor *x)
{
	vec_each (&x->p->funcs, i)
		x->counts |= !strcmp(ir_func_name(x->p, i), "sem_getvalue");
	/* in a part of a run, values before the part are not known */
	x->stateful = !x->begun && !x->chunk;
	x->counts &= x->stateful;
}

static uint32_t state_cell(struct extractor *x, uint64_t object)
{
	uint64_t *at = map_put(&x->states, object);

	if (!*at) {
		vec_push(&x->c->cells,
			(struct ctp_cell){.addr = STATES_AT + (object & 0x3fffffffffff),
				.size = STATE_BYTES});
		*at = x->c->cells.n;
	}
	return (uint32_t)*at - 1;
}

static term_t constant(const struct extractor *x, u128 value)
{
	return term_const(x->ts, STATE_BITS, value);
}

term_t state_read(struct extractor *x, uint64_t object)
{
	struct ctp_event *e = &vec_last(&x->c->events);
	struct ctp_access a = {
		.cell = state_cell(x, object), .sym = term_fresh(x->ts, "state", STATE_BITS)};

	BUG_ON(e->n || ctp_is_access(e->kind));
	e->first = x->c->accesses.n;
	e->n = 1;
	vec_push(&x->c->accesses, a);
	return a.sym;
}

/* The access that state_read() added writes, too. */
static void state_write(struct extractor *x, term_t value)
{
	BUG_ON(vec_last(&x->c->events).n != 1);
	vec_last(&x->c->accesses).value = value;
}

void state_set(struct extractor *x, uint64_t object, uint32_t value)
{
	struct ctp_event *e = &vec_last(&x->c->events);

	BUG_ON(e->n || ctp_is_access(e->kind));
	e->first = x->c->accesses.n;
	e->n = 1;
	vec_push(&x->c->accesses, (struct ctp_access){.cell = state_cell(x, object),
					  .value = constant(x, value)});
}

term_t state_add(struct extractor *x, uint64_t object, int by)
{
	term_t sum = term_add(x->ts, state_read(x, object), constant(x, (uint32_t)by));

	state_write(x, sum);
	return sum;
}

/* ---- robust mutexes ------------------------------------------------------------------------- */

static term_t is_state(const struct extractor *x, term_t state, enum robust_state what)
{
	return term_eq(x->ts, state, constant(x, what));
}

/* A guard that the state is, or is not, that one. */
static void fix_state(struct extractor *x, struct follow *f, const struct sync_event *s,
	term_t state, enum robust_state what, bool is)
{
	term_t cond = is_state(x, state, what);
	struct ctp_event *e =
		extract_guard(x, CTP_FIX, f, s->func, s->insn, is ? cond : term_not(x->ts, cond));

	if (e)
		e->of.decided = is;
}

static void set_result(struct extractor *x, const struct sync_event *s, term_t result)
{
	const struct ir_insn *in = &x->p->funcs.at[s->func].insns.at[s->insn];

	if (ir_insn_ndst(in) == 1)
		step_set(x, in->dst, result);
}

void robust_lock(struct extractor *x, struct follow *f, const struct sync_event *s)
{
	term_t state = state_read(x, s->object);

	vec_last(&x->c->accesses).seen = s->result ? ROBUST_OWNER_DIED : ROBUST_OK;
	vec_push(&x->tr->robust, s->object);
	fix_state(x, f, s, state, ROBUST_LOST, false);
	set_result(x, s,
		term_ite(x->ts, is_state(x, state, ROBUST_OWNER_DIED), constant(x, EOWNERDEAD),
			constant(x, 0)));
}

void robust_fails(struct extractor *x, struct follow *f, const struct sync_event *s)
{
	term_t state = state_read(x, s->object);

	vec_last(&x->c->accesses).seen = ROBUST_LOST;
	vec_last(&x->c->events).flags |= CTP_UNRECOVERABLE;
	fix_state(x, f, s, state, ROBUST_LOST, true);
}

/* The next owner cannot use the mutex if its state was not made consistent. */
void robust_unlock(struct extractor *x, uint64_t mutex)
{
	struct vec_u64 *held = &x->tr->robust;
	term_t state = state_read(x, mutex);

	state_write(x, term_ite(x->ts, is_state(x, state, ROBUST_OWNER_DIED),
			       constant(x, ROBUST_LOST), state));
	for (uint32_t i = held->n; i-- > 0;)
		if (held->at[i] == mutex) {
			held->at[i] = vec_last(held);
			held->n--;
			return;
		}
}

void robust_owner_ends(struct extractor *x, uint64_t mutex)
{
	vec_last(&x->c->events).object = mutex;
	vec_last(&x->c->events).flags |= CTP_NATIVE_USE;
	state_read(x, mutex);
	state_write(x, constant(x, ROBUST_OWNER_DIED));
}

void robust_consistent(struct extractor *x, struct follow *f, const struct sync_event *s)
{
	term_t state = state_read(x, s->object);

	state_write(x, term_ite(x->ts, is_state(x, state, ROBUST_OWNER_DIED),
			       constant(x, ROBUST_OK), state));
	fix_state(x, f, s, state, ROBUST_OWNER_DIED, !s->result);
}

/* ---- barriers ------------------------------------------------------------------------------- */

void barrier_result(struct extractor *x, const struct sync_event *s)
{
	term_t in_round = term_urem(x->ts, x->tr->entered, constant(x, x->tr->count));

	set_result(x, s,
		term_ite(x->ts, term_eq(x->ts, in_round, constant(x, 0)),
			constant(x, (uint32_t)PTHREAD_BARRIER_SERIAL_THREAD), constant(x, 0)));
}

/* Whether the LEAVE after the ENTER of a thread returned PTHREAD_BARRIER_SERIAL_THREAD. */
static bool is_serial(const struct extractor *x, uint32_t enter)
{
	const struct sync_order *o = &x->sync->o;
	const struct ctp_thread *th = &x->c->threads.at[ctp_at(x->c, enter)->thread];
	uint32_t leave = enter + 1;
	const struct order_point *p;

	if (leave >= th->first + th->n || ctp_at(x->c, leave)->kind != CTP_BARRIER_LEAVE ||
		!x->rank.at[leave])
		return false;
	p = &o->at[(x->rank.at[leave] - 2) / 2];
	return p->thread == th->id &&
	       x->sync->h.threads.at[p->thread].events.at[p->event].result ==
		       PTHREAD_BARRIER_SERIAL_THREAD;
}

struct round { /* of a barrier: its threads so far */
	uint32_t n;
	uint32_t serial, last; /* events; CTP_NONE */
};

void barrier_place_last(struct extractor *x, const struct vec_u32 *sync)
{
	VEC(struct round) rounds = {0};
	struct map round_of = {0}; /* address -> round + 1 */

	vec_each (sync, i) {
		const struct ctp_event *e = ctp_at(x->c, sync->at[i]);
		const uint64_t *ob = map_get(&x->objects, e->object);
		struct round *r;
		uint64_t *at;

		if (e->kind != CTP_BARRIER_ENTER || !e->n || !ob)
			continue;
		at = map_put(&round_of, e->object);
		if (!*at) {
			vec_push(&rounds, (struct round){0, CTP_NONE, CTP_NONE});
			*at = rounds.n;
		}
		r = &rounds.at[*at - 1];
		r->last = sync->at[i];
		if (is_serial(x, sync->at[i]))
			r->serial = sync->at[i];
		if (++r->n < x->c->objects.at[*ob - 1].initial)
			continue;
		if (r->serial != CTP_NONE && r->serial != r->last)
			x->rank.at[r->serial] = x->rank.at[r->last] + 1;
		*r = (struct round){0, CTP_NONE, CTP_NONE};
	}
	vec_release(&rounds);
	map_release(&round_of);
}

/* ---- recorded values ------------------------------------------------------------------------ */

/* The value that the access writes if it reads `seen`: a term over its own symbol. */
static u128 value_written(struct extractor *x, const struct ctp_access *a, u128 seen)
{
	struct term_subst s;
	u128 v = 0;

	term_subst_init(&s, x->ts);
	if (a->sym.id)
		term_subst_put(&s, a->sym, constant(x, seen));
	BUG_ON(!term_is_const(x->ts, term_subst(&s, a->value), &v));
	term_subst_release(&s);
	return v;
}

static void set_initial(struct extractor *x)
{
	map_each (&x->states, k) {
		struct ctp_cell *cell = &x->c->cells.at[x->states.slots[k].val - 1];
		const uint64_t *ob = map_get(&x->objects, x->states.slots[k].key);
		const struct ctp_object *o = ob ? &x->c->objects.at[*ob - 1] : NULL;
		int64_t initial = !o ? -1 : o->kind == CHECK_SEM ? o->initial : 0;

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
