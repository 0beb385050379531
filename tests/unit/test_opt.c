#include "base/base.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct args {
	bool stats, verbose;
	uint64_t seed, memory;
	const char *output;
	struct opt_list stubs;
	int mode;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "stats", struct args, stats, "print statistics"),
	OPT_FLAG('v', "verbose", struct args, verbose, "say more"),
	OPT_NUMBER('s', "seed", struct args, seed, "N", 1, 1000, "schedule number"),
	OPT_SIZE(0, "max-memory", struct args, memory, 1, UINT64_MAX, "limit"),
	OPT_STRING('o', "output", struct args, output, "FILE", "where to write"),
	OPT_LIST(
		0, "stub", struct args, stubs, "NAME=VALUE", "what a function returns\nrepeatable"),
	OPT_CHOICE(0, "switch", struct args, mode, "sync|access", "where threads switch"),
	OPT_END,
};

static struct strbuf messages;

static void take(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
	strbuf_addc(ctx, '\n');
}

static int setup(void **state)
{
	*state = xcalloc(1, sizeof(struct args));
	diag_set_sink(take, &messages);
	strbuf_clear(&messages);
	return 0;
}

static int teardown(void **state)
{
	struct args *a = *state;

	vec_release(&a->stubs);
	free(a);
	diag_set_sink(NULL, NULL);
	strbuf_release(&messages);
	return 0;
}

/* The words of `line` parsed after a command name; argv[] keeps them in the order they were left.
 */
static char *argv[16], words[256];

static int parse(struct args *a, unsigned flags, const char *line)
{
	int argc = 0;

	argv[argc++] = "cmd";
	strcpy(words, line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	return opt_parse(opts, a, argc, argv, flags);
}

static void test_forms(void **state)
{
	struct args *a = *state;

	assert_int_equal(parse(a, 0, "--seed=7 --output x -v --switch=access prog --stats"), 6);
	assert_string_equal(argv[6], "prog");
	assert_int_equal(a->seed, 7);
	assert_string_equal(a->output, "x");
	assert_true(a->verbose);
	assert_false(a->stats);
	assert_int_equal(a->mode, 1);
	assert_int_equal(parse(a, 0, "-vs9 -oout -o other"), 5);
	assert_int_equal(a->seed, 9);
	assert_string_equal(a->output, "other");
	assert_int_equal(parse(a, 0, "--stats -- --seed=4"), 3);
	assert_int_equal(a->seed, 9);
	assert_int_equal(parse(a, 0, "- x"), 1);
	assert_int_equal(parse(a, 0, "--stub=a=1 --stub b=2"), 4);
	assert_int_equal(a->stubs.n, 2);
	assert_string_equal(a->stubs.at[1], "b=2");
	assert_int_equal(messages.n, 0);
}

static void test_permute(void **state)
{
	struct args *a = *state;
	int first = parse(a, OPT_PERMUTE, "prog -o out func --stats -- -v");

	assert_int_equal(first, 5);
	assert_string_equal(argv[5], "prog");
	assert_string_equal(argv[6], "func");
	assert_string_equal(argv[7], "-v");
	assert_string_equal(a->output, "out");
	assert_true(a->stats);
	assert_false(a->verbose);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} cases[] = {
		{"--max-memory=4096", 4096},
		{"--max-memory=64K", 64 << 10},
		{"--max-memory=2MiB", 2 << 20},
		{"--max-memory=1gB", 1 << 30},
		{"--max-memory=3T", 3ull << 40},
		{"--max-memory=0x10", 16},
	};
	struct args *a = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(a, 0, cases[i].text), 2);
		assert_int_equal(a->memory, cases[i].want);
	}
}

static void test_errors(void **state)
{
	static const char *const cases[][2] = {
		{"--sed=1", "unknown option '--sed' (did you mean '--seed'?)"},
		{"--verb", "unknown option '--verb' (did you mean '--verbose'?)"},
		{"--entirely-wrong", "unknown option '--entirely-wrong' (-h lists them)"},
		{"--hlep", "unknown option '--hlep' (did you mean '--help'?)"},
		{"-z", "unknown option '-z' (-h lists them)"},
		{"--seed", "option '--seed' needs a value (N)"},
		{"-s", "option '-s' needs a value (N)"},
		{"--seed=", "option '--seed' needs a number from 1 to 1000, not ''"},
		{"--seed=0", "option '--seed' needs a number from 1 to 1000, not '0'"},
		{"--seed=-3", "option '--seed' needs a number from 1 to 1000, not '-3'"},
		{"--seed=12x", "option '--seed' needs a number from 1 to 1000, not '12x'"},
		{"--seed=99999999999999999999", "option '--seed' needs a number from 1 to 1000, "
						"not '99999999999999999999'"},
		{"--stats=1", "option '--stats' takes no value"},
		{"--help=x", "option '--help' takes no value"},
		{"--switch=never", "option '--switch' needs one of sync|access, not 'never'"},
		{"--max-memory=12Q", "option '--max-memory' needs a size such as 4096, 64K, 2M or "
				     "1G, not '12Q'"},
		{"--max-memory=99999999999T",
			"option '--max-memory' of '99999999999T' is out of range"
			" (1 to 18446744073709551615 bytes)"},
	};
	struct args *a = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *want = xasprintf("heddle: error: %s\n", cases[i][1]);

		strbuf_clear(&messages);
		assert_int_equal(parse(a, 0, cases[i][0]), OPT_ERROR);
		assert_string_equal(messages.s, want);
		free(want);
	}
}

static void test_help(void **state)
{
	struct args *a = *state;
	struct strbuf b = {0};

	assert_int_equal(parse(a, 0, "--stats -h"), OPT_HELP);
	assert_int_equal(parse(a, 0, "--help"), OPT_HELP);
	assert_int_equal(parse(a, 0, "prog --help"), 1);
	opt_help(&b, opts);
	assert_non_null(strstr(b.s, "  -s, --seed=N            schedule number\n"));
	assert_non_null(strstr(b.s, "      --stub=NAME=VALUE   what a function returns\n"
				    "                          repeatable\n"));
	assert_non_null(strstr(b.s, "      --switch=sync|access\n"
				    "                          where threads switch\n"));
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_permute, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
