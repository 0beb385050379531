#include "model/model_facts.h"

#include "trace/check.h"

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
			f->object2.at[e] = o = object_index(f, ev->object2);
			vec_push(&f->objects.at[o].ops, e);
		}
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

/* -- regions -- */

void facts_hold(struct facts *f, uint32_t *top, uint32_t region)
{
	vec_push(&f->held, (struct facts_held){region, *top});
	*top = f->held.n - 1;
}

/* without that region; those taken after it are made again */
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

/* made twice, used before it is made or after it is unmade; alternatives each have their own */
static bool has_odd_life(struct facts *f, struct facts_object *o)
{
	bool odd = false;

	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		struct vec_u32 *v = ev->kind == CTP_INIT      ? &o->inits
				    : ev->kind == CTP_DESTROY ? &o->ends
							      : NULL;

		vec_each (&o->ends, k) /* something behind the end */
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
				o->ordered |= ev->other == CTP_NONE;
			counts |= ev->kind >= CTP_SEM_WAIT && ev->kind <= CTP_SEM_POST;
		}
		o->semaphore |= counts;
		o->ordered |= counts && o->initial < 0;
	}
}

/* how the lock was held by others at a failed try; UINT8_MAX: by nobody that is known */
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
		if (!r->shared) /* what was before it is over */
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
		f->tries.at[e] = facts_rank(f, e) < f->observed
					 ? held_by_others(f, o, facts_rank(f, e))
					 : TRY_EXCLUSIVE;
		for (uint32_t h = f->held_at.at[e]; h != CTP_NONE; h = f->held.at[h].next)
			if (c->regions.at[f->held.at[h].region].object == ev->object)
				f->tries.at[e] = TRY_NOTHING;
		if (f->tries.at[e] != UINT8_MAX)
			continue;
		f->tries.at[e] = TRY_EXCLUSIVE;
		o->ordered |= !f->merged; /* else the holder may be of another run */
	}
}

/* -- edges -- */

static void add_edge(struct facts *f, uint32_t from, uint32_t to, enum facts_reason why)
{
	if (from == CTP_NONE || to == CTP_NONE || from == to || facts_rank(f, to) == UINT32_MAX ||
		ctp_at(f->c, from)->thread == ctp_at(f->c, to)->thread)
		return;
	if (facts_rank(f, from) > facts_rank(f, to))
		f->wrong = "the observed order contradicts the order of creation, joining or barriers";
	vec_push(&f->edges, (struct facts_edge){from, to, (uint8_t)why});
}

/* one of `from` comes before `to` */
static void add_need(struct facts *f, const struct vec_u32 *from, uint32_t to, enum facts_reason why)
{
	if (from->n == 1) {
		add_edge(f, from->at[0], to, why);
		return;
	}
	if (!from->n || facts_rank(f, to) == UINT32_MAX)
		return;
	vec_each (from, i)
		if (ctp_at(f->c, from->at[i])->thread == ctp_at(f->c, to)->thread)
			return; /* its own thread has done it before */
	vec_push(&f->needs, (struct facts_need){to, f->need_from.n, from->n, (uint8_t)why});
	vec_each (from, i)
		vec_push(&f->need_from, from->at[i]);
}

/* to the first of each thread among those given, which rise in each thread */
static void add_needs_of_first(struct facts *f, const struct vec_u32 *from, const struct vec_u32 *to,
	enum facts_reason why)
{
	struct bitset seen = {0};

	vec_each (to, i) {
		const struct ctp_event *ev = ctp_at(f->c, to->at[i]);

		if (ev->kind != CTP_INIT && bitset_add(&seen, ev->thread))
			add_need(f, from, to->at[i], why);
	}
	bitset_release(&seen);
}

static void add_object_edges(struct facts *f, const struct facts_object *o)
{
	if (o->ordered)
		for (uint32_t i = 0; i + 1 < o->ops.n && facts_rank(f, o->ops.at[i + 1]) < f->observed; i++)
			add_edge(f, o->ops.at[i], o->ops.at[i + 1], FACTS_ORDERED);
	else
		add_needs_of_first(f, &o->inits, &o->ops, FACTS_INIT);
}

/* who leaves a round, and who enters the next one without having been in it, comes after all who
 * entered it */
static void add_barrier_edges(struct facts *f, const struct facts_object *o)
{
	struct map first = {0}; /* round -> into enters + 1: rounds come one after the other */
	struct map was_in = {0}; /* round, thread */
	struct vec_u32 enters = {0};

	vec_each (&o->ops, i)
		if (ctp_at(f->c, o->ops.at[i])->kind == CTP_BARRIER_ENTER)
			vec_push(&enters, o->ops.at[i]);
	vec_each (&enters, i) {
		const struct ctp_event *ev = ctp_at(f->c, enters.at[i]);
		uint64_t *at = map_put(&first, ev->round);

		if (!*at)
			*at = i + 1;
		*map_put(&was_in, (uint64_t)ev->round << 32 | ev->thread) = 1;
	}
	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		bool next = ev->kind == CTP_BARRIER_ENTER && ev->round > 0 &&
			    !map_get(&was_in, (uint64_t)(ev->round - 1) << 32 | ev->thread);
		uint32_t round = ev->kind == CTP_BARRIER_LEAVE ? ev->round : ev->round - 1;
		uint32_t at;

		if (ev->kind != CTP_BARRIER_LEAVE && !next)
			continue;
		at = (uint32_t)map_get_or(&first, round, 0);
		for (uint32_t k = at ? at - 1 : enters.n; k < enters.n; k++) {
			uint32_t r = ctp_at(f->c, enters.at[k])->round;

			if (r > round + 1)
				break;
			if (r == round)
				add_edge(f, enters.at[k], o->ops.at[i], FACTS_BARRIER);
		}
	}
	map_release(&first);
	map_release(&was_in);
	vec_release(&enters);
}

/* of alternatives: of each thread that enters the round one does */
static void add_round_needs(struct facts *f, const struct facts_object *o)
{
	struct vec_u32 from = {0};

	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		struct bitset seen = {0};

		for (uint32_t k = 0; ev->kind == CTP_BARRIER_LEAVE && k < o->ops.n; k++) {
			const struct ctp_event *en = ctp_at(f->c, o->ops.at[k]);
			uint32_t g = ctp_group(f->c, en->thread);

			if (en->kind != CTP_BARRIER_ENTER || en->round != ev->round ||
				!bitset_add(&seen, g))
				continue;
			vec_clear(&from);
			for (uint32_t m = k; m < o->ops.n; m++) {
				const struct ctp_event *x = ctp_at(f->c, o->ops.at[m]);

				if (x->kind == CTP_BARRIER_ENTER && x->round == ev->round &&
					ctp_group(f->c, x->thread) == g)
					vec_push(&from, o->ops.at[m]);
			}
			add_need(f, &from, o->ops.at[i], FACTS_BARRIER);
		}
		bitset_release(&seen);
	}
	vec_release(&from);
}

/* the last events of a thread, or of the alternatives of it that end */
static void last_events_of(const struct facts *f, uint32_t thread, struct vec_u32 *out)
{
	vec_clear(out);
	vec_each (&f->c->threads, t) {
		const struct ctp_thread *th = &f->c->threads.at[t];

		if (th->n && (t == thread || facts_same_group(f, t, thread)) &&
			(!f->merged || th->end != CTP_NONE))
			vec_push(out, th->first + th->n - 1);
	}
}

static void creates_of(const struct facts *f, uint32_t t, struct vec_u32 *out)
{
	vec_clear(out);
	if (!f->merged && f->c->threads.at[t].create != CTP_NONE)
		vec_push(out, f->c->threads.at[t].create);
	for (uint32_t e = 0; f->merged && e < f->c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(f->c, e);

		if (ev->kind == CTP_CREATE && ev->other < f->c->threads.n &&
			ctp_group(f->c, ev->other) == ctp_group(f->c, t))
			vec_push(out, e);
	}
}

/* who runs the routine of a once: that of the event, or any alternative of it */
static void runners_of(const struct facts *f, uint32_t e, struct vec_u32 *out)
{
	const struct ctp_event *ev = ctp_at(f->c, e);

	vec_clear(out);
	if (ev->other == CTP_NONE || ev->other == e)
		return;
	if (!f->merged)
		vec_push(out, ev->other);
	for (uint32_t i = 0; f->merged && i < f->c->events.n; i++) {
		const struct ctp_event *x = ctp_at(f->c, i);

		if (x->kind == CTP_ONCE && x->object == ev->object && x->other == i)
			vec_push(out, i);
	}
}

static void add_thread_edges(struct facts *f)
{
	const struct ctp *c = f->c;
	struct vec_u32 from = {0};

	vec_each (&c->threads, t)
		if (c->threads.at[t].n) {
			creates_of(f, t, &from);
			add_need(f, &from, c->threads.at[t].first, FACTS_CREATE);
		}
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_JOIN && ev->other < c->threads.n) {
			last_events_of(f, ev->other, &from);
			add_need(f, &from, e, FACTS_JOIN);
		}
		if (ev->kind == CTP_ONCE) {
			runners_of(f, e, &from);
			add_need(f, &from, e, FACTS_ONCE);
		}
	}
	vec_release(&from);
}

static void add_block_edges(struct facts *f)
{
	const struct ctp *c = f->c;
	VEC(struct vec_u32) allocs = {0};
	struct map seen = {0};
	struct vec_u32 one = {0};

	vec_resize(&f->frees, f->merged ? c->blocks.n : 0);
	vec_resize(&allocs, f->merged ? c->blocks.n : 0);
	for (uint32_t e = 0; f->merged && e < c->events.n; e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->block != CTP_NONE && ev->kind == CTP_ALLOC)
			vec_push(&allocs.at[ev->block], e);
		if (ev->block != CTP_NONE && ev->kind == CTP_FREE)
			vec_push(&f->frees.at[ev->block], e);
	}
	vec_each (&f->order, r) {
		uint32_t e = f->order.at[r];
		const struct ctp_event *ev = ctp_at(c, e);
		uint64_t *at;

		if (ev->block == CTP_NONE || ev->kind == CTP_ALLOC)
			continue;
		at = map_put(&seen, (uint64_t)ev->block << 32 | ev->thread);
		vec_clear(&one);
		if (c->blocks.at[ev->block].alloc != CTP_NONE)
			vec_push(&one, c->blocks.at[ev->block].alloc);
		if (!*at)
			add_need(f, f->merged ? &allocs.at[ev->block] : &one, e, FACTS_ALLOC);
		*at = 1;
	}
	vec_each (&allocs, i)
		vec_release(&allocs.at[i]);
	vec_release(&allocs);
	vec_release(&one);
	map_release(&seen);
}

static int by_to(const void *a, const void *b)
{
	const struct facts_edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_need(const void *a, const void *b)
{
	const struct facts_need *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

static void sort_needs(struct facts *f)
{
	if (f->needs.n)
		qsort(f->needs.at, f->needs.n, sizeof *f->needs.at, by_need);
	vec_resize(&f->need_first, f->c->events.n + 1);
	vec_each (&f->needs, i)
		f->need_first.at[f->needs.at[i].to + 1]++;
	for (uint32_t e = 0; e < f->c->events.n; e++)
		f->need_first.at[e + 1] += f->need_first.at[e];
}

static void find_edges(struct facts *f)
{
	add_thread_edges(f);
	add_block_edges(f);
	vec_each (&f->objects, i) {
		add_object_edges(f, &f->objects.at[i]);
		(f->merged ? add_round_needs : add_barrier_edges)(f, &f->objects.at[i]);
	}
	if (f->edges.n)
		qsort(f->edges.at, f->edges.n, sizeof *f->edges.at, by_to);
	vec_resize(&f->edge_first, f->c->events.n + 1);
	vec_each (&f->edges, i)
		f->edge_first.at[f->edges.at[i].to + 1]++;
	for (uint32_t e = 0; e < f->c->events.n; e++)
		f->edge_first.at[e + 1] += f->edge_first.at[e];
	sort_needs(f);
}

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
		mark_used_otherwise(f, ev->addr);
	}
}

bool facts_only_asserted(struct facts *f, uint32_t access)
{
	if (!f->asserted_known)
		find_asserted(f);
	f->asserted_known = true;
	return bitset_has(&f->asserted, access);
}

/* who takes which signal, in the observed order: the earliest that nobody took since it waits,
 * which leaves later ones to others and so is as good as any choice */
static void match_signals(struct facts *f)
{
	const struct ctp *c = f->c;
	struct vec_u32 free_signals = {0};

	vec_each (&f->order, r) {
		uint32_t e = f->order.at[r];
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind != CTP_WOKEN || ev->other == CTP_NONE)
			continue;
		vec_clear(&free_signals);
		facts_pending_signals(
			f, f->object.at[e], facts_rank(f, ev->other), facts_rank(f, e), &free_signals);
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

/* one alternative of each thread of the round stands in the order */
static bool round_is_full(const struct facts *f, const struct ctp_event *leave)
{
	struct bitset there = {0};
	bool full = true;

	for (uint32_t pass = 0; pass < 2; pass++)
		vec_each (&f->c->events, e) {
			const struct ctp_event *ev = ctp_at(f->c, e);

			if (ev->kind != CTP_BARRIER_ENTER || ev->object != leave->object ||
				ev->round != leave->round)
				continue;
			if (pass)
				full &= bitset_has(&there, ctp_group(f->c, ev->thread));
			else if (f->rank.at[e] != UINT32_MAX)
				bitset_add(&there, ctp_group(f->c, ev->thread));
		}
	bitset_release(&there);
	return full;
}

/* whether an event of another run can stand next in an order: its thread is created, joined … */
static bool can_follow(const struct facts *f, uint32_t e)
{
	const struct ctp *c = f->c;
	const struct ctp_event *ev = ctp_at(c, e);
	struct vec_u32 from = {0};
	bool any;

	if (e == c->threads.at[ev->thread].first)
		creates_of(f, ev->thread, &from);
	else if (ev->kind == CTP_JOIN && ev->other < c->threads.n)
		last_events_of(f, ev->other, &from);
	else if (ev->kind == CTP_ONCE)
		runners_of(f, e, &from);
	else if (ev->kind == CTP_BARRIER_LEAVE && !round_is_full(f, ev))
		return false;
	any = !from.n;
	vec_each (&from, i)
		any |= f->rank.at[from.at[i]] != UINT32_MAX;
	vec_release(&from);
	return any;
}

/* the events of other runs, thread by thread as far as each can go */
static void order_others(struct facts *f)
{
	const struct ctp *c = f->c;
	bool more = true;

	while (more) {
		more = false;
		vec_each (&c->threads, t)
			for (uint32_t i = 0; i < c->threads.at[t].n; i++) {
				uint32_t e = c->threads.at[t].first + i;

				if (f->rank.at[e] != UINT32_MAX)
					continue;
				if (ctp_at(c, e)->flags & CTP_PENDING || !can_follow(f, e))
					break;
				f->rank.at[e] = f->order.n;
				vec_push(&f->order, e);
				more = true;
			}
	}
}

/* what is under way when the recording ends is never executed: behind everything */
static void take_order(struct facts *f)
{
	const struct ctp *c = f->c;

	vec_each (&c->threads, t)
		f->merged |= c->threads.at[t].alt != 0;
	vec_resize(&f->rank, c->events.n);
	vec_each (&c->events, e)
		f->rank.at[e] = UINT32_MAX;
	vec_each (&c->order, r) {
		f->rank.at[c->order.at[r]] = f->order.n;
		vec_push(&f->order, c->order.at[r]);
	}
	f->observed = f->order.n;
	if (f->merged)
		order_others(f);
	f->unknown_cells = f->merged; /* what an alternative read is not there if another runs */
	vec_each (&c->events, e)
		if (f->rank.at[e] == UINT32_MAX && !(ctp_at(c, e)->flags & CTP_PENDING))
			f->wrong = "the observed order does not have all events";
}

struct facts *facts_new(const struct ctp *c)
{
	struct facts *f = xcalloc(1, sizeof *f);

	f->c = c;
	take_order(f);
	index_objects(f);
	index_cells(f);
	find_held(f);
	find_ordered(f);
	find_tries(f);
	find_edges(f);
	match_signals(f);
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
