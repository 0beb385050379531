/*
 * LLVM's bitcode reader trusts its input: a damaged file makes it access wild addresses, abort or
 * loop forever. guard_run() calls a function and turns such an end into a result. The memory that
 * the function allocated leaks, and the heap may be inconsistent. So this is only for the reader
 * and the verifier, and after a failure the caller must report the error and stop. Not
 * thread-safe.
 */
#ifndef HEDDLE_IMPORT_GUARD_H
#define HEDDLE_IMPORT_GUARD_H

#include "base/base.h"

/* True if fn returned; false if it crashed or needed more than `seconds` of processor time, with
 * the reason in *why (static). */
bool guard_run(void (*fn)(void *ctx), void *ctx, unsigned seconds, const char **why);

#endif
