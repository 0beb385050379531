/* Z3 as the judge of our terms and of the text we print; our reading of its models. */
#include "base/clock.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/z3_solver.h"
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
	struct terms *ts;
	struct sat *s;
	struct order *o;
	struct problem p;
	struct z3 *z3;
	struct problem_model m;
	struct vec_u32 core;
	struct strbuf why;
};

static void start(struct fixture *f)
{
	*f = (struct fixture){.ts = terms_new(), .s = sat_new()};
	f->o = order_new(f->s);
	f->p = (struct problem){.ts = f->ts, .order = f->o};
	f->z3 = z3_new(f->ts);
	problem_model_init(&f->m, f->ts);
}

static void stop(struct fixture *f)
{
	z3_free(f->z3);
	problem_release(&f->p);
	problem_model_release(&f->m);
	order_free(f->o);
	sat_free(f->s);
	terms_free(f->ts);
	vec_release(&f->core);
	strbuf_release(&f->why);
}

static enum sat_result check(struct fixture *f, const lit_t *assume, uint32_t n, double seconds)
{
	struct problem_assume with = {.lits = assume, .n = n};

	return z3_check(f->z3, &f->p, &with, clock_seconds() + seconds, false, &f->m, &f->core,
		&f->why);
}

static const char *wrong(struct fixture *f, const lit_t *assume, uint32_t n)
{
	struct problem_assume with = {.lits = assume, .n = n};

	return problem_wrong(&f->p, &with, &f->m);
}

static lit_t var(struct fixture *f)
{
	lit_t l = sat_var(f->s);

	f->p.n_vars = lit_var(l);
	return l;
}

static lit_t def(struct fixture *f, term_t t)
{
	lit_t l = var(f);

	vec_push(&f->p.defs, (struct problem_def){l, t, false});
	return l;
}

static void same_as_text(
	struct fixture *f, const lit_t *assume, uint32_t n, enum sat_result expected)
{
	struct problem_assume with = {.lits = assume, .n = n};
	struct strbuf sb = {0};
	enum sat_result r;

	problem_print(&sb, &f->p, &with);
	r = z3_check_text(sb.s, 20, &f->why);
	if (r != expected)
		print_error("%s\n%s\n", f->why.s ? f->why.s : "", sb.s);
	assert_int_equal(r, expected);
	strbuf_release(&sb);
}

/* with the symbols fixed, each term has its value and no other */
static void terms(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct fixture f;
		struct gen_term g;
		struct vec_u32 as = {0};
		unsigned k = (unsigned)(seed % GEN_VALUES);

		start(&f);
		gen_term_init(&g, f.ts, seed + 4000, seed % 3 == 0 ? 5 : seed % 3 == 1 ? 40 : 128);
		while (g.pool.n < 40)
			gen_term_step(&g);
		for (unsigned i = 0; i < GEN_SYMS; i++)
			vec_push(&as, def(&f, term_eq(f.ts, g.pool.at[i].t,
						      term_const(f.ts, g.pool.at[i].width,
							      g.pool.at[i].v[k]))));
		/* a clause: one of the terms has another value */
		vec_push(&f.p.clauses, g.pool.n);
		vec_each (&g.pool, i) {
			/* behind a new name, or the simplifier would be all there is to see */
			term_t name = term_fresh(f.ts, "v", g.pool.at[i].width);

			vec_push(&as, def(&f, term_eq(f.ts, name, g.pool.at[i].t)));
			vec_push(&f.p.clauses,
				lit_not(def(&f, term_eq(f.ts, name,
							term_const(f.ts, g.pool.at[i].width,
								g.pool.at[i].v[k])))));
		}
		assert_int_equal(check(&f, as.at, as.n, 20), SAT_UNSAT);
		if (seed < 9)
			same_as_text(&f, as.at, as.n, SAT_UNSAT);
		vec_clear(&f.p.clauses);
		assert_int_equal(check(&f, as.at, as.n, 20), SAT_SAT);
		assert_null(wrong(&f, as.at, as.n));
		if (seed < 9)
			same_as_text(&f, as.at, as.n, SAT_SAT);
		vec_release(&as);
		gen_term_release(&g);
		stop(&f);
	}
}

/* three in a circle, each literal an edge */
static void orders(void **state)
{
	struct fixture f;
	lit_t l[4];

	(void)state;
	start(&f);
	for (unsigned i = 0; i < 4; i++)
		order_node(f.o);
	for (unsigned i = 0; i < 3; i++) {
		l[i] = var(&f);
		order_attach(f.o, l[i], i, (i + 1) % 3);
	}
	l[3] = var(&f);
	assert_true(order_edge(f.o, 3, 0));
	assert_int_equal(check(&f, l, 2, 20), SAT_SAT);
	assert_null(wrong(&f, l, 2));
	assert_true(f.m.pos.at[3] < f.m.pos.at[0] && f.m.pos.at[0] < f.m.pos.at[1] &&
		    f.m.pos.at[1] < f.m.pos.at[2]);
	assert_int_equal(check(&f, l, 4, 20), SAT_UNSAT);
	assert_int_equal(f.core.n, 3);
	same_as_text(&f, l, 4, SAT_UNSAT);
	same_as_text(&f, l, 2, SAT_SAT);
	stop(&f);
}

/* a model that is none is seen */
static void wrong_models(void **state)
{
	struct fixture f;
	lit_t a, b;

	(void)state;
	start(&f);
	order_node(f.o);
	order_node(f.o);
	a = var(&f);
	order_attach(f.o, a, 1, 0);
	b = def(&f, term_ult(f.ts, term_sym(f.ts, "x", 8), term_sym(f.ts, "y", 8)));
	vec_push(&f.p.clauses, 2);
	vec_push(&f.p.clauses, a);
	vec_push(&f.p.clauses, b);
	vec_resize(&f.m.val, f.p.n_vars + 1);
	f.m.val.at[1] = 1;
	f.m.val.at[lit_var(a)] = f.m.val.at[lit_var(b)] = -1;
	vec_push(&f.m.pos, 0);
	vec_push(&f.m.pos, 1);
	f.m.has_values = true;
	assert_string_equal(wrong(&f, NULL, 0), "a clause is false");
	f.m.val.at[lit_var(a)] = 1;
	assert_string_equal(wrong(&f, NULL, 0), "the order is not one");
	f.m.pos.at[0] = 1;
	assert_string_equal(wrong(&f, NULL, 0), "the order is not one");
	f.m.pos.at[1] = 0;
	assert_null(wrong(&f, NULL, 0));
	assert_string_equal(wrong(&f, &b, 1), "an assumption is false");
	term_assign_set(&f.m.values, term_sym(f.ts, "y", 8), 1);
	assert_string_equal(wrong(&f, NULL, 0), "a literal is not the truth of its term");
	stop(&f);
}

/* factoring 2^61 - 1 takes longer than that: unknown, with a reason */
static void time_out(void **state)
{
	struct fixture f;
	lit_t l[4];
	term_t x, y;

	(void)state;
	start(&f);
	/* The product is a prime and does not overflow, so only a long proof can refute it. */
	x = term_sym(f.ts, "x", 122);
	y = term_sym(f.ts, "y", 122);
	l[0] = def(
		&f, term_eq(f.ts, term_mul(f.ts, x, y), term_const(f.ts, 122, (1ull << 61) - 1)));
	l[1] = def(&f, term_ult(f.ts, term_const(f.ts, 122, 1), x));
	l[2] = def(&f, term_ult(f.ts, x, term_const(f.ts, 122, 1ull << 60)));
	l[3] = def(&f, term_ult(f.ts, y, term_const(f.ts, 122, 1ull << 61)));
	assert_int_equal(check(&f, l, 4, 0.2), SAT_UNKNOWN);
	assert_true(f.why.n > 0);
	assert_int_equal(z3_check_text("(assert oops)", 1, &f.why), SAT_UNKNOWN);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms),
		cmocka_unit_test(orders),
		cmocka_unit_test(wrong_models),
		cmocka_unit_test(time_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
