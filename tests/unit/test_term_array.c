/*
 * Arrays of bytes against plain lists of bytes: random chains of writes and choices, read at
 * indices that meet each other now and then; the same after substitution; and small conditions over
 * arrays decided by our solver, by Z3, by Z3 on the text, and by trying everything.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/solve.h"
#include "smt/z3_solver.h"
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VALUES = 4, CELLS = 200, SYMS = 3 };

struct list { /* an array: the last entry of an index counts */
	uint8_t rest;
	uint32_t n;
	struct {
		uint64_t at;
		uint8_t byte;
	} cell[CELLS];
};

struct entry {
	term_t t;
	u128 v[VALUES]; /* of numbers */
	struct list *l; /* of arrays: VALUES of them */
};

struct gen {
	struct terms *ts;
	struct rng r;
	VEC(struct entry) index, byte, array, flag;
	term_t sym[SYMS], base[2]; /* 3-bit symbols; array symbols */
	struct list *known[2];
	u128 sym_value[SYMS][VALUES];
};

static uint8_t list_at(const struct list *l, uint64_t at)
{
	for (uint32_t i = l->n; i--;)
		if (l->cell[i].at == at)
			return l->cell[i].byte;
	return l->rest;
}

static void list_set(struct list *l, uint64_t at, uint8_t byte)
{
	assert_true(l->n < CELLS);
	l->cell[l->n].at = at;
	l->cell[l->n++].byte = byte;
}

#define ANY(g, pool) ((g)->pool.at[rng_below(&(g)->r, (g)->pool.n)])

static void start(struct gen *g, uint64_t seed)
{
	*g = (struct gen){.ts = terms_new(), .r = rng_seed(seed)};
	for (unsigned i = 0; i < SYMS; i++) {
		struct entry e = {0}, b = {0};

		g->sym[i] = term_fresh(g->ts, "s", 3);
		e.t = term_zext(g->ts, g->sym[i], 64);
		b.t = term_zext(g->ts, g->sym[i], 8);
		for (unsigned k = 0; k < VALUES; k++)
			e.v[k] = b.v[k] = g->sym_value[i][k] = rng_below(&g->r, 8);
		vec_push(&g->index, e);
		vec_push(&g->byte, b);
	}
	for (unsigned i = 0; i < 8; i++) {
		struct entry e = {.t = term_const(g->ts, 64, i)};
		struct entry b = {.t = term_const(g->ts, 8, 100 + i)};

		for (unsigned k = 0; k < VALUES; k++) {
			e.v[k] = i;
			b.v[k] = 100 + i;
		}
		vec_push(&g->index, e);
		vec_push(&g->byte, b);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct entry e = {.t = term_fresh_array(g->ts, i ? "a" : "b")};

		g->base[i] = e.t;
		e.l = xcalloc(VALUES, sizeof *e.l);
		for (unsigned k = 0; k < VALUES; k++) {
			e.l[k].rest = (uint8_t)rng_u64(&g->r);
			for (unsigned c = 0; c < 10; c++)
				list_set(&e.l[k], rng_below(&g->r, 12), (uint8_t)rng_u64(&g->r));
		}
		g->known[i] = e.l;
		vec_push(&g->array, e);
	}
	vec_push(&g->flag, (struct entry){.t = term_bool(g->ts, true), .v = {1, 1, 1, 1}});
}

static void finish(struct gen *g)
{
	vec_each (&g->array, i)
		free(g->array.at[i].l);
	vec_release(&g->index);
	vec_release(&g->byte);
	vec_release(&g->array);
	vec_release(&g->flag);
	terms_free(g->ts);
}

static struct entry new_array(term_t t)
{
	return (struct entry){.t = t, .l = xcalloc(VALUES, sizeof(struct list))};
}

static void gen_write(struct gen *g)
{
	struct entry a = ANY(g, array), i = ANY(g, index), e;
	unsigned n = 1 + rng_below(&g->r, 3);
	term_t value = TERM_NONE;
	struct entry b[3];

	if (a.l[0].n > CELLS - 4)
		return;
	for (unsigned k = 0; k < n; k++) {
		b[k] = ANY(g, byte);
		value = k ? term_concat(g->ts, b[k].t, value) : b[k].t;
	}
	e = new_array(
		n == 1 ? term_write(g->ts, a.t, i.t, value) : term_write_n(g->ts, a.t, i.t, value));
	for (unsigned k = 0; k < VALUES; k++) {
		e.l[k] = a.l[k];
		for (unsigned m = 0; m < n; m++)
			list_set(&e.l[k], (uint64_t)i.v[k] + m, (uint8_t)b[m].v[k]);
	}
	vec_push(&g->array, e);
}

static void gen_choice(struct gen *g)
{
	struct entry c = ANY(g, flag), a = ANY(g, array), b = ANY(g, array);
	struct entry e = new_array(term_ite(g->ts, c.t, a.t, b.t));

	for (unsigned k = 0; k < VALUES; k++)
		e.l[k] = c.v[k] ? a.l[k] : b.l[k];
	vec_push(&g->array, e);
}

static void gen_fill(struct gen *g)
{
	struct entry b = ANY(g, byte), e = new_array(term_array_of(g->ts, b.t));

	for (unsigned k = 0; k < VALUES; k++)
		e.l[k].rest = (uint8_t)b.v[k];
	vec_push(&g->array, e);
}

static void gen_read(struct gen *g)
{
	struct entry a = ANY(g, array), i = ANY(g, index), e;

	e.t = term_read(g->ts, a.t, i.t);
	for (unsigned k = 0; k < VALUES; k++)
		e.v[k] = list_at(&a.l[k], (uint64_t)i.v[k]);
	vec_push(&g->byte, e);
}

static void gen_index(struct gen *g)
{
	struct entry i = ANY(g, index), j, e;
	unsigned c = rng_below(&g->r, 4);

	if (rng_chance(&g->r, 30)) { /* what was read is a place too */
		j = ANY(g, byte);
		e.t = term_and(g->ts, term_zext(g->ts, j.t, 64), term_const(g->ts, 64, 7));
		for (unsigned k = 0; k < VALUES; k++)
			e.v[k] = j.v[k] & 7;
	} else {
		e.t = term_sub(g->ts, i.t, term_const(g->ts, 64, c));
		for (unsigned k = 0; k < VALUES; k++)
			e.v[k] = (uint64_t)(i.v[k] - c);
	}
	vec_push(&g->index, e);
}

static void gen_flag(struct gen *g)
{
	struct entry i = ANY(g, index), j = ANY(g, index), e;
	bool less = rng_chance(&g->r, 50);

	e.t = less ? term_ult(g->ts, i.t, j.t) : term_eq(g->ts, i.t, j.t);
	for (unsigned k = 0; k < VALUES; k++)
		e.v[k] = less ? i.v[k] < j.v[k] : i.v[k] == j.v[k];
	vec_push(&g->flag, e);
}

static void grow(struct gen *g, unsigned steps)
{
	for (unsigned s = 0; s < steps; s++)
		switch (rng_below(&g->r, 12)) {
		case 0: gen_choice(g); break;
		case 1: gen_fill(g); break;
		case 2: gen_index(g); break;
		case 3: gen_flag(g); break;
		case 4:
		case 5:
		case 6: gen_read(g); break;
		default: gen_write(g); break;
		}
}

static void assign(const struct gen *g, unsigned k, struct term_assign *as)
{
	term_assign_clear(as);
	for (unsigned i = 0; i < SYMS; i++)
		term_assign_set(as, g->sym[i], g->sym_value[i][k]);
	for (unsigned i = 0; i < 2; i++) {
		const struct list *l = &g->known[i][k];

		term_assign_rest(as, g->base[i], l->rest);
		for (uint32_t c = 0; c < l->n; c++)
			term_assign_cell(as, g->base[i], l->cell[c].at, l->cell[c].byte);
	}
}

static void values(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct term_assign as;
		struct gen g;

		start(&g, seed);
		grow(&g, 60);
		term_assign_init(&as, g.ts);
		for (unsigned k = 0; k < VALUES; k++) {
			assign(&g, k, &as);
			vec_each (&g.byte, i)
				if (term_value(&as, g.byte.at[i].t) != g.byte.at[i].v[k])
					fail_msg("seed %lu, byte %u", (unsigned long)seed, i);
			vec_each (&g.index, i)
				assert_true(term_value(&as, g.index.at[i].t) == g.index.at[i].v[k]);
			vec_each (&g.array, i)
				for (uint64_t at = 0; at < 12; at++)
					if (term_value_at(&as, g.array.at[i].t, at) !=
						list_at(&g.array.at[i].l[k], at))
						fail_msg("seed %lu, array %u at %lu",
							(unsigned long)seed, i, (unsigned long)at);
		}
		term_assign_release(&as);
		finish(&g);
	}
}

/* symbols made constant, arrays made writes over a constant array: the values stay, and they are
 * constants then */
static void substitution(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct gen g;

		start(&g, seed + 1000);
		grow(&g, 50);
		for (unsigned k = 0; k < 2; k++) {
			struct term_subst s;
			u128 v;

			term_subst_init(&s, g.ts);
			for (unsigned i = 0; i < SYMS; i++)
				term_subst_put(
					&s, g.sym[i], term_const(g.ts, 3, g.sym_value[i][k]));
			for (unsigned i = 0; i < 2; i++) {
				const struct list *l = &g.known[i][k];
				term_t a = term_array_of(g.ts, term_const(g.ts, 8, l->rest));

				for (uint32_t c = 0; c < l->n; c++)
					a = term_write(g.ts, a, term_const(g.ts, 64, l->cell[c].at),
						term_const(g.ts, 8, l->cell[c].byte));
				term_subst_put(&s, g.base[i], a);
			}
			vec_each (&g.byte, i)
				if (!term_is_const(g.ts, term_subst(&s, g.byte.at[i].t), &v) ||
					v != g.byte.at[i].v[k])
					fail_msg("seed %lu, byte %u", (unsigned long)seed, i);
			term_subst_release(&s);
		}
		finish(&g);
	}
}

static void simplified(void **state)
{
	struct terms *ts = terms_new();
	term_t a = term_fresh_array(ts, "a"), i = term_sym(ts, "i", 64), j = term_sym(ts, "j", 64),
	       x = term_sym(ts, "x", 32), one = term_const(ts, 64, 1), w, at[5];
	struct strbuf sb = {0};
	struct vec_u32 parts = {0};

	(void)state;
	assert_true(term_is_array(ts, a));
	assert_false(term_is_array(ts, i));
	w = term_write_n(ts, a, i, x);
	assert_true(term_same(term_read_n(ts, w, i, 4), x));
	assert_true(term_same(
		term_read_n(
			ts, term_write(ts, w, term_sub(ts, i, one), term_trunc(ts, x, 8)), i, 4),
		x));
	assert_true(term_same(term_read_n(ts, w, term_add(ts, i, term_const(ts, 64, 4)), 2),
		term_read_n(ts, a, term_add(ts, i, term_const(ts, 64, 4)), 2)));
	/* another base may be the same place */
	assert_false(term_same(term_read(ts, w, j), term_read(ts, a, j)));
	assert_true(term_same(term_write(ts, a, j, term_read(ts, a, j)), a));
	/* a loop over the same places does not grow */
	for (unsigned k = 0; k < 100; k++)
		w = term_write(
			ts, w, term_add(ts, i, term_const(ts, 64, k % 8)), term_const(ts, 8, k));
	term_reach(ts, &w, 1, &parts);
	assert_true(parts.n < 40);
	term_print(&sb, ts, term_read(ts, term_write(ts, a, j, term_const(ts, 8, 1)), i));
	assert_string_equal(sb.s, "(select (store |a!0| |j| #x01) |i|)");
	strbuf_clear(&sb);
	term_print_decl(&sb, ts, a);
	assert_string_equal(sb.s, "(declare-const |a!0| (Array (_ BitVec 64) (_ BitVec 8)))\n");
	assert_int_equal(term_syms(ts, term_read(ts, a, i))->n, 2);
	for (unsigned n = 1; n <= 5; n++)
		for (unsigned width = 1; width < 5; width++) {
			term_t s = term_fresh(ts, "c", width), t;
			struct term_assign as;

			for (unsigned k = 0; k < n; k++)
				at[k] = term_const(ts, 8, 10 + k);
			t = term_choose(ts, at, n, s);
			term_assign_init(&as, ts);
			for (unsigned v = 0; v < 1u << width; v++) {
				term_assign_set(&as, s, v);
				assert_true(term_value(&as, t) == 10 + MIN(v, n - 1));
			}
			term_assign_release(&as);
		}
	vec_release(&parts);
	strbuf_release(&sb);
	terms_free(ts);
}

/* -- solving -- */

struct small {
	struct gen g;
	term_t cond[6];
	unsigned n;
	bool by_z3; /* the last answer */
};

static void small_start(struct small *s, uint64_t seed)
{
	struct terms *ts;

	start(&s->g, seed + 2000);
	ts = s->g.ts;
	grow(&s->g, 25);
	s->n = 2 + rng_below(&s->g.r, 4);
	for (unsigned i = 0; i < s->n; i++) {
		struct entry a = ANY(&s->g, byte), b = ANY(&s->g, byte);
		unsigned bit = rng_below(&s->g.r, 2);

		s->cond[i] =
			term_eq(ts, term_extract(ts, a.t, bit, 1), term_extract(ts, b.t, 0, 1));
		if (rng_chance(&s->g.r, 50))
			s->cond[i] = term_not(ts, s->cond[i]);
	}
}

static enum sat_result by(struct small *s, bool z3)
{
	struct solve *q = solve_new(s->g.ts);
	struct solve_limits l = {.eager = true, .z3_seconds = z3 ? 20 : 0, .gates = z3 ? 1 : 0};
	enum sat_result r;

	for (unsigned i = 0; i < s->n; i++)
		solve_assert(q, s->cond[i]);
	r = solve_check(q, NULL, 0, &l);
	if (r == SAT_SAT)
		for (unsigned i = 0; i < s->n; i++)
			assert_true(solve_value(q, s->cond[i]) == 1);
	s->by_z3 = solve_stats(q)->stage == SOLVE_Z3;
	solve_free(q);
	return r;
}

static enum sat_result by_text(struct small *s)
{
	struct strbuf sb = {0}, why = {0};
	struct vec_u32 parts = {0};
	enum sat_result r;

	term_reach(s->g.ts, s->cond, s->n, &parts);
	vec_each (&parts, i)
		if (term_op(s->g.ts, (term_t){parts.at[i]}) == TERM_SYM)
			term_print_decl(&sb, s->g.ts, (term_t){parts.at[i]});
	for (unsigned i = 0; i < s->n; i++) {
		strbuf_adds(&sb, "(assert ");
		term_print(&sb, s->g.ts, s->cond[i]);
		strbuf_adds(&sb, ")\n");
	}
	r = z3_check_text(sb.n ? sb.s : "", 20, &why);
	strbuf_release(&sb);
	strbuf_release(&why);
	vec_release(&parts);
	return r;
}

/* random assignments: one that satisfies contradicts "unsatisfiable" */
static bool by_chance(struct small *s)
{
	struct term_assign as;
	bool found = false;

	term_assign_init(&as, s->g.ts);
	for (unsigned tries = 0; tries < 300 && !found; tries++) {
		term_assign_clear(&as);
		for (unsigned i = 0; i < SYMS; i++)
			term_assign_set(&as, s->g.sym[i], rng_below(&s->g.r, 8));
		for (unsigned i = 0; i < 2; i++)
			for (uint64_t at = 0; at < 12; at++)
				term_assign_cell(&as, s->g.base[i], at, (uint8_t)rng_u64(&s->g.r));
		found = true;
		for (unsigned i = 0; i < s->n; i++)
			found = found && term_value(&as, s->cond[i]);
	}
	term_assign_release(&as);
	return found;
}

static void solving(void **state)
{
	unsigned sat = 0, unsat = 0, by_z3 = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 250; seed++) {
		struct small s;
		enum sat_result own, z3, text;

		small_start(&s, seed);
		own = by(&s, false);
		z3 = by(&s, true);
		by_z3 += s.by_z3;
		text = by_text(&s);
		if (own != z3 || own != text || own == SAT_UNKNOWN)
			fail_msg("seed %lu: %d %d %d", (unsigned long)seed, own, z3, text);
		if (own == SAT_UNSAT && by_chance(&s))
			fail_msg("seed %lu: unsatisfiable, but it is not", (unsigned long)seed);
		sat += own == SAT_SAT;
		unsat += own == SAT_UNSAT;
		finish(&s.g);
	}
	print_message("# %u sat, %u unsat, %u of them by Z3\n", sat, unsat, by_z3);
	assert_true(sat > 40 && unsat > 40 && by_z3 > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(substitution),
		cmocka_unit_test(simplified),
		cmocka_unit_test(solving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
