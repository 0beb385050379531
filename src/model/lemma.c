#include "model/lemma.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>

#include <stdlib.h>

enum cell_shape { SHAPE_UNSEEN, SHAPE_NONE, SHAPE_HULL, SHAPE_RANGE, SHAPE_SUM };

enum { LEMMA_VALUES = 64 }; /* a read with more values is not analysed */
struct lemma_values {
	uint32_t n;
	u128 at[LEMMA_VALUES];
};

struct lemmas {
	struct facts *f;
	const struct mhb *mhb;
	VEC(uint8_t) shape; /* by cell: enum cell_shape */
	struct map delta;   /* access -> place in deltas + 1 */
	VEC(u128) deltas;   /* what a write adds, in the width of the cell */
	struct term_assign as;
};

struct lemmas *lemmas_new(struct facts *f, const struct mhb *mhb)
{
	struct lemmas *l = xcalloc(1, sizeof *l);

	l->f = f;
	l->mhb = mhb;
	vec_resize(&l->shape, f->c->cells.n);
	term_assign_init(&l->as, f->c->ts);
	return l;
}

void lemmas_free(struct lemmas *l)
{
	if (!l)
		return;
	vec_release(&l->shape);
	map_release(&l->delta);
	vec_release(&l->deltas);
	term_assign_release(&l->as);
	free(l);
}

/* -- the form of a cell's writes -- */

static uint32_t read_of(const struct lemmas *l, term_t sym)
{
	uint32_t n = term_sym_number(l->f->c->ts, sym);

	return n < l->f->access_of.n && l->f->access_of.at[n] ? l->f->access_of.at[n] - 1 : CTP_NONE;
}

/* the write writes what its thread read from the same cell plus a constant: the read; CTP_NONE */
static uint32_t update_of(struct lemmas *l, uint32_t write, u128 *delta)
{
	const struct ctp *c = l->f->c;
	const struct ctp_access *w = &c->accesses.at[write];
	const struct term_syms *syms = term_syms(c->ts, w->value);
	uint32_t r, re, we = l->f->access_event.at[write];
	u128 k;

	if (syms->n != 1 || (r = read_of(l, syms->at[0])) == CTP_NONE)
		return CTP_NONE;
	re = l->f->access_event.at[r];
	if (c->accesses.at[r].cell != w->cell || ctp_at(c, re)->thread != ctp_at(c, we)->thread ||
		re > we || term_width(c->ts, syms->at[0]) != term_width(c->ts, w->value))
		return CTP_NONE;
	if (!term_is_const(c->ts, term_sub(c->ts, w->value, syms->at[0]), &k))
		return CTP_NONE;
	*delta = k;
	return r;
}

/* read and write of each update lie in one critical section of that lock */
static bool under_lock(struct lemmas *l, uint32_t cell, uint64_t object)
{
	const struct facts *f = l->f;

	for (uint32_t i = f->cell_first.at[cell]; i < f->cell_first.at[cell + 1]; i++) {
		uint32_t w = f->cell_writes.at[i], r, rw;
		u128 d;

		r = update_of(l, w, &d);
		rw = facts_exclusive(f, f->access_event.at[w], object);
		if (rw == CTP_NONE || facts_exclusive(f, f->access_event.at[r], object) != rw)
			return false;
	}
	return true;
}

/* No event of the thread writes the cell from an update's read to its write. An event that reads
 * and writes counts as between its read and a later write. */
static bool nothing_between(const struct facts *f, uint32_t r, uint32_t w)
{
	uint32_t cell = f->c->accesses.at[w].cell;
	uint32_t from = f->access_event.at[r], to = f->access_event.at[w];

	for (uint32_t i = f->cell_first.at[cell]; i < f->cell_first.at[cell + 1]; i++) {
		uint32_t e = f->access_event.at[f->cell_writes.at[i]];

		if (e >= from && e < to)
			return false;
	}
	return true;
}

static bool updates_are_apart(struct lemmas *l, uint32_t cell)
{
	const struct facts *f = l->f;
	uint32_t first = f->cell_first.at[cell], end = f->cell_first.at[cell + 1];
	bool single = true;
	u128 d;

	for (uint32_t i = first; i < end; i++) {
		uint32_t w = f->cell_writes.at[i], r = update_of(l, w, &d);

		single &= f->access_event.at[r] == f->access_event.at[w];
		if (end - first < 1000 && !nothing_between(f, r, w))
			return false;
	}
	if (single)
		return true;
	if (end - first >= 1000)
		return false;
	for (uint32_t h = f->held_at.at[f->access_event.at[f->cell_writes.at[first]]]; h != CTP_NONE;
		h = f->held.at[h].next)
		if (under_lock(l, cell, f->c->regions.at[f->held.at[h].region].object))
			return true;
	return false;
}

static enum cell_shape find_shape(struct lemmas *l, uint32_t cell)
{
	const struct facts *f = l->f;
	uint32_t first = f->cell_first.at[cell], end = f->cell_first.at[cell + 1];
	bool constants = true, updates = true;
	u128 k;

	if (!f->c->cells.at[cell].known)
		return SHAPE_NONE;
	for (uint32_t i = first; i < end && (constants || updates); i++) {
		uint32_t w = f->cell_writes.at[i];
		u128 delta;

		constants &= term_is_const(f->c->ts, f->c->accesses.at[w].value, &k);
		updates = updates && update_of(l, w, &delta) != CTP_NONE;
		if (updates) {
			vec_push(&l->deltas, delta);
			*map_put(&l->delta, w) = l->deltas.n;
		}
	}
	if (constants)
		return SHAPE_HULL;
	if (!updates)
		return SHAPE_NONE;
	return updates_are_apart(l, cell) ? SHAPE_SUM : SHAPE_RANGE;
}

static enum cell_shape shape_of(struct lemmas *l, uint32_t cell)
{
	if (l->shape.at[cell] == SHAPE_UNSEEN)
		l->shape.at[cell] = (uint8_t)find_shape(l, cell);
	return l->shape.at[cell];
}

/* -- values -- */

/* w is executed before the thread of r can stand AT r */
static bool precedes_read(const struct lemmas *l, uint32_t w, uint32_t r)
{
	uint32_t pred = ctp_pred(l->f->c, r);

	return pred != CTP_NONE && (w == pred || mhb_before(l->mhb, w, pred));
}

static bool add_value(struct lemma_values *v, u128 x)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->at[i] == x)
			return true;
	if (v->n == LEMMA_VALUES)
		return false;
	v->at[v->n++] = x;
	return true;
}

static bool hull_values(
	struct lemmas *l, uint32_t cell, uint32_t r, u128 mask, struct lemma_values *out)
{
	const struct facts *f = l->f;
	bool initial = true, fits = true;

	for (uint32_t i = f->cell_first.at[cell]; fits && i < f->cell_first.at[cell + 1]; i++) {
		uint32_t w = f->cell_writes.at[i], e = f->access_event.at[w];
		u128 k = 0;

		if (e == r || mhb_before(l->mhb, r, e))
			continue;
		initial &= !precedes_read(l, e, r);
		term_is_const(f->c->ts, f->c->accesses.at[w].value, &k);
		fits = add_value(out, k & mask);
	}
	return fits && (!initial || add_value(out, f->c->cells.at[cell].initial & mask));
}

static bool sum_values(struct lemmas *l, uint32_t cell, uint32_t r, u128 mask, bool telescopes,
	struct lemma_values *out)
{
	const struct facts *f = l->f;
	u128 base = f->c->cells.at[cell].initial, sign = (mask >> 1) + 1;
	u128 down = 0, up = 0;

	for (uint32_t i = f->cell_first.at[cell]; i < f->cell_first.at[cell + 1]; i++) {
		uint32_t w = f->cell_writes.at[i], e = f->access_event.at[w];
		u128 d = l->deltas.at[map_get_or(&l->delta, w, 0) - 1];

		if (e == r || mhb_before(l->mhb, r, e))
			continue;
		if (telescopes && precedes_read(l, e, r))
			base += d;
		else if (d & sign)
			down += (-d) & mask;
		else
			up += d;
		if (down + up >= LEMMA_VALUES)
			return false;
	}
	for (u128 k = 0; k <= down + up; k++)
		if (!add_value(out, (base - down + k) & mask))
			return false;
	return true;
}

/* A superset of the values that the access can read; false: too many, or not known. */
static bool lemma_values(struct lemmas *l, uint32_t access, struct lemma_values *out)
{
	const struct ctp_access *a = &l->f->c->accesses.at[access];
	uint32_t r = l->f->access_event.at[access];
	u128 mask = term_mask(term_width(l->f->c->ts, a->sym));
	enum cell_shape s = shape_of(l, a->cell);

	assert(a->sym.id); /* a read */
	out->n = 0;
	switch (s) {
	case SHAPE_HULL: return hull_values(l, a->cell, r, mask, out);
	case SHAPE_RANGE:
	case SHAPE_SUM: return sum_values(l, a->cell, r, mask, s == SHAPE_SUM, out);
	default: return false;
	}
}

/* -- conditions -- */

enum { MAX_SYMBOLS = 64, MAX_TRIED = 4096 };

/* A term of one bit is 0 for all values that its reads can have. */
static bool lemma_never_holds(struct lemmas *l, term_t t)
{
	const struct term_syms *syms = term_syms(l->f->c->ts, t);
	struct lemma_values *vals;
	uint32_t at[MAX_SYMBOLS] = {0}, tried = 1;
	bool never = true;

	if (!syms->n || syms->n > MAX_SYMBOLS)
		return false;
	vals = xcalloc(syms->n, sizeof *vals);
	for (uint32_t i = 0; i < syms->n && tried; i++) {
		uint32_t k = read_of(l, syms->at[i]);

		tried = k != CTP_NONE && lemma_values(l, k, &vals[i]) ? tried * vals[i].n : 0;
		tried = tried <= MAX_TRIED ? tried : 0;
	}
	never = tried != 0;
	for (uint32_t n = 0; never && n < tried; n++) {
		uint32_t i = 0;

		term_assign_clear(&l->as);
		for (uint32_t k = 0; k < syms->n; k++)
			term_assign_set(&l->as, syms->at[k], vals[k].at[at[k]]);
		never = !term_value(&l->as, t);
		while (i < syms->n && ++at[i] == vals[i].n)
			at[i++] = 0;
	}
	free(vals);
	return never;
}

bool lemma_refutes(struct lemmas *l, const struct query *q)
{
	uint32_t i = 0;

	vec_each (&q->clauses, k) {
		bool never = true;

		for (; i < q->clauses.at[k]; i++) {
			const struct atom *a = &q->atoms.at[i];

			never = never && a->kind == ATOM_HOLDS &&
				lemma_never_holds(l, a->negated ? term_not(l->f->c->ts, a->term)
								: a->term);
		}
		if (never)
			return true;
	}
	return false;
}
