/*
 * Finds the blocks of a program from which every path ends in a failed assertion, abort() or a
 * trap. A branch with one edge to such a block is an assertion. A call before the failure that may
 * exit instead (exit(), pthread_exit(), longjmp(), unknown code; in any function that it calls) leaves
 * the failure open, so the block is none.
 */
#ifndef HEDDLE_FACTS_FAILS_H
#define HEDDLE_FACTS_FAILS_H

#include "ir/ir.h"

struct fails {
	const struct ir_program *p;
	bool *func;       /* by function: every call of it fails */
	bool *ends;       /* by function: a call of it may end the process or the thread, or jump: it
			     need not return, and need not fail */
	bool *calls_back; /* by function: it is outside of the program and calls others back */
	bool pointed_ends; /* a call through a pointer may do so */
	uint8_t **blocks; /* by function, then block; NULL until the first query */
};

void fails_build(struct fails *f, const struct ir_program *p);
void fails_release(struct fails *f);
bool fails_block(struct fails *f, uint32_t func, uint32_t block);

/* Whether it is the function behind assert(), whose message has the line. */
bool asserts_name(const char *name);
/* Whether the function of that name reports a failure of the program. */
bool fails_name(const char *name);
/* Whether it is a library function that only prints; its result may depend on the output. */
bool prints_name(const char *name);

#endif
