/*
 * The order of one wave of the solver. First the cycles of copies among the nodes that are
 * reachable from the changed ones (Tarjan 1972); the nodes of a cycle have equal sets and are
 * united. Then the reverse postorder over copies and moves.
 */
#include "facts/solver.h"

#include "base/base.h"
#include "base/sparse.h"
#include "base/vec.h"

#include <string.h>

struct pts_visit {
	uint32_t pass;  /* the last pass that visited the node */
	uint32_t index; /* in order of discovery */
	uint32_t low;
	bool stacked;
};

struct frame {
	uint32_t node;
	uint32_t use; /* the rest of its list of uses; 0 if only copies count */
	struct sparse_iter succ;
};

struct search {
	struct pts_solver *s;
	uint32_t index;
	VEC(struct frame) frames;
	VEC(uint32_t) stack; /* cycles: nodes whose component is not complete */
	VEC(uint32_t) equal; /* pairs of nodes to unite */
};

/* the next successor of the frame's node, 0 at the end */
static uint32_t next_node(struct pts_solver *s, struct frame *f)
{
	const struct pts_constraint *c;
	uint32_t to;

	if (sparse_next(&s->nodes.at[f->node].succ, &f->succ, &to))
		return pts_rep(s, to);
	while (f->use) {
		c = &s->sys->list.at[s->uses.at[f->use].constraint];
		f->use = s->uses.at[f->use].next;
		if (c->op == PTS_MOVE)
			return pts_rep(s, c->dst);
	}
	return 0;
}

static void enter_node(struct search *se, uint32_t node)
{
	struct pts_visit *v = &se->s->visits[node];

	v->pass = se->s->pass;
	v->index = v->low = ++se->index;
	v->stacked = true;
	vec_push(&se->stack, node);
	vec_push(&se->frames, (struct frame){.node = node});
}

static void leave_node(struct search *se, uint32_t node)
{
	struct pts_visit *visits = se->s->visits;
	uint32_t other;

	if (visits[node].low == visits[node].index) {
		while ((other = vec_pop(&se->stack)) != node) {
			visits[other].stacked = false;
			vec_push(&se->equal, node);
			vec_push(&se->equal, other);
		}
		visits[node].stacked = false;
	}
	if (se->frames.n) {
		other = vec_last(&se->frames).node;
		visits[other].low = MIN(visits[other].low, visits[node].low);
	}
}

static void find_cycles(struct search *se, uint32_t root)
{
	struct pts_visit *visits = se->s->visits;
	uint32_t node, to;

	enter_node(se, root);
	while (se->frames.n) {
		node = vec_last(&se->frames).node;
		to = next_node(se->s, &vec_last(&se->frames));
		if (!to) {
			(void)vec_pop(&se->frames);
			leave_node(se, node);
		} else if (visits[to].pass != se->s->pass) {
			enter_node(se, to);
		} else if (visits[to].stacked) {
			visits[node].low = MIN(visits[node].low, visits[to].index);
		}
	}
}

static void order_from(struct search *se, uint32_t root)
{
	struct pts_solver *s = se->s;
	uint32_t to = root;

	do {
		if (!to) {
			vec_push(&s->order, vec_pop(&se->frames).node);
		} else if (s->visits[to].pass != s->pass) {
			s->visits[to].pass = s->pass;
			vec_push(&se->frames,
				(struct frame){.node = to, .use = s->nodes.at[to].uses});
		}
		if (se->frames.n)
			to = next_node(s, &vec_last(&se->frames));
	} while (se->frames.n);
}

static void begin_pass(struct pts_solver *s)
{
	if (s->nvisits < s->nodes.n) {
		s->visits = xrealloc(s->visits, s->nodes.cap * sizeof *s->visits);
		memset(s->visits + s->nvisits, 0, (s->nodes.cap - s->nvisits) * sizeof *s->visits);
		s->nvisits = s->nodes.cap;
	}
	s->pass++;
}

void pts_order_wave(struct pts_solver *s)
{
	struct search se = {.s = s};

	begin_pass(s);
	vec_each (&s->changed, i)
		if (s->visits[pts_rep(s, s->changed.at[i])].pass != s->pass)
			find_cycles(&se, pts_rep(s, s->changed.at[i]));
	for (uint32_t i = 0; i < se.equal.n; i += 2)
		pts_unite(s, se.equal.at[i], se.equal.at[i + 1]);
	begin_pass(s);
	vec_clear(&s->order);
	vec_each (&s->changed, i)
		if (s->visits[pts_rep(s, s->changed.at[i])].pass != s->pass)
			order_from(&se, pts_rep(s, s->changed.at[i]));
	vec_release(&se.frames);
	vec_release(&se.stack);
	vec_release(&se.equal);
}
