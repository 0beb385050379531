/*
 * What became of a program built by heddle-cc, for a person: functions taken in, functions left
 * native and why, archives and what was used of them, functions that it calls and does not have,
 * synchronization, threads. Facts about native parts come from the recipe, the rest from the IR.
 */
#ifndef HEDDLE_IMAGE_INFO_H
#define HEDDLE_IMAGE_INFO_H

#include "ir/ir.h"

#include <stdio.h>

/* p is the program in exe_path; models may be linked in. -1 after error_(). */
int info_print(FILE *out, const char *exe_path, const struct ir_program *p);

#endif
