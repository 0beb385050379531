/*
 * The failure of the recorded run itself, as a finding: an assertion, a crash, a hang. It is
 * explained like a predicted one; its witness is the observed order, so it can be replayed.
 */
#ifndef HEDDLE_EXPLAIN_OBSERVED_H
#define HEDDLE_EXPLAIN_OBSERVED_H

#include "model/model.h"
#include "finding/finding.h"

enum observed_end {
	OBSERVED_END,     /* the process ended: the trace has its status */
	OBSERVED_HANG,    /* all threads were blocked */
	OBSERVED_TIMEOUT, /* it ran too long */
};

/* NULL if the run did not fail. */
struct finding *observed_failure(
	const struct ctp *c, const struct mhb *mhb, enum observed_end how);
/* The run was not the user's own, but one of a search: a title that says "in the recorded run"
 * becomes the title of its kind. */
void observed_in_search(struct finding *f);

#endif
