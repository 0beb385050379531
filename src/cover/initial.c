#include "cover/initial.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "cover/output.h"
#include "cover/snapshot.h"
#include "symbolic/find_object.h"
#include "symbolic/lazy.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS = 8, MOST_BOUNDS = 64 };

struct initials {
	struct machine *m;
	struct terms *ts;
	struct map own;         /* symbols of states */
	VEC(int64_t) constants; /* that the program compares with; rising */
};

struct class_key { /* the values of a place in the state and in the arrival */
	uint32_t a, b;
	uint32_t symbol; /* index in state.symbols */
	term_t value;    /* of the places of the class */
};

struct change { /* a new value of a place */
	struct initial_place at;
	term_t value;
};

struct joining {
	struct initials *all;
	struct initial *s;
	struct snapshot *mem;  /* of the arrival */
	VEC(struct opnd) regs; /* of the arrival, in the order of machine_each_register() */
	VEC(term_t) path;      /* of the arrival */
	VEC(term_t) old_path;  /* of the state */
	struct term_subst as;  /* symbols of the state -> values in the arrival */
	VEC(struct class_key) classes;
	struct map class_at; /* hash of the pair -> 1 + index of the last class with it */
	VEC(struct change) changes;
	uint32_t reg;         /* of regs, the next */
	uint32_t old_symbols; /* state.symbols.n before the join */
};

/* ---- all states -------------------------------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void add_constant(struct initials *all, int64_t v)
{
	vec_each (&all->constants, i)
		if (all->constants.at[i] == v)
			return;
	if (all->constants.n < MOST_BOUNDS)
		vec_push(&all->constants, v);
}

static void find_constants(struct initials *all, const struct ir_program *p)
{
	for (int64_t v = -1; v <= 1; v++)
		add_constant(all, v);
	vec_each (&p->funcs, f) {
		const struct ir_func *fn = &p->funcs.at[f];

		if (fn->flags & IR_FN_MODEL)
			continue;
		vec_each (&fn->insns, i) {
			const struct ir_insn *in = &fn->insns.at[i];
			unsigned bits = ir_type_bits(in->type2);

			if (ir_ops[in->op].shape != IR_S_CMP || !bits || bits > 64)
				continue;
			for (unsigned k = 0; k < 2; k++) {
				int64_t v;

				if (!ir_is_const(in->arg[k]) ||
					ir_const(fn, in->arg[k])->kind != IR_C_BITS)
					continue;
				v = (int64_t)(ir_const(fn, in->arg[k])->lo << (64 - bits)) >>
				    (64 - bits);
				for (int64_t d = -1; d <= 1; d++)
					add_constant(all, v + d);
			}
		}
	}
	qsort(all->constants.at, all->constants.n, sizeof *all->constants.at, by_value);
}

struct initials *initials_new(struct machine *m, const struct ir_program *p)
{
	struct initials *all = xcalloc(1, sizeof *all);

	all->m = m;
	all->ts = m->ts;
	find_constants(all, p);
	return all;
}

void initials_free(struct initials *all)
{
	map_release(&all->own);
	vec_release(&all->constants);
	free(all);
}

bool initials_own(const struct initials *all, term_t sym)
{
	return map_get_or(&all->own, sym.id, 0);
}

void initial_arrive(struct machine *m, struct hash128 *shape)
{
	heap_forget_freed(&m->heap);
	*shape = (struct hash128){1, 2};
	machine_shape_hash(m, shape);
	if (m->world)
		world_hash(m->world, shape);
	for (uint32_t i = 0; m->sym->lazy && i < lazy_count(m->sym->lazy); i++) {
		const struct lazy_region *r = lazy_get(m->sym->lazy, i);

		hash128_add(shape, r->base);
		hash128_add(shape, r->bytes.id);
		hash128_add(shape, r->live.id);
	}
}

void initial_free(struct initial *s)
{
	if (!s)
		return;
	if (s->saved)
		saved_free(s->saved);
	vec_each (&s->symbols, i)
		vec_release(&s->symbols.at[i].targets);
	vec_release(&s->symbols);
	vec_release(&s->facts);
	free(s);
}

term_t initial_symbol_value(struct machine *m, const struct initial_symbol *y)
{
	return term_sub(m->ts, place_value(m, &y->at), term_const(m->ts, y->at.bits, y->bias));
}

/* ---- bounds ------------------------------------------------------------------------------------ */

static bool must_hold(struct joining *j, bool arrival, term_t c)
{
	const term_t *path = arrival ? j->path.at : j->old_path.at;
	uint32_t n = arrival ? j->path.n : j->old_path.n;
	u128 v;

	if (term_is_const(j->all->ts, c, &v))
		return v != 0;
	return ask_must(j->all->m->sym->ask, path, n, c) == ASK_YES;
}

/* Whether low <= t (or t <= high) on every path to the place, signed. */
static bool is_bounded(struct joining *j, bool arrival, term_t t, bool low, int64_t v)
{
	struct terms *ts = j->all->ts;
	term_t c = term_const(ts, term_width(ts, t), (u128)(s128)v);

	return must_hold(j, arrival, low ? term_sle(ts, c, t) : term_sle(ts, t, c));
}

static bool fits(int64_t v, unsigned bits)
{
	return bits >= 64 || (v >= -(1ll << (bits - 1)) && v < 1ll << (bits - 1));
}

/* Finds the tightest constants that bound both values; a is TERM_NONE for a symbol with bounds. */
static void find_bounds(struct joining *j, struct initial_symbol *y, term_t a, term_t b)
{
	const struct initials *all = j->all;
	unsigned bits = y->at.bits;
	bool had_low = y->has_low, had_high = y->has_high;

	if (bits < 8 || bits > 64 || y->targets.n)
		return;
	if (!a.id && had_low && is_bounded(j, true, b, true, y->low))
		had_low = false; /* it stays */
	else if (a.id || had_low) {
		y->has_low = false;
		for (uint32_t i = all->constants.n; i-- > 0 && !y->has_low;) {
			int64_t c = all->constants.at[i];

			y->has_low = fits(c, bits) &&
				     (a.id ? is_bounded(j, false, a, true, c) : c < y->low) &&
				     is_bounded(j, true, b, true, c);
			y->low = c;
		}
	}
	if (!a.id && had_high && is_bounded(j, true, b, false, y->high))
		return;
	if (!a.id && !had_high)
		return;
	y->has_high = false;
	for (uint32_t i = 0; i < all->constants.n && !y->has_high; i++) {
		int64_t c = all->constants.at[i];

		y->has_high = fits(c, bits) &&
			      (a.id ? is_bounded(j, false, a, false, c) : c > y->high) &&
			      is_bounded(j, true, b, false, c);
		y->high = c;
	}
}

static void assume_symbol(struct machine *m, const struct initial_symbol *y)
{
	struct terms *ts = m->ts;
	unsigned bits = y->at.bits;
	term_t any = term_bool(ts, false);

	if (y->has_low)
		sym_assume(m, term_sle(ts, term_const(ts, bits, (u128)(s128)y->low), y->sym));
	if (y->has_high)
		sym_assume(m, term_sle(ts, y->sym, term_const(ts, bits, (u128)(s128)y->high)));
	vec_each (&y->targets, i)
		any = term_or(ts, any, term_eq(ts, y->sym, term_const(ts, bits, y->targets.at[i])));
	if (y->targets.n)
		sym_assume(m, any);
}

/* ---- new symbols ------------------------------------------------------------------------------- */

/* The name is made when the machine is in a state of that shape. */
static uint32_t add_symbol(struct joining *j, const struct initial_place *at, uint64_t bias)
{
	struct strbuf name = {0};
	struct initial_symbol y = {.at = *at, .bias = bias};

	place_print(j->all->m, at, &name);
	y.sym = term_fresh(j->all->ts, name.s, at->bits);
	strbuf_release(&name);
	*map_put(&j->all->own, y.sym.id) = 1;
	vec_push(&j->s->symbols, y);
	return j->s->symbols.n - 1;
}

/* The object of an address term or constant; false: none. */
static bool object_of_value(struct machine *m, term_t t, struct object *o)
{
	u128 v;
	uint64_t a = term_is_const(m->ts, t, &v) ? (uint64_t)v : opnd_term_base(m, t);

	return a >= ADDR_GLOBAL && a < ADDR_END && find_object(m, a, o) && !o->dead;
}

/* The addresses that the value may be: a constant, or the choice of a symbol with targets. */
static bool targets_of(const struct joining *j, term_t t, struct vec_u64 *out)
{
	const struct terms *ts = j->all->ts;
	u128 v;

	if (term_is_const(ts, t, &v)) {
		if (v && v < ADDR_FUNC)
			return false;
		vec_push(out, (uint64_t)v);
		return true;
	}
	if (term_op(ts, t) != TERM_ITE)
		return false;
	return targets_of(j, term_arg(ts, t, 1), out) && targets_of(j, term_arg(ts, t, 2), out);
}

static void add_targets(struct vec_u64 *to, const struct vec_u64 *from)
{
	vec_each (from, i) {
		bool known = false;

		vec_each (to, k)
			known |= to->at[k] == from->at[i];
		if (!known)
			vec_push(to, from->at[i]);
	}
}

/* The value of places with the symbol: the symbol itself, an offset in an object, or a choice. */
static term_t value_of_class(
	struct joining *j, const struct initial_place *at, term_t a, term_t b, uint32_t *symbol)
{
	struct machine *m = j->all->m;
	struct terms *ts = m->ts;
	struct vec_u64 targets = {0}, more = {0};
	struct object x, y;
	term_t value;

	if (at->bits != 64 || !a.id || !b.id) {
		*symbol = add_symbol(j, at, 0);
		return j->s->symbols.at[*symbol].sym;
	}
	if (object_of_value(m, a, &x) && object_of_value(m, b, &y) && x.base == y.base) {
		*symbol = add_symbol(j, at, x.base);
		return sym_address(m, (struct opnd){.v = {x.base, 0}},
			(struct opnd){.t = j->s->symbols.at[*symbol].sym}, 1, 0)
			.t;
	}
	*symbol = add_symbol(j, at, 0);
	value = j->s->symbols.at[*symbol].sym;
	if (targets_of(j, a, &targets) && targets_of(j, b, &more)) {
		struct vec_u64 set = {0};

		add_targets(&set, &targets);
		add_targets(&set, &more);
		if (set.n <= MOST_TARGETS) {
			value = term_const(ts, 64, set.at[set.n - 1]);
			for (uint32_t i = set.n - 1; i-- > 0;)
				value = term_ite(ts,
					term_eq(ts, j->s->symbols.at[*symbol].sym,
						term_const(ts, 64, set.at[i])),
					term_const(ts, 64, set.at[i]), value);
			j->s->symbols.at[*symbol].targets = set;
		} else
			vec_release(&set);
	}
	vec_release(&targets);
	vec_release(&more);
	return value;
}

/* The value of a place that has a in the state and b in the arrival (TERM_NONE: undefined, or any). */
static term_t join_values(struct joining *j, const struct initial_place *at, term_t a, term_t b)
{
	uint64_t key = hash_u64((uint64_t)a.id << 32 | b.id) ^ at->bits, *v;
	struct class_key c = {.a = a.id, .b = b.id};
	const struct initial_symbol *y;

	if (a.id && b.id) {
		v = map_put(&j->class_at, key ? key : 1);
		if (*v && j->classes.at[*v - 1].a == a.id && j->classes.at[*v - 1].b == b.id)
			return j->classes.at[*v - 1].value;
	}
	c.value = value_of_class(j, at, a, b, &c.symbol);
	vec_push(&j->classes, c);
	if (!a.id || !b.id)
		return c.value;
	*map_put(&j->class_at, key ? key : 1) = j->classes.n;
	y = &j->s->symbols.at[c.symbol];
	find_bounds(j, &j->s->symbols.at[c.symbol],
		term_sub(j->all->ts, a, term_const(j->all->ts, at->bits, y->bias)),
		term_sub(j->all->ts, b, term_const(j->all->ts, at->bits, y->bias)));
	return c.value;
}

/* ---- the arrival ------------------------------------------------------------------------------- */

static void take_register(void *ctx, struct thread *t, struct frame *f, uint32_t reg)
{
	struct joining *j = ctx;

	vec_push(&j->regs, frame_get(j->all->m, t, f, reg));
}

static void take_arrival(struct joining *j)
{
	struct machine *m = j->all->m;

	machine_each_register(m, take_register, j);
	j->mem = snapshot_take(m);
	vec_each (&m->sym->path, i)
		vec_push(&j->path, m->sym->path.at[i]);
}

static void release_joining(struct joining *j)
{
	if (j->mem)
		snapshot_free(j->mem);
	vec_release(&j->regs);
	vec_release(&j->path);
	vec_release(&j->old_path);
	vec_release(&j->classes);
	vec_release(&j->changes);
	map_release(&j->class_at);
	term_subst_release(&j->as);
}

static bool has_undefined(struct opnd o)
{
	return !o.t.id && (o.u.lo || o.u.hi);
}

/* Whether two operands without terms have the same defined bits with the same values. */
static bool same_bits(struct opnd a, struct opnd b)
{
	return a.u.lo == b.u.lo && a.u.hi == b.u.hi && !((a.v.lo ^ b.v.lo) & ~a.u.lo) &&
	       !((a.v.hi ^ b.v.hi) & ~a.u.hi);
}

static unsigned width_of(struct machine *m, struct frame *f, uint32_t reg)
{
	return ir_type_bits(frame_func(m, f)->regs.at[reg].type);
}

static struct initial_place place_of_register(
	struct machine *m, struct thread *t, struct frame *f, uint32_t reg)
{
	return (struct initial_place){.thread = t->id,
		.frame = (uint32_t)(f - t->frames.at),
		.reg = reg,
		.bits = width_of(m, f, reg)};
}

/* ---- the end of a join ------------------------------------------------------------------------- */

bool initials_local(const struct terms *ts, term_t sym)
{
	const char *name = term_name(ts, sym);

	return !strncmp(name, SYM_UNKNOWN, strlen(SYM_UNKNOWN)) ||
	       !strncmp(name, OUTPUT_RESULT, strlen(OUTPUT_RESULT));
}

/* Only inputs and symbols of this state may remain: others say nothing here. */
static bool is_expressible(struct joining *j, term_t t)
{
	const struct term_syms *syms = term_syms(j->all->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		bool mine = false;

		if (!term_width(j->all->ts, syms->at[i]) || initials_local(j->all->ts, syms->at[i]))
			return false;
		if (!initials_own(j->all, syms->at[i]))
			continue;
		vec_each (&j->s->symbols, k)
			mine |= term_same(j->s->symbols.at[k].sym, syms->at[i]);
		if (!mine)
			return false;
	}
	return true;
}

/* Writes the changes into the machine, which is in the state, sets its path, and saves it. */
static void save_state(struct joining *j)
{
	struct machine *m = j->all->m;
	struct initial *s = j->s;

	vec_each (&j->changes, i)
		place_set(m, &j->changes.at[i].at, j->changes.at[i].value);
	m->sym->path.n = 0;
	m->sym->fixed.n = 0;
	m->sym->nreduced = UINT32_MAX;
	vec_each (&s->facts, i)
		sym_assume(m, s->facts.at[i]);
	vec_each (&s->symbols, i)
		assume_symbol(m, &s->symbols.at[i]);
	m->instructions = m->branches = 0;
	if (s->saved)
		saved_free(s->saved);
	s->saved = machine_save(m);
}

/* ---- a new state ------------------------------------------------------------------------------- */

static bool same_place(const struct initial_place *a, const struct initial_place *b)
{
	return a->reg == b->reg &&
	       (a->reg == IR_NONE ? a->addr == b->addr && a->bits == b->bits
				  : a->thread == b->thread && a->frame == b->frame);
}

/* Sets the value of the place in the state. A symbol that was a choice of addresses there is any. */
static void set_value(struct joining *j, const struct initial_place *at, term_t value)
{
	for (uint32_t i = 0; i < j->old_symbols; i++)
		if (same_place(&j->s->symbols.at[i].at, at))
			vec_clear(&j->s->symbols.at[i].targets);
	vec_push(&j->changes, (struct change){*at, value});
}

/* The symbol x of another state, if the term is x or x + constant, which goes to *add. */
static term_t foreign_part(const struct joining *j, term_t t, term_t *add)
{
	const struct terms *ts = j->all->ts;
	u128 v;

	*add = TERM_NONE;
	if (term_op(ts, t) == TERM_SYM)
		return initials_own(j->all, t) ? t : TERM_NONE;
	if (term_op(ts, t) != TERM_ADD)
		return TERM_NONE;
	for (unsigned k = 0; k < 2; k++)
		if (term_op(ts, term_arg(ts, t, k)) == TERM_SYM &&
			initials_own(j->all, term_arg(ts, t, k)) &&
			term_is_const(ts, term_arg(ts, t, 1 - k), &v)) {
			*add = term_arg(ts, t, 1 - k);
			return term_arg(ts, t, k);
		}
	return TERM_NONE;
}

struct named { /* a place with a term, in a new state */
	struct initial_place at;
	term_t value;
};

struct naming {
	struct joining *j;
	VEC(struct named) places;
	struct map taken; /* symbols of other states that have a name here */
};

static void add_named(struct naming *n, const struct initial_place *at, term_t value)
{
	vec_push(&n->places, (struct named){*at, value});
}

static void name_register(void *ctx, struct thread *t, struct frame *f, uint32_t reg)
{
	struct naming *n = ctx;
	struct machine *m = n->j->all->m;
	struct opnd o = frame_get(m, t, f, reg);
	struct initial_place at = place_of_register(m, t, f, reg);

	if (o.t.id)
		add_named(n, &at, o.t);
}

static void name_memory(struct naming *n)
{
	struct joining *j = n->j;
	struct terms *ts = j->all->ts;
	struct vec_u64 pages = {0};

	snapshot_symbolic(j->mem, &pages);
	vec_each (&pages, i)
		for (unsigned off = 0; off < MEM_PAGE;) {
			struct initial_place at = {.reg = IR_NONE, .addr = pages.at[i] + off};
			term_t t = snapshot_term_at(j->mem, ts, at.addr), v;
			unsigned bytes = t.id ? term_width(ts, t) / 8 : 1;

			at.bits = 8 * bytes;
			if (t.id || (snapshot_get(j->mem, ts, at.addr, 1, &v) == CHUNK_VALUE &&
					    term_op(ts, v) != TERM_CONST))
				add_named(n, &at, t.id ? t : v);
			off += bytes;
		}
	vec_release(&pages);
}

/* Gives symbols of other states names here: x, where a place has the value x + constant. */
static void rename_symbols(struct naming *n)
{
	struct joining *j = n->j;
	struct terms *ts = j->all->ts;

	for (int plain = 1; plain >= 0; plain--)
		vec_each (&n->places, i) {
			struct named *p = &n->places.at[i];
			term_t add, x = foreign_part(j, p->value, &add), y;
			uint64_t *v = x.id ? map_put(&n->taken, x.id) : NULL;
			uint32_t k;

			if (!v || *v || plain == (add.id != 0))
				continue;
			*v = 1;
			k = add_symbol(j, &p->at, 0);
			y = j->s->symbols.at[k].sym;
			find_bounds(j, &j->s->symbols.at[k], p->value, p->value);
			term_subst_put(&j->as, x, add.id ? term_sub(ts, y, add) : y);
		}
}

struct initial *initial_new(struct initials *all, const struct hash128 *shape)
{
	struct initial *s = xcalloc(1, sizeof *s);
	struct joining j = {.all = all, .s = s};
	struct naming n = {.j = &j};
	struct machine *m = all->m;

	s->shape = *shape;
	term_subst_init(&j.as, all->ts);
	take_arrival(&j);
	vec_each (&j.path, i)
		vec_push(&j.old_path, j.path.at[i]);
	machine_each_register(m, name_register, &n);
	name_memory(&n);
	rename_symbols(&n);
	vec_each (&n.places, i) {
		struct named *p = &n.places.at[i];
		term_t t = term_subst(&j.as, p->value);

		if (!is_expressible(&j, t))
			t = join_values(&j, &p->at, p->value, p->value);
		if (!term_same(t, p->value))
			set_value(&j, &p->at, t);
	}
	vec_each (&j.path, i) {
		term_t c = term_subst(&j.as, j.path.at[i]);

		if (is_expressible(&j, c))
			vec_push(&s->facts, c);
	}
	save_state(&j);
	vec_release(&n.places);
	map_release(&n.taken);
	release_joining(&j);
	return s;
}

/* ---- the join ---------------------------------------------------------------------------------- */

/* The values of the state's symbols in the arrival. */
static void map_symbols(struct joining *j)
{
	vec_each (&j->s->symbols, i)
		term_subst_put(&j->as, j->s->symbols.at[i].sym,
			initial_symbol_value(j->all->m, &j->s->symbols.at[i]));
}

/* Whether the value a of the state is b in the arrival. An address stays in its object. */
static bool is_same_value(struct joining *j, term_t a, term_t b)
{
	term_t t = term_subst(&j->as, a);
	struct object x, y;

	if (term_op(j->all->ts, a) != TERM_CONST && term_width(j->all->ts, a) == 64 &&
		object_of_value(j->all->m, a, &x) &&
		!(object_of_value(j->all->m, b, &y) && x.base == y.base))
		return false;

	return term_same(t, b) || must_hold(j, true, term_eq(j->all->ts, t, b));
}

static void join_register(void *ctx, struct thread *t, struct frame *f, uint32_t reg)
{
	struct joining *j = ctx;
	struct machine *m = j->all->m;
	struct opnd a = frame_get(m, t, f, reg), b = j->regs.at[j->reg++];
	struct initial_place at = place_of_register(m, t, f, reg);
	term_t x, y;

	if (has_undefined(a) && has_undefined(b) && same_bits(a, b))
		return;
	if (has_undefined(a) || has_undefined(b)) {
		set_value(j, &at, join_values(j, &at, TERM_NONE, TERM_NONE));
		return;
	}
	x = opnd_term(m, a, at.bits);
	y = opnd_term(m, b, at.bits);
	if (!is_same_value(j, x, y))
		set_value(j, &at, join_values(j, &at, x, y));
}

static bool looks_like_pointer(struct machine *m, term_t t)
{
	struct object o;
	u128 v;

	return object_of_value(m, t, &o) ||
	       (term_is_const(m->ts, t, &v) && (!v || func_at(m->p, (uint64_t)v) != IR_NONE));
}

/* The number of bytes of the scalar at the address, where the states differ. */
static unsigned chunk_size(struct joining *j, const struct snapshot *old, uint64_t a)
{
	struct terms *ts = j->all->ts;
	term_t x = snapshot_term_at(old, ts, a), y = snapshot_term_at(j->mem, ts, a), u, v;
	unsigned n = 0;

	if (x.id)
		n = term_width(ts, x) / 8;
	if (y.id)
		n = MAX(n, term_width(ts, y) / 8);
	if (n && n <= 8 && !(n & (n - 1)) && a % n == 0)
		return n;
	if (a % 8 == 0 && snapshot_get(old, ts, a, 8, &u) == CHUNK_VALUE &&
		snapshot_get(j->mem, ts, a, 8, &v) == CHUNK_VALUE &&
		looks_like_pointer(j->all->m, u) && looks_like_pointer(j->all->m, v))
		return 8;
	if (a % 4 == 0 && snapshot_get(old, ts, a, 4, &u) != CHUNK_INVALID &&
		snapshot_get(j->mem, ts, a, 4, &v) != CHUNK_INVALID)
		return 4;
	return 1;
}

static void join_chunk(struct joining *j, const struct snapshot *old, uint64_t a, unsigned n)
{
	struct terms *ts = j->all->ts;
	struct initial_place at = {.reg = IR_NONE, .addr = a, .bits = 8 * n};
	term_t x = TERM_NONE, y = TERM_NONE;
	enum chunk_kind p = snapshot_get(old, ts, a, n, &x), q = snapshot_get(j->mem, ts, a, n, &y);

	if (p == CHUNK_INVALID || q == CHUNK_INVALID)
		return;
	if (p == CHUNK_UNDEFINED && q == p && n > 1) {
		for (unsigned i = 0; i < n; i++)
			if (!snapshots_same_bytes(old, j->mem, a + i, 1))
				join_chunk(j, old, a + i, 1);
		return;
	}
	if (p == CHUNK_UNDEFINED || q == CHUNK_UNDEFINED)
		set_value(j, &at, join_values(j, &at, TERM_NONE, TERM_NONE));
	else if (!is_same_value(j, x, y))
		set_value(j, &at, join_values(j, &at, x, y));
}

static void join_memory(struct joining *j)
{
	struct snapshot *old = snapshot_take(j->all->m);
	struct vec_u64 pages = {0};

	snapshots_changed(old, j->mem, &pages);
	vec_each (&pages, i)
		for (unsigned off = 0; off < MEM_PAGE;) {
			uint64_t a = pages.at[i] + off;
			unsigned n = 8;

			if (!snapshots_same_bytes(old, j->mem, a, 8)) {
				n = chunk_size(j, old, a);
				if (!snapshots_same_bytes(old, j->mem, a, n))
					join_chunk(j, old, a, n);
			}
			off += n;
		}
	vec_release(&pages);
	snapshot_free(old);
}

/* Keeps the conditions that the arrival's path implies; true if some were dropped. */
static bool join_facts(struct joining *j)
{
	struct initial *s = j->s;
	uint32_t n = 0, old = s->facts.n;
	bool changed;

	vec_each (&s->facts, i)
		if (must_hold(j, true, term_subst(&j->as, s->facts.at[i])))
			s->facts.at[n++] = s->facts.at[i];
	s->facts.n = n;
	changed = n != old;
	for (uint32_t i = 0; i < j->old_symbols; i++) {
		struct initial_symbol *y = &s->symbols.at[i], was = *y;
		term_t b = term_subst(&j->as, y->sym);

		find_bounds(j, y, TERM_NONE, b);
		changed |= was.has_low != y->has_low || was.has_high != y->has_high ||
			   (y->has_low && was.low != y->low) ||
			   (y->has_high && was.high != y->high);
	}
	return changed;
}

bool initial_join(struct initials *all, struct initial *s)
{
	struct joining j = {.all = all, .s = s, .old_symbols = s->symbols.n};
	struct machine *m = all->m;
	bool changed;

	term_subst_init(&j.as, all->ts);
	take_arrival(&j);
	map_symbols(&j);
	machine_restore(m, s->saved);
	vec_each (&m->sym->path, i)
		vec_push(&j.old_path, m->sym->path.at[i]);
	machine_each_register(m, join_register, &j);
	join_memory(&j);
	changed = join_facts(&j) | (j.changes.n != 0);
	if (changed) {
		s->joins++;
		LOG(cover, "a state of an epoch has %u places, %u symbols and %u facts more",
			j.changes.n, s->symbols.n - j.old_symbols, s->facts.n);
		save_state(&j);
	}
	release_joining(&j);
	return changed;
}
