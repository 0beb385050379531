/* The targets of a pointer of the initial state: points-to results as addresses. */
#include "explore/from_internal.h"

#include <string.h>

/* Sets the offsets of t as a range with a step, both ends included; size UINT64_MAX = unknown. */
static void set_range(struct offs o, uint64_t size, struct lazy_target *t)
{
	uint64_t end = size == UINT64_MAX ? LAZY_STRIDE / 4 : size ? size - 1 : 0;

	t->step = 1;
	if (offs_is_exact(o)) {
		t->low = t->high = o.at < 0 ? 0 : (uint64_t)o.at;
		return;
	}
	if (o.every) {
		t->low = o.count == 1 ? (uint64_t)o.at : 0;
		t->step = o.count == 1 ? o.every : 1;
		t->high = end;
		if (t->step > 1 && end >= t->low)
			t->high = t->low + (end - t->low) / t->step * t->step;
		return;
	}
	t->low = o.at < 0 ? 0 : (uint64_t)o.at;
	t->step = o.step;
	t->high = t->low + (uint64_t)o.step * (o.count - 1);
}

static void add_target(struct vec_lazy_target *out, struct lazy_target t)
{
	if (t.high >= t.low)
		vec_push(out, t);
}

static void add_known(struct vec_lazy_target *out, uint64_t base, uint64_t size, struct offs at)
{
	struct lazy_target t = {.region = IR_NONE, .base = base};

	set_range(at, size, &t);
	add_target(out, t);
}

static void add_new(struct vec_lazy_target *out, uint32_t object, uint64_t size, struct offs at)
{
	struct lazy_target t = {.region = IR_NONE, .size = size, .object = object};

	set_range(at, size, &t);
	add_target(out, t);
}

/* Adds the variable of each initial frame of the function. */
static bool add_locals(struct from *f, const struct pts_object *o, struct offs at,
	struct vec_lazy_target *out)
{
	bool any = false;

	vec_each (&f->locals, i) {
		const struct from_local *l = &f->locals.at[i];

		if (l->func != o->func || l->local != o->id)
			continue;
		add_known(out, l->addr, l->size, at);
		any = true;
	}
	return any;
}

/* Whether the object stands for any block of an allocator's wrapper, whose call is unknown. */
static bool is_any_block(const struct from *f, uint32_t object)
{
	return object != IR_NONE && points_to_object(f->pt, object)->kind == PTS_K_EXTERNAL;
}

/* Adds the primary objects of the same allocation, and a new one. */
static void add_objects(struct from *f, struct machine *m, uint32_t object, uint64_t size, struct offs at,
	struct vec_lazy_target *out)
{
	const struct lazy *l = m->sym->lazy;

	for (uint32_t k = 0; k < lazy_count(l); k++) {
		const struct lazy_region *r = lazy_get(l, k);
		struct lazy_target t = {.region = k};

		if (r->object != object && !is_any_block(f, r->object))
			continue;
		set_range(at, r->assumed ? UINT64_MAX : r->size, &t);
		add_target(out, t);
	}
	add_new(out, object, size, at);
}

static void add_loc(struct from *f, struct machine *m, const struct pts_loc *loc,
	struct vec_lazy_target *out)
{
	const struct pts_object *o = points_to_object(f->pt, loc->object);
	const struct ir_global *g;

	switch ((enum pts_kind)o->kind) {
	case PTS_K_GLOBAL:
		g = &f->p->globals.at[o->id];
		if (!(g->flags & IR_G_TLS) && m->globals.addr[o->id])
			add_known(out, m->globals.addr[o->id], g->size, loc->at);
		break;
	case PTS_K_FUNC:
	case PTS_K_FLIGHT: break;
	case PTS_K_LOCAL:
		add_locals(f, o, loc->at, out);
		add_new(out, loc->object, o->size, loc->at); /* of a frame outside of the context */
		break;
	default: add_objects(f, m, loc->object, o->size, loc->at, out);
	}
}

static void add_once(struct pts_locs *locs, struct pts_loc l)
{
	vec_each (&locs->list, i)
		if (locs->list.at[i].object == l.object && !memcmp(&locs->list.at[i].at, &l.at, sizeof l.at))
			return;
	vec_push(&locs->list, l);
}

static void add_contents(struct from *f, uint32_t object, struct pts_locs *locs)
{
	struct pts_locs some = {0};

	points_to_contents(f->pt, object, locs);
	for (uint32_t i = 0; is_any_block(f, object) && i < points_to_nobjects(f->pt); i++) {
		if (points_to_object(f->pt, i)->kind != PTS_K_HEAP)
			continue;
		points_to_contents(f->pt, i, &some);
		vec_each (&some.list, k)
			add_once(locs, some.list.at[k]);
	}
	pts_locs_release(&some);
}

/* The locations of the symbol, by the register, instruction or object that it comes from. */
static void find_locations(struct from *f, struct machine *m, term_t sym, struct pts_locs *locs)
{
	const struct context_symbol *s = context_symbol(f->c, sym);
	uint64_t word = map_get_or(&f->words, sym.id, 0);
	uint32_t region;
	term_t offset;

	if (s && s->reg != IR_NONE)
		points_to_get(f->pt, s->func, s->reg, locs);
	else if (s && s->insn != IR_NONE)
		points_to_get(f->pt, s->func, f->p->funcs.at[s->func].insns.at[s->insn].dst, locs);
	else if (word)
		points_to_contents(f->pt, (uint32_t)word - 1, locs);
	else if (lazy_origin(m->sym->lazy, sym, &region, &offset) &&
		 lazy_get(m->sym->lazy, region)->object != IR_NONE)
		add_contents(f, lazy_get(m->sym->lazy, region)->object, locs);
}

void from_targets(void *ctx, struct machine *m, term_t sym, struct vec_lazy_target *out)
{
	struct from *f = ctx;
	struct pts_locs locs = {0};

	find_locations(f, m, sym, &locs);
	vec_each (&locs.list, i)
		add_loc(f, m, &locs.list.at[i], out);
	pts_locs_release(&locs);
}

static void add_callee(void *ctx, uint32_t callee)
{
	struct vec_u32 *out = ctx;

	vec_push(out, callee);
}

bool from_callees(const struct from *f, uint32_t func, uint32_t insn, struct vec_u32 *out)
{
	return points_to_callees(f->pt, func, insn, add_callee, out);
}
