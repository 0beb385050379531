/* export: the bitcode of a random program does on the machine what the program does */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "export/export.h"
#include "gen_ir.h"
#include "gen_start.h"
#include "import/import.h"
#include "ir/text.h"
#include "ir/validate.h"
#include "machine/exec.h"

static struct exec_result run(const struct ir_program *p)
{
	struct exec_options opt = {.max_instructions = 50000000};
	struct exec_result res;
	char *argv[] = {(char *)"test", NULL};

	assert_int_equal(exec_run(p, 1, argv, &opt, &res), 0);
	return res;
}

static struct ir_program *round_trip(const struct ir_program *p)
{
	struct ir_program *q = ir_program_new();
	struct strbuf b = {0};

	assert_int_equal(export_bitcode(p, "random", &b), 0);
	assert_int_equal(import_bitcode(q, "random", b.s, b.n, IMPORT_MODEL), 0);
	assert_int_equal(ir_validate(q), 0);
	strbuf_release(&b);
	return q;
}

/* A conversion of a constant that is too large for the type is no value in LLVM, and one in the IR. */
static uint32_t count_undefined(const struct ir_program *p)
{
	uint32_t n = 0;

	vec_each (&p->funcs, f)
		vec_each (&p->funcs.at[f].consts, i)
			n += p->funcs.at[f].consts.at[i].kind == IR_C_UNDEF;
	return n;
}

/* False if the program cannot be compared. */
static bool compare(uint64_t seed, uint32_t size)
{
	struct ir_program *p = gen_ir(seed, size, 0), *q;
	struct exec_result a, b;

	gen_start(p);
	q = round_trip(p);
	if (count_undefined(q) > count_undefined(p)) {
		ir_program_free(p);
		ir_program_free(q);
		return false;
	}
	a = run(p);
	b = run(q);
	if (a.fate != EXEC_EXITED || b.fate != EXEC_EXITED || a.status != b.status)
		fail_msg("seed %lu size %u: %d/%d, exported %d/%d\n%s", seed, size, a.fate,
			a.status, b.fate, b.status, b.report.s ? b.report.s : "");
	exec_result_release(&a);
	exec_result_release(&b);
	ir_program_free(p);
	ir_program_free(q);
	return true;
}

static void random_programs(void **state)
{
	enum { PROGRAMS = 300 };
	uint32_t compared = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
		compared += compare(seed, 5 + (uint32_t)(seed * 37 % 150));
	assert_true(compared > PROGRAMS * 3 / 4);
}

/* ---- errors ------------------------------------------------------------------------------ */

static void keep_message(void *ctx, const char *message)
{
	struct strbuf *b = ctx;

	strbuf_adds(b, message);
	strbuf_addc(b, '\n');
}

static void expect_refused(const char *text, const char *why)
{
	struct ir_program *p = ir_parse("test.ir", text, strlen(text));
	struct strbuf out = {0}, said = {0};

	assert_non_null(p);
	diag_set_sink(keep_message, &said);
	assert_int_equal(export_bitcode(p, "test", &out), -1);
	diag_set_sink(NULL, NULL);
	assert_int_equal(out.n, 0);
	if (!said.s || !strstr(said.s, why))
		fail_msg("'%s' instead of '%s'", said.s ? said.s : "", why);
	strbuf_release(&out);
	strbuf_release(&said);
	ir_program_free(p);
}

static void refused(void **state)
{
	(void)state;
	expect_refused("heddle-ir 1\nfunc @f() {\nb0:\n\tunsupported \"asm goto\" !1\n\tret\n}\n"
		       "pos !1 = \"a.c\":3:7\n",
		"a.c:3:7: error: cannot export 'f': asm goto");
	expect_refused("heddle-ir 1\nfunc @f() {\nb0:\n\tasm side \"cpuid\" ()\n\tret\n}\n",
		"cannot export 'f': assembler without a signature");
	expect_refused("heddle-ir 1\nextern func @g(i32)\nfunc @f() {\nb0:\n\tcall @g(i64 1)\n"
		       "\tret\n}\n",
		"the arguments of the call do not fit its signature 'void @_(i32)'");
	expect_refused("heddle-ir 1\nextern func @g(i32) abi \"nothing\"\n",
		"cannot export 'g': LLVM refuses the signature");
	expect_refused("heddle-ir 1\nfunc @f() abi \"i32 @_()\" {\nb0:\n\tret\n}\n",
		"the results do not fit the signature");
	expect_refused("heddle-ir 1\nfunc @f(%r0:i32) abi \"void @_()\" {\nb0:\n\tret\n}\n",
		"the parameters do not fit its signature");
	expect_refused("heddle-ir 1\nextern global @x inexact size 4 align 4\n",
		"cannot export 'x': its initializer");
}

/* A program with edges that LLVM cannot tell apart keeps both values. */
static void twin_edges(void **state)
{
	static const char text[] = "heddle-ir 1\n"
				   "func @g(%r0:i1) -> i32 {\n"
				   "b0:\n\tcbr %r0, b1(%r1=7), b1(%r1=9)\n"
				   "b1(%r1:i32):\n\tret %r1\n}\n"
				   "extern func @__heddle_exit(i32) noreturn\n";
	struct ir_program *p = ir_parse("test.ir", text, strlen(text)), *q;
	const struct ir_func *f;

	(void)state;
	assert_non_null(p);
	q = round_trip(p);
	f = &q->funcs.at[ir_find_func(q, "g")];
	assert_int_equal(f->blocks.n, 3);
	ir_program_free(p);
	ir_program_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(refused),
		cmocka_unit_test(twin_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
