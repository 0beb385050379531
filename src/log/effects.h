/*
 * What the functions of the C library do to the memory of their caller: a table by name,
 * effects.def, in the words of effects_table.h. A recorded call of a function in it carries what it
 * read and wrote as items of its LOG_RETURN record; runtime/effects.c finds that out when the call
 * is back, inside the target.
 *
 * A function is in exactly one of
 *  - log/sync.def: it is replaced by a wrapper
 *  - PURE: writes no memory that the program sees, calls nothing back, does not block and is no
 *    cancellation point. Only its result is logged. What it read is computed when the run is
 *    executed again, as far as that is known
 *  - EFFECT: its reads and writes are known. It may block, call back, be a cancellation point
 *  - the family of setjmp
 *  - none: unknown, may do anything to what it can reach, now or later
 *
 * Writes are complete: whatever the function wrote to memory that its arguments lead to is in an
 * item. A write may be told that did not happen (of bytes that the function was free to write): the
 * item then has the bytes that stood there. Reads are what the function is known to have looked at;
 * formats, and what a va_list leads to, are not told. Not described either is memory of the library
 * itself (errno, the result of localtime(), a FILE): all of it is outside the program.
 *
 * What the plan must make of the flags:
 *	CALLS    calls functions of the program back, during the call or later
 *	MIDWAY   calls back in the middle of its writes, with pointers to copies of the caller's
 *	         data: what its arguments reach counts as written by unknown code (qsort)
 *	LIBRARY  makes an object that the library goes on writing (fopen): outside the program, even
 *	         if facts/externs.def calls it fresh. So is what an unknown function makes
 *	ALLOC    the result, or what is stored at an argument, is a new block of the heap that the
 *	         program owns from now on; what was written into it is in items
 *	ATOMIC   its reads and writes are one atomic operation
 *	ENDS     does not come back: there is no LOG_RETURN
 *
 * The hook gets all arguments of the call, by position, also the variable ones; those that are not
 * integers or pointers count as one and are 0. Arguments and the result are extended to 64 bits,
 * with or without sign.
 */
#ifndef HEDDLE_LOG_EFFECTS_H
#define HEDDLE_LOG_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

enum effects_kind {
	EFFECTS_UNKNOWN,
	EFFECTS_SYNC,    /* number: its enum log_sync_kind */
	EFFECTS_SETJMP,
	EFFECTS_LONGJMP,
	EFFECTS_PURE,    /* number: in effects.def */
	EFFECTS_EFFECT,
};

enum { /* flags */
	EFFECTS_CALLS = 1 << 0,
	EFFECTS_MIDWAY = 1 << 1,
	EFFECTS_LIBRARY = 1 << 2,
	EFFECTS_ALLOC = 1 << 3,
	EFFECTS_ATOMIC = 1 << 4,
	EFFECTS_ENDS = 1 << 5,
	/* the type of the result, where effects depend on it; else 64 bits */
	EFFECTS_RESULT_INT = 1 << 6,
	EFFECTS_RESULT_BOOL = 1 << 7,
};

struct effects_entry {
	uint8_t kind;
	uint8_t flags;
	uint16_t number; /* PURE and EFFECT: from 0 */
};

/* By the name of the function. Searches the table: look a function up once, not at each call. */
struct effects_entry effects_find(const char *name);
/* How many numbers there are, and the name of one. */
uint32_t effects_count(void);
const char *effects_name(uint32_t number);

/* Where a call of it may write, as far as that can be told before there is one. */
struct effects_writes {
	uint32_t args; /* bit i: memory at argument i; bit 31: at all from there on */
	bool deep;     /* memory at its result, or that pointers lead to which are stored there */
	int8_t format; /* the argument that is a format, which says what is written at those after
	                  it (%n); -1 = none */
};
struct effects_writes effects_writes(uint32_t number);

struct effects_range {
	uint64_t addr, n;
};

/* Reads n bytes of the memory as it was at the call; false if they are not known. */
typedef bool (*effects_peek)(void *ctx, uint64_t addr, void *to, uint32_t n);

/* What a call read, for functions that logged no items (PURE), computed from its result and its
 * arguments. At most max ranges are stored. Returns how many, or -1 if that cannot be told, because
 * memory is not known. */
int effects_reads(uint32_t number, uint64_t result, const uint64_t *args, uint32_t nargs,
	effects_peek peek, void *ctx, struct effects_range *out, uint32_t max);

#endif
