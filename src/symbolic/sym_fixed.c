/*
 * Symbols that the path restricts to one value. In a condition they are replaced by the value: most
 * conditions over them are constants then, and the others depend on fewer inputs. Registers and
 * memory keep the terms: the number alone does not show that an index is out of the bounds of its
 * object, if the address lies in another object.
 */
#include "symbolic/sym_internal.h"

#include "base/vec.h"
#include "symbolic/lazy.h"

#include <string.h>

enum { MOST_SYMBOLS = 4 }; /* of a condition that is looked at */

/* Whether the symbol may be replaced: undefined bits and pointers of the initial state keep their
 * meaning as symbols. */
static bool is_input(const struct machine *m, term_t sym)
{
	const struct lazy *l = m->sym->lazy;

	return term_width(m->ts, sym) && term_width(m->ts, sym) <= 64 &&
	       strncmp(term_name(m->ts, sym), SYM_UNKNOWN, strlen(SYM_UNKNOWN)) != 0 &&
	       !(l && lazy_is_pointer(l, sym));
}

static bool is_fixed(const struct sym *s, term_t sym)
{
	vec_each (&s->fixed, i)
		if (term_same(s->fixed.at[i].sym, sym))
			return true;
	return false;
}

/* The condition is `sym == constant`. */
static bool is_equation(const struct machine *m, term_t c, term_t sym, u128 *v)
{
	return term_op(m->ts, c) == TERM_EQ &&
	       ((term_same(term_arg(m->ts, c, 1), sym) &&
			term_is_const(m->ts, term_arg(m->ts, c, 0), v)) ||
		       (term_same(term_arg(m->ts, c, 0), sym) &&
			       term_is_const(m->ts, term_arg(m->ts, c, 1), v)));
}

void sym_note_fixed(struct machine *m, term_t c)
{
	const struct term_syms *syms = term_syms(m->ts, c);
	struct sym *s = m->sym;
	u128 v;

	for (uint32_t i = 0; syms->n <= MOST_SYMBOLS && i < syms->n; i++)
		if (is_input(m, syms->at[i]) && !is_fixed(s, syms->at[i]) &&
			(is_equation(m, c, syms->at[i], &v) ||
				ask_single(s->ask, s->path.at, s->path.n, syms->at[i], &v)))
			vec_push(&s->fixed, (struct sym_fixed){syms->at[i], (uint64_t)v});
}

static void update_reduced(struct machine *m)
{
	struct sym *s = m->sym;

	if (s->nreduced == s->fixed.n)
		return;
	if (s->reduced.ts)
		term_subst_release(&s->reduced);
	term_subst_init(&s->reduced, m->ts);
	vec_each (&s->fixed, i) {
		const struct sym_fixed *f = &s->fixed.at[i];

		term_subst_put(&s->reduced, f->sym,
			term_const(m->ts, term_width(m->ts, f->sym), f->value));
	}
	s->nreduced = s->fixed.n;
}

term_t sym_reduce(struct machine *m, term_t t)
{
	const struct term_syms *syms;
	struct sym *s = m->sym;
	bool any = false;

	if (!s->fixed.n)
		return t;
	syms = term_syms(m->ts, t);
	for (uint32_t i = 0; i < syms->n; i++)
		any |= is_fixed(s, syms->at[i]);
	if (!any)
		return t;
	update_reduced(m);
	return term_subst(&s->reduced, t);
}
