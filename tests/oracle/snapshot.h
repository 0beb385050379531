/*
 * The state of a machine, kept and given back: memory, heap, threads, wait queue. What only grows
 * (code, interned stacks and names) is shared by all states of one machine.
 *
 * Lifetime: heap, snapshot_free().
 */
#ifndef ORACLE_SNAPSHOT_H
#define ORACLE_SNAPSHOT_H

#include "machine/machine.h"

struct snapshot;
struct snapshot *snapshot_take(struct machine *m);
void snapshot_restore(struct machine *m, const struct snapshot *s);
void snapshot_free(struct snapshot *s);
/* Of everything that decides what the machine does next. Counters of instructions, frames and time
 * are no part of it. */
uint64_t machine_hash(struct machine *m);

#endif
