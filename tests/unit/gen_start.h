/*
 * What models/start.c is for real programs: a function that calls main of a program of gen_ir() and
 * exits with the folded checksum, so that the machine can run it.
 */
#ifndef HEDDLE_TESTS_GEN_START_H
#define HEDDLE_TESTS_GEN_START_H

#include "ir/ir.h"

void gen_start(struct ir_program *p);

#endif
