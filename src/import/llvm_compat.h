/*
 * Differences between the C APIs of LLVM 19 to 22. Only this file of the folder depends on the
 * version.
 *
 *  - switch case values: operands up to 21, an accessor since 22
 *  - the bytes of a constant data array: an accessor since 22
 *  - names of variables: calls of llvm.dbg.* up to 20; since 21 records attached to instructions.
 *    The records are read since 22; with 21 variables have no names
 *  - operands of DIDerivedType and DICompositeType: since 21 size and offset precede the base type
 */
#ifndef HEDDLE_IMPORT_LLVM_COMPAT_H
#define HEDDLE_IMPORT_LLVM_COMPAT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/abi-breaking.h>
#include <llvm/Config/llvm-config.h>

#include <stdbool.h>
#include <stddef.h>

#if LLVM_VERSION_MAJOR < 19
#error "LLVM 19 or newer is needed"
#endif

#define DBG_RECORDS (LLVM_VERSION_MAJOR >= 22)

enum {
	DI_BASE_TYPE = LLVM_VERSION_MAJOR >= 21 ? 5 : 3,
	DI_ELEMENTS = LLVM_VERSION_MAJOR >= 21 ? 6 : 4,
};

/* the case value of successor `i` (1 is the first case) */
static inline LLVMValueRef compat_case_value(LLVMValueRef sw, unsigned i)
{
#if LLVM_VERSION_MAJOR >= 22
	return LLVMGetSwitchCaseValue(sw, i);
#else
	return LLVMGetOperand(sw, 2 * i);
#endif
}

/* The bytes of a ConstantDataArray or ConstantDataVector, or NULL: read the elements one by one.
 * LLVMGetAsString() returns the bytes of both kinds; only builds with assertions require a string.
 */
static inline const char *compat_data_bytes(LLVMValueRef c, size_t *n)
{
#if LLVM_VERSION_MAJOR >= 22
	return LLVMGetRawDataValues(c, n);
#elif LLVM_ENABLE_ABI_BREAKING_CHECKS
	return LLVMIsConstantString(c) ? LLVMGetAsString(c, n) : NULL;
#else
	return LLVMGetAsString(c, n);
#endif
}

/* makes LLVM represent debug information as calls of llvm.dbg.*; to call once after parsing */
static inline void compat_use_dbg_calls(LLVMModuleRef m)
{
#if LLVM_VERSION_MAJOR < 21
	LLVMSetIsNewDbgInfoFormat(m, 0);
#else
	(void)m;
#endif
}

#endif
