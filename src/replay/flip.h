/*
 * The replay of a flip: did the thread come to the branch, and decide otherwise? And what became
 * of the program then.
 *
 * The schedule is run while it is recorded, and the thread executed again from its log as far as
 * the branch (finding.flip: after `index` instructions it stands at `insn` of `func`, in the
 * recorded run and in every linearization of it that gets there). The operand that decides is
 * looked at: the condition, the value of the switch, the address, the divisor. A try is looked at
 * by what it returned.
 *
 * replay_run() records every run of a BRANCH, so that replay_seen() can look at it:
 * replay_confirm() and all others do with it what they do with other findings.
 */
#ifndef HEDDLE_REPLAY_FLIP_H
#define HEDDLE_REPLAY_FLIP_H

#include "base/strbuf.h"
#include "replay/replay.h"

struct flip_seen {
	bool reached;     /* the thread came to the branch, by the same path */
	bool flipped;     /* and decided otherwise than in the recorded run */
	uint64_t value;   /* the operand */
	struct strbuf why; /* it is not seen: the reason, half a sentence */
	struct strbuf fate; /* of the program, if it failed: "failed in …", empty: it did not */
	bool failed;      /* assertion, crash, deadlock, misuse, stuck */
};
void flip_seen_release(struct flip_seen *s);

/* Looks at a run of the schedule of f that was recorded. -1 after error_(). */
int flip_look(const struct finding *f, const struct replay_result *r, struct flip_seen *seen);
/* What was seen, as replay_seen() says it of the other kinds. */
bool flip_words(const struct finding *f, const struct flip_seen *seen, struct strbuf *out);

/* Runs the schedule of f, a BRANCH, and records it into `dir` (a new folder; it stays). Of the options as
 * replay_confirm(). The value in the recorded run is f->flip.value. -1 after error_(). */
int replay_flip(const struct finding *f, const struct replay_options *opt, const char *dir,
	struct flip_seen *seen);
/* After a run that showed it: the class becomes BUG if the program failed, with its fate as the reason. */
void flip_classify(struct finding *f, const struct replay_result *r);

#endif
