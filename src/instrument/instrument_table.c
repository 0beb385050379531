#include "instrument/instrument_internal.h"

#include "runtime/hooks.h"

#include <stdlib.h>

/* Defines __heddle_image: the addresses of globals and functions, for the runtime. */

typedef VEC(LLVMValueRef) values_t;

static LLVMValueRef constant_array(
	struct instrumenter *it, const char *name, LLVMTypeRef elem, const values_t *v)
{
	LLVMValueRef init = LLVMConstArray2(elem, v->at, v->n);
	LLVMValueRef g = LLVMAddGlobal(it->m, LLVMTypeOf(init), name);

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, true);
	return g;
}

/* The table has the address of a library function only if the program takes that address too: a
 * function whose calls the optimizer removes must not become an undefined symbol. */
static bool takes_address(LLVMValueRef f)
{
	LLVMUseRef u = LLVMGetFirstUse(f);

	if (!LLVMIsDeclaration(f))
		return true;
	for (; u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		bool call = LLVMIsACallInst(user) || LLVMIsAInvokeInst(user);

		if (!call || LLVMGetCalledValue(user) != f)
			return true;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == f)
				return true;
	}
	return false;
}

static LLVMValueRef func_table(struct instrumenter *it)
{
	values_t v = {0};
	LLVMValueRef g;

	vec_each (&it->funcs, i) {
		LLVMValueRef f = it->funcs.at[i].entry;

		vec_push(&v, f && takes_address(f) ? f : LLVMConstNull(it->ptr));
	}
	g = constant_array(it, "heddle.funcs", it->ptr, &v);
	vec_release(&v);
	return g;
}

static bool is_tls(const struct instrumenter *it, uint32_t id)
{
	return it->p->globals.at[id].flags & IR_G_TLS;
}

static LLVMValueRef global_table(struct instrumenter *it, uint32_t *n)
{
	values_t v = {0};
	LLVMValueRef g;

	vec_each (&it->globals, i)
		if (!is_tls(it, i))
			vec_push(
				&v, it->globals.at[i] ? it->globals.at[i] : LLVMConstNull(it->ptr));
	*n = v.n;
	g = constant_array(it, "heddle.globals", it->ptr, &v);
	vec_release(&v);
	return g;
}

static LLVMValueRef size_table(struct instrumenter *it)
{
	values_t v = {0};
	LLVMValueRef g;

	vec_each (&it->globals, i) {
		const struct ir_global *x = &it->p->globals.at[i];

		if (!is_tls(it, i))
			vec_push(&v,
				it_k64(it, x->flags & (IR_G_EXTERN | IR_G_CONST) ? 0 : x->size));
	}
	g = constant_array(it, "heddle.sizes", it->i64, &v);
	vec_release(&v);
	return g;
}

/* A function that stores the addresses of the thread-local variables of the calling thread. */
static LLVMValueRef tls_function(struct instrumenter *it, uint32_t *n)
{
	LLVMValueRef f = LLVMAddFunction(
		it->m, "heddle.tls", LLVMFunctionType(it->void_, &it->ptr, 1, false));
	LLVMValueRef out = LLVMGetParam(f, 0);

	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(it->b, LLVMAppendBasicBlockInContext(it->c, f, "entry"));
	LLVMSetCurrentDebugLocation2(it->b, NULL);
	*n = 0;
	vec_each (&it->globals, i)
		if (is_tls(it, i))
			LLVMBuildStore(it->b,
				it->globals.at[i] ? it->globals.at[i] : LLVMConstNull(it->ptr),
				it_offset(it, out, 8 * (*n)++));
	LLVMBuildRetVoid(it->b);
	return f;
}

void table_make(struct instrumenter *it, bool whole)
{
	uint32_t nglobals, ntls;
	LLVMValueRef globals = global_table(it, &nglobals), tls = tls_function(it, &ntls);
	LLVMValueRef fields[] = {it_k64(it, it->pl->hash), it_k32(it, nglobals),
		it_k32(it, it->funcs.n), it_k32(it, ntls),
		it_k32(it, whole ? HEDDLE_IMAGE_WHOLE : 0), globals, func_table(it), tls,
		size_table(it)};
	LLVMValueRef init = LLVMConstStructInContext(it->c, fields, ARRAY_SIZE(fields), false);
	LLVMValueRef g = LLVMAddGlobal(it->m, LLVMTypeOf(init), "__heddle_image");

	BUG_ON(LLVMABISizeOfType(it->td, LLVMTypeOf(init)) != sizeof(struct heddle_image));
	LLVMSetInitializer(g, init);
	LLVMSetVisibility(g, LLVMHiddenVisibility);
	LLVMSetGlobalConstant(g, true);
}
