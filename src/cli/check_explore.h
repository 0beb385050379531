/*
 * The exploration stage of `heddle check`: every schedule of the input on heddle's machine
 * (explore/explore.h), with switches at every access. It ends soon where the schedules are few, and
 * then it is a proof that needs no runs. A failing path is replayed on the real program at once.
 *
 * It has what prediction and flips do not have: the order of calls on pipes and files, and with
 * --spurious waits that end without a signal.
 */
#ifndef HEDDLE_CLI_CHECK_EXPLORE_H
#define HEDDLE_CLI_CHECK_EXPLORE_H

#include "cli/analysis.h"
#include "cli/check_deep.h"

/* A gap of the exploration: its input may be another one than that of the recorded run. */
extern const char check_explore_changed[];

/* Explores until `until`, and sets c->explored; a failure is one of its gaps. */
void check_explore(
	struct analysis *c, const struct check_deep_args *a, int argc, char **argv, double until);

#endif
