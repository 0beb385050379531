/*
 * paper_encoding [--seconds N] [--query-seconds N] KIND TRACE: the candidates of one kind of
 * violation (assert, race or atomicity) asked of Z3 in the encoding of the Fusion paper (§4.2): an
 * integer for the place of every event, a π-function over all definitions for every read, locks as
 * variables, no windows, no filters beyond must-happen-before and no lemmas. For comparison with
 * `heddle predict`, which looks at the same candidates of the same trace program.
 *
 * Prints one JSON object: events, candidates, groups, sat, unsat, unknown, seconds.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "predict/candidates.h"
#include "extract/extract.h"
#include "smt/z3_solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct def {            /* a definition of a variable */
	uint32_t event; /* CTP_NONE: the initial value */
	term_t value;
};
struct variable {
	VEC(struct def) defs;
	bool known; /* the initial value is */
	term_t initial;
};

struct paper {
	const struct ctp *c;
	struct sat *sat;
	struct order *order;
	struct problem p;
	struct vec_u32 g; /* by event: path condition */
	struct map hb;    /* pair of events -> literal */
	VEC(struct variable) cells;
	VEC(struct variable) objects; /* locks and semaphores: by ctp.objects */
	struct vec_u32 assume;
};

/* ---- literals
 * ------------------------------------------------------------------------------------ */

static lit_t new_lit(struct paper *z)
{
	lit_t l = sat_var(z->sat);

	z->p.n_vars = MAX(z->p.n_vars, lit_var(l));
	return l;
}

static void clause(struct paper *z, const lit_t *lits, uint32_t n)
{
	vec_push(&z->p.clauses, n);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&z->p.clauses, lits[i]);
}

static void implies(struct paper *z, lit_t a, lit_t b)
{
	clause(z, (lit_t[]){lit_not(a), b}, 2);
}

static void implies_term(struct paper *z, lit_t l, term_t t)
{
	vec_push(&z->p.defs, (struct problem_def){l, t, true});
}

/* HB(a, b): O(a) < O(b) */
static lit_t hb(struct paper *z, uint32_t a, uint32_t b)
{
	uint64_t *at = map_put(&z->hb, (uint64_t)a << 32 | b);

	if (!*at) {
		*at = new_lit(z);
		order_attach(z->order, (lit_t)*at, a, b);
	}
	return (lit_t)*at;
}

/* ---- definitions
 * ----------------------------------------------------------------------------------- */

static uint32_t object_at(const struct ctp *c, uint64_t addr)
{
	vec_each (&c->objects, i)
		if (c->objects.at[i].addr == addr)
			return i;
	return CTP_NONE;
}

static void collect_defs(struct paper *z)
{
	const struct ctp *c = z->c;

	vec_resize(&z->cells, c->cells.n);
	vec_resize(&z->objects, c->objects.n);
	vec_each (&c->cells, i) {
		z->cells.at[i].known = c->cells.at[i].known;
		z->cells.at[i].initial =
			term_const(c->ts, 8 * c->cells.at[i].size, c->cells.at[i].initial);
	}
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		for (uint32_t k = 0; ctp_is_access(ev->kind) && k < ev->n; k++) {
			const struct ctp_access *a = &c->accesses.at[ev->first + k];

			if (a->value.id)
				vec_push(&z->cells.at[a->cell].defs, (struct def){e, a->value});
		}
	}
}

/*
 * v = π(definitions) at event t, if t is executed: some definition is the last before t. `pick`
 * says which definitions may be it.
 */
typedef bool (*pick_fn)(const struct ctp *c, uint32_t def);

static void pi(struct paper *z, uint32_t t, const struct variable *v, term_t sym, bool initial,
	pick_fn pick)
{
	const struct ctp *c = z->c;
	struct vec_u32 some = {0};
	uint32_t own = CTP_NONE;
	lit_t l;

	vec_each (&v->defs, i) /* the most recent definition in t's own thread */
		if (ctp_at(c, v->defs.at[i].event)->thread == ctp_at(c, t)->thread &&
			v->defs.at[i].event < t)
			own = i;
	vec_push(&some, lit_not(z->g.at[t]));
	if (own == CTP_NONE && initial) {
		vec_push(&some, l = new_lit(z));
		if (sym.id)
			implies_term(z, l, term_eq(c->ts, sym, v->initial));
		vec_each (&v->defs, j)
			if (v->defs.at[j].event != t)
				implies(z, l, hb(z, t, v->defs.at[j].event));
	}
	vec_each (&v->defs, i) {
		uint32_t d = v->defs.at[i].event;

		if (d == t || (ctp_at(c, d)->thread == ctp_at(c, t)->thread && i != own) ||
			(pick && !pick(c, d)))
			continue;
		vec_push(&some, l = new_lit(z));
		implies(z, l, z->g.at[d]);
		implies(z, l, hb(z, d, t));
		if (sym.id)
			implies_term(z, l, term_eq(c->ts, sym, v->defs.at[i].value));
		vec_each (&v->defs, j) {
			uint32_t o = v->defs.at[j].event;

			if (j != i && o != t)
				clause(z, (lit_t[]){lit_not(l), hb(z, o, d), hb(z, t, o)}, 3);
		}
	}
	clause(z, some.at, some.n);
	vec_release(&some);
}

/* ---- synchronization
 * ---------------------------------------------------------------------------------- */

static bool takes(const struct ctp_event *e)
{
	return (e->kind == CTP_LOCK && !(e->flags & CTP_RECURSIVE)) || e->kind == CTP_WOKEN ||
	       e->kind == CTP_TIMEOUT;
}

static bool gives(const struct ctp_event *e)
{
	return (e->kind == CTP_UNLOCK && !(e->flags & CTP_RECURSIVE)) || e->kind == CTP_WAIT;
}

static uint64_t lock_of(const struct ctp_event *e)
{
	return e->kind == CTP_LOCK || e->kind == CTP_UNLOCK ? e->object : ctp_mutex(e);
}

static bool is_release(const struct ctp *c, uint32_t def)
{
	return gives(ctp_at(c, def));
}

/* A lock is a variable: 1 is free. Taking it needs a π that is 1, and defines 0. */
static void locks(struct paper *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);
		uint32_t o = takes(ev) || gives(ev) ? object_at(c, lock_of(ev)) : CTP_NONE;

		if (o != CTP_NONE)
			vec_push(&z->objects.at[o].defs, (struct def){e, TERM_NONE});
	}
	vec_each (&c->events, e)
		if (takes(ctp_at(c, e))) {
			uint32_t o = object_at(c, lock_of(ctp_at(c, e)));

			if (o != CTP_NONE)
				pi(z, e, &z->objects.at[o], TERM_NONE, true, is_release);
		}
}

static void wakes(struct paper *z, uint32_t woken)
{
	const struct ctp *c = z->c;
	const struct ctp_event *w = ctp_at(c, woken);
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(z->g.at[woken]));
	vec_each (&c->events, s) {
		const struct ctp_event *e = ctp_at(c, s);
		lit_t l;

		if ((e->kind != CTP_SIGNAL && e->kind != CTP_BROADCAST) || e->object != w->object ||
			e->thread == w->thread)
			continue;
		vec_push(&some, l = new_lit(z));
		implies(z, l, z->g.at[s]);
		implies(z, l, hb(z, ctp_wait(w), s));
		implies(z, l, hb(z, s, woken));
	}
	clause(z, some.at, some.n);
	vec_release(&some);
}

static void others(struct paper *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		switch (ev->kind) {
		case CTP_CREATE:
			if (ctp_peer(ev) < c->threads.n &&
				c->threads.at[ctp_peer(ev)].begin != CTP_NONE) {
				order_edge(z->order, e, c->threads.at[ctp_peer(ev)].begin);
				implies(z, z->g.at[c->threads.at[ctp_peer(ev)].begin], z->g.at[e]);
			}
			break;
		case CTP_JOIN:
			if (ctp_peer(ev) < c->threads.n && c->threads.at[ctp_peer(ev)].end != CTP_NONE) {
				order_edge(z->order, c->threads.at[ctp_peer(ev)].end, e);
				implies(z, z->g.at[e], z->g.at[c->threads.at[ctp_peer(ev)].end]);
			}
			break;
		case CTP_WOKEN: wakes(z, e); break;
		default: break;
		}
	}
}

/* ---- the formula
 * ----------------------------------------------------------------------------------------- */

static void encode(struct paper *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->events, e) {
		order_node(z->order);
		vec_push(&z->g, new_lit(z));
	}
	vec_each (&c->events, e) { /* program order, path conditions */
		uint32_t before = ctp_pred(c, e);

		if (before == CTP_NONE)
			continue;
		order_edge(z->order, before, e);
		implies(z, z->g.at[e], z->g.at[before]);
		if (ctp_is_guard(ctp_at(c, before)->kind) && ctp_at(c, before)->cond.id)
			implies_term(z, z->g.at[e], ctp_at(c, before)->cond);
	}
	collect_defs(z);
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		for (uint32_t k = 0; ctp_is_access(ev->kind) && k < ev->n; k++) {
			const struct ctp_access *a = &c->accesses.at[ev->first + k];

			if (a->sym.id)
				pi(z, e, &z->cells.at[a->cell], a->sym, z->cells.at[a->cell].known,
					NULL);
		}
	}
	locks(z);
	others(z);
}

/* The query as assumptions; false if the encoding has no words for it. */
static bool assume(struct paper *z, const struct query *q)
{
	vec_clear(&z->assume);
	for (uint32_t i = 0, at = 0; i < q->clauses.n; at = q->clauses.at[i++]) {
		const struct atom *a = &q->atoms.at[at];
		lit_t l;

		if (q->clauses.at[i] != at + 1 || a->negated)
			return false;
		switch (a->kind) {
		case ATOM_RUN: vec_push(&z->assume, z->g.at[a->a]); break;
		case ATOM_BEFORE:
			vec_push(&z->assume, z->g.at[a->a]);
			vec_push(&z->assume, z->g.at[a->b]);
			vec_push(&z->assume, hb(z, a->a, a->b));
			break;
		case ATOM_HOLDS:
			vec_push(&z->assume, l = new_lit(z));
			implies_term(z, l, a->term);
			break;
		case ATOM_AT:
			vec_push(&z->assume, z->g.at[a->a]);
			for (uint32_t k = 0; k < q->atoms.n; k++) {
				uint32_t other = q->atoms.at[k].a, p = ctp_pred(z->c, a->a);

				if (q->atoms.at[k].kind == ATOM_AT && other != a->a &&
					p != CTP_NONE)
					vec_push(&z->assume, hb(z, p, other));
			}
			break;
		}
	}
	return true;
}

struct counts {
	uint32_t groups, sat, unsat, unknown, skipped;
};

static void ask_all(
	struct paper *z, const struct candidates *cs, double limit, double each, struct counts *n)
{
	double end = clock_seconds() + limit;
	struct z3 *z3 = z3_new(z->c->ts);
	struct map done = {0};

	vec_each (&cs->at, i) {
		const struct candidate *k = &cs->at.at[i];
		uint64_t *state = map_put(&done, k->group);
		struct problem_model m;
		struct vec_u32 core = {0};
		struct strbuf why = {0};
		enum sat_result r;

		n->groups += !*state;
		*state |= 1;
		if (*state & 2)
			continue;
		if (clock_seconds() > end) {
			n->unknown++;
			continue;
		}
		if (!assume(z, &k->query)) {
			n->skipped++;
			continue;
		}
		problem_model_init(&m, z->c->ts);
		r = z3_check(z3, &z->p,
			&(struct problem_assume){.lits = z->assume.at, .n = z->assume.n},
			clock_seconds() + MIN(each, MAX(end - clock_seconds(), 0.01)), false, &m,
			&core, &why);
		n->sat += r == SAT_SAT;
		n->unsat += r == SAT_UNSAT;
		n->unknown += r == SAT_UNKNOWN;
		if (r == SAT_SAT)
			*state |= 2;
		problem_model_release(&m);
		vec_release(&core);
		strbuf_release(&why);
	}
	z3_free(z3);
	map_release(&done);
}

static int run(const char *kind, const char *dir, double limit, double each)
{
	struct trace *t = trace_open(dir);
	struct extract_options eo = {.jobs = 1};
	const struct ctp *c = t ? extract(t, &eo) : NULL;
	struct paper z = {.c = c};
	struct candidates cs = {.c = c};
	struct counts n = {0};
	double start, end;

	if (!c)
		return 1;
	start = clock_seconds();
	cs.mhb = mhb_new(c);
	if (!strcmp(kind, "assert"))
		prop_assert(&cs, 1u << FAULT_ASSERT);
	else if (!strcmp(kind, "race"))
		prop_race(&cs, 1u << FAULT_RACE);
	else
		prop_atomicity(&cs, 1u << FAULT_ATOMICITY);
	z.sat = sat_new();
	z.order = order_new(z.sat);
	z.p.ts = c->ts;
	z.p.order = z.order;
	encode(&z);
	ask_all(&z, &cs, limit, each, &n);
	end = clock_seconds();
	printf("{\"events\": %u, \"candidates\": %u, \"groups\": %u, \"sat\": %u, \"unsat\": %u, "
	       "\"unknown\": %u, \"skipped\": %u, \"clauses\": %u, \"seconds\": %.3f}\n",
		c->events.n, cs.at.n, n.groups, n.sat, n.unsat, n.unknown, n.skipped, z.p.clauses.n,
		end - start);
	return 0;
}

int main(int argc, char **argv)
{
	double limit = 20, each = 20;

	for (; argc > 3 && argv[1][0] == '-'; argv += 2, argc -= 2)
		*(!strcmp(argv[1], "--seconds") ? &limit : &each) = strtod(argv[2], NULL);
	if (argc != 3) {
		fprintf(stderr,
			"usage: paper_encoding [--seconds N] [--query-seconds N] KIND TRACE\n");
		return 2;
	}
	return run(argv[1], argv[2], limit, each);
}
