/*
 * Windows on longer programs: the asker against the model of the whole trace, and its speed on a
 * trace of the size that it is made for.
 */
#include "base/base.h"
#include "base/vec.h"
#include "model/model_internal.h"
#include "ctp_random.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- a program with many threads: counters under locks, some of them forgotten -- */

enum { SOME_QUERIES = 150, LONG_THREADS = 8, LONG_CELLS = 200, LONG_LOCKS = 20 };

struct longer {
	struct ctp *c;
	VEC(struct ctp_event) ev[LONG_THREADS];
	VEC(struct ctp_access) acc[LONG_THREADS];
	struct vec_u32 order; /* threads */
	u128 cell[LONG_CELLS];
	struct term_assign as;
	uint32_t cells, forgotten; /* how many are used; per cent of updates without the lock */
};

static struct ctp_event *put(struct longer *l, uint32_t t, enum ctp_kind k)
{
	vec_push(&l->ev[t], (struct ctp_event){.kind = k, .thread = t, .link.none = CTP_NONE,
		.region = CTP_NONE, .block = CTP_NONE, .func = UINT32_MAX, .insn = UINT32_MAX});
	vec_push(&l->order, t);
	return &vec_last(&l->ev[t]);
}

static void put_access(struct longer *l, uint32_t t, enum ctp_kind k, uint32_t cell, term_t value,
	term_t *sym)
{
	struct ctp_event *e = put(l, t, k);
	struct ctp_access a = {.cell = cell};

	e->first = l->acc[t].n;
	e->n = 1;
	if (k == CTP_READ) {
		a.sym = *sym = term_fresh(l->c->ts, "r", 32);
		a.seen = l->cell[cell];
		term_assign_set(&l->as, a.sym, a.seen);
	} else {
		a.value = value;
		a.put = l->cell[cell] = term_value(&l->as, value);
	}
	vec_push(&l->acc[t], a);
}

/* lock, read, guard, write, unlock; sometimes without the lock */
static void update(struct longer *l, struct rng *r, uint32_t t)
{
	uint32_t cell = rng_below(r, l->cells), lock = cell % LONG_LOCKS;
	bool locked = !rng_chance(r, l->forgotten);
	term_t sym = TERM_NONE;

	if (locked) {
		vec_push(&l->c->regions, (struct ctp_region){.object = 1 + lock, .thread = t});
		put(l, t, CTP_LOCK)->object = 1 + lock;
		vec_last(&l->ev[t]).region = l->c->regions.n - 1;
		l->c->regions.at[l->c->regions.n - 1].begin = l->ev[t].n - 1;
	}
	put_access(l, t, CTP_READ, cell, TERM_NONE, &sym);
	if (rng_chance(r, 30))
		put(l, t, CTP_BRANCH)->cond =
			term_ult(l->c->ts, sym, term_const(l->c->ts, 32, l->cell[cell] + 1 + rng_below(r, 3)));
	put_access(l, t, CTP_WRITE, cell,
		rng_chance(r, 80) ? term_add(l->c->ts, sym, term_const(l->c->ts, 32, 1))
				  : term_const(l->c->ts, 32, 7),
		NULL);
	if (locked) {
		put(l, t, CTP_UNLOCK)->object = 1 + lock;
		vec_last(&l->ev[t]).region = l->c->regions.n - 1;
		l->c->regions.at[l->c->regions.n - 1].end = l->ev[t].n - 1;
	}
}

static struct ctp *longer_new(
	struct rng *r, uint32_t updates, uint32_t cells, uint32_t forgotten)
{
	struct longer l = {
		.c = xcalloc(1, sizeof(struct ctp)), .cells = cells, .forgotten = forgotten};
	struct ctp *c = l.c;
	uint32_t at[LONG_THREADS] = {0};

	c->ts = terms_new();
	c->order_exact = true;
	term_assign_init(&l.as, c->ts);
	for (uint32_t i = 0; i < LONG_CELLS; i++)
		vec_push(&c->cells, (struct ctp_cell){.addr = i, .size = 4, .known = true});
	for (uint32_t i = 0; i < updates; i++)
		update(&l, r, rng_below(r, LONG_THREADS));
	for (uint32_t t = 0; t < LONG_THREADS; t++) {
		uint32_t first = c->events.n, acc = c->accesses.n;

		vec_push(&c->threads, (struct ctp_thread){.id = t, .parent = CTP_NONE, .first = first,
			.n = l.ev[t].n, .create = CTP_NONE, .begin = CTP_NONE, .end = CTP_NONE});
		at[t] = first;
		vec_each (&l.ev[t], i) {
			vec_push(&c->events, l.ev[t].at[i]);
			vec_last(&c->events).first += acc;
		}
		vec_each (&l.acc[t], i)
			vec_push(&c->accesses, l.acc[t].at[i]);
		vec_each (&c->regions, i)
			if (c->regions.at[i].thread == t) {
				c->regions.at[i].begin += first;
				c->regions.at[i].end += first;
			}
		vec_release(&l.ev[t]);
		vec_release(&l.acc[t]);
	}
	vec_each (&l.order, i) {
		uint32_t e = at[l.order.at[i]]++;

		c->events.at[e].rank = i;
		vec_push(&c->order, e);
	}
	vec_release(&l.order);
	term_assign_release(&l.as);
	return c;
}

/* an access of another thread to a cell that e writes or reads, near e in the observed order */
static uint32_t near(const struct ctp *c, struct rng *r, uint32_t e, uint32_t reach)
{
	for (int i = 0; i < 400; i++) {
		uint32_t rank = ctp_at(c, e)->rank + rng_below(r, reach);
		uint32_t o;

		if (rank >= c->order.n)
			continue;
		o = c->order.at[rank];
		if (ctp_at(c, o)->n && ctp_at(c, o)->thread != ctp_at(c, e)->thread &&
			c->accesses.at[ctp_at(c, o)->first].cell ==
				c->accesses.at[ctp_at(c, e)->first].cell)
			return o;
	}
	return CTP_NONE;
}

/* the read and the write of an update, and an access of another thread between; or a race */
static bool make_query(const struct ctp *c, struct rng *r, uint32_t reach, struct query *q)
{
	uint32_t e = rng_below(r, c->events.n), w, o;

	query_clear(q);
	if (ctp_at(c, e)->kind != CTP_READ)
		return false;
	w = ctp_at(c, e + 1)->kind == CTP_WRITE ? e + 1 : e + 2;
	o = near(c, r, e, reach);
	if (o == CTP_NONE)
		return false;
	if (rng_chance(r, 30)) {
		query_at(q, w);
		query_at(q, o);
	} else {
		query_before(q, e, o);
		query_before(q, o, w);
		query_run(q, w);
	}
	return true;
}

static void asker_is_whole(void **state)
{
	struct rng r = rng_seed(11);
	struct model_limits lim = {.switches = -1, .seconds = 1}; /* few need more; those say nothing */
	uint32_t yes = 0, no = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct ctp *c = longer_new(&r, 120, 10, 30);
		struct asker *a = asker_new(c, MODEL_CTP, &lim, 0);
		struct model *m = model_alone(c, MODEL_CTP, 0, UINT32_MAX);
		struct query q = {0};

		for (int k = 0; k < 30; k++) {
			struct model_result small, whole;

			if (!make_query(c, &r, 300, &q))
				continue;
			asker_ask(a, &q, &small);
			model_ask(m, &q, &lim, &whole);
			if (whole.answer != ANSWER_UNKNOWN && small.answer != ANSWER_UNKNOWN &&
				!small.bounded)
				assert_int_equal(small.answer, whole.answer);
			yes += small.answer == ANSWER_YES;
			no += small.answer == ANSWER_NO;
			model_result_release(&small);
			model_result_release(&whole);
		}
		query_release(&q);
		model_alone_free(m);
		asker_free(a);
		ctp_random_free(c);
	}
	assert_true(yes > 10 && no > 10);
}

/* 4,000 queries on 100,000 accesses: 5 seconds were promised, on a machine that does nothing else */
static void speed(void **state)
{
	const char *size = getenv("MODEL_ACCESSES");
	uint32_t accesses = size ? (uint32_t)strtoul(size, NULL, 10) : 20000, asked = 0;
	struct rng r = rng_seed(5);
	struct ctp *c = longer_new(&r, accesses / 2, LONG_CELLS, 3);
	struct model_limits lim = {.switches = -1};
	double start = now(), built;
	struct asker *a = asker_new(c, MODEL_CTP, &lim, 2000);
	const struct asker_stats *st = asker_stats(a);
	struct query q = {0};

	(void)state;
	built = now();
	while (asked < accesses / 25) {
		struct model_result res;

		if (!make_query(c, &r, 1000, &q))
			continue;
		asked++;
		asker_ask(a, &q, &res);
		model_result_release(&res);
	}
	print_message("# %u queries on %u events: facts %.3f s, queries %.3f s; yes %lu, no %lu "
		      "(bounded %lu), unknown %lu\n",
		asked, c->events.n, built - start, now() - built, st->yes, st->no, st->bounded,
		st->unknown);
	assert_int_equal(st->unknown, 0);
	assert_true(now() - start < 60);
	query_release(&q);
	asker_free(a);
	ctp_random_free(c);
}

/* how an asker with so much memory answers the same queries; how many it does not know for want of it */
static uint32_t ask_with(struct mhb *mhb, const struct ctp *c, uint64_t bytes, enum model_answer *out,
	uint64_t *dropped)
{
	struct model_limits lim = {.switches = -1, .memory = bytes};
	struct asker *a = asker_on(mhb, MODEL_CTP, &lim, 0);
	struct rng r = rng_seed(7);
	struct query q = {0};
	uint32_t full = 0;

	for (uint32_t asked = 0; asked < SOME_QUERIES;) {
		struct model_result res;

		if (!make_query(c, &r, 1000, &q))
			continue;
		asker_ask(a, &q, &res);
		out[asked++] = res.answer;
		full += res.answer == ANSWER_UNKNOWN && strstr(res.why, "memory");
		model_result_release(&res);
	}
	*dropped = asker_stats(a)->dropped;
	query_release(&q);
	asker_free(a);
	malloc_trim(0);
	return full;
}

/* with less memory models are dropped and made again, with none there is no answer, never a wrong one */
static void memory(void **state)
{
	struct rng r = rng_seed(6);
	struct ctp *c = longer_new(&r, 4000, LONG_CELLS, 10);
	struct mhb *mhb = mhb_new(c);
	enum model_answer all[SOME_QUERIES], some[SOME_QUERIES], none[SOME_QUERIES];
	uint32_t full;
	uint64_t dropped;

	(void)state;
	assert_int_equal(ask_with(mhb, c, 0, all, &dropped), 0);
	assert_int_equal(dropped, 0);
	full = ask_with(mhb, c, asker_memory() + (4 << 20), some, &dropped);
	assert_true(dropped > 0 && full < SOME_QUERIES / 4);
	assert_true(ask_with(mhb, c, 1, none, &dropped) > 0);
	for (uint32_t i = 0; i < SOME_QUERIES; i++) {
		assert_true(some[i] == all[i] || some[i] == ANSWER_UNKNOWN);
		assert_true(none[i] == all[i] || none[i] == ANSWER_UNKNOWN);
	}
	mhb_free(mhb);
	ctp_random_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asker_is_whole),
		cmocka_unit_test(speed),
		cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
