#include "instrument/instrument_internal.h"

#include "log/format.h"

#include <stdlib.h>
#include <string.h>

/* Declares the hooks of runtime/hooks.h and defines the functions that branch. */

/* ---- alias analysis ---------------------------------------------------------------------- */

static LLVMMetadataRef md_string(struct instrumenter *it, const char *s)
{
	return LLVMMDStringInContext2(it->c, s, strlen(s));
}

static LLVMValueRef md_list(struct instrumenter *it, LLVMMetadataRef *m, size_t n)
{
	return LLVMMetadataAsValue(it->c, LLVMMDNodeInContext2(it->c, m, n));
}

/* Loads and stores of the program never overlap memory of the runtime, so values may be loaded and
 * logged in any order inside a segment. A refill may change all memory, so a loop that waits for a
 * plain variable sees its change, with a delay. */
static void make_scope(struct instrumenter *it)
{
	LLVMMetadataRef domain = md_string(it, "heddle"), scope[2];

	scope[0] = md_string(it, "heddle log");
	scope[1] = LLVMMDNodeInContext2(it->c, &domain, 1);
	it->scope = LLVMMDNodeInContext2(it->c, scope, 2);
	it->alias_scope = LLVMGetMDKindIDInContext(it->c, "alias.scope", 11);
	it->noalias = LLVMGetMDKindIDInContext(it->c, "noalias", 7);
}

/* The instruction may have a list already, from inlining. */
void it_apart(struct instrumenter *it, LLVMValueRef access)
{
	LLVMValueRef had = LLVMGetMetadata(access, it->noalias), *old;
	unsigned n = had ? LLVMGetMDNodeNumOperands(had) : 0;
	LLVMMetadataRef *list = xcalloc(n + 1, sizeof *list);

	old = xcalloc(n + 1, sizeof(LLVMValueRef));
	if (had)
		LLVMGetMDNodeOperands(had, old);
	for (unsigned i = 0; i < n; i++)
		list[i] = LLVMValueAsMetadata(old[i]);
	list[n] = it->scope;
	LLVMSetMetadata(access, it->noalias, md_list(it, list, n + 1));
	free(old);
	free(list);
}

/* Makes a TBAA type for each kind of memory of the runtime: no two overlap. */
static void make_tags(struct instrumenter *it)
{
	static const char *const names[OWN_N] = {
		"control pointer", "cursor", "end", "hash", "native", "chunks", "log"};
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
	make_scope(it);
}

static void set_tags(struct instrumenter *it, LLVMValueRef access, enum own_memory k)
{
	LLVMSetMetadata(access, it->tbaa, it->own[k]);
	LLVMSetMetadata(access, it->alias_scope, md_list(it, &it->scope, 1));
}

LLVMValueRef own_load(struct instrumenter *it, enum own_memory k, LLVMTypeRef t, LLVMValueRef p)
{
	LLVMValueRef v = LLVMBuildLoad2(it->b, t, p, "");

	set_tags(it, v, k);
	return v;
}

LLVMValueRef own_store(struct instrumenter *it, enum own_memory k, LLVMValueRef v, LLVMValueRef p)
{
	LLVMValueRef s = LLVMBuildStore(it->b, v, p);

	set_tags(it, s, k);
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
		[OWN_CHUNKS] = offsetof(struct log_ctl, chunks),
	};

	return it_offset(it, ctl, offset[k]);
}

/* ---- declarations ------------------------------------------------------------------------ */

LLVMValueRef it_call(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n)
{
	return LLVMBuildCall2(it->b, LLVMGlobalGetValueType(f), f, args, n, "");
}

LLVMValueRef it_declare(
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

static LLVMValueRef declare_bound(struct instrumenter *it, const char *name)
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
	h->text_start = declare_bound(it, "__start_heddle_text");
	h->text_stop = declare_bound(it, "__stop_heddle_text");
	h->bytes = it_declare(it, "__heddle_bytes", it->void_, ptr_u64, 2);
	h->copy = it_declare(it, "__heddle_copy", it->void_, copy, 3);
	h->ret = it_declare(it, "__heddle_return", it->void_, NULL, 0);
	h->effect = it_declare(it, "__heddle_effect", it->void_, effect, 4);
	h->setjmp_ = it_declare(it, "__heddle_setjmp", it->void_, jump, 2);
	h->callback = it_declare(it, "__heddle_callback", it->void_, callback, 3);
	h->callback_end = it_declare(it, "__heddle_callback_end", it->void_, NULL, 0);
	h->vararg = it_declare(it, "__heddle_vararg_callback", it->void_, NULL, 0);
}

/* ---- functions that branch --------------------------------------------------------------- */

LLVMValueRef it_define(
	struct instrumenter *it, const char *name, LLVMTypeRef ret, LLVMTypeRef *params, unsigned n)
{
	LLVMValueRef f = LLVMAddFunction(it->m, name, LLVMFunctionType(ret, params, n, false));

	LLVMSetLinkage(f, LLVMInternalLinkage);
	add_attr(it, f, "nounwind");
	LLVMPositionBuilderAtEnd(it->b, LLVMAppendBasicBlockInContext(it->c, f, "entry"));
	return f;
}

void it_inline(struct instrumenter *it, LLVMValueRef f)
{
	add_attr(it, f, "alwaysinline");
}

enum { PRESERVE_ALL = 15 }; /* the calling convention of LLVM */

void it_slow(struct instrumenter *it, LLVMValueRef f)
{
	add_attr(it, f, "noinline");
	add_attr(it, f, "cold");
	LLVMSetFunctionCallConv(f, PRESERVE_ALL);
}

LLVMValueRef it_call_slow(struct instrumenter *it, LLVMValueRef f, LLVMValueRef *args, unsigned n)
{
	LLVMValueRef v = it_call(it, f, args, n);

	LLVMSetInstructionCallConv(v, PRESERVE_ALL);
	return v;
}

static LLVMBasicBlockRef begin_branch(
	struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition, bool rarely)
{
	LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(it->c, f, "");
	LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(it->c, f, "");
	LLVMMetadataRef w[] = {LLVMMDStringInContext2(it->c, "branch_weights", 14),
		LLVMValueAsMetadata(it_k32(it, 1)), LLVMValueAsMetadata(it_k32(it, 1 << 20))};
	LLVMValueRef v = LLVMBuildCondBr(it->b, condition, yes, done);

	if (rarely)
		LLVMSetMetadata(
			v, it->prof, LLVMMetadataAsValue(it->c, LLVMMDNodeInContext2(it->c, w, 3)));
	LLVMPositionBuilderAtEnd(it->b, yes);
	return done;
}

/* Begins the code under a condition. The caller ends it with a jump to the block that is returned.
 */
static LLVMBasicBlockRef it_if(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition)
{
	return begin_branch(it, f, condition, false);
}

LLVMBasicBlockRef it_if_rarely(struct instrumenter *it, LLVMValueRef f, LLVMValueRef condition)
{
	return begin_branch(it, f, condition, true);
}

static void end_if(struct instrumenter *it, LLVMBasicBlockRef done)
{
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
}

/* ---- room in the log --------------------------------------------------------------------- */

/* The address after the reserved bytes stays in a register: it is the next cursor, and values are
 * stored at negative offsets from it. */
void it_reserve_begin(struct instrumenter *it, LLVMValueRef f, LLVMValueRef ctl, LLVMValueRef cur,
	LLVMValueRef n, struct it_reserve *r)
{
	LLVMValueRef next = LLVMBuildGEP2(it->b, it->i8, cur, &n, 1, "");
	LLVMValueRef end = own_load(it, OWN_END, it->ptr, own_field(it, OWN_END, ctl));
	LLVMValueRef full = LLVMBuildICmp(it->b, LLVMIntUGT, next, end, "");

	*r = (struct it_reserve){ctl, n, next, LLVMGetInsertBlock(it->b), NULL};
	r->ready = it_if_rarely(it, f, full);
}

void it_reserve_end(struct instrumenter *it, LLVMValueRef fresh, struct it_reserve *r)
{
	LLVMBasicBlockRef from[] = {r->fast, LLVMGetInsertBlock(it->b)};
	LLVMValueRef values[] = {r->next, LLVMBuildGEP2(it->b, it->i8, fresh, &r->n, 1, "")}, next;

	end_if(it, r->ready);
	next = LLVMBuildPhi(it->b, it->ptr, "");
	LLVMAddIncoming(next, values, from, 2);
	LLVMSetVolatile(own_store(it, OWN_CURSOR, next, own_field(it, OWN_CURSOR, r->ctl)), true);
	LLVMBuildRet(it->b, next);
}

static LLVMValueRef define_refill(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->i64};
	LLVMValueRef hook = it_declare(it, "__heddle_refill", it->ptr, params, 2), f, args[2];

	f = it_define(it, "heddle.refill", it->ptr, params, 2);
	it_slow(it, f);
	LLVMGetParams(f, args);
	LLVMBuildRet(it->b, it_call(it, hook, args, 2));
	return f;
}

/* reserve(control, cursor, n): the address after the n bytes */
static LLVMValueRef define_reserve(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->ptr, it->i64};
	LLVMValueRef refill = define_refill(it), f, p[3];
	struct it_reserve r;

	f = it_define(it, "heddle.reserve", it->ptr, params, 3);
	it_inline(it, f);
	LLVMGetParams(f, p);
	it_reserve_begin(it, f, p[0], p[1], p[2], &r);
	it_reserve_end(it, it_call_slow(it, refill, p + 1, 2), &r);
	return f;
}

/* ---- to and from native code ----------------------------------------------------------- */

static LLVMValueRef load_native(struct instrumenter *it, LLVMValueRef ctl)
{
	LLVMValueRef v = own_load(it, OWN_NATIVE, it->i32, own_field(it, OWN_NATIVE, ctl));

	return LLVMBuildICmp(it->b, LLVMIntNE, v, it_k32(it, 0), "");
}

/* name(native, arguments of the hook…): calls the hook if native is set */
static LLVMValueRef define_if(struct instrumenter *it, const char *name, LLVMValueRef hook)
{
	LLVMTypeRef params[4] = {it->i1};
	unsigned n = LLVMCountParams(hook);
	LLVMBasicBlockRef done;
	LLVMValueRef f, p[4];

	LLVMGetParamTypes(LLVMGlobalGetValueType(hook), params + 1);
	f = it_define(it, name, it->void_, params, n + 1);
	it_inline(it, f);
	LLVMGetParams(f, p);
	done = it_if(it, f, p[0]);
	it_call(it, hook, p + 1, n);
	end_if(it, done);
	LLVMBuildRetVoid(it->b);
	return f;
}

/* check_vararg(ctl) */
static LLVMValueRef define_check_vararg(struct instrumenter *it)
{
	LLVMValueRef f = it_define(it, "heddle.check_vararg", it->void_, &it->ptr, 1);
	LLVMBasicBlockRef done;

	it_inline(it, f);
	done = it_if(it, f, load_native(it, LLVMGetParam(f, 0)));
	it_call(it, it->h.vararg, NULL, 0);
	end_if(it, done);
	LLVMBuildRetVoid(it->b);
	return f;
}

/* enter(ctl, function, words, n): whether native code is the caller */
static LLVMValueRef define_enter(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->ptr, it->i32, it->ptr, it->i32};
	LLVMValueRef f = it_define(it, "heddle.enter", it->i1, params, 4), p[4], native;
	LLVMBasicBlockRef done;

	it_inline(it, f);
	LLVMGetParams(f, p);
	native = load_native(it, p[0]);
	done = it_if(it, f, native);
	it_call(it, it->h.callback, p + 1, 3);
	end_if(it, done);
	LLVMBuildRet(it->b, native);
	return f;
}

void hooks_declare(struct instrumenter *it)
{
	make_tags(it);
	declare_all(it);
	it->h.reserve = define_reserve(it);
	it->h.return_if = define_if(it, "heddle.return_if", it->h.ret);
	it->h.bytes_if = define_if(it, "heddle.bytes_if", it->h.bytes);
	it->h.leave = define_if(it, "heddle.leave", it->h.callback_end);
	it->h.check_vararg = define_check_vararg(it);
	it->h.enter = define_enter(it);
}
