/*
 * Inside the instrumentation: what its files share. Lifetime: one call of instrument_module().
 *
 *  - struct instrumenter: the module, the IR made of it, the plan, and where each came from
 *  - struct ifn: one function at work. The control block, the cursor and the hash live in three
 *    allocas, which the optimizer turns into registers
 *
 * LLVM's C API cannot split a block. Whatever branches is therefore a small function of its own
 * that is always inlined (instrument_hooks.c).
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

struct home { /* where a register of the IR is in the module */
	LLVMValueRef v;
	uint32_t lane;
};

struct ivalue { /* what a parameter or instruction is in the IR */
	LLVMValueRef v;
	uint32_t lanes, n; /* of isym.lanes */
};

struct isym {                     /* a function of the IR */
	LLVMValueRef v;           /* in the module: the body; NULL if it is not there */
	LLVMValueRef entry;       /* what its address means: the thunk, or v */
	bool checks;              /* enters and leaves native code by itself: no thunk */
	VEC(LLVMValueRef) origin; /* by instruction */
	VEC(struct home) homes;   /* by register */
	VEC(struct ivalue) values;
	VEC(ir_ref) lanes;
	VEC(LLVMBasicBlockRef) blocks; /* by block */
};

/* Memory of the runtime, for alias analysis: none of them overlaps another. */
enum own_memory { OWN_CTL, OWN_CURSOR, OWN_END, OWN_HASH, OWN_NATIVE, OWN_CHUNKS, OWN_LOG, OWN_N };

struct hooks {
	LLVMValueRef ctl; /* the thread-local pointer */
	LLVMValueRef text_start, text_stop;
	/* always inlined */
	LLVMValueRef reserve, return_if, bytes_if, check_vararg, enter, leave;
	LLVMValueRef bytes, copy, ret, effect, setjmp_, callback, callback_end, vararg;
	LLVMValueRef point, point_copy; /* NULL: the image has none */
};

struct scalars { /* of a value, in the importer's order */
	VEC(LLVMValueRef) v;
	VEC(uint64_t) offset; /* in memory */
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
	LLVMValueRef own[OWN_N];                   /* tags */
	LLVMMetadataRef scope;                     /* of what the runtime owns */
	unsigned tbaa, prof, alias_scope, noalias; /* kinds of metadata */
	VEC(struct isym) funcs;
	VEC(LLVMValueRef) globals; /* by id; NULL if not in the module */
	struct map by_value;       /* function of the module -> id + 1 */
	char *wrong;               /* the first reason why it cannot be done */
};

struct ifn {
	struct instrumenter *it;
	uint32_t id;
	LLVMValueRef v;
	const struct ir_func *f;
	const struct plan_func *pf;
	const struct isym *sym;
	LLVMValueRef ctl, cur, hash; /* allocas */
	LLVMValueRef was_native;     /* of a function that checks by itself; NULL */
	LLVMValueRef words;          /* alloca for arguments of __heddle_effect */
	uint32_t nwords;             /* that it has room for */
	/* the segment at work */
	LLVMValueRef at;    /* its place in the log */
	uint32_t reserved;  /* bytes */
	uint32_t offset;    /* of them used */
	LLVMValueRef after; /* code that follows the instruction at work goes before this one */
	uint32_t pending;   /* the call whose results begin the next segment; IR_NONE */
	LLVMValueRef split; /* the value that `scalars` are of */
	struct scalars scalars;
	VEC(LLVMValueRef) dead; /* replaced, removed at the end */
	struct live live;       /* of images that log everything */
	LLVMValueRef chunks;    /* alloca of those: log_ctl.chunks before the call under way */
	bool jumps;      /* calls setjmp: variables must be in memory when that returns again */
	struct map made; /* register -> LLVMValueRef, of assembler that is replaced */
	bool lower_asm;  /* the one at work is */
};

/* instrument.c */
void it_fail(struct instrumenter *it, const char *fmt, ...) PRINTF(2, 3);
LLVMTypeRef it_int(struct instrumenter *it, uint32_t bits);
LLVMValueRef it_k64(struct instrumenter *it, uint64_t v);
LLVMValueRef it_k32(struct instrumenter *it, uint32_t v);
/* at the builder's place */
void scalars_of(struct instrumenter *it, LLVMValueRef v, struct scalars *out);
void scalars_release(struct scalars *s);
/* where scalar `lane` of a value of that type lies in memory */
uint64_t scalar_offset(struct instrumenter *it, LLVMTypeRef t, uint32_t lane);
/* the bits as an integer of whole bytes */
LLVMValueRef it_bits(struct instrumenter *it, LLVMValueRef v);
/* the bits as 64 of them: the low ones, or zero-extended */
LLVMValueRef it_word(struct instrumenter *it, LLVMValueRef v);

/* instrument_hooks.c */
void hooks_declare(struct instrumenter *it);
LLVMValueRef own_load(struct instrumenter *it, enum own_memory k, LLVMTypeRef t, LLVMValueRef p);
LLVMValueRef own_store(struct instrumenter *it, enum own_memory k, LLVMValueRef v, LLVMValueRef p);
/* a load or store of the program */
void it_apart(struct instrumenter *it, LLVMValueRef access);
/* the address of a field of the control block */
LLVMValueRef own_field(struct instrumenter *it, enum own_memory k, LLVMValueRef ctl);
LLVMValueRef it_call(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n);
LLVMValueRef it_declare(struct instrumenter *it, const char *name, LLVMTypeRef ret,
	LLVMTypeRef *params, unsigned n);
/* an internal function; the builder is put at its start */
LLVMValueRef it_define(struct instrumenter *it, const char *name, LLVMTypeRef ret,
	LLVMTypeRef *params, unsigned n);
void it_inline(struct instrumenter *it, LLVMValueRef f);
/* never inlined, and saves every register, so that the fast way need not be ready for a call */
void it_slow(struct instrumenter *it, LLVMValueRef f);
LLVMValueRef it_call_slow(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n);
/* if (condition) what is written next, which ends with a jump to the block that is returned */
LLVMBasicBlockRef it_if(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition);
LLVMBasicBlockRef it_if_rarely(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition);
struct it_reserve { /* the body of a function that reserves room; between begin and end: refill */
	LLVMValueRef ctl, n, next;
	LLVMBasicBlockRef fast, ready;
};
void it_reserve_begin(struct instrumenter *it, LLVMValueRef f, LLVMValueRef ctl, LLVMValueRef cur,
	LLVMValueRef n, struct it_reserve *r);
void it_reserve_end(struct instrumenter *it, LLVMValueRef fresh, struct it_reserve *r);
LLVMValueRef it_offset(struct instrumenter *it, LLVMValueRef p, uint64_t bytes);

/* instrument_func.c */
void ifn_run(struct instrumenter *it, uint32_t id);
/* code goes before the instruction and has its place in the source */
void ifn_before(struct ifn *fn, LLVMValueRef v);
LLVMValueRef ifn_ctl(struct ifn *fn);
void ifn_reload(struct ifn *fn);
void ifn_store_hash(struct ifn *fn);
LLVMValueRef ifn_alloca(struct ifn *fn, LLVMTypeRef t);
/* all uses of the instruction become uses of `by`; it is removed in the end */
void ifn_replace(struct ifn *fn, LLVMValueRef v, LLVMValueRef by);

/* instrument_insn.c */
void ifn_insn(struct ifn *fn, uint32_t i);
void ifn_log(struct ifn *fn, LLVMValueRef scalar);
/* the results of IR instruction i into the log */
void ifn_log_results(struct ifn *fn, uint32_t i);
/* its results among the scalars of the value it came from; NULL if they are not there */
LLVMValueRef *ifn_results(struct ifn *fn, uint32_t i);
/* the scalar that is an IR register, or NULL */
LLVMValueRef ifn_reg(struct ifn *fn, uint32_t reg);
/* hash += (addr + offset) * coefficient k */
void ifn_hash_address(struct ifn *fn, LLVMValueRef addr, uint64_t offset, uint32_t k);

/* instrument_call.c */
void ifn_call(struct ifn *fn, uint32_t i);

/* instrument_state.c: states of frames, in images that log everything */
/* reserves n bytes at the start of the segment that begins with the instruction (LOG_NONE: at
 * entry); the place after them */
LLVMValueRef state_reserve(struct ifn *fn, uint32_t n, uint32_t insn);
void state_before_call(struct ifn *fn);
/* at the builder's place, where the call has come back; cursor and hash are in the control block */
void state_after_call(struct ifn *fn, uint32_t insn);

/* instrument_asm.c: one instruction of those that the importer made of assembler */
void asm_insn(struct ifn *fn, uint32_t i);

/* instrument_thunk.c */
void thunk_make(struct instrumenter *it, uint32_t id);
/* the parameters as the words of a CALLBACK record: how many; put into an array */
uint32_t thunk_nwords(struct instrumenter *it, LLVMValueRef f);
void thunk_words(struct instrumenter *it, LLVMValueRef f, LLVMValueRef array);

/* instrument_sync.c: wrappers in the place of the functions of log/sync.def */
void sync_replace(struct instrumenter *it);

/* instrument_point.c: the points of a schedule, in images that run under one */
void point_declare(struct instrumenter *it);
/* before IR instruction i of that kind, if it is one; address: of an access, NULL if it has two */
void point_before(struct ifn *fn, uint32_t i, LLVMValueRef address, uint64_t offset);

/* instrument_exact.c: the module computes what the IR says */
void exact_function(struct instrumenter *it, uint32_t id);
/* a multiplication and addition, rounded once or twice */
void exact_muladd(struct ifn *fn, LLVMValueRef call, bool fused);

/* instrument_table.c: __heddle_image */
void table_make(struct instrumenter *it, bool whole);

#endif
