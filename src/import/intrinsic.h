/*
 * The intrinsics that are translated: one table (intrinsic.c) of name, handler and the handler's
 * parameter. Another intrinsic becomes one `asm` instruction with its name as text, if its only
 * effects are its results and accesses through its pointers: recorded runs log its results. The
 * rest becomes `unsupported` with its name.
 */
#ifndef HEDDLE_IMPORT_INTRINSIC_H
#define HEDDLE_IMPORT_INTRINSIC_H

#include "import/import_internal.h"

struct intrinsic;
typedef struct lanes (*intrinsic_fn)(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);

struct intrinsic {
	const char *name; /* without the types */
	intrinsic_fn run;
	int op;           /* parameter of the handler: enum ir_op or another number */
	const char *text; /* name of a library function; "s": x86, only the first lane; NULL */
};

/* intrinsic_math.c */
struct lanes math_library(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_powi(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_minimum(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_fpclass(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_to_int_sat(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_muladd(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_sincos(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_modf(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_constrained_cast(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes math_constrained_cmp(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);

/* 2^k (k >= 0) or its negative; an infinity if the type is too small */
ir_ref math_power_of_two(struct fn *fn, ir_type t, uint32_t k, bool negative);

/* intrinsic_vec.c */
struct lanes vec_reduce(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes vec_reduce_float(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes vec_movmsk(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes vec_reverse(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes vec_subvector(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);

/* intrinsic_x86.c */
struct lanes x86_shift(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_pack(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_pmadd(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_pmulh(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_pavg(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_psad(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_minmax(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_cmp(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_comi(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);
struct lanes x86_to_int(struct fn *fn, LLVMValueRef call, const struct intrinsic *in);

#endif
