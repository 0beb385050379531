/*
 * The paths that threads are known to take, as one tree: a node is the beginning of a path, an edge
 * what the thread does next. Two runs in which a thread does the same have the same nodes.
 *
 * What a thread does next is determined by what it did, except
 *  - at a guard: a node in front of a guard has one edge for each *way* that is known
 *  - where synchronization has several outcomes (a try, a wait with a time limit)
 * so the values that it read are in no node.
 *
 * Nodes are named by hashes of the way to them: 64 bits, so that they can be kept on disk.
 */
#ifndef HEDDLE_DEEP_PATHS_H
#define HEDDLE_DEEP_PATHS_H

#include "base/map.h"
#include "extract/ctp.h"

struct path_node {
	uint64_t name;
	uint64_t next;  /* what is decided here, by hash; 0: nothing is known to come */
	uint32_t ways;  /* edges */
};

struct paths {
	struct map at; /* name -> node + 1 */
	VEC(struct path_node) nodes;
	uint32_t threads; /* different names */
};

void paths_release(struct paths *p);
/* Takes the path of a thread in. True if it goes further than, or elsewhere than, what was known.
 * *odd is set if it goes another way where nothing is known to decide. */
bool paths_add(struct paths *p, const struct ctp *c, uint32_t thread, bool *odd);
/* The names of the nodes of a thread, whether known or not: out[i] is that in front of its event i,
 * out[n] the last one. */
struct path_names {
	uint64_t *at;
	uint32_t n, cap;
};
void paths_names(const struct ctp *c, uint32_t thread, struct path_names *out);
/* NULL: it is not known */
const struct path_node *paths_node(const struct paths *p, uint64_t name);
/* Ends of paths: how many different ones there are. */
uint64_t paths_count(const struct paths *p);

/* What the event does, but for the values: equal for the same way at the same node. */
uint64_t paths_edge(const struct ctp *c, uint32_t event);
/* It is part of no path: it did not happen. */
static inline bool paths_skips(const struct ctp_event *e)
{
	return e->flags & CTP_PENDING;
}
/* The thread would have gone on after the last of its events that happened. */
bool paths_goes_on(const struct ctp *c, uint32_t thread);

#endif
