/*
 * Whether what the real program did is what a test says, as far as a run can show it. Each fault has
 * its own sign (log/faults.def).
 */
#ifndef HEDDLE_REPLAY_TRIAL_JUDGE_H
#define HEDDLE_REPLAY_TRIAL_JUDGE_H

#include "base/strbuf.h"
#include "replay/trial_native.h"
#include "replay/rehearse.h"

enum sight {
	SIGHT_SEEN,   /* as expected */
	SIGHT_OTHER,  /* something else happened */
	SIGHT_MACHINE_ONLY, /* no sign of the fault, and such a fault need not show one */
	SIGHT_DIVERGED, /* it was led another way */
	SIGHT_UNKNOWN,  /* it ran out of time, or was ended from outside */
};

/* Appends what happened, as half a sentence whose subject is the program. r: NULL if there was no
 * rehearsal; then an order of threads proves nothing. */
enum sight judge(const struct testcase *tc, const struct rehearsal *r, const struct native *nv,
	struct strbuf *what);
/* The outcome of a test in such words: "fails: assertion failure at a.c:12". */
void judge_expected(const struct testcase *tc, struct strbuf *what);
/* The program failed in this run, whatever the test says. */
bool judge_failed(const struct native *nv);
/* The outcome is a failure. */
bool judge_is_failure(const struct testcase *tc);

/* How two outputs compare. */
enum output_match {
	OUTPUT_SAME,
	OUTPUT_ORDER, /* the same lines in another order */
	OUTPUT_OTHER,
};
/* whole: both are complete; else one may be the beginning of the other. */
enum output_match output_compare(const char *a, size_t na, const char *b, size_t nb, bool whole);

#endif
