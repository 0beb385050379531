/*
 * What every pointer of a program may point to: whole program, flow-insensitive, inclusion-based
 * (Andersen), field-sensitive by byte offset, functions called through pointers found on the way.
 * docs/points-to.md says what is assumed; constraints.h and solver.h how it is computed.
 *
 * A location is an object and a set of offsets into it (offsets.h). Objects are
 *  - every global, every function, every alloca
 *  - every call of an allocator. A function that only returns what it allocates (xmalloc, node_new)
 *    counts as an allocator of its own: its objects are told apart by its callers
 *  - copies of arguments passed by value, the variable arguments of a function, static storage of
 *    library functions, the program's arguments
 *  - PTS_EXTERNAL: the memory of code that is not in the program. A pointer to it may also point
 *    to whatever such code can reach: every object for which points_to_outside() is true.
 *    Queries about single objects take this into account.
 * One object stands for many at run time: all elements of a list made at one place, all
 * activations of a function, all threads' copies of a thread-local variable.
 *
 * Functions from models/ and functions without a body are code outside; what the well-known ones do
 * with pointers stands in externs.def, and others may do anything with what they are given.
 *
 * The program must outlive the analysis and not change. Lifetime: heap, points_to_free().
 */
#ifndef HEDDLE_FACTS_POINTS_TO_H
#define HEDDLE_FACTS_POINTS_TO_H

#include "base/bitset.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "facts/constraints.h"
#include "ir/ir.h"

struct points_to;

struct points_to_options {
	/* Code outside may call every function and use every global that is not local: a library, or
	 * a program with objects that were left native. Assumed when there is no main. */
	bool open;
	uint32_t max_offsets; /* offset sets of one object before it collapses; 0 = 128 */
	/* Functions of which nothing is known, whatever their body or externs.def says: code outside.
	 * What a body among them mentions can be reached from outside. NULL = none. */
	const struct bitset *unknown;
	/* Functions that code outside may call by their name. NULL = none. */
	const struct bitset *exposed;
	/* What externs.def says holds for direct calls only: a library function that is called through
	 * a pointer, or by another one, may do anything. */
	bool direct_only;
};

/* options may be NULL */
struct points_to *points_to_new(const struct ir_program *p, const struct points_to_options *opt);
void points_to_free(struct points_to *pt);

/* ---- objects ----------------------------------------------------------------------------- */

enum pts_kind {
	PTS_K_EXTERNAL, PTS_K_GLOBAL, PTS_K_FUNC, PTS_K_LOCAL, PTS_K_HEAP,
	PTS_K_BYVAL,   /* copy of an argument: `func`, parameter `id` */
	PTS_K_VARARGS, /* variable arguments of `func` */
	PTS_K_LIBRARY, /* static storage of the function `id` */
	PTS_K_ARGS,    /* argv, envp and their strings */
	PTS_K_FLIGHT,  /* bytes being copied: never pointed to */
};

struct pts_object {
	uint8_t kind;
	uint32_t func, insn; /* HEAP: the call; LOCAL: the function; IR_NONE where there is none */
	uint32_t id;         /* GLOBAL, FUNC, LOCAL, LIBRARY: of the thing itself; HEAP: the function
	                        called, allocator or wrapper */
	uint32_t dtype;      /* of what it holds, as far as known; 0 */
	uint64_t size;       /* bytes; UINT64_MAX = not known */
};

uint32_t points_to_nobjects(const struct points_to *pt);
const struct pts_object *points_to_object(const struct points_to *pt, uint32_t object);
/* "global 'table'", "local 'buf' of 'main'", "heap object from list.c:31:12 in 'push'", … */
void points_to_describe(const struct points_to *pt, uint32_t object, struct strbuf *out);

/* The object of a thing; never IR_NONE for the first two. */
uint32_t points_to_of_global(const struct points_to *pt, uint32_t global);
uint32_t points_to_of_func(const struct points_to *pt, uint32_t func);
uint32_t points_to_of_local(const struct points_to *pt, uint32_t func, uint32_t local);
/* The heap object that an allocation belongs to, from the call stack at that time: the innermost
 * call first, with or without the frames of code outside. PTS_EXTERNAL if it is none of the
 * program's: code outside made it. */
struct pts_frame {
	uint32_t func, insn;
};
uint32_t points_to_of_allocation(const struct points_to *pt, const struct pts_frame *stack,
	uint32_t n);

/* A heap object: are all functions that allocate it (the library's, behind wrappers) of that kind?
 * False if it is not known which ones do. */
bool points_to_allocated_by(const struct points_to *pt, uint32_t object,
	bool (*is)(void *ctx, uint32_t func), void *ctx);

/* Can code outside reach the object, through any chain of pointers? */
bool points_to_outside(const struct points_to *pt, uint32_t object);

/* ---- pointers ---------------------------------------------------------------------------- */

/* Was the function analysed? Of a function that is code outside nothing is known: its registers
 * point to PTS_EXTERNAL. */
bool points_to_knows(const struct points_to *pt, uint32_t func);

struct pts_locs {
	VEC(struct pts_loc) list; /* by rising object, then offsets; each once */
};
/* What the operand may point to, for any integer or pointer that may carry an address. Replaces
 * what is in out. */
void points_to_get(const struct points_to *pt, uint32_t func, ir_ref ref, struct pts_locs *out);
/* What may be stored anywhere in the object. */
void points_to_contents(const struct points_to *pt, uint32_t object, struct pts_locs *out);
void pts_locs_release(struct pts_locs *l);

/* May the operand hold the address of that byte of the object? */
bool points_to_covers(const struct points_to *pt, uint32_t func, ir_ref ref, uint32_t object,
	int64_t offset);
/* May the `size` bytes at one operand and those at the other have a byte in common? Operands of two
 * activations of a function are compared like any others. */
bool points_to_may_alias(const struct points_to *pt, uint32_t func1, ir_ref ref1, uint32_t size1,
	uint32_t func2, ir_ref ref2, uint32_t size2);

/* ---- calls ------------------------------------------------------------------------------- */

/* Calls add() for each function of the program that the call instruction may reach, direct or not;
 * true if it may also reach a function that is not in the program. An indirect call in code outside
 * (a model) reaches what such code can get hold of or was told to call. */
bool points_to_callees(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx);
/* Functions that a library function calls, given their address (qsort, pthread_create, signal), at
 * that call instruction. */
void points_to_callbacks(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx);

/* ---- for the other facts ----------------------------------------------------------------- */

/* What passes from one thread to another: arguments and results of threads, and what the library
 * keeps for all of them. */
void points_to_handed_over(const struct points_to *pt, struct pts_locs *out);

struct pts_totals {
	uint32_t objects, nodes, constraints, locations, edges, merged, collapsed, waves;
};
struct pts_totals points_to_totals(const struct points_to *pt);

#endif
