/* `heddle report`: the findings of a directory in another format. */
#include "base/base.h"
#include "base/diag.h"
#include "base/path.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "cli/report_files.h"
#include "report/report.h"

#include <string.h>

enum format { AS_HTML, AS_SARIF, AS_JUNIT, AS_JSON, AS_TEXT, AS_PERFETTO, AS_DOT };

struct report_args {
	int format;
	const char *out, *dir;
};

static const struct opt report_opts[] = {
	OPT_CHOICE('f', "format", struct report_args, format,
		"html|sarif|junit|json|text|perfetto|dot",
		"html by default: a page for a browser, without network;\n"
		"perfetto and dot (Graphviz) show one finding"),
	OPT_STRING('o', "output", struct report_args, out, "FILE",
		"write to FILE; to standard output by default"),
	OPT_STRING('C', "dir", struct report_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_END,
};

static void write_json(const struct report *r, struct strbuf *out)
{
	for (uint32_t i = 0; i < r->n; i++) {
		size_t from = out->n;

		finding_to_json(r->findings[i], out);
		for (; from < out->n; from++) /* one line for each object */
			if (out->s[from] == '\n')
				out->s[from] = ' ';
		strbuf_addc(out, '\n');
	}
}

static void write_text(const struct report *r, struct strbuf *out)
{
	struct report_style style = {.width = 100};

	for (uint32_t i = 0; i < r->n; i++)
		report_text(r->findings[i], &style, out);
}

/* -1 after error_(). */
static int write_report(const struct report_args *a, const struct report *r, struct strbuf *out)
{
	switch ((enum format)a->format) {
	case AS_HTML: report_html(r, out); return 0;
	case AS_SARIF: report_sarif(r, out); return 0;
	case AS_JUNIT: report_junit(r, out); return 0;
	case AS_JSON: write_json(r, out); return 0;
	case AS_TEXT: write_text(r, out); return 0;
	case AS_PERFETTO:
	case AS_DOT: break;
	}
	if (r->n != 1)
		return error_(
			"this format shows one finding, not %u: name it, as in 'heddle report "
			"--format=dot H1'",
			r->n);
	(a->format == AS_DOT ? report_dot : report_perfetto)(r->findings[0], out);
	return 0;
}

static int report_command(void *args, int argc, char **argv)
{
	const struct report_args *a = args;
	struct finding_list found = {0};
	struct strbuf b = {0};
	struct report r = {0};
	char *base = path_absolute(".");
	int rc = findings_named(a->dir, argv, (uint32_t)argc, &found);

	report_rank(found.at, found.n);
	r = (struct report){.findings = found.at, .n = found.n, .base = base};
	if (!rc)
		rc = write_report(a, &r, &b);
	if (!rc)
		rc = report_write(a->out ? a->out : "-", &b);
	strbuf_release(&b);
	finding_list_release(&found);
	free(base);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_report = {
	.synopsis = "[options] [FINDING...]",
	.about = "Writes findings in another format: a page for a browser, SARIF for code hosts\n"
		 "and editors, JUnit XML for continuous integration, JSON, text, Perfetto or\n"
		 "Graphviz. FINDING is a name such as H1, or a file with a finding as JSON; all\n"
		 "findings of the directory by default.",
	.opts = report_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct report_args),
	.min = 0,
	.max = -1,
	.run = report_command,
};
