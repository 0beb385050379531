#include "replay/scratch.h"

#include "base/diag.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *scratch_new(const char *name)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/heddle-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);

	if (mkdtemp(dir))
		return dir;
	error_("cannot make the folder '%s': %s (TMPDIR says where)", dir, strerror(errno));
	free(dir);
	return NULL;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void scratch_remove(const char *dir)
{
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
