#include "watch.h"

#include <string.h>

/* ---- accesses
 * ---------------------------------------------------------------------------------------- */

static bool meet(const struct access *a, const struct access *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size &&
	       (a->write || b->write) && !(a->atomic && b->atomic);
}

static void watch_races(struct world *w, const struct lane *a, const struct lane *b)
{
	uint32_t lines[] = {lane_line(w, a), lane_line(w, b)};

	for (uint32_t i = 0; i < a->naccess; i++)
		for (uint32_t k = 0; k < b->naccess; k++)
			if (meet(&a->access[i], &b->access[k]))
				world_saw(w, "race", lines, 2);
}

static bool leaves(const struct heap_block *h, const struct access *a)
{
	return a->addr < h->base || a->addr + a->size > h->base + h->size;
}

static void watch_memory(struct world *w, const struct lane *l)
{
	const struct path_item *it = lane_item(w, l);
	uint32_t line = lane_line(w, l);
	struct heap_block *h;

	if (l->stand != STAND_ACCESS && l->stand != STAND_SYNC && l->stand != STAND_ELSEWHERE)
		return;
	for (uint32_t i = 0; it->kind == PATH_ACCESS && i < l->naccess; i++) {
		h = heap_find(&w->m->heap, l->access[i].addr);
		if (h && h->freed && l->access[i].addr >= h->base &&
			l->access[i].addr < h->base + h->size)
			world_saw_access(w, "use-after-free", line, l->access[i].addr);
		else if (h && !h->freed && leaves(h, &l->access[i])) /* as recorded, maybe */
			world_saw_access(w, "overflow", line, l->access[i].addr);
	}
	if (it->kind == PATH_SYNC && it->sync == LOG_S_FREE && l->object) {
		h = heap_find(&w->m->heap, l->object);
		if (h && h->freed)
			world_saw_access(w, "double-free", line, l->object);
	}
}

void watch_state(struct world *w)
{
	if (w->over)
		return;
	vec_each (&w->lanes, i) {
		const struct lane *a = &w->lanes.at[i];

		watch_memory(w, a);
		for (uint32_t k = i + 1; a->stand == STAND_ACCESS && k < w->lanes.n; k++)
			if (w->lanes.at[k].stand == STAND_ACCESS)
				watch_races(w, a, &w->lanes.at[k]);
	}
}

void watch_fault(struct world *w, uint32_t thread)
{
	uint32_t line = lane_line(w, &w->lanes.at[thread]);

	if (w->res.fate == EXEC_FAULT && w->res.fault == FAULT_DOUBLE_LOCK)
		world_saw(w, "double-lock", &line, 1);
}

/* ---- who waits for whom
 * -------------------------------------------------------------------------------- */

/* The thread holds the lock, as its path up to here says. */
static bool holds(const struct world *w, const struct lane *l, uint64_t object)
{
	const struct path *p = &w->paths->of.at[l->path];
	int n = 0;

	for (uint32_t i = 0; i < l->at && i < p->items.n; i++) {
		const struct path_item *it = &p->items.at[i];

		if (it->kind != PATH_SYNC || it->addr != object)
			continue;
		switch (it->sync) {
		case LOG_S_LOCK:
		case LOG_S_TRYLOCK:
		case LOG_S_RDLOCK:
		case LOG_S_WRLOCK:
		case LOG_S_TRYRDLOCK:
		case LOG_S_TRYWRLOCK:
		case LOG_S_SPIN_LOCK:
		case LOG_S_SPIN_TRYLOCK: n += !it->result; break;
		case LOG_S_UNLOCK:
		case LOG_S_RW_UNLOCK:
		case LOG_S_SPIN_UNLOCK: n -= !it->result; break;
		default: break;
		}
	}
	if (l->stand == STAND_WAIT && lane_item(w, l)->from == object)
		n--; /* given back while it waits */
	return n > 0;
}

enum waits { WAITS_LOCK, WAITS_JOIN, WAITS_ALL };

struct wait {
	uint32_t thread;
	enum waits for_;
	uint64_t lock; /* in the recorded process */
	uint32_t join; /* LOG_NONE */
	bool in;
};

static struct wait wait_of(const struct world *w, uint32_t thread)
{
	const struct lane *l = &w->lanes.at[thread];
	const struct path_item *it = lane_item(w, l);
	struct wait x = {.thread = thread, .in = true, .for_ = WAITS_ALL, .join = LOG_NONE};

	switch (it->sync) {
	case LOG_S_LOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_SPIN_LOCK:
		x.for_ = WAITS_LOCK;
		x.lock = it->addr;
		break;
	case LOG_S_JOIN:
		x.for_ = WAITS_JOIN;
		x.join = world_joined(w, it);
		break;
	case LOG_S_COND_WAIT: /* woken already: it waits for its mutex */
		if (l->stand == STAND_WAIT && w->m->threads.at[thread]->state == THREAD_READY) {
			x.for_ = WAITS_LOCK;
			x.lock = it->from;
		}
		break;
	default: break;
	}
	return x;
}

static bool waits_for(const struct world *w, const struct wait *a, uint32_t thread)
{
	if (a->for_ == WAITS_JOIN)
		return a->join == thread;
	return a->for_ == WAITS_LOCK && a->thread != thread &&
	       holds(w, &w->lanes.at[thread], a->lock);
}

static struct wait *find(struct wait *x, uint32_t n, uint32_t thread)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i].in && x[i].thread == thread)
			return &x[i];
	return NULL;
}

/* Somebody outside of the set may still end the wait. */
static bool may_end(const struct world *w, const struct wait *a, struct wait *x, uint32_t n)
{
	bool hopeless = false, others = false;

	vec_each (&w->lanes, t) {
		bool stuck = find(x, n, t), ended = w->lanes.at[t].stand == STAND_ENDED;

		if (t == a->thread)
			continue;
		others |= !stuck && !ended;
		hopeless |= (stuck || ended) && waits_for(w, a, t);
	}
	return a->for_ == WAITS_ALL ? others : !hopeless;
}

/* ---- cycles
 * ------------------------------------------------------------------------------------------- */

struct cycle {
	struct world *w;
	struct wait *x;
	uint32_t n, depth;
	uint32_t at[16];
};

/* Each cycle is told once, from its lowest thread. */
static void cycles_from(struct cycle *c)
{
	const struct wait *last = &c->x[c->at[c->depth - 1]];
	uint32_t lines[8];

	for (uint32_t i = 0; i < c->n; i++) {
		bool on = false;

		if (!c->x[i].in || !waits_for(c->w, last, c->x[i].thread) || i < c->at[0])
			continue;
		for (uint32_t k = 1; k < c->depth; k++)
			on |= c->at[k] == i;
		if (on)
			continue;
		if (i != c->at[0]) {
			c->at[c->depth++] = i;
			cycles_from(c);
			c->depth--;
			continue;
		}
		for (uint32_t k = 0; k < c->depth; k++)
			lines[k] = lane_line(c->w, &c->w->lanes.at[c->x[c->at[k]].thread]);
		world_saw(c->w, "deadlock", lines, c->depth);
	}
}

/* Which of several waits a stuck state is named by: that for the most elusive event. */
static uint32_t importance(const struct world *w, uint32_t thread)
{
	switch (lane_item(w, &w->lanes.at[thread])->sync) {
	case LOG_S_COND_WAIT: return w->m->threads.at[thread]->state == THREAD_WAITING ? 4 : 0;
	case LOG_S_SEM_WAIT: return 3;
	case LOG_S_BARRIER_ENTER: return 2;
	case LOG_S_JOIN: return 1;
	default: return 0;
	}
}

/* The greatest set of threads none of which anybody outside of it can help. */
static void shrink(const struct world *w, struct wait *x, uint32_t n)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < n; i++)
			if (x[i].in && may_end(w, &x[i], x, n)) {
				x[i].in = false;
				changed = true;
			}
	}
}

void watch_stuck(struct world *w, const struct stuck *s)
{
	struct wait x[16];
	uint32_t n = 0, centre = LOG_NONE;

	if (w->over)
		return;
	vec_each (&w->lanes, t) {
		bool tried = false;

		for (uint32_t i = 0; i < s->n; i++)
			tried |= s->thread[i] == t;
		if (tried || (w->lanes.at[t].stand == STAND_WAIT &&
				     w->m->threads.at[t]->state == THREAD_WAITING))
			x[n++] = wait_of(w, t);
	}
	shrink(w, x, n);
	for (uint32_t i = 0; i < n; i++) {
		struct cycle c = {w, x, n, 1, {i}};

		if (!x[i].in)
			continue;
		cycles_from(&c);
		if (x[i].for_ == WAITS_ALL &&
			(centre == LOG_NONE || importance(w, x[i].thread) > importance(w, centre)))
			centre = x[i].thread;
	}
	if (centre != LOG_NONE) {
		uint32_t line = lane_line(w, &w->lanes.at[centre]);

		world_saw(w, "stuck", &line, 1);
	}
}
