/*
 * <ctype.h> in the C locale. Headers' macros read the tables, so their contents are glibc's; the
 * functions return what the macros would.
 */
#include "model.h"
#include <ctype.h>
#include <stdlib.h>
#include <wchar.h>

#define LETTER (_ISalpha | _ISalnum | _ISprint | _ISgraph)
#define DIGIT  (_ISdigit | _ISxdigit | _ISalnum | _ISprint | _ISgraph)
#define PUNCT  (_ISpunct | _ISprint | _ISgraph)

/* Bytes as signed or unsigned char, and EOF: -128 .. 255. */
static const unsigned short classes[384] = {
	[128 + 0 ... 128 + 8] = _IScntrl,
	[128 + '\t'] = _IScntrl | _ISspace | _ISblank,
	[128 + '\n' ... 128 + '\r'] = _IScntrl | _ISspace,
	[128 + 14 ... 128 + 31] = _IScntrl,
	[128 + ' '] = _ISspace | _ISblank | _ISprint,
	[128 + '!' ... 128 + '/'] = PUNCT,
	[128 + '0' ... 128 + '9'] = DIGIT,
	[128 + ':' ... 128 + '@'] = PUNCT,
	[128 + 'A' ... 128 + 'F'] = LETTER | _ISupper | _ISxdigit,
	[128 + 'G' ... 128 + 'Z'] = LETTER | _ISupper,
	[128 + '[' ... 128 + '`'] = PUNCT,
	[128 + 'a' ... 128 + 'f'] = LETTER | _ISlower | _ISxdigit,
	[128 + 'g' ... 128 + 'z'] = LETTER | _ISlower,
	[128 + '{' ... 128 + '~'] = PUNCT,
	[128 + 127] = _IScntrl,
};

#define N4(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define N16(n)   N4(n), N4((n) + 4), N4((n) + 8), N4((n) + 12)
#define N26(n)   N16(n), N4((n) + 16), N4((n) + 20), (n) + 24, (n) + 25
#define N64(n)   N16(n), N16((n) + 16), N16((n) + 32), N16((n) + 48)
#define N127(n)                                                                                    \
	N64(n), N16((n) + 64), N16((n) + 80), N16((n) + 96), N4((n) + 112), N4((n) + 116),         \
		N4((n) + 120), (n) + 124, (n) + 125, (n) + 126
/* glibc's entries for signed bytes and EOF */
#define NEGATIVE N127(128), -1

static const __int32_t lowers[384] = {
	NEGATIVE, N64(0), '@', N26('a'), N4('['), '_', '`', N26('a'), N4('{'), 127, N64(128),
	N64(192),
};

static const __int32_t uppers[384] = {
	NEGATIVE, N64(0), '@', N26('A'), N4('['), '_', '`', N26('A'), N4('{'), 127, N64(128),
	N64(192),
};

static const unsigned short *classes_at = classes + 128;
static const __int32_t *lowers_at = lowers + 128, *uppers_at = uppers + 128;

const unsigned short **__ctype_b_loc(void)
{
	return &classes_at;
}

const __int32_t **__ctype_tolower_loc(void)
{
	return &lowers_at;
}

const __int32_t **__ctype_toupper_loc(void)
{
	return &uppers_at;
}

size_t __ctype_get_mb_cur_max(void)
{
	return 1;
}

int(tolower)(int c)
{
	return c >= -128 && c < 256 ? lowers[128 + c] : c;
}

int(toupper)(int c)
{
	return c >= -128 && c < 256 ? uppers[128 + c] : c;
}

#define CLASS(name) \
	int(is##name)(int c) \
	{ \
		return classes[128 + c] & _IS##name; \
	} \
	int(is##name##_l)(int c, locale_t l) \
	{ \
		(void)l; \
		return classes[128 + c] & _IS##name; \
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

int(tolower_l)(int c, locale_t l)
{
	(void)l;
	return (tolower)(c);
}
extern int(__tolower_l)(int, locale_t) __attribute__((alias("tolower_l")));

int(toupper_l)(int c, locale_t l)
{
	(void)l;
	return (toupper)(c);
}
extern int(__toupper_l)(int, locale_t) __attribute__((alias("toupper_l")));

int(_tolower)(int c)
{
	return lowers[128 + c];
}

int(_toupper)(int c)
{
	return uppers[128 + c];
}

int(isascii)(int c)
{
	return (c & ~0x7f) == 0;
}

int(toascii)(int c)
{
	return c & 0x7f;
}

int(isctype)(int c, int mask)
{
	return classes[128 + c] & mask;
}
