/*
 * Runs the real program under a schedule (log/schedule.h) and says what became of it.
 *
 * The program is the *enforce* image of its executable (build/image_enforce.h): what the recording
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
#include "report/finding.h"

struct replay_options {
	const char *exe;
	char **argv;         /* NULL at the end */
	const char *cwd;     /* NULL: where we are */
	const char *input;   /* file; NULL: /dev/null; "-": the caller's */
	const char *const *exclude; /* as it was recorded; may be NULL */
	bool quiet;          /* its output and errors are kept in the result, not shown */
	double seconds;      /* 0 = 60; then it is killed: fate SCHED_STUCK */
	enum sched_mode mode;
	uint64_t seed, length;
	uint32_t depth;
	const char *trace;   /* not NULL: recorded into this directory while it runs */
	bool stop_at_switch; /* for gdb */
};

struct replay_result {
	struct sched_outcome out;
	VEC(struct sched_switch) switches; /* what was run, as segments */
	VEC(struct sched_thread) threads;  /* names of the threads in them */
	int status;        /* of waitpid() */
	struct strbuf output; /* quiet: the last 64 KB of its output and errors */
	double seconds;
};

/* 0, or -1 after error_(): the program could not be started. threads/steps as in finding. */
int replay_run(const struct replay_options *opt, const struct finding *f,
	struct replay_result *res);
void replay_result_release(struct replay_result *r);

/*
 * Replays a finding and judges: sets status, outcome, divergence, hash. What counts as seen, by kind,
 * is described in docs/replay.md. -1 after error_().
 */
int replay_confirm(struct finding *f, const struct replay_options *opt);

#endif
