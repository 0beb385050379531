/*
 * Variables of cssa.h: cells, locks and semaphores, their definitions, and π-functions (Fusion,
 * §4.1 and §4.2, Φ_VD and Φ_PI).
 */
#include "model/cssa_internal.h"

#include "base/base.h"

enum { STATE_BITS = 32 }; /* of locks and semaphores */
#define HELD UINT32_MAX   /* a lock that is held exclusively; else the number of shared holders */

/* ---- definitions ------------------------------------------------------------------------- */

static term_t state(struct cssa *z, uint32_t value)
{
	return term_const(z->c->ts, STATE_BITS, value);
}

static void define(struct cssa_variable *v, uint32_t event, term_t value)
{
	vec_push(&v->defs, (struct cssa_def){event, value});
}

static void note_symbols(struct cssa *z, term_t t, bool written)
{
	const struct term_syms *syms = t.id ? term_syms(z->c->ts, t) : NULL;

	for (uint32_t i = 0; syms && i < syms->n; i++) {
		*map_put(&z->used, syms->at[i].id) = 1;
		z->follow |= written && !map_get(&z->access_of, syms->at[i].id);
	}
}

static void define_cells(struct cssa *z)
{
	const struct ctp *c = z->c;

	vec_resize(&z->cells, c->cells.n);
	vec_resize(&z->access_event, c->accesses.n);
	vec_each (&c->cells, i) {
		const struct ctp_cell *x = &c->cells.at[i];

		z->cells.at[i].initial =
			x->known ? term_const(c->ts, 8 * x->size, x->initial) : TERM_NONE;
		z->follow |= !x->known;
	}
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++) {
			uint32_t k = ctp_at(c, e)->first + i;
			const struct ctp_access *a = &c->accesses.at[k];

			z->access_event.at[k] = e;
			if (a->sym.id && term_op(c->ts, a->sym) == TERM_SYM)
				*map_put(&z->access_of, a->sym.id) = k + 1;
			if (a->value.id)
				define(&z->cells.at[a->cell], e,
					z->kind == MODEL_CTP
						? a->value
						: term_const(c->ts, 8 * c->cells.at[a->cell].size,
							  a->put));
		}
	vec_each (&c->accesses, k)
		note_symbols(z, c->accesses.at[k].value, true);
	vec_each (&c->events, e)
		note_symbols(z, ctp_at(c, e)->cond, false);
}

/* What a lock is after e. A lock that is only held exclusively has constants. */
static term_t lock_after(struct cssa *z, const struct cssa_object *o, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);
	bool shared = ev->kind == CTP_RDLOCK || ev->kind == CTP_RDUNLOCK;

	if (!o->shared || !shared)
		return state(z, cssa_takes(ev) ? HELD : 0);
	return ev->kind == CTP_RDLOCK ? term_add(z->c->ts, z->uses.at[e], state(z, 1))
				      : term_sub(z->c->ts, z->uses.at[e], state(z, 1));
}

static void define_state(struct cssa *z, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);
	struct cssa_object *o;

	if (ev->flags & CTP_PENDING)
		return;
	if (cssa_takes(ev) || cssa_gives(ev) || ev->kind == CTP_TRYFAIL) {
		o = cssa_lock_of(z, e);
		if (o->shared)
			z->uses.at[e] = term_fresh(z->c->ts, "lock", STATE_BITS);
		if (ev->kind != CTP_TRYFAIL)
			define(&o->var, e, lock_after(z, o, e));
	} else if (ev->kind >= CTP_SEM_WAIT && ev->kind <= CTP_SEM_POST) {
		z->uses.at[e] = term_fresh(z->c->ts, "semaphore", STATE_BITS);
		if (ev->kind != CTP_SEM_FAIL)
			define(&cssa_object(z, ev->object)->var, e,
				(ev->kind == CTP_SEM_WAIT ? term_sub : term_add)(
					z->c->ts, z->uses.at[e], state(z, 1)));
	}
}

void cssa_find_variables(struct cssa *z)
{
	z->follow = z->merged;
	define_cells(z);
	vec_each (&z->objects, i)
		z->objects.at[i].var.initial =
			state(z, z->objects.at[i].counts ? (uint32_t)z->objects.at[i].initial : 0);
	vec_resize(&z->uses, z->c->events.n);
	vec_each (&z->c->events, e)
		define_state(z, e);
}

/* ---- known values ------------------------------------------------------------------------ */

static lit_t known_literal(struct cssa *z, uint32_t access)
{
	lit_t *l = &z->known.at[access];

	if (*l == LIT_NONE)
		*l = z->follow ? solve_bool(z->q) : LIT_TRUE;
	return *l;
}

/* If all of `unless` are false, the read is executed, or its thread stands AT it, and its value is
 * known. */
static void need_read(struct cssa *z, lit_t unless, lit_t unless2, term_t sym, bool now)
{
	uint64_t access = map_get_or(&z->access_of, sym.id, 0);
	uint32_t e;

	if (!access) { /* a symbol of no read has no value */
		cssa_or(z, unless, unless2);
		return;
	}
	e = z->access_event.at[access - 1];
	cssa_or(z, unless, unless2, cssa_g(z, e), now ? cssa_at(z, e) : LIT_FALSE);
	cssa_or(z, unless, unless2, known_literal(z, (uint32_t)access - 1));
}

void cssa_need_known(struct cssa *z, lit_t l, term_t t, bool now)
{
	const struct term_syms *syms = term_syms(z->c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++)
		need_read(z, lit_not(l), LIT_FALSE, syms->at[i], now);
}

/* ---- π-functions ------------------------------------------------------------------------- */

struct use {
	uint32_t event;
	lit_t active; /* the π-function applies: the event is executed, or its thread stands AT it
		       */
	term_t sym; /* the value; TERM_NONE: it must be `want`, a constant as all definitions are */
	term_t want;
	lit_t known;  /* the value is known; LIT_TRUE: this is not asked */
	bool private; /* the symbol is of cssa.h itself, so its value is always known */
};

enum { INITIAL = UINT32_MAX };

/* If l, the value of the use is that of definition i: it is executed before the use, and each other
 * definition is not executed, before it, or behind the use. */
static void choose_definition(
	struct cssa *z, const struct cssa_variable *v, const struct use *u, uint32_t i, lit_t l)
{
	term_t value = i == INITIAL ? v->initial : v->defs.at[i].value;
	const struct term_syms *syms;

	if (i != INITIAL) {
		cssa_or(z, lit_not(l), cssa_g(z, v->defs.at[i].event));
		cssa_or(z, lit_not(l), cssa_before(z, v->defs.at[i].event, u->event));
	}
	vec_each (&v->defs, k) {
		uint32_t o = v->defs.at[k].event;

		if (k != i && o != u->event)
			cssa_or(z, lit_not(l), lit_not(cssa_g(z, o)), cssa_before(z, u->event, o),
				i == INITIAL ? LIT_FALSE : cssa_before(z, o, v->defs.at[i].event));
	}
	if (!value.id) {
		cssa_or(z, lit_not(l), lit_not(u->known));
		return;
	}
	if (u->sym.id)
		solve_assert_if(z->q, l, term_eq(z->c->ts, u->sym, value));
	if (u->private || u->known == LIT_TRUE)
		return;
	syms = term_syms(z->c->ts, value);
	for (uint32_t k = 0; k < syms->n; k++)
		need_read(z, lit_not(l), lit_not(u->known), syms->at[k], false);
}

/* The last definition in the thread of the use before it. */
static uint32_t own_definition(const struct cssa *z, const struct cssa_variable *v, uint32_t event)
{
	uint32_t own = INITIAL;

	vec_each (&v->defs, i)
		if (ctp_at(z->c, v->defs.at[i].event)->thread == ctp_at(z->c, event)->thread &&
			v->defs.at[i].event < event)
			own = i;
	return own;
}

/*
 * sym = π(definitions): the parameters are the last definition of the use's own thread (or the
 * initial value if there is none) and those of all other threads.
 */
static void encode_pi(struct cssa *z, const struct cssa_variable *v, const struct use *u)
{
	uint32_t own = own_definition(z, v, u->event), t = ctp_at(z->c, u->event)->thread;
	struct vec_u32 some = {0};
	lit_t l;

	vec_push(&some, lit_not(u->active));
	for (uint32_t i = 0; i <= v->defs.n && !cssa_is_too_large(z); i++) {
		uint32_t d = i == v->defs.n ? INITIAL : i;
		term_t value = d == INITIAL ? v->initial : v->defs.at[d].value;

		if (d == INITIAL ? own != INITIAL
				 : d != own && ctp_at(z->c, v->defs.at[d].event)->thread == t)
			continue;
		if (d != INITIAL && cssa_g(z, v->defs.at[d].event) == LIT_FALSE)
			continue;
		if (!u->sym.id && value.id != u->want.id)
			continue;
		vec_push(&some, l = solve_bool(z->q));
		choose_definition(z, v, u, d, l);
	}
	cssa_clause(z, some.at, some.n);
	vec_release(&some);
}

/* ---- cells ------------------------------------------------------------------------------- */

static bool uses_symbol(const struct ctp *c, term_t t, term_t sym)
{
	const struct term_syms *syms = t.id ? term_syms(c->ts, t) : NULL;

	for (uint32_t i = 0; syms && i < syms->n; i++)
		if (syms->at[i].id == sym.id)
			return true;
	return false;
}

/* Maximal causal model (§7.1): assertions and divisions remain conditions, so a read that only they
 * depend on may have any value. */
static bool is_free(const struct cssa *z, const struct ctp_access *a)
{
	const struct ctp *c = z->c;

	if (!map_get(&z->access_of, a->sym.id))
		return false;
	vec_each (&c->accesses, k)
		if (uses_symbol(c, c->accesses.at[k].value, a->sym))
			return false;
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind != CTP_ASSERT && ev->kind != CTP_DIVISOR &&
			(uses_symbol(c, ev->cond, a->sym) || uses_symbol(c, ev->operand, a->sym)))
			return false;
	}
	return true;
}

/* Where the thread stands AT a use, the use comes behind every definition that is executed. */
static void put_last(struct cssa *z, const struct cssa_variable *v, uint32_t event, lit_t at)
{
	vec_each (&v->defs, i)
		if (v->defs.at[i].event != event)
			cssa_or(z, lit_not(at), lit_not(cssa_g(z, v->defs.at[i].event)),
				cssa_before(z, v->defs.at[i].event, event));
}

static void encode_read(struct cssa *z, uint32_t access, bool asked)
{
	const struct ctp_access *a = &z->c->accesses.at[access];
	const struct cssa_variable *v = &z->cells.at[a->cell];
	uint32_t e = z->access_event.at[access];
	bool symbol = map_get(&z->access_of, a->sym.id);
	struct use u = {.event = e, .active = cssa_g(z, e), .known = LIT_TRUE};

	if (z->kind == MODEL_MCM && !is_free(z, a)) {
		u.want = term_const(z->c->ts, 8 * z->c->cells.at[a->cell].size, a->seen);
		encode_pi(z, v, &u);
		if (symbol)
			solve_assert_if(z->q, u.active, term_eq(z->c->ts, a->sym, u.want));
		if (symbol && z->follow)
			cssa_or(z, lit_not(u.active), known_literal(z, access));
		u.active = LIT_FALSE;
	}
	if (!symbol || (!asked && !map_get(&z->used, a->sym.id)))
		return;
	if (asked) {
		lit_t at = cssa_at(z, e), either = solve_bool(z->q);

		put_last(z, v, e, at);
		cssa_or(z, either, lit_not(at));
		cssa_or(z, either, lit_not(u.active));
		u.active = either;
	}
	u.sym = a->sym;
	u.known = known_literal(z, access);
	if (u.active != LIT_FALSE)
		encode_pi(z, v, &u);
}

static void encode_cells(struct cssa *z, const struct query *q)
{
	struct map asked = {0};

	vec_each (&q->atoms, i)
		if (q->atoms.at[i].kind == ATOM_HOLDS) {
			const struct term_syms *syms = term_syms(z->c->ts, q->atoms.at[i].term);

			for (uint32_t k = 0; k < syms->n; k++)
				*map_put(&asked, syms->at[k].id) = 1;
		}
	vec_each (&z->c->accesses, k)
		if (z->c->accesses.at[k].sym.id)
			encode_read(z, k, map_get(&asked, z->c->accesses.at[k].sym.id));
	map_release(&asked);
}

/* ---- locks and semaphores ---------------------------------------------------------------- */

/* A lock that is only held exclusively: the values that matter are 0 and HELD. */
static void encode_mutex(struct cssa *z, const struct cssa_object *o, uint32_t e)
{
	struct use u = {.event = e, .active = cssa_g(z, e), .known = LIT_TRUE, .private = true};

	if (ctp_at(z->c, e)->kind == CTP_TRYFAIL ? z->tries.at[e] == CSSA_OWN
						 : !cssa_takes(ctp_at(z->c, e)))
		return;
	u.want = state(z, ctp_at(z->c, e)->kind == CTP_TRYFAIL ? HELD : 0);
	encode_pi(z, &o->var, &u);
}

static void encode_shared_lock(struct cssa *z, const struct cssa_object *o, uint32_t e)
{
	struct terms *ts = z->c->ts;
	const struct ctp_event *ev = ctp_at(z->c, e);
	struct use u = {.event = e,
		.active = cssa_g(z, e),
		.sym = z->uses.at[e],
		.known = LIT_TRUE,
		.private = true};
	term_t cond = TERM_NONE;

	if (ev->kind == CTP_RDLOCK)
		cond = term_ne(ts, u.sym, state(z, HELD));
	else if (cssa_takes(ev))
		cond = term_eq(ts, u.sym, state(z, 0));
	else if (ev->kind == CTP_TRYFAIL && z->tries.at[e] == CSSA_WRITER)
		cond = term_eq(ts, u.sym, state(z, HELD));
	else if (ev->kind == CTP_TRYFAIL && z->tries.at[e] == CSSA_HOLDER)
		cond = term_ne(ts, u.sym, state(z, 0));
	else if (ev->kind != CTP_RDUNLOCK)
		return;
	encode_pi(z, &o->var, &u);
	if (cond.id)
		solve_assert_if(z->q, u.active, cond);
}

static void encode_semaphore(struct cssa *z, const struct cssa_object *o, uint32_t e)
{
	struct terms *ts = z->c->ts;
	struct use u = {.event = e,
		.active = cssa_g(z, e),
		.sym = z->uses.at[e],
		.known = LIT_TRUE,
		.private = true};
	term_t zero = term_eq(ts, u.sym, state(z, 0));

	encode_pi(z, &o->var, &u);
	if (ctp_at(z->c, e)->kind != CTP_SEM_POST)
		solve_assert_if(z->q, u.active,
			ctp_at(z->c, e)->kind == CTP_SEM_FAIL ? zero : term_not(ts, zero));
}

static void encode_state(struct cssa *z, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);
	const struct cssa_object *o;

	if (cssa_takes(ev) || cssa_gives(ev) || ev->kind == CTP_TRYFAIL) {
		o = cssa_lock_of(z, e);
		if (!o->ordered)
			(o->shared ? encode_shared_lock : encode_mutex)(z, o, e);
	} else if (ev->kind >= CTP_SEM_WAIT && ev->kind <= CTP_SEM_POST) {
		o = cssa_object(z, ev->object);
		if (!o->ordered)
			encode_semaphore(z, o, e);
	}
}

void cssa_encode_variables(struct cssa *z, const struct query *q)
{
	if (z->kind != MODEL_CONTROL)
		encode_cells(z, q);
	vec_each (&z->c->events, e)
		if (cssa_g(z, e) != LIT_FALSE)
			encode_state(z, e);
}
