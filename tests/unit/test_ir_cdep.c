/* cdep.c against the definition of control dependence */
#include "base/base.h"
#include "base/vec.h"
#include "gen_graph.h"
#include "ir/cdep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { GRAPHS = 5000, SIZE = 14 };

static bool decides(const struct cfg *c, uint32_t u)
{
	for (uint32_t e = c->succ_at[u]; e < c->succ_at[u + 1]; e++)
		if (c->succ[e] != c->succ[c->succ_at[u]])
			return true;
	return false;
}

/* b post-dominates v, and does not strictly post-dominate u */
static bool depends(const struct cfg *c, const struct dom *pd, uint32_t b, uint32_t u, uint32_t v)
{
	return cfg_reachable(c, u) && decides(c, u) && dominates(pd, b, v) &&
		!(b != u && dominates(pd, b, u));
}

/* `nearest` rather names a than b */
static bool nearer(const struct cfg *c, uint32_t block, uint32_t a, uint32_t b)
{
	uint32_t at = c->rpo_of[block];
	uint32_t ra = c->rpo_of[cfg_source(c, a)], rb = c->rpo_of[cfg_source(c, b)];

	if ((ra < at) != (rb < at))
		return ra < at;
	return ra != rb ? ra > rb : a > b;
}

static void check_block(const struct cdep *d, const struct cfg *c, const struct dom *pd, uint32_t b)
{
	uint32_t best = CDEP_NONE, k = 0;
	struct vec_u32 got = {0};

	cdep_get(d, b, &got);
	for (uint32_t u = 0; u < c->n; u++)
		for (uint32_t e = c->succ_at[u]; e < c->succ_at[u + 1]; e++) {
			if (!depends(c, pd, b, u, c->succ[e]))
				continue;
			assert_true(k < got.n);
			assert_int_equal(got.at[k++], e);
			if (best == CDEP_NONE || nearer(c, b, e, best))
				best = e;
		}
	assert_int_equal(k, got.n);
	assert_int_equal(d->nearest[b], best);
	vec_release(&got);
}

static void check_graph(const struct graph *g)
{
	struct cfg c;
	struct dom pd;
	struct cdep d;

	gen_graph_cfg(&c, g);
	postdom_init(&pd, &c);
	cdep_init(&d, &c, &pd);
	for (uint32_t b = 0; b < g->n; b++)
		check_block(&d, &c, &pd, b);
	cdep_release(&d);
	dom_release(&pd);
	cfg_release(&c);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg;
		struct graph g;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		check_graph(&g);
		gen_graph_release(&gg);
	}
}

static void test_shapes(void **state)
{
	(void)state;
	for (int shape = 0; shape < GEN_NSHAPES; shape++)
		for (uint32_t n = 1; n < 30; n++) {
			struct gen_graph gg;
			struct graph g;

			gen_graph_shape(&gg, (enum gen_shape)shape, n);
			g = gen_graph_view(&gg);
			check_graph(&g);
			gen_graph_release(&gg);
		}
}

/*
 * 0: if (p) 1: do { 2: if (q) 3; 4 } while (r); 5
 * The do-while's first block hangs nearest on p, not on its own condition; 3 on q.
 */
static void test_nearest(void **state)
{
	static const uint32_t edges[][2] = {
		{0, 1}, {0, 5}, {1, 2}, {2, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}};
	struct gen_graph gg;
	struct graph g;
	struct cfg c;
	struct dom pd;
	struct cdep d;

	(void)state;
	gen_graph_edges(&gg, 6, edges, ARRAY_SIZE(edges));
	g = gen_graph_view(&gg);
	gen_graph_cfg(&c, &g);
	postdom_init(&pd, &c);
	cdep_init(&d, &c, &pd);
	assert_int_equal(d.nearest[0], CDEP_NONE);
	assert_int_equal(cfg_source(&c, d.nearest[1]), 0);
	assert_int_equal(cfg_source(&c, d.nearest[2]), 0);
	assert_int_equal(cfg_source(&c, d.nearest[3]), 2);
	assert_int_equal(cfg_source(&c, d.nearest[4]), 0);
	assert_int_equal(d.nearest[5], CDEP_NONE);
	cdep_release(&d);
	dom_release(&pd);
	cfg_release(&c);
	gen_graph_release(&gg);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
