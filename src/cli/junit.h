/* Results of `heddle test` as JUnit XML, for continuous integration servers. Lifetime:
 * junit_release(). */
#ifndef HEDDLE_CLI_JUNIT_H
#define HEDDLE_CLI_JUNIT_H

#include "base/strbuf.h"
#include "replay/trial.h"

struct junit { /* zeroed: empty */
	struct strbuf cases;
	uint32_t tests, failures, errors, skipped;
	double seconds;
};

/* Adds a result: GONE and DIFFERENT are failures, UNKNOWN and DIVERGED are skipped. */
void junit_add(struct junit *j, const char *name, const struct trial_result *res);
/* Adds a test that could not be run, as an error. */
void junit_broken(struct junit *j, const char *name);
/* Writes the file; path "-": standard output. -1 after error_(). */
int junit_write(const struct junit *j, const char *path);
void junit_release(struct junit *j);

#endif
