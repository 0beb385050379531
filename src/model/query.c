#include "model/model.h"

#include "base/vec.h"

void query_release(struct query *q)
{
	vec_release(&q->atoms);
	vec_release(&q->clauses);
}

void query_clear(struct query *q)
{
	vec_clear(&q->atoms);
	vec_clear(&q->clauses);
}

void query_add(struct query *q, struct atom a)
{
	vec_push(&q->atoms, a);
}

void query_end_clause(struct query *q)
{
	vec_push(&q->clauses, q->atoms.n);
}

void query_run(struct query *q, uint32_t e)
{
	query_add(q, (struct atom){.kind = ATOM_RUN, .a = e});
	query_end_clause(q);
}

void query_at(struct query *q, uint32_t e)
{
	query_add(q, (struct atom){.kind = ATOM_AT, .a = e});
	query_end_clause(q);
}

void query_asleep(struct query *q, uint32_t e)
{
	query_add(q, (struct atom){.kind = ATOM_ASLEEP, .a = e});
	query_end_clause(q);
}

void query_before(struct query *q, uint32_t a, uint32_t b)
{
	query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = a, .b = b});
	query_end_clause(q);
}

void query_holds(struct query *q, term_t t)
{
	query_add(q, (struct atom){.kind = ATOM_HOLDS, .term = t});
	query_end_clause(q);
}

void query_spins(struct query *q, uint32_t e, term_t t)
{
	query_add(q, (struct atom){.kind = ATOM_SPINS, .a = e, .term = t});
	query_end_clause(q);
}

void witness_release(struct witness *w)
{
	vec_release(&w->events);
	vec_release(&w->values);
}

void model_result_release(struct model_result *r)
{
	witness_release(&r->witness);
}
