/*
 * LLVM bitcode -> IR, once. With src/build the only user of llvm-c.
 *
 * Several modules may be imported into one program: a symbol declared extern before takes the
 * body or initializer that a later module defines; a second strong definition of a user's symbol
 * is an error, a model's definition (IMPORT_MODEL) never replaces a user's. Weak definitions give
 * way to strong ones.
 *
 * What the IR cannot express becomes an `unsupported` instruction with the reason, at that place
 * only. Broken bitcode, a foreign target triple or a module from a newer LLVM is error_() and -1.
 */
#ifndef HEDDLE_IMPORT_IMPORT_H
#define HEDDLE_IMPORT_IMPORT_H

#include "ir/ir.h"

enum {
	IMPORT_MODEL = 1 << 0,  /* functions and globals are marked IR_FN_MODEL / IR_G_MODEL */
	IMPORT_NEEDED = 1 << 1, /* only what the program (transitively) refers to, by name */
};

/* `name` is for messages. On -1 the program must only be freed. */
int import_bitcode(
	struct ir_program *p, const char *name, const void *data, size_t n, unsigned flags);

#endif
