#include "facts/plan_memory.h"

#include "base/base.h"
#include "base/vec.h"
#include "facts/escape.h"
#include "facts/writes.h"

#include <stdlib.h>

enum { /* flags of an object */
	M_CONST = 1 << 0,
	M_FOREIGN = 1 << 1, /* code outside can reach it or has allocated it, or its contents are
			       unknown */
	M_SHARED = 1 << 2,  /* more than one thread can reach it */
	M_LATE = 1 << 3,    /* late code may write all of it */
	M_REACHED = 1 << 4, /* M_LATE, and so are all objects that are reachable from it */
	M_FREED = 1 << 5,   /* late code frees it, so that a later access is a use after free */
};
enum { PLACES = 64 }; /* limit for object.places; beyond it the whole object counts as written */

struct place { /* bytes that are written */
	struct offs at;
	uint32_t width;
	bool quietly; /* by code outside, without logging */
};

struct object {
	uint8_t is;
	VEC(struct place) places;
};

struct plan_memory {
	const struct plan *pl;
	const struct ir_program *p;
	const struct points_to *pt;
	const struct native *natives;
	const struct phase *ph;
	struct escape escape;
	struct object *objects;
	uint32_t nobjects;
	struct pts_locs locs; /* scratch */
};

/* ---- objects --------------------------------------------------------------------------------- */

static bool is_heap(void *ctx, uint32_t func)
{
	const struct plan_memory *pm = ctx;

	return pm->natives[func].heap && !pm->natives[func].unknown;
}

static uint8_t class_of_global(const struct ir_global *g, bool open)
{
	if (g->flags & (IR_G_EXTERN | IR_G_MODEL))
		return M_FOREIGN;
	/* another definition may replace a weak one, so that its contents are unknown */
	if (g->flags & IR_G_CONST)
		return open && g->flags & IR_G_WEAK ? M_FOREIGN : M_CONST;
	/* the copy of a new thread gets its initial values without a write in the program */
	return g->flags & IR_G_TLS ? M_LATE : 0;
}

static uint8_t class_of_heap(struct plan_memory *pm, uint32_t object, const struct pts_object *o)
{
	if (!points_to_allocated_by(pm->pt, object, is_heap, pm))
		return M_FOREIGN;
	/* an allocation changes the contents of the whole block */
	return o->insn == IR_NONE || phase_late(pm->ph, o->func, o->insn) ? M_LATE : 0;
}

static uint8_t class_of(struct plan_memory *pm, uint32_t object, bool open)
{
	const struct pts_object *o = points_to_object(pm->pt, object);

	switch ((enum pts_kind)o->kind) {
	case PTS_K_GLOBAL: return class_of_global(&pm->p->globals.at[o->id], open);
	case PTS_K_HEAP: return class_of_heap(pm, object, o);
	case PTS_K_BYVAL: return pm->pl->funcs[o->func].thunk ? M_FOREIGN : M_LATE;
	case PTS_K_LOCAL: return 0;
	case PTS_K_EXTERNAL:
	case PTS_K_FUNC:
	case PTS_K_VARARGS:
	case PTS_K_LIBRARY:
	case PTS_K_ARGS:
	case PTS_K_FLIGHT: return M_FOREIGN;
	}
	BUG("object of kind %d", o->kind);
}

static void classify_objects(struct plan_memory *pm, bool open)
{
	for (uint32_t o = 0; o < pm->nobjects; o++) {
		uint8_t is = class_of(pm, o, open);

		if (!(is & M_CONST) && points_to_outside(pm->pt, o))
			is |= M_FOREIGN;
		if (!escape_thread_local(&pm->escape, o))
			is |= M_SHARED;
		pm->objects[o].is = is;
	}
}

/* ---- thread-local objects that a signal handler can access ----------------------------------- */

static void share_result(struct plan_memory *pm, uint32_t func, const struct ir_insn *in)
{
	if (in->dst == IR_NONE)
		return;
	points_to_get(pm->pt, func, in->dst, &pm->locs);
	vec_each (&pm->locs.list, i)
		escape_add(&pm->escape, pm->pt, pm->locs.list.at[i].object);
}

static void share_specific(struct plan_memory *pm, uint32_t func)
{
	const struct ir_func *f = &pm->p->funcs.at[func];
	uint32_t get = ir_find_func(pm->p, "pthread_getspecific"),
		 tss = ir_find_func(pm->p, "tss_get"), callee;

	vec_each (&f->insns, i) {
		callee = ir_callee(f, &f->insns.at[i]);
		if (callee != IR_NONE && (callee == get || callee == tss))
			share_result(pm, func, &f->insns.at[i]);
	}
}

/* In the trace a handler is a thread of its own, but it uses the thread-local variables of the
 * thread that it interrupts. */
static void share_with_handlers(struct plan_memory *pm)
{
	vec_each (&pm->p->globals, g)
		if (pm->p->globals.at[g].flags & IR_G_TLS)
			escape_add(&pm->escape, pm->pt, points_to_of_global(pm->pt, g));
	vec_each (&pm->p->funcs, f)
		if (pm->pl->funcs[f].traced)
			share_specific(pm, f);
}

/* ---- writes ---------------------------------------------------------------------------------- */

static bool same_place(const struct place *a, const struct place *b)
{
	return offs_eq(a->at, b->at) && a->width == b->width && a->quietly == b->quietly;
}

static void add_place(struct object *o, struct place p)
{
	uint8_t all = p.quietly ? M_FOREIGN : M_LATE;

	if (o->is & (M_CONST | M_FOREIGN) || (!p.quietly && (o->is & M_LATE || !(o->is & M_SHARED))))
		return;
	vec_each (&o->places, i)
		if (same_place(&o->places.at[i], &p))
			return;
	if (o->places.n < PLACES && !offs_is_any(p.at))
		vec_push(&o->places, p);
	else
		o->is |= all;
}

static void mark_written(
	struct plan_memory *pm, uint32_t func, ir_ref at, uint32_t width, bool quietly)
{
	points_to_get(pm->pt, func, at, &pm->locs);
	vec_each (&pm->locs.list, i) {
		struct pts_loc l = pm->locs.list.at[i];

		add_place(&pm->objects[l.object], (struct place){l.at, width, quietly});
	}
}

/* late code may write every object that is reachable from the operand */
static void reach_written(struct plan_memory *pm, uint32_t func, ir_ref at)
{
	struct pts_locs locs = {0};
	struct vec_u32 work = {0};

	points_to_get(pm->pt, func, at, &locs);
	do {
		vec_each (&locs.list, i) {
			uint32_t o = locs.list.at[i].object;

			if (pm->objects[o].is & (M_CONST | M_REACHED))
				continue;
			pm->objects[o].is |= M_LATE | M_REACHED;
			vec_push(&work, o);
		}
		vec_clear(&locs.list);
		if (work.n)
			points_to_contents(pm->pt, vec_pop(&work), &locs);
	} while (locs.list.n || work.n);
	vec_release(&work);
	pts_locs_release(&locs);
}

static void mark_freed(struct plan_memory *pm, uint32_t func, ir_ref at)
{
	points_to_get(pm->pt, func, at, &pm->locs);
	vec_each (&pm->locs.list, i)
		pm->objects[pm->locs.list.at[i].object].is |= M_FREED;
}

static void note_write(void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width,
	enum write_kind kind)
{
	struct plan_memory *pm = ctx;

	if (kind != WRITE_QUIET && !phase_late(pm->ph, func, insn))
		return;
	switch (kind) {
	case WRITE_PLAIN: mark_written(pm, func, at, width, false); break;
	case WRITE_QUIET: mark_written(pm, func, at, width, true); break;
	case WRITE_DEEP: reach_written(pm, func, at); break;
	case WRITE_FREED: mark_freed(pm, func, at); break;
	}
}

static void find_writes(struct plan_memory *pm)
{
	struct writes w = {pm->p, pm->pt, pm->natives};

	vec_each (&pm->p->funcs, f)
		if (pm->pl->funcs[f].traced)
			vec_each (&pm->p->funcs.at[f].insns, i)
				writes_each(&w, f, i, note_write, pm);
}

struct plan_memory *plan_memory_new(const struct plan *pl, const struct native *natives,
	const struct phase *ph, bool open)
{
	struct plan_memory *pm = xcalloc(1, sizeof *pm);

	pm->pl = pl;
	pm->p = pl->p;
	pm->pt = pl->pt;
	pm->natives = natives;
	pm->ph = ph;
	pm->nobjects = points_to_nobjects(pl->pt);
	pm->objects = xcalloc(pm->nobjects, sizeof *pm->objects);
	escape_init(&pm->escape, pl->p, pl->pt);
	if (ph->handlers)
		share_with_handlers(pm);
	classify_objects(pm, open);
	find_writes(pm);
	return pm;
}

void plan_memory_free(struct plan_memory *pm)
{
	for (uint32_t o = 0; o < pm->nobjects; o++)
		vec_release(&pm->objects[o].places);
	free(pm->objects);
	escape_release(&pm->escape);
	pts_locs_release(&pm->locs);
	free(pm);
}

/* ---- queries --------------------------------------------------------------------------------- */

/* a width that offs_overlap() accepts; the limit is larger than any object */
static uint32_t clamp_width(uint32_t width)
{
	return MIN(width, 1u << 30);
}

static unsigned read_object(const struct object *o, struct offs at, uint32_t width, bool late)
{
	unsigned event = late && o->is & M_SHARED ? ACCESS_EVENT : 0, access = 0;

	if (o->is & M_CONST)
		return 0;
	if (o->is & M_FOREIGN)
		return ACCESS_LOG | event;
	if (event && o->is & M_LATE)
		return ACCESS_LOG | event;
	if (o->is & M_FREED)
		access |= event;
	vec_each (&o->places, i) {
		const struct place *p = &o->places.at[i];

		if ((p->quietly || event) &&
			offs_overlap(at, clamp_width(width), p->at, clamp_width(p->width)))
			access |= ACCESS_LOG | event;
	}
	return access;
}

unsigned plan_memory_read(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width)
{
	bool late = phase_late(pm->ph, func, insn);
	unsigned access = 0;

	points_to_get(pm->pt, func, at, &pm->locs);
	if (!pm->locs.list.n) /* an address of unknown origin */
		return ACCESS_LOG | (late ? ACCESS_EVENT : 0);
	vec_each (&pm->locs.list, i) {
		struct pts_loc l = pm->locs.list.at[i];

		access |= read_object(&pm->objects[l.object], l.at, width, late);
	}
	return access;
}

unsigned plan_memory_write(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width)
{
	(void)width;
	if (!phase_late(pm->ph, func, insn))
		return 0;
	points_to_get(pm->pt, func, at, &pm->locs);
	vec_each (&pm->locs.list, i)
		if (pm->objects[pm->locs.list.at[i].object].is & M_SHARED)
			return ACCESS_EVENT;
	return pm->locs.list.n ? 0 : ACCESS_EVENT;
}
