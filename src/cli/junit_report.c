#include "cli/junit_report.h"

#include "cli/report_files.h"

static enum junit_result result_of(enum test_verdict v)
{
	switch (v) {
	case TEST_SAME:
	case TEST_MACHINE_ONLY: return JUNIT_PASSED;
	case TEST_UNKNOWN:
	case TEST_DIVERGED: return JUNIT_SKIPPED;
	default: return JUNIT_FAILURE;
	}
}

void junit_report_add(struct junit *j, const char *name, const struct test_result *res)
{
	struct strbuf message = {0};

	strbuf_addf(&message, "%s: %s", test_verdict_words[res->verdict],
		res->what.s ? res->what.s : "");
	junit_add(j, &(struct junit_case){.group = "heddle",
			     .name = name,
			     .seconds = res->seconds,
			     .result = result_of(res->verdict),
			     .message = message.s,
			     .out = res->notes.s});
	strbuf_release(&message);
}

void junit_report_add_broken(struct junit *j, const char *name)
{
	junit_add(j, &(struct junit_case){.group = "heddle",
			     .name = name,
			     .result = JUNIT_ERROR,
			     .message = "the test could not be run"});
}

int junit_report_write(const struct junit *j, const char *path)
{
	struct strbuf b = {0};
	int rc;

	junit_document(j, "heddle test", &b);
	rc = report_write(path, &b);
	strbuf_release(&b);
	return rc;
}
