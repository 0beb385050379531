/* The protection of shared accesses: it changes nothing by itself, and notices a change. */
#include "base/strbuf.h"
#include "bitcode/clean_up.h"
#include "bitcode/keep_accesses.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
	"target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:"
	"32:64-S128\"\n"
	"target triple = \"x86_64-pc-linux-gnu\"\n"
	"@a = global i32 0\n@b = global i32 0\n"
	"declare void @f()\n"
	"define i32 @two(i1 %c) {\n"
	"entry:\n"
	"  %x = load i32, ptr @a\n"
	"  store i32 1, ptr @b\n"
	"  br i1 %c, label %yes, label %no\n"
	"yes:\n"
	"  call void @f()\n"
	"  %y = load volatile i32, ptr @a\n"
	"  br label %no\n"
	"no:\n"
	"  %z = phi i32 [ %x, %entry ], [ %y, %yes ]\n"
	"  fence seq_cst\n"
	"  fence seq_cst\n"
	"  ret i32 %z\n"
	"}\n";

struct module {
	LLVMContextRef c;
	LLVMModuleRef m;
};

static void read(struct module *m)
{
	LLVMMemoryBufferRef text =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(source, sizeof source - 1, "test");
	char *wrong = NULL;

	m->c = LLVMContextCreate();
	if (LLVMParseIRInContext(m->c, text, &m->m, &wrong))
		fail_msg("%s", wrong);
}

static void drop(struct module *m)
{
	LLVMDisposeModule(m->m);
	LLVMContextDispose(m->c);
}

static struct keep *protect(struct module *m)
{
	struct keep *k;

	read(m);
	k = keep_begin(m->m);
	keep_shared_accesses(k);
	keep_all_accesses(k);
	return k;
}

static LLVMBasicBlockRef block(struct module *m, unsigned n)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetNamedFunction(m->m, "two"));

	while (n--)
		b = LLVMGetNextBasicBlock(b);
	return b;
}

static LLVMValueRef find(LLVMBasicBlockRef b, LLVMOpcode op)
{
	LLVMValueRef i = LLVMGetFirstInstruction(b);

	while (i && LLVMGetInstructionOpcode(i) != op)
		i = LLVMGetNextInstruction(i);
	assert_non_null(i);
	return i;
}

static void test_nothing_changed(void **state)
{
	char *before, *after, *wrong = NULL;
	struct module m;
	struct keep *k;

	(void)state;
	read(&m);
	before = LLVMPrintModuleToString(m.m);
	drop(&m);
	k = protect(&m);
	assert_true(LLVMGetVolatile(find(block(&m, 0), LLVMStore)));
	assert_null(keep_restore(k));
	after = LLVMPrintModuleToString(m.m);
	assert_string_equal(before, after);
	assert_false(LLVMVerifyModule(m.m, LLVMReturnStatusAction, &wrong));
	LLVMDisposeMessage(wrong);
	LLVMDisposeMessage(before);
	LLVMDisposeMessage(after);
	drop(&m);
}

static void expect_noticed(struct module *m, struct keep *k, const char *what)
{
	char *wrong = keep_restore(k);

	if (!wrong || !strstr(wrong, what))
		fail_msg("'%s', not '%s'", wrong ? wrong : "nothing noticed", what);
	free(wrong);
	drop(m);
}

static void test_removed(void **state)
{
	struct module m;
	struct keep *k = protect(&m);

	(void)state;
	LLVMInstructionEraseFromParent(find(block(&m, 0), LLVMStore));
	expect_noticed(&m, k, "moved or removed in 'two'");
}

static void test_swapped(void **state)
{
	struct module m;
	struct keep *k = protect(&m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m.c);
	LLVMValueRef store = find(block(&m, 0), LLVMStore), load = find(block(&m, 0), LLVMLoad);

	(void)state;
	LLVMInstructionRemoveFromParent(store);
	LLVMPositionBuilderBefore(b, load);
	LLVMInsertIntoBuilder(b, store);
	LLVMDisposeBuilder(b);
	expect_noticed(&m, k, "moved or removed in 'two'");
}

static void test_duplicated(void **state)
{
	struct module m;
	struct keep *k = protect(&m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m.c);
	LLVMValueRef store = find(block(&m, 0), LLVMStore);

	(void)state;
	LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(block(&m, 2)));
	LLVMInsertIntoBuilder(b, LLVMInstructionClone(store));
	LLVMDisposeBuilder(b);
	expect_noticed(&m, k, "duplicated in 'two'");
}

static void test_made(void **state)
{
	struct module m;
	struct keep *k = protect(&m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m.c);

	(void)state;
	LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(block(&m, 0)));
	LLVMBuildStore(b, LLVMConstInt(LLVMInt32TypeInContext(m.c), 1, false),
		LLVMGetNamedGlobal(m.m, "a"));
	LLVMDisposeBuilder(b);
	expect_noticed(&m, k, "added or changed in 'two'");
}

static void test_all_levels(void **state)
{
	struct module m;

	(void)state;
	for (int level = CLEAN_NONE; level < CLEAN_NLEVELS; level++) {
		read(&m);
		assert_null(clean_module(m.m, (enum clean_level)level));
		find(block(&m, 0), LLVMStore);
		find(block(&m, 1), LLVMCall);
		assert_true(LLVMGetVolatile(find(block(&m, 1), LLVMLoad)));
		assert_false(LLVMGetVolatile(find(block(&m, 0), LLVMLoad)));
		assert_null(LLVMGetNamedFunction(m.m, "heddle.mark"));
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_changed),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_duplicated),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_all_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
