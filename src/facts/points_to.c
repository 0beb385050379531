#include "facts/points_to.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/sparse.h"
#include "facts/flow.h"
#include "facts/solver.h"

#include <stdlib.h>

struct points_to {
	struct flow flow;
	struct pts_solver *solver;
	struct bitset outside;   /* objects that code outside can reach */
	struct bitset told;      /* functions that a library function calls back */
	uint32_t *bound_at;      /* by site: index of its first bound in flow.bounds, which are
				    sorted */
	struct map callback_at;  /* function << 32 | instruction -> first callback site */
	uint32_t *next_callback; /* by site: the next of the same instruction, 0 = none */
};

/* ---- indices over the solution -------------------------------------------------------------- */

static int by_site(const void *a, const void *b)
{
	const struct flow_bound *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

static void index_bounds(struct points_to *pt)
{
	struct flow *fl = &pt->flow;

	qsort(fl->bounds.at, fl->bounds.n, sizeof *fl->bounds.at, by_site);
	pt->bound_at = xcalloc(fl->sites.n + 1, sizeof *pt->bound_at);
	vec_each (&fl->bounds, i)
		pt->bound_at[fl->bounds.at[i].site + 1]++;
	vec_each (&fl->sites, i)
		pt->bound_at[i + 1] += pt->bound_at[i];
	pt->next_callback = xcalloc(fl->sites.n, sizeof *pt->next_callback);
	for (uint32_t i = fl->sites.n; i-- > 1;) {
		uint64_t *first;

		if (!fl->sites.at[i].callback)
			continue;
		for (uint32_t k = pt->bound_at[i]; k < pt->bound_at[i + 1]; k++)
			if (fl->bounds.at[k].func != IR_NONE)
				bitset_add(&pt->told, fl->bounds.at[k].func);
		first = map_put(&pt->callback_at, flow_key(fl->sites.at[i].func, fl->sites.at[i].insn));
		pt->next_callback[i] = (uint32_t)*first;
		*first = i;
	}
}

static void find_outside(struct points_to *pt)
{
	const struct sparse *set = pts_set(pt->solver, pt->flow.sys.escaped);
	struct sparse_iter it = {0};
	uint32_t loc;

	bitset_add(&pt->outside, PTS_EXTERNAL);
	while (sparse_next(set, &it, &loc))
		bitset_add(&pt->outside, pts_loc_of(pt->solver, loc).object);
}

struct points_to *points_to_new(const struct ir_program *p, const struct points_to_options *opt)
{
	static const struct points_to_options plain;
	struct points_to *pt = xcalloc(1, sizeof *pt);

	flow_init(&pt->flow, p, opt ? opt : &plain);
	pt->solver = pts_solve(&pt->flow.sys);
	index_bounds(pt);
	find_outside(pt);
	return pt;
}

void points_to_free(struct points_to *pt)
{
	if (!pt)
		return;
	pts_solver_free(pt->solver);
	flow_release(&pt->flow);
	bitset_release(&pt->outside);
	bitset_release(&pt->told);
	map_release(&pt->callback_at);
	free(pt->bound_at);
	free(pt->next_callback);
	free(pt);
}

/* ---- objects -------------------------------------------------------------------------------- */

uint32_t points_to_nobjects(const struct points_to *pt)
{
	return pt->flow.objects.n;
}

const struct pts_object *points_to_object(const struct points_to *pt, uint32_t object)
{
	return &pt->flow.objects.at[object];
}

uint32_t points_to_of_global(const struct points_to *pt, uint32_t global)
{
	return pt->flow.global_object[global];
}

uint32_t points_to_of_func(const struct points_to *pt, uint32_t func)
{
	return pt->flow.func_object[func];
}

uint32_t points_to_of_local(const struct points_to *pt, uint32_t func, uint32_t local)
{
	return (uint32_t)map_get_or(&pt->flow.local_at, flow_key(func, local), IR_NONE);
}

/* may the instruction itself call the function, without code outside in between? */
static bool may_call(const struct points_to *pt, struct pts_frame at, uint32_t func)
{
	uint64_t *site = map_get(&pt->flow.site_at, flow_key(at.func, at.insn));

	return site && map_get(&pt->flow.bound, flow_key((uint32_t)*site, func));
}

uint32_t points_to_of_allocation(const struct points_to *pt, const struct pts_frame *stack,
	uint32_t n)
{
	const struct wrapper *w;
	uint32_t i = 0;

	while (i < n && !points_to_knows(pt, stack[i].func))
		i++;
	for (; i < n; i++) {
		w = &pt->flow.wrappers[stack[i].func];
		if (!wrapper_returns_call(w, stack[i].insn))
			return (uint32_t)map_get_or(&pt->flow.heap_at,
				flow_key(stack[i].func, stack[i].insn), PTS_EXTERNAL);
		if (i + 1 == n || !may_call(pt, stack[i + 1], stack[i].func))
			return (uint32_t)map_get_or(&pt->flow.heap_at,
				flow_key(stack[i].func, IR_NONE), PTS_EXTERNAL);
	}
	return PTS_EXTERNAL;
}

/* The recursion ends: wrappers_find() starts from the allocators, so that wrappers form no
 * cycle. */
static bool wrapper_allocated_by(const struct points_to *pt, uint32_t func,
	bool (*is)(void *ctx, uint32_t func), void *ctx)
{
	const struct wrapper *w = &pt->flow.wrappers[func];
	const struct ir_func *f = &pt->flow.p->funcs.at[func];

	if (!points_to_knows(pt, func))
		return is(ctx, func);
	for (uint32_t i = 0; i < w->ncalls; i++)
		if (!wrapper_allocated_by(pt, ir_callee(f, &f->insns.at[w->calls[i]]), is, ctx))
			return false;
	return w->is;
}

bool points_to_allocated_by(const struct points_to *pt, uint32_t object,
	bool (*is)(void *ctx, uint32_t func), void *ctx)
{
	const struct pts_object *o = &pt->flow.objects.at[object];
	const struct ir_func *f;

	if (o->kind != PTS_K_HEAP)
		return false;
	f = &pt->flow.p->funcs.at[o->func];
	if (o->insn != IR_NONE && ir_callee(f, &f->insns.at[o->insn]) != o->id)
		return false;
	return wrapper_allocated_by(pt, o->id, is, ctx);
}

bool points_to_outside(const struct points_to *pt, uint32_t object)
{
	return bitset_has(&pt->outside, object);
}

/* ---- sets ----------------------------------------------------------------------------------- */

bool points_to_knows(const struct points_to *pt, uint32_t func)
{
	return pt->flow.funcs[func].regs != 0;
}

void pts_locs_release(struct pts_locs *l)
{
	vec_release(&l->list);
}

static int by_object(const void *a, const void *b)
{
	const struct pts_loc *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->at.at != y->at.at)
		return x->at.at < y->at.at ? -1 : 1;
	if (x->at.step != y->at.step)
		return x->at.step < y->at.step ? -1 : 1;
	if (x->at.count != y->at.count)
		return x->at.count < y->at.count ? -1 : 1;
	return x->at.every < y->at.every ? -1 : x->at.every > y->at.every;
}

static void append_locations(const struct points_to *pt, uint32_t node, struct pts_locs *out)
{
	struct sparse_iter it = {0};
	uint32_t loc;

	while (sparse_next(pts_set(pt->solver, node), &it, &loc))
		vec_push(&out->list, pts_loc_of(pt->solver, loc));
}

static void sort_once_each(struct pts_locs *l)
{
	uint32_t n = 0;

	if (!l->list.n)
		return;
	qsort(l->list.at, l->list.n, sizeof *l->list.at, by_object);
	vec_each (&l->list, i)
		if (!n || by_object(&l->list.at[n - 1], &l->list.at[i]))
			l->list.at[n++] = l->list.at[i];
	l->list.n = n;
}

static struct pts_loc place_of(const struct points_to *pt, const struct ir_const *c)
{
	uint32_t object = pt->flow.global_object[c->id];

	return (struct pts_loc){object,
		pts_place(&pt->flow.sys.objects.at[object], offs_exact((int64_t)c->lo))};
}

void points_to_get(const struct points_to *pt, uint32_t func, ir_ref ref, struct pts_locs *out)
{
	const struct ir_func *f = &pt->flow.p->funcs.at[func];
	const struct ir_const *c;

	vec_clear(&out->list);
	if (ref == IR_NONE)
		return;
	if (ir_is_const(ref)) {
		c = ir_const(f, ref);
		if (c->kind == IR_C_GLOBAL)
			vec_push(&out->list, place_of(pt, c));
		else if (c->kind == IR_C_FUNC)
			vec_push(&out->list,
				(struct pts_loc){pt->flow.func_object[c->id], OFFS_ZERO});
		return;
	}
	if (points_to_knows(pt, func))
		append_locations(pt, pt->flow.funcs[func].regs + ref, out);
	else
		vec_push(&out->list, (struct pts_loc){PTS_EXTERNAL, OFFS_ANY});
	sort_once_each(out);
}

void points_to_contents(const struct points_to *pt, uint32_t object, struct pts_locs *out)
{
	uint32_t slot = (uint32_t)map_get_or(&pt->flow.slot_at, object, 0);
	const struct pts_memory_state *o;

	vec_clear(&out->list);
	if (object == PTS_EXTERNAL) {
		vec_push(&out->list, (struct pts_loc){PTS_EXTERNAL, OFFS_ANY});
		return;
	}
	if (slot)
		append_locations(pt, slot, out);
	if (object < pt->solver->objects.n) {
		o = &pt->solver->objects.at[object];
		vec_each (&o->stores, i)
			append_locations(pt, o->stores.at[i].node, out);
	}
	sort_once_each(out);
}

bool points_to_covers(const struct points_to *pt, uint32_t func, ir_ref ref, uint32_t object,
	int64_t offset)
{
	bool code = pt->flow.objects.at[object].kind == PTS_K_FUNC, found = false;
	struct pts_locs l = {0};

	points_to_get(pt, func, ref, &l);
	for (uint32_t i = 0; i < l.list.n && !found; i++) {
		struct pts_loc x = l.list.at[i];

		if (x.object == PTS_EXTERNAL)
			found = points_to_outside(pt, object);
		else
			found = x.object == object && (code || offs_contains(x.at, offset));
	}
	pts_locs_release(&l);
	return found;
}

static bool locations_meet(
	const struct points_to *pt, struct pts_loc a, uint32_t na, struct pts_loc b, uint32_t nb)
{
	if (a.object == PTS_EXTERNAL || b.object == PTS_EXTERNAL)
		return points_to_outside(pt, a.object) && points_to_outside(pt, b.object);
	if (a.object != b.object || pt->flow.objects.at[a.object].kind == PTS_K_FUNC)
		return false;
	return offs_overlap(a.at, na, b.at, nb);
}

bool points_to_may_alias(const struct points_to *pt, uint32_t func1, ir_ref ref1, uint32_t size1,
	uint32_t func2, ir_ref ref2, uint32_t size2)
{
	struct pts_locs a = {0}, b = {0};
	bool alias = false;

	if (!size1 || !size2)
		return false;
	points_to_get(pt, func1, ref1, &a);
	points_to_get(pt, func2, ref2, &b);
	for (uint32_t i = 0; i < a.list.n && !alias; i++)
		for (uint32_t j = 0; j < b.list.n && !alias; j++)
			alias = locations_meet(pt, a.list.at[i], size1, b.list.at[j], size2);
	pts_locs_release(&a);
	pts_locs_release(&b);
	return alias;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static bool each_bound(const struct points_to *pt, uint32_t site,
	void (*add)(void *ctx, uint32_t callee), void *ctx)
{
	bool other = false;

	for (uint32_t i = pt->bound_at[site]; i < pt->bound_at[site + 1]; i++)
		if (pt->flow.bounds.at[i].func == IR_NONE)
			other = true;
		else
			add(ctx, pt->flow.bounds.at[i].func);
	return other;
}

void points_to_handed_over(const struct points_to *pt, struct pts_locs *out)
{
	vec_clear(&out->list);
	vec_each (&pt->flow.shared, i)
		append_locations(pt, pt->flow.shared.at[i], out);
	sort_once_each(out);
}

/* The functions that a call of code outside may reach. A call inside code outside (`told`) may also
 * reach the functions that library functions call back. */
static void each_outside(const struct points_to *pt, bool told,
	void (*add)(void *ctx, uint32_t callee), void *ctx)
{
	vec_each (&pt->flow.p->funcs, f)
		if (points_to_outside(pt, pt->flow.func_object[f]) ||
			(told && bitset_has(&pt->told, f)))
			add(ctx, f);
}

bool points_to_callees(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx)
{
	uint32_t site = (uint32_t)map_get_or(&pt->flow.site_at, flow_key(func, insn), 0), callee;
	const struct ir_func *f = &pt->flow.p->funcs.at[func];
	bool other;

	if (site) {
		other = each_bound(pt, site, add, ctx);
		if (other)
			each_outside(pt, false, add, ctx);
		return other;
	}
	/* a call in code outside: the direct callee, or any function that such code can reach */
	callee = ir_callee(f, &f->insns.at[insn]);
	if (callee != IR_NONE) {
		add(ctx, callee);
		return false;
	}
	each_outside(pt, true, add, ctx);
	return true;
}

void points_to_callbacks(const struct points_to *pt, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx)
{
	uint32_t site = (uint32_t)map_get_or(&pt->callback_at, flow_key(func, insn), 0);

	for (; site; site = pt->next_callback[site])
		if (each_bound(pt, site, add, ctx))
			each_outside(pt, false, add, ctx);
}

void points_to_each_outside(
	const struct points_to *pt, void (*add)(void *ctx, uint32_t func), void *ctx)
{
	each_outside(pt, false, add, ctx);
}
