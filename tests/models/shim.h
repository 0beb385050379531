/* Windows of shim.c for the tests. */
#ifndef HEDDLE_TESTS_SHIM_H
#define HEDDLE_TESTS_SHIM_H

#include <setjmp.h>
#include "heddle_model.h"

extern jmp_buf *shim_fault_jump; /* where __heddle_fault goes; NULL ends the program */
extern enum heddle_fault shim_fault_kind;
extern char shim_fault_text[512];
extern long shim_syscalls;
extern char **shim_argv;
extern int shim_argc;

#endif
