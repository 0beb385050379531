/*
 * Makes a finding from a run that failed: the thread that failed, the place, and the schedule,
 * reduced to the segments that the failure needs.
 */
#ifndef HEDDLE_REPLAY_FAILURE_H
#define HEDDLE_REPLAY_FAILURE_H

#include "replay/replay.h"

/* Whether the run ended in a failure: neither by exit or exec nor from outside. */
bool failure_is(const struct replay_result *r);
/* Whether the run ended in a failure, or the runtime reported a misuse of a primitive. */
bool replay_failed(const struct replay_result *r);
/* A hash that is equal for runs with the same failure, by the outcome alone: its kind, code,
 * thread, text without addresses, and waits. */
uint64_t failure_key(const struct replay_result *r);

struct failure_options {
	const char *scratch; /* path of a directory for a trace, which is created and removed */
	double seconds;      /* time limit of the reduction */
	uint64_t bitcode;    /* finding.bitcode */
	/* Not NULL: gets the finding as soon as its schedule is known, with its status and without places.
	 * Finding the places re-executes the run, which may take much longer than the run. */
	void (*seen)(void *ctx, const struct finding *f);
	void *ctx;
};

/*
 * Makes the finding of the failed run r, complete except for its name. Its status is CONFIRMED if
 * two replays of its schedule show the failure with the same events, else OBSERVED. NULL after
 * error_().
 */
struct finding *failure_finding(const struct replay_options *opt, const struct replay_result *r,
	const struct failure_options *how);

#endif
