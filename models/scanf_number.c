/* Numbers for scanf: the text is collected as far as glibc reads, then converted as a whole. */
#include "model_scan.h"

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

/* ---- integers ---------------------------------------------------------------------------- */

void __m_scan_store(struct scan *in, const struct spec *s, long v)
{
	void *p = __m_scan_argument(in, s);

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
	if (*width == 0 || base == 10 || in->c != '0')
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
	return base == 16 ? is_hex(c) : (unsigned)c - '0' < (unsigned)base;
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

enum outcome __m_scan_integer(struct scan *in, const struct spec *s, int base, unsigned mode)
{
	int width = s->width;
	char *end;
	long v;

	if (get(in) == END)
		return NO_INPUT;
	if ((in->c == '-') | (in->c == '+')) {
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
		__m_scan_store(in, s, v);
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
		if (!is_digit(in->c) && !(lower(in->c) >= 'a' && lower(in->c) <= 'z') &&
			in->c != '_' && in->c != ')')
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
		} else if (exponent && in->text.p[in->text.n - 1] == mark &&
			   (c == '-' || c == '+')) {
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
		*(long double *)__m_scan_argument(in, s) = l;
	else if (s->length == LEN_LONG)
		*(double *)__m_scan_argument(in, s) = d;
	else
		*(float *)__m_scan_argument(in, s) = f;
	in->done++;
	return true;
}

enum outcome __m_scan_float(struct scan *in, const struct spec *s)
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
