/* Schedules and explanations of witnesses of small concurrent trace programs, made by hand. */
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/schedule.h"
#include "explain/violation.h"

#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- making programs ------------------------------------------------------------------------ */

struct maker {
	struct ctp *c;
	uint64_t point; /* of the thread that is made */
};

static uint32_t thread(struct maker *m, uint32_t parent, uint32_t nth)
{
	struct ctp_thread t = {.id = m->c->threads.n,
		.parent = parent,
		.nth = nth,
		.first = m->c->events.n,
		.create = CTP_NONE,
		.begin = CTP_NONE,
		.end = CTP_NONE,
		.start_func = IR_NONE};

	vec_push(&m->c->threads, t);
	m->point = 0;
	return m->c->threads.n - 1;
}

static struct ctp_event *event(struct maker *m, enum ctp_kind kind)
{
	struct ctp_event *e = vec_add(&m->c->events);

	e->kind = kind;
	e->thread = m->c->threads.n - 1;
	e->func = e->insn = IR_NONE;
	e->link.none = e->region = e->block = CTP_NONE;
	e->first = m->c->accesses.n;
	e->rank = m->c->events.n - 1; /* as if the threads ran one after the other */
	vec_push(&m->c->order, m->c->events.n - 1);
	e->point = m->point;
	if (!ctp_is_guard(kind) && kind != CTP_BEGIN && kind != CTP_END)
		m->point++;
	m->c->threads.at[e->thread].n++;
	return e;
}

static uint32_t last(const struct maker *m)
{
	return m->c->events.n - 1;
}

static uint32_t cell(struct maker *m, uint64_t addr, u128 initial)
{
	vec_push(&m->c->cells,
		(struct ctp_cell){.addr = addr, .size = 4, .initial = initial, .known = true});
	return m->c->cells.n - 1;
}

static term_t reads(struct maker *m, uint32_t cell, u128 seen)
{
	struct ctp_event *e = event(m, CTP_READ);
	term_t sym = term_fresh(m->c->ts, "r", 32);

	e->n = 1;
	e->at = m->c->cells.at[cell].addr;
	e->size = 4;
	vec_push(&m->c->accesses, (struct ctp_access){cell, sym, TERM_NONE, seen, 0});
	return sym;
}

static uint32_t writes(struct maker *m, uint32_t cell, term_t value, u128 put)
{
	struct ctp_event *e = event(m, CTP_WRITE);

	e->n = 1;
	e->at = m->c->cells.at[cell].addr;
	e->size = 4;
	vec_push(&m->c->accesses, (struct ctp_access){cell, TERM_NONE, value, 0, put});
	return last(m);
}

static uint32_t guard(struct maker *m, enum ctp_kind kind, term_t cond)
{
	event(m, kind)->cond = cond;
	return last(m);
}

static uint32_t locks(struct maker *m, uint64_t lock)
{
	struct ctp_event *e = event(m, CTP_LOCK);

	e->object = lock;
	e->region = m->c->regions.n;
	vec_push(&m->c->regions,
		(struct ctp_region){lock, e->thread, last(m), CTP_NONE, false, false});
	return last(m);
}

static uint32_t unlocks(struct maker *m, uint32_t lock_event)
{
	struct ctp_event *e = event(m, CTP_UNLOCK);

	e->region = m->c->events.at[lock_event].region;
	e->object = m->c->events.at[lock_event].object;
	m->c->regions.at[e->region].end = last(m);
	return last(m);
}

static void pass_points(struct maker *m, uint64_t points) /* points that nobody else sees */
{
	m->point += points;
}

static term_t number(struct maker *m, u128 v)
{
	return term_const(m->c->ts, 32, v);
}

static void run(struct witness *w, uint32_t event)
{
	vec_push(&w->events, event);
}

static void got(struct witness *w, uint32_t access, u128 value)
{
	vec_push(&w->values, (struct witness_value){access, value});
}

static void moves_are(const struct finding *f, const struct finding_move *want, uint32_t n)
{
	struct strbuf b = {0};

	vec_each (&f->moves, i)
		strbuf_addf(
			&b, "(%u,%lu)", f->moves.at[i].thread, (unsigned long)f->moves.at[i].until);
	if (f->moves.n != n)
		fail_msg("%u moves: %s", f->moves.n, b.s);
	for (uint32_t i = 0; i < n; i++)
		if (f->moves.at[i].thread != want[i].thread ||
			f->moves.at[i].until != want[i].until)
			fail_msg("move %u: %s", i, b.s);
	strbuf_release(&b);
}
#define MOVES(f, ...)                                                                              \
	moves_are(f, (struct finding_move[]){__VA_ARGS__},                                         \
		sizeof((struct finding_move[]){__VA_ARGS__}) / sizeof(struct finding_move))

static const struct finding_step *step_saying(const struct finding *f, const char *what)
{
	vec_each (&f->steps, i)
		if (f->steps.at[i].what && !strcmp(f->steps.at[i].what, what))
			return &f->steps.at[i];
	vec_each (&f->steps, i)
		print_message("# %s\n", f->steps.at[i].what);
	fail_msg("no step says '%s'", what);
	return NULL;
}

static const char *note(const struct finding *f, const char *head)
{
	vec_each (&f->notes, i)
		if (!strcmp(f->notes.at[i].head, head))
			return f->notes.at[i].text;
	fail_msg("no note '%s'", head);
	return NULL;
}

static void keys(struct violation *k, uint32_t n, const uint32_t *at)
{
	k->nkeys = n;
	memcpy(k->key, at, n * sizeof *at);
}
#define KEYS(k, ...)                                                                               \
	keys(k, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

/* ---- a race --------------------------------------------------------------------------------- */

/* Both threads have private points before the access; the second is inside a lock. */
static void test_race(void **state)
{
	struct maker m = {.c = ctp_new()};
	uint32_t x = cell(&m, 0x1000, 7), create, w1, w2, l;
	struct violation k = {.kind = FAULT_RACE, .goal = SCHED_GOAL_RACE, .title = "race"};
	struct witness w = {0};
	struct finding *f;

	(void)state;
	thread(&m, CTP_NONE, 0);
	event(&m, CTP_BEGIN);
	pass_points(&m, 2);
	event(&m, CTP_CREATE)->link.peer = 1;
	create = last(&m);
	pass_points(&m, 3);
	w1 = writes(&m, x, number(&m, 1), 1);
	thread(&m, 0, 0);
	event(&m, CTP_BEGIN);
	m.c->threads.at[1].create = create;
	l = locks(&m, 0x2000);
	pass_points(&m, 1);
	w2 = writes(&m, x, number(&m, 2), 2);
	unlocks(&m, l);
	KEYS(&k, w1, w2);
	run(&w, 0);
	run(&w, create);
	run(&w, m.c->threads.at[1].first);
	run(&w, l);
	f = explain(m.c, NULL, &k, &w);
	/* the first key moves last; the points in between are nobody's business */
	MOVES(f, {0, 3}, {1, 2}, {0, 6});
	assert_int_equal(f->goal, SCHED_GOAL_RACE);
	assert_int_equal(f->a, 0);
	assert_int_equal(f->at_a, 6);
	assert_int_equal(f->b, 1);
	assert_int_equal(f->at_b, 2);
	assert_int_equal(f->expect_thread, UINT32_MAX);
	assert_int_equal(f->status, FINDING_PREDICTED);
	assert_int_equal(f->threads.n, 2);
	assert_int_equal(f->threads.at[0].parent, UINT32_MAX);
	assert_int_equal(f->threads.at[1].parent, 0);
	assert_int_equal(
		step_saying(f, "writes 0x1000 = 1")->flags, STEP_KEY | STEP_LAST | STEP_SWITCHED);
	assert_int_equal(
		step_saying(f, "writes 0x1000 = 2")->flags, STEP_KEY | STEP_LAST | STEP_SWITCHED);
	step_saying(f, "locks 0x2000");
	assert_non_null(
		strstr(note(f, "why this order is possible"), "The main thread holds no lock"));
	assert_non_null(strstr(note(f, "why this order is possible"), "Thread 1 holds"));
	assert_non_null(strstr(note(f, "why the recorded run passed"), "The main thread was"));
	finding_free(f);
	witness_release(&w);
	ctp_free(m.c);
}

/* ---- an assertion --------------------------------------------------------------------------- */

struct lost_update {
	struct maker m;
	uint32_t x, r1, w1, r2, w2, check, guard;
};

/* Two threads do x = x + 1; the main one, which is the third here, asserts x == 2. */
static void make_lost_update(struct lost_update *l)
{
	struct maker *m = &l->m;
	term_t a, b, sum;

	*l = (struct lost_update){.m = {.c = ctp_new()}};
	l->x = cell(m, 0x1000, 0);
	thread(m, CTP_NONE, 0);
	event(m, CTP_BEGIN);
	event(m, CTP_CREATE)->link.peer = 1;
	event(m, CTP_CREATE)->link.peer = 2;
	sum = reads(m, l->x, 2);
	l->check = last(m);
	l->guard = guard(m, CTP_ASSERT, term_eq(m->c->ts, sum, number(m, 2)));
	event(m, CTP_END);
	thread(m, 0, 0);
	event(m, CTP_BEGIN);
	a = reads(m, l->x, 0);
	l->r1 = last(m);
	l->w1 = writes(m, l->x, term_add(m->c->ts, a, number(m, 1)), 1);
	thread(m, 0, 1);
	event(m, CTP_BEGIN);
	b = reads(m, l->x, 1);
	l->r2 = last(m);
	pass_points(m, 4);
	l->w2 = writes(m, l->x, term_add(m->c->ts, b, number(m, 1)), 2);
	/* recorded: 1, then 2, then the check */
	m->c->order.n = 0;
	vec_push(&m->c->order, 0);
	vec_push(&m->c->order, 1);
	vec_push(&m->c->order, 2);
	for (uint32_t e = m->c->threads.at[1].first; e < m->c->events.n; e++)
		vec_push(&m->c->order, e);
	for (uint32_t e = 3; e < m->c->threads.at[1].first; e++)
		vec_push(&m->c->order, e);
	vec_each (&m->c->order, i)
		m->c->events.at[m->c->order.at[i]].rank = i;
}

static void test_assertion(void **state)
{
	struct lost_update l;
	struct violation k = {.kind = FAULT_ASSERT, .title = "assertion failure"};
	struct witness w = {0};
	struct finding *f;
	const struct finding_step *s;
	const char *why;

	(void)state;
	make_lost_update(&l);
	KEYS(&k, l.guard);
	for (uint32_t e = 0; e < 3; e++)
		run(&w, e);
	run(&w, l.m.c->threads.at[1].first);
	run(&w, l.m.c->threads.at[2].first);
	run(&w, l.r1);
	run(&w, l.r2);
	run(&w, l.w1);
	run(&w, l.check); /* reads 1 */
	run(&w, l.w2);    /* after it: must not be done before the check in the replay */
	got(&w, l.m.c->events.at[l.check].first, 1);
	got(&w, l.m.c->events.at[l.r1].first, 0);
	got(&w, l.m.c->events.at[l.r2].first, 0);
	w.switches = 5;
	f = explain(l.m.c, NULL, &k, &w);
	/* stands before its last read, is the last that moved, and runs into the failure */
	MOVES(f, {0, 2}, {1, 2}, {0, 2});
	assert_int_equal(f->goal, SCHED_GOAL_NONE);
	assert_int_equal(f->expect_thread, 0);
	assert_int_equal(f->switches, 5);
	s = step_saying(f, "the assertion fails");
	assert_int_equal(s->flags & (STEP_KEY | STEP_LAST), STEP_KEY);
	assert_string_equal(step_saying(f, "reads 0x1000 = 1")->recorded, "2");
	assert_string_equal(f->steps.at[f->steps.n - 1].what, "the assertion fails");
	assert_int_equal(step_saying(f, "writes 0x1000 = 1")->flags & STEP_MINOR, 0);
	assert_null(step_saying(f, "writes 0x1000 = 1")->recorded);
	assert_null(step_saying(f, "reads 0x1000 = 0")->recorded);
	why = note(f, "why the recorded run passed");
	assert_non_null(strstr(why, "The main thread read 0x1000 = 2"));
	assert_non_null(strstr(why, "written by thread 2"));
	assert_non_null(strstr(why, "Here it reads 1"));
	assert_non_null(strstr(why, "written by thread 1"));
	assert_non_null(strstr(note(f, "why this order is possible"), "protected by no lock"));
	finding_free(f);
	witness_release(&w);
	ctp_free(l.m.c);
}

/* A thread whose last event was a read nobody needs stands before it: after it, the real thread
 * would run into what follows. */
static void test_reads_at_the_end_are_left_out(void **state)
{
	struct lost_update l;
	struct violation k = {.kind = FAULT_ASSERT, .title = "assertion failure"};
	struct witness w = {0};
	struct finding *f = finding_new();

	(void)state;
	make_lost_update(&l);
	KEYS(&k, l.guard);
	for (uint32_t e = 0; e < 3; e++)
		run(&w, e);
	run(&w, l.m.c->threads.at[1].first);
	run(&w, l.m.c->threads.at[2].first);
	run(&w, l.r1);
	run(&w, l.w1);
	run(&w, l.r2);
	run(&w, l.check);
	schedule_of(l.m.c, &k, &w, f);
	MOVES(f, {0, 2}, {1, 2}, {0, 2});
	finding_free(f);
	witness_release(&w);
	ctp_free(l.m.c);
}

/* The value comes from before the first point. */
static void test_failure_at_once(void **state)
{
	struct maker m = {.c = ctp_new()};
	struct violation k = {.kind = FAULT_DIVISION, .title = "division"};
	struct witness w = {0};
	struct finding *f = finding_new();

	(void)state;
	thread(&m, CTP_NONE, 0);
	event(&m, CTP_BEGIN);
	event(&m, CTP_CREATE)->link.peer = 1;
	thread(&m, 0, 0);
	event(&m, CTP_BEGIN);
	guard(&m, CTP_DIVISOR, term_bool(m.c->ts, true));
	KEYS(&k, last(&m));
	run(&w, 0);
	run(&w, 1);
	run(&w, 2);
	schedule_of(m.c, &k, &w, f);
	MOVES(f, {0, 1}, {1, 0});
	assert_int_equal(f->expect_thread, 1);
	finding_free(f);
	witness_release(&w);
	ctp_free(m.c);
}

/* ---- a deadlock ----------------------------------------------------------------------------- */

static void test_deadlock(void **state)
{
	struct maker m = {.c = ctp_new()};
	struct violation k = {
		.kind = FAULT_DEADLOCK, .goal = SCHED_GOAL_STUCK, .title = "deadlock"};
	uint32_t a0, b0, a1, b1, u;
	struct witness w = {0};
	struct finding *f;

	(void)state;
	thread(&m, CTP_NONE, 0);
	event(&m, CTP_BEGIN);
	event(&m, CTP_CREATE)->link.peer = 1;
	a0 = locks(&m, 0xa0);
	pass_points(&m, 2);
	b0 = locks(&m, 0xb0);
	u = unlocks(&m, b0);
	unlocks(&m, a0);
	thread(&m, 0, 0);
	event(&m, CTP_BEGIN);
	b1 = locks(&m, 0xb0);
	a1 = locks(&m, 0xa0);
	unlocks(&m, a1);
	unlocks(&m, b1);
	(void)u;
	KEYS(&k, b0, a1);
	run(&w, 0);
	run(&w, 1);
	run(&w, a0);
	run(&w, m.c->threads.at[1].first);
	run(&w, b1);
	f = explain(m.c, NULL, &k, &w);
	MOVES(f, {0, 2}, {1, 1}, {0, 4});
	assert_int_equal(f->at_a, 4);
	assert_int_equal(f->at_b, 1);
	step_saying(f, "waits for 0xb0, held by thread 1");
	step_saying(f, "waits for 0xa0, held by the main thread");
	step_saying(f, "locks 0xa0");
	step_saying(f, "locks 0xb0");
	assert_non_null(strstr(note(f, "why this order is possible"), "and waits for 0xb0"));
	assert_non_null(strstr(note(f, "why the recorded run passed"), "The main thread locked 0xb0"));
	assert_non_null(strstr(note(f, "why the recorded run passed"), "before thread 1 locked it"));
	assert_non_null(strstr(
		note(f, "why the recorded run passed"), "the main thread had unlocked it"));
	finding_free(f);
	witness_release(&w);
	ctp_free(m.c);
}

/* ---- others --------------------------------------------------------------------------------- */

/* Executed all three; the thread of the last goes on. */
static void test_atomicity(void **state)
{
	struct lost_update l;
	struct violation k = {.kind = FAULT_ATOMICITY, .title = "atomicity violation"};
	struct witness w = {0};
	struct finding *f;
	uint32_t n = 0;

	(void)state;
	make_lost_update(&l);
	KEYS(&k, l.r2, l.w1, l.w2);
	for (uint32_t e = 0; e < 3; e++)
		run(&w, e);
	run(&w, l.m.c->threads.at[1].first);
	run(&w, l.m.c->threads.at[2].first);
	run(&w, l.r1);
	run(&w, l.r2);
	run(&w, l.w1);
	run(&w, l.w2);
	got(&w, l.m.c->events.at[l.r1].first, 0);
	got(&w, l.m.c->events.at[l.r2].first, 0);
	f = explain(l.m.c, NULL, &k, &w);
	MOVES(f, {0, 2}, {1, 1}, {2, 1}, {1, 2}, {2, 6});
	assert_int_equal(f->expect_thread, UINT32_MAX);
	vec_each (&f->steps, i)
		if (f->steps.at[i].flags & STEP_KEY) {
			static const uint64_t points[] = {0, 1, 5};

			assert_int_equal(f->steps.at[i].point, points[n++]);
			assert_int_equal(f->steps.at[i].flags & STEP_LAST, 0);
		}
	assert_int_equal(n, 3);
	assert_string_equal(
		step_saying(f, "reads 0x1000 = 0")->recorded ? "different" : "same", "same");
	finding_free(f);
	witness_release(&w);
	ctp_free(l.m.c);
}

/* The same places in another order of the keys, and in another run, are the same finding. */
static void test_fingerprint(void **state)
{
	struct lost_update l;
	struct violation k = {.kind = FAULT_RACE, .goal = SCHED_GOAL_RACE, .title = "race"};
	struct witness w = {0};
	struct finding *f, *g, *h;

	(void)state;
	make_lost_update(&l);
	vec_each (&l.m.c->events, i) {
		l.m.c->events.at[i].func = l.m.c->events.at[i].thread;
		l.m.c->events.at[i].insn = i;
	}
	KEYS(&k, l.w1, l.w2);
	f = explain(l.m.c, NULL, &k, &w);
	KEYS(&k, l.w2, l.w1);
	g = explain(l.m.c, NULL, &k, &w);
	KEYS(&k, l.w2, l.r1);
	h = explain(l.m.c, NULL, &k, &w);
	assert_true(f->fingerprint == g->fingerprint);
	assert_true(f->fingerprint != h->fingerprint);
	finding_free(f);
	finding_free(g);
	finding_free(h);
	ctp_free(l.m.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_assertion),
		cmocka_unit_test(test_reads_at_the_end_are_left_out),
		cmocka_unit_test(test_failure_at_once),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_atomicity),
		cmocka_unit_test(test_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
