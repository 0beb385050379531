/*
 * The order theory, a theory of sat.h: a true literal puts edges "a before b" between nodes, and
 * all edges of true literals must hold in one total order.
 *
 * The theory keeps a graph and a topological order of its nodes, which it repairs when a new edge
 * contradicts it (Pearce and Kelly 2006). Edges are removed last in, first out; a removal leaves
 * the order valid. The initial order is the order in which the nodes were made: if they are made in
 * observed order, the solver starts from the recorded run. A cycle gives a conflict clause of the
 * literals on it. When an insertion moves nodes, the literals with an edge that would now close a
 * cycle through the moved nodes are implied false; the reason is computed only if a conflict needs
 * it.
 *
 * A literal may have any number of edges. order_before(a, b) makes one variable for each pair; its
 * negation is "b before a". A literal that restricts the order only when it is true is made with
 * order_attach(): for example, critical sections R and S of one lock have a variable with the edge
 * from the release of R to the acquire of S, and its negation has no edge, because in a
 * linearization of prefixes one of the two critical sections can be absent or unfinished.
 *
 * Lifetime: heap, order_free(); the solver must live longer.
 */
#ifndef HEDDLE_SMT_ORDER_H
#define HEDDLE_SMT_ORDER_H

#include "base/base.h"
#include "smt/sat.h"

struct order;

/* Counts of inserted edges, nodes given a new position, edges visited by searches, insertions that
 * closed a cycle, implied literals, and implied literals whose reason was computed. */
struct order_stats {
	uint64_t edges, moved, visits, cycles, implied, explained;
};

struct order *order_new(struct sat *s);
void order_free(struct order *o);
/* the theory's functions, for sat_set_theory(); the caller may add a final check of its own */
void order_theory(struct order *o, struct sat_theory *theory);

/* A new node, last in the order; nodes count from 0. */
uint32_t order_node(struct order *o);
uint32_t order_n_nodes(const struct order *o);
/* Adds a permanent edge, between solves; false if it closes a cycle, then nothing is added. */
bool order_edge(struct order *o, uint32_t a, uint32_t b);
/* Adds an edge from a to b that holds while l is true; between solves. l and its negation may
 * already have edges. */
void order_attach(struct order *o, lit_t l, uint32_t a, uint32_t b);
/* The literal that is true if and only if a is before b; LIT_FALSE for a == b. */
lit_t order_before(struct order *o, uint32_t a, uint32_t b);

/* The position of a node in the current order. After SAT_SAT the order satisfies the model. */
uint32_t order_position(const struct order *o, uint32_t node);
/* Whether the current order satisfies every permanent edge and every edge of a literal that is true
 * in the model; checks every edge. */
FOR_TESTS bool order_check(const struct order *o);
const struct order_stats *order_stats(const struct order *o);

/* all edges: permanent ones (lit is LIT_TRUE) and edges of literals */
struct order_edge_info {
	lit_t lit;
	uint32_t a, b;
};
uint32_t order_n_edges(const struct order *o);
struct order_edge_info order_edge_at(const struct order *o, uint32_t i);

#endif
