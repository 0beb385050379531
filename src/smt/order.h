/*
 * The order theory: literals say "a before b" of nodes, and what is said must be possible in one
 * total order. It is a theory of sat.h.
 *
 * Kept as a graph with a topological order of its nodes that is repaired when an edge goes against
 * it (Pearce and Kelly 2006); edges are taken out last in, first out, which leaves every order
 * valid. The first order is that in which the nodes were made: make them in observed order, and
 * the solver starts from the observed run. A cycle gives a conflict clause of the literals on it.
 * When nodes are moved, the literals that would turn back over what moved are implied false; why
 * is found again only when a conflict asks.
 *
 * A literal may stand for any number of edges, a node of the graph for anything. `before(a, b)` is
 * one variable for each pair, its negation is `before(b, a)`. For lock regions R, S a literal that
 * only says something when it is true is what prefixes need: make a variable and order_attach()
 * (release of R, acquire of S) to it; its negation says nothing.
 *
 * Lives on the heap of its owner; the solver must live longer.
 */
#ifndef HEDDLE_SMT_ORDER_H
#define HEDDLE_SMT_ORDER_H

#include "smt/sat.h"

struct order;

struct order_stats {
	uint64_t edges, moved, visits, cycles, implied, explained;
};

struct order *order_new(struct sat *s);
void order_free(struct order *o);
/* the theory's functions, for sat_set_theory(); the caller may add a final check of its own */
void order_theory(struct order *o, struct sat_theory *theory);

/* nodes count from 0; a new one stands last */
uint32_t order_node(struct order *o);
uint32_t order_n_nodes(const struct order *o);
/* a before b for good, between solves; false if that closes a cycle (then nothing is added) */
bool order_edge(struct order *o, uint32_t a, uint32_t b);
/* a before b whenever l is true; between solves. l may have edges already, and so may its negation
 */
void order_attach(struct order *o, lit_t l, uint32_t a, uint32_t b);
/* the literal that is true if a is before b; a == b is LIT_FALSE. One variable for each pair. */
lit_t order_before(struct order *o, uint32_t a, uint32_t b);

/* The place of a node in the current order: after a solve that found a model, one that satisfies
 * it. */
uint32_t order_position(const struct order *o, uint32_t node);
/* whether the current order has a before b for every edge for good and every edge of a true literal
 * of the model: the slow proof that a model is one */
bool order_check(const struct order *o);
const struct order_stats *order_stats(const struct order *o);

/* everything that was said: edges for good (LIT_TRUE), and edges of literals */
struct order_edge_info {
	lit_t lit;
	uint32_t a, b;
};
uint32_t order_n_edges(const struct order *o);
struct order_edge_info order_edge_at(const struct order *o, uint32_t i);

#endif
