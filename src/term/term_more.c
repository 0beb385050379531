/* Operations of the IR that are not kinds of terms, built from those that are. */
#include "term/term_table.h"

#include "base/base.h"

term_t term_umin(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_ult(ts, a, b), a, b);
}

term_t term_umax(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_ult(ts, a, b), b, a);
}

term_t term_smin(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_slt(ts, a, b), a, b);
}

term_t term_smax(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_slt(ts, a, b), b, a);
}

static term_t sign_bit(struct terms *ts, term_t a)
{
	return term_extract(ts, a, tt_width(ts, a) - 1, 1);
}

term_t term_uaddo(struct terms *ts, term_t a, term_t b)
{
	return term_ult(ts, term_add(ts, a, b), a);
}

/* the operands have equal signs, and the result has the other sign */
term_t term_saddo(struct terms *ts, term_t a, term_t b)
{
	term_t s = sign_bit(ts, term_add(ts, a, b)), x = sign_bit(ts, a), y = sign_bit(ts, b);

	return term_and(ts, term_eq(ts, x, y), term_ne(ts, x, s));
}

term_t term_usubo(struct terms *ts, term_t a, term_t b)
{
	return term_ult(ts, a, b);
}

term_t term_ssubo(struct terms *ts, term_t a, term_t b)
{
	term_t s = sign_bit(ts, term_sub(ts, a, b)), x = sign_bit(ts, a), y = sign_bit(ts, b);

	return term_and(ts, term_ne(ts, x, y), term_ne(ts, x, s));
}

/* In twice the width the product is exact. If that is wider than a term can be, the wrapped product
 * is divided by b: the quotient differs from a after an overflow. */
term_t term_umulo(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t zero = term_const(ts, w, 0);

	if (2 * w <= TERM_MAX_WIDTH) {
		term_t p = term_mul(ts, term_zext(ts, a, 2 * w), term_zext(ts, b, 2 * w));

		return term_ne(ts, term_extract(ts, p, w, w), zero);
	}
	return term_and(
		ts, term_ne(ts, b, zero), term_ne(ts, term_udiv(ts, term_mul(ts, a, b), b), a));
}

term_t term_smulo(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t zero = term_const(ts, w, 0), least = term_const(ts, w, (u128)1 << (w - 1)), p;

	if (2 * w <= TERM_MAX_WIDTH) {
		p = term_mul(ts, term_sext(ts, a, 2 * w), term_sext(ts, b, 2 * w));
		return term_ne(ts, p, term_sext(ts, term_trunc(ts, p, w), 2 * w));
	}
	p = term_mul(ts, a, b);
	/* least * -1 divided by -1 wraps back to least */
	return term_or(ts, term_and(ts, term_ne(ts, b, zero), term_ne(ts, term_sdiv(ts, p, b), a)),
		term_and(ts, term_eq(ts, a, least), term_eq(ts, b, term_const(ts, w, ~(u128)0))));
}

term_t term_uaddsat(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_uaddo(ts, a, b), term_const(ts, tt_width(ts, a), ~(u128)0),
		term_add(ts, a, b));
}

term_t term_usubsat(struct terms *ts, term_t a, term_t b)
{
	return term_ite(
		ts, term_ult(ts, a, b), term_const(ts, tt_width(ts, a), 0), term_sub(ts, a, b));
}

/* the signed result after an overflow: the least number if a is negative, else the greatest */
static term_t clamp_overflow(struct terms *ts, term_t a)
{
	unsigned w = tt_width(ts, a);
	u128 least = (u128)1 << (w - 1);

	return term_ite(
		ts, sign_bit(ts, a), term_const(ts, w, least), term_const(ts, w, least - 1));
}

term_t term_saddsat(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_saddo(ts, a, b), clamp_overflow(ts, a), term_add(ts, a, b));
}

term_t term_ssubsat(struct terms *ts, term_t a, term_t b)
{
	return term_ite(ts, term_ssubo(ts, a, b), clamp_overflow(ts, a), term_sub(ts, a, b));
}

term_t term_abs(struct terms *ts, term_t a)
{
	return term_ite(ts, sign_bit(ts, a), term_neg(ts, a), a);
}

/* the number of ones in bits low .. low + n - 1, in a's width; adds halves, so that the sums are
 * shallow */
static term_t count_ones(struct terms *ts, term_t a, unsigned low, unsigned n)
{
	if (n == 1)
		return term_zext(ts, term_extract(ts, a, low, 1), tt_width(ts, a));
	return term_add(
		ts, count_ones(ts, a, low, n / 2), count_ones(ts, a, low + n / 2, n - n / 2));
}

term_t term_ctpop(struct terms *ts, term_t a)
{
	return count_ones(ts, a, 0, tt_width(ts, a));
}

term_t term_ctlz(struct terms *ts, term_t a)
{
	unsigned w = tt_width(ts, a);
	term_t r = term_const(ts, w, w);

	for (unsigned i = 0; i < w; i++)
		r = term_ite(ts, term_extract(ts, a, i, 1), term_const(ts, w, w - 1 - i), r);
	return r;
}

term_t term_cttz(struct terms *ts, term_t a)
{
	unsigned w = tt_width(ts, a);
	term_t r = term_const(ts, w, w);

	for (unsigned i = w; i--;)
		r = term_ite(ts, term_extract(ts, a, i, 1), term_const(ts, w, i), r);
	return r;
}

static term_t reverse_units(struct terms *ts, term_t a, unsigned unit)
{
	term_t r = term_extract(ts, a, 0, unit);

	for (unsigned low = unit; low < tt_width(ts, a); low += unit)
		r = term_concat(ts, r, term_extract(ts, a, low, unit));
	return r;
}

term_t term_bswap(struct terms *ts, term_t a)
{
	BUG_ON(tt_width(ts, a) % 8);
	return reverse_units(ts, a, 8);
}

term_t term_bitrev(struct terms *ts, term_t a)
{
	return reverse_units(ts, a, 1);
}

/* A funnel shift by n = c modulo the width. The other half is shifted by width - n, which for n = 0
 * is the width and shifts all bits out. */
static term_t shift_funnel(struct terms *ts, term_t a, term_t b, term_t c, bool left)
{
	unsigned w = tt_width(ts, a);
	term_t width = term_const(ts, w, w), n, m;

	if (w == 1)
		return left ? a : b;
	n = term_urem(ts, c, width);
	m = term_sub(ts, width, n);
	if (left)
		return term_or(ts, term_shl(ts, a, n), term_lshr(ts, b, m));
	return term_or(ts, term_shl(ts, a, m), term_lshr(ts, b, n));
}

term_t term_fshl(struct terms *ts, term_t a, term_t b, term_t c)
{
	return shift_funnel(ts, a, b, c, true);
}

term_t term_fshr(struct terms *ts, term_t a, term_t b, term_t c)
{
	return shift_funnel(ts, a, b, c, false);
}
