#include "deep/deep_in.h"

#include "base/clock.h"
#include "base/diag.h"
#include "explain/places.h"
#include "image/image.h"
#include "deep/frontier.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

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

bool deep_over(const struct deep *d)
{
	return (d->opt->stop && *d->opt->stop) || (d->deadline && clock_seconds() > d->deadline);
}

static bool runs_spent(const struct deep *d)
{
	return d->opt->runs && d->made >= d->opt->runs;
}

/* ---- findings ---------------------------------------------------------------------------- */

static void on_found(void *ctx, struct finding *f)
{
	struct deep *d = ctx;
	uint64_t *told = map_put(&d->told, f->fingerprint);

	if (*told) {
		finding_free(f);
		return;
	}
	*told = 1;
	number_threads_by_group(d->at, f);
	frontier_found(d->frontier, f);
	d->opt->predict.found(d->opt->predict.ctx, f);
}

/* The time for one call, and no more than is left. */
static double predict_seconds(const struct deep *d)
{
	double each = d->opt->predict.seconds, left = d->deadline - clock_seconds();

	if (!d->deadline)
		return each;
	left = left > 0.01 ? left : 0.01;
	return each > 0 && each < left ? each : left;
}

/* whole: of all runs; what it leaves open then is open. */
static int predict_on(struct deep *d, const struct ctp *c, bool whole)
{
	struct predict_options po = d->opt->predict;
	struct predict_stats st;
	int rc;

	if (d->opt->only_paths || !po.found)
		return 0;
	po.found = on_found;
	po.progress = NULL;
	po.ctx = d;
	po.seconds = predict_seconds(d);
	d->at = c;
	rc = predict(c, &po, &st);
	for (uint32_t i = 0; whole && i < st.limits.n; i++)
		deep_limit(d, true, "%s", st.limits.at[i]);
	predict_stats_release(&st);
	return rc;
}

/* The thread of a name of the run's segments; CTP_NONE. */
static uint32_t thread_of_name(const struct ctp *c, const struct deep_run *r, uint32_t name)
{
	uint32_t parent;

	if (name >= r->names.n)
		return CTP_NONE;
	if (!name)
		return 0;
	parent = thread_of_name(c, r, r->names.at[name].parent);
	vec_each (&c->threads, t)
		if (t && c->threads.at[t].parent == parent &&
			c->threads.at[t].nth == r->names.at[name].nth)
			return t;
	return CTP_NONE;
}

/* What the run did is its schedule, all but the end: there the thread goes on that ran at last. The trace may
 * lack what others did right before a failure. */
static void schedule_as_run(const struct deep_run *r, struct finding *f)
{
	uint32_t last, n = r->switches.n;
	uint64_t until = 0;

	if (n < 2 || f->goal == SCHED_GOAL_ACCESS)
		return;
	last = thread_of_name(r->c, r, r->switches.at[n - 1].thread);
	vec_clear(&f->moves);
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t t = thread_of_name(r->c, r, r->switches.at[i].thread);

		if (t >= f->threads.n)
			continue;
		vec_push(&f->moves, (struct finding_move){t, r->switches.at[i].until});
		until = t == last ? r->switches.at[i].until : until;
	}
	if (last < f->threads.n)
		vec_push(&f->moves, (struct finding_move){last, until});
	f->switches = f->moves.n ? f->moves.n - 1 : 0;
}

/* The run is not the one that the user made. */
static void retitle(struct finding *f)
{
	const char *in = f->summary ? strstr(f->summary, " in '") : NULL;

	free(f->title);
	f->title = xasprintf("%s%s", finding_kinds[f->kind].title, in ? in : "");
}

/* The failure of the run itself. */
static void look_at_end(struct deep *d, const struct deep_run *r)
{
	enum observed_end how = r->fate == SCHED_DEADLOCK ? OBSERVED_HANG
				: r->fate == SCHED_STUCK  ? OBSERVED_TIMEOUT
							  : OBSERVED_END;
	struct mhb *mhb;
	struct finding *f;

	if (d->opt->only_paths || !d->opt->predict.found)
		return;
	mhb = mhb_new(r->c);
	f = observed_failure(r->c, mhb, how);
	mhb_free(mhb);
	if (!f)
		return;
	if (r->misused && f->kind == FINDING_ASSERT && r->misuse == FINDING_DOUBLE_FREE)
		/* the library ends the program when it sees that */
		f->kind = (enum finding_kind)r->misuse;
	retitle(f);
	schedule_as_run(r, f);
	d->at = r->c;
	on_found(d, f);
}

/* ---- runs -------------------------------------------------------------------------------- */

/* The tree of all runs anew: they were extracted again, with more that is shared. */
static void grow_paths(struct deep *d)
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
		deep_limit(d, true, "in run %u a thread goes another way for a reason that is not "
				    "modelled",
			r->number);
}

/* The run that was to show another way did not. */
static void note_miss(struct deep *d, const struct deep_run *r)
{
	const struct path_node *node = paths_node(&d->paths, r->node);

	if (r->plan && node && node->ways <= r->ways)
		deep_limit(d, true, "run %u did not go where it was to go%s%s", r->number,
			r->diverged ? ": " : "", r->diverged && r->why ? r->why : "");
}

/* What is answered need not be asked of another run; the model of all is asked again anyway. */
static void ask_run(struct deep *d, const struct deep_run *r, struct ask_how how)
{
	struct questions qs = {0};

	questions_of_run(d, r->c, &qs);
	vec_each (&qs, i)
		*map_put(&d->asked, qs.at[i].node) = 1;
	flips_ask(d, r->c, &qs, how);
	vec_each (&qs, i)
		map_del(&d->asked, qs.at[i].node);
	vec_release(&qs);
}

static int look_into(struct deep *d, struct deep_run *r)
{
	int rc = 0;

	look_at_end(d, r);
	if (r->fresh)
		ask_run(d, r, (struct ask_how){.each = 0.2, .all = 2, .windows = true});
	if (frontier_save(d->frontier, d))
		return -1;
	if (r->fresh && !r->predicted)
		rc = predict_on(d, r->c, false);
	r->predicted = true;
	return rc || frontier_predicted(d->frontier, r) ? -1 : 0;
}

/* Runs from `first` on; those that were made by an earlier call are known to have been asked. */
static int take_in(struct deep *d, uint32_t first, bool old)
{
	bool again = false;
	int rc = 0;

	if (runs_take_in(d, first, &again))
		return -1;
	if (again)
		grow_paths(d);
	for (uint32_t i = again ? 0 : first; i < d->runs.n; i++)
		add_paths(d, &d->runs.at[i]);
	for (uint32_t i = first; i < d->runs.n && !rc; i++) {
		struct deep_run *r = &d->runs.at[i];

		d->st->redundant += !r->fresh;
		d->st->failed += r->fate != SCHED_EXITED;
		*map_put(&d->tried, hash_u64(r->node) + r->ways) = 1;
		note_miss(d, r);
		if (!old || !r->predicted)
			rc = look_into(d, r);
	}
	d->st->runs = d->runs.n;
	return rc;
}

/* -1 after error_(), 1: it was stopped. */
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
	return frontier_save(d->frontier, d) ? -1 : take_in(d, first, false);
}

/* ---- flips ------------------------------------------------------------------------------- */

/* Failures first, then what is new, then the short ones. */
static bool is_better(const struct flip *x, const struct flip *y)
{
	if (x->fails != y->fails)
		return x->fails;
	return x->fresh != y->fresh ? x->fresh : x->cost < y->cost;
}

static bool is_settled(const struct deep *d, const struct flip *f)
{
	const struct path_node *node = paths_node(&d->paths, f->node);

	return (node && node->ways > f->ways) ||
	       map_get(&d->tried, hash_u64(f->node) + f->ways) != NULL;
}

static struct flip pop(struct flips *q, uint32_t i)
{
	struct flip f = q->at[i];

	q->at[i] = vec_last(q);
	q->n--;
	return f;
}

/* What other runs have shown meanwhile needs none. */
static void drop_settled(struct deep *d)
{
	for (uint32_t i = d->queue.n; i-- > 0;)
		if (is_settled(d, &d->queue.at[i])) {
			struct flip f = pop(&d->queue, i);

			flip_release(&f);
		}
}

/* The best ones, of different nodes. */
static uint32_t choose(struct deep *d, struct flip *out, uint32_t most)
{
	uint32_t n = 0;

	for (; n < most && d->queue.n; n++) {
		uint32_t best = 0;

		vec_each (&d->queue, i)
			if (is_better(&d->queue.at[i], &d->queue.at[best]))
				best = i;
		out[n] = pop(&d->queue, best);
		for (uint32_t i = 0; i < n; i++)
			if (out[i].node == out[n].node) { /* one is enough for now */
				vec_push(&d->queue, out[n]);
				return n;
			}
	}
	return n;
}

static int try_flips(struct deep *d)
{
	uint32_t jobs = MAX(d->opt->jobs, 1u);
	struct flip *batch = xcalloc(jobs, sizeof *batch);
	int rc = 0;

	for (drop_settled(d); d->queue.n && !deep_over(d) && !runs_spent(d) && !rc;
		drop_settled(d)) {
		uint64_t most = d->opt->runs ? MIN(jobs, d->opt->runs - d->made) : jobs;
		uint32_t n = choose(d, batch, (uint32_t)most);

		rc = make_runs(d, batch, n);
	}
	free(batch);
	return rc < 0 ? rc : 0;
}

/* ---- all runs together ------------------------------------------------------------------- */

/* A question gets little time at first: new runs soon are worth more than old answers. */
static const double patience[] = {0.3, 2, 0 /* all that one may have */};

static double seconds_at(const struct deep *d, uint32_t level)
{
	return patience[level] > 0 ? patience[level] : d->opt->predict.query_seconds;
}

/* Of each run alone, where there is no model of all. */
static void ask_each(struct deep *d)
{
	for (uint32_t k = 0; k < ARRAY_SIZE(patience) && !d->queue.n; k++)
		vec_each (&d->runs, i)
			if (d->runs.at[i].fresh && !deep_over(d))
				ask_run(d, &d->runs.at[i],
					(struct ask_how){.each = seconds_at(d, k),
						.windows = k + 1 < ARRAY_SIZE(patience)});
}

/* *done: there is nothing that no run has shown. */
static int ask_all(struct deep *d, bool *done)
{
	struct ctp *c = model_merge(d, true);
	struct questions qs = {0};

	*done = false;
	if (d->opt->progress)
		d->opt->progress(d->opt->ctx, "questions", d->st->asked, d->st->asked);
	if (c) {
		questions_of_model(d, c, &qs);
		for (uint32_t k = 0; k < ARRAY_SIZE(patience) && qs.n && !d->queue.n; k++)
			flips_ask(d, c, &qs, (struct ask_how){.each = seconds_at(d, k)});
		*done = !qs.n && !d->queue.n;
		if (*done)
			model_unseen(d, c);
		d->st->unknown = qs.n;
		ctp_free(c);
	} else {
		ask_each(d);
	}
	d->left = qs.n;
	vec_release(&qs);
	drop_settled(d);
	return frontier_save(d->frontier, d);
}

static int predict_all(struct deep *d)
{
	struct ctp *c = model_merge(d, false);
	int rc = c ? predict_on(d, c, true) : 0;

	if (c)
		ctp_free(c);
	return rc;
}

static void say_why(struct deep *d)
{
	const char *why = d->opt->stop && *d->opt->stop ? "it was interrupted"
			  : d->deadline && clock_seconds() > d->deadline
				  ? "the time was spent"
				  : "the limit of runs was reached";

	if (d->left && !deep_over(d) && !d->queue.n)
		deep_limit(d, true, "%llu question%s not answered in the time that one has",
			(unsigned long long)d->left, d->left == 1 ? " was" : "s were");
	if (!deep_over(d) && !(runs_spent(d) && d->queue.n))
		return;
	deep_limit(d, true, "%s: %u schedule%s for a run, and there may be more", why, d->queue.n,
		d->queue.n == 1 ? " waits" : "s wait");
}

/* ---- the search -------------------------------------------------------------------------- */

static int begin(struct deep *d)
{
	if (frontier_load(d->frontier, d))
		return -1;
	if (d->runs.n)
		return take_in(d, 0, true);
	return make_runs(d, &(struct flip){0}, 1);
}

static int search(struct deep *d)
{
	bool done = false;
	int rc = begin(d);

	if (rc > 0) /* stopped in its first run */
		rc = 0;
	else
		do {
			if (!rc)
				rc = try_flips(d);
			if (!rc && !deep_over(d))
				rc = ask_all(d, &done);
		} while (!rc && !deep_over(d) && !runs_spent(d) && d->queue.n);
	if (!rc && !deep_over(d))
		rc = predict_all(d);
	say_why(d);
	d->st->complete = !rc && done && !d->incomplete && d->st->merged;
	return rc;
}

static int prepare(struct deep *d)
{
	const struct deep_options *o = d->opt;

	if (mkdir(o->dir, 0777) && errno != EEXIST)
		return error_("cannot make the folder '%s': %s", o->dir, strerror(errno));
	d->frontier = frontier_open(o);
	if (!d->frontier)
		return -1;
	d->image = o->run.image ? xstrdup(o->run.image)
				: image_cached(o->run.exe, IMAGE_ENFORCE, o->run.exclude);
	return d->image ? 0 : -1;
}

static void sum_up(struct deep *d)
{
	d->st->paths = paths_count(&d->paths);
	d->st->threads = d->paths.threads;
	d->st->open = d->queue.n + d->left;
	d->st->seconds = clock_seconds() - d->started;
}

static void deep_free(struct deep *d)
{
	if (d->spins) /* of the program of the first run */
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
	frontier_close(d->frontier);
	free(d->image);
}

static void with_model(
	struct deep *d, void (*fn)(void *ctx, const struct ctp *model), void *ctx)
{
	struct ctp *c = model_merge(d, false);

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
	rc = prepare(&d);
	if (!rc)
		rc = search(&d);
	sum_up(&d);
	if (!rc && fn)
		with_model(&d, fn, ctx);
	deep_free(&d);
	return rc;
}

int deep(const struct deep_options *opt, struct deep_stats *st)
{
	return deep_with(opt, st, NULL, NULL);
}
