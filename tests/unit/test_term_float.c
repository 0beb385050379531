/*
 * Floats: terms over constants against the machine's own arithmetic (src/machine/eval.c), bit by bit,
 * on patterns of every kind; the same through a symbol's value; and Z3 on the same terms: with the
 * operands fixed it must come to the same bits, and its models must hold.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "machine/eval.h"
#include "facts/op_terms.h"
#include "smt/ask.h"
#include "smt/z3_solver.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static u128 pattern(struct rng *r, unsigned width)
{
	unsigned fraction = width == 32 ? 23 : 52;
	u128 sign = (u128)rng_below(r, 2) << (width - 1), inf, v;

	inf = ((u128)1 << (width - 1)) - ((u128)1 << fraction);
	switch (rng_below(r, 12)) {
	case 0: v = 0; break;
	case 1: v = inf; break;
	case 2: v = inf | (u128)1 << (fraction - 1); break;                  /* quiet */
	case 3: v = inf | (rng_u64(r) & (((u128)1 << fraction) - 1)); break; /* any NaN */
	case 4: v = inf | 1; break;                                          /* signalling */
	case 5: v = rng_u64(r) & (((u128)1 << fraction) - 1); break;         /* denormal */
	case 6: v = inf - 1 - rng_below(r, 3); break;                        /* the greatest */
	case 7: { /* about a power of two, for conversions */
		unsigned bias = width == 32 ? 127 : 1023;

		v = ((u128)(bias + rng_below(r, 67)) << fraction) + rng_below(r, 3) - 1;
		break;
	}
	case 8: { /* a small number with a half now and then */
		float f = (float)rng_below(r, 40) / 4;
		double d = f;

		v = 0;
		if (width == 32)
			memcpy(&v, &f, 4);
		else
			memcpy(&v, &d, 8);
		break;
	}
	default: v = rng_u64(r) & (((u128)1 << (width - 1)) - 1); break;
	}
	return v | sign;
}

static u128 integer(struct rng *r, unsigned width)
{
	u128 v = (u128)rng_wide(r) << (rng_below(r, 4) ? 0 : 64) | rng_wide(r);

	return (rng_chance(r, 30) ? -v : v) & term_mask(width);
}

struct operation {
	struct ir_insn in;
	unsigned n, wa, w; /* operands, their width, the result's */
	bool from_int;
};

static void any_operation(struct rng *r, struct operation *o)
{
	static const uint8_t ops[] = {IR_FADD, IR_FSUB, IR_FMUL, IR_FDIV, IR_FMIN, IR_FMAX,
		IR_FCOPYSIGN, IR_FSQRT, IR_FFLOOR, IR_FCEIL, IR_FTRUNC, IR_FRINT, IR_FNEARBYINT,
		IR_FROUND, IR_FROUNDEVEN, IR_FOEQ, IR_FOLT, IR_FOLE, IR_FONE, IR_FORD, IR_FUNO,
		IR_FUEQ, IR_FULT, IR_FULE, IR_FUNE, IR_FPTRUNC, IR_FPEXT, IR_FPTOUI, IR_FPTOSI,
		IR_UITOFP, IR_SITOFP};
	static const ir_type ints[] = {1, 8, 16, 32, 64, 128}; /* i1 .. i128 */
	ir_type f = rng_chance(r, 50) ? IR_F32 : IR_F64, i = ints[rng_below(r, ARRAY_SIZE(ints))];

	*o = (struct operation){.in = {.op = ops[rng_below(r, ARRAY_SIZE(ops))], .type = f}};
	switch (ir_ops[o->in.op].shape) {
	case IR_S_CMP:
		o->in.type = 1;
		o->in.type2 = f;
		break;
	case IR_S_CONV:
		o->in.type2 = f;
		if (o->in.op == IR_FPTRUNC) {
			o->in.type = IR_F32;
			o->in.type2 = IR_F64;
		} else if (o->in.op == IR_FPEXT) {
			o->in.type = IR_F64;
			o->in.type2 = IR_F32;
		} else if (o->in.op == IR_FPTOUI || o->in.op == IR_FPTOSI) {
			o->in.type = i;
		} else {
			o->in.type = f;
			o->in.type2 = i;
			o->from_int = true;
		}
		break;
	default: o->in.type2 = f; break;
	}
	o->n = ir_ops[o->in.op].shape == IR_S_BIN || ir_ops[o->in.op].shape == IR_S_CMP ? 2 : 1;
	o->wa = ir_type_bits(o->in.type2);
	o->w = ir_type_bits(o->in.type);
}

static u128 by_machine(const struct operation *o, const u128 *v)
{
	struct val a[3] = {val_of(v[0]), val_of(v[1])}, out[2] = {0};

	assert_int_equal(eval_op(&o->in, a, out), EVAL_OK);
	return val_u128(out[0]);
}

static void operands(struct rng *r, const struct operation *o, u128 *v)
{
	for (unsigned i = 0; i < 2; i++)
		v[i] = o->from_int ? integer(r, o->wa) : pattern(r, o->wa);
}

static void against_the_machine(void **state)
{
	struct rng r = rng_seed(77);

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct terms *ts = terms_new();
		struct operation o;
		struct term_assign as;
		term_t sym[2], a[2], t;

		any_operation(&r, &o);
		term_assign_init(&as, ts);
		for (unsigned k = 0; k < 2; k++)
			sym[k] = term_fresh(ts, "x", o.wa);
		t = ops_float(ts, &o.in, sym);
		assert_true(t.id && term_width(ts, t) == o.w);
		for (unsigned n = 0; n < 1000; n++) {
			u128 v[2], expected, k;

			operands(&r, &o, v);
			expected = by_machine(&o, v);
			for (unsigned m = 0; m < 2; m++) {
				a[m] = term_const(ts, o.wa, v[m]);
				term_assign_set(&as, sym[m], v[m]);
			}
			if (!term_is_const(ts, ops_float(ts, &o.in, a), &k) || k != expected ||
				term_value(&as, t) != expected)
				fail_msg("%s of %u bits, %lx %lx: %lx, the machine has %lx",
					ir_ops[o.in.op].name, o.wa, (unsigned long)v[0],
					(unsigned long)v[1], (unsigned long)term_value(&as, t),
					(unsigned long)expected);
		}
		term_assign_release(&as);
		terms_free(ts);
	}
}

/* operands that the path fixes: Z3 finds the machine's result possible, and no other */
static void against_z3(void **state)
{
	struct rng r = rng_seed(78);
	unsigned by_z3 = 0;

	(void)state;
	for (unsigned i = 0; i < 150; i++) {
		struct terms *ts = terms_new();
		struct ask *q = ask_new(ts, &(struct ask_options){.seconds = 60, .z3_only = true});
		struct operation o;
		term_t sym[2], t, path[2], eq;
		u128 v[2], expected;

		any_operation(&r, &o);
		operands(&r, &o, v);
		expected = by_machine(&o, v);
		for (unsigned k = 0; k < 2; k++) {
			sym[k] = term_fresh(ts, "x", o.wa);
			path[k] = term_eq(ts, sym[k], term_const(ts, o.wa, v[k]));
		}
		t = ops_float(ts, &o.in, sym);
		eq = term_eq(ts, t, term_const(ts, o.w, expected));
		if (ask_may(q, path, o.n, eq) != ASK_YES ||
			ask_may(q, path, o.n, term_not(ts, eq)) != ASK_NO)
			fail_msg("%s of %u bits, %lx %lx -> %lx: Z3 disagrees %s",
				ir_ops[o.in.op].name, o.wa, (unsigned long)v[0],
				(unsigned long)v[1], (unsigned long)expected, ask_why(q));
		by_z3 += ask_stats(q)->by_z3 > 0;
		ask_free(q);
		terms_free(ts);
	}
	assert_true(by_z3 > 100);
}

/* the text says the same as the terms */
static void as_text(void **state)
{
	struct rng r = rng_seed(79);

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct terms *ts = terms_new();
		struct strbuf sb = {0}, why = {0};
		struct operation o;
		term_t sym[2], t, all;
		u128 v[2], expected;
		bool lie = rng_chance(&r, 50);

		any_operation(&r, &o);
		operands(&r, &o, v);
		expected = by_machine(&o, v);
		all = term_bool(ts, true);
		for (unsigned k = 0; k < o.n; k++) {
			sym[k] = term_fresh(ts, "x", o.wa);
			all = term_and(ts, all, term_eq(ts, sym[k], term_const(ts, o.wa, v[k])));
			term_print_decl(&sb, ts, sym[k]);
		}
		t = ops_float(ts, &o.in, sym);
		t = term_eq(ts, t, term_const(ts, o.w, expected));
		all = term_and(ts, all, lie ? term_not(ts, t) : t);
		strbuf_adds(&sb, "(assert ");
		term_print(&sb, ts, all);
		strbuf_adds(&sb, ")\n");
		if (z3_check_text(sb.s, 60, &why) != (lie ? SAT_UNSAT : SAT_SAT))
			fail_msg("%s: %s\n%s", ir_ops[o.in.op].name, why.s ? why.s : "", sb.s);
		strbuf_release(&sb);
		strbuf_release(&why);
		terms_free(ts);
	}
}

/* questions as programs ask them */
static void questions(void **state)
{
	struct terms *ts = terms_new();
	struct ask *q = ask_new(ts, &(struct ask_options){.seconds = 60});
	term_t x = term_sym(ts, "x", 32), i = term_sym(ts, "i", 16), path[2], t;
	float half = 0.5f, ten = 10;
	uint32_t h, n;
	u128 v;

	(void)state;
	memcpy(&h, &half, 4);
	memcpy(&n, &ten, 4);
	/* x + 0.5 == 10 */
	t = ops_float(ts, &(struct ir_insn){.op = IR_FADD, .type = IR_F32},
		(term_t[]){x, term_const(ts, 32, h)});
	path[0] = ops_float(ts, &(struct ir_insn){.op = IR_FOEQ, .type = 1, .type2 = IR_F32},
		(term_t[]){t, term_const(ts, 32, n)});
	assert_int_equal(ask_may(q, NULL, 0, path[0]), ASK_YES);
	assert_int_equal(ask_value(q, path, 1, x, &v), ASK_YES);
	memcpy(&half, &(uint32_t){(uint32_t)v}, 4);
	assert_true(half + 0.5f == 10);
	/* an integer of 16 bits is exact in 32: it never becomes NaN, and comes back */
	t = ops_float(ts, &(struct ir_insn){.op = IR_SITOFP, .type = IR_F32, .type2 = 16}, &i);
	path[1] =
		ops_float(ts, &(struct ir_insn){.op = IR_FPTOSI, .type = 16, .type2 = IR_F32}, &t);
	assert_int_equal(ask_must(q, NULL, 0, term_eq(ts, path[1], i)), ASK_YES);
	/* comparisons are circuits: Z3 is not asked */
	n = (uint32_t)ask_stats(q)->by_z3;
	t = ops_float(ts, &(struct ir_insn){.op = IR_FOLT, .type = 1, .type2 = IR_F32},
		(term_t[]){x, term_const(ts, 32, 0)});
	assert_int_equal(ask_may(q, NULL, 0, t), ASK_YES);
	assert_int_equal(ask_stats(q)->by_z3, n);
	ask_free(q);
	terms_free(ts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_the_machine),
		cmocka_unit_test(against_z3),
		cmocka_unit_test(as_text),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
