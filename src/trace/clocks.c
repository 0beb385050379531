#include "trace/clocks.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	struct clocks *c;
	const struct history *h;
	struct map objects;   /* address -> index + 1 */
	VEC(uint32_t) clocks; /* clocks of objects, n numbers each */
};

static uint32_t *clock_of(const struct clocks *c, uint32_t thread, uint32_t event)
{
	return &c->at[(size_t)(c->o->base[thread] + event) * c->n];
}

static void join_clocks(uint32_t *to, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = MAX(to[i], from[i]);
}

/* Orders the operation after all earlier operations on the object and before all later ones. */
static void meet_object(struct builder *b, uint64_t object, uint32_t *mine)
{
	uint32_t n = b->c->n, *its;
	uint64_t *at;

	if (!object)
		return;
	at = map_put(&b->objects, object);
	if (!*at) {
		vec_resize(&b->clocks, b->clocks.n + n);
		*at = b->clocks.n / n;
	}
	its = &b->clocks.at[(*at - 1) * n];
	join_clocks(mine, its, n);
	join_clocks(its, mine, n);
}

static void advance_clock(struct builder *b, const struct order_point *p)
{
	const struct sync_event *e = &b->h->threads.at[p->thread].events.at[p->event];
	uint32_t *mine = clock_of(b->c, p->thread, p->event);

	if (p->event)
		join_clocks(mine, mine - b->c->n, b->c->n);
	mine[p->thread] = p->event + 1;
	if (e->kind == SYNC_BEGIN && p->thread < b->c->n) {
		uint32_t parent = b->h->threads.at[p->thread].parent;

		if (b->h->threads.at[p->thread].kind != LOG_T_CREATED || parent >= b->c->n)
			return;
		vec_each (&b->h->threads.at[parent].events, i) {
			const struct sync_event *c = &b->h->threads.at[parent].events.at[i];

			if (c->kind == LOG_S_CREATE && !c->result && c->extra == p->thread)
				join_clocks(mine, clock_of(b->c, parent, i), b->c->n);
		}
	} else if (e->kind == LOG_S_JOIN && !e->result && e->extra < b->c->n &&
		   b->h->threads.at[e->extra].events.n) {
		join_clocks(mine, clock_of(b->c, e->extra, b->h->threads.at[e->extra].events.n - 1),
			b->c->n);
	} else if (e->kind < LOG_S_FORK && e->kind != LOG_S_SEM_OPEN) {
		bool mutex = p->part && (e->kind == LOG_S_COND_WAIT || e->kind == LOG_S_COND_WOKEN);

		meet_object(b, mutex ? e->value : e->object, mine);
	}
}

bool clocks_build(struct clocks *c, const struct sync_order *o, uint64_t limit)
{
	struct builder b = {.c = c, .h = o->h};
	uint64_t events = o->base[o->h->threads.n];

	*c = (struct clocks){.o = o, .n = o->h->threads.n};
	if (o->nfaults || events * c->n * sizeof *c->at > limit)
		return false;
	c->at = xcalloc(events * c->n + 1, sizeof *c->at);
	for (uint32_t r = 0; r < o->n; r++)
		advance_clock(&b, &o->at[r]);
	map_release(&b.objects);
	vec_release(&b.clocks);
	return true;
}

void clocks_release(struct clocks *c)
{
	free(c->at);
}

bool clocks_before(const struct clocks *c, uint32_t t, uint32_t a, uint32_t u, uint32_t b)
{
	const struct sync_thread *th = &c->o->h->threads.at[t];

	if (c->at && clock_of(c, u, b)[t] > a)
		return true;
	/* By time stamps: event a is no later than the next event with a stamp of its own, and
	 * event b is no earlier than its stamp. */
	while (a < th->events.n && !sync_is_stamped(th, a))
		a++;
	return a < th->events.n && th->events.at[a].tsc < c->o->h->threads.at[u].events.at[b].tsc;
}
