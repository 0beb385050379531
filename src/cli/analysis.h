/*
 * From recorded runs to reported findings: the common part of `heddle check`, `heddle predict` and
 * `heddle branches`. Each finding is replayed and announced as soon as it is found; the summary has
 * their list, the coverage and its limits, and their reports.
 *
 * The work is done in stages (analysis_stage.h), processes that the command supervises: a stage
 * that exceeds the time or the memory is killed, and what it had found is reported.
 */
#ifndef HEDDLE_CLI_ANALYSIS_H
#define HEDDLE_CLI_ANALYSIS_H

#include "base/opt.h"
#include "base/strbuf.h"
#include "base/supervise.h"
#include "base/vec.h"
#include "cli/named_program.h"
#include "cli/record_runs.h"
#include "cli/report_files.h"
#include "cli/set_aside.h"
#include "deep/deep.h"
#include "explain/observed.h"
#include "predict/predict.h"
#include "finding/findings.h"
#include "finding/verdict.h"
#include "replay/rehearse.h"

#include <stdio.h>

struct analysis_args { /* options of the three commands */
	struct opt_list only, no;
	int model;
	int encoding;  /* enum model_encoding */
	int partition; /* 0: auto; else 1 + enum partition_kind */
	uint64_t chunk, chunks;
	const char *switches; /* NULL: any number */
	uint64_t seconds, query_seconds, memory, jobs;
	const char *dump;
	const char *dir;
	bool json, full, no_replay, accept_incomplete;
	bool spurious; /* of `heddle check` */
	bool force;    /* replays a program that was built again */
	struct report_files files;
	struct set_aside_args aside;
};

#define ANALYSIS_OPTS(S, f)                                                                        \
	OPT_LIST(0, "only", S, f.only, "KIND",                                                     \
		"search for this kind only: assert, race, deadlock, ...;\n"                        \
		"may be repeated, or a list with commas"),                                         \
		OPT_LIST(0, "no", S, f.no, "KIND", "do not search for this kind"),                 \
		QUERY_OPTS(S, f)

#define QUERY_OPTS(S, f)                                                                           \
	OPT_CHOICE(0, "model", S, f.model, "ctp|mcm|control",                                      \
		"which schedules are predicted: all that the data permits\n"                       \
		"(ctp); those in which every read has its recorded value\n"                        \
		"(mcm); all without data, which may be false (control)"),                          \
		OPT_CHOICE(0, "partition", S, f.partition, "auto|cut|distributed|window",          \
			"how a long run is divided into chunks; auto: distributed,\n"              \
			"and only if the run is too long for one model"),                          \
		OPT_NUMBER(0, "chunk", S, f.chunk, "N", 2, 100000,                                 \
			"events of each thread in a chunk, 1000 by default"),                      \
		OPT_NUMBER(0, "chunks", S, f.chunks, "N", 1, 1000000,                              \
			"analyse at most N chunks, the most promising first; 64 by\n"              \
			"default"),                                                                \
		OPT_STRING(0, "switches", S, f.switches, "N",                                      \
			"only schedules with at most N context switches"),                         \
		OPT_NUMBER(0, "seconds", S, f.seconds, "N", 1, 1000000,                            \
			"seconds for the whole command, 60 by default"),                           \
		OPT_NUMBER(0, "query-seconds", S, f.query_seconds, "N", 1, 1000000,                \
			"seconds for one query to the solver, 10 by default"),                     \
		OPT_SIZE(0, "memory", S, f.memory, 1 << 20, UINT64_MAX / 2,                        \
			"memory of all processes together, 2G by default"),                        \
		OPT_NUMBER('j', "jobs", S, f.jobs, "N", 1, 1024,                                   \
			"processes for prediction; one for each processor by\ndefault"),           \
		OPT_STRING(0, "dump-smt", S, f.dump, "DIR",                                        \
			"write each query to the solver to DIR, as SMT-LIB"),                      \
		OPT_CHOICE(0, "encoding", S, f.encoding, "order|cssa",                             \
			"formula that is asked: order, which is fast; or cssa, a\n"                \
			"second one, independent of the first and decided by Z3"),                 \
		OPT_STRING(0, "dir", S, f.dir, "DIR",                                              \
			"keep findings in DIR/.heddle; here by default"),                          \
		OPT_FLAG(0, "json", S, f.json, "print one JSON object"),                           \
		REPORT_FILE_OPTS(S, f.files), SET_ASIDE_OPTS(S, f.aside),                          \
		OPT_FLAG('v', "full", S, f.full, "show every step of each schedule"),              \
		OPT_FLAG(0, "accept-incomplete", S, f.accept_incomplete,                           \
			"exit with 0 if nothing was found, also if the analysis is\n"              \
			"incomplete"),                                                             \
		OPT_FLAG(0, "no-replay", S, f.no_replay,                                           \
			"do not run the program again: findings stay predicted")

#define FORCE_OPT(S, f)                                                                            \
	OPT_FLAG(0, "force", S, f.force,                                                           \
		"replay also if the program was built again since the run was\n"                   \
		"recorded")

/* What a stage counts: a value without pointers, which it sends to the command. */
struct analysis_counts {
	uint32_t runs;   /* analysed runs */
	uint32_t chunks; /* analysed chunks of all runs */
	uint32_t far_runs; /* runs that brought far accesses together, with a chunk each */
	/* sums over the runs */
	struct predict_stats stats; /* without `limits` */
	uint64_t events, all_events, instructions, guards, fixed, threads;
	uint32_t nonzero;  /* runs with an exit status other than 0 */
	int exit_status;   /* of the last of these runs */
	uint32_t failed;   /* runs that a signal of their own ended, or that hung */
	bool left_out;     /* a place with shared accesses is in no analysed chunk */
	uint32_t harmless; /* interleavings of atomic accesses without an effect in a replay */
	uint32_t reused;   /* predictions that depend on a reused heap address, not confirmed */
	int ended_by;      /* signal from outside that ended a run; 0: none */
	uint64_t random_runs,
		random_schedules; /* random schedules: runs, different ones among them */
};

struct explored_stats { /* of the exploration of this input's schedules */
	uint64_t paths;
	double seconds;
	bool ended;       /* it came to its end; else it was killed */
	VEC(char *) gaps; /* sentences: why not every schedule was explored; empty: every one was */
};

struct stage_writer;

struct analysis {
	const struct analysis_args *a;
	/* analysis_report() and analysis_summary(); a command may replace them after opening */
	void (*report)(struct analysis *c, const struct finding *f);
	void (*summary)(struct analysis *c);
	/* called before a confirmed finding is stored; may be NULL */
	void (*confirmed)(struct analysis *c, struct finding *f);
	struct predict_options opt;
	struct findings *db;
	FILE *out; /* --json: the original standard output */
	VEC(struct finding *)
	found; /* in order of discovery, one for each fingerprint; after
					analysis_judge() without those that are set aside */
	struct set_aside aside;
	bool from_traces; /* traces name the program: the user did not */
	struct named_program named;
	const char *input; /* file with the program's standard input; NULL: none */
	struct analysis_counts n;
	struct verdict verdict;  /* its first claim is that of prediction, which has each limit */
	struct deep_stats *deep; /* of the search for other paths; NULL: there was none */
	const struct stage_writer
		*to; /* in a stage: the caller, which gets the results; else NULL */
	struct explored_stats *explored; /* NULL: there was no exploration */
	struct test_program
		*tests; /* in the exploration: runs the test cases of its findings; else NULL */
	bool too_long;  /* the prediction from the recorded run did not end in its time */
	char *no_deep;  /* why there was no search for other paths; NULL: there was one, or none is
			   due */
	struct finding
		*pending;     /* of the stage that runs: found, its replay has not ended; or NULL */
	const struct ctp *at; /* the trace program in analysis; NULL: none */
	uint32_t chunk, nchunks; /* current chunk, from 1, and their number; 0: no chunks */
	double shown;            /* time of the last progress line; 0: none is on the terminal */
	double began;            /* time of analysis_open() */
	double until;            /* end of the time of the stage that runs, in clock_seconds() */
	struct supervisor sup;
};

/* Seconds for the whole command. */
uint64_t analysis_seconds(const struct analysis_args *a);
/* Initializes *c and opens the database. Returns STATUS_NOTHING, or the exit code after error_().
 * With --json it redirects standard output, and so the program's output, to standard error. */
int analysis_open(struct analysis *c, const struct analysis_args *a, const char *input);
void analysis_release(struct analysis *c);
/* analysis_recorded.c: records runs of the program, in a stage. -1 after error_(). */
int analysis_record(struct analysis *c, const struct record_runs_args *a, int argc, char **argv,
	struct recorded_runs *out);
/* Analyses recorded runs of one program together, in a stage that ends at `until`. how: how each
 * run ended; NULL: all by themselves. -1 after error_(). */
int analysis_runs(struct analysis *c, char *const *traces, const enum observed_end *how, uint32_t n,
	double until);
/* Does so in this process. */
int analyse_runs(struct analysis *c, char *const *traces, const enum observed_end *how, uint32_t n);
/* The finding is stored and reported. Takes ownership. */
void analysis_keep(struct analysis *c, struct finding *f);
/* Completes the verdict: sets findings aside, counts the others, and adds the gaps that the analysis as a whole has.
 * Call it once, after the last engine. */
void analysis_judge(struct analysis *c);
/* Writes the files that the options ask for, after judging. -1 after error_(). */
int analysis_write_files(struct analysis *c);
/* Judges, prints the summary and writes the files. Returns the exit code. */
int analysis_conclude(struct analysis *c);
void analysis_args_release(struct analysis_args *a);

/* Seconds that the stage has left. */
double analysis_seconds_left(const struct analysis *c);
/* Predicts on one trace program and reports the findings. -1 after error_(). */
int analysis_predict(struct analysis *c, const struct ctp *ctp);
/* Whether the program of the finding may be run: not with --no-replay, nor if a trace names a program that
 * was built again. */
bool analysis_may_run(struct analysis *c, const struct finding *f);
/* The user wants findings of that kind (--only, --no). */
bool analysis_wants(const struct analysis *c, const struct finding *f);
/* Replays, stores and reports a finding, unless it is known. Takes ownership of f. */
void analysis_found(struct analysis *c, struct finding *f);
/* Adds a gap to the claim of prediction, once. */
void analysis_limit(struct analysis *c, const char *sentence);
void analysis_clear_progress(struct analysis *c);
void analysis_progress(struct analysis *c, const char *what, uint64_t done, uint64_t of);

/* analysis_chunks.c: analyses a run in chunks; `whole`: the run as a whole was analysed before, in
 * windows that do not contain what lies far apart. -1 after error_() */
int analysis_chunks(struct analysis *c, struct trace *t, bool whole);

/* analysis_report.c: one line when a finding is found; their reports come with the summary */
void analysis_report(struct analysis *c, const struct finding *f);
void analysis_summary(struct analysis *c);
void analysis_json(struct analysis *c);
/* The number of findings with that status that are not set aside. */
uint32_t analysis_count(struct analysis *c, enum finding_status s);
/* Moves the findings that do not count from `found` to `aside`, and returns their number. */
uint32_t analysis_set_aside(struct analysis *c);
/* Appends the lines after the headline: the coverage and its limits. */
void analysis_coverage(const struct analysis *c, struct strbuf *b);

#endif
