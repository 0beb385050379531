/*
 * Compares the recorded runs with the runs of the search.
 *
 * The search begins with a run of its own, which is to have the input of the recorded run. The input
 * may have changed since: a file that the recorded run wrote, the clock, a number that the system
 * gives. Then the search covers the schedules of another input. Addresses differ between a recorded
 * run and a run of the search, and so do the schedules, so that these are compared:
 *  - the branches of the main thread before it starts a thread, in order
 *  - the threads, and the ways of all branches: when the search ends, its runs have those of the
 *    recorded run
 */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "deep/frontier.h"
#include "extract/extract.h"

struct course {          /* the branches of one run */
	uint64_t start;  /* hash of those of the main thread before it starts a thread */
	bool started;    /* it has started one */
	struct map ways; /* hash of a branch and its way -> 1 */
};

static void note_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct course *r = ctx;
	uint64_t way;

	(void)f;
	if (e->kind == FOLLOW_SYNC) {
		r->started |= !thread && e->sync->kind == LOG_S_CREATE;
		return;
	}
	way = hash_mix(hash_mix(e->func, e->insn), e->taken);
	*map_put(&r->ways, way) = 1;
	if (!thread && !r->started)
		r->start = hash_mix(r->start, way);
}

/* -1 after error_() */
static int read_course(struct trace *t, struct course *out)
{
	struct trace_observer o = {.kinds = FOLLOW_BIT(FOLLOW_BRANCH) | FOLLOW_BIT(FOLLOW_SYNC),
		.event = note_event,
		.ctx = out};

	*out = (struct course){0};
	return trace_follow(t, &o, NULL, 1);
}

static void add_change(struct deep *d)
{
	d->st->changed = true;
	deep_limit(d, true,
		"the recorded run took a path that no run of the search has: what the "
		"program reads from outside may have changed between them");
}

static bool starts_alike(struct deep_run *r, const struct course *recorded)
{
	struct course own;
	bool same = !read_course(r->t, &own) && own.start == recorded->start;

	map_release(&own.ways);
	return same;
}

static bool has_threads(const struct deep *d, struct trace *recorded)
{
	struct extract_options xo = {.every = true, .jobs = 1};
	const struct ctp *c = extract(recorded, &xo);
	struct path_names names = {0};
	bool all = c;

	for (uint32_t t = 0; c && t < c->threads.n; t++) {
		paths_names(c, t, &names);
		all &= paths_node(&d->paths, names.at[0]) != NULL;
	}
	vec_release(&names);
	if (c)
		ctp_free(c);
	return all;
}

/* Whether all runs of the search begin as the recorded run does, and one of them has each way that it
 * took at a branch. */
static bool has_ways(struct deep *d, const struct course *recorded)
{
	struct map known = {0};
	bool all = true;

	vec_each (&d->runs, i) {
		struct course own;

		all &= !read_course(d->runs.at[i].t, &own) && own.start == recorded->start;
		map_each (&own.ways, k)
			*map_put(&known, own.ways.slots[k].key) = 1;
		map_release(&own.ways);
	}
	map_each (&recorded->ways, k)
		all &= map_get(&known, recorded->ways.slots[k].key) != NULL;
	map_release(&known);
	return all;
}

static void compare_run(struct deep *d, const char *dir, bool ended)
{
	struct trace *t = trace_open(dir);
	struct course recorded = {0};
	bool same = true;

	if (!t || read_course(t, &recorded))
		deep_limit(
			d, true, "the recorded run '%s' cannot be compared with the search", dir);
	else if (!ended)
		same = starts_alike(&d->runs.at[0], &recorded);
	else
		same = has_threads(d, t) && has_ways(d, &recorded);
	if (!same)
		add_change(d);
	map_release(&recorded.ways);
	if (t)
		trace_close(t);
}

void recorded_runs_compare(struct deep *d, bool ended)
{
	BUG_ON(!d->runs.n);
	vec_each (&d->recorded, i)
		compare_run(d, d->recorded.at[i], ended);
}
