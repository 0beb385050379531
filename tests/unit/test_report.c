/*
 * Text reports: findings in tests/unit/report/NAME.json against NAME.WIDTH.txt. With the
 * environment variable UPDATE_GOLDEN set these are written anew, to be looked at before they are
 * committed.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "finding/finding.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stdio.h>

#define DIR "tests/unit/report/"

static const char *const names[] = {
	"race", "assert", "deadlock", "free", "crash", "atomicity", "wakeup",
	"branch", "odd"};

static struct finding *load(const char *name)
{
	char *path = xasprintf(DIR "%s.json", name);
	struct strbuf b = {0};
	struct finding *f;

	assert_int_equal(strbuf_read_file(&b, path), 0);
	f = finding_from_json(b.s, b.n, path);
	assert_non_null(f);
	strbuf_release(&b);
	free(path);
	return f;
}

static void compare(const char *name, uint32_t width, bool full)
{
	char *path = xasprintf(DIR "%s.%u%s.txt", name, width, full ? ".full" : "");
	struct finding *f = load(name);
	struct strbuf got = {0}, want = {0};
	FILE *out;

	report_text(f, &(struct report_style){.width = width, .full = full}, &got);
	if (getenv("UPDATE_GOLDEN")) {
		out = fopen(path, "w");
		assert_non_null(out);
		fputs(got.s, out);
		fclose(out);
	}
	assert_int_equal(strbuf_read_file(&want, path), 0);
	if (strcmp(got.s, want.s))
		fail_msg("%s is different; now it is:\n%s", path, got.s);
	finding_free(f);
	strbuf_release(&got);
	strbuf_release(&want);
	free(path);
}

static void test_golden(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		compare(names[i], 100, false);
		compare(names[i], 80, false);
	}
	compare("free", 60, false);
	compare("free", 140, false);
	compare("race", 100, true);
	compare("assert", 100, true);
}

/* A line may be longer than the page only if it is one word after its indent, or one that scripts
 * read, or a frame of a stack. */
static bool may_be_long(const char *line, size_t n)
{
	while (n && (*line == ' ' || *line == '>')) {
		line++;
		n--;
	}
	return !memchr(line, ' ', n) || *line == '#' || !strncmp(line, "SUMMARY", 7);
}

static void test_every_width(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		for (uint32_t width = 40; width < 200; width++) {
			struct finding *f = load(names[i]);
			struct strbuf b = {0};

			report_text(f, &(struct report_style){.width = width}, &b);
			assert_true(utf8_valid(b.s));
			for (const char *s = b.s, *nl; (nl = strchr(s, '\n')); s = nl + 1) {
				size_t n = (size_t)(nl - s);

				if (utf8_columns(s, n) > width && !may_be_long(s, n))
					fail_msg("%s at %u: %.*s", names[i], width, (int)n, s);
				assert_true(!n || s[n - 1] != ' ');
			}
			finding_free(f);
			strbuf_release(&b);
		}
}

static void test_colors_change_nothing_else(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct finding *f = load(names[i]);
		struct strbuf plain = {0}, color = {0}, stripped = {0};

		report_text(f, &(struct report_style){.width = 80}, &plain);
		report_text(f, &(struct report_style){.width = 80, .color = true}, &color);
		assert_non_null(strchr(color.s, '\033'));
		assert_null(strchr(plain.s, '\033'));
		for (const char *s = color.s; *s; s++) {
			if (*s == '\033')
				s = strchr(s, 'm');
			else
				strbuf_addc(&stripped, *s);
		}
		assert_string_equal(plain.s, stripped.s);
		finding_free(f);
		strbuf_release(&plain);
		strbuf_release(&color);
		strbuf_release(&stripped);
	}
}

static void test_columns(void **state)
{
	struct strbuf b = {0};

	(void)state;
	assert_int_equal(utf8_columns("abc", 3), 3);
	assert_int_equal(utf8_columns("na\xc3\xafve", 6), 5);
	assert_int_equal(utf8_columns("\xe8\xae\xa1\xe6\x95\xb0", 6), 4);
	assert_int_equal(utf8_columns("e\xcc\x81", 3), 1);
	assert_int_equal(utf8_columns("\xff\xfe", 2), 2);
	assert_int_equal(utf8_fit("\xe8\xae\xa1\xe6\x95\xb0", 6, 3), 3);
	assert_int_equal(utf8_fit("e\xcc\x81x", 4, 1), 3);
	assert_int_equal(utf8_fit("abc", 3, 0), 0);
	utf8_add_clean(&b, "a\tb\033[1m\x7f\xff\xc2\x85\xe2\x80\xae", 14);
	assert_string_equal(
		b.s, "a b\xef\xbf\xbd[1m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_every_width),
		cmocka_unit_test(test_colors_change_nothing_else),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
