#include "symbolic/affine.h"

static bool add_term(const struct terms *ts, struct affine *a, term_t t, uint64_t c);

static bool add_one(struct affine *a, term_t t, uint64_t c)
{
	for (unsigned i = 0; i < a->n; i++)
		if (term_same(a->m[i].t, t)) {
			a->m[i].c += c;
			if (!a->m[i].c)
				a->m[i] = a->m[--a->n];
			return true;
		}
	if (a->n == AFFINE_MAX)
		return false;
	a->m[a->n].t = t;
	a->m[a->n++].c = c;
	return true;
}

static bool add_term(const struct terms *ts, struct affine *a, term_t t, uint64_t c)
{
	u128 v;

	if (!c)
		return true;
	if (term_is_const(ts, t, &v)) {
		a->k += c * (uint64_t)v;
		return true;
	}
	switch (term_op(ts, t)) {
	case TERM_ADD:
		return add_term(ts, a, term_arg(ts, t, 0), c) &&
		       add_term(ts, a, term_arg(ts, t, 1), c);
	case TERM_MUL:
		if (!term_is_const(ts, term_arg(ts, t, 0), &v))
			break;
		return add_term(ts, a, term_arg(ts, t, 1), c * (uint64_t)v);
	case TERM_NOT: /* -x - 1 */
		a->k -= c;
		return add_term(ts, a, term_arg(ts, t, 0), -c);
	default: break;
	}
	return add_one(a, t, c);
}

void affine_of(const struct terms *ts, term_t t, struct affine *a)
{
	*a = (struct affine){0};
	if (add_term(ts, a, t, 1))
		return;
	*a = (struct affine){.n = 1};
	a->m[0].t = t;
	a->m[0].c = 1;
}

static uint64_t magnitude_of(uint64_t c)
{
	return (int64_t)c < 0 ? -c : c;
}

/* an upper bound of the magnitude of the term's value as a signed number */
static uint64_t bound_of(const struct terms *ts, term_t t)
{
	u128 v;

	switch (term_op(ts, t)) {
	case TERM_ZEXT: return ((uint64_t)1 << term_width(ts, term_arg(ts, t, 0))) - 1;
	case TERM_SEXT: return (uint64_t)1 << (term_width(ts, term_arg(ts, t, 0)) - 1);
	case TERM_AND:
	case TERM_UREM:
		for (unsigned i = 0; i < 2; i++)
			if (term_is_const(ts, term_arg(ts, t, i), &v) && (int64_t)v > 0)
				return (uint64_t)v;
		break;
	case TERM_LSHR:
		if (term_is_const(ts, term_arg(ts, t, 1), &v) && v > 0 && v < 64)
			return UINT64_MAX >> v;
		break;
	default: break;
	}
	return (uint64_t)1 << 63;
}

/* whether the sum cannot overflow, as a sum of signed numbers */
static bool is_exact(const struct terms *ts, const struct affine *a)
{
	u128 sum = magnitude_of(a->k);

	for (unsigned i = 0; i < a->n; i++)
		sum += (u128)magnitude_of(a->m[i].c) * bound_of(ts, a->m[i].t);
	return sum < (u128)1 << 63;
}

static uint64_t compute_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

uint64_t affine_stride(const struct terms *ts, const struct affine *a)
{
	uint64_t g = 0;

	for (unsigned i = 0; i < a->n; i++)
		g = compute_gcd(magnitude_of(a->m[i].c), g);
	return g && !is_exact(ts, a) ? g & -g : g;
}

term_t affine_index(struct terms *ts, const struct affine *a, uint64_t least, uint64_t stride,
	unsigned bits)
{
	int64_t by = (int64_t)stride;
	term_t sum = term_const(ts, bits, (u128)((int64_t)(a->k - least) / by));

	for (unsigned i = 0; i < a->n; i++) {
		term_t t = term_trunc(ts, a->m[i].t, bits);

		sum = term_add(ts, sum,
			term_mul(ts, term_const(ts, bits, (u128)((int64_t)a->m[i].c / by)), t));
	}
	return sum;
}
