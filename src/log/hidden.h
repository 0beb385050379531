/*
 * The table of hidden state (hidden.def): which library functions and system calls read and change
 * state that the C library or the system keeps for the whole process. Two calls on the same state
 * by two threads, one of which changes it, are *dependent*: their results depend on their order.
 *
 * An object of a state is named by a *handle*: the value of an argument, which is a descriptor, a
 * stream, a directory, or the address of a path. A row without such an argument accesses the whole
 * state, so all its objects.
 *
 * Calls that only write (output) are independent of each other as long as nothing reads the object:
 * the order in which whole calls print is no result of the program.
 */
#ifndef HEDDLE_LOG_HIDDEN_H
#define HEDDLE_LOG_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

enum hidden_state {
#define STATE(id, text) HIDDEN_##id,
#include "log/hidden.def"
	HIDDEN_NSTATES
};

enum hidden_access {
	HIDDEN_READS = 1,
	HIDDEN_WRITES = 2,
	HIDDEN_UPDATES = HIDDEN_READS | HIDDEN_WRITES,
	HIDDEN_VERSIONED = 4, /* it never blocks; state and arguments decide its results */
	HIDDEN_ORDERS = HIDDEN_UPDATES | HIDDEN_VERSIONED,
	HIDDEN_LOOKS = HIDDEN_READS | HIDDEN_VERSIONED,
};

enum hidden_row {
	HIDDEN_ACCESS, /* the call accesses state */
	HIDDEN_OPENS,  /* its result is the handle of a new object */
	HIDDEN_PAIRS,  /* it stores two handles of a new object */
	HIDDEN_ALIASES,
};

struct hidden_fn { /* a row of hidden.def */
	const char *name;
	uint8_t row;    /* enum hidden_row */
	uint8_t state;  /* enum hidden_state; of the new handle, if the row makes one */
	uint8_t access; /* ACCESS: enum hidden_access */
	uint8_t of;     /* ALIASES: enum hidden_state of the argument */
	int8_t arg;     /* number of the argument that is the handle, the path of a new object, or
			   the address of two handles; -1: none */
};

/* How __heddle_hidden_version() (bitcode/hidden_order.h) reads arguments 0 to 2: a byte for
 * each, the number of the argument that is a path in bits 32 to 39 (255: none), and flags. */
enum { HIDDEN_NUMBER = 1, HIDDEN_STRING = 2, HIDDEN_BUCKETS = 32 };
#define HIDDEN_BY_FLAGS (1ull << 40) /* the argument after the path has the flags of open() */
#define HIDDEN_BY_MODE  (1ull << 41) /* the argument after the path is the mode of fopen() */

/* The next row of the function after `row` (NULL: the first one); NULL if there is none. Linear
 * search: look a function up once, not at each call. */
const struct hidden_fn *hidden_next(const struct hidden_fn *row, const char *name);
/* The row of a function whose result points to a buffer that is its state; NULL: there is none. */
const struct hidden_fn *hidden_buffer(const char *name);
enum { HIDDEN_BUFFER_BYTES = 64 }; /* the largest structure, struct tm, has 56 */
/* Completes "the state of …". */
const char *hidden_text(enum hidden_state s);

#endif
