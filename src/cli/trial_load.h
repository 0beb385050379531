/* Loads an executable for replays of test cases. */
#ifndef HEDDLE_CLI_TRIAL_LOAD_H
#define HEDDLE_CLI_TRIAL_LOAD_H

#include "replay/trial.h"

/* Release it with trial_program_release(). -1 after error_(). */
int trial_load(struct trial_program *tp, const char *path);

#endif
