#include "cli/analysis.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/analysis_stage.h"
#include "cli/command.h"
#include "ctp/merge.h"
#include "explain/places.h"
#include "extract/extract.h"
#include "extract/partition.h"
#include "replay/explored.h"
#include "replay/replay.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PREDICTION = 0 }; /* index of its claim */
/* The part of the time for the windows of a run of more than PREDICT_DECIDED events, before its
 * chunks. */
static const double windows_part = 0.5;

/* ---- options ----------------------------------------------------------------------------- */

static int add_kind(uint32_t *kinds, const char *word, size_t n)
{
	char *name = xasprintf("%.*s", (int)n, word);
	struct opt_nearest ne;
	int rc = 0;

	opt_nearest_init(&ne, name);
	for (uint32_t k = 0; k < NPREDICTED; k++) {
		if (!strcmp(name, fault_words[k].word)) {
			*kinds |= 1u << k;
			free(name);
			return 0;
		}
		opt_nearest_offer(&ne, fault_words[k].word);
	}
	if (ne.best)
		rc = error_("unknown kind of finding '%s' (did you mean '%s'?)", name, ne.best);
	else
		rc = error_("unknown kind of finding '%s' ('heddle help check' lists them)", name);
	free(name);
	return rc;
}

static int add_kinds(uint32_t *kinds, const struct opt_list *list)
{
	vec_each (list, i)
		for (const char *s = list->at[i]; *s;) {
			size_t n = strcspn(s, ",");

			if (n && add_kind(kinds, s, n))
				return -1;
			s += n + (s[n] == ',');
		}
	return 0;
}

/* ---- progress: on a terminal, after a second --------------------------------------------- */

void analysis_clear_progress(struct analysis *c)
{
	if (c->shown > 0)
		fputs("\r\033[K", stderr);
	c->shown = 0;
}

void analysis_progress(struct analysis *c, const char *what, uint64_t done, uint64_t of)
{
	double t = clock_seconds();

	if (!isatty(2) || t - c->began < 1 || t - c->shown < 0.2)
		return;
	fputs("\r\033[K", stderr);
	if (c->nchunks)
		fprintf(stderr, "chunk %u of %u, ", c->chunk, c->nchunks);
	fprintf(stderr, "%s: %" PRIu64, what, done);
	if (of)
		fprintf(stderr, " of %" PRIu64, of);
	fprintf(stderr, ", found %u", c->found.n);
	fflush(stderr);
	c->shown = t;
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t of)
{
	analysis_progress(ctx, what, done, of);
}

/* ---- findings ---------------------------------------------------------------------------- */

/* Both begin with the same "file:line". */
static bool same_line(const char *a, const char *b)
{
	size_t n = 0;

	if (!a || !b)
		return false;
	while (a[n] && a[n] == b[n] && a[n] != ' ')
		n++;
	/* A column may follow the line in one of them. */
	return n && strchr(": ", a[n]) && strchr(": ", b[n]) && isdigit(a[n - 1]);
}

/* For every thread that waits at the end of `a` a thread of `b` waits at the same line. */
static bool waits_there(const struct finding *a, const struct finding *b)
{
	bool some = false;

	vec_each (&a->steps, i) {
		const struct finding_step *s = &a->steps.at[i];
		bool there = false;

		if (!(s->flags & STEP_LAST))
			continue;
		vec_each (&b->steps, k)
			there |= (b->steps.at[k].flags & STEP_LAST) &&
				 b->steps.at[k].place.line == s->place.line &&
				 b->steps.at[k].place.file && s->place.file &&
				 !strcmp(b->steps.at[k].place.file, s->place.file);
		if (!there)
			return false;
		some = true;
	}
	return some;
}

static bool same_function(const struct finding *a, const struct finding *b)
{
	const char *x = a->summary ? strstr(a->summary, " in '") : NULL;
	const char *y = b->summary ? strstr(b->summary, " in '") : NULL;

	return x && y && !strcmp(x, y);
}

/* Both are hangs of the same threads at the same lines. The objects that they wait for may have
 * other names in another run, and a livelock may be stopped at any place of its loop. */
static bool is_same_hang(const struct analysis *c, const struct finding *a, const struct finding *b)
{
	const uint32_t hangs = 1u << FAULT_DEADLOCK | 1u << FAULT_LOST_WAKEUP | 1u << FAULT_HANG;

	if (!(hangs >> a->kind & hangs >> b->kind & 1) ||
		!(c->deep || a->status == FINDING_OBSERVED || b->status == FINDING_OBSERVED))
		return false;
	return (a->kind == FAULT_HANG && b->kind == FAULT_HANG && same_function(a, b)) ||
	       (waits_there(a, b) && waits_there(b, a));
}

/* One is the observed failure of a run, the other a prediction of a failure at the same line: the
 * prediction adds no information. */
static bool is_same_failure(
	const struct analysis *c, const struct finding *a, const struct finding *b)
{
	const uint32_t failures = 1u << FAULT_CRASH | 1u << FAULT_NULL_DEREF |
				  1u << FAULT_WILD_DEREF | 1u << FAULT_USE_AFTER_FREE |
				  1u << FAULT_DIVISION;

	return (c->deep || (a->status == FINDING_OBSERVED) != (b->status == FINDING_OBSERVED)) &&
	       (a->kind == b->kind || (failures >> a->kind & failures >> b->kind & 1)) &&
	       same_line(a->summary, b->summary);
}

static bool is_shown(const struct finding *f)
{
	return f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED;
}

/* The index of the same finding; UINT32_MAX: it is new. */
static uint32_t find_known(const struct analysis *c, const struct finding *f)
{
	vec_each (&c->found, i)
		if (c->found.at[i]->fingerprint == f->fingerprint ||
			is_same_failure(c, c->found.at[i], f) || is_same_hang(c, c->found.at[i], f))
			return i;
	return UINT32_MAX;
}

bool analysis_wants(const struct analysis *c, const struct finding *f)
{
	return f->kind < (int)NPREDICTED ? c->opt.kinds >> f->kind & 1 : !c->a->only.n;
}

/* The interleaving is a finding only if a replay shows its effect, and none did. */
static bool is_harmless(const struct finding *f)
{
	return f->by_outcome && f->status != FINDING_CONFIRMED;
}

/* The prediction depends on a reused heap address and is not confirmed, so it may be false. Runs of
 * --deep do not reuse addresses. */
static bool is_open(const struct analysis *c, const struct finding *f)
{
	return f->reused && !c->deep &&
	       (f->status == FINDING_PREDICTED || f->status == FINDING_DIVERGED);
}

static void confirm_finding(struct analysis *c, struct finding *f)
{
	enum { SECONDS = 20 };
	struct test_options opt = {.seconds = MIN(MAX(analysis_seconds_left(c), 0.1), SECONDS)};

	if (f->test)
		explored_confirm(f, c->tests, &opt);
	else
		replay_confirm(f, NULL);
}

bool analysis_may_run(struct analysis *c, const struct finding *f)
{
	return !c->a->no_replay &&
	       (!c->from_traces || named_program_may_run(&c->named, f, c->a->force));
}

void analysis_found(struct analysis *c, struct finding *f)
{
	uint32_t known = find_known(c, f);

	/* one that no replay has shown yet may be shown by this schedule */
	if (known != UINT32_MAX && (is_shown(c->found.at[known]) || c->a->no_replay)) {
		finding_free(f);
		return;
	}
	analysis_clear_progress(c);
	if (c->deep && f->status == FINDING_OBSERVED) /* in a run of --deep: it must be replayed */
		f->status = FINDING_PREDICTED;
	if (!f->input && c->input && !f->test) /* a test case has its own */
		f->input = xstrdup(c->input);
	if (f->status != FINDING_OBSERVED && f->status != FINDING_CONFIRMED && analysis_may_run(c, f)) {
		if (c->to && known == UINT32_MAX) /* the command has it if this process is killed */
			stage_send_finding(c->to, f, true);
		confirm_finding(c, f);
	}
	if (known != UINT32_MAX && !is_shown(f)) {
		finding_free(f);
		return;
	}
	if (is_harmless(f) || is_open(c, f)) {
		c->n.harmless += is_harmless(f);
		c->n.reused += !is_harmless(f);
		finding_free(f);
		if (c->to)
			stage_send_finding(c->to, NULL, false);
		return;
	}
	if (c->confirmed && f->status == FINDING_CONFIRMED) {
		if (c->to) /* as above: this may run the program again */
			stage_send_finding(c->to, f, true);
		c->confirmed(c, f);
	}
	if (c->to)
		stage_send_finding(c->to, f, false);
	analysis_keep(c, f);
}

void analysis_keep(struct analysis *c, struct finding *f)
{
	uint32_t known = find_known(c, f);

	if (known == UINT32_MAX) {
		vec_push(&c->found, f);
	} else if (is_shown(c->found.at[known])) {
		finding_free(f);
		return;
	} else { /* it was only predicted before, and keeps its name */
		f->fingerprint = c->found.at[known]->fingerprint;
		finding_free(c->found.at[known]);
		c->found.at[known] = f;
	}
	if (c->to) /* the command stores and reports it */
		return;
	findings_put(c->db, f, NULL);
	analysis_clear_progress(c);
	c->report(c, f);
}

static void on_found(void *ctx, struct finding *f)
{
	struct analysis *c = ctx;

	number_threads_by_group(c->at, f);
	analysis_found(c, f);
}

/* ---- one run ----------------------------------------------------------------------------- */

void analysis_limit(struct analysis *c, const char *sentence)
{
	verdict_gap(&c->verdict, PREDICTION, "%s", sentence);
	if (c->to)
		stage_send_gap(c->to, sentence);
}

static void add_stats(struct analysis *c, struct predict_stats *s)
{
	struct predict_stats *sum = &c->n.stats;

	sum->candidates += s->candidates;
	sum->filtered += s->filtered;
	sum->queries += s->queries;
	sum->yes += s->yes;
	sum->no += s->no;
	sum->bounded += s->bounded;
	sum->unknown += s->unknown;
	sum->widest = MAX(sum->widest, s->widest);
	sum->seconds += s->seconds;
	for (uint32_t k = 0; k < NPREDICTED; k++) {
		sum->kind[k].candidates += s->kind[k].candidates;
		sum->kind[k].queries += s->kind[k].queries;
		sum->kind[k].found += s->kind[k].found;
		sum->kind[k].unknown += s->kind[k].unknown;
		sum->kind[k].bounded += s->kind[k].bounded;
	}
	vec_each (&s->limits, i)
		analysis_limit(c, s->limits.at[i]);
}

/* Threads that the end of the process cut off, or that had not begun: another schedule lets them go
 * on, and the run does not show how. */
static uint32_t count_cut_off(const struct ctp *ctp)
{
	const struct store_meta *m = trace_meta(ctp->trace);
	uint32_t n = 0;

	if (!m->complete || !WIFEXITED(m->status))
		return 0;
	vec_each (&ctp->threads, t)
		n += ctp->threads.at[t].cut;
	vec_each (&ctp->events, e)
		n += ctp->events.at[e].kind == CTP_CREATE &&
		     ctp_peer(&ctp->events.at[e]) == CTP_NONE;
	return n;
}

static void add_cut_off(struct analysis *c, const struct ctp *ctp)
{
	uint32_t n = count_cut_off(ctp);
	char *text = xasprintf("the program ended while %u of its threads still ran: what %s do "
			       "later is not covered",
		n, n == 1 ? "it would" : "they would");

	if (n)
		analysis_limit(c, text);
	free(text);
}

static void add_ctp(struct analysis *c, const struct ctp *ctp)
{
	c->n.events += ctp->events.n;
	c->n.fixed += ctp->nfixed;
	vec_each (&ctp->events, e)
		c->n.guards += ctp->events.at[e].kind == CTP_BRANCH;
	vec_each (&ctp->limits, i)
		analysis_limit(c, ctp->limits.at[i]);
	if (c->chunk) { /* all chunks are of one run */
		c->n.chunks++;
		c->n.threads = MAX(c->n.threads, ctp->threads.n);
		return;
	}
	add_cut_off(c, ctp);
	c->n.all_events += ctp->all_events;
	c->n.instructions += ctp->instructions;
	c->n.threads += ctp->threads.n;
}

/* Signals that are sent from outside; other signals are failures and reported as such. SIGKILL ends
 * a run that hangs, too, which is a failure. */
static bool is_sent_signal(int signo, enum observed_end how)
{
	return (signo == SIGKILL && how == OBSERVED_END) || signo == SIGINT || signo == SIGTERM ||
	       signo == SIGHUP || signo == SIGQUIT;
}

static void add_run(struct analysis *c, const struct trace *t, enum observed_end how)
{
	const struct store_meta *m = trace_meta(t);

	c->n.runs++;
	if (m->complete && WIFSIGNALED(m->status) && is_sent_signal(WTERMSIG(m->status), how))
		c->n.ended_by = WTERMSIG(m->status);
	else if (m->complete && WIFSIGNALED(m->status))
		c->n.failed++;
	if (m->complete && WIFEXITED(m->status) && WEXITSTATUS(m->status)) {
		c->n.nonzero++;
		c->n.exit_status = WEXITSTATUS(m->status);
	}
}

/* The command has these counts if the stage is killed. */
static void send_counts(const struct analysis *c)
{
	if (c->to)
		stage_send_counts(c->to, &c->n);
}

double analysis_seconds_left(const struct analysis *c)
{
	return c->until - clock_seconds();
}

int analysis_predict(struct analysis *c, const struct ctp *ctp)
{
	struct predict_stats st = {0};
	int rc;

	if (c->chunk)
		add_ctp(c, ctp);
	c->at = ctp;
	c->opt.seconds = MAX(analysis_seconds_left(c), 0.1);
	rc = predict(ctp, &c->opt, &st);
	c->at = NULL;
	analysis_clear_progress(c);
	add_stats(c, &st);
	send_counts(c);
	predict_stats_release(&st);
	return rc;
}

static void report_observed_failure(
	struct analysis *c, const struct ctp *ctp, enum observed_end how)
{
	struct mhb *mhb = mhb_new(ctp);
	struct finding *seen = observed_failure(ctp, mhb, how);

	mhb_free(mhb);
	c->at = ctp;
	if (seen)
		on_found(c, seen);
	c->at = NULL;
}

/* ---- several runs together --------------------------------------------------------------- */

/* A recorded run. It is opened once. If there are several runs, each is extracted twice: to find
 * the memory that it shares with the others, and for the model. */
struct run {
	const char *dir;
	struct trace *t;
	const struct ctp *ctp;
};

static void close_runs(struct run *runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ctp_free(runs[i].ctp);
		trace_close(runs[i].t);
	}
	free(runs);
}

static int open_runs(struct run *runs, char *const *dirs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		runs[i] = (struct run){.dir = dirs[i], .t = trace_open(dirs[i])};
		if (!runs[i].t)
			return -1;
	}
	return 0;
}

/* Extracts each run once with all its bytes, to find those that any two runs share. */
static int find_shared(struct merge_uses *out, const struct run *runs, uint32_t n, uint32_t jobs)
{
	struct extract_options xo = {.jobs = jobs, .every = true, .reduce = true};

	for (uint32_t i = 0; i < n; i++) {
		const struct ctp *c = extract(runs[i].t, &xo);

		if (!c)
			return -1;
		merge_uses_add(out, c);
		ctp_free(c);
	}
	merge_uses_join(out);
	return 0;
}

static int check_same_program(const struct run *runs, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (trace_meta(runs[i].t)->bitcode != trace_meta(runs[0].t)->bitcode)
			return error_("'%s' and '%s' are recorded runs of different programs",
				runs[0].dir, runs[i].dir);
	return 0;
}

/* Predicts on the first run merged with all runs that fit, then on each other run alone. */
static int predict_merged(struct analysis *c, struct run *runs, uint32_t n)
{
	VEC(const struct ctp *) others = {0};
	struct ctp *model = ctp_merge_base(runs[0].ctp);
	bool *taken = xcalloc(n, sizeof *taken);
	int rc;

	for (uint32_t i = 1; i < n; i++)
		vec_push(&others, runs[i].ctp);
	ctp_merge(model, others.at, others.n, taken);
	vec_each (&model->limits, i) /* with the reasons why runs do not fit */
		analysis_limit(c, model->limits.at[i]);
	rc = analysis_predict(c, ctp_finish(model));
	vec_each (&others, i)
		if (!taken[i])
			rc = rc || analysis_predict(c, others.at[i]);
	ctp_free(model);
	vec_release(&others);
	free(taken);
	return rc ? -1 : 0;
}

/* Extracts the runs over terms of ts and predicts on them. The caller frees the trace programs
 * (runs[].ctp). -1 after error_(). */
static int predict_whole(struct analysis *c, struct run *runs, const enum observed_end *how,
	uint32_t n, struct terms *ts)
{
	struct merge_uses uses = {0};
	struct extract_options xo = {.jobs = c->opt.jobs, .ts = ts, .merge = n > 1, .reduce = true};
	double until = c->until;
	int rc = n > 1 ? find_shared(&uses, runs, n, c->opt.jobs) : 0;

	xo.also = uses.shared.at;
	xo.nalso = uses.shared.n;
	for (uint32_t i = 0; i < n && !rc; i++) {
		runs[i].ctp = extract(runs[i].t, &xo);
		rc = runs[i].ctp ? 0 : -1;
	}
	if (!rc)
		rc = check_same_program(runs, n);
	for (uint32_t i = 0; i < n && !rc; i++) {
		add_run(c, runs[i].t, how ? how[i] : OBSERVED_END);
		add_ctp(c, runs[i].ctp);
		report_observed_failure(c, runs[i].ctp, how ? how[i] : OBSERVED_END);
	}
	send_counts(c);
	if (!rc && n == 1 && runs[0].ctp->events.n > PREDICT_DECIDED)
		c->until = clock_seconds() + analysis_seconds_left(c) * windows_part;
	if (!rc)
		rc = n > 1 ? predict_merged(c, runs, n) : analysis_predict(c, runs[0].ctp);
	c->until = until;
	merge_uses_release(&uses);
	return rc;
}

int analyse_runs(struct analysis *c, char *const *dirs, const enum observed_end *how, uint32_t n)
{
	struct run *runs = xcalloc(n, sizeof *runs);
	struct terms *ts = terms_new();
	int rc = open_runs(runs, dirs, n);

	if (!rc && n == 1 && (c->a->partition || partition_wanted(runs[0].t))) {
		add_run(c, runs[0].t, how ? how[0] : OBSERVED_END);
		rc = analysis_chunks(c, runs[0].t, false);
	} else if (!rc) {
		rc = predict_whole(c, runs, how, n, ts);
		if (!rc && n == 1 && runs[0].ctp->events.n > PREDICT_DECIDED &&
			analysis_seconds_left(c) > 0)
			rc = analysis_chunks(c, runs[0].t, true);
	}
	close_runs(runs, n);
	terms_free(ts);
	return rc;
}

/* ---- setup and conclusion ---------------------------------------------------------------- */

static int parse_args(const struct analysis_args *a, uint32_t *kinds, uint64_t *switches)
{
	uint32_t only = 0, no = 0;

	if (add_kinds(&only, &a->only) || add_kinds(&no, &a->no))
		return -1;
	/* a branch is not a failure: `heddle branches` reports them */
	*kinds = (only ? only : ((1u << NPREDICTED) - 1) & ~(1u << FAULT_BRANCH)) & ~no;
	return a->switches ? opt_number("'--switches'", a->switches, 0, 1000000, switches) : 0;
}

/* Keeps standard output for heddle, and redirects the program's output to standard error. */
static int keep_output(struct analysis *c)
{
	int fd = dup(1);

	fflush(stdout);
	c->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!c->out || fcntl(fd, F_SETFD, FD_CLOEXEC) || dup2(2, 1) < 0)
		return error_("cannot redirect the program's output: %s", strerror(errno));
	return 0;
}

static void claim_prediction(struct analysis *c, int64_t switches)
{
	char *within = switches < 0
			       ? NULL
			       : xasprintf("with at most %" PRId64 " context switches", switches);

	verdict_claim(&c->verdict, CLAIM_PATHS, within);
	free(within);
}

uint64_t analysis_seconds(const struct analysis_args *a)
{
	return a->seconds ? a->seconds : 60;
}

int analysis_open(struct analysis *c, const struct analysis_args *a, const char *input)
{
	uint64_t switches = 0;
	uint32_t kinds;

	*c = (struct analysis){.a = a,
		.report = analysis_report,
		.summary = analysis_summary,
		.input = input,
		.began = clock_seconds()};
	if (parse_args(a, &kinds, &switches))
		return STATUS_USAGE;
	claim_prediction(c, a->switches ? (int64_t)switches : -1);
	c->opt = (struct predict_options){
		.kinds = kinds,
		.model = (enum model_kind)a->model,
		.encoding = (enum model_encoding)a->encoding,
		.switches = a->switches ? (int32_t)switches : -1,
		.query_seconds = a->query_seconds ? (double)a->query_seconds : 10,
		.memory = a->memory ? a->memory : 2ull << 30,
		.stop = stage_stop(),
		.jobs = a->jobs ? (uint32_t)a->jobs
				: (uint32_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
		.dump = a->dump,
		.found = on_found,
		.progress = on_progress,
		.ctx = c,
	};
	if (a->dump && mkdir(a->dump, 0777) && errno != EEXIST) {
		error_("cannot create the directory '%s': %s", a->dump, strerror(errno));
		return STATUS_FAILED;
	}
	if (a->json && keep_output(c))
		return STATUS_FAILED;
	c->db = findings_open(a->dir ? a->dir : ".", true);
	if (!c->db)
		return STATUS_FAILED;
	if (set_aside_open(&c->aside, &a->aside, a->dir) ||
		set_aside_read_known(&c->aside, &a->aside, c->db))
		return STATUS_FAILED;
	if (supervisor_open(&c->sup, (double)analysis_seconds(a), c->opt.memory)) {
		error_("cannot supervise processes: %s", strerror(errno));
		return STATUS_FAILED;
	}
	return STATUS_NOTHING;
}

void analysis_release(struct analysis *c)
{
	vec_each (&c->found, i)
		finding_free(c->found.at[i]);
	vec_release(&c->found);
	set_aside_release(&c->aside);
	verdict_release(&c->verdict);
	named_program_release(&c->named);
	if (c->deep) {
		deep_stats_release(c->deep);
		free(c->deep);
	}
	if (c->explored) {
		vec_each (&c->explored->gaps, i)
			free(c->explored->gaps.at[i]);
		vec_release(&c->explored->gaps);
		free(c->explored);
	}
	free(c->no_deep);
	if (c->db)
		findings_close(c->db);
	if (c->out)
		fclose(c->out);
	supervisor_close(&c->sup);
}

/* The recorded run is a run of this input, too: if it ended badly for a reason that no finding
 * tells, no claim about other schedules contains it. */
static void add_failed_run(struct analysis *c, uint32_t claim)
{
	if (c->n.failed && !analysis_count(c, FINDING_OBSERVED))
		verdict_gap(&c->verdict, claim,
			"a recorded run failed, and its failure is not among the findings");
	if (c->n.ended_by)
		verdict_gap(&c->verdict, claim,
			"SIG%s ended the recorded run; the rest of it is not covered",
			sigabbrev_np(c->n.ended_by));
}

/* Only the exploration lets waits end without a signal. */
static void add_spurious(struct analysis *c, uint32_t claim)
{
	if (c->a->spurious)
		verdict_gap(&c->verdict, claim,
			"schedules with spurious wake-ups are not predicted (--spurious)");
}

/* The gaps of prediction that are not limits of one run. */
static void add_prediction_gaps(struct analysis *c)
{
	bool told = c->verdict.claims.at[PREDICTION].gaps.n; /* why nothing was analysed */

	if (!c->n.runs && !told)
		analysis_limit(c, "no recorded run was analysed");
	else if (!c->n.threads && !told)
		analysis_limit(c, "no chunk has events of two threads");
	if (c->n.left_out)
		analysis_limit(c, "places with shared accesses are in no analysed chunk");
	if (c->n.reused)
		verdict_gap(&c->verdict, PREDICTION,
			"%u prediction%s on a reused heap address, not confirmed by replay",
			c->n.reused, c->n.reused == 1 ? " depends" : "s depend");
	add_failed_run(c, PREDICTION);
	add_spurious(c, PREDICTION);
}

static void claim_deep(struct analysis *c)
{
	uint32_t claim = verdict_claim(&c->verdict, CLAIM_INPUT, NULL);

	if (c->no_deep) {
		verdict_gap(&c->verdict, claim, "%s", c->no_deep);
		return;
	}
	if (c->opt.model != MODEL_CTP)
		verdict_gap(
			&c->verdict, claim, "the model of '--model' does not have every schedule");
	add_failed_run(c, claim);
	add_spurious(c, claim);
	vec_each (&c->deep->limits, i)
		if (!c->deep->complete)
			verdict_gap(&c->verdict, claim, "%s", c->deep->limits.at[i]);
	if (!c->deep->complete && !c->deep->limits.n)
		verdict_gap(&c->verdict, claim, "the search for schedules did not end");
}

static void claim_explored(struct analysis *c)
{
	uint32_t claim = verdict_claim(&c->verdict, CLAIM_INPUT, NULL);

	add_failed_run(c, claim);
	vec_each (&c->explored->gaps, i)
		verdict_gap(&c->verdict, claim, "%s", c->explored->gaps.at[i]);
	if (!c->explored->ended && !c->explored->gaps.n)
		verdict_gap(&c->verdict, claim, "the exploration did not end");
}

void analysis_judge(struct analysis *c)
{
	c->verdict.aside = analysis_set_aside(c);
	add_prediction_gaps(c);
	if (c->deep || c->no_deep)
		claim_deep(c);
	if (c->explored)
		claim_explored(c);
	vec_each (&c->found, i) {
		const struct finding *f = c->found.at[i];

		if (f->kind == FAULT_BRANCH) /* no failure */
			continue;
		if (f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED)
			c->verdict.confirmed++;
		else
			c->verdict.open++;
	}
}

int analysis_conclude(struct analysis *c)
{
	analysis_judge(c);
	c->summary(c);
	if (analysis_write_files(c))
		return STATUS_FAILED;
	switch (verdict_result(&c->verdict)) {
	case VERDICT_FAILURE: return STATUS_FOUND;
	case VERDICT_CLEAR: return STATUS_NOTHING;
	case VERDICT_INCOMPLETE: break;
	}
	return c->a->accept_incomplete && !c->verdict.open ? STATUS_NOTHING : STATUS_INCONCLUSIVE;
}

void analysis_args_release(struct analysis_args *a)
{
	vec_release(&a->only);
	vec_release(&a->no);
}
