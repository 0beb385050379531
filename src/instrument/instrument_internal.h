/*
 * Shared by the files of the instrumentation. Lifetime: one call of instrument_module().
 *
 *  - struct instrumenter: the module, the IR made from it, the plan, and which value of the module
 *    each part of the IR comes from
 *  - struct ifn: the function that is being instrumented. The control block, the cursor and the
 *    hash are in three allocas, which the optimizer turns into registers
 *
 * The C API of LLVM cannot split a block. Code that branches is therefore a small function of its
 * own that is always inlined (instrument_hooks.c).
 */
#ifndef HEDDLE_INSTRUMENT_INSTRUMENT_INTERNAL_H
#define HEDDLE_INSTRUMENT_INSTRUMENT_INTERNAL_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "instrument/instrument.h"
#include "ir/live.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

struct home { /* the value of the module that has a register of the IR */
	LLVMValueRef v;
	uint32_t lane;
};

struct ivalue { /* a parameter or instruction, and its registers or constants in the IR */
	LLVMValueRef v;
	uint32_t lanes, n; /* a range of isym.lanes */
};

struct isym {                     /* a function of the IR */
	LLVMValueRef v;           /* its body in the module; NULL if it is not there */
	LLVMValueRef entry;       /* the value of its address: the thunk, or v */
	bool checks;              /* has no thunk: checks itself whether native code calls it */
	VEC(LLVMValueRef) origin; /* by instruction */
	VEC(struct home) homes;   /* by register */
	VEC(struct ivalue) values;
	VEC(ir_ref) lanes;
	VEC(LLVMBasicBlockRef) blocks; /* by block */
};

/* Kinds of memory of the runtime, for alias analysis: no two of them overlap. */
enum own_memory { OWN_CTL, OWN_CURSOR, OWN_END, OWN_HASH, OWN_NATIVE, OWN_CHUNKS, OWN_LOG, OWN_N };

struct hooks {
	LLVMValueRef ctl; /* the thread-local pointer */
	LLVMValueRef text_start, text_stop;
	/* always inlined */
	LLVMValueRef reserve, return_if, bytes_if, check_vararg, enter, leave;
	LLVMValueRef bytes, copy, ret, effect, setjmp_, callback, callback_end, vararg;
	LLVMValueRef point, point_copy; /* NULL: the image has no scheduling points */
};

struct scalars { /* the scalars of a value, in the order of the importer */
	VEC(LLVMValueRef) v;
	VEC(uint64_t) offset; /* in memory, in bytes */
};

struct instrumenter {
	LLVMModuleRef m;
	LLVMContextRef c;
	LLVMTargetDataRef td;
	LLVMBuilderRef b;
	LLVMTypeRef i1, i8, i32, i64, ptr, void_;
	struct ir_program *p;
	struct plan *pl;
	struct hooks h;
	LLVMValueRef own[OWN_N];                   /* TBAA tags */
	LLVMMetadataRef scope;                     /* alias scope of the memory of the runtime */
	unsigned tbaa, prof, alias_scope, noalias; /* kinds of metadata */
	VEC(struct isym) funcs;
	VEC(LLVMValueRef) globals; /* by id; NULL if not in the module */
	struct map by_value;       /* function of the module -> id + 1 */
	char *wrong;               /* the first failure; NULL = none */
};

struct ifn {
	struct instrumenter *it;
	uint32_t id;
	LLVMValueRef v;
	const struct ir_func *f;
	const struct plan_func *pf;
	const struct isym *sym;
	LLVMValueRef ctl, cur, hash; /* allocas */
	LLVMValueRef was_native;     /* if isym.checks: whether native code called; else NULL */
	LLVMValueRef words;          /* alloca for arguments of __heddle_effect */
	uint32_t nwords;             /* the size of that array */
	/* the current segment of the log */
	LLVMValueRef at;    /* its address */
	uint32_t reserved;  /* its size in bytes */
	uint32_t offset;    /* bytes that are filled */
	LLVMValueRef after; /* code after the current instruction goes before this one */
	uint32_t pending;   /* the call whose results begin the next segment; IR_NONE */
	LLVMValueRef split; /* the value that `scalars` belong to */
	struct scalars scalars;
	VEC(LLVMValueRef) dead; /* replaced instructions, removed at the end */
	/* only in images of kind "record-window" */
	struct live live;
	LLVMValueRef chunks; /* alloca: log_ctl.chunks before the current call */
	bool jumps;          /* calls setjmp: variables must be in memory when that returns again */
	/* inline assembler */
	struct map made; /* register -> LLVMValueRef, of assembler that is replaced */
	bool lower_asm;  /* the current one is replaced */
};

/* instrument.c */
/* Records the first failure. */
void it_fail(struct instrumenter *it, const char *fmt, ...) PRINTF(2, 3);
LLVMTypeRef it_int(struct instrumenter *it, uint32_t bits);
LLVMValueRef it_k64(struct instrumenter *it, uint64_t v);
LLVMValueRef it_k32(struct instrumenter *it, uint32_t v);
/* Splits a value into scalars, at the place of the builder. */
void scalars_of(struct instrumenter *it, LLVMValueRef v, struct scalars *out);
void scalars_release(struct scalars *s);
/* The offset in memory of scalar `lane` of a value of that type. */
uint64_t scalar_offset(struct instrumenter *it, LLVMTypeRef t, uint32_t lane);
/* The bits of a scalar as an integer of whole bytes. */
LLVMValueRef it_bits(struct instrumenter *it, LLVMValueRef v);
/* The bits of a scalar as 64 bits: the low ones, or zero-extended. */
LLVMValueRef it_word(struct instrumenter *it, LLVMValueRef v);

/* instrument_hooks.c */
void hooks_declare(struct instrumenter *it);
LLVMValueRef own_load(struct instrumenter *it, enum own_memory k, LLVMTypeRef t, LLVMValueRef p);
LLVMValueRef own_store(struct instrumenter *it, enum own_memory k, LLVMValueRef v, LLVMValueRef p);
/* Marks a load or store of the program: it does not overlap the memory of the runtime. */
void it_apart(struct instrumenter *it, LLVMValueRef access);
/* The address of a field of the control block. */
LLVMValueRef own_field(struct instrumenter *it, enum own_memory k, LLVMValueRef ctl);
LLVMValueRef it_call(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n);
LLVMValueRef it_declare(struct instrumenter *it, const char *name, LLVMTypeRef ret,
	LLVMTypeRef *params, unsigned n);
/* An internal function; the builder is put at its start. */
LLVMValueRef it_define(struct instrumenter *it, const char *name, LLVMTypeRef ret,
	LLVMTypeRef *params, unsigned n);
void it_inline(struct instrumenter *it, LLVMValueRef f);
/* Makes the function never inlined, with a calling convention that preserves every register: the
 * code around a rare call saves none. */
void it_slow(struct instrumenter *it, LLVMValueRef f);
LLVMValueRef it_call_slow(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n);
/* Begins the code under a condition that seldom holds. The caller ends it with a jump to the block
 * that is returned. */
LLVMBasicBlockRef it_if_rarely(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition);
struct it_reserve { /* a function that reserves bytes of the log; between begin and end: refill */
	LLVMValueRef ctl, n, next;
	LLVMBasicBlockRef fast, ready;
};
void it_reserve_begin(struct instrumenter *it, LLVMValueRef f, LLVMValueRef ctl, LLVMValueRef cur,
	LLVMValueRef n, struct it_reserve *r);
void it_reserve_end(struct instrumenter *it, LLVMValueRef fresh, struct it_reserve *r);
LLVMValueRef it_offset(struct instrumenter *it, LLVMValueRef p, uint64_t bytes);

/* instrument_func.c */
/* Instruments one function. */
void ifn_run(struct instrumenter *it, uint32_t id);
/* The next code goes before the instruction and gets its debug location. */
void ifn_before(struct ifn *fn, LLVMValueRef v);
LLVMValueRef ifn_ctl(struct ifn *fn);
/* Loads control block, cursor and hash: after a call. */
void ifn_reload(struct ifn *fn);
void ifn_store_hash(struct ifn *fn);
LLVMValueRef ifn_alloca(struct ifn *fn, LLVMTypeRef t);
/* Replaces all uses of the instruction by `by`; the instruction is removed at the end. */
void ifn_replace(struct ifn *fn, LLVMValueRef v, LLVMValueRef by);

/* instrument_insn.c */
void ifn_insn(struct ifn *fn, uint32_t i);
/* Stores a scalar into the current segment. */
void ifn_log(struct ifn *fn, LLVMValueRef scalar);
/* Logs the results of IR instruction i. */
void ifn_log_results(struct ifn *fn, uint32_t i);
/* The results of IR instruction i among the scalars of its value of the module; NULL if they are
 * not there. */
LLVMValueRef *ifn_results(struct ifn *fn, uint32_t i);
/* The scalar that has an IR register, or NULL. */
LLVMValueRef ifn_reg(struct ifn *fn, uint32_t reg);
/* hash += (addr + offset) * coefficient k */
void ifn_hash_address(struct ifn *fn, LLVMValueRef addr, uint64_t offset, uint32_t k);

/* instrument_call.c */
void ifn_call(struct ifn *fn, uint32_t i);

/* instrument_state.c: states of frames, in images of kind "record-window" */
/* Reserves n bytes for the segment that begins with the instruction (LOG_NONE: at the entry).
 * Returns the address after them. */
LLVMValueRef state_reserve(struct ifn *fn, uint32_t n, uint32_t insn);
void state_before_call(struct ifn *fn);
/* At the place of the builder, after the call has returned; cursor and hash are in the control
 * block. */
void state_after_call(struct ifn *fn, uint32_t insn);

/* instrument_asm.c: an IR instruction that the importer made from inline assembler */
void asm_insn(struct ifn *fn, uint32_t i);

/* instrument_thunk.c */
void thunk_make(struct instrumenter *it, uint32_t id);
/* The parameters as the words of a CALLBACK record: their number; and stores them into an array. */
uint32_t thunk_nwords(struct instrumenter *it, LLVMValueRef f);
void thunk_words(struct instrumenter *it, LLVMValueRef f, LLVMValueRef array);

/* instrument_replace.c: functions of the runtime in the place of library functions */
/* Wrappers for the functions of log/sync.def. */
void replace_sync_functions(struct instrumenter *it);
/* Replacements for the functions of log/instead.def. */
void replace_enforced_functions(struct instrumenter *it);

/* instrument_point.c: scheduling points, in images of kind "enforce" */
void point_declare(struct instrumenter *it);
/* Adds the call before IR instruction i if that is a scheduling point. address: of its access; NULL
 * if the instruction is a copy or fill. */
void point_before(struct ifn *fn, uint32_t i, LLVMValueRef address, uint64_t offset);

/* instrument_exact.c: arithmetic of the module becomes that of the IR */
void exact_function(struct instrumenter *it, uint32_t id);
/* A multiply-add; fused: rounded once, else twice. */
void exact_muladd(struct ifn *fn, LLVMValueRef call, bool fused);

/* instrument_table.c: __heddle_image */
void table_make(struct instrumenter *it, bool whole);

#endif
