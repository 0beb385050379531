/* Quotients by powers of two that are not constants. A divider is a large circuit; a shift and a mask
 * are small ones. */
#include "term/term_table.h"

bool tt_is_power(struct terms *ts, term_t b, term_t *log)
{
	unsigned w = tt_width(ts, b);
	u128 c;

	if (tt_is(ts, b, TERM_ZEXT)) {
		if (!tt_is_power(ts, tt_arg(ts, b, 0), log))
			return false;
		*log = term_zext(ts, *log, w);
		return true;
	}
	if (!tt_is(ts, b, TERM_SHL) || !term_is_const(ts, tt_arg(ts, b, 0), &c) || !c ||
		(c & (c - 1)))
		return false;
	for (*log = tt_arg(ts, b, 1); c > 1; c >>= 1)
		*log = term_add(ts, *log, term_const(ts, w, 1));
	return true;
}

static term_t is_zero(struct terms *ts, term_t b)
{
	return term_eq(ts, b, term_const(ts, tt_width(ts, b), 0));
}

/* the bits below that of b; all if b is 0 */
static term_t low_bits(struct terms *ts, term_t b)
{
	return term_sub(ts, b, term_const(ts, tt_width(ts, b), 1));
}

term_t term_udiv_power(struct terms *ts, term_t a, term_t b, term_t log)
{
	return term_ite(ts, is_zero(ts, b), term_const(ts, tt_width(ts, b), ~(u128)0),
		term_lshr(ts, a, log));
}

term_t term_urem_power(struct terms *ts, term_t a, term_t b)
{
	return term_and(ts, a, low_bits(ts, b));
}

/* What must be added to a, so that a shift rounds towards zero. */
static term_t rounding(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);

	return term_and(ts, term_ashr(ts, a, term_const(ts, w, w - 1)), low_bits(ts, b));
}

term_t term_sdiv_power(struct terms *ts, term_t a, term_t b, term_t log)
{
	unsigned w = tt_width(ts, a);
	term_t zero = term_const(ts, w, 0), one = term_const(ts, w, 1);
	term_t by_zero = term_ite(ts, term_slt(ts, a, zero), one, term_const(ts, w, ~(u128)0));
	term_t by_least = term_zext(ts, term_eq(ts, a, b), w);
	term_t q = term_ashr(ts, term_add(ts, a, rounding(ts, a, b)), log);

	return term_ite(
		ts, is_zero(ts, b), by_zero, term_ite(ts, term_slt(ts, b, zero), by_least, q));
}

term_t term_sdiv_wide_power(struct terms *ts, term_t a, term_t low, term_t log)
{
	unsigned w = tt_width(ts, a), n = tt_width(ts, low);
	term_t least = term_const(ts, w, (u128)1 << (n - 1)), shift = term_const(ts, w, n - 1);

	return term_ite(ts, term_slt(ts, low, term_const(ts, n, 0)),
		term_neg(ts, term_sdiv_power(ts, a, least, shift)),
		term_sdiv_power(ts, a, term_zext(ts, low, w), term_zext(ts, log, w)));
}

term_t term_srem_power(struct terms *ts, term_t a, term_t b)
{
	term_t more = rounding(ts, a, b);

	return term_sub(ts, term_and(ts, term_add(ts, a, more), low_bits(ts, b)), more);
}
