/* Results of `heddle test` as cases of JUnit. */
#ifndef HEDDLE_CLI_JUNIT_REPORT_H
#define HEDDLE_CLI_JUNIT_REPORT_H

#include "replay/test_run.h"
#include "report/junit.h"

/* Adds a result: GONE and DIFFERENT are failures, UNKNOWN and DIVERGED are skipped. */
void junit_report_add(struct junit *j, const char *name, const struct test_result *res);
/* Adds a test that could not be run, as an error. */
void junit_report_add_broken(struct junit *j, const char *name);
/* Writes the file; path "-": standard output. -1 after error_(). */
int junit_report_write(const struct junit *j, const char *path);

#endif
