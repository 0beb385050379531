/*
 * A test on the machine, with its inputs as plain bytes and its choices of threads: what happens,
 * and the schedule for the real program. Lifetime: heap, rehearsal_release().
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
	struct finding_place place; /* of a fault, in the program's own code */
	uint32_t thread;            /* that ran last */
	struct finding *schedule;   /* threads, moves, goal: what replay_run() needs */
	VEC(uint64_t) counts;       /* points passed, by thread */
	struct strbuf output;       /* on descriptor 1 */
	bool access;                /* the fault is an access that is a point */
	char *trouble;              /* a choice that could not be made; NULL: none */
};

/* -1 after error_(). */
int rehearse(struct rehearsal *r, const struct testcase *tc, const struct trial_program *tp);
void rehearsal_release(struct rehearsal *r);

#endif
