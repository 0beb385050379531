#include "predict/access_streams.h"

#include "base/hash.h"
#include "ctp/ctp_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- locksets ------------------------------------------------------------------------------- */

static int by_object(const void *x, const void *y)
{
	const struct held_lock *a = x, *b = y;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (int)a->shared - (int)b->shared;
}

static uint32_t intern_set(struct access_streams *u, struct held_lock *at, uint32_t n)
{
	uint64_t h = n, *id;
	uint32_t before = u->set_by_hash.n;

	if (!n)
		return 0;
	qsort(at, n, sizeof *at, by_object);
	for (uint32_t i = 0; i < n; i++)
		h = hash_u64(h ^ hash_u64(2 * at[i].object + at[i].shared));
	id = map_put(&u->set_by_hash, h);
	if (u->set_by_hash.n != before) {
		*id = u->sets.n;
		vec_push(&u->sets, (struct lockset){u->locks.n, n});
		for (uint32_t i = 0; i < n; i++)
			vec_push(&u->locks, at[i]);
	}
	return (uint32_t)*id;
}

static uint32_t set_at(struct access_streams *u, const struct ctp *c, const struct mhb *mhb,
	uint32_t e, struct vec_u32 *tmp)
{
	VEC(struct held_lock) locks = {0};
	uint32_t id;

	vec_clear(tmp);
	mhb_held(mhb, e, tmp);
	vec_each (tmp, i) {
		const struct ctp_region *r = &c->regions.at[tmp->at[i]];

		vec_push(&locks, (struct held_lock){r->object, r->shared});
	}
	id = intern_set(u, locks.at, locks.n);
	vec_release(&locks);
	return id;
}

bool access_streams_exclude(const struct access_streams *u, uint32_t a, uint32_t b)
{
	const struct lockset *x = &u->sets.at[a], *y = &u->sets.at[b];

	for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
		const struct held_lock *p = &u->locks.at[x->first + i],
				       *q = &u->locks.at[y->first + k];

		if (p->object == q->object && !(p->shared && q->shared))
			return true;
		/* of one object the exclusive comes first, so a match cannot be stepped over */
		if (p->object < q->object || (p->object == q->object && p->shared && !q->shared))
			i++;
		else
			k++;
	}
	return false;
}

/* ---- building ------------------------------------------------------------------------------- */

static int by_stream(const void *x, const void *y)
{
	const struct stream_access *a = x, *b = y;

#define BY(field)                                                                                  \
	if (a->field != b->field)                                                                  \
	return a->field < b->field ? -1 : 1
	BY(cell);
	BY(thread);
	BY(place);
	BY(locks);
	BY(write);
	BY(atomic);
	BY(event);
#undef BY
	return 0;
}

static bool same_stream(const struct stream_access *a, const struct stream_access *b)
{
	return a->cell == b->cell && a->thread == b->thread && a->place == b->place &&
	       a->locks == b->locks && a->write == b->write && a->atomic == b->atomic;
}

static void collect_accesses(struct access_streams *u, const struct ctp *c, const struct mhb *mhb)
{
	struct vec_u32 tmp = {0};
	uint32_t thread = CTP_NONE, set = 0;
	bool stale = true;

	vec_each (&c->events, i) {
		const struct ctp_event *e = ctp_at(c, i);

		/* what is held changes only where a region begins or ends, or is given back by
		 * another */
		if (e->thread != thread || e->region != CTP_NONE || e->kind == CTP_WAIT)
			stale = true;
		thread = e->thread;
		if (!ctp_is_access(e->kind))
			continue;
		if (stale)
			set = set_at(u, c, mhb, i, &tmp);
		stale = false;
		for (uint32_t k = 0; k < e->n; k++) {
			const struct ctp_access *a = &c->accesses.at[e->first + k];

			vec_push(&u->at, (struct stream_access){.cell = a->cell,
						 .event = i,
						 .thread = e->thread,
						 .place = ctp_places_hash(c, &i, 1),
						 .locks = set,
						 .write = a->value.id && ctp_writes(c, i),
						 .atomic = e->flags & CTP_ATOMIC});
		}
	}
	vec_release(&tmp);
}

void access_streams_build(struct access_streams *u, const struct ctp *c, const struct mhb *mhb)
{
	memset(u, 0, sizeof *u);
	vec_push(&u->sets, (struct lockset){0, 0});
	collect_accesses(u, c, mhb);
	if (u->at.n)
		qsort(u->at.at, u->at.n, sizeof *u->at.at, by_stream);
	vec_resize(&u->by_cell, c->cells.n + 1);
	vec_each (&u->at, i) {
		if (!i || !same_stream(&u->at.at[i - 1], &u->at.at[i])) {
			vec_push(&u->streams, (struct stream){i, 0});
			u->by_cell.at[u->at.at[i].cell + 1]++;
		}
		vec_last(&u->streams).n++;
	}
	for (uint32_t i = 1; i < u->by_cell.n; i++)
		u->by_cell.at[i] += u->by_cell.at[i - 1];
	assert(vec_last(&u->by_cell) == u->streams.n);
}

void access_streams_release(struct access_streams *u)
{
	vec_release(&u->at);
	vec_release(&u->streams);
	vec_release(&u->by_cell);
	vec_release(&u->locks);
	vec_release(&u->sets);
	map_release(&u->set_by_hash);
}
