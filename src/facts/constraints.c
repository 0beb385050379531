#include "facts/constraints.h"

#include "base/base.h"

void pts_system_init(struct pts_system *sys)
{
	uint32_t held;

	*sys = (struct pts_system){.nnodes = 1, .max_offsets = 128};
	pts_add_object(sys, PTS_OUTSIDE, UINT64_MAX, 1);
	sys->external = pts_add_node(sys);
	sys->escaped = pts_add_node(sys);
	pts_addr(sys, sys->external, PTS_EXTERNAL, OFFS_ANY);
	/* code outside that has a pointer to a field can access the whole object */
	held = pts_add_node(sys);
	pts_move(sys, held, sys->escaped, PTS_X_UNKNOWN);
	pts_load(sys, sys->escaped, held, 1);
	pts_store(sys, held, sys->external, 1);
	pts_call(sys, 0, held);
}

void pts_system_release(struct pts_system *sys)
{
	vec_release(&sys->objects);
	vec_release(&sys->list);
}

uint32_t pts_add_node(struct pts_system *sys)
{
	return sys->nnodes++;
}

uint32_t pts_add_object(struct pts_system *sys, enum pts_memory memory, uint64_t size,
	uint32_t align)
{
	vec_push(&sys->objects, (struct pts_memory_info){
		.memory = (uint8_t)memory, .size = size, .align = MAX(align, 1)});
	return sys->objects.n - 1;
}

static void add_constraint(struct pts_system *sys, struct pts_constraint c)
{
	vec_push(&sys->list, c);
}

void pts_addr(struct pts_system *sys, uint32_t dst, uint32_t object, struct offs at)
{
	if (dst)
		add_constraint(sys, (struct pts_constraint){
					    .op = PTS_ADDR, .dst = dst, .src = object, .at = at});
}

void pts_init(struct pts_system *sys, uint32_t object, struct offs cell, uint32_t target,
	struct offs at)
{
	sys->objects.at[object].ninit++;
	add_constraint(
		sys, (struct pts_constraint){
			     .op = PTS_INIT, .dst = object, .src = target, .at = at, .cell = cell});
}

static void add_nodes(struct pts_system *sys, struct pts_constraint c)
{
	if (c.dst && c.src)
		add_constraint(sys, c);
}

void pts_copy(struct pts_system *sys, uint32_t dst, uint32_t src)
{
	if (dst != src)
		add_nodes(sys, (struct pts_constraint){.op = PTS_COPY, .dst = dst, .src = src});
}

void pts_move(struct pts_system *sys, uint32_t dst, uint32_t src, struct pts_xform x)
{
	if (x.kind == PTS_SHIFT && !x.c)
		pts_copy(sys, dst, src);
	else
		add_nodes(sys, (struct pts_constraint){
			.op = PTS_MOVE, .dst = dst, .src = src, .xform = x});
}

void pts_load(struct pts_system *sys, uint32_t dst, uint32_t addr, uint32_t width)
{
	add_nodes(sys, (struct pts_constraint){
		.op = PTS_LOAD, .dst = dst, .src = addr, .width = width});
}

void pts_store(struct pts_system *sys, uint32_t addr, uint32_t src, uint32_t width)
{
	add_nodes(sys, (struct pts_constraint){
		.op = PTS_STORE, .dst = addr, .src = src, .width = width});
}

void pts_fetch(struct pts_system *sys, uint32_t object, uint32_t addr, uint32_t width)
{
	add_nodes(sys, (struct pts_constraint){
		.op = PTS_FETCH, .dst = object, .src = addr, .width = width});
}

void pts_put(struct pts_system *sys, uint32_t addr, uint32_t object, uint32_t width)
{
	add_nodes(sys, (struct pts_constraint){
		.op = PTS_PUT, .dst = addr, .src = object, .width = width});
}

void pts_call(struct pts_system *sys, uint32_t site, uint32_t target)
{
	if (target)
		add_constraint(
			sys, (struct pts_constraint){.op = PTS_CALL, .dst = site, .src = target});
}

/* the location that represents everything after the end; false if the size is unknown */
static bool get_end_offset(const struct pts_memory_info *o, struct offs *at)
{
	if (o->size >= INT32_MAX - 1)
		return false;
	*at = offs_exact((int64_t)o->size + 1);
	return true;
}

struct offs pts_place(const struct pts_memory_info *o, struct offs at)
{
	struct offs beyond;

	switch (o->memory) {
	case PTS_CODE: return OFFS_ZERO;
	case PTS_TEXT:
	case PTS_OUTSIDE: return OFFS_ANY;
	default: break;
	}
	if (get_end_offset(o, &beyond) && at.at >= beyond.at && !(at.every && at.count > 1))
		return beyond;
	return at;
}

struct offs pts_apply(const struct pts_memory_info *o, struct offs at, struct pts_xform x)
{
	struct offs beyond;

	/* after the end: an index, or a constant that is not negative, stays there; any other
	 * operation may lead to any offset */
	if (get_end_offset(o, &beyond) && offs_eq(at, beyond)) {
		if (x.kind == PTS_INDEX ? x.shift >= 0 : x.kind == PTS_SHIFT && x.c >= 0)
			return beyond;
		return OFFS_ANY;
	}
	switch ((enum pts_xform_kind)x.kind) {
	case PTS_SHIFT: at = offs_shift(at, x.c); break;
	case PTS_INDEX: at = offs_index(offs_shift(at, x.shift), x.c, x.bound); break;
	case PTS_UNKNOWN: at = OFFS_ANY; break;
	case PTS_ROUND: at = offs_round(at, (uint64_t)x.c, o->align); break;
	case PTS_TAG: at = offs_tag(at, (uint64_t)x.c, o->align); break;
	}
	return pts_place(o, at);
}

bool pts_can_load(const struct pts_memory_info *o, struct offs at, uint32_t width)
{
	if (o->memory == PTS_CODE || o->memory == PTS_TEXT || o->size < width)
		return false;
	if (!offs_is_exact(at))
		return true;
	return at.at >= 0 && (uint64_t)at.at <= o->size - width;
}

bool pts_can_store(const struct pts_memory_info *o, struct offs at, uint32_t width)
{
	return o->memory != PTS_READONLY && pts_can_load(o, at, width);
}

bool pts_can_hold(const struct pts_memory_info *o, struct offs at, uint32_t width)
{
	switch (o->memory) {
	case PTS_CODE:
	case PTS_TEXT:
	case PTS_READONLY: return false;
	case PTS_IN_FLIGHT: return true;
	default: break;
	}
	if (!offs_is_exact(at))
		return true;
	return at.at + (int64_t)width > 0 && (at.at < 0 || (uint64_t)at.at < o->size);
}
