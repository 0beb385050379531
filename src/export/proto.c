#include "export/export_internal.h"

#include "base/hash.h"
#include "base/strbuf.h"

#include <llvm-c/IRReader.h>
#include <string.h>

/* ---- parsing ----------------------------------------------------------------------------- */

/* The function that the declaration declares; NULL and *why if LLVM refuses it. */
static LLVMValueRef parse_declaration(
	struct exporter *x, const char *s, size_t n, const char *attrs, char **why)
{
	struct strbuf b = {0};
	LLVMMemoryBufferRef buf;
	LLVMModuleRef m = NULL;
	char *message = NULL;
	LLVMValueRef v;

	strbuf_adds(&b, "declare ");
	strbuf_add(&b, s, n);
	strbuf_addf(&b, " %s\n", attrs);
	buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(b.s, b.n, "signature");
	if (LLVMParseIRInContext(x->ctx, buf, &m, &message)) {
		*why = xasprintf("LLVM refuses the signature '%.*s'", (int)b.n - 1, b.s);
		LLVMDisposeMessage(message);
		strbuf_release(&b);
		return NULL;
	}
	vec_push(&x->scratch, m);
	v = LLVMGetNamedFunction(m, "_");
	if (!v)
		*why = xasprintf("'%.*s' is not the declaration of a function", (int)b.n - 1, b.s);
	strbuf_release(&b);
	return v;
}

const struct proto *proto_get(struct exporter *x, const char *text, const char *attrs, char **why)
{
	uint64_t key = hash_bytes(text, strlen(text)) ^ hash_u64(hash_bytes(attrs, strlen(attrs)));
	const char *second = strstr(text, "; ");
	uint64_t *slot = map_get(&x->protos, key);
	struct proto p = {0}, *copy;

	if (slot)
		return (const struct proto *)(uintptr_t)*slot;
	p.decl = parse_declaration(
		x, text, second ? (size_t)(second - text) : strlen(text), attrs, why);
	if (!p.decl)
		return NULL;
	p.type = LLVMGlobalGetValueType(p.decl);
	if (second) {
		p.variable = parse_declaration(x, second + 2, strlen(second + 2), "", why);
		if (!p.variable)
			return NULL;
	}
	copy = arena_memdup(&x->arena, &p, sizeof p);
	*map_put(&x->protos, key) = map_ptr(copy);
	return copy;
}

/* ---- values of any type from scalars, and back ------------------------------------------- */

static bool is_wide(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) > 128;
}

static unsigned element_count(LLVMTypeRef t)
{
	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(t);
	case LLVMArrayTypeKind: return (unsigned)LLVMGetArrayLength2(t);
	case LLVMVectorTypeKind: return LLVMGetVectorSize(t);
	default: return 0;
	}
}

static LLVMTypeRef element_type(LLVMTypeRef t, unsigned i)
{
	return LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, i)
							: LLVMGetElementType(t);
}

static bool is_composite(LLVMTypeRef t)
{
	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind: return true;
	default: return false;
	}
}

/* bfloat is half in the IR: both are 16 bits that no operation computes with */
static LLVMValueRef cast_scalar(struct body *o, LLVMValueRef v, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(v);
	LLVMTypeKind a = LLVMGetTypeKind(from), b = LLVMGetTypeKind(to);

	if (from == to)
		return v;
	if ((a == LLVMHalfTypeKind && b == LLVMBFloatTypeKind) ||
		(a == LLVMBFloatTypeKind && b == LLVMHalfTypeKind))
		return LLVMBuildBitCast(o->x->b, v, to, "");
	return NULL;
}

static LLVMValueRef take_operand(struct body *o, struct operands *from)
{
	LLVMValueRef v;

	if (!from->n)
		return NULL;
	v = body_use(o, from->at[0]);
	from->at += from->step;
	from->n--;
	return v;
}

static LLVMValueRef gather_wide(struct body *o, LLVMTypeRef t, struct operands *from)
{
	LLVMBuilderRef b = o->x->b;
	LLVMValueRef sum = LLVMConstNull(t), limb;
	unsigned bits = LLVMGetIntTypeWidth(t);

	for (unsigned at = 0; at < bits; at += 64) {
		limb = take_operand(o, from);
		if (!limb || LLVMGetTypeKind(LLVMTypeOf(limb)) != LLVMIntegerTypeKind)
			return NULL;
		limb = LLVMBuildZExt(b, limb, t, "");
		limb = LLVMBuildShl(b, limb, LLVMConstInt(t, at, false), "");
		sum = LLVMBuildOr(b, sum, limb, "");
	}
	return sum;
}

LLVMValueRef proto_gather(struct body *o, LLVMTypeRef t, struct operands *from)
{
	LLVMBuilderRef b = o->x->b;
	bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
	unsigned n = element_count(t);
	LLVMValueRef whole, v;

	if (is_wide(t))
		return gather_wide(o, t, from);
	if (!is_composite(t)) {
		v = take_operand(o, from);
		return v ? cast_scalar(o, v, t) : NULL;
	}
	whole = LLVMGetPoison(t);
	for (unsigned i = 0; i < n; i++) {
		v = proto_gather(o, element_type(t, i), from);
		if (!v)
			return NULL;
		whole = vector ? LLVMBuildInsertElement(
					 b, whole, v, LLVMConstInt(o->x->types[64], i, false), "")
			       : LLVMBuildInsertValue(b, whole, v, i, "");
	}
	return whole;
}

static bool scatter_scalar(struct body *o, LLVMValueRef v, uint32_t *reg, uint32_t end)
{
	if (*reg >= end)
		return false;
	v = cast_scalar(o, v, o->x->types[o->f->regs.at[*reg].type]);
	if (!v)
		return false;
	body_def(o, (*reg)++, v);
	return true;
}

bool proto_scatter(struct body *o, LLVMValueRef v, LLVMTypeRef t, uint32_t *reg, uint32_t end)
{
	LLVMBuilderRef b = o->x->b;
	bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
	unsigned n = element_count(t);

	if (is_wide(t)) {
		unsigned bits = LLVMGetIntTypeWidth(t);

		for (unsigned at = 0; at < bits; at += 64) {
			LLVMValueRef limb = LLVMBuildLShr(b, v, LLVMConstInt(t, at, false), "");

			limb = LLVMBuildTrunc(b, limb, o->x->types[MIN(bits - at, 64u)], "");
			if (!scatter_scalar(o, limb, reg, end))
				return false;
		}
		return true;
	}
	if (!is_composite(t))
		return scatter_scalar(o, v, reg, end);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef e = vector ? LLVMBuildExtractElement(
						  b, v, LLVMConstInt(o->x->types[64], i, false), "")
					: LLVMBuildExtractValue(b, v, i, "");

		if (!proto_scatter(o, e, element_type(t, i), reg, end))
			return false;
	}
	return true;
}
