/*
 * Random control-flow graphs with entry 0, and what one may ask of a graph without being clever.
 * Graphs come in families: plain random (unreachable blocks, self loops, edges into the entry,
 * irreducible regions, endless loops, parallel edges, a single block), and structured as from
 * nested ifs and loops with a few gotos thrown in.
 */
#ifndef HEDDLE_TESTS_GEN_GRAPH_H
#define HEDDLE_TESTS_GEN_GRAPH_H

#include "base/vec.h"
#include "ir/cfg.h"
#include "rng.h"

struct gen_graph {
	uint32_t n;
	struct vec_u32 at, to;
};

/* about `size` blocks at most; the seed decides the family */
void gen_graph_random(struct gen_graph *g, uint64_t seed, uint32_t size);
/* structured, without gotos: reducible */
void gen_graph_structured(struct gen_graph *g, uint64_t seed, uint32_t size);
/* from (source, target) pairs */
void gen_graph_edges(struct gen_graph *g, uint32_t n, const uint32_t (*edges)[2], uint32_t m);
void gen_graph_release(struct gen_graph *g);
struct graph gen_graph_view(const struct gen_graph *g);
/* The CFG of a function with these blocks and edges; succ_edge[e] == e. */
void gen_graph_cfg(struct cfg *c, const struct graph *g);

/* Shapes that grow: each has about n blocks. */
enum gen_shape {
	GEN_CHAIN,    /* b0 -> b1 -> … */
	GEN_LADDER,   /* a chain, every block of which also goes to the last one */
	GEN_NEST,     /* do-while loops, each around the next */
	GEN_WHILE,    /* while loops, each around the next, with an exit to the very end */
	GEN_FAN,      /* a switch with n targets, all to one block */
	GEN_DIAMONDS, /* if-else after if-else */
	GEN_SIDES,    /* a nest of cycles, each with a second entry: irreducible */
	GEN_SPINS,    /* a switch to n endless loops */
	GEN_NSHAPES,
};
void gen_graph_shape(struct gen_graph *g, enum gen_shape shape, uint32_t n);

/* Is there a path from a to b, of any length, zero included, that avoids block `without`?
 * BLK_NONE avoids nothing. By marking. */
bool slow_path(const struct graph *g, uint32_t a, uint32_t b, uint32_t without);

#endif
