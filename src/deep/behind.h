/*
 * What lies behind a flip: a run that shows it is recorded, and the same decision looked at there,
 * where it went the other way. Whoever acts on a check that was not passed in the recorded run
 * (the second of two threads that run the same code) acts there, and the check may be stale. So
 * that there is somebody who can make it stale, a flip is looked for in which another thread is
 * about to write what is checked.
 */
#ifndef HEDDLE_DEEP_BEHIND_H
#define HEDDLE_DEEP_BEHIND_H

#include "predict/predict.h"
#include "finding/finding.h"

/* Of a BRANCH that was confirmed and is unclear, found in c: its class becomes BUG if that run says so, with
 * the reason. -1 after error_(). */
int behind_flip(struct finding *f, const struct ctp *c, const struct predict_options *opt);

#endif
