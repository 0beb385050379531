#include "import/import_internal.h"

#include "base/hash.h"
#include "base/strbuf.h"

#include <string.h>

/* ---- terminators ------------------------------------------------------------------------- */

/* with more incoming values than this, those of a phi are found by a map instead of a search */
enum { MANY_INCOMING = 16 };

static uint64_t incoming_key(LLVMValueRef phi, LLVMBasicBlockRef pred)
{
	return hash_u64(map_ptr(phi)) ^ map_ptr(pred);
}

/* the value of a phi when control comes from `pred`; NULL if it has none */
static LLVMValueRef incoming_value(struct fn *fn, LLVMValueRef phi, LLVMBasicBlockRef pred)
{
	unsigned n = LLVMCountIncoming(phi);
	uint64_t *slot;

	if (n > MANY_INCOMING) {
		if (!map_get(&fn->incoming, incoming_key(phi, LLVMGetIncomingBlock(phi, 0))))
			for (unsigned i = 0; i < n; i++)
				*map_put(&fn->incoming,
					incoming_key(phi, LLVMGetIncomingBlock(phi, i))) = i;
		slot = map_get(&fn->incoming, incoming_key(phi, pred));
		if (slot && *slot < n && LLVMGetIncomingBlock(phi, (unsigned)*slot) == pred)
			return LLVMGetIncomingValue(phi, (unsigned)*slot);
	}
	for (unsigned i = 0; i < n; i++)
		if (LLVMGetIncomingBlock(phi, i) == pred)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

struct copies {
	VEC(uint32_t) words; /* pairs: destination register, source */
};

/* Collects the copies for the phis of `to`. Their sources are translated already: each dominates
 * the end of the predecessor. */
static void edge_copies(
	struct fn *fn, LLVMBasicBlockRef from, LLVMBasicBlockRef to, struct copies *out)
{
	LLVMValueRef phi = LLVMGetFirstInstruction(to), value;

	for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
		struct lanes dst, src;

		if (!layout_of_value(fn->im, phi)->ok)
			continue;
		value = incoming_value(fn, phi, from);
		dst = fn_use(fn, phi);
		if (!value)
			continue;
		src = fn_use(fn, value);
		if (fn->reason) {
			emit_unsupported(fn, fn->reason);
			fn->reason = 0;
		}
		for (uint32_t i = 0; i < dst.n; i++) {
			vec_push(&out->words, lane(fn, dst, i));
			vec_push(&out->words, lane(fn, src, i));
		}
	}
}

static uint32_t edge_new(struct fn *fn, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	struct copies c = {0};
	struct ir_edge e;

	edge_copies(fn, from, to, &c);
	e.to = (uint32_t)map_get_or(&fn->blocks.index, map_ptr(to), 0);
	e.copies = fn->f.extra.n;
	e.ncopies = c.words.n / 2;
	vec_each (&c.words, i)
		vec_push(&fn->f.extra, c.words.at[i]);
	vec_release(&c.words);
	vec_push(&fn->f.edges, e);
	return fn->f.edges.n - 1;
}

static void term_br(struct fn *fn, LLVMValueRef v, LLVMBasicBlockRef bb)
{
	uint32_t then, other;
	struct ir_insn *in;
	ir_ref cond;

	if (!LLVMIsConditional(v)) {
		then = edge_new(fn, bb, LLVMGetSuccessor(v, 0));
		emit(fn, IR_BR, IR_VOID)->arg[0] = then;
		return;
	}
	cond = fn_use1(fn, LLVMGetCondition(v));
	then = edge_new(fn, bb, LLVMGetSuccessor(v, 0));
	other = edge_new(fn, bb, LLVMGetSuccessor(v, 1));
	in = emit(fn, IR_CBR, IR_VOID);
	in->arg[0] = cond;
	in->arg[1] = then;
	in->arg[2] = other;
}

static void term_switch(struct fn *fn, LLVMValueRef v, LLVMBasicBlockRef bb)
{
	unsigned n = LLVMGetNumSuccessors(v);
	ir_ref value = fn_use1(fn, LLVMGetOperand(v, 0));
	VEC(uint32_t) words = {0};
	struct ir_insn *in;

	vec_push(&words, edge_new(fn, bb, LLVMGetSuccessor(v, 0)));
	for (unsigned i = 1; i < n; i++) {
		ir_ref k = fn_use1(fn, compat_case_value(v, i));

		vec_push(&words, k);
		vec_push(&words, edge_new(fn, bb, LLVMGetSuccessor(v, i)));
	}
	in = emit(fn, IR_SWITCH, IR_VOID);
	in->type2 = ref_type(fn, value);
	in->arg[0] = value;
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = n - 1;
	vec_each (&words, i)
		vec_push(&fn->f.extra, words.at[i]);
	vec_release(&words);
}

static void term_indirect(struct fn *fn, LLVMValueRef v, LLVMBasicBlockRef bb)
{
	unsigned n = LLVMGetNumSuccessors(v);
	ir_ref addr = fn_use1(fn, LLVMGetOperand(v, 0));
	uint32_t first = fn->f.edges.n;
	struct ir_insn *in;

	for (unsigned i = 0; i < n; i++)
		edge_new(fn, bb, LLVMGetSuccessor(v, i));
	in = emit(fn, IR_IBR, IR_VOID);
	in->arg[0] = addr;
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = n;
	for (unsigned i = 0; i < n; i++)
		vec_push(&fn->f.extra, first + i);
}

static void term_ret(struct fn *fn, LLVMValueRef v)
{
	struct lanes l = lanes_none();
	struct ir_insn *in;

	if (LLVMGetNumOperands(v))
		l = fn_use(fn, LLVMGetOperand(v, 0));
	in = emit(fn, IR_RET, IR_VOID);
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = l.n;
	for (uint32_t i = 0; i < l.n; i++)
		vec_push(&fn->f.extra, lane(fn, l, i));
}

/* if an operand of the terminator cannot be translated, puts an `unsupported` before it */
static void stop_if_unsupported(struct fn *fn)
{
	struct ir_insn last;

	if (!fn->reason)
		return;
	last = vec_pop(&fn->f.insns);
	emit_unsupported(fn, fn->reason);
	vec_push(&fn->f.insns, last);
	fn->reason = 0;
}

static void fn_terminator(struct fn *fn, LLVMValueRef v, LLVMBasicBlockRef bb)
{
	uint32_t edge;

	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMBr: term_br(fn, v, bb); break;
	case LLVMSwitch:
		if (term_nsuccs(v)) {
			term_switch(fn, v, bb);
		} else {
			unsupported(fn, "switch over an integer of more than 128 bits");
			emit(fn, IR_UNREACHABLE, IR_VOID);
		}
		break;
	case LLVMIndirectBr: term_indirect(fn, v, bb); break;
	case LLVMRet: term_ret(fn, v); break;
	case LLVMInvoke:
		edge = edge_new(fn, bb, LLVMGetNormalDest(v));
		emit(fn, IR_BR, IR_VOID)->arg[0] = edge;
		break;
	case LLVMUnreachable: emit(fn, IR_UNREACHABLE, IR_VOID); break;
	case LLVMCallBr:
		unsupported(fn, "asm goto");
		emit(fn, IR_UNREACHABLE, IR_VOID);
		break;
	default: unsupported(fn, "exception handling"); emit(fn, IR_UNREACHABLE, IR_VOID);
	}
	stop_if_unsupported(fn);
}

/* ---- instructions ------------------------------------------------------------------------ */

static struct lanes import_insn(struct fn *fn, LLVMValueRef v)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(v);

	switch (op) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem: return insn_binary(fn, v, op);
	case LLVMFNeg:
	case LLVMFreeze: return insn_unary(fn, v, op);
	case LLVMICmp:
	case LLVMFCmp: return insn_compare(fn, v, op);
	case LLVMSelect: return insn_select(fn, v);
	case LLVMAlloca: return insn_alloca(fn, v);
	case LLVMLoad: return insn_load(fn, v);
	case LLVMStore: return insn_store(fn, v);
	case LLVMGetElementPtr: return insn_gep(fn, v);
	case LLVMAtomicRMW: return insn_rmw(fn, v);
	case LLVMAtomicCmpXchg: return insn_cmpxchg(fn, v);
	case LLVMFence: return insn_fence(fn, v);
	case LLVMExtractValue:
	case LLVMInsertValue: return insn_aggregate(fn, v, op);
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector: return insn_vector(fn, v, op);
	case LLVMInvoke:
	case LLVMCall: return insn_call(fn, v);
	case LLVMVAArg: return unsupported(fn, "va_arg instruction");
	default:
		if (LLVMIsACastInst(v))
			return insn_cast(fn, v, op);
		return unsupported(fn, "instruction with opcode %d", (int)op);
	}
}

static bool type_known(struct fn *fn, LLVMTypeRef t)
{
	struct strbuf b = {0};
	char *s;

	switch (LLVMGetTypeKind(t)) {
	case LLVMLabelTypeKind:
	case LLVMMetadataTypeKind:
	case LLVMVoidTypeKind: return true;
	default: break;
	}
	if (layout_of(fn->im, t)->ok)
		return true;
	s = LLVMPrintTypeToString(t);
	strbuf_adds(&b, s);
	LLVMDisposeMessage(s);
	if (b.n > 60) {
		b.s[60] = 0;
		unsupported(fn, "value of type '%s…'", b.s);
	} else {
		unsupported(fn, "value of type '%s'", b.s);
	}
	strbuf_release(&b);
	return false;
}

static bool types_known(struct fn *fn, LLVMValueRef v)
{
	int n = LLVMGetNumOperands(v);

	if (!type_known(fn, LLVMTypeOf(v)))
		return false;
	for (int i = 0; i < n; i++)
		if (!type_known(fn, LLVMTypeOf(LLVMGetOperand(v, (unsigned)i))))
			return false;
	return true;
}

struct mark fn_mark(const struct fn *fn)
{
	return (struct mark){fn->f.regs.n, fn->f.insns.n, fn->f.locals.n, fn->f.extra.n};
}

void fn_rollback(struct fn *fn, struct mark m)
{
	fn->f.regs.n = m.regs;
	fn->f.insns.n = m.insns;
	fn->f.locals.n = m.locals;
	fn->f.extra.n = m.extra;
	while (fn->f.notes.n && vec_last(&fn->f.notes).insn >= m.insns)
		fn->f.notes.n--;
}

static void fn_insn(struct fn *fn, LLVMValueRef v)
{
	struct mark m = fn_mark(fn);
	struct lanes out = lanes_none();

	if (types_known(fn, v))
		out = import_insn(fn, v);
	if (fn->reason) {
		fn_rollback(fn, m);
		emit_unsupported(fn, fn->reason);
		fn->reason = 0;
		out = lanes_undef(fn, layout_of_value(fn->im, v));
	}
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
		fn_def(fn, v, out);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void fn_phis(struct fn *fn, LLVMBasicBlockRef bb)
{
	LLVMValueRef v = LLVMGetFirstInstruction(bb);

	for (; v && LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
		const struct layout *l = layout_of_value(fn->im, v);
		struct lanes out = lanes_new(fn, l->n);

		for (uint32_t i = 0; i < l->n; i++)
			lane_set(fn, out, i, reg_new(fn, l->leaf[i].type));
		fn_def(fn, v, out);
	}
}

/* Reports the instructions of v, from `first` on, to the watch. */
static void tell_insns(struct fn *fn, LLVMValueRef v, uint32_t first)
{
	const struct import_watch *w = fn->im->watch;

	if (w && w->insns && fn->f.insns.n > first)
		w->insns(w->ctx, fn->id, v, first, fn->f.insns.n - first);
}

static void fn_block(struct fn *fn, LLVMBasicBlockRef bb)
{
	LLVMValueRef v = LLVMGetFirstInstruction(bb), term = LLVMGetBasicBlockTerminator(bb);
	const struct import_watch *w = fn->im->watch;
	uint32_t first = fn->f.insns.n, start;

	if (w && w->block)
		w->block(w->ctx, fn->id, fn->f.blocks.n, bb);
	for (; v; v = LLVMGetNextInstruction(v)) {
		bool phi = LLVMIsAPHINode(v);

		start = fn->f.insns.n;
		debug_records(fn, v);
		if (!LLVMIsADbgInfoIntrinsic(v)) /* these emit no instructions */
			fn->pos = debug_pos(fn->im, LLVMInstructionGetDebugLoc(v));
		if (phi ? !layout_of_value(fn->im, v)->ok : v != term || LLVMIsAInvokeInst(v))
			fn_insn(fn, v);
		tell_insns(fn, v, start);
	}
	start = fn->f.insns.n;
	fn_terminator(fn, term, bb);
	tell_insns(fn, term, start);
	vec_push(&fn->f.blocks, (struct ir_block){first, fn->f.insns.n - first});
}

/* ---- functions --------------------------------------------------------------------------- */

static bool fn_params(struct fn *fn)
{
	LLVMValueRef p;
	uint32_t n = 0;

	for (p = LLVMGetFirstParam(fn->v); p; p = LLVMGetNextParam(p)) {
		const struct layout *l = layout_of_value(fn->im, p);
		struct lanes out;

		if (!type_known(fn, LLVMTypeOf(p)))
			return false;
		out = lanes_new(fn, l->n);
		for (uint32_t i = 0; i < l->n; i++, n++)
			lane_set(fn, out, i, reg_new(fn, l->leaf[i].type));
		fn_def(fn, p, out);
	}
	return type_known(fn, LLVMGetReturnType(LLVMGlobalGetValueType(fn->v)));
}

static bool has_fma(LLVMValueRef f)
{
	static const char key[] = "target-features";
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
		f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key, sizeof key - 1);
	const char *s, *at;
	unsigned n;

	if (!a)
		return false;
	s = LLVMGetStringAttributeValue(a, &n);
	at = memmem(s, n, "+fma", 4);
	return at && (at + 4 == s + n || at[4] == ',');
}

static void fn_body(struct fn *fn)
{
	blocks_build(&fn->blocks, fn->v);
	vec_each (&fn->blocks.order, i)
		fn_phis(fn, fn->blocks.order.at[i]);
	vec_each (&fn->blocks.order, i)
		fn_block(fn, fn->blocks.order.at[i]);
	debug_name_params(fn);
}

/* Makes a body for a function whose signature the IR cannot express: `unsupported` at its entry. */
static void fn_stub(struct fn *fn)
{
	fn->f.regs.n = 0;
	emit_unsupported(fn, fn->reason);
	emit(fn, IR_UNREACHABLE, IR_VOID);
	vec_push(&fn->f.blocks, (struct ir_block){0, 2});
}

void func_import(struct importer *im, LLVMValueRef v, uint32_t id)
{
	struct fn fn = {.im = im, .v = v, .id = id, .f = im->p->funcs.at[id]};

	fn.fma = has_fma(v);
	if (fn_params(&fn))
		fn_body(&fn);
	else
		fn_stub(&fn);
	im->p->funcs.at[id] = fn.f;
	blocks_release(&fn.blocks);
	map_release(&fn.vals);
	map_release(&fn.consts);
	map_release(&fn.locals);
	map_release(&fn.incoming);
	vec_release(&fn.pool);
}
