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
};
struct ctp *ctp_random(struct rng *r, const struct ctp_random_options *opt);
/* Makes two threads alternatives of each other, as if they were of different runs; false: there are
 * none that could be. */
bool ctp_random_merge(struct rng *r, struct ctp *c);
void ctp_random_free(struct ctp *c);
void ctp_random_query(struct rng *r, const struct ctp *c, struct query *q);
/* everything, for a failure's message; to stderr */
void ctp_random_print(const struct ctp *c, const struct query *q);

#endif
