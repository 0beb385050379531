/* Values of terms under what was read so far. */
#include "model/simulate_internal.h"

bool sim_reads_now(const struct sim *s, uint32_t event)
{
	return sim_stands_at(s, event) ||
	       (s->ahead != CTP_NONE && event >= s->ahead && sim_stands_at(s, s->ahead) &&
		       ctp_at(s->c, event)->thread == ctp_at(s->c, s->ahead)->thread);
}

static void symbol_value(struct sim *s, term_t t, struct sim_term *out)
{
	uint32_t number = term_sym_number(s->c->ts, t);
	uint32_t k = number < s->f->access_of.n ? s->f->access_of.at[number] : 0;
	const struct sim_read *r = k ? &s->reads.at[k - 1] : NULL;

	out->known = false;
	if (!k)
		return;
	if (r->stamp == s->epoch) {
		out->known = r->known;
		out->value = r->value;
	} else if (s->now && sim_reads_now(s, s->f->access_event.at[k - 1])) {
		const struct sim_cell *x = sim_cell_at(s, s->c->accesses.at[k - 1].cell);

		out->known = x->known;
		out->value = x->value & term_mask(term_width(s->c->ts, t));
	}
}

static void compute_term(struct sim *s, term_t t, struct sim_term *out)
{
	const struct terms *ts = s->c->ts;
	enum term_op op = term_op(ts, t);
	u128 v[3] = {0};
	unsigned w[3] = {0};

	out->stamp = s->term_epoch;
	out->known = true;
	if (s->f->late.at[t.id] <= s->from) {
		out->value = s->f->seen.at[t.id];
		return;
	}
	if (op == TERM_SYM) {
		symbol_value(s, t, out);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		term_t a = term_arg(ts, t, i);

		if (!a.id)
			break;
		out->known &= s->terms.at[a.id].known;
		v[i] = s->terms.at[a.id].value;
		w[i] = term_width(ts, a);
	}
	out->value = term_fold(op, term_width(ts, t), w[0], w[1],
		op == TERM_EXTRACT ? term_low(ts, t) : 0, v[0], v[1], v[2]);
}

/* an operand of t that is not evaluated yet; TERM_NONE */
static term_t missing_operand(const struct sim *s, term_t t)
{
	if (s->f->late.at[t.id] > s->from)
		for (unsigned i = 0; i < 3; i++) {
			term_t a = term_arg(s->c->ts, t, i);

			if (a.id && s->terms.at[a.id].stamp != s->term_epoch)
				return a;
		}
	return TERM_NONE;
}

bool sim_value(struct sim *s, term_t t, u128 *value)
{
	if (t.id >= s->terms.n) {
		facts_terms(s->f);
		vec_resize(&s->terms, s->f->late.n);
	}
	vec_clear(&s->todo);
	if (s->terms.at[t.id].stamp != s->term_epoch)
		vec_push(&s->todo, t.id);
	while (s->todo.n) {
		term_t x = {vec_last(&s->todo)}, a = missing_operand(s, x);

		if (a.id) {
			vec_push(&s->todo, a.id);
			continue;
		}
		s->todo.n--;
		compute_term(s, x, &s->terms.at[x.id]);
	}
	*value = s->terms.at[t.id].value;
	return s->terms.at[t.id].known;
}

bool sim_value_now(struct sim *s, term_t t, u128 *value)
{
	bool known;

	s->now = true;
	s->term_epoch++;
	known = sim_value(s, t, value);
	s->now = false;
	s->term_epoch++;
	return known;
}

bool sim_value_ahead(struct sim *s, uint32_t e, term_t t, u128 *value)
{
	bool known;

	s->ahead = e;
	known = sim_value_now(s, t, value);
	s->ahead = CTP_NONE;
	return known;
}

uint32_t sim_reads_from(const struct sim *s, uint32_t access)
{
	const struct sim_read *r = &s->reads.at[access];
	const struct sim_cell *x = &s->cells.at[s->c->accesses.at[access].cell];

	if (r->stamp == s->epoch)
		return r->source;
	return x->stamp == s->epoch ? x->writer : CTP_NONE;
}

bool sim_read(const struct sim *s, uint32_t access, u128 *value)
{
	const struct sim_read *r = &s->reads.at[access];

	*value = r->value;
	return r->stamp == s->epoch && r->known;
}
