/* Analyses a run that is too long for one model in chunks, the most promising first. */
#include "cli/analysis.h"

#include "base/base.h"
#include "extract/partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

int analysis_chunks(struct analysis *c, struct trace *t)
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
	uint32_t seen = 0;
	const struct ctp *ctp;
	int rc = 0;

	if (!p)
		return -1;
	c->n.instructions += partition_stats(p)->instructions;
	while (!rc && analysis_seconds_left(c) > 0 && (ctp = partition_next(p))) {
		c->chunk = ++seen;
		c->nchunks = partition_stats(p)->taken;
		rc = analysis_predict(c, ctp);
		ctp_free(ctp);
	}
	c->chunk = c->nchunks = 0;
	add_chunk_limit(c, partition_stats(p), seen);
	partition_free(p);
	return rc;
}
