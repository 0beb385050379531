/*
 * A run of the machine held against the points-to analysis: every address that the program loads
 * from, stores to or calls, and every pointer it passes on, must be one that the analysis expects.
 */
#ifndef HEDDLE_TESTS_PTS_WATCH_H
#define HEDDLE_TESTS_PTS_WATCH_H

#include "base/map.h"
#include "base/strbuf.h"
#include "machine/exec.h"
#include "facts/points_to.h"

struct pts_watch {
	const struct ir_program *p;
	const struct points_to *pt;
	struct map seen; /* what was checked before */
	uint64_t checked, missed;
	struct strbuf misses; /* a line each */
};

/* Runs main() with the careful mode and watches; the program has its models. */
enum exec_fate pts_watch_run(struct pts_watch *w, const struct ir_program *p, const struct points_to *pt,
	uint64_t seed, uint64_t max_instructions);
void pts_watch_release(struct pts_watch *w);

#endif
