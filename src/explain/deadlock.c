#include "explain/deadlock.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ctp/ctp_names.h"
#include "log/faults.h"

/* ---- title ---------------------------------------------------------------------------------- */

char *deadlock_title(const struct ctp *c, const uint32_t *events, uint32_t n)
{
	struct strbuf b = {0};
	uint32_t named = 0;

	strbuf_adds(&b, fault_words[FAULT_DEADLOCK].title);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t o = ctp_at(c, events[i])->object;
		bool old = !o || ctp_at(c, events[i])->kind == CTP_JOIN; /* a thread has no name */

		for (uint32_t k = 0; k < i; k++)
			old |= ctp_at(c, events[k])->object == o;
		if (old)
			continue;
		if (named == 4) {
			strbuf_adds(&b, ", …");
			break;
		}
		strbuf_adds(&b, named++ ? ", " : " of ");
		ctp_name_object(c, o, &b);
	}
	return strbuf_detach(&b);
}

/* ---- the cycle of a run that hangs ----------------------------------------------------------- */

struct cycle {
	const struct ctp *c;
	uint32_t *key; /* the path so far */
	uint32_t n, max;
	struct bitset seen; /* threads that were on the path */
};

/* The operation that the thread had not finished when the run hung; CTP_NONE. */
static uint32_t pending_event(const struct ctp *c, uint32_t thread)
{
	const struct ctp_thread *t = &c->threads.at[thread];

	return t->n && ctp_at(c, t->first + t->n - 1)->flags & CTP_PENDING ? t->first + t->n - 1
									   : CTP_NONE;
}

static bool waits_for(const struct ctp *c, const struct ctp_event *e, uint32_t thread)
{
	if (e->kind == CTP_JOIN)
		return ctp_peer(e) == thread;
	if (e->kind != CTP_LOCK && e->kind != CTP_RDLOCK)
		return false;
	vec_each (&c->regions, i) {
		const struct ctp_region *r = &c->regions.at[i];

		if (r->object == e->object && r->thread == thread && r->begin != CTP_NONE &&
			r->end == CTP_NONE && !(r->shared && e->kind == CTP_RDLOCK))
			return true;
	}
	return false;
}

/* Extends the path by threads above its first one until it is closed. */
static bool close_cycle(struct cycle *y)
{
	const struct ctp_event *last = ctp_at(y->c, y->key[y->n - 1]);
	uint32_t first = ctp_at(y->c, y->key[0])->thread;

	if (y->n > 1 && waits_for(y->c, last, first))
		return true;
	for (uint32_t t = first + 1; y->n < y->max && t < y->c->threads.n; t++) {
		uint32_t e = pending_event(y->c, t);

		if (e == CTP_NONE || t == last->thread || !waits_for(y->c, last, t) ||
			!bitset_add(&y->seen, t))
			continue;
		y->key[y->n++] = e;
		if (close_cycle(y))
			return true;
		y->n--;
	}
	return false;
}

uint32_t deadlock_cycle(const struct ctp *c, uint32_t *key, uint32_t max)
{
	struct cycle y = {.c = c, .key = key, .max = max};
	bool closed = false;

	for (uint32_t t = 0; !closed && t < c->threads.n; t++) {
		uint32_t e = pending_event(c, t);

		if (e == CTP_NONE)
			continue;
		bitset_release(&y.seen);
		y.seen = (struct bitset){0};
		key[0] = e;
		y.n = 1;
		closed = close_cycle(&y);
	}
	bitset_release(&y.seen);
	return closed ? y.n : 0;
}
