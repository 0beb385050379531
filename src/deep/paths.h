/*
 * The known paths of all threads as one tree: a node is the beginning of a path, an edge is the
 * next event of the thread. Runs in which a thread takes the same path have the same nodes.
 *
 * The beginning of a path determines the next event, except
 *  - at a guard: the node before a guard has one edge for each *way* (outcome) that is known
 *  - where synchronization has several outcomes (a try, a timed wait)
 * so the values that a thread read are not part of a node.
 *
 * The name of a node is a 64-bit hash of the edges from the root to it, so that it can be kept on
 * disk.
 */
#ifndef HEDDLE_DEEP_PATHS_H
#define HEDDLE_DEEP_PATHS_H

#include "base/map.h"
#include "base/vec.h"
#include "ctp/ctp.h"

struct path_node {
	uint64_t name;
	uint64_t next;  /* hash of the decision at this node; 0: no event is known */
	uint32_t ways;  /* number of edges */
};

struct paths {
	struct map at; /* name -> node + 1 */
	VEC(struct path_node) nodes;
	uint32_t threads; /* with different names */
};

void paths_release(struct paths *p);
/* Adds the path of a thread. True if it has a new node. Sets *odd if two paths differ at a node
 * where no guard or outcome explains it. */
bool paths_add(struct paths *p, const struct ctp *c, uint32_t thread, bool *odd);
/* The names of the nodes on the path of a thread, known or not: out[i] is the node before its event
 * i, out[n] the last one. */
struct path_names {
	uint64_t *at;
	uint32_t n, cap;
};
void paths_names(const struct ctp *c, uint32_t thread, struct path_names *out);
/* NULL: the node is not known */
const struct path_node *paths_node(const struct paths *p, uint64_t name);
/* The number of leaves: of different paths. */
uint64_t paths_count(const struct paths *p);

/* Hash of the event without the values it read: equal for the same way at the same node. */
uint64_t paths_edge(const struct ctp *c, uint32_t event);
/* The event is not part of the path: it was pending when the run ended. */
static inline bool paths_skips(const struct ctp_event *e)
{
	return e->flags & CTP_PENDING;
}
/* The thread was cut off: it would continue after its last executed event. */
bool paths_goes_on(const struct ctp *c, uint32_t thread);

#endif
