/* The rules of a concurrent trace program, and its print. */
#include "base/strbuf.h"
#include "base/vec.h"
#include "ctp/ctp.h"
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct ctp_event *add(struct ctp *c, enum ctp_kind kind, uint32_t thread, uint64_t point)
{
	vec_push(&c->events, (struct ctp_event){.kind = kind,
				     .thread = thread,
				     .func = IR_NONE,
				     .insn = IR_NONE,
				     .point = point,
				     .link.none = CTP_NONE,
				     .region = CTP_NONE,
				     .block = CTP_NONE,
				     .rank = c->order.n});
	vec_push(&c->order, c->events.n - 1);
	c->threads.at[thread].n++;
	return &vec_last(&c->events);
}

static void add_access(struct ctp *c, term_t sym, term_t value, u128 seen, u128 put)
{
	struct ctp_event *e = &vec_last(&c->events);

	if (!e->n)
		e->first = c->accesses.n;
	e->n++;
	vec_push(&c->accesses, (struct ctp_access){0, sym, value, seen, put});
}

static void add_thread(struct ctp *c)
{
	vec_push(&c->threads, (struct ctp_thread){.parent = CTP_NONE,
				      .first = c->events.n,
				      .create = CTP_NONE,
				      .begin = CTP_NONE,
				      .end = CTP_NONE,
				      .start_func = IR_NONE});
}

/* Two threads: one adds to a cell under a lock, the other reads it and asserts. */
static struct ctp *small(void)
{
	struct ctp *c = ctp_new();
	term_t x = term_fresh(c->ts, "x", 32), y = term_fresh(c->ts, "y", 32);

	vec_push(&c->cells, (struct ctp_cell){.addr = 0x1000, .size = 4, .initial = 5, .known = true});
	vec_push(&c->objects, (struct ctp_object){.addr = 0x2000, .kind = 1, .initial = -1});
	vec_push(&c->regions, (struct ctp_region){.object = 0x2000, .begin = 1, .end = 4});
	add_thread(c);
	add(c, CTP_BEGIN, 0, 0);
	*add(c, CTP_LOCK, 0, 0) = (struct ctp_event){.kind = CTP_LOCK, .func = IR_NONE,
		.insn = IR_NONE, .object = 0x2000, .link.none = CTP_NONE, .block = CTP_NONE, .rank = 1};
	add(c, CTP_READ, 0, 1);
	add_access(c, x, TERM_NONE, 5, 0);
	add(c, CTP_WRITE, 0, 2);
	add_access(c, TERM_NONE, term_add(c->ts, x, term_const(c->ts, 32, 1)), 0, 6);
	add(c, CTP_UNLOCK, 0, 3)->region = 0;
	c->events.at[4].object = 0x2000;
	add_thread(c);
	add(c, CTP_BEGIN, 1, 0);
	add(c, CTP_READ, 1, 0);
	add_access(c, y, TERM_NONE, 6, 0);
	add(c, CTP_ASSERT, 1, 1)->cond = term_ne(c->ts, y, term_const(c->ts, 32, 0));
	return c;
}

static void a_right_one_is_right(void **state)
{
	struct ctp *c = small();

	(void)state;
	assert_null(ctp_wrong(c));
	assert_non_null(ctp_object(c, 0x2000));
	assert_null(ctp_object(c, 0x2001));
	assert_int_equal(ctp_pred(c, 0), CTP_NONE);
	assert_int_equal(ctp_pred(c, 5), CTP_NONE);
	assert_int_equal(ctp_pred(c, 6), 5);
	ctp_free(c);
}

static void rules(void **state)
{
	(void)state;
#define BREAKS(what)                                                                               \
	do {                                                                                       \
		struct ctp *c = small();                                                           \
		what;                                                                              \
		assert_non_null(ctp_wrong(c));                                                     \
		ctp_free(c);                                                                       \
	} while (0)
	BREAKS(c->events.at[2].point = 7);
	BREAKS(c->events.at[2].thread = 1);
	BREAKS(c->events.at[2].n = 100);
	BREAKS(c->events.at[2].n = 0);
	BREAKS(c->events.at[2].kind = CTP_WRITE);
	BREAKS(c->events.at[7].cond = TERM_NONE);
	BREAKS(c->events.at[7].cond = c->accesses.at[0].sym);
	BREAKS(c->accesses.at[0].cell = 1);
	BREAKS(c->cells.at[0].size = 8);
	BREAKS(c->accesses.at[0].sym = c->accesses.at[1].value);
	BREAKS(c->events.at[4].region = 1);
	BREAKS(c->regions.at[0].end = 0);
	BREAKS(c->regions.at[0].begin = 100);
	BREAKS(c->threads.at[0].n = 4);
	BREAKS(c->threads.at[1].parent = 2);
	BREAKS(c->order.n--);
	BREAKS((c->order.at[2] = 3, c->order.at[3] = 2));
	BREAKS(c->events.at[2].flags |= CTP_PENDING);
	BREAKS(vec_push(&c->objects, (struct ctp_object){.addr = 0x1}));
#undef BREAKS
}

static void what_is_under_way_is_not_in_the_order(void **state)
{
	struct ctp *c = small();

	(void)state;
	*add(c, CTP_LOCK, 1, 1) = (struct ctp_event){.kind = CTP_LOCK, .thread = 1, .point = 1,
		.flags = CTP_PENDING, .object = 0x2000, .link.none = CTP_NONE, .region = CTP_NONE,
		.block = CTP_NONE, .rank = UINT32_MAX};
	assert_non_null(ctp_wrong(c));
	c->order.n--;
	assert_null(ctp_wrong(c));
	ctp_free(c);
}

static void print(void **state)
{
	struct ctp *c = small();
	struct strbuf out = {0};

	(void)state;
	ctp_print(c, &out);
	assert_string_equal(out.s, "c0 0x1000+4 = 5\n"
				   "o0 0x2000 mutex -1\n"
				   "e0 t0 p0 begin\n"
				   "e1 t0 p0 lock o0 r0\n"
				   "e2 t0 p1 read c0 x!0(5)\n"
				   "e3 t0 p2 write c0 := (bvadd #x00000001 |x!0|)(6)\n"
				   "e4 t0 p3 unlock o0 r0\n"
				   "e5 t1 p0 begin\n"
				   "e6 t1 p0 read c0 y!1(6)\n"
				   "e7 t1 p1 assert (not (= #x00000000 |y!1|))\n");
	strbuf_release(&out);
	ctp_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_one_is_right),
		cmocka_unit_test(rules),
		cmocka_unit_test(what_is_under_way_is_not_in_the_order),
		cmocka_unit_test(print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
