/* The order theory against all permutations of a few nodes, on many random problems. */
#include "base/vec.h"
#include "smt/order.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_NODES = 6, MAX_LITS = 20, MAX_FREE = 5, MAX_CLAUSES = 80, MAX_EDGES = 40 };

/* literals of the problem are 2 * index + negated */
struct problem {
	unsigned n_nodes, n_lits, n_clauses, n_edges;
	struct {
		bool before; /* of a and b; else free */
		uint8_t a, b;
		lit_t lit;
	} lit[MAX_LITS];
	struct {
		unsigned n;
		uint8_t l[4];
	} clause[MAX_CLAUSES];
	struct {
		int lit; /* -1: for good */
		uint8_t a, b;
	} edge[MAX_EDGES];
};

struct candidate {
	uint8_t pos[MAX_NODES];
	uint32_t free; /* values of the free literals, by index */
};

static bool value(const struct problem *p, const struct candidate *c, unsigned l)
{
	unsigned i = l >> 1;
	bool v = p->lit[i].before ? c->pos[p->lit[i].a] < c->pos[p->lit[i].b] : c->free >> i & 1;

	return v != (l & 1);
}

static bool fits(
	const struct problem *p, const struct candidate *c, const uint8_t *assume, unsigned n)
{
	for (unsigned i = 0; i < p->n_edges; i++)
		if ((p->edge[i].lit < 0 || value(p, c, (unsigned)p->edge[i].lit)) &&
			c->pos[p->edge[i].a] >= c->pos[p->edge[i].b])
			return false;
	for (unsigned i = 0; i < p->n_clauses; i++) {
		bool ok = false;

		for (unsigned k = 0; k < p->clause[i].n; k++)
			ok = ok || value(p, c, p->clause[i].l[k]);
		if (!ok)
			return false;
	}
	for (unsigned i = 0; i < n; i++)
		if (!value(p, c, assume[i]))
			return false;
	return true;
}

static bool try_values(
	const struct problem *p, struct candidate *c, const uint8_t *assume, unsigned n)
{
	uint32_t mask = 0, v = 0;

	for (unsigned i = 0; i < p->n_lits; i++)
		mask |= (uint32_t)!p->lit[i].before << i;
	do {
		c->free = v;
		if (fits(p, c, assume, n))
			return true;
		v = (v - mask) & mask; /* the next subset */
	} while (v);
	return false;
}

static bool permute(const struct problem *p, struct candidate *c, unsigned k, uint32_t used,
	const uint8_t *assume, unsigned n)
{
	if (k == p->n_nodes)
		return try_values(p, c, assume, n);
	for (unsigned i = 0; i < p->n_nodes; i++)
		if (!(used >> i & 1)) {
			c->pos[k] = (uint8_t)i;
			if (permute(p, c, k + 1, used | 1u << i, assume, n))
				return true;
		}
	return false;
}

static bool brute(const struct problem *p, const uint8_t *assume, unsigned n)
{
	struct candidate c = {0};

	return permute(p, &c, 0, 0, assume, n);
}

/* -- */

struct checked {
	struct sat *s;
	struct order *o;
	struct problem p;
	bool cyclic; /* an edge for good was refused */
};

static uint8_t node(struct checked *c, struct rng *r)
{
	return (uint8_t)rng_below(r, c->p.n_nodes);
}

static lit_t lit_of(const struct checked *c, unsigned l)
{
	return c->p.lit[l >> 1].lit ^ (l & 1);
}

static void add_lit(struct checked *c, struct rng *r)
{
	struct problem *p = &c->p;
	unsigned i = p->n_lits, n_free = 0;

	for (unsigned k = 0; k < i; k++)
		n_free += !p->lit[k].before;
	if (i == MAX_LITS)
		return;
	p->lit[i].before = n_free == MAX_FREE || rng_chance(r, 75);
	if (p->lit[i].before) {
		p->lit[i].a = node(c, r);
		do
			p->lit[i].b = node(c, r);
		while (p->lit[i].b == p->lit[i].a);
		p->lit[i].lit = order_before(c->o, p->lit[i].a, p->lit[i].b);
	} else {
		p->lit[i].lit = sat_var(c->s);
	}
	p->n_lits++;
}

static void add_edge(struct checked *c, struct rng *r)
{
	struct problem *p = &c->p;
	unsigned i = p->n_edges;
	uint8_t a = node(c, r), b = node(c, r);

	if (i == MAX_EDGES || c->cyclic)
		return;
	p->edge[i].a = a;
	p->edge[i].b = b;
	if (p->n_lits && rng_chance(r, 85)) {
		p->edge[i].lit = (int)rng_below(r, 2 * p->n_lits);
		order_attach(c->o, lit_of(c, (unsigned)p->edge[i].lit), a, b);
	} else {
		p->edge[i].lit = -1;
		if (rng_chance(r, 80) && a > b) { /* mostly along the first order */
			p->edge[i].a = b;
			p->edge[i].b = a;
		}
		if (!order_edge(c->o, p->edge[i].a, p->edge[i].b))
			c->cyclic = true;
	}
	p->n_edges++;
}

static void add_clause(struct checked *c, struct rng *r)
{
	struct problem *p = &c->p;
	lit_t l[4];
	unsigned n = rng_chance(r, 10) ? 2 : 3 + rng_below(r, 2);

	if (p->n_clauses == MAX_CLAUSES || !p->n_lits)
		return;
	p->clause[p->n_clauses].n = n;
	for (unsigned k = 0; k < n; k++) {
		p->clause[p->n_clauses].l[k] = (uint8_t)rng_below(r, 2 * p->n_lits);
		l[k] = lit_of(c, p->clause[p->n_clauses].l[k]);
	}
	sat_clause(c->s, l, n);
	p->n_clauses++;
}

static void check_model(struct checked *c, const uint8_t *assume, unsigned n)
{
	struct candidate m = {0};

	assert_true(order_check(c->o));
	for (unsigned i = 0; i < c->p.n_nodes; i++)
		m.pos[i] = (uint8_t)order_position(c->o, i);
	for (unsigned i = 0; i < c->p.n_lits; i++)
		if (sat_true(c->s, c->p.lit[i].lit))
			m.free |= 1u << i;
	for (unsigned i = 0; i < c->p.n_lits; i++)
		assert_int_equal(value(&c->p, &m, 2 * i), sat_true(c->s, c->p.lit[i].lit));
	assert_true(fits(&c->p, &m, assume, n));
}

static void check_core(struct checked *c, const uint8_t *assume, unsigned n)
{
	uint32_t m;
	const lit_t *core = sat_core(c->s, &m);
	uint8_t back[8];

	assert_true(m <= n);
	for (uint32_t i = 0; i < m; i++) {
		bool given = false;

		for (unsigned k = 0; k < n; k++)
			if (lit_of(c, assume[k]) == core[i]) {
				given = true;
				back[i] = assume[k];
			}
		assert_true(given);
	}
	assert_false(brute(&c->p, back, m));
}

static bool solve(struct checked *c, struct rng *r)
{
	uint8_t assume[8];
	lit_t lits[8];
	unsigned n = c->p.n_lits && rng_chance(r, 50) ? rng_below(r, 5) : 0;
	bool expected;

	for (unsigned i = 0; i < n; i++) {
		assume[i] = (uint8_t)rng_below(r, 2 * c->p.n_lits);
		lits[i] = lit_of(c, assume[i]);
	}
	expected = brute(&c->p, assume, n);
	assert_int_equal(sat_solve(c->s, lits, n, NULL), expected ? SAT_SAT : SAT_UNSAT);
	if (expected)
		check_model(c, assume, n);
	else
		check_core(c, assume, n);
	return expected;
}

static void random_problems(void **state)
{
	struct order_stats sum = {0};
	unsigned n_sat = 0, n_unsat = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 6000; seed++) {
		struct rng r = rng_seed(seed);
		struct checked c = {.s = sat_new()};
		struct sat_theory th;

		c.o = order_new(c.s);
		order_theory(c.o, &th);
		sat_set_theory(c.s, &th);
		c.p.n_nodes = seed % 4 ? 3 + rng_below(&r, 3) : MAX_NODES;
		for (unsigned i = 0; i < c.p.n_nodes; i++)
			assert_int_equal(order_node(c.o), i);
		for (unsigned step = 0; step < 6 && !c.cyclic; step++) {
			for (unsigned k = 2 + rng_below(&r, 12); k--;)
				switch (rng_below(&r, 8)) {
				case 0:
				case 1:
				case 2: add_lit(&c, &r); break;
				case 3: add_edge(&c, &r); break;
				default: add_clause(&c, &r); break;
				}
			if (c.cyclic)
				assert_false(brute(&c.p, NULL, 0));
			else if (solve(&c, &r))
				n_sat++;
			else
				n_unsat++;
		}
		sum.cycles += order_stats(c.o)->cycles;
		sum.implied += order_stats(c.o)->implied;
		sum.explained += order_stats(c.o)->explained;
		order_free(c.o);
		sat_free(c.s);
	}
	assert_true(n_sat > 1000 && n_unsat > 1000);
	assert_true(sum.cycles > 3000 && sum.implied > 2000 && sum.explained > 150);
}

/* larger: only models and what they must satisfy; a hidden order makes sure there is one */
static void hidden_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct rng r = rng_seed(seed + 5000);
		struct sat *s = sat_new();
		struct order *o = order_new(s);
		struct sat_theory th;
		unsigned n = 12 + rng_below(&r, 20), rank[80];
		struct vec_u32 said = {0};

		order_theory(o, &th);
		sat_set_theory(s, &th);
		for (unsigned i = 0; i < n; i++) {
			order_node(o);
			rank[i] = (unsigned)(rng_u64(&r) >> 40);
		}
		for (unsigned k = 0; k < 5 * n; k++) {
			lit_t l[3];
			bool ok = false;

			for (unsigned j = 0; j < 3; j++) {
				uint32_t a = rng_below(&r, n), b = rng_below(&r, n);

				l[j] = order_before(o, a, b);
				vec_push(&said, a);
				vec_push(&said, b);
				ok = ok || rank[a] < rank[b];
			}
			if (!ok)
				said.n -= 6;
			else
				sat_clause(s, l, 3);
		}
		assert_int_equal(sat_solve(s, NULL, 0, NULL), SAT_SAT);
		assert_true(order_check(o));
		for (uint32_t i = 0; i < said.n; i += 6)
			assert_true(
				order_position(o, said.at[i]) < order_position(o, said.at[i + 1]) ||
				order_position(o, said.at[i + 2]) <
					order_position(o, said.at[i + 3]) ||
				order_position(o, said.at[i + 4]) <
					order_position(o, said.at[i + 5]));
		vec_release(&said);
		order_free(o);
		sat_free(s);
	}
}

/* without constraints nothing moves: the observed order is the model */
static void observed_order(void **state)
{
	struct sat *s = sat_new();
	struct order *o = order_new(s);
	struct sat_theory th;

	(void)state;
	order_theory(o, &th);
	sat_set_theory(s, &th);
	for (unsigned i = 0; i < 50; i++)
		order_node(o);
	for (unsigned i = 0; i < 50; i++)
		for (unsigned k = 0; k < i; k++)
			order_before(o, i, k);
	assert_int_equal(sat_solve(s, NULL, 0, NULL), SAT_SAT);
	assert_int_equal(sat_stats(s)->conflicts, 0);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(order_position(o, i), i);
	order_free(o);
	sat_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_problems),
		cmocka_unit_test(hidden_order),
		cmocka_unit_test(observed_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
