/*
 * Where a program fails on purpose: blocks from which every way ends in a failed assertion, abort()
 * or a trap. A branch away from such a block is an assertion.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_FAIL_H
#define HEDDLE_EXTRACT_EXTRACT_FAIL_H

#include "ir/ir.h"

struct fails {
	const struct ir_program *p;
	bool *func;       /* by function: a call of it fails */
	uint8_t **blocks; /* by function, then block; made when they are asked for */
};

void fails_build(struct fails *f, const struct ir_program *p);
void fails_release(struct fails *f);
bool fails_block(struct fails *f, uint32_t func, uint32_t block);

/* Functions that tell of a failure. */
bool fails_name(const char *name);
/* Library functions that do nothing but print; what they return may depend on it. */
bool prints_name(const char *name);

#endif
