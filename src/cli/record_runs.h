/*
 * Records runs of a program for `heddle check` and `heddle branches`, with the user's environment,
 * and kills those that hang. The traces are kept in `.heddle/traces`.
 */
#ifndef HEDDLE_CLI_RECORD_RUNS_H
#define HEDDLE_CLI_RECORD_RUNS_H

#include "base/opt.h"
#include "base/vec.h"
#include "explain/observed.h"
#include "finding/findings.h"

struct record_runs_args {
	uint64_t runs, timeout, limit; /* 0 means: 1 run, 120 s, no limit */
	struct opt_list exclude;
	double until; /* programs are killed at that time of clock_seconds(); 0: they are not */
	/* called after each run; may be NULL */
	void (*recorded)(void *ctx, const char *dir, enum observed_end end);
	void *ctx;
};

#define RECORD_RUNS_OPTS(S, f)                                                                     \
	OPT_NUMBER('n', "runs", S, f.runs, "N", 1, 10000,                                          \
		"record N runs and analyse them together; 1 by default"),                          \
		OPT_NUMBER(0, "timeout", S, f.timeout, "N", 1, 1000000,                            \
			"seconds for one recorded run, 120 by default; a run whose\n"              \
			"threads all wait for each other is killed at once"),                      \
		OPT_SIZE(0, "limit", S, f.limit, 1 << 20, UINT64_MAX / 2,                          \
			"keep at most SIZE of the log, the newest part of it"),                    \
		OPT_LIST(0, "exclude", S, f.exclude, "PATTERN",                                    \
			"functions or source files that are not traced")

struct recorded_runs {
	VEC(char *) dirs;            /* of the traces */
	VEC(enum observed_end) ends; /* by run: how it ended */
};

/* Records a->runs runs. input: file with the standard input; NULL: none. -1 after error_().
 * Lifetime: recorded_runs_release(), also after an error. */
int record_runs(const struct record_runs_args *a, struct findings *db, const char *input, int argc,
	char **argv, struct recorded_runs *out);
void recorded_runs_release(struct recorded_runs *r);

#endif
