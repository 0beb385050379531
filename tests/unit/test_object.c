/* The formats of src/object: lines of fields, archives, sections of executables. */
#include "base/file.h"
#include "base/strbuf.h"
#include "object/ar.h"
#include "object/attach.h"
#include "object/elf.h"
#include "object/exe.h"
#include "object/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_fields(void **state)
{
	struct fields_reader in;
	struct strbuf b = {0};
	struct fields r;

	(void)state;
	fields_add(&b, "key", "a\tb", "", "c\nd\\t");
	fields_add(&b, "two");
	strbuf_adds(&b, "incomplete\tline");
	in = (struct fields_reader){b.s, b.s + b.n};
	assert_true(fields_next(&in, &r));
	assert_int_equal(r.n, 4);
	assert_string_equal(r.field[1], "a\tb");
	assert_string_equal(r.field[2], "");
	assert_string_equal(r.field[3], "c\nd\\t");
	assert_string_equal(r.field[4], "");
	assert_true(fields_next(&in, &r));
	assert_string_equal(r.field[0], "two");
	assert_false(fields_next(&in, &r));
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
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_attach_to_bitcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
