#include "ir/cdep.h"

#include <string.h>

struct governor {
	uint32_t edge;
	uint32_t target; /* number of its target in the post-dominator tree */
	uint32_t end;    /* depth of the source's parent there: the path stops below it */
	uint32_t source; /* in reverse post-order */
	uint32_t back;   /* the edge goes back in that order */
};

typedef VEC(struct governor) governors;

static void find_governors(governors *out, const struct cfg *c, const struct dom *pd)
{
	for (uint32_t i = 0; i < c->nrpo; i++) {
		uint32_t u = c->rpo[i], from = c->succ_at[u], to = c->succ_at[u + 1], e;

		for (e = from + 1; e < to && c->succ[e] == c->succ[from]; e++)
			;
		if (e >= to)
			continue;
		for (e = from; e < to; e++) {
			uint32_t v = c->succ[e];

			if (v == pd->idom[u])
				continue;
			vec_push(out, (struct governor){.edge = e, .target = pd->pre[v],
				.end = pd->depth[pd->idom[u]], .source = i,
				.back = c->rpo_of[v] <= i});
		}
	}
}

static int by_target(const void *a, const void *b)
{
	const struct governor *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

/* the order of preference of `nearest` */
static int by_nearness(const void *a, const void *b)
{
	const struct governor *x = a, *y = b;

	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->back != y->back)
		return x->back < y->back ? -1 : 1;
	if (x->source != y->source)
		return x->source > y->source ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

static void index_paths(struct cdep *d, const governors *g)
{
	uint32_t k = 0;

	d->n = g->n;
	d->edge = xmalloc((g->n + 1) * sizeof *d->edge);
	d->first = xmalloc((d->postdom->n + 1) * sizeof *d->first);
	for (d->leaves = 1; d->leaves < g->n; d->leaves *= 2)
		;
	d->least = xmalloc(2 * (size_t)d->leaves * sizeof *d->least);
	memset(d->least, 0xff, 2 * (size_t)d->leaves * sizeof *d->least);
	vec_each (g, i) {
		d->edge[i] = g->at[i].edge;
		d->least[d->leaves + i] = g->at[i].end;
	}
	for (uint32_t i = d->leaves; i-- > 1;)
		d->least[i] = MIN(d->least[2 * i], d->least[2 * i + 1]);
	for (uint32_t t = 0; t <= d->postdom->n; t++) {
		while (k < g->n && g->at[k].target < t)
			k++;
		d->first[t] = k;
	}
}

/* the block itself or its nearest ancestor that has no `nearest` yet */
static uint32_t find_bare(uint32_t *up, uint32_t b)
{
	uint32_t root = b, next;

	while (up[root] != root)
		root = up[root];
	for (; up[b] != root; b = next) {
		next = up[b];
		up[b] = root;
	}
	return root;
}

/* The best edges first: each takes those blocks of its path that no better one has taken. */
static void find_nearest(struct cdep *d, const struct cfg *c, const governors *g)
{
	const struct dom *pd = d->postdom;
	uint32_t *up = xmalloc(pd->n * sizeof *up);

	for (uint32_t b = 0; b < pd->n; b++)
		up[b] = b;
	memset(d->nearest, 0xff, c->n * sizeof *d->nearest);
	vec_each (g, i) {
		const struct governor *v = &g->at[i];
		uint32_t b = find_bare(up, c->succ[v->edge]);

		for (; pd->depth[b] > v->end; b = find_bare(up, b)) {
			d->nearest[b] = v->edge;
			up[b] = pd->idom[b];
		}
	}
	free(up);
}

void cdep_init(struct cdep *d, const struct cfg *c, const struct dom *postdom)
{
	governors g = {0};

	*d = (struct cdep){.postdom = postdom};
	d->nearest = xmalloc((c->n + 1) * sizeof *d->nearest);
	find_governors(&g, c, postdom);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_target);
	index_paths(d, &g);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_nearness);
	find_nearest(d, c, &g);
	vec_release(&g);
}

void cdep_release(struct cdep *d)
{
	free(d->nearest);
	free(d->edge);
	free(d->first);
	free(d->least);
	*d = (struct cdep){0};
}

struct query {
	const struct cdep *d;
	uint32_t from, to, depth;
	struct vec_u32 *out;
};

/* leaves [lo, lo + n) under `node` that lie in [from, to) and end above the depth */
static void report(const struct query *q, uint32_t node, uint32_t lo, uint32_t n)
{
	if (lo >= q->to || lo + n <= q->from || q->d->least[node] >= q->depth)
		return;
	if (n == 1) {
		vec_push(q->out, q->d->edge[lo]);
		return;
	}
	report(q, 2 * node, lo, n / 2);
	report(q, 2 * node + 1, lo + n / 2, n / 2);
}

void cdep_get(const struct cdep *d, uint32_t b, struct vec_u32 *out)
{
	const struct dom *pd = d->postdom;
	struct query q = {.d = d, .out = out};
	uint32_t start = out->n;

	if (pd->idom[b] == BLK_NONE || !d->n)
		return;
	q.from = d->first[pd->pre[b]];
	q.to = d->first[pd->last[b] + 1];
	q.depth = pd->depth[b];
	report(&q, 1, 0, d->leaves);
	sort_u32(out->at + start, out->n - start);
}
