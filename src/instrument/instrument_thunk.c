#include "instrument/instrument_internal.h"

#include <stdlib.h>

/* Thunks: the entries of traced functions for callers that are not traced. */

#define TEXT_SECTION "heddle_text"

/* ---- parameters as words ----------------------------------------------------------------- */

static uint32_t words_of(struct instrumenter *it, LLVMValueRef v)
{
	return LLVMSizeOfTypeInBits(it->td, LLVMTypeOf(v)) > 64 ? 2 : 1;
}

/* Stores the words of the parameters into the array and counts them; array == NULL: only counts. */
static uint32_t put_words(struct instrumenter *it, LLVMValueRef f, LLVMValueRef array)
{
	unsigned nparams = LLVMCountParams(f);
	struct scalars s = {0};
	LLVMTypeRef wide = it_int(it, 128);
	uint32_t n = 0;

	for (unsigned i = 0; i < nparams; i++)
		scalars_of(it, LLVMGetParam(f, i), &s);
	vec_each (&s.v, i) {
		LLVMValueRef v = s.v.at[i];

		if (array)
			LLVMBuildStore(it->b, it_word(it, v), it_offset(it, array, 8 * n));
		if (array && words_of(it, v) == 2) {
			v = LLVMBuildZExtOrBitCast(it->b, it_bits(it, v), wide, "");
			v = LLVMBuildLShr(it->b, v, LLVMConstInt(wide, 64, false), "");
			v = LLVMBuildTrunc(it->b, v, it->i64, "");
			LLVMBuildStore(it->b, v, it_offset(it, array, 8 * n + 8));
		}
		n += words_of(it, s.v.at[i]);
	}
	scalars_release(&s);
	return n;
}

uint32_t thunk_nwords(struct instrumenter *it, LLVMValueRef f)
{
	return put_words(it, f, NULL);
}

void thunk_words(struct instrumenter *it, LLVMValueRef f, LLVMValueRef array)
{
	put_words(it, f, array);
}

/* ---- attributes -------------------------------------------------------------------------- */

typedef void (*add_attribute)(LLVMValueRef v, LLVMAttributeIndex i, LLVMAttributeRef a);

static void copy_attributes(
	LLVMValueRef from, LLVMAttributeIndex i, LLVMValueRef to, add_attribute add)
{
	unsigned n = LLVMGetAttributeCountAtIndex(from, i);
	LLVMAttributeRef *a = xcalloc(n + 1, sizeof *a);

	LLVMGetAttributesAtIndex(from, i, a);
	for (unsigned k = 0; k < n; k++)
		add(to, i, a[k]);
	free(a);
}

/* Copies the attributes of the result and the parameters: how they are passed. */
static void copy_passing(LLVMValueRef from, LLVMValueRef to, add_attribute add)
{
	unsigned n = LLVMCountParams(from);

	for (unsigned i = 0; i <= n; i++)
		copy_attributes(from, i, to, add);
}

static void drop_attribute(LLVMValueRef f, const char *name, size_t n)
{
	LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMGetEnumAttributeKindForName(name, n));
}

/* ---- the thunk --------------------------------------------------------------------------- */

static LLVMValueRef call_body(struct instrumenter *it, LLVMValueRef body, LLVMValueRef thunk)
{
	unsigned n = LLVMCountParams(thunk);
	LLVMValueRef *args = xcalloc(n + 1, sizeof *args), r;

	LLVMGetParams(thunk, args);
	r = it_call(it, body, args, n);
	LLVMSetInstructionCallConv(r, LLVMGetFunctionCallConv(body));
	copy_passing(body, r, LLVMAddCallSiteAttribute);
	if (it->h.point) /* a thunk has no debug information: an inlined body would lose its own */
		LLVMAddCallSiteAttribute(r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(
				it->c, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
	free(args);
	return r;
}

static void build_return(struct instrumenter *it, LLVMValueRef r)
{
	if (LLVMGetTypeKind(LLVMTypeOf(r)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(it->b);
	else
		LLVMBuildRet(it->b, r);
}

static void write_thunk(struct instrumenter *it, uint32_t id, LLVMValueRef body, LLVMValueRef thunk)
{
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(it->c, thunk, "entry");
	LLVMBasicBlockRef native = LLVMAppendBasicBlockInContext(it->c, thunk, "native");
	LLVMBasicBlockRef traced = LLVMAppendBasicBlockInContext(it->c, thunk, "traced");
	LLVMValueRef args[3], v, r;
	uint32_t n;

	LLVMPositionBuilderAtEnd(it->b, entry);
	LLVMSetCurrentDebugLocation2(it->b, NULL);
	n = thunk_nwords(it, thunk);
	args[0] = it_k32(it, id);
	args[1] = LLVMBuildAlloca(it->b, LLVMArrayType2(it->i64, n), "");
	args[2] = it_k32(it, n);
	v = own_load(it, OWN_CTL, it->ptr, it->h.ctl);
	v = own_load(it, OWN_NATIVE, it->i32, own_field(it, OWN_NATIVE, v));
	v = LLVMBuildICmp(it->b, LLVMIntNE, v, it_k32(it, 0), "");
	LLVMBuildCondBr(it->b, v, native, traced);
	LLVMPositionBuilderAtEnd(it->b, traced);
	build_return(it, call_body(it, body, thunk));
	LLVMPositionBuilderAtEnd(it->b, native);
	thunk_words(it, thunk, args[1]);
	it_call(it, it->h.callback, args, 3);
	r = call_body(it, body, thunk);
	it_call(it, it->h.callback_end, NULL, 0);
	build_return(it, r);
}

static LLVMValueRef declare_thunk(struct instrumenter *it, LLVMValueRef body)
{
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMValueRef thunk;
	char *name, *inner;
	size_t n;

	name = xstrdup(LLVMGetValueName2(body, &n));
	inner = xasprintf("%s.heddle", name);
	LLVMSetValueName2(body, inner, n + 7);
	thunk = LLVMAddFunction(it->m, name, LLVMGlobalGetValueType(body));
	LLVMSetLinkage(thunk, LLVMGetLinkage(body));
	LLVMSetVisibility(thunk, LLVMGetVisibility(body));
	LLVMSetUnnamedAddress(thunk, LLVMGetUnnamedAddress(body));
	LLVMSetFunctionCallConv(thunk, LLVMGetFunctionCallConv(body));
	LLVMSetAlignment(thunk, LLVMGetAlignment(body));
	LLVMSetSection(thunk, TEXT_SECTION);
	copy_attributes(body, whole, thunk, LLVMAddAttributeAtIndex);
	copy_passing(body, thunk, LLVMAddAttributeAtIndex);
	drop_attribute(thunk, "memory", 6);
	drop_attribute(thunk, "alwaysinline", 12);
	free(name);
	free(inner);
	return thunk;
}

/* The address of a block inside the function would refer to the thunk. */
static bool has_block_address(LLVMValueRef f)
{
	LLVMUseRef u = LLVMGetFirstUse(f);

	for (; u; u = LLVMGetNextUse(u))
		if (LLVMIsABlockAddress(LLVMGetUser(u)))
			return true;
	return false;
}

void thunk_make(struct instrumenter *it, uint32_t id)
{
	struct isym *s = &it->funcs.at[id];
	LLVMValueRef body = s->v;

	if (!it->pl->funcs[id].thunk) {
		s->entry = NULL;
		return;
	}
	if (it->p->funcs.at[id].flags & IR_FN_VARARG || has_block_address(body)) {
		s->checks = true;
		LLVMSetSection(body, TEXT_SECTION);
		return;
	}
	s->entry = declare_thunk(it, body);
	LLVMReplaceAllUsesWith(body, s->entry);
	LLVMSetComdat(s->entry, LLVMGetComdat(body));
	LLVMSetComdat(body, NULL);
	LLVMSetLinkage(body, LLVMInternalLinkage);
	LLVMSetVisibility(body, LLVMDefaultVisibility);
	write_thunk(it, id, body, s->entry);
}
