/* What a context says of the states of a program held against runs of the machine that pass it. */
#include "cli/models.h"
#include "context_watch.h"
#include "import/import.h"
#include "llvm_text.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct tally {
	uint64_t contexts, passed, checked, skipped, missed, known, facts, holds, must, may, counts;
	uint32_t programs;
};

static struct ir_program *compile(const char *path, const char *passes)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	if (!llvm_compile(&bc, path, passes)) {
		strbuf_release(&bc);
		ir_program_free(p);
		return NULL;
	}
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED), 0);
	strbuf_release(&bc);
	return p;
}

/* what the programs print is of no interest, and where they change to is not where the next one is */
static void run_quietly(struct context_watch *w, uint64_t seed, uint32_t wanted)
{
	int out = dup(1), err = dup(2), cwd = open(".", O_RDONLY | O_DIRECTORY);
	int null = open("/dev/null", O_WRONLY);

	dup2(null, 1);
	dup2(null, 2);
	close(null);
	/* few near the start, then ever further apart */
	context_watch_take(w, seed, wanted / 3, 20, 20000);
	context_watch_take(w, seed + 1, wanted / 3, 100, 100000);
	context_watch_take(w, seed + 2, wanted / 3, 400, 200000);
	for (uint64_t i = 0; i < 5; i++)
		context_watch_run(w, seed + i, 200000);
	dup2(out, 1);
	dup2(err, 2);
	assert_int_equal(fchdir(cwd), 0);
	close(out);
	close(err);
	close(cwd);
}

static void run_program(const char *path, const char *passes, uint64_t seed, uint32_t wanted,
	void (*spoil)(struct context *c), struct tally *t)
{
	struct ir_program *p = compile(path, passes);
	struct context_watch w;
	struct points_to *pt;

	if (!p)
		return;
	pt = points_to_new(p, NULL);
	context_watch_init(&w, p, pt, seed);
	w.spoil = spoil;
	run_quietly(&w, seed, wanted);
	if (w.missed && !spoil)
		fprintf(stderr, "%s (%s):\n%s", path, passes ? passes : "as compiled", w.misses.s);
	t->programs++;
	t->contexts += w.contexts.n;
	t->passed += w.passed;
	t->checked += w.checked;
	t->skipped += w.skipped;
	t->missed += w.missed;
	t->known += w.known;
	t->facts += w.facts;
	t->holds += w.holds;
	t->must += w.must;
	t->may += w.may;
	t->counts += w.counts;
	context_watch_release(&w);
	points_to_free(pt);
	ir_program_free(p);
}

static void run_all(const char *pattern, const char *passes, uint32_t wanted, struct tally *t)
{
	glob_t g;

	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		run_program(g.gl_pathv[i], passes, 1 + i, wanted, NULL, t);
	globfree(&g);
	print_message("# %u programs, %llu contexts passed %llu times; %llu checks: %llu registers, %llu "
		      "of memory, %llu conditions, %llu locks, %llu perhaps, %llu barriers; %llu skipped\n",
		t->programs, (unsigned long long)t->contexts, (unsigned long long)t->passed,
		(unsigned long long)t->checked, (unsigned long long)t->known,
		(unsigned long long)t->facts, (unsigned long long)t->holds, (unsigned long long)t->must,
		(unsigned long long)t->may, (unsigned long long)t->counts,
		(unsigned long long)t->skipped);
}

static void plain_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/*.c", "sroa", 18, &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.contexts > 300 && t.checked > 10000);
}

static void optimized_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/[a-m]*.c", "default<O2>", 9, &t);
	assert_int_equal(t.missed, 0);
}

static void unoptimized_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/[n-z]*.c", NULL, 9, &t);
	assert_int_equal(t.missed, 0);
}

/* In the place of ours: HEDDLE_PROGRAMS='generated/?.c' */
static void other_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all(getenv("HEDDLE_PROGRAMS"), getenv("HEDDLE_PASSES") ? getenv("HEDDLE_PASSES") : "sroa", 60,
		&t);
	assert_int_equal(t.missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_programs),
		cmocka_unit_test(optimized_programs),
		cmocka_unit_test(unoptimized_programs),
	};
	const struct CMUnitTest others[] = {cmocka_unit_test(other_programs)};

	return getenv("HEDDLE_PROGRAMS") ? cmocka_run_group_tests(others, NULL, NULL)
					 : cmocka_run_group_tests(tests, NULL, NULL);
}
