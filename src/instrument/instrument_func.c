#include "instrument/instrument_internal.h"

#include "base/base.h"
#include "log/format.h"

#include <string.h>

/* Instruments one function: entry, blocks, segments of the log, returns. */

/* more bytes of parameters than this get a piece of the log of their own */
enum { MAX_ENTRY = 1024 };

/* ---- control block, cursor, hash ----------------------------------------------------------- */

void ifn_before(struct ifn *fn, LLVMValueRef v)
{
	LLVMPositionBuilderBefore(fn->it->b, v);
	LLVMSetCurrentDebugLocation2(fn->it->b, LLVMInstructionGetDebugLoc(v));
}

LLVMValueRef ifn_ctl(struct ifn *fn)
{
	return LLVMBuildLoad2(fn->it->b, fn->it->ptr, fn->ctl, "");
}

void ifn_reload(struct ifn *fn)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef ctl = own_load(it, OWN_CTL, it->ptr, it->h.ctl), v;

	LLVMBuildStore(it->b, ctl, fn->ctl);
	v = own_load(it, OWN_CURSOR, it->ptr, own_field(it, OWN_CURSOR, ctl));
	LLVMBuildStore(it->b, v, fn->cur);
	v = own_load(it, OWN_HASH, it->i64, own_field(it, OWN_HASH, ctl));
	LLVMBuildStore(it->b, v, fn->hash);
}

/* Each reservation has stored the cursor already. */
void ifn_store_hash(struct ifn *fn)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef v = LLVMBuildLoad2(it->b, it->i64, fn->hash, "");

	own_store(it, OWN_HASH, v, own_field(it, OWN_HASH, ifn_ctl(fn)));
}

LLVMValueRef ifn_alloca(struct ifn *fn, LLVMTypeRef t)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(fn->it->c);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn->v);
	LLVMValueRef v;

	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
	v = LLVMBuildAlloca(b, t, "");
	LLVMDisposeBuilder(b);
	return v;
}

void ifn_replace(struct ifn *fn, LLVMValueRef v, LLVMValueRef by)
{
	BUG_ON(LLVMTypeOf(v) != LLVMTypeOf(by));
	vec_each (&fn->sym->homes, i)
		if (fn->sym->homes.at[i].v == v)
			fn->sym->homes.at[i].v = by;
	LLVMReplaceAllUsesWith(v, by);
	vec_push(&fn->dead, v);
}

/* ---- segments ---------------------------------------------------------------------------- */

static void reserve_log(struct ifn *fn, uint32_t n, uint32_t insn)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[3], next;

	fn->reserved = n;
	fn->offset = 0;
	if (!n)
		return;
	if (it->pl->whole) {
		next = state_reserve(fn, n, insn);
	} else {
		args[0] = ifn_ctl(fn);
		args[1] = LLVMBuildLoad2(it->b, it->ptr, fn->cur, "");
		args[2] = it_k64(it, n);
		next = it_call(it, it->h.reserve, args, 3);
	}
	LLVMBuildStore(it->b, next, fn->cur);
	fn->at = it_offset(it, next, -(uint64_t)n);
}

static void segment_end(struct ifn *fn)
{
	if (fn->offset != fn->reserved)
		it_fail(fn->it, "'%s' logs %u bytes where its plan says %u",
			ir_func_name(fn->it->p, fn->id), fn->offset, fn->reserved);
}

static void segment_begin(struct ifn *fn, const struct plan_segment *s)
{
	uint32_t call = fn->pending;

	segment_end(fn);
	ifn_before(fn, fn->after);
	reserve_log(fn, s->bytes, s->first);
	fn->pending = IR_NONE;
	if (call != IR_NONE)
		ifn_log_results(fn, call);
}

/* ---- entry ------------------------------------------------------------------------------- */

static bool is_static_alloca(LLVMValueRef v)
{
	return LLVMIsAAllocaInst(v) && LLVMIsConstant(LLVMGetOperand(v, 0));
}

/* Moves all static allocas to the front: the code behind them may branch, and an alloca after a
 * branch would move the stack pointer. Returns the first instruction after them. */
static LLVMValueRef gather_allocas(struct ifn *fn)
{
	LLVMBuilderRef b = fn->it->b;
	LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn->v)), next, body;

	while (is_static_alloca(v))
		v = LLVMGetNextInstruction(v);
	body = v;
	for (; v; v = next) {
		next = LLVMGetNextInstruction(v);
		if (!is_static_alloca(v))
			continue;
		LLVMInstructionRemoveFromParent(v);
		LLVMPositionBuilderBefore(b, body);
		LLVMInsertIntoBuilder(b, v);
	}
	return body;
}

static void log_block(struct ifn *fn, LLVMValueRef from, uint32_t n)
{
	struct instrumenter *it = fn->it;

	LLVMBuildMemCpy(it->b, it_offset(it, fn->at, fn->offset), 1, from, 1, it_k64(it, n));
	fn->offset += n;
}

static uint32_t byval_size(struct ifn *fn, unsigned param)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn->v, param + 1, kind);

	return a ? (uint32_t)LLVMABISizeOfType(fn->it->td, LLVMGetTypeAttributeValue(a)) : 0;
}

/* Logs the address like any value; the bytes may be larger than a piece of the log. */
static void log_large(struct ifn *fn, LLVMValueRef p, uint32_t n)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[] = {p, it_k64(it, n)};

	reserve_log(fn, 8, LOG_NONE);
	ifn_log(fn, p);
	ifn_store_hash(fn);
	it_call(it, it->h.bytes, args, 2);
	ifn_reload(fn);
}

/* Logs the addresses and bytes of parameters that are passed by value. */
static void log_params(struct ifn *fn)
{
	uint32_t all = fn->pf->entry_bytes, size;
	unsigned n = LLVMCountParams(fn->v);

	if (all <= MAX_ENTRY)
		reserve_log(fn, all, LOG_NONE);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef p = LLVMGetParam(fn->v, i);

		size = byval_size(fn, i);
		if (!size)
			continue;
		if (all > MAX_ENTRY && fn->it->pl->whole && size + 8 != all)
			it_fail(fn->it,
				"'%s' has parameters by value that are too large to be recorded in "
				"windows",
				ir_func_name(fn->it->p, fn->id));
		if (all > MAX_ENTRY) {
			log_large(fn, p, size);
		} else {
			ifn_log(fn, p);
			log_block(fn, p, size);
		}
	}
	segment_end(fn);
	reserve_log(fn, 0, LOG_NONE);
}

/* A function without a thunk checks itself whether native code called it. */
static void check_caller(struct ifn *fn)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[4] = {own_load(it, OWN_CTL, it->ptr, it->h.ctl)};
	uint32_t n = thunk_nwords(it, fn->v);

	if (fn->f->flags & IR_FN_VARARG) {
		it_call(it, it->h.check_vararg, args, 1);
		return;
	}
	args[1] = it_k32(it, fn->id);
	args[2] = ifn_alloca(fn, LLVMArrayType2(it->i64, n));
	thunk_words(it, fn->v, args[2]);
	args[3] = it_k32(it, n);
	fn->was_native = it_call(it, it->h.enter, args, 4);
}

static void enter_block(struct ifn *fn, uint32_t b)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef h;

	BUG_ON(b >= fn->f->blocks.n);
	if (!fn->pf->block_hash[b])
		return;
	h = LLVMBuildLoad2(it->b, it->i64, fn->hash, "");
	h = LLVMBuildMul(it->b, h, it_k64(it, LOG_HASH_MUL), "");
	h = LLVMBuildAdd(it->b, h, it_k64(it, fn->pf->block_hash[b]), "");
	LLVMBuildStore(it->b, h, fn->hash);
}

static void enter_function(struct ifn *fn)
{
	struct instrumenter *it = fn->it;

	fn->after = gather_allocas(fn);
	fn->ctl = ifn_alloca(fn, it->ptr);
	fn->cur = ifn_alloca(fn, it->ptr);
	fn->hash = ifn_alloca(fn, it->i64);
	if (it->pl->whole) {
		fn->chunks = ifn_alloca(fn, it->i32);
		live_build(&fn->live, fn->f);
		vec_each (&fn->f->insns, i)
			fn->jumps |= fn->pf->insn[i].call == CALL_SETJMP;
	}
	ifn_before(fn, fn->after);
	if (fn->sym->checks)
		check_caller(fn);
	ifn_reload(fn);
	enter_block(fn, 0);
	if (fn->pf->entry_bytes)
		log_params(fn);
}

/* ---- exceptions -------------------------------------------------------------------------- */

/* Code after an invoke needs a block that only the invoke enters. */
static void split_normal_edge(struct ifn *fn, LLVMValueRef invoke)
{
	struct instrumenter *it = fn->it;
	LLVMBasicBlockRef from = LLVMGetInstructionParent(invoke), to = LLVMGetNormalDest(invoke);
	LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(it->c, to, "");
	LLVMValueRef phi = LLVMGetFirstInstruction(to), next, fresh;

	LLVMPositionBuilderAtEnd(it->b, between);
	LLVMSetCurrentDebugLocation2(it->b, LLVMInstructionGetDebugLoc(invoke));
	LLVMBuildBr(it->b, to);
	LLVMSetNormalDest(invoke, between);
	for (; phi && LLVMIsAPHINode(phi); phi = next) {
		unsigned n = LLVMCountIncoming(phi);

		next = LLVMGetNextInstruction(phi);
		LLVMPositionBuilderBefore(it->b, phi);
		fresh = LLVMBuildPhi(it->b, LLVMTypeOf(phi), "");
		for (unsigned i = 0; i < n; i++) {
			LLVMBasicBlockRef bb = LLVMGetIncomingBlock(phi, i);
			LLVMValueRef v = LLVMGetIncomingValue(phi, i);

			bb = bb == from ? between : bb;
			v = v == phi ? fresh : v;
			LLVMAddIncoming(fresh, &v, &bb, 1);
		}
		ifn_replace(fn, phi, fresh);
	}
}

/* Code that is not traced enters a landing pad. The landing pad is not recorded, but its cursor
 * must not be the old one. */
static void prepare_exceptions(struct ifn *fn)
{
	LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn->v);
	LLVMValueRef v;

	vec_each (&fn->sym->blocks, i) {
		v = LLVMGetBasicBlockTerminator(fn->sym->blocks.at[i]);
		if (LLVMIsAInvokeInst(v))
			split_normal_edge(fn, v);
	}
	for (; bb; bb = LLVMGetNextBasicBlock(bb)) {
		for (v = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(v);)
			v = LLVMGetNextInstruction(v);
		if (!LLVMIsALandingPadInst(v))
			continue;
		ifn_before(fn, LLVMGetNextInstruction(v));
		ifn_reload(fn);
	}
}

/* ---- the body ---------------------------------------------------------------------------- */

/* The place for code after an instruction, found before such code is added. entry: the instruction
 * is in the entry block, where static allocas were moved to the front. */
static LLVMValueRef place_after(struct ifn *fn, LLVMValueRef v, bool entry)
{
	if (LLVMIsAInvokeInst(v))
		return LLVMGetFirstInstruction(LLVMGetNormalDest(v));
	if (LLVMIsATerminatorInst(v) || (entry && is_static_alloca(v)))
		return fn->after;
	return LLVMGetNextInstruction(v);
}

static void start_block(struct ifn *fn, uint32_t b)
{
	LLVMValueRef v = LLVMGetFirstInstruction(fn->sym->blocks.at[b]);

	while (LLVMIsAPHINode(v))
		v = LLVMGetNextInstruction(v);
	fn->after = v;
	ifn_before(fn, v);
	enter_block(fn, b);
}

static void instrument_block(struct ifn *fn, uint32_t b)
{
	const struct ir_block *range = &fn->f->blocks.at[b];
	const struct plan_segment *s;
	LLVMValueRef v, last = NULL;

	if (b)
		start_block(fn, b);
	reserve_log(fn, 0, LOG_NONE);
	for (uint32_t i = range->first; i < range->first + range->n && !fn->it->wrong; i++) {
		s = plan_segment_at(fn->pf, i);
		if (s)
			segment_begin(fn, s);
		v = fn->sym->origin.at[i];
		if (v != last)
			fn->after = place_after(fn, v, !b);
		last = v;
		ifn_insn(fn, i);
	}
	segment_end(fn);
}

/* Removes attributes about memory that no longer hold. */
static void remove_memory_attributes(LLVMValueRef f)
{
	static const char *const names[] = {
		"memory", "nosync", "nofree", "speculatable", "nocallback"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));

		LLVMRemoveEnumAttributeAtIndex(
			f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
	}
}

static void mark_accesses(struct ifn *fn)
{
	LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn->v);

	for (; bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
			if (LLVMIsALoadInst(v) || LLVMIsAStoreInst(v))
				it_apart(fn->it, v);
}

void ifn_run(struct instrumenter *it, uint32_t id)
{
	struct ifn fn = {.it = it, .id = id, .pending = IR_NONE};

	fn.sym = &it->funcs.at[id];
	fn.v = fn.sym->v;
	fn.f = &it->p->funcs.at[id];
	fn.pf = &it->pl->funcs[id];
	BUG_ON(fn.sym->origin.n != fn.f->insns.n || fn.sym->blocks.n != fn.f->blocks.n);
	remove_memory_attributes(fn.v);
	mark_accesses(&fn);
	enter_function(&fn);
	prepare_exceptions(&fn);
	vec_each (&fn.sym->blocks, b)
		instrument_block(&fn, b);
	vec_each (&fn.dead, i)
		LLVMInstructionEraseFromParent(fn.dead.at[i]);
	vec_release(&fn.dead);
	map_release(&fn.made);
	live_release(&fn.live);
	scalars_release(&fn.scalars);
}
