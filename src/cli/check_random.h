/*
 * A stage of `heddle check`, the last one unless the run is long: runs the program under random schedules (PCT, Burckhardt et al.
 * 2010) until `until` or a run fails. It proves nothing, so it makes no claim.
 */
#ifndef HEDDLE_CLI_CHECK_RANDOM_H
#define HEDDLE_CLI_CHECK_RANDOM_H

#include "cli/analysis.h"
#include "cli/check_deep.h"

/* A failure of the stage itself is only an error message: it has no claim. */
void check_random(struct analysis *c, const struct check_deep_args *a, char **argv, double until);

#endif
