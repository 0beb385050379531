/* Z3 for many sets of terms, in one context. */
#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "smt/z3_solver.h"
#include "smt/z3_terms.h"

#include "base/clock.h"
#include "smt/term_float.h"

#include <stdlib.h>

/* After that many queries or terms the context is replaced: it frees its terms only when it is
 * deleted. */
enum { MAX_QUESTIONS = 20000, MAX_TERMS = 1000000 };

struct z3_sets {
	struct terms *ts;
	struct z3_terms t;
	uint32_t questions;
	struct map floats; /* term -> 2 if it contains floating-point operations, else 1 */
};

static void ignore_error(Z3_context c, Z3_error_code e)
{
	(void)c;
	(void)e;
}

static void begin(struct z3_sets *z)
{
	Z3_config config = Z3_mk_config();

	z->t = (struct z3_terms){.c = Z3_mk_context(config), .ts = z->ts};
	Z3_del_config(config);
	Z3_set_error_handler(z->t.c, ignore_error);
	z->questions = 0;
}

static void end(struct z3_sets *z)
{
	if (z->t.c)
		Z3_del_context(z->t.c);
	vec_release(&z->t.ast);
	vec_release(&z->t.number);
	z->t.c = NULL;
}

struct z3_sets *z3_sets_new(struct terms *ts)
{
	struct z3_sets *z = xcalloc(1, sizeof *z);

	z->ts = ts;
	return z;
}

void z3_sets_free(struct z3_sets *z)
{
	if (!z)
		return;
	end(z);
	map_release(&z->floats);
	free(z);
}

static bool failed(struct z3_sets *z, struct strbuf *why)
{
	Z3_error_code e = Z3_get_error_code(z->t.c);

	if (e == Z3_OK)
		return false;
	strbuf_addf(why, "%sz3: %s", why->n ? "; " : "", Z3_get_error_msg(z->t.c, e));
	return true;
}

static void limit(struct z3_sets *z, Z3_solver s, double seconds)
{
	Z3_params params = Z3_mk_params(z->t.c);

	Z3_params_inc_ref(z->t.c, params);
	Z3_params_set_uint(z->t.c, params, Z3_mk_string_symbol(z->t.c, "timeout"),
		(unsigned)MAX(1.0, seconds * 1000));
	Z3_solver_set_params(z->t.c, s, params);
	Z3_params_dec_ref(z->t.c, params);
}

static void read_model(
	struct z3_sets *z, Z3_solver s, const struct vec_u32 *set, struct term_assign *as)
{
	Z3_model m = Z3_solver_get_model(z->t.c, s);

	Z3_model_inc_ref(z->t.c, m);
	vec_each (set, i) {
		const struct term_syms *syms = term_syms(z->ts, (term_t){set->at[i]});

		for (uint32_t k = 0; k < syms->n; k++)
			if (!map_get(&as->sym, syms->at[k].id) &&
				!map_get(&as->array, syms->at[k].id))
				z3_read_symbol(&z->t, m, syms->at[k], as);
	}
	Z3_model_dec_ref(z->t.c, m);
}

static enum sat_result check(struct z3_sets *z, Z3_solver s, const struct vec_u32 *set,
	struct term_assign *as, struct strbuf *why)
{
	Z3_lbool r;

	vec_each (set, i)
		Z3_solver_assert(z->t.c, s, z3_term(&z->t, (term_t){set->at[i]}));
	if (failed(z, why))
		return SAT_UNKNOWN;
	r = Z3_solver_check(z->t.c, s);
	if (failed(z, why))
		return SAT_UNKNOWN;
	if (r == Z3_L_UNDEF)
		strbuf_addf(why, "%sz3: %s", why->n ? "; " : "",
			Z3_solver_get_reason_unknown(z->t.c, s));
	if (r == Z3_L_TRUE)
		read_model(z, s, set, as);
	if (failed(z, why))
		return SAT_UNKNOWN;
	return r == Z3_L_TRUE ? SAT_SAT : r == Z3_L_FALSE ? SAT_UNSAT : SAT_UNKNOWN;
}

static bool has_floats(struct z3_sets *z, const struct vec_u32 *set)
{
	struct vec_u32 parts = {0};
	bool any = false;

	for (uint32_t i = 0; i < set->n && !any; i++) {
		uint64_t *at = map_put(&z->floats, set->at[i]);

		if (!*at) {
			*at = 1;
			vec_clear(&parts);
			term_reach(z->ts, &(term_t){set->at[i]}, 1, &parts);
			vec_each (&parts, k)
				if (term_op_is_float(term_op(z->ts, (term_t){parts.at[k]})))
					*at = 2;
		}
		any = *at == 2;
	}
	vec_release(&parts);
	return any;
}

/* One run of Z3. Without preprocessing (`prepare` is false) Z3 is ten times faster on small
 * queries; with preprocessing it is better on hard ones, and on all queries with floating point. */
static enum sat_result run(struct z3_sets *z, bool prepare, const struct vec_u32 *set,
	double seconds, struct term_assign *model, struct strbuf *why)
{
	Z3_solver s = prepare ? Z3_mk_solver(z->t.c) : Z3_mk_simple_solver(z->t.c);
	enum sat_result r;

	Z3_solver_inc_ref(z->t.c, s);
	limit(z, s, seconds);
	r = check(z, s, set, model, why);
	Z3_solver_dec_ref(z->t.c, s);
	return r;
}

enum sat_result z3_sets_check(struct z3_sets *z, const struct vec_u32 *set, double seconds,
	struct term_assign *model, struct strbuf *why)
{
	double until = clock_seconds() + seconds, left;
	enum sat_result r;
	struct strbuf first = {0};

	if (z->t.c && (z->questions > MAX_QUESTIONS || z->t.made > MAX_TERMS))
		end(z);
	if (!z->t.c)
		begin(z);
	z->questions++;
	r = has_floats(z, set) ? SAT_UNKNOWN : run(z, false, set, seconds / 3, model, &first);
	left = until - clock_seconds();
	if (r == SAT_UNKNOWN && left > 0)
		r = run(z, true, set, left, model, why);
	else if (r == SAT_UNKNOWN)
		strbuf_addf(why, "%s%s", why->n ? "; " : "", first.s ? first.s : "z3: unknown");
	strbuf_release(&first);
	return r;
}
