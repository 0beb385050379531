/*
 * Nothing in src/ir may be quadratic: each analysis runs on graphs of 10,000 and 100,000 blocks
 * of every shape, and parser, validator and printer on functions of half that size. Ten times the
 * size may take forty times the processor's time, which leaves room for logarithms, caches and a
 * busy machine, and is far from the hundred times of a quadratic step.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "gen_graph.h"
#include "ir/cdep.h"
#include "ir/loops.h"
#include "ir/text.h"
#include "ir/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { SMALL = 10000, GROWTH = 40 };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double analyse(enum gen_shape shape, uint32_t n)
{
	struct vec_u32 list = {0};
	struct gen_graph gg;
	struct graph g;
	struct cfg c;
	struct dom d, pd;
	struct loops l;
	struct cdep cd;
	double start;

	gen_graph_shape(&gg, shape, n);
	g = gen_graph_view(&gg);
	start = seconds();
	gen_graph_cfg(&c, &g);
	dom_init(&d, &c);
	postdom_init(&pd, &c);
	loops_init(&l, &c);
	cdep_init(&cd, &c, &pd);
	for (uint32_t b = 0; b < n; b += n / 100)
		cdep_get(&cd, b, &list);
	start = seconds() - start;
	vec_release(&list);
	cdep_release(&cd);
	loops_release(&l);
	dom_release(&pd);
	dom_release(&d);
	cfg_release(&c);
	gen_graph_release(&gg);
	return start;
}

/* the graph as a function: every block passes two values on */
static void write_function(struct strbuf *b, enum gen_shape shape, uint32_t n)
{
	struct gen_graph gg;
	bool *entered = xcalloc(n, 1);

	gen_graph_shape(&gg, shape, n);
	vec_each (&gg.to, i)
		entered[gg.to.at[i]] = true;
	strbuf_adds(b, "heddle-ir 1\nfunc @f(%r0:i32, %r1:i64) {\n");
	for (uint32_t v = 0; v < n; v++) {
		uint32_t from = gg.at.at[v], to = gg.at.at[v + 1], r = 2 + 3 * v;
		uint32_t in = entered[v] ? r : 0, last = r + 2;

		if (entered[v])
			strbuf_addf(b, "b%u(%%r%u:i32):\n", v, r);
		else
			strbuf_addf(b, "b%u:\n", v);
		strbuf_addf(b, "\t%%r%u:i32 = add %%r%u, %u\n\t%%r%u:i64 = mul %%r1, %u\n", r + 1,
			in, v, last, v);
		if (from == to)
			strbuf_adds(b, "\tret\n");
		else if (to - from == 1)
			strbuf_addf(b, "\tbr b%u(%%r%u=%%r%u)\n", gg.to.at[from],
				2 + 3 * gg.to.at[from], r + 1);
		for (uint32_t e = from; to - from > 1 && e < to; e++) {
			uint32_t t = gg.to.at[e];

			if (e == from)
				strbuf_addf(b, "\tswitch.i32 %%r%u, ", r + 1);
			else
				strbuf_addf(b, e == from + 1 ? " [%u: " : ", %u: ", e - from);
			strbuf_addf(b, "b%u(%%r%u=%u)", t, 2 + 3 * t, v);
		}
		if (to - from > 1)
			strbuf_adds(b, "]\n");
	}
	strbuf_adds(b, "}\n");
	gen_graph_release(&gg);
	free(entered);
}

static double read_and_write(enum gen_shape shape, uint32_t n)
{
	struct strbuf text = {0}, out = {0};
	struct ir_program *p;
	double start;

	write_function(&text, shape, n);
	start = seconds();
	p = ir_parse("grown", text.s, text.n);
	assert_non_null(p);
	assert_int_equal(ir_validate(p), 0);
	ir_print(&out, p);
	start = seconds() - start;
	assert_int_equal(p->funcs.at[0].blocks.n, n);
	ir_program_free(p);
	strbuf_release(&text);
	strbuf_release(&out);
	return start;
}

/* the least of a few runs, at least a millisecond */
static double best(double (*run)(enum gen_shape, uint32_t), enum gen_shape shape, uint32_t n)
{
	double t = run(shape, n), u = run(shape, n);

	return MAX(MIN(t, u), 0.001);
}

static void check_growth(double (*run)(enum gen_shape, uint32_t), uint32_t n)
{
	for (int s = 0; s < GEN_NSHAPES; s++) {
		double small = best(run, (enum gen_shape)s, n);
		double large = best(run, (enum gen_shape)s, 10 * n);

		if (large > GROWTH * small)
			fail_msg("shape %d: %.4f s for %u blocks, %.4f s for %u", s, small, n,
				large, 10 * n);
	}
}

static void test_analyses(void **state)
{
	(void)state;
	check_growth(analyse, SMALL);
}

static void test_text(void **state)
{
	(void)state;
	check_growth(read_and_write, SMALL / 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_analyses),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
