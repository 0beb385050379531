/* Names of source files as URIs (RFC 3986). */
#ifndef HEDDLE_REPORT_URI_H
#define HEDDLE_REPORT_URI_H

#include "base/strbuf.h"
#include "finding/finding.h"

/* Appends the URI of a file of the finding. Returns true if it is relative to `base`, an absolute
 * directory: the file is below it. A relative name is looked for in `base`, in the directory of the
 * recorded run, and beside its executable; if it is in none of them, it is relative to `base`. */
bool uri_add_source(
	struct strbuf *out, const char *base, const struct finding *f, const char *file);
/* Appends the URI of a directory: "file:///home/a/". */
void uri_add_directory(struct strbuf *out, const char *dir);

#endif
