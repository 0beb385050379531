/* LLVM assembly or C source to bitcode, for tests of what reads bitcode. */
#ifndef HEDDLE_TESTS_LLVM_TEXT_H
#define HEDDLE_TESTS_LLVM_TEXT_H

#include "base/strbuf.h"

/* Assembles `text` for x86_64 Linux (no target lines needed) and appends the bitcode; the passes
 * ("sroa,simplifycfg"), if any, run first. false, and a line on stderr, on an error. */
bool llvm_assemble(struct strbuf *out, const char *text, const char *passes);
/* Compiles a C file as heddle-cc does, without optimization passes but for those named. */
bool llvm_compile(struct strbuf *out, const char *path, const char *passes);

#endif
