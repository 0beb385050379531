/*
 * Keeps shared accesses, synchronization, calls and branches one for one through optimizing passes
 * that would merge, move, duplicate or remove them, and checks the result.
 *
 * The module is changed so that the optimizer knows less about it:
 *  - loads, stores and atomics become volatile; memcpy & co., and other calls without an effect
 *    that the optimizer knows of, become calls of unknown functions
 *  - every block that a conditional branch or switch enters begins with a call of an unknown
 *    function, so that no branch can become a select or another branch; the optimizer may remove
 *    only a branch whose outcome an earlier branch decides
 *  - an uninitialized value is the result of an unknown function, so that the optimizer cannot
 *    choose it
 *
 * Metadata records each change, and keep_restore() undoes it. Accesses by name of a constant
 * global are not protected: no thread writes there.
 *
 * Lifetime: phase; the module must not be disposed of before keep_restore().
 */
#ifndef HEDDLE_BITCODE_KEEP_ACCESSES_H
#define HEDDLE_BITCODE_KEEP_ACCESSES_H

#include "base/base.h"

#include <llvm-c/Core.h>

struct keep;

/* Hides the effects of calls. mem2reg may run next: it promotes scalars and changes nothing else.
 */
struct keep *keep_begin(LLVMModuleRef m);
/* Protects everything except locals that are accessed by name only (locals.h). sroa may run next.
 */
void keep_shared_accesses(struct keep *k);
/* Protects the other accesses and the branches, and records the order of all of them. */
void keep_all_accesses(struct keep *k);
/*
 * Removes the protection and frees k. NULL if each protected instruction is still there once, and
 * in the same order within its block, except in blocks that are gone as a whole; else a description
 * of the difference (free it): then the module must not be used.
 */
char *keep_restore(struct keep *k);

#endif
