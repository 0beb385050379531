/*
 * heddle-cc, the compiler driver. It runs clang and adds to the files that clang makes the bitcode
 * of the program and the recipe to link it again. For a build system it is a compiler like any
 * other: exit status, messages and outputs are those of clang.
 */
#ifndef HEDDLE_CC_DRIVER_H
#define HEDDLE_CC_DRIVER_H

/* Runs `heddle-cc` or `heddle cc`; argv[0] is the name of the program. The exit status of the
 * process. A command to which heddle adds nothing (-E, -shared, --version, …) becomes the compiler
 * by exec. */
int cc_main(int argc, char **argv);

#endif
