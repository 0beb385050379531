/*
 * Each property on small concurrent trace programs made by hand: one with the bug, and one in which
 * something keeps it from happening.
 */
#include "ctp_make.h"

#include "predict/predict.h"
#include "trace/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { X, Y };
enum { M, N, C };

struct got {
	uint32_t kinds[NPREDICTED], n;
	struct predict_stats st;
};

static void found(void *ctx, struct finding *f)
{
	struct got *g = ctx;

	g->kinds[f->kind]++;
	g->n++;
	finding_free(f);
}

static struct got ask_kinds(struct ctp_make *m, uint32_t kinds, uint32_t jobs)
{
	struct ctp *c = ctp_made(m);
	struct got g = {0};
	struct predict_options opt = {
		.kinds = kinds, .switches = -1, .jobs = jobs, .found = found, .ctx = &g};
	const char *wrong = ctp_wrong(c);

	if (wrong)
		fail_msg("%s", wrong);
	assert_int_equal(predict(c, &opt, &g.st), 0);
	predict_stats_release(&g.st);
	ctp_free(c);
	ctp_make_release(m);
	return g;
}

static struct got ask(struct ctp_make *m)
{
	return ask_kinds(m, 0, 1);
}

/* ---- races ---------------------------------------------------------------------------------- */

static struct got race(bool locked, uint16_t flags, bool joined)
{
	struct ctp_make m;
	uint32_t w;

	ctp_make_init(&m, 3);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	for (uint32_t t = 1; t < 3; t++) {
		if (t == 2) {
			if (joined)
				make_join(&m, 0, 1);
			make_create(&m, 0, 2);
		}
		if (locked)
			make_sync(&m, t, CTP_LOCK, M, 10 * t);
		w = make_write(&m, t, X, make_const(&m, t), t, 10 * t + 1);
		make_event(&m, w)->flags |= flags;
		if (locked)
			make_sync(&m, t, CTP_UNLOCK, M, 10 * t + 2);
		make_end(&m, t);
	}
	if (!joined)
		make_join(&m, 0, 1);
	make_join(&m, 0, 2);
	make_end(&m, 0);
	return ask(&m);
}

static void test_race(void **state)
{
	(void)state;
	assert_int_equal(race(false, 0, false).kinds[FAULT_RACE], 1);
	assert_int_equal(race(true, 0, false).n, 0);
	assert_int_equal(race(false, CTP_ATOMIC, false).n, 0);
	assert_int_equal(race(false, 0, true).n, 0);
}

/* One is atomic, the other plain: that is a race. A guard that cannot hold keeps two apart. */
static struct got race_with_flag(uint32_t published)
{
	struct ctp_make m;
	uint32_t r, f;

	ctp_make_init(&m, 2);
	make_create(&m, 0, 1);
	make_write(&m, 0, X, make_const(&m, 7), 7, 10);
	f = make_write(&m, 0, Y, make_const(&m, published), published, 11);
	make_event(&m, f)->flags |= CTP_ATOMIC;
	r = make_read(&m, 1, Y, published, 20);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	make_guard(&m, 1, CTP_BRANCH,
		term_eq(m.c->ts, make_sym(&m, r), make_const(&m, published)), 21);
	make_read(&m, 1, X, 7, 22);
	make_end(&m, 1);
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_race_guarded(void **state)
{
	(void)state;
	assert_int_equal(race_with_flag(1).n, 0);
	/* the flag has that value from the start */
	assert_int_equal(race_with_flag(0).kinds[FAULT_RACE], 1);
}

/* ---- assertions ----------------------------------------------------------------------------- */

/* Two increments; the main thread asserts their sum. */
static struct got sum(bool locked, uint32_t jobs, enum ctp_kind guard)
{
	struct ctp_make m;
	uint32_t r, a;

	ctp_make_init(&m, 3);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	make_create(&m, 0, 2);
	for (uint32_t t = 1; t < 3; t++) {
		if (locked)
			make_sync(&m, t, CTP_LOCK, M, 10);
		r = make_read(&m, t, X, t - 1, 11);
		make_event(&m, r)->flags |= CTP_ATOMIC; /* so that it is no race */
		r = make_write(&m, t, X, term_add(m.c->ts, make_sym(&m, r), make_const(&m, 1)), t,
			12);
		make_event(&m, r)->flags |= CTP_ATOMIC;
		if (locked)
			make_sync(&m, t, CTP_UNLOCK, M, 13);
		make_end(&m, t);
	}
	make_join(&m, 0, 1);
	make_join(&m, 0, 2);
	r = make_read(&m, 0, X, 2, 30);
	if (guard == CTP_ASSERT) {
		make_guard(&m, 0, CTP_ASSERT,
			term_eq(m.c->ts, make_sym(&m, r), make_const(&m, 2)), 31);
	} else {
		a = make_guard(&m, 0, CTP_DIVISOR,
			term_ne(m.c->ts, make_sym(&m, r), make_const(&m, 1)), 31);
		make_event(&m, a)->operand = term_sub(m.c->ts, make_sym(&m, r), make_const(&m, 1));
	}
	make_end(&m, 0);
	return ask_kinds(&m, 0, jobs);
}

static void test_assert(void **state)
{
	struct got g = sum(false, 1, CTP_ASSERT);

	(void)state;
	assert_int_equal(g.kinds[FAULT_ASSERT], 1);
	/* the accesses are atomic, so the lost update is no race but an atomicity violation */
	assert_int_equal(g.kinds[FAULT_ATOMICITY], 1);
	assert_int_equal(g.n, 2);
	assert_int_equal(sum(true, 1, CTP_ASSERT).n, 0);
}

static void test_division(void **state)
{
	(void)state;
	assert_int_equal(sum(false, 1, CTP_DIVISOR).kinds[FAULT_DIVISION], 1);
	assert_int_equal(sum(true, 1, CTP_DIVISOR).n, 0);
}

static void test_processes(void **state)
{
	struct got g = sum(false, 2, CTP_ASSERT);

	(void)state;
	assert_int_equal(g.kinds[FAULT_ASSERT], 1);
	assert_int_equal(g.kinds[FAULT_ATOMICITY], 1);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.st.kind[FAULT_ASSERT].found, 1);
}

/* ---- atomicity ------------------------------------------------------------------------------ */

enum shape { ONE_REGION, TWO_REGIONS, LOOKED_AGAIN };

/* Read, decide, write under a lock; another thread writes under it too. */
static struct got check_then_act(enum shape shape, bool marked)
{
	struct ctp_make m;
	uint32_t r;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	if (marked)
		make(&m, 1, CTP_ATOMIC_BEGIN, 9);
	make_sync(&m, 1, CTP_LOCK, M, 10);
	r = make_read(&m, 1, X, 0, 11);
	if (shape != ONE_REGION) {
		make_sync(&m, 1, CTP_UNLOCK, M, 12);
		if (!marked)
			make_guard(&m, 1, CTP_BRANCH,
				term_eq(m.c->ts, make_sym(&m, r), make_const(&m, 0)), 13);
		make_sync(&m, 1, CTP_LOCK, M, 14);
	}
	if (shape == LOOKED_AGAIN) {
		r = make_read(&m, 1, X, 0, 15);
		make_guard(&m, 1, CTP_BRANCH,
			term_eq(m.c->ts, make_sym(&m, r), make_const(&m, 0)), 16);
	}
	make_write(&m, 1, X, make_const(&m, 5), 5, 17);
	make_sync(&m, 1, CTP_UNLOCK, M, 18);
	if (marked)
		make(&m, 1, CTP_ATOMIC_END, 19);
	make_end(&m, 1);
	make_sync(&m, 0, CTP_LOCK, M, 20);
	make_write(&m, 0, X, make_const(&m, 9), 9, 21);
	make_sync(&m, 0, CTP_UNLOCK, M, 22);
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_atomicity(void **state)
{
	(void)state;
	assert_int_equal(check_then_act(TWO_REGIONS, false).kinds[FAULT_ATOMICITY], 1);
	assert_int_equal(check_then_act(TWO_REGIONS, true).kinds[FAULT_ATOMICITY], 1);
	assert_int_equal(check_then_act(ONE_REGION, false).n, 0);
	assert_int_equal(check_then_act(ONE_REGION, true).n, 0);
	assert_int_equal(check_then_act(LOOKED_AGAIN, false).n, 0);
}

/* ---- deadlocks ------------------------------------------------------------------------------ */

static struct got cycle(uint32_t n, bool gate, bool same_order)
{
	struct ctp_make m;

	ctp_make_init(&m, n + 1);
	for (uint32_t i = 0; i <= n; i++)
		make_object(&m, i, CHECK_MUTEX, 0, 0);
	for (uint32_t t = 1; t <= n; t++)
		make_create(&m, 0, t);
	for (uint32_t t = 1; t <= n; t++) {
		uint32_t a = t - 1, b = t % n;

		if (same_order && a > b) {
			a = b;
			b = t - 1;
		}
		if (gate)
			make_sync(&m, t, CTP_LOCK, n, 10 * t);
		make_sync(&m, t, CTP_LOCK, a, 10 * t + 1);
		make_sync(&m, t, CTP_LOCK, b, 10 * t + 2);
		make_sync(&m, t, CTP_UNLOCK, b, 10 * t + 3);
		make_sync(&m, t, CTP_UNLOCK, a, 10 * t + 4);
		if (gate)
			make_sync(&m, t, CTP_UNLOCK, n, 10 * t + 5);
		make_end(&m, t);
	}
	for (uint32_t t = 1; t <= n; t++)
		make_join(&m, 0, t);
	make_end(&m, 0);
	return ask(&m);
}

static void test_cycles(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 5; n++) {
		struct got g = cycle(n, false, false);

		assert_int_equal(g.kinds[FAULT_DEADLOCK], 1);
		assert_int_equal(g.n, 1);
		assert_int_equal(cycle(n, true, false).n, 0);
		assert_int_equal(cycle(n, false, true).n, 0);
	}
}

/* The main thread joins while it holds what the other needs. */
static struct got join_with_lock(bool holds)
{
	struct ctp_make m;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	make_sync(&m, 1, CTP_LOCK, M, 10);
	make_sync(&m, 1, CTP_UNLOCK, M, 11);
	make_end(&m, 1);
	make_sync(&m, 0, CTP_LOCK, M, 20);
	if (!holds)
		make_sync(&m, 0, CTP_UNLOCK, M, 21);
	make_join(&m, 0, 1);
	if (holds)
		make_sync(&m, 0, CTP_UNLOCK, M, 21);
	make_end(&m, 0);
	return ask(&m);
}

static void test_join(void **state)
{
	struct got g = join_with_lock(true);

	(void)state;
	assert_int_equal(g.kinds[FAULT_DEADLOCK], 1);
	assert_int_equal(g.n, 1);
	assert_int_equal(join_with_lock(false).n, 0);
}

/* while (!x) wait; the setter signals with or without the lock around what it sets. */
static struct got wake_up(bool locked)
{
	struct ctp_make m;
	uint32_t r, w;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_object(&m, C, CHECK_COND, 0, 0);
	make_create(&m, 0, 1);
	make_sync(&m, 1, CTP_LOCK, M, 10);
	r = make_read(&m, 1, X, 0, 11);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	make_guard(&m, 1, CTP_BRANCH, term_eq(m.c->ts, make_sym(&m, r), make_const(&m, 0)), 12);
	w = make_wait(&m, 1, C, M, 13);
	if (locked)
		make_sync(&m, 0, CTP_LOCK, M, 20);
	r = make_write(&m, 0, X, make_const(&m, 1), 1, 21);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	if (locked)
		make_sync(&m, 0, CTP_UNLOCK, M, 22);
	make_sync(&m, 0, CTP_SIGNAL, C, 23);
	make_woken(&m, w, 13);
	r = make_read(&m, 1, X, 1, 11);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	make_guard(&m, 1, CTP_BRANCH, term_ne(m.c->ts, make_sym(&m, r), make_const(&m, 0)), 12);
	make_sync(&m, 1, CTP_UNLOCK, M, 14);
	make_end(&m, 1);
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_lost_wakeup(void **state)
{
	struct got g = wake_up(false);

	(void)state;
	assert_int_equal(g.kinds[FAULT_LOST_WAKEUP], 1);
	assert_int_equal(g.n, 1);
	assert_int_equal(wake_up(true).n, 0);
}

/* Two consumers of two posts, one of which takes two. */
static struct got semaphore(uint32_t posts)
{
	struct ctp_make m;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_SEM, 0, 0);
	make_object(&m, N, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	/* with one post each side may take what the other needs; the lock keeps nobody out */
	for (uint32_t i = 0; i < posts; i++)
		make_sync(&m, 0, CTP_SEM_POST, M, 20);
	make_sync(&m, 1, CTP_LOCK, N, 10);
	make_sync(&m, 1, CTP_SEM_WAIT, M, 11);
	make_sync(&m, 1, CTP_SEM_POST, M, 12);
	make_sync(&m, 1, CTP_UNLOCK, N, 13);
	make_end(&m, 1);
	make_sync(&m, 0, CTP_SEM_WAIT, M, 21);
	make_sync(&m, 0, CTP_LOCK, N, 22);
	make_sync(&m, 0, CTP_UNLOCK, N, 23);
	make_sync(&m, 0, CTP_SEM_POST, M, 24);
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_semaphore(void **state)
{
	struct got g = semaphore(1);

	(void)state;
	assert_int_equal(g.kinds[FAULT_DEADLOCK], 1);
	assert_int_equal(g.n, 1);
	assert_int_equal(semaphore(2).n, 0);
}

/* ---- locks ---------------------------------------------------------------------------------- */

static void test_unlocks(void **state)
{
	struct ctp_make m;
	struct got g;

	(void)state;
	ctp_make_init(&m, 1);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_sync(&m, 0, CTP_LOCK, M, 10);
	make_sync(&m, 0, CTP_UNLOCK, M, 11);
	make_sync(&m, 0, CTP_UNLOCK, M, 12);
	make_end(&m, 0);
	g = ask(&m);
	assert_int_equal(g.kinds[FAULT_DOUBLE_UNLOCK], 1);
	assert_int_equal(g.n, 1);

	ctp_make_init(&m, 1);
	make_object(&m, M, CHECK_MUTEX, 1, 0);
	make_sync(&m, 0, CTP_LOCK, M, 10);
	make_event(&m, make_sync(&m, 0, CTP_LOCK, M, 11))->flags |= CTP_RECURSIVE;
	make_event(&m, make_sync(&m, 0, CTP_UNLOCK, M, 12))->flags |= CTP_RECURSIVE;
	make_end(&m, 0);
	g = ask(&m);
	assert_int_equal(g.kinds[FAULT_RECURSION], 1);
	assert_int_equal(g.n, 1);
}

/* One thread unlocks what the other locked, and that one locks again. */
static void test_foreign(void **state)
{
	struct ctp_make m;
	struct got g;

	(void)state;
	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	make_sync(&m, 0, CTP_LOCK, M, 10);
	make_sync(&m, 1, CTP_UNLOCK, M, 20);
	make_end(&m, 1);
	make_sync(&m, 0, CTP_LOCK, M, 11);
	make_sync(&m, 0, CTP_UNLOCK, M, 12);
	make_join(&m, 0, 1);
	make_end(&m, 0);
	g = ask(&m);
	assert_int_equal(g.kinds[FAULT_FOREIGN_UNLOCK], 1);
	assert_int_equal(g.kinds[FAULT_DOUBLE_UNLOCK], 1);
	assert_int_equal(g.kinds[FAULT_DOUBLE_LOCK], 1);
	assert_int_equal(g.n, 3);
}

static struct got destroy(bool joined, bool twice)
{
	struct ctp_make m;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, twice, 0);
	make_sync(&m, 0, CTP_INIT, M, 8);
	make_create(&m, 0, 1);
	make_sync(&m, 1, CTP_LOCK, M, 10);
	if (twice) {
		make_event(&m, make_sync(&m, 1, CTP_LOCK, M, 11))->flags |= CTP_RECURSIVE;
		make_event(&m, make_sync(&m, 1, CTP_UNLOCK, M, 12))->flags |= CTP_RECURSIVE;
	}
	make_sync(&m, 1, CTP_UNLOCK, M, 13);
	make_end(&m, 1);
	if (joined)
		make_join(&m, 0, 1);
	make_sync(&m, 0, CTP_DESTROY, M, 20);
	if (!joined)
		make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_destroy(void **state)
{
	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(destroy(false, twice).kinds[FAULT_DESTROY], 1);
		assert_int_equal(destroy(true, twice).n, 0);
	}
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct got use_after_free(bool joined)
{
	struct ctp_make m;
	uint32_t b, h;

	ctp_make_init(&m, 2);
	b = make_block(&m, 0x30000, 16);
	h = make(&m, 0, CTP_ALLOC, 5);
	make_event(&m, h)->block = b;
	make_create(&m, 0, 1);
	h = make_read(&m, 1, X, 0, 10);
	make_event(&m, h)->block = b;
	make_end(&m, 1);
	if (joined)
		make_join(&m, 0, 1);
	h = make(&m, 0, CTP_FREE, 20);
	make_event(&m, h)->block = b;
	if (!joined)
		make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

/* The pointer is read from X, and may be `value` under another order. */
static struct got pointer(uint32_t value, enum ctp_kind kind, bool locked)
{
	struct ctp_make m;
	uint32_t b, f, r, h;
	term_t addr;

	ctp_make_init(&m, 2);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	b = make_block(&m, 0x30000, 16);
	h = make(&m, 0, CTP_ALLOC, 4);
	make_event(&m, h)->block = b;
	f = make(&m, 0, CTP_FREE, 5);
	make_event(&m, f)->block = b;
	make_write(&m, 0, X, make_const(&m, 0x40000), 0x40000, 6);
	make_create(&m, 0, 1);
	if (locked)
		make_sync(&m, 1, CTP_LOCK, M, 9);
	r = make_read(&m, 1, X, 0x40000, 10);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	addr = term_zext(m.c->ts, make_sym(&m, r), 64);
	h = make_guard(&m, 1, kind,
		term_eq(m.c->ts, addr, term_const(m.c->ts, 64, 0x40000)), 11);
	make_event(&m, h)->operand = addr;
	make_event(&m, h)->at = 0x40000;
	make_event(&m, h)->size = 8;
	if (locked)
		make_sync(&m, 1, CTP_UNLOCK, M, 12);
	make_end(&m, 1);
	if (locked)
		make_join(&m, 0, 1);
	h = make_write(&m, 0, X, make_const(&m, value), value, 20);
	make_event(&m, h)->flags |= CTP_ATOMIC;
	if (!locked)
		make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_memory(void **state)
{
	(void)state;
	assert_int_equal(use_after_free(false).kinds[FAULT_USE_AFTER_FREE], 1);
	assert_int_equal(use_after_free(true).n, 0);
	assert_int_equal(pointer(0, CTP_DEREF, false).kinds[FAULT_NULL_DEREF], 1);
	assert_int_equal(pointer(0, CTP_DEREF, true).n, 0);
	assert_int_equal(pointer(0x8000, CTP_DEREF, false).kinds[FAULT_WILD_DEREF], 1);
	assert_int_equal(pointer(0x30008, CTP_DEREF, false).kinds[FAULT_USE_AFTER_FREE], 1);
	assert_int_equal(pointer(0x30008, CTP_DEREF, true).n, 0);
	/* memory that nobody freed */
	assert_int_equal(pointer(0x50000, CTP_DEREF, false).n, 0);
}

static struct got overflow(uint32_t index)
{
	struct ctp_make m;
	uint32_t b, r, h;
	term_t addr;

	ctp_make_init(&m, 2);
	b = make_block(&m, 0x30000, 16);
	make_create(&m, 0, 1);
	r = make_read(&m, 1, X, 0, 10);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	addr = term_add(m.c->ts, term_const(m.c->ts, 64, 0x30000),
		term_mul(m.c->ts, term_zext(m.c->ts, make_sym(&m, r), 64),
			term_const(m.c->ts, 64, 4)));
	h = make_guard(&m, 1, CTP_DEREF,
		term_eq(m.c->ts, addr, term_const(m.c->ts, 64, 0x30000)), 11);
	make_event(&m, h)->operand = addr;
	make_event(&m, h)->at = 0x30000;
	make_event(&m, h)->size = 4;
	make_event(&m, h)->block = b;
	make_event(&m, h)->of.base = 0x30000;
	make_event(&m, h)->flags |= CTP_BASE_KNOWN;
	make_end(&m, 1);
	h = make_write(&m, 0, X, make_const(&m, index), index, 20);
	make_event(&m, h)->flags |= CTP_ATOMIC;
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

/* The pointer is to a block of 16 bytes, or to the one of `size` that is published later. */
static struct got smaller(uint64_t size)
{
	struct ctp_make m;
	uint32_t r, h;
	term_t addr;

	ctp_make_init(&m, 2);
	h = make(&m, 0, CTP_ALLOC, 4);
	make_event(&m, h)->block = make_block(&m, 0x30000, 16);
	make_write(&m, 0, X, make_const(&m, 0x30000), 0x30000, 5);
	make_create(&m, 0, 1);
	r = make_read(&m, 1, X, 0x30000, 10);
	make_event(&m, r)->flags |= CTP_ATOMIC;
	addr = term_add(m.c->ts, term_zext(m.c->ts, make_sym(&m, r), 64),
		term_const(m.c->ts, 64, 8));
	h = make_guard(&m, 1, CTP_DEREF, term_eq(m.c->ts, addr, term_const(m.c->ts, 64, 0x30008)),
		11);
	make_event(&m, h)->operand = addr;
	make_event(&m, h)->at = 0x30008;
	make_event(&m, h)->size = 4;
	make_end(&m, 1);
	h = make(&m, 0, CTP_ALLOC, 20);
	make_event(&m, h)->block = make_block(&m, 0x40000, size);
	h = make_write(&m, 0, X, make_const(&m, 0x40000), 0x40000, 21);
	make_event(&m, h)->flags |= CTP_ATOMIC;
	make_join(&m, 0, 1);
	make_end(&m, 0);
	return ask(&m);
}

static void test_overflow(void **state)
{
	(void)state;
	assert_int_equal(overflow(4).kinds[FAULT_OVERFLOW], 1);
	assert_int_equal(overflow(3).n, 0);
	assert_int_equal(smaller(8).kinds[FAULT_OVERFLOW], 1);
	assert_int_equal(smaller(11).kinds[FAULT_OVERFLOW], 1);
	assert_int_equal(smaller(12).n, 0);
}

/* Two threads make a block each, which lay at one address one after the other, and free what X says;
 * or the second frees its own. */
static struct got reused(bool locked, bool own)
{
	struct ctp_make m;
	uint32_t b, f, h;

	ctp_make_init(&m, 3);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	make_create(&m, 0, 2);
	for (uint32_t t = 1; t < 3; t++) {
		if (locked)
			make_sync(&m, t, CTP_LOCK, M, 9);
		b = make_block(&m, 0x30000, 16);
		h = make(&m, t, CTP_ALLOC, 10);
		make_event(&m, h)->block = b;
		if (!own || t == 1) {
			h = make_write(&m, t, X, make_const(&m, 0x30000), 0x30000, 11);
			make_event(&m, h)->flags |= CTP_ATOMIC;
			h = make_read(&m, t, X, 0x30000, 12);
			make_event(&m, h)->flags |= CTP_ATOMIC;
		}
		f = make(&m, t, CTP_FREE, 13);
		make_event(&m, f)->block = b;
		make_event(&m, f)->at = 0x30000;
		if (!own || t == 1)
			make_event(&m, f)->operand = term_zext(m.c->ts, make_sym(&m, h), 64);
		if (locked)
			make_sync(&m, t, CTP_UNLOCK, M, 14);
		make_end(&m, t);
	}
	make_join(&m, 0, 1);
	make_join(&m, 0, 2);
	make_end(&m, 0);
	return ask(&m);
}

static void test_reused(void **state)
{
	(void)state;
	assert_int_equal(reused(false, false).kinds[FAULT_DOUBLE_FREE], 1);
	assert_int_equal(reused(true, false).n, 0);
	assert_int_equal(reused(false, true).kinds[FAULT_DOUBLE_FREE], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_race_guarded),
		cmocka_unit_test(test_assert),
		cmocka_unit_test(test_division),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_atomicity),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_lost_wakeup),
		cmocka_unit_test(test_semaphore),
		cmocka_unit_test(test_unlocks),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
