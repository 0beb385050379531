#include "smt/sat_terms.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "smt/blast.h"

#include <stdlib.h>

/* MAX_GATES: the limit of one solver. A solver of MANY_GATES or more is replaced if it has TOO_MUCH
 * times as many gates as the cone of the query has variables. */
enum { MAX_GATES = 3000000, MANY_GATES = 5000, TOO_MUCH = 3 };

struct sat_terms {
	struct terms *ts;
	struct sat *sat;
	struct blast *blast;
	struct map never; /* term -> 1: it has no circuit (floating point) */
	/* the literals of the set, in its order; the variables and leaves of its cone */
	struct vec_u32 lits, vars, leaves;
	struct term_assign *model; /* output of the current check */
};

static u128 current(const struct sat_terms *s, term_t t)
{
	u128 v = 0;

	for (unsigned i = 0; i < term_width(s->ts, t); i++)
		v |= (u128)(sat_current(s->sat, blast_bit(s->blast, t, i)) > 0) << i;
	return v;
}

static enum sat_final take_model(void *ctx)
{
	struct sat_terms *s = ctx;

	vec_each (&s->leaves, i) {
		term_t t = {s->leaves.at[i]};

		if (term_op(s->ts, t) == TERM_SYM)
			term_assign_set(s->model, t, current(s, t));
		else
			term_assign_cell(s->model, term_arg(s->ts, t, 0),
				(uint64_t)current(s, term_arg(s->ts, t, 1)),
				(uint8_t)current(s, t));
	}
	return SAT_FINAL_ACCEPT;
}

static void new_sat(struct sat_terms *s)
{
	struct sat_theory theory = {.final = take_model, .final_ctx = s};

	sat_free(s->sat);
	s->sat = sat_new();
	sat_set_theory(s->sat, &theory);
}

struct sat_terms *sat_terms_new(struct terms *ts)
{
	struct sat_terms *s = xcalloc(1, sizeof *s);

	s->ts = ts;
	new_sat(s);
	s->blast = blast_new(ts, s->sat, MAX_GATES);
	return s;
}

void sat_terms_free(struct sat_terms *s)
{
	if (!s)
		return;
	blast_free(s->blast);
	sat_free(s->sat);
	map_release(&s->never);
	vec_release(&s->lits);
	vec_release(&s->vars);
	vec_release(&s->leaves);
	free(s);
}

static const char *no_circuits(struct sat_terms *s, const struct vec_u32 *set, double until)
{
	vec_clear(&s->lits);
	vec_each (set, i)
		if (map_get(&s->never, set->at[i]))
			return "floating point";
	blast_deadline(s->blast, until);
	vec_each (set, i) {
		lit_t l = blast_lit(s->blast, (term_t){set->at[i]});

		if (l == LIT_NONE)
			switch (blast_why(s->blast)) {
			case BLAST_NEVER:
				*map_put(&s->never, set->at[i]) = 1;
				return "floating point";
			case BLAST_GATES: return "circuits too large";
			case BLAST_TIME: return "out of time";
			}
		vec_push(&s->lits, l);
	}
	return NULL;
}

/* Translates the set and computes its cone, in a new solver if most of the old one is outside the
 * cone. Returns NULL, or the reason why that is not possible. */
static const char *prepare(struct sat_terms *s, const struct vec_u32 *set, double until)
{
	for (bool fresh = !blast_gates(s->blast);; fresh = true) {
		const char *no = no_circuits(s, set, until);

		if (no && (fresh || blast_why(s->blast) != BLAST_GATES))
			return no;
		if (!no) {
			vec_clear(&s->vars);
			vec_clear(&s->leaves);
			blast_cone(s->blast, set->at, set->n, &s->vars, &s->leaves);
			if (fresh || blast_gates(s->blast) < MANY_GATES ||
				blast_gates(s->blast) < (uint64_t)s->vars.n * TOO_MUCH)
				return NULL;
		}
		new_sat(s);
		blast_restart(s->blast, s->sat);
	}
}

static void take_core(struct sat_terms *s, const struct vec_u32 *set, struct vec_u32 *core)
{
	uint32_t n;
	const lit_t *c = sat_core(s->sat, &n);

	vec_clear(core);
	vec_each (set, i)
		for (uint32_t k = 0; k < n; k++)
			if (c[k] == s->lits.at[i]) {
				vec_push(core, set->at[i]);
				break;
			}
}

enum sat_result sat_terms_check(struct sat_terms *s, const struct vec_u32 *set, double until,
	uint64_t conflicts, struct term_assign *model, struct vec_u32 *core, struct strbuf *why)
{
	const char *no = prepare(s, set, until);
	struct sat_limits limits = {.conflicts = conflicts, .seconds = until - clock_seconds()};
	enum sat_result r = SAT_UNKNOWN;

	if (!no && limits.seconds <= 0)
		no = "out of time";
	if (!no) {
		if (!s->vars.n) /* an empty focus would mean all variables */
			vec_push(&s->vars, lit_var(LIT_TRUE));
		sat_focus(s->sat, s->vars.at, s->vars.n);
		s->model = model;
		r = sat_solve(s->sat, s->lits.at, s->lits.n, &limits);
		if (r == SAT_UNKNOWN)
			no = sat_why(s->sat) == SAT_WHY_TIME ? "out of time" : "too many conflicts";
	}
	if (r == SAT_UNSAT)
		take_core(s, set, core);
	if (r == SAT_UNKNOWN)
		strbuf_addf(why, "%scircuits: %s", why->n ? "; " : "", no);
	return r;
}
