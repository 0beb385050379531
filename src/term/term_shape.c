/* Shifts, extensions, extractions and concatenations, and their simplification. */
#include "term/term_table.h"

#include "base/base.h"

term_t term_shl(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;
	u128 k;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != w);
	if (w == 1)
		return term_and(ts, a, term_not(ts, b));
	if (term_is_const(ts, b, &k)) /* a product, so that it can be a monomial of a sum */
		return k >= w ? term_const(ts, w, 0)
			      : term_mul(ts, term_const(ts, w, (u128)1 << k), a);
	if (term_is_const(ts, a, &k) && !k)
		return a;
	t = tt_fold2(ts, TERM_SHL, w, a, b);
	return t.id ? t : tt_make(ts, TERM_SHL, w, 0, a, b, TERM_NONE);
}

term_t term_lshr(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;
	u128 k;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != w);
	if (w == 1)
		return term_and(ts, a, term_not(ts, b));
	if (term_is_const(ts, b, &k)) {
		if (k >= w)
			return term_const(ts, w, 0);
		return term_zext(ts, term_extract(ts, a, (unsigned)k, w - (unsigned)k), w);
	}
	if (term_is_const(ts, a, &k) && !k)
		return a;
	t = tt_fold2(ts, TERM_LSHR, w, a, b);
	return t.id ? t : tt_make(ts, TERM_LSHR, w, 0, a, b, TERM_NONE);
}

term_t term_ashr(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;
	u128 k;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != w);
	if (w == 1)
		return a;
	if (term_is_const(ts, b, &k)) {
		unsigned n = k >= w ? w - 1 : (unsigned)k;

		return term_sext(ts, term_extract(ts, a, n, w - n), w);
	}
	if (term_is_const(ts, a, &k) && (!k || k == term_mask(w)))
		return a;
	t = tt_fold2(ts, TERM_ASHR, w, a, b);
	return t.id ? t : tt_make(ts, TERM_ASHR, w, 0, a, b, TERM_NONE);
}

term_t term_zext(struct terms *ts, term_t a, unsigned width)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	BUG_ON(!a.id || width < w || width > TERM_MAX_WIDTH);
	if (width == w)
		return a;
	if (tt_is(ts, a, TERM_ZEXT))
		a = tt_arg(ts, a, 0);
	t = tt_fold1(ts, TERM_ZEXT, width, 0, a);
	return t.id ? t : tt_make(ts, TERM_ZEXT, width, 0, a, TERM_NONE, TERM_NONE);
}

term_t term_sext(struct terms *ts, term_t a, unsigned width)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	BUG_ON(!a.id || width < w || width > TERM_MAX_WIDTH);
	if (width == w)
		return a;
	if (tt_is(ts, a, TERM_ZEXT))
		return term_zext(ts, tt_arg(ts, a, 0), width);
	if (tt_is(ts, a, TERM_SEXT))
		a = tt_arg(ts, a, 0);
	t = tt_fold1(ts, TERM_SEXT, width, 0, a);
	return t.id ? t : tt_make(ts, TERM_SEXT, width, 0, a, TERM_NONE, TERM_NONE);
}

term_t term_trunc(struct terms *ts, term_t a, unsigned width)
{
	return term_extract(ts, a, 0, width);
}

/* extracts from an extension: bits of its operand, added bits, or both */
static term_t extract_extended(struct terms *ts, term_t a, unsigned low, unsigned width)
{
	bool sign = tt_is(ts, a, TERM_SEXT);
	term_t x = tt_arg(ts, a, 0);
	unsigned wx = tt_width(ts, x);

	if (low + width <= wx)
		return term_extract(ts, x, low, width);
	if (low < wx) {
		x = term_extract(ts, x, low, wx - low);
		return sign ? term_sext(ts, x, width) : term_zext(ts, x, width);
	}
	if (!sign)
		return term_const(ts, width, 0);
	return term_sext(ts, term_extract(ts, x, wx - 1, 1), width);
}

static term_t extract_concat(struct terms *ts, term_t a, unsigned low, unsigned width)
{
	term_t h = tt_arg(ts, a, 0), l = tt_arg(ts, a, 1);
	unsigned wl = tt_width(ts, l);

	if (low >= wl)
		return term_extract(ts, h, low - wl, width);
	if (low + width <= wl)
		return term_extract(ts, l, low, width);
	return term_concat(
		ts, term_extract(ts, h, 0, low + width - wl), term_extract(ts, l, low, wl - low));
}

/* whether the truncation of t removes an operation or folds */
static bool gets_small(const struct terms *ts, term_t t)
{
	uint8_t op = tt_node(ts, t)->op;

	return op == TERM_CONST || op == TERM_ZEXT || op == TERM_SEXT;
}

/* The low bits of a sum, product or bitwise operation depend only on the low bits of the operands:
 * truncates the operands if that makes one of them smaller, else TERM_NONE. */
static term_t trunc_operands(struct terms *ts, term_t a, unsigned width)
{
	term_t x = tt_arg(ts, a, 0), y = tt_arg(ts, a, 1), r;

	if ((!gets_small(ts, x) && !gets_small(ts, y)) || ts->depth >= TT_MAX_DEPTH)
		return TERM_NONE;
	ts->depth++;
	x = term_trunc(ts, x, width);
	y = term_trunc(ts, y, width);
	switch (tt_node(ts, a)->op) {
	case TERM_ADD: r = term_add(ts, x, y); break;
	case TERM_MUL: r = term_mul(ts, x, y); break;
	case TERM_AND: r = term_and(ts, x, y); break;
	case TERM_OR: r = term_or(ts, x, y); break;
	default: r = term_xor(ts, x, y); break;
	}
	ts->depth--;
	return r;
}

term_t term_extract(struct terms *ts, term_t a, unsigned low, unsigned width)
{
	term_t t = TERM_NONE;

	BUG_ON(!a.id || !width || low + width > tt_width(ts, a));
	if (width == tt_width(ts, a))
		return a;
	t = tt_fold1(ts, TERM_EXTRACT, width, low, a);
	if (t.id)
		return t;
	switch (tt_node(ts, a)->op) {
	case TERM_EXTRACT:
		return term_extract(ts, tt_arg(ts, a, 0), low + tt_node(ts, a)->low, width);
	case TERM_ZEXT:
	case TERM_SEXT: return extract_extended(ts, a, low, width);
	case TERM_CONCAT: return extract_concat(ts, a, low, width);
	case TERM_ADD:
	case TERM_MUL:
		if (!low)
			t = trunc_operands(ts, a, width);
		break;
	case TERM_AND:
	case TERM_OR:
	case TERM_XOR:
		if (!low)
			t = trunc_operands(ts, a, width);
		break;
	case TERM_NOT: return term_not(ts, term_extract(ts, tt_arg(ts, a, 0), low, width));
	default: break;
	}
	return t.id ? t : tt_make(ts, TERM_EXTRACT, width, low, a, TERM_NONE, TERM_NONE);
}

/* the concatenation of adjacent extractions from one term as one extraction; else TERM_NONE */
static term_t concat_parts(struct terms *ts, term_t h, term_t l)
{
	unsigned low = tt_node(ts, l)->low;

	if (!tt_is(ts, h, TERM_EXTRACT) || !tt_is(ts, l, TERM_EXTRACT) ||
		!term_same(tt_arg(ts, h, 0), tt_arg(ts, l, 0)) ||
		tt_node(ts, h)->low != low + tt_width(ts, l))
		return TERM_NONE;
	return term_extract(ts, tt_arg(ts, h, 0), low, tt_width(ts, h) + tt_width(ts, l));
}

term_t term_concat(struct terms *ts, term_t h, term_t l)
{
	unsigned wh = tt_width(ts, h), wl = tt_width(ts, l), w = wh + wl;
	term_t t;
	u128 x, y;

	BUG_ON(!h.id || !l.id || w > TERM_MAX_WIDTH);
	t = tt_fold2(ts, TERM_CONCAT, w, h, l);
	if (!t.id)
		t = concat_parts(ts, h, l);
	if (t.id)
		return t;
	if (term_is_const(ts, h, &x)) {
		if (!x)
			return term_zext(ts, l, w);
		if (tt_is(ts, l, TERM_CONCAT) && term_is_const(ts, tt_arg(ts, l, 0), &y)) {
			term_t rest = tt_arg(ts, l, 1);
			unsigned wy = wl - tt_width(ts, rest);

			return term_concat(ts, term_const(ts, wh + wy, x << wy | y), rest);
		}
	}
	if (tt_is(ts, h, TERM_CONCAT)) { /* merge l with an adjacent extraction inside h */
		term_t m = concat_parts(ts, tt_arg(ts, h, 1), l);

		if (m.id)
			return term_concat(ts, tt_arg(ts, h, 0), m);
	}
	if (tt_is(ts, l, TERM_CONCAT)) {
		term_t m = concat_parts(ts, h, tt_arg(ts, l, 0));

		if (m.id)
			return term_concat(ts, m, tt_arg(ts, l, 1));
	}
	return tt_make(ts, TERM_CONCAT, w, 0, h, l, TERM_NONE);
}
