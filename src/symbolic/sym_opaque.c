/*
 * Results of operations that have no terms (sin, fma, the remainder of floats): each is a symbol, and
 * its definition is kept. As long as it decides nothing the symbol is all that is needed. Where a
 * decision, an address or a length depends on it, its operands are concretized (sym_value()) and its
 * value is computed; so a path condition never has an opaque symbol without its value.
 */
#include "symbolic/sym_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "machine/eval.h"

term_t sym_opaque(struct machine *m, const struct symbolic_operation *op, const term_t *args)
{
	struct sym *s = m->sym;
	struct strbuf name = {0};
	struct sym_opaque o = {.in = op->in, .fn = op->fn, .n = op->n};
	uint64_t *at;

	/* conditions that are kept without the rest of their path need all operands in them */
	if (s->ops->decided || op->n > ARRAY_SIZE(o.args) || op->bits > 64)
		return TERM_NONE;
	strbuf_addf(&name, "%s%s:%u", SYM_OPAQUE, op->name, op->bits);
	for (uint32_t i = 0; i < op->n; i++) {
		o.args[i] = args[i];
		strbuf_addf(&name, "#%u", args[i].id);
	}
	o.sym = term_sym(m->ts, name.s, op->bits);
	strbuf_release(&name);
	at = map_put(&s->opaque_of, o.sym.id);
	if (!*at) {
		vec_push(&s->opaque, o);
		*at = s->opaque.n;
	}
	return o.sym;
}

static u128 compute(struct machine *m, const struct sym_opaque *o, const struct val *v)
{
	struct opnd args[ARRAY_SIZE(o->args)] = {0}, ret[2] = {0};
	struct val r[2] = {0};

	if (o->in) {
		if (eval_op(o->in, v, r) != EVAL_OK)
			BUG("an operation without terms has no value");
	} else {
		for (uint32_t i = 0; i < o->n; i++)
			args[i].v = v[i];
		o->fn(m, m->threads.at[0], args, o->n, ret);
		r[0] = ret[0].v;
	}
	return r[0].lo & term_mask(term_width(m->ts, o->sym));
}

/* Concretizes the operands and adds the value of the symbol to the path. */
static enum step settle_symbol(struct machine *m, struct thread *t, const struct sym_opaque *of)
{
	struct sym_opaque o = *of; /* the vector may grow */
	struct val v[ARRAY_SIZE(o.args)] = {0};
	u128 k;

	for (uint32_t i = 0; i < o.n; i++) {
		struct opnd a = opnd_of_term(m, o.args[i]);

		if (sym_value(m, t, a, term_width(m->ts, o.args[i]),
			    "an operand of a floating-point function that decides", SYM_VALUES,
			    &v[i]) != STEP_NEXT)
			return STEP_STOP;
	}
	k = compute(m, &o, v);
	sym_assume(m, term_eq(m->ts, o.sym, term_const(m->ts, term_width(m->ts, o.sym), k)));
	return STEP_NEXT;
}

enum step sym_settle(struct machine *m, struct thread *t, term_t v)
{
	const struct term_syms *syms;

	if (!m->sym->opaque.n)
		return STEP_NEXT;
	syms = term_syms(m->ts, v);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint64_t at = map_get_or(&m->sym->opaque_of, syms->at[i].id, 0);

		if (at && !sym_is_fixed(m->sym, syms->at[i]) &&
			settle_symbol(m, t, &m->sym->opaque.at[at - 1]) != STEP_NEXT)
			return STEP_STOP;
	}
	return STEP_NEXT;
}

bool sym_complete_model(struct machine *m, struct term_assign *as)
{
	enum { MOST = 1000 }; /* each one invalidates the values of all terms */
	const struct sym *s = m->sym;

	if (s->opaque.n > MOST)
		return false;
	vec_each (&s->opaque, i) {
		const struct sym_opaque *o = &s->opaque.at[i];
		struct val v[ARRAY_SIZE(o->args)] = {0};

		for (uint32_t k = 0; k < o->n; k++)
			v[k] = val_of(term_value(as, o->args[k]));
		term_assign_set(as, o->sym, compute(m, o, v));
	}
	return true;
}
