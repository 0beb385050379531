/* loops.c against its definition, by repeated search for strongly connected sets */
#include "base/base.h"
#include "base/vec.h"
#include "gen_graph.h"
#include "ir/dom.h"
#include "ir/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { GRAPHS = 6000, SIZE = 14 };

struct slow_loop {
	uint32_t header, parent, depth;
	bool *in; /* by block */
};

struct slow {
	const struct graph *g;
	const struct cfg *c;
	VEC(struct slow_loop) at;
};

/* a path of at least one edge from a to b through blocks of the set only */
static bool path_within(const struct graph *g, const bool *set, uint32_t a, uint32_t b)
{
	bool *seen = xcalloc(g->n, 1), found;
	struct vec_u32 work = {0};

	vec_push(&work, a);
	while (work.n) {
		uint32_t v = vec_pop(&work);

		for (uint32_t e = g->at[v]; e < g->at[v + 1]; e++)
			if (set[g->to[e]] && !seen[g->to[e]]) {
				seen[g->to[e]] = true;
				vec_push(&work, g->to[e]);
			}
	}
	found = seen[b];
	free(seen);
	vec_release(&work);
	return found;
}

/* The loops among the blocks of `set`, each followed by those inside it. */
static void find_slowly(struct slow *s, const bool *set, uint32_t parent, uint32_t depth)
{
	uint32_t n = s->g->n;
	bool *done = xcalloc(n, 1);

	for (uint32_t i = 0; i < s->c->nrpo; i++) {
		uint32_t h = s->c->rpo[i], self = s->at.n;
		struct slow_loop l = {.header = h, .parent = parent, .depth = depth};
		bool *inner;

		if (!set[h] || done[h] || !path_within(s->g, set, h, h))
			continue;
		l.in = xcalloc(n, 1);
		inner = xcalloc(n, 1);
		for (uint32_t b = 0; b < n; b++)
			if (set[b] && path_within(s->g, set, h, b) && path_within(s->g, set, b, h))
				l.in[b] = done[b] = inner[b] = true;
		inner[h] = false;
		vec_push(&s->at, l);
		find_slowly(s, inner, self, depth + 1);
		free(inner);
	}
	free(done);
}

static const struct slow_loop *slow_by_header(const struct slow *s, uint32_t h)
{
	vec_each (&s->at, i)
		if (s->at.at[i].header == h)
			return &s->at.at[i];
	return NULL;
}

static void check_lists(const struct loops *l, const struct cfg *c, uint32_t loop,
	const struct slow_loop *t)
{
	struct vec_u32 exits = {0}, latches = {0};
	uint32_t x = 0, la = 0, entries = 0;

	loop_exits(l, c, loop, &exits);
	loop_latches(l, c, loop, &latches);
	for (uint32_t b = 0; b < c->n; b++) {
		bool to_header = false, from_outside = b == 0;

		if (!t->in[b])
			continue;
		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++) {
			to_header |= c->succ[e] == t->header;
			if (!t->in[c->succ[e]]) {
				assert_true(x < exits.n);
				assert_int_equal(exits.at[x++], e);
			}
		}
		for (uint32_t u = 0; u < c->n; u++)
			for (uint32_t e = c->succ_at[u]; e < c->succ_at[u + 1]; e++)
				from_outside |= c->succ[e] == b && !t->in[u] && cfg_reachable(c, u);
		if (to_header) {
			assert_true(la < latches.n);
			assert_int_equal(latches.at[la++], b);
		}
		entries += from_outside;
	}
	assert_int_equal(x, exits.n);
	assert_int_equal(la, latches.n);
	assert_int_equal(l->at.at[loop].irreducible, entries > 1);
	vec_release(&exits);
	vec_release(&latches);
}

static void check_loops(const struct graph *g)
{
	bool *all = xcalloc(g->n, 1);
	struct slow s = {.g = g};
	struct loops l;
	struct cfg c;

	gen_graph_cfg(&c, g);
	loops_init(&l, &c);
	s.c = &c;
	for (uint32_t i = 0; i < c.nrpo; i++)
		all[c.rpo[i]] = true;
	find_slowly(&s, all, LOOP_NONE, 1);
	assert_int_equal(l.at.n, s.at.n);
	vec_each (&l.at, i) {
		const struct loop *lp = &l.at.at[i];
		const struct slow_loop *t = slow_by_header(&s, lp->header);
		uint32_t n = 0;

		assert_non_null(t);
		assert_int_equal(lp->depth, t->depth);
		assert_true(lp->parent == LOOP_NONE || lp->parent < i);
		if (t->parent == LOOP_NONE)
			assert_int_equal(lp->parent, LOOP_NONE);
		else
			assert_int_equal(l.at.at[lp->parent].header, s.at.at[t->parent].header);
		for (uint32_t b = 0; b < g->n; b++) {
			assert_int_equal(loop_contains(&l, i, b), t->in[b]);
			n += t->in[b];
		}
		assert_int_equal(lp->n, n);
		assert_int_equal(l.blocks[lp->first], lp->header);
		check_lists(&l, &c, i, t);
	}
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t depth = 0;

		vec_each (&s.at, i)
			depth += s.at.at[i].in[b];
		assert_int_equal(loop_depth(&l, b), depth);
	}
	vec_each (&s.at, i)
		free(s.at.at[i].in);
	vec_release(&s.at);
	loops_release(&l);
	cfg_release(&c);
	free(all);
}

static void test_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg;
		struct graph g;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		check_loops(&g);
		gen_graph_release(&gg);
	}
}

static void test_shapes(void **state)
{
	(void)state;
	for (int shape = 0; shape < GEN_NSHAPES; shape++)
		for (uint32_t n = 1; n < 24; n++) {
			struct gen_graph gg;
			struct graph g;

			gen_graph_shape(&gg, (enum gen_shape)shape, n);
			g = gen_graph_view(&gg);
			check_loops(&g);
			gen_graph_release(&gg);
		}
}

/* In structured code the header dominates its loop, and none is irreducible. */
static void test_reducible(void **state)
{
	uint32_t seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct gen_graph gg;
		struct graph g;
		struct loops l;
		struct cfg c;
		struct dom d;

		gen_graph_structured(&gg, seed, 60);
		g = gen_graph_view(&gg);
		gen_graph_cfg(&c, &g);
		dom_init(&d, &c);
		loops_init(&l, &c);
		vec_each (&l.at, i) {
			assert_false(l.at.at[i].irreducible);
			for (uint32_t k = 0; k < l.at.at[i].n; k++)
				assert_true(dominates(&d, l.at.at[i].header,
					l.blocks[l.at.at[i].first + k]));
			seen++;
		}
		loops_release(&l);
		dom_release(&d);
		cfg_release(&c);
		gen_graph_release(&gg);
	}
	assert_true(seen > 500);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_reducible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
