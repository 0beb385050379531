/* The scanf family against glibc: random formats on random text, from strings and from files. */
#include "diff.h"
#include <unistd.h>

#if __GLIBC_PREREQ(2, 38)
#define SSCANF m___isoc23_sscanf
#define FSCANF m___isoc23_fscanf
#else
#define SSCANF m___isoc99_sscanf
#define FSCANF m___isoc99_fscanf
#endif
int SSCANF(const char *s, const char *format, ...);
int FSCANF(FILE *fp, const char *format, ...);
MODEL(fopen);
MODEL(fclose);
MODEL(ftell);
MODEL(fgetc);
MODEL(feof);
MODEL(free);

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

enum { ARGS = 8 };

struct made {
	char format[300], input[300];
	int args;
	char allocated[ARGS]; /* 1: char *, 2: wchar_t * */
};

static void add_input(struct made *m)
{
	static const char *const words[] = {"0", "12", "-7", "+3", "0x1f", "0X", "0xg", "017",
		"089", "99999999999999999999999", "-99999999999999999999", "2147483648",
		"4294967296", "1.5", "-1e10", "1e", "1e+", "1e+5", ".5", ".", "5.", "0x1.8p3", "0x",
		"0xp1", "0x.p1", "inf", "-INF", "infinity", "infinit", "infx", "nan", "NaN(1)",
		"nap", "abc", "hello,world", "a-b", "]", "(nil)", "(nix)", "0x7ffe", "%", "1e400",
		"1e-400", "x", "-", "+", "--1", "0b11", "\xc3\xa4", "1,234", "b]c", "^x", "0", "1",
		"2", "+0x", "-0x5", "i", "in", "n", "0e", "0.e1", "00x1"};
	static const char *const spaces[] = {" ", "", " ", "\n", "\t ", ",", ":", "  "};

	while (!one_in(7) && strlen(m->input) < 200) {
		strcat(m->input, PICK(words));
		strcat(m->input, PICK(spaces));
	}
}

static void add_spec(struct made *m)
{
	static const char *const lengths[] = {
		"", "", "", "h", "hh", "l", "ll", "q", "j", "z", "t", "L"};
	static const char *const sets[] = {"[a-z]", "[^a-z]", "[0-9]", "[]a]", "[^]]", "[a-]",
		"[-a]", "[z-a]", "[^ \n]", "[%]", "[0-9a-fx]", "[^\n,]", "[+-9]"};
	char *f = m->format + strlen(m->format);
	int starred = one_in(7), n;
	unsigned kind = below(10);

	f += n = sprintf(f, "%%%s", starred ? "*" : "");
	if (one_in(4))
		f += sprintf(f, "%u", 1 + below(12));
	if (kind < 5) {
		sprintf(f, "%s%c", PICK(lengths), "diouxXdi"[below(8)]);
	} else if (kind < 7) {
		sprintf(f, "%s%c", one_in(3) ? "l" : one_in(4) ? "L" : "", "fegaEFGA"[below(8)]);
	} else if (kind == 7) {
		int allocate = one_in(3);
		/* glibc goes on behind text that it cannot decode in a set, nobody knows where to
		 */
		int wide = one_in(6) && !strchr(m->input, '\xc3');
		sprintf(f, "%s%s%s", allocate ? "m" : "", wide ? "l" : "",
			one_in(2) ? "s" : one_in(3) ? "c" : PICK(sets));
		if (allocate && !starred)
			m->allocated[m->args] = (char)(1 + wide);
	} else if (kind == 8) {
		sprintf(f, "%s", one_in(2) ? "p" : PICK(sets));
	} else {
		sprintf(f, "%s", one_in(3) ? "%" : one_in(3) ? "y" : "n");
		if (f[0] == '%' || f[0] == 'y')
			starred = 1;
	}
	m->args += !starred;
}

static void make(struct made *m)
{
	static const char *const between[] = {" ", "", "", ",", " ,", "x", " : "};

	memset(m, 0, sizeof *m);
	add_input(m);
	do {
		strcat(m->format, PICK(between));
		add_spec(m);
	} while (m->args < ARGS - 1 && !one_in(4));
	strcat(m->format, PICK(between));
	if (m->args < ARGS && one_in(2))
		strcat(m->format, "%n");
}

union slot {
	char bytes[512];
	char *text;
};

static void compare_slots(const struct made *m, int done, union slot *a, union slot *b)
{
	char *untouched = (char *)0x1111111111111111;

	for (int i = 0; i < ARGS; i++) {
		if (!m->allocated[i]) {
			SAME_MEM(a[i].bytes, b[i].bytes, sizeof a[i].bytes,
				"argument %d of '%s' on '%s'", i, m->format, m->input);
			continue;
		}
		SAME_INT(a[i].text == untouched, b[i].text == untouched,
			"argument %d of '%s' on '%s' allocated", i, m->format, m->input);
		if (a[i].text == untouched)
			continue;
		/* %c has no end, and a failed conversion leaves anything behind */
		if (!strchr(m->format, 'c') && m->allocated[i] == 1 && i + 1 < done)
			SAME_STR(a[i].text, b[i].text, "argument %d of '%s' on '%s'", i, m->format,
				m->input);
		free(a[i].text);
		m_free(b[i].text);
	}
}

#define POINTERS(x) x[0].bytes, x[1].bytes, x[2].bytes, x[3].bytes, x[4].bytes, x[5].bytes, \
	x[6].bytes, x[7].bytes

static void strings(void **state)
{
	static union slot a[ARGS], b[ARGS];

	(void)state;
	for (unsigned i = 0; i < rounds(60000); i++) {
		struct made m;
		int ra, rb;
		make(&m);
		memset(a, 0x11, sizeof a);
		memset(b, 0x11, sizeof b);
		errno = m_errno = 0;
		ra = sscanf(m.input, m.format, POINTERS(a));
		rb = SSCANF(m.input, m.format, POINTERS(b));
		SAME_INT(ra, rb, "'%s' on '%s'", m.format, m.input);
		SAME_INT(errno, m_errno, "errno of '%s' on '%s'", m.format, m.input);
		compare_slots(&m, ra, a, b);
	}
}

/* Several calls on one stream: what each leaves for the next. */
static void files(void **state)
{
	static union slot a[ARGS], b[ARGS];
	char path[100];
	int fd;

	(void)state;
	snprintf(path, sizeof path, "%s/diff_scanfXXXXXX", diff_directory());
	fd = mkstemp(path);
	for (unsigned i = 0; i < rounds(2000); i++) {
		struct made m;
		FILE *fa, *fb;
		do
			make(&m);
		while (strchr(m.input, '\xc3'));
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, m.input, strlen(m.input), 0), strlen(m.input));
		fa = fopen(path, "r");
		fb = m_fopen(path, "r");
		for (int k = 0; k < 3; k++) {
			struct made next;
			int ra, rb;
			make(&next);
			memcpy(next.input, m.input, sizeof m.input);
			memset(a, 0x11, sizeof a);
			memset(b, 0x11, sizeof b);
			ra = fscanf(fa, next.format, POINTERS(a));
			rb = FSCANF(fb, next.format, POINTERS(b));
			SAME_INT(ra, rb, "'%s' on '%s'", next.format, next.input);
			compare_slots(&next, ra, a, b);
			SAME_INT(ftell(fa), m_ftell(fb), "ftell after '%s' on '%s'", next.format,
				m.input);
			SAME_INT(feof(fa), m_feof(fb), "feof after '%s' on '%s'", next.format,
				m.input);
			if (one_in(3))
				SAME_INT(fgetc(fa), m_fgetc(fb), "fgetc after '%s' on '%s'",
					next.format, m.input);
		}
		fclose(fa);
		m_fclose(fb);
	}
	close(fd);
	unlink(path);
}

static void positions(void **state)
{
	int a[3] = {0}, b[3] = {0};

	(void)state;
	SAME_INT(sscanf("1 2 3", "%2$d %3$d %1$d", &a[0], &a[1], &a[2]),
		SSCANF("1 2 3", "%2$d %3$d %1$d", &b[0], &b[1], &b[2]), "positions");
	SAME_MEM(a, b, sizeof a, "positions");
	SAME_INT(sscanf("abc", "%[abc", (char *)a), SSCANF("abc", "%[abc", (char *)b),
		"a set without an end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),
		cmocka_unit_test(files),
		cmocka_unit_test(positions),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
