/*
 * Constraints of instructions. Integers of any width and floats may hold an address or a part of
 * one; the results of comparisons, counts of bits and masks of three bits do not.
 */
#include "facts/flow.h"

#include "base/base.h"
#include "base/map.h"
#include "facts/opaque.h"

struct at { /* one instruction */
	struct flow *fl;
	struct pts_system *sys;
	uint32_t func;
	const struct ir_func *f;
	const struct defs *d;
	const struct ir_insn *in;
};

static uint32_t node_of(const struct at *a, ir_ref r)
{
	return flow_node(a->fl, a->func, r);
}

static uint32_t result_node(const struct at *a)
{
	return node_of(a, a->in->dst);
}

static void copy_operand(const struct at *a, ir_ref from)
{
	pts_copy(a->sys, result_node(a), node_of(a, from));
}

/* the value is computed from the source by an operation without constraints of its own */
static void mix_value(const struct at *a, uint32_t to, uint32_t from)
{
	pts_move(a->sys, to, from, PTS_X_UNKNOWN);
}

static void mix_operands(const struct at *a, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		mix_value(a, result_node(a), node_of(a, a->in->arg[i]));
}

/* base + bytes; a pointer that advances in such steps may be any number of steps away from base */
static void shift_base(const struct at *a, uint32_t base, int64_t bytes)
{
	struct pts_xform x = PTS_X_SHIFT(bytes);

	if (a->d->steps[a->in->dst])
		x = (struct pts_xform){.kind = PTS_INDEX, .c = bytes};
	pts_move(a->sys, result_node(a), base, x);
}

static void flow_padd(const struct at *a)
{
	const struct ir_insn *in = a->in;
	int64_t bytes, null;
	ir_ref base;

	/* an address that is computed from an integer: (char *)0 + n */
	if (in->arg[1] != IR_NONE && defs_constant(a->f, in->arg[0], &null))
		mix_value(a, result_node(a), node_of(a, in->arg[1]));
	else if (defs_adds_constant(a->f, in, &base, &bytes))
		shift_base(a, node_of(a, base), bytes);
	else
		pts_move(a->sys, result_node(a), node_of(a, in->arg[0]),
			(struct pts_xform){.kind = PTS_INDEX, .c = in->arg[2], .shift = in->imm});
}

/* finds the operand that is not a constant, and the value of the other */
static bool with_constant(const struct at *a, ir_ref *r, int64_t *k)
{
	for (int i = 0; i < 2; i++)
		if (defs_constant(a->f, a->in->arg[i], k)) {
			*r = a->in->arg[1 - i];
			return true;
		}
	return false;
}

/* The effect of a bit mask on a pointer; false if no part of the pointer remains. */
static bool mask_xform(int64_t k, struct pts_xform *x)
{
	*x = PTS_X_UNKNOWN;
	if (k >= 0 && k < 8)
		return false;
	if (k < 0 && !(-(uint64_t)k & (-(uint64_t)k - 1)))
		*x = (struct pts_xform){.kind = PTS_ROUND, .c = (int64_t)-(uint64_t)k};
	return true;
}

static struct pts_xform tag_xform(int64_t k)
{
	if (k >= 0 && k < 4096)
		return (struct pts_xform){.kind = PTS_TAG, .c = k};
	return PTS_X_UNKNOWN;
}

static void flow_binary(const struct at *a)
{
	struct pts_xform x;
	int64_t k;
	ir_ref r;

	if (defs_adds_constant(a->f, a->in, &r, &k)) {
		shift_base(a, node_of(a, r), k);
		return;
	}
	if (a->in->type == 64 && a->in->op == IR_AND && with_constant(a, &r, &k)) {
		if (mask_xform(k, &x))
			pts_move(a->sys, result_node(a), node_of(a, r), x);
		return;
	}
	if (a->in->type == 64 && a->in->op == IR_OR && with_constant(a, &r, &k)) {
		pts_move(a->sys, result_node(a), node_of(a, r), tag_xform(k));
		return;
	}
	mix_operands(a, 2);
}

static void flow_unary(const struct at *a)
{
	switch (a->in->op) {
	case IR_COPY:
	case IR_FREEZE: copy_operand(a, a->in->arg[0]); break;
	case IR_CTPOP:
	case IR_CTLZ:
	case IR_CTTZ: break;
	default: mix_operands(a, 1);
	}
}

static void flow_convert(const struct at *a)
{
	switch (a->in->op) {
	case IR_TRUNC:
	case IR_ZEXT:
	case IR_SEXT:
	case IR_BITCAST:
	case IR_PTRTOINT:
	case IR_INTTOPTR: copy_operand(a, a->in->arg[0]); break;
	default: mix_operands(a, 1);
	}
}

static uint32_t width_of(ir_type t)
{
	return MAX(ir_type_bytes(t), 1);
}

static void flow_load(const struct at *a)
{
	uint32_t slot = defs_slot(a->d, a->in->arg[0]);

	if (slot != IR_NONE)
		copy_operand(a, slot);
	else
		pts_load(a->sys, result_node(a), node_of(a, a->in->arg[0]), width_of(a->in->type));
}

static void flow_store(const struct at *a)
{
	uint32_t slot = defs_slot(a->d, a->in->arg[0]);

	if (slot != IR_NONE)
		pts_copy(a->sys, node_of(a, slot), node_of(a, a->in->arg[1]));
	else
		pts_store(a->sys, node_of(a, a->in->arg[0]), node_of(a, a->in->arg[1]),
			width_of(a->in->type2));
}

static void read_modify_write(const struct at *a)
{
	uint32_t addr = node_of(a, a->in->arg[0]), value = node_of(a, a->in->arg[1]), next;
	struct pts_xform x = PTS_X_UNKNOWN;
	bool keeps = true;
	int64_t k;

	pts_load(a->sys, result_node(a), addr, width_of(a->in->type));
	if (a->in->op == IR_RMW_XCHG) {
		pts_store(a->sys, addr, value, width_of(a->in->type));
		return;
	}
	next = pts_add_node(a->sys);
	mix_value(a, next, value);
	if (a->in->type == 64 && defs_constant(a->f, a->in->arg[1], &k)) {
		if (a->in->op == IR_RMW_AND)
			keeps = mask_xform(k, &x);
		else if (a->in->op == IR_RMW_OR)
			x = tag_xform(k);
	}
	if (keeps)
		pts_move(a->sys, next, result_node(a), x);
	pts_store(a->sys, addr, next, width_of(a->in->type));
}

static void compare_and_swap(const struct at *a)
{
	uint32_t addr = node_of(a, a->in->arg[0]);

	pts_load(a->sys, result_node(a), addr, width_of(a->in->type));
	pts_store(a->sys, addr, node_of(a, a->in->arg[2]), width_of(a->in->type));
}

static uint32_t constant_length(const struct at *a, ir_ref r)
{
	int64_t k;

	return defs_constant(a->f, r, &k) && k >= 0 && k < OFFS_MAX ? (uint32_t)k : PTS_ALL;
}

static void flow_bulk(const struct at *a)
{
	const struct ir_insn *in = a->in;
	uint32_t to = node_of(a, in->arg[0]), from = node_of(a, in->arg[1]), n, bytes, any;

	if (in->op == IR_MEMSET) {
		/* parts of a pointer, anywhere in the object */
		if (!from)
			return;
		any = pts_add_node(a->sys);
		mix_value(a, any, to);
		pts_store(a->sys, any, from, 1);
		return;
	}
	n = constant_length(a, in->arg[2]);
	if (!to || !from || !n)
		return;
	bytes = flow_add_object(a->fl, PTS_IN_FLIGHT, 1,
		(struct pts_object){.kind = PTS_K_FLIGHT, .func = a->func, .insn = IR_NONE,
			.size = UINT64_MAX});
	pts_fetch(a->sys, bytes, from, n);
	pts_put(a->sys, to, bytes, n);
}

/* A va_list of x86-64: two 4-byte offsets, then the addresses of two areas. */
static void variable_arguments(const struct at *a)
{
	uint32_t list = node_of(a, a->in->arg[0]), areas, bytes;

	if (a->in->op == IR_VA_START) {
		areas = pts_add_node(a->sys);
		pts_move(a->sys, areas, list,
			(struct pts_xform){.kind = PTS_INDEX, .c = 8, .bound = 2, .shift = 8});
		pts_store(a->sys, areas, a->fl->funcs[a->func].varargs, 8);
	} else if (a->in->op == IR_VA_COPY) {
		bytes = flow_add_object(a->fl, PTS_IN_FLIGHT, 1,
			(struct pts_object){.kind = PTS_K_FLIGHT, .func = a->func,
				.insn = IR_NONE, .size = UINT64_MAX});
		pts_fetch(a->sys, bytes, node_of(a, a->in->arg[1]), 24);
		pts_put(a->sys, list, bytes, 24);
	}
}

/* An instruction that is not translated: if it accesses memory, its operands escape. Its results may
 * be derived from the operands or, unless the template is empty or an intrinsic, come from
 * outside. */
static void flow_assembly(const struct at *a)
{
	const struct ir_insn *in = a->in;
	bool memory = opaque_accesses_memory(a->fl->p, a->f, in);
	bool outside = memory ||
		       (ir_str(a->fl->p, in->arg[0])[0] && !opaque_is_intrinsic(a->fl->p, in));

	for (uint32_t i = 0; i < in->arg[2]; i++) {
		uint32_t from = node_of(a, a->f->extra.at[in->arg[1] + i]);

		if (memory)
			pts_copy(a->sys, a->sys->escaped, from);
		for (uint32_t k = 0; k < (uint32_t)in->imm; k++)
			mix_value(a, node_of(a, in->dst + k), from);
	}
	if (outside)
		for (uint32_t k = 0; k < (uint32_t)in->imm; k++)
			pts_copy(a->sys, node_of(a, in->dst + k), a->sys->external);
}

static void flow_return(const struct at *a)
{
	for (uint32_t i = 0; i < a->in->arg[2]; i++)
		pts_copy(a->sys, a->fl->funcs[a->func].rets + i,
			node_of(a, a->f->extra.at[a->in->arg[1] + i]));
}

static void address_of_local(const struct at *a)
{
	uint64_t key = flow_key(a->func, (uint32_t)a->in->imm);

	pts_addr(a->sys, result_node(a), (uint32_t)*map_get(&a->fl->local_at, key), OFFS_ZERO);
}

void flow_insn(struct flow *fl, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	struct at a = {fl, &fl->sys, func, f, &fl->defs[func], &f->insns.at[insn]};

	switch (ir_ops[a.in->op].shape) {
	case IR_S_BIN: flow_binary(&a); break;
	case IR_S_UN: flow_unary(&a); break;
	case IR_S_TERN: mix_operands(&a, 3); break;
	case IR_S_OVF: mix_operands(&a, 2); break;
	case IR_S_CONV: flow_convert(&a); break;
	case IR_S_SELECT:
		copy_operand(&a, a.in->arg[1]);
		copy_operand(&a, a.in->arg[2]);
		break;
	case IR_S_ALLOCA: address_of_local(&a); break;
	case IR_S_PADD: flow_padd(&a); break;
	case IR_S_LOAD: flow_load(&a); break;
	case IR_S_STORE: flow_store(&a); break;
	case IR_S_RMW: read_modify_write(&a); break;
	case IR_S_CAS: compare_and_swap(&a); break;
	case IR_S_BULK: flow_bulk(&a); break;
	case IR_S_VA: variable_arguments(&a); break;
	case IR_S_PTR0:
		if (a.in->op == IR_FRAMEADDR)
			pts_copy(&fl->sys, result_node(&a), fl->sys.external);
		break;
	case IR_S_CALL: flow_call(fl, func, insn); break;
	case IR_S_ASM: flow_assembly(&a); break;
	case IR_S_RET: flow_return(&a); break;
	case IR_S_CMP:
	case IR_S_FENCE:
	case IR_S_PTR1:
	case IR_S_LIFE:
	case IR_S_STOP:
	case IR_S_BR:
	case IR_S_CBR:
	case IR_S_SWITCH:
	case IR_S_IBR:
	case IR_S_NONE: break;
	}
}
