/* Objects of synchronization, for cssa.h: their operations, and which of them keep their order. */
#include "model/cssa_internal.h"

#include "base/base.h"

bool cssa_takes(const struct ctp_event *ev)
{
	if (ev->flags & CTP_RECURSIVE || ev->region == CTP_NONE)
		return false;
	return ev->kind == CTP_LOCK || ev->kind == CTP_RDLOCK || ctp_has_wait(ev->kind);
}

bool cssa_gives(const struct ctp_event *ev)
{
	if (ev->flags & CTP_RECURSIVE || ev->region == CTP_NONE)
		return false;
	return ev->kind == CTP_UNLOCK || ev->kind == CTP_RDUNLOCK || ev->kind == CTP_WAIT;
}

static bool has_object(enum ctp_kind k)
{
	switch (k) {
	case CTP_LOCK:
	case CTP_UNLOCK:
	case CTP_RDLOCK:
	case CTP_RDUNLOCK:
	case CTP_TRYFAIL:
	case CTP_WAIT:
	case CTP_WOKEN:
	case CTP_TIMEOUT:
	case CTP_SIGNAL:
	case CTP_BROADCAST:
	case CTP_SEM_WAIT:
	case CTP_SEM_FAIL:
	case CTP_SEM_POST:
	case CTP_STATE:
	case CTP_BARRIER_ENTER:
	case CTP_BARRIER_LEAVE:
	case CTP_INIT:
	case CTP_DESTROY: return true;
	default: return false;
	}
}

struct cssa_object *cssa_object(struct cssa *z, uint64_t addr)
{
	uint64_t *at = map_put(&z->object_at, addr);

	if (!*at) {
		*vec_add(&z->objects) = (struct cssa_object){.addr = addr, .initial = -1};
		*at = z->objects.n;
	}
	return &z->objects.at[*at - 1];
}

struct cssa_object *cssa_lock_of(struct cssa *z, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);

	return cssa_object(z, ctp_has_mutex(ev->kind) ? ctp_mutex(ev) : ev->object);
}

static void add_operation(struct cssa *z, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);
	struct cssa_object *o;

	if (!has_object(ev->kind))
		return;
	o = cssa_object(z, ev->object);
	vec_push(&o->ops, e);
	o->counts |= ev->kind >= CTP_SEM_WAIT && ev->kind <= CTP_SEM_POST;
	if (ev->kind == CTP_INIT)
		vec_push(&o->inits, e);
	if (ev->kind == CTP_DESTROY)
		vec_push(&o->ends, e);
	if (ctp_has_mutex(ev->kind))
		vec_push(&cssa_object(z, ctp_mutex(ev))->ops, e);
	if (cssa_takes(ev) && z->c->regions.at[ev->region].shared)
		cssa_lock_of(z, e)->shared = true;
}

static void find_operations(struct cssa *z)
{
	const struct ctp *c = z->c;

	vec_each (&c->objects, i) {
		const struct ctp_object *from = &c->objects.at[i];

		cssa_object(z, from->addr)->initial = from->initial;
	}
	vec_each (&c->order, r)
		add_operation(z, c->order.at[r]);
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->rank != UINT32_MAX || ev->flags & CTP_PENDING)
			continue;
		if (!z->merged)
			z->wrong = "the observed order does not have all events";
		add_operation(z, e);
	}
}

/* ---- which objects keep their order ------------------------------------------------------- */

static bool are_alternatives(const struct cssa *z, uint32_t a, uint32_t b)
{
	uint32_t s = ctp_at(z->c, a)->thread, t = ctp_at(z->c, b)->thread;

	return s != t && ctp_group(z->c, s) == ctp_group(z->c, t);
}

/* An operation on the lock of which the critical section is not known, or has two owners. */
static bool has_unclear_section(const struct cssa *z, const struct cssa_object *o, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(z->c, e);
	const struct ctp_region *r;
	bool locks = ev->kind == CTP_LOCK || ev->kind == CTP_UNLOCK || ev->kind == CTP_RDLOCK ||
		     ev->kind == CTP_RDUNLOCK ||
		     (ctp_has_mutex(ev->kind) && ctp_mutex(ev) == o->addr);

	if (!locks || ev->flags & CTP_RECURSIVE)
		return false;
	if (ev->region == CTP_NONE)
		return true;
	r = &z->c->regions.at[ev->region];
	return r->foreign || r->begin == CTP_NONE;
}

/* The object lives once: one INIT, before everything else; one DESTROY, behind everything else. */
static bool lives_once(const struct cssa *z, const struct cssa_object *o)
{
	vec_each (&o->inits, i) {
		if (!z->merged && o->inits.at[i] != o->ops.at[0])
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (!are_alternatives(z, o->inits.at[i], o->inits.at[k]))
				return false;
	}
	vec_each (&o->ends, i) {
		uint32_t d = o->ends.at[i];

		if (!z->merged && d != vec_last(&o->ops))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (!are_alternatives(z, d, o->ends.at[k]))
				return false;
		vec_each (&o->ops, k)
			if (ctp_at(z->c, o->ops.at[k])->thread == ctp_at(z->c, d)->thread &&
				o->ops.at[k] > d)
				return false;
	}
	return true;
}

static bool keeps_order(const struct cssa *z, const struct cssa_object *o)
{
	if (!lives_once(z, o) || (o->counts && o->initial < 0))
		return true;
	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(z->c, o->ops.at[i]);

		if (has_unclear_section(z, o, o->ops.at[i]) ||
			(ev->kind == CTP_WOKEN && ev->object == o->addr &&
				ctp_wait(ev) == CTP_NONE))
			return true;
	}
	return false;
}

/* ---- failed tries -------------------------------------------------------------------------- */

/* The critical section was open at event e of the recorded run. */
static bool was_open(const struct cssa *z, const struct ctp_region *r, uint32_t e)
{
	uint32_t rank = ctp_at(z->c, e)->rank;

	return rank != UINT32_MAX && ctp_at(z->c, r->begin)->rank < rank &&
	       (r->end == CTP_NONE || ctp_at(z->c, r->end)->rank > rank);
}

static void find_try(struct cssa *z, uint32_t e)
{
	const struct ctp *c = z->c;
	const struct ctp_event *ev = ctp_at(c, e);
	bool writer = false, reader = false, own = false;

	vec_each (&c->regions, i) {
		const struct ctp_region *r = &c->regions.at[i];

		if (r->object != ev->object || r->begin == CTP_NONE)
			continue;
		if (r->thread == ev->thread)
			own |= !r->foreign && r->begin < e && (r->end == CTP_NONE || r->end > e);
		else if (was_open(z, r, e))
			*(r->shared ? &reader : &writer) = true;
	}
	z->tries.at[e] = own ? CSSA_OWN : reader && !writer ? CSSA_HOLDER : CSSA_WRITER;
	if (!own && !reader && !writer && !z->merged) /* why the try failed is not known */
		cssa_object(z, ev->object)->ordered = true;
}

void cssa_find_objects(struct cssa *z)
{
	find_operations(z);
	vec_each (&z->objects, i)
		z->objects.at[i].ordered = keeps_order(z, &z->objects.at[i]);
	vec_resize(&z->tries, z->c->events.n);
	vec_each (&z->c->events, e) {
		const struct ctp_event *ev = ctp_at(z->c, e);

		if (ev->kind != CTP_TRYFAIL)
			continue;
		if (ev->flags & CTP_UNRECOVERABLE) /* it needs no holder */
			z->tries.at[e] = CSSA_OWN;
		else if (!(ev->flags & CTP_PENDING))
			find_try(z, e);
	}
}

void cssa_free_objects(struct cssa *z)
{
	vec_each (&z->objects, i) {
		vec_release(&z->objects.at[i].ops);
		vec_release(&z->objects.at[i].inits);
		vec_release(&z->objects.at[i].ends);
		vec_release(&z->objects.at[i].var.defs);
	}
	vec_release(&z->objects);
	map_release(&z->object_at);
	vec_release(&z->tries);
}
