#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"
#include "ctp_brute.h"

#include "trace/check.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, CELLS = 4, READS = 48, PAIRS = 32, MAX_STATES = 400000 };

struct state {
	uint8_t pos[THREADS]; /* events done */
	uint8_t last;         /* thread that ran last + 1 */
	uint8_t woken;        /* threads that a signal reached since they wait */
	uint8_t cell_known, pad;
	uint8_t cell[CELLS];
	uint32_t before;      /* by pair of events asked for: the first came before the second */
	uint32_t read_known;
	uint8_t read[READS];  /* by access */
};

struct brute {
	const struct ctp *c;
	enum model_kind kind;
	uint32_t from, to;
	struct { uint32_t a, b; } pair[PAIRS];
	uint32_t npairs;
	VEC(struct state) at;
	struct vec_u32 cost;
	uint32_t *table, cap;
	struct term_assign as;
	VEC(struct next) work[2]; /* states of this and of one more switch */
};

static bool done(const struct brute *b, const struct state *s, uint32_t e)
{
	uint32_t t = ctp_at(b->c, e)->thread;

	return e - b->c->threads.at[t].first < s->pos[t];
}

/* another alternative of the thread has begun */
static bool gone_another_way(const struct brute *b, const struct state *s, uint32_t t)
{
	vec_each (&b->c->threads, o)
		if (o != t && ctp_group(b->c, o) == ctp_group(b->c, t) && s->pos[o])
			return true;
	return false;
}

static bool created(const struct brute *b, const struct state *s, uint32_t t)
{
	bool any = true;

	vec_each (&b->c->events, e) {
		const struct ctp_event *ev = ctp_at(b->c, e);

		if (ev->kind != CTP_CREATE || ctp_group(b->c, ctp_peer(ev)) != ctp_group(b->c, t))
			continue;
		if (done(b, s, e))
			return true;
		any = false;
	}
	return any;
}

/* the thread, or an alternative of it */
static bool ended(const struct brute *b, const struct state *s, uint32_t t)
{
	vec_each (&b->c->threads, o)
		if (ctp_group(b->c, o) == ctp_group(b->c, t) && b->c->threads.at[o].end != CTP_NONE &&
			done(b, s, b->c->threads.at[o].end))
			return true;
	return false;
}

static bool stands(const struct brute *b, const struct state *s, uint32_t e)
{
	uint32_t t = ctp_at(b->c, e)->thread;

	if (gone_another_way(b, s, t))
		return false;
	return e - b->c->threads.at[t].first == s->pos[t];
}

static bool open_region(const struct brute *b, const struct state *s, const struct ctp_region *r)
{
	return done(b, s, r->begin) && (r->end == CTP_NONE || !done(b, s, r->end));
}

static bool touches(const struct ctp_event *ev, uint64_t object)
{
	if (ev->kind < CTP_LOCK || ev->kind == CTP_ONCE || ev->kind == CTP_ALLOC || ev->kind == CTP_FREE)
		return false;
	return ev->object == object || (ctp_has_mutex(ev->kind) && ctp_mutex(ev) == object);
}

/* an object whose operations keep their order: unlocked by a stranger, or of unknown value */
static bool in_order(const struct brute *b, uint64_t object)
{
	vec_each (&b->c->regions, i)
		if (b->c->regions.at[i].foreign && b->c->regions.at[i].object == object)
			return true;
	vec_each (&b->c->objects, i)
		if (b->c->objects.at[i].addr == object && b->c->objects.at[i].kind == CHECK_SEM &&
			b->c->objects.at[i].initial < 0)
			return true;
	return false;
}

static bool all_earlier_done(const struct brute *b, const struct state *s, uint32_t e, uint64_t object)
{
	vec_each (&b->c->events, o)
		if (touches(ctp_at(b->c, o), object) && ctp_at(b->c, o)->rank < ctp_at(b->c, e)->rank &&
			!done(b, s, o))
			return false;
	return true;
}

static bool lock_free(const struct brute *b, const struct state *s, uint64_t object, bool to_read)
{
	if (in_order(b, object))
		return true;
	vec_each (&b->c->regions, i) {
		const struct ctp_region *r = &b->c->regions.at[i];

		if (r->object == object && open_region(b, s, r) && !(to_read && r->shared))
			return false;
	}
	return true;
}

/* in the recorded run, and now */
static bool held_by_other(const struct brute *b, const struct state *s, uint32_t e, bool exclusively)
{
	const struct ctp_event *ev = ctp_at(b->c, e);

	vec_each (&b->c->regions, i) {
		const struct ctp_region *r = &b->c->regions.at[i];
		bool held;

		if (r->object != ev->object || r->thread == ev->thread || (exclusively && r->shared))
			continue;
		if (s)
			held = open_region(b, s, r);
		else
			held = ev->rank != UINT32_MAX && ctp_at(b->c, r->begin)->rank < ev->rank &&
			       (r->end == CTP_NONE || ctp_at(b->c, r->end)->rank > ev->rank);
		if (held)
			return true;
	}
	return false;
}

/* its thread holds the lock itself when it tries: that always fails */
static bool held_by_itself(const struct brute *b, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(b->c, e);

	vec_each (&b->c->regions, i) {
		const struct ctp_region *r = &b->c->regions.at[i];

		if (r->object == ev->object && r->thread == ev->thread && r->begin < e &&
			(r->end == CTP_NONE || r->end > e))
			return true;
	}
	return false;
}

static int semaphore(const struct brute *b, const struct state *s, uint64_t object)
{
	int v = 0;

	vec_each (&b->c->objects, i)
		if (b->c->objects.at[i].addr == object)
			v = (int)b->c->objects.at[i].initial;
	vec_each (&b->c->events, e)
		if (done(b, s, e) && ctp_at(b->c, e)->object == object)
			v += ctp_at(b->c, e)->kind == CTP_SEM_POST   ? 1
			     : ctp_at(b->c, e)->kind == CTP_SEM_WAIT ? -1
								     : 0;
	return v;
}

static bool round_full(const struct brute *b, const struct state *s, const struct ctp_event *ev,
	uint32_t round)
{
	vec_each (&b->c->events, e) {
		const struct ctp_event *o = ctp_at(b->c, e);

		if (o->kind == CTP_BARRIER_ENTER && o->object == ev->object && ctp_round(o) == round &&
			!done(b, s, e))
			return false;
	}
	return true;
}

static bool gone(const struct brute *b, const struct state *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(b->c, e);
	bool woken = ev->kind == CTP_WOKEN || ev->kind == CTP_TIMEOUT;

	if (ev->block != CTP_NONE && b->c->blocks.at[ev->block].free != CTP_NONE &&
		b->c->blocks.at[ev->block].free != e && done(b, s, b->c->blocks.at[ev->block].free))
		return true;
	vec_each (&b->c->events, d) {
		const struct ctp_event *o = ctp_at(b->c, d);

		if (o->kind != CTP_DESTROY || d == e || !done(b, s, d) || !touches(ev, o->object))
			continue;
		if (!(woken && ev->object == o->object))
			return true;
	}
	return false;
}

/* the read would be executed next, or (ahead: an event that its thread stands at) later in its thread */
static bool reads_now(const struct brute *b, const struct state *s, uint32_t e, uint32_t ahead)
{
	return stands(b, s, e) || (ahead != CTP_NONE && e > ahead && stands(b, s, ahead) &&
					  ctp_at(b->c, e)->thread == ctp_at(b->c, ahead)->thread);
}

/* whether the value of a term is known, and then the value; `now`: reads stood at count, and those
 * after `ahead` */
static bool value_ahead(struct brute *b, const struct state *s, term_t t, bool now, uint32_t ahead,
	u128 *v)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);

	term_assign_clear(&b->as);
	for (uint32_t i = 0; i < syms->n; i++)
		vec_each (&b->c->events, e) {
			const struct ctp_event *ev = ctp_at(b->c, e);

			for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
				const struct ctp_access *a = &b->c->accesses.at[k];

				if (a->sym.id != syms->at[i].id)
					continue;
				if (done(b, s, e) && s->read_known >> k & 1)
					term_assign_set(&b->as, a->sym, s->read[k]);
				else if (now && reads_now(b, s, e, ahead) && s->cell_known >> a->cell & 1)
					term_assign_set(&b->as, a->sym, s->cell[a->cell]);
				else
					return false;
			}
		}
	*v = term_value(&b->as, t);
	return true;
}

static bool value(struct brute *b, const struct state *s, term_t t, bool now, u128 *v)
{
	return value_ahead(b, s, t, now, CTP_NONE, v);
}

static bool has_symbol(const struct brute *b, term_t t, term_t sym)
{
	const struct term_syms *syms = t.id ? term_syms(b->c->ts, t) : NULL;

	for (uint32_t i = 0; syms && i < syms->n; i++)
		if (syms->at[i].id == sym.id)
			return true;
	return false;
}

/* nothing but assertions depends on what was read */
static bool only_asserted(const struct brute *b, const struct ctp_access *a)
{
	if (!a->sym.id || term_op(b->c->ts, a->sym) != TERM_SYM)
		return false;
	vec_each (&b->c->accesses, k)
		if (has_symbol(b, b->c->accesses.at[k].value, a->sym))
			return false;
	vec_each (&b->c->events, e)
		if (ctp_at(b->c, e)->kind != CTP_ASSERT && ctp_at(b->c, e)->kind != CTP_DIVISOR &&
			(has_symbol(b, ctp_at(b->c, e)->cond, a->sym) ||
				has_symbol(b, ctp_at(b->c, e)->operand, a->sym)))
			return false;
	return true;
}

static bool values_fit(const struct brute *b, const struct state *s, const struct ctp_event *ev)
{
	if (b->kind != MODEL_MCM)
		return true;
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &b->c->accesses.at[k];

		if (a->sym.id &&
			(!(s->cell_known >> a->cell & 1) || s->cell[a->cell] != a->seen) &&
			!only_asserted(b, a))
			return false;
	}
	return true;
}

static bool can(struct brute *b, const struct state *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(b->c, e);
	const struct ctp_thread *th = &b->c->threads.at[ev->thread];
	bool ordered = ev->object && in_order(b, ev->object);
	u128 v;

	if (e == th->first && (!created(b, s, ev->thread) || gone_another_way(b, s, ev->thread)))
		return false;
	if (gone(b, s, e) || !values_fit(b, s, ev))
		return false;
	if (ordered && !all_earlier_done(b, s, e, ev->object))
		return false;
	if (ctp_has_mutex(ev->kind) && ctp_mutex(ev) && in_order(b, ctp_mutex(ev)) &&
		!all_earlier_done(b, s, e, ctp_mutex(ev)))
		return false;
	switch ((enum ctp_kind)ev->kind) {
	case CTP_ASSERT:
		return b->kind == MODEL_CONTROL || (value(b, s, ev->cond, false, &v) && v);
	case CTP_BRANCH:
	case CTP_FIX: return b->kind != MODEL_CTP || (value(b, s, ev->cond, false, &v) && v);
	case CTP_JOIN: return ended(b, s, ctp_peer(ev));
	case CTP_JOINFAIL: return !ended(b, s, ctp_peer(ev));
	case CTP_LOCK: return lock_free(b, s, ev->object, false);
	case CTP_RDLOCK: return lock_free(b, s, ev->object, true);
	case CTP_TRYFAIL:
		return ordered || held_by_itself(b, e) || held_by_other(b, s, e,
					  held_by_other(b, NULL, e, true) ||
						  !held_by_other(b, NULL, e, false));
	case CTP_WOKEN:
		return lock_free(b, s, ctp_mutex(ev), false) && s->woken >> ev->thread & 1;
	case CTP_TIMEOUT: return lock_free(b, s, ctp_mutex(ev), false);
	case CTP_SEM_WAIT: return ordered || semaphore(b, s, ev->object) > 0;
	case CTP_SEM_FAIL: return ordered || semaphore(b, s, ev->object) == 0;
	case CTP_BARRIER_ENTER: return !ctp_round(ev) || round_full(b, s, ev, ctp_round(ev) - 1);
	case CTP_BARRIER_LEAVE: return round_full(b, s, ev, ctp_round(ev));
	case CTP_ONCE: return ctp_runner(ev) == e || done(b, s, ctp_runner(ev));
	default: return true;
	}
}

static void perform(struct brute *b, struct state *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(b->c, e);

	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &b->c->accesses.at[k];

		if (a->sym.id && s->cell_known >> a->cell & 1) {
			s->read[k] = s->cell[a->cell];
			s->read_known |= 1u << k;
		}
	}
	for (uint32_t i = 0; i < b->npairs; i++)
		if (b->pair[i].b == e && done(b, s, b->pair[i].a))
			s->before |= 1u << i;
	s->pos[ev->thread]++;
	s->last = (uint8_t)(ev->thread + 1);
	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &b->c->accesses.at[k];
		u128 v = a->put;
		bool known = true;

		if (!a->value.id)
			continue;
		if (b->kind == MODEL_CTP)
			known = value(b, s, a->value, false, &v);
		s->cell[a->cell] = known ? (uint8_t)v : 0;
		s->cell_known = (uint8_t)((s->cell_known & ~(1u << a->cell)) |
					  (unsigned)known << a->cell);
	}
	if (ev->kind == CTP_WAIT)
		s->woken &= (uint8_t)~(1u << ev->thread);
}

/* -- all states, those of fewer switches first -- */

struct next {
	uint32_t state;
};

static void grow(struct brute *b)
{
	b->cap = b->cap ? 2 * b->cap : 1 << 10;
	free(b->table);
	b->table = xcalloc(b->cap, sizeof *b->table);
	vec_each (&b->at, i) {
		uint32_t h = (uint32_t)hash_bytes(&b->at.at[i], sizeof b->at.at[i]);

		while (b->table[h & (b->cap - 1)])
			h++;
		b->table[h & (b->cap - 1)] = i + 1;
	}
}

static void put(struct brute *b, const struct state *s, uint32_t cost)
{
	uint32_t h = (uint32_t)hash_bytes(s, sizeof *s);

	if (2 * b->at.n >= b->cap)
		grow(b);
	for (;; h++) {
		uint32_t *slot = &b->table[h & (b->cap - 1)];

		if (!*slot) {
			vec_push(&b->at, *s);
			vec_push(&b->cost, cost);
			*slot = b->at.n;
			break;
		}
		if (!memcmp(&b->at.at[*slot - 1], s, sizeof *s)) {
			if (b->cost.at[*slot - 1] <= cost)
				return;
			b->cost.at[*slot - 1] = cost;
			vec_push(&b->work[cost & 1], (struct next){*slot - 1});
			return;
		}
	}
	vec_push(&b->work[cost & 1], (struct next){b->at.n - 1});
}

static uint32_t done_in_all(const struct brute *b, const struct state *s)
{
	uint32_t n = 0;

	vec_each (&b->c->threads, t)
		n += s->pos[t];
	return n;
}

/* The thread waits for the condition variable until a signal comes. A thread that waits until its
 * time limit takes no signal from others. */
static bool is_waiting(const struct brute *b, const struct state *s, uint32_t t, uint64_t object)
{
	const struct ctp_thread *th = &b->c->threads.at[t];
	const struct ctp_event *before = ctp_at(b->c, th->first + s->pos[t] - 1);

	return s->pos[t] && before->kind == CTP_WAIT && before->object == object &&
	       s->pos[t] < th->n && before[1].kind == CTP_WOKEN;
}

/* The states after e in state s, in which it can be executed: one for each thread that a signal may
 * wake. */
static uint32_t successors(struct brute *b, struct state s, uint32_t e, struct state out[THREADS])
{
	const struct ctp_event *ev = ctp_at(b->c, e);
	uint8_t woken = s.woken, waiting = 0;
	uint32_t n = 0;

	perform(b, &s, e);
	if (ev->kind != CTP_SIGNAL && ev->kind != CTP_BROADCAST) {
		out[n++] = s;
		return n;
	}
	vec_each (&b->c->threads, t)
		if (is_waiting(b, &s, t, ev->object))
			waiting |= (uint8_t)(1u << t);
	waiting &= (uint8_t)~s.woken;
	if (ev->kind == CTP_BROADCAST)
		s.woken |= waiting;
	if (ev->kind == CTP_BROADCAST || !waiting)
		out[n++] = s;
	vec_each (&b->c->threads, t)
		if (ev->kind == CTP_SIGNAL && waiting >> t & 1) {
			s.woken = (uint8_t)(woken | 1u << t);
			out[n++] = s;
		}
	return n;
}

static void step(struct brute *b, uint32_t from, uint32_t e)
{
	const struct state s = b->at.at[from];
	const struct ctp_event *ev = ctp_at(b->c, e);
	uint32_t cost = b->cost.at[from] + (s.last && s.last != ev->thread + 1);
	uint32_t n = done_in_all(b, &s);
	struct state next[THREADS];

	if ((ev->rank >= b->to && b->to != UINT32_MAX) || (n < b->from && ev->rank != n) || !can(b, &s, e))
		return;
	for (uint32_t i = successors(b, s, e, next); i-- > 0;) {
		if (n < b->from)
			next[i].last = 0;
		put(b, &next[i], cost);
	}
}

static struct state first_state(const struct ctp *c)
{
	struct state start = {0};

	vec_each (&c->cells, i) {
		start.cell[i] = c->cells.at[i].known ? (uint8_t)c->cells.at[i].initial : 0;
		start.cell_known |= (uint8_t)((unsigned)c->cells.at[i].known << i);
	}
	return start;
}

static bool explore(struct brute *b)
{
	struct state start = first_state(b->c);

	put(b, &start, 0);
	for (uint32_t cost = 0; b->work[cost & 1].n; cost++)
		while (b->work[cost & 1].n) {
			uint32_t i = vec_pop(&b->work[cost & 1]).state;

			if (b->cost.at[i] != cost)
				continue;
			vec_each (&b->c->threads, t)
				if (b->at.at[i].pos[t] < b->c->threads.at[t].n)
					step(b, i, b->c->threads.at[t].first + b->at.at[i].pos[t]);
			if (b->at.n > MAX_STATES)
				return false;
		}
	return true;
}

/* -- queries -- */

static uint32_t pair_of(struct brute *b, uint32_t x, uint32_t y)
{
	for (uint32_t i = 0; i < b->npairs; i++)
		if (b->pair[i].a == x && b->pair[i].b == y)
			return i;
	BUG_ON(b->npairs == PAIRS);
	b->pair[b->npairs].a = x;
	b->pair[b->npairs].b = y;
	return b->npairs++;
}

static bool all_there(const struct brute *b, const struct state *s, term_t t, uint32_t ahead)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++)
		vec_each (&b->c->events, e)
			if (ctp_at(b->c, e)->n &&
				b->c->accesses.at[ctp_at(b->c, e)->first].sym.id == syms->at[i].id &&
				!done(b, s, e) && !reads_now(b, s, e, ahead))
				return false;
	return true;
}

static bool atom(struct brute *b, const struct state *s, const struct atom *a)
{
	bool v = false;
	u128 k;

	switch ((enum atom_kind)a->kind) {
	case ATOM_RUN: v = done(b, s, a->a); break;
	case ATOM_AT: v = stands(b, s, a->a); break;
	case ATOM_ASLEEP:
		v = stands(b, s, a->a) && !(s->woken >> ctp_at(b->c, a->a)->thread & 1);
		break;
	case ATOM_SPINS:
		v = stands(b, s, a->a) && all_there(b, s, a->term, a->a) &&
		    value_ahead(b, s, a->term, true, a->a, &k) && k;
		break;
	case ATOM_BEFORE:
		v = done(b, s, a->a) &&
		    (stands(b, s, a->b) || s->before >> pair_of(b, a->a, a->b) & 1);
		break;
	case ATOM_HOLDS:
		if (!all_there(b, s, a->term, CTP_NONE))
			return false;
		if (b->kind == MODEL_CONTROL && !term_is_const(b->c->ts, a->term, &k))
			return true;
		if (!value(b, s, a->term, true, &k))
			return false;
		v = k != 0;
		break;
	}
	return v != a->negated;
}

static bool satisfied(struct brute *b, const struct state *s, const struct query *q)
{
	uint32_t i = 0;

	vec_each (&q->clauses, k) {
		bool any = false;

		for (; i < q->clauses.at[k]; i++)
			any |= atom(b, s, &q->atoms.at[i]);
		if (!any)
			return false;
	}
	return true;
}

void ctp_brute(const struct ctp *c, enum model_kind kind, uint32_t from, uint32_t to,
	const struct query *q, uint32_t n, int32_t *least)
{
	struct brute b = {.c = c, .kind = kind, .from = from, .to = to};
	bool all;

	BUG_ON(c->threads.n > THREADS || c->cells.n > CELLS || c->accesses.n > READS);
	term_assign_init(&b.as, c->ts);
	for (uint32_t i = 0; i < n; i++)
		vec_each (&q[i].atoms, k)
			if (q[i].atoms.at[k].kind == ATOM_BEFORE)
				pair_of(&b, q[i].atoms.at[k].a, q[i].atoms.at[k].b);
	all = explore(&b);
	for (uint32_t i = 0; i < n; i++) {
		least[i] = all ? BRUTE_NEVER : BRUTE_TOO_MANY;
		for (uint32_t k = 0; all && k < b.at.n; k++)
			if ((least[i] < 0 || (int32_t)b.cost.at[k] < least[i]) &&
				done_in_all(&b, &b.at.at[k]) >= from && satisfied(&b, &b.at.at[k], &q[i]))
				least[i] = (int32_t)b.cost.at[k];
	}
	vec_release(&b.at);
	vec_release(&b.cost);
	vec_release(&b.work[0]);
	vec_release(&b.work[1]);
	free(b.table);
	term_assign_release(&b.as);
}

/* -- one linearization -- */

struct brute_walk {
	struct brute b;
	VEC(struct state) now; /* after all choices of who is woken */
};

struct brute_walk *brute_walk_new(
	const struct ctp *c, enum model_kind kind, const struct query *q, uint32_t n)
{
	struct brute_walk *w = xcalloc(1, sizeof *w);

	w->b = (struct brute){.c = c, .kind = kind, .to = UINT32_MAX};
	BUG_ON(c->threads.n > THREADS || c->cells.n > CELLS || c->accesses.n > READS);
	term_assign_init(&w->b.as, c->ts);
	for (uint32_t i = 0; i < n; i++)
		vec_each (&q[i].atoms, k)
			if (q[i].atoms.at[k].kind == ATOM_BEFORE)
				pair_of(&w->b, q[i].atoms.at[k].a, q[i].atoms.at[k].b);
	vec_push(&w->now, first_state(c));
	return w;
}

void brute_walk_free(struct brute_walk *w)
{
	vec_release(&w->now);
	term_assign_release(&w->b.as);
	free(w);
}

bool brute_walk_can(struct brute_walk *w, uint32_t e)
{
	vec_each (&w->now, i)
		if (can(&w->b, &w->now.at[i], e))
			return true;
	return false;
}

void brute_walk_step(struct brute_walk *w, uint32_t e)
{
	VEC(struct state) after = {0};

	vec_each (&w->now, i) {
		struct state next[THREADS];

		if (!can(&w->b, &w->now.at[i], e))
			continue;
		for (uint32_t k = successors(&w->b, w->now.at[i], e, next); k-- > 0;)
			vec_push(&after, next[k]);
	}
	vec_clear(&w->now);
	vec_each (&after, i) { /* choices that lead to the same are one */
		bool new = true;

		vec_each (&w->now, k)
			new &= memcmp(&after.at[i], &w->now.at[k], sizeof(struct state)) != 0;
		if (new)
			vec_push(&w->now, after.at[i]);
	}
	vec_release(&after);
}

bool brute_walk_satisfies(struct brute_walk *w, const struct query *q)
{
	vec_each (&w->now, i)
		if (satisfied(&w->b, &w->now.at[i], q))
			return true;
	return false;
}
