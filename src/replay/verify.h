/*
 * A finding against a changed program: its witness is carried over by source place (map_place.h)
 * and followed as far as it goes; then free runs and random schedules look for the same failure.
 *
 * The witness is carried over move by move: the program is recorded under the moves found so far,
 * with the thread of the next one first, and executed again to see which points it passed.
 */
#ifndef HEDDLE_REPLAY_VERIFY_H
#define HEDDLE_REPLAY_VERIFY_H

#include "base/strbuf.h"
#include "replay/replay.h"

enum verify_verdict {
	VERIFY_FAILS,       /* it still fails: seen on the real program */
	VERIFY_BLOCKED,     /* a thread has to wait where it went on before: step, text */
	VERIFY_FOLLOWED,    /* the witness was followed to its end, and it did not show */
	VERIFY_NOT_REACHED, /* a place of the witness is not there, or not come to: step, text */
};

struct verify_options {
	double seconds;      /* for free runs and random schedules */
	uint64_t seed;       /* of the first random schedule */
	const char *scratch; /* directory for traces; it is made and removed */
};

struct verify_result {
	enum verify_verdict verdict;
	uint32_t step, of;  /* BLOCKED, NOT_REACHED: step of the witness, from 1 */
	struct strbuf text; /* what was seen, or what was in the way */
	/* the search after it: a failure makes the verdict FAILS */
	uint64_t runs;  /* free and random */
	bool by_random; /* FAILS: by the schedule of `seed`; else by the witness or a free run */
	bool by_witness;
	uint64_t seed;
};

/* 0, or -1 after error_(). The executable, arguments and input are the finding's. */
int verify(const struct finding *f, const struct verify_options *opt, struct verify_result *res);
void verify_result_release(struct verify_result *res);

#endif
