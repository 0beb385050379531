/*
 * Private header of the export. Lifetime: one call of export_bitcode() (phase).
 *
 *  - struct exporter: the module being made, with one LLVM value for each symbol
 *  - struct body: one function being written, with one LLVM value for each register
 */
#ifndef HEDDLE_EXPORT_EXPORT_INTERNAL_H
#define HEDDLE_EXPORT_EXPORT_INTERNAL_H

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>

struct proto { /* a signature (ir/abi.h), parsed */
	LLVMTypeRef type;
	LLVMValueRef decl;     /* carries the attributes of parameters, result and function */
	LLVMValueRef variable; /* carries those of the variable arguments of a call; or NULL */
};

struct exporter {
	const struct ir_program *p;
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMTypeRef types[IR_NTYPES];
	LLVMValueRef *funcs, *globals; /* by id */
	LLVMBasicBlockRef **blocks;    /* by function; NULL: it has no body here */
	struct arena arena;
	struct map protos;          /* hash of a text -> struct proto * */
	VEC(LLVMModuleRef) scratch; /* that the declarations of the protos are in */
	uint32_t errors;
	struct debug *debug;
};

struct body {
	struct exporter *x;
	const struct ir_func *f;
	uint32_t id;
	LLVMValueRef v;
	LLVMValueRef *regs;
	LLVMBasicBlockRef *blocks;
	struct cfg cfg;
	uint32_t insn;  /* being written */
	bool lifetimes; /* every life.start and life.end is of an alloca: they are kept */
};

/* ---- export.c ---------------------------------------------------------------------------- */

/* Reports why something of the function cannot be exported; insn may be IR_NONE. Returns -1. */
int fail_func(struct exporter *x, uint32_t func, uint32_t insn, const char *fmt, ...) PRINTF(4, 5);
/* The same for the instruction being written; the result stands for its value. */
LLVMValueRef fail_insn(struct body *o, ir_type t, const char *fmt, ...) PRINTF(3, 4);

/* ---- proto.c ----------------------------------------------------------------------------- */

/* The signature and attributes of a function or call; NULL and *why (free it) if LLVM refuses the
 * text. */
const struct proto *proto_get(struct exporter *x, const char *text, const char *attrs, char **why);
/* The value of an LLVM type from operands, which are taken one after the other from `next`; NULL
 * if they do not fit. */
struct operands {
	const uint32_t *at;
	uint32_t n, step; /* step: words for one operand */
};
LLVMValueRef proto_gather(struct body *o, LLVMTypeRef t, struct operands *from);
/* Sets registers from *reg on to the scalars of the value; false if their types do not fit. */
bool proto_scatter(struct body *o, LLVMValueRef v, LLVMTypeRef t, uint32_t *reg, uint32_t end);

/* ---- symbols.c --------------------------------------------------------------------------- */

void export_declare(struct exporter *x);
void export_globals(struct exporter *x);
void export_tables(struct exporter *x);
/* The address of a symbol, as a constant. */
LLVMValueRef export_address(struct exporter *x, uint8_t kind, uint32_t id, int64_t addend);
/* Whether the function's body is written. */
bool export_has_body(const struct ir_func *f);

/* ---- body.c, insn.c, call.c -------------------------------------------------------------- */

void export_func(struct exporter *x, uint32_t id);
/* A constant of kind IR_C_BITS. */
LLVMValueRef body_bits(struct body *o, const struct ir_const *c);
LLVMValueRef body_use(struct body *o, ir_ref r);
void body_def(struct body *o, uint32_t reg, LLVMValueRef v);
/* Writes one instruction that is no terminator. */
void export_insn(struct body *o, const struct ir_insn *in);
void export_call(struct body *o, const struct ir_insn *in);
void export_asm(struct body *o, const struct ir_insn *in);

/* ---- debug.c ----------------------------------------------------------------------------- */

void debug_begin(struct exporter *x, const char *name);
void debug_end(struct exporter *x);
void debug_func(struct body *o);
/* Sets the builder's location to that of the instruction. */
void debug_insn(struct body *o, const struct ir_insn *in);

#endif
