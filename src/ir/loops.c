#include "ir/loops.h"

#include "base/base.h"

#include <string.h>

#define NONE UINT32_MAX

/*
 * Vertices are the reachable blocks, numbered in the order of discovery. An edge y -> x to an
 * ancestor x is in the list `back` of x. Any other edge outside the depth-first tree is in the list
 * `cross` of the nearest common ancestor of y and x, and is added to the graph when that ancestor
 * is processed.
 */
struct finder {
	const struct cfg *c;
	uint32_t k;
	uint32_t *num, *vertex, *parent;
	uint32_t *back, *cross, *in;     /* by vertex: heads of lists of edges */
	uint32_t *from, *to, *next; /* by edge: ends and link; an edge is in one list at a time */
	uint32_t nedges;
	uint32_t *set;    /* union-find: of open ancestors in walk_graph(), of collapsed loops in
			     find_loop() */
	uint32_t *header; /* by vertex: the header of the innermost loop around it, other than
			     itself */
	uint32_t *stamp;
	bool *is_header;
	VEC(uint32_t) work;
};

static uint32_t find_root(uint32_t *set, uint32_t v)
{
	uint32_t root = v, up;

	while (set[root] != root)
		root = set[root];
	for (; set[v] != root; v = up) {
		up = set[v];
		set[v] = root;
	}
	return root;
}

static void link_edge(struct finder *f, uint32_t *list, uint32_t e)
{
	f->next[e] = *list;
	*list = e;
}

static void add_edge(struct finder *f, uint32_t *lists, uint32_t at, uint32_t y, uint32_t x)
{
	uint32_t e = f->nedges++;

	f->from[e] = y;
	f->to[e] = x;
	link_edge(f, &lists[at], e);
}

/* The same traversal as in cfg.c, so that the first block of a loop in reverse post-order is also
 * the first to be discovered. */
static void walk_graph(struct finder *f)
{
	const struct cfg *c = f->c;
	uint32_t *open = f->stamp, *at = f->header; /* shared: they have their own use only later */
	uint32_t depth = 0;

	memset(f->num, 0xff, c->n * sizeof *f->num);
	f->num[0] = f->k++;
	f->vertex[0] = f->set[0] = f->parent[0] = 0;
	at[0] = c->succ_at[1];
	open[depth++] = 0;
	while (depth) {
		uint32_t y = open[depth - 1], b = f->vertex[y], s, x;

		if (at[y] == c->succ_at[b]) {
			f->set[y] = f->parent[y];
			depth--;
			continue;
		}
		s = c->succ[--at[y]];
		x = f->num[s];
		if (x == NONE) {
			f->num[s] = x = f->k++;
			f->vertex[x] = s;
			f->set[x] = x;
			f->parent[x] = y;
			at[x] = c->succ_at[s + 1];
			open[depth++] = x;
		} else if (find_root(f->set, x) == x) {
			add_edge(f, f->back, x, y, x); /* x is still open, so it is an ancestor */
		} else {
			add_edge(f, f->cross, find_root(f->set, x), y, x);
		}
	}
}

static void add_reached(struct finder *f, uint32_t h, uint32_t v)
{
	v = find_root(f->set, v);
	if (v != h && f->stamp[v] != h) {
		f->stamp[v] = h;
		vec_push(&f->work, v);
	}
}

/* Finds the loop of h, the vertices from which h is reachable through its descendants only, and
 * collapses it into h. */
static void find_loop(struct finder *f, uint32_t h)
{
	uint32_t next;

	for (uint32_t e = f->cross[h]; e != NONE; e = next) {
		next = f->next[e];
		link_edge(f, &f->in[find_root(f->set, f->to[e])], e);
	}
	vec_clear(&f->work);
	for (uint32_t e = f->back[h]; e != NONE; e = f->next[e])
		add_reached(f, h, f->from[e]);
	f->is_header[h] = f->back[h] != NONE;
	for (uint32_t i = 0; i < f->work.n; i++) {
		uint32_t z = f->work.at[i];

		add_reached(f, h, f->parent[z]);
		for (uint32_t e = f->in[z]; e != NONE; e = f->next[e])
			add_reached(f, h, f->from[e]);
	}
	vec_each (&f->work, i) {
		f->set[f->work.at[i]] = h;
		f->header[f->work.at[i]] = h;
	}
}

/* Numbers the loops in the order of their headers, so that outer loops come first, and sets the
 * innermost loop of each block. */
static void number_loops(struct loops *l, struct finder *f)
{
	const struct cfg *c = f->c;
	uint32_t *loop_of_header = f->stamp;

	for (uint32_t i = 0; i < c->nrpo; i++) {
		uint32_t b = c->rpo[i], v = f->num[b], up = f->header[v];

		l->of[b] = up == NONE ? LOOP_NONE : loop_of_header[up];
		if (!f->is_header[v])
			continue;
		loop_of_header[v] = l->at.n;
		vec_push(&l->at, (struct loop){.header = b, .parent = l->of[b],
			.depth = l->of[b] == LOOP_NONE ? 1 : l->at.at[l->of[b]].depth + 1});
		l->of[b] = l->at.n - 1;
	}
}

/* Sets the ranges of blocks: first the blocks of the loop itself, with the header first, then those
 * of the loops inside it. */
static void lay_out(struct loops *l, const struct cfg *c)
{
	uint32_t *fill = xcalloc(l->at.n + 1, sizeof *fill), top = 0;

	memset(l->index, 0xff, c->n * sizeof *l->index);
	for (uint32_t i = 0; i < c->nrpo; i++)
		if (l->of[c->rpo[i]] != LOOP_NONE)
			fill[l->of[c->rpo[i]]]++;
	for (uint32_t i = l->at.n; i-- > 0;) {
		l->at.at[i].n += fill[i];
		if (l->at.at[i].parent != LOOP_NONE)
			l->at.at[l->at.at[i].parent].n += l->at.at[i].n;
	}
	/* fill[l] is the position of the next loop inside l: after its own blocks and earlier
	 * loops */
	vec_each (&l->at, i) {
		struct loop *lp = &l->at.at[i];
		uint32_t *next = lp->parent == LOOP_NONE ? &top : &fill[lp->parent];

		lp->first = *next;
		*next += lp->n;
		fill[i] += lp->first;
	}
	vec_each (&l->at, i)
		fill[i] = l->at.at[i].first;
	for (uint32_t i = 0; i < c->nrpo; i++) {
		uint32_t b = c->rpo[i];

		if (l->of[b] == LOOP_NONE)
			continue;
		l->index[b] = fill[l->of[b]]++;
		l->blocks[l->index[b]] = b;
	}
	free(fill);
}

/* Every loop that an edge enters at another block than the header is irreducible. */
static void mark_irreducible(struct loops *l, const struct cfg *c)
{
	uint32_t n = l->at.n, *unmarked = xmalloc((n + 1) * sizeof *unmarked);

	/* union-find: the innermost loop that is not marked, from this one outwards; n = none */
	for (uint32_t i = 0; i <= n; i++)
		unmarked[i] = i;
	for (uint32_t i = 0; i < c->nrpo; i++) {
		uint32_t b = c->rpo[i];

		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++) {
			uint32_t s = c->succ[e], lp = l->of[s], up;

			lp = lp == LOOP_NONE ? n : find_root(unmarked, lp);
			if (lp != n && l->at.at[lp].header == s) {
				up = l->at.at[lp].parent;
				lp = up == LOOP_NONE ? n : find_root(unmarked, up);
			}
			while (lp != n && !loop_contains(l, lp, b)) {
				l->at.at[lp].irreducible = true;
				up = l->at.at[lp].parent;
				unmarked[lp] = up == LOOP_NONE ? n : up;
				lp = find_root(unmarked, lp);
			}
		}
	}
	free(unmarked);
}

void loops_init(struct loops *l, const struct cfg *c)
{
	size_t n = c->n, m = c->m;
	uint32_t *mem = xmalloc((9 * n + 3 * m + 1) * sizeof *mem);
	struct finder f = {.c = c, .num = mem, .vertex = mem + n, .parent = mem + 2 * n,
		.back = mem + 3 * n, .cross = mem + 4 * n, .in = mem + 5 * n, .set = mem + 6 * n,
		.header = mem + 7 * n, .stamp = mem + 8 * n, .from = mem + 9 * n,
		.to = mem + 9 * n + m, .next = mem + 9 * n + 2 * m,
		.is_header = xcalloc(n + 1, sizeof *f.is_header)};

	BUG_ON(!n);
	*l = (struct loops){.of = xmalloc(3 * n * sizeof *l->of)};
	l->blocks = l->of + n;
	l->index = l->of + 2 * n;
	memset(l->of, 0xff, n * sizeof *l->of);
	memset(f.back, 0xff, 3 * n * sizeof *f.back); /* back, cross and in */
	walk_graph(&f);
	for (uint32_t v = 0; v < f.k; v++)
		f.set[v] = v;
	memset(f.header, 0xff, 2 * n * sizeof *f.header); /* header and stamp */
	for (uint32_t h = f.k; h-- > 0;)
		find_loop(&f, h);
	number_loops(l, &f);
	lay_out(l, c);
	mark_irreducible(l, c);
	vec_release(&f.work);
	free(f.is_header);
	free(mem);
}

void loops_release(struct loops *l)
{
	vec_release(&l->at);
	free(l->of);
	*l = (struct loops){0};
}

void loop_exits(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out)
{
	const struct loop *lp = &l->at.at[loop];
	uint32_t start = out->n;

	for (uint32_t i = lp->first; i < lp->first + lp->n; i++)
		for (uint32_t e = c->succ_at[l->blocks[i]]; e < c->succ_at[l->blocks[i] + 1]; e++)
			if (!loop_contains(l, loop, c->succ[e]))
				vec_push(out, e);
	vec_u32_sort(out, start);
}

void loop_latches(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out)
{
	uint32_t h = l->at.at[loop].header, start = out->n;

	/* predecessors are ordered by ascending block */
	for (uint32_t e = c->pred_at[h]; e < c->pred_at[h + 1]; e++)
		if (loop_contains(l, loop, c->pred[e]) &&
			(out->n == start || vec_last(out) != c->pred[e]))
			vec_push(out, c->pred[e]);
}

