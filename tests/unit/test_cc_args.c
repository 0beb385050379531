/* The command line of heddle-cc, and the words that link a program again. */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cc/args.h"
#include "cc/relink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void parse(struct cc_args *a, char *const *words)
{
	char *argv[32] = {"cc"};
	int argc = 1;

	while (*words)
		argv[argc++] = *words++;
	assert_int_equal(cc_args_parse(a, argc, argv), 0);
}
#define PARSE(a, ...) parse(a, (char *[]){__VA_ARGS__, NULL})

static void test_inputs_and_values(void **state)
{
	struct cc_args a;

	(void)state;
	PARSE(&a, "-I", "dir.c", "-Idir2", "-o", "out.c", "a.c", "-D", "x.c", "-Xclang", "y.c", "b.o",
		"-include", "z.c", "-MF", "deps.c", "-lfoo.c", "lib.a", "-isystem", "w.c", "-z", "now.c");
	assert_int_equal(a.ninputs, 3);
	assert_int_equal(a.nsources, 1);
	assert_string_equal(a.output, "out.c");
	cc_args_release(&a);
	PARSE(&a, "-oout", "--", "-strange.c");
	assert_string_equal(a.output, "out");
	assert_int_equal(a.nsources, 1);
	cc_args_release(&a);
}

static void test_languages(void **state)
{
	static const struct {
		char *name;
		enum cc_lang lang;
	} table[] = {{"a.c", CC_L_C}, {"a.i", CC_L_C}, {"a.C", CC_L_CXX}, {"a.cpp", CC_L_CXX},
		{"a.s", CC_L_ASM}, {"a.S", CC_L_ASM}, {"a.o", CC_L_OBJECT}, {"liba.so.1", CC_L_OBJECT},
		{"a", CC_L_OBJECT}, {"dir.c/a", CC_L_OBJECT}, {"a.ll", CC_L_IR}, {"a.h", CC_L_OTHER}};
	struct cc_args a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		PARSE(&a, table[i].name);
		assert_int_equal(a.at.at[0].lang, table[i].lang);
		cc_args_release(&a);
	}
	PARSE(&a, "-x", "c", "a.txt", "-xassembler", "b.c", "-x", "none", "c.o");
	assert_int_equal(a.at.at[1].lang, CC_L_C);
	assert_int_equal(a.at.at[3].lang, CC_L_ASM);
	assert_int_equal(a.at.at[5].lang, CC_L_OBJECT);
	cc_args_release(&a);
}

static void expect_traits(char *word, unsigned traits)
{
	struct cc_args a;

	PARSE(&a, word, "x");
	if (a.traits != traits)
		fail_msg("'%s' has traits %#x, not %#x", word, a.traits, traits);
	cc_args_release(&a);
}

static void test_traits(void **state)
{
	(void)state;
	expect_traits("-M", CC_PASS);
	expect_traits("-MM", CC_PASS);
	expect_traits("-MMD", CC_NATIVE);
	expect_traits("-MD", CC_NATIVE);
	expect_traits("-print-prog-name=ld", CC_PASS);
	expect_traits("-fsanitize=address", CC_NATIVE | CC_SUPPORT);
	expect_traits("-flto=thin", CC_NATIVE);
	expect_traits("-static", CC_AGAIN);
	expect_traits("-static-libgcc", CC_AGAIN);
	expect_traits("-static-libasan", CC_SUPPORT);
	expect_traits("-Wp,-MD,x", CC_NATIVE);
	expect_traits("-Wp,-DX", 0);
	expect_traits("-Wall", 0);
	expect_traits("-Wl,-t", CC_WL);
	expect_traits("-r", CC_PARTIAL);
	expect_traits("-rdynamic", CC_AGAIN);
	expect_traits("-shared", CC_SHARED);
	expect_traits("-shared-libgcc", CC_AGAIN);
	expect_traits("-pg", CC_NATIVE | CC_SUPPORT);
	expect_traits("-pipe", 0);
	expect_traits("-c", CC_COMPILE);
	expect_traits("-std=c99", 0);
	expect_traits("-S", CC_PASS);
	expect_traits("-s", 0);
}

static void test_second_compile(void **state)
{
	struct words w = {0};
	struct strbuf b = {0};
	struct cc_args a;

	(void)state;
	PARSE(&a, "-c", "-O2", "-MMD", "-MF", "x.d", "a.c", "-o", "a.o", "-I", "inc", "b.c", "-flto");
	assert_string_equal(a.at.at[4].text, "a.c");
	cc_args_compile(&a, 4, CC_NATIVE, &w);
	vec_each (&w, i)
		strbuf_addf(&b, "%s ", w.at[i]);
	assert_string_equal(b.s, "-O2 a.c -I inc ");
	vec_release(&w);
	strbuf_release(&b);
	cc_args_release(&a);
}

static void test_response_file(void **state)
{
	static const char text[] = "a.c 'b c.c'\n\"-DX=\\\"1 2\\\"\" d\\ e.c";
	char path[] = "/tmp/heddle-test-XXXXXX", *word;
	struct cc_args a;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	word = xasprintf("@%s", path);
	PARSE(&a, word, "@no-such-file");
	assert_int_equal(a.at.n, 5);
	assert_string_equal(a.at.at[1].text, "b c.c");
	assert_string_equal(a.at.at[2].text, "-DX=\"1 2\"");
	assert_string_equal(a.at.at[3].text, "d e.c");
	assert_string_equal(a.at.at[4].text, "@no-such-file");
	cc_args_release(&a);
	unlink(path);
	free(word);
}

static void test_wrapped(void **state)
{
	struct words w = {0};
	struct cc_args a;

	(void)state;
	PARSE(&a, "-Wl,--wrap=f,-t", "-Wl,--wrap,g", "-Xlinker", "--wrap", "-Xlinker", "h", "x.o");
	find_wrapped(&a, &a.arena, &w);
	assert_int_equal(w.n, 3);
	assert_string_equal(w.at[0], "f");
	assert_string_equal(w.at[1], "g");
	assert_string_equal(w.at[2], "h");
	vec_release(&w);
	cc_args_release(&a);
}

static void expect_words(const struct recipe *r, const char *const *want)
{
	vec_each (&r->words, i) {
		const struct recipe_word *w = &r->words.at[i];

		assert_non_null(want[i]);
		assert_string_equal(w->kind == RECIPE_PARTS ? "PARTS" : w->text, want[i]);
	}
	assert_null(want[r->words.n]);
}

static void test_link_again(void **state)
{
	struct container pack;
	struct recipe r;
	struct cc_args a;

	(void)state;
	PARSE(&a, "-O2", "-g", "-pthread", "-fsanitize=address", "x.o", "-L/usr/lib", "-lm",
		"-Wl,-Map=x.map,-z,now", "-Wl,--wrap=f", "-Xlinker", "-t", "-o", "prog", "y.c");
	for (int native = 0; native < 2; native++) {
		recipe_init(&r);
		container_init(&pack);
		relink_words(&a, native, &pack, &r);
		if (native)
			expect_words(&r, (const char *[]){"-pthread", "-fsanitize=address", "PARTS",
				"-L/usr/lib", "-l", "m", "-Xlinker", "-z", "-Xlinker", "now", NULL});
		else
			expect_words(&r, (const char *[]){"-pthread", "PARTS", "-L/usr/lib", "-l", "m",
				"-Xlinker", "-z", "-Xlinker", "now", NULL});
		strbuf_release(&pack.bytes);
		recipe_release(&r);
	}
	cc_args_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inputs_and_values),
		cmocka_unit_test(test_languages),
		cmocka_unit_test(test_traits),
		cmocka_unit_test(test_second_compile),
		cmocka_unit_test(test_response_file),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_link_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
