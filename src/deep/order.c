/*
 * The order of a run's events, from what its schedule says was run: each segment is a thread up to a
 * point. Extraction has to search for an order in which every read gets its value; here there is only one,
 * and it is looked whether it explains them.
 */
#include "deep/deep_in.h"

#include <string.h>

struct replayed {
	struct ctp *c;
	struct vec_u32 order;
	uint32_t *next; /* by thread */
	u128 *value;    /* by cell */
	bool *known;
	VEC(struct learned { /* a cell whose first value a read told */
		uint32_t cell;
		u128 value;
	}) learned;
	bool wrong;
};

uint32_t order_thread(const struct ctp *c, const struct deep_run *r, uint32_t name)
{
	uint32_t parent;

	if (name >= r->names.n)
		return CTP_NONE;
	if (!name)
		return 0;
	parent = order_thread(c, r, r->names.at[name].parent);
	vec_each (&c->threads, t)
		if (t && c->threads.at[t].parent == parent &&
			c->threads.at[t].nth == r->names.at[name].nth)
			return t;
	return CTP_NONE;
}

/* Over when the thread stands before the point of its number (schedule.c). */
static bool has_no_point(const struct ctp_event *e)
{
	return ctp_is_guard(e->kind) || e->kind == CTP_BEGIN || e->kind == CTP_END ||
	       e->kind == CTP_FAIL || e->kind == CTP_ATOMIC_BEGIN || e->kind == CTP_ATOMIC_END ||
	       (e->flags & CTP_NATIVE_USE && ctp_is_access(e->kind));
}

static void execute(struct replayed *p, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(p->c, e);

	vec_push(&p->order, e);
	for (uint32_t i = ev->first; i < ev->first + ev->n; i++) {
		const struct ctp_access *a = &p->c->accesses.at[i];

		if (a->sym.id && !p->known[a->cell]) {
			p->known[a->cell] = true;
			p->value[a->cell] = a->seen;
			vec_push(&p->learned, (struct learned){a->cell, a->seen});
		}
		p->wrong |= a->sym.id && p->value[a->cell] != a->seen;
	}
	for (uint32_t i = ev->first; i < ev->first + ev->n; i++) {
		const struct ctp_access *a = &p->c->accesses.at[i];

		if (!a->value.id)
			continue;
		p->known[a->cell] = true;
		p->value[a->cell] = a->put;
	}
}

static void go_on(struct replayed *p, uint32_t t, uint64_t until)
{
	const struct ctp_thread *th = &p->c->threads.at[t];

	for (; p->next[t] < th->first + th->n; p->next[t]++) {
		const struct ctp_event *e = ctp_at(p->c, p->next[t]);

		if ((e->flags & CTP_PENDING) || e->point + !has_no_point(e) > until)
			return;
		execute(p, p->next[t]);
	}
}

static bool is_all(const struct replayed *p)
{
	uint32_t pending = 0;

	vec_each (&p->c->events, e)
		pending += (ctp_at(p->c, e)->flags & CTP_PENDING) != 0;
	return p->order.n + pending == p->c->events.n;
}

static void keep(struct replayed *p)
{
	struct ctp *c = p->c;

	vec_each (&p->learned, i) {
		struct ctp_cell *cell = &c->cells.at[p->learned.at[i].cell];

		cell->known = true;
		cell->initial = p->learned.at[i].value;
	}
	vec_clear(&c->order);
	vec_each (&p->order, i) {
		vec_push(&c->order, p->order.at[i]);
		c->events.at[p->order.at[i]].rank = i;
	}
	c->order_exact = true;
}

bool order_as_run(struct ctp *c, const struct deep_run *r)
{
	struct replayed p = {.c = c,
		.next = xcalloc(c->threads.n + 1, sizeof *p.next),
		.value = xcalloc(c->cells.n + 1, sizeof *p.value),
		.known = xcalloc(c->cells.n + 1, sizeof *p.known)};
	bool right;

	vec_each (&c->threads, t)
		p.next[t] = c->threads.at[t].first;
	vec_each (&c->cells, i) {
		p.known[i] = c->cells.at[i].known;
		p.value[i] = c->cells.at[i].initial;
	}
	vec_each (&r->switches, i) {
		uint32_t t = order_thread(c, r, r->switches.at[i].thread);

		if (t != CTP_NONE)
			go_on(&p, t, r->switches.at[i].until);
	}
	vec_each (&c->threads, t) /* what comes behind the last point */
		go_on(&p, t, UINT64_MAX);
	right = r->switches.n && !p.wrong && is_all(&p);
	if (right)
		keep(&p);
	vec_release(&p.order);
	vec_release(&p.learned);
	free(p.next);
	free(p.value);
	free(p.known);
	return right;
}
