/*
 * Decisions that depend on the schedule, on small concurrent trace programs made by hand: each kind of
 * decision once so that it flips, and once so that something keeps it; classes; what is told of a flip.
 */
#include "base/vec.h"
#include "ctp_make.h"

#include "predict/predict.h"
#include "trace/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { X, Y };
enum { M, S };

struct got {
	VEC(struct finding *) at;
	struct predict_stats st;
};

static void found(void *ctx, struct finding *f)
{
	vec_push(&((struct got *)ctx)->at, f);
}

static struct got ask(struct ctp_make *m)
{
	struct ctp *c = ctp_made(m);
	struct got g = {0};
	struct predict_options opt = {.kinds = 1u << FAULT_BRANCH,
		.switches = -1,
		.jobs = 1,
		.found = found,
		.ctx = &g};
	const char *wrong = ctp_wrong(c);

	if (wrong)
		fail_msg("%s", wrong);
	assert_int_equal(predict(c, &opt, &g.st), 0);
	vec_each (&g.at, i)
		assert_int_equal(g.at.at[i]->kind, FAULT_BRANCH);
	ctp_free(c);
	ctp_make_release(m);
	return g;
}

static void done(struct got *g)
{
	vec_each (&g->at, i)
		finding_free(g->at.at[i]);
	vec_release(&g->at);
	predict_stats_release(&g->st);
}

static void expect(struct got g, uint32_t n, enum flip_kind kind, enum flip_class class)
{
	assert_int_equal(g.at.n, n);
	vec_each (&g.at, i) {
		assert_int_equal(g.at.at[i]->flip.kind, kind);
		assert_int_equal(g.at.at[i]->flip.class_, class);
		assert_non_null(g.at.at[i]->flip.why);
	}
	done(&g);
}

/* main starts the two threads, and joins them */
static void begin(struct ctp_make *m)
{
	ctp_make_init(m, 3);
	make_object(m, M, CHECK_MUTEX, 0, 0);
	make_create(m, 0, 1);
	make_create(m, 0, 2);
}

static void end(struct ctp_make *m)
{
	make_end(m, 1);
	make_end(m, 2);
	make_join(m, 0, 1);
	make_join(m, 0, 2);
	make_end(m, 0);
}

/* ---- branches --------------------------------------------------------------------------------- */

/* Thread 1 writes; thread 2 read it, and decided. */
static struct got branch(enum ctp_kind kind, uint32_t written)
{
	struct ctp_make m;
	uint32_t r, g;

	begin(&m);
	make_write(&m, 1, X, make_const(&m, written), written, 10);
	r = make_read(&m, 2, X, written, 20);
	g = make_guard(&m, 2, kind, term_eq(m.c->ts, make_sym(&m, r), make_const(&m, written)), 21);
	make_event(&m, g)->of.decided = 1;
	end(&m);
	return ask(&m);
}

static void test_branch(void **state)
{
	struct got g = branch(CTP_BRANCH, 1);
	const struct finding_flip *f;

	(void)state;
	assert_int_equal(g.at.n, 1);
	f = &g.at.at[0]->flip;
	assert_int_equal(f->kind, FLIP_IF);
	assert_int_equal(f->class_, FLIP_UNCLEAR);
	assert_string_equal(f->recorded, "true");
	assert_string_equal(f->flipped, "false");
	assert_int_equal(f->thread, 2);
	assert_int_equal(f->insn, 21);
	assert_int_equal(f->index, 1);
	assert_int_equal(f->value, 1);
	assert_int_equal(f->instances, 1);
	assert_non_null(strstr(g.at.at[0]->title, "depends on the schedule"));
	assert_int_equal(g.at.at[0]->expect_thread, UINT32_MAX);
	done(&g);
	expect(branch(CTP_BRANCH, 0), 0, FLIP_IF, FLIP_UNCLEAR); /* the value was there before */
	expect(branch(CTP_ASSERT, 1), 1, FLIP_ASSERT, FLIP_BUG);
	expect(branch(CTP_FIX, 1), 0, FLIP_NONE, FLIP_UNCLEAR); /* no decision of the program */
}

/* Both writes under the lock that the reader has too: it sees both or none. */
static struct got both(bool locked)
{
	struct ctp_make m;
	uint32_t x, y;

	begin(&m);
	for (uint32_t t = 1; t < 3; t++) {
		if (locked)
			make_sync(&m, t, CTP_LOCK, M, 10 * t);
		if (t == 1) {
			make_write(&m, 1, X, make_const(&m, 1), 1, 11);
			make_write(&m, 1, Y, make_const(&m, 1), 1, 12);
		} else {
			x = make_read(&m, 2, X, 1, 21);
			y = make_read(&m, 2, Y, 1, 22);
			make_guard(&m, 2, CTP_BRANCH,
				term_eq(m.c->ts, make_sym(&m, x), make_sym(&m, y)), 23);
		}
		if (locked)
			make_sync(&m, t, CTP_UNLOCK, M, 10 * t + 5);
	}
	end(&m);
	return ask(&m);
}

static void test_locked(void **state)
{
	(void)state;
	expect(both(false), 1, FLIP_IF, FLIP_UNCLEAR);
	expect(both(true), 0, FLIP_IF, FLIP_UNCLEAR);
}

/* One location that decides often is one report, and the only instance that flips is found. */
static void test_one_report(void **state)
{
	enum { N = 600 };
	struct ctp_make m;
	uint32_t r;
	struct got g;

	(void)state;
	begin(&m);
	for (uint32_t i = 0; i <= N; i++) {
		if (i == N)
			make_write(&m, 1, X, make_const(&m, 1), 1, 10);
		r = make_read(&m, 2, i == N ? X : Y, i == N, 20);
		make_guard(&m, 2, CTP_BRANCH,
			term_eq(m.c->ts, make_sym(&m, r), make_const(&m, i == N)), 21);
	}
	make_write(&m, 1, Y, make_const(&m, 0), 0, 11);
	end(&m);
	g = ask(&m);
	assert_int_equal(g.at.n, 1);
	assert_int_equal(g.at.at[0]->flip.instances, N + 1);
	done(&g);
}

/* ---- what decides without being a branch ------------------------------------------------------ */

static struct got decides(enum ctp_kind kind, uint16_t flags, uint64_t one, uint64_t other)
{
	struct ctp_make m;
	uint32_t r, g;
	term_t t;

	begin(&m);
	make_write(&m, 1, X, make_const(&m, (uint32_t)other), (uint32_t)other, 10);
	make_write(&m, 1, X, make_const(&m, (uint32_t)one), (uint32_t)one, 11);
	r = make_read(&m, 2, X, (uint32_t)one, 20);
	t = term_zext(m.c->ts, make_sym(&m, r), 64);
	g = make_guard(&m, 2, kind,
		kind == CTP_DIVISOR ? term_ne(m.c->ts, t, term_const(m.c->ts, 64, 0))
				    : term_eq(m.c->ts, t, term_const(m.c->ts, 64, one)),
		21);
	make_event(&m, g)->operand = t;
	if (kind == CTP_DEREF) {
		make_event(&m, g)->at = one;
		make_event(&m, g)->size = 4;
	} else {
		make_event(&m, g)->of.decided = one;
	}
	make_event(&m, g)->flags |= flags;
	if (flags & CTP_BASE_KNOWN) {
		make_event(&m, g)->of.base = one;
		make_event(&m, g)->block = make_block(&m, one, 64);
	}
	end(&m);
	return ask(&m);
}

static void test_addresses(void **state)
{
	(void)state;
	/* the first value of X is 0: null is asked first */
	expect(decides(CTP_DEREF, 0, 0x9000, 0x9100), 1, FLIP_POINTER, FLIP_BUG);
	expect(decides(CTP_DEREF, CTP_BASE_KNOWN, 0x9000, 0x9008), 1, FLIP_BOUNDS, FLIP_BUG);
	expect(decides(CTP_CALL, 0, 0x9000, 0x9100), 1, FLIP_CALL, FLIP_BUG);
	expect(decides(CTP_DIVISOR, 0, 7, 8), 1, FLIP_DIVISOR, FLIP_BUG);
	expect(decides(CTP_BRANCH, 0, 7, 8), 1, FLIP_SWITCH, FLIP_UNCLEAR);
}

/* ---- tries ------------------------------------------------------------------------------------ */

/* Thread 1 holds the lock; thread 2 tries: before, after, or meanwhile. */
static struct got try(bool fails, bool joined)
{
	struct ctp_make m;
	uint32_t e;

	ctp_make_init(&m, 3);
	make_object(&m, M, CHECK_MUTEX, 0, 0);
	make_create(&m, 0, 1);
	if (!joined)
		make_create(&m, 0, 2);
	make_sync(&m, 1, CTP_LOCK, M, 10);
	if (fails)
		make_sync(&m, 2, CTP_TRYFAIL, M, 20);
	make_sync(&m, 1, CTP_UNLOCK, M, 11);
	if (joined) {
		make_end(&m, 1);
		make_join(&m, 0, 1);
		make_create(&m, 0, 2);
	}
	if (!fails) {
		e = make_sync(&m, 2, CTP_LOCK, M, 20);
		make_event(&m, e)->flags |= CTP_TRIED;
		make_sync(&m, 2, CTP_UNLOCK, M, 21);
	}
	if (!joined)
		make_end(&m, 1);
	make_end(&m, 2);
	if (!joined)
		make_join(&m, 0, 1);
	make_join(&m, 0, 2);
	make_end(&m, 0);
	return ask(&m);
}

static void test_tries(void **state)
{
	struct got g = try(true, false);

	(void)state;
	assert_int_equal(g.at.n, 1);
	assert_int_equal(g.at.at[0]->flip.value, 1);
	assert_non_null(strstr(g.at.at[0]->flip.recorded, "fails to lock"));
	done(&g);
	expect(try(true, false), 1, FLIP_TRY, FLIP_UNCLEAR);
	expect(try(false, false), 1, FLIP_TRY, FLIP_UNCLEAR);
	expect(try(false, true), 0, FLIP_TRY, FLIP_UNCLEAR);
}

/* A semaphore with one left, or none until another thread posts. */
static struct got semaphore(bool fails, int64_t first, bool posts)
{
	struct ctp_make m;
	uint32_t e;

	begin(&m);
	make_object(&m, S, CHECK_SEM, 0, first);
	if (fails)
		make_sync(&m, 2, CTP_SEM_FAIL, S, 20);
	if (posts)
		make_sync(&m, 1, CTP_SEM_POST, S, 10);
	if (!fails) {
		e = make_sync(&m, 2, CTP_SEM_WAIT, S, 20);
		make_event(&m, e)->flags |= CTP_TRIED;
	}
	end(&m);
	return ask(&m);
}

static void test_semaphores(void **state)
{
	(void)state;
	expect(semaphore(true, 0, true), 1, FLIP_TRY, FLIP_UNCLEAR);
	expect(semaphore(false, 0, true), 1, FLIP_TRY, FLIP_UNCLEAR);
	expect(semaphore(false, 1, true), 0, FLIP_TRY, FLIP_UNCLEAR);
	expect(semaphore(true, 0, false), 0, FLIP_TRY, FLIP_UNCLEAR);
}

/* ---- check, then act -------------------------------------------------------------------------- */

enum act { ACT_NONE, ACT_READ, ACT_UNUSED, ACT_AGAIN, ACT_WRITE };

/* Both threads: if (x == 0) …; thread 1 writes 1 to x at some time. Thread 2 holds the lock from its check
 * on, thread 1 at its write, if they are locked. */
static struct got check_then(enum act act, bool locked)
{
	struct ctp_make m;
	uint32_t r, again;
	term_t zero;

	begin(&m);
	zero = make_const(&m, 0);
	if (locked)
		make_sync(&m, 2, CTP_LOCK, M, 20);
	r = make_read(&m, 2, X, 0, 21);
	make_guard(&m, 2, CTP_BRANCH, term_eq(m.c->ts, make_sym(&m, r), zero), 22);
	if (act == ACT_WRITE)
		make_write(&m, 2, X, make_const(&m, 7), 7, 23);
	if (act == ACT_READ || act == ACT_UNUSED || act == ACT_AGAIN) {
		again = make_read(&m, 2, X, 0, 23);
		if (act == ACT_AGAIN)
			make_guard(&m, 2, CTP_BRANCH,
				term_eq(m.c->ts, make_sym(&m, again), zero), 24);
		if (act != ACT_UNUSED)
			make_write(&m, 2, Y, make_sym(&m, again), 0, 25);
	}
	if (locked)
		make_sync(&m, 2, CTP_UNLOCK, M, 29);
	if (locked)
		make_sync(&m, 1, CTP_LOCK, M, 10);
	make_write(&m, 1, X, make_const(&m, 1), 1, 11);
	r = make_read(&m, 1, Y, 0, 12); /* Y is shared too */
	if (locked)
		make_sync(&m, 1, CTP_UNLOCK, M, 13);
	end(&m);
	return ask(&m);
}

static enum flip_class class_of(struct got g)
{
	enum flip_class c = FLIP_NCLASSES;

	vec_each (&g.at, i)
		if (g.at.at[i]->flip.insn == 22)
			c = g.at.at[i]->flip.class_;
	done(&g);
	return c;
}

static void test_check_then_act(void **state)
{
	(void)state;
	assert_int_equal(class_of(check_then(ACT_NONE, false)), FLIP_UNCLEAR);
	assert_int_equal(class_of(check_then(ACT_READ, false)), FLIP_BUG);
	assert_int_equal(class_of(check_then(ACT_READ, true)), FLIP_UNCLEAR);
	assert_int_equal(class_of(check_then(ACT_UNUSED, false)), FLIP_UNCLEAR);
	assert_int_equal(class_of(check_then(ACT_AGAIN, false)), FLIP_UNCLEAR);
	assert_int_equal(class_of(check_then(ACT_WRITE, false)), FLIP_BUG);
	assert_int_equal(class_of(check_then(ACT_WRITE, true)), FLIP_UNCLEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branch),
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_one_report),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(test_semaphores),
		cmocka_unit_test(test_check_then_act),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
