/*
 * What library functions do with pointers: a table by name, externs.def. A function that is not in
 * the table may do anything with what it is given.
 *
 * An effect reads and writes operands:
 *	ARG(n)      the argument
 *	NEAR(n)     a pointer into what the argument points to, at any offset
 *	AT(n)       8 bytes of memory at the argument, `x` bytes further on
 *	IN(n)       memory anywhere in what the argument points to
 *	NEAR_AT(n)  a pointer into what the pointer stored at the argument points to
 *	ELEM(n)     an element of the array at the argument, of as many bytes as argument `x` says
 *	POOL(k)     a value that the library keeps for all callers: enum extern_pool
 *	FRESH(n)    a new object of as many bytes as argument n says (NO_ARG: not known)
 *	STATIC      storage of the function itself, without pointers in it
 *	TABLE       storage of the function itself that points to more such storage
 *	OUTSIDE     anything that code outside the program can reach
 *	RESULT      what the function returns; AT_RESULT: memory there
 */
#ifndef HEDDLE_FACTS_EXTERNS_H
#define HEDDLE_FACTS_EXTERNS_H

#include "base/arena.h"
#include "ir/ir.h"

enum extern_operand {
	X_NONE, X_ARG, X_NEAR, X_AT, X_IN, X_NEAR_AT, X_ELEM, X_POOL, X_FRESH, X_STATIC, X_TABLE,
	X_OUTSIDE, X_RESULT, X_AT_RESULT,
};
enum { NO_ARG = 15 };

enum extern_pool {
	POOL_THREAD,   /* what threads return */
	POOL_SPECIFIC, /* thread-specific values */
	POOL_SIGNAL,   /* handlers */
	POOL_TOKENS,   /* strtok */
	POOL_KEPT,     /* what the library was given to keep: environment, state arrays, stacks */
	POOL_EPOLL,
	NPOOLS,
};

enum extern_op {
	X_END,
	X_SET,    /* dst gets src */
	X_COPY,   /* memory at dst gets memory at src, as many bytes as argument x says */
	X_CALL,   /* the function src is called with args; its result goes to dst */
	X_SPAWN,  /* the same, in a new thread */
	X_SORT,   /* the elements of the array dst change places; argument x is their size */
	X_SCAN,   /* scanf with its format in argument x and pointers after it: %m allocates */
	X_UNLESS, /* vscanf: whatever, if the format in argument x has %m or is not known */
};

struct extern_effect {
	uint8_t op;
	struct extern_ref {
		uint8_t kind, n;
	} dst, src, args[3];
	uint8_t x;
	uint8_t width; /* of AT; 0 = 8 */
};

enum { EXTERN_EFFECTS = 4 };

struct extern_summary {
	const char *name;
	struct extern_effect effects[EXTERN_EFFECTS + 1];
};

/* By function: its summary, or NULL for one that is not known or has a body of the user's. */
const struct extern_summary **externs_resolve(struct arena *a, const struct ir_program *p);
/* Is the result a new object of the call's and nothing else? */
bool extern_allocates(const struct extern_summary *s);
/* Every name of the table once, for tests. NULL past the end. */
const struct extern_summary *extern_at(uint32_t i);

#endif
