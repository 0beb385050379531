#include "base/parray.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 4, FAN = 1 << BITS };

struct parray_node {
	uint32_t refs;
	void *at[FAN]; /* nodes, or elements in the lowest level; NULL: all below are NULL */
};

struct parray parray_copy(struct parray a)
{
	if (a.root)
		a.root->refs++;
	return a;
}

static void node_unref(struct parray_node *n, uint32_t depth, const struct parray_ops *ops)
{
	if (--n->refs)
		return;
	for (int i = 0; i < FAN; i++) {
		if (!n->at[i])
			continue;
		if (depth > 1)
			node_unref(n->at[i], depth - 1, ops);
		else
			ops->unref(n->at[i]);
	}
	free(n);
}

void parray_release(struct parray *a, const struct parray_ops *ops)
{
	if (a->root)
		node_unref(a->root, a->depth, ops);
	*a = (struct parray){0};
}

static bool has_place_for(struct parray a, uint32_t i)
{
	return BITS * a.depth >= 32 || i >> BITS * a.depth == 0;
}

void *parray_get(struct parray a, uint32_t i)
{
	struct parray_node *n = a.root;

	if (!has_place_for(a, i))
		return NULL;
	for (uint32_t d = a.depth; n && d > 1; d--)
		n = n->at[i >> BITS * (d - 1) & (FAN - 1)];
	return n ? n->at[i & (FAN - 1)] : NULL;
}

/* A node with the contents of n that only the caller refers to: n itself, a copy, or a new node if
 * n is NULL. Takes over the caller's reference to n. */
static struct parray_node *node_own(struct parray_node *n, uint32_t depth,
	const struct parray_ops *ops)
{
	struct parray_node *c;

	if (!n) {
		c = xcalloc(1, sizeof *c);
		c->refs = 1;
		return c;
	}
	if (n->refs == 1)
		return n;
	c = xmalloc(sizeof *c);
	*c = *n;
	c->refs = 1;
	n->refs--;
	for (int i = 0; i < FAN; i++) {
		if (!c->at[i])
			continue;
		if (depth > 1)
			((struct parray_node *)c->at[i])->refs++;
		else
			ops->ref(c->at[i]);
	}
	return c;
}

void parray_set(struct parray *a, const struct parray_ops *ops, uint32_t i, void *element)
{
	struct parray_node *n;

	while (!has_place_for(*a, i) || !a->depth) {
		if (a->root) {
			n = xcalloc(1, sizeof *n);
			n->refs = 1;
			n->at[0] = a->root;
			a->root = n;
		}
		a->depth++;
	}
	n = a->root = node_own(a->root, a->depth, ops);
	for (uint32_t d = a->depth; d > 1; d--) {
		void **at = &n->at[i >> BITS * (d - 1) & (FAN - 1)];

		n = *at = node_own(*at, d - 1, ops);
	}
	if (n->at[i & (FAN - 1)])
		ops->unref(n->at[i & (FAN - 1)]);
	n->at[i & (FAN - 1)] = element;
}

struct diff {
	void (*at)(void *ctx, uint32_t i, void *in_a, void *in_b);
	void *ctx;
};

static void visit_diff(const struct diff *x, struct parray_node *a, struct parray_node *b,
	uint32_t depth, uint32_t first)
{
	for (uint32_t i = 0; i < FAN; i++) {
		void *in_a = a ? a->at[i] : NULL, *in_b = b ? b->at[i] : NULL;
		uint32_t at = first | i << BITS * (depth - 1);

		if (in_a == in_b)
			continue;
		if (depth > 1)
			visit_diff(x, in_a, in_b, depth - 1, at);
		else
			x->at(x->ctx, at, in_a, in_b);
	}
}

void parray_diff(struct parray a, struct parray b,
	void (*at)(void *ctx, uint32_t i, void *in_a, void *in_b), void *ctx)
{
	struct diff x = {at, ctx};
	struct parray_node rest;

	if (!a.root)
		a.depth = b.depth;
	if (!b.root)
		b.depth = a.depth;
	/* the lower tree covers the same indices as the leftmost subtree of the higher one, which
	 * can be empty */
	while (a.depth != b.depth) {
		struct parray *high = a.depth > b.depth ? &a : &b;

		rest = *high->root;
		rest.at[0] = NULL;
		visit_diff(
			&x, high == &a ? &rest : NULL, high == &b ? &rest : NULL, high->depth, 0);
		*high = (struct parray){high->root->at[0], high->depth - 1};
		if (!high->root)
			high->depth = MIN(a.depth, b.depth);
	}
	if (a.root != b.root)
		visit_diff(&x, a.root, b.root, a.depth, 0);
}

static uint64_t node_bytes(const struct parray_node *n, uint32_t depth, const struct parray_ops *ops)
{
	uint64_t sum = sizeof *n;

	if (n->refs > 1)
		return 0;
	for (int i = 0; i < FAN; i++)
		if (n->at[i])
			sum += depth > 1 ? node_bytes(n->at[i], depth - 1, ops) : ops->bytes(n->at[i]);
	return sum;
}

uint64_t parray_bytes(struct parray a, const struct parray_ops *ops)
{
	return a.root ? node_bytes(a.root, a.depth, ops) : 0;
}
