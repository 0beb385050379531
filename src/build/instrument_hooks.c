#include "build/instrumenter.h"

#include "log/format.h"

#include <string.h>

/* The hooks of runtime/hooks.h, and the pieces of code that branch. */

/* ---- alias analysis ---------------------------------------------------------------------- */

static LLVMMetadataRef md_string(struct instrumenter *it, const char *s)
{
	return LLVMMDStringInContext2(it->c, s, strlen(s));
}

/*
 * Types of their own for what the runtime owns. Their root is not that of C's types, so nothing is
 * promised about the program's memory: a logged load is read again after each store into the log, and
 * a loop that waits for a plain variable stays one.
 */
static void make_tags(struct instrumenter *it)
{
	static const char *const names[OWN_N] = {
		"control pointer", "cursor", "end", "hash", "native", "log"};
	LLVMMetadataRef name = md_string(it, "heddle"), zero, root;

	root = LLVMMDNodeInContext2(it->c, &name, 1);
	zero = LLVMValueAsMetadata(it_k64(it, 0));
	for (int i = 0; i < OWN_N; i++) {
		LLVMMetadataRef type[] = {md_string(it, names[i]), root, zero};
		LLVMMetadataRef t = LLVMMDNodeInContext2(it->c, type, 3), tag[] = {t, t, zero};

		it->own[i] = LLVMMetadataAsValue(it->c, LLVMMDNodeInContext2(it->c, tag, 3));
	}
	it->tbaa = LLVMGetMDKindIDInContext(it->c, "tbaa", 4);
	it->prof = LLVMGetMDKindIDInContext(it->c, "prof", 4);
}

LLVMValueRef own_load(struct instrumenter *it, enum own_memory k, LLVMTypeRef t, LLVMValueRef p)
{
	LLVMValueRef v = LLVMBuildLoad2(it->b, t, p, "");

	LLVMSetMetadata(v, it->tbaa, it->own[k]);
	return v;
}

LLVMValueRef own_store(struct instrumenter *it, enum own_memory k, LLVMValueRef v, LLVMValueRef p)
{
	LLVMValueRef s = LLVMBuildStore(it->b, v, p);

	LLVMSetMetadata(s, it->tbaa, it->own[k]);
	if (k == OWN_LOG)
		LLVMSetAlignment(s, 1);
	return s;
}

LLVMValueRef it_offset(struct instrumenter *it, LLVMValueRef p, uint64_t bytes)
{
	LLVMValueRef k = it_k64(it, bytes);

	return bytes ? LLVMBuildInBoundsGEP2(it->b, it->i8, p, &k, 1, "") : p;
}

LLVMValueRef own_field(struct instrumenter *it, enum own_memory k, LLVMValueRef ctl)
{
	static const size_t offset[OWN_N] = {
		[OWN_CURSOR] = offsetof(struct log_ctl, cur),
		[OWN_END] = offsetof(struct log_ctl, end),
		[OWN_HASH] = offsetof(struct log_ctl, hash),
		[OWN_NATIVE] = offsetof(struct log_ctl, native),
	};

	return it_offset(it, ctl, offset[k]);
}

/* ---- declarations ------------------------------------------------------------------------ */

LLVMValueRef it_call(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n)
{
	return LLVMBuildCall2(it->b, LLVMGlobalGetValueType(f), f, args, n, "");
}

static LLVMValueRef declare(
	struct instrumenter *it, const char *name, LLVMTypeRef ret, LLVMTypeRef *params, unsigned n)
{
	LLVMValueRef f = LLVMGetNamedFunction(it->m, name);

	if (f)
		return f;
	f = LLVMAddFunction(it->m, name, LLVMFunctionType(ret, params, n, false));
	LLVMSetVisibility(f, LLVMHiddenVisibility);
	return f;
}

static void add_attr(struct instrumenter *it, LLVMValueRef f, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(it->c, kind, 0));
}

static LLVMValueRef bound(struct instrumenter *it, const char *name)
{
	LLVMValueRef g = LLVMAddGlobal(it->m, it->i8, name);

	LLVMSetLinkage(g, LLVMExternalWeakLinkage);
	LLVMSetVisibility(g, LLVMHiddenVisibility);
	return g;
}

static void declare_all(struct instrumenter *it)
{
	struct hooks *h = &it->h;
	LLVMTypeRef ptr_u64[] = {it->ptr, it->i64}, copy[] = {it->ptr, it->ptr, it->i64};
	LLVMTypeRef effect[] = {it->i32, it->i64, it->ptr, it->i32};
	LLVMTypeRef jump[] = {it->ptr, it->i32}, callback[] = {it->i32, it->ptr, it->i32};

	h->ctl = LLVMAddGlobal(it->m, it->ptr, "__heddle_ctl");
	LLVMSetThreadLocalMode(h->ctl, LLVMInitialExecTLSModel);
	LLVMSetVisibility(h->ctl, LLVMHiddenVisibility);
	h->text_start = bound(it, "__start_heddle_text");
	h->text_stop = bound(it, "__stop_heddle_text");
	h->bytes = declare(it, "__heddle_bytes", it->void_, ptr_u64, 2);
	h->copy = declare(it, "__heddle_copy", it->void_, copy, 3);
	h->ret = declare(it, "__heddle_return", it->void_, NULL, 0);
	h->effect = declare(it, "__heddle_effect", it->void_, effect, 4);
	h->setjmp_ = declare(it, "__heddle_setjmp", it->void_, jump, 2);
	h->callback = declare(it, "__heddle_callback", it->void_, callback, 3);
	h->callback_end = declare(it, "__heddle_callback_end", it->void_, NULL, 0);
	h->vararg = declare(it, "__heddle_vararg_callback", it->void_, NULL, 0);
}

/* ---- functions that branch --------------------------------------------------------------- */

static LLVMValueRef define(
	struct instrumenter *it, const char *name, LLVMTypeRef ret, LLVMTypeRef *params, unsigned n)
{
	LLVMValueRef f = LLVMAddFunction(it->m, name, LLVMFunctionType(ret, params, n, false));

	LLVMSetLinkage(f, LLVMInternalLinkage);
	add_attr(it, f, "nounwind");
	LLVMPositionBuilderAtEnd(it->b, LLVMAppendBasicBlockInContext(it->c, f, "entry"));
	return f;
}

static void rarely(struct instrumenter *it, LLVMValueRef branch)
{
	LLVMMetadataRef w[] = {LLVMMDStringInContext2(it->c, "branch_weights", 14),
		LLVMValueAsMetadata(it_k32(it, 1)), LLVMValueAsMetadata(it_k32(it, 1 << 20))};

	LLVMSetMetadata(
		branch, it->prof, LLVMMetadataAsValue(it->c, LLVMMDNodeInContext2(it->c, w, 3)));
}

/* The slow way saves every register, so that the fast way need not be ready for a call. */
enum { PRESERVE_ALL = 15 };

static LLVMValueRef define_refill(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->i64};
	LLVMValueRef hook = declare(it, "__heddle_refill", it->ptr, params, 2), f, args[2];

	f = define(it, "heddle.refill", it->ptr, params, 2);
	add_attr(it, f, "noinline");
	add_attr(it, f, "cold");
	LLVMSetFunctionCallConv(f, PRESERVE_ALL);
	LLVMGetParams(f, args);
	LLVMBuildRet(it->b, it_call(it, hook, args, 2));
	return f;
}

/* reserve(ctl, cursor, n): where n bytes may go */
static LLVMValueRef define_reserve(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->ptr, it->i64};
	LLVMValueRef refill = define_refill(it), f, p[3], next, end, branch, fresh, at, values[2];
	LLVMBasicBlockRef from[3];

	f = define(it, "heddle.reserve", it->ptr, params, 3);
	add_attr(it, f, "alwaysinline");
	from[0] = LLVMGetEntryBasicBlock(f);
	from[1] = LLVMAppendBasicBlockInContext(it->c, f, "full");
	from[2] = LLVMAppendBasicBlockInContext(it->c, f, "ready");
	LLVMGetParams(f, p);
	next = LLVMBuildGEP2(it->b, it->i8, p[1], &p[2], 1, "");
	end = own_load(it, OWN_END, it->ptr, own_field(it, OWN_END, p[0]));
	branch = LLVMBuildCondBr(it->b, LLVMBuildICmp(it->b, LLVMIntUGT, next, end, ""), from[1],
		from[2]);
	rarely(it, branch);
	LLVMPositionBuilderAtEnd(it->b, from[1]);
	fresh = it_call(it, refill, p + 1, 2);
	LLVMSetInstructionCallConv(fresh, PRESERVE_ALL);
	LLVMBuildBr(it->b, from[2]);
	LLVMPositionBuilderAtEnd(it->b, from[2]);
	at = LLVMBuildPhi(it->b, it->ptr, "");
	values[0] = p[1];
	values[1] = fresh;
	LLVMAddIncoming(at, values, from, 2);
	next = LLVMBuildGEP2(it->b, it->i8, at, &p[2], 1, "");
	LLVMSetVolatile(own_store(it, OWN_CURSOR, next, own_field(it, OWN_CURSOR, p[0])), true);
	LLVMBuildRet(it->b, at);
	return f;
}

/* if (condition) the body that is written next; returns where it goes on */
static LLVMBasicBlockRef build_if(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition)
{
	LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(it->c, f, "native");
	LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(it->c, f, "done");

	LLVMBuildCondBr(it->b, condition, yes, done);
	LLVMPositionBuilderAtEnd(it->b, yes);
	return done;
}

static LLVMValueRef load_native(struct instrumenter *it, LLVMValueRef ctl)
{
	LLVMValueRef v = own_load(it, OWN_NATIVE, it->i32, own_field(it, OWN_NATIVE, ctl));

	return LLVMBuildICmp(it->b, LLVMIntNE, v, it_k32(it, 0), "");
}

/* after_indirect(native, results, n): ends an indirect call of native code */
static LLVMValueRef define_after_indirect(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->i1, it->ptr, it->i64};
	LLVMValueRef f = define(it, "heddle.after_indirect", it->void_, params, 3), p[3];
	LLVMBasicBlockRef done, some;

	add_attr(it, f, "alwaysinline");
	LLVMGetParams(f, p);
	done = build_if(it, f, p[0]);
	it_call(it, it->h.ret, NULL, 0);
	some = build_if(it, f, LLVMBuildICmp(it->b, LLVMIntNE, p[2], it_k64(it, 0), ""));
	it_call(it, it->h.bytes, p + 1, 2);
	LLVMBuildBr(it->b, some);
	LLVMPositionBuilderAtEnd(it->b, some);
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
	LLVMBuildRetVoid(it->b);
	return f;
}

/* check_vararg(ctl) */
static LLVMValueRef define_check_vararg(struct instrumenter *it)
{
	LLVMValueRef f = define(it, "heddle.check_vararg", it->void_, &it->ptr, 1);
	LLVMBasicBlockRef done;

	add_attr(it, f, "alwaysinline");
	done = build_if(it, f, load_native(it, LLVMGetParam(f, 0)));
	it_call(it, it->h.vararg, NULL, 0);
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
	LLVMBuildRetVoid(it->b);
	return f;
}

/* enter(ctl, function, words, n): whether native code called */
static LLVMValueRef define_enter(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->i32, it->ptr, it->i32};
	LLVMValueRef f = define(it, "heddle.enter", it->i1, params, 4), p[4], native;
	LLVMBasicBlockRef done;

	add_attr(it, f, "alwaysinline");
	LLVMGetParams(f, p);
	native = load_native(it, p[0]);
	done = build_if(it, f, native);
	it_call(it, it->h.callback, p + 1, 3);
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
	LLVMBuildRet(it->b, native);
	return f;
}

/* leave(what enter gave) */
static LLVMValueRef define_leave(struct instrumenter *it)
{
	LLVMValueRef f = define(it, "heddle.leave", it->void_, &it->i1, 1);
	LLVMBasicBlockRef done;

	add_attr(it, f, "alwaysinline");
	done = build_if(it, f, LLVMGetParam(f, 0));
	it_call(it, it->h.callback_end, NULL, 0);
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
	LLVMBuildRetVoid(it->b);
	return f;
}

void hooks_declare(struct instrumenter *it)
{
	make_tags(it);
	declare_all(it);
	it->h.reserve = define_reserve(it);
	it->h.after_indirect = define_after_indirect(it);
	it->h.check_vararg = define_check_vararg(it);
	it->h.enter = define_enter(it);
	it->h.leave = define_leave(it);
}
