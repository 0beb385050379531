/*
 * The observed order of a run that executed a schedule. Its trace contains the schedule
 * (store_meta.turns), so the order follows from it without a search over values and clocks.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_TURNS_H
#define HEDDLE_EXTRACT_EXTRACT_TURNS_H

#include "base/vec.h"
#include "extract/ctp.h"

/* Appends all events except pending ones to *order; false if the schedule does not cover all of
 * them. The caller releases *order. */
bool turns_order(const struct ctp *c, const char *turns, struct vec_u32 *order);

#endif
