/*
 * Checks a finding against a changed program: the schedule of its witness is transferred by source
 * place (map_place.h) and replayed as far as possible; then free runs and random schedules search
 * for a failure.
 *
 * The schedule is transferred segment by segment: the program is recorded under the segments found
 * so far, after which the thread of the next segment runs first, and the trace is re-executed for
 * the points that the thread passed. One recording for each segment.
 */
#ifndef HEDDLE_REPLAY_VERIFY_H
#define HEDDLE_REPLAY_VERIFY_H

#include "base/strbuf.h"
#include "replay/replay.h"

enum verify_verdict {
	VERIFY_FAILS,       /* the real program still fails */
	VERIFY_BLOCKED,     /* a thread has to wait where the witness lets it run: step, text */
	VERIFY_FOLLOWED,    /* the whole witness was replayed and the finding was not seen */
	VERIFY_NOT_REACHED, /* a place of the witness is gone or was not reached: step, text */
};

struct verify_options {
	double seconds;      /* time limit of the free run and the random schedules */
	uint64_t seed;       /* of the first random schedule */
	const char *scratch; /* path of a directory for traces, which is created and removed */
};

struct verify_result {
	enum verify_verdict verdict;
	uint32_t step, of;  /* BLOCKED, NOT_REACHED: number of the segment, from 1, and of all */
	struct strbuf text; /* what was seen, or what prevented it */
	/* the search after the witness; a failure makes the verdict FAILS */
	uint64_t runs;   /* one free run, then random schedules */
	bool by_random;  /* FAILS: under the random schedule of `seed` */
	bool by_witness; /* FAILS: under the witness; if neither is set, in the free run */
	uint64_t seed;
};

/* Verifies f, with the executable, arguments and input of the finding. 0, or -1 after error_(). */
int verify(const struct finding *f, const struct verify_options *opt, struct verify_result *res);
void verify_result_release(struct verify_result *res);

#endif
