#include "instrument/instrument_internal.h"

#include "base/base.h"
#include "log/format.h"

#include <string.h>

/* Instruments one IR instruction: logs its results and hashes its addresses. */

/* ---- values ------------------------------------------------------------------------------ */

void ifn_log(struct ifn *fn, LLVMValueRef v)
{
	struct instrumenter *it = fn->it;
	LLVMTypeRef t = LLVMTypeOf(v);
	uint32_t n;

	if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) % 8)
		v = it_bits(it, v);
	n = (uint32_t)LLVMStoreSizeOfType(it->td, LLVMTypeOf(v));
	if (fn->offset + n <= fn->reserved) /* else segment_end() reports it */
		own_store(it, OWN_LOG, v, it_offset(it, fn->at, fn->offset));
	fn->offset += n;
}

/* The scalars of a value, split at the place of the builder; those of the last value are cached. */
static const struct scalars *scalars_at(struct ifn *fn, LLVMValueRef v)
{
	if (fn->split != v) {
		vec_clear(&fn->scalars.v);
		vec_clear(&fn->scalars.offset);
		scalars_of(fn->it, v, &fn->scalars);
		fn->split = v;
	}
	return &fn->scalars;
}

LLVMValueRef *ifn_results(struct ifn *fn, uint32_t i)
{
	const struct ir_insn *in = &fn->f->insns.at[i];
	const struct home *home;
	LLVMValueRef v = fn->sym->origin.at[i];
	const struct scalars *s;

	BUG_ON(in->dst >= fn->sym->homes.n);
	home = &fn->sym->homes.at[in->dst];
	if (home->v != v)
		return NULL;
	s = scalars_at(fn, v);
	return home->lane + ir_insn_ndst(in) <= s->v.n ? s->v.at + home->lane : NULL;
}

LLVMValueRef ifn_reg(struct ifn *fn, uint32_t reg)
{
	const struct home *h = &fn->sym->homes.at[reg];
	struct scalars s = {0};
	LLVMValueRef v = NULL;

	BUG_ON(reg >= fn->sym->homes.n);
	if (!h->v)
		return NULL;
	scalars_of(fn->it, h->v, &s);
	if (h->lane < s.v.n)
		v = s.v.at[h->lane];
	scalars_release(&s);
	return v;
}

static bool has_size_of(struct ifn *fn, LLVMValueRef v, uint32_t reg)
{
	return LLVMStoreSizeOfType(fn->it->td, LLVMTypeOf(v)) ==
	       ir_type_bytes(fn->f->regs.at[reg].type);
}

void ifn_log_results(struct ifn *fn, uint32_t i)
{
	const struct ir_insn *in = &fn->f->insns.at[i];
	uint32_t n = ir_insn_ndst(in);
	LLVMValueRef *r = ifn_results(fn, i);

	for (uint32_t k = 0; k < n; k++) {
		if (!r || !has_size_of(fn, r[k], in->dst + k)) {
			it_fail(fn->it, "'%s': the result of '%s' is not in the bitcode",
				ir_func_name(fn->it->p, fn->id), ir_ops[in->op].name);
			return;
		}
		ifn_log(fn, r[k]);
	}
}

/* Lanes of less than a byte are one integer in memory, and so in the log. */
static bool is_packed(const struct ifn *fn, uint32_t i)
{
	LLVMValueRef v = fn->sym->origin.at[i];

	return fn->sym->homes.at[fn->f->insns.at[i].dst].v != v &&
	       LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* ---- addresses --------------------------------------------------------------------------- */

void ifn_hash_address(struct ifn *fn, LLVMValueRef addr, uint64_t offset, uint32_t k)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef a = LLVMBuildPtrToInt(it->b, addr, it->i64, ""), h;

	if (offset)
		a = LLVMBuildAdd(it->b, a, it_k64(it, offset), "");
	if (LOG_HASH_COEF(k) != 1)
		a = LLVMBuildMul(it->b, a, it_k64(it, LOG_HASH_COEF(k)), "");
	h = LLVMBuildLoad2(it->b, it->i64, fn->hash, "");
	LLVMBuildStore(it->b, LLVMBuildAdd(it->b, h, a, ""), fn->hash);
}

/* The index of the access among those of its LLVM instruction. */
static uint32_t index_of_access(const struct ifn *fn, uint32_t i)
{
	LLVMValueRef v = fn->sym->origin.at[i];
	uint8_t op = fn->f->insns.at[i].op;
	uint32_t n = 0;

	while (i-- && fn->sym->origin.at[i] == v)
		n += fn->f->insns.at[i].op == op;
	return n;
}

static void instrument_access(struct ifn *fn, uint32_t i, LLVMValueRef addr, LLVMTypeRef type)
{
	const struct plan_insn *pi = &fn->pf->insn[i];
	LLVMValueRef v = fn->sym->origin.at[i];

	BUG_ON(!v);
	if (pi->flags & PLAN_F_EVENT) {
		uint64_t offset = scalar_offset(fn->it, type, index_of_access(fn, i));

		ifn_before(fn, v);
		ifn_hash_address(fn, addr, offset, pi->order);
		point_before(fn, i, addr, offset);
	}
	if (pi->what != PLAN_VALUES)
		return;
	ifn_before(fn, fn->after);
	if (is_packed(fn, i))
		ifn_log(fn, it_bits(fn->it, v));
	else
		ifn_log_results(fn, i);
}

/* ---- block copies ------------------------------------------------------------------------ */

static LLVMTypeRef bytes_type(struct instrumenter *it, uint32_t n)
{
	return n % 16 ? it_int(it, 8 * n) : LLVMVectorType(it->i64, n / 8);
}

/* The bytes in the log must be those that are copied, so they are loaded only once. */
static void copy_inline(struct ifn *fn, LLVMValueRef v, uint32_t n)
{
	struct instrumenter *it = fn->it;
	bool is_volatile = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 3));
	LLVMValueRef bytes = LLVMBuildLoad2(it->b, bytes_type(it, n), LLVMGetOperand(v, 1), "");
	LLVMValueRef to;

	LLVMSetAlignment(bytes, 1);
	LLVMSetVolatile(bytes, is_volatile);
	ifn_log(fn, bytes);
	to = LLVMBuildStore(it->b, bytes, LLVMGetOperand(v, 0));
	LLVMSetAlignment(to, 1);
	LLVMSetVolatile(to, is_volatile);
	vec_push(&fn->dead, v);
}

static void copy_bulk(struct ifn *fn, LLVMValueRef v)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[] = {LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), LLVMGetOperand(v, 2)};

	args[2] = LLVMBuildZExtOrBitCast(it->b, args[2], it->i64, "");
	ifn_store_hash(fn);
	it_call(it, it->h.copy, args, 3);
	ifn_reload(fn);
	vec_push(&fn->dead, v);
}

/* Hashes the addresses of a copy, fill or va_list operation, before it, and adds its scheduling point. */
static void hash_operands(struct ifn *fn, uint32_t i)
{
	const struct plan_insn *pi = &fn->pf->insn[i];
	LLVMValueRef v = fn->sym->origin.at[i];
	uint32_t k = pi->order;

	ifn_before(fn, v);
	if (pi->flags & PLAN_F_READ)
		ifn_hash_address(fn, LLVMGetOperand(v, 1), 0, k++);
	if (pi->flags & PLAN_F_WRITE)
		ifn_hash_address(fn, LLVMGetOperand(v, 0), 0, k);
	point_before(fn, i, NULL, 0);
}

static void instrument_bulk(struct ifn *fn, uint32_t i)
{
	const struct plan_insn *pi = &fn->pf->insn[i];

	hash_operands(fn, i);
	if (pi->what == PLAN_BYTES)
		copy_inline(fn, fn->sym->origin.at[i], pi->bytes);
	else if (pi->what == PLAN_BULK)
		copy_bulk(fn, fn->sym->origin.at[i]);
}

/* ---- other instructions
 * ---------------------------------------------------------------------------- */

static void instrument_va(struct ifn *fn, uint32_t i)
{
	LLVMValueRef list;

	hash_operands(fn, i);
	if (fn->pf->insn[i].what != PLAN_VA)
		return;
	ifn_before(fn, fn->after);
	list = LLVMBuildLoad2(
		fn->it->b, it_int(fn->it, 192), LLVMGetOperand(fn->sym->origin.at[i], 0), "");
	LLVMSetAlignment(list, 8);
	ifn_log(fn, list);
}

static void leave_function(struct ifn *fn, LLVMValueRef ret)
{
	ifn_before(fn, ret);
	ifn_store_hash(fn);
	if (fn->was_native)
		it_call(fn->it, fn->it->h.leave, &fn->was_native, 1);
}

static void log_values(struct ifn *fn, uint32_t i)
{
	if (fn->pf->insn[i].what != PLAN_VALUES)
		return;
	ifn_before(fn, fn->after);
	ifn_log_results(fn, i);
}

/* The compiler may fuse llvm.fmuladd or not; the importer has decided which. */
static void fix_muladd(struct ifn *fn, uint32_t i, bool fused)
{
	LLVMValueRef v = fn->sym->origin.at[i];
	const char *name;
	size_t n;

	if ((i && fn->sym->origin.at[i - 1] == v) || !LLVMIsACallInst(v))
		return;
	name = LLVMGetValueName2(LLVMGetCalledValue(v), &n);
	if (n > 13 && !memcmp(name, "llvm.fmuladd.", 13))
		exact_muladd(fn, v, fused);
}

static bool is_asm(LLVMValueRef v)
{
	return LLVMIsACallInst(v) && LLVMIsAInlineAsm(LLVMGetCalledValue(v));
}

void ifn_insn(struct ifn *fn, uint32_t i)
{
	const struct ir_insn *in = &fn->f->insns.at[i];
	LLVMValueRef v = fn->sym->origin.at[i];

	if (is_asm(v) && in->op != IR_ASM) {
		asm_insn(fn, i);
		return;
	}
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: instrument_access(fn, i, LLVMGetOperand(v, 0), LLVMTypeOf(v)); break;
	case IR_S_STORE:
		instrument_access(fn, i, LLVMGetOperand(v, 1), LLVMTypeOf(LLVMGetOperand(v, 0)));
		break;
	case IR_S_RMW:
	case IR_S_CAS: instrument_access(fn, i, LLVMGetOperand(v, 0), it_int(fn->it, 8)); break;
	case IR_S_BULK: instrument_bulk(fn, i); break;
	case IR_S_VA: instrument_va(fn, i); break;
	case IR_S_CALL: ifn_call(fn, i); break;
	case IR_S_RET: leave_function(fn, v); break;
	case IR_S_TERN: fix_muladd(fn, i, true); break;
	case IR_S_BIN: fix_muladd(fn, i, false); break;
	default: log_values(fn, i);
	}
}
