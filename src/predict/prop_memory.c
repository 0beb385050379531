/*
 * Memory under another schedule: blocks that another thread frees before they are used, pointers
 * that another thread changes.
 *
 * A pointer that was read from shared memory is a term. Which values it may have is first looked
 * up, not asked: what was ever written to the cell that it was read from. Only what then is null,
 * lies in a block that somebody frees, outside of the block that it was made from, or is no address
 * at all becomes a candidate.
 *
 * malloc gives addresses that were freed again, and may not do so in another order: an address does
 * not say which block is meant. Where several blocks had it, it is asked who wrote the pointer.
 */
#include "predict/candidates.h"
#include "predict/predict_uses.h"

#include "log/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NULL_END = 4096,      /* below: a null pointer and its fields */
	LOWEST = 65536,       /* nothing is ever mapped below (vm.mmap_min_addr) */
	POINTER_VALUES = 256, /* of one cell that are looked at */
	BLOCKS_BELOW = 64,    /* that are looked at for the one that holds an address */
};
#define USER_END (UINT64_C(1) << 47) /* addresses from here on are not a process's */
#define MAPPED_FROM                                                                                \
	UINT64_C(0x7e0000000000) /* libraries, stacks, mmap: they grow down from the end */

struct memory {
	struct candidates *cs;
	const struct ctp *c;
	uint32_t kinds;
	struct pair_groups pg;
	struct map access_of_sym; /* symbol -> access + 1 */
	struct vec_u32 writes;    /* accesses that write, by cell */
	struct vec_u32 by_cell;   /* first of writes; one more at the end */
	struct vec_u32 event_of;  /* access -> event */
	struct vec_u32 since;     /* cell -> rank of its first access */
	struct vec_u32 blocks;    /* by address */
	struct vec_u32 freed;     /* those that are freed */
};

/* Where a pointer's value comes from. */
struct source {
	uint32_t write; /* event; CTP_NONE: it was there before */
	uint32_t block; /* that it points into; CTP_NONE: none, or not known */
	u128 value;
};

/* The pointer that a dereference or free follows, and the only read that it depends on. */
struct pointer {
	term_t addr, sym;
	uint32_t read, cell;
	VEC(struct source) sources;
	struct term_assign as;
};

static struct candidate *add(struct memory *m, enum finding_kind kind, uint32_t at, uint32_t before)
{
	uint32_t keys[2] = {at, before};
	struct candidate *k =
		candidates_add(m->cs, kind, SCHED_GOAL_ACCESS, keys, before == CTP_NONE ? 1 : 2);

	k->group = group_of_list(m->c, kind, keys, k->nkeys);
	k->cost = before == CTP_NONE ? 16 : rank_distance(m->c, at, before);
	query_at(&k->query, at);
	if (before != CTP_NONE)
		query_run(&k->query, before);
	/* in another order it may free another block, or none */
	if (before != CTP_NONE && ctp_at(m->c, before)->addr.id)
		query_holds(
			&k->query, term_eq(m->c->ts, ctp_at(m->c, before)->addr,
					   term_const(m->c->ts,
						   term_width(m->c->ts, ctp_at(m->c, before)->addr),
						   ctp_at(m->c, before)->at)));
	return k;
}

/* ---- values of pointers
 * -------------------------------------------------------------------------- */

static void index_writes(struct memory *m)
{
	const struct ctp *c = m->c;
	struct vec_u32 at = {0};

	vec_resize(&m->by_cell, c->cells.n + 1);
	vec_each (&c->accesses, i)
		if (c->accesses.at[i].value.id)
			m->by_cell.at[c->accesses.at[i].cell + 1]++;
	for (uint32_t i = 1; i <= c->cells.n; i++)
		m->by_cell.at[i] += m->by_cell.at[i - 1];
	vec_resize(&m->writes, m->by_cell.at[c->cells.n]);
	vec_resize(&at, c->cells.n + 1);
	memcpy(at.at, m->by_cell.at, (c->cells.n + 1) * sizeof *at.at);
	vec_each (&c->accesses, i) {
		const struct ctp_access *a = &c->accesses.at[i];

		if (a->value.id)
			m->writes.at[at.at[a->cell]++] = i;
		if (a->sym.id)
			*map_put(&m->access_of_sym, a->sym.id) = i + 1;
	}
	vec_release(&at);
	vec_resize(&m->event_of, c->accesses.n);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++)
			m->event_of.at[ctp_at(c, e)->first + i] = e;
	vec_resize(&m->since, c->cells.n);
	vec_each (&c->cells, i)
		m->since.at[i] = UINT32_MAX;
	vec_each (&c->accesses, i) {
		uint32_t *since = &m->since.at[c->accesses.at[i].cell];

		*since = MIN(*since, ctp_at(c, m->event_of.at[i])->rank);
	}
}

static int blocks_by_address(const void *x, const void *y, void *ctx)
{
	const struct ctp *c = ctx;
	const struct ctp_block *a = &c->blocks.at[*(const uint32_t *)x],
			       *b = &c->blocks.at[*(const uint32_t *)y];

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void index_blocks(struct memory *m)
{
	vec_each (&m->c->blocks, i)
		vec_push(&m->blocks, i);
	if (m->blocks.n)
		qsort_r(m->blocks.at, m->blocks.n, sizeof *m->blocks.at, blocks_by_address,
			(void *)(uintptr_t)m->c);
	vec_each (&m->blocks, i)
		if (m->c->blocks.at[m->blocks.at[i]].free != CTP_NONE)
			vec_push(&m->freed, m->blocks.at[i]);
}

/* How many of them, sorted, begin at the address or below. */
static uint32_t blocks_to(const struct memory *m, const struct vec_u32 *sorted, uint64_t addr)
{
	uint32_t lo = 0, hi = sorted->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->c->blocks.at[sorted->at[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* ---- which block a pointer means ------------------------------------------------------- */

static uint64_t pointer_at(struct pointer *p, u128 value)
{
	term_assign_set(&p->as, p->sym, value);
	return (uint64_t)term_value(&p->as, p->addr);
}

static bool is_const(const struct ctp *c, term_t t)
{
	u128 value;

	return term_is_const(c->ts, t, &value);
}

static bool block_lives(const struct ctp *c, const struct ctp_block *b, uint32_t rank)
{
	return (b->alloc == CTP_NONE || ctp_at(c, b->alloc)->rank < rank) &&
	       (b->free == CTP_NONE || ctp_at(c, b->free)->rank > rank);
}

/* Of two that held an address, and may both have lived then, the one that did. Blocks are numbered
 * in the order in which they came. */
static uint32_t block_of_two(const struct ctp *c, uint32_t x, uint32_t y)
{
	uint32_t first = MIN(x, y), second = MAX(x, y);

	if (c->blocks.at[first].free != CTP_NONE)
		return first;
	return c->blocks.at[second].alloc != CTP_NONE ? second : CTP_NONE;
}

/* The block that was there at that time of the recorded run. */
static uint32_t block_at(const struct memory *m, uint64_t addr, uint32_t rank)
{
	uint32_t i = blocks_to(m, &m->blocks, addr), found = CTP_NONE;

	if (rank == UINT32_MAX)
		return CTP_NONE;
	for (uint32_t tries = BLOCKS_BELOW; i-- && tries--;) {
		uint32_t at = m->blocks.at[i];
		const struct ctp_block *b = &m->c->blocks.at[at];

		if (addr - b->addr >= MAX(b->size, 1) || !block_lives(m->c, b, rank))
			continue;
		found = found == CTP_NONE ? at : block_of_two(m->c, found, at);
		if (found == CTP_NONE)
			break;
	}
	return found;
}

/* Some other block had addresses of it, before or after. */
static bool is_reused(const struct memory *m, uint32_t block)
{
	const struct ctp_block *b = &m->c->blocks.at[block];

	vec_each (&m->c->blocks, i) {
		const struct ctp_block *o = &m->c->blocks.at[i];

		if (i != block && o->addr < b->addr + MAX(b->size, 1) &&
			b->addr < o->addr + MAX(o->size, 1))
			return true;
	}
	return false;
}

static struct source source_of_write(const struct memory *m, uint32_t access)
{
	const struct ctp_access *a = &m->c->accesses.at[access];
	struct source s = {m->event_of.at[access], CTP_NONE, a->put};

	/* a copy may be of another block in another order */
	if (is_const(m->c, a->value))
		s.block = block_at(m, (uint64_t)a->put, ctp_at(m->c, s.write)->rank);
	return s;
}

/* What was there before: written at some time before all accesses. */
static struct source source_of_initial(const struct memory *m, uint32_t cell)
{
	struct source s = {CTP_NONE, CTP_NONE, m->c->cells.at[cell].initial};
	uint32_t rank = m->since.at[cell];

	s.block = block_at(m, (uint64_t)s.value, rank);
	vec_each (&m->c->blocks, i) {
		const struct ctp_block *b = &m->c->blocks.at[i];

		if (s.block != CTP_NONE && i != s.block &&
			(uint64_t)s.value - b->addr < MAX(b->size, 1) &&
			(b->alloc == CTP_NONE || ctp_at(m->c, b->alloc)->rank < rank))
			s.block = CTP_NONE;
	}
	return s;
}

static bool pointer_init(struct memory *m, struct pointer *p, uint32_t event)
{
	const struct ctp *c = m->c;
	term_t addr = ctp_at(c, event)->addr;
	const struct term_syms *syms = term_syms(c->ts, addr);
	uint64_t at = syms->n == 1 ? map_get_or(&m->access_of_sym, syms->at[0].id, 0) : 0;
	uint32_t cell, from, to;

	if (!at)
		return false;
	cell = c->accesses.at[at - 1].cell;
	*p = (struct pointer){
		.addr = addr, .sym = syms->at[0], .read = m->event_of.at[at - 1], .cell = cell};
	term_assign_init(&p->as, c->ts);
	if (c->cells.at[cell].known)
		vec_push(&p->sources, source_of_initial(m, cell));
	from = m->by_cell.at[cell];
	to = m->by_cell.at[cell + 1];
	for (uint32_t i = from; i < MIN(to, from + POINTER_VALUES); i++)
		vec_push(&p->sources, source_of_write(m, m->writes.at[i]));
	if (to > from + POINTER_VALUES)
		candidates_limit(m->cs,
			"of pointers that were written many times, the first %d "
			"values were looked at",
			POINTER_VALUES);
	return true;
}

static void pointer_release(struct pointer *p)
{
	term_assign_release(&p->as);
	vec_release(&p->sources);
}

/* The pointer has the value from there, or from another that wrote the same for the same block. */
static void query_source(
	struct memory *m, struct query *q, const struct pointer *p, const struct source *s)
{
	struct terms *ts = m->c->ts;

	query_holds(q, term_eq(ts, p->sym, term_const(ts, term_width(ts, p->sym), s->value)));
	if (s->write != CTP_NONE)
		query_before(q, s->write, p->read);
	for (uint32_t i = m->by_cell.at[p->cell]; i < m->by_cell.at[p->cell + 1]; i++) {
		const struct ctp_access *a = &m->c->accesses.at[m->writes.at[i]];
		uint32_t w = m->event_of.at[m->writes.at[i]];

		if (w == s->write || w == p->read)
			continue;
		if (is_const(m->c, a->value) &&
			(a->put != s->value ||
				source_of_write(m, m->writes.at[i]).block == s->block))
			continue;
		query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = w});
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = p->read, .b = w});
		if (s->write != CTP_NONE)
			query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = w, .b = s->write});
		query_end_clause(q);
	}
}

/* ---- what came before ------------------------------------------------------------------ */

/* How the FREE of a block comes to free it: the sources of its pointer that mean the block. */
struct freeing {
	struct pointer p;
	struct vec_u32 ways; /* of p.sources */
	bool any;            /* no matter how */
};

static void freeing_init(struct memory *m, struct freeing *f, uint32_t block)
{
	uint32_t e = m->c->blocks.at[block].free;

	*f = (struct freeing){.any = !ctp_at(m->c, e)->addr.id || !is_reused(m, block)};
	if (f->any) {
		vec_push(&f->ways, 0);
	} else if (pointer_init(m, &f->p, e)) {
		vec_each (&f->p.sources, i)
			if (f->p.sources.at[i].block == block)
				vec_push(&f->ways, i);
	}
}

static void freeing_query(struct memory *m, const struct freeing *f, uint32_t way, struct query *q)
{
	if (!f->any)
		query_source(m, q, &f->p, &f->p.sources.at[way]);
}

static void freeing_release(struct freeing *f)
{
	if (f->p.addr.id)
		pointer_release(&f->p);
	vec_release(&f->ways);
}

/* ---- use after free, at recorded addresses -----------------------------------------------------
 */

static bool uses_block(const struct ctp_event *e)
{
	return e->block != CTP_NONE &&
	       (ctp_is_access(e->kind) || (e->kind == CTP_DEREF && !e->addr.id));
}

static void add_used(struct memory *m, uint32_t use, uint32_t free)
{
	struct freeing f;

	freeing_init(m, &f, ctp_at(m->c, use)->block);
	vec_each (&f.ways, i) {
		struct candidate *k = add(m, FINDING_USE_AFTER_FREE, use, free);

		k->title = title_of_access(m->c, FINDING_USE_AFTER_FREE, use);
		freeing_query(m, &f, f.ways.at[i], &k->query);
	}
	freeing_release(&f);
}

static void used_after_free(struct memory *m)
{
	vec_each (&m->c->events, i) {
		const struct ctp_event *e = ctp_at(m->c, i);
		uint32_t f;
		struct pair p;
		uint64_t group;

		if (!uses_block(e))
			continue;
		f = m->c->blocks.at[e->block].free;
		if (f == CTP_NONE || ctp_at(m->c, f)->thread == e->thread)
			continue;
		m->cs->seen++;
		p = (struct pair){i, f, rank_distance(m->c, i, f), 0};
		group = group_of_list(m->c, FINDING_USE_AFTER_FREE, (uint32_t[]){i, f}, 2);
		if (mhb_before(m->cs->mhb, i, f) || !pair_groups_wants(&m->pg, group, p.cost))
			m->cs->filtered++;
		else
			pair_groups_offer(&m->pg, group, p);
	}
	vec_each (&m->pg.at, g) {
		const struct pair_group *gr = &m->pg.at.at[g];

		vec_each (&gr->at, i) {
			const struct pair *p = &gr->at.at[i];

			add_used(m, p->a, p->b);
		}
		if (gr->cut)
			candidates_limit(m->cs,
				"of blocks that are used many times before they "
				"are freed, the %d nearest uses each were looked at",
				GROUP_TRIES);
	}
}

/* ---- dereferences of pointers that others may change
 * ------------------------------------------------ */

static void add_null(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct candidate *k;

	if (!kind_wanted(m->kinds, FINDING_NULL_DEREF))
		return;
	k = add(m, FINDING_NULL_DEREF, d, CTP_NONE);
	k->title = title_of_place(m->c, FINDING_NULL_DEREF, d);
	query_holds(
		&k->query, term_ult(m->c->ts, e->addr,
				   term_const(m->c->ts, term_width(m->c->ts, e->addr), NULL_END)));
}

/* Nothing that the run used lies within 64 GB of it, and it is not where the system maps files and
 * stacks. */
static bool is_far(const struct ctp *c, uint64_t a)
{
	const uint64_t far = UINT64_C(1) << 36;

	if (a >= MAPPED_FROM)
		return false;
#define NEAR(x) ((x) && ((x) < a ? a - (x) : (x) - a) < far)
	vec_each (&c->cells, i)
		if (NEAR(c->cells.at[i].addr))
			return false;
	vec_each (&c->blocks, i)
		if (NEAR(c->blocks.at[i].addr))
			return false;
	vec_each (&c->events, i)
		if (NEAR(c->events.at[i].at))
			return false;
#undef NEAR
	return true;
}

/* Where nothing can be, whatever else the process has mapped. */
static bool is_wild(const struct ctp *c, uint64_t a)
{
	return a >= USER_END || (a >= NULL_END && a < LOWEST) || is_far(c, a);
}

static void add_wild(struct memory *m, uint32_t d, uint64_t a)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct terms *ts = m->c->ts;
	struct candidate *k;

	if (!kind_wanted(m->kinds, FINDING_WILD_DEREF))
		return;
	k = add(m, FINDING_WILD_DEREF, d, CTP_NONE);
	k->title = title_of_place(m->c, FINDING_WILD_DEREF, d);
	query_holds(&k->query, term_eq(ts, e->addr, term_const(ts, term_width(ts, e->addr), a)));
}

static void add_freed(struct memory *m, uint32_t d, uint32_t block, const struct pointer *p,
	const struct source *s)
{
	const struct ctp_block *b = &m->c->blocks.at[block];
	const struct ctp_event *e = ctp_at(m->c, d);
	enum finding_kind kind = e->kind == CTP_FREE ? FINDING_DOUBLE_FREE : FINDING_USE_AFTER_FREE;
	bool reused = is_reused(m, block);
	struct terms *ts = m->c->ts;
	unsigned w = term_width(ts, e->addr);
	term_t off = term_sub(ts, e->addr, term_const(ts, w, b->addr));
	struct freeing f;

	if (!kind_wanted(m->kinds, kind) || b->free == d || mhb_before(m->cs->mhb, d, b->free) ||
		(reused && s->block != block))
		return;
	freeing_init(m, &f, block);
	vec_each (&f.ways, i) {
		struct candidate *k = add(m, kind, d, b->free);

		k->title = title_of_place(m->c, kind, d);
		query_holds(&k->query, kind == FINDING_DOUBLE_FREE
					       ? term_eq(ts, off, term_const(ts, w, 0))
					       : term_ult(ts, off, term_const(ts, w, b->size)));
		freeing_query(m, &f, f.ways.at[i], &k->query);
		if (reused)
			query_source(m, &k->query, p, s);
	}
	freeing_release(&f);
}

/* Blocks that are freed and hold the address; several may have lain there one after another. */
static void freed_at(struct memory *m, uint32_t d, uint64_t addr, const struct pointer *p,
	const struct source *s)
{
	bool is_free = ctp_at(m->c, d)->kind == CTP_FREE;

	for (uint32_t i = blocks_to(m, &m->freed, addr), tries = 8; i-- && tries--;) {
		const struct ctp_block *b = &m->c->blocks.at[m->freed.at[i]];

		if (is_free ? addr == b->addr : addr - b->addr < b->size)
			add_freed(m, d, m->freed.at[i], p, s);
	}
}

/* The pointer is into a block that ends before what is accessed, or begins behind it. */
static void add_outside(
	struct memory *m, uint32_t d, const struct pointer *p, const struct source *s)
{
	const struct ctp_block *b = &m->c->blocks.at[s->block];
	struct candidate *k;

	if (!kind_wanted(m->kinds, FINDING_OVERFLOW))
		return;
	k = add(m, FINDING_OVERFLOW, d, CTP_NONE);
	k->title = title_of_place(m->c, FINDING_OVERFLOW, d);
	query_source(m, &k->query, p, s);
	if (b->free != CTP_NONE) { /* else it is a use after free */
		query_add(
			&k->query, (struct atom){.kind = ATOM_RUN, .negated = true, .a = b->free});
		query_end_clause(&k->query);
	}
}

static bool is_outside(
	const struct memory *m, const struct ctp_event *e, uint64_t a, uint32_t block)
{
	const struct ctp_block *b = &m->c->blocks.at[block];

	return e->size && (e->size > b->size || a - b->addr > b->size - e->size);
}

struct seen_value {
	uint64_t addr;
	uint32_t block;
	bool reused; /* the address says too little: every source is asked */
};
struct seen { /* what was made a candidate of one dereference */
	bool null;
	VEC(struct seen_value) at;
};

static bool seen_before(struct memory *m, struct seen *seen, uint64_t a, uint32_t block)
{
	bool reused;

	vec_each (&seen->at, i)
		if (seen->at.at[i].addr == a && seen->at.at[i].block == block)
			return !seen->at.at[i].reused;
	reused = block != CTP_NONE && is_reused(m, block);
	vec_push(&seen->at, ((struct seen_value){a, block, reused}));
	return false;
}

static void pointer_value(
	struct memory *m, uint32_t d, struct pointer *p, const struct source *s, struct seen *seen)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	uint64_t a = pointer_at(p, s->value);
	bool is_free = e->kind == CTP_FREE;

	m->cs->seen++;
	if (seen_before(m, seen, a, s->block))
		return;
	if (a < NULL_END) {
		if (!seen->null && !is_free)
			add_null(m, d);
		seen->null = true;
	} else if (is_wild(m->c, a)) {
		if (!is_free)
			add_wild(m, d, a);
	} else if (!is_free && s->block != CTP_NONE && is_outside(m, e, a, s->block)) {
		add_outside(m, d, p, s);
	} else {
		freed_at(m, d, a, p, s);
	}
}

static void pointer_of(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct pointer p;
	struct seen seen = {0};

	if (!pointer_init(m, &p, d)) {
		/* of several values, or none that is known: at least not null */
		m->cs->seen++;
		if (e->kind == CTP_DEREF && term_syms(m->c->ts, e->addr)->n <= 4)
			add_null(m, d);
		return;
	}
	vec_each (&p.sources, i)
		pointer_value(m, d, &p, &p.sources.at[i], &seen);
	pointer_release(&p);
	vec_release(&seen.at);
}

/* ---- overflow
 * ----------------------------------------------------------------------------------------- */

/* The block is known: what is added to its address is an index. */
static void overflow_of(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	const struct ctp_block *b = &m->c->blocks.at[e->block];
	struct terms *ts = m->c->ts;
	unsigned w = term_width(ts, e->addr);
	struct candidate *k;
	term_t off, inside;

	m->cs->seen++;
	if (e->size > b->size) {
		m->cs->filtered++;
		return;
	}
	off = term_sub(ts, e->addr, term_const(ts, w, b->addr));
	inside = term_ule(ts, off, term_const(ts, w, b->size - e->size));
	k = add(m, FINDING_OVERFLOW, d, CTP_NONE);
	k->title = title_of_place(m->c, FINDING_OVERFLOW, d);
	query_holds(&k->query, term_not(ts, inside));
}

static void dereferences(struct memory *m)
{
	struct map tries = {0};

	vec_each (&m->c->events, i) {
		const struct ctp_event *e = ctp_at(m->c, i);

		if ((e->kind != CTP_DEREF && e->kind != CTP_FREE) || !e->addr.id)
			continue;
		if ((*map_put(&tries, ctp_places_hash(m->c, &i, 1)))++ >= GROUP_TRIES) {
			candidates_limit(m->cs,
				"of pointers that were followed many times, %d "
				"times each were looked at",
				GROUP_TRIES);
			continue;
		}
		if (!(e->flags & CTP_BASE_KNOWN))
			pointer_of(m, i);
		else if (e->kind == CTP_DEREF && e->block != CTP_NONE &&
			 kind_wanted(m->kinds, FINDING_OVERFLOW))
			overflow_of(m, i);
	}
	map_release(&tries);
}

/* A thread that goes on with a block that was freed: its first use tells it all. */
static void choose_minor(struct memory *m, uint32_t from)
{
	struct map first = {0}; /* thread, FREE -> the least use */
	struct map major = {0}; /* groups */

	for (uint32_t pass = 0; pass < 3; pass++)
		for (uint32_t i = from; i < m->cs->at.n; i++) {
			struct candidate *k = &m->cs->at.at[i];
			uint32_t thread = ctp_at(m->c, k->key[0])->thread;
			uint64_t *least;

			if (k->kind != FINDING_USE_AFTER_FREE || k->nkeys < 2)
				continue;
			least = map_put(&first, (uint64_t)thread << 32 | k->key[1]);
			if (pass == 0 && (!*least || k->key[0] < *least - 1))
				*least = k->key[0] + 1;
			else if (pass == 1 && k->key[0] == *least - 1)
				*map_put(&major, k->group) = 1;
			else if (pass == 2)
				k->minor = !map_get(&major, k->group);
			k->family = hash_u64(ctp_places_hash(m->c, &k->key[1], 1) ^
					     m->c->threads.at[thread].start_func);
		}
	map_release(&first);
	map_release(&major);
}

void prop_memory(struct candidates *cs, uint32_t kinds)
{
	struct memory m = {.cs = cs, .c = cs->c, .kinds = kinds};
	uint32_t first = cs->at.n;

	index_writes(&m);
	index_blocks(&m);
	if (kind_wanted(kinds, FINDING_USE_AFTER_FREE))
		used_after_free(&m);
	dereferences(&m);
	if (!cs->every)
		choose_minor(&m, first);
	pair_groups_release(&m.pg);
	map_release(&m.access_of_sym);
	vec_release(&m.writes);
	vec_release(&m.by_cell);
	vec_release(&m.event_of);
	vec_release(&m.since);
	vec_release(&m.blocks);
	vec_release(&m.freed);
}
