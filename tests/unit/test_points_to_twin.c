/* Whole programs, random ones and C: the solver against its slow twin on the same constraints. */
#include "base/sparse.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "facts/flow.h"
#include "facts/solver.h"
#include "gen_ir.h"
#include "import/import.h"
#include "llvm_text.h"
#include "pts_gen_c.h"
#include "pts_naive.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Calls are bound in the order in which they are found, so the two number their objects
 * differently: what they are is the same. */
static bool same_object(const struct pts_object *a, const struct pts_object *b)
{
	return a->kind == b->kind && a->func == b->func && a->insn == b->insn && a->id == b->id;
}

static bool same_loc(const struct flow *fa, struct pts_loc a, const struct flow *fb,
	struct pts_loc b)
{
	return offs_eq(a.at, b.at) &&
	       same_object(&fa->objects.at[a.object], &fb->objects.at[b.object]);
}

static void compare_node(const struct flow *fast, const struct pts_solver *s,
	const struct flow *slow, const struct naive *n, uint32_t node, uint64_t *pointers)
{
	const struct naive_set *want = &n->nodes.at[node];
	struct naive_set got = {0};
	struct sparse_iter it = {0};
	uint32_t loc, k;

	while (sparse_next(pts_set(s, node), &it, &loc))
		if (!naive_has(&got, pts_loc_of(s, loc)))
			vec_push(&got.locs, pts_loc_of(s, loc));
	assert_int_equal(got.locs.n, want->locs.n);
	vec_each (&got.locs, i) {
		for (k = 0; k < want->locs.n; k++)
			if (same_loc(fast, got.locs.at[i], slow, want->locs.at[k]))
				break;
		assert_true(k < want->locs.n);
	}
	*pointers += got.locs.n;
	vec_release(&got.locs);
}

struct tally {
	uint32_t equal, closed;
	uint64_t pointers;
};

static void compare(const struct ir_program *p, const struct points_to_options *opt,
	struct tally *t)
{
	struct flow fast, slow;
	struct pts_solver *s;
	struct naive *n;

	flow_init(&fast, p, opt);
	flow_init(&slow, p, opt);
	s = pts_solve(&fast.sys);
	n = naive_solve(&slow.sys);
	assert_true(naive_accepts(s));
	t->closed++;
	/* as in test_solver.c: with collapsed objects and copies, one solution of several */
	if (!n->ncollapsed && !s->stats.collapsed) {
		vec_each (&p->funcs, f)
			for (uint32_t r = 0; fast.funcs[f].regs && r < p->funcs.at[f].regs.n; r++)
				compare_node(&fast, s, &slow, n, fast.funcs[f].regs + r,
					&t->pointers);
		t->equal++;
	}
	pts_solver_free(s);
	naive_free(n);
	flow_release(&fast);
	flow_release(&slow);
}

static void random_ir(unsigned flags, bool open)
{
	struct points_to_options opt = {.open = open, .max_offsets = 40};
	struct tally t = {0};

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct ir_program *p = gen_ir(seed, 5 + (uint32_t)seed % 20, flags);

		compare(p, &opt, &t);
		ir_program_free(p);
	}
	print_message("# %u equal, %u closed, %llu pointers\n", t.equal, t.closed,
		(unsigned long long)t.pointers);
	assert_true(t.equal > 900 && t.pointers > 1000);
}

static void random_programs(void **state)
{
	(void)state;
	random_ir(0, false);
}

static void exotic_programs(void **state)
{
	(void)state;
	random_ir(GEN_IR_EXOTIC, false);
	random_ir(GEN_IR_EXOTIC, true);
}

static void compare_file(const char *path, struct tally *t)
{
	struct points_to_options opt = {.max_offsets = 60};
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	assert_true(llvm_compile(&bc, path, "sroa"));
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	compare(p, &opt, t);
	strbuf_release(&bc);
	ir_program_free(p);
}

static void c_programs(void **state)
{
	struct tally t = {0};
	glob_t g;

	(void)state;
	assert_int_equal(glob("tests/points_to/*.c", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		compare_file(g.gl_pathv[i], &t);
	print_message("# %u equal, %u closed, %llu pointers\n", t.equal, t.closed,
		(unsigned long long)t.pointers);
	assert_true(t.equal >= 9 && t.pointers > 400);
	globfree(&g);
}

/* many pointers in few objects: they collapse */
static void mixed_programs(void **state)
{
	char path[] = "/tmp/heddle-pts-XXXXXX.c";
	struct tally t = {0};
	int fd = mkstemps(path, 2);

	(void)state;
	close(fd);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct strbuf text = {0};
		FILE *f = fopen(path, "w");

		pts_gen_c(&text, seed);
		fputs(text.s, f);
		fclose(f);
		compare_file(path, &t);
		strbuf_release(&text);
	}
	unlink(path);
	assert_int_equal(t.closed, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(exotic_programs),
		cmocka_unit_test(c_programs),
		cmocka_unit_test(mixed_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
