#include "extract/partition_choose.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/search.h"
#include "trace/check.h"

#include <stdlib.h>

enum {
	SAMPLES = 4,       /* samples for each place and thread */
	CELL_PAIRS = 64,   /* pairs of samples for each cell */
	MAX_PAIRS = 200000,
};

struct sample {
	uint32_t thread, pos, place, what;
};

struct pair {
	uint32_t t, a, u, b; /* entry a of thread t, b of u */
	uint64_t key;        /* hash of the two places */
	uint32_t rank;       /* priority: the smallest rank is first */
};

struct chooser {
	const struct ix *ix;
	const struct past_tables *p;
	const struct partition_options *opt;
	double until;
	struct chunks *out;
	struct far_pairs *far;
	struct partition_stats *st;
	struct map counts;  /* place -> number of accesses */
	struct map by_key;  /* place, thread -> first index in samples + 1 | offers << 32 */
	VEC(struct sample) samples;
	VEC(struct pair) pairs;
	struct map had;     /* keys of pairs that some chunk has */
	struct map tries;   /* key -> number of its pairs for which no chunk could be made */
	struct map apart;   /* keys of pairs in `far` */
	struct map chunks;  /* hashes of the chunks that were made */
	struct bitset covered; /* places that some chunk has */
	uint64_t seed;
};

/* ---- samples -------------------------------------------------------------------------------- */

static uint64_t next_random(struct chooser *c)
{
	return c->seed = hash_u64(c->seed + 0x9e3779b97f4a7c15ull);
}

/* Whether the entry is a successful lock while the thread holds another lock. */
static bool is_nested(const struct chooser *c, uint32_t t, uint32_t pos)
{
	const struct ix_entry *e = ix_at(c->ix, t, pos);
	const struct sync_event *s;

	if (e->kind != IX_SYNC || !e->locks)
		return false;
	s = ix_sync(c->ix, t, pos);
	return (s->kind == LOG_S_LOCK || s->kind == LOG_S_WRLOCK || s->kind == LOG_S_RDLOCK) &&
	       sync_succeeded(s);
}

/* Offers an entry to the samples of its place and thread: reservoir sampling that always keeps the
 * first entry. */
static void offer_sample(struct chooser *c, uint32_t t, uint32_t pos)
{
	const struct ix_entry *e = ix_at(c->ix, t, pos);
	uint64_t *at = map_put(&c->by_key, (uint64_t)e->place << 32 | t);
	struct sample s = {t, pos, e->place, e->what};
	uint64_t seen, k;

	if (!*at) {
		*at = c->samples.n + 1;
		vec_resize(&c->samples, c->samples.n + SAMPLES);
		for (uint32_t i = 0; i < SAMPLES; i++)
			c->samples.at[*at - 1 + i].pos = UINT32_MAX;
	}
	seen = *at >> 32;
	k = seen < SAMPLES ? seen : next_random(c) % (seen + 1);
	if (k < SAMPLES && (k || !seen)) /* sample 0 is never replaced */
		c->samples.at[(uint32_t)*at - 1 + k] = s;
	if (seen < UINT32_MAX)
		*at += 1ull << 32;
}

static void find_samples(struct chooser *c)
{
	for (uint32_t t = 0; t < c->ix->nthreads; t++)
		vec_each (&c->ix->threads[t].at, i) {
			const struct ix_entry *e = ix_at(c->ix, t, i);

			if (e->place == IX_NO_PLACE ||
				(e->kind == IX_SYNC && !is_nested(c, t, i)))
				continue;
			if (e->kind != IX_SYNC)
				++*map_put(&c->counts, e->place);
			offer_sample(c, t, i);
		}
	c->st->places = c->counts.n;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static uint64_t key_of(uint32_t a, uint32_t b)
{
	return hash_u64((uint64_t)MIN(a, b) << 32 | MAX(a, b));
}

static bool do_conflict(const struct ix_entry *a, const struct ix_entry *b)
{
	return (a->kind == IX_WRITE || b->kind == IX_WRITE);
}

static bool ordered_by_locks(const struct chooser *c, const struct ix_entry *a,
	const struct ix_entry *b)
{
	if ((a->flags & b->flags & IX_ATOMIC))
		return true;
	return a->locks && b->locks && lockset_meet(&c->ix->x->sets, a->locks, b->locks);
}

static void add_pair(struct chooser *c, uint32_t t, uint32_t a, uint32_t u, uint32_t b)
{
	const struct ix_entry *x = ix_at(c->ix, t, a), *y = ix_at(c->ix, u, b);
	uint64_t often = map_get_or(&c->counts, x->place, 1) + map_get_or(&c->counts, y->place, 1);
	uint32_t rank = 0;

	if (y->place == IX_NO_PLACE || c->pairs.n >= MAX_PAIRS)
		return;
	while (often > 1) {
		often /= 2;
		rank++;
	}
	if (x->kind != IX_SYNC && ordered_by_locks(c, x, y))
		rank += 64;
	vec_push(&c->pairs, (struct pair){t, a, u, b, key_of(x->place, y->place), rank});
}

/* Pairs the sample with the nearest accesses of another thread to the cell: two before it in the
 * observed order, and two after it. */
static void pair_near(struct chooser *c, const struct sample *s, const struct ix_user *u)
{
	const struct ix *ix = c->ix;
	uint32_t rank = ix->rank[ix->threads[s->thread].first + s->pos];
	uint32_t first = ix->threads[u->thread].first;
	uint32_t lo = lower_bound(u->first, u->first + u->n, n, ix->rank[ix->uses[n]], rank);

	for (uint32_t k = MAX(lo, u->first + 2) - 2; k < MIN(lo + 2, u->first + u->n); k++)
		if (do_conflict(ix_at(ix, s->thread, s->pos),
			    ix_at(ix, u->thread, ix->uses[k] - first)))
			add_pair(c, s->thread, s->pos, u->thread, ix->uses[k] - first);
}

static void pair_cell(struct chooser *c, const struct sample *s)
{
	const struct ix *ix = c->ix;

	for (uint32_t i = ix->user_first[s->what]; i < ix->user_first[s->what + 1]; i++)
		if (ix->users.at[i].thread != s->thread)
			pair_near(c, s, &ix->users.at[i]);
}

static int compare_sample(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* Pairs the samples [from, to), which have one cell, at any time. */
static void pair_far(struct chooser *c, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		for (uint32_t k = i + 1; k < to && n < CELL_PAIRS; k++) {
			const struct sample *a = &c->samples.at[i], *b = &c->samples.at[k];

			if (a->thread == b->thread || !do_conflict(ix_at(c->ix, a->thread, a->pos),
							      ix_at(c->ix, b->thread, b->pos)))
				continue;
			add_pair(c, a->thread, a->pos, b->thread, b->pos);
			n++;
		}
}

static bool holds_lock(const struct chooser *c, const struct sample *s, uint64_t lock)
{
	const struct lockset *l = lockset_get(&c->ix->x->sets, ix_at(c->ix, s->thread, s->pos)->locks);

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] == lock)
			return true;
	return false;
}

/* Pairs locks that are taken in opposite orders. */
static void pair_locks(struct chooser *c, const struct sample *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (s[i].thread != s[k].thread &&
				holds_lock(
					c, &s[i], ix_sync(c->ix, s[k].thread, s[k].pos)->object) &&
				holds_lock(c, &s[k], ix_sync(c->ix, s[i].thread, s[i].pos)->object))
				add_pair(c, s[i].thread, s[i].pos, s[k].thread, s[k].pos);
}

static int compare_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static void find_pairs(struct chooser *c)
{
	VEC(struct sample) locks = {0};
	uint32_t n = 0;

	vec_each (&c->samples, i) {
		struct sample s = c->samples.at[i];

		if (s.pos == UINT32_MAX)
			continue;
		if (ix_at(c->ix, s.thread, s.pos)->kind == IX_SYNC)
			vec_push(&locks, s);
		else
			c->samples.at[n++] = s;
	}
	c->samples.n = n;
	vec_each (&c->samples, i)
		pair_cell(c, &c->samples.at[i]);
	if (n)
		qsort(c->samples.at, n, sizeof *c->samples.at, compare_sample);
	for (uint32_t i = 0, end; i < n && c->opt->kind == PARTITION_DISTRIBUTED; i = end) {
		for (end = i; end < n && c->samples.at[end].what == c->samples.at[i].what;)
			end++;
		pair_far(c, i, end);
	}
	pair_locks(c, locks.at, MIN(locks.n, 500u));
	vec_release(&locks);
	if (c->pairs.n)
		qsort(c->pairs.at, c->pairs.n, sizeof *c->pairs.at, compare_pair);
}

/* ---- chunks --------------------------------------------------------------------------------- */

static void place_cut(const struct chooser *c, const struct pair *p, uint32_t before,
	struct chunk *k)
{
	const struct ix *ix = c->ix;
	uint32_t a = p->a - MIN(p->a, before), b = p->b - MIN(p->b, before);
	uint32_t rank = MIN(ix->rank[ix->threads[p->t].first + a],
		ix->rank[ix->threads[p->u].first + b]);

	for (uint32_t t = 0; t < ix->nthreads; t++)
		k->from[t] = ix_before(ix, t, rank);
}

static uint32_t place_window(const struct chooser *c, const struct pair *p, uint32_t before,
	struct chunk *k)
{
	const struct ix *ix = c->ix;
	uint32_t rank = MIN(ix->rank[ix->threads[p->t].first + p->a],
		ix->rank[ix->threads[p->u].first + p->b]);

	rank -= MIN(rank, before);
	for (uint32_t t = 0; t < ix->nthreads; t++)
		k->from[t] = ix_before(ix, t, rank);
	return rank + c->opt->chunk;
}

/* Makes the chunk that contains both entries of the pair; false if the prefix or the end of the
 * chunk excludes one of them. */
static bool make_chunk(const struct chooser *c, const struct pair *p, uint32_t before,
	struct chunk *k)
{
	const struct ix *ix = c->ix;
	uint32_t end = 0;

	if (c->opt->kind == PARTITION_DISTRIBUTED) {
		k->from[p->t] = p->a - MIN(p->a, before);
		k->from[p->u] = p->b - MIN(p->b, before);
	} else if (c->opt->kind == PARTITION_CUT) {
		place_cut(c, p, before, k);
	} else {
		end = place_window(c, p, before, k);
	}
	if (!chunk_close(c->p, k))
		return false;
	for (uint32_t t = 0; t < ix->nthreads; t++)
		k->to[t] = end ? MAX(k->from[t], ix_before(ix, t, end))
			       : k->from[t] + c->opt->chunk;
	chunk_trim(c->p, k);
	return k->from[p->t] <= p->a && p->a < k->to[p->t] && k->from[p->u] <= p->b &&
	       p->b < k->to[p->u];
}

static bool is_new(struct chooser *c, const struct chunk *k)
{
	uint64_t h = 0, *at;

	for (uint32_t t = 0; t < c->ix->nthreads; t++)
		h = hash_u64(h ^ ((uint64_t)k->from[t] << 32 | k->to[t]));
	at = map_put(&c->chunks, h);
	return !(*at)++;
}

/* Marks the pairs of places that the chunk has. */
static void note_chunk(struct chooser *c, const struct chunk *k)
{
	const struct ix *ix = c->ix;
	VEC(struct sample) all = {0};

	for (uint32_t t = 0; t < ix->nthreads; t++) {
		c->st->inside += k->to[t] - k->from[t];
		for (uint32_t i = k->from[t]; i < k->to[t]; i++) {
			const struct ix_entry *e = ix_at(ix, t, i);

			if (e->kind == IX_SYNC || e->place == IX_NO_PLACE)
				continue;
			if (!bitset_has(&c->covered, e->place))
				c->st->covered++;
			bitset_add(&c->covered, e->place);
			vec_push(&all, (struct sample){t, i, e->place, e->what});
		}
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, compare_sample);
	for (uint32_t i = 0; i < all.n; i++)
		for (uint32_t n = i + 1; n < MIN(all.n, i + CELL_PAIRS) &&
					all.at[n].what == all.at[i].what;
			n++)
			if (all.at[n].thread != all.at[i].thread)
				*map_put(&c->had, key_of(all.at[i].place, all.at[n].place)) = 1;
	vec_release(&all);
}

/* Makes a chunk for the pair, with different numbers of entries before the pair until one succeeds:
 * the closure of the prefix may extend over the pair. */
static bool take_pair(struct chooser *c, const struct pair *p)
{
	uint32_t n = c->opt->chunk, before[] = {n / 2, n - n / 8, n / 8};

	for (uint32_t i = 0; i < ARRAY_SIZE(before); i++) {
		struct chunk k;

		chunk_init(&k, c->ix);
		if (make_chunk(c, p, before[i], &k)) {
			if (!is_new(c, &k)) {
				chunk_release(&k);
				return true;
			}
			note_chunk(c, &k);
			vec_push(c->out, k);
			c->st->taken++;
			return true;
		}
		chunk_release(&k);
	}
	c->st->empty++;
	return false;
}

enum { TRIES = 8 }; /* limit of failures for pairs with the same two places */

/* ---- pairs of no chunk ---------------------------------------------------------------------- */

enum { FAR_PAIRS = 32 };

static void add_far(struct chooser *c, const struct pair *p)
{
	struct far_pair f;

	if (c->opt->kind != PARTITION_DISTRIBUTED || c->opt->only || c->far->n == FAR_PAIRS ||
		map_get(&c->apart, p->key) || map_get(&c->had, p->key) ||
		!far_pair_plan(c->p, p->t, p->a, p->u, p->b, &f))
		return;
	*map_put(&c->apart, p->key) = 1;
	f.key = p->key;
	vec_push(c->far, f);
}

/* Other chunks have some of the places by now. */
static void drop_met_pairs(struct chooser *c)
{
	uint32_t n = 0;

	vec_each (c->far, i)
		if (map_get(&c->had, c->far->at[i].key))
			far_pair_release(&c->far->at[i]);
		else
			c->far->at[n++] = c->far->at[i];
	c->far->n = c->st->far = n;
}

void choose_chunks(const struct past_tables *p, const struct partition_options *opt, double until,
	struct chunks *out, struct far_pairs *far, struct partition_stats *st)
{
	struct chooser c = {.ix = p->ix,
		.p = p,
		.opt = opt,
		.until = until,
		.out = out,
		.far = far,
		.st = st,
		.seed = 1};
	uint32_t thread[2], pos[2];

	find_samples(&c);
	if (!opt->only)
		find_pairs(&c);
	else if (far_pair_find(c.ix, opt->only, thread, pos))
		add_pair(&c, thread[0], pos[0], thread[1], pos[1]);
	for (uint32_t round = 0; round < 2; round++)
		vec_each (&c.pairs, i) {
			const struct pair *q = &c.pairs.at[i];

			if (out->n >= opt->max_chunks || clock_seconds() > until)
				break;
			if (map_get_or(&c.tries, q->key, 0) > TRIES ||
				(!round && map_get(&c.had, q->key)))
				continue;
			if (!take_pair(&c, q)) {
				++*map_put(&c.tries, q->key);
				add_far(&c, q);
			}
		}
	drop_met_pairs(&c);
	map_release(&c.counts);
	map_release(&c.by_key);
	map_release(&c.had);
	map_release(&c.tries);
	map_release(&c.apart);
	map_release(&c.chunks);
	bitset_release(&c.covered);
	vec_release(&c.samples);
	vec_release(&c.pairs);
}
