/*
 * What a replay counts as seen, kind by kind, and how two replays make a verdict. The runs are made
 * up here: this file has a replay_run() of its own.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "log/format.h"
#include "replay/output.h"
#include "replay/replay.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- runs that are made up ------------------------------------------------------------------- */

static struct {
	struct sched_outcome out[8];
	const char *output[8];
	bool cut; /* outputs are incomplete */
	struct sched_switch switches[8];
	uint32_t nswitches;
	uint32_t runs;
	struct finding_move last[8][8]; /* moves of each run */
	uint32_t nlast[8];
} fake;

int replay_run(const struct replay_options *opt, const struct finding *f, struct replay_result *res)
{
	uint32_t k = fake.runs++;

	assert_true(k < 8);
	assert_true(opt->quiet);
	*res = (struct replay_result){.out = fake.out[k]};
	for (uint32_t i = 0; i < fake.nswitches; i++)
		vec_push(&res->switches, fake.switches[i]);
	strbuf_adds(&res->output, fake.output[k] ? fake.output[k] : "");
	res->output_cut = fake.cut;
	fake.nlast[k] = f->moves.n;
	for (uint32_t i = 0; i < MIN(f->moves.n, 8u); i++)
		fake.last[k][i] = f->moves.at[i];
	return 0;
}

void replay_result_release(struct replay_result *r)
{
	vec_release(&r->switches);
	vec_release(&r->threads);
	strbuf_release(&r->output);
}

/* No image is looked for. */
static const struct image_file none = {.path = "none", .fd = -1};
static const struct replay_options no_image = {.image = &none};

static struct finding *made(enum fault kind)
{
	static const char *const names[] = {"main", "first", "second"};
	struct finding *f = finding_new();

	memset(&fake, 0, sizeof fake);
	f->kind = kind;
	f->title = xstrdup("a finding");
	f->expect_thread = SCHED_NONE;
	for (uint32_t i = 0; i < 3; i++)
		vec_push(&f->threads, (struct finding_thread){i ? 0 : SCHED_NONE,
					      i ? i - 1 : SCHED_NONE, xstrdup(names[i]), {0}});
	vec_push(&f->moves, (struct finding_move){0, 5});
	vec_push(&f->moves, (struct finding_move){1, 4});
	vec_push(&f->moves, (struct finding_move){2, 7});
	return f;
}

static void step(struct finding *f, uint32_t thread, uint64_t point, uint32_t flags, uint32_t line,
	const char *source)
{
	struct finding_step *s = vec_add(&f->steps);

	s->thread = thread;
	s->point = point;
	s->flags = flags;
	s->place = (struct finding_place){
		.file = xstrdup("src/bank.c"), .function = xstrdup("deposit"), .line = line};
	s->source = xstrdup(source);
}

/* Sets the same outcome for all runs. */
static struct sched_outcome *outcome(enum sched_fate fate)
{
	for (int i = 0; i < 8; i++)
		fake.out[i] =
			(struct sched_outcome){.fate = fate, .thread = 1, .done = 3, .hash = 42};
	return &fake.out[0];
}

static void all_alike(void)
{
	for (int i = 1; i < 8; i++)
		fake.out[i] = fake.out[0];
}

static void expect(struct finding *f, enum finding_status status, const char *words)
{
	all_alike();
	assert_int_equal(replay_confirm(f, &no_image), 0);
	if (f->status != status || !f->outcome || !strstr(f->outcome, words))
		fail_msg("status %d, '%s', '%s'", f->status, f->outcome ? f->outcome : "",
			f->divergence ? f->divergence : "");
	assert_int_equal(f->hash, status == FINDING_CONFIRMED ? 42 : 0);
	finding_free(f);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static struct sched_outcome *race(struct finding **f)
{
	struct sched_outcome *o;

	*f = made(FAULT_RACE);
	(*f)->goal = SCHED_GOAL_RACE;
	(*f)->a = 1;
	(*f)->b = 2;
	o = outcome(SCHED_EXITED);
	o->goal_seen = 1;
	o->memory[0] = (struct sched_memory){.addr = 0x1000, .size = 4, .write = 1};
	o->memory[1] = (struct sched_memory){.addr = 0x1002, .size = 4};
	return o;
}

static void races(void **state)
{
	struct finding *f;

	(void)state;
	race(&f);
	expect(f, FINDING_CONFIRMED, "thread 1 ('first') writes 4 bytes");
	race(&f)->goal_seen = 0;
	expect(f, FINDING_PREDICTED, "exited with 0");
	race(&f)->memory[1].addr = 0x1004;
	expect(f, FINDING_PREDICTED, "different places");
	race(&f)->memory[0].write = 0;
	expect(f, FINDING_PREDICTED, "both reads");
	race(&f)->memory[1].atomic = 1;
	expect(f, FINDING_CONFIRMED, "reads 4 bytes atomically");
	race(&f)->memory[0].atomic = 1;
	fake.out[0].memory[1].atomic = 1;
	expect(f, FINDING_PREDICTED, "both atomic");
}

static struct sched_outcome *deadlock(struct finding **f, enum fault kind)
{
	struct sched_outcome *o;

	*f = made(kind);
	(*f)->goal = SCHED_GOAL_STUCK;
	step(*f, 1, 4, STEP_KEY | STEP_LAST, 10, "lock(&b)");
	step(*f, 2, 7, STEP_KEY | STEP_LAST, 20, "lock(&a)");
	o = outcome(SCHED_DEADLOCK);
	o->nwaits = 3;
	o->waits[0] = (struct sched_wait){.thread = 0, .kind = LOG_S_JOIN, .point = 9, .holder = 1};
	o->waits[1] = (struct sched_wait){.thread = 1, .kind = LOG_S_LOCK, .point = 4, .holder = 2};
	o->waits[2] = (struct sched_wait){.thread = 2, .kind = LOG_S_LOCK, .point = 7, .holder = 1};
	return o;
}

static void deadlocks(void **state)
{
	struct sched_outcome *o;
	struct finding *f;

	(void)state;
	deadlock(&f, FAULT_DEADLOCK);
	expect(f, FINDING_CONFIRMED,
		"thread 1 ('first') waits at bank.c:10 in 'deposit' for thread 2 ('second'), ");
	deadlock(&f, FAULT_DEADLOCK)->fate = SCHED_EXITED;
	expect(f, FINDING_PREDICTED, "exited");
	deadlock(&f, FAULT_DEADLOCK)->waits[1].point = 5;
	expect(f, FINDING_PREDICTED, "another deadlock");
	deadlock(&f, FAULT_DEADLOCK)->nwaits = 2;
	expect(f, FINDING_PREDICTED, "another deadlock");
	deadlock(&f, FAULT_LOST_WAKEUP);
	expect(f, FINDING_PREDICTED, "no thread waits for a condition variable");
	o = deadlock(&f, FAULT_LOST_WAKEUP);
	o->waits[1].kind = LOG_S_COND_WAIT;
	o->waits[1].point = 5; /* between the two points of the wait */
	expect(f, FINDING_CONFIRMED, "waits at bank.c:10");
	deadlock(&f, FAULT_HANG);
	expect(f, FINDING_CONFIRMED, "waits at bank.c:10");
	o = deadlock(&f, FAULT_DOUBLE_LOCK);
	expect(f, FINDING_PREDICTED, "hung");
	o = deadlock(&f, FAULT_DOUBLE_LOCK);
	o->waits[1].holder = 1;
	expect(f, FINDING_CONFIRMED, "for itself");
}

static struct sched_outcome *assertion(struct finding **f)
{
	struct sched_outcome *o;

	*f = made(FAULT_ASSERT);
	(*f)->expect_thread = 1;
	step(*f, 1, 4, STEP_KEY, 31, "assert(x == 1);");
	o = outcome(SCHED_ASSERT);
	strcpy(o->text, "bank.c:31: deposit: assertion 'x == 1' failed");
	return o;
}

static void failures(void **state)
{
	struct sched_outcome *o;
	struct finding *f;

	(void)state;
	assertion(&f);
	expect(f, FINDING_CONFIRMED, "'x == 1' failed");
	assertion(&f)->thread = 2;
	expect(f, FINDING_PREDICTED, "another failure");
	o = assertion(&f);
	strcpy(o->text, "bank.c:90: deposit: Assertion `y == 1' failed");
	expect(f, FINDING_PREDICTED, "another failure");
	o = assertion(&f); /* the line of an assertion over several lines is another one */
	strcpy(o->text, "bank.c:30: deposit: assertion 'x == 1' failed");
	expect(f, FINDING_CONFIRMED, "failed");
	assertion(&f)->fate = SCHED_EXITED;
	expect(f, FINDING_PREDICTED, "exited with 0");

	f = made(FAULT_DIVISION);
	outcome(SCHED_SIGNAL)->code = SIGFPE;
	expect(f, FINDING_CONFIRMED, "SIGFPE in thread 1");
	f = made(FAULT_DIVISION);
	outcome(SCHED_SIGNAL)->code = SIGSEGV;
	expect(f, FINDING_PREDICTED, "SIGSEGV");
	f = made(FAULT_NULL_DEREF);
	outcome(SCHED_SIGNAL)->code = SIGSEGV;
	expect(f, FINDING_CONFIRMED, "SIGSEGV in thread 1 ('first') at address 0x0");
	f = made(FAULT_CRASH); /* the largest signal number, which has no address */
	outcome(SCHED_SIGNAL)->code = 64;
	expect(f, FINDING_CONFIRMED, "in thread 1 ('first')");
	f = made(FAULT_CRASH);
	outcome(SCHED_SIGNAL)->code = SIGABRT;
	all_alike();
	assert_int_equal(replay_confirm(f, &no_image), 0);
	assert_string_equal(f->outcome, "SIGABRT in thread 1 ('first')");
	finding_free(f);
	f = made(FAULT_NULL_DEREF);
	f->expect_thread = 2;
	outcome(SCHED_SIGNAL)->code = SIGSEGV;
	expect(f, FINDING_PREDICTED, "SIGSEGV");
}

static void memory(enum fault kind, enum sched_what what, bool goal,
	enum finding_status status, const char *words)
{
	struct finding *f = made(kind);
	struct sched_outcome *o = outcome(SCHED_EXITED);

	f->goal = SCHED_GOAL_ACCESS;
	f->a = 2;
	o->goal_seen = goal;
	o->memory[0] = (struct sched_memory){.addr = 0x2008,
		.size = 4,
		.write = 1,
		.what = what,
		.block = 0x2000,
		.block_size = 8,
		.freed_by = 1};
	expect(f, status, words);
}

static void pointers(void **state)
{
	(void)state;
	memory(FAULT_USE_AFTER_FREE, SCHED_FREED, true, FINDING_CONFIRMED,
		"freed by thread 1 ('first')");
	memory(FAULT_USE_AFTER_FREE, SCHED_FREED, false, FINDING_PREDICTED, "exited");
	memory(FAULT_USE_AFTER_FREE, SCHED_OUTSIDE, true, FINDING_PREDICTED, "exited");
	memory(FAULT_DOUBLE_FREE, SCHED_FREED, true, FINDING_CONFIRMED, "frees 0x2008");
	memory(FAULT_OVERFLOW, SCHED_OUTSIDE, true, FINDING_CONFIRMED,
		"+8 bytes from a block of 8");
	memory(FAULT_OVERFLOW, SCHED_FREED, true, FINDING_PREDICTED, "exited");
	memory(FAULT_WILD_DEREF, SCHED_UNMAPPED, true, FINDING_CONFIRMED, "thread 2");
	memory(FAULT_NULL_DEREF, SCHED_NULL, true, FINDING_CONFIRMED, "thread 2");
	memory(FAULT_NULL_DEREF, SCHED_OK, true, FINDING_PREDICTED, "exited");
}

static void misused(enum fault kind, enum sched_misuse what, uint32_t by,
	enum finding_status status, const char *words)
{
	struct finding *f = made(kind);
	struct sched_outcome *o = outcome(SCHED_EXITED);

	f->expect_thread = 1;
	o->misuse.what = what;
	o->misuse.thread = by;
	expect(f, status, words);
}

static void misuse(void **state)
{
	(void)state;
	misused(FAULT_DOUBLE_UNLOCK, SCHED_UNLOCK_FREE, 1, FINDING_CONFIRMED,
		"thread 1 ('first') unlocked a lock that no thread held");
	misused(FAULT_FOREIGN_UNLOCK, SCHED_UNLOCK_FREE, 1, FINDING_PREDICTED, "exited");
	misused(FAULT_FOREIGN_UNLOCK, SCHED_UNLOCK_OTHERS, 1, FINDING_CONFIRMED,
		"another thread");
	misused(FAULT_DESTROY, SCHED_USE_DESTROYED, 1, FINDING_CONFIRMED, "a destroyed object");
	misused(FAULT_DESTROY, SCHED_USE_DESTROYED, 2, FINDING_PREDICTED, "exited");
	misused(FAULT_DOUBLE_LOCK, SCHED_LOCK_OWN, 1, FINDING_CONFIRMED, "that it held");
	misused(FAULT_RECURSION, SCHED_END_HOLDING, 1, FINDING_CONFIRMED, "recursive");
	misused(FAULT_DESTROY, SCHED_USED_WELL, 1, FINDING_PREDICTED, "exited");
}

/* ---- transactions ---------------------------------------------------------------------------- */

static struct finding *atomicity(const char *broken, const char *before, const char *after)
{
	struct finding *f = made(FAULT_ATOMICITY);

	f->moves.n = 0;
	vec_push(&f->moves, (struct finding_move){0, 5});
	vec_push(&f->moves, (struct finding_move){1, 4});
	vec_push(&f->moves, (struct finding_move){2, 8});
	vec_push(&f->moves, (struct finding_move){1, 7});
	step(f, 1, 3, STEP_KEY, 10, "x = n");
	step(f, 2, 7, STEP_KEY, 20, "n = 0");
	step(f, 1, 6, STEP_KEY, 11, "n = x + 1");
	outcome(SCHED_EXITED);
	fake.nswitches = 4;
	for (uint32_t i = 0; i < 4; i++)
		fake.switches[i] = (struct sched_switch){
			.thread = f->moves.at[i].thread, .until = f->moves.at[i].until};
	fake.output[0] = fake.output[1] = broken;
	fake.output[2] = before;
	fake.output[3] = after;
	return f;
}

static void transactions(void **state)
{
	struct finding *f;

	(void)state;
	expect(atomicity("1\n", "2\n", "0\n"), FINDING_CONFIRMED,
		"differs from every serial order");
	assert_int_equal(fake.runs, 4);
	/* before: thread 1 has not begun, thread 2 goes past its access */
	assert_int_equal(fake.nlast[2], 3);
	assert_int_equal(fake.last[2][0].thread, 0);
	assert_int_equal(fake.last[2][1].thread, 2);
	assert_int_equal(fake.last[2][2].thread, 2);
	assert_int_equal(fake.last[2][2].until, 8);
	/* after: thread 1 makes both, thread 2 has not begun */
	assert_int_equal(fake.nlast[3], 3);
	assert_int_equal(fake.last[3][1].thread, 1);
	assert_int_equal(fake.last[3][2].thread, 1);
	assert_int_equal(fake.last[3][2].until, 7);
	expect(atomicity("b\na\n", "2\n", "a\nb\n"), FINDING_CONFIRMED,
		"is that of a serial order");

	f = atomicity("1\n", "2\n", "0\n");
	fake.cut = true; /* what was cut off may be the same */
	expect(f, FINDING_CONFIRMED, "serial orders could not be compared");

	f = atomicity("1\n", "2\n", "0\n");
	fake.switches[2].until = 7; /* thread 2 did not make its access in between */
	expect(f, FINDING_PREDICTED, "the program exited with");

	f = atomicity("1\n", NULL, NULL);
	all_alike();
	for (int i = 2; i < 8; i++)
		fake.out[i].diverged = 1;
	assert_int_equal(replay_confirm(f, &no_image), 0);
	assert_int_equal(f->status, FINDING_CONFIRMED);
	assert_non_null(strstr(f->outcome, "serial orders could not be compared"));
	assert_int_equal(fake.runs, 8);
	/* the third try: thread 1 as far as it can be, right before its first access */
	assert_int_equal(fake.nlast[4], 3);
	assert_int_equal(fake.last[4][1].thread, 1);
	assert_int_equal(fake.last[4][1].until, 3);
	assert_int_equal(fake.last[4][2].thread, 2);
	finding_free(f);
}

/* ---- faults that the machine executed -------------------------------------------------------- */

/* A finding of exploration. Its run has the outcome fate and code after `done` of three segments. */
static struct finding *executed(enum fault kind, enum sched_fate fate, int code, uint32_t done)
{
	struct finding *f = made(kind);

	f->test = xcalloc(1, sizeof *f->test);
	f->test->program = xstrdup("a program");
	f->test->fate = EXEC_FAULT;
	f->test->fault = kind;
	f->test->noutput = -1;
	outcome(fate)->code = code;
	fake.out[0].done = done;
	return f;
}

static void expect_sight(struct finding *f, enum sight sight, const char *words)
{
	struct replay_result r = {.out = fake.out[0], .status = fake.out[0].code << 8};
	struct strbuf why = {0};
	enum sight got = replay_judge(f, &r, &why);

	if (got != sight || !strstr(why.s, words))
		fail_msg("sight %d, '%s'", got, why.s);
	strbuf_release(&why);
	finding_free(f);
}

/* A fault that need not show counts as seen if the program dies there as of damaged memory. */
static void no_sign(void **state)
{
	struct finding *f;

	(void)state;
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_EXITED, 0, 3), SIGHT_MACHINE_ONLY, "exited");
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_SIGNAL, SIGSEGV, 3), SIGHT_SEEN, "SIGSEGV");
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_SIGNAL, SIGABRT, 2), SIGHT_SEEN, "SIGABRT");
	/* before the segment with the fault */
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_SIGNAL, SIGSEGV, 1), SIGHT_OTHER, "SIGSEGV");
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_EXITED, 0, 1), SIGHT_OTHER, "exited");
	expect_sight(executed(FAULT_STACK_OVERRUN, SCHED_SIGNAL, SIGTERM, 3), SIGHT_MACHINE_ONLY, "SIGTERM");
	f = executed(FAULT_STACK_OVERRUN, SCHED_ASSERT, 0, 3);
	strcpy(fake.out[0].text, "free(): invalid pointer");
	expect_sight(f, SIGHT_SEEN, "invalid pointer");
	f = executed(FAULT_STACK_OVERRUN, SCHED_ASSERT, 0, 3);
	strcpy(fake.out[0].text, "bank.c:31: deposit: Assertion `x' failed");
	expect_sight(f, SIGHT_MACHINE_ONLY, "Assertion");
	expect_sight(executed(FAULT_USE_AFTER_FREE, SCHED_SIGNAL, SIGSEGV, 3), SIGHT_SEEN, "SIGSEGV");
	expect_sight(executed(FAULT_DOUBLE_FREE, SCHED_SIGNAL, SIGSEGV, 3), SIGHT_SEEN, "SIGSEGV");
	/* a fault with a sure sign, and a prediction */
	expect_sight(executed(FAULT_DIVISION, SCHED_SIGNAL, SIGSEGV, 3), SIGHT_OTHER, "SIGSEGV");
	f = executed(FAULT_STACK_OVERRUN, SCHED_SIGNAL, SIGSEGV, 3);
	testcase_free(f->test);
	f->test = NULL;
	expect_sight(f, SIGHT_OTHER, "SIGSEGV");
}

static void test_cases(void **state)
{
	struct finding *f = executed(FAULT_ASSERT, SCHED_ASSERT, 0, 3);

	(void)state;
	f->test->line = 31;
	strcpy(fake.out[0].text, "bank.c:31: deposit: Assertion `x' failed");
	expect_sight(f, SIGHT_SEEN, "thread 1 ('first') failed: bank.c:31");
	f = executed(FAULT_ASSERT, SCHED_ASSERT, 0, 3);
	f->test->line = 31;
	strcpy(fake.out[0].text, "bank.c:32: deposit: Assertion `x' failed");
	expect_sight(f, SIGHT_OTHER, "another failure");
	f = executed(FAULT_NONE, SCHED_EXITED, 3, 3);
	f->test->fate = EXEC_EXITED;
	f->test->status = 3;
	expect_sight(f, SIGHT_SEEN, "exited with 3");
	f = executed(FAULT_NONE, SCHED_EXITED, 3, 3);
	f->test->fate = EXEC_EXITED;
	f->test->status = 3;
	f->test->output = xstrdup("x");
	f->test->noutput = 1;
	expect_sight(f, SIGHT_OTHER, "exited with 3, but it printed different output");
	expect_sight(executed(FAULT_RACE, SCHED_STUCK, 0, 3), SIGHT_UNKNOWN, "no progress");
	/* after a divergence only the expected failure counts */
	f = executed(FAULT_DIVISION, SCHED_SIGNAL, SIGFPE, 1);
	fake.out[0].diverged = 1;
	expect_sight(f, SIGHT_SEEN, "SIGFPE in thread 1 ('first'), after the replay diverged");
	f = executed(FAULT_DIVISION, SCHED_SIGNAL, SIGSEGV, 1);
	fake.out[0].diverged = 1;
	expect_sight(f, SIGHT_DIVERGED, "SIGSEGV");
	f = executed(FAULT_DIVISION, SCHED_EXITED, 0, 1);
	fake.out[0].diverged = 1;
	expect_sight(f, SIGHT_DIVERGED, "the replay diverged from the schedule");
}

static void outputs(void **state)
{
	(void)state;
#define COMPARE(a, b, whole) output_compare(a, sizeof a - 1, b, sizeof b - 1, whole)
	assert_int_equal(COMPARE("a\nb\n", "a\nb\n", true), OUTPUT_SAME);
	assert_int_equal(COMPARE("a\nb\n", "b\na\n", true), OUTPUT_ORDER);
	assert_int_equal(COMPARE("a\nb\n", "a\nc\n", true), OUTPUT_OTHER);
	assert_int_equal(COMPARE("a\nb\n", "ab\n\n", true), OUTPUT_MIXED);
	assert_int_equal(COMPARE("a\nb\n", "a\n", true), OUTPUT_OTHER);
	assert_int_equal(COMPARE("a\nb\n", "a\n", false), OUTPUT_SAME);
	assert_int_equal(COMPARE("\n\n", "\n ", true), OUTPUT_OTHER);
	/* a byte 0 ends nothing */
	assert_int_equal(COMPARE("a\0b\n", "a\0c\n", true), OUTPUT_OTHER);
	assert_int_equal(COMPARE("a\0b\nc\n", "c\na\0b\n", true), OUTPUT_ORDER);
	assert_int_equal(output_compare(NULL, 0, NULL, 0, true), OUTPUT_SAME);
	assert_int_equal(output_compare(NULL, 0, "a", 1, true), OUTPUT_OTHER);
	assert_int_equal(output_compare(NULL, 0, "a", 1, false), OUTPUT_SAME);
}

/* ---- two replays ----------------------------------------------------------------------------- */

static void disagreement(void **state)
{
	struct finding *f;

	(void)state;
	race(&f);
	all_alike();
	fake.out[1].hash = 43;
	assert_int_equal(replay_confirm(f, &no_image), 0);
	assert_int_equal(f->status, FINDING_PREDICTED);
	assert_non_null(strstr(f->divergence, "not deterministic"));
	assert_int_equal(f->hash, 0);
	finding_free(f);

	race(&f);
	f->status = FINDING_OBSERVED;
	all_alike();
	fake.out[1].goal_seen = 0;
	assert_int_equal(replay_confirm(f, &no_image), 0);
	assert_int_equal(f->status, FINDING_OBSERVED);
	finding_free(f);
}

static void divergence(void **state)
{
	struct finding *f = made(FAULT_ASSERT);

	(void)state;
	step(f, 1, 3, 0, 31, "x = time(0);");
	strcpy(outcome(SCHED_EXITED)->text, "it ended");
	fake.out[0].diverged = 1;
	fake.out[0].done = 1;
	all_alike();
	fake.out[1].hash = 43;
	assert_int_equal(replay_confirm(f, &no_image), 0);
	assert_int_equal(f->status, FINDING_DIVERGED);
	assert_null(f->outcome);
	assert_non_null(strstr(f->divergence,
		"segment 2 of 3 of the schedule: thread 1 ('first') did not reach bank.c:31 in 'deposit': it ended"));
	assert_non_null(strstr(f->divergence, "not deterministic"));
	assert_non_null(strstr(f->divergence, "likely cause"));
	finding_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races),
		cmocka_unit_test(deadlocks),
		cmocka_unit_test(failures),
		cmocka_unit_test(pointers),
		cmocka_unit_test(misuse),
		cmocka_unit_test(transactions),
		cmocka_unit_test(no_sign),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(outputs),
		cmocka_unit_test(disagreement),
		cmocka_unit_test(divergence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
