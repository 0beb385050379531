/*
 * LLVM modules in memory: read from bitcode and written as bitcode. Errors that LLVM reports go to
 * the caller; without a context from here LLVM would end the process.
 * Lifetime: a module lives until module_free(), at most as long as its context.
 */
#ifndef HEDDLE_BITCODE_MODULE_H
#define HEDDLE_BITCODE_MODULE_H

#include "base/strbuf.h"

#include <llvm-c/Types.h>

/* A context that keeps the first error for module_error(). */
LLVMContextRef module_context_new(void);
void module_context_free(LLVMContextRef c);
/* "what: the error that LLVM reported", or only `what`. The error is removed. Free the text. */
char *module_error(LLVMContextRef c, const char *what);

/* `name` is for messages; the bytes must outlive the module. NULL after *why is set (free it). */
LLVMModuleRef module_read(
	LLVMContextRef c, const char *name, const void *data, size_t n, char **why);
void module_free(LLVMModuleRef m);
/* Appends the module as bitcode. */
void module_write(LLVMModuleRef m, struct strbuf *out);

/* Calls fn for each function that the module uses and does not define, intrinsics excepted. */
void module_each_extern(LLVMModuleRef m, void (*fn)(const char *name));

#endif
