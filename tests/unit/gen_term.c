#include "gen_term.h"

#include <string.h>

/* a two's complement number of BITS bits, lowest first */
enum { BITS = 264 };

struct big {
	bool b[BITS];
};

static struct big from(u128 v, unsigned width, bool sign)
{
	struct big r = {0};

	for (unsigned i = 0; i < BITS; i++)
		r.b[i] = i < width ? (v >> i & 1) : sign && (v >> (width - 1) & 1);
	return r;
}

static u128 low(struct big x, unsigned width)
{
	u128 r = 0;

	for (unsigned i = 0; i < width; i++)
		r |= (u128)x.b[i] << i;
	return r;
}

static struct big plus(struct big x, struct big y)
{
	bool carry = false;

	for (unsigned i = 0; i < BITS; i++) {
		int sum = x.b[i] + y.b[i] + carry;

		x.b[i] = sum & 1;
		carry = sum > 1;
	}
	return x;
}

static struct big minus(struct big x, struct big y)
{
	struct big one = {.b = {true}};

	for (unsigned i = 0; i < BITS; i++)
		y.b[i] = !y.b[i];
	return plus(plus(x, y), one);
}

static struct big twice(struct big x)
{
	for (unsigned i = BITS; --i;)
		x.b[i] = x.b[i - 1];
	x.b[0] = false;
	return x;
}

static struct big times(struct big x, struct big y)
{
	struct big r = {0};

	for (unsigned i = 0; i < BITS; i++) {
		if (y.b[i])
			r = plus(r, x);
		x = twice(x);
	}
	return r;
}

static bool negative(struct big x)
{
	return x.b[BITS - 1];
}

static bool less(struct big x, struct big y)
{
	return negative(minus(x, y));
}

static struct big magnitude(struct big x)
{
	struct big zero = {0};

	return negative(x) ? minus(zero, x) : x;
}

/* schoolbook, of numbers that are not negative; y not 0 */
static struct big quotient(struct big x, struct big y, struct big *rest)
{
	struct big q = {0}, r = {0};

	for (unsigned i = BITS - 1; i--;) {
		r = twice(r);
		r.b[0] = x.b[i];
		if (!less(r, y)) {
			r = minus(r, y);
			q.b[i] = true;
		}
	}
	*rest = r;
	return q;
}

static u128 divide(u128 a, u128 b, unsigned w, bool sign, bool rem)
{
	struct big x = from(a, w, sign), y = from(b, w, sign), zero = {0}, q, r;
	bool nx = negative(x), ny = negative(y);

	if (!b)
		return rem ? a : sign && nx ? 1 : term_mask(w);
	q = quotient(magnitude(x), magnitude(y), &r);
	if (nx != ny)
		q = minus(zero, q);
	if (nx)
		r = minus(zero, r);
	return low(rem ? r : q, w);
}

static bool fits(struct big x, unsigned w, bool sign)
{
	struct big y = from(low(x, w), w, sign);

	return !memcmp(&x, &y, sizeof x);
}

static u128 clamped(struct big x, unsigned w, bool sign)
{
	u128 top = (u128)1 << (w - 1);

	if (fits(x, w, sign))
		return low(x, w);
	if (sign)
		return negative(x) ? top : top - 1;
	return negative(x) ? 0 : term_mask(w);
}

static u128 shifted(u128 a, u128 by, unsigned w, int dir, bool fill)
{
	u128 r = 0;

	for (unsigned i = 0; i < w; i++) {
		bool bit = fill;

		if (dir > 0)
			bit = by <= i ? a >> (i - (unsigned)by) & 1 : false;
		else if (by < w && i + (unsigned)by < w)
			bit = a >> (i + (unsigned)by) & 1;
		r |= (u128)bit << i;
	}
	return r;
}

static u128 funnel(u128 a, u128 b, u128 c, unsigned w, bool left)
{
	bool bits[256];
	u128 r = 0;
	unsigned by = (unsigned)(c % w);

	for (unsigned i = 0; i < w; i++) {
		bits[i] = b >> i & 1;
		bits[w + i] = a >> i & 1;
	}
	for (unsigned i = 0; i < w; i++)
		r |= (u128)bits[left ? w + i - by : i + by] << i;
	return r;
}

static u128 reversed(u128 a, unsigned w, unsigned unit)
{
	u128 r = 0;

	for (unsigned i = 0; i < w; i++) {
		unsigned to = (w / unit - 1 - i / unit) * unit + i % unit;

		r |= (a >> i & 1) << to;
	}
	return r;
}

static unsigned zeros(u128 a, unsigned w, bool from_top)
{
	unsigned n = 0;

	while (n < w && !(a >> (from_top ? w - 1 - n : n) & 1))
		n++;
	return n;
}

static unsigned ones(u128 a)
{
	unsigned n = 0;

	for (; a; a >>= 1)
		n += a & 1;
	return n;
}

#define S(x) from(x, w, true)
#define U(x) from(x, w, false)
#define TWO(name, value)                                                                           \
	static u128 twin_##name(u128 a, u128 b, unsigned w)                                        \
	{                                                                                          \
		(void)w;                                                                           \
		return value;                                                                      \
	}
#define CMP(name, value) TWO(name, value)
#define ONE(name, value)                                                                           \
	static u128 twin_##name(u128 a, unsigned w)                                                \
	{                                                                                          \
		return value;                                                                      \
	}
#include "gen_term_ops.def"
#undef TWO
#undef CMP
#undef ONE

static const struct {
	const char *name;
	bool bit;
	term_t (*make)(struct terms *, term_t, term_t);
	u128 (*twin)(u128, u128, unsigned);
} binary[] = {
#define TWO(name, value) {#name, false, term_##name, twin_##name},
#define CMP(name, value) {#name, true, term_##name, twin_##name},
#define ONE(name, value)
#include "gen_term_ops.def"
#undef TWO
#undef CMP
#undef ONE
};

static const struct {
	const char *name;
	term_t (*make)(struct terms *, term_t);
	u128 (*twin)(u128, unsigned);
} unary[] = {
#define TWO(name, value)
#define CMP(name, value)
#define ONE(name, value) {#name, term_##name, twin_##name},
#include "gen_term_ops.def"
};

u128 gen_value(struct rng *r, unsigned width)
{
	u128 v = (u128)rng_u64(r) << 64 | rng_u64(r);

	switch (rng_below(r, 8)) {
	case 0: v = 0; break;
	case 1: v = ~(u128)0; break;
	case 2: v = (u128)1 << (width - 1); break;
	case 3: v = ((u128)1 << (width - 1)) - 1; break;
	case 4: v = rng_below(r, 10); break;
	case 5: v = (u128)1 << rng_below(r, width); break;
	default: break;
	}
	return v & term_mask(width);
}

static unsigned gen_width(struct gen_term *g)
{
	static const unsigned common[] = {1, 8, 16, 32, 64, 128};
	unsigned w = rng_chance(&g->rng, 50) ? common[rng_below(&g->rng, ARRAY_SIZE(common))]
					     : 1 + rng_below(&g->rng, g->max_width);

	return MIN(w, g->max_width);
}

static uint32_t add(struct gen_term *g, const char *op, term_t t, unsigned width, const u128 *v)
{
	struct gen_entry *e = vec_add(&g->pool);

	e->op = op;
	e->t = t;
	e->width = width;
	memcpy(e->v, v, sizeof e->v);
	return g->pool.n - 1;
}

void gen_term_init(struct gen_term *g, struct terms *ts, uint64_t seed, unsigned max_width)
{
	*g = (struct gen_term){.ts = ts, .rng = rng_seed(seed), .max_width = max_width};
	for (unsigned i = 0; i < GEN_SYMS; i++) {
		unsigned w = i ? gen_width(g) : 1;
		u128 v[GEN_VALUES];

		for (unsigned k = 0; k < GEN_VALUES; k++)
			v[k] = gen_value(&g->rng, w);
		add(g, "symbol", term_fresh(ts, "s", w), w, v);
	}
}

void gen_term_release(struct gen_term *g)
{
	vec_release(&g->pool);
}

void gen_term_assign(const struct gen_term *g, unsigned k, struct term_assign *as)
{
	term_assign_clear(as);
	for (unsigned i = 0; i < GEN_SYMS; i++)
		term_assign_set(as, g->pool.at[i].t, g->pool.at[i].v[k]);
}

static uint32_t gen_const(struct gen_term *g, unsigned width)
{
	u128 c = gen_value(&g->rng, width), v[GEN_VALUES];

	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = c;
	return add(g, "const", term_const(g->ts, width, c), width, v);
}

/* entry i brought to another width */
static uint32_t gen_convert(struct gen_term *g, uint32_t i, unsigned width)
{
	struct gen_entry e = g->pool.at[i];
	unsigned w = e.width, at;
	u128 v[GEN_VALUES];
	bool sign = rng_chance(&g->rng, 50);

	if (w == width)
		return i;
	if (w < width) {
		for (unsigned k = 0; k < GEN_VALUES; k++)
			v[k] = low(from(e.v[k], w, sign), width);
		return add(g, sign ? "sext" : "zext",
			sign ? term_sext(g->ts, e.t, width) : term_zext(g->ts, e.t, width), width,
			v);
	}
	at = rng_chance(&g->rng, 50) ? 0 : rng_below(&g->rng, w - width + 1);
	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = shifted(e.v[k], at, w, -1, false) & term_mask(width);
	return add(g, "extract", term_extract(g->ts, e.t, at, width), width, v);
}

/* an entry of that width: an old one, one converted, or a constant */
static uint32_t pick_operand(struct gen_term *g, unsigned width)
{
	if (rng_chance(&g->rng, 20))
		return gen_const(g, width);
	for (int tries = 0; tries < 8; tries++) {
		uint32_t i = rng_below(&g->rng, g->pool.n);

		if (g->pool.at[i].width == width)
			return i;
	}
	return gen_convert(g, rng_below(&g->rng, g->pool.n), width);
}

static struct gen_entry gen_operand(struct gen_term *g, unsigned width)
{
	uint32_t i = pick_operand(g, width); /* may move the pool */

	return g->pool.at[i];
}

static uint32_t gen_binary(struct gen_term *g, unsigned w)
{
	uint32_t op = rng_below(&g->rng, ARRAY_SIZE(binary));
	struct gen_entry a, b;
	u128 v[GEN_VALUES];

	if (g->cheap && (strstr(binary[op].name, "mul") || strstr(binary[op].name, "div") ||
				strstr(binary[op].name, "rem")))
		w = MIN(w, 7u);
	a = gen_operand(g, w);
	b = gen_operand(g, w);
	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = binary[op].twin(a.v[k], b.v[k], w);
	return add(g, binary[op].name, binary[op].make(g->ts, a.t, b.t), binary[op].bit ? 1 : w, v);
}

static uint32_t gen_unary(struct gen_term *g, unsigned w)
{
	uint32_t op = rng_below(&g->rng, ARRAY_SIZE(unary) + 1);
	struct gen_entry a;
	u128 v[GEN_VALUES];

	if (op == ARRAY_SIZE(unary)) {
		w = (w + 7) / 8 * 8;
		a = gen_operand(g, w);
		for (unsigned k = 0; k < GEN_VALUES; k++)
			v[k] = reversed(a.v[k], w, 8);
		return add(g, "bswap", term_bswap(g->ts, a.t), w, v);
	}
	a = gen_operand(g, w);
	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = unary[op].twin(a.v[k], w);
	return add(g, unary[op].name, unary[op].make(g->ts, a.t), w, v);
}

static uint32_t gen_choice(struct gen_term *g, unsigned w)
{
	struct gen_entry c = gen_operand(g, 1), a = gen_operand(g, w), b = gen_operand(g, w);
	u128 v[GEN_VALUES];

	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = c.v[k] ? a.v[k] : b.v[k];
	return add(g, "ite", term_ite(g->ts, c.t, a.t, b.t), w, v);
}

static uint32_t gen_funnel(struct gen_term *g, unsigned w)
{
	struct gen_entry a, b, c;
	bool left = rng_chance(&g->rng, 50);
	u128 v[GEN_VALUES];

	if (g->cheap)
		w = MIN(w, 7u);
	a = gen_operand(g, w);
	b = gen_operand(g, w);
	c = gen_operand(g, w);
	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = funnel(a.v[k], b.v[k], c.v[k], w, left);
	return add(g, left ? "fshl" : "fshr",
		left ? term_fshl(g->ts, a.t, b.t, c.t) : term_fshr(g->ts, a.t, b.t, c.t), w, v);
}

static uint32_t gen_concat(struct gen_term *g)
{
	struct gen_entry a = g->pool.at[rng_below(&g->rng, g->pool.n)], b;
	u128 v[GEN_VALUES];
	unsigned room = TERM_MAX_WIDTH - a.width;

	if (!room)
		return gen_convert(g, 0, 1 + rng_below(&g->rng, g->max_width));
	b = gen_operand(g, 1 + rng_below(&g->rng, MIN(room, g->max_width)));
	for (unsigned k = 0; k < GEN_VALUES; k++)
		v[k] = a.v[k] << b.width | b.v[k];
	return add(g, "concat", term_concat(g->ts, a.t, b.t), a.width + b.width, v);
}

uint32_t gen_term_step(struct gen_term *g)
{
	unsigned w = g->pool.at[rng_below(&g->rng, g->pool.n)].width;

	switch (rng_below(&g->rng, 12)) {
	case 0: return gen_const(g, gen_width(g));
	case 1: return gen_convert(g, rng_below(&g->rng, g->pool.n), gen_width(g));
	case 2: return gen_concat(g);
	case 3: return gen_choice(g, w);
	case 4: return gen_unary(g, w);
	case 5: return gen_funnel(g, w);
	default: return gen_binary(g, w);
	}
}
