/*
 * `heddle-cc -c`: the compiler does exactly what it was asked to, and each object of a C source
 * gets the same unit as bitcode in a section. Whatever goes wrong with the second part, the objects
 * and the exit status are the compiler's.
 */
#ifndef HEDDLE_CC_COMPILE_H
#define HEDDLE_CC_COMPILE_H

#include "cc/args.h"

/* argv as the user wrote it, argv[0] replaced; `input` replaces stdin, or is -1. The compiler's
 * exit status. */
int cc_compile(const struct cc_args *a, const char *clang, char **argv, int input);

#endif
