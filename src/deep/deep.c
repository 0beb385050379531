/* The search: see deep.h for the algorithm; search_schedules() is its main loop. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "image/image.h"
#include "trace/trace.h"
#include "deep/frontier.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MAX_EVENTS = 6000 };

void deep_stats_release(struct deep_stats *s)
{
	vec_each (&s->limits, i)
		free(s->limits.at[i]);
	vec_release(&s->limits);
}

void deep_limit(struct deep *d, bool fatal, const char *fmt, ...)
{
	struct strbuf b = {0};
	uint64_t *seen;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	d->incomplete |= fatal;
	seen = map_put(&d->limits, hash_bytes(b.s, b.n));
	if (*seen)
		strbuf_release(&b);
	else
		vec_push(&d->st->limits, strbuf_detach(&b));
	*seen = 1;
}

bool deep_must_stop(const struct deep *d)
{
	return (d->opt->stop && *d->opt->stop) || (d->deadline && clock_seconds() > d->deadline);
}

static bool runs_spent(const struct deep *d)
{
	return d->opt->runs && d->made >= d->opt->runs;
}

/* ---- runs -------------------------------------------------------------------------------- */

/* Empties the tree: all runs were extracted again with more shared bytes, so their paths changed.
 * */
static void reset_paths(struct deep *d)
{
	paths_release(&d->paths);
	d->paths = (struct paths){0};
	map_clear(&d->asked);
	vec_each (&d->runs, i)
		d->runs.at[i].fresh = d->runs.at[i].odd = false;
}

static void add_paths(struct deep *d, struct deep_run *r)
{
	vec_each (&r->c->threads, t)
		r->fresh |= paths_add(&d->paths, r->c, t, &r->odd);
	if (r->odd)
		deep_limit(d, true, "in run %u a thread took another path for a reason that is not "
				    "modelled",
			r->number);
}

static bool ended_early(const struct deep_run *r)
{
	vec_each (&r->c->threads, t)
		if (r->fate == SCHED_EXITED && paths_goes_on(r->c, t))
			return true;
	return false;
}

/* Adds a limit if the run did not take the way that its flip predicted. */
static void check_flip_taken(struct deep *d, const struct deep_run *r)
{
	const struct path_node *node = paths_node(&d->paths, r->node);

	if (!r->plan || !node || node->ways > r->ways)
		return;
	if (!r->diverged && ended_early(r))
		deep_limit(d, true, "the program ended while a thread still ran, and how that thread "
				    "goes on is not known");
	else
		deep_limit(d, true, "run %u did not take the path of its schedule%s%s", r->number,
			r->diverged ? ": " : "", r->diverged && r->why ? r->why : "");
}

/* Queries one run. Nodes with an answer are not queried on other runs; the merged model is queried
 * at the end in any case. */
static void query_run_alone(struct deep *d, const struct deep_run *r, struct ask_budget budget)
{
	struct flip_queries qs = {0};

	flip_queries_of_run(d, r->c, &qs);
	vec_each (&qs, i)
		*map_put(&d->asked, qs.at[i].node) = 1;
	flips_find(d, r->c, &qs, budget);
	vec_each (&qs, i)
		map_del(&d->asked, qs.at[i].node);
	vec_release(&qs);
}

static int analyse_run(struct deep *d, struct deep_run *r)
{
	const struct ask_budget alone = {
		.conflicts = 1000, .each = 1, .all = 4, .windows = true};
	int rc = 0;

	deep_report_failure(d, r);
	if (r->fresh)
		query_run_alone(d, r, alone);
	if (frontier_save(d->frontier, d))
		return -1;
	if (r->fresh && !r->predicted)
		rc = deep_predict(d, r->c, false);
	r->predicted = true;
	return rc || frontier_predicted(d->frontier, r) ? -1 : 0;
}

/* An exit status is for the user to judge: if schedules differ in it, there is no proof that all are right. */
static void compare_status(struct deep *d, const struct deep_run *r)
{
	const struct deep_run *first = &d->runs.at[0];
	int status, before;

	if (r->fate != SCHED_EXITED || first->fate != SCHED_EXITED)
		return;
	status = trace_meta(r->c->trace)->status;
	before = trace_meta(first->c->trace)->status;
	if (WIFEXITED(status) && WIFEXITED(before) && WEXITSTATUS(status) != WEXITSTATUS(before))
		deep_limit(d, true,
			"a schedule ends with exit status %d, another with %d: whether that is a "
			"failure is not known",
			WEXITSTATUS(before), WEXITSTATUS(status));
}

/* Extracts the runs from `first` on, adds their paths and analyses them. `old`: the runs are from
 * an earlier call, which has analysed those that are marked as predicted. */
static int add_runs(struct deep *d, uint32_t first, bool old)
{
	bool again = false;
	int rc = 0;

	if (runs_extract(d, first, &again))
		return -1;
	if (again)
		reset_paths(d);
	for (uint32_t i = again ? 0 : first; i < d->runs.n; i++)
		add_paths(d, &d->runs.at[i]);
	for (uint32_t i = first; i < d->runs.n && !rc; i++) {
		struct deep_run *r = &d->runs.at[i];

		d->st->redundant += !r->fresh;
		d->st->failed += r->fate != SCHED_EXITED;
		*map_put(&d->tried, hash_u64(r->node) + r->ways) = 1;
		check_flip_taken(d, r);
		compare_status(d, r);
		if (!old || !r->predicted)
			rc = analyse_run(d, r);
	}
	d->st->runs = d->runs.n;
	return rc;
}

/* -1 after error_(); 1: interrupted, the flips are queued again. */
static int make_runs(struct deep *d, struct flip *flips, uint32_t n)
{
	uint32_t first = d->runs.n;
	int rc;

	if (d->opt->progress)
		d->opt->progress(d->opt->ctx, "runs", d->runs.n, d->runs.n + d->queue.n);
	rc = runs_make(d, flips, n);
	for (uint32_t i = 0; rc && i < n; i++)
		if (flips[i].plan)
			vec_push(&d->queue, flips[i]);
	if (rc)
		return rc;
	return frontier_save(d->frontier, d) ? -1 : add_runs(d, first, false);
}

/* ---- flips ------------------------------------------------------------------------------- */

/* Makes a run of each queued flip, and of each flip that these runs add. */
static int run_flips(struct deep *d)
{
	uint32_t jobs = MAX(d->opt->jobs, 1u);
	struct flip *batch = xcalloc(jobs, sizeof *batch);
	int rc = 0;

	for (flips_drop_settled(d); d->queue.n && !deep_must_stop(d) && !runs_spent(d) && !rc;
		flips_drop_settled(d)) {
		uint64_t most = d->opt->runs ? MIN(jobs, d->opt->runs - d->made) : jobs;
		uint32_t n = flips_choose(d, batch, (uint32_t)most);

		BUG_ON(!n || n > jobs);
		rc = make_runs(d, batch, n);
	}
	free(batch);
	return rc < 0 ? rc : 0;
}

/* ---- all runs together ------------------------------------------------------------------- */

/* The budget of a query, by attempt. Attempts are short at first because a new run is worth more than
 * the answer to an old query. The limit is in conflicts, so that the search is the same each time;
 * the time is for queries that are expensive for another reason. */
static const struct ask_budget attempts[] = {
	{.conflicts = 1000, .each = 1.5},
	{.conflicts = 10000, .each = 5},
	{.each = 0}, /* the whole budget of one query */
};

static struct ask_budget get_attempt(const struct deep *d, uint32_t attempt, bool windows)
{
	struct ask_budget b = attempts[attempt];

	b.each = b.each > 0 ? b.each : d->opt->predict.query_seconds;
	b.windows = windows;
	return b;
}

/* Queries each run alone, where there is no merged model. */
static void query_each_run(struct deep *d)
{
	for (uint32_t k = 0; k < ARRAY_SIZE(attempts) && !d->queue.n; k++)
		vec_each (&d->runs, i)
			if (d->runs.at[i].fresh && !deep_must_stop(d))
				query_run_alone(d, &d->runs.at[i],
					get_attempt(d, k, k + 1 < ARRAY_SIZE(attempts)));
}

/* Queries the merged model of all runs. Returns whether every query has the answer no. */
static bool query_merged_model(struct deep *d, const struct ctp *c)
{
	struct flip_queries qs = {0};
	bool done;

	flip_queries_of_model(d, c, &qs);
	for (uint32_t k = 0; k < ARRAY_SIZE(attempts) && qs.n && !d->queue.n; k++)
		flips_find(d, c, &qs, get_attempt(d, k, false));
	done = !qs.n && !d->queue.n;
	d->st->unknown = d->left = qs.n;
	vec_release(&qs);
	return done;
}

/* Finds flips of known paths, in any combination. *done: there is none, so the paths are all paths.
 * */
static int find_flips(struct deep *d, bool *done)
{
	const struct ctp *c = merged_model_new(d, true);

	*done = false;
	d->left = 0;
	if (d->opt->progress)
		d->opt->progress(d->opt->ctx, "queries", d->st->asked, d->st->asked);
	if (c) {
		*done = query_merged_model(d, c);
		if (*done)
			merged_model_check_threads(d, c);
		ctp_free(c);
	} else {
		query_each_run(d);
	}
	flips_drop_settled(d);
	return frontier_save(d->frontier, d);
}

static int predict_merged_model(struct deep *d)
{
	const struct ctp *c = merged_model_new(d, false);
	int rc = c ? deep_predict(d, c, true) : 0;

	if (c)
		ctp_free(c);
	return rc;
}

/* Looks for misuse of memory by one thread, which the events of the runs do not show: such a run is
 * made again with protected memory, so that it fails. */
static int check_memory(struct deep *d, bool *done)
{
	uint32_t n = d->runs.n;
	int rc = 0;

	for (uint32_t i = 0; i < n && *done && !rc && !deep_must_stop(d); i++) {
		struct deep_run *r = &d->runs.at[i];
		struct flip again = {.plan = r->plan, .node = r->node, .ways = r->ways};

		if (r->fate != SCHED_EXITED || !runs_uses_freed(d, r))
			continue;
		deep_limit(d, true, "run %u misuses memory; what the program does then is not known",
			r->number);
		r->plan = NULL;
		d->guard = true;
		rc = make_runs(d, &again, 1);
		d->guard = *done = false;
	}
	return rc < 0 ? rc : 0;
}

/* ---- the search -------------------------------------------------------------------------- */

/* Loads the runs of an interrupted search, or makes the first run. 1: interrupted. */
static int begin_search(struct deep *d)
{
	if (frontier_load(d->frontier, d))
		return -1;
	if (d->runs.n)
		return add_runs(d, 0, true);
	return make_runs(d, &(struct flip){0}, 1);
}

static void add_budget_limits(struct deep *d)
{
	const char *why = d->opt->stop && *d->opt->stop ? "the search was interrupted"
			  : d->deadline && clock_seconds() > d->deadline
				  ? "the time budget was spent"
				  : "the limit of runs was reached";

	if (d->left && !deep_must_stop(d) && !d->queue.n)
		deep_limit(d, true, "%llu quer%s not decided in the time for one query",
			(unsigned long long)d->left, d->left == 1 ? "y was" : "ies were");
	if (!deep_must_stop(d) && !(runs_spent(d) && d->queue.n))
		return;
	deep_limit(d, true, "%s: %u schedule%s not run, and there may be more", why, d->queue.n,
		d->queue.n == 1 ? " was" : "s were");
}

/* 1. make the first run, which shows one path of each thread
 * 2. run each waiting flip; a run adds paths, and flips of its own
 * 3. when no flip waits, query the merged model of all runs; with new flips continue with 2
 * 4. when there are none, all paths are known: predict on the merged model
 * 5. run each path once more with protected memory
 * 6. compare the runs with the recorded one */
static int search_schedules(struct deep *d)
{
	bool done = false;
	int rc = begin_search(d);

	if (!rc)
		recorded_runs_compare(d, false);
	if (rc > 0) /* interrupted in its first run */
		rc = 0;
	else
		do {
			if (!rc)
				rc = run_flips(d);
			if (!rc && !deep_must_stop(d))
				rc = find_flips(d, &done);
		} while (!rc && !deep_must_stop(d) && !runs_spent(d) && d->queue.n);
	if (!rc && !deep_must_stop(d))
		rc = predict_merged_model(d);
	if (!rc && !d->incomplete && !d->opt->only_paths)
		rc = check_memory(d, &done);
	if (!rc && done && !d->incomplete)
		recorded_runs_compare(d, true);
	add_budget_limits(d);
	d->st->complete = !rc && done && !d->incomplete && d->st->merged;
	BUG_ON(d->st->complete && (d->queue.n || d->left));
	return rc;
}

static int prepare_search(struct deep *d)
{
	const struct deep_options *o = d->opt;

	if (mkdir(o->dir, 0777) && errno != EEXIST)
		return error_("cannot create the directory '%s': %s", o->dir, strerror(errno));
	d->frontier = frontier_open(o);
	if (!d->frontier)
		return -1;
	d->image = o->run.image;
	if (!d->image && !image_cached(&d->found, o->run.exe, IMAGE_ENFORCE, o->run.exclude))
		d->image = &d->found;
	return d->image ? 0 : -1;
}

static void fill_stats(struct deep *d)
{
	d->st->paths = paths_count(&d->paths);
	d->st->threads = d->paths.threads;
	d->st->open = d->queue.n + d->left;
	d->st->seconds = clock_seconds() - d->started;
}

static void deep_free(struct deep *d)
{
	if (d->spins) /* refers to the program of the first run: free it before the runs */
		spins_free(d->spins);
	if (d->fails.p)
		fails_release(&d->fails);
	bitset_release(&d->seen);
	runs_release(d);
	vec_each (&d->queue, i)
		flip_release(&d->queue.at[i]);
	vec_release(&d->queue);
	paths_release(&d->paths);
	merge_uses_release(&d->uses);
	map_release(&d->asked);
	map_release(&d->tried);
	map_release(&d->told);
	map_release(&d->limits);
	terms_free(d->ts);
	vec_each (&d->recorded, i)
		free(d->recorded.at[i]);
	vec_release(&d->recorded);
	frontier_close(d->frontier);
	image_file_release(&d->found);
}

static void call_with_model(
	struct deep *d, void (*fn)(void *ctx, const struct ctp *model), void *ctx)
{
	const struct ctp *c = merged_model_new(d, false);

	if (c) {
		fn(ctx, c);
		ctp_free(c);
	}
}

int deep_with(const struct deep_options *opt, struct deep_stats *st,
	void (*fn)(void *ctx, const struct ctp *model), void *ctx)
{
	struct deep_options o = *opt;
	struct deep d = {.opt = &o, .st = st, .started = clock_seconds(), .ts = terms_new()};
	int rc;

	*st = (struct deep_stats){0};
	o.max_events = o.max_events ? o.max_events : MAX_EVENTS;
	d.deadline = o.seconds > 0 ? d.started + o.seconds : 0;
	rc = prepare_search(&d);
	if (!rc)
		rc = search_schedules(&d);
	fill_stats(&d);
	if (!rc && fn)
		call_with_model(&d, fn, ctx);
	deep_free(&d);
	return rc;
}

int deep(const struct deep_options *opt, struct deep_stats *st)
{
	return deep_with(opt, st, NULL, NULL);
}
