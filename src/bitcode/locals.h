/*
 * Locals (allocas) that are accessed by name only: every use is a load, a store or a copy of bytes
 * that are known to lie inside. These can become registers. Any other local stays in memory: one
 * that is accessed through pointers, and one with an access out of its bounds, which the optimizer
 * would delete although it is a fault that heddle reports.
 */
#ifndef HEDDLE_BITCODE_LOCALS_H
#define HEDDLE_BITCODE_LOCALS_H

#include "base/base.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* The object from which an address is computed by adding offsets. */
LLVMValueRef local_base(LLVMValueRef address);
/* Accessed by name only. */
bool local_is_plain(LLVMValueRef alloca, LLVMTargetDataRef layout);
/* One scalar that is always loaded and stored whole: mem2reg promotes it. */
bool local_is_scalar(LLVMValueRef alloca);
/* An integer, pointer or floating-point number. */
bool type_is_scalar(LLVMTypeRef t);

bool is_call(LLVMValueRef i);
/* llvm.memcpy, llvm.memmove, llvm.memset of all kinds */
bool is_memory_intrinsic(LLVMValueRef f);
/* A copy between locals or from a constant, or a fill of a local. */
bool is_local_memory_call(LLVMValueRef call);

#endif
