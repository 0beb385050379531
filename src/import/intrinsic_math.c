#include "import/intrinsic.h"

#include <stdio.h>
#include <string.h>

#define HANDLER(f) struct lanes f(struct fn *fn, LLVMValueRef call, const struct intrinsic *in)

static struct lanes operand_of(struct fn *fn, LLVMValueRef call, unsigned i)
{
	return fn_use(fn, LLVMGetOperand(call, i));
}

/* ---- library functions ------------------------------------------------------------------- */

static const char *suffix_of(ir_type t)
{
	switch (t) {
	case IR_F32: return "f";
	case IR_F64: return "";
	case IR_F80: return "l";
	default: return NULL;
	}
}

static ir_ref library_call(
	struct fn *fn, const char *name, ir_type ret, const ir_ref *args, uint32_t n)
{
	struct leaf leaf = {ret, 0};
	struct layout l = {.ok = true, .n = 1, .leaf = &leaf};
	struct ir_const callee = {.kind = IR_C_FUNC, .type = IR_PTR};
	uint32_t words[2 * 3];
	ir_type types[3];

	for (uint32_t i = 0; i < n; i++) {
		types[i] = ref_type(fn, args[i]);
		words[2 * i] = args[i];
		words[2 * i + 1] = 0;
	}
	callee.id = sym_library(fn->im, name, ret, types, n);
	return lane(fn, emit_call(fn, k_const(fn, callee), words, n, &l, 0), 0);
}

static ir_ref library_lane(
	struct fn *fn, const char *base, ir_type ret, const ir_ref *args, uint32_t n)
{
	const char *s = suffix_of(ref_type(fn, args[0]));
	char name[32];

	if (!s) {
		unsupported(fn, "'%s' of a type without library function", base);
		return k_undef(fn, ret);
	}
	snprintf(name, sizeof name, "%s%s", base, s);
	return library_call(fn, name, ret, args, n);
}

/* in->op is the number of operands, in->text the name for double */
HANDLER(math_library)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes a[3], out = lanes_new(fn, l->n);
	ir_ref args[3];

	for (int k = 0; k < in->op; k++)
		a[k] = operand_of(fn, call, (unsigned)k);
	for (uint32_t i = 0; i < l->n; i++) {
		for (int k = 0; k < in->op; k++)
			args[k] = lane(fn, a[k], a[k].n == 1 ? 0 : i);
		lane_set(fn, out, i,
			library_lane(fn, in->text, l->leaf[i].type, args, (uint32_t)in->op));
	}
	return out;
}

/* x to an integer power: a call to the compiler's runtime library */
HANDLER(math_powi)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes x = operand_of(fn, call, 0), n = operand_of(fn, call, 1);
	struct lanes out = lanes_new(fn, l->n);

	(void)in;
	for (uint32_t i = 0; i < l->n; i++) {
		ir_type t = l->leaf[i].type;
		ir_ref args[2] = {lane(fn, x, i), lane(fn, n, 0)};
		const char *name = t == IR_F32   ? "__powisf2"
				   : t == IR_F64 ? "__powidf2"
						 : "__powixf2";

		if (!suffix_of(t))
			return unsupported(fn, "'powi' of a type without library function");
		args[1] = emit_resize(fn, 32, args[1], true);
		lane_set(fn, out, i, library_call(fn, name, t, args, 2));
	}
	return out;
}

/* the struct of two vectors: all sines, then all cosines */
HANDLER(math_sincos)
{
	struct lanes x = operand_of(fn, call, 0), out = lanes_new(fn, 2 * x.n);

	(void)in;
	for (uint32_t i = 0; i < x.n; i++) {
		ir_ref a = lane(fn, x, i);

		lane_set(fn, out, i, library_lane(fn, "sin", ref_type(fn, a), &a, 1));
		lane_set(fn, out, x.n + i, library_lane(fn, "cos", ref_type(fn, a), &a, 1));
	}
	return out;
}

/* fraction and integral part; the fraction of an infinity is a zero */
HANDLER(math_modf)
{
	struct lanes x = operand_of(fn, call, 0), out = lanes_new(fn, 2 * x.n);

	(void)in;
	if (x.n && !fn_computable(fn, lane(fn, x, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < x.n; i++) {
		ir_ref a = lane(fn, x, i), whole = emit_un(fn, IR_FTRUNC, a);
		ir_ref same = emit_cmp(fn, IR_FOEQ, a, whole);
		ir_ref part = emit_bin(fn, IR_FSUB, a, whole);

		part = emit_select(fn, same, k_int(fn, ref_type(fn, a), 0), part);
		lane_set(fn, out, i, emit_bin(fn, IR_FCOPYSIGN, part, a));
		lane_set(fn, out, x.n + i, whole);
	}
	return out;
}

/* ---- operations -------------------------------------------------------------------------- */

/* fused only if the target has FMA, so that the result is that of the native program */
HANDLER(math_muladd)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     c = operand_of(fn, call, 2);
	struct lanes out = lanes_new(fn, a.n);

	(void)in;
	if (a.n && !fn_computable(fn, lane(fn, a, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = lane(fn, a, i), y = lane(fn, b, i), z = lane(fn, c, i);
		bool fused = fn->fma && ref_type(fn, x) != IR_F80;

		lane_set(fn, out, i,
			fused ? emit_tern(fn, IR_FMA, x, y, z)
			      : emit_bin(fn, IR_FADD, emit_bin(fn, IR_FMUL, x, y), z));
	}
	return out;
}

/* IEEE 754-2019 minimum and maximum: a NaN wins, -0 is less than +0 */
HANDLER(math_minimum)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1);
	struct lanes out = lanes_new(fn, a.n);

	if (a.n && !fn_computable(fn, lane(fn, a, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = lane(fn, a, i), y = lane(fn, b, i), r, zero;
		ir_type t = ref_type(fn, x);

		r = in->op ? emit_cmp(fn, IR_FOLT, y, x) : emit_cmp(fn, IR_FOLT, x, y);
		r = emit_select(fn, r, x, y);
		zero = emit_bin(
			fn, in->op ? IR_AND : IR_OR, emit_to_int(fn, x), emit_to_int(fn, y));
		r = emit_select(fn, emit_cmp(fn, IR_FOEQ, x, y), emit_from_int(fn, t, zero), r);
		r = emit_select(fn, emit_cmp(fn, IR_FUNO, x, y), emit_bin(fn, IR_FADD, x, y), r);
		lane_set(fn, out, i, r);
	}
	return out;
}

/* ---- classes of floating point numbers --------------------------------------------------- */

typedef unsigned __int128 u128;

struct format { /* bit patterns: infinity, quiet bit, smallest normal number */
	u128 inf, quiet, min_normal;
};

static bool format_of(ir_type t, struct format *f)
{
	switch (t) {
	case IR_F16: *f = (struct format){0x7c00, 0x200, 0x400}; return true;
	case IR_F32: *f = (struct format){0x7f800000, 0x400000, 0x800000}; return true;
	case IR_F64:
		*f = (struct format){(u128)0x7ff << 52, (u128)1 << 51, (u128)1 << 52};
		return true;
	case IR_F80: /* the leading bit is explicit */
		*f = (struct format){(u128)0x7fff << 64 | (u128)1 << 63, (u128)1 << 62,
			(u128)1 << 64 | (u128)1 << 63};
		return true;
	case IR_F128:
		*f = (struct format){(u128)0x7fff << 112, (u128)1 << 111, (u128)1 << 112};
		return true;
	default: return false;
	}
}

static ir_ref k_wide(struct fn *fn, ir_type t, u128 v)
{
	return k_bits(fn, t, (uint64_t)v, (uint64_t)(v >> 64));
}

/* lo <= x < hi */
static ir_ref in_range(struct fn *fn, ir_ref x, u128 lo, u128 hi)
{
	ir_type t = ref_type(fn, x);
	ir_ref above = emit_cmp(fn, IR_ULE, k_wide(fn, t, lo), x);

	return emit_bin(fn, IR_AND, above, emit_cmp(fn, IR_ULT, x, k_wide(fn, t, hi)));
}

static ir_ref fpclass_lane(struct fn *fn, ir_ref x, unsigned mask)
{
	struct format f;
	ir_ref bits, abs, negative, hit, result = k_int(fn, 1, 0);
	uint32_t width;
	u128 end;

	if (!format_of(ref_type(fn, x), &f)) {
		unsupported(fn, "class of a number of odd format");
		return result;
	}
	bits = emit_to_int(fn, x);
	width = ir_type_bits(ref_type(fn, bits));
	end = (u128)1 << (width - 1); /* larger than every absolute value */
	abs = emit_bin(fn, IR_AND, bits, k_wide(fn, (ir_type)width, end - 1));
	negative = emit_cmp(fn, IR_SLT, bits, k_int(fn, (ir_type)width, 0));
	/* bits of LLVM's mask for negative and positive numbers; range of the absolute value */
	const struct {
		unsigned negative, positive;
		u128 lo, hi;
	} classes[] = {
		{1 << 5, 1 << 6, 0, 1},                       /* zero */
		{1 << 4, 1 << 7, 1, f.min_normal},            /* subnormal */
		{1 << 3, 1 << 8, f.min_normal, f.inf},        /* normal */
		{1 << 2, 1 << 9, f.inf, f.inf + 1},           /* infinite */
		{1 << 0, 1 << 0, f.inf + 1, f.inf + f.quiet}, /* signalling NaN */
		{1 << 1, 1 << 1, f.inf + f.quiet, end},       /* quiet NaN */
	};
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		bool neg = mask & classes[i].negative, pos = mask & classes[i].positive;

		if (!neg && !pos)
			continue;
		hit = in_range(fn, abs, classes[i].lo, classes[i].hi);
		if (!pos)
			hit = emit_bin(fn, IR_AND, hit, negative);
		else if (!neg)
			hit = emit_bin(
				fn, IR_AND, hit, emit_bin(fn, IR_XOR, negative, k_int(fn, 1, 1)));
		result = emit_bin(fn, IR_OR, result, hit);
	}
	return result;
}

HANDLER(math_fpclass)
{
	struct lanes x = operand_of(fn, call, 0), out = lanes_new(fn, x.n);
	uint64_t mask = 0;

	(void)in;
	k_value(fn, fn_use1(fn, LLVMGetOperand(call, 1)), &mask);
	for (uint32_t i = 0; i < x.n; i++)
		lane_set(fn, out, i, fpclass_lane(fn, lane(fn, x, i), (unsigned)mask));
	return out;
}

/* ---- saturating conversion --------------------------------------------------------------- */

ir_ref math_power_of_two(struct fn *fn, ir_type t, uint32_t k, bool negative)
{
	u128 bits;

	switch (t) {
	case IR_F32: bits = (u128)MIN(k + 127, 255) << 23 | (u128)negative << 31; break;
	case IR_F64: bits = (u128)(k + 1023) << 52 | (u128)negative << 63; break;
	default: bits = (u128)(k + 16383) << 64 | (u128)1 << 63 | (u128)negative << 79; break;
	}
	return k_wide(fn, t, bits);
}

static ir_ref to_int_sat_lane(struct fn *fn, ir_ref x, ir_type to, bool is_signed)
{
	ir_type t = ref_type(fn, x);
	ir_ref high, low, inside, r, least, most;
	u128 top = (u128)1 << (to - 1);

	if (!suffix_of(t)) {
		unsupported(fn, "saturating conversion from an odd format");
		return k_undef(fn, to);
	}
	least = is_signed ? k_wide(fn, to, top) : k_int(fn, to, 0);
	most = k_wide(fn, to, is_signed ? top - 1 : top - 1 + top);
	high = emit_cmp(fn, IR_FOLE, math_power_of_two(fn, t, is_signed ? to - 1u : to, false), x);
	low = is_signed ? math_power_of_two(fn, t, to - 1u, true) : k_int(fn, t, 0);
	low = emit_cmp(fn, IR_FULT, x, low); /* true for a NaN, too */
	inside = emit_select(fn, emit_bin(fn, IR_OR, high, low), k_int(fn, t, 0), x);
	r = emit_conv(fn, is_signed ? IR_FPTOSI : IR_FPTOUI, to, inside);
	r = emit_select(fn, high, most, r);
	r = emit_select(fn, low, least, r);
	return emit_select(fn, emit_cmp(fn, IR_FUNO, x, x), k_int(fn, to, 0), r);
}

HANDLER(math_to_int_sat)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes x = operand_of(fn, call, 0), out = lanes_new(fn, x.n);

	for (uint32_t i = 0; i < x.n; i++)
		lane_set(fn, out, i, to_int_sat_lane(fn, lane(fn, x, i), l->leaf[i].type, in->op));
	return out;
}

/* ---- strict floating point (constrained intrinsics) --------------------------------------- */

HANDLER(math_constrained_cast)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes x = operand_of(fn, call, 0), out = lanes_new(fn, x.n);

	if (x.n && !fn_computable(fn, lane(fn, x, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < x.n; i++)
		lane_set(fn, out, i,
			emit_conv(fn, (enum ir_op)in->op, l->leaf[i].type, lane(fn, x, i)));
	return out;
}

static int predicate_of(LLVMValueRef md)
{
	static const struct {
		const char *name;
		LLVMRealPredicate p;
	} names[] = {{"oeq", LLVMRealOEQ}, {"ogt", LLVMRealOGT}, {"oge", LLVMRealOGE},
		{"olt", LLVMRealOLT}, {"ole", LLVMRealOLE}, {"one", LLVMRealONE},
		{"ord", LLVMRealORD}, {"uno", LLVMRealUNO}, {"ueq", LLVMRealUEQ},
		{"ugt", LLVMRealUGT}, {"uge", LLVMRealUGE}, {"ult", LLVMRealULT},
		{"ule", LLVMRealULE}, {"une", LLVMRealUNE}};
	unsigned n;
	const char *s = LLVMGetMDString(md, &n);

	for (size_t i = 0; s && i < ARRAY_SIZE(names); i++)
		if (n == 3 && !memcmp(names[i].name, s, 3))
			return names[i].p;
	return -1;
}

HANDLER(math_constrained_cmp)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1);
	struct lanes out = lanes_new(fn, a.n);
	int p = predicate_of(LLVMGetOperand(call, 2));

	(void)in;
	if (p < 0)
		return unsupported(fn, "constrained comparison with an unknown predicate");
	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i,
			fcmp_lane(fn, (LLVMRealPredicate)p, lane(fn, a, i), lane(fn, b, i)));
	return out;
}
