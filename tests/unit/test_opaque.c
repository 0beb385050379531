/* opaque.c: which instructions without a translation access memory */
#include "base/base.h"
#include "facts/opaque.h"
#include "ir/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool accesses_memory(const char *template, const char *operand)
{
	char *text = xasprintf("heddle-ir 1\n"
			       "func @f(%%a.0:i32, %%p.1:ptr) {\n"
			       "b0:\n"
			       "\t%%r2:i32 = asm side \"%s\" (%s)\n"
			       "\tret\n"
			       "}\n",
		template, operand);
	struct ir_program *p = ir_parse("text", text, strlen(text));
	bool yes;

	assert_non_null(p);
	yes = opaque_accesses_memory(p, &p->funcs.at[0], &p->funcs.at[0].insns.at[0]);
	ir_program_free(p);
	free(text);
	return yes;
}

static void templates(void **state)
{
	static const char *const without[] = {"", "cpuid", "rdtscp", "xgetbv", "rdrand $0",
		"crc32b %al, $0", "xchgq %rbx, ${1:q}; cpuid; xchgq %rbx, ${1:q}", "bsrl $1, $0",
		"movl $$1, $0", "pclmulqdq $$17, %xmm0, %xmm1", " \\0a\\09lfence\\0a\\09# text\\0a", "movss %xmm0, %xmm1"};
	static const char *const with[] = {"movl ($1), $0", "movl 8($1), $0", "rep stosb", "rep; movsb",
		"lodsl", "pushq %rbx", "popq %rbx", "call other", "syscall", "movl name, $0",
		"movl %fs:40, $0", "movl 64, $0", "maskmovdqu %xmm0, %xmm1", "1: jmp 1b", "xbegin 1f",
		"lock; incl $0", "cpuid; movl ($1), $0", ".byte 15"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		if (accesses_memory(without[i], "%a.0"))
			fail_msg("'%s' accesses no memory", without[i]);
	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		if (!accesses_memory(with[i], "%a.0"))
			fail_msg("'%s' may access memory", with[i]);
}

static void pointers(void **state)
{
	(void)state;
	assert_true(accesses_memory("stmxcsr $0", "%p.1"));
	assert_false(accesses_memory("", "%p.1"));
	assert_true(accesses_memory("llvm.x86.sse3.ldu.dq", "%p.1"));
	assert_false(accesses_memory("llvm.x86.ssse3.pshuf.b.128", "%a.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates),
		cmocka_unit_test(pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
