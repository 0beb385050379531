/*
 * The machine on random programs: the fast mode against the careful one, which runs the IR itself
 * one instruction at a time. Both must leave the same checksum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "machine/exec.h"
#include "gen_ir.h"
#include "gen_start.h"
#include "ir/text.h"
#include "ir/validate.h"

static struct exec_result run(const struct ir_program *p, bool slow)
{
	struct exec_options opt = {.slow = slow, .max_instructions = 50000000};
	struct exec_result res;
	char *argv[] = {(char *)"test", NULL};

	assert_int_equal(exec_run(p, 1, argv, &opt, &res), 0);
	return res;
}

static void compare_gears(uint64_t seed, uint32_t size)
{
	struct ir_program *p = gen_ir(seed, size, 0);
	struct exec_result fast, slow;

	gen_start(p);
	assert_int_equal(ir_validate(p), 0);
	fast = run(p, false);
	slow = run(p, true);
	if (fast.fate != EXEC_EXITED || slow.fate != EXEC_EXITED || fast.status != slow.status)
		fail_msg("seed %llu size %u: fast %d/%d/%s, careful %d/%d/%s\n%s",
			(unsigned long long)seed, size, fast.fate, fast.status,
			exec_word(&fast) ? exec_word(&fast) : "", slow.fate, slow.status,
			exec_word(&slow) ? exec_word(&slow) : "", fast.report.s ? fast.report.s : "");
	exec_result_release(&fast);
	exec_result_release(&slow);
	ir_program_free(p);
}

static void gears_agree(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++)
		compare_gears(seed, 5 + (uint32_t)(seed * 37 % 200));
}

/* the same program after a round trip through text */
static void text_runs_alike(void **state)
{
	(void)state;
	for (uint64_t seed = 1000; seed < 1100; seed++) {
		struct ir_program *p = gen_ir(seed, 80, 0), *q;
		struct exec_result a, b;
		struct strbuf text = {0};

		gen_start(p);
		ir_print(&text, p);
		q = ir_parse("text", text.s, text.n);
		assert_non_null(q);
		a = run(p, false);
		b = run(q, false);
		assert_int_equal(a.fate, EXEC_EXITED);
		assert_int_equal(b.fate, EXEC_EXITED);
		assert_int_equal(a.status, b.status);
		assert_int_equal(a.instructions, b.instructions);
		exec_result_release(&a);
		exec_result_release(&b);
		strbuf_release(&text);
		ir_program_free(p);
		ir_program_free(q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gears_agree),
		cmocka_unit_test(text_runs_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
