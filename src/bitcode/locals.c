#include "bitcode/locals.h"

#include <string.h>

static bool is_named(LLVMValueRef f, const char *prefix)
{
	size_t n;

	return LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &n), prefix, strlen(prefix));
}

bool is_call(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);

	return op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
}

bool is_memory_intrinsic(LLVMValueRef f)
{
	return is_named(f, "llvm.memcpy.") || is_named(f, "llvm.memmove.") ||
	       is_named(f, "llvm.memset.");
}

static bool is_fill(LLVMValueRef call)
{
	return is_named(LLVMGetCalledValue(call), "llvm.memset.");
}

LLVMValueRef local_base(LLVMValueRef p)
{
	for (;;) {
		if (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p) ||
			LLVMIsAAddrSpaceCastInst(p))
			p = LLVMGetOperand(p, 0);
		else if (LLVMIsAConstantExpr(p) && (LLVMGetConstOpcode(p) == LLVMGetElementPtr ||
							   LLVMGetConstOpcode(p) == LLVMBitCast))
			p = LLVMGetOperand(p, 0);
		else
			return p;
	}
}

static bool is_private(LLVMValueRef address)
{
	LLVMValueRef base = local_base(address);

	return LLVMIsAAllocaInst(base) ||
	       (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base));
}

bool is_local_memory_call(LLVMValueRef call)
{
	return LLVMIsAAllocaInst(local_base(LLVMGetOperand(call, 0))) &&
	       (is_fill(call) || is_private(LLVMGetOperand(call, 1)));
}

bool type_is_scalar(LLVMTypeRef t)
{
	switch (LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
	case LLVMPointerTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind: return true;
	default: return false;
	}
}

/* A load, or a store to the address (not of it), neither volatile nor atomic. */
static bool is_plain_access(LLVMValueRef i, LLVMValueRef address)
{
	return (LLVMIsALoadInst(i) || (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 0) != address)) &&
	       !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

static LLVMTypeRef accessed_type(LLVMValueRef i)
{
	return LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
}

static bool is_lifetime(LLVMValueRef i)
{
	return is_call(i) && is_named(LLVMGetCalledValue(i), "llvm.lifetime.");
}

bool local_is_scalar(LLVMValueRef alloca)
{
	LLVMTypeRef type = LLVMGetAllocatedType(alloca);

	if (!type_is_scalar(type) || !LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)))
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(alloca); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef i = LLVMGetUser(u);

		if (!is_lifetime(i) && !(is_plain_access(i, alloca) && accessed_type(i) == type))
			return false;
	}
	return true;
}

/* Adds the offset of a GEP; false if an index is not constant. */
static bool add_offset(LLVMValueRef gep, LLVMTargetDataRef layout, int64_t *offset)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

	for (unsigned n = (unsigned)LLVMGetNumOperands(gep), o = 1; o < n; o++) {
		LLVMValueRef index = LLVMGetOperand(gep, o);
		int64_t i;

		if (!LLVMIsAConstantInt(index))
			return false;
		i = LLVMConstIntGetSExtValue(index);
		if (o > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			*offset += (int64_t)LLVMOffsetOfElement(layout, type, (unsigned)i);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)i);
			continue;
		}
		if (o > 1)
			type = LLVMGetElementType(type);
		if (__builtin_mul_overflow(i, (int64_t)LLVMABISizeOfType(layout, type), &i) ||
			__builtin_add_overflow(*offset, i, offset))
			return false;
	}
	return true;
}

static bool access_fits(int64_t offset, uint64_t n, uint64_t size)
{
	return offset >= 0 && (uint64_t)offset <= size && n <= size - (uint64_t)offset;
}

static bool fits_call(LLVMValueRef call, int64_t offset, uint64_t size)
{
	LLVMValueRef n = LLVMGetOperand(call, 2);

	return LLVMIsAConstantInt(n) && access_fits(offset, LLVMConstIntGetZExtValue(n), size) &&
	       is_local_memory_call(call);
}

static bool uses_are_plain(
	LLVMValueRef address, LLVMTargetDataRef layout, int64_t offset, uint64_t size)
{
	for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef i = LLVMGetUser(u);
		int64_t inner = offset;

		if (LLVMIsAGetElementPtrInst(i)) {
			if (!add_offset(i, layout, &inner) ||
				!uses_are_plain(i, layout, inner, size))
				return false;
		} else if (is_plain_access(i, address)) {
			if (!access_fits(
				    offset, LLVMStoreSizeOfType(layout, accessed_type(i)), size))
				return false;
		} else if (is_call(i) && is_memory_intrinsic(LLVMGetCalledValue(i))) {
			if (!fits_call(i, offset, size))
				return false;
		} else if (!is_lifetime(i)) {
			return false;
		}
	}
	return true;
}

bool local_is_plain(LLVMValueRef alloca, LLVMTargetDataRef layout)
{
	LLVMValueRef count = LLVMGetOperand(alloca, 0);

	return LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) == 1 &&
	       uses_are_plain(
		       alloca, layout, 0, LLVMABISizeOfType(layout, LLVMGetAllocatedType(alloca)));
}
