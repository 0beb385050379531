/*
 * Inside of context.h: what its files share.
 *
 *  - place.c: places as users write them
 *  - code.c: shapes of functions (flow graph, dominators, where registers are set), who is called
 * once
 *  - before.c: which instructions may have been executed before the context, and by which threads
 * (CFG_0)
 *  - stack.c: outer frames that were left out; frame.c: frames, and the symbols of the terms
 *  - reach.c: registers as terms; holds.c: conditions
 *  - memory.c: what a place of memory holds; writers.c: who may write it; regions.c: how long
 * nobody else can; facts.c: which to ask for
 *  - locks.c, barriers.c, matching.c: synchronization
 *
 * Instances. A frame stands at a place. A register r that is set at d, where d dominates the place,
 * has the value that the *last* execution of d gave it, and the operands of d have the values of
 * that time still: let d' set an operand, so d' strictly dominates d. Were d' executed after the
 * last d, there would be a way from the entry to d' without d (d does not dominate d'), and on from
 * there to the place without d: d would not dominate the place. So the value of r is the operation
 * applied to the values of its operands *now*, all the way down. Entering a block counts as setting
 * what its edges copy. The same argument says that a branch whose one edge leads to a block that
 * nothing else enters, and that dominates the place, was decided by the values of now.
 *
 * None of this holds when control can come back in the middle (setjmp): such functions have nothing
 * but symbols.
 */
#ifndef HEDDLE_CONTEXT_INSIDE_H
#define HEDDLE_CONTEXT_INSIDE_H

#include "base/bitset.h"
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
	uint32_t *set_by;   /* by register: the instruction, or IR_NONE (parameters, edges) */
	uint32_t *set_in;   /* by register: the block that its setting is in, or is entered by its
			       edges */
	bool twice;         /* control may come back to the middle */
};

struct site { /* a call that may be made: by whom, from where */
	uint32_t func, insn;
};
struct vec_site {
	struct site *at;
	uint32_t n, cap;
};

struct code {
	const struct ir_program *p;
	const struct points_to *pt;
	struct shape **shapes; /* by function, made when asked for */
	struct callgraph calls;
	bool *recursive; /* by function */
	struct native *natives;
	struct plan plan; /* no more of it than phase.h wants */
	struct phase phase;
	struct escape escape;
	struct writes writes;
	struct bitset outside;      /* objects that code outside may change whenever it likes */
	struct vec_site *starts;    /* by function: calls that start a thread on it */
	struct vec_site *callbacks; /* by function: other calls that have the library call it */
	struct bitset
		later; /* functions that the library may call at another time: handlers, exits */
	struct bitset mains;   /* functions that the main thread may run */
	struct bitset threads; /* functions that others may run */
	uint8_t *once; /* by function: 1 + whether it is called at most once; 0 = not known yet */
	struct arena arena;
};

void code_init(struct code *k, const struct ir_program *p, const struct points_to *pt);
void code_release(struct code *k);

static inline const struct ir_func *code_func(const struct code *k, uint32_t func)
{
	return &k->p->funcs.at[func];
}
/* Has a body of the user's? */
static inline bool code_known(const struct code *k, uint32_t func)
{
	return k->plan.funcs[func].traced;
}
struct shape *code_shape(struct code *k, uint32_t func);
/* The one function of the program that the call reaches, with a body; else IR_NONE. */
uint32_t code_callee(const struct code *k, uint32_t func, uint32_t insn);
/* The function that the instruction calls by name, or IR_NONE. */
uint32_t code_direct(const struct code *k, uint32_t func, uint32_t insn);
/* Argument i of a call, or IR_NONE. */
ir_ref code_arg(const struct code *k, uint32_t func, uint32_t insn, uint32_t i);
/* Adds every function of the program that calling it may run, itself included, and likewise for a
 * call; threads that are started there are not among them. */
void code_closure(const struct code *k, uint32_t func, struct bitset *out);
void code_called(const struct code *k, uint32_t func, uint32_t insn, struct bitset *out);
/* Is the instruction executed at most once in a run? */
bool code_once(struct code *k, uint32_t func, uint32_t insn);
/* Is it called by nobody, as main is? */
bool code_uncalled(const struct code *k, uint32_t func);
/* How often threads are started on the function, at most; UINT32_MAX = nobody knows. */
uint32_t code_starts(struct code *k, uint32_t func);
/* Does the instruction at a come before the one at b on every way to b? */
bool code_dominates(struct code *k, uint32_t func, uint32_t a, uint32_t b);
/* enum log_sync_kind of the library function that is called by name, or -1. */
int code_sync(const struct code *k, uint32_t func, uint32_t insn);
/* Does a library call run callbacks before it returns, and not later? */
bool code_calls_at_once(const struct code *k, uint32_t func, uint32_t insn);

/* ---- what may have run (before.c) ------------------------------------------------------------ */

enum { MAX_THREADS = 60 };
#define BY_OTHERS (1ull << 63) /* threads that are not in the context */

struct writer { /* an instruction that writes memory, and who may have executed it */
	uint32_t func, insn;
	uint64_t by;
};

struct before {
	uint64_t *all;   /* by function: who may have executed all of it */
	uint64_t **part; /* by function, by instruction: more of them; NULL = nobody */
	VEC(struct writer) writers;
};

/* ---- frames and symbols (frame.c) ------------------------------------------------------------ */

enum frame_kind {
	FRAME_LISTED,   /* of the context */
	FRAME_RETURNED, /* a call that is over, by `parent` at `call`: the last one made there */
	FRAME_LONE, /* of whoever executes func:insn; nothing is known of it but what is the same in
		       all of them. Of a function that is called once at most there is one for all
		       of its instructions, or that of the context: what is set once there is the
		       same ever after */
};

struct frame {
	enum frame_kind kind;
	uint32_t func, insn; /* LISTED and LONE: the place */
	uint32_t parent;     /* frame, or IR_NONE */
	uint32_t call;       /* instruction of the parent */
	uint32_t owner;      /* the thread of the context that it belongs to, or IR_NONE */
	uint32_t depth;      /* LISTED: position in its stack; else how many RETURNED above it */
	bool hidden;         /* LISTED, but not by the user */
	struct map terms;    /* register -> term; 0 = being made */
	struct map children; /* instruction << 32 | function -> frame + 1 */
};

struct symbol {
	struct context_symbol is;
	term_t term;
	uint32_t frame; /* VALUE of a register: whose; IR_NONE: it never changes */
};

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

struct location {
	term_t base;
	int64_t offset;
	uint32_t size;
	uint32_t object; /* of the points-to analysis; IR_NONE: the base is a pointer VALUE */
	uint32_t func;   /* then what it points to: as that operand does */
	ir_ref ref;
	struct map dirty;  /* function << 32 | block -> 1 + whether it may be written there */
	struct map writes; /* function -> 1 + whether calling it may write it */
	uint64_t own;      /* threads but for which nobody writes it */
	uint64_t asked;    /* threads for which that is known */
	uint8_t stable;    /* 1 + whether nobody writes it late; 0 = not asked */
	uint8_t plain;     /* 1 + whether all late writes of it may race; 0 = not asked */
	bool busy;
	term_t kept; /* what it holds since the early phase, TERM_NONE = not asked */
};

struct regions {         /* 1 + whether it may release; 0 = not asked */
	uint8_t *funcs;  /* by function: an instruction of its own */
	uint8_t **insns; /* by function, by instruction: with what it calls */
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
	VEC(struct context_thread)
	threads;              /* with the outer frames that the user left out and that can be
				 no others */
	VEC(uint32_t) hidden; /* by thread: how many those are */
	VEC(bool) complete;   /* by thread: without them */
	VEC(uint32_t) first;  /* by thread: its outermost frame; the others follow */
	VEC(struct frame) frames;
	struct map lone; /* func << 32 | insn -> frame + 1 */
	VEC(struct symbol) symbols;
	struct map symbol_of; /* term -> index + 1 */
	struct map symbol_at; /* hash of what it stands for -> index + 1 */
	VEC(struct location *) locations;
	struct map location_at; /* hash -> index + 1 */
	struct regions regions;
	uint32_t nesting; /* of questions under way */
	VEC(struct context_memory) memory;
	VEC(term_t) holds;
	struct vec_lock locks;
	VEC(bool) locks_known; /* by thread */
	VEC(struct context_barrier) barriers;
};

/* Finds the outer frames that can be no others (stack.c). */
void stack_init(struct context *c);

void before_init(struct context *c);
void before_release(struct context *c);
/* Who may have executed the instruction before the context. */
uint64_t before_by(const struct context *c, uint32_t func, uint32_t insn);

void frames_init(struct context *c);
void frames_release(struct context *c);
static inline struct frame *frame_at(struct context *c, uint32_t frame)
{
	return &c->frames.at[frame];
}
uint32_t frame_of(const struct context *c, uint32_t thread, uint32_t depth);
/* The frame of the last call that `parent` made at `call`; IR_NONE if it is too deep, or recursive.
 */
uint32_t frame_returned(struct context *c, uint32_t parent, uint32_t call, uint32_t callee);
uint32_t frame_lone(struct context *c, uint32_t func, uint32_t insn);

/* Symbols. */
term_t symbol_register(struct context *c, uint32_t frame, uint32_t reg);
term_t symbol_loaded(struct context *c, const struct location *l, uint32_t func, uint32_t insn);
/* some value that the operand had when the instruction was executed */
term_t symbol_past(struct context *c, uint32_t func, uint32_t insn, ir_ref r);
term_t symbol_global(struct context *c, uint32_t global, uint32_t owner);
term_t symbol_func(struct context *c, uint32_t func);
term_t symbol_local(struct context *c, uint32_t frame, uint32_t local);
term_t symbol_heap(struct context *c, uint32_t func, uint32_t insn);
const struct symbol *symbol_get(const struct context *c, term_t t);
/* Is the term made of what never changes: constants, addresses, values since the early phase,
 * registers that are set once in a run? */
bool term_is_fixed(struct context *c, term_t t);
/* A sum of one symbol and a constant? */
bool term_split(const struct terms *ts, term_t t, term_t *base, int64_t *offset);

/* ---- registers (reach.c), conditions (holds.c) ----------------------------------------------- */

/* The value of an operand in the frame, of its type's width. The register must be set on every way
 * to where it is wanted. */
term_t reach_ref(struct context *c, uint32_t frame, ir_ref r);
/* Is it set on every way to the place? */
bool reach_is_set(struct context *c, uint32_t func, uint32_t reg, uint32_t insn);
/* Are the registers of the frame that the term depends on set outside the loop, so that it is the
 * same in every round? */
bool reach_same_in_loop(struct context *c, uint32_t frame, term_t t, uint32_t loop);
void holds_init(struct context *c);
void holds_add(struct context *c, term_t t);

/* A register that counts the rounds of a loop: i = start when it is entered, i + step in the next
 * round. While i < bound (i > bound, where it counts down) holds there is a next round, and else
 * there is none. */
struct holds_counter {
	uint32_t loop;
	term_t start;
	int64_t step;
	term_t bound; /* TERM_NONE: another condition */
	bool is_signed;
	bool guards_body; /* it is decided in the header: what lies behind is executed once for each
			     step */
};
bool holds_counter(struct context *c, uint32_t frame, uint32_t reg, struct holds_counter *out);

/* ---- memory ---------------------------------------------------------------------------------- */

/* The place that the operand is the address of; NULL if it is none of which something can be known.
 */
struct location *memory_at(struct context *c, uint32_t frame, ir_ref address, uint32_t size);
/* The points-to object that a symbol is the address of (IR_NONE: a pointer's); false if nothing can
 * be said of what lies there. */
bool memory_object(struct context *c, const struct symbol *s, uint32_t *object);
/* The one of these fields. */
struct location *memory_place(struct context *c, struct location want);
/* What it holds when the frame stands before the instruction; TERM_NONE if that is not known. */
term_t memory_value(struct context *c, uint32_t frame, uint32_t insn, struct location *l);
term_t memory_load(struct context *c, uint32_t frame, uint32_t insn);
/* May a block that the register points to have been freed? Also if it is not one block's address.
 */
bool memory_freed(struct context *c, uint32_t func, uint32_t reg);
void memory_release(struct context *c);
/* Facts of every place that the code of the context's frames uses (facts.c). */
void facts_init(struct context *c);
/* The initial bytes of a global as a term; TERM_NONE if they are not inside of it. */
term_t memory_initial(struct context *c, const struct location *l);

/* May the instruction itself write there? May calling the function? (writers.c) */
bool writes_location(struct context *c, uint32_t func, uint32_t insn, struct location *l);
/* Behind the program's back: the inside of a mutex, what pointers in its arguments lead to. */
bool writes_quietly(struct context *c, uint32_t func, uint32_t insn, struct location *l);
bool writes_called(struct context *c, uint32_t func, struct location *l);
/* The instruction, with whatever it calls. */
bool writes_insn(struct context *c, uint32_t func, uint32_t insn, struct location *l);
/* Does nobody but the thread write it, apart from early code? */
bool writes_own(struct context *c, uint32_t thread, struct location *l);
/* Does nobody write it after the early phase? */
bool writes_early(struct context *c, struct location *l);
/* Does anybody, before the context? */
bool writes_ever(struct context *c, struct location *l);
/* May it be written in the block, calls included? */
bool writes_block(struct context *c, uint32_t func, uint32_t block, struct location *l);

/* Regions that nobody interferes with (regions.c). Do they say anything of the place? */
bool regions_apply(struct context *c, struct location *l);
/* May the instruction, with whatever it calls, release what another thread may wait for? Anything
 * in the block? */
bool regions_end(struct context *c, uint32_t func, uint32_t insn);
bool regions_end_block(struct context *c, uint32_t func, uint32_t block);
void regions_init(struct context *c);

/* ---- synchronization ------------------------------------------------------------------------- */

void locks_init(struct context *c);
void barriers_init(struct context *c);
void matching_init(struct context *c);

#endif
