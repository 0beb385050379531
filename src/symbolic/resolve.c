/* Resolution of addresses: guarded leaves, their objects, and faults (lazy.h). */
#include "base/strbuf.h"
#include "base/vec.h"
#include "symbolic/find_object.h"
#include "symbolic/leaves.h"

enum { OBJECTS_MAX = 16 }; /* objects that are tried for an address of unknown origin */

struct resolver {
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	uint64_t n;      /* bytes of the access */
	term_t len;      /* not TERM_NONE: the number of bytes, at most n */
	bool write;
	struct vec_leaf leaves;
	struct vec_resolved *out;
};

/* ---- queries under a guard ------------------------------------------------------------------- */

static enum ask_answer may_hold(struct resolver *r, term_t c)
{
	struct sym *s = r->m->sym;
	u128 v;

	if (term_is_const(r->ts, c, &v))
		return v ? ASK_YES : ASK_NO;
	return ask_may(s->ask, s->path.at, s->path.n, c);
}

/* a value of the term under the condition, which is satisfiable */
static bool value_where(struct resolver *r, term_t c, term_t t, uint64_t *value)
{
	struct sym *s = r->m->sym;
	u128 v;
	bool ok;

	vec_push(&s->path, c);
	ok = ask_value(s->ask, s->path.at, s->path.n, t, &v) == ASK_YES;
	s->path.n--;
	*value = (uint64_t)v;
	return ok;
}

static term_t number_term(struct resolver *r, uint64_t v)
{
	return term_const(r->ts, 64, v);
}

/* the condition that the bytes of the access lie in the object */
static term_t lies_inside(struct resolver *r, term_t addr, const struct object *o)
{
	struct terms *ts = r->ts;
	term_t off = term_sub(ts, addr, number_term(r, o->base)), size = TERM_NONE, len;

	if (o->region != IR_NONE)
		size = lazy_get(r->m->sym->lazy, o->region)->size_term;
	if (!size.id)
		size = number_term(r, o->size);
	len = r->len.id ? r->len : number_term(r, r->n);
	return term_or(ts, term_eq(ts, len, number_term(r, 0)),
		term_and(ts, term_ule(ts, len, size), term_ule(ts, off, term_sub(ts, size, len))));
}

/* ---- reports --------------------------------------------------------------------------------- */

/* A faulty address for the report: within 16 bytes of the object, if there is an object. */
static bool find_example(
	struct resolver *r, const struct leaf *l, const struct object *o, uint64_t *a)
{
	struct terms *ts = r->ts;
	term_t end, near[2];

	if (o && !o->dead) {
		end = number_term(r, o->base + o->size);
		near[0] = term_and(ts, l->guard,
			term_ule(ts, term_sub(ts, l->addr, end), number_term(r, 16)));
		near[1] = term_and(ts, l->guard,
			term_ule(ts, term_sub(ts, number_term(r, o->base), l->addr),
				number_term(r, 16)));
		for (int i = 0; i < 2; i++)
			if (may_hold(r, near[i]) == ASK_YES && value_where(r, near[i], l->addr, a))
				return true;
	}
	/* above all objects, if the intended object is not known */
	end = term_and(ts, l->guard, term_ule(ts, number_term(r, ADDR_END), l->addr));
	if (!o && !l->base && may_hold(r, end) == ASK_YES && value_where(r, end, l->addr, a))
		return true;
	return value_where(r, l->guard, l->addr, a);
}

/* a size of the object that is possible together with the faulty address */
static uint64_t size_example(struct resolver *r, const struct leaf *l, const struct object *o,
	uint64_t a)
{
	uint64_t size = o->size;
	term_t t = TERM_NONE;

	if (o->region != IR_NONE)
		t = lazy_get(r->m->sym->lazy, o->region)->size_term;
	if (t.id)
		value_where(r,
			term_and(r->ts, l->guard, term_eq(r->ts, l->addr, number_term(r, a))), t,
			&size);
	return size;
}

static bool length_where(struct resolver *r, const struct leaf *l, uint64_t a, uint64_t *n)
{
	return value_where(r, term_and(r->ts, l->guard, term_eq(r->ts, l->addr, number_term(r, a))),
		r->len, n);
}

/* Reports the fault of the running state: the guard holds and the address is bad. */
static enum step report_fault(struct resolver *r, const struct leaf *l, const struct object *o,
	enum mem_status st)
{
	struct strbuf note;
	uint64_t a, near, n = r->n;
	u128 v;

	if (term_is_const(r->ts, l->addr, &v) && !o && !r->len.id)
		return fault_memory(r->m, r->t, (uint64_t)v, r->n, r->write, st, (uint64_t)v);
	if (!find_example(r, l, o, &a) || (r->len.id && !length_where(r, l, a, &n)))
		return stop_unknown(r->m, r->t, STOP_SOLVER,
			"the solver found no example of a bad address: %s",
			ask_why(r->m->sym->ask));
	near = o ? o->base : l->base && l->sure ? l->base : a;
	strbuf_init(&note);
	strbuf_adds(&note, r->len.id ? "The length is symbolic" : "The address is symbolic");
	if (o)
		strbuf_addf(&note, ": offset %lld of an object of %llu bytes",
			(long long)(a - o->base), (unsigned long long)size_example(r, l, o, a));
	fault_symbolic(r->m, r->t, a, n, r->write, st, near, note.s);
	r->m->sym->example = term_eq(r->ts, l->addr, number_term(r, a));
	if (r->len.id)
		r->m->sym->example = term_and(r->ts, r->m->sym->example,
			term_eq(r->ts, r->len, number_term(r, n)));
	strbuf_release(&note);
	return STEP_STOP;
}

static void note_incomplete(struct resolver *r, const char *why)
{
	r->m->sym->incomplete = true;
	r->m->sym->ops->incomplete(r->m->sym->ctx, r->m, r->t, why);
}

/* ---- from leaf to object --------------------------------------------------------------------- */

/* Forks the faulting state off. STEP_STOP: the running state is the faulting one. */
static enum step check_leaf(struct resolver *r, const struct leaf *l, term_t bad,
	const struct object *o, enum mem_status st)
{
	struct leaf at = *l;
	bool certain;

	at.guard = bad;
	if (sym_decide(r->m, r->t, bad, &certain) != STEP_NEXT)
		return STEP_STOP;
	return certain ? report_fault(r, &at, o, st) : STEP_NEXT;
}

/* the condition that the access has at least one byte */
static term_t accesses_bytes(struct resolver *r)
{
	return r->len.id ? term_ne(r->ts, r->len, number_term(r, 0)) : term_bool(r->ts, true);
}

static void add_place(struct resolver *r, term_t guard, term_t addr, const struct object *o)
{
	struct resolved p = {.guard = guard, .region = o->region, .base = o->base, .size = o->size};

	p.offset = term_sub(r->ts, addr, number_term(r, o->base));
	vec_push(r->out, p);
}

/* a region of assumed size; --check-initial is off */
static bool is_assumed(struct resolver *r, const struct object *o)
{
	const struct lazy *l = r->m->sym->lazy;

	return o->region != IR_NONE && lazy_get(l, o->region)->assumed && !lazy_checks_initial(l);
}

static enum step at_object(struct resolver *r, const struct leaf *l, const struct object *o)
{
	enum mem_status st = MEM_INVALID;
	term_t bad;

	if (o->dead || (r->write && o->readonly)) {
		st = o->readonly ? MEM_READONLY : st;
		return check_leaf(r, l, term_and(r->ts, l->guard, accesses_bytes(r)), o, st);
	}
	bad = term_and(r->ts, l->guard, term_not(r->ts, lies_inside(r, l->addr, o)));
	if (is_assumed(r, o) &&
		may_hold(r, term_and(r->ts, l->guard, term_not(r->ts, bad))) != ASK_NO)
		sym_assume(r->m, term_not(r->ts, bad));
	else if (check_leaf(r, l, bad, o, st) != STEP_NEXT)
		return STEP_STOP;
	add_place(r, l->guard, l->addr, o);
	return STEP_NEXT;
}

static enum step at_constant(struct resolver *r, const struct leaf *l, uint64_t a)
{
	struct object o;
	uint64_t bad;

	if (mem_valid(&r->m->mem, a, r->n, &bad)) {
		bool ro = find_object(r->m, a, &o) && o.readonly;

		if (r->write && ro)
			return check_leaf(r, l, term_and(r->ts, l->guard, accesses_bytes(r)), NULL,
				MEM_READONLY);
		add_place(r, l->guard, l->addr, &(struct object){a, r->n, IR_NONE, false, false});
		return STEP_NEXT;
	}
	if (find_object(r->m, a, &o) && (o.region != IR_NONE || r->len.id))
		return at_object(r, l, &o);
	return check_leaf(r, l, term_and(r->ts, l->guard, accesses_bytes(r)), NULL, MEM_INVALID);
}

/* The base of the address is not known: any live object that the address may lie in is allowed.
 * Only an address outside all of them is a fault. */
static enum step at_unknown(struct resolver *r, const struct leaf *l)
{
	term_t left = l->guard;
	struct object o, last;
	uint64_t a = l->base;
	bool any = false;

	for (int i = 0; i < OBJECTS_MAX; i++) {
		term_t in;

		if (i || !a) {
			if (may_hold(r, left) == ASK_NO || !value_where(r, left, l->addr, &a))
				break;
		}
		if (!find_object(r->m, a, &o) || o.dead || (r->write && o.readonly) ||
			(o.size < r->n && !r->len.id)) {
			if (i || !l->base)
				break;
			continue;
		}
		in = lies_inside(r, l->addr, &o);
		if (may_hold(r, term_and(r->ts, left, in)) == ASK_NO) {
			if (i)
				break;
			continue;
		}
		add_place(r, term_and(r->ts, left, in), l->addr, &o);
		left = term_and(r->ts, left, term_not(r->ts, in));
		last = o;
		any = true;
	}
	if (!any && !l->base &&
		may_hold(r, term_ule(r->ts, number_term(r, ADDR_CONST), l->addr)) == ASK_YES)
		note_incomplete(r, "a value that is not a pointer is used as an address: objects "
				   "there by chance are ignored");
	if (any && r->out->n > 1)
		note_incomplete(r, "an address of unknown origin may be in several objects");
	return check_leaf(
		r, l, term_and(r->ts, left, accesses_bytes(r)), any ? &last : NULL, MEM_INVALID);
}

static uint64_t target_base(struct machine *m, const struct lazy_target *g)
{
	return g->base ? g->base : lazy_get(m->sym->lazy, g->region)->base;
}

static bool target_object(struct machine *m, const struct lazy_target *g, struct object *o)
{
	if (g->base)
		return find_object(m, g->base, o);
	object_of_region(m, g->region, o);
	return true;
}

/* the condition that the pointer points into the target */
static term_t in_target(struct machine *m, term_t ptr, const struct lazy_target *g)
{
	struct terms *ts = m->ts;
	uint64_t base = target_base(m, g);
	term_t off = term_sub(ts, ptr, term_const(ts, 64, base + g->low)), c;

	c = term_ule(ts, off, term_const(ts, 64, g->high - g->low));
	if (g->step > 1)
		c = term_and(ts, c, term_eq(ts, term_urem(ts, off, term_const(ts, 64, g->step)),
					    term_const(ts, 64, 0)));
	return c;
}

/* Assumes that the pointer points to one of its targets if the guard holds. STEP_STOP: the pointer
 * is null and check_initial is on, or no target is possible. */
static enum step assume_targets(struct resolver *r, const struct leaf *l,
	const struct vec_lazy_target *v)
{
	struct terms *ts = r->ts;
	term_t any = term_bool(ts, false), null = term_eq(ts, l->ptr, number_term(r, 0)), must;
	struct leaf at = *l;

	vec_each (v, i)
		any = term_or(ts, any, in_target(r->m, l->ptr, &v->at[i]));
	at.addr = term_sub(ts, l->addr, l->ptr); /* the address for ptr = 0, for the report */
	if (lazy_checks_initial(r->m->sym->lazy))
		if (check_leaf(r, &at, term_and(ts, l->guard, null), NULL, MEM_INVALID) !=
			STEP_NEXT)
			return STEP_STOP;
	must = term_or(ts, term_not(ts, l->guard), any);
	for (uint32_t i = 0; i < r->m->sym->path.n; i++)
		if (term_same(r->m->sym->path.at[i], must))
			return STEP_NEXT;
	/* an earlier condition on the symbol can exclude all targets */
	if (may_hold(r, must) == ASK_NO || !sym_assume(r->m, must))
		return stop_unknown(r->m, r->t, STOP_ASSUMPTION, "an invalid pointer");
	return STEP_NEXT;
}

/* The pointer in a simpler form that is equal under the guard of its target: a constant if only one
 * offset is possible; least + step * k if the step is a power of 2. */
static term_t target_address(struct resolver *r, term_t ptr, const struct lazy_target *g)
{
	term_t least = number_term(r, target_base(r->m, g) + g->low), k;
	unsigned shift = 0;

	if (g->low == g->high)
		return least;
	if (g->step <= 1 || g->step & (g->step - 1))
		return ptr;
	while (1u << shift < g->step)
		shift++;
	k = term_lshr(r->ts, term_sub(r->ts, ptr, least), number_term(r, shift));
	return term_add(r->ts, least, term_mul(r->ts, number_term(r, g->step), k));
}

/* The address with the simpler form of its pointer. */
static term_t with_target(struct resolver *r, const struct leaf *l, const struct lazy_target *g)
{
	struct term_subst s;
	term_t t;

	term_subst_init(&s, r->ts);
	term_subst_put(&s, l->ptr, target_address(r, l->ptr, g));
	t = term_subst(&s, l->addr);
	term_subst_release(&s);
	return t;
}

static enum step at_symbol(struct resolver *r, const struct leaf *l)
{
	const struct vec_lazy_target *v = lazy_targets(r->m, l->ptr);
	struct leaf at = *l;
	struct object o;

	if (!v) {
		note_incomplete(r, "a pointer of the initial state points to no known object");
		return stop_unknown(
			r->m, r->t, STOP_SYMBOLIC_POINTER, "a pointer points to no known object");
	}
	if (assume_targets(r, l, v) != STEP_NEXT)
		return STEP_STOP;
	vec_each (v, i) {
		at.guard = term_and(r->ts, l->guard, in_target(r->m, l->ptr, &v->at[i]));
		if (may_hold(r, at.guard) == ASK_NO)
			continue;
		if (!target_object(r->m, &v->at[i], &o))
			continue;
		at.addr = with_target(r, l, &v->at[i]);
		if (at_object(r, &at, &o) != STEP_NEXT)
			return STEP_STOP;
	}
	return STEP_NEXT;
}

static enum step at_leaf(struct resolver *r, const struct leaf *l)
{
	struct object o;
	u128 v;

	if (may_hold(r, l->guard) == ASK_NO)
		return STEP_NEXT;
	if (l->ptr.id)
		return at_symbol(r, l);
	if (term_is_const(r->ts, l->addr, &v))
		return at_constant(r, l, (uint64_t)v);
	if (l->sure && find_object(r->m, l->base, &o))
		return at_object(r, l, &o);
	return at_unknown(r, l);
}

enum step resolve(struct machine *m, struct thread *t, term_t addr, uint64_t n, term_t len,
	bool write, struct vec_resolved *out)
{
	struct resolver r = {.m = m, .t = t, .ts = m->ts, .n = n, .len = len, .write = write,
		.out = out};
	term_t yes = term_bool(r.ts, true);
	enum step st = STEP_NEXT;

	if (!leaves_of(m, addr, &r.leaves)) {
		note_incomplete(&r, "an address has too many alternatives");
		vec_clear(&r.leaves);
		vec_push(&r.leaves, ((struct leaf){yes, addr, 0, false, TERM_NONE}));
	}
	vec_each (&r.leaves, i) {
		st = at_leaf(&r, &r.leaves.at[i]);
		if (st != STEP_NEXT)
			break;
	}
	vec_release(&r.leaves);
	return st;
}

void resolve_example(struct machine *m, term_t addr, uint64_t *a)
{
	u128 v;

	if (ask_value(m->sym->ask, m->sym->path.at, m->sym->path.n, addr, &v) == ASK_YES)
		*a = (uint64_t)v;
}

/* Forks until the pointer has one target. */
static enum step one_target(struct resolver *r, const struct leaf *l, struct object *o)
{
	const struct vec_lazy_target *v = lazy_targets(r->m, l->ptr);
	bool here = false;
	uint32_t i;

	if (!v)
		return stop_unknown(
			r->m, r->t, STOP_SYMBOLIC_POINTER, "a pointer points to no known object");
	if (assume_targets(r, l, v) != STEP_NEXT)
		return STEP_STOP;
	for (i = 0; !here && i < v->n; i++)
		if (sym_decide(r->m, r->t, in_target(r->m, l->ptr, &v->at[i]), &here) != STEP_NEXT)
			return STEP_STOP;
	if (!target_object(r->m, &v->at[i - 1], o))
		return stop_unknown(
			r->m, r->t, STOP_SYMBOLIC_POINTER, "a pointer points to no known object");
	return STEP_NEXT;
}

enum step resolve_one(struct machine *m, struct thread *t, term_t addr, struct resolved *out)
{
	struct resolver r = {.m = m, .t = t, .ts = m->ts, .n = 1};
	term_t yes = term_bool(r.ts, true);
	struct object o = {.region = IR_NONE};
	struct leaf l = {yes, addr, 0, false, TERM_NONE};
	bool here = false;

	if (leaves_of(m, addr, &r.leaves))
		for (uint32_t i = 0; !here && i < r.leaves.n; i++) {
			l = r.leaves.at[i];
			if (sym_decide(m, t, l.guard, &here) != STEP_NEXT) {
				vec_release(&r.leaves);
				return STEP_STOP;
			}
		}
	vec_release(&r.leaves);
	if (l.ptr.id) {
		if (one_target(&r, &l, &o) != STEP_NEXT)
			return STEP_STOP;
	} else if (!l.sure || !find_object(m, l.base, &o)) {
		resolve_example(m, l.addr, &l.base);
		if (!find_object(m, l.base, &o))
			o.base = l.base;
	}
	*out = (struct resolved){.guard = yes, .region = o.region, .base = o.base, .size = o.size,
		.offset = term_sub(r.ts, l.addr, number_term(&r, o.base))};
	return STEP_NEXT;
}
