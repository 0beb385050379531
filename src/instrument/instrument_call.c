#include "instrument/instrument_internal.h"

/* Instruments calls: the code before and after them (runtime/hooks.h has the protocol). */

static void set_native(struct ifn *fn, LLVMValueRef v)
{
	own_store(fn->it, OWN_NATIVE, v, own_field(fn->it, OWN_NATIVE, ifn_ctl(fn)));
}

static void set_callee(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

static const struct isym *direct_callee(struct ifn *fn, uint32_t i)
{
	uint32_t callee = ir_callee(fn->f, &fn->f->insns.at[i]);

	return callee == IR_NONE ? NULL : &fn->it->funcs.at[callee];
}

/* ---- known effects ----------------------------------------------------------------------- */

/* Stores the arguments as words: integers and pointers by position, 0 for others. Their number. */
static uint32_t effect_args(struct ifn *fn, LLVMValueRef call)
{
	struct instrumenter *it = fn->it;
	uint32_t n = LLVMGetNumArgOperands(call);

	if (!fn->words || fn->nwords < n) {
		fn->nwords = MAX(n, 8u);
		fn->words = ifn_alloca(fn, LLVMArrayType2(it->i64, fn->nwords));
	}
	for (uint32_t i = 0; i < n; i++) {
		LLVMValueRef a = LLVMGetOperand(call, i);
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(a));

		if (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind)
			a = it_word(it, a);
		else
			a = it_k64(it, 0);
		LLVMBuildStore(it->b, a, it_offset(it, fn->words, 8 * i));
	}
	return n;
}

static LLVMValueRef effect_result(struct ifn *fn, LLVMValueRef call)
{
	struct instrumenter *it = fn->it;
	LLVMTypeRef t = LLVMTypeOf(call);

	switch (LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
		if (LLVMGetIntTypeWidth(t) < 64)
			return LLVMBuildSExt(it->b, call, it->i64, "");
		return it_word(it, call);
	case LLVMPointerTypeKind: return it_word(it, call);
	default: return it_k64(it, 0);
	}
}

static void after_native(struct ifn *fn, uint32_t i, LLVMValueRef call)
{
	const struct plan_insn *pi = &fn->pf->insn[i];
	struct instrumenter *it = fn->it;
	LLVMValueRef args[4];

	if (pi->call != CALL_EFFECT) {
		it_call(it, it->h.ret, NULL, 0);
		return;
	}
	args[0] = it_k32(it, pi->effect);
	args[3] = it_k32(it, effect_args(fn, call));
	args[1] = effect_result(fn, call);
	args[2] = fn->words;
	it_call(it, it->h.effect, args, 4);
}

/* ---- through a pointer ------------------------------------------------------------------- */

/* Whether the address is outside the section of thunks: code that is not traced. */
static LLVMValueRef is_native(struct ifn *fn, LLVMValueRef callee)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef start = LLVMBuildPtrToInt(it->b, it->h.text_start, it->i64, "");
	LLVMValueRef stop = LLVMBuildPtrToInt(it->b, it->h.text_stop, it->i64, "");
	LLVMValueRef at = LLVMBuildPtrToInt(it->b, callee, it->i64, "");

	return LLVMBuildICmp(it->b, LLVMIntUGE, LLVMBuildSub(it->b, at, start, ""),
		LLVMBuildSub(it->b, stop, start, ""), "");
}

/* Logs the results of an indirect call if the callee was native: they are in no segment. */
static void log_indirect(struct ifn *fn, uint32_t i, LLVMValueRef native)
{
	struct instrumenter *it = fn->it;
	uint32_t n = ir_insn_ndst(&fn->f->insns.at[i]), bytes = 0;
	LLVMValueRef *r = n ? ifn_results(fn, i) : NULL, args[3];
	VEC(LLVMValueRef) parts = {0};

	if (!n)
		return;
	for (uint32_t k = 0; k < n && r; k++) {
		vec_push(&parts, it_bits(it, r[k]));
		bytes += LLVMGetIntTypeWidth(LLVMTypeOf(parts.at[k])) / 8;
	}
	args[0] = native;
	args[1] = ifn_alloca(fn, LLVMArrayType2(it->i8, bytes));
	args[2] = it_k64(it, bytes);
	bytes = 0;
	vec_each (&parts, k) {
		LLVMSetAlignment(
			LLVMBuildStore(it->b, parts.at[k], it_offset(it, args[1], bytes)), 1);
		bytes += LLVMGetIntTypeWidth(LLVMTypeOf(parts.at[k])) / 8;
	}
	it_call(it, it->h.bytes_if, args, 3);
	vec_release(&parts);
}

static void call_indirect(struct ifn *fn, uint32_t i, LLVMValueRef v)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef native = is_native(fn, LLVMGetCalledValue(v));

	set_native(fn, LLVMBuildZExt(it->b, native, it->i32, ""));
	ifn_before(fn, fn->after);
	it_call(it, it->h.return_if, &native, 1);
	state_after_call(fn, i);
	log_indirect(fn, i, native);
	ifn_reload(fn);
}

/* ---- calls --------------------------------------------------------------------------- */

static void call_setjmp(struct ifn *fn, uint32_t i, LLVMValueRef v)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[2] = {LLVMGetOperand(v, 0), v};

	ifn_before(fn, fn->after);
	it_call(it, it->h.setjmp_, args, 2);
	state_after_call(fn, i);
	ifn_reload(fn);
}

/* The compiler must not replace the planned call by another (printf() by puts()). */
static void forbid_builtin(struct ifn *fn, LLVMValueRef v)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", 9);

	LLVMAddCallSiteAttribute(v, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(fn->it->c, kind, 0));
}

static void call_native(struct ifn *fn, uint32_t i, LLVMValueRef v)
{
	forbid_builtin(fn, v);
	set_native(fn, it_k32(fn->it, 1));
	ifn_before(fn, fn->after);
	after_native(fn, i, v);
	state_after_call(fn, i);
	ifn_reload(fn);
}

/* Instrumented code stands between the call and the return, which musttail forbids. */
static void drop_musttail(LLVMValueRef v)
{
	if (LLVMIsACallInst(v) && LLVMGetTailCallKind(v) == LLVMTailCallKindMustTail)
		LLVMSetTailCallKind(v, LLVMTailCallKindNone);
}

/* The IR has some intrinsics as calls of a library function, one for each lane. The plan for such a
 * call must not use its arguments. */
static bool intrinsic_fits(const struct ifn *fn, uint32_t i, LLVMValueRef callee)
{
	uint8_t call = fn->pf->insn[i].call;

	return !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) || call == CALL_PURE ||
	       call == CALL_UNKNOWN;
}

void ifn_call(struct ifn *fn, uint32_t i)
{
	const struct plan_insn *pi = &fn->pf->insn[i];
	LLVMValueRef v = fn->sym->origin.at[i];
	const struct isym *to = direct_callee(fn, i);

	if (!intrinsic_fits(fn, i, LLVMGetCalledValue(v))) {
		it_fail(fn->it,
			"'%s': the plan for '%s' needs arguments that its intrinsic does not have",
			ir_func_name(fn->it->p, fn->id), LLVMGetValueName(to->v));
		return;
	}
	drop_musttail(v);
	ifn_before(fn, v);
	if (pi->call != CALL_PURE) {
		ifn_store_hash(fn);
		state_before_call(fn);
	}
	switch (pi->call) {
	case CALL_TRACED:
		BUG_ON(!to || !to->v);
		set_callee(v, to->v);
		/* fall through */
	case CALL_SYNC:
		ifn_before(fn, fn->after);
		state_after_call(fn, i);
		ifn_reload(fn);
		break;
	case CALL_INDIRECT: call_indirect(fn, i, v); break;
	case CALL_SETJMP: call_setjmp(fn, i, v); break;
	case CALL_LONGJMP: set_native(fn, it_k32(fn->it, 1)); break;
	case CALL_PURE: ifn_before(fn, fn->after); break;
	default: call_native(fn, i, v);
	}
	if (pi->what != PLAN_VALUES || pi->call == CALL_INDIRECT)
		return;
	if (pi->flags & PLAN_F_BREAK)
		fn->pending = i;
	else
		ifn_log_results(fn, i);
}
