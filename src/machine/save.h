/*
 * Saved states: everything of a machine that another path must not see, apart from the machine, so
 * that one machine (its code, its tables, its translation look-aside) runs many paths in turn.
 *
 * A save costs what changed since the last one: pages are shared until they are written, and a saved
 * page that differs in few bytes from an older one is kept as the difference. 100,000 states of a
 * small program fit into 2 GB. machine_restore() may be called any number of times on one save; the
 * machine goes on from there as if nothing had happened since. Saves belong to the machine that made
 * them, and may be freed in any order, before it or after it.
 *
 * In a save: memory, heap blocks, threads with frames, registers, terms and variables, the wait queue,
 * random numbers, counters, symbolic memory, the path (sym.h), the outside as the program sees it
 * (world.h). Not in it: code, builtins, interned names and stacks, the solver: they only grow.
 *
 * struct thread and struct sym are taken whole but for what save.c excepts; of struct machine, what
 * save.c lists: a new field there that belongs to the state is added to that list.
 *
 * Lifetime: heap, saved_free().
 */
#ifndef HEDDLE_MACHINE_SAVE_H
#define HEDDLE_MACHINE_SAVE_H

#include "machine/machine.h"

struct saved;

struct saved *machine_save(struct machine *m);
void machine_restore(struct machine *m, struct saved *s);
void saved_free(struct saved *s);
/* Whether the machine stands where it stood when the state was saved and nothing has happened to it
 * since that could matter: places, registers, memory, path and outside are the same; counters
 * (instructions, choices, serial numbers, time) and who runs need not be. False also where that cannot be told: a
 * thread waits for a time. Cheap where the places differ. */
bool machine_same(struct machine *m, const struct saved *s);
/* Bytes that the save added to those before it, about: what is shared counts for the first. */
uint64_t saved_bytes(const struct saved *s);

#endif
