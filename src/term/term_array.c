/*
 * Arrays of bytes, and their simplification. A read skips the writes whose index certainly differs:
 * two constants, or one base plus two constants. A write removes an earlier write to the same index
 * if it is among the last LOOK_BACK.
 */
#include "term/term_table.h"

#include "base/base.h"

/* how many writes a write searches for one that it overwrites; how deep a read enters choices of
 * arrays */
enum { LOOK_BACK = 32, MAX_CHOICES = 3 };

static void must_be_array(const struct terms *ts, term_t array)
{
	BUG_ON(!array.id || tt_width(ts, array));
}

static void must_be_index(const struct terms *ts, term_t index)
{
	BUG_ON(!index.id || tt_width(ts, index) != TERM_INDEX_WIDTH);
}

term_t term_sym_array(struct terms *ts, const char *name)
{
	return tt_sym(ts, name, 0);
}

term_t term_fresh_array(struct terms *ts, const char *name)
{
	return tt_fresh(ts, name, 0);
}

bool term_is_array(const struct terms *ts, term_t t)
{
	return !term_width(ts, t);
}

term_t term_array_of(struct terms *ts, term_t byte)
{
	BUG_ON(!byte.id || tt_width(ts, byte) != 8);
	return tt_make(ts, TERM_FILL, 0, 0, byte, TERM_NONE, TERM_NONE);
}

/* splits an index into a base (TERM_NONE for a constant) and a constant offset */
static term_t index_base(const struct terms *ts, term_t i, uint64_t *offset)
{
	u128 k = 0;
	bool sum = tt_is(ts, i, TERM_ADD) && term_is_const(ts, tt_arg(ts, i, 0), &k);
	term_t base = sum ? tt_arg(ts, i, 1) : i;

	if (term_is_const(ts, i, &k))
		base = TERM_NONE;
	*offset = (uint64_t)k;
	return base;
}

bool term_apart(const struct terms *ts, term_t i, term_t j)
{
	uint64_t x, y;

	return term_same(index_base(ts, i, &x), index_base(ts, j, &y)) && x != y;
}

/* The byte at that index if it can be determined, else TERM_NONE. Moves *array past the writes
 * whose index is apart: the byte is then a read of the new *array. */
static term_t read_through(struct terms *ts, term_t *array, term_t index)
{
	for (;;) {
		term_t a = *array;

		if (tt_is(ts, a, TERM_FILL))
			return tt_arg(ts, a, 0);
		if (!tt_is(ts, a, TERM_WRITE))
			return TERM_NONE;
		if (term_same(tt_arg(ts, a, 1), index))
			return tt_arg(ts, a, 2);
		if (!term_apart(ts, tt_arg(ts, a, 1), index))
			return TERM_NONE;
		*array = tt_arg(ts, a, 0);
	}
}

static term_t read_at(struct terms *ts, term_t array, term_t index, unsigned choices)
{
	term_t t = read_through(ts, &array, index);

	if (t.id)
		return t;
	if (tt_is(ts, array, TERM_ITE) && choices < MAX_CHOICES) {
		term_t c = tt_arg(ts, array, 0), a = tt_arg(ts, array, 1), b = tt_arg(ts, array, 2);

		a = read_at(ts, a, index, choices + 1);
		b = read_at(ts, b, index, choices + 1);
		return term_ite(ts, c, a, b);
	}
	return tt_make(ts, TERM_READ, 8, 0, array, index, TERM_NONE);
}

term_t term_read(struct terms *ts, term_t array, term_t index)
{
	must_be_array(ts, array);
	must_be_index(ts, index);
	return read_at(ts, array, index, 0);
}

/* The array without its write to the index, if that is among the last LOOK_BACK writes and all
 * later ones are apart from it; else the array itself. */
static term_t without_write(struct terms *ts, term_t array, term_t index)
{
	term_t above[LOOK_BACK], a = array;
	unsigned n = 0;

	while (tt_is(ts, a, TERM_WRITE) && n < LOOK_BACK) {
		term_t j = tt_arg(ts, a, 1);

		if (term_same(j, index)) {
			a = tt_arg(ts, a, 0);
			while (n--)
				a = tt_make(ts, TERM_WRITE, 0, 0, a, tt_arg(ts, above[n], 1),
					tt_arg(ts, above[n], 2));
			return a;
		}
		if (!term_apart(ts, j, index))
			break;
		above[n++] = a;
		a = tt_arg(ts, a, 0);
	}
	return array;
}

term_t term_write(struct terms *ts, term_t array, term_t index, term_t byte)
{
	must_be_array(ts, array);
	must_be_index(ts, index);
	BUG_ON(!byte.id || tt_width(ts, byte) != 8);
	if (tt_is(ts, byte, TERM_READ) && term_same(tt_arg(ts, byte, 0), array) &&
		term_same(tt_arg(ts, byte, 1), index))
		return array;
	array = without_write(ts, array, index);
	if (tt_is(ts, array, TERM_FILL) && term_same(tt_arg(ts, array, 0), byte))
		return array;
	return tt_make(ts, TERM_WRITE, 0, 0, array, index, byte);
}

static term_t index_plus(struct terms *ts, term_t index, unsigned k)
{
	return term_add(ts, index, term_const(ts, TERM_INDEX_WIDTH, k));
}

term_t term_read_n(struct terms *ts, term_t array, term_t index, unsigned n)
{
	term_t r;

	BUG_ON(!n || n > TERM_MAX_WIDTH / 8);
	r = term_read(ts, array, index);
	for (unsigned k = 1; k < n; k++)
		r = term_concat(ts, term_read(ts, array, index_plus(ts, index, k)), r);
	return r;
}

term_t term_write_n(struct terms *ts, term_t array, term_t index, term_t value)
{
	unsigned w = tt_width(ts, value);

	BUG_ON(!w || w % 8);
	for (unsigned k = 0; k < w / 8; k++)
		array = term_write(
			ts, array, index_plus(ts, index, k), term_extract(ts, value, 8 * k, 8));
	return array;
}

/* the element at `index` among the 2^bits terms from `from` on; past the end at[n - 1] */
static term_t choose_element(
	struct terms *ts, const term_t *at, uint32_t n, uint32_t from, unsigned bits, term_t index)
{
	term_t high, low;

	if (from >= n - 1)
		return at[n - 1];
	if (!bits)
		return at[from];
	low = choose_element(ts, at, n, from, bits - 1, index);
	high = choose_element(ts, at, n, from + (1u << (bits - 1)), bits - 1, index);
	return term_ite(ts, term_extract(ts, index, bits - 1, 1), high, low);
}

term_t term_choose(struct terms *ts, const term_t *at, uint32_t n, term_t index)
{
	unsigned w = tt_width(ts, index), bits = 0;
	term_t t;

	BUG_ON(!n || !w || n > 1u << 30);
	while (bits < w && n > 1u << bits)
		bits++;
	t = choose_element(ts, at, n, 0, bits, index);
	if (bits == w)
		return t;
	return term_ite(ts, term_ult(ts, index, term_const(ts, w, (u128)1 << bits)), t, at[n - 1]);
}
