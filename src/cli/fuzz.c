/*
 * `heddle fuzz`: runs the real program under random schedules. Each distinct failure becomes a
 * finding with its schedule.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/print.h"
#include "base/vec.h"
#include "image/image.h"
#include "cli/command.h"
#include "cli/standard_input.h"
#include "cli/find_program.h"
#include "replay/failure.h"
#include "replay/replay.h"
#include "finding/findings.h"
#include "finding/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct fuzz_args {
	const char *dir;
	uint64_t seconds, runs, pct, seed, timeout, max;
	struct opt_list exclude;
	bool json;
};

static const struct opt fuzz_opts[] = {
	OPT_NUMBER('s', "seconds", struct fuzz_args, seconds, "N", 1, 10000000,
		"seconds to run, 10 by default"),
	OPT_NUMBER('n', "runs", struct fuzz_args, runs, "N", 1, UINT64_MAX / 2, "run N times"),
	OPT_NUMBER(0, "pct", struct fuzz_args, pct, "DEPTH", 1, 1000,
		"random priorities with DEPTH - 1 changes (PCT) instead of a\n"
		"random choice at every scheduling point"),
	OPT_NUMBER(0, "seed", struct fuzz_args, seed, "N", 0, UINT64_MAX / 2,
		"seed of the first run, 1 by default; each run adds 1"),
	OPT_NUMBER(0, "max", struct fuzz_args, max, "N", 1, 1000000,
		"stop after N different failures"),
	OPT_NUMBER(0, "timeout", struct fuzz_args, timeout, "SECONDS", 1, 1000000,
		"seconds for one run, 20 by default; a longer run is a hang"),
	OPT_LIST(0, "exclude", struct fuzz_args, exclude, "PATTERN",
		"functions or source files that are not controlled: see heddle\n"
		"record; may be repeated"),
	OPT_STRING('C', "dir", struct fuzz_args, dir, "DIR",
		"keep findings in DIR/.heddle; in this directory by default"),
	OPT_FLAG(0, "json", struct fuzz_args, json, "print the result as one JSON object"),
	OPT_END,
};

struct fuzz_failure {
	struct finding *f;
	uint64_t run, seed, times; /* run, seed: of the first run that failed so; times: all runs */
	double seconds;            /* from the start to the first of these runs */
};

struct fuzz {
	const struct fuzz_args *a;
	struct replay_options opt;
	struct findings *db;
	struct failure_options how;
	struct map schedules; /* hashes of runs */
	struct map keys;      /* failure_key() -> index in `failures`, plus 1 */
	VEC(struct fuzz_failure) failures;
	uint64_t runs, points; /* points: the largest number of scheduling points of a run */
	uint64_t seed;         /* of the first run */
	double start,
		spent; /* spent: seconds used to make findings, which elapsed_seconds() excludes */
	bool native;   /* in some run the runtime did not control all context switches */
};

static double elapsed_seconds(const struct fuzz *z)
{
	return clock_seconds() - z->start - z->spent;
}

/* ---- a failure ------------------------------------------------------------------------------- */

/* The failure with the fingerprint of f, or a new one, which takes ownership of f. */
static struct fuzz_failure *failure_of(struct fuzz *z, struct finding *f, bool *is_new)
{
	struct fuzz_failure *x;

	*is_new = false;
	vec_each (&z->failures, i)
		if (z->failures.at[i].f->fingerprint == f->fingerprint)
			return &z->failures.at[i];
	*is_new = true;
	x = vec_add(&z->failures);
	x->f = f;
	return x;
}

static void tell_failure(const struct fuzz *z, const struct fuzz_failure *x)
{
	if (z->a->json)
		return;
	print_clean(stdout, "%s: %s\n", x->f->name, x->f->title);
	print_clean(stdout, "    %s; run %" PRIu64 ", seed %" PRIu64 ", %u context switch%s, %s\n",
		x->f->summary, x->run, x->seed, x->f->switches, x->f->switches == 1 ? "" : "es",
		x->f->status == FINDING_CONFIRMED
			? finding_status_words[x->f->status]
			: "seen once: replays of its schedule do not show it");
	fflush(stdout);
}

static int keep_failure(struct fuzz *z, const struct replay_result *r)
{
	double before = clock_seconds(), at = elapsed_seconds(z);
	struct finding *f = failure_finding(&z->opt, r, &z->how);
	struct fuzz_failure *x;
	bool is_new;
	int rc = 0;

	z->spent += clock_seconds() - before;
	if (!f)
		return -1;
	x = failure_of(z, f, &is_new);
	*map_put(&z->keys, failure_key(r)) = (uint64_t)(x - z->failures.at) + 1;
	x->times++;
	if (!is_new) {
		finding_free(f);
		return 0;
	}
	x->run = z->runs;
	x->seed = z->opt.seed;
	x->seconds = at;
	rc = findings_put(z->db, f, NULL);
	if (!rc)
		tell_failure(z, x);
	return rc;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool goes_on(const struct fuzz *z)
{
	if (z->a->max && z->failures.n >= z->a->max)
		return false;
	if (z->a->runs && z->runs >= z->a->runs)
		return false;
	return (z->a->runs && !z->a->seconds) ||
	       elapsed_seconds(z) < (double)(z->a->seconds ? z->a->seconds : 10);
}

static int run_once(struct fuzz *z)
{
	struct replay_result r = {0};
	uint64_t *known;
	int rc;

	z->opt.seed = z->seed + z->runs;
	z->opt.length = z->points ? z->points : 1000;
	rc = replay_run(&z->opt, NULL, &r);
	if (!rc) {
		z->runs++;
		z->points = MAX(z->points, r.out.points);
		z->native |= r.out.flags & SCHED_F_NATIVE;
		map_put(&z->schedules, r.out.hash);
		if (failure_is(&r)) {
			known = map_get(&z->keys, failure_key(&r));
			if (known)
				z->failures.at[*known - 1].times++;
			else
				rc = keep_failure(z, &r);
		}
	}
	replay_result_release(&r);
	return rc;
}

/* ---- results --------------------------------------------------------------------------------- */

static void report_json(const struct fuzz *z, double seconds)
{
	struct strbuf b = {0};
	struct json j = {.out = &b};

	json_object(&j, NULL);
	json_u64(&j, "runs", z->runs);
	json_double(&j, "seconds", seconds);
	json_u64(&j, "schedules", z->schedules.n);
	json_u64(&j, "points", z->points);
	json_array(&j, "failures");
	vec_each (&z->failures, i) {
		const struct fuzz_failure *x = &z->failures.at[i];

		json_object(&j, NULL);
		json_str(&j, "name", x->f->name);
		json_str(&j, "kind", fault_words[x->f->kind].word);
		json_str(&j, "title", x->f->title);
		json_str(&j, "status", finding_status_words[x->f->status]);
		json_u64(&j, "run", x->run);
		json_u64(&j, "seed", x->seed);
		json_u64(&j, "times", x->times);
		json_u64(&j, "switches", x->f->switches);
		json_double(&j, "seconds", x->seconds);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	print_clean(stdout, "%s\n", b.s);
	strbuf_release(&b);
}

static void report_failures(const struct fuzz *z, double seconds)
{
	if (z->a->json) {
		report_json(z, seconds);
		return;
	}
	print_clean(stdout,
		"%" PRIu64
		" run%s in %.1f s (%.0f a second), %u different schedule%s, %u failure%s\n",
		z->runs, z->runs == 1 ? "" : "s", seconds,
		seconds > 0 ? (double)z->runs / seconds : 0.0, z->schedules.n,
		z->schedules.n == 1 ? "" : "s", z->failures.n, z->failures.n == 1 ? "" : "s");
	if (z->native)
		note_("native code blocked in some runs: heddle did not control all their events");
	vec_each (&z->failures, i)
		if (z->failures.at[i].f->status == FINDING_CONFIRMED) {
			note_("to see it again: heddle replay %s", z->failures.at[i].f->name);
			break;
		}
}

/* A run that only the clock ended may have been slow, not stuck. */
static bool is_certain(const struct finding *f)
{
	return f->kind != FAULT_HANG || f->status == FINDING_CONFIRMED;
}

static int fuzz_runs(struct fuzz *z)
{
	int rc = 0;

	z->start = clock_seconds();
	while (!rc && goes_on(z))
		rc = run_once(z);
	if (rc)
		return STATUS_FAILED;
	report_failures(z, elapsed_seconds(z));
	vec_each (&z->failures, i)
		if (is_certain(z->failures.at[i].f))
			return STATUS_FOUND;
	return z->failures.n ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

/* ---- command --------------------------------------------------------------------------------- */

struct kept { /* strings that z->opt refers to */
	char *exe, *cwd, *input;
	struct image_file image;
};

/* Finds the program, its image and its input, and opens the database. -1 after error_(). */
static int prepare_runs(struct fuzz *z, char **argv, struct kept *k)
{
	const char *dir = z->a->dir ? z->a->dir : ".";
	char *found = find_program(argv[0]);

	if (!found)
		return -1;
	k->exe = realpath(found, NULL);
	k->cwd = getcwd(NULL, 0);
	if (!k->exe)
		error_("cannot run '%s': no such file", found);
	free(found);
	if (!k->exe || replay_bitcode(k->exe, &z->how.bitcode))
		return -1;
	if (image_cached(&k->image, k->exe, IMAGE_ENFORCE, z->a->exclude.at))
		return -1;
	z->db = findings_open(dir, true);
	if (!z->db || standard_input_keep(dir, 0, &k->input))
		return -1;
	z->opt = (struct replay_options){.exe = k->exe,
		.argv = argv,
		.cwd = k->cwd,
		.input = k->input,
		.exclude = z->a->exclude.at,
		.image = &k->image,
		.quiet = true,
		.seconds = z->a->timeout ? (double)z->a->timeout : 20,
		.mode = z->a->pct ? SCHED_PCT : SCHED_RANDOM,
		.depth = (uint32_t)z->a->pct};
	z->seed = z->a->seed ? z->a->seed : 1;
	return 0;
}

static int fuzz_command(void *args, int argc, char **argv)
{
	struct fuzz_args *a = args;
	struct fuzz z = {.a = a, .how = {.seconds = 3}};
	char *base = temporary_directory("fuzz"), *scratch;
	struct kept k = {0};
	int status = STATUS_FAILED;

	(void)argc;
	if (!base)
		return STATUS_FAILED;
	scratch = xasprintf("%s/trace", base);
	z.how.scratch = scratch;
	vec_push(&a->exclude, NULL);
	if (!prepare_runs(&z, argv, &k))
		status = fuzz_runs(&z);
	vec_each (&z.failures, i)
		finding_free(z.failures.at[i].f);
	vec_release(&z.failures);
	map_release(&z.schedules);
	map_release(&z.keys);
	if (z.db)
		findings_close(z.db);
	rmdir(base);
	vec_release(&a->exclude);
	free(scratch);
	free(base);
	free(k.exe);
	free(k.cwd);
	free(k.input);
	image_file_release(&k.image);
	return status;
}

const struct command cmd_fuzz = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about = "Runs a program built by heddle-cc many times, each time under another random\n"
		 "schedule, and reports each failure once: a failed assertion, a signal, a\n"
		 "deadlock, the misuse of a lock, a run that does not end. Each failure is kept\n"
		 "as a finding with its schedule, reduced to few context switches. 'heddle check'\n"
		 "predicts such failures from one run instead.",
	.opts = fuzz_opts,
	.args_size = sizeof(struct fuzz_args),
	.min = 1,
	.max = -1,
	.run = fuzz_command,
};
