/* errno of each thread, and the names a program was started by (<errno.h>). */
#include "model.h"

static __thread int error_number;

int *__errno_location(void)
{
	return &error_number;
}

/* Set by __heddle_start; getopt, error, err and assert print them. */
char *__progname = (char *)"", *__progname_full = (char *)"";
M_ALIAS(program_invocation_short_name, __progname);
M_ALIAS(program_invocation_name, __progname_full);
