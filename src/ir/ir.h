/*
 * The program under test as one compact IR. It is decoded once from LLVM bitcode (src/import) or
 * read from its textual form (text.h); after that it does not change.
 *
 *  - cross references are 32-bit ids into the tables of struct ir_program or struct ir_func
 *  - registers are in SSA form: each is defined by one instruction, one parameter, or the copies on
 *    the edges into one block
 *  - a phi is a parallel copy on each incoming edge: ir_edge.copies
 *  - aggregates and vectors are split into scalars; a GEP is one or more `padd`
 *  - a call, cas or *o operation with several results defines dst, dst+1, …
 *
 * Lifetime: program (an arena and vectors owned by struct ir_program, freed by ir_program_free).
 * docs/ir.md documents each operation; ops.def is the table of operations.
 */
#ifndef HEDDLE_IR_IR_H
#define HEDDLE_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"

/* ---- types ------------------------------------------------------------------------------- */

/* 0 is void, 1 to 128 are the integers i1 to i128, the other types follow */
typedef uint8_t ir_type;
enum {
	IR_VOID = 0,
	IR_PTR = 129, /* 64 bits */
	IR_F32,
	IR_F64,
	IR_F80,  /* x87 long double: 80 value bits, 10 bytes stored */
	IR_F16,  /* loaded, stored and copied only: no operation computes with it */
	IR_F128, /* the same */
	IR_NTYPES,
};

/* value width in bits */
uint32_t ir_type_bits(ir_type t);
/* bytes that a load or store of the type accesses: its bits, rounded up to bytes */
static inline uint32_t ir_type_bytes(ir_type t)
{
	return (ir_type_bits(t) + 7) / 8;
}
static inline bool ir_type_is_float(ir_type t)
{
	return t >= IR_F32;
}
/* "i32", "ptr", "f64", … in a static table */
const char *ir_type_name(ir_type t);
/* the type of the given name, or -1 */
int ir_type_parse(const char *s, size_t n);

/* ---- operations -------------------------------------------------------------------------- */

enum ir_shape {
	IR_S_BIN, IR_S_CMP, IR_S_UN, IR_S_TERN, IR_S_CONV, IR_S_SELECT, IR_S_OVF, IR_S_ALLOCA,
	IR_S_PADD, IR_S_LOAD, IR_S_STORE, IR_S_RMW, IR_S_CAS, IR_S_FENCE, IR_S_BULK, IR_S_VA,
	IR_S_PTR0, IR_S_PTR1, IR_S_LIFE, IR_S_CALL, IR_S_ASM, IR_S_STOP, IR_S_BR, IR_S_CBR,
	IR_S_SWITCH, IR_S_IBR, IR_S_RET, IR_S_NONE,
};

enum ir_op {
#define OP(id, text, shape) IR_##id,
#include "ir/ops.def"
#undef OP
	IR_NOPS
};
_Static_assert(IR_NOPS < 256, "an operation fits in a byte");

struct ir_op_info {
	const char *name;
	enum ir_shape shape;
};
extern const struct ir_op_info ir_ops[IR_NOPS];

static inline bool ir_op_is_terminator(enum ir_op op)
{
	return op >= IR_BR;
}

/* memory order, in the low three bits of ir_insn.flags: 0 is not atomic; the others are LLVM's,
 * which are C11's and `unordered` */
enum ir_order {
	IR_O_NONE, IR_O_UNORDERED, IR_O_RELAXED, IR_O_ACQUIRE, IR_O_RELEASE, IR_O_ACQREL, IR_O_SEQCST,
};
enum {
	IR_F_ORDER = 7,          /* mask: enum ir_order */
	IR_F_FAIL_SHIFT = 3,     /* cas: failure order in bits 3..5 */
	IR_F_VOLATILE = 1 << 6,
	IR_F_WEAK = 1 << 7,      /* cas may fail spuriously */
	IR_F_COMPILER = 1 << 8,  /* fence of the compiler only (signal fence, empty asm) */
	IR_F_NORETURN = 1 << 9,  /* call does not return */
	IR_F_TAIL = 1 << 10,     /* musttail */
	IR_F_TWICE = 1 << 11,    /* call may return more than once (setjmp) */
	IR_F_SIDE = 1 << 12,     /* asm with side effects */
	IR_F_NSW = 1 << 13,      /* add, sub, mul, shl: signed overflow is undefined */
	IR_F_NUW = 1 << 14,
	IR_F_INBOUNDS = 1 << 15, /* padd stays inside its object */
};
static inline enum ir_order ir_order(uint16_t flags)
{
	return flags & IR_F_ORDER;
}

/* ---- operands ---------------------------------------------------------------------------- */

/* register id, or IR_CONST_BIT | index into ir_func.consts, or IR_NONE */
typedef uint32_t ir_ref;
#define IR_NONE      UINT32_MAX
#define IR_CONST_BIT 0x80000000u
static inline bool ir_is_reg(ir_ref r)
{
	return !(r & IR_CONST_BIT);
}
static inline bool ir_is_const(ir_ref r)
{
	return r != IR_NONE && (r & IR_CONST_BIT);
}

enum ir_const_kind {
	IR_C_BITS,   /* integer, pointer or float: its bits in lo and hi, zero past its width */
	IR_C_UNDEF,  /* undef or poison */
	IR_C_GLOBAL, /* address of globals[id] + (int64_t)lo; of the executing thread's copy if it
			is TLS */
	IR_C_FUNC,   /* address of funcs[id] */
	IR_C_BLOCK,  /* address of block lo of funcs[id] */
};
struct ir_const {
	uint8_t kind;
	ir_type type;
	uint32_t id;
	uint64_t lo, hi;
};

/* ---- functions --------------------------------------------------------------------------- */

struct ir_insn {
	uint8_t op;    /* enum ir_op */
	ir_type type;  /* of the (first) result, IR_VOID if none */
	ir_type type2; /* of the operands or of the stored value, if the shape has it (ops.def) */
	uint16_t flags; /* IR_F_* */
	uint32_t dst;  /* register, IR_NONE if no result */
	uint32_t arg[3]; /* references, edges or a range of extra[]: see the shape (ops.def) */
	uint32_t pos;  /* into ir_program.positions; 0 = unknown */
	int64_t imm;   /* alignment, size, local, number of results: see the shape */
};

struct ir_reg {
	ir_type type;
	uint32_t name;  /* string id of the source variable that it holds, 0 = a temporary */
	uint32_t dtype; /* source type of that variable; 0 = unknown */
};

struct ir_local { /* an alloca */
	uint32_t name;  /* source variable, 0 = a temporary */
	uint32_t dtype;
	uint64_t size;  /* bytes of one element */
	uint32_t align;
	uint32_t pos;   /* declaration */
};

struct ir_edge {
	uint32_t to;     /* block */
	uint32_t copies; /* extra[copies + 2*i], [.. + 1]: destination register, source reference */
	uint32_t ncopies;
};

struct ir_block {
	uint32_t first, n; /* instructions [first, first + n); the last is the terminator */
};

struct ir_param {
	ir_type type;   /* of register i */
	uint64_t byval; /* bytes that are passed by value behind the pointer, 0 = the pointer itself
			   is passed */
};

/*
 * What an instruction is in the native program beyond its operation. The engines do not need it;
 * the export does (src/export). Texts are string ids, 0 = none.
 */
struct ir_note {
	uint32_t insn;
	uint32_t abi;         /* signature of a call or asm, if it is not the plain one (abi.h) */
	uint32_t constraints; /* of an asm: dialect, `alignstack` if it needs that, constraints */
	uint32_t inexact;     /* why the instruction does not do what the native one does */
};

enum {
	IR_FN_EXTERN = 1 << 0,   /* no body here */
	IR_FN_VARARG = 1 << 1,
	IR_FN_LOCAL = 1 << 2,    /* internal linkage */
	IR_FN_WEAK = 1 << 3,
	IR_FN_NORETURN = 1 << 4,
	IR_FN_MODEL = 1 << 5,    /* from models/, not from the user's program */
	IR_FN_TWICE = 1 << 6,    /* returns twice */
	IR_FN_HIDDEN = 1 << 7,   /* not visible outside of the executable or library */
	IR_FN_USED = 1 << 8,     /* kept though nothing refers to it */
};

struct ir_func {
	uint32_t name;   /* string id of the linkage name */
	uint32_t flags;
	uint32_t pos;    /* declaration; 0 = unknown */
	uint32_t abi;    /* signature, if it is not the plain one (abi.h) */
	uint32_t attrs;  /* attributes that the code depends on, in LLVM's syntax; 0 = none */
	uint32_t section; /* 0 = the usual one */
	uint32_t nparams, nret;
	struct ir_param *params; /* registers 0 .. nparams-1; arena */
	ir_type *ret;            /* arena */
	VEC(struct ir_reg) regs;
	VEC(struct ir_const) consts;
	VEC(struct ir_insn) insns; /* in block order: block b+1 follows block b */
	VEC(struct ir_block) blocks; /* 0 is the entry; no edge leads to it */
	VEC(struct ir_edge) edges;
	VEC(struct ir_local) locals;
	VEC(uint32_t) extra; /* lists of operands, edges and copies */
	VEC(struct ir_note) notes; /* by ascending instruction, at most one for each */
};

/* ---- globals ----------------------------------------------------------------------------- */

enum {
	IR_G_EXTERN = 1 << 0,
	IR_G_CONST = 1 << 1,
	IR_G_TLS = 1 << 2,
	IR_G_LOCAL = 1 << 3,
	IR_G_WEAK = 1 << 4,
	IR_G_MODEL = 1 << 5,
	IR_G_HIDDEN = 1 << 6,  /* as for functions */
	IR_G_USED = 1 << 7,
	IR_G_INEXACT = 1 << 8, /* extern here, because its initializer cannot be expressed */
};

struct ir_reloc { /* the 8 bytes at `offset` of the initializer hold an address */
	uint64_t offset;
	uint8_t kind; /* IR_C_GLOBAL, IR_C_FUNC or IR_C_BLOCK */
	uint32_t id;
	int64_t addend; /* bytes; IR_C_BLOCK: the block number */
};

struct ir_global {
	uint32_t name;
	uint32_t flags;
	uint32_t dtype;
	uint32_t pos;
	uint32_t section; /* string id; 0 = the usual one */
	uint64_t size;
	uint32_t align;
	uint8_t *init; /* size bytes, arena; NULL = all zero */
	VEC(struct ir_reloc) relocs; /* by ascending offset */
};

struct ir_alias { /* another name for a function or for a global + addend */
	uint32_t name;
	uint8_t kind; /* IR_C_GLOBAL or IR_C_FUNC */
	uint32_t id;
	int64_t addend;
};

struct ir_ctor { /* a constructor or destructor */
	uint32_t func;
	int32_t priority;
};

/* ---- debug information ------------------------------------------------------------------- */

struct ir_pos {
	uint32_t file;       /* string id; 0 = unknown */
	uint32_t line, col;
	uint32_t func;       /* string id of the source function that contains the line */
	uint32_t inlined_at; /* position of the call at which the function was inlined; 0 = not
				inlined */
};

enum ir_dkind {
	IR_D_NONE, IR_D_BASE, IR_D_PTR, IR_D_STRUCT, IR_D_UNION, IR_D_ARRAY, IR_D_ENUM, IR_D_TYPEDEF,
	IR_D_CV, /* const, volatile, restrict, _Atomic */
	IR_D_FUNC,
};
struct ir_field {
	uint32_t name;
	uint32_t dtype;
	uint64_t bit_offset;
};
struct ir_dtype { /* a source type, used to name variables and fields; id 0 is "unknown" */
	uint8_t kind;
	uint32_t name;
	uint32_t elem;  /* pointee, element, or aliased type */
	uint64_t size;  /* bytes */
	uint64_t count; /* elements of an array */
	VEC(struct ir_field) fields;
};

/* ---- the program ------------------------------------------------------------------------- */

struct ir_program {
	struct arena arena;
	struct intern strs;
	VEC(struct ir_func) funcs;
	VEC(struct ir_global) globals;
	VEC(struct ir_alias) aliases;
	VEC(struct ir_ctor) ctors, dtors; /* in the order of execution */
	VEC(uint32_t) asms;               /* assembler outside of functions: string ids */
	VEC(struct ir_pos) positions;     /* [0] is unknown */
	VEC(struct ir_dtype) dtypes;      /* [0] is unknown */
	struct map func_by_name, global_by_name; /* string id -> id; aliases too, no locals */
	struct map pos_by_hash;                  /* hash of a position -> its id, for
						    ir_add_pos() */
};

struct ir_program *ir_program_new(void);
void ir_program_free(struct ir_program *p);
/* Frees registers, instructions and all else that a declaration does not have. */
void ir_func_drop_body(struct ir_func *f);

/* Names of string ids and of functions, and the reverse: IR_NONE if there is no such symbol. */
static inline const char *ir_str(const struct ir_program *p, uint32_t id)
{
	return intern_get(&p->strs, id);
}
static inline const char *ir_func_name(const struct ir_program *p, uint32_t f)
{
	return ir_str(p, p->funcs.at[f].name);
}
uint32_t ir_find_func(const struct ir_program *p, const char *name);
uint32_t ir_find_global(const struct ir_program *p, const char *name);
/* Whether a function reads the counter of cycles. */
bool ir_reads_cycles(const struct ir_program *p);

/* The id of an interned position: equal positions have the same id, except on a hash collision. */
uint32_t ir_add_pos(struct ir_program *p, struct ir_pos pos);
/* The position as diag.h takes it; file is NULL if it is unknown. */
struct diag_pos ir_diag_pos(const struct ir_program *p, uint32_t pos);

static inline const struct ir_const *ir_const(const struct ir_func *f, ir_ref r)
{
	return &f->consts.at[r & ~IR_CONST_BIT];
}
/* The function that an operand names; IR_NONE if it is none, or computed. */
static inline uint32_t ir_func_of(const struct ir_func *f, ir_ref r)
{
	const struct ir_const *c = ir_is_const(r) ? ir_const(f, r) : NULL;

	return c && c->kind == IR_C_FUNC ? c->id : IR_NONE;
}
/* The function that the instruction calls directly; IR_NONE if it is no call, or an indirect one. */
static inline uint32_t ir_callee(const struct ir_func *f, const struct ir_insn *in)
{
	return in->op == IR_CALL ? ir_func_of(f, in->arg[0]) : IR_NONE;
}
/* The type of an operand. */
static inline ir_type ir_ref_type(const struct ir_func *f, ir_ref r)
{
	return ir_is_reg(r) ? f->regs.at[r].type : ir_const(f, r)->type;
}

/* The type that the shape requires of operand arg[i]; IR_VOID if arg[i] is not a reference. (The
 * arguments of a call and the values of a return are in extra[] and have any type.) */
ir_type ir_insn_arg_type(const struct ir_insn *in, unsigned i);
/* The number of registers that the instruction defines, from dst onwards. */
uint32_t ir_insn_ndst(const struct ir_insn *in);
/* Calls fn for every operand of the instruction that is a reference; edge copies are not
 * included. */
typedef void (*ir_ref_fn)(void *ctx, ir_ref r);
void ir_insn_each_use(const struct ir_func *f, const struct ir_insn *in, ir_ref_fn fn, void *ctx);
/* The edges that leave a terminator: their number, and the id of the k-th. */
uint32_t ir_insn_nedges(const struct ir_insn *in);
uint32_t ir_insn_edge(const struct ir_func *f, const struct ir_insn *in, uint32_t k);

/* The note on instruction i, or NULL. */
const struct ir_note *ir_note(const struct ir_func *f, uint32_t i);

static inline struct ir_insn *ir_terminator(const struct ir_func *f, uint32_t b)
{
	return &f->insns.at[f->blocks.at[b].first + f->blocks.at[b].n - 1];
}

#endif
