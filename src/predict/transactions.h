/*
 * Transactions: pairs (first, second) of accesses of a thread to one cell that are meant to be
 * atomic: no other thread should access the cell between them. The thread itself has no other access
 * to the cell between them (but see WRITES).
 *
 * Transactions that the user marked (heddle_atomic_begin, heddle_atomic_end) give five patterns of
 * three accesses. Others are inferred from the flow of values, within one activation of a function
 * and the functions that it calls:
 *
 *	VALUE  x is read, and written with a value that was computed from it
 *	GUARD  x is read, and written or updated under a condition on it
 *	CHECK  x is read under a lock, and under a condition on it read again and changed in another
 *	       critical section of that lock, without another check
 *
 * The condition may be in that function, or in a function that it calls (`if (is_free()) take();`).
 *
 * Not inferred, because these forms are correct:
 *  - a compare-and-swap, which checks again
 *  - an update whose result is checked afterwards
 *  - a read that is repeated and checked again before the write (double-checked locking): the pair
 *    is that of the second read
 */
#ifndef HEDDLE_PREDICT_TRANSACTIONS_H
#define HEDDLE_PREDICT_TRANSACTIONS_H

#include "base/vec.h"
#include "model/model.h"

enum transaction_why {
	TRANSACTION_MARKED,
	TRANSACTION_WRITES, /* marked: two writes with reads between them; only reads of others
			       violate it */
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

/* inferred: also transactions that are not marked. */
void transactions_build(
	struct transactions *tr, const struct ctp *c, const struct mhb *mhb, bool inferred);
void transactions_release(struct transactions *tr);

#endif
