/* What a context says of small programs, in words: one program, places, the lines that must be there. */
#include "cli/models.h"
#include "context/context.h"
#include "import/import.h"
#include "llvm_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ir_program *compile(const char *path)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	assert_true(llvm_compile(&bc, path, "sroa,early-cse,instsimplify"));
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED), 0);
	strbuf_release(&bc);
	return p;
}

/* HEDDLE_CONTEXT="FILE.c PLACES": prints, for whoever wants to see */
static void show(void **state)
{
	char *arg = strdup(getenv("HEDDLE_CONTEXT")), *places = strchr(arg, ' ');
	struct ir_program *p;
	struct points_to *pt;
	struct terms *ts = terms_new();
	struct vec_context_thread v = {0};
	struct strbuf out = {0};

	(void)state;
	*places++ = 0;
	p = compile(arg);
	pt = points_to_new(p, NULL);
	if (!context_parse(p, places, &v)) {
		struct context *c = context_new(p, pt, ts, v.at, v.n, NULL);

		context_print(c, &out);
		puts(out.s);
		context_free(c);
	}
	context_threads_release(&v);
	strbuf_release(&out);
	points_to_free(pt);
	terms_free(ts);
	ir_program_free(p);
	free(arg);
}

int main(void)
{
	const struct CMUnitTest shown[] = {cmocka_unit_test(show)};

	return cmocka_run_group_tests(shown, NULL, NULL);
}
