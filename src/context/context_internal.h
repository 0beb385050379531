/*
 * Private to src/context. Sections are those of paper 001.
 *
 *  - parse_places.c: the syntax of contexts
 *  - code.c: functions (flow graph, dominators, definitions of registers), calls, code that runs
 *    once
 *  - executed_before.c: instructions that may have been executed before the context, and by which
 *    threads (CFG_0, 2.3)
 *  - outer_frames.c: outer frames that the user left out (2.2); frame.c: frames, symbols of the
 *    terms
 *  - must_reach.c: registers as terms (2.3); conditions.c: conditions that hold at the places
 *  - memory.c: contents of memory (3.2, 4.4); writers.c: instructions that may write a location;
 *    interference_free.c: regions without writes of other threads; memory_facts.c: the locations of
 *    which a context has facts
 *  - locksets.c, barrier_counts.c, barrier_matching.c: synchronization (4.4); users.c: the number
 *    of threads; thread_numbers.c, tickets.c: numbers that differ from thread to thread
 *
 * Why terms hold at the place. Let a frame be at a place, and let the definition d of register r
 * dominate the place. Then r has the value of the *last* execution of d, and the operands of d have
 * not changed since. Proof: let d' define an operand, so d' strictly dominates d. If d' were
 * executed after the last d, there would be a path from the entry to d' without d (d does not
 * dominate d') and from there to the place without d, so d would not dominate the place. Hence the
 * value of r is the operation applied to the *current* values of its operands, recursively.
 * Entering a block counts as the definition of the registers that its edges copy. By the same
 * argument a branch was decided by the current values if one of its edges is the only edge to a
 * block that dominates the place.
 *
 * The proof fails where control can return to the middle of a function (setjmp): all registers of
 * such functions are symbols.
 */
#ifndef HEDDLE_CONTEXT_INTERNAL_H
#define HEDDLE_CONTEXT_INTERNAL_H

#include "base/base.h"
#include "base/arena.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "context/context.h"
#include "facts/natives.h"
#include "facts/phase.h"
#include "facts/writes.h"
#include "ir/callgraph.h"
#include "ir/dom.h"
#include "ir/loops.h"

/* ---- functions (code.c) ---------------------------------------------------------------------- */

struct shape {
	struct cfg cfg;
	struct dom dom;
	struct loops loops;
	uint32_t *block_of; /* by instruction */
	uint32_t *set_by; /* by register: its definition; IR_NONE: parameter, or copied on edges */
	uint32_t *set_in; /* by register: the block of its definition, or that its edges enter */
	bool twice;       /* control may return to the middle (setjmp) */
};

struct site { /* of a call */
	uint32_t func, insn;
};
struct vec_site {
	struct site *at;
	uint32_t n, cap;
};

struct code {
	const struct ir_program *p;
	const struct points_to *pt;
	struct shape **shapes; /* by function, computed on demand */
	struct callgraph calls;
	bool *recursive; /* by function */
	struct native *natives;
	struct plan plan; /* only the fields that phase.h uses */
	struct phase phase;
	struct escape escape;
	struct writes writes;
	struct bitset outside;      /* objects that code outside may write at any time */
	struct vec_site *starts;    /* by function: calls that create a thread with it */
	struct vec_site *callbacks; /* by function: calls that pass it as a callback */
	struct bitset later;        /* functions that the library may call later: handlers, exits */
	struct bitset mains;        /* functions that the main thread may execute */
	struct bitset threads;      /* functions that other threads may execute */
	uint8_t *once; /* by function: 1 + whether it is called at most once; 0 = not computed */
	struct arena arena;
};

void code_init(struct code *k, const struct ir_program *p, const struct points_to *pt);
void code_release(struct code *k);

static inline const struct ir_func *code_func(const struct code *k, uint32_t func)
{
	return &k->p->funcs.at[func];
}
/* Is the function part of the user's program, with a body? */
static inline bool code_known(const struct code *k, uint32_t func)
{
	return k->plan.funcs[func].traced;
}
struct shape *code_shape(struct code *k, uint32_t func);
/* The function with a body that the call reaches, if it reaches no other; else IR_NONE. */
uint32_t code_callee(const struct code *k, uint32_t func, uint32_t insn);
/* The function that the instruction calls by name, or IR_NONE. */
uint32_t code_direct(const struct code *k, uint32_t func, uint32_t insn);
/* Argument i of a call, or IR_NONE. */
ir_ref code_arg(const struct code *k, uint32_t func, uint32_t insn, uint32_t i);
/* Adds every function of the program that a call of func, or the call at func:insn, may execute in
 * the same thread, func included. */
void code_closure(const struct code *k, uint32_t func, struct bitset *out);
void code_called(const struct code *k, uint32_t func, uint32_t insn, struct bitset *out);
/* Is the instruction executed at most once in a run? */
bool code_once(struct code *k, uint32_t func, uint32_t insn);
/* True if no call, callback or thread creation leads to the function. */
bool code_uncalled(const struct code *k, uint32_t func);
/* An upper bound of the threads that are created with the function; UINT32_MAX = unknown. */
uint32_t code_starts(struct code *k, uint32_t func);
/* Is a executed before b on every path to b? */
bool code_dominates(struct code *k, uint32_t func, uint32_t a, uint32_t b);
/* enum log_sync_kind of the library function that is called by name, or -1. */
int code_sync(const struct code *k, uint32_t func, uint32_t insn);
/* Does the library call its callbacks only before it returns? */
bool code_calls_at_once(const struct code *k, uint32_t func, uint32_t insn);
/* Calls add() for each function that a library function calls back when it is called here. One whose
 * effects are unknown may call back every function that code outside can reach. */
void code_each_callback(const struct code *k, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx);

/* ---- code that may have been executed (executed_before.c) ------------------------------------ */

enum { MAX_THREADS = 60 };
#define BY_OTHERS (1ull << 63) /* threads that are not in the context */

struct writer { /* an instruction that writes memory, and the threads that may have executed it */
	uint32_t func, insn;
	uint64_t by;
};

struct before {
	uint64_t *all;   /* by function: threads that may have executed all of it */
	uint64_t **part; /* by function, by instruction: further threads; NULL = none */
	VEC(struct writer) writers;
};

/* ---- frames and symbols (frame.c) ------------------------------------------------------------ */

enum frame_kind {
	FRAME_LISTED,   /* of the context */
	FRAME_RETURNED, /* of the last call by `parent` at `call`, which has returned */
	FRAME_LONE, /* stands for all frames that execute func:insn: it has the facts that hold in
		       each of them. A function that is called at most once has one such frame for
		       all its instructions (that of the context if it is there), because its
		       registers keep their values */
};

struct frame {
	enum frame_kind kind;
	uint32_t func, insn; /* LISTED and LONE: the place */
	uint32_t parent;     /* frame, or IR_NONE */
	uint32_t call;       /* instruction of the parent */
	uint32_t owner;      /* its thread of the context, or IR_NONE */
	uint32_t depth;      /* LISTED: index in its stack; RETURNED: number of RETURNED parents */
	bool hidden;         /* LISTED, but added by outer_frames.c */
	struct map terms;    /* register -> term; UINT64_MAX = being computed */
	struct map children; /* instruction << 32 | function -> frame + 1 */
};

struct symbol {
	struct context_symbol is;
	term_t term;
	uint32_t frame; /* VALUE of a register: of this frame; IR_NONE: the value never changes */
};

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

struct location {
	term_t base;
	int64_t offset;
	uint32_t size;
	uint32_t object; /* of the points-to analysis; IR_NONE: the base is a pointer VALUE */
	uint32_t func;   /* then the base points to the objects of operand func:ref */
	ir_ref ref;
	struct map dirty;  /* function << 32 | block -> 1 + whether the block may write it */
	struct map writes; /* function -> 1 + whether a call of it may write it */
	uint64_t own;      /* threads that are its only writers, by bit */
	uint64_t asked;    /* threads whose bit in `own` is valid */
	uint8_t stable;    /* 1 + whether no thread writes it late; 0 = not computed */
	uint8_t plain;     /* 1 + whether all late writes of it may race; 0 = not computed */
	bool busy;         /* `kept` is being computed */
	term_t kept;       /* its contents since the early phase; TERM_NONE = not computed */
};

struct regions {         /* 1 + whether it may release; 0 = not computed */
	uint8_t *funcs;  /* by function: one of its own instructions */
	uint8_t **insns; /* by function, by instruction: the instruction or a function it calls */
};

/* A register i that counts the rounds of a loop: i = start in the first round, and i grows by step.
 * There is a next round if and only if i < bound (i > bound if step is negative). */
struct loop_counter {
	uint32_t loop;
	term_t start;
	term_t by;    /* the step, of the width of i; the same in every round */
	int64_t step; /* its value; 0: `by` is not a constant */
	term_t bound; /* TERM_NONE: another condition */
	bool is_signed;
	bool guards_body; /* the header compares: the body is executed once for each step */
};

struct creation { /* the only call that creates threads, in a loop */
	struct site at;
	struct loop_counter k;
	uint32_t counter; /* its register */
};

struct vec_lock {
	struct context_lock *at;
	uint32_t n, cap;
};

struct context {
	const struct ir_program *p;
	const struct points_to *pt;
	struct terms *ts;
	struct context_options opt;
	struct code code;
	struct before before;
	VEC(struct context_thread) threads; /* with the frames that outer_frames.c added */
	VEC(uint32_t) hidden;               /* by thread: number of added frames */
	VEC(bool) complete;  /* by thread: whether its stack was complete without them */
	VEC(uint32_t) first; /* by thread: its outermost frame; the others follow */
	VEC(struct frame) frames;
	struct map lone; /* func << 32 | insn -> frame + 1 */
	VEC(struct symbol) symbols;
	struct map symbol_of; /* term -> index + 1 */
	struct map symbol_at; /* hash of its struct context_symbol -> index + 1 */
	uint32_t undefined;   /* number of values that the program does not define */
	VEC(struct location *) locations;
	struct map location_at; /* hash -> index + 1 */
	struct regions regions;
	struct creation creation;
	uint8_t creation_known; /* 2: it exists; 1: it does not; 0: not computed */
	uint32_t nesting;       /* depth of the recursion between registers and memory */
	VEC(struct context_memory) memory;
	VEC(term_t) holds;
	struct vec_lock locks;
	VEC(bool) locks_known; /* by thread */
	VEC(struct context_barrier) barriers;
};

/* Adds the outer frames that are determined by the call graph. */
void outer_frames_init(struct context *c);

void before_init(struct context *c);
void before_release(struct context *c);
/* The threads that may have executed the instruction before the context, by bit; BY_OTHERS. */
uint64_t before_by(const struct context *c, uint32_t func, uint32_t insn);

void frames_init(struct context *c);
void frames_release(struct context *c);
static inline struct frame *frame_at(struct context *c, uint32_t frame)
{
	BUG_ON(frame >= c->frames.n);
	return &c->frames.at[frame];
}
uint32_t frame_of(const struct context *c, uint32_t thread, uint32_t depth);
/* The frame of the last call by `parent` at `call`; IR_NONE if it is too deep or recursive. */
uint32_t frame_returned(struct context *c, uint32_t parent, uint32_t call, uint32_t callee);
uint32_t frame_lone(struct context *c, uint32_t func, uint32_t insn);

/* Symbols. */
term_t symbol_register(struct context *c, uint32_t frame, uint32_t reg);
term_t symbol_loaded(struct context *c, const struct location *l, uint32_t func, uint32_t insn);
/* some value that the operand had at an execution of the instruction */
term_t symbol_past(struct context *c, uint32_t func, uint32_t insn, ir_ref r);
/* a value that the program does not define: another one at each call */
term_t symbol_undefined(struct context *c, unsigned width);
term_t symbol_global(struct context *c, uint32_t global, uint32_t owner);
term_t symbol_func(struct context *c, uint32_t func);
term_t symbol_local(struct context *c, uint32_t frame, uint32_t local);
term_t symbol_thread(struct context *c, uint32_t thread);
term_t symbol_heap(struct context *c, uint32_t func, uint32_t insn);
const struct symbol *symbol_get(const struct context *c, term_t t);
/* Does the value of the term never change? It consists of constants, addresses, contents of memory
 * since the early phase, and registers that are set once in a run. */
bool term_is_fixed(struct context *c, term_t t);
/* True if the term is the sum of a symbol and a constant. */
bool term_split(const struct terms *ts, term_t t, term_t *base, int64_t *offset);

/* ---- registers (must_reach.c), conditions (conditions.c) ------------------------------------- */

/* The value of an operand in the frame, of its type's width. The register must be set on every path
 * to the place of the frame. */
term_t reach_ref(struct context *c, uint32_t frame, ir_ref r);
/* Is the register set on every path to the instruction? */
bool reach_is_set(struct context *c, uint32_t func, uint32_t reg, uint32_t insn);
/* Is the value of the term the same in every round of the loop: are its registers set outside? */
bool reach_same_in_loop(struct context *c, uint32_t frame, term_t t, uint32_t loop);
void conditions_init(struct context *c);
void conditions_add(struct context *c, term_t t);

bool conditions_find_counter(
	struct context *c, uint32_t frame, uint32_t reg, struct loop_counter *out);

/* ---- memory ---------------------------------------------------------------------------------- */

/* The location at the address in the operand; NULL if no facts about it are possible. */
struct location *memory_at(struct context *c, uint32_t frame, ir_ref address, uint32_t size);
/* The points-to object whose address the symbol is; IR_NONE if the symbol is a pointer value. False
 * if no facts about its contents are possible. */
bool memory_object(struct context *c, const struct symbol *s, uint32_t *object);
/* The unique location with the base, offset, size, object and operand of `want`. */
struct location *memory_place(struct context *c, struct location want);
/* Its contents when the frame is before the instruction; TERM_NONE if they are not known. */
term_t memory_value(struct context *c, uint32_t frame, uint32_t insn, struct location *l);
term_t memory_load(struct context *c, uint32_t frame, uint32_t insn);
/* May the block that the register points to have been freed? True also if it may point to others.
 * */
bool memory_freed(struct context *c, uint32_t func, uint32_t reg);
/* The contents at the end of the early phase; TERM_NONE if they are not known. */
term_t memory_at_phase_end(struct context *c, struct location *l);
void memory_release(struct context *c);
/* Adds the facts about the locations that the code of the context accesses (memory_facts.c). */
void memory_facts_init(struct context *c);

/* May the instruction itself write the location? (writers.c) */
bool writes_location(struct context *c, uint32_t func, uint32_t insn, struct location *l);
/* May it write the location without an access that counts as a race: inside a mutex, or through
 * pointers that a library function is passed? */
bool writes_quietly(struct context *c, uint32_t func, uint32_t insn, struct location *l);
/* May a call of the function write it? */
bool writes_called(struct context *c, uint32_t func, struct location *l);
/* May the instruction, or a function that it calls, write it? */
bool writes_insn(struct context *c, uint32_t func, uint32_t insn, struct location *l);
/* Is the thread its only writer after the early phase? */
bool writes_own(struct context *c, uint32_t thread, struct location *l);
/* Is it written in the early phase only? */
bool writes_early(struct context *c, struct location *l);
/* May it be written before the context at all? */
bool writes_ever(struct context *c, struct location *l);
/* May the block, or a function that it calls, write it? */
bool writes_block(struct context *c, uint32_t func, uint32_t block, struct location *l);

/* Interference-free regions (interference_free.c). Do they give facts about the location? */
bool regions_apply(struct context *c, struct location *l);
/* May the instruction (an instruction of the block), or a function that it calls, end the region:
 * release something that another thread may wait for? */
bool regions_end(struct context *c, uint32_t func, uint32_t insn);
bool regions_end_block(struct context *c, uint32_t func, uint32_t block);
void regions_init(struct context *c);

/* ---- synchronization ------------------------------------------------------------------------- */

/* The number of threads that may execute some functions: fixed, and `more` if a loop that creates
 * threads has a round. */
struct users {
	uint64_t fixed;
	term_t more; /* TERM_NONE = 0 */
	term_t any;  /* the loop has a round */
};
/* Finds the counter of the loop around a call: step 1, at most one call in each round, entered at
 * most once. */
bool users_find_loop(struct context *c, struct site at, struct loop_counter *k, uint32_t *counter);
/* False if the number is not known. The functions include those that call them. (users.c) */
bool users_of(struct context *c, const struct bitset *funcs, struct users *u);
/* The condition that `more` is a number of 31 bits; TERM_NONE: it has at most 32 bits. */
term_t users_are_few(struct context *c, const struct users *u);

/* The argument of the thread, by the round of the loop that created it (thread_numbers.c). */
term_t numbers_argument(struct context *c, uint32_t thread);
void numbers_init(struct context *c);
/* Numbers that threads take from a counter (tickets.c). */
void tickets_init(struct context *c);
void locks_init(struct context *c);
void barrier_counts_init(struct context *c);
void barrier_matching_init(struct context *c);

#endif
