#include "ir/cfg.h"

#include "base/base.h"
#include "base/search.h"
#include "base/vec.h"

#include <string.h>

static void allocate_arrays(struct cfg *c, uint32_t n, uint32_t m)
{
	uint32_t *mem = xmalloc((4 * (size_t)n + 4 * (size_t)m + 2) * sizeof *mem);

	c->n = n;
	c->m = m;
	c->succ_at = mem;
	c->pred_at = c->succ_at + n + 1;
	c->rpo = c->pred_at + n + 1;
	c->rpo_of = c->rpo + n;
	c->succ = c->rpo_of + n;
	c->succ_edge = c->succ + m;
	c->pred = c->succ_edge + m;
	c->pred_succ = c->pred + m;
}

/* Depth first, with the last successor first, so that the order follows the source text. */
static void compute_rpo(struct cfg *c)
{
	uint32_t *stack = xmalloc(2 * ((size_t)c->n + 1) * sizeof *stack), *next = stack + c->n + 1;
	uint32_t depth = 0, post = c->n;

	memset(c->rpo_of, 0xff, c->n * sizeof *c->rpo_of);
	if (c->n) {
		stack[depth++] = 0;
		next[0] = c->succ_at[1];
		c->rpo_of[0] = 0;
	}
	while (depth) {
		uint32_t b = stack[depth - 1], s;

		if (next[b] == c->succ_at[b]) {
			c->rpo[--post] = b;
			depth--;
			continue;
		}
		s = c->succ[--next[b]];
		if (c->rpo_of[s] == BLK_NONE) {
			c->rpo_of[s] = 0;
			next[s] = c->succ_at[s + 1];
			stack[depth++] = s;
		}
	}
	c->nrpo = c->n - post;
	memmove(c->rpo, c->rpo + post, c->nrpo * sizeof *c->rpo);
	for (uint32_t i = 0; i < c->nrpo; i++)
		c->rpo_of[c->rpo[i]] = i;
	free(stack);
}

static void finish_graph(struct cfg *c)
{
	struct graph g = cfg_graph(c);

	graph_reverse(&g, c->pred_at, c->pred, c->pred_succ);
	compute_rpo(c);
}

void cfg_init_without(struct cfg *c, const struct ir_func *f, const uint8_t *without)
{
	uint32_t m = 0, k = 0;

	vec_each (&f->blocks, b)
		m += ir_insn_nedges(ir_terminator(f, b));
	allocate_arrays(c, f->blocks.n, m);
	vec_each (&f->blocks, b) {
		const struct ir_insn *t = ir_terminator(f, b);
		uint32_t n = ir_insn_nedges(t);

		c->succ_at[b] = k;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t edge = ir_insn_edge(f, t, i), to = f->edges.at[edge].to;

			if (without && without[to])
				continue;
			c->succ_edge[k] = edge;
			c->succ[k++] = to;
		}
	}
	c->succ_at[c->n] = c->m = k;
	finish_graph(c);
}

void cfg_init(struct cfg *c, const struct ir_func *f)
{
	cfg_init_without(c, f, NULL);
}

void cfg_release(struct cfg *c)
{
	free(c->succ_at);
	*c = (struct cfg){0};
}

uint32_t cfg_source(const struct cfg *c, uint32_t succ)
{
	return upper_bound(1, MAX(c->n, 1u), i, c->succ_at[i], succ) - 1;
}

uint32_t cfg_block_of(const struct ir_func *f, uint32_t insn)
{
	return upper_bound(1, MAX(f->blocks.n, 1u), i, f->blocks.at[i].first, insn) - 1;
}
