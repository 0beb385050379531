#include "import/import_internal.h"

#include "base/diag.h"

#include <string.h>

/* Initializers of globals: bytes, and relocations for addresses. */

/* bytes; a larger initializer that is not zero is an error of the input */
enum { MAX_INIT = 1 << 30 };

struct init {
	struct importer *im;
	uint8_t *bytes;
	uint64_t size;
	VEC(struct ir_reloc) relocs;
	const char *bad; /* description of the first part that cannot be expressed; NULL: none */
};

static void put_value(struct init *in, LLVMValueRef v, uint64_t at);

static void put_scalar(struct init *in, LLVMValueRef v, uint64_t at)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	uint64_t n = LLVMStoreSizeOfType(in->im->td, t);
	struct ir_const c;

	if (LLVMGetValueKind(v) == LLVMConstantIntValueKind ||
		LLVMGetValueKind(v) == LLVMConstantFPValueKind) {
		const_bytes(in->im, v, in->bytes + at, n);
		return;
	}
	if (!const_eval(in->im, v, &c)) {
		if (!in->bad)
			in->bad = "an address that is not a relocation";
		return;
	}
	switch (c.kind) {
	case IR_C_UNDEF: return;
	case IR_C_BITS:
		memcpy(in->bytes + at, &c.lo, MIN(n, 8));
		if (n > 8)
			memcpy(in->bytes + at + 8, &c.hi, MIN(n - 8, 8));
		return;
	default:
		vec_push(&in->relocs,
			(struct ir_reloc){
				.offset = at, .kind = c.kind, .id = c.id, .addend = (int64_t)c.lo});
	}
}

static void put_elements(struct init *in, LLVMValueRef v, uint64_t at, uint64_t n)
{
	LLVMTypeRef t = LLVMTypeOf(v), elem = LLVMGetElementType(t);
	uint64_t step = type_is_vector(t) ? LLVMSizeOfTypeInBits(in->im->td, elem) / 8
					  : LLVMABISizeOfType(in->im->td, elem);

	for (uint64_t i = 0; i < n; i++)
		put_value(in, LLVMGetAggregateElement(v, (unsigned)i), at + i * step);
}

static void put_data(struct init *in, LLVMValueRef v, uint64_t at, uint64_t n)
{
	size_t len;
	const char *s = compat_data_bytes(v, &len);

	if (!s) {
		put_elements(in, v, at, n);
		return;
	}
	memcpy(in->bytes + at, s, MIN(len, in->size - at));
}

/* <N x i1> and similar: lanes are adjacent without padding bits */
static void put_packed(struct init *in, LLVMValueRef v, uint64_t at)
{
	unsigned n = LLVMGetVectorSize(LLVMTypeOf(v));
	uint64_t bits = LLVMSizeOfTypeInBits(in->im->td, LLVMGetElementType(LLVMTypeOf(v)));
	uint8_t b[16];

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef e = LLVMGetAggregateElement(v, i);

		if (!e || LLVMGetValueKind(e) != LLVMConstantIntValueKind || bits > 128)
			continue;
		const_bytes(in->im, e, b, sizeof b);
		for (uint64_t k = 0; k < bits; k++)
			if (b[k / 8] >> (k % 8) & 1)
				in->bytes[at + (i * bits + k) / 8] |=
					(uint8_t)(1 << (i * bits + k) % 8);
	}
}

static void put_struct(struct init *in, LLVMValueRef v, uint64_t at)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	unsigned n = LLVMCountStructElementTypes(t);

	for (unsigned i = 0; i < n; i++)
		put_value(in, LLVMGetAggregateElement(v, i),
			at + LLVMOffsetOfElement(in->im->td, t, i));
}

static void put_value(struct init *in, LLVMValueRef v, uint64_t at)
{
	LLVMTypeRef t;

	if (!v || at >= in->size)
		return;
	t = LLVMTypeOf(v);
	switch (LLVMGetValueKind(v)) {
	case LLVMConstantAggregateZeroValueKind:
	case LLVMConstantPointerNullValueKind:
	case LLVMUndefValueValueKind:
	case LLVMPoisonValueValueKind: return;
	case LLVMConstantDataArrayValueKind: put_data(in, v, at, LLVMGetArrayLength2(t)); return;
	case LLVMConstantArrayValueKind: put_elements(in, v, at, LLVMGetArrayLength2(t)); return;
	case LLVMConstantDataVectorValueKind:
	case LLVMConstantVectorValueKind:
		if (layout_of(in->im, t)->packed)
			put_packed(in, v, at);
		else
			put_elements(in, v, at, LLVMGetVectorSize(t));
		return;
	case LLVMConstantStructValueKind: put_struct(in, v, at); return;
	default: put_scalar(in, v, at);
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct ir_reloc *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void global_import(struct importer *im, LLVMValueRef v, uint32_t id)
{
	LLVMValueRef value = LLVMGetInitializer(v);
	struct init in = {.im = im, .size = im->p->globals.at[id].size};
	struct ir_global *g;

	if (!value || LLVMIsNull(value) || LLVMIsUndef(value) || !in.size)
		return;
	if (in.size > MAX_INIT) {
		error_("initializer of '%s' in '%s' is too large", LLVMGetValueName(v), im->name);
		im->failed = true;
		return;
	}
	in.bytes = arena_alloc(&im->p->arena, in.size);
	put_value(&in, value, 0);
	g = &im->p->globals.at[id]; /* put_value() may have added globals, which moves the vector */
	if (in.bad) {
		/* the bytes are wrong; an extern has unknown bytes instead */
		warn_("initializer of '%s' in '%s' contains %s: treated as external",
			LLVMGetValueName(v), im->name, in.bad);
		g->flags |= IR_G_EXTERN | IR_G_INEXACT;
		vec_release(&in.relocs);
		return;
	}
	if (in.relocs.n)
		qsort(in.relocs.at, in.relocs.n, sizeof *in.relocs.at, by_offset);
	g->init = in.bytes;
	vec_release(&g->relocs);
	g->relocs.at = in.relocs.at;
	g->relocs.n = in.relocs.n;
	g->relocs.cap = in.relocs.cap;
}
