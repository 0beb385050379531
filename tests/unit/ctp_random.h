/*
 * Random small concurrent trace programs, made by running random threads: the observed order is a
 * linearization, with its values. Two to four threads, at most 20 events or so, one-byte cells.
 */
#ifndef HEDDLE_TESTS_CTP_RANDOM_H
#define HEDDLE_TESTS_CTP_RANDOM_H

#include "model/model.h"
#include "rng.h"

enum { RANDOM_CELLS = 3, RANDOM_THREADS = 4 };

struct ctp_random_options {
	uint32_t events; /* about that many */
	bool odd;        /* unlocks by strangers, semaphores of unknown value */
	bool conditions; /* only locks, waits and signals */
};
struct ctp *ctp_random(struct rng *r, const struct ctp_random_options *opt);
/* Makes two threads alternatives of each other, as if they were of different runs; false: there are
 * none that could be. */
bool ctp_random_merge(struct rng *r, struct ctp *c);
void ctp_random_free(struct ctp *c);
/* A model with facts, clocks, lemmas and an executor of its own. */
struct model *model_alone(const struct ctp *c, enum model_kind kind, uint32_t from, uint32_t to);
void model_alone_free(struct model *m);
void ctp_random_query(struct rng *r, const struct ctp *c, struct query *q);
/* Threads that sleep, maybe after an event. */
void ctp_random_sleepers(struct rng *r, const struct ctp *c, struct query *q);
/* Asks that one or two threads spin, with terms over the reads ahead of them. */
void ctp_random_spinners(struct rng *r, const struct ctp *c, struct query *q);
/* everything, for a failure's message; to stderr */
void ctp_random_print(const struct ctp *c, const struct query *q);

#endif
