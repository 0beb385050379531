#include "term/term_float.h"

#include "base/base.h"
#include "term/term_table.h"

#include <math.h>
#include <string.h>

struct layout {
	unsigned width, fraction; /* bits of the number, bits of the significand that are stored */
	u128 sign, inf, quiet;    /* the sign bit, positive infinity, the quiet bit of NaN */
};

static struct layout layout_of(unsigned width)
{
	struct layout l = {.width = width, .fraction = width == 32 ? 23 : 52};

	if (!term_float_width(width))
		BUG("no floating point of %u bits", width);
	l.sign = (u128)1 << (width - 1);
	l.inf = l.sign - ((u128)1 << l.fraction);
	l.quiet = (u128)1 << (l.fraction - 1);
	return l;
}

u128 term_float_nan(unsigned width)
{
	struct layout l = layout_of(width);

	return l.sign | l.inf | l.quiet;
}

u128 term_float_power(unsigned width, unsigned k)
{
	struct layout l = layout_of(width);
	unsigned bias = width == 32 ? 127 : 1023;

	return k > bias ? l.inf : (u128)(bias + k) << l.fraction;
}

/* -- values -- */

static float f32_of(u128 v)
{
	uint32_t b = (uint32_t)v;
	float x;

	memcpy(&x, &b, sizeof x);
	return x;
}

static double f64_of(u128 v)
{
	uint64_t b = (uint64_t)v;
	double x;

	memcpy(&x, &b, sizeof x);
	return x;
}

static u128 bits32(float x)
{
	uint32_t b;

	memcpy(&b, &x, sizeof b);
	return isnan(x) ? term_float_nan(32) : b;
}

static u128 bits64(double x)
{
	uint64_t b;

	memcpy(&b, &x, sizeof b);
	return isnan(x) ? term_float_nan(64) : b;
}

static u128 fold32(enum term_op op, float x, float y)
{
	switch (op) {
	case TERM_FADD: return bits32(x + y);
	case TERM_FSUB: return bits32(x - y);
	case TERM_FMUL: return bits32(x * y);
	case TERM_FDIV: return bits32(x / y);
	default: return bits32(sqrtf(x));
	}
}

static u128 fold64(enum term_op op, double x, double y)
{
	switch (op) {
	case TERM_FADD: return bits64(x + y);
	case TERM_FSUB: return bits64(x - y);
	case TERM_FMUL: return bits64(x * y);
	case TERM_FDIV: return bits64(x / y);
	default: return bits64(sqrt(x));
	}
}

/* the number as a double, which is exact for both widths */
static double number_of(u128 v, unsigned width)
{
	return width == 32 ? (double)f32_of(v) : f64_of(v);
}

static double to_integral(double x, enum term_rounding mode)
{
	switch (mode) {
	case TERM_RNE: return roundeven(x);
	case TERM_RNA: return round(x);
	case TERM_RTN: return floor(x);
	case TERM_RTP: return ceil(x);
	case TERM_RTZ: return trunc(x);
	}
	BUG("no rounding");
}

static u128 to_int(double x, unsigned width, bool sign)
{
	double top = ldexp(1, (int)width - sign), least = sign ? -top : 0;

	if (isnan(x) || x >= top || x < least)
		return (u128)1 << (width - 1);
	return sign ? (u128)(__int128)x : (u128)x;
}

static u128 from_int(u128 v, unsigned wa, unsigned width, bool sign)
{
	u128 top = (u128)1 << (wa - 1);
	__int128 s = (__int128)((v ^ top) - top);

	if (width == 32)
		return bits32(sign ? (float)s : (float)v);
	return bits64(sign ? (double)s : (double)v);
}

u128 term_float_fold(enum term_op op, unsigned width, unsigned wa, unsigned low, u128 a, u128 b)
{
	switch (op) {
	case TERM_FADD:
	case TERM_FSUB:
	case TERM_FMUL:
	case TERM_FDIV:
	case TERM_FSQRT:
		return width == 32 ? fold32(op, f32_of(a), f32_of(b))
				   : fold64(op, f64_of(a), f64_of(b));
	case TERM_FROUND: {
		double x = to_integral(number_of(a, width), (enum term_rounding)low);

		return width == 32 ? bits32((float)x) : bits64(x);
	}
	case TERM_FCVT: return width == 32 ? bits32((float)f64_of(a)) : bits64((double)f32_of(a));
	case TERM_FTOS: return to_int(number_of(a, wa), width, true);
	case TERM_FTOU: return to_int(number_of(a, wa), width, false);
	case TERM_FFROMS: return from_int(a, wa, width, true);
	case TERM_FFROMU: return from_int(a, wa, width, false);
	default: BUG("no operation on floats");
	}
}

/* -- bits -- */

static term_t constant_of(struct terms *ts, const struct layout *l, u128 v)
{
	return term_const(ts, l->width, v);
}

static term_t magnitude_of(struct terms *ts, const struct layout *l, term_t a)
{
	return term_and(ts, a, constant_of(ts, l, ~l->sign));
}

static term_t is_nan(struct terms *ts, term_t a)
{
	struct layout l = layout_of(tt_width(ts, a));

	if (tt_is(ts, a, TERM_FFROMS) || tt_is(ts, a, TERM_FFROMU))
		return term_bool(ts, false);
	return term_ult(ts, constant_of(ts, &l, l.inf), magnitude_of(ts, &l, a));
}

static term_t make_quiet(struct terms *ts, term_t a)
{
	struct layout l = layout_of(tt_width(ts, a));

	return term_or(ts, a, constant_of(ts, &l, l.quiet));
}

static term_t both_zero(struct terms *ts, term_t a, term_t b)
{
	struct layout l = layout_of(tt_width(ts, a));

	return term_eq(ts, magnitude_of(ts, &l, term_or(ts, a, b)), constant_of(ts, &l, 0));
}

/* an unsigned integer for each number, in the order of the numbers; -0 is below +0 */
static term_t rank_of(struct terms *ts, term_t a)
{
	struct layout l = layout_of(tt_width(ts, a));

	return term_ite(ts, term_extract(ts, a, l.width - 1, 1), term_not(ts, a),
		term_or(ts, a, constant_of(ts, &l, l.sign)));
}

term_t term_funo(struct terms *ts, term_t a, term_t b)
{
	return term_or(ts, is_nan(ts, a), is_nan(ts, b));
}

static term_t are_ordered(struct terms *ts, term_t a, term_t b)
{
	return term_not(ts, term_funo(ts, a, b));
}

term_t term_foeq(struct terms *ts, term_t a, term_t b)
{
	return term_and(
		ts, are_ordered(ts, a, b), term_or(ts, term_eq(ts, a, b), both_zero(ts, a, b)));
}

term_t term_folt(struct terms *ts, term_t a, term_t b)
{
	term_t lt = term_ult(ts, rank_of(ts, a), rank_of(ts, b));

	return term_and(
		ts, are_ordered(ts, a, b), term_and(ts, lt, term_not(ts, both_zero(ts, a, b))));
}

term_t term_fole(struct terms *ts, term_t a, term_t b)
{
	term_t le = term_ule(ts, rank_of(ts, a), rank_of(ts, b));

	return term_and(ts, are_ordered(ts, a, b), term_or(ts, le, both_zero(ts, a, b)));
}

term_t term_fcopysign(struct terms *ts, term_t a, term_t b)
{
	struct layout l = layout_of(tt_width(ts, a));

	return term_or(ts, magnitude_of(ts, &l, a), term_and(ts, b, constant_of(ts, &l, l.sign)));
}

/* -- arithmetic -- */

term_t tt_float(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b)
{
	term_t t = b.id ? tt_fold2(ts, op, width, a, b) : tt_fold1(ts, op, width, low, a);

	return t.id ? t : tt_make(ts, op, width, low, a, b, TERM_NONE);
}

static term_t make_binary(struct terms *ts, enum term_op op, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	BUG_ON(tt_width(ts, b) != w || !term_float_width(w));
	t = tt_float(ts, op, w, 0, a, b);
	t = term_ite(ts, is_nan(ts, b), make_quiet(ts, b), t);
	return term_ite(ts, is_nan(ts, a), make_quiet(ts, a), t);
}

term_t term_fadd(struct terms *ts, term_t a, term_t b)
{
	return make_binary(ts, TERM_FADD, a, b);
}

term_t term_fsub(struct terms *ts, term_t a, term_t b)
{
	return make_binary(ts, TERM_FSUB, a, b);
}

term_t term_fmul(struct terms *ts, term_t a, term_t b)
{
	return make_binary(ts, TERM_FMUL, a, b);
}

term_t term_fdiv(struct terms *ts, term_t a, term_t b)
{
	return make_binary(ts, TERM_FDIV, a, b);
}

static term_t make_unary(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a)
{
	return tt_float(ts, op, width, low, a, TERM_NONE);
}

term_t term_fsqrt(struct terms *ts, term_t a)
{
	unsigned w = layout_of(tt_width(ts, a)).width;

	return term_ite(ts, is_nan(ts, a), make_quiet(ts, a), make_unary(ts, TERM_FSQRT, w, 0, a));
}

term_t term_fround(struct terms *ts, term_t a, enum term_rounding mode)
{
	unsigned w = layout_of(tt_width(ts, a)).width;

	return term_ite(
		ts, is_nan(ts, a), make_quiet(ts, a), make_unary(ts, TERM_FROUND, w, mode, a));
}

/* whether a is a signalling NaN: the quiet bit is not set */
static term_t is_signalling(struct terms *ts, term_t a)
{
	struct layout l = layout_of(tt_width(ts, a));

	return term_and(ts, is_nan(ts, a), term_not(ts, term_extract(ts, a, l.fraction - 1, 1)));
}

/* A quiet NaN counts as a missing operand: the result is the other operand. If both operands are
 * NaN or one is a signalling NaN, the result is that of a sum: the first NaN, made quiet. `first`
 * is whether the result of two numbers is a. */
static term_t make_extremum(struct terms *ts, term_t a, term_t b, term_t first)
{
	term_t na = is_nan(ts, a), nb = is_nan(ts, b), t = term_ite(ts, first, a, b), both;

	both = term_or(
		ts, term_and(ts, na, nb), term_or(ts, is_signalling(ts, a), is_signalling(ts, b)));
	t = term_ite(ts, na, b, term_ite(ts, nb, a, t));
	return term_ite(ts, both, term_ite(ts, na, make_quiet(ts, a), make_quiet(ts, b)), t);
}

term_t term_fmin(struct terms *ts, term_t a, term_t b)
{
	return make_extremum(ts, a, b, term_folt(ts, a, b));
}

term_t term_fmax(struct terms *ts, term_t a, term_t b)
{
	return make_extremum(ts, a, b, term_folt(ts, b, a));
}

/* -- conversions -- */

/* the NaN a in another width, made quiet; the payload keeps its upper bits */
static term_t nan_of_width(struct terms *ts, term_t a, unsigned width)
{
	struct layout from = layout_of(tt_width(ts, a)), to = layout_of(width);
	term_t sign = term_extract(ts, a, from.width - 1, 1), payload;

	payload = term_extract(ts, a, 0, from.fraction);
	if (from.fraction > to.fraction)
		payload = term_extract(ts, payload, from.fraction - to.fraction, to.fraction);
	else
		payload = term_concat(ts, payload, term_const(ts, to.fraction - from.fraction, 0));
	payload = term_concat(ts, term_const(ts, to.width - 1 - to.fraction, ~(u128)0), payload);
	return make_quiet(ts, term_concat(ts, sign, payload));
}

term_t term_fcvt(struct terms *ts, term_t a, unsigned width)
{
	if (tt_width(ts, a) == width)
		return a;
	return term_ite(ts, is_nan(ts, a), nan_of_width(ts, a, width),
		make_unary(ts, TERM_FCVT, layout_of(width).width, 0, a));
}

static term_t make_truncated(
	struct terms *ts, enum term_op op, term_t a, unsigned wide, unsigned width)
{
	BUG_ON(!term_float_width(tt_width(ts, a)) || width > wide);
	return term_trunc(ts, make_unary(ts, op, wide, 0, a), width);
}

term_t term_fptosi(struct terms *ts, term_t a, unsigned width)
{
	return make_truncated(ts, TERM_FTOS, a, width <= 32 ? 32 : width <= 64 ? 64 : 128, width);
}

term_t term_fptoui(struct terms *ts, term_t a, unsigned width)
{
	unsigned wa = tt_width(ts, a), wide = width <= 64 ? 64 : 128;
	term_t half;

	if (width <= 32)
		return make_truncated(ts, TERM_FTOS, a, width <= 16 ? 32 : 64, width);
	half = term_const(ts, wa, term_float_power(wa, 63));
	return term_ite(ts, term_folt(ts, a, half), make_truncated(ts, TERM_FTOS, a, wide, width),
		make_truncated(ts, TERM_FTOU, a, wide, width));
}

term_t term_sitofp(struct terms *ts, term_t a, unsigned width)
{
	return make_unary(ts, TERM_FFROMS, layout_of(width).width, 0, a);
}

term_t term_uitofp(struct terms *ts, term_t a, unsigned width)
{
	return make_unary(ts, TERM_FFROMU, layout_of(width).width, 0, a);
}
