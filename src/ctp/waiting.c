#include "ctp/waiting.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/hash.h"
#include "base/map.h"
#include "ctp/stutter.h"
#include "trace/trace.h"

struct visit { /* of a loop in which rounds can differ */
	uint32_t begin, last; /* its first and last anchor so far */
	bool good, bad;       /* a round of it was understood; one was not */
};

struct finder {
	const struct ctp *c;
	const struct ir_program *p;
	struct spins *spins;
	struct waitings *out;
	struct map seen;  /* hash of a visit and the form of a round -> 1 */
	struct map visit; /* function, header -> index of the visit in `visits` + 1 */
	VEC(struct visit) visits;
	struct map calls;   /* function, header -> index of its set in `callees` + 1 */
	VEC(struct bitset) callees; /* functions that the loop calls, and that these call */
};

void waitings_release(struct waitings *w)
{
	vec_release(&w->at);
	vec_release(&w->tries);
	vec_release(&w->unclear);
}

/* ---- which events are in the loop --------------------------------------------------------- */

static void add_callees(struct finder *f, struct bitset *set, const struct ir_func *fn,
	uint32_t func, const struct spin *loop)
{
	vec_each (&fn->insns, i) {
		uint32_t to = ir_callee(fn, &fn->insns.at[i]);

		if (to == IR_NONE || (loop && !spin_inside(f->spins, func, loop->header, i)))
			continue;
		if (bitset_add(set, to))
			add_callees(f, set, &f->p->funcs.at[to], to, NULL);
	}
}

static const struct bitset *callees_of(struct finder *f, uint32_t func, const struct spin *s)
{
	uint64_t *at = map_put(&f->calls, (uint64_t)func << 32 | s->header);

	if (!*at) {
		struct bitset set = {0};

		add_callees(f, &set, &f->p->funcs.at[func], func, s);
		vec_push(&f->callees, set);
		*at = f->callees.n;
	}
	return &f->callees.at[*at - 1];
}

/* The event is in the loop, or in a function that the loop calls. */
static bool is_inside(struct finder *f, uint32_t event, uint32_t func, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(f->c, event);

	if (e->func == func)
		return spin_inside(f->spins, func, s->header, e->insn);
	return e->func < f->p->funcs.n && bitset_has(callees_of(f, func, s), e->func);
}

/* Is the function called at one place of the program only? */
static bool is_called_once(const struct ir_program *p, uint32_t func)
{
	uint32_t n = 0;

	vec_each (&p->funcs, i) {
		const struct ir_func *fn = &p->funcs.at[i];

		vec_each (&fn->insns, k)
			n += ir_callee(fn, &fn->insns.at[k]) == func;
	}
	return n == 1;
}

/* The first event of the round that ends with the anchor, the first of its visit; CTP_NONE: not
 * known, because a function that the loop calls may have been called before the loop, too. */
static uint32_t round_begin(struct finder *f, uint32_t anchor, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(f->c, anchor);
	uint32_t first = f->c->threads.at[e->thread].first, b = anchor;

	while (b > first && is_inside(f, b - 1, e->func, s))
		b--;
	if (ctp_at(f->c, b)->func != e->func && !is_called_once(f->p, ctp_at(f->c, b)->func))
		return CTP_NONE;
	return b;
}

/* ---- places ------------------------------------------------------------------------------- */

static bool is_try(const struct ctp_event *e)
{
	return e->kind == CTP_TRYFAIL || e->kind == CTP_SEM_FAIL ||
	       ((e->kind == CTP_LOCK || e->kind == CTP_RDLOCK || e->kind == CTP_SEM_WAIT) &&
		       e->flags & (CTP_TRIED | CTP_TIMED));
}

/* Can the thread stand before this event in the place of an earlier one of the round? Only if the
 * round has not read or decided anything yet. */
static bool is_passed(const struct ctp_event *e)
{
	return e->kind == CTP_UNLOCK || e->kind == CTP_RDUNLOCK || e->kind == CTP_WAIT;
}

/* Adds the decision or try of one event to the place. False: the event is of another kind than a
 * round has that only waits. */
static bool add_event(struct finder *f, struct waiting *w, uint32_t event)
{
	const struct ctp_event *e = ctp_at(f->c, event);

	if (ctp_is_guard(e->kind)) {
		w->stays = term_and(f->c->ts, w->stays, e->cond);
		return true;
	}
	switch (e->kind) {
	case CTP_READ:
	case CTP_RMW:
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_UNLOCK:
	case CTP_RDUNLOCK:
	case CTP_WAIT: return !is_try(e);
	case CTP_WOKEN: /* it will time out: no thread signals any more */
	case CTP_TIMEOUT: return e->flags & CTP_TIMED;
	case CTP_TRYFAIL:
	case CTP_SEM_FAIL:
		vec_push(&f->out->tries, event);
		w->n++;
		return true;
	default: return false;
	}
}

static bool add_events(struct finder *f, struct waiting *w, uint32_t from, uint32_t to)
{
	for (uint32_t e = from; e < to; e++)
		if (!add_event(f, w, e))
			return false;
	return true;
}

static void add_last(struct finder *f, struct waiting *w, uint32_t event, bool as_recorded)
{
	const struct ctp_event *e = ctp_at(f->c, event);

	w->last = event;
	if (ctp_is_guard(e->kind)) {
		w->stays = term_and(f->c->ts, w->stays,
			as_recorded ? e->cond : term_not(f->c->ts, e->cond));
	} else {
		vec_push(&f->out->tries, event);
		w->n++;
	}
}

static bool keep_place(struct finder *f, const struct waiting *w)
{
	u128 v;

	if (term_is_const(f->c->ts, w->stays, &v) && !v)
		f->out->tries.n = w->first; /* this round cannot continue */
	else
		vec_push(&f->out->at, *w);
	return true;
}

/* The first round of a visit of a loop with one branch or try. */
static bool add_first_round(
	struct finder *f, uint32_t anchor, enum anchor how, const struct spin *s)
{
	struct waiting w = {.at = round_begin(f, anchor, s),
		.stays = term_bool(f->c->ts, true),
		.first = f->out->tries.n};

	if (w.at == CTP_NONE || how == ANCHOR_INSIDE || !add_events(f, &w, w.at, anchor)) {
		f->out->tries.n = w.first;
		return false;
	}
	add_last(f, &w, anchor, how == ANCHOR_STAYS);
	return keep_place(f, &w);
}

/* Of (from, to], the event that a thread stands before which holds no lock of the round; CTP_NONE. */
static uint32_t free_place(const struct ctp *c, uint32_t from, uint32_t to)
{
	uint32_t e = from + 1;

	while (e < to && ctp_at(c, e)->kind != CTP_LOCK && ctp_at(c, e)->kind != CTP_RDLOCK &&
		!is_passed(ctp_at(c, e)))
		e++; /* a wake-up comes after its wait */
	if (e == to || !is_passed(ctp_at(c, e)))
		return from + 1; /* no lock, or taken and released in this order */
	for (e = from + 1; e < to && is_passed(ctp_at(c, e)); e++)
		;
	return e;
}

static uint64_t hash_round(const struct ctp *c, uint32_t from, uint32_t to)
{
	uint64_t h = ctp_at(c, from)->thread;

	for (uint32_t i = from; i <= to; i++) {
		const struct ctp_event *e = ctp_at(c, i);

		h = hash_mix(hash_mix(h, (uint64_t)e->kind << 32 | e->func), e->insn);
		h = hash_mix(hash_mix(h, e->object), ctp_recorded(e));
	}
	return h;
}

/* The instance of the event's instruction in the round before: the last one before `at`; CTP_NONE. */
static uint32_t find_in_round_before(const struct ctp *c, uint32_t event, uint32_t at)
{
	const struct ctp_event *e = ctp_at(c, event);
	uint32_t length = event - at + 1, first = c->threads.at[e->thread].first, n = 0;

	for (uint32_t i = at; i-- > first && n <= 2 * length + 16; n++)
		if (ctp_at(c, i)->kind == e->kind && ctp_at(c, i)->func == e->func &&
			ctp_at(c, i)->insn == e->insn && ctp_at(c, i)->n == e->n)
			return i;
	return CTP_NONE;
}

/* A round that begins in the middle of the loop may decide with what the round before has read. When
 * nothing changes any more, that is what this round reads: the decision must be the same with it. */
static void add_steady_state(struct finder *f, struct waiting *w)
{
	const struct ctp *c = f->c;
	struct term_subst now;

	term_subst_init(&now, c->ts);
	for (uint32_t e = w->at; e <= w->last; e++) {
		uint32_t before = ctp_is_access(ctp_at(c, e)->kind) ? find_in_round_before(c, e, w->at)
								    : CTP_NONE;

		for (uint32_t i = 0; before != CTP_NONE && i < ctp_at(c, e)->n; i++) {
			term_t old = c->accesses.at[ctp_at(c, before)->first + i].sym;
			term_t new = c->accesses.at[ctp_at(c, e)->first + i].sym;

			if (old.id && new.id && term_width(c->ts, old) == term_width(c->ts, new))
				term_subst_put(&now, old, new);
		}
	}
	w->stays = term_and(c->ts, w->stays, term_subst(&now, w->stays));
	term_subst_release(&now);
}

/* The round from an anchor to the next one at the same instruction. */
static bool add_turned_round(struct finder *f, uint32_t anchor, uint32_t next)
{
	const struct ctp_event *a = ctp_at(f->c, anchor), *b = ctp_at(f->c, next);
	struct waiting w = {.at = free_place(f->c, anchor, next),
		.stays = term_bool(f->c->ts, true),
		.first = f->out->tries.n};
	bool same = !ctp_is_guard(b->kind) || ctp_decided(a) == ctp_decided(b);

	if (ctp_is_guard(a->kind) != ctp_is_guard(b->kind) ||
		!add_events(f, &w, anchor + 1, next)) {
		f->out->tries.n = w.first;
		return false;
	}
	for (uint32_t e = w.at; e <= next; e++) /* a lock that is released before it is taken again */
		if (is_passed(ctp_at(f->c, e)) && ctp_at(f->c, e)->region != CTP_NONE &&
			f->c->regions.at[ctp_at(f->c, e)->region].begin < w.at) {
			f->out->tries.n = w.first;
			return false;
		}
	add_last(f, &w, next, same);
	add_steady_state(f, &w);
	return keep_place(f, &w);
}

/* ---- visits ------------------------------------------------------------------------------- */

/* Did the thread leave the loop between two of its anchors? */
static bool was_left(struct finder *f, const struct visit *v, uint32_t event, const struct spin *s)
{
	struct spin other;

	if (ctp_is_guard(ctp_at(f->c, v->last)->kind) &&
		stutter_anchor(f->c, f->spins, v->last, &other) == ANCHOR_LEAVES)
		return true;
	for (uint32_t e = v->last + 1; e < event; e++)
		if (ctp_at(f->c, e)->func == ctp_at(f->c, event)->func &&
			!spin_inside(f->spins, ctp_at(f->c, event)->func, s->header,
				ctp_at(f->c, e)->insn))
			return true;
	return false;
}

static void end_visit(struct finder *f, const struct visit *v)
{
	if (v->bad && !v->good)
		vec_push(&f->out->unclear, v->begin);
}

static struct visit *visit_of(struct finder *f, uint32_t event, const struct spin *s)
{
	uint64_t *at = map_put(&f->visit, (uint64_t)ctp_at(f->c, event)->func << 32 | s->header);
	struct visit *v;

	if (!*at) {
		vec_push(&f->visits, (struct visit){event, event, false, false});
		*at = f->visits.n;
		return &vec_last(&f->visits);
	}
	v = &f->visits.at[*at - 1];
	if (was_left(f, v, event, s)) {
		end_visit(f, v);
		*v = (struct visit){event, event, false, false};
	}
	v->last = event;
	return v;
}

static void add_round_of_visit(struct finder *f, uint32_t anchor, uint32_t next, struct visit *v)
{
	uint64_t *seen = map_put(&f->seen, hash_mix(v->begin, hash_round(f->c, anchor, next)));

	if (*seen)
		return;
	*seen = 1;
	if (add_turned_round(f, anchor, next))
		v->good = true;
	else
		v->bad = true;
}

/* A branch of the same round decides with the result of the try: the place is that of the branch. */
static bool is_decided_later(struct finder *f, uint32_t event, const struct spin *s)
{
	const struct ctp_event *e = ctp_at(f->c, event);
	const struct ctp_thread *t = &f->c->threads.at[e->thread];
	struct spin other;

	for (uint32_t i = event + 1;
		!ctp_is_guard(e->kind) && i < t->first + t->n && is_inside(f, i, e->func, s); i++)
		if (stutter_anchor(f->c, f->spins, i, &other) != ANCHOR_NONE)
			return ctp_is_guard(ctp_at(f->c, i)->kind);
	return false;
}

static void find_in_thread(struct finder *f, const struct ctp_thread *t)
{
	struct bitset later = {0}; /* anchors that follow one of the same visit */

	for (uint32_t e = t->first; e < t->first + t->n; e++) {
		struct spin s;
		enum anchor how = stutter_anchor(f->c, f->spins, e, &s);
		uint32_t next;

		if (how == ANCHOR_NONE || ctp_at(f->c, e)->flags & CTP_PENDING)
			continue;
		next = stutter_next(f->c, f->spins, e, &s);
		if (next != CTP_NONE)
			bitset_add(&later, next);
		if (stutter_keeps_first(f->c, f->spins, ctp_at(f->c, e)->func, &s)) {
			struct visit *v = visit_of(f, e, &s);

			if (next != CTP_NONE && how != ANCHOR_LEAVES)
				add_round_of_visit(f, e, next, v);
		} else if (!bitset_has(&later, e) && !is_decided_later(f, e, &s) &&
			   !add_first_round(f, e, how, &s)) {
			vec_push(&f->out->unclear, e);
		}
	}
	vec_each (&f->visits, i)
		end_visit(f, &f->visits.at[i]);
	vec_clear(&f->visits);
	map_clear(&f->visit);
	map_clear(&f->seen);
	bitset_release(&later);
}

void waitings_find(const struct ctp *c, struct spins *spins, struct waitings *out)
{
	struct finder f = {.c = c, .p = trace_program(c->trace), .spins = spins, .out = out};

	vec_each (&c->threads, t)
		find_in_thread(&f, &c->threads.at[t]);
	vec_each (&f.callees, i)
		bitset_release(&f.callees.at[i]);
	vec_release(&f.callees);
	map_release(&f.seen);
	map_release(&f.visit);
	vec_release(&f.visits);
	map_release(&f.calls);
}
