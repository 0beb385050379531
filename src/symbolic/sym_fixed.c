/*
 * Symbols, and terms over them, that the path restricts to one value. In a condition they are
 * replaced by the value: most conditions over them are constants then, and the others depend on
 * fewer inputs. Registers and memory keep the terms: the number alone does not show that an index is
 * out of the bounds of its object, if the address lies in another object.
 */
#include "symbolic/sym_internal.h"

#include "base/vec.h"
#include "smt/slice.h"
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

bool sym_is_fixed(const struct sym *s, term_t t)
{
	vec_each (&s->fixed, i)
		if (term_same(s->fixed.at[i].term, t))
			return true;
	return false;
}

/* The left side of `term == constant`; TERM_NONE if the condition is none. */
static term_t equated(const struct machine *m, term_t c, u128 *v)
{
	if (term_op(m->ts, c) != TERM_EQ)
		return TERM_NONE;
	if (term_is_const(m->ts, term_arg(m->ts, c, 0), v))
		return term_arg(m->ts, c, 1);
	return term_is_const(m->ts, term_arg(m->ts, c, 1), v) ? term_arg(m->ts, c, 0) : TERM_NONE;
}

/* A condition that is no conjunction. */
static void note_conjunct(struct machine *m, term_t c)
{
	const struct term_syms *syms = term_syms(m->ts, c);
	struct sym *s = m->sym;
	bool inputs = syms->n > 0;
	term_t t;
	u128 v;

	for (uint32_t i = 0; i < syms->n; i++)
		inputs = inputs && is_input(m, syms->at[i]);
	t = equated(m, c, &v);
	if (t.id && inputs && term_width(m->ts, t) <= 64 && !sym_is_fixed(s, t))
		vec_push(&s->fixed, (struct sym_fixed){t, (uint64_t)v});
	for (uint32_t i = 0; syms->n <= MOST_SYMBOLS && i < syms->n; i++)
		if (is_input(m, syms->at[i]) && !sym_is_fixed(s, syms->at[i]) &&
			ask_single(s->ask, s->path.at, s->path.n, syms->at[i], &v))
			vec_push(&s->fixed, (struct sym_fixed){syms->at[i], (uint64_t)v});
}

void sym_note_fixed(struct machine *m, term_t c)
{
	struct vec_u32 parts = {0};

	slice_split(m->ts, c, &parts);
	vec_each (&parts, i)
		note_conjunct(m, (term_t){parts.at[i]});
	vec_release(&parts);
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

		term_subst_put(&s->reduced, f->term,
			term_const(m->ts, term_width(m->ts, f->term), f->value));
	}
	s->nreduced = s->fixed.n;
}

static bool has_symbol(const struct term_syms *syms, term_t sym)
{
	uint32_t low = 0, high = syms->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (syms->at[mid].id < sym.id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < syms->n && term_same(syms->at[low], sym);
}

term_t sym_reduce(struct machine *m, term_t t)
{
	const struct term_syms *syms;
	struct sym *s = m->sym;
	bool any = false;

	if (!s->fixed.n)
		return t;
	syms = term_syms(m->ts, t);
	vec_each (&s->fixed, i) {
		const struct term_syms *of = term_syms(m->ts, s->fixed.at[i].term);

		any = any || has_symbol(syms, of->at[0]);
	}
	if (!any)
		return t;
	update_reduced(m);
	return term_subst(&s->reduced, t);
}
