/* Part of the solver (solver.h): locations, and the load and store cells of objects. */
#include "facts/solver.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/sparse.h"
#include "base/vec.h"

static struct pts_memory_state *state_of(struct pts_solver *s, uint32_t object)
{
	if (object >= s->objects.n)
		vec_resize(&s->objects, s->sys->objects.n);
	return &s->objects.at[object];
}

static uint64_t hash_loc(uint32_t object, struct offs at)
{
	uint64_t h = hash_u64((uint64_t)object << 32 | (uint32_t)at.at);

	if (offs_is_exact(at))
		return h;
	return hash_u64(h ^ hash_u64((uint64_t)at.step << 32 | at.count) ^ at.every);
}

static uint32_t find_or_add(struct pts_solver *s, uint32_t object, struct offs at)
{
	uint64_t *first = map_put(&s->loc_by_hash, hash_loc(object, at));
	uint32_t limit = s->sys->max_offsets + s->sys->objects.at[object].ninit;
	struct pts_memory_state *o;

	for (uint32_t l = (uint32_t)*first; l; l = s->loc_chain.at[l - 1])
		if (s->locs.at[l - 1].object == object && offs_eq(s->locs.at[l - 1].at, at))
			return l - 1;
	vec_push(&s->locs, (struct pts_loc){object, at});
	vec_push(&s->loc_chain, (uint32_t)*first);
	vec_push(&s->load8, 0);
	vec_push(&s->store8, 0);
	*first = s->locs.n;
	o = state_of(s, object);
	if (offs_is_any(at))
		o->any = s->locs.n;
	if (++o->nlocs > limit && !o->collapsed) {
		o->collapsed = true;
		s->stats.collapsed++;
		vec_push(&s->to_collapse, object);
	}
	return s->locs.n - 1;
}

static uint32_t find_any_cell(struct pts_solver *s, uint32_t object)
{
	uint32_t any = s->objects.at[object].any;

	return any ? any - 1 : find_or_add(s, object, OFFS_ANY);
}

uint32_t pts_intern(struct pts_solver *s, uint32_t object, struct offs at)
{
	uint32_t l;

	if (state_of(s, object)->collapsed)
		return find_any_cell(s, object);
	l = find_or_add(s, object, pts_place(&s->sys->objects.at[object], at));
	return s->objects.at[object].collapsed ? find_any_cell(s, object) : l;
}

struct pts_loc pts_loc_of(const struct pts_solver *s, uint32_t loc)
{
	struct pts_loc l = s->locs.at[loc];

	if (s->objects.at[l.object].collapsed)
		l.at = OFFS_ANY;
	return l;
}

static uint64_t pair_key(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

/* adds the load cell, with an edge from every store cell that it overlaps */
static void connect_load(struct pts_solver *s, uint32_t object, struct pts_cell c)
{
	struct pts_memory_state *o = &s->objects.at[object];
	struct offs at = pts_loc_of(s, c.loc).at;

	for (uint32_t i = 0; i < o->stores.n; i++) {
		struct pts_cell st = o->stores.at[i];

		if (offs_overlap(at, c.width, s->locs.at[st.loc].at, st.width))
			pts_edge(s, st.node, c.node);
	}
	vec_push(&o->loads, c);
}

void pts_refuse(struct pts_solver *s, uint32_t constraint, uint32_t object)
{
	uint8_t memory = s->sys->objects.at[object].memory;
	bool load = s->sys->list.at[constraint].op == PTS_LOAD;

	if (memory == PTS_PLAIN || (memory == PTS_READONLY && load))
		vec_push(&s->objects.at[object].refused, constraint);
}

/* copies the store cell to the destination of the transfer */
static void apply_transfer(struct pts_solver *s, struct pts_transfer t, struct pts_cell c)
{
	const struct pts_constraint *k = &s->sys->list.at[t.constraint];
	struct pts_loc place = pts_loc_of(s, t.loc);
	int32_t lo = 1 - (int32_t)c.width;
	int32_t hi = k->width >= OFFS_MAX ? OFFS_MAX : (int32_t)k->width;
	struct offs at = pts_loc_of(s, c.loc).at;
	uint32_t object = k->op == PTS_FETCH ? k->dst : place.object;

	if (k->op == PTS_FETCH)
		at = offs_difference(at, place.at);
	if (!offs_clip(at, lo, hi, &at))
		return;
	if (k->op == PTS_PUT)
		at = offs_sum(at, place.at);
	if (s->sys->objects.at[object].memory == PTS_OUTSIDE)
		pts_edge(s, c.node, s->sys->escaped);
	else if (pts_can_hold(&s->sys->objects.at[object], at, c.width))
		pts_edge(s, c.node, pts_store_cell(s, pts_intern(s, object, at), c.width));
	else
		pts_refuse(s, t.constraint, object);
}

static void connect_store(struct pts_solver *s, uint32_t object, struct pts_cell c)
{
	struct pts_memory_state *o = &s->objects.at[object];
	struct offs at = pts_loc_of(s, c.loc).at;

	for (uint32_t i = 0; i < o->loads.n; i++) {
		struct pts_cell ld = o->loads.at[i];

		if (offs_overlap(s->locs.at[ld.loc].at, ld.width, at, c.width))
			pts_edge(s, c.node, ld.node);
	}
	vec_push(&o->stores, c);
	if (o->transfers.n)
		vec_push(&s->new_cells, c);
}

uint32_t pts_load_cell(struct pts_solver *s, uint32_t loc, uint32_t width)
{
	uint32_t object = s->locs.at[loc].object, node;
	uint64_t *other;

	if (object == PTS_EXTERNAL)
		return s->sys->external;
	if (s->objects.at[object].collapsed) {
		loc = find_any_cell(s, object);
		width = 8;
	}
	other = width == 8 ? NULL : map_put(&s->load_at, pair_key(loc, width));
	node = other ? (uint32_t)*other : s->load8.at[loc];
	if (node)
		return node;
	node = pts_new_node(s);
	if (other)
		*other = node;
	else
		s->load8.at[loc] = node;
	connect_load(s, object, (struct pts_cell){loc, width, node});
	return node;
}

uint32_t pts_store_cell(struct pts_solver *s, uint32_t loc, uint32_t width)
{
	uint32_t object = s->locs.at[loc].object, node;
	uint64_t *other;

	if (object == PTS_EXTERNAL)
		return s->sys->escaped;
	if (s->objects.at[object].collapsed) {
		loc = find_any_cell(s, object);
		width = 8;
	}
	other = width == 8 ? NULL : map_put(&s->store_at, pair_key(loc, width));
	node = other ? (uint32_t)*other : s->store8.at[loc];
	if (node)
		return node;
	node = pts_new_node(s);
	if (other)
		*other = node;
	else
		s->store8.at[loc] = node;
	connect_store(s, object, (struct pts_cell){loc, width, node});
	return node;
}

uint32_t pts_init_cell(struct pts_solver *s, uint32_t object, struct offs at)
{
	return pts_store_cell(s, pts_intern(s, object, at), 8);
}

/* True if the constraint has not processed the location yet. After nodes are united, a constraint
 * may get a location again. */
static bool first_time(struct pts_solver *s, uint32_t constraint, uint32_t loc)
{
	uint64_t *seen = map_put(&s->transferred, pair_key(constraint, loc));

	return !(*seen)++;
}

static void add_transfer(struct pts_solver *s, uint32_t from, struct pts_transfer t)
{
	vec_push(&state_of(s, from)->transfers, t);
	/* cells that are added during the loop are in new_cells */
	for (uint32_t i = 0, n = s->objects.at[from].stores.n; i < n; i++)
		apply_transfer(s, t, s->objects.at[from].stores.at[i]);
}

void pts_transfer_fetch(struct pts_solver *s, uint32_t constraint, uint32_t loc)
{
	uint32_t from = s->locs.at[loc].object, to = s->sys->list.at[constraint].dst;

	if (!first_time(s, constraint, loc))
		return;
	if (s->sys->objects.at[from].memory == PTS_OUTSIDE)
		pts_edge(s, s->sys->external,
			pts_store_cell(s, pts_intern(s, to, OFFS_ANY), 8));
	else
		add_transfer(s, from, (struct pts_transfer){constraint, loc});
}

void pts_transfer_put(struct pts_solver *s, uint32_t constraint, uint32_t loc)
{
	if (first_time(s, constraint, loc))
		add_transfer(s, s->sys->list.at[constraint].src,
			(struct pts_transfer){constraint, loc});
}

static void carry_new_cells(struct pts_solver *s)
{
	while (s->new_cells.n) {
		struct pts_cell c = vec_pop(&s->new_cells);
		uint32_t object = s->locs.at[c.loc].object;

		for (uint32_t i = 0; i < s->objects.at[object].transfers.n; i++)
			apply_transfer(s, s->objects.at[object].transfers.at[i], c);
	}
}

/* unites all cells into one cell of width 8 at the location OFFS_ANY */
static void unite_cells(struct pts_solver *s, struct pts_cell *cells, uint32_t *n, uint32_t *cell8,
	uint32_t any)
{
	if (!*n)
		return;
	for (uint32_t i = 1; i < *n; i++)
		pts_unite(s, cells[0].node, cells[i].node);
	cells[0] = (struct pts_cell){any, 8, cells[0].node};
	cell8[any] = cells[0].node;
	*n = 1;
}

static void collapse_object(struct pts_solver *s, uint32_t object)
{
	uint32_t any = find_any_cell(s, object);
	struct pts_memory_state *o = &s->objects.at[object];
	struct pts_fresh now = {0};
	VEC(uint32_t) again = {o->refused.at, o->refused.n, o->refused.cap};

	unite_cells(s, o->loads.at, &o->loads.n, s->load8.at, any);
	unite_cells(s, o->stores.at, &o->stores.n, s->store8.at, any);
	if (o->loads.n && o->stores.n)
		pts_edge(s, o->stores.at[0].node, o->loads.at[0].node);
	if (o->stores.n && o->transfers.n)
		vec_push(&s->new_cells, o->stores.at[0]);
	o->refused.at = NULL;
	o->refused.n = o->refused.cap = 0;
	sparse_add(&now.moving, any);
	vec_each (&again, i)
		pts_use(s, again.at[i], &now);
	pts_fresh_release(&now);
	vec_release(&again);
}

void pts_settle_cells(struct pts_solver *s)
{
	while (s->new_cells.n || s->to_collapse.n) {
		carry_new_cells(s);
		if (s->to_collapse.n)
			collapse_object(s, vec_pop(&s->to_collapse));
	}
}
