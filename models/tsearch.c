/*
 * The trees of <search.h>, as treaps with a fixed sequence of priorities. The order of
 * keys is glibc's; the depths that twalk passes may differ from glibc's, whose trees are red-black.
 */
#include "model.h"
#include <search.h>
#include <stdlib.h>

struct node {
	const void *key; /* first field: callers get a node as a pointer to its key */
	struct node *left, *right;
	uint32_t priority;
};

typedef int compare_fn(const void *, const void *);

static struct node **find(const void *key, struct node **at, compare_fn *compare)
{
	int c;

	while (*at && (c = compare(key, (*at)->key)))
		at = c < 0 ? &(*at)->left : &(*at)->right;
	return at;
}

static uint32_t next_priority(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state;
}

/* Splits a tree into the nodes below key and those above. */
static void split(struct node *t, const void *key, compare_fn *compare, struct node **low,
	struct node **high)
{
	while (t) {
		if (compare(key, t->key) < 0) {
			*high = t;
			high = &t->left;
			t = t->left;
		} else {
			*low = t;
			low = &t->right;
			t = t->right;
		}
	}
	*low = *high = NULL;
}

void *tsearch(const void *key, void **root, compare_fn *compare)
{
	struct node **at, *n;

	if (!root)
		return NULL;
	at = find(key, (struct node **)root, compare);
	if (*at)
		return *at;
	n = malloc(sizeof *n);
	if (!n)
		return NULL;
	n->key = key;
	n->priority = next_priority();
	for (at = (struct node **)root; *at && (*at)->priority >= n->priority;)
		at = compare(key, (*at)->key) < 0 ? &(*at)->left : &(*at)->right;
	split(*at, key, compare, &n->left, &n->right);
	*at = n;
	return n;
}

void *tfind(const void *key, void *const *root, compare_fn *compare)
{
	return root ? *find(key, (struct node **)root, compare) : NULL;
}

/* Returns the parent of the deleted node; for the root, a stale pointer that is not NULL. */
void *tdelete(const void *key, void **root, compare_fn *compare)
{
	struct node **at = (struct node **)root, *parent, *n, *a, *b;
	int c;

	if (!root || !*root)
		return NULL;
	parent = *at;
	while (*at && (c = compare(key, (*at)->key))) {
		parent = *at;
		at = c < 0 ? &(*at)->left : &(*at)->right;
	}
	n = *at;
	if (!n)
		return NULL;
	for (a = n->left, b = n->right; a && b;) {
		struct node *up = a->priority > b->priority ? a : b;
		*at = up;
		at = up == a ? &a->right : &b->left;
		if (up == a)
			a = a->right;
		else
			b = b->left;
	}
	*at = a ? a : b;
	free(n);
	return parent;
}

struct walk {
	void (*plain)(const void *, VISIT, int);
	void (*with_closure)(const void *, VISIT, void *);
	void *closure;
};

static void visit(const struct walk *w, const struct node *n, VISIT kind, int depth)
{
	if (w->plain)
		w->plain(n, kind, depth);
	else
		w->with_closure(n, kind, w->closure);
}

static void walk(const struct walk *w, const struct node *n, int depth)
{
	if (!n->left && !n->right) {
		visit(w, n, leaf, depth);
		return;
	}
	visit(w, n, preorder, depth);
	if (n->left)
		walk(w, n->left, depth + 1);
	visit(w, n, postorder, depth);
	if (n->right)
		walk(w, n->right, depth + 1);
	visit(w, n, endorder, depth);
}

void twalk(const void *root, void (*action)(const void *, VISIT, int))
{
	if (root)
		walk(&(struct walk){.plain = action}, root, 0);
}

void twalk_r(const void *root, void (*action)(const void *, VISIT, void *), void *closure)
{
	if (root)
		walk(&(struct walk){.with_closure = action, .closure = closure}, root, 0);
}

static void destroy(struct node *n, void (*free_key)(void *))
{
	if (!n)
		return;
	destroy(n->left, free_key);
	destroy(n->right, free_key);
	free_key((void *)n->key);
	free(n);
}

void tdestroy(void *root, void (*free_key)(void *))
{
	destroy(root, free_key);
}
