/*
 * A link by heddle-cc, also with sources on the same command line: the native link of the compiler,
 * by lld, which lists its inputs; then the bitcode of each part is merged and added to the
 * executable, with the recipe. `-r` gives an object with the merged bitcode, or without it if a
 * part has none. On any failure the native program stays, and a warning says which part has no
 * bitcode.
 */
#ifndef HEDDLE_CC_LINK_H
#define HEDDLE_CC_LINK_H

#include "cc/args.h"

/* As cc_compile(). */
int cc_link(const struct cc_args *a, const char *clang, char **argv, int input);

#endif
