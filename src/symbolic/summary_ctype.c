/* Summaries of <ctype.h>, C locale: ranges of a character instead of a table. */
#include "symbolic/summary.h"

#include "base/base.h"

#include <ctype.h>
#include <string.h>

/* name, result for a member, and the members as pairs of first and last character */
static const struct {
	const char *name;
	int mask;
	const char *ranges;
	unsigned n;
} classes[] = {
#define CLASS(name, ranges) {"is" #name, _IS##name, ranges, sizeof(ranges) / 2}
	CLASS(alnum, "09AZaz"), CLASS(alpha, "AZaz"), CLASS(blank, "\t\t  "),
	CLASS(cntrl, "\0\37\177\177"), CLASS(digit, "09"), CLASS(graph, "!~"),
	CLASS(lower, "az"), CLASS(print, " ~"), CLASS(punct, "!/:@[`{~"), CLASS(space, "\t\r  "),
	CLASS(upper, "AZ"), CLASS(xdigit, "09AFaf"),
#undef CLASS
};

static term_t in_range(struct scall *s, term_t c, char first, char last)
{
	struct terms *ts = s->ts;

	return term_ult(ts, term_sub(ts, c, term_const(ts, 32, (uint8_t)first)),
		term_const(ts, 32, (uint64_t)(last - first + 1)));
}

/* The character, an int. False: it is known, or may be outside of the tables (-128 to 255). */
static bool take_character(struct scall *s, term_t *c)
{
	struct terms *ts = s->ts;
	struct sym *sym = s->m->sym;
	term_t fits;

	if (!s->args[0].t.id)
		return false;
	*c = opnd_term(s->m, s->args[0], 32);
	fits = term_ult(ts, term_add(ts, *c, term_const(ts, 32, 128)), term_const(ts, 32, 384));
	return ask_must(sym->ask, sym->path.at, sym->path.n, fits) == ASK_YES;
}

static enum step is_class(struct scall *s, unsigned k)
{
	term_t c, any = term_bool(s->ts, false);

	if (!take_character(s, &c))
		return STEP_NEXT;
	for (unsigned i = 0; i < classes[k].n; i++)
		any = term_or(s->ts, any,
			in_range(s, c, classes[k].ranges[2 * i], classes[k].ranges[2 * i + 1]));
	return scall_give(s, term_ite(s->ts, any, term_const(s->ts, 32, (uint64_t)classes[k].mask),
		term_const(s->ts, 32, 0)));
}

/* Adds `by` to letters from first to last. As in the tables of libc, -128 to -2 give c + 256, and
 * EOF gives EOF. */
static enum step change_case(struct scall *s, char first, char last, int by)
{
	struct terms *ts = s->ts;
	term_t c, other;

	if (!take_character(s, &c))
		return STEP_NEXT;
	other = term_ite(ts,
		term_ult(ts, term_add(ts, c, term_const(ts, 32, 128)), term_const(ts, 32, 127)),
		term_add(ts, c, term_const(ts, 32, 256)), c);
	return scall_give(s, term_ite(ts, in_range(s, c, first, last),
		term_add(ts, c, term_const(ts, 32, (u128)(int64_t)by)), other));
}

static enum step s_tolower(struct scall *s)
{
	return change_case(s, 'A', 'Z', 32);
}

static enum step s_toupper(struct scall *s)
{
	return change_case(s, 'a', 'z', -32);
}

#define NTH(k)                                                                                     \
	static enum step s_class_##k(struct scall *s)                                              \
	{                                                                                          \
		return is_class(s, k);                                                             \
	}
NTH(0) NTH(1) NTH(2) NTH(3) NTH(4) NTH(5) NTH(6) NTH(7) NTH(8) NTH(9) NTH(10) NTH(11)
static const summary_fn by_class[] = {
	s_class_0, s_class_1, s_class_2, s_class_3, s_class_4, s_class_5, s_class_6, s_class_7,
	s_class_8, s_class_9, s_class_10, s_class_11,
};
_Static_assert(ARRAY_SIZE(by_class) == ARRAY_SIZE(classes), "a function for each class");

summary_fn summary_ctype_find(const char *name)
{
	if (!strcmp(name, "tolower"))
		return s_tolower;
	if (!strcmp(name, "toupper"))
		return s_toupper;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(name, classes[i].name))
			return by_class[i];
	return NULL;
}
