/*
 * The finding of a path of an exploration that fails: its fault and place; the machine's report,
 * inputs and choices of threads as notes; and the test case of the path. The finding is replayed by
 * running its test case (test_run.h).
 */
#ifndef HEDDLE_REPLAY_EXPLORED_H
#define HEDDLE_REPLAY_EXPLORED_H

#include "finding/finding.h"
#include "replay/test_run.h"

/* A finding with a copy of the test case and what a run needs, without words. */
struct finding *finding_of_test(const struct testcase *tc);
/* Makes the finding, with status PREDICTED, from a copy of tc. file: path of the written test case,
 * for the report; NULL: none. */
struct finding *explored_finding(const struct testcase *tc, const char *file);

/* Runs the test case of the finding (f->test) on the machine and on the real program, and sets
 * schedule, status, outcome, divergence and hash. Returns the verdict (enum test_verdict), or -1 after
 * error_(). */
int explored_confirm(
	struct finding *f, struct test_program *tp, const struct test_options *opt);

#endif
