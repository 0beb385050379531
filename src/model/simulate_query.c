/* A whole linearization, and whether a query holds at its end. */
#include "model/simulate_internal.h"

static bool ran_before(const struct sim *s, uint32_t a, uint32_t b)
{
	uint32_t pa, pb;

	if (!sim_done(s, s->c, a))
		return false;
	if (!sim_done(s, s->c, b))
		return sim_stands_at(s, b);
	pa = s->place.at[a];
	pb = s->place.at[b];
	if (!pa && !pb)
		return facts_rank(s->f, a) < facts_rank(s->f, b);
	return pa < pb; /* 0: before the start */
}

/* each read of the term was executed, or its thread stands AT it */
static bool is_defined(struct sim *s, term_t t)
{
	struct vec_u32 reads = {0};
	bool all = true;

	facts_reads_of(s->f, t, s->from, &reads);
	vec_each (&reads, i) {
		uint32_t e = s->f->access_event.at[reads.at[i]];

		all &= sim_done(s, s->c, e) || sim_reads_now(s, e);
	}
	vec_release(&reads);
	return all;
}

static bool spins(struct sim *s, const struct atom *a)
{
	bool defined;
	u128 value;

	s->ahead = a->a;
	defined = is_defined(s, a->term);
	s->ahead = CTP_NONE;
	if (!sim_stands_at(s, a->a) || !defined)
		return false;
	if (s->kind == MODEL_CONTROL && !term_is_const(s->c->ts, a->term, &value))
		return true;
	return sim_value_ahead(s, a->a, a->term, &value) && value;
}

static bool atom_holds(struct sim *s, const struct query *q, const struct atom *a)
{
	bool v = false;
	u128 value;

	switch ((enum atom_kind)a->kind) {
	case ATOM_RUN: v = sim_done(s, s->c, a->a); break;
	case ATOM_AT: v = sim_stands_at(s, a->a); break;
	case ATOM_ASLEEP: v = sim_asleep(s, q, a->a); break;
	case ATOM_SPINS: v = spins(s, a); break;
	case ATOM_BEFORE: v = ran_before(s, a->a, a->b); break;
	case ATOM_HOLDS:
		if (!is_defined(s, a->term))
			return false;
		if (s->kind == MODEL_CONTROL && !term_is_const(s->c->ts, a->term, &value))
			return true;
		if (!sim_value_now(s, a->term, &value))
			return false;
		v = value != 0;
		break;
	}
	return v != a->negated;
}

static bool query_satisfied(struct sim *s, const struct query *q)
{
	uint32_t i = 0;

	vec_each (&q->clauses, k) {
		bool any = false;

		for (; i < q->clauses.at[k]; i++)
			any = any || atom_holds(s, q, &q->atoms.at[i]);
		if (!any)
			return false;
	}
	return true;
}

const char *sim_check(struct sim *s, uint32_t from, const uint32_t *events, uint32_t n,
	const struct query *q, uint32_t *at)
{
	const char *why = NULL;

	sim_start(s, from);
	for (*at = 0; *at < n; ++*at)
		if ((why = sim_step(s, events[*at])))
			return why;
	if (!q)
		return NULL;
	vec_resize(&s->place, s->c->events.n);
	for (uint32_t i = 0; i < n; i++)
		s->place.at[events[i]] = i + 1;
	if (!query_satisfied(s, q))
		why = "the query does not hold at the end";
	for (uint32_t i = 0; i < n; i++)
		s->place.at[events[i]] = 0;
	return why;
}
