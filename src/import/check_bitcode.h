/*
 * LLVM's bitcode reader trusts its input. So a child process reads and verifies the bitcode first;
 * only what LLVM accepted there is read in this process. The cache (base/cache.h) remembers it by
 * its SHA-256, because the child takes about as long as the import of a small program.
 */
#ifndef HEDDLE_IMPORT_CHECK_BITCODE_H
#define HEDDLE_IMPORT_CHECK_BITCODE_H

#include "base/strbuf.h"

/* True if LLVM reads the bitcode and finds it valid; else `why` has the reason, which may have
 * several lines. */
bool check_bitcode(const void *data, size_t n, struct strbuf *why);

#endif
