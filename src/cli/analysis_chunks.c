/* Analyses a run that is too long for one model in chunks, the most promising first. Accesses that no
 * chunk has together are brought together in further runs (deep/far_run.h). */
#include "cli/analysis.h"

#include "base/base.h"
#include "base/clock.h"
#include "deep/far_run.h"
#include "extract/partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The part of the time that is left for one chunk, if others follow: a hard query of one chunk leaves
 * time for the others. The part for all chunks of the recorded run, if further runs follow. */
static const double chunk_part = 0.25, recorded_part = 0.35;

enum { FAR_RUN_SECONDS = 20 };

static void add_chunk_limit(struct analysis *c, const struct partition_stats *s, uint32_t seen)
{
	/* the number of chunks is a product and may be very large */
	char *all = s->chunks < 1e9 ? xasprintf("%.0f", s->chunks) : xasprintf("%.1e", s->chunks);
	char *text = xasprintf(
		"the run was analysed in %u chunk%s, of about %s possible ones; they contain "
		"%" PRIu64 " events (the run has %" PRIu64 ", and chunks may overlap) and "
		"%u of %u places with shared accesses",
		seen, seen == 1 ? "" : "s", all, s->inside, s->events, s->covered, s->places);

	analysis_limit(c, text);
	free(all);
	free(text);
	c->n.left_out |= s->covered < s->places;
}

/* Predicts on a chunk, in its part of the time until `end`. `more`: other chunks that follow. */
static int predict_chunk(struct analysis *c, const struct ctp *ctp, double end, uint32_t more)
{
	double until = c->until, left = end - clock_seconds();
	int rc;

	c->until = more ? clock_seconds() + MAX(left * chunk_part, left / (more + 1)) : end;
	rc = analysis_predict(c, ctp);
	c->until = until;
	return rc;
}

static int predict_chunks(struct analysis *c, struct partition *p, double end, uint32_t *seen)
{
	const struct ctp *ctp;
	int rc = 0;

	while (!rc && clock_seconds() < end && (ctp = partition_next(p))) {
		c->chunk = ++*seen;
		c->nchunks = partition_stats(p)->taken;
		rc = predict_chunk(c, ctp, end, MAX(c->nchunks, *seen) - *seen);
		ctp_free(ctp);
	}
	return rc;
}

/* Runs the program so that the two accesses come close, and predicts from the chunk that has both. */
static int predict_far_pair(struct analysis *c, const struct far_pair *pair,
	const struct ctp *threads, const struct trace *t, const struct partition_options *po,
	uint32_t more)
{
	struct finding *plan = far_run_plan(pair, threads, t);
	struct far_run r = {0};
	const struct ctp *ctp = NULL;
	int rc = 0;

	if (analysis_may_run(c, plan))
		ctp = far_run(&r, pair, plan, c->input,
			MIN(analysis_seconds_left(c), (double)FAR_RUN_SECONDS), po);
	if (ctp) {
		c->n.far_runs++;
		rc = predict_chunk(c, ctp, c->until, more);
		ctp_free(ctp);
	}
	far_run_release(&r);
	finding_free(plan);
	return rc;
}

int analysis_chunks(struct analysis *c, struct trace *t, bool whole)
{
	struct partition_options po = {
		.kind = c->a->partition ? (enum partition_kind)(c->a->partition - 1)
					: PARTITION_DISTRIBUTED,
		.chunk = (uint32_t)c->a->chunk,
		.max_chunks = (uint32_t)c->a->chunks,
		.jobs = c->opt.jobs,
		.memory = c->opt.memory,
		.seconds = analysis_seconds_left(c) / 2,
	};
	struct partition *p = partition_new(t, &po);
	const struct far_pair *pair;
	uint32_t seen = 0, far;
	double end;
	int rc;

	if (!p)
		return -1;
	if (!whole)
		c->n.instructions += partition_stats(p)->instructions;
	far = partition_stats(p)->far;
	end = clock_seconds() + analysis_seconds_left(c) * (far ? recorded_part : 1);
	rc = predict_chunks(c, p, end, &seen);
	while (!rc && analysis_seconds_left(c) > 0 && (pair = partition_next_far(p)))
		rc = predict_far_pair(c, pair, partition_threads(p), t, &po, --far);
	c->chunk = c->nchunks = 0;
	if (!whole)
		add_chunk_limit(c, partition_stats(p), seen);
	partition_free(p);
	return rc;
}
