#include "export/export_internal.h"

#include <stdlib.h>
#include <string.h>

/* The blocks of a function: phis, instructions, terminators. */

/* ---- operands ---------------------------------------------------------------------------- */

LLVMValueRef body_bits(struct body *o, const struct ir_const *c)
{
	struct exporter *x = o->x;
	uint64_t words[] = {c->lo, c->hi};
	uint32_t bits = ir_type_bits(c->type);
	LLVMValueRef v = LLVMConstIntOfArbitraryPrecision(x->types[bits], 2, words);

	if (c->type == IR_PTR)
		return c->lo ? LLVMConstIntToPtr(v, x->types[IR_PTR])
			     : LLVMConstNull(x->types[IR_PTR]);
	return ir_type_is_float(c->type) ? LLVMConstBitCast(v, x->types[c->type]) : v;
}

LLVMValueRef body_use(struct body *o, ir_ref r)
{
	const struct ir_const *c;

	if (ir_is_reg(r))
		return o->regs[r];
	c = ir_const(o->f, r);
	switch (c->kind) {
	case IR_C_BITS: return body_bits(o, c);
	case IR_C_UNDEF: return LLVMGetUndef(o->x->types[c->type]);
	default: return export_address(o->x, c->kind, c->id, (int64_t)c->lo);
	}
}

void body_def(struct body *o, uint32_t reg, LLVMValueRef v)
{
	uint32_t name = o->f->regs.at[reg].name;
	const char *s = name ? ir_str(o->x->p, name) : "";

	o->regs[reg] = v;
	if (name && LLVMIsAInstruction(v) && !*LLVMGetValueName(v))
		LLVMSetValueName2(v, s, strlen(s));
}

/* ---- phis -------------------------------------------------------------------------------- */

/* The first edge into b from a reachable block, or IR_NONE. */
static uint32_t first_edge_into(const struct body *o, uint32_t b)
{
	for (uint32_t i = o->cfg.pred_at[b]; i < o->cfg.pred_at[b + 1]; i++)
		if (cfg_reachable(&o->cfg, o->cfg.pred[i]))
			return o->cfg.succ_edge[o->cfg.pred_succ[i]];
	return IR_NONE;
}

static void make_phis(struct body *o, uint32_t b)
{
	uint32_t e = first_edge_into(o, b);
	const struct ir_edge *edge = e == IR_NONE ? NULL : &o->f->edges.at[e];

	LLVMPositionBuilderAtEnd(o->x->b, o->blocks[b]);
	for (uint32_t i = 0; edge && i < edge->ncopies; i++) {
		uint32_t dst = o->f->extra.at[edge->copies + 2 * i];

		body_def(o, dst, LLVMBuildPhi(o->x->b, o->x->types[o->f->regs.at[dst].type], ""));
	}
}

static void add_incoming(struct body *o, uint32_t edge, LLVMBasicBlockRef from)
{
	const struct ir_edge *e = &o->f->edges.at[edge];

	for (uint32_t i = 0; i < e->ncopies; i++) {
		LLVMValueRef phi = o->regs[o->f->extra.at[e->copies + 2 * i]];
		LLVMValueRef v = body_use(o, o->f->extra.at[e->copies + 2 * i + 1]);

		LLVMAddIncoming(phi, &v, &from, 1);
	}
}

static bool same_copies(const struct ir_func *f, uint32_t a, uint32_t b)
{
	const struct ir_edge *x = &f->edges.at[a], *y = &f->edges.at[b];
	size_t n = 2 * sizeof *f->extra.at * x->ncopies;

	return x->ncopies == y->ncopies &&
	       (!n || !memcmp(f->extra.at + x->copies, f->extra.at + y->copies, n));
}

/* LLVM cannot tell two edges between the same blocks apart: the second of two with different
 * copies gets a block of its own. */
static bool needs_block(const struct body *o, const struct ir_insn *t, uint32_t k)
{
	uint32_t e = ir_insn_edge(o->f, t, k);

	for (uint32_t i = 0; i < k; i++) {
		uint32_t before = ir_insn_edge(o->f, t, i);

		if (o->f->edges.at[before].to == o->f->edges.at[e].to &&
			!same_copies(o->f, before, e))
			return true;
	}
	return false;
}

/* The block to which the k-th edge of a terminator goes. */
static LLVMBasicBlockRef target_of(struct body *o, const struct ir_insn *t, uint32_t k)
{
	return o->blocks[o->f->edges.at[ir_insn_edge(o->f, t, k)].to];
}

/* Adds the values of the phis behind a terminator, after all registers exist. */
static void fill_phis(struct body *o, uint32_t b)
{
	const struct ir_insn *t = ir_terminator(o->f, b);
	LLVMValueRef v = LLVMGetBasicBlockTerminator(o->blocks[b]);

	for (uint32_t k = 0, n = ir_insn_nedges(t); k < n; k++) {
		uint32_t e = ir_insn_edge(o->f, t, k);
		LLVMBasicBlockRef middle;

		if (!needs_block(o, t, k)) {
			add_incoming(o, e, o->blocks[b]);
			continue;
		}
		if (t->op == IR_IBR) {
			o->insn = o->f->blocks.at[b].first + o->f->blocks.at[b].n - 1;
			fail_insn(o, IR_VOID, "two edges of a computed goto with different copies");
			return;
		}
		middle = LLVMAppendBasicBlockInContext(o->x->ctx, o->v, "edge");
		LLVMPositionBuilderAtEnd(o->x->b, middle);
		LLVMBuildBr(o->x->b, target_of(o, t, k));
		LLVMSetSuccessor(v, k, middle);
		add_incoming(o, e, middle);
	}
}

/* ---- terminators ------------------------------------------------------------------------- */

static void write_switch(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v =
		LLVMBuildSwitch(o->x->b, body_use(o, in->arg[0]), target_of(o, in, 0), in->arg[2]);

	for (uint32_t i = 0; i < in->arg[2]; i++)
		LLVMAddCase(v, body_use(o, o->f->extra.at[in->arg[1] + 1 + 2 * i]),
			target_of(o, in, i + 1));
}

static void write_indirect(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v = LLVMBuildIndirectBr(o->x->b, body_use(o, in->arg[0]), in->arg[2]);

	for (uint32_t i = 0; i < in->arg[2]; i++)
		LLVMAddDestination(v, target_of(o, in, i));
}

static void write_return(struct body *o, const struct ir_insn *in)
{
	LLVMTypeRef t = LLVMGetReturnType(LLVMGlobalGetValueType(o->v));
	struct operands from = {o->f->extra.at + in->arg[1], in->arg[2], 1};
	LLVMValueRef v = NULL;

	if (LLVMGetTypeKind(t) == LLVMVoidTypeKind) {
		LLVMBuildRetVoid(o->x->b);
	} else {
		v = proto_gather(o, t, &from);
		if (v && !from.n)
			LLVMBuildRet(o->x->b, v);
	}
	if (from.n || (!v && LLVMGetTypeKind(t) != LLVMVoidTypeKind)) {
		fail_insn(o, IR_VOID, "the results do not fit the signature of the function");
		if (!v || from.n)
			LLVMBuildUnreachable(o->x->b);
	}
}

static void write_terminator(struct body *o, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_BR: LLVMBuildBr(o->x->b, target_of(o, in, 0)); break;
	case IR_CBR:
		LLVMBuildCondBr(
			o->x->b, body_use(o, in->arg[0]), target_of(o, in, 0), target_of(o, in, 1));
		break;
	case IR_SWITCH: write_switch(o, in); break;
	case IR_IBR: write_indirect(o, in); break;
	case IR_RET: write_return(o, in); break;
	default: LLVMBuildUnreachable(o->x->b);
	}
}

/* ---- the function ------------------------------------------------------------------------ */

static void write_block(struct body *o, uint32_t b)
{
	const struct ir_block *blk = &o->f->blocks.at[b];

	LLVMPositionBuilderAtEnd(o->x->b, o->blocks[b]);
	for (o->insn = blk->first; o->insn < blk->first + blk->n; o->insn++) {
		const struct ir_insn *in = &o->f->insns.at[o->insn];
		const struct ir_note *n = ir_note(o->f, o->insn);

		debug_insn(o, in);
		if (n && n->inexact)
			fail_insn(o, IR_VOID, "%s is not translated exactly",
				ir_str(o->x->p, n->inexact));
		if (ir_op_is_terminator(in->op))
			write_terminator(o, in);
		else
			export_insn(o, in);
	}
}

static void take_params(struct body *o)
{
	uint32_t reg = 0;

	for (LLVMValueRef v = LLVMGetFirstParam(o->v); v; v = LLVMGetNextParam(v))
		if (!proto_scatter(o, v, LLVMTypeOf(v), &reg, o->f->nparams))
			break;
	if (reg != o->f->nparams)
		fail_func(o->x, o->id, IR_NONE, "the parameters do not fit its signature");
}

/* Whether both ends of the lifetime of every local are visible: LLVM wants an alloca as operand,
 * and one end without the other would be wrong. */
static bool keeps_lifetimes(const struct ir_func *f)
{
	uint8_t *is_alloca = xcalloc(f->regs.n + 1, 1);
	bool ok = true;

	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_ALLOCA)
			is_alloca[f->insns.at[i].dst] = 1;
	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (ir_ops[in->op].shape == IR_S_LIFE)
			ok &= ir_is_reg(in->arg[0]) && is_alloca[in->arg[0]];
	}
	free(is_alloca);
	return ok;
}

void export_func(struct exporter *x, uint32_t id)
{
	struct body o = {.x = x, .f = &x->p->funcs.at[id], .id = id, .v = x->funcs[id]};
	uint32_t errors = x->errors;

	if (x->p->funcs.at[id].attrs &&
		strstr(ir_str(x->p, x->p->funcs.at[id].attrs), "strictfp")) {
		fail_func(x, id, IR_NONE,
			"it depends on the floating-point environment (compile without "
			"-frounding-math, FENV_ACCESS and the like)");
		return;
	}
	o.blocks = x->blocks[id];
	o.regs = xcalloc(o.f->regs.n + 1, sizeof *o.regs);
	o.lifetimes = keeps_lifetimes(o.f);
	cfg_init(&o.cfg, o.f);
	debug_func(&o);
	LLVMPositionBuilderAtEnd(x->b, o.blocks[0]);
	take_params(&o);
	for (uint32_t i = 0; i < o.cfg.nrpo; i++)
		make_phis(&o, o.cfg.rpo[i]);
	for (uint32_t i = 0; i < o.cfg.nrpo && errors == x->errors; i++)
		write_block(&o, o.cfg.rpo[i]);
	for (uint32_t i = 0; i < o.cfg.nrpo && errors == x->errors; i++)
		fill_phis(&o, o.cfg.rpo[i]);
	vec_each (&o.f->blocks, b)
		if (!cfg_reachable(&o.cfg, b)) {
			LLVMPositionBuilderAtEnd(x->b, o.blocks[b]);
			LLVMBuildUnreachable(x->b);
		}
	cfg_release(&o.cfg);
	free(o.regs);
}
