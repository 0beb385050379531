/*
 * The state of a machine, kept and given back: memory, heap, threads, wait queue. What only grows
 * (code, interned stacks and names) is shared by all states of one machine.
 *
 * Lifetime: heap, snapshot_free().
 */
#ifndef ORACLE_SNAPSHOT_H
#define ORACLE_SNAPSHOT_H

#include "base/map.h"
#include "machine/machine.h"

struct snapshot;
struct snapshot *snapshot_take(struct machine *m);
void snapshot_restore(struct machine *m, const struct snapshot *s);
void snapshot_free(struct snapshot *s);

/* The contents of pages of memory at the last call of machine_hash(), with their hashes: most pages
 * do not change from one state to the next, and a comparison is much cheaper than a hash. */
struct page_hashes {
	struct map by_number; /* page number -> struct hashed_page * */
};

void page_hashes_release(struct page_hashes *known);
/* Of everything that decides what the machine does next. Counters of instructions, frames and time
 * are no part of it. */
uint64_t machine_hash(struct machine *m, struct page_hashes *known);
/* To call before each instruction of a thread whose states are hashed: registers that were not
 * written yet have what an older frame left there, which is no part of the state. */
void clear_registers(const struct machine *m, struct thread *t);

#endif
