/* print, parse, validate: round trips of generated programs, and what the parser must refuse */
#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "gen_ir.h"
#include "ir/text.h"
#include "ir/validate.h"
#include "rng.h"
#include "same_ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { PROGRAMS = 2000, SIZE = 15 };

static void check_round_trip(uint64_t seed, uint32_t size, unsigned flags)
{
	struct ir_program *p = gen_ir(seed, size, flags), *q;
	struct strbuf a = {0}, b = {0}, why = {0};

	assert_int_equal(ir_validate(p), 0);
	ir_print(&a, p);
	q = ir_parse("printed", a.s, a.n);
	assert_non_null(q);
	if (!same_ir(p, q, &why))
		fail_msg("seed %lu: %s", seed, why.s);
	ir_print(&b, q);
	assert_string_equal(a.s, b.s);
	assert_int_equal(a.n, b.n);
	vec_each (&q->funcs, i) {
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
		check_round_trip(seed, SIZE, 0);
}

static void test_round_trip_exotic(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++)
		check_round_trip(seed, SIZE, GEN_IR_EXOTIC);
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

static void test_types(void **state)
{
	static const char *const none[] = {"", "i", "i0", "i01", "i129", "i999", "i1x", "ix", "in",
		"I32", "pt", "ptrs", "f", "f8", "voi"};

	(void)state;
	for (int t = 0; t < IR_NTYPES; t++) {
		const char *name = ir_type_name((ir_type)t);

		assert_int_equal(ir_type_parse(name, strlen(name)), t);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(ir_type_parse(none[i], strlen(none[i])), -1);
}

/* names that can be found are those that the linker would find */
static void test_names(void **state)
{
	static const char text[] = "heddle-ir 1\n"
				   "global @g size 8 align 8\n"
				   "global @hidden local size 8 align 8\n"
				   "alias @other = @g+4\n"
				   "alias @run = @main\n"
				   "extern func @main()\n"
				   "extern func @secret() local\n";
	struct ir_program *p = ir_parse("names", text, strlen(text));

	(void)state;
	assert_non_null(p);
	assert_int_equal(ir_find_global(p, "g"), 0);
	assert_int_equal(ir_find_global(p, "other"), 0);
	assert_int_equal(ir_find_global(p, "hidden"), IR_NONE);
	assert_int_equal(ir_find_func(p, "main"), 0);
	assert_int_equal(ir_find_func(p, "run"), 0);
	assert_int_equal(ir_find_func(p, "secret"), IR_NONE);
	assert_int_equal(ir_find_func(p, "g"), IR_NONE);
	ir_program_free(p);
}

/* a position read from text is found again by ir_add_pos() */
static void test_positions(void **state)
{
	static const char text[] = "heddle-ir 1\npos !1 = \"a.c\":3:4 in f\n";
	struct ir_program *p = ir_parse("positions", text, strlen(text));
	struct ir_pos at = {.line = 3, .col = 4};

	(void)state;
	assert_non_null(p);
	at.file = intern_str(&p->strs, "a.c");
	at.func = intern_str(&p->strs, "f");
	assert_int_equal(ir_add_pos(p, at), 1);
	at.col = 5;
	assert_int_equal(ir_add_pos(p, at), 2);
	ir_program_free(p);
}

static void swallow(void *ctx, const char *message)
{
	(*(uint32_t *)ctx) += message[0] != 0;
}

/* The validator and the one-line printer meet programs that were built wrong: they must say so. */
static void test_damaged(void **state)
{
	uint32_t refused = 0, messages = 0;

	(void)state;
	diag_set_sink(swallow, &messages);
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct ir_program *p = gen_ir(seed % 50, SIZE, 0);
		struct rng r = rng_seed(seed);
		struct ir_func *f = &p->funcs.at[rng_below(&r, p->funcs.n)];
		struct ir_insn *in = &f->insns.at[rng_below(&r, f->insns.n)];
		uint32_t word = rng_chance(&r, 50) ? rng_below(&r, 60) : (uint32_t)rng_u64(&r);
		struct strbuf b = {0};

		switch (rng_below(&r, 10)) {
		case 0: in->op = (uint8_t)word; break;
		case 1: in->type = (ir_type)word; break;
		case 2: in->type2 = (ir_type)word; break;
		case 3: in->dst = word; break;
		case 4: in->pos = word; break;
		case 5: in->imm = (int32_t)word; break;
		case 6:
			if (f->edges.n)
				f->edges.at[word % f->edges.n].to = word;
			break;
		case 7:
			if (f->extra.n)
				f->extra.at[rng_below(&r, f->extra.n)] = word;
			break;
		default: in->arg[rng_below(&r, 3)] = word; break;
		}
		if (ir_validate(p)) {
			refused++;
		} else {
			/* it happened to stay valid: then it must be fit for use */
			ir_print(&b, p);
			ir_program_free(p);
			p = ir_parse("damaged", b.s, b.n);
			assert_non_null(p);
		}
		strbuf_release(&b);
		ir_program_free(p);
	}
	diag_set_sink(NULL, NULL);
	assert_int_equal(messages, refused);
	assert_true(refused > 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_exotic),
		cmocka_unit_test(test_every_op),
		cmocka_unit_test(test_same_seed),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
