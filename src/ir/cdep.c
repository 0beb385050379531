#include "ir/cdep.h"

#include "base/base.h"

#include <string.h>

struct governor {
	uint32_t edge;   /* index into cfg.succ */
	uint32_t target; /* dom.pre of its target in the post-dominator tree */
	uint32_t end;    /* depth of the parent of its source there: the path ends below it */
	uint32_t source; /* index of its source in cfg.rpo */
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
				.end = pd->depth[pd->idom[u]], .source = i});
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

/*
 * For `nearest`, the paths are painted over each other in the order of their sources, and the
 * colour of a block is read when the paths of all sources before it are painted. The tree is
 * divided into heavy chains (a chain continues with the child that has the largest subtree), so
 * that a path is O(log n) runs of consecutive places.
 */
struct canvas {
	const struct dom *pd;
	uint32_t *heavy, *head, *place; /* by node: heavy child, top of its chain, place */
	uint32_t *paint;                /* segment tree over places: the last coat on a run, 0 =
					   none */
};

static void canvas_init(struct canvas *v, const struct dom *pd)
{
	size_t n = pd->n;
	uint32_t next = 0;

	*v = (struct canvas){.pd = pd, .heavy = xmalloc(3 * n * sizeof *v->heavy)};
	v->head = v->heavy + n;
	v->place = v->heavy + 2 * n;
	v->paint = xcalloc(2 * n, sizeof *v->paint);
	for (uint32_t b = 0; b < n; b++) {
		uint32_t most = 0;

		v->heavy[b] = BLK_NONE;
		for (uint32_t k = pd->kid_at[b]; pd->idom[b] != BLK_NONE && k < pd->kid_at[b + 1];
			k++) {
			uint32_t size = pd->last[pd->kids[k]] - pd->pre[pd->kids[k]] + 1;

			if (size > most) {
				most = size;
				v->heavy[b] = pd->kids[k];
			}
		}
	}
	for (uint32_t b = 0; b < n; b++) {
		if (pd->idom[b] == BLK_NONE || (b != pd->root && v->heavy[pd->idom[b]] == b))
			continue;
		for (uint32_t x = b; x != BLK_NONE; x = v->heavy[x]) {
			v->head[x] = b;
			v->place[x] = next++;
		}
	}
}

static void paint_run(struct canvas *v, uint32_t from, uint32_t to, uint32_t coat)
{
	uint32_t n = v->pd->n;

	for (from += n, to += n + 1; from < to; from /= 2, to /= 2) {
		if (from & 1)
			v->paint[from++] = coat;
		if (to & 1)
			v->paint[--to] = coat;
	}
}

/* paints b and its ancestors whose depth is more than `end` */
static void paint_path(struct canvas *v, uint32_t b, uint32_t end, uint32_t coat)
{
	const uint32_t *depth = v->pd->depth;

	while (depth[b] > end) {
		uint32_t top = v->head[b], run = depth[b] - MAX(depth[top], end + 1);

		paint_run(v, v->place[b] - run, v->place[b], coat);
		b = v->pd->idom[top];
	}
}

static uint32_t coat_of(const struct canvas *v, uint32_t b)
{
	uint32_t coat = 0;

	for (uint32_t i = v->place[b] + v->pd->n; i; i /= 2)
		coat = MAX(coat, v->paint[i]);
	return coat;
}

/* `g` is sorted by ascending source */
static void find_nearest(struct cdep *d, const struct cfg *c, const governors *g)
{
	struct canvas v;
	uint32_t k = 0, coat;

	canvas_init(&v, d->postdom);
	memset(d->nearest, 0xff, c->n * sizeof *d->nearest);
	for (uint32_t i = 0; i < c->nrpo; i++) {
		coat = coat_of(&v, c->rpo[i]);
		if (coat)
			d->nearest[c->rpo[i]] = g->at[coat - 1].edge;
		for (; k < g->n && g->at[k].source == i; k++)
			paint_path(&v, c->succ[g->at[k].edge], g->at[k].end, k + 1);
	}
	/* a block that depends only on later blocks depends on them through a loop */
	for (uint32_t i = 0; i < c->nrpo; i++)
		if (d->nearest[c->rpo[i]] == CDEP_NONE && (coat = coat_of(&v, c->rpo[i])))
			d->nearest[c->rpo[i]] = g->at[coat - 1].edge;
	free(v.heavy);
	free(v.paint);
}

void cdep_init(struct cdep *d, const struct cfg *c, const struct dom *postdom)
{
	governors g = {0};

	*d = (struct cdep){.postdom = postdom};
	d->nearest = xmalloc((c->n + 1) * sizeof *d->nearest);
	find_governors(&g, c, postdom);
	find_nearest(d, c, &g);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_target);
	index_paths(d, &g);
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

/* appends the edges of the leaves [lo, lo + n) under `node` that are in [from, to) and whose path
 * reaches up to the depth of the block */
static void append_edges(const struct query *q, uint32_t node, uint32_t lo, uint32_t n)
{
	if (lo >= q->to || lo + n <= q->from || q->d->least[node] >= q->depth)
		return;
	if (n == 1) {
		vec_push(q->out, q->d->edge[lo]);
		return;
	}
	append_edges(q, 2 * node, lo, n / 2);
	append_edges(q, 2 * node + 1, lo + n / 2, n / 2);
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
	append_edges(&q, 1, 0, d->leaves);
	vec_u32_sort(out, start);
}
