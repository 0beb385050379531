/*
 * Runs the real program under a schedule (log/schedule.h) and says what became of it.
 *
 * The program is the *enforce* image of its executable (image/image.h): what the recording
 * image is, and a call before each point. Standard input comes from a file or /dev/null or is the
 * caller's; output and error are the caller's, a file, or thrown away.
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
	const char *cwd;     /* NULL: where we are */
	const char *input;   /* file; NULL: /dev/null; "-": the caller's */
	const char *const *exclude; /* as it was recorded; may be NULL */
	const char *image;   /* not NULL: the image, already built: runs that follow each other
				save the search for it (image/image.h) */
	char *const *envp;   /* NULL: ours */
	const char *output;  /* not NULL: the file that gets its standard output; `quiet` then concerns its
				errors only */
	const struct replay_input *inputs;
	uint32_t ninputs;
	bool guard;          /* SCHED_GUARD */
	const char *private_dir; /* not NULL: files that the program changes are copies in this directory */
	bool quiet;          /* its output and errors are kept in the result, not shown */
	double seconds;      /* 0 = 60; then it is killed: fate SCHED_STUCK */
	enum sched_mode mode;
	uint64_t seed, length;
	uint32_t depth;
	const char *trace;   /* not NULL: recorded into this directory while it runs */
	bool stop_at_switch; /* for gdb */
	/* not NULL: words before the path of the image, NULL at the end: a debugger that is started in
	 * the program's place, found by PATH, in its directory, with its environment. It gets no more
	 * words than the path, the streams of the caller whatever `input` says, and all the time it
	 * wants */
	const char *const *debugger;
};

struct replay_result {
	struct sched_outcome out;
	VEC(struct sched_switch) switches; /* what was run, as segments */
	VEC(struct sched_thread) threads;  /* names of the threads in them: those of the finding
					      first, with the same numbers */
	VEC(uint64_t) counts; /* by thread: points that it passed */
	int status;        /* of waitpid() */
	struct strbuf output; /* quiet: the last 64 KB of its output and errors */
	char *trace;       /* directory of its recording; NULL: none */
	bool scratch;      /* which goes with the result */
	double seconds;
};

/* 0, or -1 after error_(): the program could not be started. threads/steps as in finding, which may
 * have none, and be NULL (RANDOM, PCT, FREE). A BRANCH is recorded in any case (flip.h), in a folder
 * that the release of the result removes, but not in a debugger. */
int replay_run(const struct replay_options *opt, const struct finding *f,
	struct replay_result *res);
void replay_result_release(struct replay_result *r);

/* ---- confirm.c ------------------------------------------------------------------------------- */

/*
 * Replays a finding and judges: sets status, outcome, divergence, hash. What counts as seen, by kind,
 * is described in docs/replay.md. Of the options, exe, argv, cwd, input and exclude are the
 * finding's own where they are NULL; opt may be NULL. The program is run twice, quietly. -1 after
 * error_().
 */
int replay_confirm(struct finding *f, const struct replay_options *opt);

/* What the finding says about how its program is run, where the options say nothing. The arrays live
 * until replay_setup_release(). */
struct replay_setup {
	struct replay_options opt;
	char *image;
	VEC(char *) argv;
	VEC(const char *) exclude;
};
void replay_setup_init(struct replay_setup *s, const struct finding *f,
	const struct replay_options *opt);
/* Builds the image, or finds it, for all runs. -1 after error_(). */
int replay_setup_image(struct replay_setup *s);
void replay_setup_release(struct replay_setup *s);

/* Whether that run of its schedule showed the finding; appends what was seen, or what was there
 * instead. A run that diverged showed nothing. */
bool replay_seen(const struct finding *f, const struct replay_result *r, struct strbuf *why);
/* Of a run that diverged: the step, its place, why; and what may be the cause, from what the program
 * calls. again: another run of the same schedule, NULL if there was none. */
void replay_divergence(const struct finding *f, const struct replay_result *r,
	const struct replay_result *again, const char *exe, struct strbuf *out);
/* The fate of the program as half a sentence: "exited with 1", "was killed by SIGSEGV in 'worker'" */
void replay_fate(const struct finding *f, const struct replay_result *r, struct strbuf *out);
/* Whether a misuse that the runtime reports is that fault. */
bool misuse_shows(enum sched_misuse what, enum fault fault);
/* What was used wrongly in the run, if anything was: the fault (enum fault) that it is, and what the
 * thread did, in words. */
bool replay_misuse(const struct replay_result *r, uint32_t *kind, const char **words);
/* Hash of the bitcode in an executable, as finding.bitcode; -1 after error_(). */
int replay_bitcode(const char *exe, uint64_t *hash);

#endif
