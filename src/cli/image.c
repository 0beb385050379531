/* `heddle image`: the program built again from what travels in its executable. */
#include "cli/command.h"

#include "base/diag.h"
#include "build/image.h"

struct image_args {
	const char *output, *kind;
};

static const struct opt image_opts[] = {
	OPT_STRING('o', "output", struct image_args, output, "FILE", "where to write the executable"),
	OPT_STRING(0, "kind", struct image_args, kind, "KIND",
		"what is done to the program on the way; 'plain', the default,\n"
		"changes nothing"),
	OPT_END,
};

static int image_run(void *args, int argc, char **argv)
{
	const struct image_args *a = args;

	(void)argc;
	if (!a->output) {
		error_("'heddle image' wants a place for the executable (-o FILE)");
		return STATUS_USAGE;
	}
	if (image_build(argv[0], a->kind ? a->kind : "plain", a->output))
		return STATUS_FAILED;
	return STATUS_NOTHING;
}

const struct command cmd_image = {
	.synopsis = "PROGRAM -o FILE",
	.about = "Builds an executable again from the bitcode and the recipe that travel in PROGRAM,\n"
		 "which heddle-cc linked. Sources, objects and libraries of the build are not needed.",
	.opts = image_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct image_args),
	.min = 1,
	.max = 1,
	.run = image_run,
};
