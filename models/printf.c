/*
 * The printf engine. A conversion is parsed into struct spec, its argument fetched into union
 * value, then printed. Formats with %n$ are walked twice: first for the types of all arguments.
 * Floating point is formatted by the machine.
 */
#include "model_printf.h"
#include <stdio.h>
#include <string.h>
#include <wchar.h>

const char *__m_error_name(int error); /* strerror.c */

enum length { LEN_NONE, LEN_CHAR, LEN_SHORT, LEN_LONG, LEN_LLONG, LEN_LDOUBLE };

struct spec {
	bool left, plus, space, alt, zero, group, i18n;
	int width, prec;             /* prec -1: none given */
	int arg, width_arg, prec_arg; /* %n$: 1.., 0 = the next argument; -1 = no argument */
	enum length length;
	char conv;
};

union value {
	intmax_t i;
	double d;
	long double ld;
	void *p;
};

enum { NARGS_MAX = 64 }; /* of formats with %n$ */

/* ---- output ------------------------------------------------------------------------------ */

static void put(struct m_out *o, const char *s, size_t n)
{
	FILE *fp = o->fp;

	o->total += n;
	if (fp) {
		if (fp->_IO_write_end - fp->_IO_write_ptr >= (ptrdiff_t)n) {
			__builtin_memcpy(fp->_IO_write_ptr, s, n);
			fp->_IO_write_ptr += n;
		} else if (n && __m_sputn(fp, s, n) != n) {
			o->failed = true;
		}
		return;
	}
	if (n > o->room)
		n = o->room;
	if (n) {
		__builtin_memcpy(o->ptr, s, n);
		o->ptr += n;
		o->room -= n;
	}
}

/* Byte by byte, as in glibc: this determines where a full buffer is flushed. */
static void put_bytes(struct m_out *o, const char *s, size_t n)
{
	if (!o->fp) {
		put(o, s, n);
		return;
	}
	o->total += n;
	for (size_t i = 0; i < n; i++)
		if (m_putc(s[i], o->fp) < 0)
			o->failed = true;
}

static void pad(struct m_out *o, char c, int64_t n)
{
	char block[16];

	if (n <= 0)
		return;
	if (!o->fp) {
		size_t k = (size_t)n < o->room ? (size_t)n : o->room;
		o->total += (uint64_t)n;
		if (k) {
			__builtin_memset(o->ptr, c, k);
			o->ptr += k;
			o->room -= k;
		}
		return;
	}
	__builtin_memset(block, c, sizeof block);
	for (; n > (int64_t)sizeof block && !o->failed; n -= sizeof block)
		put(o, block, sizeof block);
	put(o, block, (size_t)n);
}

static void put_padded(struct m_out *o, const struct spec *s, const char *text, size_t n)
{
	if (!s->left)
		pad(o, ' ', s->width - (int64_t)n);
	put(o, text, n);
	if (s->left)
		pad(o, ' ', s->width - (int64_t)n);
}

/* ---- parsing ----------------------------------------------------------------------------- */

/* A decimal number; -1 if it does not fit in an int. */
static int number(const char **f)
{
	int64_t n = 0;

	for (; **f >= '0' && **f <= '9'; ++*f)
		if (n <= INT_MAX)
			n = n * 10 + (**f - '0');
	return n <= INT_MAX ? (int)n : -1;
}

/* "n$" at *f: n, and *f behind it; else 0. */
static int position(const char **f)
{
	const char *p = *f;
	int n;

	if (*p < '0' || *p > '9')
		return 0;
	n = number(&p);
	if (*p != '$')
		return 0;
	*f = p + 1;
	return n;
}

static const char *parse_flags(const char *f, struct spec *s)
{
	for (;; f++) {
		switch (*f) {
		case '-': s->left = true; break;
		case '+': s->plus = true; break;
		case ' ': s->space = true; break;
		case '#': s->alt = true; break;
		case '0': s->zero = true; break;
		case '\'': s->group = true; break;
		case 'I': s->i18n = true; break;
		default: return f;
		}
	}
}

#if __GLIBC_PREREQ(2, 38)
/* wN, wfN: the type of N bits, the fast type of N bits */
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
	default: return NULL;
	}
	return f;
}
#endif

static const char *parse_length(const char *f, struct spec *s)
{
	switch (*f) {
	case 'h':
		s->length = f[1] == 'h' ? LEN_CHAR : LEN_SHORT;
		return f + 1 + (f[1] == 'h');
	case 'l':
		s->length = f[1] == 'l' ? LEN_LLONG : LEN_LONG;
		return f + 1 + (f[1] == 'l');
	case 'L':
	case 'q':
		s->length = LEN_LDOUBLE;
		return f + 1;
	case 'z':
	case 'Z':
	case 't':
	case 'j':
		s->length = LEN_LONG;
		return f + 1;
#if __GLIBC_PREREQ(2, 38)
	case 'w': return parse_bits(f + 1, s);
#endif
	}
	return f;
}

/* '*' or digits; -1 with errno if the number is too large. */
static int parse_count(const char **f, int *n, int *arg)
{
	if (**f == '*') {
		++*f;
		*arg = position(f);
		return 0;
	}
	*n = number(f);
	return *n < 0 ? m_fail(EOVERFLOW) : 0;
}

/* f behind '%'. Returns behind the conversion, NULL with errno for a broken one. */
static const char *parse_spec(const char *f, struct spec *s)
{
	/* no compound literal: it would copy undefined padding */
	__builtin_memset(s, 0, sizeof *s);
	s->prec = s->width_arg = s->prec_arg = -1;
	if (*f < 'a') { /* flags, digits and the point are below 'a'; most conversions are not */
		s->arg = position(&f);
		f = parse_flags(f, s);
		if ((*f == '*' || (*f >= '1' && *f <= '9')) &&
			parse_count(&f, &s->width, &s->width_arg))
			return NULL;
		if (*f == '.') {
			f++;
			if (parse_count(&f, &s->prec, &s->prec_arg))
				return NULL;
		}
	}
	f = parse_length(f, s);
	if (!f || !*f) {
		errno = EINVAL;
		return NULL;
	}
	s->conv = *f;
	if (s->conv == 'S' || s->conv == 'C') {
		s->conv = s->conv == 'S' ? 's' : 'c';
		s->length = LEN_LONG;
	}
	return f + 1;
}

/* ---- arguments --------------------------------------------------------------------------- */

/* How an argument is passed. */
enum kind { KIND_NONE, KIND_INT, KIND_LONG, KIND_POINTER, KIND_DOUBLE, KIND_LDOUBLE };

M_INLINE bool is_long(const struct spec *s)
{
	return s->length == LEN_LONG || s->length == LEN_LLONG;
}

static enum kind kind_of(const struct spec *s)
{
	switch (s->conv) {
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'b': case 'B':
		return s->length >= LEN_LONG ? KIND_LONG : KIND_INT;
	case 'c': return KIND_INT;
	case 's': case 'p': case 'n': return KIND_POINTER;
	case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
		return s->length >= LEN_LLONG ? KIND_LDOUBLE : KIND_DOUBLE;
	}
	return KIND_NONE;
}

struct args {
	va_list ap;
	union value *positional; /* those of a format with %n$ */
};

static void fetch(struct args *a, enum kind k, union value *v)
{
	switch (k) {
	case KIND_NONE: break;
	case KIND_INT: v->i = va_arg(a->ap, int); break;
	case KIND_LONG: v->i = va_arg(a->ap, long); break;
	case KIND_POINTER: v->p = va_arg(a->ap, void *); break;
	case KIND_DOUBLE: v->d = va_arg(a->ap, double); break;
	case KIND_LDOUBLE: v->ld = va_arg(a->ap, long double); break;
	}
}

static void note_kind(enum kind *kinds, int *n, int arg, enum kind k)
{
	if (arg <= 0 || k == KIND_NONE)
		return;
	if (arg > NARGS_MAX)
		__heddle_unmodelled("printf with more than 64 positional arguments");
	kinds[arg - 1] = k;
	if (arg > *n)
		*n = arg;
}

/* Fetches all arguments of a format with %n$, in the order in which they were passed. */
static int fetch_all(struct args *a, const char *f)
{
	enum kind kinds[NARGS_MAX] = {KIND_NONE};
	struct spec s;
	int n = 0;

	for (;;) {
		while (*f && *f != '%')
			f++;
		if (!*f)
			break;
		f = parse_spec(f + 1, &s);
		if (!f)
			return -1;
		note_kind(kinds, &n, s.arg, kind_of(&s));
		note_kind(kinds, &n, s.width_arg, KIND_INT);
		note_kind(kinds, &n, s.prec_arg, KIND_INT);
	}
	a->positional = __heddle_alloc((size_t)n * sizeof(union value), 16, false);
	if (!a->positional)
		return m_fail(ENOMEM);
	for (int i = 0; i < n; i++)
		fetch(a, kinds[i] == KIND_NONE ? KIND_INT : kinds[i], &a->positional[i]);
	return 0;
}

static void argument(struct args *a, int at, enum kind k, union value *v)
{
	if (at > 0 && a->positional)
		*v = a->positional[at - 1];
	else
		fetch(a, k, v);
}

/* Width and precision given as arguments. */
static int counts(struct args *a, struct spec *s)
{
	union value v;

	if (s->width_arg >= 0) {
		argument(a, s->width_arg, KIND_INT, &v);
		if (v.i < 0)
			s->left = true;
		if ((int)v.i == INT_MIN)
			return m_fail(EOVERFLOW);
		s->width = v.i < 0 ? (int)-v.i : (int)v.i;
	}
	if (s->prec_arg >= 0) {
		argument(a, s->prec_arg, KIND_INT, &v);
		s->prec = v.i < 0 ? -1 : (int)v.i;
	}
	if (s->left)
		s->zero = false;
	return 0;
}

/* ---- integers ---------------------------------------------------------------------------- */

/* Writes the digits of u backwards from end; returns the first. A separate function: it has a
 * summary. */
char *__m_digits(uintmax_t u, char conv, char *end);
char *__m_digits(uintmax_t u, char conv, char *end)
{
	const char *set = conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned shift = conv == 'o' ? 3 : conv == 'b' || conv == 'B' ? 1 : 4;

	if (conv == 'u')
		for (; u; u /= 10)
			*--end = (char)('0' + u % 10);
	else
		for (; u; u >>= shift)
			*--end = set[u & ((1u << shift) - 1)];
	return end;
}

/* sign is the text before the digits, or "". */
static void put_number(struct m_out *o, const struct spec *s, uintmax_t u, char conv,
	const char *sign)
{
	char buf[64];
	char *d = __m_digits(u, conv, buf + sizeof buf);
	int64_t n = buf + sizeof buf - d, signs = (int64_t)strlen(sign), zeros, spaces;

	zeros = (s->prec < 0 ? 1 : s->prec) - n;
	if (conv == 'o' && s->alt && zeros <= 0 && (u || s->prec == 0))
		zeros = 1;
	if (zeros < 0)
		zeros = 0;
	spaces = s->width - n - zeros - signs;
	if (s->zero && s->prec < 0 && spaces > 0) {
		zeros += spaces;
		spaces = 0;
	}
	if (!s->left)
		pad(o, ' ', spaces);
	put_bytes(o, sign, (size_t)signs);
	pad(o, '0', zeros);
	put(o, d, (size_t)n);
	if (s->left)
		pad(o, ' ', spaces);
}

static intmax_t narrow(const struct spec *s, intmax_t i, bool sign)
{
	switch (s->length) {
	case LEN_CHAR: return sign ? (signed char)i : (unsigned char)i;
	case LEN_SHORT: return sign ? (short)i : (unsigned short)i;
	case LEN_NONE: return sign ? (int)i : (intmax_t)(unsigned)i;
	default: return i;
	}
}

M_INLINE const char *sign_of(const struct spec *s, bool negative)
{
	return negative ? "-" : s->plus ? "+" : s->space ? " " : "";
}

static void put_signed(struct m_out *o, const struct spec *s, intmax_t i)
{
	i = narrow(s, i, true);
	put_number(o, s, i < 0 ? -(uintmax_t)i : (uintmax_t)i, 'u', sign_of(s, i < 0));
}

static void put_unsigned(struct m_out *o, const struct spec *s, intmax_t i)
{
	uintmax_t u = (uintmax_t)narrow(s, i, false);
	char prefix[3] = {'0', s->conv, '\0'};

	put_number(o, s, u, s->conv, u && s->alt && s->conv != 'u' && s->conv != 'o' ? prefix : "");
}

static void put_pointer(struct m_out *o, const struct spec *s, const void *p)
{
	const char *prefix = s->plus ? "+0x" : s->space ? " 0x" : "0x";

	if (!p) {
		put_padded(o, s, "(nil)", 5);
		return;
	}
	put_number(o, s, (uintptr_t)p, 'x', prefix);
}

/* ---- floating point ---------------------------------------------------------------------- */

static int format_float(char *buf, size_t n, const char *text, const struct spec *s,
	const union value *v)
{
	return kind_of(s) == KIND_LDOUBLE ? __heddle_format_ldouble(buf, n, text, &v->ld)
					  : __heddle_format_double(buf, n, text, v->d);
}

static char *text_number(char *at, int n)
{
	char buf[16], *d = __m_digits((uintmax_t)n, 'u', buf + sizeof buf);

	if (d == buf + sizeof buf)
		*--d = '0';
	__builtin_memcpy(at, d, (size_t)(buf + sizeof buf - d));
	return at + (buf + sizeof buf - d);
}

static void put_float(struct m_out *o, const struct spec *s, const union value *v)
{
	char text[48], *t = text, local[400], *buf = local;
	int n;

	*t++ = '%';
	if (s->left)
		*t++ = '-';
	if (s->plus)
		*t++ = '+';
	if (s->space)
		*t++ = ' ';
	if (s->alt)
		*t++ = '#';
	if (s->zero)
		*t++ = '0';
	if (s->width)
		t = text_number(t, s->width);
	if (s->prec >= 0) {
		*t++ = '.';
		t = text_number(t, s->prec);
	}
	*t++ = s->conv;
	*t = '\0';
	n = format_float(buf, sizeof local, text, s, v);
	if (n >= (int)sizeof local) {
		buf = __heddle_alloc((size_t)n + 1, 1, false);
		if (buf)
			format_float(buf, (size_t)n + 1, text, s, v);
	}
	if (n < 0 || !buf) {
		errno = n < 0 ? EOVERFLOW : ENOMEM;
		o->failed = true;
		return;
	}
	put(o, buf, (size_t)n);
	if (buf != local)
		__heddle_free(buf);
}

/* ---- text -------------------------------------------------------------------------------- */

static void put_string(struct m_out *o, const struct spec *s, const char *text)
{
	size_t n = 0;

	if (!text)
		text = s->prec < 0 || s->prec >= 6 ? "(null)" : "";
	while ((s->prec < 0 || n < (size_t)s->prec) && text[n])
		n++;
	put_padded(o, s, text, n);
}

/* In the C locale a wide character is a byte, or nothing. */
static void put_wide_string(struct m_out *o, const struct spec *s, const wchar_t *text)
{
	size_t n = 0;

	if (!text) {
		put_string(o, s, NULL);
		return;
	}
	for (; (s->prec < 0 || n < (size_t)s->prec) && text[n]; n++)
		if ((uint32_t)text[n] > 0x7f) {
			errno = EILSEQ;
			o->failed = true;
			return;
		}
	if (!s->left)
		pad(o, ' ', s->width - (int64_t)n);
	for (size_t i = 0; i < n; i++)
		put(o, &(char){(char)text[i]}, 1);
	if (s->left)
		pad(o, ' ', s->width - (int64_t)n);
}

/* %m is the text, %#m the name or the number */
static void put_error(struct m_out *o, const struct spec *s, int error)
{
	const char *name;

	if (!s->alt) {
		put_string(o, s, strerror(error));
		return;
	}
	name = __m_error_name(error);
	if (name)
		put_string(o, s, name);
	else
		put_signed(o, s, error);
}

static void put_char(struct m_out *o, const struct spec *s, intmax_t c)
{
	if (is_long(s) && (uint32_t)c > 0x7f) {
		errno = EILSEQ;
		o->failed = true;
		return;
	}
	if (!s->left)
		pad(o, ' ', s->width - 1);
	put_bytes(o, &(char){(char)c}, 1);
	if (s->left)
		pad(o, ' ', s->width - 1);
}

/* Prints an unknown conversion from its parsed form, as glibc does. */
static void put_unknown(struct m_out *o, const struct spec *s)
{
	char text[64], *t = text;

	*t++ = '%';
	if (s->alt)
		*t++ = '#';
	if (s->group)
		*t++ = '\'';
	if (s->plus)
		*t++ = '+';
	else if (s->space)
		*t++ = ' ';
	if (s->left)
		*t++ = '-';
	if (s->zero)
		*t++ = '0';
	if (s->i18n)
		*t++ = 'I';
	if (s->width)
		t = text_number(t, s->width);
	if (s->prec >= 0) {
		*t++ = '.';
		t = text_number(t, s->prec);
	}
	*t++ = s->conv;
	put(o, text, (size_t)(t - text));
}

static void store_count(const struct m_out *o, const struct spec *s, void *p)
{
	switch (s->length) {
	case LEN_CHAR: *(signed char *)p = (signed char)o->total; break;
	case LEN_SHORT: *(short *)p = (short)o->total; break;
	case LEN_NONE: *(int *)p = (int)o->total; break;
	default: *(long *)p = (long)o->total; break;
	}
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void convert(struct m_out *o, struct spec *s, union value *v, int error)
{
	switch (s->conv) {
	case 'd': case 'i': put_signed(o, s, v->i); break;
	case 'u': case 'o': case 'x': case 'X': case 'b': case 'B': put_unsigned(o, s, v->i); break;
	case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
		put_float(o, s, v);
		break;
	case 'c': put_char(o, s, v->i); break;
	case 's':
		if (is_long(s))
			put_wide_string(o, s, v->p);
		else
			put_string(o, s, v->p);
		break;
	case 'p': put_pointer(o, s, v->p); break;
	case 'm': put_error(o, s, error); break;
	case 'n': store_count(o, s, v->p); break;
	case '%': put_bytes(o, "%", 1); break;
	default: put_unknown(o, s); break;
	}
}

int __m_format(struct m_out *o, const char *f, va_list ap, unsigned flags)
{
	struct args a;
	struct spec s;
	union value v;
	int error = errno, r = -1;

	a.positional = NULL;
	va_copy(a.ap, ap);
	for (;;) {
		const char *start = f;
		while (*f && *f != '%')
			f++;
		if (f > start)
			put(o, start, (size_t)(f - start));
		if (o->failed || o->total > INT_MAX || !*f)
			break;
		start = f;
		f = parse_spec(f + 1, &s);
		if (!f)
			goto out;
		if ((s.arg > 0 || s.width_arg > 0 || s.prec_arg > 0) && !a.positional &&
			fetch_all(&a, start))
			goto out;
		if (counts(&a, &s))
			goto out;
		if (s.conv == 'n' && flags & M_PRINTF_CHECKED)
			__heddle_unmodelled("%n in a fortified printf");
		argument(&a, s.arg, kind_of(&s), &v);
		convert(o, &s, &v, error);
	}
	if (o->total > INT_MAX)
		errno = EOVERFLOW;
	else if (!o->failed)
		r = (int)o->total;
out:
	if (a.positional)
		__heddle_free(a.positional);
	va_end(a.ap);
	return r;
}
