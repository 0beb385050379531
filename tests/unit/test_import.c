#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "import/import.h"

#include "cli/models.h"
#include "machine/exec.h"
#include "ir/text.h"
#include "ir/validate.h"
#include "llvm_text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- what the tests share ---------------------------------------------------------------- */

static struct strbuf said; /* by error_() and warn_() */

static void listen(void *ctx, const char *message)
{
	(void)ctx;
	strbuf_addf(&said, "%s\n", message);
}

static int quiet(void **state)
{
	(void)state;
	strbuf_clear(&said);
	diag_set_sink(listen, NULL);
	return 0;
}

static int loud(void **state)
{
	(void)state;
	diag_set_sink(NULL, NULL);
	return 0;
}

/* adds a module in LLVM assembly to the program */
static int add(struct ir_program *p, const char *text, unsigned flags)
{
	struct strbuf bc = {0};
	int err;

	assert_true(llvm_assemble(&bc, text, NULL));
	err = import_bitcode(p, "test.bc", bc.s, bc.n, flags);
	strbuf_release(&bc);
	if (!err && ir_validate(p))
		fail_msg("not valid: %s", said.s);
	return err;
}

static struct ir_program *import_text(const char *text)
{
	struct ir_program *p = ir_program_new();

	if (add(p, text, 0))
		fail_msg("%s", said.s);
	return p;
}

static char *func_text(const struct ir_program *p, const char *name)
{
	struct strbuf b = {0};
	uint32_t f = ir_find_func(p, name);

	assert_int_not_equal(f, IR_NONE);
	ir_print_func(&b, p, f, false);
	return strbuf_detach(&b);
}

static uint32_t count_op(const struct ir_program *p, const char *name, enum ir_op op)
{
	const struct ir_func *f = &p->funcs.at[ir_find_func(p, name)];
	uint32_t n = 0;

	vec_each (&f->insns, i)
		n += f->insns.at[i].op == op;
	return n;
}

static const struct ir_global *global(const struct ir_program *p, const char *name)
{
	uint32_t g = ir_find_global(p, name);

	assert_int_not_equal(g, IR_NONE);
	return &p->globals.at[g];
}

/* ---- one function, one shape -------------------------------------------------------------- */

static const struct {
	const char *what, *text, *expected;
} shapes[] = {
	{"addresses",
		"%s = type { i32, [4 x { i64, i16 }], ptr }\n"
		"define ptr @f(ptr %p, i32 %i, i64 %j) {\n"
		"  %a = getelementptr inbounds %s, ptr %p, i64 %j, i32 1, i32 %i, i32 1\n"
		"  %b = getelementptr i8, ptr %a, i64 0\n"
		"  %c = getelementptr [0 x i32], ptr %b, i64 %j\n"
		"  ret ptr %b\n}\n",
		"func @f(%r0:ptr, %r1:i32, %r2:i64) -> ptr {\n"
		"b0:\n"
		"\t%r3:i64 = sext.i32 %r1\n"
		"\t%r4:ptr = padd %r0 + %r2 * 80\n"
		"\t%r5:ptr = padd inbounds %r4 + %r3 * 16 + 16\n"
		"\tret %r5\n}\n"},
	{"constant expressions",
		"@g = internal global [9 x i64] zeroinitializer\n@h = internal global i8 0\n"
		"define i64 @f(i64 %x, ptr %p) {\n"
		"  store ptr getelementptr ([9 x i64], ptr @g, i64 0, i64 3), ptr %p\n"
		"  %a = xor i64 %x, ptrtoint (ptr getelementptr (i8, ptr @g, i64 5) to i64)\n"
		"  %b = xor i64 %a, sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @h to "
		"i64))\n"
		"  %c = xor i64 %b, sub (i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 24) to "
		"i64),"
		" i64 ptrtoint (ptr @g to i64))\n"
		"  ret i64 %c\n}\n",
		"func @f(%r0:i64, %r1:ptr) -> i64 {\n"
		"b0:\n"
		"\tstore.ptr %r1, @g+24\n"
		"\t%r2:i64 = ptrtoint.ptr @g+5\n"
		"\t%r3:i64 = xor %r0, %r2\n"
		"\t%r4:i64 = ptrtoint.ptr @g\n"
		"\t%r5:i64 = ptrtoint.ptr @h\n"
		"\t%r6:i64 = sub %r4, %r5\n"
		"\t%r7:i64 = xor %r3, %r6\n"
		"\t%r8:i64 = xor %r7, 24\n"
		"\tret %r8\n}\n"},
	{"phis of aggregates, an expression in a predecessor",
		"@h = internal global i8 0\n"
		"define {i64, i32} @f(i1 %c, {i64, i32} %v, i64 %x) {\n"
		"entry:\n  br i1 %c, label %a, label %b\n"
		"a:\n  %i = insertvalue {i64, i32} %v, i64 %x, 0\n  br label %b\n"
		"b:\n  %p = phi {i64, i32} [ %i, %a ], [ { i64 1, i32 2 }, %entry ]\n"
		"  %q = phi i64 [ 1, %a ], [ ptrtoint (ptr @h to i64), %entry ]\n"
		"  %e = extractvalue {i64, i32} %p, 0\n  %f = add i64 %e, %q\n"
		"  %r = insertvalue {i64, i32} %p, i64 %f, 0\n  ret {i64, i32} %r\n}\n",
		"func @f(%r0:i1, %r1:i64, %r2:i32, %r3:i64) -> i64, i32 "
		"abi \"{ i64, i32 } @_(i1, { i64, i32 }, i64)\" {\n"
		"b0:\n"
		"\t%r7:i64 = ptrtoint.ptr @h\n"
		"\tcbr %r0, b1, b2(%r4=1, %r5=2, %r6=%r7)\n"
		"b1:\n"
		"\tbr b2(%r4=%r3, %r5=%r2, %r6=1)\n"
		"b2(%r4:i64, %r5:i32, %r6:i64):\n"
		"\t%r8:i64 = add %r4, %r6\n"
		"\tret %r8, %r5\n}\n"},
	{"a switch with two edges to one block, unreachable blocks gone",
		"define i32 @f(i32 %x) {\n"
		"entry:\n  switch i32 %x, label %d [ i32 1, label %m\n i32 2, label %m\n i32 -3, "
		"label %n ]\n"
		"m:\n  %q = phi i32 [ 7, %entry ], [ 7, %entry ]\n  br label %d\n"
		"n:\n  ret i32 9\n"
		"d:\n  %p = phi i32 [ 0, %entry ], [ %q, %m ], [ 3, %dead ]\n  ret i32 %p\n"
		"dead:\n  br label %d\n}\n",
		"func @f(%r0:i32) -> i32 {\n"
		"b0:\n"
		"\tswitch.i32 %r0, b2(%r2=0) [1: b1(%r1=7), 2: b1(%r1=7), -3: b3]\n"
		"b1(%r1:i32):\n"
		"\tbr b2(%r2=%r1)\n"
		"b2(%r2:i32):\n"
		"\tret %r2\n"
		"b3:\n"
		"\tret i32 9\n}\n"},
	{"comparisons are turned round",
		"define i1 @f(double %a, double %b, i32 %x, i32 %y) {\n"
		"  %1 = fcmp ogt double %a, %b\n  %2 = fcmp uge double %a, %b\n"
		"  %3 = fcmp true double %a, %b\n  %4 = icmp sgt i32 %x, %y\n"
		"  %5 = icmp uge i32 %x, %y\n  %6 = xor i1 %1, %2\n  %7 = xor i1 %6, %3\n"
		"  %8 = xor i1 %4, %5\n  %9 = xor i1 %7, %8\n  ret i1 %9\n}\n",
		"func @f(%r0:f64, %r1:f64, %r2:i32, %r3:i32) -> i1 {\n"
		"b0:\n"
		"\t%r4:i1 = folt.f64 %r1, %r0\n"
		"\t%r5:i1 = fule.f64 %r1, %r0\n"
		"\t%r6:i1 = slt.i32 %r3, %r2\n"
		"\t%r7:i1 = ule.i32 %r3, %r2\n"
		"\t%r8:i1 = xor %r4, %r5\n"
		"\t%r9:i1 = xor %r8, 1\n"
		"\t%r10:i1 = xor %r6, %r7\n"
		"\t%r11:i1 = xor %r9, %r10\n"
		"\tret %r11\n}\n"},
	{"byval, varargs, vectors packed into one variadic argument",
		"%s = type { [5 x i64] }\ndeclare i32 @v(ptr, ...)\ndeclare void @b(ptr byval(%s) "
		"align 8)\n"
		"define void @f(ptr byval(%s) %p, <2 x float> %x) {\n"
		"  %1 = call i32 (ptr, ...) @v(ptr %p, i32 1, <2 x float> %x)\n"
		"  call void @b(ptr byval(%s) align 8 %p)\n  ret void\n}\n",
		"func @f(%r0:ptr byval 40, %r1:f32, %r2:f32) "
		"abi \"void @_(ptr byval([40 x i8]) align 8, <2 x float>)\" {\n"
		"b0:\n"
		"\t%r3:i32 = bitcast.f32 %r1\n"
		"\t%r4:i64 = zext.i32 %r3\n"
		"\t%r5:i32 = bitcast.f32 %r2\n"
		"\t%r6:i64 = zext.i32 %r5\n"
		"\t%r7:i64 = shl %r6, 32\n"
		"\t%r8:i64 = or %r4, %r7\n"
		"\t%r9:f64 = bitcast.i64 %r8\n"
		"\t%r10:i32 = call @v(%r0, i32 1, %r9)\n"
		"\tcall @b(byval 40 %r0)\n"
		"\tret\n}\n"},
	{"atomics",
		"define i1 @f(ptr %p, ptr %q) {\n"
		"  %1 = atomicrmw nand ptr %p, i32 3 release, align 4\n"
		"  %2 = load atomic i32, ptr %p acquire, align 4\n"
		"  store atomic volatile i32 %2, ptr %p monotonic, align 4\n"
		"  %3 = cmpxchg weak ptr %p, ptr %q, ptr null acq_rel monotonic, align 8\n"
		"  fence syncscope(\"singlethread\") seq_cst\n  fence release\n"
		"  %4 = extractvalue {ptr, i1} %3, 1\n  ret i1 %4\n}\n",
		"func @f(%r0:ptr, %r1:ptr) -> i1 {\n"
		"b0:\n"
		"\t%r2:i32 = rmw.nand release %r0, 3\n"
		"\t%r3:i32 = load acquire %r0\n"
		"\tstore.i32 relaxed volatile %r0, %r3\n"
		"\t%r4:ptr, %r5:i1 = cas acqrel fail.relaxed weak %r0, %r1, null\n"
		"\tfence seqcst compiler\n"
		"\tfence release\n"
		"\tret %r5\n}\n"},
	{"an invoke is a call and a jump",
		"declare i32 @g()\ndeclare i32 @p(...)\n"
		"define i32 @f() personality ptr @p {\n"
		"  %r = invoke i32 @g() to label %ok unwind label %bad\n"
		"ok:\n  ret i32 %r\n"
		"bad:\n  %l = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %l\n}\n",
		"func @f() -> i32 {\n"
		"b0:\n"
		"\t%r0:i32 = call @g() inexact \"unwinding to a handler\"\n"
		"\tbr b1\n"
		"b1:\n"
		"\tret %r0\n}\n"},
	{"what cannot be said stops there, and only there",
		"declare void @llvm.eh.sjlj.longjmp(ptr)\n"
		"define i32 @f(ptr %p, i1 %c) {\n"
		"  br i1 %c, label %a, label %b\n"
		"a:\n  %v = load i9000, ptr %p\n  %t = trunc i9000 %v to i32\n  ret i32 %t\n"
		"b:\n  call void @llvm.eh.sjlj.longjmp(ptr %p)\n  ret i32 1\n}\n",
		"func @f(%r0:ptr, %r1:i1) -> i32 {\n"
		"b0:\n"
		"\tcbr %r1, b1, b2\n"
		"b1:\n"
		"\tunsupported \"value of type 'i9000'\"\n"
		"\tunsupported \"value of type 'i9000'\"\n"
		"\tret i32 undef\n"
		"b2:\n"
		"\tunsupported \"intrinsic 'llvm.eh.sjlj.longjmp'\"\n"
		"\tret i32 1\n}\n"},
	{"multiply and add, fused where the target fuses",
		"declare double @llvm.fmuladd.f64(double, double, double)\n"
		"define double @f(double %x) \"target-features\"=\"+sse2,+fma,+x87\" {\n"
		"  %y = call double @llvm.fmuladd.f64(double %x, double %x, double 1.0)\n"
		"  ret double %y\n}\n",
		"func @f(%r0:f64) -> f64 attrs \"\\22target-features\\22=\\22+sse2,+fma,+x87\\22\" {\n"
		"b0:\n"
		"\t%r1:f64 = fma %r0, %r0, 0x3ff0000000000000\n"
		"\tret %r1\n}\n"},
	{"multiply and add, apart where it does not; a library function",
		"declare double @llvm.fmuladd.f64(double, double, double)\n"
		"declare float @llvm.sin.f32(float)\n"
		"define double @f(double %x, float %z) \"target-features\"=\"+fma4\" {\n"
		"  %y = call double @llvm.fmuladd.f64(double %x, double %x, double 1.0)\n"
		"  %s = call float @llvm.sin.f32(float %z)\n"
		"  ret double %y\n}\n",
		"func @f(%r0:f64, %r1:f32) -> f64 attrs \"\\22target-features\\22=\\22+fma4\\22\" {\n"
		"b0:\n"
		"\t%r2:f64 = fmul %r0, %r0\n"
		"\t%r3:f64 = fadd %r2, 0x3ff0000000000000\n"
		"\t%r4:f32 = call @sinf(%r1)\n"
		"\tret %r3\n}\n"},
	{"limbs of a wide integer",
		"declare i200 @llvm.ctpop.i200(i200)\n"
		"define i64 @f(i200 %x) {\n  %y = lshr i200 %x, 100\n  %z = trunc i200 %y to i64\n"
		"  %w = call i200 @llvm.ctpop.i200(i200 %x)\n  ret i64 %z\n}\n",
		"func @f(%r0:i64, %r1:i64, %r2:i64, %r3:i8) -> i64 abi \"i64 @_(i200)\" {\n"
		"b0:\n"
		"\t%r4:i64 = zext.i8 %r3\n"
		"\t%r5:i64 = fshr %r2, %r1, 36\n"
		"\t%r6:i64 = fshr %r4, %r2, 36\n"
		"\t%r7:i64 = fshr 0, %r4, 36\n"
		"\t%r8:i64 = fshr 0, 0, 36\n"
		"\t%r9:i8 = trunc.i64 %r8\n"
		"\tunsupported \"intrinsic 'llvm.ctpop.i200'\"\n"
		"\tret %r5\n}\n"},
	{"a signature that cannot be said", "define void @f(i9000 %x) {\n  ret void\n}\n",
		"func @f() abi \"void @_(i9000)\" {\n"
		"b0:\n"
		"\tunsupported \"value of type 'i9000'\"\n"
		"\tunreachable\n}\n"},
	{"address spaces are no memory",
		"define i32 @f(ptr addrspace(257) %p) {\n"
		"  %v = load i32, ptr addrspace(257) %p\n  ret i32 %v\n}\n",
		"func @f(%r0:ptr) -> i32 abi \"i32 @_(ptr addrspace(257))\" {\n"
		"b0:\n"
		"\tunsupported \"access through a segment register\"\n"
		"\tret i32 undef\n}\n"},
	{"assembler: what is not known stays",
		"define i32 @f(i32 %x) {\n"
		"  %1 = call i32 asm \"bswap $0\", \"=r,0\"(i32 %x)\n"
		"  %2 = call i32 asm sideeffect \"cpuid\", \"={ax},0\"(i32 %1)\n"
		"  call void asm sideeffect \"\", \"~{memory}\"()\n"
		"  %3 = call i8 asm \"setz $0\", \"=q\"()\n"
		"  ret i32 %2\n}\n",
		"func @f(%r0:i32) -> i32 {\n"
		"b0:\n"
		"\t%r1:i32 = bswap %r0\n"
		"\t%r2:i32 = asm side \"cpuid\" (%r1) abi \"i32 @_(i32)\" constraints \"att ={ax},0\"\n"
		"\tfence seqcst compiler\n"
		"\t%r3:i8 = asm \"setz $0\" () abi \"i8 @_()\" constraints \"att =q\"\n"
		"\tret %r2\n}\n"},
};

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct ir_program *p = import_text(shapes[i].text);
		char *text = func_text(p, "f");

		if (strcmp(text, shapes[i].expected))
			print_message("# %s\n", shapes[i].what);
		assert_string_equal(text, shapes[i].expected);
		free(text);
		ir_program_free(p);
	}
}

/* ---- constants ---------------------------------------------------------------------------- */

static void test_constants(void **state)
{
	static const char text[] =
		"define i32 @f(ptr %p) {\n"
		"  store i128 -170141183460469231731687303715884105728, ptr %p\n"
		"  store i128 18446744073709551616, ptr %p\n"
		"  store i65 -1, ptr %p\n"
		"  store float 0x7FF4000000000000, ptr %p\n" /* a signalling NaN of 32 bits */
		"  store double 0xFFF8000000000123, ptr %p\n"
		"  store x86_fp80 0xK4000C90FDAA22168C235, ptr %p\n"
		"  store fp128 0xL00000000000000014000921FB54442D1, ptr %p\n"
		"  store half 0xH3C01, ptr %p\n"
		"  ret i32 0\n}\n";
	static const struct {
		ir_type type;
		uint64_t lo, hi;
	} want[] = {{128, 0, 1ull << 63}, {128, 0, 1}, {65, UINT64_MAX, 1}, {IR_F32, 0x7fa00000, 0},
		{IR_F64, 0xfff8000000000123, 0}, {IR_F80, 0xc90fdaa22168c235, 0x4000},
		{IR_F128, 1, 0x4000921fb54442d1}, {IR_F16, 0x3c01, 0}};
	struct ir_program *p = import_text(text);
	const struct ir_func *f = &p->funcs.at[ir_find_func(p, "f")];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct ir_const *k = ir_const(f, f->insns.at[i].arg[1]);

		assert_int_equal(f->insns.at[i].op, IR_STORE);
		assert_int_equal(k->kind, IR_C_BITS);
		assert_int_equal(k->type, want[i].type);
		assert_int_equal(k->lo, want[i].lo);
		assert_int_equal(k->hi, want[i].hi);
	}
	ir_program_free(p);
}

static void test_initializers(void **state)
{
	static const char text[] =
		"@a = global { i8, i32, ptr, [2 x ptr], i128, <8 x i1>, x86_fp80 } { i8 1, i32 -2,"
		" ptr getelementptr (i8, ptr @b, i64 3), [2 x ptr] [ ptr @f, ptr blockaddress(@f, "
		"%x) ],"
		" i128 -1, <8 x i1> <i1 1, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 1>,"
		" x86_fp80 0xK3FFF8000000000000000 }\n"
		"@b = constant [4 x i16] [i16 1, i16 2, i16 -1, i16 4]\n"
		"@z = thread_local global [100 x i64] zeroinitializer\n"
		"@d = global i64 ptrtoint (ptr @b to i64)\n"
		"@e = global i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %x) to i64),"
		" i64 ptrtoint (ptr blockaddress(@f, %y) to i64)) to i32)\n"
		"@w = extern_weak global i8\n"
		"define void @f(ptr %p) {\n  indirectbr ptr %p, [label %x, label %y]\n"
		"x:\n  store ptr @w, ptr %p\n  ret void\ny:\n  ret void\n}\n";
	struct ir_program *p = import_text(text);
	const struct ir_global *a = global(p, "a"), *b = global(p, "b");
	static const unsigned char odd[] = {0x89};

	(void)state;
	assert_int_equal(a->size, 80);
	assert_int_equal(a->init[0], 1);
	assert_memory_equal(a->init + 4, "\xfe\xff\xff\xff", 4);
	assert_int_equal(a->relocs.n, 3);
	assert_int_equal(a->relocs.at[0].offset, 8);
	assert_int_equal(a->relocs.at[0].kind, IR_C_GLOBAL);
	assert_int_equal(a->relocs.at[0].id, ir_find_global(p, "b"));
	assert_int_equal(a->relocs.at[0].addend, 3);
	assert_int_equal(a->relocs.at[1].kind, IR_C_FUNC);
	assert_int_equal(a->relocs.at[2].kind, IR_C_BLOCK);
	assert_int_equal(a->relocs.at[2].addend, 1);
	assert_memory_equal(a->init + 40, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_memory_equal(a->init + 48, odd, 1);
	assert_memory_equal(a->init + 64, "\0\0\0\0\0\0\0\x80\xff\x3f", 10);
	assert_memory_equal(b->init, "\1\0\2\0\xff\xff\4\0", 8);
	assert_int_equal(b->flags, IR_G_CONST);
	assert_int_equal(global(p, "z")->flags, IR_G_TLS);
	assert_null(global(p, "z")->init);
	assert_int_equal(global(p, "d")->relocs.n, 1);
	assert_true(global(p, "e")->flags & IR_G_EXTERN);
	assert_non_null(strstr(said.s, "'e'"));
	assert_int_equal(global(p, "w")->flags, IR_G_EXTERN | IR_G_WEAK);
	ir_program_free(p);
}

/* ---- symbols ------------------------------------------------------------------------------ */

static const char user[] =
	"@shared = external global i32\n@weak = weak global i32 1\n@own = internal global i32 3\n"
	"declare i32 @lib(i32)\ndeclare i32 @gone()\ndeclare i32 @renamed(i32)\n"
	"define weak i32 @soft() {\n  ret i32 1\n}\n"
	"define i32 @strlen2(ptr %p) {\n  ret i32 0\n}\n"
	"define i32 @main() {\n  %a = load i32, ptr @shared\n  %b = call i32 @lib(i32 %a)\n"
	"  %c = call i32 @gone()\n  %d = call i32 @soft()\n  %e = load i32, ptr @own\n"
	"  %f = call i32 @renamed(i32 1)\n  ret i32 %c\n}\n";

static void test_merge(void **state)
{
	static const char second[] =
		"@shared = global i32 7\n@weak = global i64 2\n@own = internal global i32 4\n"
		"define i32 @lib(i32 %x) {\n  %y = load i32, ptr @own\n  ret i32 %y\n}\n"
		"define i32 @soft() {\n  ret i32 2\n}\n"
		"@renamed = alias i32 (i32), ptr @lib\n";
	struct ir_program *p = import_text(user);
	uint32_t lib = ir_find_func(p, "lib"), n;
	char *text;

	(void)state;
	assert_true(p->funcs.at[lib].flags & IR_FN_EXTERN);
	assert_int_equal(add(p, second, 0), 0);
	assert_int_equal(ir_find_func(p, "lib"), lib);
	assert_false(p->funcs.at[lib].flags & IR_FN_EXTERN);
	assert_int_equal(global(p, "shared")->init[0], 7);
	assert_int_equal(global(p, "weak")->size, 8);
	assert_int_equal(global(p, "weak")->flags, 0);
	text = func_text(p, "soft");
	assert_non_null(strstr(text, "ret i32 2"));
	free(text);
	/* the extern that became an alias is the function itself now */
	assert_int_equal(ir_find_func(p, "renamed"), lib);
	assert_int_equal(p->aliases.n, 1);
	n = 0;
	vec_each (&p->funcs, i)
		n += !strcmp(ir_func_name(p, i), "renamed");
	assert_int_equal(n, 0);
	n = 0;
	vec_each (&p->globals, i)
		n += !strcmp(ir_str(p, p->globals.at[i].name), "own");
	assert_int_equal(n, 2);
	assert_int_equal(add(p, "@shared = global i32 1\n", 0), -1);
	assert_non_null(strstr(said.s, "'shared' is defined a second time in 'test.bc'"));
	ir_program_free(p);
}

static void test_models(void **state)
{
	static const char models[] =
		"@table = internal global [1 x ptr] [ptr @deep]\n@own = internal global i32 9\n"
		"@shared = global i32 5\n@unused = global i32 6\n"
		"define i32 @strlen2(ptr %p) {\n  ret i32 5\n}\n"
		"define internal i32 @deep() {\n  %x = load i32, ptr @own\n  ret i32 %x\n}\n"
		"define internal i32 @helper(i32 %x) {\n  %f = load ptr, ptr @table\n"
		"  %r = call i32 %f()\n  ret i32 %r\n}\n"
		"define i32 @not_asked_for() {\n  ret i32 1\n}\n"
		"define i32 @soft() {\n  ret i32 77\n}\n"
		"@lib = weak alias i32 (i32), ptr @helper\n"
		"define void @__heddle_start() {\n  %x = call i32 @not_there()\n  ret void\n}\n"
		"declare i32 @not_there()\n";
	struct ir_program *p = import_text(user);
	char *text;

	(void)state;
	assert_int_equal(add(p, models, IMPORT_MODEL | IMPORT_NEEDED), 0);
	assert_int_equal(ir_find_func(p, "not_asked_for"), IR_NONE);
	assert_int_equal(ir_find_global(p, "unused"), IR_NONE);
	assert_int_not_equal(ir_find_func(p, "__heddle_start"), IR_NONE);
	assert_true(p->funcs.at[ir_find_func(p, "not_there")].flags & IR_FN_EXTERN);
	assert_int_equal(global(p, "shared")->flags, IR_G_MODEL);
	assert_int_equal(p->funcs.at[ir_find_func(p, "lib")].flags, IR_FN_MODEL | IR_FN_LOCAL);
	assert_int_equal(count_op(p, "lib", IR_CALL), 1);
	/* the user's definitions stay, weak ones too */
	text = func_text(p, "strlen2");
	assert_non_null(strstr(text, "ret i32 0"));
	free(text);
	text = func_text(p, "soft");
	assert_non_null(strstr(text, "ret i32 1"));
	free(text);
	assert_false(p->funcs.at[ir_find_func(p, "strlen2")].flags & IR_FN_MODEL);
	ir_program_free(p);
}

static void test_constructors(void **state)
{
	static const char one[] = "define internal void @a() {\n  ret void\n}\ndefine internal "
				  "void @b() {\n  ret void\n}\n"
				  "@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }]"
				  " [{ i32, ptr, ptr } { i32 300, ptr @a, ptr null },"
				  " { i32, ptr, ptr } { i32 65535, ptr null, ptr null },"
				  " { i32, ptr, ptr } { i32 101, ptr @b, ptr null }]\n"
				  "@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }]"
				  " [{ i32, ptr, ptr } { i32 101, ptr @a, ptr null },"
				  " { i32, ptr, ptr } { i32 300, ptr @b, ptr null }]\n";
	static const char two[] = "define internal void @c() {\n  ret void\n}\n"
				  "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
				  " [{ i32, ptr, ptr } { i32 200, ptr @c, ptr null }]\n"
				  "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }]"
				  " [{ i32, ptr, ptr } { i32 300, ptr @c, ptr null }]\n";
	struct ir_program *p = import_text(one);
	struct strbuf b = {0};

	(void)state;
	assert_int_equal(add(p, two, 0), 0);
	vec_each (&p->ctors, i)
		strbuf_adds(&b, ir_func_name(p, p->ctors.at[i].func));
	strbuf_addc(&b, '/');
	vec_each (&p->dtors, i)
		strbuf_adds(&b, ir_func_name(p, p->dtors.at[i].func));
	assert_string_equal(b.s, "bca/cba");
	strbuf_release(&b);
	ir_program_free(p);
}

static void test_aliases(void **state)
{
	static const char text[] =
		"@g = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
		"@third = alias i32, getelementptr ([4 x i32], ptr @g, i64 0, i64 2)\n"
		"@again = alias i32, ptr @third\n@local = internal alias i32, ptr @again\n"
		"define i32 @f() {\n  %a = load i32, ptr @again\n  %b = load i32, ptr @local\n"
		"  %c = call i32 @h()\n  ret i32 %c\n}\n@h = alias i32 (), ptr @f\n"
		"@i = ifunc i32 (), ptr @pick\ndefine ptr @pick() {\n  ret ptr @f\n}\n"
		"define i32 @k() {\n  %c = call i32 @i()\n  ret i32 %c\n}\n";
	struct ir_program *p = import_text(text);
	const struct ir_func *f = &p->funcs.at[ir_find_func(p, "f")];
	const struct ir_const *k = ir_const(f, f->insns.at[0].arg[0]);

	(void)state;
	assert_int_equal(ir_find_func(p, "h"), ir_find_func(p, "f"));
	assert_int_equal(ir_find_global(p, "again"), ir_find_global(p, "g"));
	assert_int_equal(k->kind, IR_C_GLOBAL);
	assert_int_equal(k->lo, 8);
	assert_int_equal(f->insns.at[1].arg[0], f->insns.at[0].arg[0]);
	assert_int_equal(p->aliases.n, 3);
	assert_true(p->funcs.at[ir_find_func(p, "i")].flags & IR_FN_EXTERN);
	assert_non_null(strstr(said.s, "'i' is an ifunc"));
	ir_program_free(p);
}

/* ---- debug information --------------------------------------------------------------------- */

static const char debug_source[] =
	"struct list { struct list *next; const char name[20]; unsigned flag : 1, rest : 7; };\n"
	"typedef struct list list_t;\n"
	"static _Thread_local list_t *head;\n"
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{\n"
	"	return x * 3;\n"
	"}\n"
	"int f(int count, list_t *l, struct list by_value)\n"
	"{\n"
	"	static long calls[2][3];\n"
	"	int twice = count * 2;\n"
	"	char buffer[16];\n"
	"	head = l;\n"
	"	calls[0][1]++;\n"
	"	buffer[count] = by_value.flag;\n"
	"	return inner(twice) + buffer[3];\n"
	"}\n";

static struct ir_program *import_source(const char *source, const char *passes)
{
	char path[] = "/tmp/heddle-test-XXXXXX.c";
	int fd = mkstemps(path, 2);
	FILE *f = fdopen(fd, "w");
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	fputs(source, f);
	fclose(f);
	assert_true(llvm_compile(&bc, path, passes));
	assert_int_equal(import_bitcode(p, "debug.bc", bc.s, bc.n, 0), 0);
	assert_int_equal(ir_validate(p), 0);
	strbuf_release(&bc);
	remove(path);
	return p;
}

static const struct ir_reg *register_named(
	const struct ir_program *p, const struct ir_func *f, const char *name)
{
	vec_each (&f->regs, i)
		if (!strcmp(ir_str(p, f->regs.at[i].name), name))
			return &f->regs.at[i];
	fail_msg("no register holds '%s'", name);
	return NULL;
}

static void check_positions(const struct ir_program *p, const struct ir_func *f)
{
	bool inlined = false;

	vec_each (&f->insns, i) {
		const struct ir_pos *at = &p->positions.at[f->insns.at[i].pos];
		const struct ir_pos *call = &p->positions.at[at->inlined_at];

		if (f->insns.at[i].op != IR_MUL || strcmp(ir_str(p, at->func), "inner"))
			continue;
		inlined = true;
		assert_int_equal(at->line, 6);
		assert_int_equal(at->col, 11);
		assert_int_equal(call->line, 16);
		assert_string_equal(ir_str(p, call->func), "f");
		assert_int_equal(call->inlined_at, 0);
		assert_non_null(strstr(ir_str(p, at->file), "/tmp/heddle-test-"));
	}
	assert_true(inlined);
	assert_int_equal(p->positions.at[f->pos].line, 8);
}

static void check_types(const struct ir_program *p, const struct ir_func *f)
{
	const struct ir_reg *l = register_named(p, f, "l");
	const struct ir_dtype *t = &p->dtypes.at[l->dtype];

	assert_int_equal(t->kind, IR_D_PTR);
	t = &p->dtypes.at[t->elem];
	assert_int_equal(t->kind, IR_D_TYPEDEF);
	assert_string_equal(ir_str(p, t->name), "list_t");
	assert_int_equal(t->size, 32);
	t = &p->dtypes.at[t->elem];
	assert_int_equal(t->kind, IR_D_STRUCT);
	assert_int_equal(t->fields.n, 4);
	assert_string_equal(ir_str(p, t->fields.at[3].name), "rest");
	assert_int_equal(t->fields.at[3].bit_offset, 225);
	/* a list of lists ends at itself */
	assert_ptr_equal(&p->dtypes.at[p->dtypes.at[t->fields.at[0].dtype].elem], t);
	t = &p->dtypes.at[t->fields.at[1].dtype];
	assert_int_equal(t->kind, IR_D_ARRAY);
	assert_int_equal(t->count, 20);
	t = &p->dtypes.at[t->elem];
	assert_int_equal(t->kind, IR_D_CV);
	assert_int_equal(t->size, 1);
}

static void test_debug(void **state)
{
	static const char *const levels[] = {"always-inline", "always-inline,sroa"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(levels); k++) {
		struct ir_program *p = import_source(debug_source, levels[k]);
		const struct ir_func *f = &p->funcs.at[ir_find_func(p, "f")];
		bool buffer = false, calls = false;

		check_positions(p, f);
		check_types(p, f);
		assert_int_equal(register_named(p, f, "count")->type, 32);
		assert_string_equal(ir_str(p, f->regs.at[2].name), "by_value");
		if (k)
			register_named(p, f, "twice");
		vec_each (&f->locals, i)
			if (!strcmp(ir_str(p, f->locals.at[i].name), "buffer")) {
				buffer = true;
				assert_int_equal(p->positions.at[f->locals.at[i].pos].line, 12);
				assert_int_equal(f->locals.at[i].size, 16);
			}
		assert_true(buffer);
		vec_each (&p->globals, i) {
			const struct ir_global *g = &p->globals.at[i];
			const struct ir_dtype *t = &p->dtypes.at[g->dtype];

			if (strcmp(ir_str(p, g->name), "f.calls"))
				continue;
			calls = true;
			assert_int_equal(p->positions.at[g->pos].line, 10);
			assert_int_equal(t->count, 2);
			assert_int_equal(t->size, 48);
			assert_int_equal(p->dtypes.at[t->elem].count, 3);
		}
		assert_true(calls);
		ir_program_free(p);
	}
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void refused(const void *data, size_t n, const char *message)
{
	struct ir_program *p = ir_program_new();

	strbuf_clear(&said);
	assert_int_equal(import_bitcode(p, "bad.bc", data, n, 0), -1);
	assert_non_null(strstr(said.s, "'bad.bc'"));
	if (!strstr(said.s, message))
		fail_msg("%s", said.s);
	assert_ptr_equal(strchr(said.s, '\n'), said.s + said.n - 1);
	ir_program_free(p);
}

static void test_refused(void **state)
{
	struct strbuf bc = {0}, foreign = {0};

	(void)state;
	assert_true(llvm_assemble(&bc, "define void @f() {\n  ret void\n}\n", NULL));
	refused("", 0, "not valid LLVM bitcode");
	refused("\177ELF", 4, "not valid LLVM bitcode");
	refused(bc.s, bc.n / 2 & ~3u, "not valid LLVM bitcode");
	refused(bc.s, 4, "not valid LLVM bitcode");
	assert_true(llvm_assemble(&foreign, "target triple = \"aarch64-linux-gnu\"\n", NULL));
	refused(foreign.s, foreign.n, "was built for 'aarch64");
	strbuf_clear(&foreign);
	assert_true(llvm_assemble(&foreign, "target datalayout = \"E-p:32:32\"\n", NULL));
	refused(foreign.s, foreign.n, "was built for 'no target'");
	strbuf_release(&bc);
	strbuf_release(&foreign);
}

/* ---- whole programs ------------------------------------------------------------------------ */

static const char *const levels[] = {
	NULL, "sroa", "sroa,instcombine<no-verify-fixpoint>,simplifycfg", "default<O2>"};

static struct ir_program *round_trip(struct ir_program *p)
{
	struct strbuf first = {0}, second = {0};
	struct ir_program *q;

	ir_print(&first, p);
	q = ir_parse("printed", first.s, first.n);
	if (!q)
		fail_msg("%s", said.s);
	ir_print(&second, q);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(first.s, second.s, first.n);
	strbuf_release(&first);
	strbuf_release(&second);
	ir_program_free(p);
	return q;
}

/* C is compiled, LLVM assembly assembled */
static void load_program(const char *path, const char *passes, struct strbuf *bc)
{
	struct strbuf text = {0};

	if (!strcmp(path + strlen(path) - 2, ".c")) {
		assert_true(llvm_compile(bc, path, passes));
		return;
	}
	assert_int_equal(strbuf_read_file(&text, path), 0);
	assert_true(llvm_assemble(bc, text.s, passes));
	strbuf_release(&text);
}

static bool is_program(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".ll"));
}

static void run_program(const char *path, const char *passes)
{
	char *argv[] = {"program", NULL}, *envp[] = {NULL};
	struct exec_options opt = {.envp = envp};
	struct ir_program *p = ir_program_new();
	struct exec_result res = {0};
	struct strbuf bc = {0};

	load_program(path, passes, &bc);
	if (import_bitcode(p, path, bc.s, bc.n, 0))
		fail_msg("%s", said.s);
	vec_each (&p->funcs, i)
		vec_each (&p->funcs.at[i].insns, k) {
			const struct ir_insn *in = &p->funcs.at[i].insns.at[k];

			if (in->op == IR_UNSUPPORTED || in->op == IR_ASM)
				fail_msg("%s, %s: %s", path, passes ? passes : "as it is",
					ir_str(p,
						in->op == IR_ASM ? in->arg[0] : (uint32_t)in->imm));
		}
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED),
		0);
	if (ir_validate(p))
		fail_msg("%s: %s", path, said.s);
	p = round_trip(p);
	assert_int_equal(exec_run(p, 1, argv, &opt, &res), 0);
	if (res.fate != EXEC_EXITED || res.status)
		fail_msg("%s, %s: status %d %s", path, passes ? passes : "as it is", res.status,
			res.fate == EXEC_EXITED ? "" : res.report.s);
	exec_result_release(&res);
	strbuf_release(&bc);
	ir_program_free(p);
}

static void test_programs(void **state)
{
	struct dirent **entries;
	int n = scandir("tests/import", &entries, NULL, alphasort), programs = 0;

	(void)state;
	for (int i = 0; i < n; i++) {
		char *path = xasprintf("tests/import/%s", entries[i]->d_name);

		for (size_t k = 0; k < ARRAY_SIZE(levels) && is_program(path); k++) {
			run_program(path, levels[k]);
			programs++;
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
	assert_true(programs >= 36);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shapes, quiet, loud),
		cmocka_unit_test_setup_teardown(test_constants, quiet, loud),
		cmocka_unit_test_setup_teardown(test_initializers, quiet, loud),
		cmocka_unit_test_setup_teardown(test_merge, quiet, loud),
		cmocka_unit_test_setup_teardown(test_models, quiet, loud),
		cmocka_unit_test_setup_teardown(test_constructors, quiet, loud),
		cmocka_unit_test_setup_teardown(test_aliases, quiet, loud),
		cmocka_unit_test_setup_teardown(test_debug, quiet, loud),
		cmocka_unit_test_setup_teardown(test_refused, quiet, loud),
		cmocka_unit_test_setup_teardown(test_programs, quiet, loud),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf_release(&said);
	return failed;
}
