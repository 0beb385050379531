/*
 * Any bytes as the database of findings: it is refused, or each of its findings is one that comes
 * back the same from its own JSON; and a finding can be added or cannot.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "finding/finding.h"
#include "finding/findings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

static void look_at_finding(void *ctx, const struct finding *f)
{
	struct strbuf a = {0}, b = {0};
	struct finding *again;

	(void)ctx;
	finding_to_json(f, &a);
	again = finding_from_json(a.s, a.n, "output");
	BUG_ON(!again);
	finding_to_json(again, &b);
	BUG_ON(strcmp(a.s, b.s));
	finding_free(again);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void use_database(const char *dir)
{
	struct findings *db = findings_open(dir, true);
	struct finding *f;

	if (!db)
		return;
	findings_each(db, look_at_finding, NULL);
	f = findings_get(db, "H1");
	if (f) {
		f->fingerprint++;
		findings_put(db, f, NULL);
	}
	finding_free(f);
	findings_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *dir, *folder, *path;

	diag_set_sink(ignore, NULL);
	dir = temporary_directory("fuzz-findings");
	BUG_ON(!dir);
	folder = xasprintf("%s/.heddle", dir);
	path = xasprintf("%s/findings.db", folder);
	BUG_ON(mkdir(folder, 0777) || file_write(path, data, n, false));
	use_database(dir);
	remove_directory(dir);
	free(path);
	free(folder);
	free(dir);
	return 0;
}
