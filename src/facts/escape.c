#include "facts/escape.h"

#include "base/vec.h"

struct reach {
	struct escape *e;
	const struct points_to *pt;
	VEC(uint32_t) work;
	struct pts_locs locs;
};

static void reach_object(struct reach *r, uint32_t object)
{
	if (bitset_add(&r->e->shared, object))
		vec_push(&r->work, object);
}

static void reach_locs(struct reach *r)
{
	vec_each (&r->locs.list, i)
		reach_object(r, r->locs.list.at[i].object);
}

static void reach_all(struct reach *r)
{
	while (r->work.n) {
		points_to_contents(r->pt, vec_pop(&r->work), &r->locs);
		reach_locs(r);
	}
	vec_release(&r->work);
	pts_locs_release(&r->locs);
}

/* storage that has one copy for all threads, which they can access without a pointer to it */
static bool one_for_all(const struct ir_program *p, const struct pts_object *o)
{
	switch ((enum pts_kind)o->kind) {
	case PTS_K_GLOBAL: return !(p->globals.at[o->id].flags & IR_G_TLS);
	case PTS_K_EXTERNAL:
	case PTS_K_FUNC:
	case PTS_K_LIBRARY: return true;
	default: return false;
	}
}

void escape_init(struct escape *e, const struct ir_program *p, const struct points_to *pt)
{
	struct reach r = {.e = e, .pt = pt};

	*e = (struct escape){0};
	for (uint32_t o = 0; o < points_to_nobjects(pt); o++)
		if (one_for_all(p, points_to_object(pt, o)) || points_to_outside(pt, o))
			reach_object(&r, o);
	points_to_handed_over(pt, &r.locs);
	reach_locs(&r);
	reach_all(&r);
}

void escape_add(struct escape *e, const struct points_to *pt, uint32_t object)
{
	struct reach r = {.e = e, .pt = pt};

	reach_object(&r, object);
	reach_all(&r);
}

void escape_release(struct escape *e)
{
	bitset_release(&e->shared);
}

bool escape_pointer_local(const struct escape *e, const struct points_to *pt, uint32_t func,
	ir_ref ref)
{
	struct pts_locs l = {0};
	bool local = true;

	points_to_get(pt, func, ref, &l);
	for (uint32_t i = 0; i < l.list.n && local; i++)
		local = escape_thread_local(e, l.list.at[i].object);
	pts_locs_release(&l);
	return local;
}
