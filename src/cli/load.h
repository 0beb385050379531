/*
 * One way into the IR for every command that takes a program: an executable built by heddle-cc,
 * LLVM bitcode or the textual IR, told apart by content, not by name.
 */
#ifndef HEDDLE_CLI_LOAD_H
#define HEDDLE_CLI_LOAD_H

#include "ir/ir.h"

enum { LOAD_MODELS = 1 << 0 }; /* with the models of what the program calls */

/* A validated program (free it with ir_program_free), or NULL after error_() that names the file */
struct ir_program *load_program(const char *path, unsigned flags);

#endif
