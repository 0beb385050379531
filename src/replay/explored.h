/*
 * The finding of a path of an exploration that fails: its fault and place; the machine's report,
 * inputs and choices of threads as notes; and the test case of the path. The finding is replayed by
 * running its test case (trial.h).
 */
#ifndef HEDDLE_REPLAY_EXPLORED_H
#define HEDDLE_REPLAY_EXPLORED_H

#include "finding/finding.h"
#include "replay/trial.h"

/* Makes the finding, with status PREDICTED, from a copy of tc. file: path of the written test case,
 * for the report; NULL: none. */
struct finding *explored_finding(const struct testcase *tc, const char *file);

/* Runs the test case of the finding (f->test) on the machine and on the real program, and sets
 * status, outcome and divergence. Returns the verdict (enum trial_verdict), or -1 after
 * error_(). */
int explored_confirm(
	struct finding *f, struct trial_program *tp, const struct trial_options *opt);

#endif
