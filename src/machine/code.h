/*
 * Threaded code: one function of the IR translated once for the fast mode (interp.c).
 *
 *  - slots 0..: registers (one or two each), then the constants that code needs in slots
 *  - cops.def lists the operations; those that the fast mode has no handler for become GENERIC,
 *    which runs step_insn() on the instruction
 *  - a fused operation (compare and branch, address and access) still writes every register that
 *    its parts define, so that a frame can shift to the careful mode at any instruction
 *  - every cinsn knows the IR instruction it stands for
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

struct code_call { /* a call that needs no conversion: cinsn.imm is its address */
	uint32_t func;
	uint32_t nargs;          /* slots */
	uint64_t addr;           /* of the callee, when it is called through a pointer */
	const struct code *code; /* of the callee, filled on first use */
	uint32_t args[];         /* slots of the caller */
};

struct code_switch { /* cases sorted by value, or a dense table */
	uint64_t low, n;     /* dense: value - low < n indexes target[] */
	bool dense;
	uint64_t *value;     /* sorted, when not dense */
	uint32_t *target;
	uint32_t otherwise;
};

struct guard;

struct code_tls {
	uint32_t slot;
	uint64_t offset;
};

/* A mark of coverage: the operation at `at` stands here and C_COVER in its place until it is first
 * executed, so that code that has been covered costs nothing. */
struct code_mark {
	uint32_t at;
	uint16_t op;
	bool in_imm;   /* of the jump */
	uint32_t mark; /* index in exec_cover.marks[func] */
	uint32_t from; /* the jump that came here only for the mark, and can be sent on; or IR_NONE */
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
	struct live live;     /* made when a frame of the function is first careful */
	const struct guard *guard;  /* this is a copy for frames with unknown registers (guard.h) */
	const struct guard *guards; /* the function's own code: its copies */
};

/* The code of a function with a body, made on first use. */
const struct code *code_get(struct machine *m, uint32_t func);
/* Whether instruction insn of func may call the callee with its operands as they are, and takes at
 * most one result of a slot. */
bool code_call_fits(const struct machine *m, const struct ir_func *fn, const struct ir_insn *in,
	uint32_t callee);
/* Binds an indirect call to the function at the address; false if it does not fit. */
bool code_call_bind(struct machine *m, uint32_t func, uint32_t insn, struct code_call *call,
	uint64_t addr);
/* Executes C_COVER at index `at`: sets its marks, puts the operation back. */
void code_cover(struct machine *m, const struct code *c, uint32_t at);
/* Registers live at the start of the block: the careful mode forgets the others' shadows. */
const struct bitset *code_live(const struct machine *m, const struct code *c, uint32_t block);
/* The value of a constant that is the same for every thread; TLS gives its offset. */
struct val code_const(const struct machine *m, const struct ir_const *c);
static inline bool code_const_is_tls(const struct machine *m, const struct ir_const *c)
{
	return c->kind == IR_C_GLOBAL && (m->p->globals.at[c->id].flags & IR_G_TLS);
}

#endif
