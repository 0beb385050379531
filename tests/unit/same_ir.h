/*
 * Are two programs the same, field by field? Ids of strings, constants, edges and places in
 * ir_func.extra may differ; whatever they stand for may not. Written against ir.h alone, so that
 * what the printer forgets shows.
 */
#ifndef HEDDLE_TESTS_SAME_IR_H
#define HEDDLE_TESTS_SAME_IR_H

#include "base/strbuf.h"
#include "ir/ir.h"

/* true, or false with the first difference in `why` */
bool same_ir(const struct ir_program *p, const struct ir_program *q, struct strbuf *why);

#endif
