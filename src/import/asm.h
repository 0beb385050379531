/*
 * Translation of inline assembler. The template is split into statements. Each mnemonic of a small
 * table (asm_x86.c) emits instructions on the values of its operands; the final values of the
 * outputs are the results of the call. A template with any other statement becomes one `asm`
 * instruction, at which the machine stops.
 */
#ifndef HEDDLE_IMPORT_ASM_H
#define HEDDLE_IMPORT_ASM_H

#include "base/vec.h"
#include "import/import_internal.h"

enum { ASM_REGS = 16 }; /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 */

struct asm_operand {
	bool memory;        /* value is the address */
	bool direct;        /* an output that is a result of the call */
	int same_as;        /* number of the output it is tied to, or -1 */
	int reg;            /* fixed register, or -1 */
	char cond[4];       /* flag output: name of the condition; else empty */
	ir_type type;       /* of the register or of the memory; IR_VOID: several lanes */
	ir_ref value;       /* present value; IR_NONE: not written yet */
	struct lanes lanes; /* of an input; a vector can only be passed to a tied output */
	uint32_t first, n;  /* of an output: its leaves in the result of the call */
};

struct asm_flags {       /* the last statement that set the flags */
	int op;          /* IR_ADD, IR_SUB, … or -1: unknown */
	ir_ref old, src; /* its operands */
	ir_ref result;   /* IR_NONE: not computed yet */
	ir_ref zero;     /* the zero flag, if it is computed already; else IR_NONE */
	bool no_carry;   /* it did not set the carry flag */
};

struct asm_state {
	struct fn *fn;
	VEC(struct asm_operand) ops;
	ir_ref scratch[ASM_REGS]; /* values of registers that are no operands: i64 or IR_NONE */
	struct asm_flags flags;
	bool lock, rep; /* prefix of the next statement */
	bool memory_clobber; /* has the constraint ~{memory} */
};

/* asm_x86.c: translates one statement with its prefixes; false if it is not supported */
bool asm_statement(struct asm_state *st, const char *s, size_t n);
/* emits a condition ("e", "nz", …) of the flags as i1; IR_NONE if it is unknown */
ir_ref asm_condition(struct asm_state *st, const char *name);
/* makes all flags unknown but the zero flag; zero: its value, or IR_NONE if it is unknown, too */
void asm_lose_flags(struct asm_state *st, ir_ref zero);
/* the number of a register by any of its names, or -1 */
int asm_register(const char *s, size_t n);

#endif
