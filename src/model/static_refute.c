/*
 * Refutation without a window: the events of the query, the critical sections around them, and
 * must-happen-before. If these alone contradict the query, no linearization of the whole trace
 * satisfies it.
 */
#include "model/model_internal.h"

#include "base/map.h"
#include "base/vec.h"

struct skeleton {
	const struct facts *f;
	const struct mhb *mhb;
	struct solve *q;
	struct vec_u32 events, x, node;
	struct map place;       /* event -> index + 1 */
	struct vec_u32 regions; /* critical sections around the events, each once */
};

static void add_event(struct skeleton *s, uint32_t e)
{
	uint64_t *at = map_put(&s->place, e);

	if (*at)
		return;
	vec_push(&s->events, e);
	*at = s->events.n;
}

/* the critical sections of a list, and their first and last events */
static void add_held(struct skeleton *s, uint32_t list)
{
	const struct facts *f = s->f;

	for (uint32_t h = list; h != CTP_NONE; h = f->held.at[h].next) {
		uint32_t r = f->held.at[h].region;
		const struct ctp_region *rg = facts_region(f, r);
		bool seen = r < f->c->regions.n && f->objects.at[facts_lock(f, rg->begin)].ordered;

		vec_each (&s->regions, i)
			seen |= s->regions.at[i] == r;
		if (seen)
			continue;
		vec_push(&s->regions, r);
		add_event(s, rg->begin);
		if (rg->end != CTP_NONE)
			add_event(s, rg->end);
	}
}

static void add_regions(struct skeleton *s, uint32_t e)
{
	add_held(s, s->f->held_at.at[e]);
	add_held(s, facts_derived_at(s->f, e));
}

static void add_atom(struct skeleton *s, const struct atom *a)
{
	uint32_t named[2] = {a->a, a->b};

	if (a->kind == ATOM_HOLDS)
		return;
	for (uint32_t i = 0; i < (a->kind == ATOM_BEFORE ? 2u : 1u); i++) {
		uint32_t pred = ctp_pred(s->f->c, named[i]);

		add_event(s, named[i]);
		add_regions(s, named[i]);
		if (pred != CTP_NONE)
			add_event(s, pred);
	}
}

static lit_t x_of(const struct skeleton *s, uint32_t e)
{
	uint64_t at = e == CTP_NONE ? 0 : map_get_or(&s->place, e, 0);

	return at ? s->x.at[at - 1] : LIT_FALSE;
}

static uint32_t node_of(const struct skeleton *s, uint32_t e)
{
	return s->node.at[map_get_or(&s->place, e, 0) - 1];
}

static void add_clause(struct skeleton *s, lit_t a, lit_t b, lit_t c, lit_t d)
{
	lit_t l[4] = {a, b, c, d};

	solve_clause(s->q, l, 4);
}

static void add_order(struct skeleton *s)
{
	vec_each (&s->events, i) {
		vec_push(&s->x, solve_bool(s->q));
		vec_push(&s->node, solve_node(s->q));
		if (facts_rank(s->f, s->events.at[i]) == UINT32_MAX)
			solve_unit(s->q, lit_not(s->x.at[i]));
	}
	vec_each (&s->events, i)
		vec_each (&s->events, k)
			if (mhb_before(s->mhb, s->events.at[i], s->events.at[k])) {
				solve_edge(s->q, s->node.at[i], s->node.at[k]);
				solve_implies(s->q, s->x.at[k], s->x.at[i]);
			}
}

static lit_t region_first(
	struct skeleton *s, const struct ctp_region *a, const struct ctp_region *b)
{
	lit_t l;

	if (a->end == CTP_NONE)
		return LIT_FALSE;
	l = solve_bool(s->q);
	solve_implies(s->q, l, x_of(s, a->end));
	solve_order_if(s->q, l, node_of(s, a->end), node_of(s, b->begin));
	return l;
}

static void add_locks(struct skeleton *s)
{
	vec_each (&s->regions, i)
		for (uint32_t k = 0; k < i; k++) {
			const struct ctp_region *a = facts_region(s->f, s->regions.at[i]);
			const struct ctp_region *b = facts_region(s->f, s->regions.at[k]);

			if (a->object == b->object && a->thread != b->thread &&
				!(a->shared && b->shared))
				add_clause(s, lit_not(x_of(s, a->begin)),
					lit_not(x_of(s, b->begin)), region_first(s, a, b),
					region_first(s, b, a));
		}
}

/* the literal of the atom AT e */
static lit_t at_of(struct skeleton *s, uint32_t e)
{
	uint32_t pred = ctp_pred(s->f->c, e);
	lit_t l = solve_bool(s->q), p = pred == CTP_NONE ? LIT_TRUE : x_of(s, pred);

	solve_implies(s->q, l, p);
	solve_implies(s->q, l, lit_not(x_of(s, e)));
	add_clause(s, l, lit_not(p), x_of(s, e), LIT_FALSE);
	return l;
}

static lit_t before_of(struct skeleton *s, uint32_t a, uint32_t b)
{
	lit_t l = solve_bool(s->q), at = at_of(s, b), xa = x_of(s, a), xb = x_of(s, b);
	lit_t o = a == b ? LIT_FALSE : solve_before(s->q, node_of(s, a), node_of(s, b));

	solve_implies(s->q, l, xa);
	add_clause(s, lit_not(l), at, xb, LIT_FALSE);
	add_clause(s, lit_not(l), at, o, LIT_FALSE);
	add_clause(s, l, lit_not(xa), lit_not(at), LIT_FALSE);
	add_clause(s, l, lit_not(xa), lit_not(xb), lit_not(o));
	return l;
}

static lit_t atom_of(struct skeleton *s, const struct atom *a)
{
	lit_t l = LIT_TRUE;

	switch ((enum atom_kind)a->kind) {
	case ATOM_RUN: l = x_of(s, a->a); break;
	case ATOM_AT:
	case ATOM_SPINS:
	case ATOM_ASLEEP: l = at_of(s, a->a); break;
	case ATOM_BEFORE: l = before_of(s, a->a, a->b); break;
	case ATOM_HOLDS: return LIT_TRUE;
	}
	return a->negated ? lit_not(l) : l;
}

bool static_refutes(struct facts *f, const struct mhb *mhb, const struct query *q)
{
	struct skeleton s = {.f = f, .mhb = mhb, .q = solve_new(f->c->ts)};
	struct solve_limits sl = {.conflicts = 1000};
	struct vec_u32 some = {0};
	uint32_t i = 0;
	bool never;

	vec_each (&q->atoms, k)
		add_atom(&s, &q->atoms.at[k]);
	add_order(&s);
	add_locks(&s);
	vec_each (&q->clauses, k) {
		vec_clear(&some);
		for (; i < q->clauses.at[k]; i++)
			vec_push(&some, atom_of(&s, &q->atoms.at[i]));
		solve_clause(s.q, some.at, some.n);
	}
	never = solve_check(s.q, NULL, 0, &sl) == SAT_UNSAT;
	solve_free(s.q);
	vec_release(&some);
	vec_release(&s.events);
	vec_release(&s.x);
	vec_release(&s.node);
	vec_release(&s.regions);
	map_release(&s.place);
	return never;
}
