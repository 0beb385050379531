/*
 * The effects of library functions on pointers: a table by name, from log/libc.def and log/sync.def.
 * A function that is not in these may do anything with its arguments.
 *
 * An effect reads and writes operands:
 *	ARG(n)      the argument
 *	NEAR(n)     a pointer to any offset of the object that the argument points to
 *	AT(n)       `width` bytes of memory, `x` bytes after the argument
 *	IN(n)       memory anywhere in the object that the argument points to; IN_IOV(n): anywhere in
 *	            the objects that a struct iovec in that object points to; IN_MSG(n): the same for
 *	            the struct iovec of a struct msghdr
 *	NEAR_AT(n)  a pointer to any offset of the object that the pointer stored at the argument
 *	            points to
 *	ELEM(n)     an element of the array at the argument; argument number `x` is its size
 *	POOL(k)     a value that the library keeps for all callers: enum extern_pool
 *	FRESH(n)    a new object; argument n is its size; NEW: of unknown size
 *	STATIC      static storage of the function, without pointers in it
 *	TABLE       static storage of the function that points to more such storage
 *	OUTSIDE     any memory that code outside the program can reach
 *	RESULT      the result of the function; AT_RESULT: the memory that it points to
 *
 * Most effects are SET(to, from), and RETURNS(x), which is SET(RESULT, x); externs.c has the others.
 * Three stand alone: NONE; ANYTHING, for a function that may do anything with its arguments; and KEEPS,
 * before other effects, if the library or other processes access the memory of the function's
 * arguments or result after the call, or if it calls back later.
 */
#ifndef HEDDLE_FACTS_EXTERNS_H
#define HEDDLE_FACTS_EXTERNS_H

#include "base/base.h"
#include "base/arena.h"
#include "ir/ir.h"

enum extern_operand {
	X_NONE, X_ARG, X_NEAR, X_AT, X_IN, X_IN_IOV, X_IN_MSG, X_NEAR_AT, X_ELEM, X_POOL, X_FRESH,
	X_STATIC, X_TABLE, X_OUTSIDE, X_RESULT, X_AT_RESULT,
};
enum { NO_ARG = 15 };

enum extern_pool {
	POOL_THREAD,   /* results of threads */
	POOL_SPECIFIC, /* thread-specific values */
	POOL_SIGNAL,   /* handlers */
	POOL_TOKENS,   /* strtok */
	POOL_KEPT,     /* pointers that the library stores: environment, state arrays, stacks */
	POOL_EPOLL,    /* epoll_data of registered descriptors */
	POOL_BYTES,    /* bytes in files, pipes, sockets and message queues */
	NPOOLS,
};

enum extern_op {
	X_END,
	X_SET,    /* dst gets src */
	X_COPY,   /* memory at dst gets memory at src; argument x is the length */
	X_CALL,   /* the function src is called with args; its result goes to dst */
	X_SPAWN,  /* the same, in a new thread */
	X_SORT,   /* permutes the elements of the array dst; argument x is their size */
	X_SCAN,   /* scanf: argument x is the format, pointers follow; %m allocates */
	X_UNLESS, /* vscanf: any effect, if the format in argument x is unknown or may have %m */
	X_ANYTHING,
	X_KEEPS,
};

struct extern_effect {
	uint8_t op;
	struct extern_ref {
		uint8_t kind, n;
	} dst, src, args[3];
	uint8_t x;     /* a number of an argument or of bytes, as above */
	uint8_t width; /* bytes that AT, IN and AT_RESULT load or store; 0 = 8 */
};

enum { EXTERN_EFFECTS = 4 };

struct extern_summary {
	const char *name;
	struct extern_effect effects[EXTERN_EFFECTS + 1];
};

/* By function: its summary, or NULL if it is not in the table, if it may do anything, or if the
 * program defines it. */
const struct extern_summary **externs_resolve(struct arena *a, const struct ir_program *p);
/* Does it have the effect KEEPS? */
bool extern_keeps(const struct extern_summary *s);
/* Is the result always a new object? */
bool extern_allocates(const struct extern_summary *s);
/* The i-th entry of the table, for tests; NULL after the end. */
FOR_TESTS const struct extern_summary *extern_at(uint32_t i);

#endif
