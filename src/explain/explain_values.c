#include "explain/explain_internal.h"

#include "base/base.h"

#include <string.h>

/* ---- reads-from ----------------------------------------------------------------------------- */

/* The last write to each cell, along a list of events. */
static void find_reads_from(
	const struct ctp *c, const uint32_t *events, uint32_t n, uint32_t *last, uint32_t *from)
{
	memset(last, 0xff, c->cells.n * sizeof *last);
	for (uint32_t i = 0; i < n; i++) {
		const struct ctp_event *e = ctp_at(c, events[i]);

		for (uint32_t a = e->first; a < e->first + e->n; a++)
			if (c->accesses.at[a].sym.id)
				from[a] = last[c->accesses.at[a].cell];
		for (uint32_t a = e->first; a < e->first + e->n; a++)
			if (c->accesses.at[a].value.id)
				last[c->accesses.at[a].cell] = a;
	}
}

static void find_reads_of_keys(struct explainer *x, const uint32_t *last)
{
	for (uint32_t i = 0; i < x->v->nkeys; i++) {
		const struct ctp_event *e = ctp_at(x->c, x->v->key[i]);

		if (!bitset_has(&x->done, x->v->key[i]))
			for (uint32_t a = e->first; a < e->first + e->n; a++)
				x->from[a] = last[x->c->accesses.at[a].cell];
	}
}

/* ---- values --------------------------------------------------------------------------------- */

static void assign_values(struct explainer *x)
{
	const struct ctp *c = x->c;

	term_assign_init(&x->now, c->ts);
	vec_each (&c->accesses, a)
		if (c->accesses.at[a].sym.id) {
			*map_put(&x->reader, c->accesses.at[a].sym.id) = a;
			term_assign_set(&x->now, c->accesses.at[a].sym, c->accesses.at[a].seen);
		}
	vec_each (&x->w->values, i) {
		const struct witness_value *v = &x->w->values.at[i];

		term_assign_set(&x->now, c->accesses.at[v->access].sym, v->value);
	}
	/* key events that are not executed: the value that the read would get now */
	for (uint32_t i = 0; i < x->v->nkeys; i++) {
		const struct ctp_event *e = ctp_at(c, x->v->key[i]);

		for (uint32_t a = e->first; a < e->first + e->n; a++)
			if (c->accesses.at[a].sym.id && !bitset_has(&x->done, x->v->key[i]))
				term_assign_set(
					&x->now, c->accesses.at[a].sym, value_read(x, a, false));
	}
}

void values_init(struct explainer *x)
{
	const struct ctp *c = x->c;
	uint32_t *last = xmalloc((c->cells.n + 1) * sizeof *last);

	x->from = xmalloc((c->accesses.n + 1) * sizeof *x->from);
	x->recorded_from = xmalloc((c->accesses.n + 1) * sizeof *x->recorded_from);
	x->event_of = xmalloc((c->accesses.n + 1) * sizeof *x->event_of);
	memset(x->from, 0xff, c->accesses.n * sizeof *x->from);
	memset(x->recorded_from, 0xff, c->accesses.n * sizeof *x->recorded_from);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++)
			x->event_of[ctp_at(c, e)->first + i] = e;
	x->place_of = xmalloc((c->events.n + 1) * sizeof *x->place_of);
	memset(x->place_of, 0xff, c->events.n * sizeof *x->place_of);
	vec_each (&x->w->events, i) {
		bitset_add(&x->done, x->w->events.at[i]);
		x->place_of[x->w->events.at[i]] = i;
	}
	find_reads_from(c, c->order.at, c->order.n, last, x->recorded_from);
	find_reads_from(c, x->w->events.at, x->w->events.n, last, x->from);
	find_reads_of_keys(x, last);
	assign_values(x);
	free(last);
}

void values_release(struct explainer *x)
{
	free(x->from);
	free(x->recorded_from);
	free(x->event_of);
	free(x->place_of);
	term_assign_release(&x->now);
	map_release(&x->reader);
	bitset_release(&x->done);
}

u128 value_of(struct explainer *x, term_t t)
{
	return term_value(&x->now, t);
}

static u128 value_written(struct explainer *x, uint32_t access, bool recorded)
{
	const struct ctp_access *a = &x->c->accesses.at[access];

	return recorded ? a->put : value_of(x, a->value);
}

u128 value_read(struct explainer *x, uint32_t access, bool recorded)
{
	const struct ctp_access *a = &x->c->accesses.at[access];
	const struct ctp_cell *cell = &x->c->cells.at[a->cell];
	bool done = bitset_has(&x->done, x->event_of[access]);

	if (recorded)
		return a->seen;
	if (done)
		return term_value(&x->now, a->sym);
	if (x->from[access] != CTP_NONE)
		return value_written(x, x->from[access], false);
	return cell->known ? cell->initial : a->seen;
}

/* The last block at the address that the witness allocates. */
static uint32_t block_at(const struct explainer *x, uint64_t addr)
{
	uint32_t found = CTP_NONE;

	vec_each (&x->c->blocks, i) {
		const struct ctp_block *b = &x->c->blocks.at[i];

		if (addr - b->addr < MAX(b->size, 1u) &&
			(b->alloc == CTP_NONE || bitset_has(&x->done, b->alloc)))
			found = i;
	}
	return found;
}

uint32_t block_of(struct explainer *x, uint32_t event)
{
	const struct ctp_event *e = ctp_at(x->c, event);

	return e->operand.id ? block_at(x, (uint64_t)value_of(x, e->operand)) : e->block;
}

/* ---- text ----------------------------------------------------------------------------------- */

static uint32_t type_of(struct explainer *x, const struct ctp_event *e)
{
	const struct insn_names *n;
	bool bulk;

	if (!x->p || e->func >= x->p->funcs.n || e->insn >= x->p->funcs.at[e->func].insns.n ||
		e->flags & CTP_NATIVE_USE)
		return 0;
	n = names_of(&x->names, e->func, e->insn);
	bulk = ir_ops[x->p->funcs.at[e->func].insns.at[e->insn].op].shape == IR_S_BULK;
	return bulk && e->kind == CTP_READ ? n->from.dtype : n->to.dtype;
}

static ir_type machine_type(const struct explainer *x, const struct ctp_event *e)
{
	const struct ir_insn *in;

	if (!x->p || e->func >= x->p->funcs.n || e->insn >= x->p->funcs.at[e->func].insns.n)
		return IR_VOID;
	in = &x->p->funcs.at[e->func].insns.at[e->insn];
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: return in->type;
	case IR_S_STORE: return in->type2;
	default: return IR_VOID;
	}
}

bool value_add(struct explainer *x, uint32_t event, bool written, bool recorded, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	uint64_t lo = UINT64_MAX, hi = 0, size = e->size;
	u128 v = 0;

	for (uint32_t a = e->first; a < e->first + e->n; a++) {
		const struct ctp_cell *cell = &x->c->cells.at[x->c->accesses.at[a].cell];

		lo = MIN(lo, cell->addr);
		hi = MAX(hi, cell->addr + cell->size);
	}
	if (!e->n || hi - lo > 16 || (size && (hi - lo != size || lo != e->at)))
		return false; /* parts of it are not shared, and have no value here */
	for (uint32_t a = e->first; a < e->first + e->n; a++) {
		const struct ctp_access *ac = &x->c->accesses.at[a];
		u128 part;

		if (written ? !ac->value.id : !ac->sym.id)
			return false;
		part = written ? value_written(x, a, recorded) : value_read(x, a, recorded);
		v |= part << 8 * (x->c->cells.at[ac->cell].addr - lo);
	}
	if (x->p)
		names_value(out, x->p, type_of(x, e), machine_type(x, e), hi - lo, val_of(v));
	else
		strbuf_addf(
			out, "%lld", (long long)bits_signed(v, MIN(8 * (uint32_t)(hi - lo), 64u)));
	return true;
}
