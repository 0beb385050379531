/*
 * Import of a module that the caller owns, with callbacks that relate LLVM values to the IR: for
 * transforms of the module that use facts about the IR (src/instrument/instrument.h).
 */
#ifndef HEDDLE_IMPORT_WATCH_H
#define HEDDLE_IMPORT_WATCH_H

#include "import/import.h"

#include <llvm-c/Types.h>

/* Called in the order of the translation, symbol() at its end; each may be NULL. */
struct import_watch {
	void *ctx;
	/* a function or global variable of the module and its id (kind: IR_C_FUNC, IR_C_GLOBAL) */
	void (*symbol)(void *ctx, LLVMValueRef v, uint8_t kind, uint32_t id);
	/* the block of that number; its instructions follow */
	void (*block)(void *ctx, uint32_t func, uint32_t block, LLVMBasicBlockRef bb);
	/* IR instructions [first, first + n) are those of v */
	void (*insns)(void *ctx, uint32_t func, LLVMValueRef v, uint32_t first, uint32_t n);
	/* lane i of a parameter's or instruction's value is lanes[i] */
	void (*value)(void *ctx, uint32_t func, LLVMValueRef v, const ir_ref *lanes, uint32_t n);
};

/* Makes a definition of each function whose body is only for inlining and whose definition, if
 * any, is in another unit (`inline` of C99, `extern inline` of GNU C). The importer treats such a
 * function as a definition, so an image must have it. Exceptions: a function that calls itself,
 * because headers wrap a library function in that way; and a function of the C library whose
 * effects are known (log/effects.h). */
void import_define_inline_bodies(LLVMModuleRef m);

/* Imports a verified module in memory into an empty program; the caller keeps the module. The
 * result is the same as that of import_bitcode() on the bytes of the module. */
int import_watched(struct ir_program *p, const char *name, LLVMModuleRef m, unsigned flags,
	const struct import_watch *watch);

#endif
