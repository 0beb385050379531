/*
 * Summaries of <string.h>. Each result is a chain of ites, built from the last position to the
 * first: if the byte at this position decides the result, that result, else the result of the rest.
 */
#include "symbolic/summary.h"

#include "base/base.h"

#include <string.h>

static term_t is_zero(struct scall *s, term_t byte)
{
	return term_eq(s->ts, byte, term_const(s->ts, 8, 0));
}

static term_t number_term(struct scall *s, unsigned bits, uint64_t v)
{
	return term_const(s->ts, bits, v);
}

/*
 * Decides whether the known data is enough. `undecided` is the condition under which the model
 * reads past the end of the data. *mine is false on the side where it does.
 */
static enum step past_the_end(struct scall *s, term_t undecided, bool *mine)
{
	bool truth;

	if (sym_decide(s->m, s->t, undecided, &truth) != STEP_NEXT)
		return STEP_STOP;
	*mine = !truth;
	return STEP_NEXT;
}

/* ---- one string ------------------------------------------------------------------------------ */

struct scan {
	uint64_t addr;
	struct text x;
	bool mine; /* the summary gives the result; else the model runs */
};

/* the condition that no byte is 0 and, if `other` is given, no byte equals it */
static term_t none_ends(struct scall *s, const struct text *x, const term_t *other)
{
	term_t all = term_bool(s->ts, true);

	for (uint32_t i = 0; i < x->n; i++) {
		all = term_and(s->ts, all, term_not(s->ts, is_zero(s, x->at[i])));
		if (other)
			all = term_and(s->ts, all, term_ne(s->ts, x->at[i], *other));
	}
	return all;
}

/* Reads the string of argument 0, up to `most` bytes. `other` is the byte searched for, or NULL; if
 * it is a term, the summary also applies to known strings. */
static enum step scan_string(struct scall *s, uint64_t most, const term_t *other, struct scan *c)
{
	bool ok;

	*c = (struct scan){0};
	if (scall_known(s, 0, &c->addr, &ok) == STEP_STOP)
		return STEP_STOP;
	if (!ok || ((!other || is_known(s->ts, *other)) && text_is_known(s, c->addr)))
		return STEP_NEXT;
	text_get(s, c->addr, most, &c->x);
	c->mine = c->x.symbolic || (other && !is_known(s->ts, *other));
	if (!c->mine || c->x.closed)
		return STEP_NEXT;
	c->mine = false;
	return c->x.n && c->x.n < TEXT_MAX ? past_the_end(s, none_ends(s, &c->x, other), &c->mine)
					   : STEP_NEXT;
}

static enum step string_length(struct scall *s, uint64_t most)
{
	struct scan c;
	enum step st = scan_string(s, most, NULL, &c);
	term_t r = number_term(s, 64, c.x.n);

	if (st == STEP_NEXT && c.mine) {
		for (uint32_t i = c.x.n; i-- > 0;)
			r = term_ite(s->ts, is_zero(s, c.x.at[i]), number_term(s, 64, i), r);
		st = scall_give(s, r);
	}
	text_release(&c.x);
	return st;
}

static enum step s_strlen(struct scall *s)
{
	term_t unknown;

	if (summary_unknown_length(s, &unknown) == STEP_STOP)
		return STEP_STOP;
	if (unknown.id)
		return scall_give(s, unknown);
	return string_length(s, UINT64_MAX);
}

static enum step s_strnlen(struct scall *s)
{
	uint64_t n;
	bool ok;

	if (scall_known(s, 1, &n, &ok) == STEP_STOP)
		return STEP_STOP;
	return ok ? string_length(s, n) : STEP_NEXT;
}

/*
 * Gives a pointer into a string. In a symbolic string the pointer is concretized, one path for each
 * position, so that accesses through it have a known address. In a known string (searched for a
 * symbolic character) it stays a term: programs mostly compare it with NULL.
 */
static enum step give_place(struct scall *s, const struct text *x, term_t r)
{
	struct opnd o = opnd_of_term(s->m, r);
	struct val v;

	if (!x->symbolic)
		return scall_give(s, r);
	if (sym_value(s->m, s->t, o, 64, "an offset in a string", TEXT_MAX, &v))
		return STEP_STOP;
	return scall_give(s, number_term(s, 64, v.lo));
}

/* ---- find ------------------------------------------------------------------------------------ */

/* The character searched for: the low byte of argument 1. False: it has undefined bits. */
static bool wanted_character(struct scall *s, term_t *c)
{
	struct opnd o = s->args[1];

	if (!o.t.id && val_u128(o.u))
		return false;
	*c = opnd_term(s->m, o, 8);
	return true;
}

static enum step find_first(struct scall *s, uint64_t most, bool ends_at_nul)
{
	struct scan c;
	enum step st;
	term_t want, r;

	if (!wanted_character(s, &want))
		return STEP_NEXT;
	st = scan_string(s, most, &want, &c);
	r = number_term(s, 64, 0);
	if (st == STEP_NEXT && c.mine) {
		for (uint32_t i = c.x.n; i-- > 0;) {
			if (ends_at_nul)
				r = term_ite(
					s->ts, is_zero(s, c.x.at[i]), number_term(s, 64, 0), r);
			r = term_ite(s->ts, term_eq(s->ts, c.x.at[i], want),
				number_term(s, 64, c.addr + i), r);
		}
		st = give_place(s, &c.x, r);
	}
	text_release(&c.x);
	return st;
}

static enum step s_strchr(struct scall *s)
{
	return find_first(s, UINT64_MAX, true);
}

static enum step s_strrchr(struct scall *s)
{
	struct scan c;
	enum step st;
	term_t want, r;

	if (!wanted_character(s, &want))
		return STEP_NEXT;
	st = scan_string(s, UINT64_MAX, NULL, &c);
	r = number_term(s, 64, 0);
	if (st == STEP_NEXT && c.mine) {
		for (uint32_t i = c.x.n; i-- > 0;) {
			term_t here = term_ite(s->ts, term_eq(s->ts, c.x.at[i], want),
				number_term(s, 64, c.addr + i), number_term(s, 64, 0));

			r = term_ite(s->ts, is_zero(s, c.x.at[i]), here,
				term_ite(s->ts, term_eq(s->ts, r, number_term(s, 64, 0)), here, r));
		}
		st = give_place(s, &c.x, r);
	}
	text_release(&c.x);
	return st;
}

/* Reads up to n bytes. A 0 does not end a block, so text_get() is called for each byte. */
static enum step block_get(struct scall *s, uint64_t addr, uint64_t n, struct text *x)
{
	struct text one;

	*x = (struct text){.at = xcalloc(MIN(n, (uint64_t)TEXT_MAX) + 1, sizeof *x->at)};
	while (x->n < n && x->n < TEXT_MAX) {
		text_get(s, addr + x->n, 1, &one);
		if (one.n)
			x->at[x->n] = one.at[0];
		x->symbolic |= one.symbolic;
		x->n += one.n;
		text_release(&one);
		if (!one.n)
			break;
	}
	x->closed = x->n == n;
	return STEP_NEXT;
}

static enum step s_memchr(struct scall *s)
{
	struct text x = {0};
	uint64_t addr, n;
	term_t want, r = number_term(s, 64, 0);
	bool ok = false, has = false;
	enum step st = scall_known(s, 0, &addr, &ok);

	if (st == STEP_NEXT && ok)
		st = scall_known(s, 2, &n, &has);
	if (st != STEP_NEXT || !ok || !has || !wanted_character(s, &want) ||
		(is_known(s->ts, want) && block_is_known(s, addr, n)))
		return st;
	block_get(s, addr, n, &x);
	if (x.closed && (x.symbolic || !is_known(s->ts, want))) {
		for (uint32_t i = x.n; i-- > 0;)
			r = term_ite(s->ts, term_eq(s->ts, x.at[i], want),
				number_term(s, 64, addr + i), r);
		st = give_place(s, &x, r);
	}
	text_release(&x);
	return st;
}

/* ---- compare --------------------------------------------------------------------------------- */

typedef term_t (*folding)(struct scall *s, term_t byte);

static term_t as_it_is(struct scall *s, term_t byte)
{
	(void)s;
	return byte;
}

static term_t lower_byte(struct scall *s, term_t byte)
{
	term_t from_a = term_sub(s->ts, byte, number_term(s, 8, 'A'));

	return term_ite(s->ts, term_ult(s->ts, from_a, number_term(s, 8, 26)),
		term_add(s->ts, byte, number_term(s, 8, 32)), byte);
}

static term_t byte_difference(struct scall *s, term_t a, term_t b)
{
	return term_sub(s->ts, term_zext(s->ts, a, 32), term_zext(s->ts, b, 32));
}

/*
 * Compares the first n bytes of two texts. `strings`: a NUL ends both. `whole`: the model does not
 * read past these n bytes.
 */
static enum step compare_texts(struct scall *s, const struct text *a, const struct text *b,
	uint32_t n, bool strings, bool whole, folding fold)
{
	term_t r = number_term(s, 32, 0), go_on = term_bool(s->ts, true);
	bool mine = true;

	for (uint32_t i = 0; i < n; i++) {
		term_t same = term_eq(s->ts, fold(s, a->at[i]), fold(s, b->at[i]));

		if (strings)
			same = term_and(s->ts, same, term_not(s->ts, is_zero(s, a->at[i])));
		go_on = term_and(s->ts, go_on, same);
		if (term_same(go_on, term_bool(s->ts, false)))
			n = i + 1; /* a difference or a common end is certain here */
	}
	if (!whole && past_the_end(s, go_on, &mine) == STEP_STOP)
		return STEP_STOP;
	if (!mine)
		return STEP_NEXT;
	for (uint32_t i = n; i-- > 0;) {
		term_t x = fold(s, a->at[i]), y = fold(s, b->at[i]);
		term_t here = term_ne(s->ts, x, y);

		if (strings)
			here = term_or(s->ts, here, is_zero(s, a->at[i]));
		r = term_ite(s->ts, here, byte_difference(s, x, y), r);
	}
	return scall_give(s, r);
}

static enum step compare_args(struct scall *s, uint64_t most, bool strings, folding fold)
{
	struct text a = {0}, b = {0};
	uint64_t at, bt;
	bool aok = false, bok = false;
	enum step st = scall_known(s, 0, &at, &aok);

	if (st == STEP_NEXT && aok)
		st = scall_known(s, 1, &bt, &bok);
	if (st != STEP_NEXT || !aok || !bok)
		return st;
	if (strings ? text_is_known(s, at) && text_is_known(s, bt)
		    : block_is_known(s, at, most) && block_is_known(s, bt, most))
		return STEP_NEXT;
	if (strings) {
		text_get(s, at, most, &a);
		text_get(s, bt, most, &b);
	} else {
		block_get(s, at, most, &a);
		block_get(s, bt, most, &b);
	}
	if (a.n && b.n && a.n < TEXT_MAX && b.n < TEXT_MAX && (a.symbolic || b.symbolic)) {
		uint32_t n = MIN(a.n, b.n);
		/* a closed text that is shorter ends in a NUL: there the other differs or ends */
		bool whole = (a.n <= b.n && a.closed) || (b.n <= a.n && b.closed);

		st = compare_texts(s, &a, &b, n, strings, whole, fold);
	}
	text_release(&a);
	text_release(&b);
	return st;
}

static enum step compare_n(struct scall *s, bool strings, folding fold)
{
	uint64_t n;
	bool ok;

	if (scall_known(s, 2, &n, &ok) == STEP_STOP)
		return STEP_STOP;
	return ok && n ? compare_args(s, n, strings, fold) : STEP_NEXT;
}

static enum step s_strcmp(struct scall *s)
{
	return compare_args(s, UINT64_MAX, true, as_it_is);
}

static enum step s_strncmp(struct scall *s)
{
	return compare_n(s, true, as_it_is);
}

static enum step s_strcasecmp(struct scall *s)
{
	return compare_args(s, UINT64_MAX, true, lower_byte);
}

static enum step s_strncasecmp(struct scall *s)
{
	return compare_n(s, true, lower_byte);
}

static enum step s_memcmp(struct scall *s)
{
	return compare_n(s, false, as_it_is);
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The length of the prefix of argument 0 in (or outside) the set of argument 1, which is known. */
static enum step span_length(struct scall *s, bool in)
{
	struct text set = {0};
	struct scan c = {0};
	uint64_t at;
	bool ok;
	enum step st = scall_known(s, 1, &at, &ok);

	if (st != STEP_NEXT || !ok)
		return st;
	text_get(s, at, UINT64_MAX, &set);
	if (!set.symbolic && set.closed)
		st = scan_string(s, UINT64_MAX, NULL, &c);
	if (st == STEP_NEXT && c.mine) {
		term_t r = number_term(s, 64, c.x.n);

		for (uint32_t i = c.x.n; i-- > 0;) {
			term_t member = term_bool(s->ts, false), ends;

			for (uint32_t k = 0; k + 1 < set.n; k++)
				member = term_or(s->ts, member,
					term_eq(s->ts, c.x.at[i], set.at[k]));
			ends = term_or(s->ts, is_zero(s, c.x.at[i]),
				in ? term_not(s->ts, member) : member);
			r = term_ite(s->ts, ends, number_term(s, 64, i), r);
		}
		st = scall_give(s, r);
	}
	text_release(&set);
	text_release(&c.x);
	return st;
}

static enum step s_strspn(struct scall *s)
{
	return span_length(s, true);
}

static enum step s_strcspn(struct scall *s)
{
	return span_length(s, false);
}

static const struct {
	const char *name;
	summary_fn fn;
} table[] = {
	{"strlen", s_strlen}, {"__strnlen", s_strnlen}, {"strnlen", s_strnlen},
	{"strchr", s_strchr}, {"index", s_strchr}, {"strrchr", s_strrchr}, {"rindex", s_strrchr},
	{"memchr", s_memchr}, {"strcmp", s_strcmp}, {"strcoll", s_strcmp}, {"strncmp", s_strncmp},
	{"__strcasecmp", s_strcasecmp}, {"strcasecmp", s_strcasecmp},
	{"strncasecmp", s_strncasecmp}, {"memcmp", s_memcmp}, {"bcmp", s_memcmp},
	{"strspn", s_strspn}, {"strcspn", s_strcspn},
};

summary_fn summary_string_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return table[i].fn;
	return NULL;
}
