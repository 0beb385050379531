/* Live registers at one instruction: the state of a frame in a log that can be read from the
 * middle. */
#include "facts/plan.h"

#include "base/bitset.h"
#include "base/vec.h"
#include "ir/cfg.h"

static void add_use(void *ctx, ir_ref r)
{
	if (ir_is_reg(r))
		bitset_add(ctx, r);
}

/* adds the registers that are live at the end of the block, before the copies of its edges */
static void live_out(
	const struct ir_func *f, const struct live *live, uint32_t block, struct bitset *now)
{
	const struct ir_insn *term = ir_terminator(f, block);

	for (uint32_t k = 0; k < ir_insn_nedges(term); k++) {
		const struct ir_edge *e = &f->edges.at[ir_insn_edge(f, term, k)];
		const uint32_t *pair = f->extra.at + e->copies;
		struct bitset after = {0};

		bitset_or(&after, &live->in[e->to]);
		for (uint32_t i = 0; i < e->ncopies; i++)
			bitset_del(&after, pair[2 * i]);
		for (uint32_t i = 0; i < e->ncopies; i++)
			add_use(&after, pair[2 * i + 1]);
		bitset_or(now, &after);
		bitset_release(&after);
	}
}

uint32_t plan_live(const struct ir_func *f, const struct live *live, uint32_t insn, bool after,
	struct vec_u32 *out)
{
	uint32_t block = cfg_block_of(f, insn), stop = insn + (after ? 1 : 0);
	struct bitset now = {0};

	live_out(f, live, block, &now);
	for (uint32_t i = f->blocks.at[block].first + f->blocks.at[block].n; i-- > stop;) {
		const struct ir_insn *in = &f->insns.at[i];

		for (uint32_t k = 0; k < ir_insn_ndst(in); k++)
			bitset_del(&now, in->dst + k);
		ir_insn_each_use(f, in, add_use, &now);
	}
	vec_clear(out);
	vec_each (&f->regs, r)
		if (bitset_has(&now, r))
			vec_push(out, r);
	bitset_release(&now);
	return out->n;
}
