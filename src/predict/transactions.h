/*
 * Which accesses of a thread were meant to be one: pairs (first, second) of accesses to one cell,
 * with no other access of the thread to that cell between them (but see WRITES), that another
 * thread should not be seen between.
 *
 * What the user marked (heddle_atomic_begin, heddle_atomic_end) is taken as it is: five patterns of
 * three accesses. What is inferred is inferred from the flow of values only, within one activation
 * of a function and the accessors that it calls: VALUE  x is read, and written with a value made of
 * what was read GUARD  x is read, and written or updated under a condition on what was read CHECK
 * x is read under a lock, and under a condition on it read again and changed in another region of
 * that lock without looking at it again Not inferred, for it is how it should be done:
 *  - a compare-and-swap: it looks again
 *  - an update whose result is looked at afterwards
 *  - a read that is repeated, and the repetition decided upon, before the write (double-checked
 *    locking; a value that is looked at again under the lock): the pair is that of the second read
 */
#ifndef HEDDLE_PREDICT_TRANSACTIONS_H
#define HEDDLE_PREDICT_TRANSACTIONS_H

#include "model/model.h"

enum transaction_why {
	TRANSACTION_MARKED,
	TRANSACTION_WRITES, /* marked: two writes with reads between them, for others who read */
	TRANSACTION_VALUE,  /* from here on inferred */
	TRANSACTION_GUARD,
	TRANSACTION_CHECK,
};

struct transaction {
	uint32_t cell;
	uint32_t first, second; /* events of one thread, first < second */
	uint8_t why;            /* enum transaction_why */
};

struct transactions {
	VEC(struct transaction) at; /* by rising second, per thread */
};

/* inferred: whether to look beyond what is marked. */
void transactions_build(
	struct transactions *tr, const struct ctp *c, const struct mhb *mhb, bool inferred);
void transactions_release(struct transactions *tr);

#endif
