/* The --sym options, and input of symbolic bytes and lengths against every small input. */
#include "base/base.h"
#include "base/strbuf.h"
#include "explore/inputs.h"

#include "symbolic/summary.h"
#include "sym_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- options ----------------------------------------------------------------------------------- */

static void options(void **state)
{
	static const char *const good[] = {"argv[1]:8", "argv[12]:2-3", "stdin:64", "stdin:0-64",
		"file:a/b:c:7", "env:HOME:3", "syscall", "syscall:read", "stdin:0", "file:x:0-1"};
	static const char *const bad[] = {"", "argv", "argv[1]", "argv[0]:3", "argv[x]:3", "argv[1]:",
		"argv[1]:a", "stdin", "stdin:", "stdin:-1", "stdin:3-", "stdin:4-3", "stdin:9999999999",
		"stdin:3x", "file:7", "file::7", "env:A=B:3", "env:A", "syscall:", "syscall:nothing",
		"stdout:3"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct inputs in;

		inputs_init(&in);
		assert_int_equal(inputs_add(&in, good[i]), 0);
		assert_int_equal(inputs_add(&in, good[i]), -1); /* twice */
		assert_int_equal(in.specs.n, 1);
		inputs_release(&in);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct inputs in;

		inputs_init(&in);
		assert_int_equal(inputs_add(&in, bad[i]), -1);
		inputs_release(&in);
	}
}

static void sizes(void **state)
{
	struct inputs in;

	(void)state;
	inputs_init(&in);
	assert_int_equal(inputs_add(&in, "argv[2]:8"), 0);
	assert_int_equal(inputs_add(&in, "stdin:8"), 0);
	assert_int_equal(inputs_add(&in, "file:a:b:3-9"), 0);
	assert_int_equal(in.specs.at[0].min, 0);
	assert_int_equal(in.specs.at[0].max, 8);
	assert_int_equal(in.specs.at[1].min, 8);
	assert_int_equal(in.specs.at[2].min, 3);
	assert_int_equal(in.specs.at[2].max, 9);
	assert_string_equal(in.specs.at[2].name, "a:b");
	inputs_release(&in);
}

static void arguments(void **state)
{
	char *const argv[] = {(char *)"p", (char *)"one", NULL};
	char *const envp[] = {(char *)"A=1", (char *)"B=2", NULL};
	char **a, **e;
	struct inputs in;
	int n;

	(void)state;
	inputs_init(&in);
	inputs_add(&in, "argv[2]:3");
	inputs_add(&in, "env:B:2");
	inputs_add(&in, "env:C:1");
	assert_int_equal(inputs_arguments(&in, 2, argv, envp, &n, &a, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(a[1], "one");
	assert_string_equal(a[2], "???");
	assert_null(a[3]);
	assert_string_equal(e[0], "A=1");
	assert_string_equal(e[1], "B=??");
	assert_string_equal(e[2], "C=?");
	assert_null(e[3]);
	inputs_add(&in, "argv[7]:3");
	assert_int_equal(inputs_arguments(&in, 2, argv, envp, &n, &a, &e), -1);
	inputs_release(&in);
}

/* ---- input against every small one -------------------------------------------------------------- */

static void install(void *ctx, struct machine *m)
{
	inputs_install(ctx, m);
	summaries_install(m);
}

/* One path has the input, and gives what the program gives on it. */
static void same_on(const struct ir_program *p, struct sym_paths *all, const char *text, uint32_t n)
{
	struct strbuf plain = {0};
	struct term_assign as;
	enum exec_fate fate;
	struct sym_path *path;
	uint32_t at;
	int status;

	fate = sym_run_known(p, text, n, NULL, NULL, &plain, &status);
	term_assign_init(&as, all->ts);
	for (uint32_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof name, "stdin[%u]", i);
		term_assign_set(&as, term_sym(all->ts, name, 8), (uint8_t)text[i]);
	}
	term_assign_set(&as, term_sym(all->ts, "stdin.size", 32), n);
	at = sym_path_of(all, &as);
	assert_int_not_equal(at, UINT32_MAX);
	path = &all->at.at[at];
	assert_int_equal(path->fate, fate);
	if (path->status_term.id)
		assert_int_equal((int)term_value(&as, path->status_term), status);
	else
		assert_int_equal(path->status, status);
	assert_int_equal(path->output.n, plain.n);
	for (uint32_t i = 0; i < plain.n; i++)
		assert_int_equal((char)term_value(&as, (term_t){path->output.at[i]}), plain.s[i]);
	term_assign_release(&as);
	strbuf_release(&plain);
}

static void every_input(const char *source, const char *alphabet, uint32_t most)
{
	struct ir_program *p = sym_compile(source);
	uint32_t letters = (uint32_t)strlen(alphabet) + 1;
	struct sym_paths all;
	struct inputs in;
	char option[32], text[8];

	inputs_init(&in);
	snprintf(option, sizeof option, "stdin:0-%u", most);
	assert_int_equal(inputs_add(&in, option), 0);
	sym_run(&all, p, install, &in, 2000);
	print_message("# %u paths\n", all.at.n);
	assert_false(all.more);
	assert_int_equal(all.incompletes, 0);
	for (uint32_t n = 0, inputs = 1; n <= most; n++, inputs *= letters)
		for (uint32_t k = 0; k < inputs; k++) {
			for (uint32_t i = 0, rest = k; i < n; i++, rest /= letters)
				text[i] = alphabet[rest % letters];
			same_on(p, &all, text, n);
		}
	sym_paths_release(&all);
	inputs_release(&in);
	ir_program_free(p);
}

#define HEAD "#include <stdio.h>\n#include <unistd.h>\n#include <string.h>\n#include <stdlib.h>\n"

static void reads(void **state)
{
	(void)state;
	every_input(HEAD "int main(void) { char b[8]; int n = (int)read(0, b, 2), k = (int)read(0, b, 5);"
			 "return 10 * n + k; }", "a", 4);
	every_input(HEAD "int main(void) { char b[8] = {0}; int n = (int)fread(b, 1, 3, stdin);"
			 "return n * 10 + (b[1] == 'a') + feof(stdin); }", "a", 4);
}

static void lines(void **state)
{
	(void)state;
	every_input(HEAD "int main(void) { char b[4]; int n = 0; while (fgets(b, sizeof b, stdin))"
			 "n = 5 * n + (int)strlen(b); return n; }", "a\n", 4);
	every_input(HEAD "int main(void) { char *l = 0; size_t k = 0; int n = 0; ssize_t r;"
			 "while ((r = getline(&l, &k, stdin)) > 0) n = 5 * n + (int)r; free(l);"
			 "return n; }", "a\n", 3);
}

static void characters(void **state)
{
	(void)state;
	every_input(HEAD "int main(void) { int c, n = 0; while ((c = getchar()) != EOF)"
			 "{ n = 3 * n + (c == 'a'); if (c == 'b') ungetc('a', stdin); }"
			 "return n & 127; }", "ab", 3);
}

static void scans(void **state)
{
	(void)state;
	every_input(HEAD "int main(void) { int a = 7, b = 7, r = scanf(\"%d,%d\", &a, &b);"
			 "return 100 * r + 10 * a + b; }", " -1,", 4);
	every_input(HEAD "int main(void) { unsigned x = 7; char w[5] = \"-\"; int r ="
			 "scanf(\"%x %2s\", &x, w); return (int)(1000 * r + 20 * x + w[0]); }",
		"0xf a", 3);
}

static void echoes(void **state)
{
	(void)state;
	every_input(HEAD "int main(void) { char b[6]; size_t n; while ((n = fread(b, 1, 2, stdin)) > 0)"
			 "fwrite(b, 1, n, stdout); return 0; }", "a\n", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options), cmocka_unit_test(sizes), cmocka_unit_test(arguments),
		cmocka_unit_test(reads), cmocka_unit_test(lines), cmocka_unit_test(characters),
		cmocka_unit_test(scans), cmocka_unit_test(echoes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
