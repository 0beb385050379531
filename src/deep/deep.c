#include "deep/deep_in.h"

#include "base/clock.h"
#include "base/diag.h"
#include "build/image_enforce.h"

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
	return (d->opt->stop && *d->opt->stop) || (d->deadline && clock_seconds() > d->deadline) ||
	       (d->opt->runs && d->st->runs >= d->opt->runs);
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
	merge_renumber(d->at, f);
	d->opt->predict.found(d->opt->predict.ctx, f);
}

static int predict_on(struct deep *d, const struct ctp *c)
{
	struct predict_options po = d->opt->predict;
	struct predict_stats st;
	int rc;

	if (d->opt->only_paths || !po.found)
		return 0;
	po.found = on_found;
	po.progress = NULL;
	po.ctx = d;
	d->at = c;
	rc = predict(c, &po, &st);
	predict_stats_release(&st);
	return rc;
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
	if (r->misused && f->kind == FINDING_ASSERT && r->misuse == FINDING_DOUBLE_FREE) {
		/* the library ends the program when it sees that */
		f->kind = (enum finding_kind)r->misuse;
		free(f->title);
		f->title = xasprintf("%s in the recorded run", finding_kinds[f->kind].title);
	}
	d->at = r->c;
	on_found(d, f);
}

/* ---- the search -------------------------------------------------------------------------- */

/* The tree of all runs anew: they were extracted again, with more that is shared. */
static void grow_paths(struct deep *d)
{
	paths_release(&d->paths);
	d->paths = (struct paths){0};
	map_clear(&d->asked);
	vec_each (&d->runs, i) {
		struct deep_run *r = &d->runs.at[i];

		r->fresh = r->odd = false;
		for (uint32_t t = 0; r->c && t < r->c->threads.n; t++)
			r->fresh |= paths_add(&d->paths, r->c, t, &r->odd);
	}
}

static int take_in(struct deep *d, struct deep_run *r)
{
	struct questions qs = {0};
	bool again = false;

	if (runs_take_in(d, r, &again))
		return -1;
	if (again)
		grow_paths(d);
	else
		vec_each (&r->c->threads, t)
			r->fresh |= paths_add(&d->paths, r->c, t, &r->odd);
	if (r->odd)
		deep_limit(d, true, "in run %u a thread goes another way for a reason that is not "
				    "modelled",
			r->number);
	d->st->redundant += !r->fresh;
	look_at_end(d, r);
	if (!r->fresh)
		return 0;
	questions_of_run(d, r->c, &qs);
	flips_ask(d, r->c, &qs);
	vec_release(&qs);
	return predict_on(d, r->c);
}

static int make_run(struct deep *d, struct finding *plan)
{
	if (d->opt->progress)
		d->opt->progress(d->opt->ctx, "runs", d->st->runs, d->st->runs + d->queue.n);
	if (runs_make(d, plan))
		return -1;
	return take_in(d, &vec_last(&d->runs));
}

/* Failures first, then what is new, then the short ones. */
static uint32_t best(const struct flips *q)
{
	uint32_t b = 0;

	vec_each (q, i) {
		const struct flip *x = &q->at[i], *y = &q->at[b];

		if (x->fails != y->fails ? x->fails
			: x->fresh != y->fresh ? x->fresh
					       : x->cost < y->cost)
			b = i;
	}
	return b;
}

static bool is_known_now(const struct deep *d, const struct flip *f)
{
	const struct path_node *node = paths_node(&d->paths, f->node);

	return node && node->ways > f->ways;
}

/* The run that was to show another way did not. */
static void note_miss(struct deep *d, const struct flip *f, const struct deep_run *r)
{
	if (is_known_now(d, f) || !paths_node(&d->paths, f->node))
		return;
	deep_limit(d, true, "run %u did not go where it was to go%s%s", r->number,
		r->diverged ? ": " : "", r->diverged && r->why ? r->why : "");
}

static int try_flips(struct deep *d)
{
	int rc = 0;

	while (d->queue.n && !deep_over(d) && !rc) {
		uint32_t b = best(&d->queue);
		struct flip f = d->queue.at[b];
		uint64_t *tried = map_put(&d->tried, hash_u64(f.node) + f.ways);

		d->queue.at[b] = vec_last(&d->queue);
		d->queue.n--;
		if (*tried || is_known_now(d, &f)) {
			flip_release(&f);
			continue;
		}
		*tried = 1;
		rc = make_run(d, f.plan);
		if (!rc)
			note_miss(d, &f, &vec_last(&d->runs));
	}
	return rc;
}

/* All runs together. *done: there is nothing that no run has shown. */
static int ask_all(struct deep *d, bool *done)
{
	struct ctp *c = model_merge(d, true);
	struct questions qs = {0};
	uint32_t unknown;

	*done = false;
	if (!c)
		return 0;
	questions_of_model(d, c, &qs);
	unknown = flips_ask(d, c, &qs);
	if (unknown && !deep_over(d))
		deep_limit(d, true, "%u questions were not answered", unknown);
	*done = !unknown && !d->queue.n;
	vec_release(&qs);
	ctp_free(c);
	return 0;
}

static bool has_untried(const struct deep *d)
{
	vec_each (&d->queue, i)
		if (!map_get(&d->tried, hash_u64(d->queue.at[i].node) + d->queue.at[i].ways))
			return true;
	return false;
}

static int predict_all(struct deep *d)
{
	struct ctp *c = model_merge(d, false);
	int rc = c ? predict_on(d, c) : 0;

	if (c)
		ctp_free(c);
	return rc;
}

static int search(struct deep *d)
{
	int rc = make_run(d, NULL);
	bool done = false;

	do {
		if (!rc)
			rc = try_flips(d);
		if (!rc && !deep_over(d))
			rc = ask_all(d, &done);
	} while (!rc && !deep_over(d) && has_untried(d));
	d->st->complete = !rc && done && !d->incomplete && d->st->merged;
	if (!rc && !deep_over(d))
		rc = predict_all(d);
	return rc;
}

static int prepare(struct deep *d)
{
	const struct deep_options *o = d->opt;

	if (mkdir(o->dir, 0777) && errno != EEXIST)
		return error_("cannot make the folder '%s': %s", o->dir, strerror(errno));
	d->image = o->run.image ? xstrdup(o->run.image)
				: image_enforce(o->run.exe, o->run.exclude, NULL);
	return d->image ? 0 : -1;
}

static void sum_up(struct deep *d)
{
	d->st->paths = paths_count(&d->paths);
	d->st->threads = d->paths.threads;
	d->st->open = d->queue.n;
	d->st->seconds = clock_seconds() - d->started;
}

static void deep_free(struct deep *d)
{
	if (d->spins) /* of the program of the first run */
		spins_free(d->spins);
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
