#include "term/term_table.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/base.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct terms *terms_new(void)
{
	struct terms *ts = xcalloc(1, sizeof *ts);

	vec_add(&ts->node); /* TERM_NONE */
	vec_push(&ts->high, 0);
	ts->table.cap = 1024;
	ts->table.slot = xcalloc(ts->table.cap, sizeof *ts->table.slot);
	intern_init(&ts->names);
	arena_init(&ts->arena);
	return ts;
}

void terms_free(struct terms *ts)
{
	if (!ts)
		return;
	vec_release(&ts->node);
	vec_release(&ts->high);
	map_release(&ts->high_at);
	free(ts->table.slot);
	intern_release(&ts->names);
	vec_release(&ts->sym);
	vec_release(&ts->sym_name);
	map_release(&ts->sym_by_name);
	arena_release(&ts->arena);
	map_release(&ts->syms);
	free(ts);
}

uint32_t terms_count(const struct terms *ts)
{
	return ts->node.n;
}

enum term_op term_op(const struct terms *ts, term_t t)
{
	BUG_ON(!t.id || t.id >= ts->node.n);
	return tt_node(ts, t)->op;
}

unsigned term_width(const struct terms *ts, term_t t)
{
	BUG_ON(!t.id || t.id >= ts->node.n);
	return tt_width(ts, t);
}

term_t term_arg(const struct terms *ts, term_t t, unsigned i)
{
	return i < tt_arity(term_op(ts, t)) ? tt_arg(ts, t, i) : TERM_NONE;
}

unsigned term_low(const struct terms *ts, term_t t)
{
	return tt_node(ts, t)->low;
}

bool term_is_const(const struct terms *ts, term_t t, u128 *value)
{
	const struct term_node *n = tt_node(ts, t);

	if (n->op != TERM_CONST)
		return false;
	*value = (u128)ts->high.at[n->arg[2]] << 64 | (uint64_t)n->arg[1] << 32 | n->arg[0];
	return true;
}

static uint32_t node_hash(const struct term_node *n)
{
	uint64_t h = (uint64_t)n->op << 16 | (uint64_t)n->width << 8 | n->low;

	h = hash_u64(h << 32 ^ n->arg[0]);
	return (uint32_t)hash_u64(h ^ ((uint64_t)n->arg[1] << 32 | n->arg[2]));
}

static void table_grow(struct terms *ts)
{
	uint32_t cap = ts->table.cap * 2, mask = cap - 1;

	free(ts->table.slot);
	ts->table.slot = xcalloc(cap, sizeof *ts->table.slot);
	ts->table.cap = cap;
	for (uint32_t id = 1; id < ts->node.n; id++) {
		uint32_t i = node_hash(&ts->node.at[id]) & mask;

		while (ts->table.slot[i])
			i = (i + 1) & mask;
		ts->table.slot[i] = id;
	}
}

static term_t intern_node(struct terms *ts, const struct term_node *n)
{
	uint32_t mask, i, id;

	if (ts->node.n > ts->table.cap / 4 * 3)
		table_grow(ts);
	mask = ts->table.cap - 1;
	for (i = node_hash(n) & mask; (id = ts->table.slot[i]); i = (i + 1) & mask)
		if (!memcmp(&ts->node.at[id], n, sizeof *n))
			return (term_t){id};
	BUG_ON(ts->node.n == UINT32_MAX);
	ts->table.slot[i] = ts->node.n;
	vec_push(&ts->node, *n);
	return (term_t){ts->node.n - 1};
}

term_t tt_make(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b,
	term_t c)
{
	struct term_node n = {.op = (uint8_t)op, .width = (uint8_t)width, .low = (uint8_t)low};

	n.arg[0] = a.id;
	n.arg[1] = b.id;
	n.arg[2] = c.id;
	return intern_node(ts, &n);
}

term_t term_const(struct terms *ts, unsigned width, u128 value)
{
	struct term_node n = {.op = TERM_CONST, .width = (uint8_t)width};
	uint64_t high;

	BUG_ON(!width || width > TERM_MAX_WIDTH);
	value &= term_mask(width);
	n.arg[0] = (uint32_t)value;
	n.arg[1] = (uint32_t)(value >> 32);
	high = (uint64_t)(value >> 64);
	if (high) {
		uint64_t *at = map_put(&ts->high_at, high);

		if (!*at) {
			*at = ts->high.n;
			vec_push(&ts->high, high);
		}
		n.arg[2] = (uint32_t)*at;
	}
	return intern_node(ts, &n);
}

term_t term_bool(struct terms *ts, bool value)
{
	return term_const(ts, 1, value);
}

static term_t new_sym(struct terms *ts, uint32_t name, unsigned width)
{
	struct term_node n = {.op = TERM_SYM, .width = (uint8_t)width, .arg = {ts->sym.n}};
	term_t t;

	BUG_ON(width > TERM_MAX_WIDTH);
	t = intern_node(ts, &n);
	vec_push(&ts->sym, t.id);
	vec_push(&ts->sym_name, name);
	*map_put(&ts->sym_by_name, name) = t.id;
	return t;
}

term_t tt_sym(struct terms *ts, const char *name, unsigned width)
{
	uint32_t s = intern_str(&ts->names, name);
	uint64_t *at = map_get(&ts->sym_by_name, s);

	if (at) {
		term_t t = {(uint32_t)*at};

		if (tt_width(ts, t) != width)
			BUG("symbol '%s' of %u bits asked for with %u", name, tt_width(ts, t),
				width);
		return t;
	}
	return new_sym(ts, s, width);
}

term_t term_sym(struct terms *ts, const char *name, unsigned width)
{
	BUG_ON(!width);
	return tt_sym(ts, name, width);
}

term_t tt_fresh(struct terms *ts, const char *name, unsigned width)
{
	for (uint32_t k = ts->sym.n;; k++) {
		char *full = xasprintf("%s!%u", name, k);
		uint32_t s = intern_str(&ts->names, full);

		free(full);
		if (!map_get(&ts->sym_by_name, s))
			return new_sym(ts, s, width);
	}
}

term_t term_fresh(struct terms *ts, const char *name, unsigned width)
{
	BUG_ON(!width);
	return tt_fresh(ts, name, width);
}

const char *term_name(const struct terms *ts, term_t sym)
{
	return intern_get(&ts->names, ts->sym_name.at[term_sym_number(ts, sym)]);
}

uint32_t terms_n_syms(const struct terms *ts)
{
	return ts->sym.n;
}

term_t terms_sym_at(const struct terms *ts, uint32_t number)
{
	BUG_ON(number >= ts->sym.n);
	return (term_t){ts->sym.at[number]};
}

uint32_t term_sym_number(const struct terms *ts, term_t sym)
{
	BUG_ON(!tt_is(ts, sym, TERM_SYM));
	return tt_node(ts, sym)->arg[0];
}

/* whether t is a choice between two constants */
static bool const_choice(const struct terms *ts, term_t t)
{
	return tt_is(ts, t, TERM_ITE) && tt_is(ts, tt_arg(ts, t, 1), TERM_CONST) &&
	       tt_is(ts, tt_arg(ts, t, 2), TERM_CONST);
}

term_t tt_fold2(struct terms *ts, enum term_op op, unsigned width, term_t a, term_t b)
{
	unsigned wa = tt_width(ts, a), wb = tt_width(ts, b);
	u128 x, y, u, v;

	if (term_is_const(ts, a, &x)) {
		if (term_is_const(ts, b, &y))
			return term_const(ts, width, term_fold(op, width, wa, wb, 0, x, y, 0));
		if (!const_choice(ts, b))
			return TERM_NONE;
		term_is_const(ts, tt_arg(ts, b, 1), &u);
		term_is_const(ts, tt_arg(ts, b, 2), &v);
		return term_ite(ts, tt_arg(ts, b, 0),
			term_const(ts, width, term_fold(op, width, wa, wb, 0, x, u, 0)),
			term_const(ts, width, term_fold(op, width, wa, wb, 0, x, v, 0)));
	}
	if (term_is_const(ts, b, &y) && const_choice(ts, a)) {
		term_is_const(ts, tt_arg(ts, a, 1), &u);
		term_is_const(ts, tt_arg(ts, a, 2), &v);
		return term_ite(ts, tt_arg(ts, a, 0),
			term_const(ts, width, term_fold(op, width, wa, wb, 0, u, y, 0)),
			term_const(ts, width, term_fold(op, width, wa, wb, 0, v, y, 0)));
	}
	return TERM_NONE;
}

term_t tt_fold1(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a)
{
	unsigned wa = tt_width(ts, a);
	u128 u, v;

	if (term_is_const(ts, a, &u))
		return term_const(ts, width, term_fold(op, width, wa, 0, low, u, 0, 0));
	if (!const_choice(ts, a))
		return TERM_NONE;
	term_is_const(ts, tt_arg(ts, a, 1), &u);
	term_is_const(ts, tt_arg(ts, a, 2), &v);
	return term_ite(ts, tt_arg(ts, a, 0),
		term_const(ts, width, term_fold(op, width, wa, 0, low, u, 0, 0)),
		term_const(ts, width, term_fold(op, width, wa, 0, low, v, 0, 0)));
}
