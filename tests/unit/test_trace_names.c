/* Names of accesses, of parts of objects, and of values. */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/names.h"

#include "ir/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char text[] =
	"heddle-ir 1\n"
	"type $1 = ptr $2 size 8\n"
	"type $2 = struct \"queue\" size 80 {\n"
	"\t0: m $3\n\t320: count $5\n\t384: head $11\n\t448: pos $15\n\t576: bf $6\n\t579: bg "
	"$6\n}\n"
	"type $3 = typedef \"pthread_mutex_t\" $4 size 40\n"
	"type $4 = union size 40 {\n\t0: __size $8\n\t0: __align $10\n}\n"
	"type $5 = base \"int\" size 4\n"
	"type $6 = base \"unsigned int\" size 4\n"
	"type $7 = base \"short\" size 2\n"
	"type $8 = array $9 size 40 count 40\n"
	"type $9 = base \"char\" size 1\n"
	"type $10 = base \"long\" size 8\n"
	"type $11 = ptr $12 size 8\n"
	"type $12 = struct \"node\" size 32 {\n\t0: key $5\n\t64: w $13\n\t128: next $11\n\t192: "
	"name $14\n}\n"
	"type $13 = base \"double\" size 8\n"
	"type $14 = array $9 size 8 count 8\n"
	"type $15 = array $16 size 16 count 4\n"
	"type $16 = struct size 4 {\n\t0: a $7\n\t16: b $7\n}\n"
	"type $17 = array $12 size 320 count 10\n"
	"type $18 = array $19 size 256 count 4\n"
	"type $19 = array $10 size 64 count 8\n"
	"type $20 = typedef \"flag_t\" $21 size 1\n"
	"type $21 = base \"_Bool\" size 1\n"
	"type $22 = ptr $5 size 8\n"
	"global @queue size 8 align 8 $1\n"
	"global @table size 320 align 16 $17\n"
	"global @grid size 256 align 16 $18\n"
	"global @n size 4 align 4 $5\n"
	"extern func @malloc(ptr) -> ptr\n"
	"extern func @free(ptr)\n"
	"extern func @pthread_mutex_lock(ptr) -> i32\n"
	"func @f(%q.0:ptr $1, %k.1:i32 $5, %i.2:i32 $5, %j.3:i32 $5, %p.4:ptr $22, %r5:ptr) {\n"
	"\tlocal l0 \"buf\" $14 size 8 align 8\n"
	"b0:\n"
	"\t%n.6:ptr $11 = call @malloc(ptr null)\n"
	"\t%r7:i32 = call @pthread_mutex_lock(%q.0)\n"
	"\t%r8:ptr = padd %q.0 + 40\n"
	"\tstore.i32 %r8, %k.1\n" /* 3 */
	"\t%r9:ptr = padd %q.0 + 48\n"
	"\t%r10:ptr = load %r9\n" /* 5 */
	"\t%r11:ptr = padd %r10 + 16\n"
	"\t%r12:ptr = load %r11\n" /* 7 */
	"\tstore.i32 %r12, 5\n"    /* 8 */
	"\t%r13:i64 = sext.i32 %i.2\n"
	"\t%r14:ptr = padd %q.0 + 56\n"
	"\t%r15:ptr = padd %r14 + %r13 * 4 + 2\n"
	"\tstore.i16 %r15, 1\n" /* 12 */
	"\t%r16:ptr = padd @table + %r13 * 32 + 48\n"
	"\tstore.ptr %r16, %n.6\n" /* 14 */
	"\t%r17:i64 = sext.i32 %j.3\n"
	"\t%r18:ptr = padd @grid + %r13 * 64\n"
	"\t%r19:ptr = padd %r18 + %r17 * 8\n"
	"\t%r20:i64 = load %r19\n"   /* 18 */
	"\t%r21:ptr = load @queue\n" /* 19 */
	"\t%r22:ptr = padd %r21 + 40\n"
	"\t%r23:i32 = load %r22\n" /* 21 */
	"\t%r24:ptr = padd %q.0 + 72\n"
	"\tstore.i8 %r24, 3\n"  /* 23 */
	"\tstore.i32 %p.4, 3\n" /* 24 */
	"\t%r25:ptr = padd %p.4 + %r13 * 4 + 8\n"
	"\tstore.i32 %r25, 3\n" /* 26 */
	"\tstore.i32 %r5, 3\n"  /* 27 */
	"\t%r26:ptr = alloca l0\n"
	"\t%r27:i32 = load @n\n" /* 29 */
	"\t%r28:i64 = sext.i32 %r27\n"
	"\t%r29:ptr = padd %r26 + %r28 * 1\n"
	"\tstore.i8 %r29, 65\n"       /* 32 */
	"\tmemcpy @table, %n.6, 32\n" /* 33 */
	"\t%r30:ptr = padd @table + 24\n"
	"\tstore.i8 %r30, 65\n"    /* 35 */
	"\t%r31:ptr = load %n.6\n" /* 36: not what the type says */
	"\tcall @free(%r31)\n"     /* 37 */
	"\tcall @free(%n.6)\n"     /* 38 */
	"\tstore.i64 %q.0, 0\n"    /* 39: inside of the mutex */
	"\tret\n"
	"}\n";

static struct ir_program *parse(void)
{
	struct ir_program *p = ir_parse("names.hir", text, strlen(text));

	assert_non_null(p);
	return p;
}

static void test_accesses(void **state)
{
	static const struct {
		uint32_t insn;
		const char *to, *from;
	} expect[] = {
		{0, "n", NULL},
		{1, "q->m", NULL},
		{3, "q->count", NULL},
		{5, "q->head", NULL},
		{7, "q->head->next", NULL},
		{8, "q->head->next->key", NULL},
		{12, "q->pos[i].b", NULL},
		{14, "table[i + 1].next", NULL},
		{18, "grid[i][j]", NULL},
		{19, "queue", NULL},
		{21, "queue->count", NULL},
		{23, "q->bf..bg", NULL},
		{24, "*p", NULL},
		{26, "p[i + 2]", NULL},
		{27, NULL, NULL},
		{29, "n", NULL},
		{32, "buf[n]", NULL},
		{33, "table[0]", "*n"},
		{35, "table[0].name[0]", NULL},
		{36, "n->key", NULL},
		{37, "n->key", NULL},
		{38, "n", NULL},
		{39, "q->m", NULL},
	};
	struct ir_program *p = parse();
	struct names n;
	uint32_t f = ir_find_func(p, "f");

	(void)state;
	names_init(&n, p);
	for (size_t i = 0; i < ARRAY_SIZE(expect); i++) {
		const struct insn_names *in = names_of(&n, f, expect[i].insn);

		if (!expect[i].to)
			assert_null(in->to.text);
		else
			assert_string_equal(in->to.text, expect[i].to);
		if (expect[i].from)
			assert_string_equal(in->from.text, expect[i].from);
	}
	assert_null(names_of(&n, f, 10000)->to.text);
	assert_null(names_of(&n, 10000, 0)->to.text);
	names_release(&n);
	ir_program_free(p);
}

static void path_is(const struct ir_program *p, const char *global, uint64_t offset, uint64_t size,
	const char *expected)
{
	struct strbuf b = {0};

	strbuf_adds(&b, global);
	names_path(&b, p, p->globals.at[ir_find_global(p, global)].dtype, offset, size);
	assert_string_equal(b.s, expected);
	strbuf_release(&b);
}

static void test_paths(void **state)
{
	struct ir_program *p = parse();

	(void)state;
	path_is(p, "table", 3 * 32 + 16, 8, "table[3].next");
	path_is(p, "table", 3 * 32 + 26, 1, "table[3].name[2]");
	path_is(p, "table", 4, 4, "table[0]+4"); /* padding */
	path_is(p, "table", 32, 32, "table[1]");
	path_is(p, "grid", 64 + 8, 8, "grid[1][1]");
	path_is(p, "n", 0, 4, "n");
	path_is(p, "n", 2, 1, "n+2");
	path_is(p, "queue", 0, 8, "queue");
	ir_program_free(p);
}

static void value_is(const struct ir_program *p, uint32_t dtype, ir_type type, uint64_t size,
	uint64_t lo, const char *expected)
{
	struct strbuf b = {0};

	names_value(&b, p, dtype, type, size, (struct val){lo, 0});
	assert_string_equal(b.s, expected);
	strbuf_release(&b);
}

static uint32_t dtype_named(const struct ir_program *p, const char *name)
{
	vec_each (&p->dtypes, i)
		if (!strcmp(ir_str(p, p->dtypes.at[i].name), name))
			return i;
	return 0;
}

static void test_values(void **state)
{
	struct ir_program *p = parse();
	double d = 1.5;
	uint64_t bits;

	(void)state;
	memcpy(&bits, &d, 8);
	value_is(p, dtype_named(p, "int"), 32, 4, 0xffffffff, "-1");
	value_is(p, dtype_named(p, "unsigned int"), 32, 4, 0xffffffff, "4294967295");
	value_is(p, dtype_named(p, "char"), 8, 1, 'a', "97 'a'");
	value_is(p, dtype_named(p, "char"), 8, 1, 0xff, "-1");
	value_is(p, dtype_named(p, "flag_t"), 8, 1, 1, "true");
	value_is(p, dtype_named(p, "double"), IR_F64, 8, bits, "1.5");
	value_is(p, 0, IR_F64, 8, bits, "1.5");
	value_is(p, 0, IR_PTR, 8, 0, "NULL");
	value_is(p, 0, IR_PTR, 8, 0x7f00, "0x7f00");
	value_is(p, 0, 32, 4, 0xfffffffe, "-2");
	value_is(p, dtype_named(p, "int"), 64, 8, 7, "7"); /* two of them at once */
	ir_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
