/*
 * LLVM's bitcode reader trusts its input: a damaged file makes it read wild addresses, abort or
 * never come back. guard_run() calls a function so that such a death comes back as a value.
 * Whatever the function had allocated is lost and the heap is as it left it, so this is only for
 * the reader and the verifier, and only to say so and stop. Not for several threads at once.
 */
#ifndef HEDDLE_IMPORT_GUARD_H
#define HEDDLE_IMPORT_GUARD_H

#include "base/base.h"

/* true if fn returned; false if it died or took more processor time, with a word for it in *why
 * (static) */
bool guard_run(void (*fn)(void *ctx), void *ctx, unsigned seconds, const char **why);

#endif
