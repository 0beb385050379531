/*
 * The failure of the recorded run itself, as a finding: an assertion, a crash, a hang. It is explained
 * like a predicted one, from the trace up to there; the observed order is its witness, so it replays.
 */
#ifndef HEDDLE_EXPLAIN_OBSERVED_H
#define HEDDLE_EXPLAIN_OBSERVED_H

#include "model/model.h"
#include "finding/finding.h"

enum observed_end {
	OBSERVED_END,     /* by itself: what the trace says of it */
	OBSERVED_HANG,    /* all threads waited for ever */
	OBSERVED_TIMEOUT, /* it ran too long */
};

/* NULL if it did not fail. */
struct finding *observed_failure(
	const struct ctp *c, const struct mhb *mhb, enum observed_end how);

#endif
