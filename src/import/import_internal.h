/*
 * Private header of the importer. Lifetime: one call of import_bitcode() or import_watched()
 * (phase).
 *
 *  - struct importer: the module being read, its symbols, types and debug information
 *  - struct fn: one function being translated. Blocks are visited in reverse postorder, so that
 *    every operand but a phi's is translated before its use; a phi's registers exist before the
 *    first block, and its copies are made with the predecessor's terminator
 *  - struct lanes: an LLVM value is a list of scalars, one for each leaf of its type
 *
 * A handler that cannot translate an instruction returns unsupported(fn, "reason"); fn_insn() then
 * removes the instructions that the handler emitted and emits an `unsupported` instead.
 */
#ifndef HEDDLE_IMPORT_IMPORT_INTERNAL_H
#define HEDDLE_IMPORT_IMPORT_INTERNAL_H

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "import/llvm_compat.h"
#include "import/watch.h"

#include <llvm-c/Target.h>

/* ---- types (type.c) ---------------------------------------------------------------------- */

struct leaf {
	ir_type type;
	uint64_t offset; /* bytes */
};

struct layout {      /* how an LLVM type splits into scalars */
	bool ok;     /* false: the IR has no type for some part */
	bool packed; /* lanes do not start at bytes: they are loaded and stored as one integer */
	uint32_t n;
	struct leaf *leaf;
};

/* ---- symbols (symbol.c) ------------------------------------------------------------------ */

struct sym {
	uint8_t kind; /* IR_C_GLOBAL or IR_C_FUNC */
	bool here;    /* its definition comes from this module */
	uint32_t id;
	int64_t addend; /* bytes, of an alias of a part of a global */
};

struct todo { /* a definition to be translated */
	LLVMValueRef v;
	uint32_t id;
};

struct redirect { /* a symbol that an alias replaces by another one */
	uint8_t kind;
	uint32_t from, to;
	int64_t addend;
};

/* ---- blocks (blocks.c) ---------------------------------------------------------------------- */

struct blocks {
	VEC(LLVMBasicBlockRef) order; /* reachable blocks in reverse postorder: the IR's numbers */
	struct map index;             /* LLVMBasicBlockRef -> number */
};

struct attrs { /* attribute kinds by name */
	unsigned byval, noreturn, returns_twice;
};

struct importer {
	struct ir_program *p;
	const char *name;
	unsigned flags;
	const struct import_watch *watch; /* or NULL */
	bool failed; /* an error was reported by error_() */
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMTargetDataRef td;
	struct arena arena;
	struct attrs attrs;
	struct map layouts;    /* LLVMTypeRef -> struct layout * */
	struct map syms;       /* LLVMValueRef -> struct sym * */
	struct map wide;       /* LLVMValueRef -> uint64_t[2] of an integer over 64 bits */
	struct map intrinsics; /* intrinsic id -> struct intrinsic const * */
	struct map blocks;     /* function -> struct blocks *, for block addresses */
	struct intern optional; /* IMPORT_NEEDED: the definitions of the whole module (needed.c) */
	VEC(struct todo) funcs, globals;
	VEC(struct redirect) redirects;
	/* debug.c, dtype.c: metadata -> id in the program */
	struct map positions, files, scopes, dtypes;
	struct map comp_dirs; /* string ids of the directories that the units were compiled in */
	struct map vars; /* -> struct variable * */
	LLVMMetadataRef empty_expr; /* the empty DIExpression */
};

/* ---- one function ------------------------------------------------------------------------ */

struct lanes { /* a range of fn.pool */
	uint32_t start, n;
};

struct fn {
	struct importer *im;
	LLVMValueRef v;
	uint32_t id;
	struct ir_func f;    /* a copy, because the program's vector may be reallocated */
	struct map vals;     /* LLVMValueRef -> struct lanes */
	struct map consts;   /* hash -> index + 1 in f.consts */
	struct map locals;   /* register of an alloca -> local */
	struct map incoming; /* phi and predecessor -> number of the incoming value */
	VEC(ir_ref) pool;    /* lanes of all values */
	struct blocks blocks;
	uint32_t pos;    /* of the instruction being translated */
	uint32_t reason; /* not 0: why it cannot be translated (string id) */
	bool fma;        /* the target has fused multiply-add */
};

/* string id; NUL bytes in the string become '?' */
uint32_t str_id(struct importer *im, const char *s, size_t n);

/* type.c */
const struct layout *layout_of(struct importer *im, LLVMTypeRef t);
static inline const struct layout *layout_of_value(struct importer *im, LLVMValueRef v)
{
	return layout_of(im, LLVMTypeOf(v));
}
static inline bool type_is_vector(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}
uint64_t type_size(struct importer *im, LLVMTypeRef t);

/* symbol.c: the symbol of a global value, or NULL if it has none; the first call queues its
 * definition */
const struct sym *sym_of(struct importer *im, LLVMValueRef v);
/* an extern function of the runtime library, by name */
uint32_t sym_library(struct importer *im, const char *name, ir_type ret, const ir_type *params,
	uint32_t nparams);
/* queue all definitions of the module, or those that the program needs */
void sym_define_all(struct importer *im);
void sym_define_needed(struct importer *im);
/* Calls fn for the symbols that the program refers to and does not define. */
void sym_each_needed(struct importer *im, void (*fn)(void *ctx, const char *name), void *ctx);
/* The function, global or alias of that name, or NULL. */
LLVMValueRef sym_named(LLVMModuleRef m, const char *name);

/* needed.c: sets im->mod to a module of the definitions that the program needs; NULL after an error, which LLVM
 * reported. Frees the buffer. */
void needed_read(struct importer *im, LLVMMemoryBufferRef buf);
/* replaces the redirected symbols in the whole program and removes them */
void sym_apply_redirects(struct importer *im);

/* const.c: a scalar constant as one ir_const (also symbol addresses of integer type); false if
 * that is not possible */
bool const_eval(struct importer *im, LLVMValueRef v, struct ir_const *c);
/* little-endian bytes of a ConstantInt or ConstantFP, zero-extended to n bytes */
void const_bytes(struct importer *im, LLVMValueRef v, uint8_t *out, size_t n);

/* init.c */
void global_import(struct importer *im, LLVMValueRef v, uint32_t id);

/* abi.c: what the native program has and the engines do not need (ir_note, ir/abi.h) */
void abi_func(struct importer *im, LLVMValueRef v, struct ir_func *f);
void abi_global(struct importer *im, LLVMValueRef v, struct ir_global *g);
/* marks the symbols of llvm.used and llvm.compiler.used; keeps the module's assembler */
void abi_module(struct importer *im);
/* the signature of the last instruction, which is the call or asm */
void abi_call(struct fn *fn, LLVMValueRef call);
void abi_asm(struct fn *fn, LLVMValueRef call);
/* says why the last instruction does not do what the native one does */
void abi_inexact(struct fn *fn, const char *why);

/* blocks.c */
void blocks_build(struct blocks *b, LLVMValueRef func);
void blocks_release(struct blocks *b);
/* the number of a block whose address is taken; false if it is unreachable */
bool blocks_number(struct importer *im, LLVMValueRef func, LLVMBasicBlockRef bb, uint32_t *n);
/* the successors of a terminator in the IR (without the unwind edge of an invoke) */
unsigned term_nsuccs(LLVMValueRef term);

/* func.c */
void func_import(struct importer *im, LLVMValueRef v, uint32_t id);
struct mark { /* sizes of the vectors of a function, for fn_rollback() */
	uint32_t regs, insns, locals, extra;
};
struct mark fn_mark(const struct fn *fn);
void fn_rollback(struct fn *fn, struct mark m);

/* value.c: fn_use() gives the lanes of an operand, fn_use1() its only lane; fn_def() sets the
 * lanes of a result */
struct lanes fn_use(struct fn *fn, LLVMValueRef v);
ir_ref fn_use1(struct fn *fn, LLVMValueRef v);
void fn_def(struct fn *fn, LLVMValueRef v, struct lanes l);
struct lanes lanes_new(struct fn *fn, uint32_t n);
struct lanes lanes1(struct fn *fn, ir_ref r);
struct lanes lanes_undef(struct fn *fn, const struct layout *l);
static inline ir_ref lane(const struct fn *fn, struct lanes l, uint32_t i)
{
	return fn->pool.at[l.start + i];
}
static inline void lane_set(struct fn *fn, struct lanes l, uint32_t i, ir_ref r)
{
	fn->pool.at[l.start + i] = r;
}
static inline struct lanes lanes_none(void)
{
	return (struct lanes){0, 0};
}
static inline struct lanes lanes_sub(struct lanes l, uint32_t first, uint32_t n)
{
	return (struct lanes){l.start + first, n};
}
static inline ir_type ref_type(const struct fn *fn, ir_ref r)
{
	return ir_ref_type(&fn->f, r);
}
/* sets fn->reason, if it is not set, and returns no lanes */
struct lanes unsupported(struct fn *fn, const char *fmt, ...) PRINTF(2, 3);

/* emit.c: each emits one instruction; the result is its register, or a constant if it folds */
ir_ref k_const(struct fn *fn, struct ir_const c);
ir_ref k_bits(struct fn *fn, ir_type t, uint64_t lo, uint64_t hi);
static inline ir_ref k_int(struct fn *fn, ir_type t, uint64_t v)
{
	return k_bits(fn, t, v, 0);
}
ir_ref k_undef(struct fn *fn, ir_type t);
/* the low 64 bits of a constant operand; false if it is no constant that fits in them */
bool k_value(const struct fn *fn, ir_ref r, uint64_t *lo);
uint32_t reg_new(struct fn *fn, ir_type t);
/* the instruction is valid until the next one is emitted */
struct ir_insn *emit(struct fn *fn, enum ir_op op, ir_type type);
struct ir_insn *emit_def(struct fn *fn, enum ir_op op, ir_type type);
ir_ref emit_bin(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b);
ir_ref emit_cmp(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b);
ir_ref emit_un(struct fn *fn, enum ir_op op, ir_ref a);
ir_ref emit_conv(struct fn *fn, enum ir_op op, ir_type to, ir_ref a);
ir_ref emit_select(struct fn *fn, ir_ref c, ir_ref a, ir_ref b);
ir_ref emit_tern(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b, ir_ref c);
/* zero-extends, sign-extends or truncates to the integer type */
ir_ref emit_resize(struct fn *fn, ir_type to, ir_ref a, bool is_signed);
/* address + bytes */
ir_ref emit_offset(struct fn *fn, ir_ref base, int64_t bytes, uint16_t flags);
ir_ref emit_padd(
	struct fn *fn, ir_ref base, ir_ref index, uint64_t scale, int64_t bytes, uint16_t flags);
ir_ref emit_load(struct fn *fn, ir_type t, ir_ref addr, uint16_t flags, uint32_t align);
void emit_store(struct fn *fn, ir_ref addr, ir_ref v, uint16_t flags, uint32_t align);
/* the same bits as an integer of the same width, and back */
ir_ref emit_to_int(struct fn *fn, ir_ref a);
ir_ref emit_from_int(struct fn *fn, ir_type to, ir_ref a);
void emit_unsupported(struct fn *fn, uint32_t reason);
/* The call as one `asm` instruction with the operands and results of the call: the text is its
 * template, or the name of its intrinsic (facts/opaque.h). */
struct lanes emit_opaque(
	struct fn *fn, LLVMValueRef call, const char *text, size_t len, uint16_t flags);
/* a call; args are pairs (reference, byval size); the registers of the results are consecutive */
struct lanes emit_call(struct fn *fn, ir_ref callee, const uint32_t *args, uint32_t nargs,
	const struct layout *ret, uint16_t flags);

/* insn_arith.c, insn_mem.c, insn_vec.c, call.c: one LLVM instruction or constant expression */
struct lanes insn_binary(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes insn_compare(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes insn_cast(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes insn_select(struct fn *fn, LLVMValueRef v);
struct lanes insn_unary(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
/* false, with a reason, for half and quad precision: the IR copies them but has no arithmetic on
 * them */
bool fn_computable(struct fn *fn, ir_ref r);
ir_ref fcmp_lane(struct fn *fn, LLVMRealPredicate p, ir_ref a, ir_ref b);

struct lanes insn_alloca(struct fn *fn, LLVMValueRef v);
struct lanes insn_gep(struct fn *fn, LLVMValueRef v);
struct lanes insn_load(struct fn *fn, LLVMValueRef v);
struct lanes insn_store(struct fn *fn, LLVMValueRef v);
struct lanes insn_rmw(struct fn *fn, LLVMValueRef v);
struct lanes insn_cmpxchg(struct fn *fn, LLVMValueRef v);
struct lanes insn_fence(struct fn *fn, LLVMValueRef v);

struct lanes insn_aggregate(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes insn_vector(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes vec_bitcast(struct fn *fn, struct lanes from, const struct layout *to);

struct lanes insn_call(struct fn *fn, LLVMValueRef v);

/* wide.c: integers over 128 bits, in limbs of 64 bits */
enum { MAX_WIDE_BITS = 8192 };
bool type_is_wide(LLVMTypeRef t);
struct lanes wide_constant(struct fn *fn, LLVMValueRef v);
struct lanes wide_cast(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes wide_binary(struct fn *fn, LLVMValueRef v, LLVMOpcode op);
struct lanes wide_compare(struct fn *fn, LLVMIntPredicate p, struct lanes a, struct lanes b);

/* intrinsic.c */
void intrinsics_init(struct importer *im);
struct lanes intrinsic_call(struct fn *fn, LLVMValueRef call, LLVMValueRef callee);

/* asm.c */
struct lanes asm_call(struct fn *fn, LLVMValueRef call, LLVMValueRef callee);

/* debug.c */
void debug_init(struct importer *im);
uint32_t debug_pos(struct importer *im, LLVMMetadataRef loc);
uint32_t debug_func_pos(struct importer *im, LLVMValueRef func);
void debug_global(struct importer *im, LLVMValueRef v, struct ir_global *g);
/* set names of registers and locals from records attached to the instruction or llvm.dbg.* calls */
void debug_records(struct fn *fn, LLVMValueRef insn);
void debug_call(struct fn *fn, LLVMValueRef call, bool declare);
/* a parameter that is stored to its variable gets the variable's name */
void debug_name_params(struct fn *fn);

/* dtype.c */
uint32_t dtype_of(struct importer *im, LLVMMetadataRef type);
/* the k-th operand of a metadata node, or NULL */
LLVMMetadataRef md_operand(struct importer *im, LLVMMetadataRef md, unsigned k);
uint32_t md_string(struct importer *im, LLVMMetadataRef md);

#endif
