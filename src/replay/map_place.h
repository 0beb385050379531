/*
 * Where a step of a finding is in another build of its program: by function, by what the line says,
 * by what is done there; among several such points the one as far from the step before as it was.
 */
#ifndef HEDDLE_REPLAY_MAP_PLACE_H
#define HEDDLE_REPLAY_MAP_PLACE_H

#include "replay/points.h"
#include "replay/lines.h"

/*
 * The point of the thread (numbered as in ps) that corresponds to the step, from `from` on;
 * `expect`: where it would be if nothing had changed. UINT64_MAX if there is none.
 */
uint64_t map_place(struct points *ps, struct lines *src, uint32_t thread,
	const struct finding_step *step, uint64_t from, uint64_t expect);

#endif
