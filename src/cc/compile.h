/*
 * `heddle-cc -c`: the compiler runs as the user asked, and each object of a C source gets the
 * bitcode of its unit in a section. If that fails, the objects and the exit status are still those
 * of the compiler.
 */
#ifndef HEDDLE_CC_COMPILE_H
#define HEDDLE_CC_COMPILE_H

#include "cc/args.h"

/* argv: as the user wrote it, with clang as argv[0]. input: a file that replaces stdin, or -1. The
 * exit status of the compiler. */
int cc_compile(const struct cc_args *a, const char *clang, char **argv, int input);

#endif
