/*
 * A path of an exploration that fails, as a finding: its fault, its place, the machine's report, inputs
 * and choices of threads as notes, and the test case that leads there. Its replay is that of the test
 * case (trial.h).
 */
#ifndef HEDDLE_REPLAY_EXPLORED_H
#define HEDDLE_REPLAY_EXPLORED_H

#include "finding/finding.h"
#include "replay/trial.h"

/* The status is PREDICTED. file: where the test case was written, for the report; NULL if it was not.
 * tc is copied. */
struct finding *explored_finding(const struct testcase *tc, const char *file);

/* Runs the test case of the finding (f->test) on the machine and on the real program, and sets status,
 * outcome and divergence. The verdict, or -1 after error_(). */
int explored_confirm(
	struct finding *f, struct trial_program *tp, const struct trial_options *opt);

#endif
