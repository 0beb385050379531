/*
 * The executor of linearizations: executes a concurrent trace program event by event, with memory
 * by cell, values of symbols, guards, and the semantics of every synchronization operation. Every
 * witness is checked by it.
 *
 *	sim_start(s, from);                   the state of the recorded run at that rank
 *	while (…)
 *		why = sim_step(s, event);     NULL, or why it cannot be executed now
 *
 * A woken waiter consumes the earliest signal since its wait that is not consumed. Waits are
 * intervals and signals points, so this choice fails only if every choice does.
 *
 * Lifetime: heap, sim_free(). sim_start() takes time linear in the threads, a step in its accesses.
 */
#ifndef HEDDLE_MODEL_SIMULATE_H
#define HEDDLE_MODEL_SIMULATE_H

#include "model/model.h"
#include "model/model_facts.h"

struct sim;

struct sim *sim_new(struct facts *f, enum model_kind kind);
void sim_free(struct sim *s);
void sim_start(struct sim *s, uint32_t from);

/* NULL: executed. Otherwise the reason (static), and the state is as before. */
const char *sim_step(struct sim *s, uint32_t event);
/* The same, but a guard whose condition is false is executed too: *holds is false then. */
const char *sim_step_anyway(struct sim *s, uint32_t event, bool *holds);

/* the next event of a thread; first + n: all are executed */
uint32_t sim_next(const struct sim *s, uint32_t thread);
static inline bool sim_done(const struct sim *s, const struct ctp *c, uint32_t event)
{
	return sim_next(s, c->events.at[event].thread) > event;
}

/* the value of a term with the values read so far; false: it depends on a read that was not
 * executed, or on an unknown value */
bool sim_value(struct sim *s, term_t t, u128 *value);
/* the same, where reads that their threads stand AT have the value that they would get now */
bool sim_value_now(struct sim *s, term_t t, u128 *value);
/* the same, where also the reads of the thread of event e, which it stands AT, from e on have the
 * values that their cells have now */
bool sim_value_ahead(struct sim *s, uint32_t e, term_t t, u128 *value);
/* the write that a read read from, or would read from now if its thread stands AT it; CTP_NONE: the
 * value at the start */
uint32_t sim_reads_from(const struct sim *s, uint32_t access);
/* the value that an access read; false: none, or it is not known */
bool sim_read(const struct sim *s, uint32_t access, u128 *value);

/*
 * Executes the events from rank `from` on and evaluates the query at their end. NULL, or the
 * reason; then *at is the index of the event that cannot be executed, or n. q may be NULL.
 */
const char *sim_check(struct sim *s, uint32_t from, const uint32_t *events, uint32_t n,
	const struct query *q, uint32_t *at);

#endif
