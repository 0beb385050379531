/*
 * Finds the scheduling point of a finding's step in another build of the program: by function, by
 * the text of the source line, and by operation. Among equally similar points it takes the one
 * nearest to the expected number.
 */
#ifndef HEDDLE_REPLAY_MAP_PLACE_H
#define HEDDLE_REPLAY_MAP_PLACE_H

#include "replay/points.h"
#include "replay/lines.h"

/*
 * The point of the thread (a number of ps) that corresponds to the step, at `from` or later;
 * `expect`: its number if the program had not changed. UINT64_MAX: none. Linear in the points of
 * the thread.
 */
uint64_t map_place(struct points *ps, struct lines *src, uint32_t thread,
	const struct finding_step *step, uint64_t from, uint64_t expect);

#endif
