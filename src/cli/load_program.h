/*
 * Loads a program into the IR, for all commands: an executable built by heddle-cc, LLVM bitcode, or
 * textual IR. The content of the file decides which of them it is, not the name.
 */
#ifndef HEDDLE_CLI_LOAD_PROGRAM_H
#define HEDDLE_CLI_LOAD_PROGRAM_H

#include "ir/ir.h"

enum { LOAD_MODELS = 1 << 0 }; /* with the models of the library functions that it calls */

/* A validated program, to be freed by ir_program_free(); NULL after error_() that names the
 * file. */
struct ir_program *load_program(const char *path, unsigned flags);

#endif
