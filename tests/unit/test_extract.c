/* Parts of the extraction: operations as terms against eval.h, shadows, blocks that fail. */
#include "base/base.h"
#include "ir/text.h"
#include "extract/extract_internal.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- operations ----------------------------------------------------------------------------- */

static const uint32_t widths[] = {1, 7, 8, 16, 24, 32, 33, 64, 65, 128};

static u128 random_value(struct rng *r, uint32_t bits)
{
	u128 v = (u128)rng_u64(r) << 64 | rng_u64(r);

	switch (rng_u64(r) % 6) {
	case 0: v = 0; break;
	case 1: v = ~(u128)0; break;
	case 2: v = (u128)1 << (bits - 1); break;
	case 3: v &= 7; break;
	default: break;
	}
	return v & bits_mask(bits);
}

static uint32_t operands(enum ir_shape s)
{
	return s == IR_S_UN || s == IR_S_CONV ? 1 : s == IR_S_TERN || s == IR_S_SELECT ? 3 : 2;
}

/* The operation on symbols with these values; false if it has no term or the machine faults. */
static bool same_as_machine(struct terms *ts, const struct ir_insn *in, const uint32_t *bits,
	struct rng *r, uint32_t n)
{
	struct term_assign as;
	struct val v[3] = {{0}}, out[2] = {{0}};
	term_t a[3] = {{0}}, t[2];
	bool known;

	term_assign_init(&as, ts);
	for (uint32_t i = 0; i < n; i++) {
		v[i] = val_of(random_value(r, bits[i]));
		a[i] = term_fresh(ts, "a", bits[i]);
		term_assign_set(&as, a[i], val_u128(v[i]));
	}
	known = ops_term(ts, in, a, t);
	if (known && eval_op(in, v, out) == EVAL_OK) {
		assert_true(term_value(&as, t[0]) == val_u128(out[0]));
		if (t[1].id)
			assert_true(term_value(&as, t[1]) == val_u128(out[1]));
	}
	term_assign_release(&as);
	return known;
}

static void try_op(struct terms *ts, enum ir_op op, struct rng *r)
{
	enum ir_shape s = ir_ops[op].shape;
	uint32_t w = widths[rng_u64(r) % ARRAY_SIZE(widths)];
	uint32_t u = widths[rng_u64(r) % ARRAY_SIZE(widths)];
	struct ir_insn in = {.op = op, .type = (ir_type)w, .type2 = (ir_type)w};
	uint32_t bits[3] = {w, w, w};

	if (op == IR_BSWAP)
		in.type = in.type2 = 32, bits[0] = 32;
	if (s == IR_S_CMP)
		in.type = 1;
	if (s == IR_S_SELECT)
		bits[0] = 1;
	if (s == IR_S_CONV) {
		if (op == IR_BITCAST || (op == IR_TRUNC ? u <= w : u >= w))
			u = w;
		if (op == IR_PTRTOINT)
			in.type2 = IR_PTR, u = 64;
		else if (op == IR_INTTOPTR)
			in.type = IR_PTR, in.type2 = (ir_type)(u = w);
		else
			in.type2 = (ir_type)u;
		bits[0] = u;
	}
	same_as_machine(ts, &in, bits, r, operands(s));
}

static void operations_are_those_of_the_machine(void **state)
{
	struct terms *ts = terms_new();
	struct rng r = rng_seed(11);

	(void)state;
	for (uint32_t op = 0; op < IR_NOPS; op++) {
		enum ir_shape s = ir_ops[op].shape;
		bool computes = s == IR_S_BIN || s == IR_S_CMP || s == IR_S_UN || s == IR_S_TERN ||
				s == IR_S_CONV || s == IR_S_SELECT || s == IR_S_OVF;
		bool of_floats = ir_ops[op].name[0] == 'f' && op != IR_FREEZE && op != IR_FSHL &&
				 op != IR_FSHR;

		if (!computes || of_floats || op == IR_UITOFP || op == IR_SITOFP)
			continue;
		for (int i = 0; i < 200; i++)
			try_op(ts, op, &r);
	}
	terms_free(ts);
}

static void updates_are_those_of_the_machine(void **state)
{
	struct terms *ts = terms_new();
	struct rng r = rng_seed(12);

	(void)state;
	for (uint32_t op = IR_RMW_XCHG; op <= IR_RMW_UMIN; op++)
		for (int i = 0; i < 100; i++) {
			uint32_t w = 8u << rng_u64(&r) % 4;
			struct ir_insn in = {.op = (uint8_t)op, .type = (ir_type)w};
			u128 x = random_value(&r, w), y = random_value(&r, w), got;
			struct val out = {0};

			assert_int_equal(eval_rmw(&in, val_of(x), val_of(y), &out), EVAL_OK);
			assert_true(term_is_const(ts,
				ops_rmw(ts, &in, term_const(ts, w, x), term_const(ts, w, y)), &got));
			assert_true(got == val_u128(out));
		}
	terms_free(ts);
}

static void floats_have_no_terms(void **state)
{
	struct terms *ts = terms_new();
	struct ir_insn add = {.op = IR_FADD, .type = IR_F64}, conv = {.op = IR_SITOFP,
		.type = IR_F64, .type2 = 32};
	term_t a[3] = {term_fresh(ts, "a", 64), term_fresh(ts, "b", 64)}, out[2];

	(void)state;
	assert_false(ops_term(ts, &add, a, out));
	a[0] = term_fresh(ts, "c", 32);
	assert_false(ops_term(ts, &conv, a, out));
	terms_free(ts);
}

/* ---- shadows -------------------------------------------------------------------------------- */

static void bytes_come_back_as_their_term(void **state)
{
	struct terms *ts = terms_new();
	struct shadow_mem m = {0};
	term_t t = term_fresh(ts, "t", 64), got;
	struct shade s[8];

	(void)state;
	assert_false(shadow_any(&m, 1000, 64));
	for (uint32_t i = 0; i < 8; i++)
		shadow_put(&m, 1020 + i, shade_of(t, i, 0x1122334455667788));
	assert_true(shadow_any(&m, 1000, 21));
	assert_false(shadow_any(&m, 1000, 20));
	for (uint32_t i = 0; i < 8; i++)
		s[i] = shadow_get(&m, 1020 + i);
	assert_int_equal(s[0].byte, 0x88);
	assert_true(term_same(shades_join(ts, s, 8), t));
	assert_true(term_same(shades_join(ts, s + 4, 4), term_extract(ts, t, 32, 32)));
	shadow_clear(&m, 1022, 2);
	for (uint32_t i = 0; i < 8; i++)
		s[i] = i == 2 || i == 3 ? (struct shade){.byte = 0xab} : shadow_get(&m, 1020 + i);
	got = shades_join(ts, s, 4);
	assert_true(term_same(got,
		term_concat(ts, term_const(ts, 16, 0xabab), term_extract(ts, t, 0, 16))));
	shadow_clear(&m, 0, 4096);
	assert_false(shadow_any(&m, 1000, 64));
	shadow_mem_release(&m);
	terms_free(ts);
}

static void frames_keep_their_own(void **state)
{
	struct terms *ts = terms_new();
	struct shadow_frames f = {0};
	term_t t = term_fresh(ts, "t", 8);

	(void)state;
	shadow_push(&f, 0, 4);
	shadow_set_reg(&f, 3, t);
	assert_int_equal(shadow_top(&f)->nshadows, 1);
	shadow_push(&f, 1, 4);
	assert_int_equal(shadow_reg(&f, 3).id, 0);
	shadow_set_reg(&f, 0, t);
	shadow_pop(&f);
	assert_true(term_same(shadow_reg(&f, 3), t));
	shadow_set_reg(&f, 3, TERM_NONE);
	assert_int_equal(shadow_top(&f)->nshadows, 0);
	shadow_frames_release(&f);
	terms_free(ts);
}

/* ---- failures ------------------------------------------------------------------------------- */

static const char failing[] =
	"heddle-ir 1\n"
	"extern func @abort() noreturn\n"
	"extern func @exit(i32) noreturn\n"
	"extern func @puts(ptr) -> i32\n"
	"func @die() noreturn {\n"
	"b0:\n"
	"\tcall noreturn @abort()\n"
	"\tunreachable\n"
	"}\n"
	"func @f(%r0:i1) -> i32 {\n"
	"b0:\n"
	"\tcbr %r0, b1, b2\n"
	"b1:\n"
	"\tcall noreturn @exit(i32 1)\n"
	"\tunreachable\n"
	"b2:\n"
	"\t%r1:i32 = call @puts(ptr null)\n"
	"\tcbr %r0, b3, b4\n"
	"b3:\n"
	"\tcall noreturn @die()\n"
	"\tunreachable\n"
	"b4:\n"
	"\ttrap\n"
	"\tunreachable\n"
	"b5:\n"
	"\tbr b6\n"
	"b6:\n"
	"\tcbr %r0, b5, b3\n"
	"b7:\n"
	"\tret i32 0\n"
	"}\n";

static void blocks_that_fail(void **state)
{
	static const bool want[] = {false, false, true, true, true, false, false, false};
	struct ir_program *p = ir_parse("failing", failing, strlen(failing));
	struct fails f;
	uint32_t func;

	(void)state;
	assert_non_null(p);
	func = ir_find_func(p, "f");
	fails_build(&f, p);
	assert_true(f.func[ir_find_func(p, "die")]);
	assert_false(f.func[func]);
	for (uint32_t b = 0; b < ARRAY_SIZE(want); b++)
		assert_int_equal(fails_block(&f, func, b), want[b]);
	assert_true(prints_name("printf"));
	assert_false(prints_name("scanf"));
	fails_release(&f);
	ir_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_those_of_the_machine),
		cmocka_unit_test(updates_are_those_of_the_machine),
		cmocka_unit_test(floats_have_no_terms),
		cmocka_unit_test(bytes_come_back_as_their_term),
		cmocka_unit_test(frames_keep_their_own),
		cmocka_unit_test(blocks_that_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
