#include "ir/dom.h"

#include "base/base.h"

#include <string.h>

/*
 * Lengauer-Tarjan. Vertices are renumbered 0 .. k-1 in the order of discovery; every array except
 * `num` is indexed by these numbers.
 */
struct lt {
	struct graph succ, pred;
	uint32_t k;
	uint32_t *num;    /* vertex -> number, or BLK_NONE */
	uint32_t *vertex; /* number -> vertex */
	uint32_t *parent; /* in the depth-first tree */
	uint32_t *semi, *idom;
	uint32_t *anc, *label;   /* the forest of evaluate_node(); anc of a root is BLK_NONE */
	uint32_t *bucket, *next; /* lists of numbers by semidominator */
	uint32_t *stack;
};

static void number_nodes(struct lt *t, uint32_t root)
{
	uint32_t depth = 0, *next = t->next, *stack = t->stack;

	memset(t->num, 0xff, t->succ.n * sizeof *t->num);
	t->num[root] = 0;
	t->vertex[0] = root;
	t->parent[0] = 0;
	t->k = 1;
	stack[depth++] = 0;
	next[0] = t->succ.at[root];
	while (depth) {
		uint32_t v = stack[depth - 1], w;

		if (next[v] == t->succ.at[t->vertex[v] + 1]) {
			depth--;
			continue;
		}
		w = t->succ.to[next[v]++];
		if (t->num[w] != BLK_NONE)
			continue;
		t->num[w] = t->k;
		t->vertex[t->k] = w;
		t->parent[t->k] = v;
		next[t->k] = t->succ.at[w];
		stack[depth++] = t->k++;
	}
}

/* The vertex with the least semidominator on the path from v up to, but without, the root of its
 * tree in the forest. Compresses the path. */
static uint32_t evaluate_node(struct lt *t, uint32_t v)
{
	uint32_t depth = 0, w = v;

	if (t->anc[v] == BLK_NONE)
		return v;
	for (; t->anc[t->anc[w]] != BLK_NONE; w = t->anc[w])
		t->stack[depth++] = w;
	while (depth) {
		uint32_t u = t->stack[--depth], a = t->anc[u];

		if (t->semi[t->label[a]] < t->semi[t->label[u]])
			t->label[u] = t->label[a];
		t->anc[u] = t->anc[a];
	}
	return t->label[v];
}

static void find_semidominators(struct lt *t)
{
	for (uint32_t v = 0; v < t->k; v++) {
		t->semi[v] = t->label[v] = v;
		t->anc[v] = t->bucket[v] = BLK_NONE;
	}
	for (uint32_t w = t->k; w-- > 1;) {
		uint32_t x = t->vertex[w], p = t->parent[w];

		for (uint32_t e = t->pred.at[x]; e < t->pred.at[x + 1]; e++) {
			uint32_t v = t->num[t->pred.to[e]];

			if (v != BLK_NONE)
				t->semi[w] = MIN(t->semi[w], t->semi[evaluate_node(t, v)]);
		}
		t->next[w] = t->bucket[t->semi[w]];
		t->bucket[t->semi[w]] = w;
		t->anc[w] = p;
		for (uint32_t v = t->bucket[p]; v != BLK_NONE; v = t->next[v]) {
			uint32_t u = evaluate_node(t, v);

			t->idom[v] = t->semi[u] < t->semi[v] ? u : p;
		}
		t->bucket[p] = BLK_NONE;
	}
	t->idom[0] = 0;
	for (uint32_t w = 1; w < t->k; w++)
		if (t->idom[w] != t->semi[w])
			t->idom[w] = t->idom[t->idom[w]];
}

static void lengauer_tarjan(struct graph succ, struct graph pred, uint32_t root, uint32_t *idom)
{
	size_t n = succ.n;
	uint32_t *mem = xmalloc(10 * n * sizeof *mem);
	struct lt t = {.succ = succ, .pred = pred, .num = mem, .vertex = mem + n,
		.parent = mem + 2 * n, .semi = mem + 3 * n, .idom = mem + 4 * n, .anc = mem + 5 * n,
		.label = mem + 6 * n, .bucket = mem + 7 * n, .next = mem + 8 * n,
		.stack = mem + 9 * n};

	number_nodes(&t, root);
	find_semidominators(&t);
	memset(idom, 0xff, n * sizeof *idom);
	for (uint32_t v = 0; v < t.k; v++)
		idom[t.vertex[v]] = t.vertex[t.idom[v]];
	free(mem);
}

/* computes children, depths and preorder numbers from idom */
static void grow_tree(struct dom *d)
{
	uint32_t *stack = xmalloc((d->n + 1) * sizeof *stack), *fill = d->last;
	uint32_t depth = 0, time = 0, sum = 0;

	memset(d->kid_at, 0, (d->n + 1) * sizeof *d->kid_at);
	for (uint32_t b = 0; b < d->n; b++)
		if (d->idom[b] != BLK_NONE && b != d->root)
			d->kid_at[d->idom[b]]++;
	for (uint32_t b = 0; b <= d->n; b++) {
		uint32_t k = d->kid_at[b];

		d->kid_at[b] = sum;
		sum += k;
	}
	memcpy(fill, d->kid_at, d->n * sizeof *fill);
	for (uint32_t b = 0; b < d->n; b++)
		if (d->idom[b] != BLK_NONE && b != d->root)
			d->kids[fill[d->idom[b]]++] = b;
	stack[depth++] = d->root;
	d->depth[d->root] = 0;
	while (depth) {
		uint32_t b = stack[--depth];

		d->pre[b] = d->last[b] = time++;
		for (uint32_t k = d->kid_at[b + 1]; k-- > d->kid_at[b];) {
			d->depth[d->kids[k]] = d->depth[b] + 1;
			stack[depth++] = d->kids[k];
		}
	}
	/* a subtree ends where the subtree of its last child ends; parents have lower numbers */
	for (uint32_t b = 0; b < d->n; b++)
		if (d->idom[b] != BLK_NONE)
			stack[d->pre[b]] = b;
	while (time-- > 1) {
		uint32_t b = stack[time], up = d->idom[b];

		d->last[up] = MAX(d->last[up], d->last[b]);
	}
	free(stack);
}

static void allocate_arrays(struct dom *d, uint32_t n, uint32_t root)
{
	uint32_t *mem = xmalloc((6 * (size_t)n + 1) * sizeof *mem);

	*d = (struct dom){.n = n, .root = root};
	d->idom = mem;
	d->depth = mem + n;
	d->pre = mem + 2 * (size_t)n;
	d->last = mem + 3 * (size_t)n;
	d->kids = mem + 4 * (size_t)n;
	d->kid_at = mem + 5 * (size_t)n;
}

void dom_init(struct dom *d, const struct cfg *c)
{
	BUG_ON(!c->n);
	allocate_arrays(d, c->n, 0);
	lengauer_tarjan(cfg_graph(c), (struct graph){c->n, c->pred_at, c->pred}, 0, d->idom);
	grow_tree(d);
}

/* Fills d->endless: the first block of each reachable component without an edge out of it, except
 * for blocks without successors. */
static void find_endless(struct dom *d, const struct cfg *c)
{
	struct graph g = cfg_graph(c);
	uint32_t *comp = xmalloc(2 * (size_t)c->n * sizeof *comp), *leaves = comp + c->n;
	uint32_t n = graph_scc(&g, comp);

	memset(leaves, 0, n * sizeof *leaves);
	for (uint32_t b = 0; b < c->n; b++) {
		leaves[comp[b]] |= c->succ_at[b] == c->succ_at[b + 1];
		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++)
			leaves[comp[b]] |= comp[c->succ[e]] != comp[b];
	}
	for (uint32_t i = 0; i < c->nrpo; i++)
		if (!leaves[comp[c->rpo[i]]]) {
			leaves[comp[c->rpo[i]]] = 1;
			vec_push(&d->endless, c->rpo[i]);
		}
	free(comp);
}

void postdom_init(struct dom *d, const struct cfg *c)
{
	uint32_t n = c->n + 1, exit = c->n, m = 0, k = 0;
	uint32_t *mem = xmalloc((4 * (size_t)n + 2 + 2 * ((size_t)c->m + n)) * sizeof *mem);
	uint32_t *at = mem, *back_at = at + n + 1, *to = back_at + n + 1, *back = to + c->m + n;
	bool *ends = xcalloc(n, 1);

	BUG_ON(!c->n);
	allocate_arrays(d, n, exit);
	find_endless(d, c);
	for (uint32_t b = 0; b < c->n; b++)
		ends[b] = c->succ_at[b] == c->succ_at[b + 1];
	vec_each (&d->endless, i)
		ends[d->endless.at[i]] = true;
	/* the reachable part of the graph and the exit; post-dominators are the dominators of its
	 * reverse */
	for (uint32_t b = 0; b < c->n; b++) {
		at[b] = k;
		if (!cfg_reachable(c, b))
			continue;
		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++)
			to[k++] = c->succ[e];
		if (ends[b])
			to[k++] = exit;
	}
	at[exit] = at[n] = m = k;
	BUG_ON(m > c->m + n);
	graph_reverse(&(struct graph){n, at, to}, back_at, back, NULL);
	lengauer_tarjan((struct graph){n, back_at, back}, (struct graph){n, at, to}, exit, d->idom);
	grow_tree(d);
	free(ends);
	free(mem);
}

void dom_release(struct dom *d)
{
	free(d->idom);
	vec_release(&d->endless);
	*d = (struct dom){0};
}

