#include "specialize/specialize_internal.h"

#include "base/base.h"

#include <stdlib.h>

void nodes_init(
	struct nodes *n, const struct ir_func *f, uint32_t func, spec_is_sync is_sync, void *ctx)
{
	*n = (struct nodes){0};
	n->of_block = xcalloc(f->blocks.n + 1, sizeof *n->of_block);
	vec_each (&f->blocks, b) {
		uint32_t first = f->blocks.at[b].first, end = first + f->blocks.at[b].n;

		n->of_block[b] = n->at.n;
		for (uint32_t i = first; i < end; i++)
			if (!ir_op_is_terminator(f->insns.at[i].op) && is_sync(ctx, func, i)) {
				vec_push(&n->at, (struct node){b, first, i + 1, true});
				first = i + 1;
			}
		vec_push(&n->at, (struct node){b, first, end, false});
	}
}

void nodes_release(struct nodes *n)
{
	vec_release(&n->at);
	free(n->of_block);
}

uint32_t nodes_of_sync(const struct nodes *n, uint32_t insn)
{
	vec_each (&n->at, i)
		if (n->at.at[i].sync && n->at.at[i].end == insn + 1)
			return i;
	return IR_NONE;
}

static bool is_target(
	const struct node *n, const struct ir_func *f, uint32_t i, uint32_t target, bool returns)
{
	if (target != IR_NONE)
		return i == target;
	return !n->sync && f->insns.at[n->end - 1].op == (returns ? IR_RET : IR_UNREACHABLE);
}

void nodes_segment(const struct nodes *n, const struct ir_func *f, uint32_t start, uint32_t target,
	bool returns, struct bitset *out)
{
	struct bitset reached = {0};
	VEC(uint32_t) todo = {0};
	bool changed = true;

	/* forward from the start, up to the next synchronizations */
	bitset_add(&reached, start);
	vec_push(&todo, start);
	while (todo.n) {
		const struct node *at = &n->at.at[vec_pop(&todo)];
		const struct ir_insn *t = &f->insns.at[at->end - 1];

		for (uint32_t k = 0, m = at->sync ? 0 : ir_insn_nedges(t); k < m; k++) {
			uint32_t to = n->of_block[f->edges.at[ir_insn_edge(f, t, k)].to];

			if (bitset_add(&reached, to))
				vec_push(&todo, to);
		}
	}
	/* of these, the ones from which the target is reached */
	bitset_each (&reached, i)
		if (is_target(&n->at.at[i], f, i, target, returns))
			bitset_add(out, i);
	while (changed) {
		changed = false;
		bitset_each (&reached, i) {
			const struct node *at = &n->at.at[i];
			const struct ir_insn *t = &f->insns.at[at->end - 1];

			if (at->sync || bitset_has(out, i))
				continue;
			for (uint32_t k = 0, m = ir_insn_nedges(t); k < m; k++)
				if (bitset_has(out,
					    n->of_block[f->edges.at[ir_insn_edge(f, t, k)].to]))
					changed |= bitset_add(out, i);
		}
	}
	if (!bitset_has(out, start))
		bitset_clear(out);
	bitset_release(&reached);
	vec_release(&todo);
}
