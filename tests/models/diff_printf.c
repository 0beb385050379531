/* The printf family against glibc: random formats, values and buffer sizes. */
#include "diff.h"
#include <locale.h>
#include <wchar.h>

MODEL(snprintf);
MODEL(asprintf);
MODEL(vsnprintf);

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat"

struct made {
	char format[400];
	int gp, fp; /* arguments used of each class */
	int positional;
};

static void add(struct made *m, const char *s)
{
	strcat(m->format, s);
}

static void add_literal(struct made *m)
{
	static const char *const text[] = {
		"", "a", " ", "hello, ", "100%%", "\n", "\xc3\xa4", "x="};

	add(m, PICK(text));
}

static void add_number(struct made *m, unsigned n)
{
	char s[16];

	snprintf(s, sizeof s, "%u", n);
	add(m, s);
}

/* '*' takes an int argument, which the caller gives small values. */
static void add_flags(struct made *m, int stars)
{
	/* "I" is wrong for floating point in some glibc: odd_formats has it for the rest */
	static const char *const flags[] = {"-", "+", " ", "#", "0", "'"};

	while (one_in(2))
		add(m, PICK(flags));
	if (stars && one_in(8) && m->gp == 0) {
		add(m, "*");
		m->gp++;
	} else if (one_in(3)) {
		add_number(m, 1 + below(one_in(20) ? 600 : 25));
	}
	if (one_in(3)) {
		add(m, ".");
		if (one_in(6) && stars && m->gp == 1) {
			add(m, "*");
			m->gp++;
		} else if (!one_in(5)) {
			add_number(m, below(one_in(20) ? 500 : 25));
		}
	}
}

/* Values: the first two GP arguments are small, so that they may be widths. */
static void compare(const char *format, const long *l, const double *d)
{
	char a[3000], b[3000];
	size_t n = one_in(4) ? below(40) : sizeof a;
	int ra, rb;

	memset(a, 1, sizeof a);
	memset(b, 1, sizeof b);
	errno = m_errno = 2;
	ra = snprintf(a, n, format, l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], d[0], d[1],
		d[2], d[3], d[4], d[5], d[6], d[7]);
	rb = m_snprintf(b, n, format, l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], d[0], d[1],
		d[2], d[3], d[4], d[5], d[6], d[7]);
	SAME_INT(ra, rb, "'%s' into %zu, args %ld %ld %ld %ld", format, n, l[0], l[1], l[2], l[3]);
	if (ra >= 0)
		SAME_MEM(a, b, sizeof a, "'%s' into %zu, args %ld %ld %ld %a", format, n, l[0],
			l[1], l[2], d[0]);
	if (ra < 0)
		SAME_INT(errno, m_errno, "errno of '%s'", format);
}

static void fill(long *l, double *d)
{
	for (int i = 0; i < 8; i++) {
		l[i] = (long)rnd_edge();
		d[i] = rnd_double();
	}
	l[0] = (long)below(60) - 20;
	l[1] = (long)below(60) - 20;
}

static void numbers(void **state)
{
	static const char *const lengths[] = {
		"", "", "", "h", "hh", "l", "ll", "q", "j", "z", "t", "L", "Z"};
	static const char ints[] = "diouxXdiuxb", floats[] = "fFeEgGaA";
	long l[8];
	double d[8];

	(void)state;
	for (unsigned i = 0; i < rounds(40000); i++) {
		struct made m = {.format = ""};
		int specs = 1 + (int)below(5);
		fill(l, d);
		for (int k = 0; k < specs; k++) {
			char conv[2] = "";
			add_literal(&m);
			add(&m, "%");
			add_flags(&m, 1);
			if (one_in(3)) {
				add(&m, one_in(5) ? "l" : "");
				*conv = floats[below(8)];
			} else if (one_in(10)) {
				*conv = "cpm%"[below(4)];
				m.gp += *conv == 'c' || *conv == 'p';
			} else {
				add(&m, PICK(lengths));
				*conv = ints[below(11)];
				m.gp++;
			}
			add(&m, conv);
		}
		add_literal(&m);
		compare(m.format, l, d);
	}
}

static void positions(void **state)
{
	long l[8];
	double d[8];

	(void)state;
	for (unsigned i = 0; i < rounds(8000); i++) {
		/* kinds of arguments 1..5; 1 and 2 are ints that may be widths */
		char kinds[6] = "ii", order[12];
		struct made m = {.format = ""};
		int n = 0;
		fill(l, d);
		for (int k = 2; k < 5; k++)
			kinds[k] = "ixdf"[below(4)];
		for (int k = 0; k < 5; k++)
			order[n++] = (char)k;
		while (n < 10 && one_in(2))
			order[n++] = (char)below(5);
		for (int k = n - 1; k > 0; k--) {
			int j = (int)below((unsigned)k + 1);
			char t = order[k];
			order[k] = order[j];
			order[j] = t;
		}
		for (int k = 0; k < n; k++) {
			char conv[2] = {kinds[(int)order[k]], '\0'}, s[24];
			snprintf(s, sizeof s, "%%%d$", order[k] + 1);
			add_literal(&m);
			add(&m, s);
			/* glibc forgets that a negative width turns "0" off when it came by
			 * position */
			if (one_in(4))
				add(&m, one_in(2) ? "-" : l[0] < 0 ? "+" : "0");
			if (one_in(4))
				add(&m, one_in(2) ? "*1$" : "12");
			if (one_in(4))
				add(&m, one_in(2) ? ".*2$" : ".3");
			if (*conv == 'd')
				add(&m, "l");
			add(&m, conv);
		}
		compare(m.format, l, d);
	}
}

static void strings(void **state)
{
	static const char *const texts[] = {
		"", "a", "hello", "a longer string, with comma", "\xff\x80x"};
	static const wchar_t *const wides[] = {L"", L"w", L"wide text", L"bad \u00e4", L"\x80"};

	(void)state;
	for (unsigned i = 0; i < rounds(10000); i++) {
		struct made m = {.format = ""};
		char a[200], b[200];
		const void *arg;
		int ra, rb;
		add(&m, "<%");
		add_flags(&m, 0);
		if (one_in(3)) {
			add(&m, one_in(2) ? "ls>" : "S>");
			arg = one_in(10) ? NULL : (const void *)PICK(wides);
		} else {
			add(&m, one_in(8) ? "hs>" : "s>");
			arg = one_in(10) ? NULL : (const void *)PICK(texts);
		}
		memset(a, 1, sizeof a);
		memset(b, 1, sizeof b);
		ra = snprintf(a, sizeof a, m.format, arg);
		rb = m_snprintf(b, sizeof b, m.format, arg);
		SAME_INT(ra, rb, "'%s'", m.format);
		if (ra >= 0)
			SAME_MEM(a, b, sizeof a, "'%s'", m.format);
		else
			SAME_INT(errno, m_errno, "errno of '%s'", m.format);
	}
}

static void wide_chars(void **state)
{
	(void)state;
	for (int c = -300; c < 1000; c++) {
		char a[20] = "", b[20] = "";
		int ra = snprintf(a, sizeof a, "[%3lc]", (wint_t)c);
		int rb = m_snprintf(b, sizeof b, "[%3lc]", (wint_t)c);
		SAME_INT(ra, rb, "%%lc of %d", c);
		if (ra >= 0)
			SAME_MEM(a, b, sizeof a, "%%lc of %d", c);
	}
}

static void long_doubles(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(10000); i++) {
		struct made m = {.format = "%"};
		char a[6000], b[6000], conv[2] = {"fFeEgGaA"[below(8)], '\0'};
		long double x = (long double)rnd_double() * (one_in(2) ? 1 : 1e-4920L / 3);
		int ra, rb;
		add_flags(&m, 0);
		add(&m, one_in(4) ? "ll" : "L");
		add(&m, conv);
		add(&m, " %d");
		ra = snprintf(a, sizeof a, m.format, x, 7);
		rb = m_snprintf(b, sizeof b, m.format, x, 7);
		SAME_INT(ra, rb, "'%s' of %La", m.format, x);
		SAME_STR(a, b, "'%s' of %La", m.format, x);
	}
}

static void odd_formats(void **state)
{
	static const char *const formats[] = {"%", "abc%", "%5", "%-", "%l", "%.", "%h%", "%5%",
		"%-5%|", "%y", "a%5.3yb", "%#'+- 0Iy", "%.-5d", "%5-d", "%hld", "%2147483648d",
		"%.2147483648d", "%99999999999999999999d", "%!", "%05c", "%05s", "%+p", "% p",
		"%#p", "%20p", "%-20p|", "%.20p", "%020p", "%+.3s", "%k %d", "%-05d|", "%0-5d|",
		"%+ d", "%C", "%lc", "%#.0o", "%#o", "%#b", "%+i", "%'d", "%Id", "%m"};

	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char a[300], b[300];
		int ra, rb;
		errno = m_errno = 5;
		memset(a, 1, sizeof a);
		memset(b, 1, sizeof b);
		ra = snprintf(a, sizeof a, formats[i], (long)"texttext", 12L, 13L);
		rb = m_snprintf(b, sizeof b, formats[i], (long)"texttext", 12L, 13L);
		SAME_INT(ra, rb, "'%s'", formats[i]);
		if (ra >= 0)
			SAME_MEM(a, b, sizeof a, "'%s'", formats[i]);
		else
			SAME_INT(errno, m_errno, "errno of '%s'", formats[i]);
	}
}

/* glibc writes all of it out: slow */
static void huge(void **state)
{
	static const char *const formats[] = {"%2147483647d", "%2147483646d", "%.2147483647d",
		"%2147483640d%20d"};

	(void)state;
	if (!getenv("HEDDLE_ROUNDS"))
		return;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char a[50] = "", b[50] = "";
		SAME_INT(snprintf(a, sizeof a, formats[i], 1, 2),
			m_snprintf(b, sizeof b, formats[i], 1, 2), "'%s'", formats[i]);
		SAME_STR(a, b, "'%s'", formats[i]);
	}
}

static void counts(void **state)
{
	int a = 0, b = 0;
	long la = 0, lb = 0;
	short sa = 0, sb = 0;
	signed char ca = 0, cb = 0;
	char buf[100];

	(void)state;
	snprintf(buf, 10, "12345%n6789012345%ln %hn%hhn", &a, &la, &sa, &ca);
	m_snprintf(buf, 10, "12345%n6789012345%ln %hn%hhn", &b, &lb, &sb, &cb);
	SAME_INT(a, b, "%%n");
	SAME_INT(la, lb, "%%ln");
	SAME_INT(sa, sb, "%%hn");
	SAME_INT(ca, cb, "%%hhn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(positions),
		cmocka_unit_test(strings),
		cmocka_unit_test(wide_chars),
		cmocka_unit_test(long_doubles),
		cmocka_unit_test(odd_formats),
		cmocka_unit_test(huge),
		cmocka_unit_test(counts),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
