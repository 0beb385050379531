#include "machine/code.h"

#include "base/base.h"
#include "base/search.h"
#include "machine/extension.h"
#include "machine/translate.h"

struct val code_const(const struct machine *m, const struct ir_const *c)
{
	const struct ir_func *fn;

	switch (c->kind) {
	case IR_C_BITS: return (struct val){c->lo, c->hi};
	case IR_C_GLOBAL:
		if (!m->globals.addr[c->id]) /* undefined: weak, or a fault when it is accessed */
			return (struct val){0};
		return (struct val){m->globals.addr[c->id] + c->lo, 0};
	case IR_C_FUNC:
		if (m->follow)
			return (struct val){m->follow_ops->func_addr(m, c->id), 0};
		fn = &m->p->funcs.at[c->id];
		if ((fn->flags & IR_FN_EXTERN) && (fn->flags & IR_FN_WEAK) && !m->builtins[c->id])
			return (struct val){0};
		return (struct val){func_addr(c->id), 0};
	case IR_C_BLOCK: return (struct val){block_addr(c->id, (uint32_t)c->lo), 0};
	default: return (struct val){0};
	}
}

const struct code *code_get(struct machine *m, uint32_t func)
{
	if (!m->codes[func])
		m->codes[func] = translate(m, func);
	return m->codes[func];
}

void code_cover(struct machine *m, const struct code *c, uint32_t at)
{
	uint32_t first = lower_bound(0, c->nmarks, i, c->marks[i].at, at);
	struct cinsn *jump;

	BUG_ON(first == c->nmarks || c->marks[first].at != at);
	c->ins[at].op = c->marks[first].op;
	for (const struct code_mark *k = &c->marks[first]; k < c->marks + c->nmarks && k->at == at;
		k++) {
		uint32_t distance = at - k->from + c->ins[at].c;

		cover_mark(m, c->func, k->mark);
		if (k->from == IR_NONE)
			continue;
		jump = &c->ins[k->from];
		if (k->in_imm)
			jump->imm = (jump->imm & ~0xffffffffll) | distance;
		else
			jump->c = distance;
	}
}

const struct bitset *code_live(const struct machine *m, const struct code *c, uint32_t block)
{
	struct code *made = m->codes[c->func];

	if (!made->live.in)
		live_build(&made->live, &m->p->funcs.at[c->func]);
	return &made->live.in[block];
}

bool code_call_fits(const struct machine *m, const struct ir_func *fn, const struct ir_insn *in,
	uint32_t func)
{
	const struct ir_func *callee = &m->p->funcs.at[func];
	const uint32_t *x = fn->extra.at + in->arg[1];
	uint32_t n = in->arg[2];

	if (m->follow && !m->follow_ops->fast_call(m, func))
		return false;
	if (call_may_be_point(m, fn, callee))
		return false;
	if ((callee->flags & (IR_FN_EXTERN | IR_FN_VARARG)) || m->stubs[func] || m->slow ||
		callee->nparams != n || callee->nret != (uint32_t)in->imm || callee->nret > 1)
		return false;
	if (callee->nret && (ir_type_bits(callee->ret[0]) > 64 || callee->ret[0] != in->type))
		return false;
	for (uint32_t a = 0; a < n; a++)
		if (x[2 * a + 1] || callee->params[a].byval ||
			ir_ref_type(fn, x[2 * a]) != callee->params[a].type)
			return false;
	return true;
}

bool code_call_bind(struct machine *m, uint32_t func, uint32_t insn, struct code_call *call,
	uint64_t addr)
{
	const struct ir_func *fn = &m->p->funcs.at[func];
	uint32_t callee = m->follow ? m->follow_ops->func_at(m, addr) : func_at(m->p, addr);

	if (callee == IR_NONE || !code_call_fits(m, fn, &fn->insns.at[insn], callee) ||
		(m->summarized && m->summarized[callee]))
		return false;
	call->func = callee;
	call->addr = addr;
	call->code = code_get(m, callee);
	return true;
}
