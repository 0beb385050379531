/* Bitwise operations, choices and comparisons, and their simplification. */
#include "term/term_table.h"

#include "base/base.h"

static void same_widths(const struct terms *ts, term_t a, term_t b)
{
	BUG_ON(!a.id || !b.id);
	if (tt_width(ts, a) != tt_width(ts, b))
		BUG("operands of %u and %u bits", tt_width(ts, a), tt_width(ts, b));
}

/* whether one operand is the NOT of the other */
static bool is_complement(const struct terms *ts, term_t a, term_t b)
{
	return (tt_is(ts, a, TERM_NOT) && term_same(tt_arg(ts, a, 0), b)) ||
	       (tt_is(ts, b, TERM_NOT) && term_same(tt_arg(ts, b, 0), a));
}

term_t term_not(struct terms *ts, term_t a)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	BUG_ON(!a.id);
	if (tt_is(ts, a, TERM_NOT))
		return tt_arg(ts, a, 0);
	t = tt_fold1(ts, TERM_NOT, w, 0, a);
	return t.id ? t : tt_make(ts, TERM_NOT, w, 0, a, TERM_NONE, TERM_NONE);
}

/* whether t is the operation `op` with x (or its complement) as an operand */
static bool has_operand(
	const struct terms *ts, term_t t, enum term_op op, term_t x, bool complement)
{
	if (!tt_is(ts, t, op))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (complement ? is_complement(ts, tt_arg(ts, t, i), x)
			       : term_same(tt_arg(ts, t, i), x))
			return true;
	return false;
}

/* simplifies x & (x & y), x & (x | y), x & (~x & y), and the dual forms for OR */
static term_t absorb_operand(
	struct terms *ts, enum term_op op, enum term_op dual, u128 zero, term_t x, term_t t)
{
	if (has_operand(ts, t, op, x, false))
		return t;
	if (has_operand(ts, t, dual, x, false))
		return x;
	if (has_operand(ts, t, op, x, true))
		return term_const(ts, tt_width(ts, x), zero);
	return TERM_NONE;
}

/* The rules that AND and OR have in common; `zero` is the absorbing constant of op. A constant
 * operand must be b. */
static term_t simplify_lattice(struct terms *ts, enum term_op op, u128 zero, term_t a, term_t b)
{
	enum term_op dual = op == TERM_AND ? TERM_OR : TERM_AND;
	unsigned w = tt_width(ts, a);
	u128 k, k2;
	term_t t;

	if (term_same(a, b))
		return a;
	if (is_complement(ts, a, b))
		return term_const(ts, w, zero);
	if (term_is_const(ts, b, &k)) {
		if (k == zero)
			return b;
		if (k == (~zero & term_mask(w)))
			return a;
		if (tt_is(ts, a, op) && term_is_const(ts, tt_arg(ts, a, 0), &k2))
			return op == TERM_AND
				       ? term_and(ts, tt_arg(ts, a, 1), term_const(ts, w, k & k2))
				       : term_or(ts, tt_arg(ts, a, 1), term_const(ts, w, k | k2));
		return TERM_NONE;
	}
	t = absorb_operand(ts, op, dual, zero, a, b);
	return t.id ? t : absorb_operand(ts, op, dual, zero, b, a);
}

/* makes a term with its operands in canonical order: a constant first, else the smaller id first */
static term_t make_commutative(
	struct terms *ts, enum term_op op, unsigned width, term_t a, term_t b)
{
	tt_order(&a, &b);
	if (tt_is(ts, b, TERM_CONST))
		return tt_make(ts, op, width, 0, b, a, TERM_NONE);
	return tt_make(ts, op, width, 0, a, b, TERM_NONE);
}

static void const_last(const struct terms *ts, term_t *a, term_t *b)
{
	if (tt_is(ts, *a, TERM_CONST)) {
		term_t t = *a;

		*a = *b;
		*b = t;
	}
}

term_t term_and(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;
	u128 k;

	same_widths(ts, a, b);
	const_last(ts, &a, &b);
	t = tt_fold2(ts, TERM_AND, w, a, b);
	if (!t.id)
		t = simplify_lattice(ts, TERM_AND, 0, a, b);
	if (t.id)
		return t;
	if (term_is_const(ts, b, &k)) {
		if (!(k & (k + 1))) { /* the low bits */
			unsigned n = 0;

			for (; k; k >>= 1)
				n++;
			return term_zext(ts, term_trunc(ts, a, n), w);
		}
		if (tt_is(ts, a, TERM_ZEXT)) {
			term_t x = tt_arg(ts, a, 0);

			return term_zext(
				ts, term_and(ts, x, term_const(ts, tt_width(ts, x), k)), w);
		}
	}
	return make_commutative(ts, TERM_AND, w, a, b);
}

term_t term_or(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	same_widths(ts, a, b);
	const_last(ts, &a, &b);
	t = tt_fold2(ts, TERM_OR, w, a, b);
	if (!t.id)
		t = simplify_lattice(ts, TERM_OR, term_mask(w), a, b);
	return t.id ? t : make_commutative(ts, TERM_OR, w, a, b);
}

term_t term_xor(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	bool flip = false;
	u128 k, k2;
	term_t t;

	same_widths(ts, a, b);
	const_last(ts, &a, &b);
	t = tt_fold2(ts, TERM_XOR, w, a, b);
	if (t.id)
		return t;
	if (tt_is(ts, a, TERM_NOT)) {
		a = tt_arg(ts, a, 0);
		flip = !flip;
	}
	if (tt_is(ts, b, TERM_NOT)) {
		b = tt_arg(ts, b, 0);
		flip = !flip;
	}
	if (term_is_const(ts, b, &k)) {
		if (tt_is(ts, a, TERM_XOR) && term_is_const(ts, tt_arg(ts, a, 0), &k2)) {
			a = tt_arg(ts, a, 1);
			k ^= k2;
		}
		if (k == term_mask(w)) {
			flip = !flip;
			k = 0;
		}
		b = term_const(ts, w, k);
	}
	if (term_same(a, b))
		t = term_const(ts, w, 0);
	else if (term_is_const(ts, b, &k) && !k)
		t = a;
	else
		t = make_commutative(ts, TERM_XOR, w, a, b);
	return flip ? term_not(ts, t) : t;
}

term_t term_implies(struct terms *ts, term_t a, term_t b)
{
	return term_or(ts, term_not(ts, a), b);
}

/* A choice of single bits is logic if an arm is constant or the condition itself, or if the arms
 * are complements; else TERM_NONE. */
static term_t ite_bool(struct terms *ts, term_t c, term_t a, term_t b)
{
	u128 k;

	if (term_is_const(ts, a, &k))
		return k ? term_or(ts, c, b) : term_and(ts, term_not(ts, c), b);
	if (term_is_const(ts, b, &k))
		return k ? term_or(ts, term_not(ts, c), a) : term_and(ts, c, a);
	if (term_same(a, c))
		return term_or(ts, c, b);
	if (term_same(b, c))
		return term_and(ts, c, a);
	if (is_complement(ts, a, b))
		return term_xor(ts, c, b);
	return TERM_NONE;
}

term_t term_ite(struct terms *ts, term_t c, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;
	u128 k;

	same_widths(ts, a, b);
	BUG_ON(tt_width(ts, c) != 1);
	if (term_is_const(ts, c, &k))
		return k ? a : b;
	if (tt_is(ts, c, TERM_NOT)) {
		c = tt_arg(ts, c, 0);
		t = a;
		a = b;
		b = t;
	}
	if (tt_is(ts, a, TERM_ITE) && term_same(tt_arg(ts, a, 0), c))
		a = tt_arg(ts, a, 1);
	if (tt_is(ts, b, TERM_ITE) && term_same(tt_arg(ts, b, 0), c))
		b = tt_arg(ts, b, 2);
	if (term_same(a, b))
		return a;
	/* x == y ? x : y is y either way */
	if (tt_is(ts, c, TERM_EQ) && (has_operand(ts, c, TERM_EQ, a, false)) &&
		has_operand(ts, c, TERM_EQ, b, false))
		return b;
	if (w == 1) {
		t = ite_bool(ts, c, a, b);
		if (t.id)
			return t;
	}
	return tt_make(ts, TERM_ITE, w, 0, c, a, b);
}

term_t term_ne(struct terms *ts, term_t a, term_t b)
{
	return term_not(ts, term_eq(ts, a, b));
}

/* t == x for a choice t with a constant arm; else TERM_NONE */
static term_t eq_choice(struct terms *ts, term_t t, u128 x)
{
	term_t c = tt_arg(ts, t, 0), a = tt_arg(ts, t, 1), b = tt_arg(ts, t, 2), rest;
	u128 k;

	if (ts->depth >= TT_MAX_DEPTH)
		return TERM_NONE;
	if (!term_is_const(ts, a, &k)) {
		if (!term_is_const(ts, b, &k))
			return TERM_NONE;
		b = a;
		c = term_not(ts, c);
	}
	ts->depth++;
	rest = tt_eq_const(ts, b, x);
	ts->depth--;
	return k == x ? term_or(ts, c, rest) : term_and(ts, term_not(ts, c), rest);
}

term_t tt_eq_const(struct terms *ts, term_t t, u128 x)
{
	unsigned w = tt_width(ts, t), wa;
	term_t a = tt_arg(ts, t, 0), r = TERM_NONE;
	u128 k;

	x &= term_mask(w);
	if (term_is_const(ts, t, &k))
		return term_bool(ts, k == x);
	if (w == 1)
		return x ? t : term_not(ts, t);
	switch (tt_node(ts, t)->op) {
	case TERM_ZEXT:
		wa = tt_width(ts, a);
		return x >> wa ? term_bool(ts, false) : tt_eq_const(ts, a, x);
	case TERM_SEXT:
		wa = tt_width(ts, a);
		if (term_fold(TERM_SEXT, w, wa, 0, 0, x & term_mask(wa), 0, 0) != x)
			return term_bool(ts, false);
		return tt_eq_const(ts, a, x & term_mask(wa));
	case TERM_XOR:
		if (term_is_const(ts, a, &k))
			return tt_eq_const(ts, tt_arg(ts, t, 1), x ^ k);
		break;
	case TERM_NOT: return tt_eq_const(ts, a, ~x);
	case TERM_CONCAT:
		if (ts->depth >= TT_MAX_DEPTH)
			break;
		ts->depth++;
		wa = tt_width(ts, tt_arg(ts, t, 1));
		r = term_and(ts, tt_eq_const(ts, a, x >> wa),
			tt_eq_const(ts, tt_arg(ts, t, 1), x & term_mask(wa)));
		ts->depth--;
		return r;
	case TERM_ITE: r = eq_choice(ts, t, x); break;
	default: break;
	}
	return r.id ? r : make_commutative(ts, TERM_EQ, 1, t, term_const(ts, w, x));
}

/* whether t is nonnegative under every assignment, as far as its operation shows */
static bool known_positive(const struct terms *ts, term_t t)
{
	u128 k;

	if (term_is_const(ts, t, &k))
		return !(k >> (tt_width(ts, t) - 1));
	return tt_is(ts, t, TERM_ZEXT);
}

/* Compares two extended terms, or an extended term and a constant, in the width before the
 * extension; else TERM_NONE. */
static term_t lt_extended(struct terms *ts, enum term_op op, term_t a, term_t b)
{
	term_t x = a, y = b;
	enum term_op ext = op == TERM_ULT ? TERM_ZEXT : TERM_SEXT;
	unsigned w = tt_width(ts, a), wx;
	u128 k, low;

	if (tt_is(ts, a, ext) && tt_is(ts, b, ext) &&
		tt_width(ts, tt_arg(ts, a, 0)) == tt_width(ts, tt_arg(ts, b, 0)))
		return op == TERM_ULT ? term_ult(ts, tt_arg(ts, a, 0), tt_arg(ts, b, 0))
				      : term_slt(ts, tt_arg(ts, a, 0), tt_arg(ts, b, 0));
	if (tt_is(ts, a, ext) && term_is_const(ts, b, &k)) {
		x = tt_arg(ts, a, 0);
		wx = tt_width(ts, x);
		y = term_const(ts, wx, k);
	} else if (tt_is(ts, b, ext) && term_is_const(ts, a, &k)) {
		y = tt_arg(ts, b, 0);
		wx = tt_width(ts, y);
		x = term_const(ts, wx, k);
	} else {
		return TERM_NONE;
	}
	low = term_fold(ext, w, wx, 0, 0, k & term_mask(wx), 0, 0);
	if (low == k)
		return op == TERM_ULT ? term_ult(ts, x, y) : term_slt(ts, x, y);
	/* the constant is outside the range of the extended term */
	if (op == TERM_ULT)
		return term_bool(ts, tt_is(ts, b, TERM_CONST));
	return term_bool(ts, tt_is(ts, b, TERM_CONST) != (bool)(k >> (w - 1)));
}

/* a < b with a constant at or next to an end of the range; `least` and `greatest` are the ends in
 * the order of the comparison, signed or unsigned */
static term_t lt_bounds(struct terms *ts, term_t a, term_t b, u128 least, u128 greatest)
{
	u128 k, mask = term_mask(tt_width(ts, a));

	if (term_is_const(ts, b, &k)) {
		if (k == least)
			return term_bool(ts, false);
		if (k == ((least + 1) & mask))
			return tt_eq_const(ts, a, least);
		if (k == greatest)
			return term_not(ts, tt_eq_const(ts, a, greatest));
	}
	if (term_is_const(ts, a, &k)) {
		if (k == greatest)
			return term_bool(ts, false);
		if (k == ((greatest - 1) & mask))
			return tt_eq_const(ts, b, greatest);
		if (k == least)
			return term_not(ts, tt_eq_const(ts, b, least));
	}
	return TERM_NONE;
}

term_t term_ult(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	same_widths(ts, a, b);
	if (term_same(a, b))
		return term_bool(ts, false);
	if (w == 1)
		return term_and(ts, term_not(ts, a), b);
	t = tt_fold2(ts, TERM_ULT, 1, a, b);
	if (!t.id)
		t = lt_bounds(ts, a, b, 0, term_mask(w));
	if (!t.id)
		t = lt_extended(ts, TERM_ULT, a, b);
	return t.id ? t : tt_make(ts, TERM_ULT, 1, 0, a, b, TERM_NONE);
}

term_t term_slt(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	u128 least = (u128)1 << (w - 1);
	term_t t;

	same_widths(ts, a, b);
	if (term_same(a, b))
		return term_bool(ts, false);
	if (w == 1)
		return term_and(ts, a, term_not(ts, b));
	if (known_positive(ts, a) && known_positive(ts, b))
		return term_ult(ts, a, b);
	t = tt_fold2(ts, TERM_SLT, 1, a, b);
	if (!t.id)
		t = lt_bounds(ts, a, b, least, least - 1);
	if (!t.id)
		t = lt_extended(ts, TERM_SLT, a, b);
	return t.id ? t : tt_make(ts, TERM_SLT, 1, 0, a, b, TERM_NONE);
}

term_t term_ule(struct terms *ts, term_t a, term_t b)
{
	return term_not(ts, term_ult(ts, b, a));
}

term_t term_sle(struct terms *ts, term_t a, term_t b)
{
	return term_not(ts, term_slt(ts, b, a));
}
