/*
 * Threaded code: one function of the IR translated once for the fast mode (interp.c).
 *
 *  - slots from 0 on: registers (one or two each), a temporary, then constants
 *  - cops.def lists the operations; an instruction without a handler in the fast mode becomes
 *    GENERIC, which calls step_insn()
 *  - a fused operation (compare and branch, address and access) still writes every register that
 *    its parts define, so that a frame can switch to the careful mode at any instruction
 *  - every cinsn has the index of its IR instruction
 *
 * Lifetime: the machine's arena.
 */
#ifndef HEDDLE_MACHINE_CODE_H
#define HEDDLE_MACHINE_CODE_H

#include "base/bitset.h"
#include "machine/machine.h"
#include "ir/live.h"

enum cop {
#define COP(id) C_##id,
#include "machine/cops.def"
#undef COP
	C_NOPS
};

struct cinsn {
	uint16_t op;
	uint16_t aux;
	uint32_t dst, a, b, c; /* slots, or indices of cinsns for jumps */
	uint32_t ir;           /* instruction of ir_func.insns */
	int64_t imm;
};
_Static_assert(sizeof(struct cinsn) == 32, "two to a cache line");

struct code_call { /* a call without conversion of arguments; cinsn.imm is its address */
	uint32_t func;
	uint32_t nargs;          /* number of slots */
	uint64_t addr;           /* of the callee, if it is called through a pointer */
	const struct code *code; /* of the callee, filled on first use */
	uint32_t args[];         /* slots of the caller */
};

struct code_switch { /* cases sorted by value, or a dense table */
	uint64_t low, n;     /* dense: value - low < n indexes target[] */
	bool dense;
	uint64_t *value;     /* sorted, if not dense */
	uint32_t *target;    /* distances of the jumps */
	uint32_t otherwise;  /* distance of the default case */
};

struct guard;

struct code_tls {
	uint32_t slot;
	uint64_t offset;
};

/* A mark of coverage. C_COVER replaces the operation at `at` until it is first executed, and `op`
 * keeps the operation; so covered code has no cost. */
struct code_mark {
	uint32_t at;
	uint16_t op;
	bool in_imm;   /* the distance of the jump `from` is in its imm, else in its c */
	uint32_t mark; /* index in exec_cover.marks[func] */
	uint32_t from; /* a jump that leads here only for the mark and is redirected; or IR_NONE */
};

struct code {
	uint32_t func;
	bool model;
	uint32_t nslots;
	uint32_t *slot;       /* by register */
	uint32_t const_first, nconst;
	uint64_t *const_vals; /* copied into each new frame */
	uint32_t ntls;
	struct code_tls *tls; /* constants that differ by thread */
	struct cinsn *ins;
	uint32_t nins;
	struct code_mark *marks; /* by rising `at` */
	uint32_t nmarks;
	uint32_t *block_ip;   /* by block: index of its first cinsn */
	struct live live;     /* made on first use (code_live) */
	const struct guard *guard;  /* not NULL: this is a copy (guard.h) */
	const struct guard *guards; /* the function's own code: list of its copies */
};

/* The code of a function with a body, made on first use. */
const struct code *code_get(struct machine *m, uint32_t func);
/* Whether the call `in` of fn can pass its operands to the callee without conversion and has at
 * most one result, of one slot. */
bool code_call_fits(const struct machine *m, const struct ir_func *fn, const struct ir_insn *in,
	uint32_t callee);
/* Binds an indirect call to the function at the address; false if it does not fit. */
bool code_call_bind(struct machine *m, uint32_t func, uint32_t insn, struct code_call *call,
	uint64_t addr);
/* Executes C_COVER at index `at`: sets its marks and restores the operation. */
void code_cover(struct machine *m, const struct code *c, uint32_t at);
/* Registers that are live at the start of the block. Shadows of the others are cleared. */
const struct bitset *code_live(const struct machine *m, const struct code *c, uint32_t block);
/* The value of a constant; for a thread-local variable its offset in the thread's block. */
struct val code_const(const struct machine *m, const struct ir_const *c);
static inline bool code_const_is_tls(const struct machine *m, const struct ir_const *c)
{
	return c->kind == IR_C_GLOBAL && (m->p->globals.at[c->id].flags & IR_G_TLS);
}

#endif
