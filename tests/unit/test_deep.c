/* Inside of src/deep: work over processes, and the tree of paths. */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "deep/paths.h"
#include "deep/workers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- workers ----------------------------------------------------------------------------- */

enum { ITEMS = 40 };
struct sums {
	uint32_t answers[ITEMS];
	uint32_t dies; /* item */
};

static void square(void *ctx, uint32_t item, struct strbuf *answer)
{
	const struct sums *s = ctx;

	if (item == s->dies)
		raise(SIGKILL);
	strbuf_addf(answer, "%u", item * item);
}

static void take(void *ctx, uint32_t item, const char *answer, size_t n)
{
	struct sums *s = ctx;
	char text[16] = {0};

	memcpy(text, answer, MIN(n, sizeof text - 1));
	assert_int_equal(s->answers[item], 0);
	assert_int_equal(sscanf(text, "%u", &s->answers[item]), 1);
}

static void test_workers(void **state)
{
	struct sums s = {.dies = ITEMS};
	struct workers_do w = {.work = square, .done = take, .ctx = &s};

	(void)state;
	assert_int_equal(workers_run(&w, ITEMS, 3), 0);
	for (uint32_t i = 0; i < ITEMS; i++)
		assert_int_equal(s.answers[i], i * i);
}

/* One that dies has no answer; the others do the rest. */
static void test_worker_dies(void **state)
{
	struct sums s = {.dies = 5};
	struct workers_do w = {.work = square, .done = take, .ctx = &s};

	(void)state;
	assert_int_equal(workers_run(&w, ITEMS, 2), 1);
	assert_int_equal(s.answers[5], 0);
	assert_int_equal(s.answers[ITEMS - 1], (ITEMS - 1) * (ITEMS - 1));
}

/* ---- paths ------------------------------------------------------------------------------- */


static struct ctp_event *add(struct ctp *c, enum ctp_kind kind, uint32_t insn)
{
	vec_push(&c->events, (struct ctp_event){.kind = kind,
				     .insn = insn,
				     .link.none = CTP_NONE,
				     .region = CTP_NONE,
				     .block = CTP_NONE,
				     .rank = c->events.n});
	vec_push(&c->order, c->events.n - 1);
	c->threads.at[0].n = c->events.n;
	return &vec_last(&c->events);
}

/* BEGIN, a branch that went `way`, then a lock at another place, END. */
static struct ctp *path(uint64_t way, uint32_t then, bool cut)
{
	struct ctp *c = ctp_new();

	vec_push(&c->threads, (struct ctp_thread){.parent = CTP_NONE,
				      .create = CTP_NONE,
				      .begin = 0,
				      .end = CTP_NONE,
				      .cut = cut});
	add(c, CTP_BEGIN, 0);
	add(c, CTP_BRANCH, 1)->of.decided = way;
	add(c, CTP_LOCK, then)->object = 64;
	if (!cut)
		add(c, CTP_END, 9);
	return c;
}

static bool put(struct paths *p, struct ctp *c, bool *odd)
{
	bool fresh = paths_add(p, c, 0, odd);

	ctp_free(c);
	return fresh;
}

static void test_paths(void **state)
{
	struct paths p = {0};
	bool odd = false;

	(void)state;
	assert_true(put(&p, path(1, 2, false), &odd));
	assert_false(put(&p, path(1, 2, false), &odd));
	assert_false(put(&p, path(1, 2, true), &odd)); /* the beginning of a known one */
	assert_true(put(&p, path(0, 3, true), &odd));
	assert_true(put(&p, path(0, 3, false), &odd)); /* goes further */
	assert_false(odd);
	assert_int_equal(paths_count(&p), 2);
	assert_int_equal(p.threads, 1);
	/* another way where nothing decides */
	assert_true(put(&p, path(1, 7, false), &odd));
	assert_true(odd);
	paths_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_workers),
		cmocka_unit_test(test_worker_dies), cmocka_unit_test(test_paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
