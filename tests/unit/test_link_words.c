/* Words of recipes: what heddle-cc writes is allowed, what runs code or writes files is not. */
#include "base/vec.h"
#include "object/link_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "PARTS" is the place of the parts; "FILE x" is x followed by the member 0.txt. */
static const char *wrong_of(const char *const *words)
{
	const char *wrong;
	struct recipe r;

	recipe_init(&r);
	for (; *words; words++) {
		if (!strcmp(*words, "PARTS"))
			vec_push(&r.words, (struct recipe_word){.kind = RECIPE_PARTS});
		else if (!strncmp(*words, "FILE ", 5))
			vec_push(&r.words, (struct recipe_word){RECIPE_FILE, *words + 5, "0.txt"});
		else
			vec_push(&r.words, (struct recipe_word){RECIPE_WORD, *words, NULL});
	}
	wrong = link_words_wrong(&r);
	recipe_release(&r);
	return wrong;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_allowed(void **state)
{
	const char *const *const good[] = {
		WORDS("-pthread", "PARTS", "-L/usr/lib", "-l", "m"),
		WORDS("PARTS", "-Xlinker", "-z", "-Xlinker", "now", "-static"),
		WORDS("PARTS", "-Xlinker", "-rpath", "-Xlinker", "/opt/lib", "/opt/lib/libx.so.1"),
		WORDS("-Xlinker", "FILE --version-script=", "PARTS", "FILE "),
		WORDS("-T", "FILE ", "PARTS", "-e", "start", "-u", "symbol"),
		WORDS("-Xlinker", "-T", "-Xlinker", "FILE ", "PARTS"),
		WORDS("-Xlinker", "-O1", "-Xlinker", "--build-id=sha1", "-Xlinker", "-znow",
			"PARTS"),
		WORDS("-static-libasan", "-fsanitize=address", "PARTS"),
		WORDS("--target=x86_64-pc-linux-gnu", "/opt/libx.so", "/opt/a.so.b/libx-1.2.so.3.4",
			"PARTS"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_null(wrong_of(good[i]));
}

static void test_refused(void **state)
{
	const struct {
		const char *word;
		const char *const *words;
	} bad[] = {
		{"-fpass-plugin=/tmp/x.so", WORDS("-fpass-plugin=/tmp/x.so", "PARTS")},
		{"--ld-path=/tmp/ld", WORDS("PARTS", "--ld-path=/tmp/ld")},
		{"-fuse-ld=/tmp/ld", WORDS("PARTS", "-fuse-ld=/tmp/ld")},
		{"-Wl,-Map=x", WORDS("PARTS", "-Wl,-Map=x")},
		{"-Map=x", WORDS("PARTS", "-Xlinker", "-Map=x")},
		{"-o", WORDS("PARTS", "-o", "/home/file")},
		{"-o", WORDS("PARTS", "-Xlinker", "-o", "-Xlinker", "/home/file")},
		{"--reproduce=x", WORDS("PARTS", "-Xlinker", "--reproduce=x")},
		{"-mllvm=-load=x", WORDS("PARTS", "-Xlinker", "-mllvm=-load=x")},
		{"-mllvm", WORDS("PARTS", "-Xlinker", "-mllvm", "-Xlinker", "-load=x")},
		{"-error-handling-script=x",
			WORDS("PARTS", "-Xlinker", "-error-handling-script=x")},
		{"-emit-llvm", WORDS("PARTS", "-emit-llvm")},
		{"-lazy_library", WORDS("PARTS", "-lazy_library")},
		{"@words", WORDS("@words", "PARTS")},
		{"@words", WORDS("-Xlinker", "@words", "PARTS")},
		{"@words", WORDS("-l", "@words", "PARTS")},
		{"-fplugin=x", WORDS("-T", "-fplugin=x", "PARTS")},
		{"libx.so", WORDS("PARTS", "libx.so")},
		{"-rpath", WORDS("PARTS", "-Xlinker", "-rpath")},
		{"-rpath", WORDS("-Xlinker", "-rpath", "PARTS")},
		{"-pthread", WORDS("-Xlinker", "-rpath", "-pthread", "PARTS")},
		{"-z", WORDS("PARTS", "-z")},
		{"-fplugin=", WORDS("FILE -fplugin=", "PARTS")},
		{"-static", WORDS("FILE -static", "PARTS")},
		{"-L.", WORDS("-L.", "PARTS")},
		/* the compiler would run a compiler for the language, or the linker of the target
		 */
		{"/opt/x.f90", WORDS("-B", "/opt", "/opt/x.f90", "PARTS")},
		{"/opt/x.so.ads", WORDS("/opt/x.so.ads", "PARTS")},
		{"/opt/x.c", WORDS("/opt/x.c", "PARTS")},
		{"--target=x86_64-unknown-none", WORDS("--target=x86_64-unknown-none", "PARTS")},
		{"--target=sparc-linux-gnu", WORDS("--target=sparc-linux-gnu", "PARTS")},
		{"-target", WORDS("-target", "x86_64-pc-windows-msvc", "PARTS")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *wrong = wrong_of(bad[i].words);

		assert_non_null(wrong);
		assert_string_equal(wrong, bad[i].word);
	}
}

static void test_members(void **state)
{
	static const char *const bad[] = {"", ".o", "../0.o", "0.o/x", "x0.o", "0.c", "0.o.o", "program.bc", "0"};
	struct recipe r;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(member_is_own(bad[i]));
	assert_true(member_is_own("0.o") && member_is_own("12.a") && member_is_own("7.txt"));
	recipe_init(&r);
	vec_push(&r.words, (struct recipe_word){RECIPE_FILE, "-Tx", "0.txt"});
	assert_string_equal(link_words_wrong(&r), "-Tx");
	vec_clear(&r.words);
	vec_push(&r.words, (struct recipe_word){RECIPE_FILE, "", "../0.txt"});
	assert_string_equal(link_words_wrong(&r), "../0.txt");
	vec_clear(&r.words);
	vec_add(&r.units)->why = "assembler";
	vec_last(&r.units).member = "/etc/passwd";
	assert_string_equal(link_words_wrong(&r), "/etc/passwd");
	recipe_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
