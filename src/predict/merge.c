#include "predict/merge.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct merge { /* one run on its way into another */
	struct ctp *to;
	const struct ctp *from;
	uint32_t *group;  /* by thread of from: its group in to */
	uint32_t *thread; /* by thread of from: the thread in to that does the same, or CTP_NONE */
	uint32_t *cell, *block; /* by cell and block of from */
	uint32_t *event;        /* by event of from; CTP_NONE */
	uint32_t *region;
	const char *why; /* it does not fit */
};

enum { NEW_GROUP = 1 << 30 }; /* and more: groups whose number is not known yet */

/* ---- threads by name --------------------------------------------------------------------- */

static uint32_t group_of(const struct ctp *c, uint32_t parent_group, uint32_t nth)
{
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];
		uint32_t pg = th->parent == CTP_NONE ? CTP_NONE : ctp_group(c, th->parent);

		if (pg == parent_group && (pg == CTP_NONE || th->nth == nth))
			return ctp_group(c, t);
	}
	return CTP_NONE;
}

static void name_threads(struct merge *m)
{
	uint32_t next = NEW_GROUP;

	vec_each (&m->from->threads, t) {
		const struct ctp_thread *th = &m->from->threads.at[t];
		uint32_t pg = th->parent == CTP_NONE ? CTP_NONE : m->group[th->parent];
		uint32_t g = group_of(m->to, pg, th->nth);

		m->group[t] = g == CTP_NONE ? next++ : g;
	}
}

/* ---- memory ------------------------------------------------------------------------------ */

static bool overlap(uint64_t a, uint64_t n, uint64_t b, uint64_t k)
{
	return a < b + k && b < a + n;
}

/* Blocks are the same if they lie at the same place and come from the same allocation. */
static bool same_block(const struct merge *m, const struct ctp_block *a, const struct ctp_block *b)
{
	const struct ctp_event *x, *y;

	if (a->addr != b->addr || a->size != b->size)
		return false;
	if (a->alloc == CTP_NONE || b->alloc == CTP_NONE)
		return a->alloc == b->alloc;
	x = ctp_at(m->to, a->alloc);
	y = ctp_at(m->from, b->alloc);
	return x->func == y->func && x->insn == y->insn && x->point == y->point &&
	       ctp_group(m->to, x->thread) == m->group[y->thread];
}

static void match_blocks(struct merge *m)
{
	vec_each (&m->from->blocks, i) {
		const struct ctp_block *b = &m->from->blocks.at[i];

		m->block[i] = CTP_NONE;
		vec_each (&m->to->blocks, k)
			if (same_block(m, &m->to->blocks.at[k], b))
				m->block[i] = k;
		if (m->block[i] != CTP_NONE)
			continue;
		m->block[i] = m->to->blocks.n;
		vec_push(&m->to->blocks, *b);
		m->to->blocks.at[m->block[i]].alloc = m->to->blocks.at[m->block[i]].free = CTP_NONE;
		m->to->blocks.at[m->block[i]].gen = 0;
	}
}

static uint32_t block_at(const struct ctp *c, const struct ctp_cell *cell)
{
	vec_each (&c->blocks, i)
		if (c->blocks.at[i].gen == cell->gen && cell->gen &&
			overlap(c->blocks.at[i].addr, c->blocks.at[i].size, cell->addr, cell->size))
			return i;
	return CTP_NONE;
}

static void match_cells(struct merge *m, uint32_t nold)
{
	vec_each (&m->from->cells, i) {
		const struct ctp_cell *c = &m->from->cells.at[i];
		uint32_t block = block_at(m->from, c);

		m->cell[i] = CTP_NONE;
		for (uint32_t k = 0; k < nold && !m->why; k++) {
			const struct ctp_cell *o = &m->to->cells.at[k];
			uint32_t ob = block_at(m->to, o);

			if (!overlap(o->addr, o->size, c->addr, c->size) ||
				ob != (block == CTP_NONE ? CTP_NONE : m->block[block]))
				continue;
			if (o->addr != c->addr || o->size != c->size)
				m->why = "its memory is cut in another way";
			else if (o->known && c->known && o->initial != c->initial)
				m->why = "its memory began with other values";
			else
				m->cell[i] = k;
		}
		if (m->cell[i] != CTP_NONE)
			continue;
		m->cell[i] = m->to->cells.n;
		vec_push(&m->to->cells, *c);
		m->to->cells.at[m->cell[i]].gen = 0;
	}
}

static void match_objects(struct merge *m)
{
	vec_each (&m->from->objects, i) {
		const struct ctp_object *o = &m->from->objects.at[i];
		const struct ctp_object *known = ctp_object(m->to, o->addr);

		if (!known)
			vec_push(&m->to->objects, *o);
		else if (known->kind != o->kind || known->type != o->type ||
			 known->initial != o->initial)
			m->why = "it has other locks at the same addresses";
	}
}

/* ---- the same path ----------------------------------------------------------------------- */

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

/* What a switch was on may differ, if it went the same way. */
static bool same_event(const struct merge *m, struct term_subst *s, const struct ctp_event *x,
	const struct ctp_event *y)
{
	return x->kind == y->kind && x->flags == y->flags && x->func == y->func &&
	       x->insn == y->insn && x->point == y->point && x->object == y->object &&
	       x->object2 == y->object2 && x->n == y->n && x->round == y->round &&
	       (x->at == y->at || x->kind == CTP_BRANCH || x->kind == CTP_ASSERT) &&
	       x->size == y->size && same_accesses(m, s, x, y) &&
	       same_term(s, x->cond, y->cond) && same_term(s, x->addr, y->addr);
}

static bool same_thread(const struct merge *m, uint32_t t, uint32_t u)
{
	const struct ctp_thread *a = &m->to->threads.at[t], *b = &m->from->threads.at[u];
	struct term_subst s;
	bool same = a->n == b->n && a->cut == b->cut;

	term_subst_init(&s, m->to->ts);
	for (uint32_t i = 0; i < a->n && same; i++)
		same = same_event(
			m, &s, ctp_at(m->to, a->first + i), ctp_at(m->from, b->first + i));
	term_subst_release(&s);
	return same;
}

static void match_threads(struct merge *m)
{
	vec_each (&m->from->threads, u) {
		const struct ctp_thread *b = &m->from->threads.at[u];

		m->thread[u] = CTP_NONE;
		vec_each (&m->to->threads, t)
			if (ctp_group(m->to, t) == m->group[u] && same_thread(m, t, u))
				m->thread[u] = t;
		for (uint32_t i = 0; i < b->n; i++)
			m->event[b->first + i] =
				m->thread[u] == CTP_NONE
					? CTP_NONE
					: m->to->threads.at[m->thread[u]].first + i;
	}
}

/* Rounds of barriers and the runner of a once belong to one run. */
static bool mixes(const struct merge *m)
{
	vec_each (&m->from->events, e) {
		const struct ctp_event *ev = ctp_at(m->from, e);

		if ((ev->kind == CTP_BARRIER_ENTER || ev->kind == CTP_ONCE) &&
			m->thread[ev->thread] == CTP_NONE)
			return true;
	}
	return false;
}

/* ---- taking it in ------------------------------------------------------------------------ */

static uint32_t first_of_group(const struct ctp *c, uint32_t group)
{
	vec_each (&c->threads, t)
		if (ctp_group(c, t) == group)
			return t;
	return CTP_NONE;
}

static void add_threads(struct merge *m)
{
	vec_each (&m->from->threads, u) {
		struct ctp_thread th = m->from->threads.at[u];

		if (m->thread[u] != CTP_NONE)
			continue;
		th.alt = m->group[u] + 1;
		th.parent = th.parent == CTP_NONE ? CTP_NONE
						  : first_of_group(m->to, m->group[th.parent]);
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

/* A group has the number of its first thread. */
static void number_groups(struct merge *m, uint32_t nthreads)
{
	vec_each (&m->from->threads, u)
		if (m->group[u] >= NEW_GROUP)
			m->group[u] = m->thread[u];
	for (uint32_t t = nthreads; t < m->to->threads.n; t++)
		if (m->to->threads.at[t].alt > NEW_GROUP)
			m->to->threads.at[t].alt = 0;
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
	if (e->other == CTP_NONE)
		return;
	if (e->kind == CTP_CREATE || e->kind == CTP_JOIN)
		e->other = first_of_group(m->to, m->group[e->other]);
	else
		e->other = event_in(m, e->other);
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
	m->to->order_exact = m->to->order_exact && nthreads == m->to->threads.n;
	m->to->nfixed += m->from->nfixed;
	m->to->instructions += m->from->instructions;
	m->to->all_events += m->from->all_events;
}

static uint32_t *table(uint32_t n)
{
	uint32_t *t = xmalloc(((size_t)n + 1) * sizeof *t);

	memset(t, 0xff, ((size_t)n + 1) * sizeof *t);
	return t;
}

static bool merge_one(struct ctp *to, const struct ctp *from, uint32_t run)
{
	struct merge m = {.to = to,
		.from = from,
		.group = table(from->threads.n),
		.thread = table(from->threads.n),
		.cell = table(from->cells.n),
		.block = table(from->blocks.n),
		.event = table(from->events.n),
		.region = table(from->regions.n)};
	uint32_t ncells = to->cells.n, nblocks = to->blocks.n, nobjects = to->objects.n;

	name_threads(&m);
	match_blocks(&m);
	match_cells(&m, ncells);
	match_objects(&m);
	if (!m.why) {
		match_threads(&m);
		if (mixes(&m))
			m.why = "it uses barriers or once in another way";
	}
	if (m.why) {
		to->cells.n = ncells;
		to->blocks.n = nblocks;
		to->objects.n = nobjects;
		vec_push(&to->limits, xasprintf("run %u was looked at alone: %s", run, m.why));
	} else {
		add_run(&m);
	}
	free(m.group);
	free(m.thread);
	free(m.cell);
	free(m.block);
	free(m.event);
	free(m.region);
	return !m.why;
}

uint32_t ctp_merge(struct ctp *into, struct ctp *const *runs, uint32_t n)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < n; i++)
		taken += merge_one(into, runs[i], i + 2);
	return taken;
}

/* ---- findings ---------------------------------------------------------------------------- */

void merge_renumber(const struct ctp *c, struct finding *f)
{
	uint32_t n = 0;

	vec_each (&c->threads, t)
		n += ctp_group(c, t) != t;
	if (!n)
		return;
	vec_each (&f->steps, i)
		f->steps.at[i].thread = ctp_group(c, f->steps.at[i].thread);
	vec_each (&f->moves, i)
		f->moves.at[i].thread = ctp_group(c, f->moves.at[i].thread);
	if (f->a < c->threads.n)
		f->a = ctp_group(c, f->a);
	if (f->b < c->threads.n)
		f->b = ctp_group(c, f->b);
	if (f->expect_thread < c->threads.n)
		f->expect_thread = ctp_group(c, f->expect_thread);
}
