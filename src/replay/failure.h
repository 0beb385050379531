/*
 * A run that failed under some schedule, made into a finding: who failed and where, and the
 * schedule, reduced to the switches that it needs.
 */
#ifndef HEDDLE_REPLAY_FAILURE_H
#define HEDDLE_REPLAY_FAILURE_H

#include "replay/replay.h"

/* Whether the run ended in a failure of its own: no exit, and not ended from outside. */
bool failure_is(const struct replay_result *r);
/* The same for runs that fail alike, as far as one can tell without looking at the program. */
uint64_t failure_key(const struct replay_result *r);

struct failure_options {
	const char *scratch; /* directory for a trace; made and removed */
	double seconds;      /* for the reduction */
	uint64_t bitcode;
};

/*
 * The finding, with everything but its name; its status is OBSERVED, or CONFIRMED if its schedule
 * shows it again, twice, with the same events. NULL after error_().
 */
struct finding *failure_finding(const struct replay_options *opt, const struct replay_result *r,
	const struct failure_options *how);

#endif
