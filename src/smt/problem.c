#include "smt/problem.h"

#include <stdlib.h>

void problem_release(struct problem *p)
{
	vec_release(&p->clauses);
	vec_release(&p->defs);
}

void problem_model_init(struct problem_model *m, const struct terms *ts)
{
	*m = (struct problem_model){0};
	term_assign_init(&m->values, ts);
}

void problem_model_release(struct problem_model *m)
{
	vec_release(&m->val);
	vec_release(&m->pos);
	term_assign_release(&m->values);
}

static bool clauses_hold(const struct problem *p, const struct problem_model *m)
{
	for (uint32_t at = 0; at < p->clauses.n;) {
		uint32_t n = p->clauses.at[at++];
		bool ok = false;

		for (uint32_t i = 0; i < n; i++)
			ok = ok || problem_true(m, p->clauses.at[at + i]);
		if (!ok)
			return false;
		at += n;
	}
	return true;
}

static bool order_holds(const struct problem *p, const struct problem_model *m)
{
	struct vec_u32 places = {0};
	bool ok = true;

	for (uint32_t i = 0; i < problem_n_edges(p); i++) {
		struct order_edge_info e = order_edge_at(p->order, i);

		if (problem_true(m, e.lit) && m->pos.at[e.a] >= m->pos.at[e.b])
			return false;
	}
	/* total: the positions are 0 .. n - 1, each once */
	vec_each (&m->pos, i)
		vec_push(&places, m->pos.at[i]);
	vec_u32_sort(&places, 0);
	vec_each (&places, i)
		ok = ok && places.at[i] == i;
	vec_release(&places);
	return ok && m->pos.n == problem_n_nodes(p);
}

static bool terms_hold(
	const struct problem *p, const struct problem_assume *with, struct problem_model *m)
{
	vec_each (&p->defs, i) {
		struct problem_def d = p->defs.at[i];
		bool lit = problem_true(m, d.lit), term = term_value(&m->values, d.term);

		if (d.only_if ? lit && !term : lit != term)
			return false;
	}
	for (uint32_t i = 0; i < with->n_terms; i++)
		if (!term_value(&m->values, (term_t){with->terms[i]}))
			return false;
	return true;
}

const char *problem_wrong(
	const struct problem *p, const struct problem_assume *with, struct problem_model *m)
{
	if (m->val.n <= p->n_vars)
		return "a variable has no value";
	if (m->val.at[lit_var(LIT_TRUE)] <= 0)
		return "true is false";
	for (uint32_t i = 0; i < with->n; i++)
		if (!problem_true(m, with->lits[i]))
			return "an assumption is false";
	if (!clauses_hold(p, m))
		return "a clause is false";
	if (!order_holds(p, m))
		return "the order is not one";
	if (m->has_values && !terms_hold(p, with, m))
		return "a literal is not the truth of its term";
	return NULL;
}

static void print_lit(struct strbuf *sb, lit_t l)
{
	if (l == LIT_TRUE || l == LIT_FALSE)
		strbuf_adds(sb, l == LIT_TRUE ? "true" : "false");
	else
		strbuf_addf(sb, lit_negated(l) ? "(not b%u)" : "b%u", lit_var(l));
}

static void print_symbols(
	struct strbuf *sb, const struct problem *p, const struct problem_assume *with)
{
	struct vec_u32 parts = {0};
	VEC(term_t) roots = {0};

	vec_each (&p->defs, i)
		vec_push(&roots, p->defs.at[i].term);
	for (uint32_t i = 0; i < with->n_terms; i++)
		vec_push(&roots, (term_t){with->terms[i]});
	term_reach(p->ts, roots.at, roots.n, &parts);
	vec_each (&parts, i)
		if (term_op(p->ts, (term_t){parts.at[i]}) == TERM_SYM)
			term_print_decl(sb, p->ts, (term_t){parts.at[i]});
	vec_release(&parts);
	vec_release(&roots);
}

void problem_print(
	struct strbuf *sb, const struct problem *p, const struct problem_assume *with)
{
	for (uint32_t v = lit_var(LIT_TRUE) + 1; v <= p->n_vars; v++)
		strbuf_addf(sb, "(declare-const b%u Bool)\n", v);
	for (uint32_t i = 0; i < problem_n_nodes(p); i++)
		strbuf_addf(sb, "(declare-const n%u Int)\n", i);
	print_symbols(sb, p, with);
	for (uint32_t i = 0; i < problem_n_edges(p); i++) {
		struct order_edge_info e = order_edge_at(p->order, i);

		strbuf_adds(sb, "(assert (=> ");
		print_lit(sb, e.lit);
		strbuf_addf(sb, " (< n%u n%u)))\n", e.a, e.b);
	}
	for (uint32_t at = 0; at < p->clauses.n;) {
		uint32_t size = p->clauses.at[at++];

		strbuf_adds(sb, "(assert (or false");
		for (uint32_t i = 0; i < size; i++) {
			strbuf_addc(sb, ' ');
			print_lit(sb, p->clauses.at[at + i]);
		}
		strbuf_adds(sb, "))\n");
		at += size;
	}
	vec_each (&p->defs, i) {
		strbuf_adds(sb, p->defs.at[i].only_if ? "(assert (=> " : "(assert (= ");
		print_lit(sb, p->defs.at[i].lit);
		strbuf_addc(sb, ' ');
		term_print(sb, p->ts, p->defs.at[i].term);
		strbuf_adds(sb, "))\n");
	}
	for (uint32_t i = 0; i < with->n; i++) {
		strbuf_adds(sb, "(assert ");
		print_lit(sb, with->lits[i]);
		strbuf_adds(sb, ")\n");
	}
	for (uint32_t i = 0; i < with->n_terms; i++) {
		strbuf_adds(sb, "(assert ");
		term_print(sb, p->ts, (term_t){with->terms[i]});
		strbuf_adds(sb, ")\n");
	}
	strbuf_adds(sb, "(check-sat)\n");
}
