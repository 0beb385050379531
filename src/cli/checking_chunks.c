/* A run too long to be taken whole: its chunks one after the other, the most promising first. */
#include "cli/checking.h"

#include "base/base.h"
#include "extract/partition.h"

#include <stdio.h>
#include <stdlib.h>

static void say_left_out(struct checking *c, const struct partition_stats *s, uint32_t seen)
{
	char *text = xasprintf("the run was looked at in %u of about %.3g chunks, of its %.3g events in "
			       "%.3g, some of them in several; %u of %u places that share data",
		seen, s->chunks, (double)s->events, (double)s->inside, s->covered, s->places);

	checking_limit(c, text);
	free(text);
	c->left_out |= s->covered < s->places;
}

int checking_chunks(struct checking *c, struct trace *t)
{
	struct partition_options po = {
		.kind = c->a->partition ? (enum partition_kind)(c->a->partition - 1)
					: PARTITION_DISTRIBUTED,
		.chunk = (uint32_t)c->a->chunk,
		.max_chunks = (uint32_t)c->a->chunks,
		.jobs = c->opt.jobs,
		.memory = c->opt.memory,
		.seconds = checking_seconds_left(c) / 2,
	};
	struct partition *p = partition_new(t, &po);
	uint32_t seen = 0;
	struct ctp *ctp;
	int rc = 0;

	if (!p)
		return -1;
	c->instructions += partition_stats(p)->instructions;
	while (!rc && checking_seconds_left(c) > 0 && (ctp = partition_next(p))) {
		c->chunk = ++seen;
		c->nchunks = partition_stats(p)->taken;
		rc = checking_predict(c, ctp);
		ctp_free(ctp);
	}
	c->chunk = c->nchunks = 0;
	say_left_out(c, partition_stats(p), seen);
	partition_free(p);
	return rc;
}
