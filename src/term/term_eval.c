/* Evaluation of one operation, and of terms under an assignment. */
#include "base/map.h"
#include "base/vec.h"
#include "base/base.h"
#include "term/term_float.h"
#include "term/term_table.h"

#include <stdlib.h>

static __int128 as_signed(u128 x, unsigned width)
{
	u128 sign = (u128)1 << (width - 1);

	return (__int128)((x ^ sign) - sign);
}

static u128 shift_right(u128 a, u128 b, unsigned width, bool arithmetic)
{
	__int128 s = as_signed(a, width);

	if (!arithmetic)
		return b >= width ? 0 : a >> b;
	return (u128)(s >> (b >= width ? width - 1 : b));
}

static u128 signed_quotient(u128 a, u128 b, unsigned width, bool remainder)
{
	__int128 x = as_signed(a, width), y = as_signed(b, width);

	if (!y)
		return remainder ? a : x < 0 ? 1 : ~(u128)0;
	if (y == -1) /* the division of the least number by -1 would trap */
		return remainder ? 0 : -a;
	return (u128)(remainder ? x % y : x / y);
}

u128 term_fold(enum term_op op, unsigned width, unsigned wa, unsigned wb, unsigned low, u128 a,
	u128 b, u128 c)
{
	u128 r = 0;

	switch (op) {
	case TERM_NOT: r = ~a; break;
	case TERM_AND: r = a & b; break;
	case TERM_OR: r = a | b; break;
	case TERM_XOR: r = a ^ b; break;
	case TERM_ADD: r = a + b; break;
	case TERM_MUL: r = a * b; break;
	case TERM_UDIV: r = b ? a / b : ~(u128)0; break;
	case TERM_UREM: r = b ? a % b : a; break;
	case TERM_SDIV: r = signed_quotient(a, b, wa, false); break;
	case TERM_SREM: r = signed_quotient(a, b, wa, true); break;
	case TERM_SHL: r = b >= wa ? 0 : a << b; break;
	case TERM_LSHR: r = shift_right(a, b, wa, false); break;
	case TERM_ASHR: r = shift_right(a, b, wa, true); break;
	case TERM_EQ: r = a == b; break;
	case TERM_ULT: r = a < b; break;
	case TERM_SLT: r = as_signed(a, wa) < as_signed(b, wa); break;
	case TERM_ITE: r = a ? b : c; break;
	case TERM_ZEXT: r = a; break;
	case TERM_SEXT: r = (u128)as_signed(a, wa); break;
	case TERM_EXTRACT: r = a >> low; break;
	case TERM_CONCAT: r = a << wb | b; break;
	case TERM_CONST:
	case TERM_SYM:
	case TERM_READ:
	case TERM_WRITE:
	case TERM_FILL:
	case TERM_N_OPS: BUG("no operation on numbers");
	default: r = term_float_fold(op, width, wa, low, a, b); break;
	}
	return r & term_mask(width);
}

void term_assign_init(struct term_assign *as, const struct terms *ts)
{
	*as = (struct term_assign){.ts = ts, .epoch = 1};
}

static void drop_arrays(struct term_assign *as)
{
	vec_each (&as->arrays, i)
		map_release(&as->arrays.at[i].at);
	vec_clear(&as->arrays);
	map_clear(&as->array);
}

void term_assign_release(struct term_assign *as)
{
	drop_arrays(as);
	map_release(&as->sym);
	vec_release(&as->vals);
	map_release(&as->array);
	vec_release(&as->arrays);
	vec_release(&as->memo);
	vec_release(&as->stamp);
}

void term_assign_clear(struct term_assign *as)
{
	map_clear(&as->sym);
	vec_clear(&as->vals);
	drop_arrays(as);
	as->epoch++;
}

void term_assign_set(struct term_assign *as, term_t sym, u128 value)
{
	uint64_t *at = map_get(&as->sym, sym.id);

	BUG_ON(!tt_is(as->ts, sym, TERM_SYM) || !tt_width(as->ts, sym));
	value &= term_mask(tt_width(as->ts, sym));
	as->epoch++;
	if (at) {
		as->vals.at[*at] = value;
		return;
	}
	*map_put(&as->sym, sym.id) = as->vals.n;
	vec_push(&as->vals, value);
}

static struct term_cells *cells_of(struct term_assign *as, term_t array)
{
	uint64_t *at = map_get(&as->array, array.id);

	if (at)
		return &as->arrays.at[*at];
	BUG_ON(!tt_is(as->ts, array, TERM_SYM) || tt_width(as->ts, array));
	*map_put(&as->array, array.id) = as->arrays.n;
	return vec_add(&as->arrays);
}

void term_assign_cell(struct term_assign *as, term_t array, uint64_t index, uint8_t byte)
{
	as->epoch++;
	*map_put(&cells_of(as, array)->at, index) = byte;
}

void term_assign_rest(struct term_assign *as, term_t array, uint8_t byte)
{
	as->epoch++;
	cells_of(as, array)->rest = byte;
}

void term_assign_cells(struct term_assign *as, term_t array, const struct term_cells *cells)
{
	term_assign_rest(as, array, cells->rest);
	map_each (&cells->at, i)
		term_assign_cell(
			as, array, cells->at.slots[i].key, (uint8_t)cells->at.slots[i].val);
}

static uint8_t value_of_cell(const struct term_assign *as, term_t array, uint64_t index)
{
	uint64_t *at = map_get(&as->array, array.id);

	if (!at)
		return 0;
	return (uint8_t)map_get_or(&as->arrays.at[*at].at, index, as->arrays.at[*at].rest);
}

/* the byte at an index of an array; the terms below the array are evaluated */
static uint8_t read_value(const struct term_assign *as, term_t array, uint64_t index)
{
	const u128 *memo = as->memo.at;

	for (;;) {
		const struct term_node *n = tt_node(as->ts, array);

		switch (n->op) {
		case TERM_WRITE:
			if ((uint64_t)memo[n->arg[1]] == index)
				return (uint8_t)memo[n->arg[2]];
			array = tt_arg(as->ts, array, 0);
			break;
		case TERM_ITE: array = tt_arg(as->ts, array, memo[n->arg[0]] ? 1 : 2); break;
		case TERM_FILL: return (uint8_t)memo[n->arg[0]];
		default: return value_of_cell(as, array, index);
		}
	}
}

static u128 value_of_sym(const struct term_assign *as, term_t t)
{
	uint64_t *at = map_get(&as->sym, t.id);

	return at ? as->vals.at[*at] : 0;
}

/* evaluates t; its operands are evaluated */
static void compute_term(struct term_assign *as, term_t t)
{
	const struct term_node *n = tt_node(as->ts, t);
	u128 v[3] = {0}, r;
	unsigned w[3] = {0};

	if (!term_is_const(as->ts, t, &r)) {
		if (!n->width) { /* an array has no value: read_value() walks its writes */
			r = 0;
		} else if (n->op == TERM_SYM) {
			r = value_of_sym(as, t);
		} else if (n->op == TERM_READ) {
			r = read_value(as, tt_arg(as->ts, t, 0), (uint64_t)as->memo.at[n->arg[1]]);
		} else {
			for (unsigned i = 0; i < tt_arity(n->op); i++) {
				v[i] = as->memo.at[n->arg[i]];
				w[i] = as->ts->node.at[n->arg[i]].width;
			}
			r = term_fold(n->op, n->width, w[0], w[1], n->low, v[0], v[1], v[2]);
		}
	}
	as->memo.at[t.id] = r;
	as->stamp.at[t.id] = as->epoch;
}

/* evaluates t and all terms below it */
static void evaluate_terms(struct term_assign *as, term_t t)
{
	struct vec_u32 todo = {0};

	BUG_ON(!t.id || t.id >= as->ts->node.n);
	if (as->memo.n < as->ts->node.n) {
		vec_resize(&as->memo, as->ts->node.n);
		vec_resize(&as->stamp, as->ts->node.n);
	}
	if (as->stamp.at[t.id] == as->epoch)
		return;
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_last(&todo)};
		unsigned arity = tt_arity(tt_node(as->ts, x)->op);
		bool ready = true;

		for (unsigned i = 0; i < arity; i++) {
			uint32_t a = tt_arg(as->ts, x, i).id;

			if (as->stamp.at[a] != as->epoch) {
				vec_push(&todo, a);
				ready = false;
			}
		}
		if (!ready)
			continue;
		todo.n--;
		compute_term(as, x);
	}
	vec_release(&todo);
}

u128 term_value(struct term_assign *as, term_t t)
{
	BUG_ON(!term_width(as->ts, t));
	evaluate_terms(as, t);
	return as->memo.at[t.id];
}

uint8_t term_value_at(struct term_assign *as, term_t array, uint64_t index)
{
	BUG_ON(term_width(as->ts, array));
	evaluate_terms(as, array);
	return read_value(as, array, index);
}
