/* cfg.c, graph.c, dom.c: against recursion, and against what is reached without a block */
#include "base/base.h"
#include "base/vec.h"
#include "gen_graph.h"
#include "ir/dom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { GRAPHS = 5000, SIZE = 14 };

static void post_order(const struct graph *g, uint32_t v, bool *seen, struct vec_u32 *out)
{
	seen[v] = true;
	for (uint32_t e = g->at[v + 1]; e-- > g->at[v];)
		if (!seen[g->to[e]])
			post_order(g, g->to[e], seen, out);
	vec_push(out, v);
}

static void check_cfg(const struct graph *g)
{
	struct cfg c;
	struct vec_u32 post = {0};
	bool *seen = xcalloc(g->n, 1);
	uint32_t k = 0;

	gen_graph_cfg(&c, g);
	post_order(g, 0, seen, &post);
	assert_int_equal(c.nrpo, post.n);
	for (uint32_t i = 0; i < post.n; i++) {
		assert_int_equal(c.rpo[i], post.at[post.n - 1 - i]);
		assert_int_equal(c.rpo_of[c.rpo[i]], i);
	}
	for (uint32_t v = 0; v < g->n; v++) {
		assert_int_equal(cfg_reachable(&c, v), seen[v]);
		assert_int_equal(c.pred_at[v], k);
		for (uint32_t u = 0; u < g->n; u++)
			for (uint32_t e = g->at[u]; e < g->at[u + 1]; e++)
				if (g->to[e] == v) {
					assert_int_equal(c.pred[k], u);
					assert_int_equal(c.pred_succ[k], e);
					assert_int_equal(cfg_source(&c, e), u);
					k++;
				}
	}
	assert_int_equal(c.pred_at[g->n], k);
	cfg_release(&c);
	vec_release(&post);
	free(seen);
}

static void test_cfg(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg;
		struct graph g;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		check_cfg(&g);
		gen_graph_release(&gg);
	}
}

/* The tree must say of each pair what the graph says, and be a tree. */
static void check_tree(const struct dom *d, const struct graph *g, const bool *in)
{
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t strict = 0;

		if (!in[b]) {
			assert_int_equal(d->idom[b], BLK_NONE);
			continue;
		}
		for (uint32_t a = 0; a < g->n; a++) {
			bool doms = in[a] && (a == b || !slow_path(g, d->root, b, a));

			assert_int_equal(dominates(d, a, b), doms);
			strict += doms && a != b;
		}
		assert_int_equal(d->depth[b], strict);
		if (b == d->root)
			assert_int_equal(d->idom[b], b);
		else
			assert_int_equal(d->depth[d->idom[b]], strict - 1);
		assert_true(dominates(d, d->idom[b], b));
		for (uint32_t k = d->kid_at[b]; k < d->kid_at[b + 1]; k++) {
			assert_int_equal(d->idom[d->kids[k]], b);
			assert_true(k == d->kid_at[b] || d->kids[k - 1] < d->kids[k]);
		}
	}
}

static void test_dominators(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg;
		struct graph g;
		struct cfg c;
		struct dom d;
		bool *in;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		gen_graph_cfg(&c, &g);
		dom_init(&d, &c);
		in = xcalloc(g.n, 1);
		for (uint32_t b = 0; b < g.n; b++)
			in[b] = slow_path(&g, 0, b, BLK_NONE);
		check_tree(&d, &g, in);
		dom_release(&d);
		cfg_release(&c);
		gen_graph_release(&gg);
		free(in);
	}
}

/* By definition: reachable, without a way to a block that ends, not able to leave the set of
 * blocks that it reaches and that reach it, and the first such block in reverse post-order. */
static bool is_endless(const struct graph *g, const struct cfg *c, uint32_t b)
{
	if (!cfg_reachable(c, b))
		return false;
	for (uint32_t v = 0; v < g->n; v++) {
		if (!slow_path(g, b, v, BLK_NONE))
			continue;
		if (!slow_path(g, v, b, BLK_NONE) || c->rpo_of[v] < c->rpo_of[b])
			return false;
		if (g->at[v] == g->at[v + 1])
			return false;
	}
	return true;
}

/* The reachable part turned round, with the exit as its root. */
static void reversed(struct gen_graph *out, const struct graph *g, const struct cfg *c)
{
	uint32_t(*edges)[2] = xmalloc((g->at[g->n] + g->n + 1) * sizeof *edges), m = 0;

	for (uint32_t b = 0; b < g->n; b++) {
		if (!cfg_reachable(c, b))
			continue;
		for (uint32_t e = g->at[b]; e < g->at[b + 1]; e++, m++) {
			edges[m][0] = g->to[e];
			edges[m][1] = b;
		}
		if (g->at[b] == g->at[b + 1] || is_endless(g, c, b)) {
			edges[m][0] = g->n;
			edges[m++][1] = b;
		}
	}
	gen_graph_edges(out, g->n + 1, (const uint32_t(*)[2])edges, m);
	free(edges);
}

static void test_post_dominators(void **state)
{
	uint32_t with_endless = 0;

	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg, rr;
		struct graph g, r;
		struct cfg c;
		struct dom d;
		bool *in;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		gen_graph_cfg(&c, &g);
		postdom_init(&d, &c);
		assert_int_equal(d.root, g.n);
		reversed(&rr, &g, &c);
		r = gen_graph_view(&rr);
		in = xcalloc(r.n, 1);
		in[g.n] = true;
		for (uint32_t b = 0; b < g.n; b++)
			in[b] = cfg_reachable(&c, b);
		check_tree(&d, &r, in);
		vec_each (&d.endless, i)
			assert_true(is_endless(&g, &c, d.endless.at[i]));
		with_endless += d.endless.n > 0;
		dom_release(&d);
		cfg_release(&c);
		gen_graph_release(&gg);
		gen_graph_release(&rr);
		free(in);
	}
	assert_true(with_endless > GRAPHS / 50);
}

/* while (1) { if (x) a; else b; } : the head is the one joined to the exit */
static void test_endless_header(void **state)
{
	static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}};
	struct gen_graph gg;
	struct graph g;
	struct cfg c;
	struct dom d;

	(void)state;
	gen_graph_edges(&gg, 4, edges, ARRAY_SIZE(edges));
	g = gen_graph_view(&gg);
	gen_graph_cfg(&c, &g);
	postdom_init(&d, &c);
	assert_int_equal(d.endless.n, 1);
	assert_int_equal(d.endless.at[0], 1);
	assert_int_equal(d.idom[1], 4);
	assert_int_equal(d.idom[2], 1);
	assert_int_equal(d.idom[3], 1);
	assert_int_equal(d.idom[0], 1);
	dom_release(&d);
	cfg_release(&c);
	gen_graph_release(&gg);
}

static void test_scc(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct gen_graph gg;
		struct graph g;
		uint32_t *comp, n, most = 0;

		gen_graph_random(&gg, seed, SIZE);
		g = gen_graph_view(&gg);
		comp = xmalloc(g.n * sizeof *comp);
		n = graph_scc(&g, comp);
		for (uint32_t a = 0; a < g.n; a++) {
			most = MAX(most, comp[a]);
			for (uint32_t b = 0; b < g.n; b++) {
				bool there = slow_path(&g, a, b, BLK_NONE);

				assert_int_equal(
					comp[a] == comp[b], there && slow_path(&g, b, a, BLK_NONE));
				if (there)
					assert_true(comp[a] >= comp[b]);
			}
		}
		assert_int_equal(most + 1, n);
		free(comp);
		gen_graph_release(&gg);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfg),
		cmocka_unit_test(test_scc),
		cmocka_unit_test(test_dominators),
		cmocka_unit_test(test_post_dominators),
		cmocka_unit_test(test_endless_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
