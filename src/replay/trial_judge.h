/*
 * Decides whether a run of the real program has the outcome of its test case, as far as a run can
 * show it. log/faults.def lists the sign by which each fault is recognized.
 */
#ifndef HEDDLE_REPLAY_TRIAL_JUDGE_H
#define HEDDLE_REPLAY_TRIAL_JUDGE_H

#include "base/strbuf.h"
#include "replay/trial_native.h"
#include "replay/rehearse.h"

enum sight {
	SIGHT_SEEN,   /* as expected */
	SIGHT_OTHER,  /* something else happened */
	SIGHT_MACHINE_ONLY, /* no sign of the fault, and the fault can be without a sign */
	SIGHT_DIVERGED, /* the run left the schedule */
	SIGHT_UNKNOWN,  /* the run reached its time limit, or was ended from outside */
};

/* Judges the run and appends what happened, as half a sentence whose subject is the program. r: the
 * rehearsal that gave the schedule; NULL: none, and points are not compared. */
enum sight judge(const struct testcase *tc, const struct rehearsal *r, const struct native *nv,
	struct strbuf *what);
/* Appends the outcome of the test case: "fails: assertion failure at a.c:12". */
void judge_expected(const struct testcase *tc, struct strbuf *what);
/* Whether the run had a failure or a misuse, independent of the test case. */
bool judge_failed(const struct native *nv);
/* Whether the outcome of the test case is a failure. */
bool judge_is_failure(const struct testcase *tc);

/* How two outputs compare. */
enum output_match {
	OUTPUT_SAME,
	OUTPUT_ORDER, /* the same lines in another order */
	OUTPUT_OTHER,
};
/* whole: both outputs are complete; else OUTPUT_SAME also if one is a prefix of the other. */
enum output_match output_compare(const char *a, size_t na, const char *b, size_t nb, bool whole);

#endif
