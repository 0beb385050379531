/*
 * Sums, products, quotients and equality. A sum is kept as (constant + (monomial + (monomial ...)))
 * with at most LIN_MAX monomials, sorted by the id of the term that is multiplied, the greatest
 * first; so sums that are equal as linear functions are the same term. A longer sum is marked (low
 * = 1) and is an atom in the sums that contain it, which bounds the cost of each operation.
 */
#include "term/term_table.h"

#include "base/base.h"

enum { LIN_MAX = 16 };

struct linear { /* k plus the sum of c * id over the n monomials, modulo 2^width */
	unsigned width, n;
	u128 k;
	struct mono {
		uint32_t id; /* rising */
		u128 c;      /* not 0 */
	} m[LIN_MAX];
};

/* l += c * t, for a t that is not a sum; false if l would have more than LIN_MAX monomials */
static bool lin_mono(struct linear *l, term_t t, u128 c)
{
	unsigned i = 0;

	while (i < l->n && l->m[i].id < t.id)
		i++;
	if (i < l->n && l->m[i].id == t.id) {
		l->m[i].c = (l->m[i].c + c) & term_mask(l->width);
		if (!l->m[i].c) {
			l->n--;
			for (; i < l->n; i++)
				l->m[i] = l->m[i + 1];
		}
		return true;
	}
	if (l->n == LIN_MAX)
		return false;
	for (unsigned j = l->n++; j > i; j--)
		l->m[j] = l->m[j - 1];
	l->m[i] = (struct mono){t.id, c};
	return true;
}

/* l += c * t, for any t; false if l would have more than LIN_MAX monomials */
static bool lin_add(const struct terms *ts, struct linear *l, term_t t, u128 c)
{
	const struct term_node *n = tt_node(ts, t);
	u128 mask = term_mask(l->width), k;

	c &= mask;
	if (!c)
		return true;
	if (term_is_const(ts, t, &k)) {
		l->k = (l->k + c * k) & mask;
		return true;
	}
	switch (n->op) {
	case TERM_ADD:
		if (n->low)
			break;
		return lin_add(ts, l, tt_arg(ts, t, 0), c) && lin_add(ts, l, tt_arg(ts, t, 1), c);
	case TERM_MUL:
		if (!term_is_const(ts, tt_arg(ts, t, 0), &k))
			break;
		return lin_add(ts, l, tt_arg(ts, t, 1), c * k);
	case TERM_NOT: l->k = (l->k - c) & mask; return lin_add(ts, l, tt_arg(ts, t, 0), -c);
	default: break;
	}
	return lin_mono(l, t, c);
}

static term_t mono_term(struct terms *ts, unsigned width, const struct mono *m)
{
	term_t t = {m->id};

	if (m->c == 1)
		return t;
	return tt_make(ts, TERM_MUL, width, 0, term_const(ts, width, m->c), t, TERM_NONE);
}

static term_t lin_term(struct terms *ts, const struct linear *l)
{
	term_t t = TERM_NONE;

	/* -x - 1 is ~x */
	if (l->n == 1 && l->m[0].c == term_mask(l->width) && l->k == term_mask(l->width))
		return term_not(ts, (term_t){l->m[0].id});
	for (unsigned i = 0; i < l->n; i++) {
		term_t m = mono_term(ts, l->width, &l->m[i]);

		t = t.id ? tt_make(ts, TERM_ADD, l->width, 0, m, t, TERM_NONE) : m;
	}
	if (!t.id || l->k) {
		term_t k = term_const(ts, l->width, l->k);

		t = t.id ? tt_make(ts, TERM_ADD, l->width, 0, k, t, TERM_NONE) : k;
	}
	return t;
}

static term_t long_sum(struct terms *ts, term_t a, term_t b)
{
	tt_order(&a, &b);
	return tt_make(ts, TERM_ADD, tt_width(ts, a), 1, a, b, TERM_NONE);
}

term_t term_add(struct terms *ts, term_t a, term_t b)
{
	struct linear l = {.width = tt_width(ts, a)};
	term_t t;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != l.width);
	if (l.width == 1)
		return term_xor(ts, a, b);
	t = tt_fold2(ts, TERM_ADD, l.width, a, b);
	if (t.id)
		return t;
	if (!lin_add(ts, &l, a, 1) || !lin_add(ts, &l, b, 1))
		return long_sum(ts, a, b);
	return lin_term(ts, &l);
}

term_t term_neg(struct terms *ts, term_t a)
{
	unsigned w = tt_width(ts, a);

	return term_mul(ts, term_const(ts, w, ~(u128)0), a);
}

term_t term_sub(struct terms *ts, term_t a, term_t b)
{
	struct linear l = {.width = tt_width(ts, a)};

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != l.width);
	if (l.width == 1)
		return term_xor(ts, a, b);
	if (!lin_add(ts, &l, a, 1) || !lin_add(ts, &l, b, ~(u128)0))
		return long_sum(ts, a, term_neg(ts, b));
	return lin_term(ts, &l);
}

term_t term_mul(struct terms *ts, term_t a, term_t b)
{
	struct linear l = {.width = tt_width(ts, a)};
	term_t t;
	u128 k;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != l.width);
	if (l.width == 1)
		return term_and(ts, a, b);
	t = tt_fold2(ts, TERM_MUL, l.width, a, b);
	if (t.id)
		return t;
	if (term_is_const(ts, b, &k)) {
		b = a;
		a = term_const(ts, l.width, k);
	}
	if (term_is_const(ts, a, &k)) {
		if (!lin_add(ts, &l, b, k)) /* has no more monomials than b */
			BUG("a product by a constant got longer");
		return lin_term(ts, &l);
	}
	tt_order(&a, &b);
	return tt_make(ts, TERM_MUL, l.width, 0, a, b, TERM_NONE);
}

/* x * inverse == 1 modulo 2^128, for odd x */
static u128 inverse_of(u128 x)
{
	u128 y = x; /* correct in the low 3 bits; each iteration doubles the correct bits */

	for (int i = 0; i < 6; i++)
		y *= 2 - x * y;
	return y;
}

/* c * t + k == 0 */
static term_t eq_single(struct terms *ts, unsigned width, const struct mono *m, u128 k)
{
	term_t t = {m->id};
	u128 c = m->c, rhs = -k & term_mask(width);
	unsigned shift = 0;

	for (; !(c & 1); c >>= 1)
		shift++;
	if (shift && rhs & term_mask(shift))
		return term_bool(ts, false);
	rhs = (rhs >> shift) * inverse_of(c);
	return tt_eq_const(ts, term_trunc(ts, t, width - shift), rhs);
}

/* a == b, where a is a choice and b is one of its arms; else TERM_NONE */
static term_t eq_arm(struct terms *ts, term_t a, term_t b)
{
	term_t c, x, y;

	if (!tt_is(ts, a, TERM_ITE) || ts->depth >= TT_MAX_DEPTH)
		return TERM_NONE;
	c = tt_arg(ts, a, 0);
	x = tt_arg(ts, a, 1);
	y = tt_arg(ts, a, 2);
	if (!term_same(x, b) && !term_same(y, b))
		return TERM_NONE;
	ts->depth++;
	x = term_same(x, b) ? term_or(ts, c, term_eq(ts, y, b))
			    : term_or(ts, term_not(ts, c), term_eq(ts, x, b));
	ts->depth--;
	return x;
}

static term_t eq_terms(struct terms *ts, term_t a, term_t b)
{
	term_t t = eq_arm(ts, a, b);
	uint8_t op = tt_node(ts, a)->op;

	if (!t.id)
		t = eq_arm(ts, b, a);
	if (t.id)
		return t;
	if ((op == TERM_ZEXT || op == TERM_SEXT) && tt_is(ts, b, op) &&
		tt_width(ts, tt_arg(ts, a, 0)) == tt_width(ts, tt_arg(ts, b, 0)))
		return term_eq(ts, tt_arg(ts, a, 0), tt_arg(ts, b, 0));
	tt_order(&a, &b);
	return tt_make(ts, TERM_EQ, 1, 0, a, b, TERM_NONE);
}

term_t term_eq(struct terms *ts, term_t a, term_t b)
{
	struct linear l = {.width = tt_width(ts, a)}, left, right;
	u128 k, mask = term_mask(l.width), sign = (u128)1 << (l.width - 1);
	bool flip;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != l.width || !l.width);
	if (term_same(a, b))
		return term_bool(ts, true);
	if (l.width == 1)
		return term_not(ts, term_xor(ts, a, b));
	if (tt_is(ts, a, TERM_ITE) && term_is_const(ts, b, &k))
		return tt_eq_const(ts, a, k);
	if (tt_is(ts, b, TERM_ITE) && term_is_const(ts, a, &k))
		return tt_eq_const(ts, b, k);
	if (!lin_add(ts, &l, a, 1) || !lin_add(ts, &l, b, ~(u128)0))
		return eq_terms(ts, a, b);
	if (!l.n)
		return term_bool(ts, !l.k);
	if (l.n == 1)
		return eq_single(ts, l.width, &l.m[0], l.k);
	/* positive monomials to the left, the others and the constant to the right */
	left = right = (struct linear){.width = l.width};
	flip = l.m[0].c & sign;
	right.k = (flip ? l.k : -l.k) & mask;
	for (unsigned i = 0; i < l.n; i++) {
		u128 c = (flip ? -l.m[i].c : l.m[i].c) & mask;

		if (c & sign)
			right.m[right.n++] = (struct mono){l.m[i].id, -c & mask};
		else
			left.m[left.n++] = (struct mono){l.m[i].id, c};
	}
	/* one after the other: the order of the ids must not depend on the compiler */
	b = lin_term(ts, &right);
	a = lin_term(ts, &left);
	return eq_terms(ts, a, b);
}

static int power_of_two(u128 k)
{
	int n = 0;

	if (!k || (k & (k - 1)))
		return -1;
	for (; k > 1; k >>= 1)
		n++;
	return n;
}

static term_t make_quotient(struct terms *ts, enum term_op op, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t t;

	BUG_ON(!a.id || !b.id || tt_width(ts, b) != w);
	t = tt_fold2(ts, op, w, a, b);
	return t.id ? t : tt_make(ts, op, w, 0, a, b, TERM_NONE);
}

term_t term_udiv(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t log;
	u128 k;

	if (w == 1)
		return term_or(ts, a, term_not(ts, b));
	if (term_is_const(ts, b, &k)) {
		if (!k)
			return term_const(ts, w, ~(u128)0);
		if (power_of_two(k) >= 0)
			return term_lshr(ts, a, term_const(ts, w, (u128)power_of_two(k)));
	}
	if (tt_is_power(ts, b, &log))
		return term_udiv_power(ts, a, b, log);
	return make_quotient(ts, TERM_UDIV, a, b);
}

term_t term_urem(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t log;
	u128 k;

	if (w == 1)
		return term_and(ts, a, term_not(ts, b));
	if (term_same(a, b))
		return term_const(ts, w, 0);
	if (term_is_const(ts, b, &k)) {
		if (!k)
			return a;
		if (power_of_two(k) >= 0)
			return term_and(ts, a, term_const(ts, w, k - 1));
	}
	if (tt_is_power(ts, b, &log))
		return term_urem_power(ts, a, b);
	return make_quotient(ts, TERM_UREM, a, b);
}

static bool not_negative(const struct terms *ts, term_t t)
{
	u128 k;

	if (term_is_const(ts, t, &k))
		return !(k >> (tt_width(ts, t) - 1));
	return tt_is(ts, t, TERM_ZEXT);
}

term_t term_sdiv(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t log;
	u128 k;

	if (w == 1)
		return term_or(ts, a, term_not(ts, b));
	if (not_negative(ts, a) && not_negative(ts, b))
		return term_udiv(ts, a, b);
	if (term_is_const(ts, b, &k)) {
		if (k == 1)
			return a;
		if (k == term_mask(w))
			return term_neg(ts, a);
	}
	if (tt_is_power(ts, b, &log))
		return term_sdiv_power(ts, a, b, log);
	if (tt_is(ts, b, TERM_SEXT) && tt_is_power(ts, tt_arg(ts, b, 0), &log))
		return term_sdiv_wide_power(ts, a, tt_arg(ts, b, 0), log);
	return make_quotient(ts, TERM_SDIV, a, b);
}

term_t term_srem(struct terms *ts, term_t a, term_t b)
{
	unsigned w = tt_width(ts, a);
	term_t log;
	u128 k;

	if (w == 1)
		return term_and(ts, a, term_not(ts, b));
	if (term_same(a, b))
		return term_const(ts, w, 0);
	if (not_negative(ts, a) && not_negative(ts, b))
		return term_urem(ts, a, b);
	if (term_is_const(ts, b, &k)) {
		if (!k)
			return a;
		if (k == 1 || k == term_mask(w))
			return term_const(ts, w, 0);
	}
	if (tt_is_power(ts, b, &log))
		return term_srem_power(ts, a, b);
	if (tt_is(ts, b, TERM_SEXT) &&
		tt_is_power(ts, tt_arg(ts, b, 0), &log)) /* its sign does not matter */
		return term_srem_power(ts, a, term_zext(ts, tt_arg(ts, b, 0), w));
	return make_quotient(ts, TERM_SREM, a, b);
}
