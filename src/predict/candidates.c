#include "predict/candidates.h"

#include "base/hash.h"
#include "base/strbuf.h"
#include "explain/places.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct candidate *candidates_add(struct candidates *cs, enum fault kind, uint32_t goal,
	const uint32_t *keys, uint32_t nkeys)
{
	struct candidate *k = vec_add(&cs->at);

	assert(nkeys && kind < (uint32_t)NPREDICTED);
	for (uint32_t i = 0; i < nkeys; i++)
		assert(keys[i] < cs->c->events.n);
	k->v.kind = kind;
	k->v.goal = goal;
	k->v.nkeys = MIN(nkeys, (uint32_t)VIOLATION_KEYS);
	memcpy(k->v.key, keys, k->v.nkeys * sizeof *keys);
	return k;
}

static void candidate_release(struct candidate *cand)
{
	query_release(&cand->query);
	free(cand->v.title);
	free(cand->v.detail);
}

void candidates_release(struct candidates *cs)
{
	vec_each (&cs->at, i)
		candidate_release(&cs->at.at[i]);
	vec_release(&cs->at);
	vec_each (&cs->limits, i)
		free(cs->limits.at[i]);
	vec_release(&cs->limits);
}

void candidates_limit(struct candidates *cs, const char *fmt, ...)
{
	struct strbuf b = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	vec_each (&cs->limits, i)
		if (!strcmp(cs->limits.at[i], b.s)) {
			strbuf_release(&b);
			return;
		}
	vec_push(&cs->limits, strbuf_detach(&b));
}

/* ---- groups --------------------------------------------------------------------------------- */

uint64_t group_of_list(
	const struct ctp *c, enum fault kind, const uint32_t *events, uint32_t n)
{
	return hash_u64(ctp_places_hash(c, events, n) + kind);
}

uint64_t group_of_set(
	const struct ctp *c, enum fault kind, const uint32_t *events, uint32_t n)
{
	VEC(uint64_t) seen = {0};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t h = ctp_places_hash(c, &events[i], 1);
		bool old = false;

		vec_each (&seen, k)
			old |= seen.at[k] == h;
		if (!old) {
			vec_push(&seen, h);
			sum += hash_u64(h);
		}
	}
	vec_release(&seen);
	return hash_u64(sum + kind);
}

void query_changes(struct query *q, const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	if (e->kind != CTP_RMW)
		return;
	for (uint32_t i = 0; i < e->n; i++) {
		const struct ctp_access *a = &c->accesses.at[e->first + i];

		term_t ne = a->sym.id && a->value.id ? term_ne(c->ts, a->sym, a->value) : TERM_NONE;
		u128 v;

		if (ne.id && !term_is_const(c->ts, ne, &v))
			query_holds(q, ne);
	}
}

uint32_t rank_distance(const struct ctp *c, uint32_t a, uint32_t b)
{
	/* what is under way at the end has no rank */
	uint32_t x = MIN(ctp_at(c, a)->rank, c->order.n), y = MIN(ctp_at(c, b)->rank, c->order.n);

	return x < y ? y - x : x - y;
}

/* ---- titles --------------------------------------------------------------------------------- */

char *title_of_access(const struct ctp *c, enum fault kind, uint32_t event)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%s on '", fault_words[kind].title);
	ctp_name_access(c, event, &b);
	strbuf_addc(&b, '\'');
	return strbuf_detach(&b);
}

char *title_of_object(const struct ctp *c, enum fault kind, uint64_t object)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%s of ", fault_words[kind].title);
	ctp_name_object(c, object, &b);
	return strbuf_detach(&b);
}

char *title_of_place(const struct ctp *c, enum fault kind, uint32_t event)
{
	struct finding_place p;
	char *s;

	place_of_event(c, event, &p);
	s = p.function ? xasprintf("%s in '%s'", fault_words[kind].title, p.function)
		       : xstrdup(fault_words[kind].title);
	finding_place_release(&p);
	return s;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

bool pair_groups_wants(struct pair_groups *pg, uint64_t group, uint32_t cost)
{
	uint64_t at = map_get_or(&pg->by_group, group, UINT64_MAX);
	struct pair_group *g;

	if (at == UINT64_MAX)
		return true;
	g = &pg->at.at[at];
	if (g->at.n < GROUP_TRIES || cost < g->at.at[0].cost)
		return true;
	g->cut = true;
	return false;
}

static void sift_up(struct pair *at, uint32_t i)
{
	while (i && at[(i - 1) / 2].cost < at[i].cost) {
		struct pair t = at[i];

		at[i] = at[(i - 1) / 2];
		at[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

static void sift_down(struct pair *at, uint32_t n)
{
	for (uint32_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
		struct pair t = at[i];

		if (k + 1 < n && at[k + 1].cost > at[k].cost)
			k++;
		if (at[k].cost <= at[i].cost)
			return;
		at[i] = at[k];
		at[k] = t;
	}
}

void pair_groups_offer(struct pair_groups *pg, uint64_t group, struct pair p)
{
	uint32_t before = pg->by_group.n;
	uint64_t *at = map_put(&pg->by_group, group);
	struct pair_group *g;

	if (pg->by_group.n != before) {
		*at = pg->at.n;
		vec_push(&pg->at, (struct pair_group){.group = group});
	}
	g = &pg->at.at[*at];
	if (g->at.n < GROUP_TRIES) {
		vec_push(&g->at, p);
		sift_up(g->at.at, g->at.n - 1);
		return;
	}
	g->cut = true;
	assert(g->at.n == GROUP_TRIES);
	if (p.cost < g->at.at[0].cost) {
		g->at.at[0] = p;
		sift_down(g->at.at, g->at.n);
	}
}

void pair_groups_cut(struct pair_groups *pg, uint64_t group)
{
	uint64_t at = map_get_or(&pg->by_group, group, UINT64_MAX);

	if (at != UINT64_MAX)
		pg->at.at[at].cut = true;
}

void pair_groups_release(struct pair_groups *pg)
{
	vec_each (&pg->at, i)
		vec_release(&pg->at.at[i].at);
	vec_release(&pg->at);
	map_release(&pg->by_group);
}
