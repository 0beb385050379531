/*
 * Divisions by terms about which the path says something: that they have one value, that they are
 * powers of two, that they have few values. A divider of 64 bits is a large circuit, and real
 * programs divide by the number of threads and by sizes of tables, which are of these kinds.
 */
#include "symbolic/sym_internal.h"

#include "base/base.h"
#include "base/vec.h"
#include "term/term_bounds.h"

enum { FEW = 8 }; /* values of a divisor that become a choice each */

typedef term_t (*divide)(struct terms *, term_t, term_t);

static divide function_of(enum ir_op op)
{
	switch (op) {
	case IR_UDIV: return term_udiv;
	case IR_UREM: return term_urem;
	case IR_SDIV: return term_sdiv;
	default: return term_srem;
	}
}

static bool path_has(const struct sym *s, term_t c)
{
	vec_each (&s->path, i)
		if (term_same(s->path.at[i], c))
			return true;
	return false;
}

/* Whether a conjunct of the path says that x has at most one bit, in one of the forms that compilers
 * make of `x & (x - 1)`. */
static bool is_power(struct machine *m, term_t x)
{
	struct terms *ts = m->ts;
	unsigned w = term_width(ts, x);
	term_t zero = term_const(ts, w, 0), one = term_const(ts, w, 1), count;

	if (path_has(m->sym, term_eq(ts, term_and(ts, x, term_sub(ts, x, one)), zero)))
		return true;
	count = term_ctpop(ts, x);
	return path_has(m->sym, term_eq(ts, count, one)) ||
	       path_has(m->sym, term_ult(ts, count, term_const(ts, w, 2)));
}

/* The exponent of x, a power of two. */
static term_t exponent_of(struct terms *ts, term_t x)
{
	unsigned w = term_width(ts, x);
	term_t log = term_const(ts, w, 0);

	for (unsigned j = 0; 1u << j < w; j++) {
		u128 mask = 0;
		term_t bit;

		for (unsigned i = 0; i < w; i++)
			if (i >> j & 1)
				mask |= (u128)1 << i;
		bit = term_ne(ts, term_and(ts, x, term_const(ts, w, mask)), term_const(ts, w, 0));
		log = term_or(ts, log, term_shl(ts, term_zext(ts, bit, w), term_const(ts, w, j)));
	}
	return log;
}

static bool is_positive(struct machine *m, term_t x)
{
	term_t zero = term_const(m->ts, term_width(m->ts, x), 0);

	return ask_must(m->sym->ask, m->sym->path.at, m->sym->path.n, term_sle(m->ts, zero, x)) ==
	       ASK_YES;
}

static term_t divide_by_power(struct machine *m, enum ir_op op, term_t a, term_t b)
{
	struct terms *ts = m->ts;
	enum term_op shape = term_op(ts, b);
	term_t low = shape == TERM_ZEXT || shape == TERM_SEXT ? term_arg(ts, b, 0) : b;
	unsigned w = term_width(ts, b);

	if (is_power(m, b)) {
		low = b;
	} else if (!is_power(m, low)) {
		return TERM_NONE;
	} else if (shape == TERM_SEXT) { /* may be negative */
		if (op == IR_SDIV)
			return term_sdiv_wide_power(ts, a, low, exponent_of(ts, low));
		if (op != IR_SREM && !is_positive(m, low))
			return TERM_NONE;
		b = term_zext(ts, low, w);
	}
	switch (op) {
	case IR_UDIV: return term_udiv_power(ts, a, b, exponent_of(ts, b));
	case IR_UREM: return term_urem_power(ts, a, b);
	case IR_SDIV: return term_sdiv_power(ts, a, b, exponent_of(ts, b));
	default: return term_srem_power(ts, a, b);
	}
}

/*
 * The range of x by the conjuncts of the path that compare x itself with constants. A bound of a
 * signed comparison excludes only positive numbers, x >= 1, or also all negative ones, x < 7; so the
 * sign is needed first.
 */
static struct term_bounds path_range(struct machine *m, term_t x)
{
	struct terms *ts = m->ts;
	struct term_bounds range = term_bounds(ts, x);
	u128 sign = (u128)1 << (term_width(ts, x) - 1), least = 0, most = sign - 1, k;
	bool positive = false;

	vec_each (&m->sym->path, i) {
		term_t c = m->sym->path.at[i];
		bool no = term_op(ts, c) == TERM_NOT;

		term_bounds_given(ts, x, c, &range);
		if (no)
			c = term_arg(ts, c, 0);
		if (term_op(ts, c) != TERM_SLT)
			continue;
		if (term_same(term_arg(ts, c, 0), x) && term_is_const(ts, term_arg(ts, c, 1), &k) &&
			k < sign) {
			if (no) { /* k <= x */
				least = MAX(least, k);
				positive = true;
			} else if (k) { /* x < k */
				most = MIN(most, k - 1);
			}
		}
		if (term_same(term_arg(ts, c, 1), x) && term_is_const(ts, term_arg(ts, c, 0), &k)) {
			u128 next = (k + 1) & (2 * sign - 1);

			if (no && k < sign) { /* x <= k */
				most = MIN(most, k);
			} else if (!no && next < sign) { /* k < x */
				least = MAX(least, next);
				positive = true;
			}
		}
	}
	if (positive || range.most < sign) {
		range.least = MAX(range.least, least);
		range.most = MIN(range.most, most);
	}
	return range;
}

/* A choice over the values that the divisor can have. The last one needs no condition. */
static term_t divide_by_few(struct machine *m, enum ir_op op, term_t a, term_t b)
{
	struct terms *ts = m->ts;
	enum term_op shape = term_op(ts, b);
	unsigned w = term_width(ts, b);
	struct term_bounds range = path_range(m, b);
	term_t q;

	if (shape == TERM_ZEXT || shape == TERM_SEXT) {
		term_t low = term_arg(ts, b, 0);
		struct term_bounds of_low = path_range(m, low);

		if (shape == TERM_ZEXT || of_low.most >> (term_width(ts, low) - 1) == 0) {
			range.least = MAX(range.least, of_low.least);
			range.most = MIN(range.most, of_low.most);
		}
	}
	range.least = MAX(range.least, 1); /* the path excludes 0 */
	if (range.most < range.least || range.most - range.least >= FEW)
		return TERM_NONE;
	q = function_of(op)(ts, a, term_const(ts, w, range.most));
	for (u128 k = range.least; k < range.most; k++) {
		term_t v = term_const(ts, w, k);

		q = term_ite(ts, term_eq(ts, b, v), function_of(op)(ts, a, v), q);
	}
	return q;
}

term_t sym_divide(struct machine *m, enum ir_op op, term_t a, term_t b)
{
	term_t r;
	u128 v;

	/* conditions that are kept without the rest of their path must not depend on it */
	if (m->sym->ops->decided || term_is_const(m->ts, b, &v))
		return TERM_NONE;
	r = sym_reduce(m, b);
	if (term_is_const(m->ts, r, &v))
		return function_of(op)(m->ts, a, r);
	r = divide_by_power(m, op, a, b);
	return r.id ? r : divide_by_few(m, op, a, b);
}
