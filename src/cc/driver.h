/*
 * heddle-cc, the compiler driver: clang, and beside what clang makes, in the same files, the
 * program as bitcode at clean-up level and how to link it again. In front of a build system it is a
 * compiler like any other: exit status, messages and outputs are clang's own.
 */
#ifndef HEDDLE_CC_DRIVER_H
#define HEDDLE_CC_DRIVER_H

/* The whole of `heddle-cc` and `heddle cc`: argv[0] is the program's name. The exit status for the
 * process. A command in which heddle has no part is handed over to the compiler by exec. */
int cc_main(int argc, char **argv);

#endif
