#include "cli/report_files.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/path.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int report_write(const char *path, const struct strbuf *b)
{
	if (!strcmp(path, "-")) {
		if (fwrite(b->s, 1, b->n, stdout) != b->n || fflush(stdout))
			return error_("cannot write to standard output: %s", strerror(errno));
		return 0;
	}
	if (file_write(path, b->s, b->n, false))
		return error_("cannot write '%s': %s", path, strerror(errno));
	return 0;
}

static int write_format(const char *path, const struct report *r,
	void (*format)(const struct report *, struct strbuf *))
{
	struct strbuf b = {0};
	int rc;

	if (!path)
		return 0;
	format(r, &b);
	rc = report_write(path, &b);
	strbuf_release(&b);
	return rc;
}

int report_files_write(const struct report_files *a, struct finding *const *found, uint32_t n,
	const struct verdict *v, double seconds)
{
	char *base;
	struct finding **sorted;
	struct report r = {.n = n, .verdict = v, .seconds = seconds};
	int rc;

	if (!a->html && !a->sarif && !a->junit)
		return 0;
	base = path_absolute(".");
	sorted = xcalloc(n + 1, sizeof *sorted);
	if (n)
		memcpy(sorted, found, n * sizeof *sorted);
	report_rank(sorted, n);
	r.base = base;
	r.findings = sorted;
	rc = write_format(a->html, &r, report_html);
	rc |= write_format(a->sarif, &r, report_sarif);
	rc |= write_format(a->junit, &r, report_junit);
	free(sorted);
	free(base);
	return rc;
}
