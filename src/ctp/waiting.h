/*
 * Where a thread can wait in a loop for ever.
 *
 * A round of a loop that only waits (facts/spin.h) changes nothing. If all other threads have ended,
 * are blocked, or wait too, then nothing changes between its rounds, and the loop ends only if a round
 * that reads the present values ends it. So the thread waits for ever if it stands before an event of
 * the loop and the next round, with the values that memory has now, leads back to that event. These
 * are the places and conditions of all such rounds in the paths of the threads:
 *
 *  - a loop with one branch: the first round of a visit, whether it ended the loop or not. The
 *    condition is that the branch stays in the loop
 *  - a loop with several branches, or with locks: the events from one instance of a branch or try to
 *    the next one at the same instruction. The condition is that all decisions are as recorded, and
 *    the last one is that of the first instance. A round of another form is another path
 *    (stutter_is_round() does not exclude its query)
 *
 * A thread holds no lock of the loop at its place: it stands before the first lock that the round
 * takes, so that it does not block others.
 */
#ifndef HEDDLE_CTP_WAITING_H
#define HEDDLE_CTP_WAITING_H

#include "base/vec.h"
#include "ctp/ctp.h"
#include "facts/spin.h"

struct waiting {
	uint32_t at;  /* the event that the thread stands before */
	uint32_t last; /* the last event of the round: the branch or try that decides */
	term_t stays; /* one bit, over reads of the thread: those from `at` on have the values of now */
	uint32_t first, n; /* waitings.tries: the tries of the round, which must fail */
};

struct waitings {
	VEC(struct waiting) at;  /* by thread, rising */
	struct vec_u32 tries;    /* events: TRYFAIL, SEM_FAIL; LOCK, RDLOCK, SEM_WAIT of a try */
	struct vec_u32 unclear;  /* events of loops whose rounds are not understood */
};

/* Appends to `out`, which is empty. spins: of the trace's program. Linear, but for the length of
 * rounds. */
void waitings_find(const struct ctp *c, struct spins *spins, struct waitings *out);
void waitings_release(struct waitings *w);

#endif
