#include "trace/locations.h"

#include "base/base.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 1 << 12 };

/* ---- one thread ----------------------------------------------------------------------------- */

void touched_init(struct touched *t, const struct generations *g, const struct sync_order *o,
	struct locksets *sets, uint32_t thread)
{
	*t = (struct touched){.g = g,
		.o = o,
		.sets = sets,
		.thread = thread,
		.held = {.first = o->h->threads.at[thread].kind == LOG_T_MAIN},
		.stack_lo = o->h->threads.at[thread].stack_lo,
		.stack_hi = o->h->threads.at[thread].stack_hi};
}

void touched_release(struct touched *t)
{
	free(t->cells);
	free(t->recent);
	live_locals_release(&t->locals);
	held_release(&t->held);
}

void touched_sync(struct touched *t, const struct sync_event *e)
{
	t->events++;
	held_step(&t->held, t->sets, e);
}

void touched_local(struct touched *t, uint64_t base, uint64_t size, uint32_t func, uint32_t local)
{
	live_locals_add(&t->locals, base, size, func, local, t->events);
}

/* Ranks of the thread's last event and of its next one. */
static uint32_t rank_before(const struct touched *t)
{
	return t->events ? sync_order_first(t->o, t->thread, t->events - 1) : 0;
}

static uint32_t rank_after(const struct touched *t)
{
	return t->events < t->o->h->threads.at[t->thread].events.n
		       ? sync_order_last(t->o, t->thread, t->events)
		       : t->o->n;
}

static bool is_own_stack(const struct touched *t, uint64_t addr)
{
	return addr >= t->stack_lo && addr < t->stack_hi;
}

uint32_t touched_generation(const struct touched *t, uint64_t addr)
{
	const struct live_local *l;

	if (addr >= t->fixed_lo && addr < t->fixed_hi)
		return 0;
	if (is_own_stack(t, addr) && (l = live_locals_at(&t->locals, addr))) {
		uint32_t gen = generation_of_local(t->g, t->thread, l->serial);

		/* a variable that lives between two events has no generation: use the stack's */
		return gen ? gen : generation_of_stack(t->g, addr, rank_before(t), rank_after(t));
	}
	return generation_at(t->g, addr, rank_before(t), rank_after(t));
}

static bool in_use(const struct cell *c)
{
	return c->read | c->written;
}

/* Index of the cell, or of the free slot for it. */
static uint32_t cell_slot(const struct cell *cells, uint32_t cap, uint64_t addr, uint32_t gen)
{
	uint32_t k = (uint32_t)hash_u64(addr ^ (uint64_t)gen << 40) & (cap - 1);

	while (in_use(&cells[k]) && (cells[k].addr != addr || cells[k].gen != gen))
		k = (k + 1) & (cap - 1);
	return k;
}

static void grow(struct touched *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 256;
	struct cell *cells = xcalloc(cap, sizeof *cells);

	for (uint32_t i = 0; i < t->cap; i++)
		if (in_use(&t->cells[i]))
			cells[cell_slot(cells, cap, t->cells[i].addr, t->cells[i].gen)] =
				t->cells[i];
	free(t->cells);
	t->cells = cells;
	t->cap = cap;
	free(t->recent);
	t->recent = xcalloc(RECENT, sizeof *t->recent);
}

/* Whether the cell's generation is surely still at its address; a lookup is then not needed. */
static bool is_current(const struct touched *t, const struct cell *c)
{
	if (is_own_stack(t, c->addr))
		return false;
	if (c->seen == t->events)
		return true;
	return c->gen && generation_spans(t->g, c->gen, rank_before(t), rank_after(t));
}

static struct cell *find_cell(struct touched *t, uint64_t addr)
{
	uint32_t *recent, gen;

	if (t->n + 1 > t->cap / 4 * 3)
		grow(t);
	recent = &t->recent[hash_u64(addr) & (RECENT - 1)];
	if (*recent && t->cells[*recent - 1].addr == addr && is_current(t, &t->cells[*recent - 1]))
		return &t->cells[*recent - 1];
	gen = touched_generation(t, addr);
	*recent = cell_slot(t->cells, t->cap, addr, gen) + 1;
	if (!in_use(&t->cells[*recent - 1])) {
		t->n++;
		t->cells[*recent - 1] =
			(struct cell){.addr = addr, .gen = gen, .locks = LOCKSET_ALL};
	}
	return &t->cells[*recent - 1];
}

/* Counts an access, or the part of it that lies in one aligned group of 8 bytes. */
static void touch(
	struct touched *t, uint64_t addr, uint8_t n, unsigned how, uint32_t func, uint32_t insn)
{
	struct cell *c = find_cell(t, addr);

	if (!in_use(c) || (how & TOUCH_WRITE && !c->writes)) {
		c->func = func;
		c->insn = insn;
	}
	c->seen = t->events;
	c->atomic |= how & TOUCH_ATOMIC ? 1 : 2;
	if (how & TOUCH_READ) {
		c->read = MAX(c->read, n);
		c->reads += c->reads != UINT32_MAX;
	}
	if (how & TOUCH_WRITE) {
		c->written = MAX(c->written, n);
		c->writes += c->writes != UINT32_MAX;
	}
	c->locks = held_meet(&t->held, t->sets, c->locks);
}

void touched_access(
	struct touched *t, uint64_t addr, uint64_t size, unsigned how, uint32_t func, uint32_t insn)
{
	uint64_t end = addr + size;

	while (addr < end) {
		uint8_t n = (uint8_t)MIN(8 - (addr & 7), end - addr);

		touch(t, addr, n, how, func, insn);
		addr += n;
	}
}

/* ---- all threads ---------------------------------------------------------------------------- */

struct merged { /* an aligned group of 8 bytes */
	uint64_t word;
	uint32_t gen;
	uint32_t first;                    /* entry + 1; 0: not in use */
	uint32_t thread;                   /* that is being merged */
	uint8_t mine, once, many, written; /* bytes, one bit each: accessed by `thread`; by at
					      least one, by at least two of the threads before;
					      written by any thread */
};

struct entry { /* accesses of all threads that begin at one address */
	struct location l;
	uint32_t next; /* entry + 1 of the same group; 0: none */
};

struct merger {
	struct merged *at; /* open addressing by word and generation */
	uint32_t n, cap;
	VEC(struct entry) entries;
	struct locations *l;
	struct locksets *sets;
};

static uint32_t add_thread(struct thread_sets *s, uint32_t set, uint32_t thread)
{
	uint64_t *v = map_put(&s->by_pair, (uint64_t)set << 32 | thread);

	if (!*v) {
		*v = s->at.n;
		vec_push(&s->at, (struct thread_set){set, thread, s->at.at[set].n + 1});
	}
	return (uint32_t)*v;
}

void location_threads(const struct locations *l, uint32_t set, struct bitset *out)
{
	for (; set; set = l->sets.at.at[set].rest)
		bitset_add(out, l->sets.at.at[set].thread);
}

static uint32_t merged_slot(const struct merged *at, uint32_t cap, uint64_t word, uint32_t gen)
{
	uint32_t k = (uint32_t)hash_u64(word ^ (uint64_t)gen << 40) & (cap - 1);

	while (at[k].first && (at[k].word != word || at[k].gen != gen))
		k = (k + 1) & (cap - 1);
	return k;
}

static void merger_grow(struct merger *m)
{
	uint32_t cap = m->cap ? 2 * m->cap : 1024;
	struct merged *at = xcalloc(cap, sizeof *at);

	for (uint32_t i = 0; i < m->cap; i++)
		if (m->at[i].first)
			at[merged_slot(at, cap, m->at[i].word, m->at[i].gen)] = m->at[i];
	free(m->at);
	m->at = at;
	m->cap = cap;
}

static struct merged *find_merged(struct merger *m, uint64_t word, uint32_t gen)
{
	struct merged *x;

	if (m->n + 1 > m->cap / 4 * 3)
		merger_grow(m);
	x = &m->at[merged_slot(m->at, m->cap, word, gen)];
	if (!x->first) {
		*x = (struct merged){.word = word, .gen = gen};
		m->n++;
	}
	return x;
}

static struct location *find_entry(struct merger *m, struct merged *x, const struct cell *c)
{
	for (uint32_t i = x->first; i; i = m->entries.at[i - 1].next)
		if (m->entries.at[i - 1].l.addr == c->addr)
			return &m->entries.at[i - 1].l;
	vec_push(&m->entries, (struct entry){{.addr = c->addr,
						     .gen = c->gen,
						     .locks = LOCKSET_ALL,
						     .func = c->func,
						     .insn = c->insn},
				      x->first});
	x->first = m->entries.n;
	return &vec_last(&m->entries).l;
}

static uint8_t byte_mask(uint64_t addr, uint32_t n)
{
	return (uint8_t)(((1u << n) - 1) << (addr & 7));
}

static void next_thread(struct merged *x, uint32_t thread)
{
	if (x->thread == thread)
		return;
	x->many |= x->once & x->mine;
	x->once |= x->mine;
	x->mine = 0;
	x->thread = thread;
}

static void merge_cell(struct merger *m, const struct cell *c, uint32_t thread)
{
	struct merged *x = find_merged(m, c->addr >> 3, c->gen);
	struct location *l = find_entry(m, x, c);

	next_thread(x, thread);
	x->mine |= byte_mask(c->addr, MAX(c->read, c->written));
	x->written |= byte_mask(c->addr, c->written);
	if (c->writes && !l->writes) {
		l->func = c->func;
		l->insn = c->insn;
	}
	l->size = MAX(l->size, MAX(c->read, c->written));
	l->reads += c->reads;
	l->writes += c->writes;
	l->atomic |= c->atomic & 1;
	l->plain |= c->atomic >> 1 & 1;
	l->locks = lockset_meet(m->sets, l->locks, c->locks);
	l->threads = add_thread(&m->l->sets, l->threads, thread);
	l->nthreads = m->l->sets.at.at[l->threads].n;
}

/* ---- locations ------------------------------------------------------------------------------ */

static uint32_t join_threads(struct thread_sets *s, uint32_t a, uint32_t b)
{
	uint32_t rest, thread;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	/* thread numbers descend along a chain */
	thread = MAX(s->at.at[a].thread, s->at.at[b].thread);
	rest = join_threads(s, s->at.at[a].thread == thread ? s->at.at[a].rest : a,
		s->at.at[b].thread == thread ? s->at.at[b].rest : b);
	return add_thread(s, rest, thread);
}

static void join(struct merger *m, struct location *l, const struct location *with)
{
	if (with->writes && !l->writes) {
		l->func = with->func;
		l->insn = with->insn;
	}
	l->size = MAX(l->addr + l->size, with->addr + with->size) - l->addr;
	l->reads += with->reads;
	l->writes += with->writes;
	l->atomic |= with->atomic;
	l->plain |= with->plain;
	l->locks = lockset_meet(m->sets, l->locks, with->locks);
	l->threads = join_threads(&m->l->sets, l->threads, with->threads);
	l->nthreads = m->l->sets.at.at[l->threads].n;
}

/* Adds a location for each contiguous range of shared bytes in l. */
static void emit(struct merger *m, const struct location *l, uint8_t shared)
{
	for (uint64_t a = l->addr; a < l->addr + l->size; a++) {
		struct location out = *l;

		if (!(shared >> (a & 7) & 1))
			continue;
		out.addr = a;
		while (a < l->addr + l->size && shared >> (a & 7) & 1)
			a++;
		out.size = a - out.addr;
		vec_push(&m->l->at, out);
	}
}

/* Makes locations of the shared bytes of a group; accesses that overlap belong to one location. */
static void split(struct merger *m, struct merged *x)
{
	struct location by_start[8] = {0}, *open = NULL;

	next_thread(x, UINT32_MAX);
	if (!(x->many & x->written))
		return;
	for (uint32_t i = x->first; i; i = m->entries.at[i - 1].next)
		by_start[m->entries.at[i - 1].l.addr & 7] = m->entries.at[i - 1].l;
	for (uint32_t i = 0; i < 8; i++) {
		if (!by_start[i].size)
			continue;
		if (open && open->addr + open->size > by_start[i].addr) {
			join(m, open, &by_start[i]);
			continue;
		}
		if (open)
			emit(m, open, x->many & x->written);
		open = &by_start[i];
	}
	if (open)
		emit(m, open, x->many & x->written);
}

static int compare_location(const void *x, const void *y)
{
	const struct location *a = x, *b = y;

	if (a->gen != b->gen)
		return a->gen < b->gen ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void locations_build(
	struct locations *l, struct touched *const *threads, uint32_t n, struct locksets *sets)
{
	struct merger m = {.l = l, .sets = sets};

	*l = (struct locations){0};
	vec_push(&l->sets.at, (struct thread_set){0});
	for (uint32_t t = 0; t < n; t++)
		for (uint32_t i = 0; threads[t] && i < threads[t]->cap; i++)
			if (in_use(&threads[t]->cells[i]))
				merge_cell(&m, &threads[t]->cells[i], t);
	for (uint32_t i = 0; i < m.cap; i++)
		if (m.at[i].first)
			split(&m, &m.at[i]);
	free(m.at);
	vec_release(&m.entries);
	if (l->at.n)
		qsort(l->at.at, l->at.n, sizeof *l->at.at, compare_location);
}

void locations_release(struct locations *l)
{
	vec_release(&l->at);
	vec_release(&l->sets.at);
	map_release(&l->sets.by_pair);
}
