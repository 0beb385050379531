/*
 * Short witnesses: threads stop as early as the query allows, and run as long as they can before a
 * context switch. Every change is checked by execution.
 */
#include "model/model_internal.h"

#include "base/base.h"
#include "base/vec.h"

#include <assert.h>

uint32_t count_switches(const struct ctp *c, const struct vec_u32 *events)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < events->n; i++)
		n += ctp_at(c, events->at[i])->thread != ctp_at(c, events->at[i - 1])->thread;
	return n;
}

static bool is_witness(
	const struct shortening *s, const struct query *q, const struct vec_u32 *events)
{
	uint32_t at;

	return !sim_check(s->sim, s->from, events->at, events->n, q, &at);
}

static void copy_events(struct vec_u32 *to, const struct vec_u32 *from)
{
	vec_clear(to);
	vec_each (from, i)
		vec_push(to, from->at[i]);
}

/* -- fewer events -- */

/* the linearization without the thread's events from `end` on */
static void cut_thread(const struct shortening *s, const struct vec_u32 *events, uint32_t thread,
	uint32_t end, struct vec_u32 *out)
{
	vec_clear(out);
	vec_each (events, i)
		if (ctp_at(s->f->c, events->at[i])->thread != thread || events->at[i] < end)
			vec_push(out, events->at[i]);
}

/* the earliest event at which the thread can stop: first lo, then by bisection */
static bool shorten_thread(const struct shortening *s, const struct query *q, struct vec_u32 *events,
	uint32_t thread, struct vec_u32 *other)
{
	uint32_t lo = facts_first_event(s->f, thread, s->from), hi = lo;

	vec_each (events, i)
		if (ctp_at(s->f->c, events->at[i])->thread == thread)
			hi++;
	for (uint32_t step = 0; lo < hi; step++) {
		uint32_t mid = step ? lo + (hi - lo) / 2 : lo;

		cut_thread(s, events, thread, mid, other);
		if (is_witness(s, q, other)) {
			copy_events(events, other);
			return true;
		}
		lo = mid + 1;
	}
	return false;
}

static void shorten_threads(const struct shortening *s, const struct query *q, struct vec_u32 *events)
{
	struct vec_u32 other = {0};
	bool more = true;

	for (unsigned round = 0; more && round < 4; round++) {
		more = false;
		vec_each (&s->f->c->threads, t)
			more |= shorten_thread(s, q, events, t, &other);
	}
	vec_release(&other);
}

/* -- fewer switches -- */

/* x is a join that finds the thread running whose end is y */
static bool fails_to_join(const struct ctp *c, const struct ctp_event *x, const struct ctp_event *y)
{
	return x->kind == CTP_JOINFAIL && y->kind == CTP_END &&
	       ctp_group(c, ctp_peer(x)) == ctp_group(c, y->thread);
}

/* the order of the two executed events may change their effects */
static bool are_dependent(const struct shortening *s, uint32_t a, uint32_t b)
{
	const struct ctp_event *x = ctp_at(s->f->c, a), *y = ctp_at(s->f->c, b);
	const struct facts *f = s->f;

	if (x->thread == y->thread)
		return true;
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < y->n; k++) {
			const struct ctp_access *p = &f->c->accesses.at[x->first + i];
			const struct ctp_access *r = &f->c->accesses.at[y->first + k];

			if (p->cell == r->cell && (p->value.id || r->value.id))
				return true;
		}
	if (x->block != CTP_NONE && x->block == y->block &&
		!(ctp_is_access(x->kind) && ctp_is_access(y->kind)))
		return true;
	if (fails_to_join(f->c, x, y) || fails_to_join(f->c, y, x))
		return true;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t o = i & 1 ? f->object.at[a] : f->object2.at[a];
		uint32_t p = i & 2 ? f->object.at[b] : f->object2.at[b];

		if (o != CTP_NONE && o == p)
			return true;
	}
	return mhb_before(s->mhb, a, b) || mhb_before(s->mhb, b, a);
}

static bool asked_before(const struct query *q, uint32_t a, uint32_t b)
{
	vec_each (&q->atoms, i)
		if (q->atoms.at[i].kind == ATOM_BEFORE && q->atoms.at[i].a == a &&
			q->atoms.at[i].b == b)
			return true;
	return false;
}

enum { MAX_REORDERED = 600 };

struct reorder {
	struct vec_u32 waits; /* by index: dependent events before it that are not executed yet */
	struct vec_u32 first, after; /* by index: dependent events of other threads after it */
	struct vec_u32 turn;         /* by thread: the indices of its events */
	struct vec_u32 turn_first, turn_at;
};

static void reorder_release(struct reorder *ro)
{
	vec_release(&ro->waits);
	vec_release(&ro->first);
	vec_release(&ro->after);
	vec_release(&ro->turn);
	vec_release(&ro->turn_first);
	vec_release(&ro->turn_at);
}

static void reorder_init(struct reorder *ro, const struct shortening *s, const struct query *q,
	const struct vec_u32 *events)
{
	*ro = (struct reorder){0};
	vec_resize(&ro->waits, events->n);
	vec_each (events, i) {
		vec_push(&ro->first, ro->after.n);
		for (uint32_t k = i + 1; k < events->n; k++)
			if (ctp_at(s->f->c, events->at[i])->thread !=
					ctp_at(s->f->c, events->at[k])->thread &&
				(are_dependent(s, events->at[i], events->at[k]) ||
					asked_before(q, events->at[i], events->at[k]))) {
				vec_push(&ro->after, k);
				ro->waits.at[k]++;
			}
	}
	vec_push(&ro->first, ro->after.n);
	vec_each (&s->f->c->threads, t) {
		vec_push(&ro->turn_first, ro->turn.n);
		vec_each (events, i)
			if (ctp_at(s->f->c, events->at[i])->thread == t)
				vec_push(&ro->turn, i);
	}
	vec_push(&ro->turn_first, ro->turn.n);
}

/* the number of events that the thread can execute now; with `out` it executes them */
static uint32_t run_thread(struct reorder *ro, const struct vec_u32 *events, uint32_t t,
	struct vec_u32 *waits, struct vec_u32 *at, struct vec_u32 *out)
{
	uint32_t n = 0, i = at->at[t];

	for (; i < ro->turn_first.at[t + 1] && !waits->at[ro->turn.at[i]]; i++, n++) {
		uint32_t p = ro->turn.at[i];

		if (!out)
			continue;
		vec_push(out, events->at[p]);
		for (uint32_t k = ro->first.at[p]; k < ro->first.at[p + 1]; k++)
			waits->at[ro->after.at[k]]--;
	}
	if (out)
		at->at[t] = i;
	return n;
}

/* Starts with that thread, then always runs the thread that gets furthest; one that can finish goes
 * first. */
static void run_all(struct reorder *ro, const struct vec_u32 *events, uint32_t threads,
	uint32_t start, struct vec_u32 *out)
{
	struct vec_u32 waits = {0}, at = {0};

	copy_events(&waits, &ro->waits);
	for (uint32_t t = 0; t < threads; t++)
		vec_push(&at, ro->turn_first.at[t]);
	vec_clear(out);
	run_thread(ro, events, start, &waits, &at, out);
	while (out->n < events->n) {
		uint32_t best = 0, most = 0;

		for (uint32_t t = 0; t < threads; t++) {
			uint32_t n = run_thread(ro, events, t, &waits, &at, NULL);
			bool all = n && at.at[t] + n == ro->turn_first.at[t + 1];

			if (n + (all ? events->n : 0) > most) {
				most = n + (all ? events->n : 0);
				best = t;
			}
		}
		BUG_ON(!most);
		run_thread(ro, events, best, &waits, &at, out);
	}
	vec_release(&waits);
	vec_release(&at);
}

static void fewer_switches(const struct shortening *s, const struct query *q, struct vec_u32 *events)
{
	struct reorder ro;
	struct vec_u32 other = {0}, best = {0};
	uint32_t least = count_switches(s->f->c, events);

	if (events->n > MAX_REORDERED || !least)
		return;
	reorder_init(&ro, s, q, events);
	vec_each (&s->f->c->threads, t) {
		uint32_t n;

		if (ro.turn_first.at[t] == ro.turn_first.at[t + 1])
			continue;
		run_all(&ro, events, s->f->c->threads.n, t, &other);
		n = count_switches(s->f->c, &other);
		if (n < least && is_witness(s, q, &other)) {
			least = n;
			copy_events(&best, &other);
		}
	}
	if (best.n)
		copy_events(events, &best);
	reorder_release(&ro);
	vec_release(&other);
	vec_release(&best);
}

/* -- the fewest switches, by queries -- */

enum { MAX_ASKED = 60, MAX_COUNTED = 8 };

/* Asks a small model for one switch fewer until the answer is no; each new witness is shortened
 * too. */
static void fewest_switches(struct model *m, const struct query *q, const struct vec_u32 *assume,
	struct vec_u32 *events)
{
	/* The model is small, so that the conflicts are the limit, which is the same on each machine. */
	struct solve_limits sl = {.seconds = 2, .conflicts = 2000};
	struct vec_u32 with = {0};
	struct shortening s = {m->f, m->mhb, m->sim, m->from};
	uint32_t least = MIN(count_switches(m->c, events), MAX_COUNTED + 1u);

	if (m->rep.n || m->x.n > MAX_ASKED || m->only == MODEL_Z3_ONLY)
		return;
	while (least > 0) {
		copy_events(&with, assume);
		m->segmented = true;
		model_bound_assume(m, MAX_COUNTED, least - 1, &with);
		if (model_check(m, &with, &sl) != SAT_SAT || !is_witness(&s, q, &m->linearization))
			break;
		copy_events(events, &m->linearization);
		shorten_threads(&s, q, events);
		least = count_switches(m->c, events);
	}
	m->segmented = false;
	vec_release(&with);
}

void shorten_witness(const struct shortening *s, const struct query *q, struct vec_u32 *events)
{
	uint32_t n = events->n, switches;

	shorten_threads(s, q, events);
	assert(events->n <= n);
	switches = count_switches(s->f->c, events);
	fewer_switches(s, q, events);
	assert(count_switches(s->f->c, events) <= switches);
	(void)n;
	(void)switches;
}

void minimize_witness(struct model *m, const struct query *q, const struct vec_u32 *assume,
	struct vec_u32 *events)
{
	shorten_witness(&(struct shortening){m->f, m->mhb, m->sim, m->from}, q, events);
	fewest_switches(m, q, assume, events);
}

/* -- the result -- */

/* Each thread executes its events in program order, from the first on that is not before `from`. */
__attribute__((unused)) static bool is_interleaving(
	const struct shortening *s, const struct vec_u32 *events)
{
	const struct ctp *c = s->f->c;
	struct vec_u32 next = {0};
	bool ok = true;

	vec_each (&c->threads, t)
		vec_push(&next, facts_first_event(s->f, t, s->from));
	vec_each (events, i)
		ok &= next.at[ctp_at(c, events->at[i])->thread]++ == events->at[i];
	vec_release(&next);
	return ok;
}

void assert_witness(const struct shortening *s, const struct query *q, const struct vec_u32 *events)
{
	uint32_t at;
	const char *why = sim_check(s->sim, s->from, events->at, events->n, q, &at);

	if (why)
		BUG("a witness cannot be executed: %s (%u of %u)", why, at, events->n);
}

void fill_witness(const struct shortening *s, enum model_kind kind, const struct vec_u32 *events,
	struct witness *w)
{
	const struct ctp *c = s->f->c;
	uint32_t at;

	assert(is_interleaving(s, events));
	for (uint32_t r = 0; r < s->from; r++)
		vec_push(&w->events, s->f->order.at[r]);
	vec_each (events, i)
		vec_push(&w->events, events->at[i]);
	w->switches = count_switches(c, &w->events);
	if (kind == MODEL_CONTROL)
		return;
	sim_check(s->sim, s->from, events->at, events->n, NULL, &at);
	vec_each (events, i) {
		const struct ctp_event *ev = ctp_at(c, events->at[i]);

		for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
			u128 v;

			if (sim_read(s->sim, k, &v))
				vec_push(&w->values, (struct witness_value){k, v});
		}
	}
}
