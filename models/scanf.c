/*
 * The scanf engine, on a stream or a string, with the look-ahead that glibc has: what it consumes
 * of "0x", "1e" or "inf" before a mismatch, we consume. <stdio.h> is not included: newer and older
 * ones redirect scanf to __isoc99_scanf and __isoc23_scanf (see scanf_in.c for the names).
 */
#include "model_convert.h"
#include "model_scanf.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define END (-1)

enum outcome { MATCHED, NO_MATCH, NO_INPUT, BAD_ENCODING, NO_MEMORY };

enum {
	SUPPRESS = 1 << 0,
	ALLOCATE = 1 << 1,
	GROUP = 1 << 2,
	POINTER = 1 << 3,
	UNSIGNED = 1 << 4,
};
enum length { LEN_NONE, LEN_CHAR, LEN_SHORT, LEN_LONG, LEN_LLONG, LEN_LDOUBLE };

struct scan {
	FILE *fp;      /* or NULL and */
	const char *s; /* the rest of the string */
	int c;         /* last character got; END stays */
	int end_errno;
	long taken;    /* characters */
	int done;      /* assignments */
	va_list ap, first;
	struct m_strbuf { /* text of a number */
		char *p, local[64];
		size_t n, size;
	} text;
	struct owned { /* results of %m, freed if input ends before the first assignment is complete */
		char **p;
		struct owned *next;
	} *owned;
};

struct spec {
	int flags;
	enum length length;
	int width; /* -1: none */
	int arg;   /* %n$ */
	char conv;
};

/* ---- characters -------------------------------------------------------------------------- */

M_INLINE int get(struct scan *in)
{
	if (in->c == END) {
		errno = in->end_errno;
		return END;
	}
	if (in->fp)
		in->c = m_getc(in->fp);
	else
		in->c = *in->s ? (unsigned char)*in->s++ : END;
	if (in->c == END)
		in->end_errno = errno;
	else
		in->taken++;
	return in->c;
}

static void unget(struct scan *in, int c)
{
	if (c == END)
		return;
	if (in->fp)
		__m_ungetc(in->fp, c);
	else
		in->s--;
	in->taken--;
}

M_INLINE int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

M_INLINE bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

M_INLINE bool is_hex(int c)
{
	return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

static void text_add(struct scan *in, int c)
{
	struct m_strbuf *t = &in->text;

	if (t->n + 1 >= t->size) {
		char *p = __heddle_alloc(t->size * 2, 1, false);
		__builtin_memcpy(p, t->p, t->n);
		if (t->p != t->local)
			__heddle_free(t->p);
		t->p = p;
		t->size *= 2;
	}
	t->p[t->n++] = (char)c;
	t->p[t->n] = '\0';
}

static void *argument(struct scan *in, const struct spec *s)
{
	va_list ap;
	void *p = NULL;

	if (!s->arg)
		return va_arg(in->ap, void *);
	va_copy(ap, in->first);
	for (int i = 0; i < s->arg; i++)
		p = va_arg(ap, void *);
	va_end(ap);
	return p;
}

/* ---- parsing ----------------------------------------------------------------------------- */

static int number(const char **f)
{
	int64_t n = 0;

	for (; is_digit(**f); ++*f)
		if (n <= INT_MAX)
			n = n * 10 + (**f - '0');
	return n <= INT_MAX ? (int)n : INT_MAX;
}

#if __GLIBC_PREREQ(2, 38)
static const char *parse_bits(const char *f, struct spec *s)
{
	bool fast = *f == 'f';
	int bits;

	f += fast;
	bits = number(&f);
	switch (bits) {
	case 8: s->length = LEN_CHAR; break;
	case 16: s->length = fast ? LEN_LONG : LEN_SHORT; break;
	case 32: s->length = fast ? LEN_LONG : LEN_NONE; break;
	case 64: s->length = LEN_LONG; break;
	default: return "";
	}
	return f;
}
#endif

static const char *parse_length(const char *f, struct spec *s, unsigned mode)
{
	switch (*f) {
	case 'h':
		s->length = f[1] == 'h' ? LEN_CHAR : LEN_SHORT;
		return f + 1 + (f[1] == 'h');
	case 'l':
		s->length = f[1] == 'l' ? LEN_LLONG : LEN_LONG;
		return f + 1 + (f[1] == 'l');
	case 'q':
	case 'L':
		s->length = LEN_LDOUBLE;
		return f + 1;
	case 'j':
	case 'z':
	case 't':
		s->length = LEN_LONG;
		return f + 1;
	case 'm':
		s->flags |= ALLOCATE;
		if (f[1] == 'l') {
			s->length = LEN_LONG;
			f++;
		}
		return f + 1;
	case 'a':
		if (!(mode & M_SCANF_GNU_A) || !(f[1] == 's' || f[1] == 'S' || f[1] == '['))
			return f;
		s->flags |= ALLOCATE;
		return f + 1;
#if __GLIBC_PREREQ(2, 38)
	case 'w': return parse_bits(f + 1, s);
#endif
	}
	return f;
}

/* f behind '%'; returns behind the conversion character. */
static const char *parse_spec(const char *f, struct spec *s, unsigned mode)
{
	__builtin_memset(s, 0, sizeof *s);
	s->width = -1;
	if (is_digit(*f)) {
		s->width = number(&f);
		if (*f == '$') {
			s->arg = s->width;
			s->width = -1;
			f++;
		}
	}
	for (; s->width < 0; f++) {
		if (*f == '*')
			s->flags |= SUPPRESS;
		else if (*f == '\'')
			s->flags |= GROUP;
		else if (*f != 'I')
			break;
	}
	if (s->width < 0 && is_digit(*f))
		s->width = number(&f);
	if (s->width == 0)
		s->width = -1;
	f = parse_length(f, s, mode);
	s->conv = *f;
	if (s->conv == 'S' || s->conv == 'C') {
		s->conv = (char)lower(s->conv);
		s->length = LEN_LONG;
	}
	return *f ? f + 1 : f;
}

static bool is_wide(const struct spec *s)
{
	return s->length == LEN_LONG || s->length == LEN_LLONG;
}

/* ---- text -------------------------------------------------------------------------------- */

/* Where the characters of %c, %s and %[ go. */
struct sink {
	char *bytes;
	wchar_t *wide;
	char **out; /* of ALLOCATE */
	size_t n, room;
};

static enum outcome sink_open(struct scan *in, const struct spec *s, struct sink *k)
{
	struct owned *o;

	*k = (struct sink){0};
	if (s->flags & SUPPRESS)
		return MATCHED;
	if (!(s->flags & ALLOCATE)) {
		k->bytes = argument(in, s);
		k->wide = is_wide(s) ? (wchar_t *)k->bytes : NULL;
		return MATCHED;
	}
	k->out = argument(in, s);
	k->room = 100;
	*k->out = k->bytes = malloc(k->room * (is_wide(s) ? sizeof(wchar_t) : 1));
	k->wide = is_wide(s) ? (wchar_t *)k->bytes : NULL;
	if (!k->bytes)
		return NO_MEMORY;
	o = __heddle_alloc(sizeof *o, _Alignof(struct owned), false);
	*o = (struct owned){k->out, in->owned};
	in->owned = o;
	return MATCHED;
}

static enum outcome sink_resize(struct sink *k, size_t room)
{
	char *p = realloc(k->bytes, room * (k->wide ? sizeof(wchar_t) : 1));

	if (!p)
		return NO_MEMORY;
	*k->out = k->bytes = p;
	if (k->wide)
		k->wide = (wchar_t *)p;
	k->room = room;
	return MATCHED;
}

static enum outcome sink_put(struct sink *k, const struct spec *s, int c)
{
	if (is_wide(s) && c > 0x7f)
		return BAD_ENCODING;
	if (k->out && k->n == k->room && sink_resize(k, k->room * 2))
		return NO_MEMORY;
	if (k->wide)
		k->wide[k->n++] = c;
	else if (k->bytes)
		k->bytes[k->n++] = (char)c;
	return MATCHED;
}

static enum outcome sink_close(struct scan *in, struct sink *k, const struct spec *s, bool nul)
{
	enum outcome r = nul ? sink_put(k, s, '\0') : MATCHED;

	if (r == MATCHED && k->out && k->n < k->room)
		r = sink_resize(k, k->n);
	if (!(s->flags & SUPPRESS))
		in->done++;
	return r;
}

static enum outcome scan_chars(struct scan *in, const struct spec *s)
{
	int width = s->width < 0 ? 1 : s->width;
	struct sink k;
	enum outcome r = sink_open(in, s, &k);

	if (r != MATCHED)
		return r;
	if (get(in) == END)
		return NO_INPUT;
	do {
		r = sink_put(&k, s, in->c);
		if (r != MATCHED)
			return r;
	} while (--width > 0 && get(in) != END);
	return sink_close(in, &k, s, false);
}

static enum outcome scan_word(struct scan *in, const struct spec *s)
{
	int width = s->width;
	struct sink k;
	enum outcome r = sink_open(in, s, &k);

	if (r != MATCHED)
		return r;
	if (get(in) == END)
		return NO_INPUT;
	do {
		if (m_space(in->c)) {
			unget(in, in->c);
			break;
		}
		r = sink_put(&k, s, in->c);
		if (r != MATCHED)
			return r;
	} while ((width <= 0 || --width > 0) && get(in) != END);
	return sink_close(in, &k, s, true);
}

/* f behind '['; fills set and returns behind the closing bracket, or NULL. */
static const char *parse_set(const char *f, bool set[256], bool *inverted)
{
	__builtin_memset(set, 0, 256);
	*inverted = *f == '^';
	f += *inverted;
	if (*f == ']' || *f == '-')
		set[(unsigned char)*f++] = true;
	for (; *f && *f != ']'; f++) {
		if (*f == '-' && f[1] && f[1] != ']' && (unsigned char)f[-1] <= (unsigned char)f[1])
			for (unsigned c = (unsigned char)f[-1]; c < (unsigned char)f[1]; c++)
				set[c] = true;
		else
			set[(unsigned char)*f] = true;
	}
	return *f ? f + 1 : NULL;
}

static enum outcome scan_set(struct scan *in, const struct spec *s, const char **f)
{
	int width = s->width < 0 ? INT_MAX : s->width;
	bool set[256], inverted;
	long before = in->taken;
	struct sink k;
	enum outcome r = sink_open(in, s, &k);

	if (r != MATCHED)
		return r;
	*f = parse_set(*f, set, &inverted);
	if (!*f)
		return NO_MATCH;
	if (get(in) == END)
		return NO_INPUT;
	do {
		if (set[in->c] == inverted) {
			unget(in, in->c);
			break;
		}
		/* skipped text need not be text in any encoding; broken text counts as assigned */
		r = s->flags & SUPPRESS ? MATCHED : sink_put(&k, s, in->c);
		if (r == BAD_ENCODING)
			in->done++;
		if (r != MATCHED)
			return r;
	} while (--width > 0 && get(in) != END);
	if (in->taken == before)
		return NO_MATCH;
	return sink_close(in, &k, s, true);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static void store_integer(struct scan *in, const struct spec *s, long v)
{
	void *p = argument(in, s);

	if (s->flags & POINTER) {
		*(long *)p = v;
		return;
	}
	switch (s->length) {
	case LEN_CHAR: *(signed char *)p = (signed char)v; break;
	case LEN_SHORT: *(short *)p = (short)v; break;
	case LEN_NONE: *(int *)p = (int)v; break;
	default: *(long *)p = v; break;
	}
}

/* Takes one more character, counting down the width. */
M_INLINE int next(struct scan *in, int *width)
{
	if (*width > 0)
		--*width;
	return get(in);
}

/* "0", "0x", "0b" at the front; settles the base. */
static int scan_prefix(struct scan *in, int *width, int base, unsigned mode)
{
	if (*width == 0 || in->c != '0')
		return base ? base : 10;
	text_add(in, '0');
	next(in, width);
	if (*width != 0 && lower(in->c) == 'x' && (base == 0 || base == 16)) {
		next(in, width);
		return 16;
	}
	if (mode & M_SCANF_C23 && *width != 0 && lower(in->c) == 'b' && (base == 0 || base == 2)) {
		next(in, width);
		return 2;
	}
	return base ? base : 8;
}

M_INLINE bool base_digit(int c, int base)
{
	return base == 16 ? is_hex(c) : is_digit(c) && c - '0' < base;
}

/* The rest of "(nil)" after nothing else was read. */
static bool scan_nil(struct scan *in, const struct spec *s, int width)
{
	static const char rest[] = "nil)";

	if (!(s->flags & POINTER) || in->text.n || !(width < 0 || width >= 5) || in->c != '(')
		return false;
	for (int i = 0; rest[i]; i++)
		if (lower(get(in)) != rest[i])
			return false;
	text_add(in, '0');
	return true;
}

static enum outcome scan_integer(struct scan *in, const struct spec *s, int base, unsigned mode)
{
	int width = s->width;
	char *end;
	long v;

	if (get(in) == END)
		return NO_INPUT;
	if (in->c == '-' || in->c == '+') {
		text_add(in, in->c);
		next(in, &width);
	}
	base = scan_prefix(in, &width, base, mode);
	while (in->c != END && width != 0 && base_digit(in->c, base)) {
		text_add(in, in->c);
		next(in, &width);
	}
	if (in->text.n == 0 || (in->text.n == 1 && !is_hex(in->text.p[0]))) {
		if (!scan_nil(in, s, width)) {
			unget(in, in->c);
			return NO_MATCH;
		}
	} else {
		unget(in, in->c);
	}
	v = s->flags & UNSIGNED ? (long)__m_strtoul(in->text.p, &end, base, 0)
				: __m_strtol(in->text.p, &end, base, 0);
	if (in->text.p == end)
		return NO_MATCH;
	if (!(s->flags & SUPPRESS)) {
		store_integer(in, s, v);
		in->done++;
	}
	return MATCHED;
}

static bool scan_letters(struct scan *in, int *width, const char *rest)
{
	for (; *rest; rest++) {
		if (*width == 0 || get(in) == END || lower(in->c) != *rest)
			return false;
		if (*width > 0)
			--*width;
		text_add(in, in->c);
	}
	return true;
}

#if __GLIBC_PREREQ(2, 41)
/* "(letters, digits, _)" behind "nan": nothing, or all of it */
static bool scan_payload(struct scan *in, int *width)
{
	if (*width == 0 || get(in) == END)
		return true;
	if (in->c != '(') {
		unget(in, in->c);
		return true;
	}
	for (;;) {
		if (*width > 0)
			--*width;
		text_add(in, in->c);
		if (in->c == ')')
			return true;
		if (*width == 0 || get(in) == END)
			return false;
		if (!is_digit(in->c) && !(lower(in->c) >= 'a' && lower(in->c) <= 'z') && in->c != '_' &&
			in->c != ')')
			return false;
	}
}
#endif

/* "nan", "inf", "infinity" */
static bool scan_name(struct scan *in, int *width)
{
	bool inf = lower(in->c) == 'i';

	text_add(in, in->c);
	if (!scan_letters(in, width, inf ? "nf" : "an"))
		return false;
#if __GLIBC_PREREQ(2, 41)
	if (!inf)
		return scan_payload(in, width);
#endif
	if (!inf || *width == 0 || get(in) == END)
		return true;
	if (lower(in->c) != 'i') {
		unget(in, in->c);
		return true;
	}
	if (*width > 0)
		--*width;
	text_add(in, in->c);
	return scan_letters(in, width, "nity");
}

static void scan_digits(struct scan *in, int *width, bool hex, bool digit)
{
	char mark = hex ? 'p' : 'e';
	bool dot = false, exponent = false;

	for (;;) {
		int c = in->c;
		if (is_digit(c) || (!exponent && hex && is_hex(c))) {
			text_add(in, c);
			digit = true;
		} else if (exponent && in->text.p[in->text.n - 1] == mark && (c == '-' || c == '+')) {
			text_add(in, c);
		} else if (digit && !exponent && lower(c) == mark) {
			text_add(in, mark);
			exponent = dot = true;
		} else if (!dot && c == '.') {
			text_add(in, c);
			dot = true;
		} else {
			unget(in, c);
			return;
		}
		if (*width == 0 || get(in) == END)
			return;
		if (*width > 0)
			--*width;
	}
}

static bool store_float(struct scan *in, const struct spec *s)
{
	int range = 0;
	float f;
	double d;
	long double l;
	size_t n;

	if (s->length == LEN_LLONG || s->length == LEN_LDOUBLE)
		n = __heddle_parse_ldouble(in->text.p, &l, &range);
	else if (s->length == LEN_LONG)
		n = __heddle_parse_double(in->text.p, &d, &range);
	else
		n = __heddle_parse_float(in->text.p, &f, &range);
	if (range)
		errno = ERANGE;
	if (!n)
		return false;
	if (s->flags & SUPPRESS)
		return true;
	if (s->length == LEN_LLONG || s->length == LEN_LDOUBLE)
		*(long double *)argument(in, s) = l;
	else if (s->length == LEN_LONG)
		*(double *)argument(in, s) = d;
	else
		*(float *)argument(in, s) = f;
	in->done++;
	return true;
}

static enum outcome scan_float(struct scan *in, const struct spec *s)
{
	int width = s->width;
	size_t sign = 0;
	bool hex = false, zero = false;

	if (next(in, &width) == END)
		return NO_INPUT;
	if (in->c == '-' || in->c == '+') {
		sign = 1;
		text_add(in, in->c);
		if (width == 0 || get(in) == END)
			return NO_MATCH;
		if (width > 0)
			width--;
	}
	if (lower(in->c) == 'n' || lower(in->c) == 'i') {
		if (!scan_name(in, &width))
			return NO_MATCH;
		return store_float(in, s) ? MATCHED : NO_MATCH;
	}
	if (width != 0 && in->c == '0') {
		text_add(in, '0');
		next(in, &width);
		hex = width != 0 && lower(in->c) == 'x';
		zero = !hex;
		if (hex) {
			text_add(in, in->c);
			next(in, &width);
		}
	}
	scan_digits(in, &width, hex, zero);
	if (in->text.n == sign || (hex && in->text.n == 2 + sign))
		return NO_MATCH;
	return store_float(in, s) ? MATCHED : NO_MATCH;
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void skip_space(struct scan *in)
{
	do
		get(in);
	while (m_space(in->c));
	unget(in, in->c);
}

static enum outcome match_literal(struct scan *in, int c, bool *skip)
{
	if (get(in) == END)
		return NO_INPUT;
	while (*skip && m_space(in->c))
		if (get(in) == END)
			return NO_INPUT;
	*skip = false;
	if (in->c == c)
		return MATCHED;
	unget(in, in->c);
	return NO_MATCH;
}

static enum outcome convert(struct scan *in, struct spec *s, const char **f, unsigned mode)
{
	bool no_skip = false;

	in->text.n = 0;
	in->text.p[0] = '\0';
	switch (s->conv) {
	case '%': return match_literal(in, '%', &no_skip);
	case 'n':
		if (!(s->flags & SUPPRESS))
			store_integer(in, s, in->taken);
		return MATCHED;
	case 'c': return scan_chars(in, s);
	case 's': return scan_word(in, s);
	case '[': return scan_set(in, s, f);
	case 'u': case 'o': case 'x': case 'X': s->flags |= UNSIGNED; break;
	case 'p': s->flags |= UNSIGNED | POINTER; break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		return scan_float(in, s);
	}
	switch (s->conv) {
	case 'd': case 'u': return scan_integer(in, s, 10, mode);
	case 'i': return scan_integer(in, s, 0, mode);
	case 'o': return scan_integer(in, s, 8, mode);
	case 'x': case 'X': case 'p': return scan_integer(in, s, 16, mode);
	case 'b':
		s->flags |= UNSIGNED;
		return mode & M_SCANF_C23 ? scan_integer(in, s, 2, mode) : NO_MATCH;
	}
	return NO_MATCH;
}

static enum outcome walk(struct scan *in, const char *f, unsigned mode)
{
	bool skip = false;
	enum outcome r = MATCHED;

	while (r == MATCHED && *f) {
		struct spec s;
		if (m_space((unsigned char)*f)) {
			skip = true;
			f++;
			continue;
		}
		if (*f != '%') {
			r = match_literal(in, (unsigned char)*f++, &skip);
			continue;
		}
		f = parse_spec(f + 1, &s, mode);
		if (skip || (s.conv != '[' && s.conv != 'c' && s.conv != 'n')) {
			int error = errno;
			errno = 0;
			skip_space(in);
			errno = error;
		}
		skip = false;
		r = convert(in, &s, &f, mode);
	}
	if (skip && r == MATCHED)
		skip_space(in);
	return r;
}

static int finish(struct scan *in, enum outcome r)
{
	if (r == BAD_ENCODING)
		errno = EILSEQ;
	if (r == NO_MEMORY)
		errno = ENOMEM;
	if (r == NO_MEMORY || (r == NO_INPUT && in->done == 0))
		in->done = -1;
	while (in->owned) {
		struct owned *o = in->owned;
		in->owned = o->next;
		if (in->done < 0) {
			free(*o->p);
			*o->p = NULL;
		}
		__heddle_free(o);
	}
	if (in->text.p != in->text.local)
		__heddle_free(in->text.p);
	va_end(in->ap);
	va_end(in->first);
	return in->done;
}

static int scan(struct scan *in, const char *format, va_list ap, unsigned mode)
{
	in->text.p = in->text.local;
	in->text.size = sizeof in->text.local;
	in->text.n = 0;
	in->c = 0;
	in->taken = in->done = 0;
	in->owned = NULL;
	va_copy(in->ap, ap);
	va_copy(in->first, ap);
	return finish(in, walk(in, format, mode));
}

int __m_vsscanf(const char *s, const char *format, va_list ap, unsigned mode)
{
	struct scan in;

	in.fp = NULL;
	in.s = s;
	return scan(&in, format, ap, mode);
}

int __m_vfscanf(FILE *fp, const char *format, va_list ap, unsigned mode)
{
	struct scan in;
	int r;

	in.fp = fp;
	m_lock(fp);
	r = scan(&in, format, ap, mode);
	m_unlock(fp);
	return r;
}
