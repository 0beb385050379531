/* The search of the observed order, over indexes that are made by hand. */
#include "base/base.h"
#include "base/vec.h"
#include "extract/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct made {
	struct extractor x;
	struct ix ix;
};

static void make(struct made *m, uint32_t nthreads, uint32_t ncells)
{
	*m = (struct made){.x.c = ctp_new()};
	m->ix = (struct ix){.x = &m->x, .nthreads = nthreads};
	m->ix.threads = xcalloc(nthreads + 1, sizeof *m->ix.threads);
	for (uint32_t i = 0; i < ncells; i++)
		vec_push(
			&m->x.c->cells, (struct ctp_cell){.addr = 8 * i, .size = 4, .known = true});
}

static void release(struct made *m)
{
	ix_release(&m->ix);
	ctp_free(m->x.c);
}

static void add(struct made *m, uint32_t t, uint8_t kind, uint32_t cell, uint64_t value)
{
	vec_push(&m->ix.threads[t].at,
		(struct ix_entry){.kind = kind, .what = cell, .value = value});
}

/* Before: the entry at pos of t. */
static bool is_before(const struct made *m, uint32_t t, uint32_t pos, uint32_t u, uint32_t at)
{
	return m->ix.rank[m->ix.threads[t].first + pos] < m->ix.rank[m->ix.threads[u].first + at];
}

static void a_read_comes_after_its_write(void **state)
{
	struct made m;

	(void)state;
	make(&m, 3, 1);
	add(&m, 0, IX_READ, 0, 2);
	add(&m, 0, IX_READ, 0, 1);
	add(&m, 1, IX_WRITE, 0, 1);
	add(&m, 2, IX_READ, 0, 0);
	add(&m, 2, IX_WRITE, 0, 2);
	ix_number(&m.ix);
	assert_int_equal(ix_order(&m.ix, false), CTP_NONE);
	assert_int_equal(m.ix.forced.n, 0);
	assert_true(is_before(&m, 2, 0, 2, 1));
	assert_true(is_before(&m, 2, 1, 0, 0));
	assert_true(is_before(&m, 0, 0, 1, 0));
	assert_true(is_before(&m, 1, 0, 0, 1));
	assert_int_equal(m.ix.on[1], 2);
	release(&m);
}

static void a_value_without_a_write_is_forced(void **state)
{
	struct made m;

	(void)state;
	make(&m, 2, 1);
	add(&m, 0, IX_WRITE, 0, 1);
	add(&m, 1, IX_READ, 0, 7);
	ix_number(&m.ix);
	assert_int_equal(ix_order(&m.ix, true), CTP_NONE);
	assert_int_equal(m.ix.forced.n, 1);
	assert_int_equal(m.ix.forced.at[0], 1);
	assert_true(m.x.c->cells.at[0].known);
	release(&m);
}

/* Two operations, each of which must come after the other: a damaged trace. */
static void contradict(struct made *m)
{
	make(m, 2, 1);
	add(m, 0, IX_SYNC, 0, 0);
	add(m, 1, IX_SYNC, 0, 0);
	ix_number(&m->ix);
	vec_push(&m->ix.ops, (struct ix_op){.rank = 2, .entry = 0, .on = 1});
	vec_push(&m->ix.ops, (struct ix_op){.rank = 4, .entry = 1, .on = 0});
}

static void a_contradiction_is_a_result(void **state)
{
	struct made m;

	(void)state;
	contradict(&m);
	assert_int_equal(ix_order(&m.ix, false), 0);
	release(&m);
	contradict(&m);
	assert_int_equal(ix_order(&m.ix, true), CTP_NONE);
	assert_true(is_before(&m, 0, 0, 1, 0));
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_comes_after_its_write),
		cmocka_unit_test(a_value_without_a_write_is_forced),
		cmocka_unit_test(a_contradiction_is_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
