/*
 * Facts about a program whose threads are at given places: the initial state of paper 001 (1.1). A
 * context is a set of threads, each with a place in the code and the calls that led there, as far
 * as the user gave them. The facts hold in *every* run that passes the context: they
 * over-approximate, and an unknown value is a symbol of its own. They come from analyses of the
 * whole program, which is not executed:
 *
 *  - registers of every initial frame as terms over few symbols (must-reach definitions, 2.3),
 *    along the given calls, with function summaries
 *  - memory (3.2, 4.4): definitions of globals, initial stack variables and heap objects that must
 *    reach the place and that no other thread can have changed: conflict-free (thread-local, or
 *    written only before the first thread is created) or in an interference-free region
 *  - conditions: branches that were taken on every path to the place, and barrier matching (loop
 *    counters of threads in lock-step are equal, for any number of rounds; 4.4)
 *  - locks that a thread holds in every run or may hold (relative locksets, L+, 4.4), with their
 *    addresses
 *  - the counts that barriers may have been initialized with (B_cnts, 4.4)
 *  - for an unknown pointer, the operand whose points-to set applies
 *
 * Threads that are not in the context may have executed anything. Outer frames that the user left
 * out and that the call graph determines are used like given ones (2.2; outer_frames.c), but have
 * no position: their registers are symbols with thread and frame IR_NONE. Assumptions: those of the
 * points-to analysis (pointers stay in their objects), that small calls of malloc and calls of
 * pthread_create succeed, and, unless the options say otherwise, that no run has a data race.
 *
 * Lifetime: heap, context_free(); program, points-to and terms must live longer.
 */
#ifndef HEDDLE_CONTEXT_CONTEXT_H
#define HEDDLE_CONTEXT_CONTEXT_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "facts/escape.h"
#include "facts/points_to.h"
#include "term/term.h"

struct context_place {
	uint32_t func, insn; /* innermost: the next instruction; outer frames: the current call */
};

struct context_thread {
	uint32_t id;                 /* the user's number; 0 is the main thread */
	VEC(struct context_place) stack; /* outermost first */
	bool complete;               /* the outermost frame is main or the function of the thread */
	bool waiting;                /* the thread is blocked in the call at its place (4.2) */
};

struct context_options {
	bool no_reach;      /* no facts about registers and memory */
	bool no_invariants; /* no facts about synchronization: locksets, counts, matching */
	bool races;         /* runs may have data races: no interference-free regions */
	bool numbered;      /* the numbers of threads are those of their creation, from 1 on;
	                       otherwise they are only names */
};

/* The meaning of a symbol of the terms below. */
enum context_symbol_kind {
	CONTEXT_VALUE,  /* an unknown value: register `reg` of function `func` (frame `frame` of thread
	                   `thread`; IR_NONE: of a frame that returned or was not given); with reg
	                   IR_NONE, the value that func:insn loaded. With both reg and insn: some
	                   value that the register had there */
	CONTEXT_GLOBAL, /* the address of global `id`; of a thread-local one, in `thread` */
	CONTEXT_FUNC,   /* the address of function `id` */
	CONTEXT_LOCAL,  /* the address of alloca `id` of frame `frame` of thread `thread` */
	CONTEXT_HEAP,   /* the address of the one block that func:insn allocated: a malloc or calloc of
	                   a constant size that is executed at most once; it is not freed */
	CONTEXT_THREAD, /* the handle of thread `thread`: its pthread_t */
};
struct context_symbol {
	enum context_symbol_kind kind;
	uint32_t thread, frame; /* indices in the context; frame 0 is outermost. IR_NONE = none */
	uint32_t func, insn, reg, id;
};

struct context_memory { /* `bytes` bytes at base + offset hold value */
	term_t base;       /* a symbol of kind GLOBAL, LOCAL, HEAP, or a pointer VALUE */
	int64_t offset;
	term_t value;      /* of 8 * bytes bits */
};
/* A waiting thread has the locks that it holds while blocked, so not the mutex of
 * pthread_cond_wait. */
enum { CONTEXT_MANY = 8 };
struct context_lock {
	uint32_t thread;
	term_t lock;       /* its address */
	bool must;         /* held in every run; else in some runs */
	bool reader;       /* a read lock of a read-write lock */
	uint32_t least, most; /* times that it is held; most CONTEXT_MANY: any number */
};
struct context_barrier {
	term_t barrier;    /* its address */
	VEC(term_t) counts; /* 32 bits; n = 0: any count */
};

struct context;

/* Copies the threads. At most 60; each has at least one frame. */
struct context *context_new(const struct ir_program *p, const struct points_to *pt,
	struct terms *ts, const struct context_thread *threads, uint32_t n,
	const struct context_options *opt);
void context_free(struct context *c);
/* Does the given stack begin at the thread's outermost function? From `complete` of the given
 * thread, and from the functions that threads are created with. */
bool context_thread_complete(const struct context *c, uint32_t thread);

/* The register of an initial frame: a term of its type's width, never TERM_NONE. Without facts it
 * is a symbol of its own; so is a register that is not set yet. */
term_t context_register(struct context *c, uint32_t thread, uint32_t frame, uint32_t reg);

const struct context_memory *context_memory(const struct context *c, uint32_t *n);
const term_t *context_conditions(const struct context *c, uint32_t *n);
const struct context_lock *context_locks(const struct context *c, uint32_t *n);
/* Is every lock that the thread may hold in the list? */
bool context_locks_known(const struct context *c, uint32_t thread);
const struct context_barrier *context_barriers(const struct context *c, uint32_t *n);
/* NULL if the symbol is none of ours. */
const struct context_symbol *context_symbol(const struct context *c, term_t sym);
/* Does the global have its initial bytes [offset, offset + size) in every run that passes the
 * context? */
bool context_untouched(const struct context *c, uint32_t global, uint64_t offset, uint64_t size);
/* Prints one line for each fact, for --stats and tests. */
void context_print(const struct context *c, struct strbuf *out);

/* ---- syntax of contexts (parse_places.c) ----------------------------------------------------- */

struct vec_context_thread {
	struct context_thread *at;
	uint32_t n, cap;
};

/*
 * Parses "FUNCTION[:LINE]@T", or a stack "main>run>work:42@T1"; several threads are separated by
 * commas. An innermost frame without a line is at its first instruction. An outer frame is at its
 * call of the next frame, which must be the only such call or have a line. A line means its first
 * instruction in the function. "@wait" after the thread ("work:42@T1@wait") means that it is
 * blocked there. Returns -1 after an error that lists valid choices.
 */
int context_parse(const struct ir_program *p, const char *text, struct vec_context_thread *out);
void context_threads_release(struct vec_context_thread *v);

#endif
