/* `heddle image`: builds an image of a program from the bitcode and recipe in its executable. */
#include "cli/command.h"

#include "base/base.h"
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
		"'plain', the default: an ordinary executable; 'record',\n"
		"'record-window': an executable that records its runs"),
	OPT_LIST(0, "exclude", struct image_args, exclude, "PATTERN",
		"do not record functions that match; may be repeated"),
	OPT_FLAG(
		0, "cached", struct image_args, cached, "build it in the cache and print its path"),
	OPT_END,
};

/* Every kind but "enforce", whose image cannot run without a schedule. */
static bool parse_kind(const char *name, enum image_kind *out)
{
	static const char *const names[] = {
#define X(id, name) name,
		IMAGE_KINDS(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (i != IMAGE_ENFORCE && !strcmp(names[i], name)) {
			*out = (enum image_kind)i;
			return true;
		}
	return false;
}

static int build_cached(const char *program, enum image_kind kind, const char *const *exclude)
{
	struct image_file f;

	if (image_cached(&f, program, kind, exclude))
		return -1;
	puts(f.path);
	image_file_release(&f);
	return 0;
}

static int image_run(void *args, int argc, char **argv)
{
	struct image_args *a = args;
	enum image_kind kind = IMAGE_PLAIN;
	int rc;

	(void)argc;
	if (!a->cached && !a->output) {
		error_("'heddle image' needs a name for the executable (give -o FILE or --cached)");
		return STATUS_USAGE;
	}
	if (a->kind && !parse_kind(a->kind, &kind)) {
		error_("unknown kind of image '%s' (give 'plain', 'record' or "
		       "'record-window')",
			a->kind);
		return STATUS_FAILED;
	}
	vec_push(&a->exclude, NULL);
	if (a->cached)
		rc = build_cached(argv[0], kind, a->exclude.at);
	else
		rc = image_build(argv[0], kind, a->exclude.at, a->output);
	vec_release(&a->exclude);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_image = {
	.synopsis = "PROGRAM (-o FILE | --cached)",
	.about = "Builds an executable from the bitcode and the link recipe that heddle-cc put\n"
		 "into PROGRAM. The sources, objects and libraries of the original build are not\n"
		 "needed.",
	.opts = image_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct image_args),
	.min = 1,
	.max = 1,
	.run = image_run,
};
