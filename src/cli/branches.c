/*
 * `heddle branches`: finds the branches of a recorded run whose outcome depends on the schedule,
 * with a schedule that changes it. Each flip is replayed on the real program.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/print.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/finding_text.h"
#include "cli/standard_input.h"
#include "cli/record_runs.h"
#include "deep/branch_rerun.h"
#include "log/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum show { SHOW_BUG, SHOW_ADHOC, SHOW_ALL };

struct branches_args {
	struct analysis_args c;
	struct record_runs_args r;
	int show;
	bool again;
};

static const struct opt branches_opts[] = {
	OPT_CHOICE(0, "show", struct branches_args, show, "bug|adhoc|all",
		"the class that is reported in full, bug by default; the\n"
		"others are listed"),
	OPT_FLAG(0, "again", struct branches_args, again,
		"also query branches that earlier runs found"),
	RECORD_RUNS_OPTS(struct branches_args, r),
	QUERY_OPTS(struct branches_args, c),
	FORCE_OPT(struct branches_args, c),
	OPT_END,
};

struct branches {
	struct analysis
		c; /* first: report_branch() and print_summary() cast it to struct branches */
	const struct branches_args *a;
	uint64_t bitcode;
	struct map skip;             /* places that earlier runs found */
	VEC(struct finding *) known; /* findings of earlier runs */
};

/* ---- the report -------------------------------------------------------------------------- */

/* False for a failure of the recorded run itself, which is reported too. */
static bool is_branch(const struct finding *f)
{
	return f->kind == FAULT_BRANCH;
}

static bool in_full(const struct branches *b, const struct finding *f)
{
	if (!is_branch(f))
		return true;
	switch ((enum show)b->a->show) {
	case SHOW_BUG: return f->flip.class_ == FLIP_BUG;
	case SHOW_ADHOC: return f->flip.class_ == FLIP_ADHOC;
	case SHOW_ALL: break;
	}
	return true;
}

static void report_branch(struct analysis *c, const struct finding *f)
{
	struct branches *b = (struct branches *)c;

	if (in_full(b, f) && !c->a->json && !set_aside_has(&c->aside, f))
		finding_text_report(f, c->found.at, c->found.n, c->a->full);
}

static void classify_confirmed(struct analysis *c, struct finding *f)
{
	branch_rerun(f, c->at, &c->opt);
}

static uint32_t count_class(const struct branches *b, enum flip_class k)
{
	uint32_t n = 0;

	vec_each (&b->c.found, i)
		n += is_branch(b->c.found.at[i]) && b->c.found.at[i]->flip.class_ == k;
	return n;
}

static const char *const class_words[FLIP_NCLASSES] = {
	[FLIP_UNCLEAR] = "unclear",
	[FLIP_ADHOC] = "ad hoc",
	[FLIP_BUG] = "bug",
};

/*
 *   H2   bug      cache.c:9 in 'lookup': branch 'if (cached != NULL) {'
 *        recorded: cached = 0x…; flipped: cached = NULL
 *        what is checked at cache.c:9 need not be true …
 */
static void add_line(struct strbuf *s, const struct finding *f)
{
	const char *tail = " depends on the schedule";
	size_t n = strlen(f->title), k = strlen(tail);
	bool cut = n > k && !strcmp(f->title + n - k, tail);

	strbuf_addf(s, "  %-4s %-8s %s: %.*s", f->name, class_words[f->flip.class_],
		f->summary ? f->summary : "?", (int)(cut ? n - k : n), f->title);
	if (f->status != FINDING_CONFIRMED)
		strbuf_addf(s, ", %s", finding_status_words[f->status]);
	if (f->flip.recorded && f->flip.flipped)
		strbuf_addf(
			s, "\n       recorded: %s; flipped: %s", f->flip.recorded, f->flip.flipped);
	strbuf_addc(s, '\n');
	if (f->flip.why)
		strbuf_addf(s, "       %s\n", f->flip.why);
}

static void add_list(struct strbuf *s, const struct branches *b)
{
	for (uint32_t k = FLIP_NCLASSES; k-- > 0;)
		vec_each (&b->c.found, i)
			if (is_branch(b->c.found.at[i]) && b->c.found.at[i]->flip.class_ == k)
				add_line(s, b->c.found.at[i]);
}

static void add_known(struct strbuf *s, const struct branches *b)
{
	if (!b->known.n)
		return;
	strbuf_addf(s, "  found by earlier runs, not queried again (see --again):");
	vec_each (&b->known, i)
		strbuf_addf(s, "%s %s %s (%s)", i ? "," : "", b->known.at[i]->name,
			b->known.at[i]->summary ? b->known.at[i]->summary : "?",
			class_words[b->known.at[i]->flip.class_]);
	strbuf_addc(s, '\n');
}

static void add_failures(struct strbuf *s, const struct branches *b)
{
	vec_each (&b->c.found, i) {
		const struct finding *f = b->c.found.at[i];

		if (!is_branch(f))
			strbuf_addf(s,
				"heddle: the recorded run fails without another schedule: "
				"%s %s\n",
				f->name, f->summary ? f->summary : f->title);
	}
}

static void add_headline(struct strbuf *s, struct branches *b)
{
	uint32_t n = 0;
	const char *sep = ": ";

	for (uint32_t k = 0; k < FLIP_NCLASSES; k++)
		n += count_class(b, k);
	if (!n) {
		strbuf_addf(s, "heddle: no %sbranch depends on the schedule%s\n",
			b->known.n ? "other " : "",
			verdict_earned(&b->c.verdict) ? "" : ", but the analysis is incomplete");
		return;
	}
	strbuf_addf(s, "heddle: %u branch%s on the schedule", n, n == 1 ? " depends" : "es depend");
	for (uint32_t k = FLIP_NCLASSES; k-- > 0;)
		if (count_class(b, k)) {
			strbuf_addf(s, "%s%u %s", sep, count_class(b, k), class_words[k]);
			sep = ", ";
		}
	strbuf_addf(
		s, "; %u flips confirmed by replay\n", analysis_count(&b->c, FINDING_CONFIRMED));
}

static void print_summary(struct analysis *c)
{
	struct branches *b = (struct branches *)c;
	struct strbuf s = {0};

	if (c->a->json) {
		analysis_json(c);
		return;
	}
	add_failures(&s, b);
	add_headline(&s, b);
	add_list(&s, b);
	add_known(&s, b);
	analysis_coverage(c, &s);
	print_text(stdout, s.s, s.n);
	strbuf_release(&s);
}

/* ---- findings of earlier runs ------------------------------------------------------------ */

static void keep_known(void *ctx, const struct finding *f)
{
	struct branches *b = ctx;

	if (f->kind != FAULT_BRANCH || f->status != FINDING_CONFIRMED || f->bitcode != b->bitcode)
		return;
	*map_put(&b->skip, (uint64_t)f->flip.func << 32 | f->flip.insn) = 1;
	vec_push(&b->known, finding_copy(f));
}

static int find_known(struct branches *b, const char *dir)
{
	struct store *s = store_open(dir);

	if (!s)
		return -1;
	b->bitcode = store_meta(s)->bitcode;
	store_free(s);
	if (b->a->again)
		return 0;
	if (findings_each(b->c.db, keep_known, b))
		return -1;
	b->c.opt.skip = b->skip.n ? &b->skip : NULL;
	return 0;
}

/* ---- runs -------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The operands are recorded runs, or a program to record. */
static int find_runs(struct branches *b, int argc, char **argv, struct recorded_runs *r)
{
	if (!is_folder(argv[0]))
		return analysis_record(&b->c, &b->a->r, argc, argv, r);
	b->c.from_traces = true;
	for (int i = 0; i < argc; i++) {
		vec_push(&r->dirs, xstrdup(argv[i]));
		vec_push(&r->ends, OBSERVED_END);
	}
	return 0;
}

static int analyse_branches(struct branches *b, int argc, char **argv)
{
	struct recorded_runs r = {0};
	int rc = find_runs(b, argc, argv, &r);

	if (!rc && r.dirs.n)
		rc = find_known(b, r.dirs.at[0]);
	if (!rc)
		rc = analysis_runs(&b->c, r.dirs.at, r.ends.at, r.dirs.n, b->c.sup.deadline);
	recorded_runs_release(&r);
	return rc;
}

static int conclude_branches(struct branches *b)
{
	bool bug = false, open;

	analysis_judge(&b->c);
	open = !verdict_earned(&b->c.verdict);
	vec_each (&b->c.found, i) {
		const struct finding *f = b->c.found.at[i];

		if (!is_branch(f)) {
			bug = true;
			continue;
		}
		bug |= f->flip.class_ == FLIP_BUG && f->status == FINDING_CONFIRMED;
		open |= f->status != FINDING_CONFIRMED && !b->c.a->no_replay;
	}
	vec_each (&b->known, i) /* the program has not changed, so the bug is still there */
		bug |= b->known.at[i]->flip.class_ == FLIP_BUG;
	print_summary(&b->c);
	if (analysis_write_files(&b->c))
		return STATUS_FAILED;
	return bug ? STATUS_FOUND : open ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

static int branches_command(void *args, int argc, char **argv)
{
	struct branches_args *a = args;
	struct branches b = {.a = a};
	int status = STATUS_FAILED;
	char *input = NULL;

	if (is_folder(argv[0]) || !standard_input_keep(a->c.dir ? a->c.dir : ".", 0, &input))
		status = analysis_open(&b.c, &a->c, input);
	b.c.report = report_branch;
	b.c.summary = print_summary;
	b.c.confirmed = classify_confirmed;
	b.c.opt.kinds = 1u << FAULT_BRANCH;
	if (status == STATUS_NOTHING)
		status = analyse_branches(&b, argc, argv) ? STATUS_FAILED : conclude_branches(&b);
	vec_each (&b.known, i)
		finding_free(b.known.at[i]);
	vec_release(&b.known);
	map_release(&b.skip);
	analysis_release(&b.c);
	analysis_args_release(&a->c);
	vec_release(&a->r.exclude);
	free(input);
	return status;
}

const struct command cmd_branches = {
	.synopsis = "[options] [--] PROGRAM [args...] | TRACE...",
	.about =
		"Runs a program built by heddle-cc once and finds every decision of that run that\n"
		"another schedule changes: branches and switches, indirect calls, pointers and\n"
		"indices, divisors. Each is shown with a schedule that flips it, replayed on the\n"
		"real program, and classified: a bug, ad-hoc synchronization, or unclear (it may\n"
		"be intended). Recorded runs may be given instead of the program.",
	.opts = branches_opts,
	.args_size = sizeof(struct branches_args),
	.min = 1,
	.max = -1,
	.run = branches_command,
};
