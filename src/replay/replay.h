/*
 * Runs the real program under a schedule (log/schedule.h) and reports its outcome.
 *
 * The process executes the *enforce* image of the executable (image/image.h): the record image with
 * a call of the runtime before each scheduling point. Standard input is a file, /dev/null or the
 * caller's. Standard output and standard error are the caller's, a file, or kept in the result.
 *
 * Lifetime of a result: replay_result_release().
 */
#ifndef HEDDLE_REPLAY_REPLAY_H
#define HEDDLE_REPLAY_REPLAY_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "log/schedule.h"
#include "finding/finding.h"
#include "image/image.h"

struct replay_input { /* log/schedule.h: struct sched_input */
	enum sched_input_kind kind;
	const char *name;
	uint32_t nth;
	const void *bytes;
	uint64_t n;
};

struct replay_options {
	const char *exe;
	char **argv;         /* NULL at the end */
	const char *cwd;     /* working directory of the program; NULL: that of heddle */
	const char *input;   /* file; NULL: /dev/null; "-": the caller's */
	const char *const *exclude; /* patterns of the recording, NULL at the end; may be NULL */
	const struct image_file *image; /* not NULL: the enforce image, which saves the search for
					   it (image/image.h) in a sequence of runs */
	char *const *envp; /* NULL: the environment of heddle, which a debugger gets in any case */
	const char *output;  /* not NULL: file for standard output, which the result then has in
				`printed`, and which is shown after the run unless `quiet` */
	const struct replay_input *inputs;
	uint32_t ninputs;
	bool guard;          /* SCHED_GUARD */
	const char *private_dir; /* not NULL: directory for copies of the files that the program
				    changes; NULL: it changes the files themselves */
	const char *keep;    /* of a test case: directory that keeps input, output and files of the
				run; NULL: a temporary one */
	bool write_files;    /* of a test case: the program changes the real files, not copies */
	bool quiet;          /* standard output and error are kept in the result, not shown */
	double seconds;      /* time limit, 0 = 60; then the process is killed: SCHED_STUCK */
	enum sched_mode mode;
	uint64_t seed, length;
	uint32_t depth;
	const char *trace;   /* not NULL: directory that the run is recorded into */
	bool stop_at_switch; /* SCHED_STOP_AT_SWITCH, for gdb */
	/* Not NULL: command line of a debugger, NULL at the end, to which the path of the image is
	 * appended. The debugger (found by PATH) is started in the place of the program, with the
	 * program's directory and environment. It gets the caller's streams, whatever `input` says,
	 * does not get `argv`, and has no time limit. */
	const char *const *debugger;
};

struct replay_result {
	struct sched_outcome out;
	VEC(struct sched_switch) switches; /* segments that were executed */
	VEC(struct sched_thread) threads;  /* names of the threads of `switches`: first those of the
					      finding, with the same numbers */
	VEC(uint64_t) counts; /* by thread: scheduling points that it passed */
	int status;        /* of waitpid() */
	struct strbuf output; /* quiet: output and errors, at most the first 16 MB */
	bool output_cut;      /* there was more output */
	struct strbuf printed; /* with opt.output: the standard output */
	char *trace;       /* directory of the recording; NULL: none */
	bool scratch;      /* replay_result_release() removes the directory `trace` */
	bool killed;       /* at the time limit: whether it would have ended is not known */
	double seconds;    /* duration of the run */
};

/* Runs the program under the schedule of f (its threads, moves and goal), which may be empty; f
 * may be NULL in the modes RANDOM, PCT and FREE. The run of a BRANCH is always recorded
 * (flip.h), except in a debugger; without opt->trace its directory is temporary (`scratch`). 0,
 * or -1 after error_(): the program could not be started or recorded. */
int replay_run(const struct replay_options *opt, const struct finding *f,
	struct replay_result *res);
void replay_result_release(struct replay_result *r);

/* ---- setup.c --------------------------------------------------------------------------------- */

/* The environment of heddle with the variables of a test case; a VEC, NULL at the end. */
struct environment {
	char **at;
	uint32_t n, cap;
};
void environment_init(struct environment *e, const struct testcase *tc);
/* Appends the variables of the test case. */
void environment_add(struct environment *e, const struct testcase *tc);
void environment_release(struct environment *e);

/* The options of one run: those of the caller, completed with the values of the finding and the
 * inputs of its test case, which are written to a directory. */
struct replay_setup {
	struct replay_options opt;
	struct image_file image;
	VEC(char *) argv;
	VEC(const char *) exclude;
	char *dir; /* of a test case: directory for its input, output and files; NULL: none */
	struct environment env;
	VEC(struct replay_input) inputs;
	VEC(char *) texts; /* strings that opt refers to */
};
/* Where exe, argv, cwd, input or exclude of opt is NULL, the finding has it; opt may be NULL. Finds or
 * builds the enforce image. -1 after error_(); replay_setup_release() in any case. */
int replay_setup(struct replay_setup *s, const struct finding *f, const struct replay_options *opt);
void replay_setup_release(struct replay_setup *s);
/* The name of the first input of the test case that heddle does not give to the real program:
 * results of system calls, and environment variables that can change what is executed. NULL: none.
 */
const char *replay_cannot_give(const struct testcase *tc);

/* ---- confirm.c ------------------------------------------------------------------------------- */

/*
 * Replays a finding twice, quietly, and sets its status, outcome, divergence and hash.
 * docs/replay.md describes by kind what a run must show to confirm the finding. opt: as of
 * replay_setup(). -1 after error_().
 */
int replay_confirm(struct finding *f, const struct replay_options *opt);

/* What a run shows of its finding. */
enum sight {
	SIGHT_SEEN,         /* the finding; of a test case without a failure: its outcome */
	SIGHT_OTHER,        /* something else happened */
	SIGHT_MACHINE_ONLY, /* the run reached the place of a fault that the machine executed, and the
			       fault has no sign there */
	SIGHT_DIVERGED,     /* the run left the schedule */
	SIGHT_UNKNOWN,      /* test case: the run reached its time limit, or was ended from outside */
	NSIGHTS
};
/* Judges run r of the schedule of f by the sign of its fault (log/faults.def; docs/replay.md), or of
 * a test case without a failure by its outcome and output. Appends to `why` what was seen, or what
 * happened instead. */
enum sight replay_judge(const struct finding *f, const struct replay_result *r, struct strbuf *why);
/* Describes the divergence of run r: the segment, its place, the reason, and a likely cause,
 * from the functions that the program calls. again: another run of the same schedule; NULL:
 * none. */
void replay_divergence(const struct finding *f, const struct replay_result *r,
	const struct replay_result *again, const char *exe, struct strbuf *out);
/* The outcome as half a sentence: "exited with 1", "was killed by SIGSEGV in thread 2
 * ('worker')" */
void replay_fate(const struct finding *f, const struct replay_result *r, struct strbuf *out);
/* True if the runtime reported a misuse of a primitive in the run. *kind: its fault (enum fault);
 * *words: what the thread did, as a predicate ("freed a block twice"). */
bool replay_misuse(const struct replay_result *r, uint32_t *kind, const char **words);
/* Hash of the bitcode in an executable, as finding.bitcode; -1 after error_(). */
int replay_bitcode(const char *exe, uint64_t *hash);

#endif
