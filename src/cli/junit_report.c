#include "cli/junit_report.h"

#include "base/diag.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Escapes the text for XML; a byte that XML does not allow becomes '.'. */
static void add_text(struct strbuf *b, const char *s)
{
	while (s && *s) {
		uint32_t n = utf8_length(s);

		switch (*s) {
		case '&': strbuf_adds(b, "&amp;"); break;
		case '<': strbuf_adds(b, "&lt;"); break;
		case '>': strbuf_adds(b, "&gt;"); break;
		case '"': strbuf_adds(b, "&quot;"); break;
		case '\n': strbuf_adds(b, "&#10;"); break;
		default:
			if (!n || (unsigned char)*s < 0x20)
				strbuf_addc(b, '.');
			else
				strbuf_add(b, s, n);
		}
		s += n ? n : 1;
	}
}

static void begin_case(struct junit_report *j, const char *name, double seconds)
{
	strbuf_adds(&j->cases, "  <testcase classname=\"heddle\" name=\"");
	add_text(&j->cases, name);
	strbuf_addf(&j->cases, "\" time=\"%.3f\">", seconds);
	j->tests++;
	j->seconds += seconds;
}

void junit_report_add(struct junit_report *j, const char *name, const struct test_result *res)
{
	const char *element = "failure";

	begin_case(j, name, res->seconds);
	switch (res->verdict) {
	case TEST_SAME:
	case TEST_MACHINE_ONLY: element = NULL; break;
	case TEST_UNKNOWN:
	case TEST_DIVERGED:
		element = "skipped";
		j->skipped++;
		break;
	default: j->failures++;
	}
	if (element) {
		strbuf_addf(&j->cases, "<%s message=\"%s: ", element, test_verdict_words[res->verdict]);
		add_text(&j->cases, res->what.s);
		strbuf_adds(&j->cases, "\"/>");
	}
	if (res->notes.n) {
		strbuf_adds(&j->cases, "<system-out>");
		add_text(&j->cases, res->notes.s);
		strbuf_adds(&j->cases, "</system-out>");
	}
	strbuf_adds(&j->cases, "</testcase>\n");
}

void junit_report_add_broken(struct junit_report *j, const char *name)
{
	begin_case(j, name, 0);
	strbuf_adds(&j->cases, "<error message=\"the test could not be run\"/></testcase>\n");
	j->errors++;
}

int junit_report_write(const struct junit_report *j, const char *path)
{
	bool own = strcmp(path, "-");
	FILE *f = own ? fopen(path, "we") : stdout;

	if (!f)
		return error_("cannot write '%s': %s", path, strerror(errno));
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites><testsuite name=\"heddle test\" tests=\"%u\" failures=\"%u\" "
		"errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n%s</testsuite></testsuites>\n",
		j->tests, j->failures, j->errors, j->skipped, j->seconds,
		j->cases.s ? j->cases.s : "");
	if (own ? fclose(f) : fflush(f))
		return error_("cannot write '%s': %s", path, strerror(errno));
	return 0;
}

void junit_report_release(struct junit_report *j)
{
	strbuf_release(&j->cases);
}
