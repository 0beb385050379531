/*
 * Inline assembler that is understood: the template is split into statements, each a mnemonic of
 * a small table (asm_x86.c) executed on the operands' values; what it writes are the results. A
 * template with any other statement stays as one `asm` instruction, where the machine stops.
 */
#ifndef HEDDLE_IMPORT_ASM_H
#define HEDDLE_IMPORT_ASM_H

#include "base/vec.h"
#include "import/importer.h"

enum { ASM_REGS = 16 }; /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 */

struct asm_operand {
	bool memory;        /* value is the address */
	bool direct;        /* an output that is a result of the call */
	int same_as;        /* the operand it is tied to, or -1 */
	int reg;            /* fixed register, or -1 */
	char cond[4];       /* flag output: the condition */
	ir_type type;       /* of the register or of the memory; IR_VOID: several lanes */
	ir_ref value;       /* IR_NONE: not written yet */
	struct lanes lanes; /* of a vector: it can only be passed through */
	uint32_t first, n;  /* of an output: its leaves among the results */
};

struct asm_flags {       /* the last instruction that set the flags */
	int op;          /* IR_ADD, IR_SUB, … or -1: unknown */
	ir_ref old, src; /* its operands */
	ir_ref result;   /* IR_NONE: not computed yet */
	ir_ref zero;     /* the zero flag itself, where the instruction gives it */
	bool no_carry;   /* it left the carry flag alone */
};

struct asm_state {
	struct fn *fn;
	VEC(struct asm_operand) ops;
	ir_ref scratch[ASM_REGS]; /* clobbered registers that the template uses: i64 or IR_NONE */
	struct asm_flags flags;
	bool lock, rep; /* prefix of the next statement */
	bool memory_clobber;
};

/* asm_x86.c: one statement (prefixes included); false if it is not understood */
bool asm_statement(struct asm_state *st, const char *s, size_t n);
/* a condition ("e", "nz", …) of the flags as i1, or IR_NONE */
ir_ref asm_condition(struct asm_state *st, const char *name);
/* nothing is known of the flags but the zero flag, which may be IR_NONE too */
void asm_lose_flags(struct asm_state *st, ir_ref zero);
/* the number of a register by any of its names, or -1 */
int asm_register(const char *s, size_t n);

#endif
