/* Findings of a search: failures that ended runs, and predictions. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/vec.h"
#include "deep/frontier.h"
#include "explain/places.h"

#include <stdlib.h>
#include <string.h>

static void report_finding(void *ctx, struct finding *f)
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

/* Seconds for one call of predict(): its own budget, but not more than the search has left. */
static double predict_seconds(const struct deep *d)
{
	double each = d->opt->predict.seconds, left = d->deadline - clock_seconds();

	if (!d->deadline)
		return each;
	left = left > 0.01 ? left : 0.01;
	return each > 0 && each < left ? each : left;
}

int deep_predict(struct deep *d, const struct ctp *c, bool whole)
{
	struct predict_options po = d->opt->predict;
	struct predict_stats st;
	int rc;

	if (d->opt->only_paths || !po.found)
		return 0;
	po.found = report_finding;
	po.progress = NULL;
	po.ctx = d;
	po.seconds = predict_seconds(d);
	po.all_paths = true;
	d->at = c;
	rc = predict(c, &po, &st);
	for (uint32_t i = 0; whole && i < st.limits.n; i++)
		deep_limit(d, true, "%s", st.limits.at[i]);
	predict_stats_release(&st);
	return rc;
}

/* The thread of c for an entry of r->names; CTP_NONE. */
static uint32_t find_thread(const struct ctp *c, const struct deep_run *r, uint32_t name)
{
	uint32_t parent;

	if (name >= r->names.n)
		return CTP_NONE;
	if (!name)
		return 0;
	if (r->names.at[name].parent >= name) /* a creator has its name before the thread */
		return CTP_NONE;
	parent = find_thread(c, r, r->names.at[name].parent);
	vec_each (&c->threads, t)
		if (t && c->threads.at[t].parent == parent &&
			c->threads.at[t].nth == r->names.at[name].nth)
			return t;
	return CTP_NONE;
}

/* Replaces the schedule of f by the executed one. In the last segment its thread continues until the
 * failure; a wait with a time limit that the segment contains times out there, as it did. */
static void use_executed_schedule(const struct deep_run *r, struct finding *f)
{
	uint32_t last, n = r->switches.n;
	uint64_t until = 0;

	if (n < 2 || f->goal == SCHED_GOAL_ACCESS)
		return;
	last = find_thread(r->c, r, r->switches.at[n - 1].thread);
	vec_clear(&f->moves);
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t t = find_thread(r->c, r, r->switches.at[i].thread);

		if (t >= f->threads.n)
			continue;
		vec_push(&f->moves, (struct finding_move){t, r->switches.at[i].until});
		until = t == last ? r->switches.at[i].until : until;
	}
	if (last < f->threads.n)
		vec_push(&f->moves,
			(struct finding_move){last, MAX(until, r->switches.at[n - 1].until)});
	f->switches = f->moves.n ? f->moves.n - 1 : 0;
}

void deep_report_failure(struct deep *d, const struct deep_run *r)
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
	if (!f && r->fate != SCHED_EXITED)
		deep_limit(d, true, "run %u failed, and its failure is not among the findings",
			r->number);
	if (!f)
		return;
	if (r->misused && f->kind == FAULT_ASSERT && r->misuse == FAULT_DOUBLE_FREE)
		/* the C library aborts on a double free, which the trace shows as an abort */
		f->kind = (enum fault)r->misuse;
	observed_in_search(f);
	use_executed_schedule(r, f);
	d->at = r->c;
	report_finding(d, f);
}
