/* Where an address comes from: the bases that were recorded, and the choices that it is made of. */
#include "symbolic/leaves.h"

#include "base/map.h"
#include "base/vec.h"
#include "symbolic/affine.h"
#include "symbolic/find_object.h"

enum {
	LEAVES_MAX = 1024, /* leaves of one address */
	WAYS_MAX = 4096,   /* ways through the choices of an address that are followed one by one */
	CHOICES_MAX = 4096, /* choices of an address, each followed once */
	LOOK_MAX = 256,     /* terms that one call of pointer_part() visits */
	ALIGN_MAX = 20,     /* log2 of the greatest alignment by hand */
	AMBIGUOUS_BIT = 63, /* in sym.bases: the term was computed from addresses of two objects */
};

struct collector {
	struct machine *m;
	struct terms *ts;
	struct vec_leaf *leaves;
	uint32_t budget; /* terms that carries_address() may still visit */
	uint32_t ways;   /* calls of collect_leaves() so far */
};

/* ---- the base of an address ------------------------------------------------------------------ */

static uint64_t base_of(const struct machine *m, struct opnd o, bool *ambiguous)
{
	uint64_t v = o.t.id ? map_get_or(&m->sym->bases, o.t.id, 0) : o.v.lo;

	*ambiguous = o.t.id && v >> AMBIGUOUS_BIT;
	return v & ~(1ull << AMBIGUOUS_BIT);
}

static void record_base(struct machine *m, term_t t, uint64_t base, bool ambiguous)
{
	uint64_t *v = map_put(&m->sym->bases, t.id), old = *v & ~(1ull << AMBIGUOUS_BIT);
	struct object a, b;

	if (!*v)
		*v = base | (uint64_t)ambiguous << AMBIGUOUS_BIT;
	else if (ambiguous ||
		 (old != base && (!find_object(m, old, &a) || !find_object(m, base, &b) ||
					 a.base != b.base)))
		*v |= 1ull << AMBIGUOUS_BIT;
}

struct opnd sym_address(
	struct machine *m, struct opnd base, struct opnd index, uint64_t scale, uint64_t offset)
{
	struct terms *ts = m->ts;
	term_t sum = term_add(ts, opnd_term(m, base, 64), term_const(ts, 64, offset));
	struct opnd o;
	bool ambiguous;
	uint64_t from = base_of(m, base, &ambiguous);

	if (scale)
		sum = term_add(
			ts, sum, term_mul(ts, opnd_term(m, index, 64), term_const(ts, 64, scale)));
	o = opnd_of_term(m, sum);
	if (o.t.id && from >= ADDR_FUNC)
		record_base(m, o.t, from, ambiguous);
	return o;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static bool is_address(u128 v)
{
	return v >= ADDR_FUNC && v < ADDR_END;
}

static bool is_symbol(const struct collector *r, term_t t)
{
	return r->m->sym->lazy && lazy_is_pointer(r->m->sym->lazy, t);
}

static bool is_pointer(const struct collector *r, term_t t)
{
	return map_get(&r->m->sym->bases, t.id) || is_symbol(r, t);
}

/* The term x if t is x with its low bits cleared: a pointer that was aligned by hand. */
static term_t aligned_part(const struct terms *ts, term_t t)
{
	term_t a = term_arg(ts, t, 0), b = term_arg(ts, t, 1);
	u128 v, low;

	switch (term_op(ts, t)) {
	case TERM_AND:
		if (!term_is_const(ts, a, &v))
			break;
		low = ~v & term_mask(64);
		return low >> ALIGN_MAX || low & (low + 1) ? TERM_NONE : b;
	case TERM_CONCAT:
		if (term_is_const(ts, b, &v) && !v && term_width(ts, b) <= ALIGN_MAX &&
			term_op(ts, a) == TERM_EXTRACT && term_low(ts, a) == term_width(ts, b) &&
			term_width(ts, term_arg(ts, a, 0)) == 64)
			return term_arg(ts, a, 0);
		break;
	case TERM_SHL:
		if (term_is_const(ts, b, &v) && v <= ALIGN_MAX && term_op(ts, a) == TERM_LSHR &&
			term_same(term_arg(ts, a, 1), b))
			return term_arg(ts, a, 0);
		break;
	default: break;
	}
	return TERM_NONE;
}

/* whether the form of the term suggests an address */
static bool carries_address(struct collector *r, term_t t)
{
	struct affine a;
	u128 v;

	if (!r->budget)
		return false;
	r->budget--;
	if (term_is_const(r->ts, t, &v))
		return is_address(v);
	if (is_pointer(r, t))
		return true;
	if (term_op(r->ts, t) == TERM_ITE)
		return carries_address(r, term_arg(r->ts, t, 1)) ||
		       carries_address(r, term_arg(r->ts, t, 2));
	if (aligned_part(r->ts, t).id)
		return carries_address(r, aligned_part(r->ts, t));
	if (term_op(r->ts, t) != TERM_ADD)
		return false;
	affine_of(r->ts, t, &a);
	if (is_address(a.k))
		return true;
	for (unsigned i = 0; i < a.n; i++)
		if (a.m[i].c == 1 && carries_address(r, a.m[i].t))
			return true;
	return false;
}

static void add_leaf(struct collector *r, term_t guard, term_t addr, uint64_t base, bool sure)
{
	vec_each (r->leaves, i) {
		struct leaf *l = &r->leaves->at[i];

		if (term_same(l->addr, addr) && l->base == base && l->sure == sure && !l->ptr.id) {
			l->guard = term_or(r->ts, l->guard, guard);
			return;
		}
	}
	vec_push(r->leaves, (struct leaf){guard, addr, base, sure, TERM_NONE});
}

static void add_symbol(struct collector *r, term_t guard, term_t addr, term_t ptr)
{
	vec_each (r->leaves, i) {
		struct leaf *l = &r->leaves->at[i];

		if (term_same(l->addr, addr) && term_same(l->ptr, ptr)) {
			l->guard = term_or(r->ts, l->guard, guard);
			return;
		}
	}
	vec_push(r->leaves, (struct leaf){guard, addr, 0, true, ptr});
}

/* The part of the term that is the pointer, a summand or what was aligned; TERM_NONE: none, or the
 * term itself. */
static term_t pointer_part(struct collector *r, term_t t, const struct affine *a)
{
	term_t x = aligned_part(r->ts, t);

	r->budget = LOOK_MAX;
	if (x.id)
		return carries_address(r, x) ? x : TERM_NONE;
	for (unsigned i = 0; i < a->n; i++) {
		r->budget = LOOK_MAX;
		if (a->m[i].c == 1 && !term_same(a->m[i].t, t) && carries_address(r, a->m[i].t))
			return a->m[i].t;
	}
	return TERM_NONE;
}

/* Adds the leaves of p + rest, which is the address if the guard holds. False: LEAVES_MAX, or
 * WAYS_MAX: the choices of a DAG are followed on every way that leads to them. */
static bool collect_leaves(struct collector *r, term_t p, term_t rest, term_t guard)
{
	struct terms *ts = r->ts;
	term_t addr = term_add(ts, p, rest), part;
	struct affine a;
	uint64_t *rec;
	u128 v;

	if (term_is_const(ts, guard, &v) && !v)
		return true;
	if (r->leaves->n >= LEAVES_MAX || ++r->ways > WAYS_MAX)
		return false;
	if (term_is_const(ts, p, &v)) {
		add_leaf(r, guard, addr, (uint64_t)v, true);
		return true;
	}
	if (term_op(ts, p) == TERM_ITE) {
		term_t c = term_arg(ts, p, 0);

		return collect_leaves(r, term_arg(ts, p, 1), rest, term_and(ts, guard, c)) &&
		       collect_leaves(
			       r, term_arg(ts, p, 2), rest, term_and(ts, guard, term_not(ts, c)));
	}
	if (is_symbol(r, p)) {
		add_symbol(r, guard, addr, p);
		return true;
	}
	rec = map_get(&r->m->sym->bases, p.id);
	if (rec && !(*rec >> AMBIGUOUS_BIT)) {
		add_leaf(r, guard, addr, *rec, true);
		return true;
	}
	affine_of(ts, p, &a);
	if (is_address(a.k) || rec) {
		add_leaf(r, guard, addr, is_address(a.k) ? a.k : 0, false);
		return true;
	}
	part = pointer_part(r, p, &a);
	if (part.id)
		return collect_leaves(r, part, term_add(ts, rest, term_sub(ts, p, part)), guard);
	add_leaf(r, guard, addr, 0, false);
	return true;
}

/*
 * The same for a DAG of choices with too many ways through it: each choice is followed once, with
 * the disjunction of the guards of the ways that lead to it. Operands have lower ids than the term,
 * so the greatest id goes first. The address of a leaf is the whole address; only its object is
 * known.
 */
struct choice_list {
	struct collector *r;
	term_t addr;
	VEC(uint32_t) todo; /* terms, a heap: the greatest first */
	struct map guard;   /* term -> guard */
	uint32_t visited;
};

static void add_choice(struct choice_list *c, term_t p, term_t guard)
{
	uint64_t *at = map_get(&c->guard, p.id);
	u128 v;

	if (term_is_const(c->r->ts, guard, &v) && !v)
		return;
	if (at) {
		*at = term_or(c->r->ts, (term_t){(uint32_t)*at}, guard).id;
		return;
	}
	*map_put(&c->guard, p.id) = guard.id;
	vec_push(&c->todo, p.id);
	for (uint32_t i = c->todo.n - 1; i && c->todo.at[(i - 1) / 2] < c->todo.at[i];
		i = (i - 1) / 2) {
		uint32_t up = c->todo.at[(i - 1) / 2];

		c->todo.at[(i - 1) / 2] = c->todo.at[i];
		c->todo.at[i] = up;
	}
}

static term_t take_choice(struct choice_list *c)
{
	uint32_t top = c->todo.at[0], last = vec_pop(&c->todo), i = 0, k;

	if (c->todo.n)
		c->todo.at[0] = last;
	for (; (k = 2 * i + 1) < c->todo.n; i = k) {
		if (k + 1 < c->todo.n && c->todo.at[k + 1] > c->todo.at[k])
			k++;
		if (c->todo.at[i] >= c->todo.at[k])
			break;
		last = c->todo.at[i];
		c->todo.at[i] = c->todo.at[k];
		c->todo.at[k] = last;
	}
	return (term_t){top};
}

/* The start of the object at the address, so that pointers to one object are one leaf. */
static uint64_t object_start(struct collector *r, uint64_t a)
{
	struct object o;

	return find_object(r->m, a, &o) ? o.base : a;
}

static void follow_choice(struct choice_list *c, term_t p)
{
	struct collector *r = c->r;
	term_t guard = {(uint32_t)map_get_or(&c->guard, p.id, 0)}, part;
	uint64_t *rec = map_get(&r->m->sym->bases, p.id);
	struct affine a;
	u128 v;

	if (term_is_const(r->ts, p, &v)) {
		add_leaf(r, guard, c->addr, object_start(r, (uint64_t)v), true);
	} else if (term_op(r->ts, p) == TERM_ITE) {
		term_t k = term_arg(r->ts, p, 0);

		add_choice(c, term_arg(r->ts, p, 1), term_and(r->ts, guard, k));
		add_choice(c, term_arg(r->ts, p, 2), term_and(r->ts, guard, term_not(r->ts, k)));
	} else if (is_symbol(r, p)) {
		add_symbol(r, guard, c->addr, p);
	} else if (rec && !(*rec >> AMBIGUOUS_BIT)) {
		add_leaf(r, guard, c->addr, object_start(r, *rec), true);
	} else {
		affine_of(r->ts, p, &a);
		part = rec ? TERM_NONE : pointer_part(r, p, &a);
		if (is_address(a.k))
			add_leaf(r, guard, c->addr, a.k, false);
		else if (part.id)
			add_choice(c, part, guard);
		else
			add_leaf(r, guard, c->addr, 0, false);
	}
}

/* False: the address has too many choices. */
static bool collect_by_choice(struct collector *r, term_t addr)
{
	struct choice_list c = {.r = r, .addr = addr};
	bool ok = true;

	vec_clear(r->leaves);
	add_choice(&c, addr, term_bool(r->ts, true));
	while (ok && c.todo.n) {
		follow_choice(&c, take_choice(&c));
		ok = r->leaves->n < LEAVES_MAX && ++c.visited < CHOICES_MAX;
	}
	vec_release(&c.todo);
	map_release(&c.guard);
	return ok;
}

bool leaves_of(struct machine *m, term_t addr, struct vec_leaf *out)
{
	struct collector r = {.m = m, .ts = m->ts, .leaves = out};

	return collect_leaves(&r, addr, term_const(m->ts, 64, 0), term_bool(m->ts, true)) ||
	       collect_by_choice(&r, addr);
}
