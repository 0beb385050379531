/* The table of library functions: each stands once, and the reads of pure ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "facts/externs.h"
#include "log/effects.h"
#include "log/format.h"

/* libc.def and sync.def together */
static void test_each_function_once(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (uint32_t i = 0; extern_at(i); i++)
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(extern_at(i)->name, extern_at(j)->name)) {
				print_message("# %s stands twice\n", extern_at(i)->name);
				wrong++;
			}
	assert_int_equal(wrong, 0);
}

/* A function that calls back has the flag CALLS, which the plan needs, beside the pointer effect. */
static void test_callbacks_have_the_flag(void **state)
{
	(void)state;
	for (uint32_t i = 0; extern_at(i); i++) {
		struct effects_entry e = effects_find(extern_at(i)->name);

		for (const struct extern_effect *x = extern_at(i)->effects; x->op; x++)
			if (x->op == X_CALL && e.kind == EFFECTS_EFFECT && !(e.flags & EFFECTS_CALLS))
				fail_msg("%s has no flag CALLS", extern_at(i)->name);
	}
}

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		uint8_t kind, flags;
	} expect[] = {
		{"strlen", EFFECTS_PURE, 0},
		{"sinl", EFFECTS_PURE, 0},
		{"read", EFFECTS_EFFECT, 0},
		{"__atomic_fetch_nand_16", EFFECTS_EFFECT, EFFECTS_ATOMIC},
		{"qsort", EFFECTS_EFFECT, EFFECTS_CALLS | EFFECTS_MIDWAY},
		{"bsearch", EFFECTS_EFFECT, EFFECTS_CALLS},
		{"fopen", EFFECTS_EFFECT, EFFECTS_LIBRARY},
		{"strdup", EFFECTS_EFFECT, EFFECTS_ALLOC},
		{"__assert_fail", EFFECTS_EFFECT, EFFECTS_ENDS},
		{"pthread_mutex_lock", EFFECTS_SYNC, 0},
		{"_setjmp", EFFECTS_SETJMP, 0},
		{"siglongjmp", EFFECTS_LONGJMP, EFFECTS_ENDS},
		{"syscall", EFFECTS_UNKNOWN, 0},
		{"main", EFFECTS_UNKNOWN, 0},
		{"", EFFECTS_UNKNOWN, 0},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(expect); i++) {
		struct effects_entry e = effects_find(expect[i].name);

		if (e.kind != expect[i].kind || (e.flags & ~EFFECTS_RESULT_INT) != expect[i].flags)
			fail_msg("%s: kind %u, flags %x", expect[i].name, e.kind, e.flags);
	}
	assert_int_equal(effects_find("pthread_mutex_lock").number, LOG_S_LOCK);
}

/* Everything that is called back by the library is found by its flag. */
static void test_call_back(void **state)
{
	static const char *const names[] = {
		"qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete",
		"twalk", "tdestroy", "ftw", "nftw", "glob", "scandir", "atexit", "on_exit",
		"at_quick_exit", "pthread_atfork", "pthread_key_create", "tss_create",
		"__cxa_atexit", "_pthread_cleanup_push", "_pthread_cleanup_pop",
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!(effects_find(names[i]).flags & EFFECTS_CALLS))
			fail_msg("%s", names[i]);
}

static void test_writes(void **state)
{
	static const struct {
		const char *name;
		struct effects_writes w;
	} expect[] = {
		{"strlen", {0, false, -1}},
		{"read", {1 << 1, false, -1}},
		{"strtok_r", {1 << 2, true, -1}},
		{"strdup", {0, false, -1}},
		{"asprintf", {1 << 0, false, 1}},
		{"getline", {1 << 0 | 1 << 1, true, -1}}, /* into the block that is there */
		{"readv", {0, true, -1}},
		{"snprintf", {1 << 0, false, 2}},
		{"__isoc99_sscanf", {UINT32_MAX << 2, false, -1}},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(expect); i++) {
		struct effects_writes w = effects_writes(effects_find(expect[i].name).number);

		if (w.args != expect[i].w.args || w.deep != expect[i].w.deep ||
			w.format != expect[i].w.format)
			fail_msg("%s: %x, %d, %d", expect[i].name, w.args, w.deep, w.format);
	}
}

/* ---- what pure functions read ---------------------------------------------------------------- */

enum { MEMORY = 0x5000, MEMORY_SIZE = 64 };

static bool peek(void *ctx, uint64_t addr, void *to, uint32_t n)
{
	const char *memory = ctx;

	if (addr < MEMORY || addr + n > MEMORY + MEMORY_SIZE)
		return false;
	memcpy(to, memory + (addr - MEMORY), n);
	return true;
}

static struct effects_range ranges[4];

static int reads(const char *name, const char *memory, uint64_t result, uint64_t a, uint64_t b,
	uint64_t c)
{
	char bytes[MEMORY_SIZE];
	uint64_t args[] = {a, b, c};

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, memory, strlen(memory) + 1);
	memset(ranges, 0, sizeof(ranges));
	return effects_reads(effects_find(name).number, result, args, ARRAY_SIZE(args), peek, bytes,
		ranges, ARRAY_SIZE(ranges));
}

static void expect_range(uint32_t i, uint64_t addr, uint64_t n)
{
	assert_int_equal(ranges[i].addr, addr);
	assert_int_equal(ranges[i].n, n);
}

static void test_reads(void **state)
{
	(void)state;
	assert_int_equal(reads("strlen", "", 12, 0x123456, 0, 0), 1);
	expect_range(0, 0x123456, 13);
	assert_int_equal(reads("memcmp", "", 0, 0x100, 0x200, 7), 2);
	expect_range(0, 0x100, 7);
	expect_range(1, 0x200, 7);
	assert_int_equal(reads("strcmp", "abcdef-abcxyz", 1, MEMORY, MEMORY + 7, 0), 2);
	expect_range(0, MEMORY, 4);
	expect_range(1, MEMORY + 7, 4);
	assert_int_equal(reads("strcmp", "abc", 0, MEMORY, MEMORY, 0), 2);
	expect_range(0, MEMORY, 4);
	assert_int_equal(reads("strncmp", "abcdef-abcxyz", 0, MEMORY, MEMORY + 7, 3), 2);
	expect_range(1, MEMORY + 7, 3);
	assert_int_equal(reads("strcasecmp", "aBcdef-AbCxyz", 1, MEMORY, MEMORY + 7, 0), 2);
	expect_range(0, MEMORY, 4);
	assert_int_equal(reads("strchr", "abcdef", MEMORY + 2, MEMORY, 'c', 0), 1);
	expect_range(0, MEMORY, 3);
	assert_int_equal(reads("strchr", "abcdef", 0, MEMORY, 'z', 0), 1);
	expect_range(0, MEMORY, 7);
	assert_int_equal(reads("memchr", "", 0, MEMORY, 'z', 9), 1);
	expect_range(0, MEMORY, 9);
	assert_int_equal(reads("atoi", "  -42 apples", -42, MEMORY, 0, 0), 1);
	expect_range(0, MEMORY, 6);
	assert_int_equal(reads("strnlen", "abcdef", 3, MEMORY, 3, 0), 1);
	expect_range(0, MEMORY, 3);
	assert_int_equal(reads("getpid", "", 77, 0, 0, 0), 0);
	assert_int_equal(reads("localtime", "", 1, 0, 0, 0), 0); /* a null pointer */
}

static void test_reads_of_unknown_memory(void **state)
{
	(void)state;
	assert_int_equal(reads("strcmp", "abc", 1, MEMORY, 0x9000, 0), -1);
	assert_int_equal(reads("strchr", "abc", 0, 0x9000, 'a', 0), -1);
	assert_int_equal(reads("strrchr", "abc", 0, MEMORY + MEMORY_SIZE - 3, 'a', 0), -1);
	assert_int_equal(effects_reads(UINT32_MAX, 0, NULL, 0, peek, NULL, ranges, 4), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callbacks_have_the_flag),
		cmocka_unit_test(test_each_function_once),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_call_back),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_reads_of_unknown_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
