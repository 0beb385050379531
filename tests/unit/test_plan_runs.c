/* The plan of recording held against runs of the machine: what it leaves out can be recomputed. */
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "facts/plan.h"
#include "import/import.h"
#include "llvm_text.h"
#include "plan_watch.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct tally {
	uint64_t checked, missed, loads, logged;
	uint32_t programs, ended, caught;
};

/* a plan that is wrong on purpose */
enum wrong { RIGHT, LOADS_LEFT_OUT, EVENTS_LEFT_OUT, ALL_PRIVATE };

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

static void spoil(struct plan *pl, enum wrong wrong)
{
	vec_each (&pl->p->funcs, f)
		if (pl->funcs[f].traced)
			vec_each (&pl->p->funcs.at[f].insns, i) {
				struct plan_insn *pi = &pl->funcs[f].insn[i];
				uint8_t op = pl->p->funcs.at[f].insns.at[i].op;

				if (wrong == LOADS_LEFT_OUT && op == IR_LOAD)
					pi->what = PLAN_NOTHING;
				if (wrong == EVENTS_LEFT_OUT)
					pi->flags &= (uint8_t)~(PLAN_F_EVENT | PLAN_F_READ | PLAN_F_WRITE);
				if (wrong == ALL_PRIVATE && op == IR_ALLOCA)
					pi->flags |= PLAN_F_PRIVATE;
			}
}

static struct ir_program *compile(const char *path, const char *passes)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	/* some programs want flags of their own, or are no C */
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

static void run_program(const char *path, const char *passes, enum wrong wrong, uint64_t seed,
	struct tally *t)
{
	struct ir_program *p = compile(path, passes);
	struct plan_watch w = {0};
	struct plan *pl;
	struct host h;

	if (!p)
		return;
	pl = plan_new(p, NULL, false);
	spoil(pl, wrong);
	h = leave_host();
	t->ended += plan_watch_run(&w, p, pl, seed, 100000) == EXEC_EXITED;
	return_to_host(h);
	if (w.missed && wrong == RIGHT)
		fprintf(stderr, "%s (%s):\n%s", path, passes ? passes : "as compiled", w.misses.s);
	t->programs++;
	t->caught += w.missed != 0;
	t->checked += w.checked;
	t->missed += w.missed;
	t->loads += w.loads;
	t->logged += w.logged;
	plan_watch_release(&w);
	plan_free(pl);
	ir_program_free(p);
}

static void run_all(const char *pattern, const char *passes, enum wrong wrong, struct tally *t)
{
	glob_t g;

	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		run_program(g.gl_pathv[i], passes, wrong, 1 + i, t);
	globfree(&g);
	print_message("# %u programs, %u to their end, %llu bytes checked, %llu of %llu loads logged\n",
		t->programs, t->ended, (unsigned long long)t->checked,
		(unsigned long long)t->logged, (unsigned long long)t->loads);
}

static void optimized_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/*.c", "default<O2>", RIGHT, &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.programs > 30 && t.checked > 10000);
}

static void plain_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/*.c", "sroa", RIGHT, &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.programs > 30 && t.checked > 10000);
}

static void unoptimized_programs(void **state)
{
	struct tally t = {0};

	(void)state;
	run_all("tests/programs/[ct]*.c", NULL, RIGHT, &t);
	assert_int_equal(t.missed, 0);
	assert_true(t.programs > 15 && t.checked > 10000);
}

/* In the place of ours: HEDDLE_PROGRAMS='generated/?.c' */
static void other_programs(void **state)
{
	const char *pattern = getenv("HEDDLE_PROGRAMS");
	struct tally t = {0};

	(void)state;
	run_all(pattern, "sroa", RIGHT, &t);
	assert_int_equal(t.missed, 0);
}

static void wrong_plans_are_noticed(void **state)
{
	struct tally loads = {0}, events = {0}, private = {0};

	(void)state;
	run_all("tests/programs/mutex_*.c", "sroa", LOADS_LEFT_OUT, &loads);
	run_all("tests/programs/mutex_*.c", "sroa", EVENTS_LEFT_OUT, &events);
	run_all("tests/programs/thread_*.c", NULL, ALL_PRIVATE, &private);
	assert_true(loads.caught > loads.programs / 2);
	assert_true(events.caught > events.programs / 2);
	assert_true(private.caught > private.programs / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_programs),
		cmocka_unit_test(optimized_programs),
		cmocka_unit_test(unoptimized_programs),
		cmocka_unit_test(wrong_plans_are_noticed),
	};
	const struct CMUnitTest others[] = {cmocka_unit_test(other_programs)};

	return getenv("HEDDLE_PROGRAMS") ? cmocka_run_group_tests(others, NULL, NULL)
					 : cmocka_run_group_tests(tests, NULL, NULL);
}
