/* JUnit XML, case by case: what continuous integration servers read. Lifetime: junit_release(). */
#ifndef HEDDLE_REPORT_JUNIT_H
#define HEDDLE_REPORT_JUNIT_H

#include "base/strbuf.h"

struct junit { /* zeroed: empty */
	struct strbuf cases;
	uint32_t tests, failures, errors, skipped;
	double seconds;
};

enum junit_result { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_SKIPPED, JUNIT_ERROR };

struct junit_case {
	const char *group; /* "classname" */
	const char *name;
	double seconds;
	enum junit_result result;
	const char *message; /* if it has not passed; NULL: none */
	const char *text;    /* of the message, any number of lines; NULL: none */
	const char *out;     /* "system-out"; NULL: none */
};

void junit_add(struct junit *j, const struct junit_case *c);
/* Appends the whole document. */
void junit_document(const struct junit *j, const char *suite, struct strbuf *out);
void junit_release(struct junit *j);

#endif
