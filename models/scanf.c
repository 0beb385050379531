/*
 * The scanf engine, on a stream or a string, with the look-ahead of glibc: before a mismatch it
 * consumes the same part of "0x", "1e" or "inf". <stdio.h> is not included: newer and older
 * ones redirect scanf to __isoc99_scanf and __isoc23_scanf (see scanf_in.c for the names).
 */
#include "model_scan.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void *__m_scan_argument(struct scan *in, const struct spec *s)
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
		k->bytes = __m_scan_argument(in, s);
		k->wide = is_wide(s) ? (wchar_t *)k->bytes : NULL;
		return MATCHED;
	}
	k->out = __m_scan_argument(in, s);
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
		/* skipped text may have any encoding; text with a bad one counts as assigned */
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
			__m_scan_store(in, s, in->taken);
		return MATCHED;
	case 'c': return scan_chars(in, s);
	case 's': return scan_word(in, s);
	case '[': return scan_set(in, s, f);
	case 'u': case 'o': case 'x': case 'X': s->flags |= UNSIGNED; break;
	case 'p': s->flags |= UNSIGNED | POINTER; break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		return __m_scan_float(in, s);
	}
	switch (s->conv) {
	case 'd': case 'u': return __m_scan_integer(in, s, 10, mode);
	case 'i': return __m_scan_integer(in, s, 0, mode);
	case 'o': return __m_scan_integer(in, s, 8, mode);
	case 'x': case 'X': case 'p': return __m_scan_integer(in, s, 16, mode);
	case 'b':
		s->flags |= UNSIGNED;
		return mode & M_SCANF_C23 ? __m_scan_integer(in, s, 2, mode) : NO_MATCH;
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
