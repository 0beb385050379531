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

#endif
