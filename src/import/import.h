/*
 * Import of LLVM bitcode into the IR. Only this folder, src/export, src/bitcode and
 * src/instrument use llvm-c.
 *
 * Several modules may be imported into one program. An extern symbol gets the body or initializer
 * that a later module defines. Strong definitions replace weak ones. A second strong definition of
 * a symbol of the program is an error. A definition of a model (IMPORT_MODEL) does not replace one
 * of the program.
 *
 * An LLVM instruction that the IR cannot express becomes an `unsupported` instruction with the
 * reason. Broken bitcode, a foreign target triple or a module from a newer LLVM is error_() and
 * -1.
 */
#ifndef HEDDLE_IMPORT_IMPORT_H
#define HEDDLE_IMPORT_IMPORT_H

#include "ir/ir.h"

enum {
	IMPORT_MODEL = 1 << 0,  /* functions and globals are marked IR_FN_MODEL / IR_G_MODEL */
	IMPORT_NEEDED = 1 << 1, /* only definitions that the program refers to, transitively */
};

/* `name` is for messages. After -1 the program can only be freed. */
int import_bitcode(
	struct ir_program *p, const char *name, const void *data, size_t n, unsigned flags);

#endif
