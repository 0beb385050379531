/* `heddle info`: what of a program heddle has in hand, and what stayed native and why. */
#include "cli/command.h"

#include "image/info.h"
#include "cli/load.h"

#include <stdio.h>

static const struct opt info_opts[] = {OPT_END};

static int info_run(void *args, int argc, char **argv)
{
	struct ir_program *p = load_program(argv[0], LOAD_MODELS);
	int rc;

	(void)args, (void)argc;
	if (!p)
		return STATUS_FAILED;
	rc = info_print(stdout, argv[0], p);
	ir_program_free(p);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_info = {
	.synopsis = "PROGRAM",
	.about = "Lists what became of a program built by heddle-cc: the functions taken in,\n"
		 "those left native and why, the functions that it calls and does not have,\n"
		 "the synchronization it uses and where it creates threads.",
	.opts = info_opts,
	.opt_flags = OPT_PERMUTE,
	.min = 1,
	.max = 1,
	.run = info_run,
};
