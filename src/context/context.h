/*
 * What is known of a program that stands at given places: the initial state of paper 001. A context is
 * a set of threads, each with a place in the code and, as far as the user gave it, the calls that led
 * there. The facts hold in *every* run that passes the context (over-approximation: what is not known
 * is a symbol of its own), and they come from analyses of the whole program, never from running it:
 *
 *  - registers of every initial frame as terms over few symbols (must-reach definitions, §2.3), along
 *    the given calls, with function summaries
 *  - memory (§3.2, §4.4): definitions of globals, initial stack variables and heap objects that must
 *    reach the place and that no other thread can have changed: conflict-free (thread-local, or written
 *    only before the first thread starts) or inside an interference-free region
 *  - conditions that hold there: branches that were taken on every way, barrier matching (loop counters
 *    of threads in lock-step are equal, trip counts symbolic)
 *  - locks that a thread holds, for sure or perhaps (relative locksets, L+), with their addresses
 *  - barriers: the counts they may have been initialized with (B_cnts)
 *  - what an unknown pointer may point to: the operand to ask the points-to analysis about
 *
 * Nothing is said of threads that are not in the context; whatever they may have done is allowed for.
 * Outer frames that the user left out and that can be no others count like those that were given
 * (stack.c), but have no position: their registers are symbols with thread and frame IR_NONE. Assumed
 * is what the points-to analysis assumes (pointers stay in their objects), that small calls of malloc
 * succeed, and, unless the options say otherwise, that no run has a data race.
 *
 * Lifetime: heap, context_free(); program, points-to and terms must live longer.
 */
#ifndef HEDDLE_CONTEXT_CONTEXT_H
#define HEDDLE_CONTEXT_CONTEXT_H

#include "facts/escape.h"
#include "facts/points_to.h"
#include "smt/term.h"

struct context_place {
	uint32_t func, insn; /* innermost: about to execute it; outer frames: the call under way */
};

struct context_thread {
	uint32_t id;                 /* as the user numbers it; 0 is the main thread */
	VEC(struct context_place) stack; /* outermost first */
	bool complete;               /* the outermost frame is main, or the function a thread was started on */
	bool waiting;                /* it is blocked in the call that it stands before (§4.2) */
};

struct context_options {
	bool no_reach;      /* nothing is known of registers and memory */
	bool no_invariants; /* nothing is known of synchronization: no locksets, counts, matching */
	bool races;         /* there may be data races: no interference-free regions */
};

/* What a symbol of the terms below stands for. */
enum context_symbol_kind {
	CONTEXT_VALUE,  /* an unknown value: register `reg` of function `func` (frame `frame` of thread
	                   `thread`; IR_NONE: of a frame that is gone or not given), or, with reg
	                   IR_NONE, what was loaded at func:insn. With both reg and insn: some value
	                   that the register had there */
	CONTEXT_GLOBAL, /* the address of global `id`; of a thread-local one, in `thread` */
	CONTEXT_FUNC,   /* the address of function `id` */
	CONTEXT_LOCAL,  /* the address of alloca `id` of frame `frame` of thread `thread` */
	CONTEXT_HEAP,   /* the address of the one block that func:insn allocated: a malloc or calloc of
	                   a constant size that is executed once at most; nobody has freed it */
};
struct context_symbol {
	enum context_symbol_kind kind;
	uint32_t thread, frame; /* positions in the context; frame 0 is outermost. IR_NONE = none */
	uint32_t func, insn, reg, id;
};

struct context_memory { /* `bytes` bytes at base + offset hold value */
	term_t base;       /* a symbol of kind GLOBAL, LOCAL, HEAP, or a pointer VALUE */
	int64_t offset;
	term_t value;      /* of 8 * bytes bits */
};
/* Of a waiting thread: what it holds while it is blocked, so not the mutex of pthread_cond_wait. */
struct context_lock {
	uint32_t thread;
	term_t lock;       /* its address */
	bool must;         /* held in every run; else perhaps */
	bool reader;       /* of a read-write lock */
};
struct context_barrier {
	term_t barrier;    /* its address */
	VEC(term_t) counts; /* 32 bits; n = 0: anything */
};

struct context;

/* threads are copied. */
struct context *context_new(const struct ir_program *p, const struct points_to *pt, struct terms *ts,
	const struct context_thread *threads, uint32_t n, const struct context_options *opt);
void context_free(struct context *c);
/* Does the stack begin at the thread's outermost function? What the threads given say, and what the
 * points-to analysis finds out about functions that threads are started on. */
bool context_thread_complete(const struct context *c, uint32_t thread);

/* The register of an initial frame: a term of its type's width, never TERM_NONE (a symbol of its own
 * if nothing is known; registers that cannot have been set yet are symbols too). */
term_t context_register(struct context *c, uint32_t thread, uint32_t frame, uint32_t reg);
/* Argument i of a function that was left out of an incomplete stack is never asked for. */

const struct context_memory *context_memory(const struct context *c, uint32_t *n);
const term_t *context_holds(const struct context *c, uint32_t *n);
const struct context_lock *context_locks(const struct context *c, uint32_t *n);
/* Is every lock that the thread may hold in the list? */
bool context_locks_known(const struct context *c, uint32_t thread);
const struct context_barrier *context_barriers(const struct context *c, uint32_t *n);
/* NULL if the symbol is none of ours. */
const struct context_symbol *context_symbol(const struct context *c, term_t sym);
/* Global g keeps its initial bytes [offset, offset + size) in every run that passes the context: nobody
 * writes them before. */
bool context_untouched(const struct context *c, uint32_t global, uint64_t offset, uint64_t size);
/* One line a fact, for --stats and tests. */
void context_print(const struct context *c, struct strbuf *out);

/* ---- places as users write them (place.c) ---------------------------------------------------- */

struct vec_context_thread {
	struct context_thread *at;
	uint32_t n, cap;
};

/*
 * "FUNCTION[:LINE]@T", or a stack "main>run>work:42@T1", several separated by commas. A frame without a
 * line stands at its first instruction if it is the innermost; an outer one at its call of the next
 * frame, which must be the only one or have a line. A line is the first instruction of that line in the
 * function; "@wait" after the thread ("work:42@T1@wait") means it is blocked there. Returns -1 after an
 * error that lists what would have been possible.
 */
int context_parse(const struct ir_program *p, const char *text, struct vec_context_thread *out);
void context_threads_release(struct vec_context_thread *v);

#endif
