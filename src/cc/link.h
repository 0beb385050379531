/*
 * A link by heddle-cc, also with sources on the same command line: the compiler's own link, by lld,
 * which lists what it used; the bitcode of each part merged; and both, with the recipe, in one
 * executable. `-r` gives an object with the merged unit, or without one if a part had none.
 * On any failure the native program stays and a warning says what was not taken in.
 */
#ifndef HEDDLE_CC_LINK_H
#define HEDDLE_CC_LINK_H

#include "cc/args.h"

/* As cc_compile(). */
int cc_link(const struct cc_args *a, const char *clang, char **argv, int input);

#endif
