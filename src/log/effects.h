/*
 * Effects of C library functions on the memory of their caller: a table by name, libc.def, in
 * the notation of effects_table.h. The LOG_RETURN record of a recorded call has the call's reads
 * and writes as items; runtime/effects.c computes them in the target when the call has returned.
 *
 * A function is in exactly one of these classes:
 *  - log/sync.def: a wrapper replaces it
 *  - PURE: writes no memory of the program, calls no function of the program, does not block and is
 *    no cancellation point. Only its result is logged. Re-execution computes its reads, as far as
 *    the memory is known
 *  - EFFECT: its reads and writes are known. It may block, call back, or be a cancellation point
 *  - the family of setjmp
 *  - unknown: in no table, or OPAQUE; may access all memory that it can reach, during the call or later
 *
 * Writes are complete: each write to memory that is reachable from the arguments is in an item. An
 * item may include bytes that the function was allowed to write but did not; it then has the bytes
 * that were there before. Reads are those that are known to happen; reads of formats and of memory
 * behind a va_list are left out. Memory of the library itself (errno, the result of localtime(), a
 * FILE) is outside the program and not described.
 *
 * Meaning of the flags for the plan:
 *	CALLS    calls functions of the program back, during the call or later
 *	MIDWAY   calls back in the middle of its writes, with pointers to copies of the caller's
 *	         data: memory reachable from its arguments counts as written by unknown code (qsort)
 *	LIBRARY  makes an object that the library continues to write (fopen). The object is outside
 *	         the program, even if libc.def calls it NEW. So is an object that an
 *	         unknown function makes
 *	ALLOC    the result, or the pointer stored at an argument, is a new heap block that the
 *	         program owns from then on; writes into it are in items
 *	ATOMIC   its reads and writes are one atomic operation
 *	ENDS     does not return: there is no LOG_RETURN
 *
 * The hook gets all arguments of the call by position, with the variable ones. An argument that is
 * neither integer nor pointer has one position and the value 0. Arguments and the result are
 * extended to 64 bits, with or without sign.
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
	EFFECTS_PURE,    /* number: in libc.def */
	EFFECTS_EFFECT,
};

enum { /* flags */
	EFFECTS_CALLS = 1 << 0,
	EFFECTS_MIDWAY = 1 << 1,
	EFFECTS_LIBRARY = 1 << 2,
	EFFECTS_ALLOC = 1 << 3,
	EFFECTS_ATOMIC = 1 << 4,
	EFFECTS_ENDS = 1 << 5,
	/* type of the result, if effects depend on it; without these flags 64 bits */
	EFFECTS_RESULT_INT = 1 << 6,
	EFFECTS_RESULT_BOOL = 1 << 7,
};

struct effects_entry {
	uint8_t kind;
	uint8_t flags;
	uint16_t number; /* PURE and EFFECT: from 0 */
};

/* The entry of a function by its name. Linear search: look a function up once, not at each call. */
struct effects_entry effects_find(const char *name);

/* Memory that any call of a function may write. */
struct effects_writes {
	uint32_t args; /* bit i: memory at argument i; bit 31: at arguments 31 and up */
	bool deep;     /* memory at its result, or at pointers stored in memory at its arguments */
	int8_t format; /* argument that is a format: its %n write at the arguments after it; -1 =
	                  none */
};
struct effects_writes effects_writes(uint32_t number);

struct effects_range {
	uint64_t addr, n;
};

/* Reads n bytes of memory as of the time of the call; false if they are unknown. */
typedef bool (*effects_peek)(void *ctx, uint64_t addr, void *to, uint32_t n);

/* Computes the reads of a call that logged no items (PURE) from its result and arguments. Stores at
 * most max ranges. Returns their number, or -1 if memory that decides about them is unknown. */
int effects_reads(uint32_t number, uint64_t result, const uint64_t *args, uint32_t nargs,
	effects_peek peek, void *ctx, struct effects_range *out, uint32_t max);

#endif
