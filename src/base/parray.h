/*
 * Persistent arrays of pointers: an array is a tree of nodes of 16, and arrays share the nodes in
 * which they do not differ. A copy costs nothing, a change copies the nodes on the way to its place.
 *
 *  - a zeroed struct parray is an empty one: every place is NULL
 *  - the elements count who holds them; `ops` says how. parray_set() takes over the caller's hold on
 *    the new element
 *
 * Lifetime: heap; each array is released by its owner.
 */
#ifndef HEDDLE_BASE_PARRAY_H
#define HEDDLE_BASE_PARRAY_H

#include "base/base.h"

struct parray_node;

struct parray {
	struct parray_node *root;
	uint32_t depth; /* levels of nodes */
};

struct parray_ops {
	void (*ref)(void *element);
	void (*unref)(void *element);
	uint64_t (*bytes)(const void *element); /* that its last holder frees; else 0 */
};

struct parray parray_copy(struct parray a);
void parray_release(struct parray *a, const struct parray_ops *ops);
void *parray_get(struct parray a, uint32_t i);
void parray_set(struct parray *a, const struct parray_ops *ops, uint32_t i, void *element);
/* Calls at() for each place where the two are different. */
void parray_diff(struct parray a, struct parray b,
	void (*at)(void *ctx, uint32_t i, void *in_a, void *in_b), void *ctx);
/* What parray_release() would free, elements included. */
uint64_t parray_bytes(struct parray a, const struct parray_ops *ops);

#endif
