/* What predicted and observed deadlocks have in common: so that both tell one bug alike. */
#ifndef HEDDLE_EXPLAIN_DEADLOCK_H
#define HEDDLE_EXPLAIN_DEADLOCK_H

#include "ctp/ctp.h"

/* "deadlock of mutex 'a', mutex 'b'": the objects that the events wait for. Free it. */
char *deadlock_title(const struct ctp *c, const uint32_t *events, uint32_t n);
/* Of a run that hangs: a cycle of threads, each blocked at a lock that the next one holds, or at a
 * join of the next one. Fills `key` with their pending events, from the least thread on. Returns
 * their number; 0: there is no such cycle of up to `max` threads. */
uint32_t deadlock_cycle(const struct ctp *c, uint32_t *key, uint32_t max);

#endif
