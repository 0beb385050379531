/*
 * drive [--access] [--seeds N] [--keep DIR] EXE ARGS…: the program under random choices of the
 * machine, and the real one under the schedules that come of them. What the machine saw is the
 * test; the program must do the same, and every thread must have passed as many points as were
 * counted on the machine.
 *
 * Prints a line for each seed and exits with 1 if one was not the same. --keep: the tests as files.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "object/exe.h"
#include "import/import.h"
#include "ir/validate.h"
#include "replay/explored.h"
#include "replay/output.h"
#include "replay/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t next(uint64_t *rng)
{
	uint64_t z = *rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static struct ir_program *load(const char *path, bool models)
{
	struct ir_program *p = ir_program_new();
	struct exe *x = exe_open(path);
	struct exe_section bc;
	bool ok = x && exe_section(x, EXE_BITCODE, &bc) &&
		  !import_bitcode(p, path, bc.data, bc.n, 0) &&
		  (!models || !import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				      IMPORT_MODEL | IMPORT_NEEDED)) &&
		  !ir_validate(p);

	if (x)
		exe_close(x);
	if (ok)
		return p;
	ir_program_free(p);
	return NULL;
}

/* Choices that come at random distances, of one of the first few threads. */
static void make_switches(struct testcase *tc, uint64_t seed)
{
	uint64_t rng = seed, at = 0, every = 1 + next(&rng) % 12;
	uint32_t threads = 1 + (uint32_t)(next(&rng) % 4);

	for (int i = 0; i < 3000; i++) {
		at += 1 + next(&rng) % every;
		vec_push(&tc->switches,
			(struct testcase_choice){(uint32_t)(next(&rng) % (threads + 1)), at});
	}
}

static void expect(struct testcase *tc, const struct rehearsal *r)
{
	tc->fate = r->res.fate;
	tc->status = r->res.status;
	tc->fault = r->res.fault;
	tc->stop = r->res.stop;
	tc->file = r->place.file ? xstrdup(r->place.file) : NULL;
	tc->line = r->place.line;
	tc->output = xstrndup(r->output.s ? r->output.s : "", r->output.n);
	tc->noutput = (int64_t)r->output.n;
}

/* Of threads that ended or wait by their own; a failure leaves them anywhere. */
static bool same_counts(const struct rehearsal *r, const struct replay_result *run)
{
	bool same = true;

	if (r->res.fate == EXEC_FAULT)
		return true;
	vec_each (&r->counts, i) {
		uint64_t have = i < run->counts.n ? run->counts.at[i] : 0;

		if (have == r->counts.at[i])
			continue;
		printf("  thread %u passed %" PRIu64 " points, on the machine %" PRIu64 "\n", i,
			have, r->counts.at[i]);
		same = false;
	}
	return same;
}

static bool compare(const struct finding *f, const struct rehearsal *r,
	const struct replay_result *run, uint64_t seed)
{
	const struct testcase *tc = f->test;
	struct strbuf what = {0};
	enum sight s = replay_judge(f, run, &what);
	enum output_match out = output_compare(tc->output, (size_t)tc->noutput, run->printed.s,
		run->printed.n, tc->fate == EXEC_EXITED);
	bool same = (s == SIGHT_SEEN || s == SIGHT_MACHINE_ONLY) && out < OUTPUT_MIXED;

	printf("%s seed %" PRIu64 ": %u moves, %s; the machine: %s\n", same ? "ok" : "not ok", seed,
		f->moves.n, what.s, exec_word(&r->res) ? exec_word(&r->res) : "exited");
	strbuf_release(&what);
	return same && same_counts(r, run);
}

static bool run_finding(const struct finding *f, const struct rehearsal *r, uint64_t seed)
{
	struct replay_result run = {0};
	struct replay_setup s;
	bool same = !replay_setup(&s, f, &(struct replay_options){.quiet = true, .seconds = 20}) &&
		    !replay_run(&s.opt, f, &run) && compare(f, r, &run, seed);

	replay_result_release(&run);
	replay_setup_release(&s);
	return same;
}

static int one(struct test_program *tp, struct testcase *tc, uint64_t seed, const char *keep)
{
	struct finding *rehearsed, *f;
	struct rehearsal r;
	bool same = true;

	make_switches(tc, seed);
	rehearsed = finding_of_test(tc);
	if (rehearse(&r, rehearsed, tp))
		return -1;
	expect(tc, &r);
	f = finding_of_test(tc);
	schedule_replace(f, rehearsed);
	if (keep) {
		char *path = xasprintf("%s/%" PRIu64 ".json", keep, seed);

		testcase_write(tc, path);
		free(path);
	}
	if (r.res.fate == EXEC_STOPPED)
		printf("ok seed %" PRIu64 ": the machine stopped: %s\n", seed, exec_word(&r.res));
	else
		same = run_finding(f, &r, seed);
	finding_free(f);
	rehearsal_release(&r);
	return same ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct test_program tp;
	const char *keep = NULL;
	uint64_t seeds = 10;
	bool access = false;
	int bad = 0;

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		if (!strcmp(argv[1], "--access"))
			access = true;
		else if (!strcmp(argv[1], "--seeds") && argc > 2)
			seeds = strtoull(argv[2], NULL, 10), argc--, argv++;
		else if (!strcmp(argv[1], "--keep") && argc > 2)
			keep = argv[2], argc--, argv++;
		else
			argc = 0;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: drive [--access] [--seeds N] [--keep DIR] EXE ARGS...\n");
		return 2;
	}
	struct ir_program *p = load(argv[1], true), *own = load(argv[1], false);
	if (!p || !own || test_program_init(&tp, argv[1], p, own))
		return 2;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct testcase tc = {.program = xstrdup(argv[1]), .switch_access = access};

		for (int i = 1; i < argc; i++)
			vec_push(&tc.argv, xstrdup(argv[i]));
		bad += one(&tp, &tc, seed, keep) != 0;
		testcase_release(&tc);
		fflush(stdout);
	}
	test_program_release(&tp);
	return bad ? 1 : 0;
}
