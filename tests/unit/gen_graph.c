#include "gen_graph.h"

#include <string.h>

/* ---- building ---------------------------------------------------------------------------- */

struct builder { /* edges in any order */
	struct vec_u32 from, to;
	uint32_t n;
	struct rng *r;
};

static void edge(struct builder *b, uint32_t from, uint32_t to)
{
	vec_push(&b->from, from);
	vec_push(&b->to, to);
}

static void finish(struct gen_graph *g, struct builder *b)
{
	struct vec_u32 fill = {0};

	*g = (struct gen_graph){.n = b->n};
	vec_resize(&g->at, b->n + 1);
	vec_resize(&g->to, b->to.n + 1);
	g->to.n = b->to.n;
	vec_each (&b->from, i)
		g->at.at[b->from.at[i] + 1]++;
	for (uint32_t v = 0; v < b->n; v++)
		g->at.at[v + 1] += g->at.at[v];
	vec_resize(&fill, b->n + 1);
	memcpy(fill.at, g->at.at, (b->n + 1) * sizeof *fill.at);
	vec_each (&b->from, i)
		g->to.at[fill.at[b->from.at[i]]++] = b->to.at[i];
	vec_release(&fill);
	vec_release(&b->from);
	vec_release(&b->to);
}

void gen_graph_edges(struct gen_graph *g, uint32_t n, const uint32_t (*edges)[2], uint32_t m)
{
	struct builder b = {.n = n};

	for (uint32_t i = 0; i < m; i++)
		edge(&b, edges[i][0], edges[i][1]);
	finish(g, &b);
}

void gen_graph_release(struct gen_graph *g)
{
	vec_release(&g->at);
	vec_release(&g->to);
}

struct graph gen_graph_view(const struct gen_graph *g)
{
	return (struct graph){g->n, g->at.at, g->to.at};
}

/* Each block is one indirect branch, which can have any number of edges. */
void gen_graph_cfg(struct cfg *c, const struct graph *g)
{
	struct ir_func f = {0};

	for (uint32_t b = 0; b < g->n; b++) {
		vec_push(&f.insns, (struct ir_insn){.op = IR_IBR,
			.arg = {IR_NONE, g->at[b], g->at[b + 1] - g->at[b]}});
		vec_push(&f.blocks, (struct ir_block){.first = b, .n = 1});
	}
	for (uint32_t e = 0; e < g->at[g->n]; e++) {
		vec_push(&f.edges, (struct ir_edge){.to = g->to[e]});
		vec_push(&f.extra, e);
	}
	cfg_init(c, &f);
	vec_release(&f.insns);
	vec_release(&f.blocks);
	vec_release(&f.edges);
	vec_release(&f.extra);
}

/* ---- random ------------------------------------------------------------------------------ */

static void plain(struct builder *b, uint32_t size)
{
	uint32_t most = 1 + rng_below(b->r, 4), dead_ends = rng_below(b->r, 40);
	bool into_entry = rng_chance(b->r, 20);

	b->n = 1 + rng_below(b->r, size);
	for (uint32_t v = 0; v < b->n; v++) {
		uint32_t d = rng_chance(b->r, dead_ends) ? 0 : 1 + rng_below(b->r, most);

		for (uint32_t k = 0; k < d; k++)
			if (into_entry || b->n == 1)
				edge(b, v, rng_below(b->r, b->n));
			else
				edge(b, v, 1 + rng_below(b->r, b->n - 1));
	}
	if (b->n == 1 && rng_chance(b->r, 50))
		b->from.n = b->to.n = 0;
}

/* Statements from `from` on; returns the block where control continues. */
static uint32_t statement(struct builder *b, uint32_t from, uint32_t size, uint32_t depth)
{
	uint32_t join, body, end;

	if (b->n >= size || depth > 8 || rng_chance(b->r, 15))
		return from;
	switch (rng_below(b->r, 5)) {
	case 0: /* sequence */
		end = statement(b, from, size, depth + 1);
		return statement(b, end, size, depth + 1);
	case 1: /* if, if-else, switch */
		join = b->n++;
		for (uint32_t k = 1 + rng_below(b->r, 3); k > 0; k--) {
			body = b->n++;
			edge(b, from, body);
			edge(b, statement(b, body, size, depth + 1), join);
		}
		edge(b, from, join);
		return join;
	case 2: /* while */
		body = b->n++; /* the head, then the body proper */
		edge(b, from, body);
		join = b->n++;
		end = b->n++;
		edge(b, body, end);
		edge(b, statement(b, end, size, depth + 1), body);
		edge(b, body, join);
		return join;
	case 3: /* do-while */
		body = b->n++;
		edge(b, from, body);
		end = statement(b, body, size, depth + 1);
		edge(b, end, body);
		join = b->n++;
		edge(b, end, join);
		return join;
	default: /* for (;;) with a break, or without */
		body = b->n++;
		edge(b, from, body);
		join = b->n++;
		end = statement(b, body, size, depth + 1);
		edge(b, end, body);
		if (rng_chance(b->r, 80))
			edge(b, body, join);
		return join;
	}
}

static void structured(struct builder *b, uint32_t size)
{
	uint32_t end;

	b->n = 1;
	end = statement(b, 0, size, 0);
	end = statement(b, end, size, 0);
	edge(b, end, b->n);
	b->n++;
}

void gen_graph_structured(struct gen_graph *g, uint64_t seed, uint32_t size)
{
	struct rng r = rng_seed(seed);
	struct builder b = {.r = &r};

	structured(&b, size);
	finish(g, &b);
}

void gen_graph_random(struct gen_graph *g, uint64_t seed, uint32_t size)
{
	struct rng r = rng_seed(seed);
	struct builder b = {.r = &r};

	if (rng_chance(&r, 60)) {
		plain(&b, size);
	} else {
		structured(&b, size);
		for (uint32_t k = rng_below(&r, 3); k > 0; k--) {
			uint32_t from = rng_below(&r, b.n);

			edge(&b, from, b.n == 1 ? 0 : 1 + rng_below(&r, b.n - 1));
		}
	}
	finish(g, &b);
}

/* ---- shapes ------------------------------------------------------------------------------ */

void gen_graph_shape(struct gen_graph *g, enum gen_shape shape, uint32_t n)
{
	struct builder b = {.n = n};
	uint32_t half = n / 2;

	for (uint32_t v = 0; v + 1 < n; v++) {
		switch (shape) {
		case GEN_CHAIN: edge(&b, v, v + 1); break;
		case GEN_LADDER:
			edge(&b, v, v + 1);
			edge(&b, v, n - 1);
			break;
		case GEN_NEST: /* head v in the first half, its latch n - 1 - v in the second */
			edge(&b, v, v + 1);
			if (v >= half)
				edge(&b, v, n - 1 - v ? n - 1 - v : 1);
			break;
		case GEN_WHILE:
			edge(&b, v, v + 1);
			edge(&b, v, v < half ? n - 1 : n - 1 - v ? n - 1 - v : 1);
			break;
		case GEN_FAN:
			if (v)
				edge(&b, v, n - 1);
			else
				for (uint32_t w = 1; w < n; w++)
					edge(&b, 0, w);
			break;
		case GEN_DIAMONDS: /* v, v+1, v+2 -> v+3 */
			if (v % 3 == 0 && v + 3 < n) {
				edge(&b, v, v + 1);
				edge(&b, v, v + 2);
				edge(&b, v + 1, v + 3);
				edge(&b, v + 2, v + 3);
			}
			break;
		case GEN_SIDES:
			edge(&b, v, v + 1);
			if (v < half)
				edge(&b, v, n - 2 - v);
			else if (v > half)
				edge(&b, v, n - v);
			break;
		case GEN_SPINS:
			if (v)
				edge(&b, v, v);
			else
				for (uint32_t w = 1; w < n; w++)
					edge(&b, 0, w);
			break;
		case GEN_NSHAPES: BUG("no such shape");
		}
	}
	finish(g, &b);
}

/* ---- asking ------------------------------------------------------------------------------ */

bool slow_path(const struct graph *g, uint32_t a, uint32_t b, uint32_t without)
{
	bool *seen = xcalloc(g->n + 1, 1), found;
	struct vec_u32 work = {0};

	if (a != without) {
		seen[a] = true;
		vec_push(&work, a);
	}
	while (work.n) {
		uint32_t v = vec_pop(&work);

		for (uint32_t e = g->at[v]; e < g->at[v + 1]; e++)
			if (g->to[e] != without && !seen[g->to[e]]) {
				seen[g->to[e]] = true;
				vec_push(&work, g->to[e]);
			}
	}
	found = seen[b];
	free(seen);
	vec_release(&work);
	return found;
}
