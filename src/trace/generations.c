#include "trace/generations.h"

#include "base/base.h"
#include "base/map.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- variables of one stack ----------------------------------------------------------------- */

/* Index of the first live variable that ends after the address. */
static uint32_t live_after(const struct live_locals *ll, uint64_t addr)
{
	return upper_bound(0, ll->live.n, i, ll->live.at[i].base + ll->live.at[i].size, addr);
}

void live_locals_add(struct live_locals *ll, uint64_t base, uint64_t size, uint32_t func,
	uint32_t local, uint32_t events)
{
	uint32_t first = live_after(ll, base), end = first;
	struct live_local l = {base, MAX(size, 1u), func, local, events, ll->serial++};

	for (; end < ll->live.n && ll->live.at[end].base < base + l.size; end++)
		if (ll->live.at[end].born != events)
			vec_push(&ll->kept, (struct kept_local){ll->live.at[end], events});
	if (end == first) {
		vec_push(&ll->live, l);
		end = ll->live.n - 1;
		memmove(&ll->live.at[first + 1], &ll->live.at[first], (end - first) * sizeof l);
	} else {
		memmove(&ll->live.at[first + 1], &ll->live.at[end], (ll->live.n - end) * sizeof l);
		ll->live.n -= end - first - 1;
	}
	ll->live.at[first] = l;
}

const struct live_local *live_locals_at(const struct live_locals *ll, uint64_t addr)
{
	uint32_t i = live_after(ll, addr);

	return i < ll->live.n && ll->live.at[i].base <= addr ? &ll->live.at[i] : NULL;
}

static int compare_serial(const void *x, const void *y)
{
	const struct kept_local *a = x, *b = y;

	return a->l.serial < b->l.serial ? -1 : a->l.serial > b->l.serial;
}

void live_locals_end(struct live_locals *ll)
{
	vec_each (&ll->live, i)
		vec_push(&ll->kept, (struct kept_local){ll->live.at[i], UINT32_MAX});
	vec_clear(&ll->live);
	if (ll->kept.n)
		qsort(ll->kept.at, ll->kept.n, sizeof *ll->kept.at, compare_serial);
}

void live_locals_release(struct live_locals *ll)
{
	vec_release(&ll->live);
	vec_release(&ll->kept);
	map_release(&ll->left);
}

/* ---- building ------------------------------------------------------------------------------- */

enum { LIBRARY_BYTES = 4096 };

/* The program frees a block that it did not allocate. freed: address -> rank of its last free. */
static void free_library_block(struct generations *g, struct map *freed, uint64_t base,
	const struct order_point *p, uint32_t rank)
{
	uint64_t *last = map_put(freed, base);

	vec_push(&g->at, (struct generation){.base = base,
				 .size = LIBRARY_BYTES,
				 .from = (uint32_t)*last,
				 .to = rank,
				 .thread = p->thread,
				 .kind = GEN_LIBRARY});
	*last = rank;
}

static int compare_bases(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Cuts the blocks of the library off where other blocks begin. */
static void cut_library_blocks(struct generations *g)
{
	struct vec_u64 bases = {0};

	for (uint32_t i = 1; i < g->at.n; i++)
		vec_push(&bases, g->at.at[i].base);
	if (bases.n)
		qsort(bases.at, bases.n, sizeof *bases.at, compare_bases);
	for (uint32_t i = 1; i < g->at.n; i++) {
		struct generation *e = &g->at.at[i];
		uint32_t next = upper_bound(0, bases.n, k, bases.at[k], e->base);

		if (e->kind == GEN_LIBRARY && next < bases.n)
			e->size = MIN(e->size, bases.at[next] - e->base);
	}
	vec_release(&bases);
}

static void heap_event(struct generations *g, struct map *live, struct map *freed,
	const struct sync_order *o, const struct order_point *p, uint32_t rank)
{
	const struct sync_event *e = &o->h->threads.at[p->thread].events.at[p->event];
	uint64_t *v;

	if (e->kind != LOG_S_ALLOC && e->kind != LOG_S_FREE && e->kind != LOG_S_REALLOC)
		return;
	if (e->kind == LOG_S_ALLOC &&
		!e->object) { /* failed: the block of the realloc still exists */
		const struct sync_event *before = p->event ? e - 1 : e;

		if (before->kind == LOG_S_REALLOC && (v = map_get(live, before->object)))
			g->at.at[*v].to = UINT32_MAX;
		return;
	}
	if (!e->object)
		return;
	v = map_put(live, e->object);
	if (*v)
		g->at.at[*v].to = MIN(g->at.at[*v].to, rank);
	else if (e->kind == LOG_S_FREE)
		free_library_block(g, freed, e->object, p, rank);
	if (e->kind != LOG_S_ALLOC)
		return;
	*v = g->at.n;
	vec_push(&g->at, (struct generation){.base = e->object,
				 .size = MAX(e->value, 1u),
				 .from = rank,
				 .to = UINT32_MAX,
				 .thread = p->thread,
				 .event = p->event,
				 .kind = GEN_HEAP});
}

static void add_locals(
	struct generations *g, const struct sync_order *o, uint32_t t, const struct live_locals *ll)
{
	uint32_t n = o->h->threads.at[t].events.n;

	vec_each (&ll->kept, i) {
		const struct kept_local *k = &ll->kept.at[i];
		uint32_t from = k->l.born ? sync_order_first(o, t, MIN(k->l.born, n) - 1) : 0;
		uint32_t to = k->died < n ? sync_order_last(o, t, k->died) : UINT32_MAX;

		vec_push(&g->by_serial[t], k->l.serial);
		vec_push(&g->by_serial[t], g->at.n);
		vec_push(&g->at, (struct generation){.base = k->l.base,
					 .size = k->l.size,
					 .from = from,
					 .to = to,
					 .thread = t,
					 .func = k->l.func,
					 .local = k->l.local,
					 .left = (uint32_t)map_get_or(&ll->left, k->l.serial, 0) - 1,
					 .kind = GEN_LOCAL});
	}
}

static void add_stack(struct generations *g, const struct sync_order *o, uint32_t t)
{
	const struct sync_thread *th = &o->h->threads.at[t];
	struct generation s = {.base = th->stack_lo,
		.size = th->stack_hi - th->stack_lo,
		.to = UINT32_MAX,
		.thread = t,
		.kind = GEN_STACK};

	/* a signal handler runs on the stack of its thread, which has a generation already */
	if (th->stack_lo >= th->stack_hi || th->kind == LOG_T_SIGNAL)
		return;
	if (th->events.n) {
		s.from = sync_order_first(o, t, 0);
		if (th->events.at[th->events.n - 1].kind == SYNC_END)
			s.to = sync_order_last(o, t, th->events.n - 1);
	}
	vec_push(&g->at, s);
}

static int compare_span(const void *x, const void *y, void *ctx)
{
	const struct generation *g = ctx;
	const struct generation *a = &g[*(const uint32_t *)x], *b = &g[*(const uint32_t *)y];

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void index_spans(const struct generations *g, struct span_index *x)
{
	uint64_t max_end = 0;

	if (x->at.n)
		qsort_r(x->at.at, x->at.n, sizeof *x->at.at, compare_span, g->at.at);
	vec_each (&x->at, i) {
		const struct generation *e = &g->at.at[x->at.at[i]];

		max_end = MAX(max_end, e->base + e->size);
		if (!x->groups.n || vec_last(&x->groups).base != e->base)
			vec_push(&x->groups, (struct span_group){e->base, 0, i, 0});
		vec_last(&x->groups).n++;
		vec_last(&x->groups).max_end = max_end;
	}
}

void generations_build(
	struct generations *g, const struct sync_order *o, const struct live_locals *locals)
{
	struct map live = {0}, freed = {0};

	*g = (struct generations){.nthreads = o->h->threads.n};
	g->by_serial = xcalloc((size_t)g->nthreads + 1, sizeof *g->by_serial);
	vec_push(&g->at, (struct generation){0});
	for (uint32_t r = 0; r < o->n; r++)
		if (!o->at[r].part)
			heap_event(g, &live, &freed, o, &o->at[r], r);
	map_release(&live);
	map_release(&freed);
	cut_library_blocks(g);
	for (uint32_t t = 0; t < g->nthreads; t++) {
		if (locals)
			add_locals(g, o, t, &locals[t]);
		add_stack(g, o, t);
	}
	for (uint32_t i = 1; i < g->at.n; i++)
		vec_push(g->at.at[i].kind == GEN_STACK ? &g->stacks.at : &g->blocks.at, i);
	index_spans(g, &g->blocks);
	index_spans(g, &g->stacks);
}

void generations_release(struct generations *g)
{
	for (uint32_t t = 0; t < g->nthreads; t++)
		vec_release(&g->by_serial[t]);
	free(g->by_serial);
	vec_release(&g->at);
	vec_release(&g->blocks.at);
	vec_release(&g->blocks.groups);
	vec_release(&g->stacks.at);
	vec_release(&g->stacks.groups);
}

/* ---- lookup --------------------------------------------------------------------------------- */

/* The generation of the group that exists from `after` to `before`; if none does, 0, and *part is
 * one that exists for a part of that time. */
static uint32_t find_in_group(const struct generations *g, const struct span_index *x,
	const struct span_group *gr, uint64_t addr, uint32_t after, uint32_t before, uint32_t *part)
{
	uint32_t k = lower_bound(0, gr->n, i, g->at.at[x->at.at[gr->first + i]].from, before);

	while (k--) {
		uint32_t i = x->at.at[gr->first + k];
		const struct generation *e = &g->at.at[i];

		if (e->to <= after)
			break;
		if (addr >= e->base + e->size)
			continue;
		if (generation_spans(g, i, after, before))
			return i;
		if (!*part)
			*part = i;
	}
	return 0;
}

static uint32_t find_generation(const struct generations *g, const struct span_index *x,
	uint64_t addr, uint32_t after, uint32_t before)
{
	uint32_t k = upper_bound(0, x->groups.n, i, x->groups.at[i].base, addr), part = 0, found;

	while (k-- && x->groups.at[k].max_end > addr)
		if ((found = find_in_group(g, x, &x->groups.at[k], addr, after, before, &part)))
			return found;
	return part;
}

uint32_t generation_at(const struct generations *g, uint64_t addr, uint32_t after, uint32_t before)
{
	uint32_t i = find_generation(g, &g->blocks, addr, after, before);

	return i ? i : generation_of_stack(g, addr, after, before);
}

uint32_t generation_of_stack(
	const struct generations *g, uint64_t addr, uint32_t after, uint32_t before)
{
	return find_generation(g, &g->stacks, addr, after, before);
}

uint32_t generation_of_local(const struct generations *g, uint32_t thread, uint32_t serial)
{
	const struct vec_u32 *v = &g->by_serial[thread];
	uint32_t k;

	return search_find(0, v->n / 2, i, v->at[2 * i], serial, &k) ? v->at[2 * k + 1] : 0;
}
