/* The state of the recorded run at a rank, and the values of terms in that run. */
#include "model/model_facts.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/search.h"

uint32_t facts_first_event(const struct facts *f, uint32_t thread, uint32_t rank)
{
	const struct ctp_thread *t = &f->c->threads.at[thread];

	return lower_bound(t->first, t->first + t->n, e, facts_rank(f, e), rank);
}

uint32_t facts_last_write(const struct facts *f, uint32_t cell, uint32_t rank)
{
	uint32_t first = f->cell_first.at[cell];
	uint32_t at = lower_bound(first, f->cell_first.at[cell + 1], i,
		facts_rank(f, f->access_event.at[f->cell_writes.at[i]]), rank);

	return at == first ? CTP_NONE : f->cell_writes.at[at - 1];
}

bool facts_cell_value(const struct facts *f, uint32_t cell, uint32_t rank, u128 *value)
{
	uint32_t w = facts_last_write(f, cell, rank);

	*value = w == CTP_NONE ? f->c->cells.at[cell].initial : f->c->accesses.at[w].put;
	return w != CTP_NONE || f->c->cells.at[cell].known;
}

uint32_t facts_op_at(const struct facts *f, const struct facts_object *o, uint32_t rank)
{
	return lower_bound(0, o->ops.n, i, facts_rank(f, o->ops.at[i]), rank);
}

int64_t facts_sem_value(const struct facts *f, uint32_t object, uint32_t rank)
{
	const struct facts_object *o = &f->objects.at[object];
	int64_t v = o->initial;
	uint32_t n = facts_op_at(f, o, rank);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t k = ctp_at(f->c, o->ops.at[i])->kind;

		v += k == CTP_SEM_POST ? 1 : k == CTP_SEM_WAIT ? -1 : 0;
	}
	return v;
}

void facts_pending_signals(
	const struct facts *f, uint32_t object, uint32_t since, uint32_t rank, struct vec_u32 *out)
{
	const struct facts_object *o = &f->objects.at[object];

	for (uint32_t i = facts_op_at(f, o, since); i < o->ops.n; i++) {
		uint32_t e = o->ops.at[i];
		uint8_t k = ctp_at(f->c, e)->kind;
		uint32_t by;

		if (facts_rank(f, e) >= rank)
			break;
		if (k != CTP_SIGNAL && k != CTP_BROADCAST)
			continue;
		by = (uint32_t)map_get_or(&f->woken_by, e, CTP_NONE);
		if (k == CTP_BROADCAST || by == CTP_NONE || facts_rank(f, by) >= rank)
			vec_push(out, e);
	}
}

static void note_symbol(struct facts *f, term_t t)
{
	uint32_t number = term_sym_number(f->c->ts, t);
	uint32_t k = number < f->access_of.n ? f->access_of.at[number] : 0;

	f->late.at[t.id] = k ? facts_rank(f, f->access_event.at[k - 1]) + 1 : UINT32_MAX;
	f->seen.at[t.id] =
		k ? f->c->accesses.at[k - 1].seen & term_mask(term_width(f->c->ts, t)) : 0;
}

void facts_terms(struct facts *f)
{
	const struct terms *ts = f->c->ts;
	uint32_t from = f->late.n ? f->late.n : 1;

	vec_resize(&f->late, terms_count(ts));
	vec_resize(&f->seen, terms_count(ts));
	for (uint32_t id = from; id < terms_count(ts); id++) {
		term_t t = {id}, a = term_arg(ts, t, 0), b = term_arg(ts, t, 1),
		       d = term_arg(ts, t, 2);
		enum term_op op = term_op(ts, t);

		if (op == TERM_CONST) {
			term_is_const(ts, t, &f->seen.at[id]);
			continue;
		}
		if (op == TERM_SYM) {
			note_symbol(f, t);
			continue;
		}
		f->late.at[id] = MAX(f->late.at[a.id], MAX(f->late.at[b.id], f->late.at[d.id]));
		f->seen.at[id] = term_fold(op, term_width(ts, t), term_width(ts, a),
			b.id ? term_width(ts, b) : 0, op == TERM_EXTRACT ? term_low(ts, t) : 0,
			f->seen.at[a.id], f->seen.at[b.id], f->seen.at[d.id]);
	}
}

void facts_reads_of(struct facts *f, term_t t, uint32_t from, struct vec_u32 *accesses)
{
	const struct terms *ts = f->c->ts;
	struct map seen = {0};
	struct vec_u32 todo = {0};

	facts_terms(f);
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_pop(&todo)};
		uint64_t *was;

		if (f->late.at[x.id] <= from)
			continue;
		was = map_put(&seen, x.id);
		if (*was)
			continue;
		*was = 1;
		if (term_op(ts, x) == TERM_SYM) {
			uint32_t number = term_sym_number(ts, x);
			uint32_t k = number < f->access_of.n ? f->access_of.at[number] : 0;

			if (k)
				vec_push(accesses, k - 1);
		}
		for (unsigned i = 0; i < 3 && term_arg(ts, x, i).id; i++)
			vec_push(&todo, term_arg(ts, x, i).id);
	}
	map_release(&seen);
	vec_release(&todo);
}
