/* Files with findings that a command writes beside its output: options, and the writing. */
#ifndef HEDDLE_CLI_REPORT_FILES_H
#define HEDDLE_CLI_REPORT_FILES_H

#include "base/opt.h"
#include "base/strbuf.h"
#include "finding/finding.h"
#include "finding/verdict.h"

struct report_files { /* paths; NULL: not asked for */
	const char *html, *sarif, *junit;
};

#define REPORT_FILE_OPTS(S, f)                                                                     \
	OPT_STRING(                                                                                \
		0, "html", S, f.html, "FILE", "also write the findings as a page for a browser"),  \
		OPT_STRING(                                                                        \
			0, "sarif", S, f.sarif, "FILE", "also write the findings as SARIF 2.1.0"), \
		OPT_STRING(0, "junit", S, f.junit, "FILE", "also write the findings as JUnit XML")

/* Writes the files that were asked for. v: may be NULL. -1 after error_(). */
int report_files_write(const struct report_files *a, struct finding *const *found, uint32_t n,
	const struct verdict *v, double seconds);
/* Writes a file; path "-": standard output. -1 after error_(). */
int report_write(const char *path, const struct strbuf *b);

#endif
