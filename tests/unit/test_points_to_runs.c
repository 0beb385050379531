/* The points-to analysis held against runs of the machine: nothing happens that it did not say. */
#include "base/strbuf.h"
#include "cli/models.h"
#include "facts/points_to.h"
#include "import/import.h"
#include "llvm_text.h"
#include "pts_gen_c.h"
#include "pts_watch.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct tally {
	uint64_t checked, missed;
	uint32_t programs, ended;
};

/* The programs make system calls on the host: what they print is of no interest, and where they
 * change to is not where the next one is. */
struct host {
	int out, err, cwd;
};

static struct host leave_host(void)
{
	struct host h = {dup(1), dup(2), open(".", O_RDONLY | O_DIRECTORY)};
	int null = open("/dev/null", O_WRONLY);

	dup2(null, 1);
	dup2(null, 2);
	close(null);
	return h;
}

static void return_to_host(struct host h)
{
	dup2(h.out, 1);
	dup2(h.err, 2);
	assert_int_equal(fchdir(h.cwd), 0);
	close(h.out);
	close(h.err);
	close(h.cwd);
}

static void run_program(const char *path, const char *passes, struct tally *t)
{
	struct ir_program *p = ir_program_new();
	struct pts_watch w = {0};
	struct strbuf bc = {0};
	struct points_to *pt;
	struct host h;

	/* some programs want flags of their own, or are no C */
	if (!llvm_compile(&bc, path, passes)) {
		strbuf_release(&bc);
		ir_program_free(p);
		return;
	}
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED), 0);
	pt = points_to_new(p, NULL);
	h = leave_host();
	t->ended += pts_watch_run(&w, p, pt, 1, 200000) == EXEC_EXITED;
	return_to_host(h);
	if (w.missed)
		fprintf(stderr, "%s:\n%s", path, w.misses.s);
	t->programs++;
	t->checked += w.checked;
	t->missed += w.missed;
	pts_watch_release(&w);
	points_to_free(pt);
	strbuf_release(&bc);
	ir_program_free(p);
}

static void run_all(const char *pattern, const char *passes, struct tally *t)
{
	glob_t g;

	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		run_program(g.gl_pathv[i], passes, t);
	globfree(&g);
	print_message("# %u programs, %u to their end, %llu pointers checked\n", t->programs,
		t->ended, (unsigned long long)t->checked);
}

static void test_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/*.c", "sroa", &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.programs > 30 && t.checked > 10000);
}

static void expectation_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/points_to/*.c", "sroa", &t);
	run_all("tests/points_to/*.c", NULL, &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.checked > 200);
}

/* HEDDLE_SEEDS=from:to runs others */
static void random_programs(void **state)
{
	unsigned long from = 1, to = 25;
	struct tally t = {0};
	char path[] = "/tmp/heddle-pts-XXXXXX.c";
	int fd = mkstemps(path, 2);

	(void)state;
	if (getenv("HEDDLE_SEEDS"))
		sscanf(getenv("HEDDLE_SEEDS"), "%lu:%lu", &from, &to);
	close(fd);
	for (unsigned long seed = from; seed <= to; seed++) {
		struct strbuf text = {0};
		FILE *f = fopen(path, "w");
		uint64_t before = t.missed;

		pts_gen_c(&text, seed);
		fputs(text.s, f);
		fclose(f);
		run_program(path, "sroa", &t);
		run_program(path, NULL, &t);
		if (t.missed != before)
			fprintf(stderr, "seed %lu\n", seed);
		strbuf_release(&text);
	}
	unlink(path);
	print_message("# %u programs, %u to their end, %llu pointers checked\n", t.programs,
		t.ended, (unsigned long long)t.checked);
	assert_int_equal(t.missed, 0);
	assert_int_equal(t.programs, 2 * (to - from + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expectation_programs),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
