#include "smt/ask_cache.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 8, MAX_SETS = 40000, MAX_IDS = 4 << 20 };

struct set {
	uint32_t at, n; /* first element and number of elements, in ids */
	uint32_t next;  /* the next set with the same hash; 0: none */
	struct ask_known k;
};

struct near { /* the last sets that contain one element; [0] unsatisfiable, [1] satisfiable */
	uint32_t set[2][NEAR]; /* 0: none */
	uint8_t next[2];       /* the entry to overwrite next */
};

struct ask_cache {
	struct vec_u32 ids;   /* the elements of all sets */
	VEC(struct set) sets; /* [0] is unused */
	struct map by_hash;   /* hash -> the first set with it */
	struct map near_of;   /* element -> index in near + 1 */
	VEC(struct near) near;
};

struct ask_cache *ask_cache_new(void)
{
	struct ask_cache *c = xcalloc(1, sizeof *c);

	vec_add(&c->sets);
	return c;
}

void ask_cache_free(struct ask_cache *c)
{
	if (!c)
		return;
	vec_release(&c->ids);
	vec_release(&c->sets);
	map_release(&c->by_hash);
	map_release(&c->near_of);
	vec_release(&c->near);
	free(c);
}

bool ask_cache_full(const struct ask_cache *c)
{
	return c->sets.n > MAX_SETS || c->ids.n > MAX_IDS;
}

void ask_cache_drop(struct ask_cache *c)
{
	vec_clear(&c->ids);
	c->sets.n = 1;
	map_clear(&c->by_hash);
	map_clear(&c->near_of);
	vec_clear(&c->near);
}

static uint64_t hash_of(const struct vec_u32 *set)
{
	return hash_bytes(set->at, set->n * sizeof *set->at);
}

static struct set *find_exact(struct ask_cache *c, const struct vec_u32 *set)
{
	uint32_t i = (uint32_t)map_get_or(&c->by_hash, hash_of(set), 0);

	for (; i; i = c->sets.at[i].next) {
		struct set *s = &c->sets.at[i];

		if (s->n == set->n && !memcmp(c->ids.at + s->at, set->at, set->n * sizeof *set->at))
			return s;
	}
	return NULL;
}

/* whether a is a subset of b; both are sorted */
static bool is_subset(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
	uint32_t k = 0;

	if (n > m)
		return false;
	for (uint32_t i = 0; i < n; i++, k++) {
		while (k < m && b[k] < a[i])
			k++;
		if (k == m || b[k] != a[i])
			return false;
	}
	return true;
}

static struct set *find_by(
	struct ask_cache *c, const struct vec_u32 *set, uint32_t key, bool satisfiable)
{
	uint32_t at = (uint32_t)map_get_or(&c->near_of, key, 0);

	for (unsigned i = 0; at && i < NEAR; i++) {
		uint32_t id = c->near.at[at - 1].set[satisfiable][i];
		struct set *s = &c->sets.at[id];
		const uint32_t *ids = c->ids.at + s->at;

		if (id && (satisfiable ? is_subset(set->at, set->n, ids, s->n)
				       : is_subset(ids, s->n, set->at, set->n)))
			return s;
	}
	return NULL;
}

static struct set *find_near(struct ask_cache *c, const struct vec_u32 *set,
	const struct vec_u32 *keys, bool satisfiable)
{
	struct set *s = NULL;

	for (uint32_t i = 0; i < keys->n && !s; i++)
		s = find_by(c, set, keys->at[i], satisfiable);
	return s;
}

bool ask_cache_refutes(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys)
{
	return find_near(c, set, keys, false);
}

bool ask_cache_find(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys,
	struct ask_known *out)
{
	struct set *s = find_exact(c, set);

	if (!s)
		s = find_near(c, set, keys, false);
	if (!s)
		s = find_near(c, set, keys, true);
	if (s)
		*out = s->k;
	return s;
}

static void put_near(struct ask_cache *c, uint32_t element, uint32_t set, bool satisfiable)
{
	uint64_t *at = map_put(&c->near_of, element);
	struct near *n;

	if (!*at) {
		vec_add(&c->near);
		*at = c->near.n;
	}
	n = &c->near.at[*at - 1];
	n->set[satisfiable][n->next[satisfiable]] = set;
	n->next[satisfiable] = (n->next[satisfiable] + 1) % NEAR;
}

void ask_cache_put(struct ask_cache *c, const struct vec_u32 *set, struct ask_known k)
{
	struct set *s = find_exact(c, set);
	uint64_t *first;

	if (!s) {
		first = map_put(&c->by_hash, hash_of(set));
		vec_push(&c->sets, (struct set){c->ids.n, set->n, (uint32_t)*first, {0}});
		*first = c->sets.n - 1;
		vec_each (set, i)
			vec_push(&c->ids, set->at[i]);
		s = &vec_last(&c->sets);
	}
	if (s->k.result == SAT_UNKNOWN && k.result != SAT_UNKNOWN)
		vec_each (set, i)
			put_near(c, set->at[i], (uint32_t)(s - c->sets.at), k.result == SAT_SAT);
	s->k = k;
}
