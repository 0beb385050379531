/*
 * The operations that rooms above add to the machine. The machine calls them through these tables
 * and includes no header of those rooms.
 *
 *  - symbolic_ops: values that are terms, the path condition, symbolic memory (src/symbolic)
 *  - world_ops:    files, streams and system calls that the machine provides itself (src/world)
 *  - follow_ops:   re-execution of one recorded thread from its log (src/follow)
 *
 * A machine without an extension has NULL in the field for its state (machine.sym, .world, .follow)
 * and in the field for its table. sym_attach(), world_attach() and follow_new() set both fields.
 * Every entry of a table is set. The tables are constant data.
 *
 * "Decides" means: the state may fork, so nothing of the instruction may have taken effect before
 * (sym.h). Functions that return enum step give STEP_NEXT when they are done, STEP_STOP when the
 * path ended and machine.res is filled.
 */
#ifndef HEDDLE_MACHINE_EXTENSION_H
#define HEDDLE_MACHINE_EXTENSION_H

#include "base/base.h"
#include "machine/machine.h"

/* ---- terms ----------------------------------------------------------------------------------- */

struct sym_state; /* a saved struct sym */

struct region_info { /* an object of symbolic memory, for reports */
	uint64_t base;
	uint64_t size;  /* the greatest possible, in bytes */
	uint32_t name;  /* in machine.names; 0 = none */
	bool assumed;   /* the size is an assumption */
	bool freed;     /* it was freed on every run of this path */
};

struct symbolic_operation { /* an operation or builtin without side effects that terms do not have */
	const char *name;
	const struct ir_insn *in; /* eval_op(); or NULL */
	builtin_fn fn;            /* if in is NULL */
	uint32_t n, bits;         /* operands; width of the result */
};

struct symbolic_ops {
	/* Adds a condition of 1 bit to the path. False if it is the constant false: infeasible. */
	bool (*assume)(struct machine *m, term_t c);
	/* Decides a condition of 1 bit. */
	enum step (*decide)(struct machine *m, struct thread *t, term_t c, bool *truth);
	/* Decides the value of the operand, `bits` wide. After `limit` values on one path it takes
	 * one and marks the path as incomplete; `what` names the value in the reason. */
	enum step (*value)(struct machine *m, struct thread *t, struct opnd o, uint32_t bits,
		const char *what, uint32_t limit, struct val *v);
	/* The result of a division on the path, which does not fault: a term without a divider, if
	 * the path says enough about the divisor; else TERM_NONE. */
	term_t (*divide)(struct machine *m, enum ir_op op, term_t a, term_t b);
	/* A symbol for the result of the operation, whose operands are concretized only where it
	 * decides something; TERM_NONE: concretize them now. */
	term_t (*opaque)(struct machine *m, const struct symbolic_operation *op, const term_t *args);
	/* Marks the path as incomplete, with the reason. */
	void (*incomplete)(struct machine *m, struct thread *t, const char *why);
	bool (*is_incomplete)(const struct machine *m);
	/* The program exits with a status that is the term, or known (TERM_NONE). */
	void (*exits)(struct machine *m, term_t status);

	/* base + index * scale + offset, where base or index is a term. */
	struct opnd (*address)(struct machine *m, struct opnd base, struct opnd index, uint64_t scale,
		uint64_t offset);
	/* Accesses to symbolic addresses or symbolic bytes. They decide and report faults. */
	enum step (*load)(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
		struct opnd *out);
	enum step (*store)(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
		struct opnd value);
	/* Decides whether n bytes can be read; reports a fault if not. */
	enum step (*readable)(struct machine *m, struct thread *t, struct opnd addr, uint64_t n);
	/* memcpy, memmove, memset; `from` is the byte of a memset. */
	enum step (*bulk)(struct machine *m, struct thread *t, const struct ir_insn *in, struct opnd to,
		struct opnd from, struct opnd n);
	/* malloc, free and malloc_usable_size where the size or the pointer may be a term. */
	enum step (*alloc)(struct machine *m, struct thread *t, struct opnd size, uint64_t align,
		bool zero, struct opnd *ret);
	enum step (*free)(struct machine *m, struct thread *t, struct opnd p);
	enum step (*alloc_size)(struct machine *m, struct thread *t, struct opnd p, struct opnd *ret);
	/* Whether some objects have symbolic memory (lazy.h); the one at the address. */
	bool (*has_regions)(const struct machine *m);
	bool (*find_region)(const struct machine *m, uint64_t addr, struct region_info *out);

	/* Decides the callee of a function pointer of the initial state. *func is IR_NONE with
	 * STEP_NEXT: the term is no such pointer. */
	enum step (*callee)(struct machine *m, struct thread *t, term_t pointer, uint32_t *func);
	/* The result of a call of a model as a term, if *done; for machine.summarized only. */
	enum step (*summary)(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
		uint32_t nargs, struct opnd *ret, bool *done);
	/* Before a synchronization operation on an object that may be of the initial state.
	 * STEP_NEXT: the operation continues; STEP_JUMPED: it is complete; else stop. */
	enum step (*sync)(struct machine *m, struct thread *t, const char *operation,
		struct opnd object);

	/* The state (save.h). `old` is the previous save or NULL: the new one shares with it. */
	struct sym_state *(*save)(const struct machine *m, const struct sym_state *old);
	void (*restore)(struct machine *m, const struct sym_state *s);
	/* Path condition and symbolic memory are those of the saved state. */
	bool (*same)(const struct machine *m, const struct sym_state *s);
	/* Bytes that the save added, just after it was made. */
	uint64_t (*bytes)(const struct sym_state *s);
	void (*drop)(struct sym_state *s);
};

/* default limit of the values that a term is concretized to on one path */
enum { SYM_VALUES = 64 };

static inline bool path_assume(struct machine *m, term_t c)
{
	BUG_ON(term_width(m->ts, c) != 1);
	return m->symbolic_ops->assume(m, c);
}

static inline enum step path_decide(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	BUG_ON(term_width(m->ts, c) != 1);
	return m->symbolic_ops->decide(m, t, c, truth);
}

static inline enum step opnd_value(struct machine *m, struct thread *t, struct opnd o, uint32_t bits,
	const char *what, uint32_t limit, struct val *v)
{
	if (likely(!o.t.id)) {
		*v = o.v;
		return STEP_NEXT;
	}
	return m->symbolic_ops->value(m, t, o, bits, what, limit, v);
}

/* Restricts the operand to one value if it is a term. */
static inline enum step opnd_concretize(struct machine *m, struct thread *t, struct opnd *o,
	uint32_t bits)
{
	struct val v;

	if (likely(!o->t.id))
		return STEP_NEXT;
	if (m->symbolic_ops->value(m, t, *o, bits, "a value", SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	*o = (struct opnd){.v = v};
	return STEP_NEXT;
}

static inline bool has_regions(const struct machine *m)
{
	return m->sym && m->symbolic_ops->has_regions(m);
}

static inline bool find_region(const struct machine *m, uint64_t addr, struct region_info *out)
{
	return m->sym && m->symbolic_ops->find_region(m, addr, out);
}

/* ---- the world ------------------------------------------------------------------------------- */

struct world_ops {
	/* A system call; numbers and results are the kernel's. The host is only read. */
	enum step (*syscall)(struct machine *m, struct thread *t, const struct opnd *args,
		uint32_t nargs, struct opnd *ret);
	/* Whether the call takes arguments that are terms: no argument is concretized. */
	bool (*takes_terms)(struct machine *m, const struct opnd *args);
	/* heddle_input(): the bytes become the input of that name. */
	enum step (*input)(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
		const char *name);
	/* Whether reads of the descriptor may reach an end whose position is a term. */
	bool (*end_is_open)(const struct machine *m, int64_t fd);
	/* Whether only an observer outside sees what is written to the descriptor: it is the
	 * standard output or error of the start, and nothing that the program opened. */
	bool (*is_outside)(const struct machine *m, int64_t fd);
	/* The state (save.h): copies share contents. `same` may be false for equal worlds. */
	struct world *(*copy)(const struct world *w);
	bool (*same)(const struct world *a, const struct world *b);
	void (*free)(struct world *w);
};

/* ---- re-execution ---------------------------------------------------------------------------- */

struct follow_ops {
	/* Executes the instruction if the log has its value or its effect; then *done is true. */
	enum step (*insn)(struct machine *m, struct thread *t, const struct ir_insn *in, bool *done);
	enum step (*call)(struct machine *m, struct thread *t, const struct ir_insn *in);
	/* Before the top frame returns the value. */
	void (*leave)(struct machine *m, struct val v);
	/* After a frame was popped and its caller has the results. */
	enum step (*returned)(struct machine *m, struct thread *t);
	/* After a frame with frame.entered was popped: continues by the next record of the log. */
	enum step (*ended)(struct machine *m, struct thread *t);
	/* The careful mode enters a block of the top frame. */
	void (*block)(struct machine *m, struct thread *t, uint32_t block);
	/* Before a conditional branch or switch, if wants_branches(). */
	void (*branch)(struct machine *m, struct thread *t, uint32_t insn);

	/* For the translation to threaded code. Whether the fast mode may execute the access
	 * itself; *logged: its value is in the log; *coef: its coefficient in the hash, 0 = not
	 * hashed. */
	bool (*fast_access)(const struct machine *m, uint32_t func, const struct ir_insn *in,
		bool *logged, uint32_t *coef);
	/* Whether the fast mode may call the function itself. */
	bool (*fast_call)(const struct machine *m, uint32_t func);
	/* The constant that the block adds to the hash; 0 = none. */
	uint32_t (*block_hash)(const struct machine *m, uint32_t func, uint32_t block);
	bool (*wants_branches)(const struct machine *m);

	/* Addresses of functions in the recorded process; the function at one, or IR_NONE. */
	uint64_t (*func_addr)(const struct machine *m, uint32_t func);
	uint32_t (*func_at)(const struct machine *m, uint64_t addr);
};

#endif
