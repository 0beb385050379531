/* Where the data of a violation lies, and which places access it under which locks. */
#include "explain/explain_internal.h"

#include "base/diag.h"
#include "trace/collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- location ------------------------------------------------------------------------------- */

static uint32_t global_at(const struct explainer *x, uint64_t addr)
{
	const struct follow_snapshot *s = trace_snapshot(x->c->trace);

	for (uint32_t g = 0; s && g < x->p->globals.n; g++) {
		uint64_t at = follow_global_addr(s, g);

		if (at && addr - at < x->p->globals.at[g].size)
			return g;
	}
	return IR_NONE;
}

static void add_pos(const struct explainer *x, uint32_t pos, struct strbuf *out)
{
	struct diag_pos at = ir_diag_pos(x->p, pos);

	if (at.file && at.line)
		strbuf_addf(out, ", declared at %s:%u", at.file, at.line);
}

static void add_frames(
	const struct explainer *x, const struct sync_thread *h, stack_id stack, struct strbuf *out)
{
	const struct stack_entry *e;
	uint32_t n = stack.id ? stacks_get(&h->stacks, stack, &e) : 0;

	for (uint32_t i = 0; i < n && i < 8; i++) {
		strbuf_addf(out, "\n  #%u ", i);
		names_place(out, x->p, e[i].func, e[i].insn);
	}
}

static uint32_t ctp_thread_of(const struct explainer *x, uint32_t trace_index)
{
	uint32_t id = trace_thread(x->c->trace, trace_index)->id;

	vec_each (&x->c->threads, t)
		if (x->c->threads.at[t].id == id)
			return t;
	return CTP_NONE;
}

static void add_owner(const struct explainer *x, uint32_t trace_index, struct strbuf *out)
{
	uint32_t t = ctp_thread_of(x, trace_index);

	if (t == CTP_NONE)
		strbuf_adds(out, "another thread");
	else
		add_thread(x, t, out);
}

static void add_heap_location(
	const struct explainer *x, const struct generation *g, uint64_t addr, struct strbuf *out)
{
	const struct sync_thread *h = &x->c->sync->h.threads.at[g->thread];
	const struct sync_event *e = &h->events.at[g->event];

	strbuf_addf(
		out, "Location is heap block of size %" PRIu64 " at 0x%" PRIx64, g->size, g->base);
	if (addr != g->base)
		strbuf_addf(out, ", byte %" PRIu64 " of it", addr - g->base);
	strbuf_adds(out, ", allocated by ");
	add_owner(x, g->thread, out);
	if (e->stack.id) {
		strbuf_adds(out, ":");
		add_frames(x, h, e->stack, out);
	} else {
		strbuf_adds(out, " at ");
		names_place(out, x->p, e->func, e->insn);
	}
}

static void add_local_location(
	const struct explainer *x, const struct generation *g, struct strbuf *out)
{
	const struct ir_func *f = &x->p->funcs.at[g->func];
	const struct ir_local *l = &f->locals.at[g->local];

	strbuf_adds(out, "Location is ");
	if (l->name)
		strbuf_addf(out, "variable '%s'", ir_str(x->p, l->name));
	else
		strbuf_adds(out, "a variable");
	strbuf_addf(out, " of size %" PRIu64 " of '%s' on the stack of ", g->size,
		ir_func_name(x->p, g->func));
	add_owner(x, g->thread, out);
}

static void add_location(const struct explainer *x, uint64_t addr, uint32_t gen, struct strbuf *out)
{
	uint32_t global = global_at(x, addr);
	const struct generation *g =
		gen && x->c->sync && gen < x->c->sync->g.at.n ? &x->c->sync->g.at.at[gen] : NULL;

	if (global != IR_NONE) {
		const struct ir_global *gl = &x->p->globals.at[global];

		strbuf_addf(out, "Location is global '%s' of size %" PRIu64, ir_str(x->p, gl->name),
			gl->size);
		add_pos(x, gl->pos, out);
	} else if (g && g->kind == GEN_HEAP) {
		add_heap_location(x, g, addr, out);
	} else if (g && g->kind == GEN_LOCAL) {
		add_local_location(x, g, out);
	} else if (g && g->kind == GEN_LIBRARY) {
		strbuf_addf(out, "Location is 0x%" PRIx64 ", in a block that the library allocated", addr);
	} else if (g) {
		strbuf_adds(out, "Location is stack of ");
		add_owner(x, g->thread, out);
	} else {
		strbuf_addf(out,
			"Location is 0x%" PRIx64 ", memory that the program did not allocate",
			addr);
	}
}

void note_location(struct explainer *x)
{
	struct strbuf b = {0};
	const struct ctp_event *e;
	uint32_t block, event;

	if (!x->p || !x->v->nkeys)
		return;
	switch (x->v->kind) {
	case FAULT_RACE:
	case FAULT_ATOMICITY:
	case FAULT_USE_AFTER_FREE:
	case FAULT_USE_AFTER_RETURN:
	case FAULT_DOUBLE_FREE:
	case FAULT_OVERFLOW: break;
	default: return;
	}
	event = x->v->key[0];
	if (x->v->kind == FAULT_RACE)
		event = race_named_by(x->c, event, x->v->key[1]);
	e = ctp_at(x->c, event);
	block = block_of(x, event);
	if (block != CTP_NONE && block < x->c->blocks.n)
		add_location(x,
			e->operand.id ? (uint64_t)value_of(x, e->operand)
			: e->at    ? e->at
				   : x->c->blocks.at[block].addr,
			x->c->blocks.at[block].gen, &b);
	else if (e->n)
		add_location(x,
			e->at ? e->at : x->c->cells.at[x->c->accesses.at[e->first].cell].addr,
			x->c->cells.at[x->c->accesses.at[e->first].cell].gen, &b);
	else if (e->at && !e->operand.id)
		add_location(x, e->at, 0, &b);
	note_add(x, "location", &b);
}

/* ---- accesses to it, and their locks -------------------------------------------------------- */

struct use {
	uint64_t place; /* hash of the source place */
	uint32_t event; /* one of them */
	bool writes;
	struct vec_u32 locks; /* critical sections of the first access, of locks held at every access */
};

struct uses_of {
	struct explainer *x;
	VEC(struct use) at;
};

static bool holds_lock(const struct ctp *c, const struct vec_u32 *regions, uint64_t object)
{
	vec_each (regions, i)
		if (c->regions.at[regions->at[i]].object == object)
			return true;
	return false;
}

static void add_use(struct uses_of *u, uint32_t event)
{
	const struct ctp *c = u->x->c;
	uint64_t place = ctp_places_hash(c, &event, 1);
	struct vec_u32 held = {0};
	struct use *use = NULL;
	uint32_t n = 0;

	held_at(u->x, event, &held);
	vec_each (&u->at, i)
		if (u->at.at[i].place == place)
			use = &u->at.at[i];
	if (!use) {
		use = vec_add(&u->at);
		*use = (struct use){.place = place, .event = event, .locks = held};
		held = (struct vec_u32){0};
	}
	use->writes |= ctp_at(c, event)->kind != CTP_READ;
	if (held.n || use->event != event) {
		vec_each (&use->locks, i)
			if (holds_lock(c, &held, c->regions.at[use->locks.at[i]].object))
				use->locks.at[n++] = use->locks.at[i];
		use->locks.n = n;
	}
	vec_release(&held);
}

static bool accesses_cell(const struct ctp *c, const struct ctp_event *e, uint32_t cell)
{
	for (uint32_t a = e->first; ctp_is_access(e->kind) && a < e->first + e->n; a++)
		if (c->accesses.at[a].cell == cell)
			return true;
	return false;
}

/* The lock that most of the places hold; 0 if no two do. */
static uint64_t common_lock(const struct uses_of *u, uint32_t *places)
{
	uint64_t best = 0;

	*places = 0;
	vec_each (&u->at, i)
		vec_each (&u->at.at[i].locks, k) {
			uint64_t object = u->x->c->regions.at[u->at.at[i].locks.at[k]].object;
			uint32_t n = 0;

			vec_each (&u->at, j)
				n += holds_lock(u->x->c, &u->at.at[j].locks, object);
			if (n > *places) {
				*places = n;
				best = object;
			}
		}
	return best;
}

static void add_places(struct uses_of *u, uint64_t lock, struct strbuf *out)
{
	uint32_t n = 0;

	vec_each (&u->at, i) {
		const struct use *use = &u->at.at[i];

		if (lock && holds_lock(u->x->c, &use->locks, lock))
			continue;
		if (n++ >= 5)
			continue;
		strbuf_adds(out, n > 1 ? ", " : "");
		add_place(u->x, use->event, out);
		strbuf_adds(out, use->writes ? " (writes)" : " (reads)");
	}
	if (n > 5)
		strbuf_addf(out, " and %u more", n - 5);
}

enum { MAX_USES = 1000 }; /* events examined; they come from few places */

/* Another thread accesses it, and no creation or join orders the two accesses: they need a lock. */
static bool meets_others(struct explainer *x, uint32_t event, const struct vec_u32 *users)
{
	const struct ctp_event *e = ctp_at(x->c, event);

	vec_each (users, i) {
		const struct ctp_event *o = ctp_at(x->c, users->at[i]);

		if (o->thread == e->thread || (o->kind == CTP_READ && e->kind == CTP_READ))
			continue;
		if (!x->mhb || (!mhb_before(x->mhb, event, users->at[i]) &&
				       !mhb_before(x->mhb, users->at[i], event)))
			return true;
	}
	return false;
}

void note_uses(struct explainer *x, uint32_t event, struct strbuf *out)
{
	const struct ctp *c = x->c;
	const struct ctp_event *e = ctp_at(c, event);
	struct uses_of u = {.x = x};
	struct vec_u32 users = {0};
	uint32_t cell, places;
	uint64_t lock;

	if (!ctp_is_access(e->kind) || !e->n)
		return;
	cell = c->accesses.at[e->first].cell;
	vec_each (&c->events, i)
		if (accesses_cell(c, ctp_at(c, i), cell) && users.n < MAX_USES)
			vec_push(&users, i);
	vec_each (&users, i)
		if (meets_others(x, users.at[i], &users))
			add_use(&u, users.at[i]);
	lock = common_lock(&u, &places);
	if (!u.at.n) { /* no unordered access among those examined */
		vec_release(&users);
		return;
	}
	strbuf_adds(out, "The accesses to ");
	ctp_name_access(c, event, out);
	if (!places) {
		strbuf_adds(out, " are protected by no lock: ");
		add_places(&u, 0, out);
	} else if (places == u.at.n) {
		strbuf_addf(out, u.at.n > 1 ? " are all protected by " : " are protected by ");
		add_object_kind(x, lock, out);
		strbuf_adds(out, ", which does not order them");
	} else {
		strbuf_addf(out, " at %u of %u places are protected by ", places, u.at.n);
		add_object_kind(x, lock, out);
		strbuf_adds(out, u.at.n - places > 1 ? ", not those at " : ", not that at ");
		add_places(&u, lock, out);
	}
	strbuf_adds(out, ".\n");
	vec_release(&users);
	vec_each (&u.at, i)
		vec_release(&u.at.at[i].locks);
	vec_release(&u.at);
}
