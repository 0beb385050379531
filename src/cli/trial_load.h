/* Loads an executable for replays of test cases. */
#ifndef HEDDLE_CLI_TRIAL_LOAD_H
#define HEDDLE_CLI_TRIAL_LOAD_H

#include "replay/trial.h"

/* Lifetime: trial_program_release(). -1 after error_(), and then there is nothing to release. */
int trial_load(struct trial_program *tp, const char *path);

#endif
