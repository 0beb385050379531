/* `heddle suppress`: adds a finding to the suppressions of the directory, with the reason. */
#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/strbuf.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "finding/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct suppress_args {
	const char *dir, *file, *why;
};

static const struct opt suppress_opts[] = {
	OPT_STRING('w', "why", struct suppress_args, why, "TEXT", "the reason; required"),
	OPT_STRING('o', "output", struct suppress_args, file, "FILE",
		"add to FILE; to heddle.supp in the directory of the findings\n"
		"by default"),
	OPT_STRING('C', "dir", struct suppress_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_END,
};

static int append_text(const char *path, const struct strbuf *b)
{
	FILE *f = fopen(path, "ae");
	bool bad = !f || fwrite(b->s, 1, b->n, f) != b->n;

	if (f && fclose(f))
		bad = true;
	return bad ? error_("cannot write '%s': %s", path, strerror(errno)) : 0;
}

/* Adds the findings that no suppression of the file fits yet. -1 after error_(). */
static int add_findings(
	const struct suppress_args *a, const struct finding_list *found, const char *path)
{
	struct suppressions s = {0};
	struct strbuf b = {0};
	int rc = access(path, F_OK) ? 0 : suppressions_read(&s, path);

	for (uint32_t i = 0; !rc && i < found->n; i++) {
		const struct finding *f = found->at[i];
		const struct suppression *old = suppressions_find(&s, f);

		if (old) {
			note_("%s is suppressed already: %s:%u", f->name, path, old->line);
			continue;
		}
		strbuf_adds(&b, b.n || s.at.n ? "\n" : "");
		suppression_write(f, a->why, &b);
		print_clean(stdout, "%s is suppressed in %s: %s\n", f->name, path, f->title);
	}
	if (!rc && b.n)
		rc = append_text(path, &b);
	suppressions_release(&s);
	strbuf_release(&b);
	return rc;
}

static int suppress_command(void *args, int argc, char **argv)
{
	const struct suppress_args *a = args;
	struct finding_list found = {0};
	char *path;
	int rc;

	if (!a->why || !*a->why) {
		error_("a suppression needs a reason: --why \"...\"");
		return STATUS_USAGE;
	}
	path = a->file ? xstrdup(a->file)
		       : xasprintf("%s%sheddle.supp", a->dir ? a->dir : "", a->dir ? "/" : "");
	rc = findings_named(a->dir, argv, (uint32_t)argc, &found);
	if (!rc)
		rc = add_findings(a, &found, path);
	finding_list_release(&found);
	free(path);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_suppress = {
	.synopsis = "--why TEXT [options] FINDING...",
	.about = "Adds findings to heddle.supp, with the reason. 'heddle check', 'predict',\n"
		 "'branches' and 'explore' then list them as suppressed, and do not count them.\n"
		 "A finding is recognized by its fingerprint, which stays the same when other\n"
		 "lines are added to the source.",
	.opts = suppress_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct suppress_args),
	.min = 1,
	.max = -1,
	.run = suppress_command,
};
