/*
 * Each lemma decides what it is for, and stays silent when one of its side conditions is broken: the
 * solver then finds the linearization that the lemma would have denied.
 */
#include "base/base.h"
#include "base/vec.h"
#include "model/model_internal.h"
#include "ctp_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WORKERS = 3, LOCK_A = 0x100, LOCK_B = 0x200 };

enum how {
	LOCKED,       /* lock; r = x; x = r + 1; unlock */
	ATOMIC,       /* x += 1 in one event */
	BARE,         /* r = x; x = r + 1 */
	TWO_LOCKS,    /* the last worker uses another lock */
	TWO_REGIONS,  /* the read in one region, the write in another */
	SHARED,       /* regions of readers exclude nobody */
	STALE,        /* lock; r = x++; x = r + 1; unlock: the second write loses the first */
	MIXED,        /* the last worker does it in one event, without the lock */
};

struct building {
	struct ctp *c;
	uint32_t thread;
	u128 x;
	term_t read;
};

static struct ctp_event *event(struct building *b, enum ctp_kind k)
{
	struct ctp *c = b->c;

	vec_push(&c->events, (struct ctp_event){.kind = k, .thread = b->thread, .link.none = CTP_NONE,
		.region = CTP_NONE, .block = CTP_NONE, .rank = c->events.n, .first = c->accesses.n});
	vec_push(&c->order, c->events.n - 1);
	c->threads.at[b->thread].n++;
	return &vec_last(&c->events);
}

static void thread(struct building *b)
{
	vec_push(&b->c->threads, (struct ctp_thread){.id = b->c->threads.n, .parent = CTP_NONE,
		.first = b->c->events.n, .create = CTP_NONE, .begin = CTP_NONE, .end = CTP_NONE});
	b->thread = b->c->threads.n - 1;
}

static void lock(struct building *b, uint64_t object, bool shared)
{
	struct ctp *c = b->c;

	event(b, shared ? CTP_RDLOCK : CTP_LOCK)->object = object;
	vec_last(&c->events).region = c->regions.n;
	vec_push(&c->regions, (struct ctp_region){.object = object, .thread = b->thread,
		.begin = c->events.n - 1, .end = CTP_NONE, .shared = shared});
}

static void unlock(struct building *b)
{
	struct ctp *c = b->c;
	struct ctp_region *r = &vec_last(&c->regions);

	event(b, r->shared ? CTP_RDUNLOCK : CTP_UNLOCK)->object = r->object;
	vec_last(&c->events).region = c->regions.n - 1;
	r->end = c->events.n - 1;
}

static void access(struct building *b, enum ctp_kind k, term_t value)
{
	struct ctp *c = b->c;
	struct ctp_access a = {0};

	event(b, k)->n = 1;
	if (k != CTP_WRITE) {
		a.sym = b->read = term_fresh(c->ts, "x", 32);
		a.seen = b->x;
	}
	if (k == CTP_RMW)
		value = term_add(c->ts, b->read, term_const(c->ts, 32, 1));
	a.value = value;
	if (value.id)
		a.put = ++b->x;
	vec_push(&c->accesses, a);
}

static void add_one(struct building *b, enum how how, bool last)
{
	bool locks = how != ATOMIC && how != BARE && !(how == MIXED && last);

	if (locks)
		lock(b, how == TWO_LOCKS && last ? LOCK_B : LOCK_A, how == SHARED);
	if (how == ATOMIC || (how == MIXED && last)) {
		access(b, CTP_RMW, TERM_NONE);
	} else {
		access(b, how == STALE ? CTP_RMW : CTP_READ, TERM_NONE);
		if (how == TWO_REGIONS) {
			unlock(b);
			lock(b, LOCK_A, false);
		}
		access(b, CTP_WRITE, term_add(b->c->ts, b->read, term_const(b->c->ts, 32, 1)));
	}
	if (locks)
		unlock(b);
}

/* workers that add one each; thread 0 joins all but `unjoined` of them, then reads */
static struct ctp *counter(enum how how, uint32_t unjoined)
{
	struct building b = {.c = xcalloc(1, sizeof(struct ctp))};

	b.c->ts = terms_new();
	b.c->order_exact = true;
	vec_push(&b.c->cells, (struct ctp_cell){.size = 4, .known = true});
	for (uint32_t i = 0; i < WORKERS; i++) {
		thread(&b);
		add_one(&b, how, i + 1 == WORKERS);
		event(&b, CTP_END);
		b.c->threads.at[i].end = b.c->events.n - 1;
	}
	thread(&b);
	for (uint32_t i = unjoined; i < WORKERS; i++)
		event(&b, CTP_JOIN)->link.peer = i;
	access(&b, CTP_READ, TERM_NONE);
	return b.c;
}

/* can the last read be another than `value`? */
static enum model_answer differs(const struct ctp *c, u128 value, const char **stage)
{
	struct model *m = model_alone(c, MODEL_CTP, 0, UINT32_MAX);
	struct model_limits lim = {.switches = -1};
	struct model_result res;
	struct query q = {0};
	enum model_answer answer;

	query_run(&q, c->events.n - 1);
	query_holds(&q, term_ne(c->ts, vec_last(&c->accesses).sym, term_const(c->ts, 32, value)));
	model_ask(m, &q, &lim, &res);
	answer = res.answer;
	*stage = res.stage;
	model_result_release(&res);
	query_release(&q);
	model_alone_free(m);
	return answer;
}

static void telescoping(void **state)
{
	static const struct {
		enum how how;
		uint32_t unjoined;
		bool holds;
	} cases[] = {{LOCKED, 0, true}, {ATOMIC, 0, true}, {BARE, 0, false}, {TWO_LOCKS, 0, false},
		{TWO_REGIONS, 0, false}, {SHARED, 0, false}, {MIXED, 0, false}, {LOCKED, 1, false},
		{ATOMIC, 2, false}, {STALE, 0, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ctp *c = counter(cases[i].how, cases[i].unjoined);
		const char *stage;
		enum model_answer a =
			differs(c, cases[i].how == STALE ? 2 * WORKERS : WORKERS, &stage);

		assert_int_equal(a, cases[i].holds ? ANSWER_NO : ANSWER_YES);
		if (cases[i].holds)
			assert_string_equal(stage, "lemma");
		ctp_random_free(c);
	}
}

static enum model_answer above(const struct ctp *c, u128 value, const char **stage)
{
	struct model *m = model_alone(c, MODEL_CTP, 0, UINT32_MAX);
	struct model_limits lim = {.switches = -1};
	struct model_result res;
	struct query q = {0};
	enum model_answer answer;

	query_holds(&q, term_ult(c->ts, term_const(c->ts, 32, value), vec_last(&c->accesses).sym));
	model_ask(m, &q, &lim, &res);
	answer = res.answer;
	*stage = res.stage;
	model_result_release(&res);
	query_release(&q);
	model_alone_free(m);
	return answer;
}

/* updates that overlap lose some, but never make more than all of them together */
static void ranges(void **state)
{
	struct ctp *c = counter(BARE, WORKERS);
	const char *stage;

	(void)state;
	assert_int_equal(above(c, WORKERS, &stage), ANSWER_NO);
	assert_string_equal(stage, "lemma");
	assert_int_equal(above(c, WORKERS - 1, &stage), ANSWER_YES);
	ctp_random_free(c);
	/* a write that is no update breaks the rule */
	c = counter(BARE, WORKERS);
	c->accesses.at[1].value = term_mul(c->ts, c->accesses.at[0].sym, term_const(c->ts, 32, 2));
	c->accesses.at[1].value = term_add(c->ts, c->accesses.at[1].value, term_const(c->ts, 32, 1));
	assert_int_equal(above(c, WORKERS, &stage), ANSWER_YES);
	ctp_random_free(c);
}

/* constants only: their hull, without those that come behind the read */
static void hulls(void **state)
{
	struct ctp *c = counter(BARE, WORKERS);
	const char *stage;

	(void)state;
	for (uint32_t i = 0; i < WORKERS; i++)
		c->accesses.at[2 * i + 1].value = term_const(c->ts, 32, i + 5);
	assert_int_equal(above(c, WORKERS + 4, &stage), ANSWER_NO);
	assert_string_equal(stage, "lemma");
	assert_int_equal(above(c, WORKERS + 3, &stage), ANSWER_YES);
	assert_int_equal(differs(c, 5, &stage), ANSWER_YES);
	ctp_random_free(c);
	/* an initial value that nobody knows is not in the hull, and no reason to answer */
	c = counter(BARE, 0);
	for (uint32_t i = 0; i < WORKERS; i++)
		c->accesses.at[2 * i + 1].value = term_const(c->ts, 32, 5);
	c->cells.at[0].known = false;
	assert_int_equal(differs(c, 5, &stage), ANSWER_NO);
	assert_string_not_equal(stage, "lemma");
	ctp_random_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(telescoping),
		cmocka_unit_test(ranges),
		cmocka_unit_test(hulls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
