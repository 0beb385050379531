#include "ir/live.h"

#include "base/base.h"

static void add_use(void *ctx, ir_ref r)
{
	if (ir_is_reg(r))
		bitset_add(ctx, r);
}

/* adds to `out` the registers that are live before the copies of the edge */
static void flow_edge(const struct live *l, const struct ir_func *f, uint32_t edge,
	struct bitset *out)
{
	const struct ir_edge *e = &f->edges.at[edge];
	const uint32_t *pair = f->extra.at + e->copies;
	struct bitset after = {0};

	bitset_or(&after, &l->in[e->to]);
	for (uint32_t i = 0; i < e->ncopies; i++)
		bitset_del(&after, pair[2 * i]);
	for (uint32_t i = 0; i < e->ncopies; i++)
		add_use(&after, pair[2 * i + 1]);
	bitset_or(out, &after);
	bitset_release(&after);
}

static bool flow_block(struct live *l, const struct ir_func *f, uint32_t b)
{
	const struct ir_block *bl = &f->blocks.at[b];
	const struct ir_insn *term = ir_terminator(f, b);
	struct bitset now = {0};
	bool changed;

	for (uint32_t k = 0; k < ir_insn_nedges(term); k++)
		flow_edge(l, f, ir_insn_edge(f, term, k), &now);
	for (uint32_t i = bl->first + bl->n; i-- > bl->first;) {
		const struct ir_insn *in = &f->insns.at[i];

		for (uint32_t k = 0; k < ir_insn_ndst(in); k++)
			bitset_del(&now, in->dst + k);
		ir_insn_each_use(f, in, add_use, &now);
	}
	changed = bitset_or(&l->in[b], &now);
	bitset_release(&now);
	return changed;
}

void live_build(struct live *l, const struct ir_func *f)
{
	bool changed;

	l->nblocks = f->blocks.n;
	l->in = xcalloc(l->nblocks, sizeof *l->in);
	do {
		changed = false;
		for (uint32_t b = l->nblocks; b-- > 0;)
			changed |= flow_block(l, f, b);
	} while (changed);
}

void live_release(struct live *l)
{
	for (uint32_t b = 0; b < l->nblocks; b++)
		bitset_release(&l->in[b]);
	free(l->in);
	*l = (struct live){0};
}
