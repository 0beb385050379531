#include "import/import_internal.h"

#include "base/hash.h"

#include <string.h>

/* ---- constants --------------------------------------------------------------------------- */

ir_ref k_const(struct fn *fn, struct ir_const c)
{
	struct ir_const key;
	uint64_t *slot;

	memset(&key, 0, sizeof key); /* the hash includes the padding */
	key.kind = c.kind;
	key.type = c.type;
	key.id = c.id;
	key.lo = c.lo;
	key.hi = c.hi;
	slot = map_put(&fn->consts, hash_bytes(&key, sizeof key));
	if (*slot && !memcmp(&fn->f.consts.at[*slot - 1], &key, sizeof key))
		return IR_CONST_BIT | (uint32_t)(*slot - 1);
	vec_reserve(&fn->f.consts, fn->f.consts.n + 1);
	memcpy(&fn->f.consts.at[fn->f.consts.n++], &key, sizeof key);
	*slot = fn->f.consts.n;
	return IR_CONST_BIT | (fn->f.consts.n - 1);
}

ir_ref k_bits(struct fn *fn, ir_type t, uint64_t lo, uint64_t hi)
{
	uint32_t bits = ir_type_bits(t);

	if (bits < 64)
		lo &= ((uint64_t)1 << bits) - 1;
	if (bits <= 64)
		hi = 0;
	else if (bits < 128)
		hi &= ((uint64_t)1 << (bits - 64)) - 1;
	return k_const(fn, (struct ir_const){.kind = IR_C_BITS, .type = t, .lo = lo, .hi = hi});
}

ir_ref k_undef(struct fn *fn, ir_type t)
{
	return k_const(fn, (struct ir_const){.kind = IR_C_UNDEF, .type = t});
}

bool k_value(const struct fn *fn, ir_ref r, uint64_t *lo)
{
	const struct ir_const *c;

	if (!ir_is_const(r))
		return false;
	c = ir_const(&fn->f, r);
	*lo = c->lo;
	return c->kind == IR_C_BITS && !c->hi;
}

/* ---- instructions ------------------------------------------------------------------------ */

uint32_t reg_new(struct fn *fn, ir_type t)
{
	vec_push(&fn->f.regs, (struct ir_reg){.type = t});
	return fn->f.regs.n - 1;
}

struct ir_insn *emit(struct fn *fn, enum ir_op op, ir_type type)
{
	vec_push(&fn->f.insns, (struct ir_insn){.op = (uint8_t)op,
				       .type = type,
				       .dst = IR_NONE,
				       .arg = {IR_NONE, IR_NONE, IR_NONE},
				       .pos = fn->pos});
	return &vec_last(&fn->f.insns);
}

struct ir_insn *emit_def(struct fn *fn, enum ir_op op, ir_type type)
{
	struct ir_insn *in = emit(fn, op, type);

	in->dst = reg_new(fn, type);
	return in;
}

ir_ref emit_bin(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b)
{
	struct ir_insn *in = emit_def(fn, op, ref_type(fn, a));

	in->arg[0] = a;
	in->arg[1] = b;
	return in->dst;
}

ir_ref emit_cmp(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b)
{
	struct ir_insn *in = emit_def(fn, op, 1);

	in->type2 = ref_type(fn, a);
	in->arg[0] = a;
	in->arg[1] = b;
	return in->dst;
}

ir_ref emit_un(struct fn *fn, enum ir_op op, ir_ref a)
{
	struct ir_insn *in = emit_def(fn, op, ref_type(fn, a));

	in->arg[0] = a;
	return in->dst;
}

ir_ref emit_conv(struct fn *fn, enum ir_op op, ir_type to, ir_ref a)
{
	struct ir_insn *in = emit_def(fn, op, to);

	in->type2 = ref_type(fn, a);
	in->arg[0] = a;
	return in->dst;
}

ir_ref emit_tern(struct fn *fn, enum ir_op op, ir_ref a, ir_ref b, ir_ref c)
{
	struct ir_insn *in = emit_def(fn, op, ref_type(fn, a));

	in->arg[0] = a;
	in->arg[1] = b;
	in->arg[2] = c;
	return in->dst;
}

ir_ref emit_select(struct fn *fn, ir_ref c, ir_ref a, ir_ref b)
{
	struct ir_insn *in = emit_def(fn, IR_SELECT, ref_type(fn, a));

	in->arg[0] = c;
	in->arg[1] = a;
	in->arg[2] = b;
	return in->dst;
}

ir_ref emit_resize(struct fn *fn, ir_type to, ir_ref a, bool is_signed)
{
	ir_type from = ref_type(fn, a);
	uint64_t k;

	if (from == to)
		return a;
	if (from <= 64 && to <= 64 && k_value(fn, a, &k)) {
		if (is_signed && from < 64 && k >> (from - 1) & 1)
			k |= ~(uint64_t)0 << from;
		return k_int(fn, to, k);
	}
	return emit_conv(fn, to < from ? IR_TRUNC : is_signed ? IR_SEXT : IR_ZEXT, to, a);
}

ir_ref emit_padd(
	struct fn *fn, ir_ref base, ir_ref index, uint64_t scale, int64_t bytes, uint16_t flags)
{
	struct ir_insn *in;

	if (scale > UINT32_MAX) {
		index = emit_bin(fn, IR_MUL, index, k_int(fn, 64, scale));
		scale = 1;
	}
	in = emit_def(fn, IR_PADD, IR_PTR);
	in->arg[0] = base;
	in->arg[1] = index;
	in->arg[2] = index == IR_NONE ? 0 : (uint32_t)scale;
	in->imm = bytes;
	in->flags = flags;
	return in->dst;
}

ir_ref emit_offset(struct fn *fn, ir_ref base, int64_t bytes, uint16_t flags)
{
	struct ir_const c;

	if (!bytes)
		return base;
	if (ir_is_const(base) && ir_const(&fn->f, base)->kind == IR_C_GLOBAL) {
		c = *ir_const(&fn->f, base);
		c.lo += (uint64_t)bytes;
		return k_const(fn, c);
	}
	return emit_padd(fn, base, IR_NONE, 0, bytes, flags);
}

ir_ref emit_load(struct fn *fn, ir_type t, ir_ref addr, uint16_t flags, uint32_t align)
{
	struct ir_insn *in = emit_def(fn, IR_LOAD, t);

	in->arg[0] = addr;
	in->flags = flags;
	in->imm = align;
	return in->dst;
}

void emit_store(struct fn *fn, ir_ref addr, ir_ref v, uint16_t flags, uint32_t align)
{
	struct ir_insn *in = emit(fn, IR_STORE, IR_VOID);

	in->type2 = ref_type(fn, v);
	in->arg[0] = addr;
	in->arg[1] = v;
	in->flags = flags;
	in->imm = align;
}

ir_ref emit_to_int(struct fn *fn, ir_ref a)
{
	ir_type t = ref_type(fn, a), to = (ir_type)ir_type_bits(t);
	struct ir_const c;

	if (t == to)
		return a;
	if (ir_is_const(a)) {
		c = *ir_const(&fn->f, a);
		if (c.kind == IR_C_BITS || c.kind == IR_C_UNDEF) {
			c.type = to;
			return k_const(fn, c);
		}
	}
	return emit_conv(fn, t == IR_PTR ? IR_PTRTOINT : IR_BITCAST, to, a);
}

ir_ref emit_from_int(struct fn *fn, ir_type to, ir_ref a)
{
	struct ir_const c;

	if (to == ref_type(fn, a))
		return a;
	if (ir_is_const(a)) {
		c = *ir_const(&fn->f, a);
		c.type = to;
		return k_const(fn, c);
	}
	return emit_conv(fn, to == IR_PTR ? IR_INTTOPTR : IR_BITCAST, to, a);
}

void emit_unsupported(struct fn *fn, uint32_t reason)
{
	emit(fn, IR_UNSUPPORTED, IR_VOID)->imm = reason;
}

struct lanes emit_call(struct fn *fn, ir_ref callee, const uint32_t *args, uint32_t nargs,
	const struct layout *ret, uint16_t flags)
{
	struct lanes out = lanes_new(fn, ret->n);
	struct ir_insn *in = emit(fn, IR_CALL, ret->n ? ret->leaf[0].type : IR_VOID);

	in->flags = flags;
	in->arg[0] = callee;
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = nargs;
	in->imm = ret->n;
	for (uint32_t i = 0; i < 2 * nargs; i++)
		vec_push(&fn->f.extra, args[i]);
	for (uint32_t i = 0; i < ret->n; i++)
		lane_set(fn, out, i, reg_new(fn, ret->leaf[i].type));
	if (ret->n)
		in->dst = lane(fn, out, 0);
	return out;
}

struct lanes emit_opaque(
	struct fn *fn, LLVMValueRef call, const char *text, size_t len, uint16_t flags)
{
	const struct layout *l = layout_of_value(fn->im, call);
	unsigned n = LLVMGetNumArgOperands(call);
	struct lanes out = lanes_new(fn, l->n);
	VEC(uint32_t) args = {0};
	struct ir_insn *in;

	for (unsigned i = 0; i < n; i++) {
		struct lanes a = fn_use(fn, LLVMGetOperand(call, i));

		for (uint32_t k = 0; k < a.n; k++)
			vec_push(&args, lane(fn, a, k));
	}
	in = emit(fn, IR_ASM, l->n ? l->leaf[0].type : IR_VOID);
	in->arg[0] = str_id(fn->im, text, len);
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = args.n;
	in->imm = l->n;
	in->flags = flags;
	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i, reg_new(fn, l->leaf[i].type));
	if (l->n)
		in->dst = lane(fn, out, 0);
	vec_each (&args, i)
		vec_push(&fn->f.extra, args.at[i]);
	vec_release(&args);
	abi_asm(fn, call);
	return out;
}
