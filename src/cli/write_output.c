#include "cli/write_output.h"

#include "base/base.h"
#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int write_output(const char *path, const struct strbuf *b)
{
	FILE *f = fopen(path, "wb");
	bool ok;

	if (!f)
		return error_("cannot write '%s': %s", path, strerror(errno));
	ok = fwrite(b->s, 1, b->n, f) == b->n;
	if (fclose(f) || !ok) {
		error_("cannot write '%s': %s", path, strerror(errno));
		unlink(path);
		return -1;
	}
	return 0;
}
