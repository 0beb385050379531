/* Results of tests as JUnit XML, which servers that run tests read. Lifetime: junit_release(). */
#ifndef HEDDLE_CLI_JUNIT_H
#define HEDDLE_CLI_JUNIT_H

#include "base/strbuf.h"
#include "replay/trial.h"

struct junit { /* zeroed: empty */
	struct strbuf cases;
	uint32_t tests, failures, errors, skipped;
	double seconds;
};

/* A test that did not do what it says is a failure; one of which nobody could tell is skipped. */
void junit_add(struct junit *j, const char *name, const struct trial_result *res);
/* It could not be run. */
void junit_broken(struct junit *j, const char *name);
/* path "-": the standard output. -1 after error_(). */
int junit_write(const struct junit *j, const char *path);
void junit_release(struct junit *j);

#endif
