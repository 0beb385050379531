/*
 * Spans that exclude each other without a lock (model_facts_sections.c): flags and semaphores. Each way of
 * taking decides what it is for; with one of its conditions broken the linearization is found that
 * it would have denied. Then random mixtures of all the ways against the slow twin.
 */
#include "base/base.h"
#include "base/vec.h"
#include "model/model_internal.h"
#include "trace/check.h"
#include "ctp_brute.h"
#include "ctp_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { X, Y, LOCK_A = 0x100, LOCK_B = 0x200, SEM = 0x300 };

enum how {
	LOCKED,       /* lock; r = x; guard r == 0; x = 1; unlock … x = 0 */
	SWAPPED,      /* in one event: if x == 0 then x = 1; guard … x = 0 */
	EXCHANGED,    /* in one event: r = x, x = 1; guard r == 0 … x = 0 */
	SEMAPHORE,    /* sem_wait … sem_post */
	NO_GUARD,     /* lock; r = x; x = 1; unlock */
	WEAK_GUARD,   /* lock; r = x; guard r != 5; x = 1; unlock */
	OTHER_LOCK,   /* as LOCKED, with another lock */
	NO_LOCK,      /* r = x; guard r == 0; x = 1 */
	TWO_REGIONS,  /* lock; r = x; guard r == 0; unlock; lock; x = 1; unlock */
	STALE_READ,   /* lock; r = x; unlock; lock; guard r == 0; x = 1; unlock */
	GUARD_LATER,  /* lock; r = x; x = 1; unlock; guard r == 0 */
	EXCHANGED_BARE, /* in one event: r = x, x = 1 */
	POST_ONLY,    /* sem_post */
	PUT_ONLY,     /* x = 0 */
	PUT_OTHER,    /* x = 2 */
	HOWS
};

struct making {
	struct ctp *c;
	uint32_t thread;
	uint8_t now[2]; /* cells */
	int64_t sem;
	term_t read;
};

static struct ctp_event *event(struct making *b, enum ctp_kind k)
{
	struct ctp *c = b->c;

	vec_push(&c->events, (struct ctp_event){.kind = k, .thread = b->thread, .link.none = CTP_NONE,
		.region = CTP_NONE, .block = CTP_NONE, .rank = c->order.n, .first = c->accesses.n});
	vec_push(&c->order, c->events.n - 1);
	c->threads.at[b->thread].n++;
	return &vec_last(&c->events);
}

static void thread(struct making *b)
{
	vec_push(&b->c->threads, (struct ctp_thread){.id = b->c->threads.n, .parent = CTP_NONE,
		.first = b->c->events.n, .create = CTP_NONE, .begin = CTP_NONE, .end = CTP_NONE});
	b->thread = b->c->threads.n - 1;
}

static void lock(struct making *b, uint64_t object)
{
	event(b, CTP_LOCK)->object = object;
	vec_last(&b->c->events).region = b->c->regions.n;
	vec_push(&b->c->regions, (struct ctp_region){.object = object, .thread = b->thread,
		.begin = b->c->events.n - 1, .end = CTP_NONE});
}

static void unlock(struct making *b)
{
	event(b, CTP_UNLOCK)->object = vec_last(&b->c->regions).object;
	vec_last(&b->c->events).region = b->c->regions.n - 1;
	vec_last(&b->c->regions).end = b->c->events.n - 1;
}

static void read_cell(struct making *b, uint32_t cell)
{
	event(b, CTP_READ)->n = 1;
	b->read = term_fresh(b->c->ts, "r", 8);
	vec_push(&b->c->accesses,
		(struct ctp_access){.cell = cell, .sym = b->read, .seen = b->now[cell]});
}

static void write_cell(struct making *b, uint32_t cell, uint8_t value)
{
	event(b, CTP_WRITE)->n = 1;
	b->now[cell] = value;
	vec_push(&b->c->accesses, (struct ctp_access){.cell = cell, .put = value,
		.value = term_const(b->c->ts, 8, value)});
}

static term_t was(struct making *b, uint8_t value)
{
	return term_eq(b->c->ts, b->read, term_const(b->c->ts, 8, value));
}

static void take_in_one(struct making *b, bool swap)
{
	struct ctp_access a = {.cell = X, .seen = b->now[X]};
	term_t one = term_const(b->c->ts, 8, 1);

	event(b, CTP_RMW)->n = 1;
	a.sym = b->read = term_fresh(b->c->ts, "r", 8);
	a.value = swap ? term_ite(b->c->ts, was(b, 0), one, a.sym) : one;
	if (!swap || !b->now[X])
		b->now[X] = 1;
	a.put = b->now[X];
	vec_push(&b->c->accesses, a);
}

/* as it went: true if the way is free */
static bool guard(struct making *b)
{
	bool is_free = !vec_last(&b->c->accesses).seen;

	event(b, CTP_BRANCH)->cond = is_free ? was(b, 0) : term_not(b->c->ts, was(b, 0));
	return is_free;
}

static bool take_locked(struct making *b, enum how how)
{
	bool got = true, free_before = !b->now[X];

	if (how != NO_LOCK)
		lock(b, how == OTHER_LOCK ? LOCK_B : LOCK_A);
	read_cell(b, X);
	if (how == STALE_READ) {
		unlock(b);
		lock(b, LOCK_A);
	}
	if (how == WEAK_GUARD)
		event(b, CTP_BRANCH)->cond = term_not(b->c->ts, was(b, 5));
	else if (how != NO_GUARD && how != GUARD_LATER)
		got = guard(b);
	if (how == TWO_REGIONS) {
		unlock(b);
		lock(b, LOCK_A);
	}
	if (got)
		write_cell(b, X, 1);
	if (how != NO_LOCK)
		unlock(b);
	if (how == GUARD_LATER)
		event(b, CTP_BRANCH)->cond =
			free_before ? was(b, 0) : term_not(b->c->ts, was(b, 0));
	return got;
}

static bool take_semaphore(struct making *b)
{
	event(b, b->sem ? CTP_SEM_WAIT : CTP_SEM_FAIL)->object = SEM;
	return b->sem && b->sem--;
}

/* true: the thread goes on with what it has taken */
static bool take(struct making *b, enum how how)
{
	switch (how) {
	case SWAPPED:
	case EXCHANGED: take_in_one(b, how == SWAPPED); return guard(b);
	case EXCHANGED_BARE: take_in_one(b, false); return true;
	case SEMAPHORE: return take_semaphore(b);
	case POST_ONLY:
	case PUT_ONLY:
	case PUT_OTHER:
	case HOWS: return true;
	default: return take_locked(b, how);
	}
}

static void put(struct making *b, enum how how)
{
	if (how == SEMAPHORE || how == POST_ONLY) {
		event(b, CTP_SEM_POST)->object = SEM;
		b->sem++;
	} else {
		write_cell(b, X, how == PUT_OTHER ? 2 : 0);
	}
}

static void making_init(struct making *b, int64_t sem)
{
	*b = (struct making){.c = xcalloc(1, sizeof(struct ctp)), .sem = sem};
	b->c->ts = terms_new();
	b->c->order_exact = true;
	vec_push(&b->c->cells, (struct ctp_cell){.size = 1, .known = true});
	vec_push(&b->c->cells, (struct ctp_cell){.size = 1, .known = true});
	vec_push(&b->c->objects,
		(struct ctp_object){.addr = SEM, .kind = CHECK_SEM, .initial = sem});
}

/* two threads that update y while they have it */
struct pair {
	struct making b;
	uint32_t take[2], read[2], write[2]; /* events */
};

static void pair_init(struct pair *p, enum how one, enum how two, int64_t sem)
{
	const enum how how[] = {one, two};

	making_init(&p->b, sem);
	for (uint32_t i = 0; i < 2; i++) {
		thread(&p->b);
		p->take[i] = p->b.c->events.n;
		take(&p->b, how[i]);
		p->read[i] = p->b.c->events.n;
		read_cell(&p->b, Y);
		p->write[i] = p->b.c->events.n;
		write_cell(&p->b, Y, (uint8_t)(i + 1));
		put(&p->b, how[i]);
	}
}

static enum model_answer ask(
	const struct ctp *c, enum model_kind kind, const struct query *q, bool *statically)
{
	struct model *m = model_alone(c, kind, 0, UINT32_MAX);
	struct model_limits lim = {.switches = -1};
	struct model_result res;
	enum model_answer answer;

	model_ask(m, q, &lim, &res);
	answer = res.answer;
	*statically = static_refutes(m->f, m->mhb, q);
	model_result_release(&res);
	model_alone_free(m);
	return answer;
}

/* can one come between the other's read and write? */
static enum model_answer between(
	const struct pair *p, enum model_kind kind, uint32_t i, bool *statically)
{
	struct query q = {0};
	enum model_answer a;

	query_before(&q, p->read[i], p->write[1 - i]);
	query_before(&q, p->write[1 - i], p->write[i]);
	a = ask(p->b.c, kind, &q, statically);
	query_release(&q);
	return a;
}

static void exclude(void **state)
{
	static const struct {
		enum how one, two;
		int64_t sem;
		bool excluded;
	} cases[] = {{LOCKED, LOCKED, 0, true}, {SWAPPED, SWAPPED, 0, true},
		{EXCHANGED, EXCHANGED, 0, true}, {SWAPPED, EXCHANGED, 0, true},
		{SEMAPHORE, SEMAPHORE, 1, true}, {SEMAPHORE, SEMAPHORE, 2, false},
		{SEMAPHORE, POST_ONLY, 1, false}, {LOCKED, SWAPPED, 0, false},
		{LOCKED, NO_GUARD, 0, false}, {LOCKED, WEAK_GUARD, 0, false},
		{LOCKED, OTHER_LOCK, 0, false}, {LOCKED, NO_LOCK, 0, false},
		{LOCKED, TWO_REGIONS, 0, false}, {LOCKED, STALE_READ, 0, false},
		{EXCHANGED, EXCHANGED_BARE, 0, false},
		{LOCKED, PUT_ONLY, 0, false}, {SWAPPED, PUT_ONLY, 0, false},
		{LOCKED, PUT_OTHER, 0, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool statically[2];
		enum model_answer a, b;
		struct pair p;

		pair_init(&p, cases[i].one, cases[i].two, cases[i].sem);
		a = between(&p, MODEL_CTP, 0, &statically[0]);
		b = between(&p, MODEL_CTP, 1, &statically[1]);
		assert_int_equal(a == ANSWER_NO && b == ANSWER_NO, cases[i].excluded);
		assert_true(a != ANSWER_UNKNOWN && b != ANSWER_UNKNOWN);
		assert_int_equal(statically[0] && statically[1], cases[i].excluded);
		/* without values a flag keeps nobody out, a semaphore does */
		a = between(&p, MODEL_CONTROL, 0, &statically[0]);
		assert_int_equal(a, cases[i].excluded && cases[i].one == SEMAPHORE ? ANSWER_NO
										   : ANSWER_YES);
		ctp_random_free(p.b.c);
	}
}

/* somebody who has not put it back yet keeps others out for good; before the guard nobody has it */
static void open_spans(void **state)
{
	struct query q = {0};
	struct pair p;
	bool statically;

	(void)state;
	pair_init(&p, EXCHANGED, EXCHANGED, 0);
	query_run(&q, p.take[0]);
	query_run(&q, p.take[1]);
	query_at(&q, p.take[0] + 1);
	query_at(&q, p.take[1] + 1);
	assert_int_equal(ask(p.b.c, MODEL_CTP, &q, &statically), ANSWER_YES);
	query_clear(&q);
	query_at(&q, p.read[0]);
	query_at(&q, p.read[1]);
	assert_int_equal(ask(p.b.c, MODEL_CTP, &q, &statically), ANSWER_NO);
	assert_true(statically);
	/* the second thread never puts it back: it is the last */
	p.b.c->events.n--;
	p.b.c->order.n--;
	p.b.c->accesses.n--;
	p.b.c->threads.at[1].n--;
	query_clear(&q);
	query_before(&q, p.read[1], p.read[0]);
	assert_int_equal(ask(p.b.c, MODEL_CTP, &q, &statically), ANSWER_NO);
	assert_true(statically);
	query_clear(&q);
	query_before(&q, p.read[0], p.read[1]);
	assert_int_equal(ask(p.b.c, MODEL_CTP, &q, &statically), ANSWER_YES);
	query_release(&q);
	ctp_random_free(p.b.c);
}

/* -- random mixtures -- */

static void random_thread(struct rng *r, struct making *b, enum how usual)
{
	enum how how = rng_chance(r, 80) ? usual : rng_below(r, HOWS);

	thread(b);
	if (!take(b, how))
		return;
	if (rng_chance(r, 50))
		read_cell(b, Y);
	if (rng_chance(r, 70))
		write_cell(b, Y, (uint8_t)(b->thread + 1));
	if (rng_chance(r, 85))
		put(b, how);
	if (rng_chance(r, 20)) /* again, or in vain */
		take(b, how);
}

static void compare(struct ctp *c, struct rng *r, enum model_kind kind, uint64_t *yes, uint64_t *no)
{
	enum { QUERIES = 6 };
	struct query q[QUERIES] = {0};
	int32_t least[QUERIES];
	uint32_t from = rng_chance(r, 60) ? 0 : rng_below(r, c->events.n);
	struct model *m = model_alone(c, kind, from, UINT32_MAX);
	struct model_limits lim = {.switches = -1};

	for (uint32_t i = 0; i < QUERIES; i++)
		ctp_random_query(r, c, &q[i]);
	ctp_brute(c, kind, from, UINT32_MAX, q, QUERIES, least);
	for (uint32_t i = 0; i < QUERIES; i++) {
		struct model_result res;
		bool possible = least[i] >= 0;

		model_ask(m, &q[i], &lim, &res);
		if (least[i] != BRUTE_TOO_MANY &&
			(res.answer != (possible ? ANSWER_YES : ANSWER_NO) ||
				(possible && static_refutes(m->f, m->mhb, &q[i])))) {
			ctp_random_print(c, &q[i]);
			fail_msg("from %u: twin %d, model %d", from, least[i], res.answer);
		}
		*yes += possible && m->f->derived.n;
		*no += !possible && m->f->derived.n;
		model_result_release(&res);
		query_release(&q[i]);
	}
	model_alone_free(m);
}

static void twin(void **state)
{
	static const enum model_kind kinds[] = {
		MODEL_MCM, MODEL_CONTROL, MODEL_CTP, MODEL_CTP, MODEL_CTP, MODEL_CTP, MODEL_CTP};
	uint64_t yes = 0, no = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct rng r = rng_seed(seed);
		enum how usual = rng_below(&r, rng_chance(&r, 80) ? SEMAPHORE + 1 : HOWS);
		uint32_t threads = 2 + rng_below(&r, 2);
		struct making b;

		making_init(&b, rng_chance(&r, 80) ? 1 : 2);
		for (uint32_t i = 0; i < threads && b.c->events.n < 14; i++)
			random_thread(&r, &b, usual);
		if (b.c->events.n)
			compare(b.c, &r, kinds[seed % ARRAY_SIZE(kinds)], &yes, &no);
		ctp_random_free(b.c);
	}
	assert_true(yes > 500 && no > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exclude),
		cmocka_unit_test(open_spans),
		cmocka_unit_test(twin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
