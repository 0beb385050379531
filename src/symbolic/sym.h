/*
 * The symbolic side of the machine: values that are terms, the condition of the path, forks.
 *
 * A machine with a struct sym runs one path of many. A register or byte of memory is known, unknown
 * (uninitialized) or a term; struct opnd has all three. Code that touches a term runs in the careful
 * mode, all other code stays fast (guard.h).
 *
 * A fork is a copy of the state as it stood *before* the instruction at hand, with one more condition
 * on its path; when it runs it executes that instruction again, asks the same question, and the
 * condition decides it. So nothing may have changed before a fork: an instruction, and a builtin,
 * decides everything first and then acts.
 *
 * Mechanism is here; which state runs next, what a path's end means, budgets: src/explore, behind
 * struct sym_ops.
 */
#ifndef HEDDLE_SYMBOLIC_SYM_H
#define HEDDLE_SYMBOLIC_SYM_H

#include "base/map.h"
#include "base/vec.h"
#include "machine/extension.h"
#include "smt/ask.h"

struct scall; /* summary.h */

struct sym_switch { /* a choice of the scheduler: from now on this thread runs */
	uint32_t thread;
	uint64_t picks; /* choices that the machine had asked for before (exec_options.pick) */
};

struct sym_ops {
	/* Both outcomes of c are possible on the path: keep a copy with the one, go on with the
	 * other. Returns the outcome that the running state takes. The conditions are added by the
	 * caller. */
	bool (*fork)(void *ctx, struct machine *m, struct thread *t, term_t c);
	/* A question went unanswered, or a value was fixed: the path is incomplete from here. */
	void (*incomplete)(void *ctx, struct machine *m, struct thread *t, const char *why);
	/* The thread is about to do the operation on the synchronization object: what is known of an
	 * object that existed before the start. NULL = there are none. Another answer than STEP_NEXT:
	 * the operation is over (STEP_JUMPED), or the thread goes no further. */
	enum step (*invariant)(void *ctx, struct machine *m, struct thread *t, const char *operation,
		struct opnd object);
	/* The functions that the call may come to, of a pointer that existed before the start (X7);
	 * true if also to others. NULL = there are no such pointers. */
	bool (*callees)(void *ctx, uint32_t func, uint32_t insn, struct vec_u32 *out);
};

struct sym {
	struct ask *ask;
	const struct sym_ops *ops;
	void *ctx;
	enum step (**summaries)(struct scall *s); /* by function, NULL = none; or NULL (summary.h) */
	uint64_t *one_way;   /* counts decisions that could go one way only; or NULL */
	struct map bases;    /* address term -> the address that it was made from (sym_address) */
	/* of the running state; saved and restored with it */
	VEC(term_t) path;    /* all of them hold; none is a constant */
	bool unknowns;       /* some term may have uninitialized bits (SYM_UNKNOWN) */
	bool incomplete;     /* something of this path was cut off, or assumed */
	uint64_t picks;      /* choices of a thread so far */
	uint32_t preemptions; /* of them away from a thread that could have gone on */
	uint64_t forks;      /* decisions with two sides on this path: its depth */
	uint32_t values;     /* values that the question at hand has already excluded (sym_value) */
	term_t example;      /* at a fault: what its report says of the inputs besides the path, possible
	                        for sure; TERM_NONE = nothing */
	term_t status;       /* of exit(); TERM_NONE = the number in the result */
	VEC(struct sym_switch) switches;
	struct lazy *lazy;   /* symbolic memory (lazy.h); NULL = none */
};

/* Makes the machine symbolic: the struct and the terms live longer than the machine, or until
 * sym_detach(). Saved states may outlive both. */
void sym_attach(struct machine *m, struct sym *s, struct terms *ts);
void sym_detach(struct machine *m);

/* The condition holds from here on. False if it is known not to: the path is infeasible. */
bool sym_assume(struct machine *m, term_t c);

/*
 * Which way a condition goes. Where both are possible the state forks. STEP_NEXT with *truth, or
 * STEP_STOP if neither could be shown possible (the path ends, incomplete).
 */
enum step sym_decide(struct machine *m, struct thread *t, term_t c, bool *truth);
/* One value of the operand: the state forks until each possible value has its own, up to `limit`
 * values for this question on one path; then it is fixed to one, and the path is incomplete.
 * `what` names it for the report. */
enum step sym_value(struct machine *m, struct thread *t, struct opnd o, uint32_t bits,
	const char *what, uint32_t limit, struct val *v);
/* Marks the path as incomplete and reports the reason (sym_ops.incomplete). */
void sym_incomplete(struct machine *m, struct thread *t, const char *why);

/* ---- memory (sym_mem.c, resolve.c, lazy.c) --------------------------------------------------- */

/* The name of symbols that stand for uninitialized bits, where a value has them in part of its cases.
 * sym_decide() reports a condition that depends on one. */
#define SYM_UNKNOWN "uninitialized"
/* False if the term has no uninitialized bits. Else *bad says that its value depends on them. */
bool sym_depends(struct machine *m, term_t v, term_t *bad);
/* Narrows the path to inputs with which the term is the same whatever these bits are. ASK_NO: there
 * are none; ASK_UNKNOWN: inputs may be left with which it is not. */
enum ask_answer sym_narrow(struct machine *m, term_t v);
/* A fault (`what`) with inputs where the term depends on uninitialized bits; the path goes on with the
 * others. */
enum step sym_defined(struct machine *m, struct thread *t, term_t v, const char *what);

/* base + index * scale + offset, with a term among them. The object that base points to is the one
 * that the sum may point to: kept, because from the sum alone (&a[c - 'a']) it could not be told. */
struct opnd sym_address(struct machine *m, struct opnd base, struct opnd index, uint64_t scale,
	uint64_t offset);
/* Load and store through an address that is a term, or leads to symbolic bytes, or to lazy memory;
 * also right for an address and bytes that are known. Faults are decided and reported (X6). */
enum step sym_load(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd *out);
enum step sym_store(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd value);

/* Decides whether n bytes at the address may be read, and faults if not; nothing else. */
enum step sym_readable(struct machine *m, struct thread *t, struct opnd addr, uint64_t n);
/* memcpy, memmove, memset: `from` is the byte of a memset. */
enum step sym_bulk(struct machine *m, struct thread *t, const struct ir_insn *in, struct opnd to,
	struct opnd from, struct opnd n);

/* malloc, free and the size of a block, where the size or the pointer may be a term (sym_heap.c). A
 * block of symbolic size is a region (lazy.h). */
enum step sym_alloc(struct machine *m, struct thread *t, struct opnd size, uint64_t align, bool zero,
	struct opnd *ret);
enum step sym_free(struct machine *m, struct thread *t, struct opnd p);
enum step sym_alloc_size(struct machine *m, struct thread *t, struct opnd p, struct opnd *ret);

#endif
