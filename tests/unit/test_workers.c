/* Work over processes: workers that answer, die, write half an answer, or run out of time. */
#include "base/base.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "base/workers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { ITEMS = 40, PAGE = 4096 };
enum fate { ANSWERS, KILLED, EXITS, EXITS_SILENTLY, WRITES_HALF, WRITES_MUCH, SLEEPS };

struct items {
	enum fate fate[ITEMS];
	uint32_t answered[ITEMS], lost[ITEMS]; /* counts */
	char why[80];                          /* of the last lost item */
	pid_t caller;
	bool here; /* the work must be done by the caller */
	double deadline;
};

static void work_on_item(void *ctx, uint32_t item, struct strbuf *answer)
{
	const struct items *s = ctx;

	if (s->here != (getpid() == s->caller))
		abort();
	strbuf_addf(answer, "%u", item * item);
	switch (s->fate[item]) {
	case ANSWERS: break;
	case KILLED: raise(SIGKILL); break;
	case EXITS: _exit(3);
	case EXITS_SILENTLY: _exit(0);
	case WRITES_HALF: /* the second page cannot be read: write() fails there */
		strbuf_release(answer);
		answer->s = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(answer->s + PAGE, PAGE, PROT_NONE);
		answer->n = 2 * PAGE;
		break;
	case WRITES_MUCH:
		while (answer->n < 3 << 20)
			strbuf_adds(answer, " much more than a pipe holds");
		break;
	case SLEEPS: usleep(50000); break;
	}
}

static void receive_answer(void *ctx, uint32_t item, const char *answer, size_t n)
{
	struct items *s = ctx;
	char text[16] = {0};

	memcpy(text, answer, MIN(n, sizeof text - 1));
	assert_int_equal(strtoul(text, NULL, 10), item * item);
	assert_int_equal(n > 1 << 20, s->fate[item] == WRITES_MUCH);
	s->answered[item]++;
}

static void lose_item(void *ctx, uint32_t item, const char *why)
{
	struct items *s = ctx;

	s->lost[item]++;
	snprintf(s->why, sizeof s->why, "%s", why);
}

static bool is_over(void *ctx)
{
	const struct items *s = ctx;

	return s->deadline && clock_seconds() > s->deadline;
}

static uint32_t run(struct items *s, uint32_t n, uint32_t jobs)
{
	struct workers_do w = {.work = work_on_item,
		.done = receive_answer,
		.lost = lose_item,
		.over = is_over,
		.ctx = s};

	s->caller = getpid();
	return workers_run(&w, n, jobs);
}

static void test_answers(void **state)
{
	struct items s = {.fate = {[7] = WRITES_MUCH, [8] = WRITES_MUCH}};

	(void)state;
	assert_int_equal(run(&s, ITEMS, 3), 0);
	for (uint32_t i = 0; i < ITEMS; i++) {
		assert_int_equal(s.answered[i], 1);
		assert_int_equal(s.lost[i], 0);
	}
}

/* One item is lost, its index and the reason are reported, and another worker does the rest. */
static void check_one_lost(enum fate fate, uint32_t item, uint32_t jobs, const char *why)
{
	struct items s = {.fate = {0}};

	s.fate[item] = fate;
	assert_int_equal(run(&s, ITEMS, jobs), 1);
	for (uint32_t i = 0; i < ITEMS; i++) {
		assert_int_equal(s.answered[i], i != item);
		assert_int_equal(s.lost[i], i == item);
	}
	assert_string_equal(s.why, why);
}

static void test_worker_dies(void **state)
{
	(void)state;
	check_one_lost(KILLED, 5, 2, "the worker was killed by SIGKILL");
	check_one_lost(KILLED, ITEMS - 1, 2, "the worker was killed by SIGKILL");
	check_one_lost(EXITS, 0, 3, "the worker ended with status 3");
	check_one_lost(EXITS_SILENTLY, 11, 3, "the worker ended with status 0");
}

static void test_half_a_message(void **state)
{
	(void)state;
	check_one_lost(WRITES_HALF, 9, 2, "the worker ended with status 1");
}

/* More workers die than there are jobs. */
static void test_all_die(void **state)
{
	struct items s = {.fate = {0}};

	(void)state;
	for (uint32_t i = 0; i < ITEMS; i++)
		s.fate[i] = KILLED;
	assert_int_equal(run(&s, ITEMS, 2), ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++)
		assert_int_equal(s.lost[i], 1);
}

/* Items that were begun are answered, the others neither answered nor lost. */
static void test_deadline(void **state)
{
	struct items s = {.fate = {0}};
	uint32_t answered = 0, jobs;

	(void)state;
	for (jobs = 1; jobs < 3; jobs++) {
		s = (struct items){.here = jobs == 1, .deadline = clock_seconds() + 0.2};
		for (uint32_t i = 0; i < ITEMS; i++)
			s.fate[i] = SLEEPS;
		assert_int_equal(run(&s, ITEMS, jobs), 0);
		answered = 0;
		for (uint32_t i = 0; i < ITEMS; i++) {
			assert_int_equal(s.lost[i], 0);
			answered += s.answered[i];
		}
		assert_true(answered < ITEMS);
		assert_int_equal(s.answered[ITEMS - 1], 0);
	}
	s = (struct items){.deadline = clock_seconds() - 1};
	assert_int_equal(run(&s, ITEMS, 2), 0);
	assert_int_equal(s.answered[0], 0);
}

/* One job, or one item: no process is made. */
static void test_one_job(void **state)
{
	struct items s = {.here = true};

	(void)state;
	assert_int_equal(run(&s, ITEMS, 1), 0);
	for (uint32_t i = 0; i < ITEMS; i++)
		assert_int_equal(s.answered[i], 1);
	s = (struct items){.here = true};
	assert_int_equal(run(&s, 1, 4), 0);
	assert_int_equal(s.answered[0], 1);
	assert_int_equal(run(&s, 0, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_worker_dies),
		cmocka_unit_test(test_half_a_message),
		cmocka_unit_test(test_all_die),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_one_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
