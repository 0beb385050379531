/*
 * Keeps shared accesses, synchronization, calls and branches one for one through optimizing passes
 * that would merge, move, duplicate or remove them, and checks afterwards that they are.
 *
 * The optimizer is told less than is true:
 *  - loads, stores and atomics become volatile; memcpy & co. and, when they have no effect that
 *    it knows of, other calls become calls of functions that it knows nothing about
 *  - at the head of every block that a conditional branch or switch enters stands a call of such a
 *    function, so that no branch can turn into a select or into another branch; only one that the way
 *    to it already decides may go
 *  - a value that was never set is the result of such a function, so that it is not chosen to suit
 * What was done is written down in metadata and undone at the end. Accesses by name of a constant
 * global stay as they are: nobody writes there.
 *
 * Lifetime: phase; the module must not be disposed of before keep_restore().
 */
#ifndef HEDDLE_BITCODE_KEEP_ACCESSES_H
#define HEDDLE_BITCODE_KEEP_ACCESSES_H

#include "base/base.h"

#include <llvm-c/Core.h>

struct keep;

/* Hides what is known of calls. Then mem2reg may promote scalars: it touches nothing else. */
struct keep *keep_begin(LLVMModuleRef m);
/* Protects everything but the locals that are used by name only (local.h). Then sroa may run. */
void keep_shared_accesses(struct keep *k);
/* Protects the accesses that are left, and the branches; notes in which order all of them stand. */
void keep_all_accesses(struct keep *k);
/*
 * Takes the protection away and frees k. NULL if everything that was protected is still there, once
 * and in the same order within its block, except blocks that became unreachable as a whole; else
 * what was found instead (free it): then the module must not be used.
 */
char *keep_restore(struct keep *k);

#endif
