/*
 * Symbolic execution on the machine: values that are terms, the path condition, forks.
 *
 * A machine with a struct sym executes one path of many. A register or byte of memory is known, has
 * undefined bits, or is a term; struct opnd represents all three. Code that uses a term runs in the
 * careful mode, all other code runs in the fast mode (guard.h).
 *
 * A fork is a copy of the state *before* the current instruction, with one more condition on its
 * path. When the copy runs, it executes that instruction again and asks the same query, which the
 * new condition decides. So nothing may change before a fork: an instruction or a builtin first
 * makes all its decisions and then acts.
 *
 * This file has the mechanism. The choice of the next state, the end of a path and budgets belong
 * to src/explore, behind struct sym_ops.
 */
#ifndef HEDDLE_SYMBOLIC_SYM_H
#define HEDDLE_SYMBOLIC_SYM_H

#include "base/map.h"
#include "base/vec.h"
#include "machine/extension.h"
#include "smt/ask.h"

struct scall; /* summary.h */

struct sym_switch {      /* a context switch */
	uint32_t thread; /* runs from here on */
	uint64_t picks;  /* scheduler choices before this one (exec_options.pick) */
};

struct sym_fixed { /* a term that the path restricts to one value; most are symbols */
	term_t term;
	uint64_t value;
};

struct sym_ops {
	/* Both outcomes of c are possible on the path: keeps a copy of the state for one outcome.
	 * Returns the outcome of the running state, whose condition the caller adds. */
	bool (*fork)(void *ctx, struct machine *m, struct thread *t, term_t c);
	/* A query has no answer, or a value was concretized: the path is incomplete from here. */
	void (*incomplete)(void *ctx, struct machine *m, struct thread *t, const char *why);
	/* Called before a synchronization operation: assumes the invariant of an object of the
	 * initial state. NULL = there are no such objects. STEP_NEXT: the operation continues;
	 * STEP_JUMPED: it is complete; else the thread stops here. */
	enum step (*invariant)(void *ctx, struct machine *m, struct thread *t,
		const char *operation, struct opnd object);
	/* Appends the possible callees of a call through a pointer of the initial state (X7). True
	 * if others are possible too. NULL = there are no such pointers. */
	bool (*callees)(void *ctx, uint32_t func, uint32_t insn, struct vec_u32 *out);
	/* A condition was decided, by a fork or because the path implies it; as the program computed it,
	 * not reduced by what the path implies. NULL = not of interest. */
	void (*decided)(void *ctx, struct thread *t, term_t holds);
};

struct sym_opaque { /* the definition of an opaque symbol (sym_opaque.c) */
	term_t sym;
	const struct ir_insn *in; /* eval_op(); or NULL: */
	builtin_fn fn;
	uint32_t n;
	term_t args[3];
};
/* The names of opaque symbols begin with it. */
#define SYM_OPAQUE "opaque:"

struct sym {
	struct ask *ask;
	const struct sym_ops *ops;
	void *ctx;
	enum step (**summaries)(struct scall *s); /* by function, NULL = none (summary.h); or
						     NULL */
	uint64_t *one_way;         /* counts decisions with one possible outcome; or NULL */
	struct map bases;          /* address term -> the address that sym_address() made it from */
	struct map opaque_of;      /* symbol -> index in opaque, + 1 */
	VEC(struct sym_opaque) opaque; /* in order of creation: operands come first */
	struct term_subst reduced; /* replaces `fixed` by its values (sym_fixed.c) */
	uint32_t nreduced;         /* fixed symbols in it; UINT32_MAX: it is not up to date */
	/* of the running state; saved and restored with it */
	VEC(term_t) path; /* the path condition, a conjunction; no element is a constant */
	VEC(struct sym_fixed) fixed; /* terms with one value on the path */
	bool unknowns;               /* some term may have undefined bits (SYM_UNKNOWN) */
	bool incomplete;             /* a part of this path was cut off, or assumed */
	uint64_t picks;              /* scheduler choices so far */
	uint32_t preemptions;        /* context switches away from a thread that could continue */
	uint64_t forks;              /* decisions with two outcomes on this path: its depth */
	uint32_t values;             /* values that the current sym_value() has already excluded */
	term_t example;              /* at a fault: a condition on the inputs that its report names,
					satisfiable together with the path; TERM_NONE = none */
	term_t status;               /* argument of exit(); TERM_NONE = the number in the result */
	VEC(struct sym_switch) switches;
	struct lazy *lazy; /* symbolic memory (lazy.h); NULL = none */
};

/* Makes the machine symbolic. The caller keeps s and ts until the machine is released.
 * Saved states may outlive both. */
void sym_attach(struct machine *m, struct sym *s, struct terms *ts);

/* Frees what s owns; the machine is released. */
void sym_release(struct sym *s);

/* Adds the condition to the path. False if it is the constant false: the path is infeasible. */
bool sym_assume(struct machine *m, term_t c);

/*
 * Decides a condition: *truth is its outcome on the running path. The state forks if both outcomes
 * are possible. STEP_STOP if neither could be shown possible (the path ends, incomplete), or after
 * a fault because the condition depends on undefined bits.
 */
enum step sym_decide(struct machine *m, struct thread *t, term_t c, bool *truth);
/* Concretizes the operand: the state forks so that each possible value has a path of its own, up to
 * `limit` values. After that the operand is restricted to one of the remaining values, and the path
 * is incomplete. `what` names the operand in the report. */
enum step sym_value(struct machine *m, struct thread *t, struct opnd o, uint32_t bits,
	const char *what, uint32_t limit, struct val *v);
/* Sets the opaque symbols in a model of the path to their values; false: there are too many. */
bool sym_complete_model(struct machine *m, struct term_assign *as);
/* The term with the values of the terms in it that the path restricts to one value. */
term_t sym_reduce(struct machine *m, term_t t);
/* Marks the path as incomplete and reports the reason (sym_ops.incomplete). */
void sym_incomplete(struct machine *m, struct thread *t, const char *why);

/* ---- memory (sym_mem.c, resolve.c, lazy.c) --------------------------------------------------- */

/* The name of symbols that stand for undefined bits in terms, where a value has them in some of its
 * cases only. sym_decide() reports a condition that depends on such a symbol. */
#define SYM_UNKNOWN "uninitialized"
/* False if the term has no undefined bits. Else *bad: its value depends on them. */
bool sym_depends(struct machine *m, term_t v, term_t *bad);
/* Restricts the path to inputs for which the term does not depend on undefined bits. ASK_NO: there
 * are no such inputs; ASK_UNKNOWN: inputs for which it depends on them may remain. */
enum ask_answer sym_narrow(struct machine *m, term_t v);
/* Reports the fault `what` for inputs for which the term depends on undefined bits; the path
 * continues with the other inputs. */
enum step sym_defined(struct machine *m, struct thread *t, term_t v, const char *what);

/* base + index * scale + offset, where at least one operand is a term. Records the base: the sum
 * may only point into the object of base, which the sum alone (&a[c - 'a']) does not show. */
struct opnd sym_address(
	struct machine *m, struct opnd base, struct opnd index, uint64_t scale, uint64_t offset);
/* Load and store for all addresses: terms, addresses of symbolic bytes or lazy memory, and known
 * addresses of known bytes. Faults are decided and reported (X6). */
enum step sym_load(
	struct machine *m, struct thread *t, struct opnd addr, ir_type type, struct opnd *out);
enum step sym_store(
	struct machine *m, struct thread *t, struct opnd addr, ir_type type, struct opnd value);

/* Checks a read of n bytes at the address like sym_load(), without reading. */
enum step sym_readable(struct machine *m, struct thread *t, struct opnd addr, uint64_t n);
/* memcpy, memmove, memset. For memset `from` is the byte. */
enum step sym_bulk(struct machine *m, struct thread *t, const struct ir_insn *in, struct opnd to,
	struct opnd from, struct opnd n);

/* malloc, free and malloc_usable_size with a size or pointer that may be a term (sym_heap.c). A
 * block of symbolic size is a region (lazy.h). */
enum step sym_alloc(struct machine *m, struct thread *t, struct opnd size, uint64_t align,
	bool zero, struct opnd *ret);
enum step sym_free(struct machine *m, struct thread *t, struct opnd p);
enum step sym_alloc_size(struct machine *m, struct thread *t, struct opnd p, struct opnd *ret);

#endif
