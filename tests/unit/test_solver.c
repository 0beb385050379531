/* The solver of inclusion constraints against its slow twin, over random systems. */
#include "base/base.h"
#include "base/sparse.h"
#include "base/vec.h"
#include "facts/solver.h"
#include "pts_naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

/* A system with functions: each has a parameter and a result, each site an argument and a result. */
struct world {
	struct pts_system sys;
	uint32_t param[4], ret[4], first_func;
	uint32_t arg[8], res[8];
};

static void bind(void *ctx, uint32_t site, uint32_t object)
{
	struct world *w = ctx;
	struct pts_system *sys = &w->sys;

	if (object == PTS_EXTERNAL) {
		pts_copy(sys, sys->escaped, w->arg[site]);
		pts_copy(sys, w->res[site], sys->external);
	} else {
		pts_copy(sys, w->param[object - w->first_func], w->arg[site]);
		pts_copy(sys, w->res[site], w->ret[object - w->first_func]);
	}
}

struct shape {
	bool bulk, shifts, outside;
	uint32_t max_offsets;
};

static struct offs random_place(void)
{
	return rnd(4) ? offs_exact(rnd(2) ? 0 : 8 * rnd(4)) : offs_index(OFFS_ZERO, 8 << rnd(3), 0);
}

static struct pts_xform random_xform(const struct shape *sh)
{
	struct pts_xform x = {.kind = PTS_SHIFT};

	switch (rnd(sh->shifts ? 8 : 4)) {
	case 0: return PTS_X_UNKNOWN;
	case 1: return (struct pts_xform){.kind = PTS_INDEX, .c = 8 * (1 + rnd(4))};
	case 2: return (struct pts_xform){.kind = PTS_ROUND, .c = 8};
	case 3: return (struct pts_xform){.kind = PTS_INDEX, .c = 8, .bound = 1 + rnd(4)};
	case 4: return (struct pts_xform){.kind = PTS_TAG, .c = 1 + rnd(3)};
	default: x.c = ((int64_t)rnd(9) - 3) * (rnd(5) ? 8 : 4);
	}
	return x;
}

static uint32_t random_width(void)
{
	static const uint8_t widths[] = {8, 8, 8, 8, 4, 1, 16};

	return widths[rnd(ARRAY_SIZE(widths))];
}

static void random_constraint(struct world *w, uint32_t nodes, uint32_t objects, uint32_t temps,
	const struct shape *sh)
{
	struct pts_system *sys = &w->sys;
	uint32_t a = 4 + rnd(nodes - 3), b = 4 + rnd(nodes - 3), temp = objects + rnd(MAX(temps, 1));
	uint32_t object = 1 + rnd(objects - 1);

	if (sh->outside && !rnd(20))
		a = sys->escaped;
	if (sh->outside && !rnd(20))
		b = rnd(2) ? sys->escaped : sys->external;
	switch (rnd(sh->bulk ? 13 : 10)) {
	case 0:
	case 1: pts_addr(sys, a, object, random_place()); break;
	case 2:
	case 3: pts_copy(sys, a, b); break;
	case 4:
	case 5: pts_move(sys, a, b, random_xform(sh)); break;
	case 6:
	case 7: pts_load(sys, a, b, random_width()); break;
	case 8:
	case 9: pts_store(sys, a, b, random_width()); break;
	case 10: pts_fetch(sys, temp, a, rnd(3) ? 8 + 8 * rnd(3) : PTS_ALL); break;
	case 11: pts_put(sys, a, temp, rnd(3) ? 8 + 8 * rnd(3) : PTS_ALL); break;
	case 12: pts_call(sys, 1 + rnd(7), a); break;
	}
}

static void build(struct world *w, const struct shape *sh, uint64_t seed)
{
	static const uint8_t sizes[] = {4, 8, 16, 24, 64};
	uint32_t nodes, objects, temps = 0;

	*w = (struct world){0};
	rng = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
	pts_system_init(&w->sys);
	w->sys.bind = bind;
	w->sys.ctx = w;
	w->sys.max_offsets = sh->max_offsets;
	for (uint32_t i = 3 + rnd(25); i--;)
		pts_add_node(&w->sys);
	for (uint32_t i = 2 + rnd(7); i--;)
		pts_add_object(&w->sys, rnd(8) ? PTS_PLAIN : rnd(2) ? PTS_READONLY : PTS_TEXT,
			rnd(2) ? UINT64_MAX : sizes[rnd(5)], rnd(2) ? 16 : 4);
	w->first_func = w->sys.objects.n;
	for (int i = 0; i < 4; i++) {
		pts_add_object(&w->sys, PTS_CODE, 1, 1);
		w->param[i] = 4 + rnd(w->sys.nnodes - 4);
		w->ret[i] = 4 + rnd(w->sys.nnodes - 4);
	}
	nodes = w->sys.nnodes - 1;
	objects = w->sys.objects.n;
	w->arg[0] = w->sys.external;
	w->res[0] = w->sys.escaped;
	for (int i = 1; i < 8; i++) {
		w->arg[i] = 4 + rnd(nodes - 3);
		w->res[i] = 4 + rnd(nodes - 3);
	}
	for (; sh->bulk && temps < 3; temps++)
		pts_add_object(&w->sys, PTS_IN_FLIGHT, UINT64_MAX, 1);
	for (uint32_t i = rnd(4); i--;) {
		uint32_t o = 1 + rnd(w->first_func - 1), target = 1 + rnd(objects - 1);

		if (w->sys.objects.at[o].memory != PTS_TEXT)
			pts_init(&w->sys, o, offs_exact(8 * rnd(3)), target, random_place());
	}
	for (uint32_t i = 5 + rnd(60); i--;)
		random_constraint(w, nodes, objects, temps, sh);
}

/* the fast set as plain locations, doubles left out */
static void plain(const struct pts_solver *s, uint32_t node, struct naive_set *out)
{
	struct sparse_iter it = {0};
	uint32_t loc;

	while (sparse_next(pts_set(s, node), &it, &loc))
		if (!naive_has(out, pts_loc_of(s, loc)))
			vec_push(&out->locs, pts_loc_of(s, loc));
}

struct tally {
	uint32_t equal, closed, pointers, collapsed;
};

static void compare(const struct shape *sh, uint64_t seed, struct tally *t)
{
	struct world fast, slow;
	struct pts_solver *s;
	struct naive *n;

	build(&fast, sh, seed);
	build(&slow, sh, seed);
	s = pts_solve(&fast.sys);
	n = naive_solve(&slow.sys);
	assert_true(naive_accepts(s));
	t->closed++;
	t->collapsed += s->stats.collapsed;
	/* The offsets of bytes in flight depend on whether their object had collapsed when they
	 * left; then the solution is one of several, and only known to be closed. */
	if (!sh->bulk || !(n->ncollapsed || s->stats.collapsed)) {
		assert_int_equal(n->ncollapsed, s->stats.collapsed);
		vec_each (&n->nodes, i) {
			struct naive_set got = {0};

			plain(s, i, &got);
			vec_each (&n->nodes.at[i].locs, k)
				assert_true(naive_has(&got, n->nodes.at[i].locs.at[k]));
			assert_int_equal(got.locs.n, n->nodes.at[i].locs.n);
			t->pointers += got.locs.n;
			vec_release(&got.locs);
		}
		t->equal++;
	}
	pts_solver_free(s);
	naive_free(n);
	pts_system_release(&fast.sys);
	pts_system_release(&slow.sys);
}

static void run(const struct shape *sh, uint64_t rounds, struct tally *t)
{
	for (uint64_t seed = 1; seed <= rounds; seed++)
		compare(sh, seed, t);
	print_message("# %u equal, %u closed, %u pointers, %u objects collapsed\n", t->equal,
		t->closed, t->pointers, t->collapsed);
}

static void plain_pointers(void **state)
{
	struct shape sh = {.max_offsets = 12};
	struct tally t = {0};

	(void)state;
	run(&sh, 800, &t);
	assert_true(t.pointers > 20000);
}

static void with_the_world_outside(void **state)
{
	struct shape sh = {.outside = true, .max_offsets = 12};
	struct tally t = {0};

	(void)state;
	run(&sh, 800, &t);
	assert_true(t.pointers > 20000);
}

static void collapsing_objects(void **state)
{
	struct shape sh = {.shifts = true, .outside = true, .max_offsets = 6};
	struct tally t = {0};

	(void)state;
	run(&sh, 800, &t);
	assert_true(t.pointers > 20000 && t.collapsed > 300);
}

static void bulk_copies(void **state)
{
	struct shape sh = {.bulk = true, .shifts = true, .outside = true, .max_offsets = 10};
	struct tally t = {0};

	(void)state;
	run(&sh, 800, &t);
	assert_true(t.equal > 300 && t.closed - t.equal > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_pointers),
		cmocka_unit_test(with_the_world_outside),
		cmocka_unit_test(collapsing_objects),
		cmocka_unit_test(bulk_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
