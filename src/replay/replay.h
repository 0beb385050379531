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
	const char *image;   /* not NULL: path of the enforce image, which saves the search for it
				(image/image.h) in a sequence of runs */
	char *const *envp;   /* NULL: the environment of heddle */
	const char *output;  /* not NULL: file for standard output; `quiet` then concerns standard
				error only */
	const struct replay_input *inputs;
	uint32_t ninputs;
	bool guard;          /* SCHED_GUARD */
	const char *private_dir; /* not NULL: directory for copies of the files that the program
				    changes; NULL: it changes the files themselves */
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
	struct strbuf output; /* quiet: the end of output and errors, at least the last 64 KB */
	char *trace;       /* directory of the recording; NULL: none */
	bool scratch;      /* replay_result_release() removes the directory `trace` */
	double seconds;    /* duration of the run */
};

/* Runs the program under the schedule of f (its threads, moves and goal), which may be empty; f
 * may be NULL in the modes RANDOM, PCT and FREE. The run of a BRANCH is always recorded
 * (flip.h), except in a debugger; without opt->trace its directory is temporary (`scratch`). 0,
 * or -1 after error_(): the program could not be started or recorded. */
int replay_run(const struct replay_options *opt, const struct finding *f,
	struct replay_result *res);
void replay_result_release(struct replay_result *r);

/* ---- confirm.c ------------------------------------------------------------------------------- */

/*
 * Replays a finding twice, quietly, and sets its status, outcome, divergence and hash.
 * docs/replay.md describes by kind what a run must show to confirm the finding. Where exe, argv,
 * cwd, input or exclude of the options is NULL, the finding's own value is used; opt may be NULL.
 * -1 after error_().
 */
int replay_confirm(struct finding *f, const struct replay_options *opt);

/* The options of a run, completed with the values that the finding has. The arrays live until
 * replay_setup_release(). */
struct replay_setup {
	struct replay_options opt;
	char *image;
	VEC(char *) argv;
	VEC(const char *) exclude;
};
void replay_setup_init(struct replay_setup *s, const struct finding *f,
	const struct replay_options *opt);
/* Finds or builds the enforce image, for all runs with this setup. -1 after error_(). */
int replay_setup_image(struct replay_setup *s);
void replay_setup_release(struct replay_setup *s);

/* Whether run r of the schedule of f showed the finding. Appends to `why` what was seen, or what
 * happened instead. A run that diverged does not show the finding. */
bool replay_seen(const struct finding *f, const struct replay_result *r, struct strbuf *why);
/* Describes the divergence of run r: the segment, its place, the reason, and a likely cause,
 * from the functions that the program calls. again: another run of the same schedule; NULL:
 * none. */
void replay_divergence(const struct finding *f, const struct replay_result *r,
	const struct replay_result *again, const char *exe, struct strbuf *out);
/* The outcome as half a sentence: "exited with 1", "was killed by SIGSEGV in thread 2
 * ('worker')" */
void replay_fate(const struct finding *f, const struct replay_result *r, struct strbuf *out);
/* Whether a misuse of a primitive that the runtime reports is an instance of the fault. */
bool misuse_shows(enum sched_misuse what, enum fault fault);
/* True if the runtime reported a misuse of a primitive in the run. *kind: its fault (enum fault);
 * *words: what the thread did, as a predicate ("freed a block twice"). */
bool replay_misuse(const struct replay_result *r, uint32_t *kind, const char **words);
/* Hash of the bitcode in an executable, as finding.bitcode; -1 after error_(). */
int replay_bitcode(const char *exe, uint64_t *hash);

#endif
