/*
 * The slow twin of the model: every interleaving of every prefix of a small concurrent trace
 * program, with the meaning of the events written down a second time, in the plainest way. It shares
 * nothing with src/predict but the program and the query.
 */
#ifndef HEDDLE_TESTS_CTP_BRUTE_H
#define HEDDLE_TESTS_CTP_BRUTE_H

#include "model/model.h"

enum { BRUTE_NEVER = -1, BRUTE_TOO_MANY = -2 };

/*
 * For each query the least number of context switches of a linearization that satisfies it. What has
 * a rank below `from` happens as observed and does not count; what has `to` or more never happens.
 */
void ctp_brute(const struct ctp *c, enum model_kind kind, uint32_t from, uint32_t to,
	const struct query *q, uint32_t n, int32_t *least);

/*
 * One linearization, event by event, to compare the executor with (model/simulate.h). All choices of
 * the threads that signals wake are kept. Only these queries may be asked.
 */
struct brute_walk;
struct brute_walk *brute_walk_new(
	const struct ctp *c, enum model_kind kind, const struct query *q, uint32_t n);
void brute_walk_free(struct brute_walk *w);
/* The event, which is the next one of its thread, can be executed now. */
bool brute_walk_can(struct brute_walk *w, uint32_t e);
void brute_walk_step(struct brute_walk *w, uint32_t e);
bool brute_walk_satisfies(struct brute_walk *w, const struct query *q);

#endif
