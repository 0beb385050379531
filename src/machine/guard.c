#include "machine/guard.h"

#include "base/arena.h"
#include "base/vec.h"

#include <string.h>

enum { MAX_GUARDS = 24 }; /* for one function */

struct touch {
	const uint32_t *regs;
	uint32_t n;
	bool yes;
};

static void touch_ref(void *ctx, ir_ref r)
{
	struct touch *x = ctx;

	for (uint32_t i = 0; ir_is_reg(r) && i < x->n; i++)
		x->yes |= x->regs[i] == r;
}

static void touch_edge(struct touch *x, const struct ir_func *fn, uint32_t edge)
{
	const struct ir_edge *e = &fn->edges.at[edge];

	for (uint32_t i = 0; i < 2 * e->ncopies; i++)
		touch_ref(x, fn->extra.at[e->copies + i]);
}

static bool block_touches(const struct ir_func *fn, const struct ir_block *b, const uint32_t *regs,
	uint32_t n)
{
	struct touch x = {regs, n, false};

	for (uint32_t i = b->first; i < b->first + b->n && !x.yes; i++) {
		const struct ir_insn *in = &fn->insns.at[i];

		ir_insn_each_use(fn, in, touch_ref, &x);
		for (uint32_t k = 0; k < ir_insn_ndst(in); k++)
			touch_ref(&x, in->dst + k);
		for (uint32_t k = 0; k < ir_insn_nedges(in); k++)
			touch_edge(&x, fn, ir_insn_edge(fn, in, k));
	}
	return x.yes;
}

static struct guard *make_guard(
	struct machine *m, const struct code *base, const uint32_t *regs, uint32_t n)
{
	const struct ir_func *fn = &m->p->funcs.at[base->func];
	struct guard *g = arena_new(&m->arena, struct guard);
	bool *touched = arena_array(&m->arena, bool, fn->blocks.n);

	g->n = n;
	g->regs = arena_memdup(&m->arena, regs, n * sizeof *regs);
	g->touched = touched;
	g->code = *base;
	g->code.guard = g;
	g->code.ins = arena_memdup(&m->arena, base->ins, base->nins * sizeof *base->ins);
	vec_each (&fn->blocks, b) {
		touched[b] = block_touches(fn, &fn->blocks.at[b], regs, n);
		if (touched[b])
			g->code.ins[base->block_ip[b]] = (struct cinsn){.op = C_ENTER_CAREFUL,
				.ir = fn->blocks.at[b].first};
	}
	return g;
}

const struct guard *guard_get(struct machine *m, uint32_t func, const uint32_t *regs, uint32_t n)
{
	struct code *base = m->codes[func];
	const struct guard *g;
	struct guard *made;
	uint32_t count = 0;

	for (g = base->guards; g; g = g->next, count++)
		if (g->n == n && !memcmp(g->regs, regs, n * sizeof *regs))
			return g;
	if (count >= MAX_GUARDS)
		return NULL;
	made = make_guard(m, base, regs, n);
	made->next = base->guards;
	return base->guards = made;
}
