/*
 * Which locals (allocas) are used by name only: every use is a load, a store or a copy of bytes
 * that are known to lie inside. Those may be taken apart into registers. Any other local stays in
 * memory: one that is reached through pointers, and one whose accesses leave it at a known
 * distance, which the optimizer would silently delete and which somebody wants to see.
 */
#ifndef HEDDLE_BITCODE_LOCALS_H
#define HEDDLE_BITCODE_LOCALS_H

#include "base/base.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* the object that an address is computed from by adding offsets */
LLVMValueRef local_base(LLVMValueRef address);
bool local_is_plain(LLVMValueRef alloca, LLVMTargetDataRef layout);
/* a single register's worth, loaded and stored whole: mem2reg promotes it */
bool local_is_scalar(LLVMValueRef alloca);
/* an integer, pointer or floating-point number */
bool type_is_scalar(LLVMTypeRef t);

bool is_call(LLVMValueRef i);
/* llvm.memcpy, llvm.memmove, llvm.memset of all kinds */
bool is_memory_intrinsic(LLVMValueRef f);
/* copies between locals, or fills one: nobody else's memory but constants */
bool is_local_memory_call(LLVMValueRef call);

#endif
