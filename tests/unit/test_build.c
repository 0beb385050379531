/* The parts of src/build that read and write: command lines, records, archives, sections, paths. */
#include "base/diag.h"
#include "cc/again.h"
#include "object/ar.h"
#include "cc/args.h"
#include "object/attach.h"
#include "object/elf.h"
#include "object/exe.h"
#include "object/file.h"
#include "object/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
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
	struct pack pack;
	struct recipe r;
	struct cc_args a;

	(void)state;
	PARSE(&a, "-O2", "-g", "-pthread", "-fsanitize=address", "x.o", "-L/usr/lib", "-lm",
		"-Wl,-Map=x.map,-z,now", "-Wl,--wrap=f", "-Xlinker", "-t", "-o", "prog", "y.c");
	for (int native = 0; native < 2; native++) {
		recipe_init(&r);
		pack_init(&pack);
		again_words(&a, native, &pack, &r);
		if (native)
			expect_words(&r, (const char *[]){"-pthread", "-fsanitize=address", "PARTS",
				"-L/usr/lib", "-lm", "-Xlinker", "-z", "-Xlinker", "now", NULL});
		else
			expect_words(&r, (const char *[]){"-pthread", "PARTS", "-L/usr/lib", "-lm",
				"-Xlinker", "-z", "-Xlinker", "now", NULL});
		strbuf_release(&pack.bytes);
		recipe_release(&r);
	}
	cc_args_release(&a);
}

static void test_records(void **state)
{
	struct record_reader in;
	struct strbuf b = {0};
	struct record r;

	(void)state;
	record_add(&b, "key", "a\tb", "", "c\nd\\t");
	record_add(&b, "two");
	strbuf_adds(&b, "incomplete\tline");
	in = (struct record_reader){b.s, b.s + b.n};
	assert_true(record_next(&in, &r));
	assert_int_equal(r.n, 4);
	assert_string_equal(r.field[1], "a\tb");
	assert_string_equal(r.field[2], "");
	assert_string_equal(r.field[3], "c\nd\\t");
	assert_string_equal(r.field[4], "");
	assert_true(record_next(&in, &r));
	assert_string_equal(r.field[0], "two");
	assert_false(record_next(&in, &r));
	strbuf_release(&b);
}

static void test_archive(void **state)
{
	const char *wrong = "";
	struct strbuf b = {0};
	struct ar_member m;
	struct ar a;

	(void)state;
	ar_begin(&b);
	ar_add(&b, "0.o", "odd", 3);
	ar_add(&b, "fifteen_letters", "even", 4);
	assert_true(ar_init(&a, b.s, b.n));
	assert_true(ar_next(&a, &m, &wrong));
	assert_string_equal(m.name, "0.o");
	assert_int_equal(m.n, 3);
	assert_memory_equal(m.data, "odd", 3);
	free(m.name);
	assert_true(ar_next(&a, &m, &wrong));
	assert_string_equal(m.name, "fifteen_letters");
	assert_ptr_equal(m.data, b.s + m.offset);
	free(m.name);
	assert_false(ar_next(&a, &m, &wrong));
	assert_null(wrong);
	assert_true(ar_init(&a, b.s, b.n - 2));
	assert_true(ar_next(&a, &m, &wrong));
	free(m.name);
	assert_false(ar_next(&a, &m, &wrong));
	assert_string_equal(wrong, "truncated in a member");
	strbuf_release(&b);
}

static void test_paths(void **state)
{
	static const struct {
		const char *path, *absolute;
	} table[] = {{"/a//b/./c", "/a/b/c"}, {"/a/../b", "/b"}, {"/..", "/"}, {"/a/b/../../..", "/"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char *s = path_absolute(table[i].path);

		assert_string_equal(s, table[i].absolute);
		free(s);
	}
	assert_true(path_is_system("/usr/lib/gcc/x/../libm.a"));
	assert_false(path_is_system("/usr/lib/../../home/x/libm.a"));
	assert_false(path_is_system("/usr/library/x.a"));
}

/* Sections can be added to a file, again and again, and to this very program. */
static void test_attach(void **state)
{
	char path[] = "/tmp/heddle-test-XXXXXX";
	struct strbuf self = {0}, after = {0};
	struct exe_section s;
	struct elf e;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(strbuf_read_file(&self, "/proc/self/exe"), 0);
	assert_int_equal(file_write(path, self.s, self.n, true), 0);
	for (int round = 0; round < 3; round++) {
		char text[] = "round 0";

		text[6] = (char)('0' + round);
		assert_null(attach_sections(path,
			(struct attachment[]){{EXE_BITCODE, text, sizeof text}, {EXE_RECIPE, "", 0}}, 2,
			false));
		strbuf_clear(&after);
		assert_int_equal(strbuf_read_file(&after, path), 0);
		assert_null(exe_check(after.s, after.n));
		assert_true(exe_view(after.s, after.n, EXE_BITCODE, &s));
		assert_memory_equal(s.data, text, sizeof text);
	}
	assert_memory_equal(after.s + sizeof(Elf64_Ehdr), self.s + sizeof(Elf64_Ehdr),
		self.n - sizeof(Elf64_Ehdr));
	assert_null(elf_init(&e, after.s, after.n));
	assert_true(elf_is_program(&e));
	strbuf_release(&self);
	strbuf_release(&after);
	unlink(path);
}

static void test_attach_to_bitcode(void **state)
{
	char path[] = "/tmp/heddle-test-XXXXXX", *wrong;
	struct strbuf b = {0};
	struct exe_section s;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(file_write(path, "BC\xc0\xde odd", 8, false), 0);
	assert_null(attach_sections(path, &(struct attachment){EXE_BITCODE, "unit", 4}, 1, true));
	assert_int_equal(strbuf_read_file(&b, path), 0);
	assert_true(exe_is_bitcode(b.s, b.n));
	assert_memory_equal(b.s + 20, "BC\xc0\xde odd", 8);
	assert_true(exe_view(b.s, b.n, EXE_BITCODE, &s));
	assert_memory_equal(s.data, "unit", 4);
	assert_int_equal(file_write(path, "neither", 7, false), 0);
	wrong = attach_sections(path, &(struct attachment){EXE_BITCODE, "unit", 4}, 1, true);
	assert_string_equal(wrong, "not an ELF file");
	free(wrong);
	strbuf_release(&b);
	unlink(path);
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
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_attach_to_bitcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
