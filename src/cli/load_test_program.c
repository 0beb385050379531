#include "cli/load_test_program.h"

#include "base/diag.h"
#include "cli/load_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int load_test_program(struct test_program *tp, const char *path)
{
	char *exe = realpath(path, NULL);
	struct ir_program *p, *own;
	int rc = -1;

	if (!exe)
		return error_("cannot find the program '%s': %s", path, strerror(errno));
	p = load_program(exe, LOAD_MODELS);
	own = p ? load_program(exe, 0) : NULL;
	if (own)
		rc = test_program_init(tp, exe, p, own);
	else if (p)
		ir_program_free(p);
	free(exe);
	return rc;
}
