#include "model/model_facts_internal.h"

#include "base/base.h"
#include "trace/check.h"

#include <assert.h>
#include <stdlib.h>

/* -- indices -- */

static bool has_second(enum ctp_kind k)
{
	return k == CTP_WAIT || k == CTP_WOKEN || k == CTP_TIMEOUT;
}

static bool is_object_kind(enum ctp_kind k)
{
	return (k >= CTP_LOCK && k <= CTP_BARRIER_LEAVE) || k == CTP_INIT || k == CTP_DESTROY;
}

static uint32_t object_index(struct facts *f, uint64_t addr)
{
	uint64_t *at = map_put(&f->object_at, addr);

	if (!*at) {
		struct facts_object *o = vec_add(&f->objects);

		*at = f->objects.n;
		*o = (struct facts_object){.addr = addr, .initial = -1};
	}
	return (uint32_t)*at - 1;
}

static void index_objects(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_each (&c->objects, i) {
		const struct ctp_object *o = &c->objects.at[i];
		uint32_t k = object_index(f, o->addr);

		f->objects.at[k].semaphore = o->kind == CHECK_SEM;
		f->objects.at[k].initial = o->initial;
	}
	vec_resize(&f->object, c->events.n);
	vec_resize(&f->object2, c->events.n);
	vec_each (&c->events, e)
		f->object.at[e] = f->object2.at[e] = CTP_NONE;
	vec_each (&f->order, r) {
		uint32_t e = f->order.at[r], o;
		const struct ctp_event *ev = ctp_at(c, e);

		if (!is_object_kind(ev->kind))
			continue;
		f->object.at[e] = o = object_index(f, ev->object);
		vec_push(&f->objects.at[o].ops, e);
		if (has_second(ev->kind)) {
			f->object2.at[e] = o = object_index(f, ctp_mutex(ev));
			vec_push(&f->objects.at[o].ops, e);
		}
	}
	/* pending events are not in the order: a thread can only stand AT them */
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (f->object.at[e] != CTP_NONE || !is_object_kind(ev->kind))
			continue;
		f->object.at[e] = object_index(f, ev->object);
		if (has_second(ev->kind))
			f->object2.at[e] = object_index(f, ctp_mutex(ev));
	}
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct facts *f = ctx;
	uint32_t x = facts_rank(f, f->access_event.at[*(const uint32_t *)a]);
	uint32_t y = facts_rank(f, f->access_event.at[*(const uint32_t *)b]);

	return x < y ? -1 : x > y;
}

static void index_cells(struct facts *f)
{
	const struct ctp *c = f->c;
	struct vec_u32 fill = {0};

	vec_resize(&f->access_event, c->accesses.n);
	vec_resize(&f->access_of, terms_n_syms(c->ts));
	vec_resize(&f->cell_first, c->cells.n + 1);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < c->events.at[e].n; i++) {
			uint32_t k = c->events.at[e].first + i;
			const struct ctp_access *a = &c->accesses.at[k];

			f->access_event.at[k] = e;
			if (a->sym.id && term_op(c->ts, a->sym) == TERM_SYM)
				f->access_of.at[term_sym_number(c->ts, a->sym)] = k + 1;
			if (a->value.id)
				f->cell_first.at[a->cell + 1]++;
		}
	for (uint32_t i = 0; i < c->cells.n; i++) {
		f->cell_first.at[i + 1] += f->cell_first.at[i];
		f->unknown_cells |= !c->cells.at[i].known;
	}
	vec_resize(&f->cell_writes, f->cell_first.at[c->cells.n]);
	vec_resize(&fill, c->cells.n);
	vec_each (&c->accesses, k) {
		const struct ctp_access *a = &c->accesses.at[k];

		if (a->value.id)
			f->cell_writes.at[f->cell_first.at[a->cell] + fill.at[a->cell]++] = k;
	}
	for (uint32_t i = 0; i < c->cells.n && f->cell_writes.n; i++)
		qsort_r(f->cell_writes.at + f->cell_first.at[i],
			f->cell_first.at[i + 1] - f->cell_first.at[i], sizeof(uint32_t), by_rank,
			f);
	vec_release(&fill);
}

/* -- critical sections -- */

void facts_hold(struct facts *f, uint32_t *top, uint32_t region)
{
	vec_push(&f->held, (struct facts_held){region, *top});
	*top = f->held.n - 1;
}

void facts_give_back(struct facts *f, uint32_t *top, uint32_t region)
{
	struct vec_u32 above = {0};
	uint32_t h = *top;

	for (; h != CTP_NONE && f->held.at[h].region != region; h = f->held.at[h].next)
		vec_push(&above, f->held.at[h].region);
	if (h != CTP_NONE) {
		*top = f->held.at[h].next;
		while (above.n)
			facts_hold(f, top, vec_pop(&above));
	}
	vec_release(&above);
}

uint32_t facts_exclusive(const struct facts *f, uint32_t e, uint64_t lock)
{
	for (uint32_t h = f->held_at.at[e]; h != CTP_NONE; h = f->held.at[h].next) {
		const struct ctp_region *r = &f->c->regions.at[f->held.at[h].region];

		if (r->object == lock && !r->shared)
			return f->held.at[h].region;
	}
	return CTP_NONE;
}

static void find_held(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_resize(&f->held_at, c->events.n);
	vec_each (&c->threads, t) {
		uint32_t top = CTP_NONE;

		for (uint32_t i = 0; i < c->threads.at[t].n; i++) {
			uint32_t e = c->threads.at[t].first + i;
			const struct ctp_event *ev = ctp_at(c, e);

			assert(top == CTP_NONE || top < f->held.n);
			f->held_at.at[e] = top;
			if (facts_takes(ev) && !c->regions.at[ev->region].foreign)
				facts_hold(f, &top, ev->region);
			else if (facts_gives(ev) && !c->regions.at[ev->region].foreign)
				facts_give_back(f, &top, ev->region);
		}
		vec_push(&f->held_end, top);
	}
}

/* -- objects whose semantics is not known well enough -- */

static bool has_odd_section(const struct facts *f, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(f->c, e);
	const struct ctp_region *r;

	switch (ev->kind) {
	case CTP_LOCK:
	case CTP_UNLOCK:
	case CTP_RDLOCK:
	case CTP_RDUNLOCK:
	case CTP_WAIT:
	case CTP_WOKEN:
	case CTP_TIMEOUT: break;
	default: return false;
	}
	if (ev->flags & CTP_RECURSIVE)
		return false;
	if (ev->region == CTP_NONE)
		return true;
	r = &f->c->regions.at[ev->region];
	return r->foreign || r->begin == CTP_NONE;
}

/* initialized twice, used before INIT or after DESTROY; alternatives each have their own object */
static bool has_odd_life(struct facts *f, struct facts_object *o)
{
	bool odd = false;

	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		struct vec_u32 *v = ev->kind == CTP_INIT      ? &o->inits
				    : ev->kind == CTP_DESTROY ? &o->ends
							      : NULL;

		vec_each (&o->ends, k) /* an operation after DESTROY */
			odd |= !facts_same_group(f, ctp_at(f->c, o->ends.at[k])->thread, ev->thread) &&
			       (!f->merged || ctp_at(f->c, o->ends.at[k])->thread == ev->thread);
		if (!v)
			continue;
		vec_each (v, k)
			odd |= !facts_same_group(f, ctp_at(f->c, v->at[k])->thread, ev->thread);
		odd |= v == &o->inits && i != 0 && !f->merged;
		vec_push(v, o->ops.at[i]);
	}
	return odd;
}

static void find_ordered(struct facts *f)
{
	vec_each (&f->objects, i) {
		struct facts_object *o = &f->objects.at[i];
		bool counts = false;

		o->ordered = has_odd_life(f, o);
		vec_each (&o->ops, k) {
			uint32_t e = o->ops.at[k];
			const struct ctp_event *ev = ctp_at(f->c, e);

			if (facts_lock(f, e) == i)
				o->ordered |= has_odd_section(f, e);
			else if (ev->kind == CTP_WOKEN)
				o->ordered |= ctp_wait(ev) == CTP_NONE;
			counts |= ev->kind >= CTP_SEM_WAIT && ev->kind <= CTP_SEM_POST;
		}
		o->semaphore |= counts;
		o->ordered |= counts && o->initial < 0;
	}
}

/* how other threads held the lock at a failed try; UINT8_MAX: no known holder */
static uint8_t held_by_others(const struct facts *f, const struct facts_object *o, uint32_t rank)
{
	uint8_t found = UINT8_MAX;

	for (uint32_t k = facts_op_at(f, o, rank); k-- > 0;) {
		const struct ctp_event *by = ctp_at(f->c, o->ops.at[k]);
		const struct ctp_region *r;

		if (!facts_takes(by))
			continue;
		r = &f->c->regions.at[by->region];
		if (r->end == CTP_NONE || facts_rank(f, r->end) > rank)
			found = r->shared && found != TRY_EXCLUSIVE ? TRY_ANY : TRY_EXCLUSIVE;
		if (!r->shared) /* earlier sections have ended */
			break;
	}
	return found;
}

static void find_tries(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_resize(&f->tries, c->events.n);
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);
		struct facts_object *o;

		if (ev->kind != CTP_TRYFAIL || facts_rank(f, e) == UINT32_MAX)
			continue;
		o = &f->objects.at[f->object.at[e]];
		if (ev->flags & CTP_UNRECOVERABLE) {
			f->tries.at[e] = TRY_NOTHING;
			continue;
		}
		f->tries.at[e] = facts_rank(f, e) < f->observed
					 ? held_by_others(f, o, facts_rank(f, e))
					 : TRY_EXCLUSIVE;
		for (uint32_t h = f->held_at.at[e]; h != CTP_NONE; h = f->held.at[h].next)
			if (c->regions.at[f->held.at[h].region].object == ev->object)
				f->tries.at[e] = TRY_NOTHING;
		if (f->tries.at[e] != UINT8_MAX)
			continue;
		f->tries.at[e] = TRY_EXCLUSIVE;
		o->ordered |= !f->merged; /* in merged runs the holder may be of another run */
	}
}

/* -- reads that only assertions use -- */

static void mark_used_otherwise(struct facts *f, term_t t)
{
	const struct term_syms *syms = t.id ? term_syms(f->c->ts, t) : NULL;

	for (uint32_t i = 0; syms && i < syms->n; i++) {
		uint32_t k = term_sym_number(f->c->ts, syms->at[i]);

		if (k < f->access_of.n && f->access_of.at[k])
			bitset_del(&f->asserted, f->access_of.at[k] - 1);
	}
}

static void find_asserted(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_each (&f->access_of, i)
		if (f->access_of.at[i])
			bitset_add(&f->asserted, f->access_of.at[i] - 1);
	vec_each (&c->accesses, i)
		mark_used_otherwise(f, c->accesses.at[i].value);
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (facts_is_property(ev->kind))
			continue;
		mark_used_otherwise(f, ev->cond);
		mark_used_otherwise(f, ev->operand);
	}
}

bool facts_only_asserted(struct facts *f, uint32_t access)
{
	if (!f->asserted_known)
		find_asserted(f);
	f->asserted_known = true;
	return bitset_has(&f->asserted, access);
}

/* Matches wake-ups with signals in the observed order: each consumes the earliest signal since its
 * wait that is not consumed, which leaves later ones to others and so is as good as any choice. */
static void match_signals(struct facts *f)
{
	const struct ctp *c = f->c;
	struct vec_u32 free_signals = {0};

	vec_each (&f->order, r) {
		uint32_t e = f->order.at[r];
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind != CTP_WOKEN || ctp_wait(ev) == CTP_NONE)
			continue;
		vec_clear(&free_signals);
		facts_pending_signals(
			f, f->object.at[e], facts_rank(f, ctp_wait(ev)), facts_rank(f, e), &free_signals);
		vec_each (&free_signals, i)
			if (ctp_at(c, free_signals.at[i])->kind == CTP_BROADCAST) {
				vec_clear(&free_signals);
				break;
			}
		if (free_signals.n)
			*map_put(&f->woken_by, free_signals.at[0]) = e;
	}
	vec_release(&free_signals);
}

struct facts *facts_new(const struct ctp *c)
{
	struct facts *f = xcalloc(1, sizeof *f);

	f->c = c;
	facts_take_order(f);
	index_objects(f);
	index_cells(f);
	find_held(f);
	find_ordered(f);
	find_tries(f);
	facts_find_edges(f);
	match_signals(f);
	assert(f->order.n <= c->events.n && f->observed <= f->order.n);
	return f;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	vec_each (&f->objects, i) {
		vec_release(&f->objects.at[i].ops);
		vec_release(&f->objects.at[i].inits);
		vec_release(&f->objects.at[i].ends);
	}
	vec_each (&f->frees, i)
		vec_release(&f->frees.at[i]);
	vec_release(&f->frees);
	vec_release(&f->needs);
	vec_release(&f->need_first);
	vec_release(&f->need_from);
	vec_release(&f->objects);
	map_release(&f->object_at);
	vec_release(&f->rank);
	vec_release(&f->order);
	vec_release(&f->object);
	vec_release(&f->object2);
	vec_release(&f->access_event);
	vec_release(&f->access_of);
	vec_release(&f->cell_first);
	vec_release(&f->cell_writes);
	vec_release(&f->edges);
	vec_release(&f->edge_first);
	vec_release(&f->held);
	vec_release(&f->held_at);
	vec_release(&f->held_end);
	vec_release(&f->tries);
	vec_release(&f->derived);
	vec_release(&f->derived_of);
	vec_release(&f->derived_at);
	vec_release(&f->derived_end);
	map_release(&f->woken_by);
	bitset_release(&f->asserted);
	vec_release(&f->seen);
	vec_release(&f->late);
	free(f);
}
