#include "facts/solver.h"

#include "base/base.h"

uint32_t pts_rep(struct pts_solver *s, uint32_t node)
{
	struct pts_node *at = s->nodes.at;

	while (at[node].parent != node)
		node = at[node].parent = at[at[node].parent].parent;
	return node;
}

/* System and solver use the same numbers for nodes; bind() may add nodes at any time. */
static void make_nodes(struct pts_solver *s)
{
	while (s->nodes.n < s->sys->nnodes) {
		struct pts_node *n = vec_add(&s->nodes);

		n->parent = s->nodes.n - 1;
	}
}

uint32_t pts_new_node(struct pts_solver *s)
{
	uint32_t node = pts_add_node(s->sys);

	make_nodes(s);
	return node;
}

/* must be called when the delta of the node has grown */
static void pts_queue(struct pts_solver *s, uint32_t node)
{
	if (!s->nodes.at[node].queued) {
		s->nodes.at[node].queued = true;
		vec_push(&s->changed, node);
	}
}

/* adds the locations that the node does not have yet to its delta */
static void give_locations(struct pts_solver *s, uint32_t node, const struct sparse *set)
{
	struct pts_node *n = &s->nodes.at[node];

	if (sparse_or_diff(&n->delta, set, &n->pts))
		pts_queue(s, node);
}

static void give_one(struct pts_solver *s, uint32_t node, uint32_t loc)
{
	struct pts_node *n = &s->nodes.at[node];

	if (!sparse_has(&n->pts, loc) && sparse_add(&n->delta, loc))
		pts_queue(s, node);
}

void pts_edge(struct pts_solver *s, uint32_t from, uint32_t to)
{
	from = pts_rep(s, from);
	to = pts_rep(s, to);
	if (from == to || !sparse_add(&s->nodes.at[from].succ, to))
		return;
	s->stats.edges++;
	give_locations(s, to, &s->nodes.at[from].pts);
}

static void push_use(struct pts_solver *s, uint32_t *list, uint32_t constraint)
{
	vec_push(&s->uses, (struct pts_use_list){constraint, *list});
	*list = s->uses.n - 1;
}

static void splice_uses(struct pts_solver *s, uint32_t *list, uint32_t *more)
{
	uint32_t last = *more;

	if (!last)
		return;
	while (s->uses.at[last].next)
		last = s->uses.at[last].next;
	s->uses.at[last].next = *list;
	*list = *more;
	*more = 0;
}

void pts_unite(struct pts_solver *s, uint32_t a, uint32_t b)
{
	struct sparse all = {0};
	struct pts_node *n, *m;

	a = pts_rep(s, a);
	b = pts_rep(s, b);
	if (a == b)
		return;
	s->stats.merged++;
	n = &s->nodes.at[a];
	m = &s->nodes.at[b];
	m->parent = a;
	/* only locations that both nodes have processed remain in pts */
	sparse_or(&all, &n->pts);
	sparse_or(&all, &m->pts);
	sparse_or(&all, &n->delta);
	sparse_or(&all, &m->delta);
	sparse_and(&n->pts, &m->pts);
	sparse_release(&n->delta);
	sparse_or_diff(&n->delta, &all, &n->pts);
	n->live &= m->live;
	sparse_or(&n->succ, &m->succ);
	splice_uses(s, &n->uses, &m->uses);
	splice_uses(s, &n->values, &m->values);
	sparse_release(&all);
	sparse_release(&m->pts);
	sparse_release(&m->delta);
	sparse_release(&m->succ);
	if (!sparse_empty(&n->delta))
		pts_queue(s, a);
}

/* ---- one use of a pointer, for the locations that are new to it --------------------------- */

static void use_move(struct pts_solver *s, const struct pts_constraint *c,
	const struct pts_fresh *set)
{
	uint32_t to = pts_rep(s, c->dst), loc;
	struct pts_xform x = c->xform;
	struct sparse_iter it = {0};

	give_locations(s, to, &set->inert);
	while (sparse_next(&set->moving, &it, &loc)) {
		struct pts_loc l = pts_loc_of(s, loc);

		give_one(s, to,
			pts_intern(s, l.object, pts_apply(&s->sys->objects.at[l.object], l.at, x)));
	}
}

static void use_load(struct pts_solver *s, uint32_t constraint, const struct sparse *set)
{
	struct pts_constraint c = s->sys->list.at[constraint];
	struct sparse_iter it = {0};
	uint32_t loc;

	while (sparse_next(set, &it, &loc)) {
		struct pts_loc l = pts_loc_of(s, loc);

		if (pts_can_load(&s->sys->objects.at[l.object], l.at, c.width))
			pts_edge(s, pts_load_cell(s, loc, c.width), c.dst);
		else
			pts_refuse(s, constraint, l.object);
	}
}

/* While the value holds no pointer there is nothing to do: come_alive() processes all locations of
 * the address later. */
static void use_store(struct pts_solver *s, uint32_t constraint, const struct sparse *set)
{
	struct pts_constraint c = s->sys->list.at[constraint];
	struct sparse_iter it = {0};
	uint32_t loc;

	if (!s->nodes.at[pts_rep(s, c.src)].live)
		return;
	while (sparse_next(set, &it, &loc)) {
		struct pts_loc l = pts_loc_of(s, loc);

		if (pts_can_store(&s->sys->objects.at[l.object], l.at, c.width))
			pts_edge(s, c.src, pts_store_cell(s, loc, c.width));
		else
			pts_refuse(s, constraint, l.object);
	}
}

static void use_call(struct pts_solver *s, uint32_t site, const struct sparse *set)
{
	struct sparse_iter it = {0};
	uint32_t loc;

	while (sparse_next(set, &it, &loc)) {
		uint32_t object = s->locs.at[loc].object;
		uint8_t memory = s->sys->objects.at[object].memory;

		if (memory == PTS_CODE || memory == PTS_OUTSIDE)
			s->sys->bind(s->sys->ctx, site, object);
	}
}

static void pts_fresh_init(struct pts_solver *s, struct pts_fresh *f, const struct sparse *set)
{
	*f = (struct pts_fresh){0};
	sparse_or_diff(&f->moving, set, &s->inert);
	sparse_or_diff(&f->inert, set, &f->moving);
}

void pts_fresh_release(struct pts_fresh *f)
{
	sparse_release(&f->moving);
	sparse_release(&f->inert);
}

void pts_use(struct pts_solver *s, uint32_t constraint, const struct pts_fresh *fresh)
{
	const struct sparse *set = &fresh->moving;
	const struct pts_constraint *c = &s->sys->list.at[constraint];
	struct sparse_iter it = {0};
	uint32_t loc;

	switch ((enum pts_op)c->op) {
	case PTS_MOVE: use_move(s, c, fresh); break;
	case PTS_LOAD: use_load(s, constraint, set); break;
	case PTS_STORE: use_store(s, constraint, set); break;
	case PTS_FETCH:
		while (sparse_next(set, &it, &loc))
			pts_transfer_fetch(s, constraint, loc);
		break;
	case PTS_PUT:
		while (sparse_next(set, &it, &loc))
			pts_transfer_put(s, constraint, loc);
		break;
	case PTS_CALL:
		use_call(s, c->dst, &fresh->inert);
		use_call(s, s->sys->list.at[constraint].dst, set);
		break;
	case PTS_ADDR:
	case PTS_COPY:
	case PTS_INIT: BUG("constraint of kind %d in a list of uses", c->op);
	}
}

/* ---- constraints, as they come ------------------------------------------------------------ */

/* adds a constraint to the uses of its node, and processes the locations that the node has
 * already */
static void attach_constraint(struct pts_solver *s, uint32_t constraint, uint32_t node)
{
	struct pts_fresh seen;

	node = pts_rep(s, node);
	push_use(s, &s->nodes.at[node].uses, constraint);
	if (sparse_empty(&s->nodes.at[node].pts))
		return;
	pts_fresh_init(s, &seen, &s->nodes.at[node].pts);
	pts_use(s, constraint, &seen);
	pts_fresh_release(&seen);
}

static void take_constraint(struct pts_solver *s, uint32_t constraint)
{
	struct pts_constraint c = s->sys->list.at[constraint];

	switch ((enum pts_op)c.op) {
	case PTS_ADDR: give_one(s, pts_rep(s, c.dst), pts_intern(s, c.src, c.at)); break;
	case PTS_INIT:
		give_one(s, pts_rep(s, pts_init_cell(s, c.dst, c.cell)),
			pts_intern(s, c.src, c.at));
		break;
	case PTS_COPY: pts_edge(s, c.src, c.dst); break;
	case PTS_STORE:
		push_use(s, &s->nodes.at[pts_rep(s, c.src)].values, constraint);
		attach_constraint(s, constraint, c.dst);
		break;
	case PTS_PUT: attach_constraint(s, constraint, c.dst); break;
	case PTS_MOVE:
	case PTS_LOAD:
	case PTS_FETCH:
	case PTS_CALL: attach_constraint(s, constraint, c.src); break;
	}
}

static void take_constraints(struct pts_solver *s)
{
	do {
		make_nodes(s);
		while (s->consumed < s->sys->list.n)
			take_constraint(s, s->consumed++);
		pts_settle_cells(s);
	} while (s->consumed < s->sys->list.n);
}

/* ---- the waves ---------------------------------------------------------------------------- */

/* connects the stores of a value that holds a pointer for the first time */
static void come_alive(struct pts_solver *s, uint32_t node)
{
	s->nodes.at[node].live = true;
	for (uint32_t u = s->nodes.at[node].values; u; u = s->uses.at[u].next) {
		uint32_t c = s->uses.at[u].constraint;
		struct pts_fresh seen;

		pts_fresh_init(s, &seen, &s->nodes.at[pts_rep(s, s->sys->list.at[c].dst)].pts);
		use_store(s, c, &seen.moving);
		pts_fresh_release(&seen);
	}
}

static void carry_delta(struct pts_solver *s, uint32_t node)
{
	struct sparse delta = s->nodes.at[node].delta;
	struct sparse_iter it = {0};
	struct pts_fresh fresh;
	uint32_t to;

	s->nodes.at[node].delta = (struct sparse){0};
	sparse_or(&s->nodes.at[node].pts, &delta);
	if (!s->nodes.at[node].live)
		come_alive(s, node);
	if (s->nodes.at[node].uses) {
		pts_fresh_init(s, &fresh, &delta);
		for (uint32_t u = s->nodes.at[node].uses; u; u = s->uses.at[u].next)
			pts_use(s, s->uses.at[u].constraint, &fresh);
		pts_fresh_release(&fresh);
	}
	while (sparse_next(&s->nodes.at[node].succ, &it, &to)) {
		to = pts_rep(s, to);
		if (to != node)
			give_locations(s, to, &delta);
	}
	sparse_release(&delta);
	take_constraints(s);
}

/* keeps the representatives that have a delta; true if there are any */
static bool changes_remain(struct pts_solver *s)
{
	uint32_t n = 0, node;

	vec_each (&s->changed, i) {
		node = s->changed.at[i];
		s->nodes.at[node].queued = s->nodes.at[node].parent == node &&
					   !sparse_empty(&s->nodes.at[node].delta);
		if (s->nodes.at[node].queued)
			s->changed.at[n++] = node;
	}
	s->changed.n = n;
	return n;
}

static void carry_in_order(struct pts_solver *s)
{
	uint32_t node;

	while (s->order.n) {
		node = vec_pop(&s->order);
		if (s->nodes.at[node].parent == node && !sparse_empty(&s->nodes.at[node].delta))
			carry_delta(s, node);
	}
}

struct pts_solver *pts_solve(struct pts_system *sys)
{
	struct pts_solver *s = xcalloc(1, sizeof *s);

	s->sys = sys;
	(void)vec_add(&s->uses);
	/* inert locations get the first ids, so that they are dense in the sets */
	vec_each (&sys->objects, i)
		if (sys->objects.at[i].memory == PTS_CODE || sys->objects.at[i].memory == PTS_TEXT)
			sparse_add(&s->inert, pts_intern(s, i, OFFS_ANY));
	take_constraints(s);
	while (changes_remain(s)) {
		pts_order_wave(s);
		carry_in_order(s);
		s->stats.waves++;
	}
	s->stats.nodes = s->nodes.n;
	s->stats.locations = s->locs.n;
	return s;
}

const struct sparse *pts_set(const struct pts_solver *s, uint32_t node)
{
	while (s->nodes.at[node].parent != node)
		node = s->nodes.at[node].parent;
	return &s->nodes.at[node].pts;
}

void pts_solver_free(struct pts_solver *s)
{
	vec_each (&s->nodes, i) {
		sparse_release(&s->nodes.at[i].pts);
		sparse_release(&s->nodes.at[i].delta);
		sparse_release(&s->nodes.at[i].succ);
	}
	vec_each (&s->objects, i) {
		vec_release(&s->objects.at[i].loads);
		vec_release(&s->objects.at[i].stores);
		vec_release(&s->objects.at[i].transfers);
		vec_release(&s->objects.at[i].refused);
	}
	vec_release(&s->nodes);
	vec_release(&s->uses);
	vec_release(&s->changed);
	vec_release(&s->order);
	vec_release(&s->locs);
	vec_release(&s->loc_chain);
	vec_release(&s->load8);
	vec_release(&s->store8);
	sparse_release(&s->inert);
	vec_release(&s->objects);
	vec_release(&s->new_cells);
	vec_release(&s->to_collapse);
	map_release(&s->loc_by_hash);
	map_release(&s->load_at);
	map_release(&s->store_at);
	map_release(&s->transferred);
	free(s->visits);
	free(s);
}
