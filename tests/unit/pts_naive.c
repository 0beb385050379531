#include "pts_naive.h"

bool naive_has(const struct naive_set *set, struct pts_loc l)
{
	vec_each (&set->locs, i)
		if (set->locs.at[i].object == l.object && offs_eq(set->locs.at[i].at, l.at))
			return true;
	return false;
}

static struct naive_set *set_of(struct naive *n, uint32_t node)
{
	if (node >= n->nodes.n)
		vec_resize(&n->nodes, n->sys->nnodes);
	return &n->nodes.at[node];
}

static struct naive_memory *memory_of(struct naive *n, uint32_t object)
{
	if (object >= n->objects.n)
		vec_resize(&n->objects, n->sys->objects.n);
	return &n->objects.at[object];
}

/* one more offset set of the object: when there are too many, it collapses */
static void note(struct naive *n, uint32_t object, struct offs at)
{
	struct naive_memory *m = memory_of(n, object);

	vec_each (&m->seen, i)
		if (offs_eq(m->seen.at[i], at))
			return;
	vec_push(&m->seen, at);
	if (m->seen.n > n->sys->max_offsets + n->sys->objects.at[object].ninit && !m->collapsed) {
		m->collapsed = n->restart = true;
		n->ncollapsed++;
	}
}

static void insert(struct naive *n, struct naive_set *set, struct pts_loc l)
{
	l.at = pts_place(&n->sys->objects.at[l.object], l.at);
	if (memory_of(n, l.object)->collapsed)
		l.at = OFFS_ANY;
	if (naive_has(set, l))
		return;
	vec_push(&set->locs, l);
	note(n, l.object, l.at);
	n->changed = true;
}

/* the cell of that place, or NULL for a value without pointers: then no cell is needed */
static struct naive_set *cell(struct naive *n, uint32_t object, struct offs at, uint32_t width)
{
	struct naive_memory *m = memory_of(n, object);
	struct naive_cell *c;

	at = pts_place(&n->sys->objects.at[object], at);
	if (m->collapsed) {
		at = OFFS_ANY;
		width = 8;
	}
	vec_each (&m->cells, i)
		if (offs_eq(m->cells.at[i].at, at) && m->cells.at[i].width == width)
			return &m->cells.at[i].set;
	note(n, object, at);
	c = vec_add(&memory_of(n, object)->cells);
	c->at = at;
	c->width = width;
	return &c->set;
}

static void store(struct naive *n, struct pts_loc to, uint32_t width, const struct naive_set *value)
{
	struct naive_set copy = {0};

	/* the value may live in the vector that a new cell moves */
	vec_each (&value->locs, i)
		vec_push(&copy.locs, value->locs.at[i]);
	vec_each (&copy.locs, i)
		if (to.object == PTS_EXTERNAL)
			insert(n, set_of(n, n->sys->escaped), copy.locs.at[i]);
		else
			insert(n, cell(n, to.object, to.at, width), copy.locs.at[i]);
	vec_release(&copy.locs);
}

static void load(struct naive *n, uint32_t dst, struct pts_loc from, uint32_t width)
{
	struct naive_memory *m = memory_of(n, from.object);

	if (from.object == PTS_EXTERNAL) {
		insert(n, set_of(n, dst), from);
		return;
	}
	if (!pts_can_load(&n->sys->objects.at[from.object], from.at, width))
		return;
	vec_each (&m->cells, i)
		if (offs_overlap(m->cells.at[i].at, m->cells.at[i].width, from.at, width))
			vec_each (&m->cells.at[i].set.locs, k)
				insert(n, set_of(n, dst), m->cells.at[i].set.locs.at[k]);
}

static int32_t end(uint32_t width)
{
	return width >= OFFS_MAX ? OFFS_MAX : (int32_t)width;
}

static void fetch(struct naive *n, uint32_t object, struct pts_loc from, uint32_t width)
{
	struct naive_set outside = {0};
	struct offs at;

	if (from.object == PTS_EXTERNAL) {
		vec_push(&outside.locs, from);
		store(n, (struct pts_loc){object, OFFS_ANY}, 8, &outside);
		vec_release(&outside.locs);
		return;
	}
	for (uint32_t i = 0; i < memory_of(n, from.object)->cells.n; i++) {
		struct naive_cell c = memory_of(n, from.object)->cells.at[i];

		at = offs_difference(c.at, from.at);
		if (offs_clip(at, 1 - (int32_t)c.width, end(width), &at))
			store(n, (struct pts_loc){object, at}, c.width, &c.set);
	}
}

static void put(struct naive *n, struct pts_loc to, uint32_t object, uint32_t width)
{
	struct offs at;

	for (uint32_t i = 0; i < memory_of(n, object)->cells.n; i++) {
		struct naive_cell c = memory_of(n, object)->cells.at[i];

		if (!offs_clip(c.at, 1 - (int32_t)c.width, end(width), &at))
			continue;
		at = offs_sum(at, to.at);
		if (pts_can_hold(&n->sys->objects.at[to.object], at, c.width))
			store(n, (struct pts_loc){to.object, at}, c.width, &c.set);
	}
}

static void bind_nothing(void *ctx, uint32_t site, uint32_t object)
{
	(void)ctx;
	(void)site;
	(void)object;
}

static void call(struct naive *n, uint32_t site, uint32_t object)
{
	uint8_t memory = n->sys->objects.at[object].memory;

	if (memory != PTS_CODE && memory != PTS_OUTSIDE)
		return;
	if (!(*map_put(&n->bound, (uint64_t)site << 32 | object))++) {
		n->sys->bind(n->sys->ctx, site, object);
		n->changed |= n->sys->bind != bind_nothing;
	}
}

static void apply_at(struct naive *n, struct pts_constraint c, struct pts_loc l)
{
	const struct pts_memory_info *o = &n->sys->objects.at[l.object];

	switch ((enum pts_op)c.op) {
	case PTS_COPY: insert(n, set_of(n, c.dst), l); break;
	case PTS_MOVE:
		l.at = pts_apply(o, l.at, c.xform);
		insert(n, set_of(n, c.dst), l);
		break;
	case PTS_LOAD: load(n, c.dst, l, c.width); break;
	case PTS_STORE:
		if (pts_can_store(o, l.at, c.width))
			store(n, l, c.width, set_of(n, c.src));
		break;
	case PTS_FETCH: fetch(n, c.dst, l, c.width); break;
	case PTS_PUT: put(n, l, c.src, c.width); break;
	case PTS_CALL: call(n, c.dst, l.object); break;
	case PTS_ADDR:
	case PTS_INIT: break;
	}
}

static void apply(struct naive *n, struct pts_constraint c)
{
	bool by_dst = c.op == PTS_STORE || c.op == PTS_PUT;
	struct naive_set target = {0};

	if (c.op == PTS_ADDR) {
		insert(n, set_of(n, c.dst), (struct pts_loc){c.src, c.at});
	} else if (c.op == PTS_INIT) {
		vec_push(&target.locs, (struct pts_loc){c.src, c.at});
		store(n, (struct pts_loc){c.dst, c.cell}, 8, &target);
		vec_release(&target.locs);
	} else {
		/* what a constraint adds to its own set waits for the next round */
		for (uint32_t i = 0, m = set_of(n, by_dst ? c.dst : c.src)->locs.n; i < m; i++)
			apply_at(n, c, set_of(n, by_dst ? c.dst : c.src)->locs.at[i]);
	}
}

static void forget(struct naive *n)
{
	vec_each (&n->nodes, i)
		vec_release(&n->nodes.at[i].locs);
	vec_each (&n->objects, o) {
		vec_each (&n->objects.at[o].cells, i)
			vec_release(&n->objects.at[o].cells.at[i].set.locs);
		vec_release(&n->objects.at[o].cells);
		vec_release(&n->objects.at[o].seen);
	}
	vec_release(&n->nodes);
}

struct naive *naive_solve(struct pts_system *sys)
{
	struct naive *n = xcalloc(1, sizeof *n);
	bool changed;

	n->sys = sys;
	do {
		changed = false;
		for (uint32_t i = 0; i < sys->list.n; i++) {
			n->changed = false;
			apply(n, sys->list.at[i]);
			changed |= n->changed;
			if (n->restart) {
				forget(n);
				n->restart = false;
				changed = true;
			}
		}
	} while (changed);
	/* so that every node has a set */
	(void)set_of(n, sys->nnodes - 1);
	return n;
}

static void take_set(struct naive *n, const struct pts_solver *s, uint32_t node,
	struct naive_set *out)
{
	struct sparse_iter it = {0};
	uint32_t loc;

	while (sparse_next(pts_set(s, node), &it, &loc))
		insert(n, out, pts_loc_of(s, loc));
}

bool naive_accepts(const struct pts_solver *s)
{
	struct naive *n = xcalloc(1, sizeof *n);
	bool ok;

	n->sys = s->sys;
	(void)set_of(n, s->sys->nnodes - 1);
	(void)memory_of(n, s->sys->objects.n - 1);
	vec_each (&s->objects, o)
		n->objects.at[o].collapsed = s->objects.at[o].collapsed;
	vec_each (&n->nodes, i)
		take_set(n, s, i, &n->nodes.at[i]);
	vec_each (&s->objects, o)
		vec_each (&s->objects.at[o].stores, i) {
			struct pts_cell c = s->objects.at[o].stores.at[i];

			take_set(n, s, c.node, cell(n, o, s->locs.at[c.loc].at, c.width));
		}
	n->sys->bind = bind_nothing;
	n->changed = false;
	vec_each (&s->sys->list, i)
		apply(n, s->sys->list.at[i]);
	ok = !n->changed;
	naive_free(n);
	return ok;
}

void naive_free(struct naive *n)
{
	forget(n);
	vec_release(&n->objects);
	map_release(&n->bound);
	free(n);
}
