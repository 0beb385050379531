#include "machine/eval.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

/* ---- floats ------------------------------------------------------------------------------ */

static float to_f32(struct val v)
{
	uint32_t b = (uint32_t)v.lo;
	float x;

	memcpy(&x, &b, 4);
	return x;
}

static double to_f64(struct val v)
{
	double x;

	memcpy(&x, &v.lo, 8);
	return x;
}

static long double to_f80(struct val v)
{
	long double x = 0;

	memcpy(&x, &v, 10);
	return x;
}

static struct val of_f32(float x)
{
	uint32_t b;

	memcpy(&b, &x, 4);
	return (struct val){b, 0};
}

static struct val of_f64(double x)
{
	struct val v = {0};

	memcpy(&v.lo, &x, 8);
	return v;
}

static struct val of_f80(long double x)
{
	struct val v = {0};

	memcpy(&v, &x, 10);
	return v;
}

static long double to_float(struct val v, ir_type t)
{
	return t == IR_F32 ? to_f32(v) : t == IR_F64 ? to_f64(v) : to_f80(v);
}

static struct val of_float(long double x, ir_type t)
{
	return t == IR_F32 ? of_f32((float)x) : t == IR_F64 ? of_f64((double)x) : of_f80(x);
}

static bool is_computable(ir_type t)
{
	return t == IR_F32 || t == IR_F64 || t == IR_F80;
}

#define FLOAT2(name, e32, e64, e80)                                                                \
	static struct val name(ir_type t, struct val va, struct val vb)                            \
	{                                                                                          \
		if (t == IR_F32) {                                                                 \
			float a = to_f32(va), b = to_f32(vb);                                      \
			return of_f32(e32);                                                        \
		}                                                                                  \
		if (t == IR_F64) {                                                                 \
			double a = to_f64(va), b = to_f64(vb);                                     \
			return of_f64(e64);                                                        \
		}                                                                                  \
		long double a = to_f80(va), b = to_f80(vb);                                        \
		return of_f80(e80);                                                                \
	}
FLOAT2(f_add, a + b, a + b, a + b)
FLOAT2(f_sub, a - b, a - b, a - b)
FLOAT2(f_mul, a * b, a * b, a * b)
FLOAT2(f_div, a / b, a / b, a / b)
FLOAT2(f_rem, fmodf(a, b), fmod(a, b), fmodl(a, b))
FLOAT2(f_min, fminf(a, b), fmin(a, b), fminl(a, b))
FLOAT2(f_max, fmaxf(a, b), fmax(a, b), fmaxl(a, b))

static enum eval_status float_bin(uint8_t op, ir_type t, const struct val *a, struct val *out)
{
	u128 sign = (u128)1 << (ir_type_bits(t) - 1);

	if (op == IR_FCOPYSIGN) {
		*out = val_of((val_u128(a[0]) & ~sign) | (val_u128(a[1]) & sign));
		return EVAL_OK;
	}
	if (!is_computable(t))
		return EVAL_UNSUPPORTED;
	switch (op) {
	case IR_FADD: *out = f_add(t, a[0], a[1]); break;
	case IR_FSUB: *out = f_sub(t, a[0], a[1]); break;
	case IR_FMUL: *out = f_mul(t, a[0], a[1]); break;
	case IR_FDIV: *out = f_div(t, a[0], a[1]); break;
	case IR_FREM: *out = f_rem(t, a[0], a[1]); break;
	case IR_FMIN: *out = f_min(t, a[0], a[1]); break;
	case IR_FMAX: *out = f_max(t, a[0], a[1]); break;
	default: BUG("not a float operation");
	}
	return EVAL_OK;
}

static enum eval_status float_un(uint8_t op, ir_type t, struct val v, struct val *out)
{
	u128 sign = (u128)1 << (ir_type_bits(t) - 1);
	long double x;

	if (op == IR_FNEG || op == IR_FABS) {
		*out = val_of(op == IR_FNEG ? val_u128(v) ^ sign : val_u128(v) & ~sign);
		return EVAL_OK;
	}
	if (!is_computable(t))
		return EVAL_UNSUPPORTED;
	if (op == IR_FSQRT) { /* rounds in the type itself */
		*out = t == IR_F32   ? of_f32(sqrtf(to_f32(v)))
			: t == IR_F64 ? of_f64(sqrt(to_f64(v)))
				      : of_f80(sqrtl(to_f80(v)));
		return EVAL_OK;
	}
	x = to_float(v, t); /* integral results are exact in every wider type */
	switch (op) {
	case IR_FFLOOR: x = floorl(x); break;
	case IR_FCEIL: x = ceill(x); break;
	case IR_FTRUNC: x = truncl(x); break;
	case IR_FRINT: x = rintl(x); break;
	case IR_FNEARBYINT: x = nearbyintl(x); break;
	case IR_FROUND: x = roundl(x); break;
	case IR_FROUNDEVEN: x = roundevenl(x); break;
	default: BUG("not a float operation");
	}
	*out = of_float(x, t);
	return EVAL_OK;
}

static enum eval_status float_fma(ir_type t, const struct val *a, struct val *out)
{
	if (t == IR_F32)
		*out = of_f32(fmaf(to_f32(a[0]), to_f32(a[1]), to_f32(a[2])));
	else if (t == IR_F64)
		*out = of_f64(fma(to_f64(a[0]), to_f64(a[1]), to_f64(a[2])));
	else if (t == IR_F80)
		*out = of_f80(fmal(to_f80(a[0]), to_f80(a[1]), to_f80(a[2])));
	else
		return EVAL_UNSUPPORTED;
	return EVAL_OK;
}

static enum eval_status float_cmp(uint8_t op, ir_type t, const struct val *v, struct val *out)
{
	long double a, b;
	bool uno, r;

	if (!is_computable(t))
		return EVAL_UNSUPPORTED;
	a = to_float(v[0], t);
	b = to_float(v[1], t);
	uno = isunordered(a, b);
	switch (op) {
	case IR_FOEQ: r = !uno && a == b; break;
	case IR_FOLT: r = !uno && a < b; break;
	case IR_FOLE: r = !uno && a <= b; break;
	case IR_FONE: r = !uno && a != b; break;
	case IR_FORD: r = !uno; break;
	case IR_FUNO: r = uno; break;
	case IR_FUEQ: r = uno || a == b; break;
	case IR_FULT: r = uno || a < b; break;
	case IR_FULE: r = uno || a <= b; break;
	case IR_FUNE: r = uno || a != b; break;
	default: BUG("not a float comparison");
	}
	*out = (struct val){r, 0};
	return EVAL_OK;
}

/* As cvttsd2si: a value that does not fit gives the top bit alone. */
static u128 truncate_signed(long double x, uint32_t bits)
{
	long double top = ldexpl(1, (int)bits - 1);

	return isnan(x) || x >= top || x <= -top - 1 ? (u128)1 << (bits - 1) : (u128)(s128)x;
}

/* A value out of range is undefined behaviour in C. The result is that of x86-64 code, as in the
 * native run: narrow results are truncated from a wider signed conversion. */
static u128 float_to_int(long double x, uint32_t bits, bool is_signed)
{
	u128 r;

	if (is_signed)
		r = truncate_signed(x, bits <= 32 ? 32 : bits <= 64 ? 64 : 128);
	else if (bits <= 32)
		r = truncate_signed(x, bits <= 16 ? 32 : 64);
	else if (x < ldexpl(1, 63))
		r = truncate_signed(x, bits <= 64 ? 64 : 128);
	else if (x < ldexpl(1, bits <= 64 ? 64 : 128))
		r = (u128)x;
	else
		r = (u128)1 << (bits <= 64 ? 63 : 127);
	return r & bits_mask(bits);
}

static struct val int_to_float(u128 x, uint32_t bits, ir_type t, bool is_signed)
{
	s128 s = bits_signed(x, bits);

	if (t == IR_F32)
		return of_f32(is_signed ? (float)s : (float)x);
	if (t == IR_F64)
		return of_f64(is_signed ? (double)s : (double)x);
	return of_f80(is_signed ? (long double)s : (long double)x);
}

/* ---- integers ---------------------------------------------------------------------------- */

static enum eval_status eval_divide(uint8_t op, uint32_t bits, u128 a, u128 b, u128 *r)
{
	s128 sa = bits_signed(a, bits), sb = bits_signed(b, bits);
	s128 min = bits_signed((u128)1 << (bits - 1), bits);

	if (!b)
		return EVAL_DIV_ZERO;
	if ((op == IR_SDIV || op == IR_SREM) && sb == -1 && sa == min)
		return EVAL_DIV_OVERFLOW;
	switch (op) {
	case IR_UDIV: *r = a / b; break;
	case IR_UREM: *r = a % b; break;
	case IR_SDIV: *r = (u128)(sa / sb); break;
	default: *r = (u128)(sa % sb); break;
	}
	return EVAL_OK;
}

static u128 eval_shift(uint8_t op, uint32_t bits, u128 a, u128 b)
{
	if (op == IR_ASHR)
		return (u128)(bits_signed(a, bits) >> (b >= bits ? MIN(bits, 127u) : (uint32_t)b));
	if (b >= bits)
		return 0;
	return op == IR_SHL ? a << b : a >> b;
}

/* the sum or difference, clamped to the range of the type */
static u128 eval_saturate(uint8_t op, uint32_t bits, u128 a, u128 b)
{
	u128 max = bits_mask(bits), top = (u128)1 << (bits - 1), r;
	bool neg;

	switch (op) {
	case IR_UADDSAT: r = (a + b) & max; return r < a ? max : r;
	case IR_USUBSAT: return a < b ? 0 : a - b;
	case IR_SADDSAT:
		r = (a + b) & max;
		neg = a & top;
		return !((a ^ b) & top) && ((a ^ r) & top) ? (neg ? top : top - 1) : r;
	default:
		r = (a - b) & max;
		neg = a & top;
		return ((a ^ b) & top) && ((a ^ r) & top) ? (neg ? top : top - 1) : r;
	}
}

static enum eval_status int_bin(uint8_t op, uint32_t bits, u128 a, u128 b, u128 *r)
{
	s128 sa, sb;

	switch (op) {
	case IR_ADD: *r = a + b; break;
	case IR_SUB: *r = a - b; break;
	case IR_MUL: *r = a * b; break;
	case IR_UDIV:
	case IR_SDIV:
	case IR_UREM:
	case IR_SREM: return eval_divide(op, bits, a, b, r);
	case IR_SHL:
	case IR_LSHR:
	case IR_ASHR: *r = eval_shift(op, bits, a, b); break;
	case IR_AND: *r = a & b; break;
	case IR_OR: *r = a | b; break;
	case IR_XOR: *r = a ^ b; break;
	case IR_UMIN: *r = MIN(a, b); break;
	case IR_UMAX: *r = MAX(a, b); break;
	case IR_SMIN:
	case IR_SMAX:
		sa = bits_signed(a, bits);
		sb = bits_signed(b, bits);
		*r = (sa < sb) == (op == IR_SMIN) ? a : b;
		break;
	default: *r = eval_saturate(op, bits, a, b); break;
	}
	return EVAL_OK;
}

static bool int_cmp(uint8_t op, uint32_t bits, u128 a, u128 b)
{
	switch (op) {
	case IR_EQ: return a == b;
	case IR_NE: return a != b;
	case IR_ULT: return a < b;
	case IR_ULE: return a <= b;
	case IR_SLT: return bits_signed(a, bits) < bits_signed(b, bits);
	case IR_SLE: return bits_signed(a, bits) <= bits_signed(b, bits);
	default: BUG("not a comparison");
	}
}

static u128 int_un(uint8_t op, uint32_t bits, u128 a)
{
	u128 r = 0;

	switch (op) {
	case IR_COPY:
	case IR_FREEZE: return a;
	case IR_CTPOP:
		return (u128)(__builtin_popcountll((uint64_t)a) +
			      __builtin_popcountll((uint64_t)(a >> 64)));
	case IR_CTLZ:
		while (r < bits && !(a >> (bits - 1 - (uint32_t)r) & 1))
			r++;
		return r;
	case IR_CTTZ:
		while (r < bits && !(a >> (uint32_t)r & 1))
			r++;
		return r;
	case IR_BSWAP:
		for (uint32_t i = 0; i < bits; i += 8)
			r |= (a >> i & 0xff) << (bits - 8 - i);
		return r;
	case IR_BITREV:
		for (uint32_t i = 0; i < bits; i++)
			r |= (a >> i & 1) << (bits - 1 - i);
		return r;
	case IR_ABS: return bits_signed(a, bits) < 0 ? -a : a;
	default: BUG("not a unary operation");
	}
}

static u128 eval_funnel(uint8_t op, uint32_t bits, u128 a, u128 b, u128 c)
{
	uint32_t k = (uint32_t)(c % bits);

	if (!k)
		return op == IR_FSHL ? a : b;
	return op == IR_FSHL ? a << k | b >> (bits - k) : a << (bits - k) | b >> k;
}

static void eval_overflow(const struct ir_insn *in, uint32_t bits, u128 a, u128 b, struct val *out)
{
	s128 sa = bits_signed(a, bits), sb = bits_signed(b, bits), s = 0;
	u128 u = 0;
	bool over = false;

	switch (in->op) {
	case IR_UADDO: over = __builtin_add_overflow(a, b, &u); break;
	case IR_USUBO: over = __builtin_sub_overflow(a, b, &u); break;
	case IR_UMULO: over = __builtin_mul_overflow(a, b, &u); break;
	case IR_SADDO: over = __builtin_add_overflow(sa, sb, &s); break;
	case IR_SSUBO: over = __builtin_sub_overflow(sa, sb, &s); break;
	default: over = __builtin_mul_overflow(sa, sb, &s); break;
	}
	if (in->op == IR_UADDO || in->op == IR_USUBO || in->op == IR_UMULO)
		over |= u > bits_mask(bits);
	else {
		u = (u128)s;
		over |= bits_signed(u & bits_mask(bits), bits) != s;
	}
	out[0] = val_of(u & bits_mask(bits));
	out[1] = (struct val){over, 0};
}

/* ---- dispatch ---------------------------------------------------------------------------- */

static enum eval_status eval_convert(const struct ir_insn *in, struct val v, struct val *out)
{
	uint32_t to = ir_type_bits(in->type), from = ir_type_bits(in->type2);
	u128 x = val_u128(v);

	switch (in->op) {
	case IR_TRUNC:
	case IR_ZEXT:
	case IR_BITCAST:
	case IR_PTRTOINT:
	case IR_INTTOPTR: *out = val_of(x & bits_mask(to)); return EVAL_OK;
	case IR_SEXT: *out = val_of((u128)bits_signed(x, from) & bits_mask(to)); return EVAL_OK;
	case IR_FPTRUNC:
	case IR_FPEXT:
		if (!is_computable(in->type) || !is_computable(in->type2))
			return EVAL_UNSUPPORTED;
		*out = of_float(to_float(v, in->type2), in->type);
		return EVAL_OK;
	case IR_FPTOUI:
	case IR_FPTOSI:
		if (!is_computable(in->type2))
			return EVAL_UNSUPPORTED;
		*out = val_of(float_to_int(to_float(v, in->type2), to, in->op == IR_FPTOSI));
		return EVAL_OK;
	case IR_UITOFP:
	case IR_SITOFP:
		if (!is_computable(in->type))
			return EVAL_UNSUPPORTED;
		*out = int_to_float(x, from, in->type, in->op == IR_SITOFP);
		return EVAL_OK;
	default: BUG("not a conversion");
	}
}

enum eval_status eval_op(const struct ir_insn *in, const struct val *a, struct val *out)
{
	uint32_t bits = ir_type_bits(in->type);
	enum eval_status st = EVAL_OK;
	u128 r = 0;

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
		if (in->op >= IR_FADD && in->op <= IR_FMAX)
			return float_bin(in->op, in->type, a, out);
		st = int_bin(in->op, bits, val_u128(a[0]), val_u128(a[1]), &r);
		*out = val_of(r & bits_mask(bits));
		return st;
	case IR_S_CMP:
		if (in->op >= IR_FOEQ)
			return float_cmp(in->op, in->type2, a, out);
		*out = (struct val){int_cmp(in->op, ir_type_bits(in->type2), val_u128(a[0]),
					    val_u128(a[1])),
			0};
		return EVAL_OK;
	case IR_S_UN:
		if (in->op >= IR_FNEG)
			return float_un(in->op, in->type, a[0], out);
		*out = val_of(int_un(in->op, bits, val_u128(a[0])) & bits_mask(bits));
		return EVAL_OK;
	case IR_S_TERN:
		if (in->op == IR_FMA)
			return float_fma(in->type, a, out);
		r = eval_funnel(in->op, bits, val_u128(a[0]), val_u128(a[1]), val_u128(a[2]));
		*out = val_of(r & bits_mask(bits));
		return EVAL_OK;
	case IR_S_CONV: return eval_convert(in, a[0], out);
	case IR_S_SELECT: *out = a[0].lo ? a[1] : a[2]; return EVAL_OK;
	case IR_S_OVF: eval_overflow(in, bits, val_u128(a[0]), val_u128(a[1]), out); return EVAL_OK;
	default: BUG("'%s' is not an operation on registers", ir_ops[in->op].name);
	}
}

enum eval_status eval_rmw(const struct ir_insn *in, struct val old, struct val arg, struct val *out)
{
	static const uint8_t as[] = {
		[IR_RMW_ADD - IR_RMW_XCHG] = IR_ADD,
		[IR_RMW_SUB - IR_RMW_XCHG] = IR_SUB,
		[IR_RMW_AND - IR_RMW_XCHG] = IR_AND,
		[IR_RMW_NAND - IR_RMW_XCHG] = IR_AND,
		[IR_RMW_OR - IR_RMW_XCHG] = IR_OR,
		[IR_RMW_XOR - IR_RMW_XCHG] = IR_XOR,
		[IR_RMW_MAX - IR_RMW_XCHG] = IR_SMAX,
		[IR_RMW_MIN - IR_RMW_XCHG] = IR_SMIN,
		[IR_RMW_UMAX - IR_RMW_XCHG] = IR_UMAX,
		[IR_RMW_UMIN - IR_RMW_XCHG] = IR_UMIN,
		[IR_RMW_FADD - IR_RMW_XCHG] = IR_FADD,
		[IR_RMW_FSUB - IR_RMW_XCHG] = IR_FSUB,
	};
	struct ir_insn op = *in;
	enum eval_status st;

	if (in->op == IR_RMW_XCHG) {
		*out = arg;
		return EVAL_OK;
	}
	op.op = as[in->op - IR_RMW_XCHG];
	st = eval_op(&op, (struct val[]){old, arg}, out);
	if (in->op == IR_RMW_NAND)
		*out = val_of(~val_u128(*out) & bits_mask(ir_type_bits(in->type)));
	return st;
}
