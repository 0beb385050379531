/*
 * Executes linearizations of a concurrent trace program, event by event: memory by cell, the values
 * of symbols, guards, and the meaning of every primitive. It is the judge of witnesses.
 *
 *	sim_start(s, from);                   the state of the recorded run at that rank
 *	while (…)
 *		why = sim_step(s, event);     NULL, or why it cannot be executed now
 *
 * A woken waiter takes the earliest signal since its wait that nobody took: with waits and signals as
 * intervals and points, that choice fails only if every choice does.
 *
 * Lives on the heap of its owner. Starting costs the threads, a step about its own size.
 */
#ifndef HEDDLE_MODEL_SIMULATE_H
#define HEDDLE_MODEL_SIMULATE_H

#include "model/model.h"
#include "model/model_facts.h"

struct sim;

struct sim *sim_new(struct facts *f, enum model_kind kind);
void sim_free(struct sim *s);
void sim_start(struct sim *s, uint32_t from);

/* NULL: executed. Else nothing has changed; static. */
const char *sim_step(struct sim *s, uint32_t event);
/* The same, but a guard that fails is passed over: *holds tells. Other reasons stay reasons. */
const char *sim_step_anyway(struct sim *s, uint32_t event, bool *holds);

/* the next event of a thread, as an index of events; behind the last: first + n */
uint32_t sim_next(const struct sim *s, uint32_t thread);
static inline bool sim_done(const struct sim *s, const struct ctp *c, uint32_t event)
{
	return sim_next(s, c->events.at[event].thread) > event;
}

/* the value of a term under what was read so far; false: it needs something not read or not known */
bool sim_value(struct sim *s, term_t t, u128 *value);
/* the value of a term when reads that their threads stand AT get what they would get now */
bool sim_value_now(struct sim *s, term_t t, u128 *value);
/* the access whose value a read got (or would get now, if its thread stands at it); CTP_NONE: the
 * value from before the start */
uint32_t sim_reads_from(const struct sim *s, uint32_t access);
/* what an access read */
bool sim_read(const struct sim *s, uint32_t access, u128 *value);

/*
 * Executes all of it from `from` on and looks at the query. NULL, or what is wrong; then *at is the
 * place of the event that cannot be executed, or the number of events. q may be NULL.
 */
const char *sim_check(struct sim *s, uint32_t from, const uint32_t *events, uint32_t n,
	const struct query *q, uint32_t *at);

#endif
