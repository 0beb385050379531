#include "smt/enumerate.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "term/term_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNIVERSES = 4,
	LANES = 256,              /* of one block: the evaluation of a term goes by blocks */
	MAX_BYTES = 96 << 20,     /* of all tables */
	MAX_LANES_NEW = 64 << 20, /* values that one query may compute */
};

struct universe {
	struct vec_u32 atoms; /* sorted */
	unsigned bits;
	struct map table; /* term -> index in tables */
	VEC(void *) tables;
	uint64_t bytes, used; /* of the tables; time of the last use */
};

struct enumerate {
	struct terms *ts;
	struct slice *slice;
	struct universe all[UNIVERSES];
	uint64_t uses;
	struct bitset seen, hard; /* by term: searched for hard operations; has one */
	/* the query */
	struct universe *u;
	const struct vec_u32 *set;
	term_t t;
	struct vec_u32 atoms, todo;
};

struct enumerate *enumerate_new(struct terms *ts, struct slice *slice)
{
	struct enumerate *e = xcalloc(1, sizeof *e);

	e->ts = ts;
	e->slice = slice;
	return e;
}

static void universe_clear(struct universe *u)
{
	vec_each (&u->tables, i)
		free(u->tables.at[i]);
	vec_release(&u->tables);
	vec_release(&u->atoms);
	map_release(&u->table);
	*u = (struct universe){0};
}

void enumerate_free(struct enumerate *e)
{
	if (!e)
		return;
	for (int i = 0; i < UNIVERSES; i++)
		universe_clear(&e->all[i]);
	bitset_release(&e->seen);
	bitset_release(&e->hard);
	vec_release(&e->atoms);
	vec_release(&e->todo);
	free(e);
}

/* ---- tables: one value for each lane, in 1, 2, 4, 8 or 16 bytes -------------------------------
 */

static unsigned value_bytes(unsigned width)
{
	return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : width <= 64 ? 8 : 16;
}

static uint32_t lane_count(const struct universe *u)
{
	return 1u << u->bits;
}

static void *find_table(const struct universe *u, uint32_t term)
{
	uint64_t *at = map_get(&u->table, term);

	return at ? u->tables.at[*at] : NULL;
}

static u128 table_get(const void *table, unsigned bytes, uint32_t lane)
{
	switch (bytes) {
	case 1: return ((const uint8_t *)table)[lane];
	case 2: return ((const uint16_t *)table)[lane];
	case 4: return ((const uint32_t *)table)[lane];
	case 8: return ((const uint64_t *)table)[lane];
	default: return ((const u128 *)table)[lane];
	}
}

static void table_put(void *table, unsigned bytes, uint32_t lane, u128 v)
{
	switch (bytes) {
	case 1: ((uint8_t *)table)[lane] = (uint8_t)v; break;
	case 2: ((uint16_t *)table)[lane] = (uint16_t)v; break;
	case 4: ((uint32_t *)table)[lane] = (uint32_t)v; break;
	case 8: ((uint64_t *)table)[lane] = (uint64_t)v; break;
	default: ((u128 *)table)[lane] = v; break;
	}
}

#define EACH_LANE for (uint32_t i = 0; i < n; i++)

static void load_lanes(const void *table, unsigned bytes, uint32_t first, uint32_t n, uint64_t *to)
{
	switch (bytes) {
	case 1: EACH_LANE to[i] = ((const uint8_t *)table)[first + i]; break;
	case 2: EACH_LANE to[i] = ((const uint16_t *)table)[first + i]; break;
	case 4: EACH_LANE to[i] = ((const uint32_t *)table)[first + i]; break;
	default: memcpy(to, (const uint64_t *)table + first, n * sizeof *to); break;
	}
}

static void store_lanes(void *table, unsigned bytes, uint32_t first, uint32_t n,
	const uint64_t *from, uint64_t mask)
{
	switch (bytes) {
	case 1: EACH_LANE((uint8_t *)table)[first + i] = (uint8_t)(from[i] & mask); break;
	case 2: EACH_LANE((uint16_t *)table)[first + i] = (uint16_t)(from[i] & mask); break;
	case 4: EACH_LANE((uint32_t *)table)[first + i] = (uint32_t)(from[i] & mask); break;
	default: EACH_LANE((uint64_t *)table)[first + i] = from[i] & mask; break;
	}
}

/* ---- the evaluation of one term in all lanes --------------------------------------------------
 */

struct operands {
	const void *table[3];
	unsigned width[3], bytes[3], n;
};

/* The operation on a block of lanes with operands of up to 64 bits; false: term_fold() has it. */
static bool fold_lanes(const struct term_node *node, const struct operands *o, const uint64_t *a,
	const uint64_t *b, const uint64_t *c, uint32_t n, uint64_t *r)
{
	unsigned w = o->width[0];

	switch (node->op) {
	case TERM_NOT: EACH_LANE r[i] = ~a[i]; return true;
	case TERM_AND: EACH_LANE r[i] = a[i] & b[i]; return true;
	case TERM_OR: EACH_LANE r[i] = a[i] | b[i]; return true;
	case TERM_XOR: EACH_LANE r[i] = a[i] ^ b[i]; return true;
	case TERM_ADD: EACH_LANE r[i] = a[i] + b[i]; return true;
	case TERM_MUL: EACH_LANE r[i] = a[i] * b[i]; return true;
	case TERM_UDIV: EACH_LANE r[i] = b[i] ? a[i] / b[i] : ~0ull; return true;
	case TERM_UREM: EACH_LANE r[i] = b[i] ? a[i] % b[i] : a[i]; return true;
	case TERM_SHL: EACH_LANE r[i] = b[i] >= w ? 0 : a[i] << b[i]; return true;
	case TERM_LSHR: EACH_LANE r[i] = b[i] >= w ? 0 : a[i] >> b[i]; return true;
	case TERM_EQ: EACH_LANE r[i] = a[i] == b[i]; return true;
	case TERM_ULT: EACH_LANE r[i] = a[i] < b[i]; return true;
	case TERM_ITE: EACH_LANE r[i] = a[i] ? b[i] : c[i]; return true;
	case TERM_ZEXT: EACH_LANE r[i] = a[i]; return true;
	case TERM_EXTRACT: EACH_LANE r[i] = a[i] >> node->low; return true;
	case TERM_CONCAT: EACH_LANE r[i] = a[i] << o->width[1] | b[i]; return true;
	default: return false;
	}
}

static bool fill_by_blocks(
	const struct universe *u, const struct term_node *node, const struct operands *o, void *to)
{
	uint64_t x[3][LANES], r[LANES];
	uint32_t lanes = lane_count(u);

	if (node->width > 64)
		return false;
	for (unsigned k = 0; k < o->n; k++)
		if (o->width[k] > 64)
			return false;
	for (uint32_t first = 0; first < lanes; first += LANES) {
		uint32_t n = MIN(lanes - first, (uint32_t)LANES);

		for (unsigned k = 0; k < o->n; k++)
			load_lanes(o->table[k], o->bytes[k], first, n, x[k]);
		if (!fold_lanes(node, o, x[0], x[1], x[2], n, r))
			return false;
		store_lanes(to, value_bytes(node->width), first, n, r,
			(uint64_t)term_mask(node->width));
	}
	return true;
}

static void fill_one_by_one(
	const struct universe *u, const struct term_node *node, const struct operands *o, void *to)
{
	uint32_t lanes = lane_count(u);

	for (uint32_t lane = 0; lane < lanes; lane++) {
		u128 v[3] = {0};

		for (unsigned k = 0; k < o->n; k++)
			v[k] = table_get(o->table[k], o->bytes[k], lane);
		table_put(to, value_bytes(node->width), lane,
			term_fold(node->op, node->width, o->width[0], o->width[1], node->low, v[0],
				v[1], v[2]));
	}
}

static u128 value_in(const struct enumerate *e, uint32_t term, uint32_t lane)
{
	return table_get(find_table(e->u, term), value_bytes(e->ts->node.at[term].width), lane);
}

/* The byte that a read finds in one lane; the bytes of the array symbol at its end are atoms. */
static u128 read_lane(const struct enumerate *e, term_t array, uint64_t index, uint32_t lane)
{
	for (;;) {
		const struct term_node *n = tt_node(e->ts, array);

		switch (n->op) {
		case TERM_WRITE:
			if ((uint64_t)value_in(e, n->arg[1], lane) == index)
				return value_in(e, n->arg[2], lane);
			array = tt_arg(e->ts, array, 0);
			break;
		case TERM_ITE:
			array = tt_arg(e->ts, array, value_in(e, n->arg[0], lane) ? 1 : 2);
			break;
		case TERM_FILL: return value_in(e, n->arg[0], lane);
		default: BUG("an array symbol that is no atom");
		}
	}
}

static void fill_read(const struct enumerate *e, term_t t, void *to)
{
	uint32_t lanes = lane_count(e->u), index = tt_arg(e->ts, t, 1).id;

	for (uint32_t lane = 0; lane < lanes; lane++)
		table_put(to, 1, lane,
			read_lane(
				e, tt_arg(e->ts, t, 0), (uint64_t)value_in(e, index, lane), lane));
}

/* An atom: its bits are those of the lane's number behind the bits of the atoms before it. */
static bool fill_atom(const struct enumerate *e, term_t t, void *to)
{
	const struct universe *u = e->u;
	unsigned shift = 0, width = tt_width(e->ts, t);

	vec_each (&u->atoms, i) {
		if (u->atoms.at[i] == t.id) {
			for (uint32_t lane = 0; lane < lane_count(u); lane++)
				table_put(to, value_bytes(width), lane,
					lane >> shift & term_mask(width));
			return true;
		}
		shift += tt_width(e->ts, (term_t){u->atoms.at[i]});
	}
	return false;
}

static void fill_constant(const struct universe *u, u128 v, unsigned bytes, void *to)
{
	for (uint32_t lane = 0; lane < lane_count(u); lane++)
		table_put(to, bytes, lane, v);
}

/* Makes the table of a term; its operands have theirs. */
static void make_table(struct enumerate *e, term_t t)
{
	const struct term_node *node = tt_node(e->ts, t);
	struct universe *u = e->u;
	unsigned bytes = value_bytes(node->width);
	struct operands o = {.n = tt_arity(node->op)};
	void *to = xmalloc((size_t)lane_count(u) * bytes);
	u128 v;

	if (term_is_const(e->ts, t, &v)) {
		fill_constant(u, v, bytes, to);
	} else if (fill_atom(e, t, to)) {
		;
	} else if (node->op == TERM_READ) {
		fill_read(e, t, to);
	} else {
		for (unsigned k = 0; k < o.n; k++) {
			o.table[k] = find_table(u, node->arg[k]);
			o.width[k] = e->ts->node.at[node->arg[k]].width;
			o.bytes[k] = value_bytes(o.width[k]);
		}
		if (!fill_by_blocks(u, node, &o, to))
			fill_one_by_one(u, node, &o, to);
	}
	*map_put(&u->table, t.id) = u->tables.n;
	vec_push(&u->tables, to);
	u->bytes += (uint64_t)lane_count(u) * bytes;
}

static bool is_atom(const struct enumerate *e, uint32_t term)
{
	vec_each (&e->u->atoms, i)
		if (e->u->atoms.at[i] == term)
			return true;
	return false;
}

/* The terms below an array have tables; arrays themselves do not. */
static bool is_done(const struct enumerate *e, uint32_t term, const struct map *arrays)
{
	if (e->ts->node.at[term].width)
		return map_get(&e->u->table, term) != NULL;
	return map_get(arrays, term) != NULL;
}

/* Makes the tables of t and of all terms below it. False: too many of them. */
static bool make_tables(struct enumerate *e, term_t t, uint64_t *left)
{
	struct map arrays = {0};
	bool ok = true;

	vec_clear(&e->todo);
	vec_push(&e->todo, t.id);
	while (e->todo.n && ok) {
		term_t x = {vec_last(&e->todo)};
		const struct term_node *node = tt_node(e->ts, x);
		unsigned arity = is_atom(e, x.id) ? 0 : tt_arity(node->op);
		bool ready = true;

		if (is_done(e, x.id, &arrays)) {
			e->todo.n--;
			continue;
		}
		for (unsigned i = 0; i < arity; i++)
			if (!is_done(e, node->arg[i], &arrays)) {
				vec_push(&e->todo, node->arg[i]);
				ready = false;
			}
		if (!ready)
			continue;
		e->todo.n--;
		if (!node->width) {
			*map_put(&arrays, x.id) = 1;
			continue;
		}
		ok = *left >= lane_count(e->u);
		*left -= ok ? lane_count(e->u) : 0;
		if (ok)
			make_table(e, x);
	}
	map_release(&arrays);
	return ok;
}

/* ---- the universe of a query ------------------------------------------------------------------
 */

static bool is_hard_op(const struct terms *ts, const struct term_node *n)
{
	u128 v;

	switch (n->op) {
	case TERM_CONST:
	case TERM_SYM:
	case TERM_NOT:
	case TERM_AND:
	case TERM_OR:
	case TERM_XOR:
	case TERM_ADD:
	case TERM_EQ:
	case TERM_ULT:
	case TERM_SLT:
	case TERM_ITE:
	case TERM_ZEXT:
	case TERM_SEXT:
	case TERM_EXTRACT:
	case TERM_CONCAT:
	case TERM_READ:
	case TERM_WRITE:
	case TERM_FILL: return false;
	case TERM_MUL:
	case TERM_SHL:
	case TERM_LSHR:
	case TERM_ASHR:
		return !term_is_const(ts, (term_t){n->arg[0]}, &v) &&
		       !term_is_const(ts, (term_t){n->arg[1]}, &v);
	default: return true;
	}
}

/* Whether a term is, or is made of, an operation that is hard for the solver. */
static bool is_hard(struct enumerate *e, uint32_t term)
{
	vec_clear(&e->todo);
	vec_push(&e->todo, term);
	while (e->todo.n) {
		uint32_t x = vec_last(&e->todo);
		const struct term_node *n = &e->ts->node.at[x];
		bool ready = true, hard = is_hard_op(e->ts, n);

		if (bitset_has(&e->seen, x)) {
			e->todo.n--;
			continue;
		}
		for (unsigned i = 0; i < tt_arity(n->op); i++) {
			if (!bitset_has(&e->seen, n->arg[i])) {
				vec_push(&e->todo, n->arg[i]);
				ready = false;
			}
			hard |= bitset_has(&e->hard, n->arg[i]);
		}
		if (!ready)
			continue;
		e->todo.n--;
		bitset_add(&e->seen, x);
		if (hard)
			bitset_add(&e->hard, x);
	}
	return bitset_has(&e->hard, term);
}

/* Adds the atoms of a term; false if one is a whole array. */
static bool add_atoms(struct enumerate *e, term_t t)
{
	const struct term_syms *s = slice_atoms(e->slice, t);

	for (uint32_t i = 0; i < s->n; i++) {
		if (!tt_width(e->ts, s->at[i]))
			return false;
		vec_push(&e->atoms, s->at[i].id);
	}
	return true;
}

/* Sets e->atoms to the atoms of the query, sorted. False: they have too many bits. */
static bool collect_atoms(struct enumerate *e, unsigned *bits)
{
	uint32_t m = 0;

	vec_clear(&e->atoms);
	if (e->t.id && !add_atoms(e, e->t))
		return false;
	vec_each (e->set, i) {
		if (!add_atoms(e, (term_t){e->set->at[i]}))
			return false;
		if (e->atoms.n > 4096)
			return false;
	}
	vec_u32_sort(&e->atoms, 0);
	*bits = 0;
	vec_each (&e->atoms, i)
		if (!i || e->atoms.at[i] != e->atoms.at[i - 1]) {
			*bits += tt_width(e->ts, (term_t){e->atoms.at[i]});
			e->atoms.at[m++] = e->atoms.at[i];
		}
	e->atoms.n = m;
	return *bits <= ENUMERATE_BITS;
}

static bool same_atoms(const struct universe *u, const struct vec_u32 *atoms)
{
	return u->used && u->atoms.n == atoms->n &&
	       !memcmp(u->atoms.at, atoms->at, atoms->n * sizeof *atoms->at);
}

/* The universe of the atoms: the one that there is, or a new one in the place of the oldest. */
static struct universe *find_universe(struct enumerate *e, unsigned bits)
{
	struct universe *oldest = &e->all[0];
	uint64_t bytes = 0;

	for (int i = 0; i < UNIVERSES; i++) {
		bytes += e->all[i].bytes;
		if (e->all[i].used < oldest->used)
			oldest = &e->all[i];
	}
	for (int i = 0; bytes > MAX_BYTES && i < UNIVERSES; i++)
		universe_clear(&e->all[i]);
	for (int i = 0; i < UNIVERSES; i++)
		if (same_atoms(&e->all[i], &e->atoms))
			return &e->all[i];
	universe_clear(oldest);
	vec_each (&e->atoms, i)
		vec_push(&oldest->atoms, e->atoms.at[i]);
	oldest->bits = bits;
	return oldest;
}

bool enumerate_begin(struct enumerate *e, const struct vec_u32 *set, term_t t)
{
	uint64_t left = MAX_LANES_NEW;
	bool hard = t.id && is_hard(e, t.id);
	unsigned bits;

	e->set = set;
	e->t = t;
	if (!collect_atoms(e, &bits))
		return false;
	for (uint32_t i = 0; bits > ENUMERATE_EASY && !hard && i < set->n; i++)
		hard = is_hard(e, set->at[i]);
	if (bits > ENUMERATE_EASY && !hard)
		return false;
	e->u = find_universe(e, bits);
	e->u->used = ++e->uses;
	if (t.id && !make_tables(e, t, &left))
		return false;
	vec_each (set, i)
		if (!make_tables(e, (term_t){set->at[i]}, &left))
			return false;
	return true;
}

/* ---- answers ----------------------------------------------------------------------------------
 */

static bool lane_satisfies(const struct enumerate *e, const void *const *tables, uint32_t lane)
{
	vec_each (e->set, i)
		if (!((const uint8_t *)tables[i])[lane])
			return false;
	return true;
}

static const void **tables_of_set(const struct enumerate *e)
{
	const void **tables = xcalloc(e->set->n + 1, sizeof *tables);

	vec_each (e->set, i)
		tables[i] = find_table(e->u, e->set->at[i]);
	return tables;
}

static void set_atoms(const struct enumerate *e, uint32_t lane, struct term_assign *as)
{
	vec_each (&e->u->atoms, i) {
		term_t t = {e->u->atoms.at[i]};
		u128 v = value_in(e, t.id, lane), index;

		if (term_op(e->ts, t) == TERM_SYM)
			term_assign_set(as, t, v);
		else if (term_is_const(e->ts, term_arg(e->ts, t, 1), &index))
			term_assign_cell(as, term_arg(e->ts, t, 0), (uint64_t)index, (uint8_t)v);
	}
}

bool enumerate_model(struct enumerate *e, struct term_assign *as)
{
	const void **tables = tables_of_set(e);
	uint32_t lane = 0, lanes = lane_count(e->u);

	while (lane < lanes && !lane_satisfies(e, tables, lane))
		lane++;
	free(tables);
	if (lane == lanes)
		return false;
	vec_each (&e->u->atoms, i) {
		uint64_t left = UINT64_MAX;

		make_tables(e, (term_t){e->u->atoms.at[i]}, &left);
	}
	set_atoms(e, lane, as);
	return true;
}

bool enumerate_range(struct enumerate *e, u128 *least, u128 *most)
{
	const void **tables = tables_of_set(e), *mine = find_table(e->u, e->t.id);
	unsigned bytes = value_bytes(tt_width(e->ts, e->t));
	bool any = false;

	for (uint32_t lane = 0; lane < lane_count(e->u); lane++) {
		u128 v;

		if (!lane_satisfies(e, tables, lane))
			continue;
		v = table_get(mine, bytes, lane);
		*least = any ? MIN(*least, v) : v;
		*most = any ? MAX(*most, v) : v;
		any = true;
	}
	free(tables);
	return any;
}
