/*
 * The models of libc (models/), compiled to one bitcode module at build time and embedded in the
 * binary. load_program.c imports them into the user's program with IMPORT_MODEL | IMPORT_NEEDED.
 */
#ifndef HEDDLE_CLI_MODELS_H
#define HEDDLE_CLI_MODELS_H

#include <stdint.h>

extern const unsigned char heddle_models_bc[];
extern const uint64_t heddle_models_bc_size;

#endif
