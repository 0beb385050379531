/*
 * Summaries of the conversions between text and numbers.
 *
 * strtol is an automaton over the bytes, with one bit for each of its states and a term for the
 * value. It forks only if the number may be too large (the model handles that side) or the base is
 * 0. The conversion of a number to digits forks once for each possible number of digits, never for
 * the digits.
 */
#include "symbolic/summary.h"

#include "base/base.h"

#include <string.h>

static term_t byte_is(struct scall *s, term_t c, char what)
{
	return term_eq(s->ts, c, term_const(s->ts, 8, (uint8_t)what));
}

/* first <= c < first + n */
static term_t in_range(struct scall *s, term_t c, char first, unsigned n)
{
	return term_ult(s->ts, term_sub(s->ts, c, term_const(s->ts, 8, (uint8_t)first)),
		term_const(s->ts, 8, n));
}

static term_t is_space(struct scall *s, term_t c)
{
	return term_or(s->ts, byte_is(s, c, ' '), in_range(s, c, '\t', 5));
}

static term_t is_sign(struct scall *s, term_t c)
{
	return term_or(s->ts, byte_is(s, c, '-'), byte_is(s, c, '+'));
}

static term_t is_x(struct scall *s, term_t c)
{
	return term_or(s->ts, byte_is(s, c, 'x'), byte_is(s, c, 'X'));
}

static term_t is_digit(struct scall *s, term_t c, unsigned base)
{
	term_t t = in_range(s, c, '0', MIN(base, 10u));

	if (base <= 10)
		return t;
	t = term_or(s->ts, t, in_range(s, c, 'a', base - 10));
	return term_or(s->ts, t, in_range(s, c, 'A', base - 10));
}

/* the value of a digit, in 8 bits */
static term_t digit_value(struct scall *s, term_t c, unsigned base)
{
	term_t d = term_sub(s->ts, c, term_const(s->ts, 8, '0'));

	if (base <= 10)
		return d;
	return term_ite(s->ts, in_range(s, c, '0', 10), d,
		term_ite(s->ts, in_range(s, c, 'a', 26),
			term_sub(s->ts, c, term_const(s->ts, 8, 'a' - 10)),
			term_sub(s->ts, c, term_const(s->ts, 8, 'A' - 10))));
}

/* ---- text to number -------------------------------------------------------------------------- */

struct automaton {
	struct scall *s;
	unsigned base, width; /* width: bits of `value` */
	/* states, one bit each: before the number, after its sign, "0" or "0x", in the digits */
	term_t space, sign, zero, x, digits;
	term_t negative, value;
	term_t end;    /* 64 bits: length of the text up to the last byte of the number */
	term_t count;  /* 16 bits: digits in `value` */
};

static void automaton_init(struct automaton *a, struct scall *s, unsigned base, unsigned width)
{
	term_t no = term_bool(s->ts, false);

	*a = (struct automaton){.s = s, .base = base, .width = width, .space = term_bool(s->ts, true),
		.sign = no, .zero = no, .x = no, .digits = no, .negative = no,
		.value = term_const(s->ts, width, 0), .end = term_const(s->ts, 64, 0),
		.count = term_const(s->ts, 16, 0)};
}

static void automaton_step(struct automaton *a, term_t c, uint32_t i)
{
	struct scall *s = a->s;
	struct terms *ts = s->ts;
	term_t start = term_or(ts, a->space, a->sign), digit = is_digit(s, c, a->base);
	term_t among = term_or(ts, start, a->digits), zero = term_bool(ts, false), takes, next;

	if (a->base == 16) {
		zero = term_and(ts, start, byte_is(s, c, '0'));
		among = term_or(ts, term_or(ts, a->digits, a->zero),
			term_or(ts, a->x, term_and(ts, start, term_not(ts, zero))));
	}
	takes = term_and(ts, among, digit);
	next = term_add(ts, term_mul(ts, a->value, term_const(ts, a->width, a->base)),
		opnd_resize(s->m, digit_value(s, c, a->base), a->width));
	a->value = term_ite(ts, takes, next, a->value);
	a->end = term_ite(ts, term_or(ts, takes, zero), term_const(ts, 64, i + 1), a->end);
	a->count = term_ite(ts, takes, term_add(ts, a->count, term_const(ts, 16, 1)), a->count);
	a->negative = term_or(ts, a->negative, term_and(ts, a->space, byte_is(s, c, '-')));
	a->x = term_and(ts, a->zero, is_x(s, c));
	a->zero = zero;
	a->digits = takes;
	a->sign = term_and(ts, a->space, is_sign(s, c));
	a->space = term_and(ts, a->space, is_space(s, c));
}

static term_t automaton_active(const struct automaton *a)
{
	struct terms *ts = a->s->ts;

	return term_or(ts, term_or(ts, a->space, a->sign),
		term_or(ts, a->digits, term_or(ts, a->zero, a->x)));
}

/* the greatest n such that every number of n digits is below 2^63 */
static unsigned digits_that_fit(unsigned base)
{
	unsigned n = 0;

	for (u128 v = base; v <= (u128)1 << 63; v *= base)
		n++;
	return n;
}

/* the bits that a number of so many digits needs, at least 8 */
static unsigned bits_for(unsigned base, unsigned digits)
{
	u128 v = 1;
	unsigned bits = 1;

	for (unsigned i = 0; i < digits; i++)
		v *= base;
	while (bits < 64 && (u128)1 << bits < v)
		bits++;
	return MAX(bits, 8u);
}

/* Base 0: the prefix of the text selects the base. At most two decisions. */
static enum step choose_base(struct scall *s, const struct text *x, unsigned *base)
{
	struct terms *ts = s->ts;
	term_t space = term_bool(ts, true), sign = term_bool(ts, false);
	term_t zero = sign, hex = sign;
	bool truth;

	for (uint32_t i = 0; i < x->n; i++) {
		term_t c = x->at[i], start = term_or(ts, space, sign);
		term_t z = term_and(ts, start, byte_is(s, c, '0'));

		zero = term_or(ts, zero, z);
		if (i + 2 < x->n)
			hex = term_or(ts, hex, term_and(ts, z,
				term_and(ts, is_x(s, x->at[i + 1]), is_digit(s, x->at[i + 2], 16))));
		sign = term_and(ts, space, is_sign(s, c));
		space = term_and(ts, space, is_space(s, c));
	}
	if (sym_decide(s->m, s->t, zero, &truth) == STEP_STOP)
		return STEP_STOP;
	*base = truth ? 8 : 10;
	if (truth && sym_decide(s->m, s->t, hex, &truth) == STEP_STOP)
		return STEP_STOP;
	if (*base == 8 && truth)
		*base = 16;
	return STEP_NEXT;
}

static enum step convert_text(struct scall *s, const struct text *x, uint64_t addr, uint64_t end,
	unsigned base)
{
	unsigned fit = digits_that_fit(base);
	struct terms *ts = s->ts;
	struct automaton a;
	term_t leave, value;
	bool truth;

	automaton_init(&a, s, base, bits_for(base, MIN(x->n, fit)));
	for (uint32_t i = 0; i < x->n; i++)
		automaton_step(&a, x->at[i], i);
	leave = x->closed ? term_bool(ts, false) : automaton_active(&a);
	if (x->n > fit)
		leave = term_or(ts, leave, term_ult(ts, term_const(ts, 16, fit), a.count));
	if (sym_decide(s->m, s->t, leave, &truth) == STEP_STOP)
		return STEP_STOP;
	if (truth)
		return STEP_NEXT;
	if (end) {
		struct opnd to = {.v = {end, 0}};
		term_t p = term_add(ts, term_const(ts, 64, addr), a.end);

		if (sym_store(s->m, s->t, to, IR_PTR, opnd_of_term(s->m, p)) == STEP_STOP)
			return STEP_STOP;
	}
	value = term_zext(ts, a.value, 64);
	return scall_give(s, term_ite(ts, a.negative, term_neg(ts, value), value));
}

/* __m_strtol(s, end, base, flags) and __m_strtoul: they differ only in the limit of the value. */
static enum step s_strtol(struct scall *s)
{
	uint64_t v[4];
	struct text x;
	unsigned base;
	enum step st = STEP_NEXT;
	bool ok;

	for (uint32_t i = 0; i < 4; i++) {
		if (scall_known(s, i, &v[i], &ok) == STEP_STOP)
			return STEP_STOP;
		if (!ok)
			return STEP_NEXT;
	}
	base = (unsigned)v[2];
	/* flags: the prefix "0b" is allowed */
	if (base == 1 || base > 36 || ((uint32_t)v[3] && (base == 2 || base == 0)))
		return STEP_NEXT;
	if (text_is_known(s, v[0]))
		return STEP_NEXT;
	text_get(s, v[0], UINT64_MAX, &x);
	if (x.symbolic && x.n < TEXT_MAX && (base || x.closed)) {
		if (!base)
			st = choose_base(s, &x, &base);
		if (st == STEP_NEXT)
			st = convert_text(s, &x, v[0], v[1], base);
	}
	text_release(&x);
	return st;
}

/* ---- number to text -------------------------------------------------------------------------- */

static unsigned base_of(char conv)
{
	switch (conv) {
	case 'u': return 10;
	case 'o': return 8;
	case 'b':
	case 'B': return 2;
	default: return 16;
	}
}

/* The number of digits of u, 0 for u = 0. Forks if several counts are possible. */
static enum step count_digits(struct scall *s, term_t u, unsigned base, unsigned *n)
{
	u128 limit = 1;
	bool less = false;

	for (*n = 0; limit >> 64 == 0; ++*n, limit *= base) {
		if (sym_decide(s->m, s->t, term_ult(s->ts, u, term_const(s->ts, 64, limit)), &less) ==
			STEP_STOP)
			return STEP_STOP;
		if (less)
			break;
	}
	return STEP_NEXT;
}

static term_t digit_char(struct scall *s, term_t d, unsigned base, char conv)
{
	struct terms *ts = s->ts;
	term_t low = term_add(ts, d, term_const(ts, 8, '0'));

	if (base <= 10)
		return low;
	return term_ite(ts, term_ult(ts, d, term_const(ts, 8, 10)), low,
		term_add(ts, d, term_const(ts, 8, (conv == 'X' ? 'A' : 'a') - 10)));
}

/* __m_digits(u, conv, end) */
static enum step s_digits(struct scall *s)
{
	struct terms *ts = s->ts;
	uint64_t conv, end, bad;
	unsigned base, n, width;
	bool ok = false, has = false;
	term_t q;

	if (!s->args[0].t.id)
		return STEP_NEXT;
	if (scall_known(s, 1, &conv, &ok) == STEP_STOP || scall_known(s, 2, &end, &has) == STEP_STOP)
		return STEP_STOP;
	if (!ok || !has)
		return STEP_NEXT;
	q = opnd_term(s->m, s->args[0], 64);
	base = base_of((char)conv);
	if (count_digits(s, q, base, &n) == STEP_STOP)
		return STEP_STOP;
	width = bits_for(base, n);
	q = term_trunc(ts, q, width); /* exact for n digits; a narrow division is cheaper */
	for (unsigned i = 1; i <= n; i++) {
		term_t b = term_const(ts, width, base), next = term_udiv(ts, q, b);
		term_t d = opnd_resize(s->m, term_sub(ts, q, term_mul(ts, next, b)), 8);

		if (opnd_put(s->m, end - i, opnd_of_term(s->m, digit_char(s, d, base, (char)conv)), 1,
			    &bad) != MEM_OK)
			return fault_memory(s->m, s->t, end - i, 1, true, MEM_INVALID, bad);
		q = next;
	}
	return scall_give(s, term_const(ts, 64, end - n));
}

summary_fn summary_number_find(const char *name)
{
	if (!strcmp(name, "__m_strtol") || !strcmp(name, "__m_strtoul"))
		return s_strtol;
	return strcmp(name, "__m_digits") ? NULL : s_digits;
}
