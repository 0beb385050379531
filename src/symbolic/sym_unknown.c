/*
 * Decisions and addresses that depend on undefined bits. Undefined bits are symbols, so that a
 * value can have them in some of its cases only. A term depends on them if two assignments of these
 * symbols give it different values.
 */
#include "symbolic/sym.h"

#include "base/strbuf.h"
#include "base/vec.h"

static bool is_unknown(const struct terms *ts, term_t sym)
{
	return term_width(ts, sym) &&
	       !strncmp(term_name(ts, sym), SYM_UNKNOWN "!", strlen(SYM_UNKNOWN "!"));
}

/* The symbol for a second assignment of the same bits. It depends on the name only, so that the
 * same query is asked again after a fork. */
static term_t twin_symbol(struct terms *ts, term_t sym)
{
	struct strbuf name;
	term_t t;

	strbuf_init(&name);
	strbuf_addf(&name, "other %s", term_name(ts, sym));
	t = term_sym(ts, name.s, term_width(ts, sym));
	strbuf_release(&name);
	return t;
}

/* the condition that two assignments of the undefined bits give the term different values */
static term_t depends_on_unknown(struct terms *ts, term_t c, const struct term_syms *syms)
{
	struct term_subst sub;
	term_t other;

	term_subst_init(&sub, ts);
	for (uint32_t i = 0; i < syms->n; i++)
		if (is_unknown(ts, syms->at[i]))
			term_subst_put(&sub, syms->at[i], twin_symbol(ts, syms->at[i]));
	other = term_subst(&sub, c);
	term_subst_release(&sub);
	return term_ne(ts, c, other);
}

/* the term under an assignment of the undefined bits; NULL: all of them are 0 */
static term_t with_bits(struct terms *ts, term_t c, struct term_assign *as)
{
	const struct term_syms *syms = term_syms(ts, c);
	struct term_subst sub;
	term_t t;

	term_subst_init(&sub, ts);
	for (uint32_t i = 0; i < syms->n; i++)
		if (is_unknown(ts, syms->at[i]))
			term_subst_put(&sub, syms->at[i],
				term_const(ts, term_width(ts, syms->at[i]),
					as ? term_value(as, syms->at[i]) : 0));
	t = term_subst(&sub, c);
	term_subst_release(&sub);
	return t;
}

bool sym_depends(struct machine *m, term_t c, term_t *bad)
{
	struct terms *ts = m->ts;
	const struct term_syms *syms;
	bool any = false;

	if (!m->sym->unknowns)
		return false;
	syms = term_syms(ts, c);
	for (uint32_t i = 0; i < syms->n; i++)
		any |= is_unknown(ts, syms->at[i]);
	if (!any)
		return false;
	*bad = depends_on_unknown(ts, c, syms);
	return true;
}

/* Finds an assignment under which `differs` holds. ASK_NO: there is none. */
static enum ask_answer other_bits(struct sym *s, term_t differs, struct term_assign *as)
{
	enum ask_answer a = ask_may(s->ask, s->path.at, s->path.n, differs);

	if (a != ASK_YES)
		return a;
	vec_push(&s->path, differs);
	a = ask_model(s->ask, s->path.at, s->path.n, as);
	s->path.n--;
	return a == ASK_YES ? a : ASK_UNKNOWN;
}

/* Counterexample-guided: each assignment of the bits that changes the term adds the condition that
 * it does not, at most MOST times. */
enum ask_answer sym_narrow(struct machine *m, term_t c)
{
	enum { MOST = 32 };
	struct sym *s = m->sym;
	term_t plain = with_bits(m->ts, c, NULL), same;
	enum ask_answer a = ASK_UNKNOWN;
	struct term_assign as;

	term_assign_init(&as, m->ts);
	for (int i = 0; i < MOST; i++) {
		a = other_bits(s, term_ne(m->ts, c, plain), &as);
		if (a != ASK_YES) {
			a = a == ASK_NO ? ASK_YES : a;
			break;
		}
		same = term_eq(m->ts, with_bits(m->ts, c, &as), plain);
		a = ask_may(s->ask, s->path.at, s->path.n, same);
		if (a != ASK_YES)
			break;
		sym_assume(m, same);
		a = ASK_UNKNOWN;
	}
	term_assign_release(&as);
	return a;
}
