/*
 * The replay of a flip: whether the thread reached the branch and took another direction than in
 * the recorded run, and the outcome of the program after that.
 *
 * The replay is recorded, and the thread is re-executed from its log up to the branch
 * (finding.flip: after `index` instructions the thread is at `insn` of `func`, in the recorded run
 * and in every linearization that reaches the branch). The operand that decides is compared with
 * the recorded one: the condition, the value of the switch, the address, the divisor; of a try, its
 * result.
 *
 * An assertion whose failure is at another place than its guard has a flip, too: the thread must fail
 * behind it. replay_run() records every run of a finding with a flip, so that replay_judge() works
 * for these as for the others, and replay_confirm() needs no special case before the verdict.
 */
#ifndef HEDDLE_REPLAY_FLIP_H
#define HEDDLE_REPLAY_FLIP_H

#include "base/strbuf.h"
#include "replay/replay.h"

struct flip_seen {
	bool reached;     /* the thread reached the branch, by the same path */
	bool flipped;     /* it took another direction than in the recorded run */
	uint64_t value;   /* the operand that decided, low 64 bits */
	struct strbuf why; /* not flipped: the reason, as half a sentence */
	struct strbuf fate; /* failed: the outcome of the program ("failed in …"); else empty */
	bool failed;      /* assertion, crash, deadlock, misuse, stuck */
};
void flip_seen_release(struct flip_seen *s);

/* Examines a recorded run r of the schedule of f. -1 after error_(). */
int flip_look(const struct finding *f, const struct replay_result *r, struct flip_seen *seen);
/* Appends the result in words; true if the branch was flipped. As replay_judge(). */
bool flip_words(const struct finding *f, const struct flip_seen *seen, struct strbuf *out);

/* Runs the schedule of f, a BRANCH, and records it into `dir`, a new directory that is kept.
 * Options as in replay_confirm(). The value in the recorded run is f->flip.value. -1 after
 * error_(). */
int replay_flip(const struct finding *f, const struct replay_options *opt, const char *dir,
	struct flip_seen *seen);
/* After a run r that showed the flip: if the program failed, sets the class to BUG, with the
 * outcome as the reason. */
void flip_classify(struct finding *f, const struct replay_result *r);

#endif
