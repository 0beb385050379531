#include "explore/frontier.h"

#include "base/base.h"

#include <assert.h>

/* ---- trails ---------------------------------------------------------------------------------- */

struct trail *trail_keep(struct trail *t)
{
	if (t)
		t->refs++;
	return t;
}

struct trail *trail_add(struct trail *before, uint32_t choice)
{
	struct trail *t = xmalloc(sizeof *t);

	*t = (struct trail){1, choice, 0, before ? before->depth + 1 : 1, trail_keep(before)};
	return t;
}

void trail_drop(struct trail *t)
{
	assert(!t || t->refs);
	while (t && !--t->refs) {
		struct trail *before = t->before;

		free(t);
		t = before;
	}
}

void trail_list(const struct trail *t, struct vec_u32 *out)
{
	uint64_t n = t ? t->depth : 0;
	uint32_t from = out->n;

	vec_resize(out, from + (uint32_t)n);
	for (; t; t = t->before) {
		assert(t->depth == n); /* one less than that of the decision after it */
		out->at[from + --n] = t->choice;
	}
	assert(!n);
}

/* ---- snapshots and states -------------------------------------------------------------------- */

struct snapshot *snapshot_new(struct saved *s)
{
	struct snapshot *n = xmalloc(sizeof *n);

	*n = (struct snapshot){.refs = 1, .saved = s, .bytes = saved_bytes(s)};
	return n;
}

struct snapshot *snapshot_keep(struct snapshot *s)
{
	if (s)
		s->refs++;
	return s;
}

void snapshot_drop(struct snapshot *s)
{
	assert(!s || s->refs);
	if (!s || --s->refs)
		return;
	saved_free(s->saved);
	free(s);
}

struct state *state_new(void)
{
	struct state *s = xcalloc(1, sizeof *s);

	s->pick = s->func = s->block = IR_NONE;
	return s;
}

void state_free(struct state *s)
{
	snapshot_drop(s->snap);
	omitted_drop(s->omitted);
	trail_drop(s->trail);
	sleep_release(&s->sleep);
	free(s);
}

/* ---- the frontier ---------------------------------------------------------------------------- */

struct frontier {
	enum explore_search search;
	const struct coverage *cov;
	uint64_t rng, made, bytes;
	VEC(struct state *) at; /* BFS: a heap by depth, then age; DFS: by age; else unordered */
};

struct frontier *frontier_new(enum explore_search search, uint64_t seed, const struct coverage *cov)
{
	struct frontier *f = xcalloc(1, sizeof *f);

	f->search = search;
	f->cov = cov;
	f->rng = seed;
	return f;
}

void frontier_free(struct frontier *f)
{
	vec_each (&f->at, i)
		state_free(f->at.at[i]);
	vec_release(&f->at);
	free(f);
}

uint64_t frontier_count(const struct frontier *f)
{
	return f->at.n;
}

uint64_t frontier_bytes(const struct frontier *f)
{
	return f->bytes;
}

struct state *const *frontier_list(const struct frontier *f)
{
	return f->at.at;
}

static uint64_t depth_of(const struct state *s)
{
	return s->trail ? s->trail->depth : 0;
}

static bool runs_sooner(const struct state *a, const struct state *b)
{
	uint64_t x = depth_of(a), y = depth_of(b);

	return x != y ? x < y : a->order < b->order;
}

static void heap_up(struct frontier *f, uint32_t i)
{
	struct state *s = f->at.at[i];

	while (i && runs_sooner(s, f->at.at[(i - 1) / 2])) {
		f->at.at[i] = f->at.at[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	f->at.at[i] = s;
}

static void heap_down(struct frontier *f)
{
	struct state *s = f->at.at[0];
	uint32_t i = 0, k;

	while ((k = 2 * i + 1) < f->at.n) {
		if (k + 1 < f->at.n && runs_sooner(f->at.at[k + 1], f->at.at[k]))
			k++;
		if (!runs_sooner(f->at.at[k], s))
			break;
		f->at.at[i] = f->at.at[k];
		i = k;
	}
	f->at.at[i] = s;
}

/* Adds the bytes of the state. A snapshot counts once, while states in the frontier refer to it. */
static void count_state(struct frontier *f, const struct state *s)
{
	f->bytes += sizeof *s;
	if (s->snap && !s->snap->waiting++)
		f->bytes += s->snap->bytes;
}

static void count_no_more(struct frontier *f, const struct state *s)
{
	assert(f->bytes >= sizeof *s && (!s->snap || s->snap->waiting));
	f->bytes -= sizeof *s;
	if (s->snap && !--s->snap->waiting) {
		assert(f->bytes >= s->snap->bytes);
		f->bytes -= s->snap->bytes;
	}
}

void frontier_add(struct frontier *f, struct state *s)
{
	s->order = f->made++;
	count_state(f, s);
	vec_push(&f->at, s);
	if (f->search == EXPLORE_BFS)
		heap_up(f, f->at.n - 1);
}

static uint64_t random_below(struct frontier *f, uint64_t n)
{
	f->rng ^= f->rng << 13;
	f->rng ^= f->rng >> 7;
	f->rng ^= f->rng << 17;
	return f->rng % n;
}

/* The newest of the last LOOK states whose block is not covered; else a random one. */
static uint32_t by_coverage(struct frontier *f)
{
	enum { LOOK = 64 };

	for (uint32_t k = 0; k < LOOK && k < f->at.n; k++) {
		uint32_t i = f->at.n - 1 - k;

		if (f->at.at[i]->func != IR_NONE &&
			!coverage_has(f->cov, f->at.at[i]->func, f->at.at[i]->block))
			return i;
	}
	/* half of the time the newest: the solver still has its conditions */
	return random_below(f, 2) ? f->at.n - 1 : (uint32_t)random_below(f, f->at.n);
}

struct state *frontier_take(struct frontier *f)
{
	uint32_t i = f->at.n - 1;
	struct state *s;

	if (!f->at.n)
		return NULL;
	switch (f->search) {
	case EXPLORE_DFS: break;
	case EXPLORE_BFS: i = 0; break;
	case EXPLORE_RANDOM: i = (uint32_t)random_below(f, f->at.n); break;
	case EXPLORE_COVER: i = by_coverage(f); break;
	}
	s = f->at.at[i];
	f->at.at[i] = f->at.at[--f->at.n];
	if (f->search == EXPLORE_BFS && f->at.n)
		heap_down(f);
	count_no_more(f, s);
	return s;
}

void frontier_shrink(struct frontier *f, uint64_t bytes)
{
	for (uint32_t i = 0; i < f->at.n && f->bytes > bytes; i++) {
		struct state *s = f->at.at[f->search == EXPLORE_BFS ? f->at.n - 1 - i : i];

		if (!s->snap)
			continue;
		count_no_more(f, s);
		snapshot_drop(s->snap);
		s->snap = NULL;
		count_state(f, s);
	}
}
