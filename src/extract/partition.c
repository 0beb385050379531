#include "extract/partition.h"

#include "base/base.h"
#include "base/clock.h"
#include "extract/partition_choose.h"

#include <stdlib.h>

/* Limit of the chunks that one pass over the trace makes; estimated bytes for an entry. */
enum { BATCH = 32, BYTES_PER_ENTRY = 2500 };

struct partition {
	struct partition_options opt;
	struct partition_stats stats;
	struct extractor x;
	struct ix ix;
	struct past_tables past;
	struct chunks chunks;
	struct far_pairs far;
	uint32_t next_far;
	uint32_t next, made; /* chunks that were given to the caller; that were extracted */
	const struct ctp *whole; /* the one chunk of a run whose beginning is missing; NULL */
};

static void measure_run(struct partition *p)
{
	const struct ix *ix = &p->ix;
	struct trace *t = p->x.t;

	for (uint32_t i = 0; i < ix->nthreads; i++)
		vec_each (&ix->threads[i].at, k)
			p->stats.events += !(ix->threads[i].at.at[k].flags & IX_MORE);
	for (uint32_t i = 0; i < trace_nthreads(t); i++)
		p->stats.instructions += trace_thread(t, i)->result.instructions;
	p->stats.chunks = p->opt.kind == PARTITION_DISTRIBUTED ? 1 : 0;
	for (uint32_t i = 0; i < ix->nthreads; i++) {
		uint32_t n = (ix->threads[i].at.n + p->opt.chunk - 1) / p->opt.chunk;

		if (p->opt.kind == PARTITION_DISTRIBUTED)
			p->stats.chunks *= MAX(n, 1u);
		else if (p->opt.kind == PARTITION_CUT)
			p->stats.chunks = MAX(p->stats.chunks, 2.0 * n);
		else
			p->stats.chunks += n;
	}
}

static int build_partition(struct partition *p, struct trace *t)
{
	struct extract_options opt = {.jobs = p->opt.jobs};
	double until = clock_seconds() + p->opt.seconds;
	uint32_t stuck;

	if (extract_open(&p->x, t, &opt))
		return -1;
	if (p->x.begun) {
		p->whole = extract(t, &opt);
		p->stats.chunks = p->stats.taken = 1;
		return p->whole ? 0 : -1;
	}
	if (ix_build(&p->ix, &p->x, p->opt.jobs))
		return -1;
	stuck = ix_order(&p->ix, false);
	if (stuck != CTP_NONE) {
		uint32_t t = ix_thread_of(&p->ix, stuck);
		const struct sync_event *s = ix_sync(&p->ix, t, stuck - p->ix.threads[t].first);

		return ix_contradiction(&p->x, s->func, s->insn);
	}
	extract_name_threads(&p->x);
	past_tables_init(&p->past, &p->ix);
	measure_run(p);
	choose_chunks(&p->past, &p->opt, until, &p->chunks, &p->far, &p->stats);
	return 0;
}

struct partition *partition_new(struct trace *t, const struct partition_options *opt)
{
	struct partition *p = xcalloc(1, sizeof *p);

	p->opt = *opt;
	p->opt.chunk = opt->chunk ? opt->chunk : 1000;
	p->opt.max_chunks = opt->max_chunks ? opt->max_chunks : 64;
	p->opt.memory = opt->memory ? opt->memory : 1ull << 30;
	p->opt.seconds = opt->seconds > 0 ? opt->seconds : 30;
	p->opt.jobs = MAX(opt->jobs, 1u);
	if (!build_partition(p, t))
		return p;
	partition_free(p);
	return NULL;
}

const struct partition_stats *partition_stats(const struct partition *p)
{
	return &p->stats;
}

/* Extracts as many of the next chunks as the memory allows. */
static int make_some(struct partition *p)
{
	uint64_t bytes = 0;
	uint32_t n = 0;

	while (p->made + n < p->chunks.n && n < BATCH && (!n || bytes < p->opt.memory / 2)) {
		const struct chunk *k = &p->chunks.at[p->made + n++];

		for (uint32_t t = 0; t < p->ix.nthreads; t++)
			bytes += (uint64_t)(k->to[t] - k->from[t]) * BYTES_PER_ENTRY;
	}
	if (chunks_extract(&p->past, p->chunks.at + p->made, n))
		return -1;
	p->made += n;
	return 0;
}

const struct ctp *partition_next(struct partition *p)
{
	const struct ctp *whole = p->whole;

	p->whole = NULL;
	if (whole)
		return whole;
	while (p->next < p->chunks.n) {
		const struct ctp *c;

		if (p->next == p->made && make_some(p))
			return NULL;
		c = p->chunks.at[p->next].c;
		p->chunks.at[p->next++].c = NULL;
		if (c)
			return c;
		p->stats.taken--;
		p->stats.empty++;
	}
	return NULL;
}

const struct far_pair *partition_next_far(struct partition *p)
{
	return p->next_far < p->far.n ? &p->far.at[p->next_far++] : NULL;
}

const struct ctp *partition_threads(const struct partition *p)
{
	return p->x.c;
}

void partition_free(struct partition *p)
{
	if (!p)
		return;
	vec_each (&p->far, i)
		far_pair_release(&p->far.at[i]);
	vec_release(&p->far);
	vec_each (&p->chunks, i) {
		ctp_free(p->chunks.at[i].c);
		chunk_release(&p->chunks.at[i]);
	}
	vec_release(&p->chunks);
	ctp_free(p->whole);
	past_tables_release(&p->past);
	ix_release(&p->ix);
	extract_close(&p->x);
	ctp_free(p->x.c);
	free(p);
}

/* Bytes of the log; an event takes two or three. */
enum { WHOLE_BYTES = 2 << 20 };

bool partition_wanted(const struct trace *t)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < trace_nthreads(t); i++)
		bytes += trace_thread(t, i)->bytes;
	return bytes > WHOLE_BYTES;
}
