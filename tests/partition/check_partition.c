/*
 * Chunks of a recorded run against the whole of it: whatever can happen in a chunk, after the moves that
 * lead to it, can happen in the run.
 *
 *	check_partition [-v] [-s SEED] TRACE
 *
 * The run is taken whole and in chunks of several sizes and kinds. In each chunk threads go on at random,
 * as its simulation (model/simulate.h) allows; the same is done in the simulation of the whole run, where
 * each step of the chunk is a few: accesses that nobody else has in the chunk are no events there. Nothing
 * that the chunk allows may be refused. Exit code 0, or 1 and what is wrong; 77: the run has no exact
 * order, which is not what is tested here.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "extract/extract.h"
#include "model/simulate.h"
#include "extract/partition.h"
#include "model/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNKS = 24, WALKS = 12 };

struct checking {
	const struct ctp *whole;
	struct sim *sim;
	uint64_t seed, steps;
	uint32_t chunks;
	bool verbose;
	const char *what; /* kind and size */
};

static uint64_t draw(struct checking *k, uint64_t n)
{
	k->seed = hash_u64(k->seed + 1);
	return k->seed % n;
}

/* ---- the whole run -------------------------------------------------------------------------- */

static bool has_no_point(const struct ctp_event *e)
{
	return ctp_is_guard(e->kind) || e->kind == CTP_BEGIN || e->kind == CTP_END ||
	       e->kind == CTP_FAIL || e->kind == CTP_ATOMIC_BEGIN || e->kind == CTP_ATOMIC_END ||
	       (e->flags & CTP_NATIVE_USE);
}

static uint64_t over_at(const struct ctp_event *e)
{
	return has_no_point(e) ? e->point : e->point + 1;
}

static uint32_t thread_end(const struct ctp *c, uint32_t t)
{
	return c->threads.at[t].first + c->threads.at[t].n;
}

static int complain(const struct checking *k, const char *doing, uint32_t event, const char *why)
{
	const struct ctp_event *e = ctp_at(k->whole, event);

	printf("%s: %s: event %u (%s of thread %u at point %llu): %s\n", k->what, doing, event,
		ctp_kind_name(e->kind), e->thread, (unsigned long long)e->point, why);
	return 1;
}

/* The past, as its moves say. */
static int go_before(struct checking *k, const struct ctp *c)
{
	sim_start(k->sim, 0);
	vec_each (&c->before, i) {
		uint32_t t = c->before.at[i].thread, e;

		while ((e = sim_next(k->sim, t)) < thread_end(k->whole, t) &&
			over_at(ctp_at(k->whole, e)) <= c->before.at[i].until) {
			const char *why = sim_step(k->sim, e);

			if (why)
				return complain(k, "before the chunk", e, why);
		}
	}
	return 0;
}

static bool is_same(const struct ctp_event *a, const struct ctp_event *b)
{
	/* a copy between cells is another kind of access if only one of them is one */
	return (a->kind == b->kind || (ctp_is_access(a->kind) && ctp_is_access(b->kind))) &&
	       a->index == b->index && a->point == b->point && a->func == b->func &&
	       a->insn == b->insn;
}

/* The event of the whole run; CTP_NONE: it has none. From the next of the thread on. */
static uint32_t find_same(const struct checking *k, const struct ctp_event *e)
{
	for (uint32_t i = sim_next(k->sim, e->thread); i < thread_end(k->whole, e->thread); i++) {
		if (is_same(ctp_at(k->whole, i), e))
			return i;
		if (ctp_at(k->whole, i)->index > e->index)
			break;
	}
	return CTP_NONE;
}

/* It was done with the point before it. */
static bool was_done(const struct checking *k, const struct ctp_event *e)
{
	for (uint32_t i = sim_next(k->sim, e->thread); i-- > k->whole->threads.at[e->thread].first;)
		if (is_same(ctp_at(k->whole, i), e))
			return true;
	return false;
}

/* 2: an object is so odd in the whole run that its model lets nothing of it move. */
static int follow(struct checking *k, const struct ctp_event *e)
{
	uint32_t to = find_same(k, e), at;

	if (to == CTP_NONE && (was_done(k, e) || ctp_is_guard(e->kind)))
		return 0;
	if (to == CTP_NONE)
		return printf("%s: the run has no %s of thread %u at point %llu, index %llu\n", k->what,
			       ctp_kind_name(e->kind), e->thread, (unsigned long long)e->point,
			       (unsigned long long)e->index),
		       1;
	while ((at = sim_next(k->sim, e->thread)) <= to) {
		const char *why = sim_step(k->sim, at);

		if (why && strstr(why, "keep their observed order"))
			return 2;
		if (why)
			return complain(k, "what the chunk allows", at, why);
		k->steps++;
	}
	return 0;
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* One linearization, as far as it goes: a thread goes on for a while, then another one. */
static int walk(struct checking *k, const struct ctp *c, struct sim *sim)
{
	uint32_t stuck = 0, t = 0;

	if (go_before(k, c))
		return 1;
	sim_start(sim, 0);
	while (stuck < 4 * c->threads.n) {
		uint32_t e;
		int bad;

		if (stuck || !draw(k, 5))
			t = (uint32_t)draw(k, c->threads.n);
		e = sim_next(sim, t);
		if (e >= thread_end(c, t) || sim_step(sim, e)) {
			stuck++;
			continue;
		}
		stuck = 0;
		bad = follow(k, ctp_at(c, e));
		if (bad)
			return bad == 1;
	}
	return 0;
}

static int check_chunk(struct checking *k, const struct ctp *c)
{
	const char *why = ctp_wrong(c);
	struct mhb *mhb;
	struct sim *sim;
	int bad = 0;

	if (why)
		return printf("%s: chunk %u: %s\n", k->what, k->chunks, why), 1;
	mhb = mhb_new(c);
	sim = sim_new(mhb_facts(mhb), MODEL_CTP);
	for (uint32_t i = 0; i < WALKS && !bad; i++)
		bad = walk(k, c, sim);
	if (bad && k->verbose) {
		struct strbuf b = {0};

		ctp_print(c, &b);
		printf("in chunk %u:\n%s", k->chunks, b.s);
		vec_each (&c->before, i)
			printf("before: thread %u until %llu\n", c->before.at[i].thread,
				(unsigned long long)c->before.at[i].until);
		strbuf_release(&b);
	}
	sim_free(sim);
	mhb_free(mhb);
	k->chunks++;
	return bad;
}

static int check_kind(struct checking *k, struct trace *t, enum partition_kind kind, uint32_t n)
{
	static const char *const words[] = {"cut", "distributed", "window"};
	struct partition_options opt = {.kind = kind, .chunk = n, .max_chunks = CHUNKS, .jobs = 1};
	struct partition *p = partition_new(t, &opt);
	const struct ctp *c;
	char what[64];
	int bad = 0;

	if (!p)
		return 1;
	snprintf(what, sizeof what, "%s of %u", words[kind], n);
	k->what = what;
	while (!bad && (c = partition_next(p))) {
		bad = check_chunk(k, c);
		ctp_free(c);
	}
	partition_free(p);
	return bad;
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = {6, 24, 120};
	struct checking k = {.seed = 1};
	struct extract_options opt = {.jobs = 1};
	struct trace *t;
	const struct ctp *c;
	struct mhb *mhb;
	int bad = 0, o;

	while ((o = getopt(argc, argv, "vs:")) != -1) {
		if (o == 'v')
			k.verbose = true;
		else if (o == 's')
			k.seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	if (optind + 1 != argc || !(t = trace_open(argv[optind])) || !(c = extract(t, &opt)))
		return 2;
	if (!c->order_exact)
		return printf("the run has no exact order\n"), 77;
	mhb = mhb_new(c);
	k.whole = c;
	k.sim = sim_new(mhb_facts(mhb), MODEL_CTP);
	for (uint32_t i = 0; i < ARRAY_SIZE(sizes) && !bad; i++)
		for (int kind = PARTITION_CUT; kind <= PARTITION_WINDOW && !bad; kind++)
			bad = check_kind(&k, t, (enum partition_kind)kind, sizes[i]);
	printf("%u chunks, %llu steps\n", k.chunks, (unsigned long long)k.steps);
	sim_free(k.sim);
	mhb_free(mhb);
	ctp_free(c);
	trace_close(t);
	return bad;
}
