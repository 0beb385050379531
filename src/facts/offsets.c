#include "facts/offsets.h"

#include "base/base.h"

static int64_t common_divisor(int64_t a, int64_t b)
{
	int64_t t;

	while (b) {
		t = a % b;
		a = b;
		b = t;
	}
	return a;
}

/* a mod m in [0, m) */
static int64_t remainder_of(int64_t a, int64_t m)
{
	int64_t r = a % m;

	return r < 0 ? r + m : r;
}

static int64_t ceil_to(int64_t a, int64_t m)
{
	return a + remainder_of(-a, m);
}

static int64_t span_of(struct offs p)
{
	return (int64_t)(p.count - 1) * p.step;
}

/* the canonical form of a set; OFFS_ANY if its numbers do not fit */
static struct offs make_offsets(int64_t at, int64_t step, int64_t count, int64_t every)
{
	int64_t reach;

	if (every && step >= every)
		step %= every;
	if (count == 1 || !step) {
		step = 0;
		count = 1;
	}
	if (__builtin_mul_overflow(count, step, &reach))
		return OFFS_ANY;
	if (every && count > 1 && reach >= every) {
		every = common_divisor(every, step);
		step = reach = 0;
		count = 1;
	}
	if (every) {
		if (every == 1 || every > INT32_MAX)
			return OFFS_ANY;
		at = remainder_of(at, every);
	}
	if (at > INT32_MAX || at < INT32_MIN || reach > INT32_MAX || at + reach > INT32_MAX)
		return OFFS_ANY;
	return (struct offs){(int32_t)at, (uint32_t)step, (uint32_t)count, (uint32_t)every};
}

struct offs offs_exact(int64_t at)
{
	return make_offsets(at, 0, 1, 0);
}

struct offs offs_shift(struct offs p, int64_t c)
{
	int64_t at;

	if (__builtin_add_overflow(p.at, c, &at))
		return OFFS_ANY;
	return make_offsets(at, p.step, p.count, p.every);
}

struct offs offs_index(struct offs p, int64_t stride, uint32_t bound)
{
	if (!stride || bound == 1)
		return p;
	if (stride > INT32_MAX || stride < -INT32_MAX)
		return OFFS_ANY;
	if (!bound) {
		stride = stride < 0 ? -stride : stride;
		return make_offsets(p.at, p.step, p.count, common_divisor(stride, p.every));
	}
	if (stride < 0)
		return offs_sum(p, make_offsets(stride * (int64_t)(bound - 1), -stride, bound, 0));
	return offs_sum(p, make_offsets(0, stride, bound, 0));
}

struct offs offs_sum(struct offs p, struct offs q)
{
	int64_t step = common_divisor(p.step, q.step), every = common_divisor(p.every, q.every);
	int64_t count = step ? (span_of(p) + span_of(q)) / step + 1 : 1;

	return make_offsets((int64_t)p.at + q.at, step, count, every);
}

struct offs offs_difference(struct offs p, struct offs q)
{
	return offs_sum(p, make_offsets(-((int64_t)q.at + span_of(q)), q.step, q.count, q.every));
}

/* the elements of a progression without period that lie in [lo, hi) */
static bool clip_run(int64_t at, int64_t step, int64_t count, int64_t lo, int64_t hi,
	struct offs *out)
{
	int64_t first, last;

	if (count == 1)
		step = 1;
	first = at >= lo ? at : at + ceil_to(lo - at, step);
	last = MIN(at + (count - 1) * step, hi - 1);
	if (first > last)
		return false;
	*out = make_offsets(first, step, (last - first) / step + 1, 0);
	return true;
}

bool offs_clip(struct offs p, int32_t lo, int32_t hi, struct offs *out)
{
	int64_t copy, step;

	if (!p.every)
		return clip_run(p.at, p.step, p.count, lo, hi, out);
	if (hi == OFFS_MAX) {
		*out = p;
		return true;
	}
	/* the first copy of the inner run that ends at or after lo */
	copy = p.at + ceil_to(lo - span_of(p) - p.at, p.every);
	if (copy >= hi)
		return false;
	if (copy + (int64_t)p.every >= hi)
		return clip_run(copy, p.step, p.count, lo, hi, out);
	step = common_divisor(p.every, p.step);
	copy = lo + remainder_of(p.at - (int64_t)lo, step);
	return clip_run(copy, step, (hi - copy) / step + 1, lo, hi, out);
}

/* are all offsets, and the addresses at them, equal modulo the power of two? */
static bool same_residue(struct offs p, uint64_t power, uint32_t align)
{
	return power <= INT32_MAX && align >= power && !(p.step % power) && !(p.every % power);
}

struct offs offs_round(struct offs p, uint64_t power, uint32_t align)
{
	if (!same_residue(p, power, align))
		return OFFS_ANY;
	return offs_shift(p, -remainder_of(p.at, (int64_t)power));
}

struct offs offs_tag(struct offs p, uint64_t c, uint32_t align)
{
	uint64_t power = 1;

	while (power <= c && power <= INT32_MAX)
		power *= 2;
	if (!same_residue(p, power, align))
		return OFFS_ANY;
	return offs_shift(p, (int64_t)(c & ~(uint64_t)remainder_of(p.at, (int64_t)power)));
}

/* is there a multiple of m in [lo, hi]? m = 0: is 0 in it? */
static bool multiple_in(int64_t m, int64_t lo, int64_t hi)
{
	return m ? ceil_to(lo, m) <= hi : lo <= 0 && 0 <= hi;
}

bool offs_overlap(struct offs p, uint32_t wa, struct offs q, uint32_t wb)
{
	/* a - b must be in (-wa, wb); a - b = d + x + y, with x from the inner runs and y from the
	 * periods */
	int64_t d = (int64_t)p.at - q.at;
	int64_t lo = 1 - (int64_t)wa - d, hi = (int64_t)wb - 1 - d;
	int64_t xlo = -span_of(q), xhi = span_of(p), step = common_divisor(p.step, q.step);
	int64_t every = common_divisor(p.every, q.every);

	if (!every)
		return multiple_in(step, MAX(lo, xlo), MIN(hi, xhi));
	if (!step)
		return multiple_in(every, lo, hi);
	if (xhi - xlo >= every || hi - lo >= every)
		return multiple_in(common_divisor(every, step), lo, hi);
	for (int64_t y = ceil_to(lo - xhi, every); y <= hi - xlo; y += every)
		if (multiple_in(step, MAX(lo - y, xlo), MIN(hi - y, xhi)))
			return true;
	return false;
}

bool offs_contains(struct offs p, int64_t offset)
{
	if (p.every)
		offset = remainder_of(offset, p.every);
	if (offset > INT32_MAX || offset < INT32_MIN)
		return false;
	return offs_overlap(p, 1, offs_exact(offset), 1);
}

