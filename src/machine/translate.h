/* Translation of the IR to threaded code (code.h). translate() makes the code of one function in
 * the machine's arena. */
#ifndef HEDDLE_MACHINE_TRANSLATE_H
#define HEDDLE_MACHINE_TRANSLATE_H

#include "base/vec.h"
#include "machine/code.h"

struct code *translate(struct machine *m, uint32_t func);

/* ---- shared by translate.c and select.c ------------------------------------------------------ */

struct tr_jump {
	uint32_t at, block; /* index of the jump, target block */
	bool in_imm; /* the distance goes into the low half of imm, else into c */
};

struct tr { /* one translation; phase lifetime */
	struct machine *m;
	const struct ir_func *fn;
	struct code *code;
	VEC(struct cinsn) out;
	VEC(struct tr_jump) fixups; /* jumps to patch */
	VEC(struct code_mark) marks;
	uint32_t *const_slot;    /* by constant of the function: slot + 1; 0 = none yet */
	VEC(uint64_t) const_vals;
	VEC(struct code_tls) tls;
	uint32_t *uses;          /* by register: number of reads */
	uint32_t temp;           /* slot for a cycle in the copies of an edge */
	uint32_t counted;        /* instructions of the block that no emitted cinsn counts yet */
};

struct cinsn *tr_emit(struct tr *t, enum cop op, uint32_t ir);
/* The slot of a register or constant; a constant gets its slot on first use. */
uint32_t tr_slot(struct tr *t, ir_ref r);
/* True, with the value, for a constant that is the same for every thread and fits 64 bits. */
bool tr_imm(struct tr *t, ir_ref r, uint64_t *v);
/* Emits the code of IR instruction i (not a terminator). Returns the number of IR instructions it
 * covers: 1, or 2 for a fused pair. */
uint32_t select_insn(struct tr *t, uint32_t i);
/* Emits a fused compare and branch; false if i and i+1 are not such a pair. */
bool select_cmp_branch(struct tr *t, uint32_t i);

#endif
