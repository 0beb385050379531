#include "predict/pointer_values.h"

#include "base/base.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum {
	POINTER_VALUES = 256, /* of one cell that are examined */
	BLOCKS_BELOW = 64,    /* that are examined for the one that holds an address */
};

static void index_writes(struct pointers *ps)
{
	const struct ctp *c = ps->c;
	struct vec_u32 at = {0};

	vec_resize(&ps->by_cell, c->cells.n + 1);
	vec_each (&c->accesses, i)
		if (c->accesses.at[i].value.id)
			ps->by_cell.at[c->accesses.at[i].cell + 1]++;
	for (uint32_t i = 1; i <= c->cells.n; i++)
		ps->by_cell.at[i] += ps->by_cell.at[i - 1];
	vec_resize(&ps->writes, ps->by_cell.at[c->cells.n]);
	vec_resize(&at, c->cells.n + 1);
	memcpy(at.at, ps->by_cell.at, (c->cells.n + 1) * sizeof *at.at);
	vec_each (&c->accesses, i) {
		const struct ctp_access *a = &c->accesses.at[i];

		if (a->value.id)
			ps->writes.at[at.at[a->cell]++] = i;
		if (a->sym.id)
			*map_put(&ps->access_of_sym, a->sym.id) = i + 1;
	}
	vec_release(&at);
	vec_resize(&ps->event_of, c->accesses.n);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++)
			ps->event_of.at[ctp_at(c, e)->first + i] = e;
	vec_resize(&ps->since, c->cells.n);
	vec_each (&c->cells, i)
		ps->since.at[i] = UINT32_MAX;
	vec_each (&c->accesses, i) {
		uint32_t *since = &ps->since.at[c->accesses.at[i].cell];

		*since = MIN(*since, ctp_at(c, ps->event_of.at[i])->rank);
	}
}

static int blocks_by_address(const void *x, const void *y, void *ctx)
{
	const struct ctp *c = ctx;
	const struct ctp_block *a = &c->blocks.at[*(const uint32_t *)x],
			       *b = &c->blocks.at[*(const uint32_t *)y];

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void index_blocks(struct pointers *ps)
{
	vec_each (&ps->c->blocks, i)
		if (!ps->c->blocks.at[i].stack)
			vec_push(&ps->blocks, i);
	if (ps->blocks.n)
		qsort_r(ps->blocks.at, ps->blocks.n, sizeof *ps->blocks.at, blocks_by_address,
			(void *)(uintptr_t)ps->c);
	vec_each (&ps->blocks, i)
		if (ps->c->blocks.at[ps->blocks.at[i]].free != CTP_NONE)
			vec_push(&ps->freed, ps->blocks.at[i]);
}

uint32_t pointers_blocks_to(const struct pointers *ps, const struct vec_u32 *sorted, uint64_t addr)
{
	return upper_bound(0, sorted->n, i, ps->c->blocks.at[sorted->at[i]].addr, addr);
}

/* ---- which block a pointer means ------------------------------------------------------------ */

uint64_t pointer_address(struct pointer *p, u128 value)
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

/* Of two blocks that had the address and may both have been alive then, the one that was. Blocks
 * are numbered in the order of their allocation. */
static uint32_t block_of_two(const struct ctp *c, uint32_t x, uint32_t y)
{
	uint32_t first = MIN(x, y), second = MAX(x, y);

	if (c->blocks.at[first].free != CTP_NONE)
		return first;
	return c->blocks.at[second].alloc != CTP_NONE ? second : CTP_NONE;
}

/* The block at the address at that rank of the recorded run; CTP_NONE. */
static uint32_t block_at(const struct pointers *ps, uint64_t addr, uint32_t rank)
{
	uint32_t i = pointers_blocks_to(ps, &ps->blocks, addr), found = CTP_NONE;

	if (rank == UINT32_MAX)
		return CTP_NONE;
	for (uint32_t tries = BLOCKS_BELOW; i-- && tries--;) {
		uint32_t at = ps->blocks.at[i];
		const struct ctp_block *b = &ps->c->blocks.at[at];

		if (addr - b->addr >= MAX(b->size, 1) || !block_lives(ps->c, b, rank))
			continue;
		found = found == CTP_NONE ? at : block_of_two(ps->c, found, at);
		if (found == CTP_NONE)
			break;
	}
	return found;
}

bool pointers_reuses_block(const struct pointers *ps, uint32_t block)
{
	const struct ctp_block *b = &ps->c->blocks.at[block];

	vec_each (&ps->c->blocks, i) {
		const struct ctp_block *o = &ps->c->blocks.at[i];

		if (i != block && o->addr < b->addr + MAX(b->size, 1) &&
			b->addr < o->addr + MAX(o->size, 1))
			return true;
	}
	return false;
}

static struct pointer_value value_of_write(const struct pointers *ps, uint32_t access)
{
	const struct ctp_access *a = &ps->c->accesses.at[access];
	struct pointer_value s = {ps->event_of.at[access], CTP_NONE, a->put};

	/* a copied pointer may mean another block in another linearization */
	if (is_const(ps->c, a->value))
		s.block = block_at(ps, (uint64_t)a->put, ctp_at(ps->c, s.write)->rank);
	return s;
}

/* The initial value: written before all recorded accesses. */
static struct pointer_value value_of_initial(const struct pointers *ps, uint32_t cell)
{
	struct pointer_value s = {CTP_NONE, CTP_NONE, ps->c->cells.at[cell].initial};
	uint32_t rank = ps->since.at[cell];

	s.block = block_at(ps, (uint64_t)s.value, rank);
	vec_each (&ps->c->blocks, i) {
		const struct ctp_block *b = &ps->c->blocks.at[i];

		if (s.block != CTP_NONE && i != s.block &&
			(uint64_t)s.value - b->addr < MAX(b->size, 1) &&
			(b->alloc == CTP_NONE || ctp_at(ps->c, b->alloc)->rank < rank))
			s.block = CTP_NONE;
	}
	return s;
}

bool pointer_init(struct pointers *ps, struct pointer *p, uint32_t event)
{
	const struct ctp *c = ps->c;
	term_t addr = ctp_at(c, event)->operand;
	const struct term_syms *syms = term_syms(c->ts, addr);
	uint64_t at = syms->n == 1 ? map_get_or(&ps->access_of_sym, syms->at[0].id, 0) : 0;
	uint32_t cell, from, to;

	if (!at)
		return false;
	cell = c->accesses.at[at - 1].cell;
	*p = (struct pointer){
		.addr = addr, .sym = syms->at[0], .read = ps->event_of.at[at - 1], .cell = cell};
	term_assign_init(&p->as, c->ts);
	if (c->cells.at[cell].known)
		vec_push(&p->values, value_of_initial(ps, cell));
	from = ps->by_cell.at[cell];
	to = ps->by_cell.at[cell + 1];
	for (uint32_t i = from; i < MIN(to, from + POINTER_VALUES); i++)
		vec_push(&p->values, value_of_write(ps, ps->writes.at[i]));
	if (to > from + POINTER_VALUES)
		candidates_limit(ps->cs,
			"of pointers that were written many times, the first %d "
			"values were checked",
			POINTER_VALUES);
	return true;
}

void pointer_release(struct pointer *p)
{
	term_assign_release(&p->as);
	vec_release(&p->values);
}

void pointer_query_value(struct pointers *ps, struct query *q, const struct pointer *p,
	const struct pointer_value *s)
{
	struct terms *ts = ps->c->ts;

	query_holds(q, term_eq(ts, p->sym, term_const(ts, term_width(ts, p->sym), s->value)));
	if (s->write != CTP_NONE)
		query_before(q, s->write, p->read);
	for (uint32_t i = ps->by_cell.at[p->cell]; i < ps->by_cell.at[p->cell + 1]; i++) {
		const struct ctp_access *a = &ps->c->accesses.at[ps->writes.at[i]];
		uint32_t w = ps->event_of.at[ps->writes.at[i]];

		if (w == s->write || w == p->read)
			continue;
		if (is_const(ps->c, a->value) &&
			(a->put != s->value ||
				value_of_write(ps, ps->writes.at[i]).block == s->block))
			continue;
		query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = w});
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = p->read, .b = w});
		if (s->write != CTP_NONE)
			query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = w, .b = s->write});
		query_end_clause(q);
	}
}

void pointers_init(struct pointers *ps, struct candidates *cs)
{
	*ps = (struct pointers){.cs = cs, .c = cs->c};
	index_writes(ps);
	index_blocks(ps);
}

void pointers_release(struct pointers *ps)
{
	map_release(&ps->access_of_sym);
	vec_release(&ps->writes);
	vec_release(&ps->by_cell);
	vec_release(&ps->event_of);
	vec_release(&ps->since);
	vec_release(&ps->blocks);
	vec_release(&ps->freed);
}
