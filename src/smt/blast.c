#include "smt/blast.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "term/term_float.h"

#include <stdlib.h>
#include <string.h>

struct own { /* variables made for a term: from .. to - 1 */
	uint32_t from, to;
};

struct blast {
	struct terms *ts;
	struct sat *sat;
	uint64_t gates, max_gates;
	struct vec_u32 start; /* by term: index of its lowest bit in bits + 1; 0: has no bits */
	struct vec_u32 bits;  /* literals, lowest bit of each term first */
	struct vec_u32 done;  /* translated terms */
	struct vec_u32 reads; /* translated reads of array symbols */
	VEC(struct own) own;  /* by translated term that is not in `lowered` */
	struct map lowered;   /* term -> the equivalent term whose bits it shares */
	double until;         /* deadline in clock_seconds(); 0: none */
	enum blast_why why;
	struct vec_u32 seen; /* by term: number of the last walk of blast_cone() that met it */
	uint32_t walk;
	struct map gate[2]; /* AND, XOR: two literals -> literal */
	/* dividend, divisor -> index + 1 in `bits` of the quotient, which the remainder follows */
	struct map quotient;
};

enum { GATE_AND, GATE_XOR };

struct blast *blast_new(struct terms *ts, struct sat *s, uint64_t max_gates)
{
	struct blast *b = xcalloc(1, sizeof *b);

	b->ts = ts;
	b->sat = s;
	b->max_gates = max_gates ? max_gates : UINT64_MAX;
	return b;
}

void blast_free(struct blast *b)
{
	if (!b)
		return;
	vec_release(&b->start);
	vec_release(&b->bits);
	vec_release(&b->done);
	vec_release(&b->reads);
	vec_release(&b->own);
	map_release(&b->lowered);
	vec_release(&b->seen);
	map_release(&b->gate[GATE_AND]);
	map_release(&b->gate[GATE_XOR]);
	map_release(&b->quotient);
	free(b);
}

void blast_restart(struct blast *b, struct sat *s)
{
	b->sat = s;
	b->gates = 0;
	vec_each (&b->done, i)
		b->start.at[b->done.at[i]] = 0;
	vec_clear(&b->done);
	vec_clear(&b->bits);
	vec_clear(&b->reads);
	map_clear(&b->gate[GATE_AND]);
	map_clear(&b->gate[GATE_XOR]);
	map_clear(&b->quotient);
	map_clear(&b->lowered);
}

uint64_t blast_gates(const struct blast *b)
{
	return b->gates;
}

uint32_t blast_n_reads(const struct blast *b)
{
	return b->reads.n;
}

term_t blast_read_at(const struct blast *b, uint32_t i)
{
	BUG_ON(i >= b->reads.n);
	return (term_t){b->reads.at[i]};
}

bool blast_has(const struct blast *b, term_t t)
{
	return t.id < b->start.n && b->start.at[t.id];
}

lit_t blast_bit(const struct blast *b, term_t t, unsigned i)
{
	BUG_ON(!blast_has(b, t) || i >= term_width(b->ts, t));
	return b->bits.at[b->start.at[t.id] - 1 + i];
}

u128 blast_value(const struct blast *b, term_t t)
{
	u128 v = 0;

	if (!blast_has(b, t))
		return 0;
	for (unsigned i = 0; i < term_width(b->ts, t); i++)
		v |= (u128)sat_true(b->sat, blast_bit(b, t, i)) << i;
	return v;
}

/* -- gates -- */

static void clause3(struct blast *b, lit_t x, lit_t y, lit_t z)
{
	lit_t l[3] = {x, y, z};

	sat_clause(b->sat, l, z == LIT_NONE ? 2 : 3);
}

static lit_t new_gate(struct blast *b)
{
	b->gates++;
	return sat_var(b->sat);
}

static lit_t g_and(struct blast *b, lit_t x, lit_t y)
{
	uint64_t *at;
	lit_t g;

	if (x == LIT_FALSE || y == LIT_FALSE || x == lit_not(y))
		return LIT_FALSE;
	if (x == LIT_TRUE || x == y)
		return y;
	if (y == LIT_TRUE)
		return x;
	at = map_put(&b->gate[GATE_AND], (uint64_t)MIN(x, y) << 32 | MAX(x, y));
	if (*at)
		return (lit_t)*at;
	*at = g = new_gate(b);
	clause3(b, lit_not(g), x, LIT_NONE);
	clause3(b, lit_not(g), y, LIT_NONE);
	clause3(b, g, lit_not(x), lit_not(y));
	return g;
}

static lit_t g_or(struct blast *b, lit_t x, lit_t y)
{
	return lit_not(g_and(b, lit_not(x), lit_not(y)));
}

static lit_t g_xor(struct blast *b, lit_t x, lit_t y)
{
	bool flip = lit_negated(x) != lit_negated(y);
	uint64_t *at;
	lit_t g;

	x &= ~1u;
	y &= ~1u;
	if (x == y)
		return flip ? LIT_TRUE : LIT_FALSE;
	if (x == LIT_TRUE)
		return flip ? y : lit_not(y);
	if (y == LIT_TRUE)
		return flip ? x : lit_not(x);
	at = map_put(&b->gate[GATE_XOR], (uint64_t)MIN(x, y) << 32 | MAX(x, y));
	if (!*at) {
		*at = g = new_gate(b);
		clause3(b, lit_not(g), x, y);
		clause3(b, lit_not(g), lit_not(x), lit_not(y));
		clause3(b, g, lit_not(x), y);
		clause3(b, g, x, lit_not(y));
	}
	g = (lit_t)*at;
	return flip ? lit_not(g) : g;
}

static lit_t g_mux(struct blast *b, lit_t c, lit_t x, lit_t y)
{
	lit_t g;

	if (c == LIT_TRUE || x == y)
		return x;
	if (c == LIT_FALSE)
		return y;
	if (x == LIT_TRUE || x == c)
		return g_or(b, c, y);
	if (x == LIT_FALSE || x == lit_not(c))
		return g_and(b, lit_not(c), y);
	if (y == LIT_TRUE || y == lit_not(c))
		return g_or(b, lit_not(c), x);
	if (y == LIT_FALSE || y == c)
		return g_and(b, c, x);
	if (x == lit_not(y))
		return g_xor(b, c, y);
	g = new_gate(b);
	clause3(b, lit_not(c), lit_not(x), g);
	clause3(b, lit_not(c), x, lit_not(g));
	clause3(b, c, lit_not(y), g);
	clause3(b, c, y, lit_not(g));
	/* redundant, but propagate g while c is not assigned */
	clause3(b, lit_not(x), lit_not(y), g);
	clause3(b, x, y, lit_not(g));
	return g;
}

/* the majority: at least two of three are true */
static lit_t g_major(struct blast *b, lit_t x, lit_t y, lit_t z)
{
	lit_t g;

	if (x == y)
		return x;
	if (x == lit_not(y))
		return z;
	if (z == x || z == y)
		return z;
	if (z == lit_not(x))
		return y;
	if (z == lit_not(y))
		return x;
	if (x == LIT_TRUE)
		return g_or(b, y, z);
	if (x == LIT_FALSE)
		return g_and(b, y, z);
	if (y == LIT_TRUE)
		return g_or(b, x, z);
	if (y == LIT_FALSE)
		return g_and(b, x, z);
	if (z == LIT_TRUE)
		return g_or(b, x, y);
	if (z == LIT_FALSE)
		return g_and(b, x, y);
	g = new_gate(b);
	clause3(b, lit_not(x), lit_not(y), g);
	clause3(b, lit_not(x), lit_not(z), g);
	clause3(b, lit_not(y), lit_not(z), g);
	clause3(b, x, y, lit_not(g));
	clause3(b, x, z, lit_not(g));
	clause3(b, y, z, lit_not(g));
	return g;
}

/* the conjunction of n literals, which are overwritten */
static lit_t g_all(struct blast *b, lit_t *l, unsigned n)
{
	unsigned m = 0;
	lit_t g;

	for (unsigned i = 0; i < n; i++) {
		if (l[i] == LIT_FALSE)
			return LIT_FALSE;
		if (l[i] != LIT_TRUE)
			l[m++] = l[i];
	}
	if (!m)
		return LIT_TRUE;
	if (m == 1)
		return l[0];
	if (m == 2)
		return g_and(b, l[0], l[1]);
	g = new_gate(b);
	for (unsigned i = 0; i < m; i++) {
		clause3(b, lit_not(g), l[i], LIT_NONE);
		l[i] = lit_not(l[i]);
	}
	l[m] = g; /* the array of the caller has n + 1 elements */
	sat_clause(b->sat, l, m + 1);
	return g;
}

/* -- circuits; numbers are arrays of w literals, lowest first -- */

/* r = x + y + carry; returns the carry out. r may be x or y. */
static lit_t c_add(
	struct blast *b, const lit_t *x, const lit_t *y, lit_t carry, lit_t *r, unsigned w)
{
	for (unsigned i = 0; i < w; i++) {
		lit_t half = g_xor(b, x[i], y[i]), sum = g_xor(b, half, carry);

		carry = g_major(b, x[i], y[i], carry);
		r[i] = sum;
	}
	return carry;
}

/* r = x - y; returns the carry out, which is true if x >= y (unsigned) */
static lit_t c_sub(struct blast *b, const lit_t *x, const lit_t *y, lit_t *r, unsigned w)
{
	lit_t no[TERM_MAX_WIDTH + 1];

	for (unsigned i = 0; i < w; i++)
		no[i] = lit_not(y[i]);
	return c_add(b, x, no, LIT_TRUE, r, w);
}

static lit_t c_ult(struct blast *b, const lit_t *x, const lit_t *y, unsigned w)
{
	lit_t lt = LIT_FALSE;

	for (unsigned i = 0; i < w; i++)
		lt = g_major(b, lit_not(x[i]), y[i], lt);
	return lt;
}

/* r = c * y, with c in non-adjacent form: digits -1, 0, 1, no two neighbours both nonzero */
static void c_mul_const(struct blast *b, u128 c, const lit_t *y, lit_t *r, unsigned w)
{
	for (unsigned i = 0; i < w; i++)
		r[i] = LIT_FALSE;
	for (unsigned i = 0; i < w; i++) {
		if (c & 1) {
			bool minus = i + 1 < w && c & 2;

			if (minus)
				c_sub(b, r + i, y, r + i, w - i);
			else
				c_add(b, r + i, y, LIT_FALSE, r + i, w - i);
			c = minus ? c + 1 : c - 1;
		}
		c >>= 1;
		c &= term_mask(w - i) >> 1;
	}
}

static void c_mul(struct blast *b, const lit_t *x, const lit_t *y, lit_t *r, unsigned w)
{
	lit_t row[TERM_MAX_WIDTH];

	for (unsigned i = 0; i < w; i++)
		r[i] = LIT_FALSE;
	for (unsigned i = 0; i < w; i++) {
		for (unsigned k = 0; i + k < w; k++)
			row[k] = g_and(b, x[i], y[k]);
		c_add(b, r + i, row, LIT_FALSE, r + i, w - i);
	}
}

/*
 * Restoring division. A division by 0 gives the quotient all ones and the remainder x, as SMT-LIB
 * requires. The remainder is less than the divisor, so its circuit has only as many bits as the
 * divisor can have: a division by 10 needs 4 of them.
 */
static void c_divide(
	struct blast *b, const lit_t *x, const lit_t *y, lit_t *q, lit_t *rem, unsigned w)
{
	lit_t r[TERM_MAX_WIDTH + 1], d[TERM_MAX_WIDTH + 1], wide[TERM_MAX_WIDTH + 1], zero;
	unsigned n = w;

	while (n && y[n - 1] == LIT_FALSE)
		n--;
	memcpy(wide, y, n * sizeof *y);
	wide[n] = LIT_FALSE;
	for (unsigned i = 0; i <= n; i++)
		r[i] = LIT_FALSE;
	for (unsigned i = w; i--;) {
		memmove(r + 1, r, n * sizeof *r);
		r[0] = x[i];
		q[i] = c_sub(b, r, wide, d, n + 1);
		for (unsigned k = 0; k <= n; k++)
			r[k] = g_mux(b, q[i], d[k], r[k]);
	}
	for (unsigned i = 0; i < n; i++)
		d[i] = lit_not(y[i]);
	zero = g_all(b, d, n);
	for (unsigned i = 0; i < w; i++)
		rem[i] = g_mux(b, zero, x[i], i < n ? r[i] : LIT_FALSE);
}

static void c_shift(struct blast *b, const lit_t *x, const lit_t *by, lit_t *r, unsigned w,
	bool left, lit_t fill)
{
	lit_t from[TERM_MAX_WIDTH], low[TERM_MAX_WIDTH + 1], beyond;
	unsigned n_high = 0, n = 1;

	memcpy(r, x, w * sizeof *r);
	for (unsigned s = 0; n < w; s++, n *= 2) {
		memcpy(from, r, w * sizeof *r);
		for (unsigned i = 0; i < w; i++) {
			lit_t moved = fill;

			if (left && i >= n)
				moved = from[i - n];
			else if (!left && i + n < w)
				moved = from[i + n];
			r[i] = g_mux(b, by[s], moved, from[i]);
		}
	}
	/* a higher bit of the amount shifts all bits out */
	for (unsigned s = 0; s < w; s++)
		if (s >= 8 || 1u << s >= w)
			low[n_high++] = lit_not(by[s]);
	beyond = lit_not(g_all(b, low, n_high));
	for (unsigned i = 0; i < w; i++)
		r[i] = g_mux(b, beyond, fill, r[i]);
}

/* -- terms -- */

static const lit_t *operand_bits(const struct blast *b, term_t t, unsigned i, lit_t *buf)
{
	term_t a = term_arg(b->ts, t, i);

	memcpy(buf, b->bits.at + b->start.at[a.id] - 1, term_width(b->ts, a) * sizeof *buf);
	return buf;
}

static void set_bits(struct blast *b, term_t t, const lit_t *r)
{
	b->start.at[t.id] = b->bits.n + 1;
	vec_push(&b->done, t.id);
	for (unsigned i = 0; i < term_width(b->ts, t); i++)
		vec_push(&b->bits, r[i]);
}

static void blast_quotient(struct blast *b, term_t t, const lit_t *x, const lit_t *y, lit_t *r)
{
	unsigned w = term_width(b->ts, t);
	uint64_t key = (uint64_t)term_arg(b->ts, t, 0).id << 32 | term_arg(b->ts, t, 1).id;
	uint64_t *at = map_put(&b->quotient, key);
	lit_t both[2 * TERM_MAX_WIDTH];
	uint32_t from;

	if (!*at) {
		*at = b->bits.n + 1;
		c_divide(b, x, y, both, both + w, w);
		for (unsigned i = 0; i < 2 * w; i++)
			vec_push(&b->bits, both[i]);
	}
	from = (uint32_t)*at - 1 + (term_op(b->ts, t) == TERM_UREM ? w : 0);
	memcpy(r, b->bits.at + from, w * sizeof *r);
}

/* signed division as an unsigned division of the absolute values */
static term_t lower_signed(struct terms *ts, term_t t)
{
	term_t x = term_arg(ts, t, 0), y = term_arg(ts, t, 1), r;
	unsigned w = term_width(ts, t);
	term_t nx = term_extract(ts, x, w - 1, 1), ny = term_extract(ts, y, w - 1, 1);

	if (term_op(ts, t) == TERM_SDIV) {
		r = term_udiv(ts, term_abs(ts, x), term_abs(ts, y));
		return term_ite(ts, term_xor(ts, nx, ny), term_neg(ts, r), r);
	}
	r = term_urem(ts, term_abs(ts, x), term_abs(ts, y));
	return term_ite(ts, nx, term_neg(ts, r), r);
}

/* sums, products, shifts and unsigned quotients; w > 1 */
static void blast_arith(struct blast *b, term_t t, const lit_t *x, const lit_t *y, lit_t *r)
{
	unsigned w = term_width(b->ts, t);
	u128 k;

	switch (term_op(b->ts, t)) {
	case TERM_ADD: c_add(b, x, y, LIT_FALSE, r, w); break;
	case TERM_MUL:
		if (term_is_const(b->ts, term_arg(b->ts, t, 0), &k))
			c_mul_const(b, k, y, r, w);
		else
			c_mul(b, x, y, r, w);
		break;
	case TERM_SHL: c_shift(b, x, y, r, w, true, LIT_FALSE); break;
	case TERM_LSHR: c_shift(b, x, y, r, w, false, LIT_FALSE); break;
	case TERM_ASHR: c_shift(b, x, y, r, w, false, x[w - 1]); break;
	default: blast_quotient(b, t, x, y, r); break;
	}
}

static lit_t blast_compare(struct blast *b, term_t t, lit_t *x, lit_t *y)
{
	unsigned w = term_width(b->ts, term_arg(b->ts, t, 0));
	lit_t same[TERM_MAX_WIDTH + 1], top;

	switch (term_op(b->ts, t)) {
	case TERM_EQ:
		for (unsigned i = 0; i < w; i++)
			same[i] = lit_not(g_xor(b, x[i], y[i]));
		return g_all(b, same, w);
	case TERM_SLT: /* the unsigned comparison after the sign bits are exchanged */
		top = x[w - 1];
		x[w - 1] = y[w - 1];
		y[w - 1] = top;
		return c_ult(b, x, y, w);
	default: return c_ult(b, x, y, w);
	}
}

/* Rewrites a read of a write or of a choice of arrays to a choice over reads of its operands.
 * Repeated, this leaves only reads of array symbols. */
static term_t lower_read(struct terms *ts, term_t t)
{
	term_t array = term_arg(ts, t, 0), index = term_arg(ts, t, 1);
	term_t x = term_arg(ts, array, 0), y = term_arg(ts, array, 1), z = term_arg(ts, array, 2);

	if (term_op(ts, array) == TERM_ITE) {
		y = term_read(ts, y, index);
		return term_ite(ts, x, y, term_read(ts, z, index));
	}
	BUG_ON(term_op(ts, array) != TERM_WRITE);
	return term_ite(ts, term_eq(ts, y, index), z, term_read(ts, x, index));
}

/* A read of an array symbol: 8 new variables, and Ackermann clauses with each earlier read of the
 * symbol whose index can be equal. */
static void blast_read(struct blast *b, term_t t, const lit_t *index, lit_t *r)
{
	term_t array = term_arg(b->ts, t, 0);
	lit_t same[TERM_INDEX_WIDTH + 1], other[TERM_INDEX_WIDTH], eq;

	for (unsigned i = 0; i < 8; i++)
		r[i] = sat_var(b->sat);
	vec_each (&b->reads, k) {
		term_t u = {b->reads.at[k]};

		if (!term_same(term_arg(b->ts, u, 0), array) ||
			term_apart(b->ts, term_arg(b->ts, u, 1), term_arg(b->ts, t, 1)))
			continue;
		operand_bits(b, u, 1, other);
		for (unsigned i = 0; i < TERM_INDEX_WIDTH; i++)
			same[i] = lit_not(g_xor(b, index[i], other[i]));
		eq = g_all(b, same, TERM_INDEX_WIDTH);
		for (unsigned i = 0; i < 8; i++) {
			lit_t p = r[i], q = blast_bit(b, u, i);

			clause3(b, lit_not(eq), lit_not(p), q);
			clause3(b, lit_not(eq), p, lit_not(q));
		}
	}
	vec_push(&b->reads, t.id);
}

/* makes the bits of t; its operands have bits */
static void translate_term(struct blast *b, term_t t)
{
	struct terms *ts = b->ts;
	enum term_op op = term_op(ts, t);
	unsigned w = term_width(ts, t),
		 wa = term_arg(ts, t, 0).id ? term_width(ts, term_arg(ts, t, 0)) : 0;
	lit_t x[TERM_MAX_WIDTH], y[TERM_MAX_WIDTH], z[TERM_MAX_WIDTH], r[TERM_MAX_WIDTH];
	u128 k = 0;

	if (op == TERM_READ) {
		blast_read(b, t, operand_bits(b, t, 1, y), r);
		set_bits(b, t, r);
		return;
	}
	if (op != TERM_CONST && op != TERM_SYM)
		operand_bits(b, t, 0, x);
	if (term_arg(ts, t, 1).id)
		operand_bits(b, t, 1, y);
	if (op == TERM_ITE)
		operand_bits(b, t, 2, z);
	term_is_const(ts, t, &k);
	for (unsigned i = 0; i < w; i++)
		switch (op) {
		case TERM_CONST: r[i] = k >> i & 1 ? LIT_TRUE : LIT_FALSE; break;
		case TERM_SYM: r[i] = sat_var(b->sat); break;
		case TERM_NOT: r[i] = lit_not(x[i]); break;
		case TERM_AND: r[i] = g_and(b, x[i], y[i]); break;
		case TERM_OR: r[i] = g_or(b, x[i], y[i]); break;
		case TERM_XOR: r[i] = g_xor(b, x[i], y[i]); break;
		case TERM_ITE: r[i] = g_mux(b, x[0], y[i], z[i]); break;
		case TERM_ZEXT: r[i] = i < wa ? x[i] : LIT_FALSE; break;
		case TERM_SEXT: r[i] = x[MIN(i, wa - 1)]; break;
		case TERM_EXTRACT: r[i] = x[term_low(ts, t) + i]; break;
		case TERM_CONCAT: r[i] = i < w - wa ? y[i] : x[i - (w - wa)]; break;
		default: break;
		}
	if (op == TERM_EQ || op == TERM_ULT || op == TERM_SLT)
		r[0] = blast_compare(b, t, x, y);
	else if (op >= TERM_ADD && op <= TERM_ASHR)
		blast_arith(b, t, x, y, r);
	set_bits(b, t, r);
}

/* an estimate of the gates that t adds to those of its operands */
static uint64_t estimate_gates(const struct blast *b, term_t t)
{
	uint64_t w = term_width(b->ts, t);

	switch (term_op(b->ts, t)) {
	case TERM_MUL:
		return term_op(b->ts, term_arg(b->ts, t, 0)) == TERM_CONST ? 3 * w * 8 : 2 * w * w;
	case TERM_UDIV:
	case TERM_UREM: return 4 * w * w;
	case TERM_SHL:
	case TERM_LSHR:
	case TERM_ASHR: return 9 * w;
	case TERM_READ: return (uint64_t)b->reads.n * TERM_INDEX_WIDTH;
	default: return 3 * w;
	}
}

/* Whether the operands of t have bits; those without are pushed onto *todo. A term that is lowered
 * gets the bits of its lowered form here; false if that one is not translated yet. */
static bool is_ready(struct blast *b, term_t t, struct vec_u32 *todo)
{
	enum term_op op = term_op(b->ts, t);
	bool all = true;

	bool read = op == TERM_READ;

	if (op == TERM_SDIV || op == TERM_SREM ||
		(read && term_op(b->ts, term_arg(b->ts, t, 0)) != TERM_SYM)) {
		term_t low = read ? lower_read(b->ts, t) : lower_signed(b->ts, t);

		vec_resize(&b->start, MAX(b->start.n, terms_count(b->ts)));
		if (blast_has(b, low)) {
			*map_put(&b->lowered, t.id) = low.id;
			b->start.at[t.id] = b->start.at[low.id];
			vec_push(&b->done, t.id);
			return true;
		}
		vec_push(todo, low.id);
		return false;
	}
	for (unsigned i = read; i < 3; i++) {
		term_t a = term_arg(b->ts, t, i);

		if (a.id && !blast_has(b, a)) {
			vec_push(todo, a.id);
			all = false;
		}
	}
	return all;
}

static bool is_allowed(struct blast *b, term_t t)
{
	if (term_op_is_float(term_op(b->ts, t)))
		b->why = BLAST_NEVER;
	else if (b->gates + estimate_gates(b, t) > b->max_gates)
		b->why = BLAST_GATES;
	else if (b->until > 0 && clock_seconds() > b->until)
		b->why = BLAST_TIME;
	else
		return true;
	return false;
}

static void translate_new(struct blast *b, term_t t)
{
	struct own *o;

	if (b->own.n <= t.id)
		vec_resize(&b->own, terms_count(b->ts));
	o = &b->own.at[t.id];
	o->from = sat_n_vars(b->sat) + 1;
	translate_term(b, t);
	o->to = sat_n_vars(b->sat) + 1;
}

enum blast_why blast_why(const struct blast *b)
{
	return b->why;
}

void blast_deadline(struct blast *b, double until)
{
	b->until = until;
}

void blast_cone(struct blast *b, const uint32_t *roots, uint32_t n, struct vec_u32 *vars,
	struct vec_u32 *leaves)
{
	struct vec_u32 todo = {0};

	if (b->seen.n < terms_count(b->ts))
		vec_resize(&b->seen, terms_count(b->ts));
	b->walk++;
	for (uint32_t i = 0; i < n; i++)
		vec_push(&todo, roots[i]);
	while (todo.n) {
		term_t t = {vec_pop(&todo)};
		uint64_t *low;
		bool leaf;

		if (b->seen.at[t.id] == b->walk)
			continue;
		b->seen.at[t.id] = b->walk;
		low = map_get(&b->lowered, t.id);
		if (low) {
			vec_push(&todo, (uint32_t)*low);
			continue;
		}
		for (uint32_t v = b->own.at[t.id].from; v < b->own.at[t.id].to; v++)
			vec_push(vars, v);
		leaf = term_op(b->ts, t) == TERM_SYM || term_op(b->ts, t) == TERM_READ;
		if (leaf)
			vec_push(leaves, t.id);
		for (unsigned i = leaf; i < 3 && term_op(b->ts, t) != TERM_SYM; i++)
			if (term_arg(b->ts, t, i).id)
				vec_push(&todo, term_arg(b->ts, t, i).id);
	}
	vec_release(&todo);
}

bool blast_term(struct blast *b, term_t t)
{
	struct vec_u32 todo = {0};
	bool ok = true;

	if (b->start.n < terms_count(b->ts))
		vec_resize(&b->start, terms_count(b->ts));
	vec_push(&todo, t.id);
	while (todo.n && ok) {
		term_t x = {vec_last(&todo)};

		if (blast_has(b, x)) {
			todo.n--;
			continue;
		}
		if (!is_ready(b, x, &todo))
			continue;
		todo.n--;
		if (blast_has(b, x))
			continue;
		ok = is_allowed(b, x);
		if (ok)
			translate_new(b, x);
	}
	vec_release(&todo);
	return ok;
}

lit_t blast_lit(struct blast *b, term_t t)
{
	BUG_ON(term_width(b->ts, t) != 1);
	return blast_term(b, t) ? blast_bit(b, t, 0) : LIT_NONE;
}

bool blast_imply(struct blast *b, lit_t l, term_t t)
{
	term_t x = term_arg(b->ts, t, 0), y = term_arg(b->ts, t, 1);
	lit_t bit;

	switch (term_op(b->ts, t)) {
	case TERM_AND: return blast_imply(b, l, x) && blast_imply(b, l, y);
	case TERM_EQ: break;
	default:
		bit = blast_lit(b, t);
		if (bit == LIT_NONE)
			return false;
		clause3(b, lit_not(l), bit, LIT_NONE);
		return true;
	}
	if (!blast_term(b, x) || !blast_term(b, y))
		return false;
	for (unsigned i = 0; i < term_width(b->ts, x); i++) {
		lit_t p = blast_bit(b, x, i), q = blast_bit(b, y, i);

		clause3(b, lit_not(l), lit_not(p), q);
		clause3(b, lit_not(l), p, lit_not(q));
	}
	return true;
}
