/*
 * A rehearsal: the execution of a test case on the machine, with concrete inputs and the test's
 * choices of threads. It gives the outcome on the machine and the schedule for the real program.
 * Lifetime: heap, rehearsal_release().
 */
#ifndef HEDDLE_REPLAY_REHEARSE_H
#define HEDDLE_REPLAY_REHEARSE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding.h"
#include "machine/exec.h"
#include "replay/trial.h"

struct rehearsal {
	struct exec_result res;
	struct finding_place place; /* of a fault: innermost frame outside of the models */
	uint32_t thread;            /* the thread that ran last */
	struct finding *schedule;   /* threads, moves and goal, for replay_run() */
	VEC(uint64_t) counts;       /* by thread: scheduling points that it passed */
	struct strbuf output;       /* bytes written to descriptor 1 */
	bool access;                /* the fault is an access that is a scheduling point */
	char *trouble;              /* the first choice that was impossible; NULL: none */
};

/* Executes the test case. -1 after error_(). */
int rehearse(struct rehearsal *r, const struct testcase *tc, const struct trial_program *tp);
void rehearsal_release(struct rehearsal *r);

#endif
