/*
 * The outcome of a run, taken from the memory that heddle shares with the program. The program can
 * write anything there, by mistake or on purpose, and a process that it left behind can do so at
 * any time: places and sizes come from heddle's own copy of the head, every value is copied once,
 * and the copy is checked before use.
 */
#ifndef HEDDLE_REPLAY_OUTCOME_H
#define HEDDLE_REPLAY_OUTCOME_H

#include "replay/replay.h"

/* Sets `out`, `threads`, `counts` and `switches` of the result from the memory. `own` is the head
 * of that memory as heddle wrote it; f has the schedule, and may be NULL. Returns NULL, or what is
 * wrong with the memory: then the program damaged it, and the outcome is not known. */
const char *outcome_take(struct replay_result *res, const struct sched_shared *own,
	const struct finding *f, const void *memory);

#endif
