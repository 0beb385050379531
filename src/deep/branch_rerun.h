/*
 * Classifies a branch by a run in which it goes the other way.
 *
 * In the recorded run, the code that depends on the flipped decision was not executed. The flip is
 * run on the real program and recorded, and the same branch is predicted from that run. If it is a
 * bug there (for example the decision is stale when its thread acts on it), the branch is a bug.
 * For the run, a flip is preferred in which another thread is about to write what the branch reads,
 * because only such a thread can make the decision stale.
 */
#ifndef HEDDLE_DEEP_BRANCH_RERUN_H
#define HEDDLE_DEEP_BRANCH_RERUN_H

#include "predict/predict.h"
#include "finding/finding.h"

/* f: a BRANCH found in c. Does nothing unless f is confirmed and of class UNCLEAR; sets its class
 * to BUG, with the reason, if the run shows it. -1 after error_(). */
int branch_rerun(struct finding *f, const struct ctp *c, const struct predict_options *opt);

#endif
