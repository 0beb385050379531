/*
 * Persistent arrays of pointers: an array is a tree of nodes of 16, and arrays share the nodes in
 * which they do not differ. A copy takes constant time; a change copies the nodes on the path to
 * its index.
 *
 *  - a zeroed struct parray is an empty one: the element at every index is NULL
 *  - elements are reference-counted by `ops`. parray_set() takes over the caller's reference to the
 *    new element and drops the array's reference to the old one
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
	uint64_t (*bytes)(const void *element); /* that unref() would free; 0 if it is shared */
};

struct parray parray_copy(struct parray a);
void parray_release(struct parray *a, const struct parray_ops *ops);
void *parray_get(struct parray a, uint32_t i);
void parray_set(struct parray *a, const struct parray_ops *ops, uint32_t i, void *element);
/* Calls at() for each index at which the two arrays differ. */
void parray_diff(struct parray a, struct parray b,
	void (*at)(void *ctx, uint32_t i, void *in_a, void *in_b), void *ctx);
/* The bytes that parray_release() would free, elements included. */
uint64_t parray_bytes(struct parray a, const struct parray_ops *ops);

#endif
