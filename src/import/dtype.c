#include "import/import_internal.h"

#include <stdlib.h>

/* Source types from debug information, built on first use. The id of a type is stored before its
 * parts are built, which ends the recursion of recursive types. */

enum {
	TAG_ARRAY = 0x01,
	TAG_CLASS = 0x02,
	TAG_ENUM = 0x04,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_STRUCT = 0x13,
	TAG_SUBROUTINE = 0x15,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_BASE = 0x24,
	TAG_CONST = 0x26,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_ATOMIC = 0x47,
};

static const struct {
	uint16_t tag;
	uint8_t kind;
	const char *name; /* fixed name; NULL: the type has its own */
} tags[] = {
	{TAG_BASE, IR_D_BASE, NULL},
	{TAG_POINTER, IR_D_PTR, NULL},
	{TAG_STRUCT, IR_D_STRUCT, NULL},
	{TAG_CLASS, IR_D_STRUCT, NULL},
	{TAG_UNION, IR_D_UNION, NULL},
	{TAG_ARRAY, IR_D_ARRAY, NULL},
	{TAG_ENUM, IR_D_ENUM, NULL},
	{TAG_TYPEDEF, IR_D_TYPEDEF, NULL},
	{TAG_SUBROUTINE, IR_D_FUNC, NULL},
	{TAG_CONST, IR_D_CV, "const"},
	{TAG_VOLATILE, IR_D_CV, "volatile"},
	{TAG_RESTRICT, IR_D_CV, "restrict"},
	{TAG_ATOMIC, IR_D_CV, "_Atomic"},
};

/* ---- metadata nodes ---------------------------------------------------------------------- */

typedef VEC(LLVMValueRef) operands_t;

static bool is_node(LLVMMetadataRef md)
{
	switch (LLVMGetMetadataKind(md)) {
	case LLVMMDStringMetadataKind:
	case LLVMConstantAsMetadataMetadataKind:
	case LLVMLocalAsMetadataMetadataKind:
	case LLVMDistinctMDOperandPlaceholderMetadataKind:
	case LLVMDIArgListMetadataKind: return false;
	default: return true;
	}
}

static operands_t operands_of(struct importer *im, LLVMMetadataRef md)
{
	operands_t ops = {0};
	LLVMValueRef node;

	if (!md || !is_node(md))
		return ops;
	node = LLVMMetadataAsValue(im->ctx, md);
	vec_resize(&ops, LLVMGetMDNodeNumOperands(node));
	if (ops.n)
		LLVMGetMDNodeOperands(node, ops.at);
	return ops;
}

LLVMMetadataRef md_operand(struct importer *im, LLVMMetadataRef md, unsigned k)
{
	operands_t ops = operands_of(im, md);
	LLVMMetadataRef out = NULL;

	if (k < ops.n && ops.at[k])
		out = LLVMValueAsMetadata(ops.at[k]);
	vec_release(&ops);
	return out;
}

uint32_t md_string(struct importer *im, LLVMMetadataRef md)
{
	const char *s;
	unsigned n;

	if (!md || LLVMGetMetadataKind(md) != LLVMMDStringMetadataKind)
		return 0;
	s = LLVMGetMDString(LLVMMetadataAsValue(im->ctx, md), &n);
	return s ? str_id(im, s, n) : 0;
}

/* ---- types ------------------------------------------------------------------------------- */

static bool is_type(LLVMMetadataRef md)
{
	switch (LLVMGetMetadataKind(md)) {
	case LLVMDIBasicTypeMetadataKind:
	case LLVMDIDerivedTypeMetadataKind:
	case LLVMDICompositeTypeMetadataKind:
	case LLVMDISubroutineTypeMetadataKind: return true;
	default: return false;
	}
}

static void add_fields(struct importer *im, LLVMMetadataRef md, uint32_t id)
{
	operands_t ops = operands_of(im, md_operand(im, md, DI_ELEMENTS));

	vec_each (&ops, i) {
		LLVMMetadataRef m = ops.at[i] ? LLVMValueAsMetadata(ops.at[i]) : NULL;
		struct ir_field f = {0};
		const char *s;
		size_t n;

		if (!m || LLVMGetMetadataKind(m) != LLVMDIDerivedTypeMetadataKind ||
			LLVMGetDINodeTag(m) != TAG_MEMBER)
			continue;
		s = LLVMDITypeGetName(m, &n);
		f.name = str_id(im, s, n);
		f.bit_offset = LLVMDITypeGetOffsetInBits(m);
		f.dtype = dtype_of(im, md_operand(im, m, DI_BASE_TYPE));
		vec_push(&im->p->dtypes.at[id].fields, f);
	}
	vec_release(&ops);
}

static uint64_t subrange_count(struct importer *im, LLVMMetadataRef range)
{
	operands_t ops = operands_of(im, range);
	uint64_t n = 0;

	if (ops.n && ops.at[0] && LLVMIsAConstantInt(ops.at[0]))
		n = (uint64_t)LLVMConstIntGetSExtValue(ops.at[0]);
	vec_release(&ops);
	return n == UINT64_MAX ? 0 : n;
}

static void finish_array(struct importer *im, uint32_t id, uint64_t count, uint32_t elem)
{
	struct ir_dtype *d = &im->p->dtypes.at[id];

	d->kind = IR_D_ARRAY;
	d->elem = elem;
	d->count = count;
	d->size = count * im->p->dtypes.at[elem].size;
}

/* int a[3][4]: an array of 3 arrays of 4 */
static void add_dimensions(struct importer *im, LLVMMetadataRef md, uint32_t id, uint32_t elem)
{
	operands_t dims = operands_of(im, md_operand(im, md, DI_ELEMENTS));

	for (uint32_t i = dims.n; i--;) {
		LLVMMetadataRef range = dims.at[i] ? LLVMValueAsMetadata(dims.at[i]) : NULL;
		uint64_t count = range ? subrange_count(im, range) : 0;

		if (i) {
			(void)vec_add(&im->p->dtypes);
			finish_array(im, im->p->dtypes.n - 1, count, elem);
			elem = im->p->dtypes.n - 1;
		} else {
			finish_array(im, id, count, elem);
		}
	}
	vec_release(&dims);
}

static void fill_type(struct importer *im, LLVMMetadataRef md, uint32_t id, size_t tag)
{
	uint8_t kind = tags[tag].kind;
	uint32_t elem = 0, name = 0;
	const char *s;
	size_t n;

	s = tags[tag].name;
	if (s)
		name = intern_str(&im->p->strs, s);
	else if ((s = LLVMDITypeGetName(md, &n)))
		name = str_id(im, s, n);
	im->p->dtypes.at[id].kind = kind;
	im->p->dtypes.at[id].name = name;
	im->p->dtypes.at[id].size = LLVMDITypeGetSizeInBits(md) / 8;
	if (kind == IR_D_FUNC)
		elem = dtype_of(im, md_operand(im, md_operand(im, md, DI_BASE_TYPE), 0));
	else if (kind != IR_D_BASE)
		elem = dtype_of(im, md_operand(im, md, DI_BASE_TYPE));
	im->p->dtypes.at[id].elem = elem;
	if (kind == IR_D_STRUCT || kind == IR_D_UNION)
		add_fields(im, md, id);
	else if (kind == IR_D_ARRAY)
		add_dimensions(im, md, id, elem);
	else if (kind == IR_D_TYPEDEF || kind == IR_D_CV)
		im->p->dtypes.at[id].size = im->p->dtypes.at[elem].size;
}

uint32_t dtype_of(struct importer *im, LLVMMetadataRef md)
{
	uint64_t *slot;
	uint32_t id;
	uint16_t tag;

	if (!md || !is_type(md))
		return 0;
	slot = map_get(&im->dtypes, map_ptr(md));
	if (slot)
		return (uint32_t)*slot;
	tag = LLVMGetDINodeTag(md);
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (tags[i].tag == tag) {
			(void)vec_add(&im->p->dtypes);
			id = im->p->dtypes.n - 1;
			*map_put(&im->dtypes, map_ptr(md)) = id;
			fill_type(im, md, id, i);
			return id;
		}
	*map_put(&im->dtypes, map_ptr(md)) = 0;
	return 0;
}
