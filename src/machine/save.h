/*
 * Saved states: the part of a machine that differs between paths. One machine, with its code,
 * tables and TLB, executes many paths in turn.
 *
 * A save takes time and memory for the changes since the last one: pages are shared until they are
 * written, and a saved page that differs in few words from an older one is kept as the difference.
 * 100,000 states of a small program fit into 2 GB. machine_restore() may be called any number of
 * times with one save; the machine then continues from the saved state. A save belongs to the
 * machine that made it; saves may be freed in any order, before or after the machine.
 *
 * A save has: memory, heap blocks, threads with frames, registers, terms and variables, the wait
 * queue, random numbers, counters, symbolic memory, the path (sym.h), the world (world.h). It does
 * not have code, builtins, interned names and stacks, and the solver: these only grow.
 *
 * struct thread and struct sym are saved whole, with exceptions in save.c and sym_save.c; of struct
 * machine, the fields that save.c lists: a new field that belongs to the state must be added there.
 *
 * Lifetime: heap, reference counted, saved_free().
 */
#ifndef HEDDLE_MACHINE_SAVE_H
#define HEDDLE_MACHINE_SAVE_H

#include "machine/machine.h"

struct saved;

struct saved *machine_save(struct machine *m);
void machine_restore(struct machine *m, struct saved *s);
void saved_free(struct saved *s);
/* Whether the machine is in the saved state: places, registers, memory, path and world are equal.
 * Counters (instructions, choices, serial numbers, time) and the running thread may differ. False
 * also if equality cannot be decided, as when a thread waits for a time. Fast for other places. */
bool machine_same(struct machine *m, const struct saved *s);
/* Approximate bytes that the save added: shared data counts for the first save that has it. */
uint64_t saved_bytes(const struct saved *s);

#endif
