/*
 * The order in which a run under a schedule did things, as its trace tells it (store_meta.turns): where
 * threads take turns there is nothing to be guessed from values and clocks.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_TURNS_H
#define HEDDLE_EXTRACT_EXTRACT_TURNS_H

#include "base/vec.h"
#include "extract/ctp.h"

/* All events but those that are under way, in that order; false if the trace does not say it of all. The
 * caller releases *order. */
bool turns_order(const struct ctp *c, const char *turns, struct vec_u32 *order);

#endif
