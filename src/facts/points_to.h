/*
 * Points-to analysis: the objects that every pointer of a program may point to. Whole-program,
 * flow-insensitive, inclusion-based (Andersen 1994), field-sensitive by byte offset; indirect calls
 * are resolved during the analysis. docs/points-to.md lists the assumptions; constraints.h and
 * solver.h describe the algorithm.
 *
 * A location is an object and a set of offsets into it (offsets.h). Objects are
 *  - every global, every function, every alloca
 *  - every call of an allocator. A function that returns only objects that it allocates (xmalloc,
 *    node_new) is also an allocator: its objects are distinguished by the calls of the function
 *  - copies of arguments passed by value, the variable arguments of a function, static storage of
 *    library functions, the program's arguments
 *  - PTS_EXTERNAL: the memory of code that is not in the program. A pointer to it may also point
 *    to any object that such code can reach: every object for which points_to_outside() is true.
 *    points_to_covers() and points_to_may_alias() include these.
 * One object represents many objects of a run: all elements of a list that are allocated at one
 * place, the variable of all activations of a function, the copies of a thread-local variable.
 *
 * Functions from models/ and functions without a body are code outside. libc.def describes the
 * effects of well-known functions on pointers; all others may do anything with their arguments.
 *
 * The program must outlive the analysis and not change. Lifetime: heap, points_to_free().
 */
#ifndef HEDDLE_FACTS_POINTS_TO_H
#define HEDDLE_FACTS_POINTS_TO_H

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "facts/constraints.h"
#include "ir/ir.h"

struct points_to;

struct points_to_options {
	/* Code outside may call every function and use every global that is not local: a library,
	 * or a program that contains native objects. Always so if there is no main. */
	bool open;
	uint32_t max_offsets; /* number of offset sets above which an object is collapsed; 0 =
				 128 */
	/* Functions that are code outside although they have a body or are in libc.def. Every
	 * symbol in their bodies is reachable for code outside. NULL = none. */
	const struct bitset *unknown;
	/* Functions that code outside may call by their name. NULL = none. */
	const struct bitset *exposed;
	/* libc.def is used for direct calls only: a library function that is called through a
	 * pointer, or by another library function, may do anything. */
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
	PTS_K_FLIGHT,  /* bytes that are being copied; no pointer points to them */
};

struct pts_object {
	uint8_t kind;
	uint32_t func, insn; /* HEAP: the call; LOCAL: the alloca; IR_NONE if there is none */
	uint32_t id;         /* GLOBAL, FUNC, LOCAL: their id; BYVAL: the parameter; LIBRARY: the
	                        function; HEAP: the function that is called, allocator or wrapper */
	uint32_t dtype;      /* source type of its contents; 0 = unknown */
	uint64_t size;       /* bytes; UINT64_MAX = unknown */
};

uint32_t points_to_nobjects(const struct points_to *pt);
const struct pts_object *points_to_object(const struct points_to *pt, uint32_t object);

/* The object of a global, function or local; IR_NONE for a local without alloca. */
uint32_t points_to_of_global(const struct points_to *pt, uint32_t global);
uint32_t points_to_of_func(const struct points_to *pt, uint32_t func);
uint32_t points_to_of_local(const struct points_to *pt, uint32_t func, uint32_t local);
/* The heap object of an allocation with the given call stack: the innermost call first, with or
 * without the frames of code outside. PTS_EXTERNAL if code outside made the allocation. */
struct pts_frame {
	uint32_t func, insn;
};
uint32_t points_to_of_allocation(const struct points_to *pt, const struct pts_frame *stack,
	uint32_t n);

/* Does is() hold for all library functions that allocate the heap object, directly or in wrappers?
 * False if they are unknown, and for other objects. */
bool points_to_allocated_by(const struct points_to *pt, uint32_t object,
	bool (*is)(void *ctx, uint32_t func), void *ctx);

/* Can code outside access the object, through any chain of pointers? */
bool points_to_outside(const struct points_to *pt, uint32_t object);

/* ---- pointers ---------------------------------------------------------------------------- */

/* Is the function analysed? If not, it is code outside, and its registers point to PTS_EXTERNAL. */
bool points_to_knows(const struct points_to *pt, uint32_t func);

struct pts_locs {
	VEC(struct pts_loc) list; /* by ascending object, then offsets; each once */
};
/* The locations that the operand may point to; it may be a pointer or an integer that holds an
 * address. Replaces the contents of out. */
void points_to_get(const struct points_to *pt, uint32_t func, ir_ref ref, struct pts_locs *out);
/* The locations that pointers stored anywhere in the object may point to. */
void points_to_contents(const struct points_to *pt, uint32_t object, struct pts_locs *out);
void pts_locs_release(struct pts_locs *l);

/* May the operand hold the address of that byte of the object? */
bool points_to_covers(const struct points_to *pt, uint32_t func, ir_ref ref, uint32_t object,
	int64_t offset);
/* May the size1 bytes at one operand and the size2 bytes at the other overlap? The operands may
 * belong to different activations of a function. */
bool points_to_may_alias(const struct points_to *pt, uint32_t func1, ir_ref ref1, uint32_t size1,
	uint32_t func2, ir_ref ref2, uint32_t size2);

/* ---- calls ------------------------------------------------------------------------------- */

/* Calls add() for each function of the program that the call instruction may call; true if it may
 * also call a function that is not in the program. An indirect call in code outside (a model) may
 * call every function that such code can reach or that a library function calls back. */
bool points_to_callees(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx);
/* Calls add() for each function that a library function (qsort, pthread_create, signal) calls back
 * when it is called at this instruction. */
void points_to_callbacks(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx);
/* Calls add() for each function of the program that code outside can reach, and so may call. */
void points_to_each_outside(
	const struct points_to *pt, void (*add)(void *ctx, uint32_t func), void *ctx);

/* ---- for the other facts ----------------------------------------------------------------- */

/* The locations of pointers that pass from one thread to another: arguments and results of threads,
 * and pointers that the library stores for all threads. */
void points_to_handed_over(const struct points_to *pt, struct pts_locs *out);

#endif
