/* `heddle image`: the program built again from what travels in its executable. */
#include "cli/command.h"

#include "base/diag.h"
#include "build/image.h"

#include <stdio.h>
#include <stdlib.h>

struct image_args {
	const char *output, *kind;
	bool cached;
};

static const struct opt image_opts[] = {
	OPT_STRING(
		'o', "output", struct image_args, output, "FILE", "where to write the executable"),
	OPT_STRING(0, "kind", struct image_args, kind, "KIND",
		"what is done to the program on the way; 'plain', the default,\n"
		"changes nothing"),
	OPT_FLAG(0, "cached", struct image_args, cached,
		"keep it in the cache, and print where it is"),
	OPT_END,
};

static int print_cached(const char *program, const char *kind_name)
{
	const struct image_kind *kind = image_find_kind(kind_name);
	char *path;

	if (!kind) {
		error_("there is no image of kind '%s'", kind_name);
		return STATUS_FAILED;
	}
	path = image_cached(program, kind);
	if (!path)
		return STATUS_FAILED;
	puts(path);
	free(path);
	return STATUS_NOTHING;
}

static int image_run(void *args, int argc, char **argv)
{
	const struct image_args *a = args;

	const char *kind = a->kind ? a->kind : "plain";

	(void)argc;
	if (a->cached)
		return print_cached(argv[0], kind);
	if (!a->output) {
		error_("'heddle image' wants a place for the executable (-o FILE, or --cached)");
		return STATUS_USAGE;
	}
	if (image_build(argv[0], kind, a->output))
		return STATUS_FAILED;
	return STATUS_NOTHING;
}

const struct command cmd_image = {
	.synopsis = "PROGRAM (-o FILE | --cached)",
	.about = "Builds an executable again from the bitcode and the recipe that travel in\n"
		 "PROGRAM, which heddle-cc linked. Sources, objects and libraries of the build\n"
		 "are not needed.",
	.opts = image_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct image_args),
	.min = 1,
	.max = 1,
	.run = image_run,
};
