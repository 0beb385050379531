/* Results of `heddle test` as JUnit XML, for continuous integration servers. Lifetime:
 * junit_report_release(). */
#ifndef HEDDLE_CLI_JUNIT_REPORT_H
#define HEDDLE_CLI_JUNIT_REPORT_H

#include "base/strbuf.h"
#include "replay/test_run.h"

struct junit_report { /* zeroed: empty */
	struct strbuf cases;
	uint32_t tests, failures, errors, skipped;
	double seconds;
};

/* Adds a result: GONE and DIFFERENT are failures, UNKNOWN and DIVERGED are skipped. */
void junit_report_add(struct junit_report *j, const char *name, const struct test_result *res);
/* Adds a test that could not be run, as an error. */
void junit_report_add_broken(struct junit_report *j, const char *name);
/* Writes the file; path "-": standard output. -1 after error_(). */
int junit_report_write(const struct junit_report *j, const char *path);
void junit_report_release(struct junit_report *j);

#endif
