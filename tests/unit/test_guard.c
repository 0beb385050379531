/*
 * Frames with unknown registers that run in the fast mode where they do not touch them, against the
 * careful mode alone: C programs put together at random from statements on known and unknown values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/strbuf.h"
#include "cli/models.h"
#include "machine/guard.h"
#include "world/world.h"
#include "import/import.h"
#include "llvm_text.h"
#include "rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] =
	"#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"static jmp_buf env; static int depth; static unsigned table[64];\n"
	"__attribute__((noinline)) static unsigned get(unsigned *p) { return *p; }\n"
	"__attribute__((noinline)) static unsigned mix(unsigned k)\n"
	"{ for (int i = 0; i < 5; i++) k = k * 31 + table[k % 64]; return k; }\n"
	"__attribute__((noinline)) static void jump(void) { if (depth++ < 3) longjmp(env, 1); }\n"
	"int main(void)\n{\n\tunsigned *m = malloc(16), k = 1;\n"
	"\tunsigned x = get(m), y = get(m + 1), z = 7, t;\n";

static const char *const statements[] = {
	"for (unsigned i = 0; i < 20; i++) k = k * 3 + table[i % 64]++;",
	"for (unsigned i = 0; i < 9; i++) { t = x; x = y; y = z; z = t; k += i; }",
	"for (unsigned i = 0; i < 9; i++) if (i % 3 == 1) x = z; else k ^= i;",
	"for (unsigned i = 0; i < 9; i++) k += mix(i);",
	"for (unsigned i = 0; i < 6; i++) { k += i; x += i; k *= 5; }",
	"m[2] = x; for (unsigned i = 0; i < 6; i++) k += i; z = get(m + 2);",
	"for (unsigned i = 0; i < 6; i++) { if (k & 1) { y = k; k += 3; } else k++; }",
	"setjmp(env); for (unsigned i = 0; i < 6; i++) k += i; jump();",
	"x = k;",
	"z = get(m);",
	"t = y; for (unsigned i = 0; i < 6; i++) { table[i] += k; k += table[5 - i]; } z ^= t;",
	"if (k & 2) { x = 3; z = 4; } for (unsigned i = 0; i < 5; i++) k ^= table[i] + i;",
};
static const char *const ends[] = {"if (x) k++;", "if (y) k++;", "if (z) k++;", "k += table[x % 64];",
	"", ""};

static void write_program(const char *path, struct rng *r)
{
	FILE *f = fopen(path, "w");

	fputs(head, f);
	for (uint32_t n = 2 + rng_below(r, 5); n--;)
		fprintf(f, "\t%s\n", statements[rng_below(r, ARRAY_SIZE(statements))]);
	fprintf(f, "\t%s\n\tprintf(\"%%u %%u\\n\", k, mix(k));\n\treturn (int)(k & 63);\n}\n",
		ends[rng_below(r, ARRAY_SIZE(ends))]);
	fclose(f);
}

struct outcome {
	enum exec_fate fate;
	int status;
	char kind[64];
	char out[256];
	uint64_t nout;
	bool guarded;
};

static void run(struct outcome *o, const struct ir_program *p, bool slow)
{
	struct exec_options opt = {.slow = slow, .max_instructions = 1000000};
	struct exec_result res;
	char *argv[] = {(char *)"program", NULL};
	struct machine *m = machine_new(p, 1, argv, &opt, &res);
	struct thread *t;
	enum step st = STEP_SWITCH;
	const uint8_t *bytes;
	const uint32_t *terms;

	world_attach(m, world_new(&(struct world_options){0}));
	t = m->threads.at[0];
	while (t && st != STEP_STOP) {
		if (st == STEP_SWITCH || st == STEP_AGAIN)
			t = sched_pick(m, t, st == STEP_AGAIN);
		if (t)
			st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
	}
	*o = (struct outcome){.fate = res.fate, .status = res.status};
	snprintf(o->kind, sizeof o->kind, "%s", exec_word(&res) ? exec_word(&res) : "");
	o->nout = MIN(world_stream(m, 1, &bytes, &terms), sizeof o->out);
	if (o->nout)
		memcpy(o->out, bytes, o->nout);
	o->guarded = m->codes[ir_find_func(p, "main")]->guards != NULL;
	exec_result_release(&res);
	world_free(m->world);
	machine_free(m);
}

/* HEDDLE_SEEDS=from:to runs others */
static void guards_agree(void **state)
{
	unsigned long from = 1, to = 60, guarded = 0, faults = 0;
	char path[] = "/tmp/heddle-guard-XXXXXX.c";

	(void)state;
	if (getenv("HEDDLE_SEEDS"))
		sscanf(getenv("HEDDLE_SEEDS"), "%lu:%lu", &from, &to);
	close(mkstemps(path, 2));
	for (unsigned long seed = from; seed <= to; seed++) {
		struct rng r = rng_seed(seed);
		struct ir_program *p = ir_program_new();
		struct strbuf bc = {0};
		struct outcome fast, slow;

		write_program(path, &r);
		assert_true(llvm_compile(&bc, path, rng_chance(&r, 50) ? "sroa" : "sroa,simplifycfg"));
		assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
		assert_int_equal(import_bitcode(p, "models", heddle_models_bc,
					 heddle_models_bc_size, IMPORT_MODEL | IMPORT_NEEDED), 0);
		run(&fast, p, false);
		run(&slow, p, true);
		if (fast.fate != slow.fate || fast.status != slow.status ||
			strcmp(fast.kind, slow.kind) || fast.nout != slow.nout ||
			memcmp(fast.out, slow.out, fast.nout))
			fail_msg("seed %lu: fast %d/%d '%s' %.*s, careful %d/%d '%s' %.*s", seed,
				fast.fate, fast.status, fast.kind, (int)fast.nout, fast.out,
				slow.fate, slow.status, slow.kind, (int)slow.nout, slow.out);
		guarded += fast.guarded;
		faults += fast.fate == EXEC_FAULT;
		strbuf_release(&bc);
		ir_program_free(p);
	}
	unlink(path);
	print_message("# %lu programs, %lu with guarded frames, %lu with a fault\n", to - from + 1,
		guarded, faults);
	assert_true(guarded * 3 > to - from && faults && faults < to - from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guards_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
