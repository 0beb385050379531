/*
 * A directed graph as two arrays, and its strongly connected components (Tarjan 1972, iterative,
 * linear). The struct does not own the arrays.
 */
#ifndef HEDDLE_IR_GRAPH_H
#define HEDDLE_IR_GRAPH_H

#include "base/base.h"

struct graph {
	uint32_t n;
	const uint32_t *at; /* n + 1 offsets */
	const uint32_t *to; /* successors of v: to[at[v]] .. to[at[v + 1] - 1] */
};

/* Sets comp[v] to the component of v and returns the number of components. A component has a higher
 * number than all others that are reachable from it; in a call graph, callees come first. */
uint32_t graph_scc(const struct graph *g, uint32_t *comp);

/* Reverses the edges. Fills at (n + 1 words) and to (as many words as g has edges); the edges into
 * a vertex are in the order of their sources. from, if not NULL, receives for each reversed edge
 * its index in g->to. */
void graph_reverse(const struct graph *g, uint32_t *at, uint32_t *to, uint32_t *from);

#endif
