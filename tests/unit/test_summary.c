/*
 * Summaries of models against the models: for every small input the path that it is on gives, evaluated,
 * what the model gives on the machine without anything symbolic.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "sym_run.h"

#include "symbolic/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD                                                                                       \
	"#include <string.h>\n#include <strings.h>\n#include <stdlib.h>\n#include <stdio.h>\n"      \
	"#include <unistd.h>\n#include <errno.h>\n#include <ctype.h>\n"                            \
	"void __heddle_user_input(void *, size_t, const char *);\n"                                 \
	"static void give(long v) { write(1, &v, sizeof v); }\n"

struct trial {
	const char *source;
	unsigned n;           /* bytes of the object "s" */
	const char *alphabet; /* what each may be, besides 0 */
	uint32_t paths;       /* at most */
};

static void with_summaries(void *ctx, struct machine *m)
{
	(void)ctx;
	summaries_install(m);
}

struct known {
	const uint8_t *bytes;
	unsigned n;
};

static void with_bytes(void *ctx, struct machine *m)
{
	const struct known *k = ctx;

	world_give(m->world, "s", 1, k->bytes, k->n);
}

/* What the path of the input gives, into `out`; false if it is on none. */
static bool symbolic_result(struct sym_paths *all, const uint8_t *bytes, unsigned n,
	struct strbuf *out, enum exec_fate *fate)
{
	struct world_object o = {"s", 1, n};
	struct term_assign as;
	struct sym_path *p;
	uint32_t at;

	term_assign_init(&as, all->ts);
	for (unsigned i = 0; i < n; i++)
		term_assign_set(&as, world_object_byte(all->ts, &o, i), bytes[i]);
	at = sym_path_of(all, &as);
	if (at != UINT32_MAX) {
		p = &all->at.at[at];
		*fate = p->fate;
		vec_each (&p->output, i)
			strbuf_addc(out, (char)term_value(&as, (term_t){p->output.at[i]}));
		if (p->fate != EXEC_EXITED && p->report)
			strbuf_adds(out, p->report);
	}
	term_assign_release(&as);
	return at != UINT32_MAX;
}

static void compare(const struct trial *t, const struct ir_program *p, struct sym_paths *all)
{
	unsigned letters = (unsigned)strlen(t->alphabet) + 1;
	uint64_t inputs = 1;

	for (unsigned i = 0; i < t->n; i++)
		inputs *= letters;
	for (uint64_t k = 0; k < inputs; k++) {
		struct strbuf plain = {0}, summary = {0};
		uint8_t bytes[16];
		struct known given = {bytes, t->n};
		enum exec_fate fate, want;
		uint64_t rest = k;

		for (unsigned i = 0; i < t->n; i++, rest /= letters)
			bytes[i] = (uint8_t)t->alphabet[rest % letters];
		want = sym_run_known(p, NULL, 0, with_bytes, &given, &plain, NULL);
		assert_true(symbolic_result(all, bytes, t->n, &summary, &fate));
		assert_int_equal(fate, want);
		assert_int_equal(summary.n, plain.n);
		assert_memory_equal(summary.s, plain.s, plain.n);
		strbuf_release(&plain);
		strbuf_release(&summary);
	}
}

static void check(const struct trial *t)
{
	struct strbuf source = {0};
	struct sym_paths all, plain;
	struct ir_program *p;

	strbuf_addf(&source, HEAD "int main(void) { char s[%u]; memset(s, 0, sizeof s);"
				  "__heddle_user_input(s, sizeof s, \"s\"); %s return 0; }",
		t->n, t->source);
	p = sym_compile(source.s);
	sym_run(&all, p, with_summaries, NULL, 2000);
	sym_run(&plain, p, NULL, NULL, 300);
	print_message("# %u paths, %u%s without: %s\n", all.at.n, plain.at.n, plain.more ? "+" : "",
		t->source);
	if (all.incompletes)
		print_message("# %s", all.why.s);
	assert_int_equal(all.incompletes, 0);
	assert_false(all.more);
	compare(t, p, &all);
	assert_true(all.at.n <= t->paths);
	sym_paths_release(&plain);
	sym_paths_release(&all);
	ir_program_free(p);
	strbuf_release(&source);
}

#define TRIALS(...)                                                                                \
	do {                                                                                       \
		const struct trial all_[] = {__VA_ARGS__};                                         \
		(void)state;                                                                       \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(all_); i_++)                                   \
			check(&all_[i_]);                                                          \
	} while (0)

static void lengths(void **state)
{
	TRIALS({"s[3] = 0; give((long)strlen(s));", 4, "ab", 1},
		{"give((long)strnlen(s, 3));", 4, "ab", 1},
		/* runs out of its object where there is no NUL */
		{"give((long)strlen(s));", 3, "a", 2});
}

static void finds(void **state)
{
	TRIALS({"s[3] = 0; char *p = strchr(s, 'b'); give(p ? p - s : -1);", 4, "ab", 4},
		{"s[3] = 0; char *p = strchr(s, s[0]); give(p ? p - s : -1);", 4, "ab", 1},
		{"s[3] = 0; char *p = strchr(s, 0); give(p ? p - s : -1);", 4, "a", 4},
		{"give(strchr(\"+-*\", s[0]) != 0);", 1, "+-*a", 1},
		{"char *p = strchr(s, 'b'); give(p ? p - s : -1);", 3, "ab", 5},
		{"s[3] = 0; char *p = strrchr(s, 'b'); give(p ? p - s : -1);", 4, "ab", 4},
		{"s[3] = 0; char *p = strrchr(s, 0); give(p ? p - s : -1);", 4, "ab", 4},
		{"char *p = memchr(s, 'b', 4); give(p ? p - s : -1);", 4, "ab", 5},
		{"s[3] = 0; give((long)strspn(s, \"ab\"));", 4, "abc", 1},
		{"s[3] = 0; give((long)strcspn(s, \"bc\"));", 4, "abc", 1});
}

static void comparisons(void **state)
{
	TRIALS({"s[1] = s[3] = 0; give(strcmp(s, s + 2));", 4, "ab\xff", 1},
		{"s[2] = s[5] = 0; give(strcmp(s, s + 3));", 6, "ab", 1},
		{"give(strcmp(\"ab\", s));", 3, "ab", 1},
		{"give(strcmp(\"abcd\", s));", 3, "abc", 2},
		{"give(strcmp(s, \"\"));", 2, "a", 1},
		{"give(strncmp(s, s + 3, 3));", 6, "ab", 1},
		{"give(strncmp(\"aba\", s, 2));", 4, "ab", 1},
		{"s[1] = s[3] = 0; give(strcasecmp(s, s + 2));", 4, "abB[\xe1", 1},
		{"give(strncasecmp(\"aB\", s, 2));", 3, "abAB", 1},
		{"give(memcmp(s, s + 2, 2));", 4, "ab\xff", 1},
		{"give(memcmp(\"aa\", s, 2));", 2, "ab", 1});
}

static void numbers(void **state)
{
	TRIALS({"s[4] = 0; give(atoi(s));", 5, " -19a", 1},
		{"s[3] = 0; char *e; long v = strtol(s, &e, 10); give(v); give(e - s);", 4, " +-09x",
			1},
		{"s[4] = 0; char *e; long v = strtol(s, &e, 16); give(v); give(e - s);", 5, "-0xfg",
			1},
		{"s[4] = 0; char *e; long v = strtol(s, &e, 0); give(v); give(e - s);", 5, "-0x9",
			3},
		{"s[3] = 0; char *e; long v = strtoul(s, &e, 36); give(v); give(e - s);", 4, "-zA1",
			1},
		{"char b[40] = \"99999999999999999\"; b[17] = s[0]; b[18] = s[1]; b[19] = s[2];"
		 "long v = strtol(b, 0, 10); give(v); give(errno);", 3, "07", 40},
		{"give(atoi(s));", 2, " 1a", 20});
}

static void printing(void **state)
{
	TRIALS({"printf(\"%d\", *(signed char *)s);", 1, "\1\11\12\143\144\177\200\377\234\235\366", 7},
		{"printf(\"[%4x]\", *(unsigned char *)s);", 1, "\1\17\20\377", 3},
		{"printf(\"%s.\", (s[2] = 0, s));", 3, "ab", 3},
		{"printf(\"%c%c\", s[0], s[1]);", 2, "ab", 1},
		{"printf(\"%05d|%-6o|%+d\", s[0] & 7, s[0] & 15, s[0] & 1);", 1, "\1\7\10\17", 9});
}

static void classes(void **state)
{
	TRIALS({"give((isdigit)((unsigned char)s[0]));", 1, "/09:a\xff", 1},
		{"give((isalnum)(s[0]));", 1, "/09:@AZ[`az{\xff", 1},
		{"give((isspace)(s[0]));", 1, "\10\11\15\16 !", 1},
		{"give((ispunct)(s[0]));", 1, "!/0@A[`a{~\177", 1},
		{"give((iscntrl)(s[0]));", 1, "\1\37 \176\177\200", 1},
		{"give((tolower)(s[0]));", 1, "@AZ[a\200\376\377", 1},
		{"give((toupper)(s[0]));", 1, "`az{A\200\376\377", 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths), cmocka_unit_test(finds), cmocka_unit_test(comparisons),
		cmocka_unit_test(numbers), cmocka_unit_test(printing), cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
