#include "replay/verify.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "log/words.h"
#include "replay/map_place.h"
#include "replay/words.h"

#include <string.h>

struct anchor { /* point `old` of the thread corresponds to point `now` of the changed program */
	uint32_t thread;
	uint64_t old, now;
};

struct verifier {
	const struct finding *f;
	const struct verify_options *opt;
	struct replay_setup setup;
	struct lines src;
	struct finding *now; /* the witness for the changed program, as far as it is transferred */
	VEC(struct anchor) anchors;
	struct points *ps; /* of the last recorded run */
	struct replay_result run;
	struct verify_result *res;
};

/* ---- recording ------------------------------------------------------------------------------- */

static uint64_t stands_at(const struct finding *f, uint32_t thread)
{
	uint64_t at = 0;

	vec_each (&f->moves, i)
		if (f->moves.at[i].thread == thread)
			at = f->moves.at[i].until;
	return at;
}

/* Records a run of the segments so far, after which thread `first` (SCHED_NONE: any) runs first. */
static int record(struct verifier *v, uint32_t first)
{
	uint32_t n = v->now->moves.n;
	int rc;

	points_free(v->ps);
	v->ps = NULL;
	replay_result_release(&v->run);
	v->run = (struct replay_result){0};
	if (first != SCHED_NONE)
		vec_push(&v->now->moves, (struct finding_move){first, stands_at(v->now, first)});
	v->setup.opt.trace = v->opt->scratch;
	rc = replay_run(&v->setup.opt, v->now, &v->run);
	v->setup.opt.trace = NULL;
	v->now->moves.n = n;
	if (!rc)
		v->ps = points_read(v->opt->scratch);
	remove_directory(v->opt->scratch);
	return v->ps ? 0 : -1;
}

/* ---- transfer of one segment ----------------------------------------------------------------- */

static void anchor(struct verifier *v, uint32_t thread, uint64_t old, uint64_t now)
{
	vec_push(&v->anchors, (struct anchor){thread, old, now});
}

/* The thread's last anchor at or before the old point; false: none, *out is the thread's start. */
static bool anchor_before(
	const struct verifier *v, uint32_t thread, uint64_t old, struct anchor *out)
{
	bool found = false;

	*out = (struct anchor){thread, 0, 0};
	vec_each (&v->anchors, i) {
		const struct anchor *a = &v->anchors.at[i];

		if (a->thread != thread || a->old > old || (found && a->old < out->old))
			continue;
		*out = *a;
		found = true;
	}
	return found;
}

/* The new number of an old point: at the same distance from the anchor before it. */
static uint64_t carried(const struct verifier *v, uint32_t thread, uint64_t old)
{
	struct anchor a;

	anchor_before(v, thread, old, &a);
	return a.now + (old - a.old);
}

static bool not_reached(struct verifier *v, const struct finding_step *s, const char *why)
{
	v->res->verdict = VERIFY_NOT_REACHED;
	words_thread(&v->res->text, v->f, s->thread);
	strbuf_addf(&v->res->text, " %s ", why);
	if (!words_place(&v->res->text, &s->place))
		strbuf_adds(&v->res->text, "its next place");
	if (s->source)
		strbuf_addf(&v->res->text, " ('%s')", s->source);
	return false;
}

/* Finds the point of the step in the changed program and adds an anchor for it. */
static bool map_step(struct verifier *v, const struct finding_step *s, uint64_t *now)
{
	uint32_t thread = points_find(v->ps, v->f, s->thread);
	struct anchor a;
	bool found = anchor_before(v, s->thread, s->point, &a);

	*now = a.now;
	if (found && a.old == s->point)
		return true;
	if (thread == UINT32_MAX)
		return not_reached(v, s, "was not created, so it did not reach");
	*now = map_place(
		v->ps, &v->src, thread, s, found ? a.now + 1 : 0, a.now + (s->point - a.old));
	if (*now == UINT64_MAX)
		return not_reached(v, s, "did not reach");
	anchor(v, s->thread, s->point, *now);
	return true;
}

static bool map_move(struct verifier *v, const struct finding_move *m)
{
	const struct finding_step *s = step_near(v->f, m->thread, m->until);
	struct anchor a;
	uint64_t now;
	bool found = anchor_before(v, m->thread, m->until, &a);

	if (s && (!found || s->point > a.old) && !map_step(v, s, &now))
		return false;
	now = carried(v, m->thread, m->until);
	vec_push(&v->now->moves, (struct finding_move){m->thread, now});
	anchor(v, m->thread, m->until, now);
	return true;
}

/* ---- transfer of the witness ----------------------------------------------------------------- */

/* Describes the wait: the object by its name in the source, the thread, the place, the holder. */
static void add_blocker(struct verifier *v, const struct sched_wait *w)
{
	uint32_t thread = points_find(v->ps, v->f, w->thread);
	struct strbuf *b = &v->res->text;
	struct finding_place place = {0};
	const char *name = NULL;

	if (thread != UINT32_MAX && w->point < v->ps->threads.at[thread].at.n) {
		const struct point *p = &v->ps->threads.at[thread].at.at[w->point];

		name = points_object(v->ps, p);
		points_place(v->ps, p, &place);
	}
	if (name)
		strbuf_addf(b, "'%s'", name);
	else
		strbuf_adds(b, w->kind < LOG_NSYNC ? log_sync_text(w->kind) : "a lock");
	strbuf_adds(b, ": ");
	words_thread(b, v->f, w->thread);
	strbuf_adds(b, " waits ");
	if (place.file || place.function) {
		strbuf_adds(b, "at ");
		words_place(b, &place);
	}
	if (w->holder != SCHED_NONE) {
		strbuf_adds(b, ", held by ");
		words_thread(b, v->f, w->holder);
	}
	finding_place_release(&place);
}

/* Whether the last run executed all segments so far; else sets the verdict. */
static bool followed(struct verifier *v)
{
	const struct sched_outcome *o = &v->run.out;

	if (!o->diverged || o->done >= v->now->moves.n)
		return true;
	v->res->step = o->done + 1;
	if (o->nwaits) {
		v->res->verdict = VERIFY_BLOCKED;
		add_blocker(v, &o->waits[0]);
	} else {
		v->res->verdict = VERIFY_NOT_REACHED;
		words_thread(&v->res->text, v->f, v->now->moves.at[o->done].thread);
		strbuf_addf(&v->res->text, " did not continue%s%s", *o->text ? ": " : "", o->text);
	}
	return false;
}

static void copy_threads(struct verifier *v)
{
	vec_each (&v->f->threads, i) {
		const struct finding_thread *t = &v->f->threads.at[i];

		vec_push(&v->now->threads, (struct finding_thread){t->parent, t->nth,
						   t->name ? xstrdup(t->name) : NULL, {0}});
	}
}

/* 1: all segments are transferred; 0: not, v->res has the reason; -1 after error_(). */
static int carry_over(struct verifier *v)
{
	copy_threads(v);
	vec_each (&v->f->moves, k) {
		v->res->step = k + 1;
		if (record(v, v->f->moves.at[k].thread))
			return -1;
		if (!followed(v) || !map_move(v, &v->f->moves.at[k]))
			return 0;
	}
	if (record(v, SCHED_NONE))
		return -1;
	return followed(v);
}

/* Transfers the key steps of the finding and its goal. */
static bool carry_goal(struct verifier *v)
{
	struct finding *now = v->now;
	uint32_t n;

	v->res->step = v->f->moves.n;
	vec_each (&v->f->steps, i) {
		const struct finding_step *s = &v->f->steps.at[i];
		struct finding_step *copy;
		uint64_t point;

		if (!(s->flags & STEP_KEY))
			continue;
		if (!map_step(v, s, &point))
			return false;
		copy = vec_add(&now->steps);
		copy->thread = s->thread;
		copy->flags = s->flags;
		copy->point = point;
		if (v->f->flip.kind != FLIP_NONE)
			continue; /* it fails at another place */
		copy->source = s->source ? xstrdup(s->source) : NULL;
		n = points_find(v->ps, v->f, s->thread);
		if (n != UINT32_MAX && point < v->ps->threads.at[n].at.n)
			points_place(v->ps, &v->ps->threads.at[n].at.at[point], &copy->place);
	}
	now->kind = v->f->kind;
	now->goal = v->f->goal;
	now->a = v->f->a;
	now->b = v->f->b;
	now->expect_thread = v->f->expect_thread;
	now->at_a = carried(v, now->a, v->f->at_a);
	now->at_b = carried(v, now->b, v->f->at_b);
	return true;
}

static int follow_witness(struct verifier *v)
{
	int rc = carry_over(v);

	if (rc <= 0 || !carry_goal(v))
		return rc < 0 ? -1 : 0;
	replay_result_release(&v->run);
	v->run = (struct replay_result){0};
	if (replay_run(&v->setup.opt, v->now, &v->run))
		return -1;
	strbuf_clear(&v->res->text);
	v->res->by_witness = replay_judge(v->now, &v->run, &v->res->text) == SIGHT_SEEN;
	v->res->verdict = v->res->by_witness ? VERIFY_FAILS : VERIFY_FOLLOWED;
	return 0;
}

/* ---- other schedules ------------------------------------------------------------------------- */

/* Any failure counts: its thread and place may have changed with the program. A run without
 * progress (SCHED_STUCK) counts only if the finding is a hang. */
static bool failed(const struct finding *f, const struct replay_result *r)
{
	return r->out.fate >= SCHED_ASSERT &&
	       (r->out.fate != SCHED_STUCK || f->kind == FAULT_HANG);
}

static int search(struct verifier *v)
{
	double end = clock_seconds() + v->opt->seconds;
	struct replay_options o = v->setup.opt;

	for (uint64_t i = 0; v->res->verdict != VERIFY_FAILS && clock_seconds() < end; i++) {
		struct replay_result r = {0};

		o.mode = i ? SCHED_RANDOM : SCHED_FREE;
		o.seed = v->opt->seed + i - 1;
		if (replay_run(&o, NULL, &r))
			return -1;
		v->res->runs++;
		if (failed(v->f, &r)) {
			v->res->verdict = VERIFY_FAILS;
			v->res->by_random = i;
			v->res->seed = o.seed;
			strbuf_clear(&v->res->text);
			strbuf_adds(&v->res->text, "the program ");
			replay_fate(NULL, &r, &v->res->text);
		}
		replay_result_release(&r);
	}
	return 0;
}

int verify(const struct finding *f, const struct verify_options *opt, struct verify_result *res)
{
	struct verifier v = {.f = f, .opt = opt, .res = res, .now = finding_new()};
	int rc;

	*res = (struct verify_result){.of = f->moves.n, .seed = opt->seed};
	rc = replay_setup(&v.setup, f, NULL);
	v.setup.opt.quiet = true;
	v.src = (struct lines){.cwd = f->cwd, .exe = f->exe};
	if (!rc)
		rc = follow_witness(&v);
	if (!rc)
		rc = search(&v);
	points_free(v.ps);
	replay_result_release(&v.run);
	vec_release(&v.anchors);
	lines_release(&v.src);
	finding_free(v.now);
	replay_setup_release(&v.setup);
	return rc;
}

void verify_result_release(struct verify_result *res)
{
	strbuf_release(&res->text);
}
