/* <wctype.h> in the C locale: the classes of <ctype.h>, and nothing beyond ASCII. */
#include "model.h"
#include <ctype.h>
#include <string.h>
#include <wctype.h>

/* A wctype_t is the mask of the class, a wctrans_t 1 or 2. */
static const struct {
	const char *name;
	wctype_t mask;
} classes[] = {
	{"alnum", _ISalnum}, {"alpha", _ISalpha}, {"blank", _ISblank}, {"cntrl", _IScntrl},
	{"digit", _ISdigit}, {"graph", _ISgraph}, {"lower", _ISlower}, {"print", _ISprint},
	{"punct", _ISpunct}, {"space", _ISspace}, {"upper", _ISupper}, {"xdigit", _ISxdigit},
};
static const __int32_t to_lower = 1, to_upper = 2;

static int is(wint_t c, wctype_t mask)
{
	return c < 0x80 && (*__ctype_b_loc())[c] & mask;
}

#define CLASS(name) \
	int isw##name(wint_t c) \
	{ \
		return is(c, _IS##name); \
	} \
	int isw##name##_l(wint_t c, locale_t l) \
	{ \
		(void)l; \
		return is(c, _IS##name); \
	}

CLASS(alnum)
CLASS(alpha)
CLASS(blank)
CLASS(cntrl)
CLASS(digit)
CLASS(graph)
CLASS(lower)
CLASS(print)
CLASS(punct)
CLASS(space)
CLASS(upper)
CLASS(xdigit)

wctype_t wctype(const char *name)
{
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].mask;
	return 0;
}

int iswctype(wint_t c, wctype_t class)
{
	return is(c, class);
}

wint_t towlower(wint_t c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

wint_t towupper(wint_t c)
{
	return c >= 'a' && c <= 'z' ? c - 32 : c;
}

wctrans_t wctrans(const char *name)
{
	return strcmp(name, "tolower") == 0   ? &to_lower
	       : strcmp(name, "toupper") == 0 ? &to_upper
					      : NULL;
}

wint_t towctrans(wint_t c, wctrans_t map)
{
	return map == &to_lower ? towlower(c) : map == &to_upper ? towupper(c) : c;
}
