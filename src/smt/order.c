#include "smt/order.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

/* an edge in the graph, as stored at one of its two nodes */
struct half {
	uint32_t node; /* the other node */
	lit_t lit;     /* LIT_TRUE: permanent */
	uint32_t time; /* put.n after its insertion; 0: permanent */
};

struct node {
	VEC(struct half) out, in;
	struct vec_u32 said;        /* indices in order.edge: edges of literals that start here */
	uint32_t pos;               /* in the topological order */
	uint32_t forward, backward; /* marks of the last searches that met it */
	struct half from;           /* the edge by which the forward search reached it */
};

struct order {
	struct sat *sat;
	VEC(struct node) node;
	VEC(struct order_edge_info) edge; /* all edges of literals, and permanent ones */
	struct vec_u32 next;              /* by edge: the next edge of the same literal + 1 */
	struct vec_u32 first;             /* by literal: its first edge + 1 */
	struct map pair;                  /* a << 32 | b with a < b -> literal of a before b */

	struct vec_u32 put;    /* edges of literals in the graph, in order of insertion */
	struct vec_u32 put_at; /* for each literal passed to assign(): put.n before it */

	uint32_t mark;                    /* of the current search */
	struct vec_u32 fwd, back, places; /* scratch of one insertion */
	struct vec_u32 cycle;             /* literals on the cycle that the last insertion closes */
	struct order_stats stats;
};

struct order *order_new(struct sat *s)
{
	struct order *o = xcalloc(1, sizeof *o);

	o->sat = s;
	return o;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	vec_each (&o->node, i) {
		vec_release(&o->node.at[i].out);
		vec_release(&o->node.at[i].in);
		vec_release(&o->node.at[i].said);
	}
	vec_release(&o->node);
	vec_release(&o->edge);
	vec_release(&o->next);
	vec_release(&o->first);
	map_release(&o->pair);
	vec_release(&o->put);
	vec_release(&o->put_at);
	vec_release(&o->fwd);
	vec_release(&o->back);
	vec_release(&o->places);
	vec_release(&o->cycle);
	free(o);
}

uint32_t order_node(struct order *o)
{
	struct node *n = vec_add(&o->node);

	n->pos = o->node.n - 1;
	return o->node.n - 1;
}

uint32_t order_n_nodes(const struct order *o)
{
	return o->node.n;
}

uint32_t order_n_edges(const struct order *o)
{
	return o->edge.n;
}

struct order_edge_info order_edge_at(const struct order *o, uint32_t i)
{
	return o->edge.at[i];
}

uint32_t order_position(const struct order *o, uint32_t node)
{
	return o->node.at[node].pos;
}

const struct order_stats *order_stats(const struct order *o)
{
	return &o->stats;
}

/* -- insertion -- */

/* sets o->cycle to the literals on the path from `v` to `u` that the forward search found */
static void collect_cycle(struct order *o, uint32_t v, uint32_t u)
{
	vec_clear(&o->cycle);
	while (u != v) {
		struct half h = o->node.at[u].from;

		if (h.lit != LIT_TRUE)
			vec_push(&o->cycle, h.lit);
		u = h.node;
	}
}

/*
 * Sets o->fwd to the nodes that are reachable from v and not after u in the order. False if u is
 * reachable: an edge from u to v closes a cycle. Uses only edges with a time of at most `until`.
 */
static bool search_forward(struct order *o, uint32_t v, uint32_t u, uint32_t until)
{
	uint32_t limit = o->node.at[u].pos;

	o->mark++;
	vec_clear(&o->fwd);
	vec_push(&o->fwd, v);
	o->node.at[v].forward = o->mark;
	for (uint32_t i = 0; i < o->fwd.n; i++) {
		uint32_t x = o->fwd.at[i];
		struct node *n = &o->node.at[x];

		o->stats.visits += n->out.n;
		vec_each (&n->out, k) {
			struct half h = n->out.at[k];
			struct node *y = &o->node.at[h.node];

			if (y->forward == o->mark || y->pos > limit || h.time > until)
				continue;
			y->forward = o->mark;
			y->from = (struct half){x, h.lit, h.time};
			if (h.node == u)
				return false;
			vec_push(&o->fwd, h.node);
		}
	}
	return true;
}

/* sets o->back to the nodes from which u is reachable and that are not before v in the order */
static void search_backward(struct order *o, uint32_t u, uint32_t v)
{
	uint32_t limit = o->node.at[v].pos;

	vec_clear(&o->back);
	vec_push(&o->back, u);
	o->node.at[u].backward = o->mark;
	for (uint32_t i = 0; i < o->back.n; i++) {
		struct node *n = &o->node.at[o->back.at[i]];

		o->stats.visits += n->in.n;
		vec_each (&n->in, k) {
			struct node *y = &o->node.at[n->in.at[k].node];

			if (y->backward == o->mark || y->pos < limit)
				continue;
			y->backward = o->mark;
			vec_push(&o->back, n->in.at[k].node);
		}
	}
}

static int by_position(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	uint32_t x = o->node.at[*(const uint32_t *)a].pos, y = o->node.at[*(const uint32_t *)b].pos;

	return x < y ? -1 : x > y;
}

/* Puts the nodes of o->back before those of o->fwd, in the positions that both sets together have.
 * Each set keeps its relative order. */
static void reorder_nodes(struct order *o)
{
	uint32_t k = 0;

	qsort_r(o->back.at, o->back.n, sizeof *o->back.at, by_position, o);
	qsort_r(o->fwd.at, o->fwd.n, sizeof *o->fwd.at, by_position, o);
	vec_clear(&o->places);
	vec_each (&o->back, i)
		vec_push(&o->places, o->node.at[o->back.at[i]].pos);
	vec_each (&o->fwd, i)
		vec_push(&o->places, o->node.at[o->fwd.at[i]].pos);
	vec_u32_sort(&o->places, 0);
	vec_each (&o->back, i)
		o->node.at[o->back.at[i]].pos = o->places.at[k++];
	vec_each (&o->fwd, i)
		o->node.at[o->fwd.at[i]].pos = o->places.at[k++];
	o->stats.moved += k;
}

/* Repairs the order so that u is before v. False if v reaches u: o->cycle has the literals of that
 * path. If nodes were moved, *moved is true and they are in o->back and o->fwd. */
static bool make_room(struct order *o, uint32_t u, uint32_t v, bool *moved)
{
	*moved = false;
	if (u == v) {
		vec_clear(&o->cycle);
		return false;
	}
	if (o->node.at[u].pos < o->node.at[v].pos)
		return true;
	if (!search_forward(o, v, u, UINT32_MAX)) {
		collect_cycle(o, v, u);
		o->stats.cycles++;
		return false;
	}
	search_backward(o, u, v);
	reorder_nodes(o);
	*moved = true;
	return true;
}

static void put_edge(struct order *o, uint32_t u, uint32_t v, lit_t lit, uint32_t time)
{
	vec_push(&o->node.at[u].out, (struct half){v, lit, time});
	vec_push(&o->node.at[v].in, (struct half){u, lit, time});
	o->stats.edges++;
}

bool order_edge(struct order *o, uint32_t a, uint32_t b)
{
	bool moved;

	BUG_ON(a >= o->node.n || b >= o->node.n);
	if (!make_room(o, a, b, &moved))
		return false;
	put_edge(o, a, b, LIT_TRUE, 0);
	vec_push(&o->edge, (struct order_edge_info){LIT_TRUE, a, b});
	vec_push(&o->next, 0);
	return true;
}

/* -- literals -- */

void order_attach(struct order *o, lit_t l, uint32_t a, uint32_t b)
{
	uint32_t e = o->edge.n;
	lit_t no = lit_not(l);
	bool moved;

	BUG_ON(a >= o->node.n || b >= o->node.n);
	vec_push(&o->edge, (struct order_edge_info){l, a, b});
	vec_push(&o->next, 0);
	if (sat_current(o->sat, l) < 0)
		return;
	if (a == b) {
		sat_clause(o->sat, &no, 1);
	} else if (sat_current(o->sat, l) > 0) {
		if (make_room(o, a, b, &moved))
			put_edge(o, a, b, LIT_TRUE, 0);
		else
			sat_clause(o->sat, NULL, 0);
	} else {
		if (o->first.n <= (l | 1))
			vec_resize(&o->first, (l | 1) + 1);
		o->next.at[e] = o->first.at[l];
		o->first.at[l] = e + 1;
		vec_push(&o->node.at[a].said, e);
		sat_watch(o->sat, lit_var(l));
	}
}

lit_t order_before(struct order *o, uint32_t a, uint32_t b)
{
	bool turned = a > b;
	uint64_t key = turned ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b, *at;
	lit_t l;

	if (a == b)
		return LIT_FALSE;
	at = map_put(&o->pair, key);
	if (!*at) {
		*at = l = sat_var(o->sat);
		order_attach(o, l, (uint32_t)(key >> 32), (uint32_t)key);
		order_attach(o, lit_not(l), (uint32_t)key, (uint32_t)(key >> 32));
	}
	l = (lit_t)*at;
	return turned ? lit_not(l) : l;
}

/* After an insertion that moved nodes, every node of o->back reaches every node of o->fwd over the
 * new edge. A literal with an edge from o->fwd to o->back would close a cycle: implies it false. */
static void imply_from_moved(struct order *o)
{
	vec_each (&o->fwd, i) {
		struct node *y = &o->node.at[o->fwd.at[i]];

		vec_each (&y->said, k) {
			struct order_edge_info e = o->edge.at[y->said.at[k]];

			if (o->node.at[e.b].backward != o->mark || sat_current(o->sat, e.lit))
				continue;
			o->stats.implied++;
			/* the tag is the time of the new edge: explain() uses edges up to it */
			sat_imply(o->sat, lit_not(e.lit), o->put.n);
		}
	}
}

static void take_out(struct order *o, uint32_t keep)
{
	while (o->put.n > keep) {
		struct order_edge_info e = o->edge.at[vec_pop(&o->put)];

		o->node.at[e.a].out.n--;
		o->node.at[e.b].in.n--;
	}
}

static bool order_assign(void *ctx, lit_t l)
{
	struct order *o = ctx;
	uint32_t before = o->put.n;

	for (uint32_t e = l < o->first.n ? o->first.at[l] : 0; e; e = o->next.at[e - 1]) {
		struct order_edge_info info = o->edge.at[e - 1];
		bool moved;

		if (!make_room(o, info.a, info.b, &moved)) {
			/* l may be in the cycle already, by another of its edges */
			vec_push(&o->cycle, l);
			sat_conflict(o->sat, o->cycle.at, o->cycle.n);
			take_out(o, before);
			return false;
		}
		vec_push(&o->put, e - 1);
		put_edge(o, info.a, info.b, l, o->put.n);
		if (moved)
			imply_from_moved(o);
	}
	vec_push(&o->put_at, before);
	return true;
}

static void order_backtrack(void *ctx, uint32_t n)
{
	struct order *o = ctx;

	if (n >= o->put_at.n)
		return;
	take_out(o, o->put_at.at[n]);
	o->put_at.n = n;
}

/* An edge of the negation of l would have closed a cycle at time `tag`: appends the literals on the
 * path that the edge would have closed, from edges that were in the graph at that time. */
static void order_explain(void *ctx, lit_t l, uint32_t tag, struct vec_u32 *out)
{
	struct order *o = ctx;
	lit_t said = lit_not(l);

	o->stats.explained++;
	for (uint32_t e = o->first.at[said]; e; e = o->next.at[e - 1]) {
		struct order_edge_info info = o->edge.at[e - 1];

		if (o->node.at[info.b].pos > o->node.at[info.a].pos ||
			search_forward(o, info.b, info.a, tag))
			continue;
		collect_cycle(o, info.b, info.a);
		vec_each (&o->cycle, i)
			vec_push(out, o->cycle.at[i]);
		return;
	}
	BUG("no way explains an implied order");
}

/* decides a literal so that its first edge agrees with the current order */
static lit_t order_phase(void *ctx, lit_t l)
{
	struct order *o = ctx;

	for (unsigned sign = 0; sign < 2; sign++) {
		uint32_t e = (l ^ sign) < o->first.n ? o->first.at[l ^ sign] : 0;

		if (e) {
			struct order_edge_info i = o->edge.at[e - 1];
			bool stands = o->node.at[i.a].pos < o->node.at[i.b].pos;

			return stands ? l ^ sign : lit_not(l ^ sign);
		}
	}
	return LIT_NONE;
}

void order_theory(struct order *o, struct sat_theory *theory)
{
	*theory = (struct sat_theory){.ctx = o,
		.assign = order_assign,
		.backtrack = order_backtrack,
		.explain = order_explain,
		.phase = order_phase};
}

bool order_check(const struct order *o)
{
	vec_each (&o->edge, i) {
		struct order_edge_info e = o->edge.at[i];

		if ((e.lit == LIT_TRUE || sat_true(o->sat, e.lit)) &&
			o->node.at[e.a].pos >= o->node.at[e.b].pos)
			return false;
	}
	return true;
}
