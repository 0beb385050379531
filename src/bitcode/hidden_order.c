#include "bitcode/hidden_order.h"

#include "base/base.h"
#include "base/vec.h"
#include "log/hidden.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MUTEX_SIZE = 40,
	ALIGN = 8,
	MAX_ARGS = 3,
	BUCKETS = HIDDEN_BUCKETS, /* locks and versions of a state whose objects have names */
};

struct inserter {
	LLVMModuleRef m;
	LLVMBuilderRef b;
	LLVMTypeRef i32, i64, ptr;
	LLVMValueRef version_fn, bucket_fn, lock_fn, unlock_fn;
	LLVMTypeRef version_type, bucket_type, lock_type, mutex;
	LLVMValueRef locks[HIDDEN_NSTATES], versions[HIDDEN_NSTATES]; /* NULL: not used yet */
};

/* ---- what to change -------------------------------------------------------------------------- */

/* The row of a function that accesses one state only, with HIDDEN_VERSIONED; else NULL. */
static const struct hidden_fn *find_row(const char *name)
{
	const struct hidden_fn *found = NULL;

	for (const struct hidden_fn *fn = hidden_next(NULL, name); fn; fn = hidden_next(fn, name)) {
		if (fn->row != HIDDEN_ACCESS)
			continue;
		if (found || !(fn->access & HIDDEN_VERSIONED))
			return NULL;
		found = fn;
	}
	return found;
}

static bool creates_threads(LLVMModuleRef m)
{
	return LLVMGetNamedFunction(m, "pthread_create") || LLVMGetNamedFunction(m, "thrd_create");
}

/* ---- declarations ---------------------------------------------------------------------------- */

static LLVMValueRef declare(struct inserter *in, const char *name, LLVMTypeRef type)
{
	LLVMValueRef f = LLVMGetNamedFunction(in->m, name);

	return f ? f : LLVMAddFunction(in->m, name, type);
}

static LLVMValueRef add_global(
	struct inserter *in, const char *what, const char *name, LLVMTypeRef type)
{
	char full[64];
	LLVMValueRef g;

	snprintf(full, sizeof full, "__heddle_%s_%s", what, name);
	g = LLVMAddGlobal(in->m, type, full);
	LLVMSetInitializer(g, LLVMConstNull(type));
	LLVMSetLinkage(g, LLVMInternalLinkage);
	LLVMSetAlignment(g, ALIGN);
	return g;
}

static void prepare_state(struct inserter *in, const struct hidden_fn *fn)
{
	static const char *const names[] = {
#define STATE(id, text) #id,
#include "log/hidden.def"
	};
	uint32_t n = fn->arg >= 0 ? BUCKETS : 1;

	if (in->locks[fn->state])
		return;
	in->locks[fn->state] =
		add_global(in, "lock", names[fn->state], LLVMArrayType2(in->mutex, n));
	in->versions[fn->state] =
		add_global(in, "version", names[fn->state], LLVMArrayType2(in->i64, n));
}

static void prepare_module(struct inserter *in)
{
	LLVMContextRef c = LLVMGetModuleContext(in->m);
	LLVMTypeRef args[3 + MAX_ARGS];

	in->b = LLVMCreateBuilderInContext(c);
	in->i32 = LLVMInt32TypeInContext(c);
	in->i64 = LLVMInt64TypeInContext(c);
	in->ptr = LLVMPointerTypeInContext(c, 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = in->i64;
	in->version_type = LLVMFunctionType(in->i64, args, ARRAY_SIZE(args), false);
	in->bucket_type = LLVMFunctionType(in->i64, &in->i64, 1, false);
	in->lock_type = LLVMFunctionType(in->i32, &in->ptr, 1, false);
	in->mutex = LLVMArrayType2(LLVMInt8TypeInContext(c), MUTEX_SIZE);
	in->bucket_fn = declare(in, "__heddle_hidden_bucket", in->bucket_type);
	in->version_fn = declare(in, "__heddle_hidden_version", in->version_type);
	in->lock_fn = declare(in, "pthread_mutex_lock", in->lock_type);
	in->unlock_fn = declare(in, "pthread_mutex_unlock", in->lock_type);
}

/* ---- one call -------------------------------------------------------------------------------- */

static uint64_t hash_name(const char *s)
{
	uint64_t h = 1469598103934665603ull;

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 1099511628211ull;
	return h;
}

static bool opens_stream(const struct hidden_fn *fn)
{
	return !strncmp(fn->name, "fopen", 5);
}

static bool opens_descriptor(const struct hidden_fn *fn)
{
	return !strncmp(fn->name, "open", 4) || !strncmp(fn->name, "__open", 6);
}

/* Whether the pointer at argument i points to a string that decides about the result. */
static bool is_string(const struct hidden_fn *fn, unsigned i)
{
	return fn->arg < 0 || i == (unsigned)fn->arg ||
	       (opens_stream(fn) && i == (unsigned)fn->arg + 1);
}

/* Argument i as 64 bits, and its kind. */
static LLVMValueRef get_argument(struct inserter *in, LLVMValueRef call, const struct hidden_fn *fn,
	unsigned i, uint64_t *kind)
{
	LLVMValueRef v;
	LLVMTypeRef t;

	*kind = 0;
	if (i >= LLVMGetNumArgOperands(call))
		return LLVMConstNull(in->i64);
	v = LLVMGetOperand(call, i);
	t = LLVMTypeOf(v);
	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && is_string(fn, i)) {
		*kind = HIDDEN_STRING;
		return LLVMBuildPtrToInt(in->b, v, in->i64, "");
	}
	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64)
		return LLVMConstNull(in->i64);
	*kind = HIDDEN_NUMBER;
	return LLVMGetIntTypeWidth(t) < 64 ? LLVMBuildSExt(in->b, v, in->i64, "") : v;
}

/* The element of a state's locks or versions that the call uses. */
static LLVMValueRef choose_element(
	struct inserter *in, LLVMValueRef array, LLVMTypeRef of, LLVMValueRef bucket)
{
	return bucket ? LLVMBuildGEP2(in->b, of, array, &bucket, 1, "") : array;
}

static LLVMValueRef choose_bucket(
	struct inserter *in, LLVMValueRef call, const struct hidden_fn *fn)
{
	LLVMValueRef path;
	uint64_t kind;

	if (fn->arg < 0)
		return NULL;
	path = get_argument(in, call, fn, (unsigned)fn->arg, &kind);
	return LLVMBuildCall2(in->b, in->bucket_type, in->bucket_fn, &path, 1, "");
}

static void call_lock(struct inserter *in, LLVMValueRef fn, LLVMValueRef lock)
{
	LLVMBuildCall2(in->b, in->lock_type, fn, &lock, 1, "");
}

/* The version after the call. */
static LLVMValueRef build_version(
	struct inserter *in, LLVMValueRef call, const struct hidden_fn *fn, LLVMValueRef old)
{
	LLVMValueRef args[3 + MAX_ARGS];
	uint64_t kinds = 0;

	for (unsigned i = 0; i < MAX_ARGS; i++) {
		uint64_t kind;

		args[3 + i] = get_argument(in, call, fn, i, &kind);
		kinds |= kind << (8 * i);
	}
	if (opens_stream(fn))
		kinds |= HIDDEN_BY_MODE;
	if (opens_descriptor(fn))
		kinds |= HIDDEN_BY_FLAGS;
	args[0] = old;
	args[1] = LLVMConstInt(in->i64, hash_name(fn->name), false);
	args[2] = LLVMConstInt(in->i64, kinds | (uint64_t)(uint8_t)fn->arg << 32, false);
	return LLVMBuildCall2(
		in->b, in->version_type, in->version_fn, args, ARRAY_SIZE(args), "");
}

static void wrap_call(struct inserter *in, LLVMValueRef call, const struct hidden_fn *fn)
{
	LLVMValueRef bucket, lock, version, now, next = LLVMGetNextInstruction(call);
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(call);

	prepare_state(in, fn);
	LLVMPositionBuilderBefore(in->b, call);
	LLVMSetCurrentDebugLocation2(in->b, place);
	bucket = choose_bucket(in, call, fn);
	lock = choose_element(in, in->locks[fn->state], in->mutex, bucket);
	version = choose_element(in, in->versions[fn->state], in->i64, bucket);
	call_lock(in, in->lock_fn, lock);
	now = build_version(in, call, fn, LLVMBuildLoad2(in->b, in->i64, version, ""));
	if (fn->access & HIDDEN_WRITES)
		LLVMBuildStore(in->b, now, version);
	LLVMPositionBuilderBefore(in->b, next);
	LLVMSetCurrentDebugLocation2(in->b, place);
	call_lock(in, in->unlock_fn, lock);
}

/* ---- all calls ------------------------------------------------------------------------------- */

typedef VEC(LLVMValueRef) calls;

static bool is_call_of(LLVMValueRef user, LLVMValueRef f)
{
	return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == f &&
	       LLVMGetTailCallKind(user) != LLVMTailCallKindMustTail;
}

static void wrap_calls_of(struct inserter *in, LLVMValueRef f, const struct hidden_fn *fn)
{
	calls found = {0};

	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
		if (is_call_of(LLVMGetUser(u), f))
			vec_push(&found, LLVMGetUser(u));
	vec_each (&found, i)
		wrap_call(in, found.at[i], fn);
	vec_release(&found);
}

void hidden_order_insert(LLVMModuleRef m)
{
	struct inserter in = {.m = m};

	if (!creates_threads(m))
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		const struct hidden_fn *fn =
			LLVMIsDeclaration(f) && LLVMGetFirstUse(f) ? find_row(LLVMGetValueName(f))
								   : NULL;

		if (fn && !in.b)
			prepare_module(&in);
		if (fn)
			wrap_calls_of(&in, f, fn);
	}
	if (in.b)
		LLVMDisposeBuilder(in.b);
}

/* Puts an operand of each call, or 0, in the place of its result. */
static void remove_calls(LLVMModuleRef m, const char *name, bool zero)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, name);
	LLVMUseRef u;

	if (!f)
		return;
	while ((u = LLVMGetFirstUse(f))) {
		LLVMValueRef call = LLVMGetUser(u);

		BUG_ON(!is_call_of(call, f));
		LLVMReplaceAllUsesWith(call, zero ? LLVMConstNull(LLVMTypeOf(call))
						  : LLVMGetOperand(call, 0));
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDeleteFunction(f);
}

void hidden_order_remove(LLVMModuleRef m)
{
	remove_calls(m, "__heddle_hidden_version", false);
	remove_calls(m, "__heddle_hidden_bucket", true);
}
