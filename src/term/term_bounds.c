#include "term/term_bounds.h"

#include "base/base.h"

enum { MAX_DEPTH = 12 };

static struct term_bounds find_bounds(const struct terms *ts, term_t t, unsigned depth);

static struct term_bounds of_sum(struct term_bounds a, struct term_bounds b, u128 mask)
{
	u128 most;

	if (__builtin_add_overflow(a.most, b.most, &most) || most > mask)
		return (struct term_bounds){0, mask};
	return (struct term_bounds){a.least + b.least, most};
}

static struct term_bounds of_product(struct term_bounds a, struct term_bounds b, u128 mask)
{
	u128 most;

	if (__builtin_mul_overflow(a.most, b.most, &most) || most > mask)
		return (struct term_bounds){0, mask};
	return (struct term_bounds){a.least * b.least, most};
}

/* the least number of the form 2^i - 1 that is at least x */
static u128 fill_bits(u128 x)
{
	u128 r = 0;

	while (r < x)
		r = r << 1 | 1;
	return r;
}

static struct term_bounds of_two(
	const struct terms *ts, term_t t, struct term_bounds a, struct term_bounds b)
{
	u128 mask = term_mask(term_width(ts, t));

	switch (term_op(ts, t)) {
	case TERM_ADD: return of_sum(a, b, mask);
	case TERM_MUL: return of_product(a, b, mask);
	case TERM_AND: return (struct term_bounds){0, MIN(a.most, b.most)};
	case TERM_OR:
		return (struct term_bounds){MAX(a.least, b.least), fill_bits(a.most | b.most)};
	case TERM_XOR: return (struct term_bounds){0, fill_bits(a.most | b.most)};
	case TERM_UDIV:
		if (!b.least)
			break;
		return (struct term_bounds){a.least / b.most, a.most / b.least};
	case TERM_UREM: return (struct term_bounds){0, b.least ? MIN(a.most, b.most - 1) : a.most};
	case TERM_LSHR: return (struct term_bounds){0, a.most};
	default: break;
	}
	return (struct term_bounds){0, mask};
}

static struct term_bounds find_bounds(const struct terms *ts, term_t t, unsigned depth)
{
	struct term_bounds all = {0, term_mask(term_width(ts, t))}, a, b;
	unsigned w;
	u128 k;

	if (term_is_const(ts, t, &k))
		return (struct term_bounds){k, k};
	if (depth >= MAX_DEPTH)
		return all;
	switch (term_op(ts, t)) {
	case TERM_ZEXT: return find_bounds(ts, term_arg(ts, t, 0), depth + 1);
	case TERM_EXTRACT:
		a = find_bounds(ts, term_arg(ts, t, 0), depth + 1);
		return !term_low(ts, t) && a.most <= all.most ? a : all;
	case TERM_ITE:
		a = find_bounds(ts, term_arg(ts, t, 1), depth + 1);
		b = find_bounds(ts, term_arg(ts, t, 2), depth + 1);
		return (struct term_bounds){MIN(a.least, b.least), MAX(a.most, b.most)};
	case TERM_CONCAT:
		a = find_bounds(ts, term_arg(ts, t, 0), depth + 1);
		b = find_bounds(ts, term_arg(ts, t, 1), depth + 1);
		w = term_width(ts, term_arg(ts, t, 1));
		return (struct term_bounds){a.least << w | b.least, a.most << w | b.most};
	case TERM_ADD:
	case TERM_MUL:
	case TERM_AND:
	case TERM_OR:
	case TERM_XOR:
	case TERM_UDIV:
	case TERM_UREM:
	case TERM_LSHR:
		a = find_bounds(ts, term_arg(ts, t, 0), depth + 1);
		b = find_bounds(ts, term_arg(ts, t, 1), depth + 1);
		return of_two(ts, t, a, b);
	default: return all;
	}
}

struct term_bounds term_bounds(const struct terms *ts, term_t t)
{
	return find_bounds(ts, t, 0);
}

void term_bounds_given(const struct terms *ts, term_t t, term_t condition, struct term_bounds *b)
{
	bool no = term_op(ts, condition) == TERM_NOT;
	term_t c = no ? term_arg(ts, condition, 0) : condition, x = term_arg(ts, c, 0),
	       y = term_arg(ts, c, 1);
	enum term_op op = term_op(ts, c);
	u128 k;

	if (op == TERM_EQ && !no && term_same(y, t) && term_is_const(ts, x, &k)) {
		b->least = MAX(b->least, k);
		b->most = MIN(b->most, k);
	}
	if (op != TERM_ULT)
		return;
	if (term_same(x, t) && term_is_const(ts, y, &k)) { /* t < k, or k <= t */
		if (no)
			b->least = MAX(b->least, k);
		else if (k)
			b->most = MIN(b->most, k - 1);
	}
	if (term_same(y, t) && term_is_const(ts, x, &k)) { /* k < t, or t <= k */
		if (no)
			b->most = MIN(b->most, k);
		else if (k < term_mask(term_width(ts, t)))
			b->least = MAX(b->least, k + 1);
	}
}
