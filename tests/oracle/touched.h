/*
 * Transactions (heddle_atomic_begin to heddle_atomic_end) and what others do to their variables meanwhile
 * (world.h: struct touched). An atomicity violation is told when the transaction touches the variable again.
 */
#ifndef ORACLE_TOUCHED_H
#define ORACLE_TOUCHED_H

#include "world.h"

/* The thread makes the access that it stands before; `changed`: others see a write. */
void touched_add(struct world *w, uint32_t thread, const struct access *a, bool changed);
/* The thread's transaction ends. */
void touched_end(struct world *w, uint32_t thread);

#endif
