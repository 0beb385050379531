#include "cover/schedule.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct last_op { /* the last operation on an object */
	uint32_t thread, node;
};

struct making {
	const struct path *p;
	struct schedule *s;
	struct map counts;  /* hash of thread and place -> executions */
	struct map objects; /* address -> 1 + index in lasts */
	VEC(struct last_op) lasts;
	VEC(struct last_op) after; /* candidates for edges to the current node */
	VEC(struct vec_u32)
	clocks; /* by thread: by thread, the number of nodes that happened before */
	VEC(struct vec_u32 *) before; /* by node in order: the clock after it, owned */
	struct map clock_of;          /* thread << 32 | node -> 1 + index in before */
	struct vec_u32 created; /* by thread: 1 + node of its creation in its creator's list */
	struct vec_u32 creator;
};

static void grow_clock(struct vec_u32 *c, uint32_t n)
{
	if (c->n < n)
		vec_resize(c, n);
}

static void join_clock(struct vec_u32 *to, const struct vec_u32 *from)
{
	grow_clock(to, from->n);
	vec_each (from, i)
		to->at[i] = MAX(to->at[i], from->at[i]);
}

static struct schedule_thread *thread_of(struct making *mk, uint32_t id)
{
	while (mk->s->threads.n <= id) {
		vec_push(&mk->s->threads, (struct schedule_thread){.id = mk->s->threads.n});
		vec_push(&mk->clocks, (struct vec_u32){0});
		vec_push(&mk->created, 0);
		vec_push(&mk->creator, IR_NONE);
	}
	return &mk->s->threads.at[id];
}

/* ---- edges --------------------------------------------------------------------------------------- */

static void add_after(struct making *mk, uint32_t thread, uint32_t node)
{
	vec_push(&mk->after, (struct last_op){thread, node});
}

/* The node of this thread is now the last operation on the object; the one before happens before. */
static void touch_object(struct making *mk, uint64_t object, uint32_t thread, uint32_t node)
{
	uint64_t *v;

	if (!object)
		return;
	v = map_put(&mk->objects, object);
	if (!*v) {
		vec_push(&mk->lasts, (struct last_op){thread, node});
		*v = mk->lasts.n;
		return;
	}
	if (mk->lasts.at[*v - 1].thread != thread)
		add_after(mk, mk->lasts.at[*v - 1].thread, mk->lasts.at[*v - 1].node);
	mk->lasts.at[*v - 1] = (struct last_op){thread, node};
}

static uint64_t node_key(uint32_t thread, uint32_t node)
{
	return (uint64_t)thread << 32 | node;
}

/* The later of two nodes in the order of the path. */
static int by_time(const void *x, const void *y, void *ctx)
{
	struct making *mk = ctx;
	const struct last_op *a = x, *b = y;
	uint64_t i = map_get_or(&mk->clock_of, node_key(a->thread, a->node), 0);
	uint64_t k = map_get_or(&mk->clock_of, node_key(b->thread, b->node), 0);

	return i > k ? -1 : i < k;
}

/* Adds the edges that the others do not imply. */
static void add_edges(struct making *mk, uint32_t thread, uint32_t node)
{
	struct vec_u32 *c = &mk->clocks.at[thread];

	if (mk->after.n)
		qsort_r(mk->after.at, mk->after.n, sizeof *mk->after.at, by_time, mk);
	vec_each (&mk->after, i) {
		struct last_op a = mk->after.at[i];
		uint64_t k = map_get_or(&mk->clock_of, node_key(a.thread, a.node), 0);

		if (a.thread < c->n && c->at[a.thread] > a.node)
			continue;
		vec_push(&mk->s->edges, (struct schedule_edge){a.thread, a.node, thread, node});
		BUG_ON(!k);
		join_clock(c, mk->before.at[k - 1]);
	}
	vec_clear(&mk->after);
	grow_clock(c, thread + 1);
	c->at[thread] = node + 1;
	vec_push(&mk->before, xcalloc(1, sizeof(struct vec_u32)));
	join_clock(mk->before.at[mk->before.n - 1], c);
	*map_put(&mk->clock_of, node_key(thread, node)) = mk->before.n;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static uint32_t count_place(struct making *mk, const struct path_op *o)
{
	uint64_t *v = map_put(
		&mk->counts, hash_u64(o->place ^ hash_u64(o->thread + 1)) + (uint64_t)o->op);

	return (uint32_t)++*v;
}

static void add_node(struct making *mk, const struct path_op *o)
{
	struct schedule_thread *t = thread_of(mk, o->thread);
	struct schedule_node n = {.op = o->op,
		.place = o->place,
		.func = IR_NONE,
		.insn = IR_NONE,
		.count = count_place(mk, o)};
	uint32_t node = t->nodes.n;

	if (o->step != IR_NONE) {
		n.func = mk->p->steps.at[o->step].func;
		n.insn = mk->p->steps.at[o->step].insn;
	}
	vec_push(&t->nodes, n);
	touch_object(mk, o->objects[0], o->thread, node);
	touch_object(mk, o->objects[1], o->thread, node);
	if (o->op == OP_BEGIN && mk->creator.at[o->thread] != IR_NONE)
		add_after(mk, mk->creator.at[o->thread], mk->created.at[o->thread] - 1);
	if (o->op == LOG_S_JOIN && o->other != IR_NONE && o->other < mk->s->threads.n &&
		mk->s->threads.at[o->other].nodes.n)
		add_after(mk, o->other, mk->s->threads.at[o->other].nodes.n - 1);
	if (o->op == LOG_S_CREATE && o->other != IR_NONE) {
		thread_of(mk, o->other)->role = hash_u64(o->place ^ node);
		mk->creator.at[o->other] = o->thread;
		mk->created.at[o->other] = node + 1;
	}
	add_edges(mk, o->thread, node);
}

/* ---- the canonical order of threads ---------------------------------------------------------------- */

static uint64_t hash_nodes(const struct schedule_thread *t)
{
	uint64_t h = hash_u64(t->role);

	vec_each (&t->nodes, i) {
		h = hash_u64(h ^ t->nodes.at[i].place);
		h = hash_u64(h ^ (uint64_t)(int64_t)t->nodes.at[i].op);
	}
	return h;
}

/* Hashes of the threads that do not depend on their numbers: of what they do, then of the threads
 * that they wait for and that wait for them, as often as there are threads. */
static void hash_threads(const struct schedule *s, uint64_t *h)
{
	uint64_t *next = xcalloc(s->threads.n + 1, sizeof *next);

	vec_each (&s->threads, i)
		h[i] = hash_nodes(&s->threads.at[i]);
	vec_each (&s->threads, round) {
		memcpy(next, h, s->threads.n * sizeof *h);
		vec_each (&s->edges, e) {
			const struct schedule_edge *d = &s->edges.at[e];
			uint64_t at = hash_u64((uint64_t)d->from_node << 32 | d->to_node);

			next[d->to] += hash_u64(h[d->from] ^ at);
			next[d->from] += hash_u64(~h[d->to] ^ at);
		}
		memcpy(h, next, s->threads.n * sizeof *h);
	}
	free(next);
}

struct ranked {
	uint64_t hash;
	uint32_t old;
};

static int by_hash(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->old < b->old ? -1 : a->old > b->old;
}

static int by_target(const void *x, const void *y)
{
	const struct schedule_edge *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->to_node != b->to_node)
		return a->to_node < b->to_node ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->from_node < b->from_node ? -1 : a->from_node > b->from_node;
}

static uint64_t hash_schedule(const struct schedule *s)
{
	uint64_t h = hash_u64((uint64_t)s->end + 1);

	vec_each (&s->threads, i)
		h = hash_u64(h ^ hash_nodes(&s->threads.at[i]));
	vec_each (&s->edges, i) {
		const struct schedule_edge *e = &s->edges.at[i];

		h = hash_u64(h ^ ((uint64_t)e->from << 32 | e->from_node));
		h = hash_u64(h ^ ((uint64_t)e->to << 32 | e->to_node));
	}
	return h;
}

static void make_canonical(struct schedule *s)
{
	uint32_t n = s->threads.n, *place = xcalloc(n + 1, sizeof *place);
	uint64_t *h = xcalloc(n + 1, sizeof *h);
	struct ranked *order = xcalloc(n + 1, sizeof *order);
	struct schedule_thread *old = xmalloc((n + 1) * sizeof *old);

	hash_threads(s, h);
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct ranked){h[i], i};
	qsort(order, n, sizeof *order, by_hash);
	memcpy(old, s->threads.at, n * sizeof *old);
	for (uint32_t i = 0; i < n; i++) {
		s->threads.at[i] = old[order[i].old];
		place[order[i].old] = i;
	}
	vec_each (&s->edges, i) {
		s->edges.at[i].from = place[s->edges.at[i].from];
		s->edges.at[i].to = place[s->edges.at[i].to];
	}
	if (s->edges.n)
		qsort(s->edges.at, s->edges.n, sizeof *s->edges.at, by_target);
	free(place);
	free(h);
	free(order);
	free(old);
	s->hash = hash_schedule(s);
}

/* Threads without a node, such as those that ended before the epoch, are no part of the schedule. */
static void drop_idle_threads(struct schedule *s)
{
	uint32_t n = 0, *place = xcalloc(s->threads.n + 1, sizeof *place);

	vec_each (&s->threads, i) {
		place[i] = n;
		if (s->threads.at[i].nodes.n)
			s->threads.at[n++] = s->threads.at[i];
		else
			vec_release(&s->threads.at[i].nodes);
	}
	s->threads.n = n;
	vec_each (&s->edges, i) {
		s->edges.at[i].from = place[s->edges.at[i].from];
		s->edges.at[i].to = place[s->edges.at[i].to];
	}
	free(place);
}

/* ---- the whole ------------------------------------------------------------------------------------- */

struct schedule *schedule_make(const struct path *p)
{
	struct schedule *s = xcalloc(1, sizeof *s);
	struct making mk = {.p = p, .s = s};

	s->end = p->end;
	vec_each (&p->starts, i)
		thread_of(&mk, p->starts.at[i].thread)->role = p->starts.at[i].role;
	vec_each (&p->ops, i)
		if (p->ops.at[i].op != SYNC_OP_NONE && !p->ops.at[i].carried)
			add_node(&mk, &p->ops.at[i]);
	vec_each (&mk.clocks, i)
		vec_release(&mk.clocks.at[i]);
	vec_each (&mk.before, i) {
		vec_release(mk.before.at[i]);
		free(mk.before.at[i]);
	}
	vec_release(&mk.clocks);
	vec_release(&mk.before);
	vec_release(&mk.lasts);
	vec_release(&mk.after);
	vec_release(&mk.created);
	vec_release(&mk.creator);
	map_release(&mk.counts);
	map_release(&mk.objects);
	map_release(&mk.clock_of);
	drop_idle_threads(s);
	make_canonical(s);
	return s;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	vec_each (&s->threads, i)
		vec_release(&s->threads.at[i].nodes);
	vec_release(&s->threads);
	vec_release(&s->edges);
	free(s);
}

static bool same_node(const struct schedule_node *a, const struct schedule_node *b)
{
	return a->op == b->op && a->place == b->place && a->count == b->count;
}

static bool same_edges(const struct schedule *a, const struct schedule *b)
{
	if (a->edges.n != b->edges.n)
		return false;
	vec_each (&a->edges, i)
		if (by_target(&a->edges.at[i], &b->edges.at[i]))
			return false;
	return true;
}

bool schedule_same(const struct schedule *a, const struct schedule *b)
{
	if (a->hash != b->hash || a->end != b->end || a->threads.n != b->threads.n ||
		!same_edges(a, b))
		return false;
	vec_each (&a->threads, i) {
		const struct schedule_thread *x = &a->threads.at[i], *y = &b->threads.at[i];

		if (x->role != y->role || x->nodes.n != y->nodes.n)
			return false;
		vec_each (&x->nodes, k)
			if (!same_node(&x->nodes.at[k], &y->nodes.at[k]))
				return false;
	}
	return true;
}

static const struct schedule_thread *find_thread(const struct schedule *s, uint32_t id)
{
	vec_each (&s->threads, i)
		if (s->threads.at[i].id == id)
			return &s->threads.at[i];
	return NULL;
}

static bool has_edge(
	const struct schedule *s, uint32_t from, uint32_t from_node, uint32_t to, uint32_t to_node)
{
	vec_each (&s->edges, i) {
		const struct schedule_edge *e = &s->edges.at[i];

		if (s->threads.at[e->from].id == from && s->threads.at[e->to].id == to &&
			e->from_node == from_node && e->to_node == to_node)
			return true;
	}
	return false;
}

bool schedule_is_prefix(const struct schedule *a, const struct schedule *b)
{
	vec_each (&a->threads, i) {
		const struct schedule_thread *x = &a->threads.at[i], *y = find_thread(b, x->id);

		if (!x->nodes.n)
			continue;
		if (!y || x->role != y->role || x->nodes.n > y->nodes.n)
			return false;
		vec_each (&x->nodes, k)
			if (!same_node(&x->nodes.at[k], &y->nodes.at[k]))
				return false;
	}
	vec_each (&a->edges, i) {
		const struct schedule_edge *e = &a->edges.at[i];

		if (!has_edge(b, a->threads.at[e->from].id, e->from_node, a->threads.at[e->to].id,
			    e->to_node))
			return false;
	}
	return true;
}

/* ---- text ------------------------------------------------------------------------------------------ */

const char *schedule_op_name(int op)
{
	switch (op) {
	case OP_BEGIN: return "begin";
	case OP_END: return "end";
	case OP_MARKER: return "marker";
	}
	return sync_op_name(op);
}
