#include "exec/code.h"

#include "exec/translate.h"

struct val code_const(const struct machine *m, const struct ir_const *c)
{
	const struct ir_func *fn;

	switch (c->kind) {
	case IR_C_BITS: return (struct val){c->lo, c->hi};
	case IR_C_GLOBAL:
		if (!m->globals.addr[c->id]) /* undefined: weak, or an error when it is touched */
			return (struct val){0};
		return (struct val){m->globals.addr[c->id] + c->lo, 0};
	case IR_C_FUNC:
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

const struct bitset *code_live(const struct machine *m, const struct code *c, uint32_t block)
{
	struct code *made = m->codes[c->func];

	if (!made->live.in)
		live_build(&made->live, &m->p->funcs.at[c->func]);
	return &made->live.in[block];
}
