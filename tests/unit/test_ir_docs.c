/* docs/ir.md must know every operation of ops.def, and no other */
#include "base/strbuf.h"
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static int find_op(const char *s, size_t n)
{
	for (int op = 0; op < IR_NOPS; op++)
		if (strlen(ir_ops[op].name) == n && !memcmp(ir_ops[op].name, s, n))
			return op;
	return -1;
}

/* Marks the operations in the first cell of a row: | `add` `sub` | … */
static void read_row(const char *row, size_t n, uint32_t *rows)
{
	const char *cell = memchr(row + 1, '|', n - 1), *at = row, *end;

	for (; cell && (at = memchr(at, '`', (size_t)(cell - at))); at = end + 1) {
		end = memchr(at + 1, '`', (size_t)(cell - at - 1));
		assert_non_null(end);
		int op = find_op(at + 1, (size_t)(end - at - 1));

		if (op < 0)
			fail_msg("docs/ir.md documents '%.*s', which is no operation",
				(int)(end - at - 1), at + 1);
		rows[op]++;
	}
}

static void test_docs(void **state)
{
	uint32_t rows[IR_NOPS] = {0};
	struct strbuf text = {0};
	const char *at, *end;

	(void)state;
	assert_int_equal(strbuf_read_file(&text, "docs/ir.md"), 0);
	at = strstr(text.s, "\n## Operations\n");
	assert_non_null(at);
	end = strstr(at + 1, "\n## ");
	assert_non_null(end);
	while (at < end) {
		size_t n = strcspn(++at, "\n");

		if (at[0] == '|' && at[1] != '-')
			read_row(at, n, rows);
		at += n;
	}
	for (int op = 0; op < IR_NOPS; op++)
		if (rows[op] != 1)
			fail_msg("docs/ir.md documents '%s' %u times", ir_ops[op].name, rows[op]);
	strbuf_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
