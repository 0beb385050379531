/* Patterns of suppressions: the rules of ThreadSanitizer. */
#include "base/base.h"
#include "base/vec.h"
#include "finding/suppress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} cases[] = {
		{"foo", "foo", true},
		{"foo", "a_foo_b", true},
		{"foo", "fo", false},
		{"^foo", "foobar", true},
		{"^foo", "a_foo", false},
		{"foo$", "a_foo", true},
		{"foo$", "foobar", false},
		{"^foo$", "foo", true},
		{"^foo$", "foofoo", false},
		{"a*c", "abc", true},
		{"a*c", "xaybcz", true},
		{"a*c", "cba", false},
		{"^a*c$", "abbc", true},
		{"a*$", "abc", true},
		{"*", "anything", true},
		{"*foo*", "xfoo", true},
		{"foo", "", false},
		{"", "x", true},
		{"lib/*.c", "src/lib/x.c", true},
		{"lib/*.c", "src/lib/x.h", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (suppression_fits(cases[i].pattern, cases[i].text) != cases[i].fits)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	assert_false(suppression_fits("x", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
