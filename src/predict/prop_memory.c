/*
 * Memory under another schedule: blocks that another thread frees before they are used, pointers
 * that another thread changes.
 *
 * A pointer that was read from shared memory is a term. Which values it may have is first looked
 * up, not asked: what was ever written to the cell that it was read from. Only what then is null,
 * lies in a block that somebody frees, or is no address at all becomes a candidate.
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
	struct vec_u32 freed;     /* blocks that are freed, by address */
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

/*
 * The free is that of this block, and no other block lies there by then: of those that lay at the same
 * address in the recorded run each is gone before this one comes, or does not come at all.
 */
static void query_not_again(struct memory *m, struct query *q, uint32_t block)
{
	const struct ctp_block *b = &m->c->blocks.at[block];

	if (b->alloc != CTP_NONE)
		query_before(q, b->alloc, b->free);
	vec_each (&m->c->blocks, i) {
		const struct ctp_block *o = &m->c->blocks.at[i];

		if (i == block || o->alloc == CTP_NONE || o->addr >= b->addr + b->size ||
			b->addr >= o->addr + o->size)
			continue;
		if (o->free != CTP_NONE && b->alloc != CTP_NONE) {
			if (mhb_before(m->cs->mhb, o->free, b->alloc))
				continue;
			query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = o->free, .b = b->alloc});
		}
		query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = o->alloc});
		query_end_clause(q);
	}
}

/* ---- use after free, at recorded addresses -----------------------------------------------------
 */

static bool uses_block(const struct ctp_event *e)
{
	return e->block != CTP_NONE &&
	       (ctp_is_access(e->kind) || (e->kind == CTP_DEREF && !e->addr.id));
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

			struct candidate *k = add(m, FINDING_USE_AFTER_FREE, p->a, p->b);

			k->title = title_of_access(m->c, FINDING_USE_AFTER_FREE, p->a);
			query_not_again(m, &k->query, ctp_at(m->c, p->a)->block);
		}
		if (gr->cut)
			candidates_limit(m->cs,
				"of blocks that are used many times before they "
				"are freed, the %d nearest uses each were looked at",
				GROUP_TRIES);
	}
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
}

static int blocks_by_address(const void *x, const void *y, void *ctx)
{
	const struct ctp *c = ctx;
	const struct ctp_block *a = &c->blocks.at[*(const uint32_t *)x],
			       *b = &c->blocks.at[*(const uint32_t *)y];

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void index_freed(struct memory *m)
{
	vec_each (&m->c->blocks, i)
		if (m->c->blocks.at[i].free != CTP_NONE)
			vec_push(&m->freed, i);
	if (m->freed.n)
		qsort_r(m->freed.at, m->freed.n, sizeof *m->freed.at, blocks_by_address,
			(void *)(uintptr_t)m->c);
}

/* The pointer under a value of the only symbol in it. */
struct pointer {
	term_t addr, sym;
	struct term_assign as;
};

static uint64_t pointer_at(struct pointer *p, u128 value)
{
	term_assign_set(&p->as, p->sym, value);
	return (uint64_t)term_value(&p->as, p->addr);
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

static void add_freed(struct memory *m, enum finding_kind kind, uint32_t d, uint32_t block)
{
	const struct ctp_block *b = &m->c->blocks.at[block];
	const struct ctp_event *e = ctp_at(m->c, d);
	struct terms *ts = m->c->ts;
	unsigned w = term_width(ts, e->addr);
	struct candidate *k;

	if (!kind_wanted(m->kinds, kind) || b->free == d || mhb_before(m->cs->mhb, d, b->free))
		return;
	k = add(m, kind, d, b->free);
	k->title = title_of_place(m->c, kind, d);
	if (kind == FINDING_DOUBLE_FREE)
		query_holds(&k->query, term_eq(ts, e->addr, term_const(ts, w, b->addr)));
	else
		query_holds(
			&k->query, term_ult(ts, term_sub(ts, e->addr, term_const(ts, w, b->addr)),
					   term_const(ts, w, b->size)));
	query_not_again(m, &k->query, block);
}

/* Blocks that are freed and hold the address; several may have lain there one after another. */
static void freed_at(struct memory *m, uint32_t d, uint64_t addr)
{
	bool is_free = ctp_at(m->c, d)->kind == CTP_FREE;
	uint32_t lo = 0, hi = m->freed.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->c->blocks.at[m->freed.at[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (uint32_t i = lo, tries = 8; i-- && tries--;) {
		const struct ctp_block *b = &m->c->blocks.at[m->freed.at[i]];

		if (is_free ? addr == b->addr : addr - b->addr < b->size)
			add_freed(m, is_free ? FINDING_DOUBLE_FREE : FINDING_USE_AFTER_FREE, d,
				m->freed.at[i]);
	}
}

struct seen { /* what was made a candidate of one dereference */
	bool null;
	VEC(uint64_t) addrs;
};

static void pointer_value(struct memory *m, uint32_t d, uint64_t a, struct seen *seen)
{
	bool is_free = ctp_at(m->c, d)->kind == CTP_FREE;

	m->cs->seen++;
	vec_each (&seen->addrs, i)
		if (seen->addrs.at[i] == a)
			return;
	vec_push(&seen->addrs, a);
	if (a < NULL_END) {
		if (!seen->null && !is_free)
			add_null(m, d);
		seen->null = true;
	} else if (is_wild(m->c, a)) {
		if (!is_free)
			add_wild(m, d, a);
	} else {
		freed_at(m, d, a);
	}
}

static void pointer_of(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	const struct term_syms *syms = term_syms(m->c->ts, e->addr);
	uint64_t at = syms->n == 1 ? map_get_or(&m->access_of_sym, syms->at[0].id, 0) : 0;
	const struct ctp_cell *cell;
	struct pointer p = {.addr = e->addr};
	struct seen seen = {0};
	uint32_t from, to;

	if (!at) { /* of several values, or none that is known: at least not null */
		m->cs->seen++;
		if (e->kind == CTP_DEREF && syms->n <= 4)
			add_null(m, d);
		return;
	}
	cell = &m->c->cells.at[m->c->accesses.at[at - 1].cell];
	from = m->by_cell.at[m->c->accesses.at[at - 1].cell];
	to = m->by_cell.at[m->c->accesses.at[at - 1].cell + 1];
	p.sym = syms->at[0];
	term_assign_init(&p.as, m->c->ts);
	if (cell->known)
		pointer_value(m, d, pointer_at(&p, cell->initial), &seen);
	for (uint32_t i = from; i < MIN(to, from + POINTER_VALUES); i++)
		pointer_value(m, d, pointer_at(&p, m->c->accesses.at[m->writes.at[i]].put), &seen);
	if (to > from + POINTER_VALUES)
		candidates_limit(m->cs,
			"of pointers that were written many times, the first %d "
			"values were looked at",
			POINTER_VALUES);
	term_assign_release(&p.as);
	vec_release(&seen.addrs);
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

	index_writes(m);
	index_freed(m);
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

void prop_memory(struct candidates *cs, uint32_t kinds)
{
	struct memory m = {.cs = cs, .c = cs->c, .kinds = kinds};

	if (kind_wanted(kinds, FINDING_USE_AFTER_FREE))
		used_after_free(&m);
	dereferences(&m);
	pair_groups_release(&m.pg);
	map_release(&m.access_of_sym);
	vec_release(&m.writes);
	vec_release(&m.by_cell);
	vec_release(&m.freed);
}
