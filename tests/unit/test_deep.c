/* Inside of src/deep: the tree of paths. */
#include "base/vec.h"
#include "deep/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
