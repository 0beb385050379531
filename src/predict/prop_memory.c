/*
 * Misuse of memory: blocks that another thread frees before they are used, and pointers that
 * another thread changes.
 *
 * A pointer that was read from shared memory is a term. Its possible values are looked up, not
 * asked (pointer_values.h). A value becomes a candidate only if it is null, in a block that a
 * thread frees, outside of the block that it was made from, or no valid address.
 */
#include "base/hash.h"
#include "predict/candidates.h"
#include "predict/pointer_values.h"

#include "log/schedule.h"
#include "model/model_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NULL_END = 4096, /* below: a null pointer and its fields */
	LOWEST = 65536,  /* nothing is ever mapped below (vm.mmap_min_addr) */
};
#define USER_END (UINT64_C(1) << 47) /* a process has no addresses from here on */
#define MAPPED_FROM                                                                                \
	UINT64_C(0x7e0000000000) /* libraries, stacks, mmap: they grow down from the end */

struct memory {
	struct candidates *cs;
	const struct ctp *c;
	uint32_t kinds;
	struct pair_groups pg;
	struct pointers ps;
};

static struct candidate *add_candidate(
	struct memory *m, enum fault kind, uint32_t at, uint32_t before)
{
	uint32_t keys[2] = {at, before};
	enum sched_goal goal =
		kind == FAULT_USE_AFTER_RETURN ? SCHED_GOAL_STACK : SCHED_GOAL_ACCESS;
	struct candidate *k = candidates_add(m->cs, kind, goal, keys, before == CTP_NONE ? 1 : 2);

	k->group = group_of_list(m->c, kind, keys, k->v.nkeys);
	k->cost = before == CTP_NONE ? 16 : rank_distance(m->c, at, before);
	query_at(&k->query, at);
	if (before != CTP_NONE)
		query_run(&k->query, before);
	/* in another linearization it may free another block, or none */
	if (before != CTP_NONE && ctp_at(m->c, before)->operand.id)
		query_holds(&k->query,
			term_eq(m->c->ts, ctp_at(m->c, before)->operand,
				term_const(m->c->ts,
					term_width(m->c->ts, ctp_at(m->c, before)->operand),
					ctp_at(m->c, before)->at)));
	return k;
}

/* ---- the FREE of a block -------------------------------------------------------------------- */

/* The values of the FREE's pointer that mean the block. */
struct freeing {
	struct pointer p;
	struct vec_u32 ways; /* of p.values */
	bool any;            /* the pointer means no other block */
};

/* The i-th FREE of the block, where several runs are merged; CTP_NONE: no more. */
static uint32_t free_of(const struct memory *m, uint32_t block, uint32_t i)
{
	return facts_free_of(mhb_facts(m->cs->mhb), block, i);
}

static void freeing_init(struct memory *m, struct freeing *f, uint32_t block, uint32_t e)
{
	*f = (struct freeing){
		.any = !ctp_at(m->c, e)->operand.id || !pointers_reuses_block(&m->ps, block)};
	if (f->any) {
		vec_push(&f->ways, 0);
	} else if (pointer_init(&m->ps, &f->p, e)) {
		vec_each (&f->p.values, i)
			if (f->p.values.at[i].block == block)
				vec_push(&f->ways, i);
	}
}

static void freeing_query(struct memory *m, const struct freeing *f, uint32_t way, struct query *q)
{
	if (!f->any)
		pointer_query_value(&m->ps, q, &f->p, &f->p.values.at[way]);
}

static void freeing_release(struct freeing *f)
{
	if (f->p.addr.id)
		pointer_release(&f->p);
	vec_release(&f->ways);
}

/* ---- use after free, at recorded addresses --------------------------------------------------- */

static bool uses_block(const struct ctp_event *e)
{
	return e->block != CTP_NONE &&
	       (ctp_is_access(e->kind) || (e->kind == CTP_DEREF && !e->operand.id));
}

/* The kind of a use after that FREE. */
static enum fault kind_of_use(const struct ctp *c, uint32_t free)
{
	return ctp_at(c, free)->flags & CTP_RETURN ? FAULT_USE_AFTER_RETURN : FAULT_USE_AFTER_FREE;
}

static void add_used(struct memory *m, uint32_t use, uint32_t free)
{
	struct freeing f;

	if (kind_of_use(m->c, free) == FAULT_USE_AFTER_RETURN) {
		struct candidate *k = add_candidate(m, FAULT_USE_AFTER_RETURN, use, free);

		k->v.title = title_of_access(m->c, FAULT_USE_AFTER_RETURN, use);
		return;
	}
	freeing_init(m, &f, ctp_at(m->c, use)->block, free);
	vec_each (&f.ways, i) {
		struct candidate *k = add_candidate(m, FAULT_USE_AFTER_FREE, use, free);

		k->v.title = title_of_access(m->c, FAULT_USE_AFTER_FREE, use);
		freeing_query(m, &f, f.ways.at[i], &k->query);
	}
	freeing_release(&f);
}

static void offer_used(struct memory *m, uint32_t use, uint32_t free)
{
	enum fault kind = kind_of_use(m->c, free);
	struct pair p = {use, free, rank_distance(m->c, use, free), 0};
	uint64_t group;

	if (ctp_group(m->c, ctp_at(m->c, free)->thread) ==
			ctp_group(m->c, ctp_at(m->c, use)->thread) ||
		!kind_wanted(m->kinds, kind))
		return;
	m->cs->seen++;
	group = group_of_list(m->c, kind, (uint32_t[]){use, free}, 2);
	if (mhb_before(m->cs->mhb, use, free) || !pair_groups_wants(&m->pg, group, p.cost))
		m->cs->filtered++;
	else
		pair_groups_offer(&m->pg, group, p);
}

static void find_used_after_free(struct memory *m)
{
	vec_each (&m->c->events, i) {
		const struct ctp_event *e = ctp_at(m->c, i);
		uint32_t f;

		for (uint32_t k = 0; uses_block(e) && (f = free_of(m, e->block, k)) != CTP_NONE;
			k++)
			offer_used(m, i, f);
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
				"are freed, the %d nearest uses each were checked",
				GROUP_TRIES);
	}
}

/* The variable that was at the address of a late access, and the return of its function. */
static uint32_t variable_before(const struct ctp *c, const struct ctp_event *e)
{
	uint32_t found = CTP_NONE;

	vec_each (&c->blocks, i) {
		const struct ctp_block *b = &c->blocks.at[i];

		if (b->stack && b->free != CTP_NONE && e->at - b->addr < b->size &&
			ctp_at(c, b->free)->rank < e->rank &&
			(found == CTP_NONE || ctp_at(c, b->free)->rank > ctp_at(c, found)->rank))
			found = b->free;
	}
	return found;
}

/* Accesses that the recorded run made after the return of the function. */
static void find_late(struct memory *m)
{
	vec_each (&m->c->events, i) {
		const struct ctp_event *e = ctp_at(m->c, i);
		uint32_t f;

		if (!ctp_is_access(e->kind) || !(e->flags & CTP_LATE))
			continue;
		m->cs->seen++;
		f = variable_before(m->c, e);
		if (f != CTP_NONE)
			add_used(m, i, f);
		else
			m->cs->filtered++;
	}
}

/* ---- dereferences of pointers that others may change
 * ------------------------------------------------ */

static void add_null(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct candidate *k;

	if (!kind_wanted(m->kinds, FAULT_NULL_DEREF))
		return;
	k = add_candidate(m, FAULT_NULL_DEREF, d, CTP_NONE);
	k->v.title = title_of_place(m->c, FAULT_NULL_DEREF, d);
	query_holds(&k->query,
		term_ult(m->c->ts, e->operand,
			term_const(m->c->ts, term_width(m->c->ts, e->operand), NULL_END)));
}

/* No address of the run is within 64 GB of it, and it is not where the system maps files and
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

/* An address that cannot be mapped. */
static bool is_wild(const struct ctp *c, uint64_t a)
{
	return a >= USER_END || (a >= NULL_END && a < LOWEST) || is_far(c, a);
}

static void add_wild(struct memory *m, uint32_t d, uint64_t a)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct terms *ts = m->c->ts;
	struct candidate *k;

	if (!kind_wanted(m->kinds, FAULT_WILD_DEREF))
		return;
	k = add_candidate(m, FAULT_WILD_DEREF, d, CTP_NONE);
	k->v.title = title_of_place(m->c, FAULT_WILD_DEREF, d);
	query_holds(
		&k->query, term_eq(ts, e->operand, term_const(ts, term_width(ts, e->operand), a)));
}

static void add_freed_by(struct memory *m, uint32_t d, uint32_t block, uint32_t free,
	const struct pointer *p, const struct pointer_value *s)
{
	const struct ctp_block *b = &m->c->blocks.at[block];
	const struct ctp_event *e = ctp_at(m->c, d);
	enum fault kind = e->kind == CTP_FREE ? FAULT_DOUBLE_FREE : FAULT_USE_AFTER_FREE;
	bool reused = pointers_reuses_block(&m->ps, block);
	struct terms *ts = m->c->ts;
	unsigned w = term_width(ts, e->operand);
	term_t off = term_sub(ts, e->operand, term_const(ts, w, b->addr));
	struct freeing f;

	if (!kind_wanted(m->kinds, kind) || free == d || mhb_before(m->cs->mhb, d, free) ||
		(reused && s->block != block))
		return;
	freeing_init(m, &f, block, free);
	vec_each (&f.ways, i) {
		struct candidate *k = add_candidate(m, kind, d, free);

		k->v.title = title_of_place(m->c, kind, d);
		query_holds(&k->query, kind == FAULT_DOUBLE_FREE
					       ? term_eq(ts, off, term_const(ts, w, 0))
					       : term_ult(ts, off, term_const(ts, w, b->size)));
		freeing_query(m, &f, f.ways.at[i], &k->query);
		if (reused)
			pointer_query_value(&m->ps, &k->query, p, s);
	}
	freeing_release(&f);
}

static void add_freed(struct memory *m, uint32_t d, uint32_t block, const struct pointer *p,
	const struct pointer_value *s)
{
	uint32_t f;

	for (uint32_t k = 0; (f = free_of(m, block, k)) != CTP_NONE; k++)
		add_freed_by(m, d, block, f, p, s);
}

/* Proposes the freed blocks that contain the address; several may have had it one after another. */
static void add_freed_at(struct memory *m, uint32_t d, uint64_t addr, const struct pointer *p,
	const struct pointer_value *s)
{
	bool is_free = ctp_at(m->c, d)->kind == CTP_FREE;

	for (uint32_t i = pointers_blocks_to(&m->ps, &m->ps.freed, addr), tries = 8;
		i-- && tries--;) {
		const struct ctp_block *b = &m->c->blocks.at[m->ps.freed.at[i]];

		if (is_free ? addr == b->addr : addr - b->addr < b->size)
			add_freed(m, d, m->ps.freed.at[i], p, s);
	}
}

/* The pointer was made from a block, and the access is outside of it. */
static void add_outside(
	struct memory *m, uint32_t d, const struct pointer *p, const struct pointer_value *s)
{
	struct candidate *k;
	uint32_t f;

	if (!kind_wanted(m->kinds, FAULT_OVERFLOW))
		return;
	k = add_candidate(m, FAULT_OVERFLOW, d, CTP_NONE);
	k->v.title = title_of_place(m->c, FAULT_OVERFLOW, d);
	pointer_query_value(&m->ps, &k->query, p, s);
	/* after a FREE it is a use after free */
	for (uint32_t i = 0; (f = free_of(m, s->block, i)) != CTP_NONE; i++) {
		query_add(&k->query, (struct atom){.kind = ATOM_RUN, .negated = true, .a = f});
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
	bool reused; /* several blocks had the address: each value is a candidate */
};
struct seen { /* values that are candidates of one dereference already */
	bool null;
	VEC(struct seen_value) at;
};

static bool seen_before(struct memory *m, struct seen *seen, uint64_t a, uint32_t block)
{
	bool reused;

	vec_each (&seen->at, i)
		if (seen->at.at[i].addr == a && seen->at.at[i].block == block)
			return !seen->at.at[i].reused;
	reused = block != CTP_NONE && pointers_reuses_block(&m->ps, block);
	vec_push(&seen->at, ((struct seen_value){a, block, reused}));
	return false;
}

static void check_pointer_value(struct memory *m, uint32_t d, struct pointer *p,
	const struct pointer_value *s, struct seen *seen)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	uint64_t a = pointer_address(p, s->value);
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
		add_freed_at(m, d, a, p, s);
	}
}

static void check_pointer(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	struct pointer p;
	struct seen seen = {0};

	if (!pointer_init(&m->ps, &p, d)) {
		/* several reads, or none that is known: only null is checked */
		m->cs->seen++;
		if (e->kind == CTP_DEREF && term_syms(m->c->ts, e->operand)->n <= 4)
			add_null(m, d);
		return;
	}
	vec_each (&p.values, i)
		check_pointer_value(m, d, &p, &p.values.at[i], &seen);
	pointer_release(&p);
	vec_release(&seen.at);
}

/* ---- overflow
 * ----------------------------------------------------------------------------------------- */

/* The base of the address is a known block: the rest is an index. */
static void add_overflow(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	const struct ctp_block *b = &m->c->blocks.at[e->block];
	struct terms *ts = m->c->ts;
	unsigned w = term_width(ts, e->operand);
	struct candidate *k;
	term_t off, inside;

	m->cs->seen++;
	if (e->size > b->size) {
		m->cs->filtered++;
		return;
	}
	off = term_sub(ts, e->operand, term_const(ts, w, b->addr));
	inside = term_ule(ts, off, term_const(ts, w, b->size - e->size));
	k = add_candidate(m, FAULT_OVERFLOW, d, CTP_NONE);
	k->v.title = title_of_place(m->c, FAULT_OVERFLOW, d);
	query_holds(&k->query, term_not(ts, inside));
}

/* The recorded run went beyond the end of a block. If several blocks had the address, it is not
 * certain which one it was. */
static void add_observed_overflow(struct memory *m, uint32_t d)
{
	const struct ctp_event *e = ctp_at(m->c, d);
	bool point = !(e->flags & CTP_NATIVE_USE);
	struct candidate *k;

	m->cs->seen++;
	if (!kind_wanted(m->kinds, FAULT_OVERFLOW) || pointers_reuses_block(&m->ps, e->block)) {
		m->cs->filtered++;
		return;
	}
	k = candidates_add(
		m->cs, FAULT_OVERFLOW, point ? SCHED_GOAL_ACCESS : SCHED_GOAL_NONE, &d, 1);
	k->group = group_of_list(m->c, FAULT_OVERFLOW, &d, 1);
	k->cost = 16;
	k->v.title = title_of_place(m->c, FAULT_OVERFLOW, d);
	query_at(&k->query, d);
}

static void check_dereferences(struct memory *m)
{
	struct map tries = {0};

	vec_each (&m->c->events, i) {
		const struct ctp_event *e = ctp_at(m->c, i);

		if (e->kind == CTP_DEREF && e->flags & CTP_OUTSIDE)
			add_observed_overflow(m, i);
		if ((e->kind != CTP_DEREF && e->kind != CTP_FREE) || !e->operand.id)
			continue;
		if ((*map_put(&tries, ctp_places_hash(m->c, &i, 1)))++ >= GROUP_TRIES) {
			candidates_limit(m->cs,
				"of pointers that were dereferenced many times, %d "
				"dereferences each were checked",
				GROUP_TRIES);
			continue;
		}
		if (!(e->flags & CTP_BASE_KNOWN))
			check_pointer(m, i);
		else if (e->kind == CTP_DEREF && e->block != CTP_NONE &&
			 kind_wanted(m->kinds, FAULT_OVERFLOW))
			add_overflow(m, i);
	}
	map_release(&tries);
}

/* Of the uses of a freed block by one thread, the first one is major. */
static void choose_minor(struct memory *m, uint32_t from)
{
	struct map first = {0}; /* thread, FREE -> the least use */
	struct map major = {0}; /* groups */

	for (uint32_t pass = 0; pass < 3; pass++)
		for (uint32_t i = from; i < m->cs->at.n; i++) {
			struct candidate *k = &m->cs->at.at[i];
			uint32_t thread = ctp_at(m->c, k->v.key[0])->thread;
			uint64_t *least;

			if (k->v.kind != FAULT_USE_AFTER_FREE || k->v.nkeys < 2)
				continue;
			least = map_put(&first, (uint64_t)thread << 32 | k->v.key[1]);
			if (pass == 0 && (!*least || k->v.key[0] < *least - 1))
				*least = k->v.key[0] + 1;
			else if (pass == 1 && k->v.key[0] == *least - 1)
				*map_put(&major, k->group) = 1;
			else if (pass == 2)
				k->minor = !map_get(&major, k->group);
			k->family = hash_u64(ctp_places_hash(m->c, &k->v.key[1], 1) ^
					     m->c->threads.at[thread].start_func);
		}
	map_release(&first);
	map_release(&major);
}

void prop_memory(struct candidates *cs, uint32_t kinds)
{
	struct memory m = {.cs = cs, .c = cs->c, .kinds = kinds};
	uint32_t first = cs->at.n;

	pointers_init(&m.ps, cs);
	if (kind_wanted(kinds, FAULT_USE_AFTER_FREE) || kind_wanted(kinds, FAULT_USE_AFTER_RETURN))
		find_used_after_free(&m);
	if (kind_wanted(kinds, FAULT_USE_AFTER_RETURN))
		find_late(&m);
	check_dereferences(&m);
	if (!cs->every)
		choose_minor(&m, first);
	pair_groups_release(&m.pg);
	pointers_release(&m.ps);
}
