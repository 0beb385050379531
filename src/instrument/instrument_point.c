#include "instrument/instrument_internal.h"

/* Scheduling points: a call before each access that other threads may see. */

void point_declare(struct instrumenter *it)
{
	LLVMTypeRef params[] = {it->i64, it->i64, it->i64};

	it->h.point = it_declare(it, "__heddle_point", it->void_, params, 2);
	it->h.point_copy = it_declare(it, "__heddle_point_copy", it->void_, params, 3);
}

static bool is_atomic(const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_RMW:
	case IR_S_CAS: return true;
	case IR_S_LOAD:
	case IR_S_STORE: return (in->flags & IR_F_ORDER) != IR_O_NONE;
	default: return false;
	}
}

static bool is_write(const struct ifn *fn, uint32_t i)
{
	switch (ir_ops[fn->f->insns.at[i].op].shape) {
	case IR_S_LOAD: return false;
	case IR_S_BULK:
	case IR_S_VA: return fn->pf->insn[i].flags & PLAN_F_WRITE;
	default: return true;
	}
}

/* The size of the access: the length of a copy or fill, else the size of the type. */
static LLVMValueRef size_of(struct ifn *fn, uint32_t i)
{
	const struct ir_insn *in = &fn->f->insns.at[i];
	struct instrumenter *it = fn->it;
	LLVMValueRef n;

	switch (ir_ops[in->op].shape) {
	case IR_S_BULK:
		n = LLVMBuildZExtOrBitCast(
			it->b, LLVMGetOperand(fn->sym->origin.at[i], 2), it->i64, "");
		return LLVMBuildAnd(it->b, n, it_k64(it, UINT32_MAX), "");
	case IR_S_VA: return it_k64(it, 24);
	case IR_S_STORE: return it_k64(it, ir_type_bytes(in->type2));
	default: return it_k64(it, ir_type_bytes(in->type));
	}
}

void point_before(struct ifn *fn, uint32_t i, LLVMValueRef address, uint64_t offset)
{
	const struct plan_insn *pi = &fn->pf->insn[i];
	struct instrumenter *it = fn->it;
	uint64_t flags = (uint64_t)is_write(fn, i) << 32 |
			 (uint64_t)is_atomic(&fn->f->insns.at[i]) << 33 |
			 (uint64_t)(ir_ops[fn->f->insns.at[i].op].shape == IR_S_BULK) << 34 |
			 (uint64_t)(fn->reserved - fn->offset) << 40;
	bool copies = ir_ops[fn->f->insns.at[i].op].shape == IR_S_BULK && pi->flags & PLAN_F_READ &&
		      pi->flags & PLAN_F_WRITE;
	LLVMValueRef args[3];

	if (!it->h.point || !(pi->flags & PLAN_F_EVENT))
		return;
	if (!address)
		address = LLVMGetOperand(fn->sym->origin.at[i], pi->flags & PLAN_F_WRITE ? 0 : 1);
	args[0] = LLVMBuildPtrToInt(it->b, address, it->i64, "");
	if (offset)
		args[0] = LLVMBuildAdd(it->b, args[0], it_k64(it, offset), "");
	args[1] = LLVMBuildOr(it->b, size_of(fn, i), it_k64(it, flags), "");
	if (copies) {
		args[2] = LLVMBuildPtrToInt(
			it->b, LLVMGetOperand(fn->sym->origin.at[i], 1), it->i64, "");
		it_call(it, it->h.point_copy, args, 3);
	} else {
		it_call(it, it->h.point, args, 2);
	}
}
