/* `heddle predict`: predicts failures under other schedules from recorded runs. */
#include "base/print.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "extract/extract.h"

#include <stdio.h>

struct predict_args {
	struct analysis_args c;
	bool ctp, every;
};

static const struct opt predict_opts[] = {
	ANALYSIS_OPTS(struct predict_args, c),
	FORCE_OPT(struct predict_args, c),
	OPT_FLAG(0, "every", struct predict_args, every,
		"report every pair of places, not one for each bug"),
	OPT_FLAG(
		0, "dump-ctp", struct predict_args, ctp, "print only the concurrent trace program"),
	OPT_END,
};

static int dump_ctp(const char *dir)
{
	struct extract_options xo = {.jobs = 1};
	struct trace *t = trace_open(dir);
	const struct ctp *c = t ? extract(t, &xo) : NULL;
	struct strbuf b = {0};

	if (c) {
		ctp_print(c, &b);
		print_text(stdout, b.s, b.n);
		strbuf_release(&b);
		ctp_free(c);
	}
	if (t)
		trace_close(t);
	return c ? STATUS_NOTHING : STATUS_FAILED;
}

static int predict_traces(struct analysis *c, bool every, int argc, char **argv)
{
	c->opt.every = every;
	c->from_traces = true;
	if (analysis_runs(c, argv, NULL, (uint32_t)argc, c->sup.deadline))
		return STATUS_FAILED;
	return analysis_conclude(c);
}

static int predict_command(void *args, int argc, char **argv)
{
	struct predict_args *a = args;
	int status;
	struct analysis c = {0};

	if (a->ctp)
		status = dump_ctp(argv[0]);
	else if (!(status = analysis_open(&c, &a->c, NULL)))
		status = predict_traces(&c, a->every, argc, argv);
	analysis_release(&c);
	analysis_args_release(&a->c);
	return status;
}

const struct command cmd_predict = {
	.synopsis = "[options] TRACE...",
	.about = "Predicts from recorded runs ('heddle record') which failures other schedules\n"
		 "would show: assertion failures, data races, atomicity violations, deadlocks,\n"
		 "misuse of memory and locks. A prediction is confirmed if its replay on the real\n"
		 "program shows the failure.",
	.opts = predict_opts,
	.opt_flags = OPT_PERMUTE,
	.lists_faults = true,
	.args_size = sizeof(struct predict_args),
	.min = 1,
	.max = -1,
	.run = predict_command,
};
