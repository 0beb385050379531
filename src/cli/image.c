/* `heddle image`: the program built again from what travels in its executable. */
#include "cli/command.h"

#include "base/diag.h"
#include "base/vec.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image_args {
	const char *output, *kind;
	bool cached;
	struct opt_list exclude;
};

static const struct opt image_opts[] = {
	OPT_STRING(
		'o', "output", struct image_args, output, "FILE", "where to write the executable"),
	OPT_STRING(0, "kind", struct image_args, kind, "KIND",
		"what is done to the program on the way: nothing ('plain', the\n"
		"default), or it records itself ('record', 'record-window')"),
	OPT_LIST(0, "exclude", struct image_args, exclude, "PATTERN",
		"functions that are not recorded"),
	OPT_FLAG(0, "cached", struct image_args, cached,
		"keep it in the cache, and print where it is"),
	OPT_END,
};

static bool is_recording(const char *kind)
{
	return !strcmp(kind, "record") || !strcmp(kind, "record-window");
}

static char *cached(const char *program, const char *name, const char *const *exclude)
{
	const struct image_kind *kind = image_find_kind(name);

	if (is_recording(name))
		return image_record(program, exclude, strcmp(name, "record"), NULL);
	if (kind)
		return image_cached(program, kind);
	error_("there is no image of kind '%s'", name);
	return NULL;
}

static int image_run(void *args, int argc, char **argv)
{
	struct image_args *a = args;
	const char *kind = a->kind ? a->kind : "plain";
	char *path = NULL;
	int rc;

	(void)argc;
	if (!a->cached && !a->output) {
		error_("'heddle image' wants a place for the executable (-o FILE, or --cached)");
		return STATUS_USAGE;
	}
	vec_push(&a->exclude, NULL);
	if (a->cached)
		path = cached(argv[0], kind, a->exclude.at);
	if (path)
		puts(path);
	if (a->cached)
		rc = path ? 0 : -1;
	else if (is_recording(kind))
		rc = image_record_build(argv[0], a->exclude.at, strcmp(kind, "record"), a->output);
	else
		rc = image_build(argv[0], kind, a->output);
	free(path);
	vec_release(&a->exclude);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
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
