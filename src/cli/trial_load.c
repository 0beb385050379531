#include "cli/trial_load.h"

#include "base/diag.h"
#include "cli/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int trial_load(struct trial_program *tp, const char *path)
{
	char *exe = realpath(path, NULL);
	struct ir_program *p, *own;
	int rc = -1;

	if (!exe)
		return error_("cannot find the program '%s': %s", path, strerror(errno));
	p = load_program(exe, LOAD_MODELS);
	own = p ? load_program(exe, 0) : NULL;
	if (own)
		rc = trial_program_init(tp, exe, p, own);
	else if (p)
		ir_program_free(p);
	free(exe);
	return rc;
}
