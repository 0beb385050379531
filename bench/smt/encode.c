#include "encode.h"

#include <stdlib.h>
#include <string.h>

static void clause(struct encoding *e, uint32_t n, lit_t a, lit_t b, lit_t c, lit_t d)
{
	lit_t l[4] = {a, b, c, d};

	for (uint32_t i = 0; i < n; i++)
		if (l[i] == LIT_TRUE)
			return;
	solve_clause(e->q, l, n);
}

/* region i before region j: its release before the other's acquisition; false says nothing */
static lit_t region_before(struct encoding *e, uint32_t i, uint32_t j)
{
	uint32_t rel = e->s->ev.at[i].match;
	uint64_t *at;
	lit_t l;

	if (shape_ordered(e->s, i, j))
		return LIT_TRUE;
	if (shape_ordered(e->s, j, i) || rel == NO_EVENT)
		return LIT_FALSE;
	at = map_put(&e->region, (uint64_t)i << 32 | j);
	if (*at)
		return (lit_t)*at;
	*at = l = solve_bool(e->q);
	solve_order_if(e->q, l, rel, j);
	return l;
}

lit_t encode_before(struct encoding *e, uint32_t a, uint32_t b)
{
	uint32_t ra, rb;

	if (shape_ordered(e->s, a, b))
		return LIT_TRUE;
	if (a == b || shape_ordered(e->s, b, a))
		return LIT_FALSE;
	if (shape_regions(e->s, a, b, &ra, &rb))
		return region_before(e, ra, rb);
	return solve_before(e->q, a, b);
}

/* -- the order of the threads, and locks -- */

static void encode_threads(struct encoding *e)
{
	struct shape *s = e->s;
	uint32_t *last = xcalloc(s->n_threads, sizeof *last),
		 *fork = xcalloc(s->n_threads, sizeof *fork);

	vec_each (&s->ev, i) {
		struct event *ev = &s->ev.at[i];
		uint32_t before = ev->prev != NO_EVENT ? ev->prev + 1 : fork[ev->thread];

		solve_node(e->q);
		vec_push(&e->x, solve_bool(e->q));
		if (before) {
			solve_edge(e->q, before - 1, i);
			solve_implies(e->q, e->x.at[i], e->x.at[before - 1]);
		}
		if (ev->kind == EV_JOIN && last[ev->obj]) {
			solve_edge(e->q, last[ev->obj] - 1, i);
			solve_implies(e->q, e->x.at[i], e->x.at[last[ev->obj] - 1]);
		}
		if (ev->kind == EV_FORK)
			fork[ev->obj] = i + 1;
		last[ev->thread] = i + 1;
	}
	free(last);
	free(fork);
}

static void encode_pair(struct encoding *e, uint32_t i, uint32_t j)
{
	lit_t ij = region_before(e, i, j), ji = region_before(e, j, i);
	lit_t ni = lit_not(e->x.at[i]), nj = lit_not(e->x.at[j]);

	if (ij == LIT_TRUE || ji == LIT_TRUE)
		return;
	clause(e, 4, ni, nj, ij, ji);
	if (ij != LIT_FALSE)
		clause(e, 4, ni, nj, lit_not(ij), e->x.at[e->s->ev.at[i].match]);
	if (ji != LIT_FALSE)
		clause(e, 4, ni, nj, lit_not(ji), e->x.at[e->s->ev.at[j].match]);
	if (ij != LIT_FALSE && ji != LIT_FALSE)
		clause(e, 2, lit_not(ij), lit_not(ji), 0, 0);
}

static void encode_locks(struct encoding *e)
{
	struct vec_u32 *acq = xcalloc(e->s->n_locks, sizeof *acq);

	vec_each (&e->s->ev, i)
		if (e->s->ev.at[i].kind == EV_ACQUIRE) {
			struct vec_u32 *v = &acq[e->s->ev.at[i].obj];

			vec_each (v, k)
				if (e->s->ev.at[v->at[k]].thread != e->s->ev.at[i].thread)
					encode_pair(e, v->at[k], i);
			vec_push(v, i);
		}
	for (uint32_t l = 0; l < e->s->n_locks; l++)
		vec_release(&acq[l]);
	free(acq);
}

/* -- reads -- */

static void need_reads_of(
	struct encoding *e, term_t t, const struct map *read_of, struct vec_u32 *todo)
{
	const struct term_syms *syms = term_syms(e->s->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		uint32_t r = (uint32_t)map_get_or(read_of, syms->at[i].id, NO_EVENT);

		if (r != NO_EVENT && !e->needed.at[r]) {
			e->needed.at[r] = 1;
			vec_push(todo, r);
		}
	}
}

/* only reads that flow into a condition need a value */
static void find_needed(struct encoding *e)
{
	struct shape *s = e->s;
	struct map read_of = {0};
	struct vec_u32 todo = {0};

	vec_resize(&e->needed, s->ev.n);
	vec_each (&s->ev, i)
		if (s->ev.at[i].kind == EV_READ)
			*map_put(&read_of, s->ev.at[i].term.id) = i;
	vec_each (&s->ev, i)
		if (s->ev.at[i].kind == EV_GUARD || s->ev.at[i].kind == EV_ASSERT)
			need_reads_of(e, s->ev.at[i].term, &read_of, &todo);
	while (todo.n) {
		struct vec_u32 *w = &e->writes[s->ev.at[vec_pop(&todo)].obj];

		vec_each (w, k)
			need_reads_of(e, s->ev.at[w->at[k]].term, &read_of, &todo);
	}
	map_release(&read_of);
	vec_release(&todo);
}

static bool overwritten_in_region(const struct encoding *e, uint32_t w, uint32_t acq)
{
	const struct vec_u32 *ws = &e->writes[e->s->ev.at[w].obj];
	uint32_t rel = e->s->ev.at[acq].match;

	vec_each (ws, k)
		if (ws->at[k] > w && ws->at[k] < rel &&
			e->s->ev.at[ws->at[k]].thread == e->s->ev.at[w].thread)
			return true;
	return false;
}

static bool may_take(const struct encoding *e, uint32_t r, uint32_t w, uint32_t own)
{
	const struct vec_u32 *ws = &e->writes[e->s->ev.at[r].obj];
	uint32_t rw, rr;

	if (shape_ordered(e->s, r, w) ||
		(w == own ? false : own != NO_EVENT && shape_ordered(e->s, w, own)))
		return false;
	if (shape_ordered(e->s, w, r))
		vec_each (ws, k)
			if (shape_ordered(e->s, w, ws->at[k]) && shape_ordered(e->s, ws->at[k], r))
				return false;
	if (shape_regions(e->s, w, r, &rw, &rr)) {
		if (overwritten_in_region(e, w, rw))
			return false;
		if (own != NO_EVENT && own > rr)
			return false;
	}
	return true;
}

static void encode_take(struct encoding *e, uint32_t r, uint32_t w)
{
	struct shape *s = e->s;
	const struct vec_u32 *ws = &e->writes[s->ev.at[r].obj];
	term_t value = w == NO_EVENT ? term_const(s->ts, VALUE_BITS, s->init.at[s->ev.at[r].obj])
				     : s->ev.at[w].term;
	lit_t l = solve_bool(e->q), no = lit_not(l);

	vec_push(&e->takes, (struct take){w, l});
	if (w != NO_EVENT) {
		clause(e, 2, no, e->x.at[w], 0, 0);
		clause(e, 2, no, encode_before(e, w, r), 0, 0);
	}
	solve_assert_if(e->q, l, term_eq(s->ts, s->ev.at[r].term, value));
	vec_each (ws, k) {
		uint32_t o = ws->at[k];

		if (o == w || shape_ordered(s, r, o) || (w != NO_EVENT && shape_ordered(s, o, w)))
			continue;
		clause(e, 4, no, lit_not(e->x.at[o]),
			w == NO_EVENT ? LIT_FALSE : encode_before(e, o, w), encode_before(e, r, o));
	}
}

static void encode_read(struct encoding *e, uint32_t r)
{
	struct shape *s = e->s;
	const struct vec_u32 *ws = &e->writes[s->ev.at[r].obj];
	uint32_t from = e->takes.n, own = NO_EVENT, observed = NO_EVENT;
	struct vec_u32 some = {0};
	bool first = true;

	vec_each (ws, k) {
		if (ws->at[k] < r) {
			observed = ws->at[k];
			if (s->ev.at[ws->at[k]].thread == s->ev.at[r].thread)
				own = ws->at[k];
		}
		first = first && !shape_ordered(s, ws->at[k], r);
	}
	vec_each (ws, k)
		if (may_take(e, r, ws->at[k], own))
			encode_take(e, r, ws->at[k]);
	if (first)
		encode_take(e, r, NO_EVENT);
	vec_push(&some, lit_not(e->x.at[r]));
	for (uint32_t i = from; i < e->takes.n; i++) {
		vec_push(&some, e->takes.at[i].lit);
		if (e->takes.at[i].write == observed)
			solve_phase(e->q, e->takes.at[i].lit);
		for (uint32_t k = from; k < i; k++)
			clause(e, 2, lit_not(e->takes.at[i].lit), lit_not(e->takes.at[k].lit), 0,
				0);
	}
	solve_clause(e->q, some.at, some.n);
	vec_release(&some);
}

static void encode_data(struct encoding *e)
{
	struct shape *s = e->s;

	e->writes = xcalloc(s->n_vars, sizeof *e->writes);
	vec_each (&s->ev, i)
		if (s->ev.at[i].kind == EV_WRITE)
			vec_push(&e->writes[s->ev.at[i].obj], i);
	find_needed(e);
	for (uint32_t i = 0; i < s->ev.n; i++) {
		struct event *ev = &s->ev.at[i];

		vec_push(&e->take_at, e->takes.n);
		if (ev->kind == EV_READ && e->needed.at[i])
			encode_read(e, i);
		if (ev->kind == EV_GUARD)
			solve_assert_if(e->q, e->x.at[i], ev->term);
		if (ev->kind == EV_ASSERT) {
			lit_t l = solve_bool(e->q);

			solve_implies(e->q, l, e->x.at[i]);
			solve_assert_if(e->q, l, term_not(s->ts, ev->term));
			vec_push(&e->asked, (struct asked){i, l});
		}
	}
	vec_push(&e->take_at, e->takes.n);
}

/* -- the judge: runs the candidate -- */

/* the reads that the value of a term comes from, as literals that cannot all be */
static void blame(struct encoding *e, term_t t, struct vec_u32 *out)
{
	struct vec_u32 todo = {0};
	struct map seen = {0};

	vec_push(&todo, t.id);
	while (todo.n) {
		const struct term_syms *syms = term_syms(e->s->ts, (term_t){vec_pop(&todo)});

		for (uint32_t i = 0; i < syms->n; i++) {
			uint32_t at = e->source.at[term_sym_number(e->s->ts, syms->at[i])];
			uint64_t *was = map_put(&seen, syms->at[i].id);

			if (*was)
				continue;
			*was = 1;
			BUG_ON(!at);
			vec_push(out, lit_not(e->takes.at[at - 1].lit));
			if (e->takes.at[at - 1].write != NO_EVENT)
				vec_push(&todo, e->s->ev.at[e->takes.at[at - 1].write].term.id);
		}
	}
	map_release(&seen);
	vec_release(&todo);
}

static bool refuse(struct encoding *e, uint32_t event, lit_t because, bool wanted)
{
	struct vec_u32 no = {0};

	if ((term_value(&e->values, e->s->ev.at[event].term) != 0) == wanted)
		return false;
	vec_push(&no, lit_not(because));
	blame(e, e->s->ev.at[event].term, &no);
	solve_refute(e->q, no.at, no.n);
	vec_release(&no);
	return true;
}

static int by_position(const void *a, const void *b, void *ctx)
{
	const struct encoding *e = ctx;
	uint32_t x = solve_position(e->q, *(const uint32_t *)a);
	uint32_t y = solve_position(e->q, *(const uint32_t *)b);

	return x < y ? -1 : x > y;
}

/* the value of each executed read that matters, in the order of the candidate */
static void simulate(struct encoding *e)
{
	struct shape *s = e->s;
	struct vec_u32 run = {0};

	vec_each (&s->ev, i)
		if (s->ev.at[i].kind == EV_READ && e->needed.at[i] && solve_true(e->q, e->x.at[i]))
			vec_push(&run, i);
	qsort_r(run.at, run.n, sizeof *run.at, by_position, e);
	term_assign_clear(&e->values);
	vec_clear(&e->source);
	vec_resize(&e->source, terms_n_syms(s->ts));
	vec_each (&run, k) {
		uint32_t r = run.at[k], i = e->take_at.at[r];
		uint32_t number = term_sym_number(s->ts, s->ev.at[r].term), w;

		while (!solve_true(e->q, e->takes.at[i].lit))
			i++;
		w = e->takes.at[i].write;
		e->source.at[number] = i + 1;
		term_assign_set(&e->values, s->ev.at[r].term,
			w == NO_EVENT ? s->init.at[s->ev.at[r].obj]
				      : term_value(&e->values, s->ev.at[w].term));
	}
	vec_release(&run);
}

static enum solve_verdict judge(void *ctx, struct solve *q)
{
	struct encoding *e = ctx;
	struct shape *s = e->s;

	e->judged++;
	simulate(e);
	vec_each (&s->ev, i)
		if (s->ev.at[i].kind == EV_GUARD && solve_true(q, e->x.at[i]) &&
			refuse(e, i, e->x.at[i], true))
			return SOLVE_REFUTE;
	vec_each (&e->asked, i)
		if (solve_true(q, e->asked.at[i].lit) &&
			refuse(e, e->asked.at[i].event, e->asked.at[i].lit, false))
			return SOLVE_REFUTE;
	return SOLVE_ACCEPT;
}

void encode(struct encoding *e, struct shape *s)
{
	*e = (struct encoding){.s = s, .q = solve_new(s->ts)};
	term_assign_init(&e->values, s->ts);
	encode_threads(e);
	encode_data(e);
	encode_locks(e);
	solve_set_refine(e->q, judge, e);
}

void encoding_release(struct encoding *e)
{
	solve_free(e->q);
	vec_release(&e->x);
	for (uint32_t i = 0; i < e->s->n_vars; i++)
		vec_release(&e->writes[i]);
	free(e->writes);
	vec_release(&e->needed);
	vec_release(&e->takes);
	vec_release(&e->take_at);
	map_release(&e->region);
	vec_release(&e->asked);
	term_assign_release(&e->values);
	vec_release(&e->source);
}
