/*
 * Decisions that depend on uninitialized bits. The bits are symbols, so that a value may have them in
 * some of its cases only; the question is whether two values of theirs lead to different outcomes.
 */
#include "exec/sym.h"

static bool is_unknown(const struct terms *ts, term_t sym)
{
	return term_width(ts, sym) &&
	       !strncmp(term_name(ts, sym), SYM_UNKNOWN "!", strlen(SYM_UNKNOWN "!"));
}

/* Another value of the same bits: always the same symbol, so that a question asked again is the same. */
static term_t twin(struct terms *ts, term_t sym)
{
	struct strbuf name;
	term_t t;

	strbuf_init(&name);
	strbuf_addf(&name, "other %s", term_name(ts, sym));
	t = term_sym(ts, name.s, term_width(ts, sym));
	strbuf_release(&name);
	return t;
}

/* Two values of the uninitialized bits and one of everything else, with different outcomes. */
static term_t depends(struct terms *ts, term_t c, const struct term_syms *syms)
{
	struct term_subst sub;
	term_t other;

	term_subst_init(&sub, ts);
	for (uint32_t i = 0; i < syms->n; i++)
		if (is_unknown(ts, syms->at[i]))
			term_subst_put(&sub, syms->at[i], twin(ts, syms->at[i]));
	other = term_subst(&sub, c);
	term_subst_release(&sub);
	return term_xor(ts, c, other);
}

/* The condition where all of the uninitialized bits are 0, or all are 1. */
static term_t with_bits(struct terms *ts, term_t c, const struct term_syms *syms, u128 bits)
{
	struct term_subst sub;
	term_t t;

	term_subst_init(&sub, ts);
	for (uint32_t i = 0; i < syms->n; i++)
		if (is_unknown(ts, syms->at[i]))
			term_subst_put(&sub, syms->at[i],
				term_const(ts, term_width(ts, syms->at[i]), bits));
	t = term_subst(&sub, c);
	term_subst_release(&sub);
	return t;
}

/* Where uninitialized bits have a way into the value at all, by the choices in it. */
static term_t reached(struct terms *ts, term_t c)
{
	struct vec_u32 all = {0};
	struct map by = {0}; /* term -> its condition */
	term_t r = term_bool(ts, false);

	term_reach(ts, &c, 1, &all);
	vec_each (&all, i) {
		term_t t = {all.at[i]}, a[3], in = term_bool(ts, false);

		for (unsigned k = 0; k < 3; k++) {
			a[k] = term_arg(ts, t, k);
			a[k].id = a[k].id ? (uint32_t)map_get_or(&by, a[k].id, 0) : in.id;
		}
		if (term_op(ts, t) == TERM_SYM)
			in = term_bool(ts, is_unknown(ts, t));
		else if (term_op(ts, t) == TERM_ITE)
			in = term_or(ts, a[0], term_ite(ts, term_arg(ts, t, 0), a[1], a[2]));
		else
			in = term_or(ts, a[0], term_or(ts, a[1], a[2]));
		*map_put(&by, t.id) = in.id;
		r = in;
	}
	map_release(&by);
	vec_release(&all);
	return r;
}

bool sym_depends(struct machine *m, term_t c, term_t *bad, term_t *clean, term_t *same)
{
	struct terms *ts = m->sym->ts;
	const struct term_syms *syms;
	bool any = false;

	if (!m->sym->unknowns)
		return false;
	syms = term_syms(ts, c);
	for (uint32_t i = 0; i < syms->n; i++)
		any |= is_unknown(ts, syms->at[i]);
	if (!any)
		return false;
	*bad = depends(ts, c, syms);
	*clean = term_not(ts, reached(ts, c));
	*same = term_eq(ts, with_bits(ts, c, syms, 0), with_bits(ts, c, syms, ~(u128)0));
	return true;
}
