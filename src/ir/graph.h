/*
 * A directed graph as two arrays, and strongly connected components over it (Tarjan 1972,
 * iterative, linear). The graph is a view: the arrays belong to somebody else.
 */
#ifndef HEDDLE_IR_GRAPH_H
#define HEDDLE_IR_GRAPH_H

#include "base/base.h"

struct graph {
	uint32_t n;
	const uint32_t *at; /* n + 1 offsets */
	const uint32_t *to; /* successors of v: to[at[v]] .. to[at[v + 1] - 1] */
};

/* comp[v] becomes the component of v, numbered so that every component has a higher number than
 * the ones it can reach: rising numbers are callees first. Returns how many there are. */
uint32_t graph_scc(const struct graph *g, uint32_t *comp);

/* The edges turned round: at (n + 1 words) and to (as many as g has) are filled, by rising source.
 * from, if not NULL, receives for each reversed edge the index of its original in g->to. */
void graph_reverse(const struct graph *g, uint32_t *at, uint32_t *to, uint32_t *from);

#endif
