/* print, parse, validate: round trips of generated programs, and what the parser must refuse */
#include "gen_ir.h"
#include "ir/text.h"
#include "ir/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { PROGRAMS = 2000 };

static void check_round_trip(uint64_t seed, uint32_t size, unsigned flags)
{
	struct ir_program *p = gen_ir(seed, size, flags), *q;
	struct strbuf a = {0}, b = {0};

	assert_int_equal(ir_validate(p), 0);
	ir_print(&a, p);
	q = ir_parse("printed", a.s, a.n);
	assert_non_null(q);
	ir_print(&b, q);
	assert_string_equal(a.s, b.s);
	assert_int_equal(a.n, b.n);
	vec_each (&q->funcs, i) {
		assert_int_equal(q->funcs.at[i].insns.n, p->funcs.at[i].insns.n);
		strbuf_clear(&b);
		ir_print_func(&b, q, i, true);
		assert_true(b.n > 0);
	}
	ir_program_free(p);
	ir_program_free(q);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++)
		check_round_trip(seed, 60, 0);
}

static void test_round_trip_exotic(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++)
		check_round_trip(seed, 60, GEN_IR_EXOTIC);
}

/* The generator must reach every operation, or the round trips prove nothing about it. */
static void test_every_op(void **state)
{
	uint32_t seen[IR_NOPS] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct ir_program *p = gen_ir(seed, 60, GEN_IR_EXOTIC);

		vec_each (&p->funcs, f)
			vec_each (&p->funcs.at[f].insns, i)
				seen[p->funcs.at[f].insns.at[i].op]++;
		ir_program_free(p);
	}
	for (uint32_t op = 0; op < IR_NOPS; op++)
		if (!seen[op])
			fail_msg("'%s' never generated", ir_ops[op].name);
}

static void test_same_seed(void **state)
{
	struct strbuf a = {0}, b = {0};
	struct ir_program *p = gen_ir(7, 100, 0), *q = gen_ir(7, 100, 0);

	(void)state;
	ir_print(&a, p);
	ir_print(&b, q);
	assert_string_equal(a.s, b.s);
	ir_program_free(p);
	ir_program_free(q);
	strbuf_release(&a);
	strbuf_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_exotic),
		cmocka_unit_test(test_every_op),
		cmocka_unit_test(test_same_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
