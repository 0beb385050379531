/* `heddle show`: the findings of a directory as a list, or some of them in full. */
#include "base/base.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "cli/finding_text.h"

#include <stdio.h>

struct show_args {
	const char *dir;
	bool full;
};

static const struct opt show_opts[] = {
	OPT_STRING('C', "dir", struct show_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_FLAG('v', "full", struct show_args, full, "show every step of each schedule"),
	OPT_END,
};

static int show_command(void *args, int argc, char **argv)
{
	const struct show_args *a = args;
	struct finding_list found = {0}, all = {0};
	struct strbuf b = {0};
	int rc = findings_named(a->dir, argv, (uint32_t)argc, &found);

	if (!rc && !argc) {
		finding_text_list(found.at, found.n, finding_text_style(false).width, &b);
		print_text(stdout, b.s ? b.s : "", b.n);
	} else if (!rc) {
		if (findings_exist(a->dir)) /* a finding may also be a file */
			rc = findings_named(a->dir, NULL, 0, &all);
		for (uint32_t i = 0; i < found.n; i++)
			finding_text_report(found.at[i], all.at, all.n, a->full);
	}
	strbuf_release(&b);
	finding_list_release(&found);
	finding_list_release(&all);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_show = {
	.synopsis = "[options] [FINDING...]",
	.about = "Shows findings that were found before: one line for each, the most harmful\n"
		 "first, or the whole report of those that are named. FINDING is a name such as\n"
		 "H1, or a file with a finding as JSON.",
	.opts = show_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct show_args),
	.min = 0,
	.max = -1,
	.run = show_command,
};
