#include "ctp/merge.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct path { /* the first n events of a thread */
	uint32_t thread, n;
	uint32_t next; /* index + 1 in model.paths of another path with the same hash; 0: none */
};

/*
 * Index of the model while runs are added. Memory of different runs is identified by keys:
 *  - a block by its address, the name of the thread that allocated it, and its number among the
 *    blocks of one run with the same address and thread. On another path the thread may allocate
 *    another object there; it is the same memory. A variable of a stack by its function, too
 *  - a cell by address and block; a cell without a block (of a stack, say) by address and its
 *    number among those of one run with the same address
 */
struct model {
	struct ctp *to;
	struct map groups;  /* name of a thread -> first thread of its group + 1 */
	struct map blocks;  /* key -> block + 1 */
	struct map bytes;   /* key of a byte -> cell + 1 */
	struct map objects; /* address -> object + 1 */
	struct map begins;  /* hash of the first events of a thread -> index in paths + 1 */
	VEC(struct path) paths;
	struct map users; /* hash of barrier and thread name -> 1; barrier -> number of names */
	bool turns;       /* two cells of one run have the same address and no block */
};

struct merge { /* the addition of one run to the model */
	struct model *md;
	struct ctp *to;
	const struct ctp *from;
	uint32_t *group;  /* by thread of from: its group in to */
	uint32_t *thread; /* by thread of from: the thread in to that does the same, or CTP_NONE */
	uint32_t *cell, *block; /* by cell and block of from */
	uint64_t *cell_key, *block_key;
	uint32_t *event;  /* by event of from: event of to; CTP_NONE */
	uint32_t *region; /* by critical section of from; CTP_NONE */
	const char *why;  /* why the run cannot be added; NULL: it can */
};

enum { NEW_GROUP = 1 << 30 }; /* numbers from here on: groups whose final number is not known yet */

static uint32_t *new_table(uint32_t n)
{
	uint32_t *t = xmalloc(((size_t)n + 1) * sizeof *t);

	memset(t, 0xff, ((size_t)n + 1) * sizeof *t);
	return t;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* The thread that allocated a block; the thread and the function of a variable. */
static uint64_t owner_of(const struct ctp *c, const struct ctp_block *b)
{
	const struct ctp_event *free;

	if (b->alloc != CTP_NONE)
		return ctp_thread_name(c, ctp_at(c, b->alloc)->thread);
	if (!b->stack || b->free == CTP_NONE)
		return 0;
	free = ctp_at(c, b->free);
	return hash_mix(ctp_thread_name(c, free->thread), free->func);
}

static void key_blocks(const struct ctp *c, uint64_t *keys)
{
	struct map turn = {0};

	vec_each (&c->blocks, i) {
		const struct ctp_block *b = &c->blocks.at[i];
		uint64_t key = hash_mix(owner_of(c, b), b->addr);

		keys[i] = hash_mix(key, (*map_put(&turn, key))++);
	}
	map_release(&turn);
}

static void key_cells(const struct ctp *c, const uint64_t *blocks, uint64_t *keys, bool *turns)
{
	struct map of_gen = {0}, turn = {0};

	vec_each (&c->blocks, i)
		if (c->blocks.at[i].gen)
			*map_put(&of_gen, c->blocks.at[i].gen) = i + 1;
	vec_each (&c->cells, i) {
		const struct ctp_cell *cell = &c->cells.at[i];
		uint64_t b = cell->gen ? map_get_or(&of_gen, cell->gen, 0) : 0;

		if (b) {
			keys[i] = blocks[b - 1];
			continue;
		}
		keys[i] = (*map_put(&turn, cell->addr))++;
		*turns |= keys[i] > 0;
	}
	map_release(&of_gen);
	map_release(&turn);
}

static uint64_t byte_key(uint64_t key, uint64_t addr)
{
	return hash_mix(key, addr);
}

static void put_cell(struct model *md, uint32_t cell, uint64_t key)
{
	const struct ctp_cell *c = &md->to->cells.at[cell];

	for (uint64_t i = 0; i < c->size; i++)
		*map_put(&md->bytes, byte_key(key, c->addr + i)) = cell + 1;
}

static const char *find_cell(struct merge *m, uint32_t i)
{
	const struct ctp_cell *c = &m->from->cells.at[i];
	bool none = true;

	for (uint64_t k = 0; k < c->size; k++) {
		uint64_t at = map_get_or(&m->md->bytes, byte_key(m->cell_key[i], c->addr + k), 0);
		const struct ctp_cell *o = at ? &m->to->cells.at[at - 1] : NULL;

		if (o && (o->addr != c->addr || o->size != c->size))
			return "its memory has other cells";
		if (o && o->known && c->known && o->initial != c->initial)
			return "its memory has other initial values";
		if (!o && !none)
			return "its memory has other cells";
		if (o)
			m->cell[i] = (uint32_t)at - 1;
		none &= !o;
	}
	return NULL;
}

static const char *find_memory(struct merge *m)
{
	const char *why = NULL;

	key_blocks(m->from, m->block_key);
	key_cells(m->from, m->block_key, m->cell_key, &m->md->turns);
	vec_each (&m->from->blocks, i)
		m->block[i] = (uint32_t)map_get_or(&m->md->blocks, m->block_key[i], 0) - 1;
	for (uint32_t i = 0; i < m->from->cells.n && !why; i++)
		why = find_cell(m, i);
	return why;
}

static void add_memory(struct merge *m)
{
	vec_each (&m->from->blocks, i) {
		struct ctp_block b = m->from->blocks.at[i];

		if (m->block[i] != CTP_NONE) {
			struct ctp_block *to = &m->to->blocks.at[m->block[i]];

			to->size = MAX(to->size, b.size);
			continue;
		}
		b.alloc = b.free = CTP_NONE;
		b.gen = 0;
		m->block[i] = m->to->blocks.n;
		*map_put(&m->md->blocks, m->block_key[i]) = m->block[i] + 1;
		vec_push(&m->to->blocks, b);
	}
	vec_each (&m->from->cells, i) {
		struct ctp_cell c = m->from->cells.at[i];

		if (m->cell[i] != CTP_NONE) {
			struct ctp_cell *to = &m->to->cells.at[m->cell[i]];

			if (c.known && !to->known) {
				to->known = true;
				to->initial = c.initial;
			}
			continue;
		}
		c.gen = 0;
		m->cell[i] = m->to->cells.n;
		vec_push(&m->to->cells, c);
		put_cell(m->md, m->cell[i], m->cell_key[i]);
	}
}

/* ---- objects ----------------------------------------------------------------------------- */

static const char *find_objects(const struct merge *m)
{
	vec_each (&m->from->objects, i) {
		const struct ctp_object *o = &m->from->objects.at[i];
		uint64_t at = map_get_or(&m->md->objects, o->addr, 0);
		const struct ctp_object *known = at ? &m->to->objects.at[at - 1] : NULL;

		if (known &&
			(known->kind != o->kind || (known->initial != o->initial &&
							   known->initial >= 0 && o->initial >= 0)))
			return "it has other locks at the same addresses";
	}
	return NULL;
}

static void add_objects(struct merge *m)
{
	vec_each (&m->from->objects, i) {
		struct ctp_object o = m->from->objects.at[i];
		uint64_t *at = map_put(&m->md->objects, o.addr);

		if (*at) {
			struct ctp_object *to = &m->to->objects.at[*at - 1];

			/* some runs may not show that a mutex is recursive */
			to->type = MAX(to->type, o.type);
			to->initial = MAX(to->initial, o.initial);
			continue;
		}
		o.gen = 0;
		vec_push(&m->to->objects, o);
		*at = m->to->objects.n;
	}
}

/* ---- threads by name --------------------------------------------------------------------- */

static void name_threads(struct merge *m)
{
	uint32_t next = NEW_GROUP;

	vec_each (&m->from->threads, t) {
		uint64_t at = map_get_or(&m->md->groups, ctp_thread_name(m->from, t), 0);

		m->group[t] = at ? (uint32_t)at - 1 : next++;
	}
}

static void put_groups(struct model *md, uint32_t from)
{
	for (uint32_t t = from; t < md->to->threads.n; t++) {
		uint64_t *at = map_put(&md->groups, ctp_thread_name(md->to, t));

		if (!*at)
			*at = t + 1;
	}
}

/* ---- comparison of paths ----------------------------------------------------------------- */

static bool same_term(struct term_subst *s, term_t a, term_t b)
{
	return term_same(a, b) || (a.id && b.id && term_same(a, term_subst(s, b)));
}

static bool same_accesses(const struct merge *m, struct term_subst *s, const struct ctp_event *x,
	const struct ctp_event *y)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct ctp_access *a = &m->to->accesses.at[x->first + i];
		const struct ctp_access *b = &m->from->accesses.at[y->first + i];

		if (a->cell != m->cell[b->cell] || !a->sym.id != !b->sym.id ||
			!a->value.id != !b->value.id)
			return false;
		if (b->sym.id)
			term_subst_put(s, b->sym, a->sym);
		if (!same_term(s, a->value, b->value))
			return false;
	}
	return true;
}

/* The recorded value of a switch may differ between two runs that take the same edge. */
static bool is_switch(enum ctp_kind k)
{
	return k == CTP_BRANCH || k == CTP_ASSERT;
}

static bool same_details(const struct ctp_event *x, const struct ctp_event *y)
{
	if (ctp_has_mutex(x->kind))
		return ctp_mutex(x) == ctp_mutex(y);
	if (ctp_has_round(x->kind))
		return ctp_round(x) == ctp_round(y);
	if (x->kind == CTP_CREATE && ctp_start(x)->function != ctp_start(y)->function)
		return false;
	return is_switch(x->kind) ||
	       (ctp_recorded(x) == ctp_recorded(y) && ctp_base(x) == ctp_base(y));
}

static bool same_event(const struct merge *m, struct term_subst *s, const struct ctp_event *x,
	const struct ctp_event *y)
{
	return x->kind == y->kind && x->flags == y->flags && x->func == y->func &&
	       x->insn == y->insn && x->point == y->point && x->object == y->object &&
	       x->n == y->n && x->size == y->size && same_details(x, y) &&
	       same_accesses(m, s, x, y) && same_term(s, x->cond, y->cond) &&
	       same_term(s, x->operand, y->operand);
}

/* Whether the first n events of thread t of the model and u of the run are the same. */
static bool same_events(const struct merge *m, uint32_t t, uint32_t u, uint32_t n)
{
	const struct ctp_thread *a = &m->to->threads.at[t], *b = &m->from->threads.at[u];
	struct term_subst s;
	bool same = true;

	term_subst_init(&s, m->to->ts);
	for (uint32_t i = 0; i < n && same; i++)
		same = same_event(
			m, &s, ctp_at(m->to, a->first + i), ctp_at(m->from, b->first + i));
	term_subst_release(&s);
	return same;
}

static uint64_t hash_event(uint64_t h, const struct ctp_event *e)
{
	h = hash_mix(h, (uint64_t)e->kind << 48 ^ (uint64_t)e->func << 24 ^ e->insn);
	h = hash_mix(h, e->point);
	return hash_mix(h, is_switch(e->kind) ? 0 : e->object ^ ctp_recorded(e));
}

static void put_path(struct model *md, uint64_t hash, uint32_t thread, uint32_t n)
{
	uint64_t *at = map_put(&md->begins, hash);

	vec_push(&md->paths, (struct path){thread, n, (uint32_t)*at});
	*at = md->paths.n;
}

/* Adds all prefixes of the threads to model.paths. */
static void put_paths(struct model *md, uint32_t from)
{
	for (uint32_t t = from; t < md->to->threads.n; t++) {
		const struct ctp_thread *th = &md->to->threads.at[t];
		uint64_t h = ctp_thread_name(md->to, t);

		for (uint32_t i = 0; i < th->n; i++) {
			h = hash_event(h, ctp_at(md->to, th->first + i));
			put_path(md, h, t, i + 1);
		}
	}
}

/* A thread of the model with the same events; if u was cut, with the same and more events. */
static uint32_t find_path(const struct merge *m, uint32_t u)
{
	const struct ctp_thread *b = &m->from->threads.at[u];
	bool pending = b->n && (ctp_at(m->from, b->first + b->n - 1)->flags & CTP_PENDING);
	uint32_t n = b->n - (b->cut && pending);
	uint64_t h = ctp_thread_name(m->from, u), at;

	for (uint32_t i = 0; i < n; i++)
		h = hash_event(h, ctp_at(m->from, b->first + i));
	at = map_get_or(&m->md->begins, h, 0);
	for (; at; at = m->md->paths.at[at - 1].next) {
		const struct path *p = &m->md->paths.at[at - 1];
		const struct ctp_thread *a = &m->to->threads.at[p->thread];

		if (p->n != n || ctp_group(m->to, p->thread) != m->group[u])
			continue;
		if (!b->cut && (a->n != n || a->cut))
			continue;
		/* the thread of the model must have an event in the place of the pending one */
		if (pending && a->n == n)
			continue;
		if (same_events(m, p->thread, u, n))
			return p->thread;
	}
	return CTP_NONE;
}

static void match_threads(struct merge *m)
{
	vec_each (&m->from->threads, u) {
		const struct ctp_thread *b = &m->from->threads.at[u];

		m->thread[u] = find_path(m, u);
		for (uint32_t i = 0; i < b->n; i++)
			m->event[b->first + i] =
				m->thread[u] == CTP_NONE
					? CTP_NONE
					: m->to->threads.at[m->thread[u]].first + i;
	}
}

/* ---- barriers and onces, which alternatives can contradict -------------------------------- */

/* Adds the threads of c that use the barrier; returns how many thread names use it in all. */
static uint32_t count_users(struct model *md, const struct ctp *c, uint64_t object)
{
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);
		uint64_t *seen;

		if (ev->kind != CTP_BARRIER_ENTER || ev->object != object)
			continue;
		seen = map_put(&md->users, hash_mix(object, ctp_thread_name(c, ev->thread)));
		if (!*seen)
			++*map_put(&md->users, object);
		*seen = 1;
	}
	return (uint32_t)map_get_or(&md->users, object, 0);
}

/* The number of a round in a thread identifies the round only if all threads that use the barrier
 * enter each round: the barrier must not have more users than it waits for. */
static bool rounds_fit(struct merge *m, const struct ctp_event *ev)
{
	uint64_t at = map_get_or(&m->md->objects, ev->object, 0);
	int64_t count = at ? m->to->objects.at[at - 1].initial : -1;
	const struct ctp_object *own = ctp_object(m->from, ev->object);
	uint32_t n;

	if (count < 0 && own)
		count = own->initial;
	count_users(m->md, m->to, ev->object);
	n = count_users(m->md, m->from, ev->object);
	return count > 0 && n <= count;
}

/* The name of the thread that runs the routine of a once; 0: none. */
static uint64_t find_runner(const struct ctp *c, uint64_t object)
{
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_ONCE && ev->object == object && ctp_runner(ev) != CTP_NONE)
			return ctp_thread_name(c, ctp_at(c, ctp_runner(ev))->thread);
	}
	return 0;
}

static bool runner_fits(const struct merge *m, uint64_t object)
{
	uint64_t a = find_runner(m->to, object), b = find_runner(m->from, object);

	return !a || !b || a == b;
}

static const char *find_mixed(struct merge *m)
{
	struct map seen = {0};
	const char *why = NULL;

	vec_each (&m->from->regions, i)
		if (m->from->regions.at[i].foreign)
			why = "a thread unlocks a lock that another thread locked";
	for (uint32_t e = 0; e < m->from->events.n && !why; e++) {
		const struct ctp_event *ev = ctp_at(m->from, e);
		uint64_t *done;

		if (ev->kind != CTP_BARRIER_ENTER && ev->kind != CTP_ONCE)
			continue;
		done = map_put(&seen, ev->object);
		if (!*done && ev->kind == CTP_ONCE && !runner_fits(m, ev->object))
			why = "another thread runs the routine of a pthread_once";
		else if (!*done && ev->kind == CTP_BARRIER_ENTER && !rounds_fit(m, ev))
			why = "more threads use a barrier than it waits for";
		*done = 1;
	}
	map_release(&seen);
	return why;
}

/* ---- addition of a run ------------------------------------------------------------------- */

static void add_threads(struct merge *m)
{
	vec_each (&m->from->threads, u) {
		struct ctp_thread th = m->from->threads.at[u];

		if (m->thread[u] != CTP_NONE)
			continue;
		th.alt = m->group[u] + 1;
		th.first = m->to->events.n;
		m->thread[u] = m->to->threads.n;
		for (uint32_t i = 0; i < th.n; i++) {
			struct ctp_event e = *ctp_at(m->from, m->from->threads.at[u].first + i);

			m->event[m->from->threads.at[u].first + i] = m->to->events.n;
			e.thread = m->thread[u];
			e.rank = UINT32_MAX;
			e.stack = 0;
			vec_push(&m->to->events, e);
		}
		vec_push(&m->to->threads, th);
	}
}

/* The number of a group is the index of its first thread. The parent of a new thread is the first
 * thread of its creator's group. */
static void number_groups(struct merge *m, uint32_t nthreads)
{
	vec_each (&m->from->threads, u)
		if (m->group[u] >= NEW_GROUP)
			m->group[u] = m->thread[u];
	vec_each (&m->from->threads, u) {
		struct ctp_thread *th = &m->to->threads.at[m->thread[u]];

		if (m->thread[u] < nthreads)
			continue;
		if (th->alt > NEW_GROUP)
			th->alt = 0;
		if (th->parent != CTP_NONE)
			th->parent = m->group[m->from->threads.at[u].parent];
	}
}

static uint32_t event_in(const struct merge *m, uint32_t e)
{
	return e == CTP_NONE ? CTP_NONE : m->event[e];
}

static void fix_event(struct merge *m, struct ctp_event *e)
{
	uint32_t first = m->to->accesses.n;

	for (uint32_t i = 0; i < e->n; i++) {
		struct ctp_access a = m->from->accesses.at[e->first + i];

		a.cell = m->cell[a.cell];
		vec_push(&m->to->accesses, a);
	}
	e->first = first;
	if (e->block != CTP_NONE)
		e->block = m->block[e->block];
	if (e->region != CTP_NONE)
		e->region = m->region[e->region];
	if (ctp_has_peer(e->kind) && ctp_peer(e) != CTP_NONE)
		e->link.peer = m->group[ctp_peer(e)];
	if (ctp_has_wait(e->kind))
		e->link.wait = event_in(m, ctp_wait(e));
	if (e->kind == CTP_ONCE)
		e->link.runner = event_in(m, ctp_runner(e));
}

static void add_regions(struct merge *m, uint32_t nthreads)
{
	vec_each (&m->from->regions, i) {
		struct ctp_region r = m->from->regions.at[i];

		m->region[i] = CTP_NONE;
		r.thread = m->thread[r.thread];
		if (r.thread < nthreads)
			continue;
		r.begin = event_in(m, r.begin);
		r.end = event_in(m, r.end);
		m->region[i] = m->to->regions.n;
		vec_push(&m->to->regions, r);
	}
}

static void add_blocks(struct merge *m)
{
	vec_each (&m->from->blocks, i) {
		const struct ctp_block *b = &m->from->blocks.at[i];
		struct ctp_block *to = &m->to->blocks.at[m->block[i]];

		if (to->alloc == CTP_NONE)
			to->alloc = event_in(m, b->alloc);
		if (to->free == CTP_NONE)
			to->free = event_in(m, b->free);
	}
}

static void add_run(struct merge *m)
{
	uint32_t nthreads = m->to->threads.n, nevents = m->to->events.n;

	add_threads(m);
	number_groups(m, nthreads);
	add_regions(m, nthreads);
	for (uint32_t e = nevents; e < m->to->events.n; e++)
		fix_event(m, &m->to->events.at[e]);
	for (uint32_t t = nthreads; t < m->to->threads.n; t++) {
		struct ctp_thread *th = &m->to->threads.at[t];

		th->create = event_in(m, th->create);
		th->begin = event_in(m, th->begin);
		th->end = event_in(m, th->end);
	}
	add_blocks(m);
	put_groups(m->md, nthreads);
	put_paths(m->md, nthreads);
	m->to->order_exact = m->to->order_exact && nthreads == m->to->threads.n;
	m->to->nfixed += m->from->nfixed;
	m->to->instructions += m->from->instructions;
	m->to->all_events += m->from->all_events;
}

static bool merge_one(struct model *md, const struct ctp *from, uint32_t run)
{
	struct merge m = {.md = md,
		.to = md->to,
		.from = from,
		.group = new_table(from->threads.n),
		.thread = new_table(from->threads.n),
		.cell = new_table(from->cells.n),
		.block = new_table(from->blocks.n),
		.cell_key = xcalloc(from->cells.n + 1, sizeof *m.cell_key),
		.block_key = xcalloc(from->blocks.n + 1, sizeof *m.block_key),
		.event = new_table(from->events.n),
		.region = new_table(from->regions.n)};

	name_threads(&m);
	m.why = find_memory(&m);
	if (!m.why)
		m.why = find_objects(&m);
	if (!m.why)
		m.why = find_mixed(&m);
	if (m.why) {
		vec_push(&md->to->limits, xasprintf("run %u was analysed alone: %s", run, m.why));
	} else {
		add_memory(&m);
		add_objects(&m);
		match_threads(&m);
		add_run(&m);
	}
	free(m.group);
	free(m.thread);
	free(m.cell);
	free(m.block);
	free(m.cell_key);
	free(m.block_key);
	free(m.event);
	free(m.region);
	return !m.why;
}

/* ---- all runs ---------------------------------------------------------------------------- */

static void model_init(struct model *md, struct ctp *to)
{
	uint64_t *blocks = xcalloc(to->blocks.n + 1, sizeof *blocks);
	uint64_t *cells = xcalloc(to->cells.n + 1, sizeof *cells);

	*md = (struct model){.to = to};
	key_blocks(to, blocks);
	key_cells(to, blocks, cells, &md->turns);
	vec_each (&to->blocks, i)
		*map_put(&md->blocks, blocks[i]) = i + 1;
	vec_each (&to->cells, i)
		put_cell(md, i, cells[i]);
	vec_each (&to->objects, i)
		*map_put(&md->objects, to->objects.at[i].addr) = i + 1;
	put_groups(md, 0);
	put_paths(md, 0);
	free(blocks);
	free(cells);
}

static void model_release(struct model *md)
{
	map_release(&md->groups);
	map_release(&md->blocks);
	map_release(&md->bytes);
	map_release(&md->objects);
	map_release(&md->begins);
	map_release(&md->users);
	vec_release(&md->paths);
}

uint32_t ctp_merge(struct ctp *into, const struct ctp *const *runs, uint32_t n, bool *taken)
{
	struct model md;
	uint32_t all = 0;

	model_init(&md, into);
	for (uint32_t i = 0; i < n; i++) {
		bool in = merge_one(&md, runs[i], i + 2);

		if (taken)
			taken[i] = in;
		all += in;
	}
	ctp_sort_objects(into);
	if (all && md.turns)
		vec_push(&into->limits,
			xstrdup("shared variables that use the same stack address at different "
				"times are distinguished by their order"));
	model_release(&md);
	return all;
}

#define COPY(to, from)                                                                             \
	do {                                                                                       \
		vec_reserve(to, (from)->n);                                                        \
		(to)->n = (from)->n;                                                               \
		if ((from)->n)                                                                     \
			memcpy((to)->at, (from)->at, (size_t)(from)->n * sizeof *(to)->at);        \
	} while (0)

struct ctp *ctp_merge_base(const struct ctp *run)
{
	struct ctp *c = ctp_new();

	terms_free(c->ts);
	c->ts = run->ts;
	c->shared_terms = c->shared_sync = true;
	COPY(&c->events, &run->events);
	COPY(&c->accesses, &run->accesses);
	COPY(&c->regions, &run->regions);
	COPY(&c->cells, &run->cells);
	COPY(&c->blocks, &run->blocks);
	COPY(&c->objects, &run->objects);
	COPY(&c->threads, &run->threads);
	COPY(&c->order, &run->order);
	c->order_exact = run->order_exact;
	c->trace = run->trace;
	c->sync = run->sync;
	c->nfixed = run->nfixed;
	c->instructions = run->instructions;
	c->all_events = run->all_events;
	return c;
}
