#include "import/import_internal.h"

#include <string.h>

/* more leaves than any value that clang keeps in registers has */
enum { MAX_LEAVES = 1024 };

struct leaves {
	VEC(struct leaf) v;
	bool ok, packed;
};

static ir_type scalar_type(LLVMTypeRef t)
{
	unsigned bits;

	switch (LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
		bits = LLVMGetIntTypeWidth(t);
		return bits <= 128 ? (ir_type)bits : IR_VOID;
	case LLVMPointerTypeKind: return IR_PTR;
	case LLVMFloatTypeKind: return IR_F32;
	case LLVMDoubleTypeKind: return IR_F64;
	case LLVMX86_FP80TypeKind: return IR_F80;
	case LLVMFP128TypeKind: return IR_F128;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: return IR_F16;
	default: return IR_VOID;
	}
}

static void collect_leaves(struct importer *im, LLVMTypeRef t, uint64_t offset, struct leaves *out);

static void collect_struct(struct importer *im, LLVMTypeRef t, uint64_t offset, struct leaves *out)
{
	unsigned n = LLVMCountStructElementTypes(t);

	if (LLVMIsOpaqueStruct(t) || !LLVMTypeIsSized(t)) {
		out->ok = false;
		return;
	}
	for (unsigned i = 0; i < n && out->ok; i++)
		collect_leaves(im, LLVMStructGetTypeAtIndex(t, i),
			offset + LLVMOffsetOfElement(im->td, t, i), out);
}

static void collect_array(struct importer *im, LLVMTypeRef t, uint64_t offset, struct leaves *out)
{
	LLVMTypeRef elem = LLVMGetElementType(t);
	uint64_t n = LLVMGetArrayLength2(t), size;

	if (n > MAX_LEAVES || !LLVMTypeIsSized(elem)) {
		out->ok = false;
		return;
	}
	size = LLVMABISizeOfType(im->td, elem);
	for (uint64_t i = 0; i < n && out->ok; i++)
		collect_leaves(im, elem, offset + i * size, out);
}

static void collect_vector(LLVMTypeRef t, uint64_t offset, struct leaves *out)
{
	ir_type elem = scalar_type(LLVMGetElementType(t));
	unsigned n = LLVMGetVectorSize(t);
	uint32_t bits = ir_type_bits(elem);

	if (elem == IR_VOID || n > MAX_LEAVES) {
		out->ok = false;
		return;
	}
	out->packed |= bits % 8 != 0;
	for (unsigned i = 0; i < n; i++)
		vec_push(&out->v, (struct leaf){elem, offset + (uint64_t)i * bits / 8});
}

static void collect_leaves(struct importer *im, LLVMTypeRef t, uint64_t offset, struct leaves *out)
{
	ir_type scalar;
	uint32_t bits;

	if (type_is_wide(t)) {
		bits = LLVMGetIntTypeWidth(t);
		out->ok &= bits <= MAX_WIDE_BITS;
		for (uint32_t at = 0; out->ok && at < bits; at += 64)
			vec_push(&out->v,
				(struct leaf){(ir_type)MIN(bits - at, 64u), offset + at / 8});
		return;
	}
	switch (LLVMGetTypeKind(t)) {
	case LLVMVoidTypeKind: return;
	case LLVMStructTypeKind: collect_struct(im, t, offset, out); break;
	case LLVMArrayTypeKind: collect_array(im, t, offset, out); break;
	case LLVMVectorTypeKind: collect_vector(t, offset, out); break;
	default:
		scalar = scalar_type(t);
		if (scalar == IR_VOID)
			out->ok = false;
		else
			vec_push(&out->v, (struct leaf){scalar, offset});
	}
	if (out->v.n > MAX_LEAVES)
		out->ok = false;
}

const struct layout *layout_of(struct importer *im, LLVMTypeRef t)
{
	uint64_t *slot = map_get(&im->layouts, map_ptr(t));
	struct leaves ls = {.ok = true};
	struct layout *l;

	if (slot)
		return (struct layout *)(uintptr_t)*slot;
	collect_leaves(im, t, 0, &ls);
	l = arena_new(&im->arena, struct layout);
	l->ok = ls.ok;
	l->packed = ls.packed;
	l->n = ls.ok ? ls.v.n : 0;
	l->leaf = arena_memdup(&im->arena, ls.v.at, l->n * sizeof *l->leaf);
	vec_release(&ls.v);
	*map_put(&im->layouts, map_ptr(t)) = map_ptr(l);
	return l;
}

uint64_t type_size(struct importer *im, LLVMTypeRef t)
{
	return LLVMTypeIsSized(t) ? LLVMABISizeOfType(im->td, t) : 0;
}
