/* Loads an executable for replays of test cases. */
#ifndef HEDDLE_CLI_LOAD_TEST_PROGRAM_H
#define HEDDLE_CLI_LOAD_TEST_PROGRAM_H

#include "replay/rehearse.h"

/* Lifetime: test_program_release(). -1 after error_(), and then there is nothing to release. */
int load_test_program(struct test_program *tp, const char *path);

#endif
