/* The points-to analysis on small C programs that say what they expect. */
#include "base/base.h"
#include "base/strbuf.h"
#include "facts/points_to.h"
#include "import/import.h"
#include "llvm_text.h"
#include "pts_expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ir_program *compile(const char *name, const char *passes)
{
	char *path = xasprintf("tests/points_to/%s.c", name);
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	assert_true(llvm_compile(&bc, path, passes));
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	strbuf_release(&bc);
	free(path);
	return p;
}

static void check(const char *name, const char *passes)
{
	struct ir_program *p = compile(name, passes);
	struct points_to *pt = points_to_new(p, NULL);
	uint32_t failed, n = pts_check_expectations(p, pt, passes != NULL, &failed);

	if (failed)
		fail_msg("%s (%s): %u of %u expectations failed", name,
			passes ? passes : "as compiled", failed, n);
	assert_true(n > 0);
	points_to_free(pt);
	ir_program_free(p);
}

/* As it is analysed, exactly; and with every variable in memory, where there may be more: variables
 * with several lives are one then. */
#define PROGRAM(name)                                                                              \
	static void program_##name(void **state)                                                   \
	{                                                                                          \
		(void)state;                                                                       \
		check(#name, "sroa");                                                              \
		check(#name, NULL);                                                                \
	}
#define PROGRAMS                                                                                   \
	X(fields) X(list) X(wrappers) X(threads) X(calls) X(container) X(bits) X(arrays)           \
		X(outside) X(varargs) X(returned) X(bytes) X(library)
#define X(name) PROGRAM(name)
PROGRAMS
#undef X

int main(void)
{
	const struct CMUnitTest tests[] = {
#define X(name) cmocka_unit_test(program_##name),
		PROGRAMS
#undef X
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
