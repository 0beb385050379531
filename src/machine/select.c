/* Instruction selection: the threaded operation for each IR instruction. */
#include "base/arena.h"
#include "machine/extension.h"
#include "machine/translate.h"

static struct cinsn *emit_generic(struct tr *t, uint32_t i)
{
	return tr_emit(t, C_GENERIC, i);
}

static uint32_t dst_slot(const struct tr *t, const struct ir_insn *in)
{
	return t->code->slot[in->dst];
}

/* ---- integers -------------------------------------------------------------------------------- */

/* the first of the five forms of an operation: 32, 64, I32, I64, W */
static int int_family(uint8_t op)
{
	switch (op) {
	case IR_ADD: return C_ADD32;
	case IR_SUB: return C_SUB32;
	case IR_MUL: return C_MUL32;
	case IR_AND: return C_AND32;
	case IR_OR: return C_OR32;
	case IR_XOR: return C_XOR32;
	case IR_SHL: return C_SHL32;
	case IR_LSHR: return C_LSHR32;
	case IR_ASHR: return C_ASHR32;
	default: return -1;
	}
}

static int div_op(uint8_t op, uint32_t bits)
{
	switch (op) {
	case IR_UDIV: return bits == 32 ? C_UDIV32 : C_UDIV64;
	case IR_UREM: return bits == 32 ? C_UREM32 : C_UREM64;
	case IR_SDIV: return bits == 32 ? C_SDIV32 : C_SDIV64;
	case IR_SREM: return bits == 32 ? C_SREM32 : C_SREM64;
	default: return -1;
	}
}

static int float_bin(uint8_t op)
{
	switch (op) {
	case IR_FADD: return C_FADDF32;
	case IR_FSUB: return C_FSUBF32;
	case IR_FMUL: return C_FMULF32;
	case IR_FDIV: return C_FDIVF32;
	default: return -1;
	}
}

static void emit_abc(struct tr *t, int op, uint32_t i, uint32_t dst, uint32_t a, uint32_t b)
{
	struct cinsn *c = tr_emit(t, (enum cop)op, i);

	c->dst = dst;
	c->a = a;
	c->b = b;
}

static void select_bin(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	uint32_t bits = ir_type_bits(in->type), form = bits == 64 ? 1 : 0;
	int family = int_family(in->op), op;
	ir_ref a = in->arg[0], b = in->arg[1];
	uint64_t imm;
	bool is_shift = in->op == IR_SHL || in->op == IR_LSHR || in->op == IR_ASHR;

	if (ir_type_is_float(in->type)) {
		op = in->type == IR_F32 || in->type == IR_F64 ? float_bin(in->op) : -1;
		if (op < 0)
			emit_generic(t, i);
		else
			emit_abc(t, op + (in->type == IR_F64), i, dst_slot(t, in), tr_slot(t, a),
				tr_slot(t, b));
		return;
	}
	op = div_op(in->op, bits);
	if (op >= 0 && (bits == 32 || bits == 64)) {
		emit_abc(t, op, i, dst_slot(t, in), tr_slot(t, a), tr_slot(t, b));
		return;
	}
	if (family < 0 || bits > 64) {
		emit_generic(t, i);
		return;
	}
	if (bits != 32 && bits != 64) {
		emit_abc(t, family + 4, i, dst_slot(t, in), tr_slot(t, a), tr_slot(t, b));
		vec_last(&t->out).imm = (int64_t)bits_mask(bits);
		vec_last(&t->out).aux = (uint16_t)bits;
		return;
	}
	if (tr_imm(t, b, &imm) && (!is_shift || imm < bits)) {
		emit_abc(t, family + 2 + (int)form, i, dst_slot(t, in), tr_slot(t, a), 0);
		vec_last(&t->out).imm = (int64_t)imm;
		return;
	}
	emit_abc(t, family + (int)form, i, dst_slot(t, in), tr_slot(t, a), tr_slot(t, b));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* the first of the four forms: plain, I, BR, BR I */
static int cmp_family(uint8_t op)
{
	switch (op) {
	case IR_EQ: return C_EQ;
	case IR_NE: return C_NE;
	case IR_ULT: return C_ULT;
	case IR_ULE: return C_ULE;
	case IR_SLT: return C_SLT;
	case IR_SLE: return C_SLE;
	default: return -1;
	}
}

static int float_cmp(uint8_t op)
{
	switch (op) {
	case IR_FOEQ: return C_FOEQF32;
	case IR_FUNE: return C_FUNEF32;
	case IR_FOLT: return C_FOLTF32;
	case IR_FOLE: return C_FOLEF32;
	default: return -1;
	}
}

static bool is_signed_cmp(uint8_t op)
{
	return op == IR_SLT || op == IR_SLE;
}

/* the constant operand, sign-extended for signed comparisons */
static bool cmp_imm(struct tr *t, const struct ir_insn *in, uint64_t *imm)
{
	if (!tr_imm(t, in->arg[1], imm))
		return false;
	if (is_signed_cmp(in->op))
		*imm = (uint64_t)bits_signed(*imm, ir_type_bits(in->type2));
	return true;
}

static void select_cmp(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	uint32_t bits = ir_type_bits(in->type2), dst = dst_slot(t, in);
	int op = cmp_family(in->op);
	uint64_t imm;

	if (in->type2 == IR_F32 || in->type2 == IR_F64)
		op = float_cmp(in->op);
	if (op < 0 || bits > 64) {
		emit_generic(t, i);
		return;
	}
	if (ir_type_is_float(in->type2)) {
		emit_abc(t, op + (in->type2 == IR_F64), i, dst, tr_slot(t, in->arg[0]),
			tr_slot(t, in->arg[1]));
		return;
	}
	if (cmp_imm(t, in, &imm)) {
		emit_abc(t, op + 1, i, dst, tr_slot(t, in->arg[0]), 0);
		vec_last(&t->out).imm = (int64_t)imm;
	} else {
		emit_abc(t, op, i, dst, tr_slot(t, in->arg[0]), tr_slot(t, in->arg[1]));
	}
	vec_last(&t->out).aux = (uint16_t)(64 - bits);
}

bool select_cmp_branch(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i], *br = in + 1;
	uint32_t bits = ir_type_bits(in->type2), dst;
	int op = ir_ops[in->op].shape == IR_S_CMP ? cmp_family(in->op) : -1;
	bool is_signed = is_signed_cmp(in->op);
	uint64_t imm;

	if (op < 0 || bits > 64 || br->arg[0] != in->dst)
		return false;
	dst = dst_slot(t, in);
	if (cmp_imm(t, in, &imm) &&
		(is_signed ? (int64_t)imm == (int32_t)imm : imm == (uint32_t)imm))
		emit_abc(t, op + 3, i, dst, tr_slot(t, in->arg[0]), (uint32_t)imm);
	else
		emit_abc(t, op + 2, i, dst, tr_slot(t, in->arg[0]), tr_slot(t, in->arg[1]));
	vec_last(&t->out).imm = (int64_t)(64 - bits) << 32;
	return true;
}

/* ---- conversions ----------------------------------------------------------------------------- */

static void select_conv(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	uint32_t from = ir_type_bits(in->type2), to = ir_type_bits(in->type);
	int op = -1;
	uint16_t aux = 0;

	if (from > 64 || to > 64) {
		emit_generic(t, i);
		return;
	}
	switch (in->op) {
	case IR_ZEXT:
	case IR_BITCAST: op = C_MOV; break;
	case IR_PTRTOINT:
	case IR_INTTOPTR: op = to < from ? C_TRUNC : C_MOV; break;
	case IR_TRUNC: op = C_TRUNC; break;
	case IR_SEXT:
		op = C_SEXT;
		aux = (uint16_t)(64 - from);
		break;
	case IR_FPEXT: op = in->type2 == IR_F32 && in->type == IR_F64 ? C_FEXT : -1; break;
	case IR_FPTRUNC: op = in->type2 == IR_F64 && in->type == IR_F32 ? C_FCUT : -1; break;
	case IR_SITOFP:
		if (in->type == IR_F64)
			op = from == 32 ? C_I32TOF64 : from == 64 ? C_I64TOF64 : -1;
		break;
	case IR_FPTOSI:
		if (in->type2 == IR_F64)
			op = to == 32 ? C_F64TOI32 : to == 64 ? C_F64TOI64 : -1;
		break;
	default: break;
	}
	if (op < 0) {
		emit_generic(t, i);
		return;
	}
	emit_abc(t, op, i, dst_slot(t, in), tr_slot(t, in->arg[0]), 0);
	vec_last(&t->out).aux = aux;
	vec_last(&t->out).imm = (int64_t)bits_mask(to);
}

static void select_un(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	int op = -1;

	if (ir_type_bits(in->type) <= 64 && in->op == IR_COPY)
		op = C_MOV;
	else if (in->op == IR_FNEG && (in->type == IR_F32 || in->type == IR_F64))
		op = in->type == IR_F64 ? C_FNEGF64 : C_FNEGF32;
	else if (in->type == IR_F64)
		op = in->op == IR_FABS ? C_FABSF64 : in->op == IR_FSQRT ? C_FSQRTF64 : -1;
	if (op < 0)
		emit_generic(t, i);
	else
		emit_abc(t, op, i, dst_slot(t, in), tr_slot(t, in->arg[0]), 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* 0..3 for types of 8, 16, 32, 64 bits; -1 for others */
static int access_form(ir_type type)
{
	switch (ir_type_bits(type)) {
	case 8: return 0;
	case 16: return 1;
	case 32: return 2;
	case 64: return 3;
	default: return -1;
	}
}

static void select_padd(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	bool indexed = in->arg[1] != IR_NONE;
	uint32_t b = indexed ? tr_slot(t, in->arg[1]) : 0;

	emit_abc(t, indexed ? C_PADDX : C_PADDI, i, dst_slot(t, in), tr_slot(t, in->arg[0]), b);
	vec_last(&t->out).c = in->arg[2];
	vec_last(&t->out).imm = in->imm;
}

/* Emits an access that is logged, hashed or observed; false if it is none of them. */
static bool select_followed(struct tr *t, uint32_t i, int form)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	bool logged, is_load = in->op == IR_LOAD;
	uint32_t coef;

	if (!t->m->follow_ops->fast_access(t->m, t->code->func, in, &logged, &coef)) {
		emit_generic(t, i);
		return true;
	}
	if (!logged && !coef)
		return false;
	if (is_load && !logged) { /* hashed but not logged: rare */
		emit_generic(t, i);
		return true;
	}
	if (is_load)
		emit_abc(t, C_FLD8 + form, i, dst_slot(t, in), tr_slot(t, in->arg[0]), 0);
	else
		emit_abc(t, C_FST8 + form, i, 0, tr_slot(t, in->arg[0]), tr_slot(t, in->arg[1]));
	vec_last(&t->out).aux = (uint16_t)coef;
	return true;
}

static void select_access(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	bool is_load = in->op == IR_LOAD;
	int form = access_form(is_load ? in->type : in->type2);

	if (form < 0 || (t->m->follow && select_followed(t, i, form))) {
		if (form < 0)
			emit_generic(t, i);
		return;
	}
	if (is_load)
		emit_abc(t, C_LD8 + form, i, dst_slot(t, in), tr_slot(t, in->arg[0]), 0);
	else
		emit_abc(t, C_ST8 + form, i, 0, tr_slot(t, in->arg[0]), tr_slot(t, in->arg[1]));
}

/* Fuses the computation of an address with the access after it, its only use. The cinsn has the
 * index of the access, and writes the address register, so that the careful mode can continue. */
static bool select_fused_access(struct tr *t, uint32_t i)
{
	const struct ir_insn *p = &t->fn->insns.at[i], *in = p + 1;
	bool is_load = in->op == IR_LOAD, indexed = p->arg[1] != IR_NONE, logged;
	uint32_t addr, base, index, value, coef;
	struct cinsn *c;
	int form;

	if ((!is_load && in->op != IR_STORE) || in->arg[0] != p->dst || t->uses[p->dst] != 1 ||
		(indexed && p->arg[2] > UINT16_MAX))
		return false;
	form = access_form(is_load ? in->type : in->type2);
	if (t->m->follow && (!t->m->follow_ops->fast_access(t->m, t->code->func, in, &logged, &coef) || logged ||
				    coef))
		return false;
	if (form < 0 || (in->flags & (IR_F_ORDER | IR_F_VOLATILE)) ||
		(t->m->opt->switches == EXEC_SWITCH_ACCESS && !t->code->model))
		return false;
	if (!is_load && ir_is_const(in->arg[1]) &&
		ir_const(t->fn, in->arg[1])->kind == IR_C_UNDEF)
		return false;
	addr = dst_slot(t, p);
	base = tr_slot(t, p->arg[0]);
	index = indexed ? tr_slot(t, p->arg[1]) : 0;
	value = is_load ? dst_slot(t, in) : tr_slot(t, in->arg[1]);
	c = tr_emit(t, (enum cop)((is_load ? indexed ? C_LDX8 : C_LDR8 : indexed ? C_STX8 : C_STR8) +
				  form), i + 1);
	c->a = base;
	c->imm = p->imm;
	c->aux = (uint16_t)p->arg[2];
	if (is_load) {
		c->dst = value;
		c->b = index;
		c->c = addr;
	} else {
		c->dst = addr;
		c->b = indexed ? index : value;
		c->c = value;
	}
	return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Emits a call that copies its arguments to the callee's registers without conversion. A direct
 * call is checked here, a call through a pointer when it is bound (code_call_bind). */
static bool select_call(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	const uint32_t *x = t->fn->extra.at + in->arg[1];
	bool direct = ir_is_const(in->arg[0]);
	uint32_t n = in->arg[2], k = 0, a = 0;
	struct code_call *call;
	struct cinsn *c;

	if (direct && (ir_const(t->fn, in->arg[0])->kind != IR_C_FUNC ||
			      !code_call_fits(t->m, t->fn, in, ir_const(t->fn, in->arg[0])->id)))
		return false;
	if (in->imm > 1 || (in->imm && ir_type_bits(in->type) > 64))
		return false;
	call = arena_alloc(&t->m->arena, sizeof *call + 2 * n * sizeof call->args[0]);
	call->func = direct ? ir_const(t->fn, in->arg[0])->id : 0;
	for (uint32_t arg = 0; arg < n; arg++) {
		call->args[k++] = tr_slot(t, x[2 * arg]);
		if (ir_type_bits(ir_ref_type(t->fn, x[2 * arg])) > 64) {
			call->args[k] = call->args[k - 1] + 1;
			k++;
		}
	}
	call->nargs = k;
	if (!direct)
		a = tr_slot(t, in->arg[0]);
	c = tr_emit(t, direct ? C_CALL : C_CALLI, i);
	c->a = a;
	c->dst = in->imm ? dst_slot(t, in) : 0;
	c->imm = (int64_t)(uintptr_t)call;
	return true;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

uint32_t select_insn(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN: select_bin(t, i); break;
	case IR_S_CMP: select_cmp(t, i); break;
	case IR_S_CONV: select_conv(t, i); break;
	case IR_S_UN: select_un(t, i); break;
	case IR_S_SELECT:
		if (ir_type_bits(in->type) > 64) {
			emit_generic(t, i);
			break;
		}
		emit_abc(t, C_SELECT, i, dst_slot(t, in), tr_slot(t, in->arg[0]),
			tr_slot(t, in->arg[1]));
		t->out.at[t->out.n - 1].c = tr_slot(t, in->arg[2]);
		break;
	case IR_S_PADD:
		if (select_fused_access(t, i))
			return 2;
		select_padd(t, i);
		break;
	case IR_S_LOAD:
	case IR_S_STORE: select_access(t, i); break;
	case IR_S_CALL:
		if (!select_call(t, i))
			emit_generic(t, i);
		break;
	case IR_S_FENCE: break;
	default: emit_generic(t, i); break;
	}
	return 1;
}
