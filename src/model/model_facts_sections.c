/*
 * Derived critical sections: intervals of threads that exclude each other as critical sections of a
 * lock do, although no lock is held throughout.
 *
 * A semaphore whose initial value is 1, where every thread's waits and posts alternate, a wait
 * first: at most one wait has no post yet at any time.
 *
 * A flag: a cell with the known initial value `free`, to which every write writes `busy` or `free`,
 * such that
 *  - it is acquired either always in critical sections of one lock, where the same section has read
 *    the cell before and has a guard that is false for `busy`; or always by one event that reads and
 *    writes, which writes `busy` whatever it read, with a guard behind it that is false if it read
 *    `busy`
 *  - it is released (set to `free`) by a thread that has acquired it and has not released it since
 * Then writes that change the value alternate, and each `free` is written by the thread that wrote
 * the `busy` before it: no thread passes the guard of an acquisition before the owner has released
 * the flag. How other threads wait, and where the flag is released, does not matter. The critical
 * section begins where the thread is known to own the flag: at the write, or at the guard behind
 * the event.
 */
#include "model/model_facts.h"

#include "base/vec.h"

enum { NEAR = 256 }; /* events from an acquisition to its guard */

struct flag {
	struct facts *f;
	struct term_assign *as;
	uint32_t cell;
	u128 mask, free, busy;
	bool has_busy, in_one; /* acquired by one event that reads and writes */
};

/* -- semaphores -- */

static void begin_section(struct facts *f, uint64_t object, uint32_t thread, uint32_t begin)
{
	vec_push(&f->derived,
		(struct ctp_region){
			.object = object, .thread = thread, .begin = begin, .end = CTP_NONE});
}

static void find_semaphore(struct facts *f, uint32_t object)
{
	struct facts_object *o = &f->objects.at[object];
	struct vec_u32 open = {0}; /* by thread: its open section + 1 */
	uint32_t first = f->derived.n;
	bool alternate = true;

	vec_resize(&open, f->c->threads.n);
	vec_each (&o->ops, i) {
		const struct ctp_event *ev = ctp_at(f->c, o->ops.at[i]);
		uint32_t *mine = &open.at[ev->thread];

		if (ev->kind == CTP_SEM_WAIT && !*mine) {
			begin_section(f, o->addr, ev->thread, o->ops.at[i]);
			*mine = f->derived.n;
		} else if (ev->kind == CTP_SEM_POST && *mine) {
			f->derived.at[*mine - 1].end = o->ops.at[i];
			*mine = 0;
		} else if (ev->kind == CTP_SEM_WAIT || ev->kind == CTP_SEM_POST) {
			alternate = false;
		}
	}
	o->is_lock = alternate && f->derived.n > first;
	if (!alternate)
		f->derived.n = first;
	vec_release(&open);
}

/* -- flags -- */

static u128 value_if(const struct flag *g, term_t sym, u128 read, term_t t)
{
	term_assign_clear(g->as);
	if (sym.id)
		term_assign_set(g->as, sym, read);
	return term_value(g->as, t);
}

/* the read of a guard that is false if the cell was busy when it was read; CTP_NONE */
static uint32_t guarded_read(const struct flag *g, uint32_t e)
{
	const struct ctp *c = g->f->c;
	const struct ctp_event *ev = ctp_at(c, e);
	const struct term_syms *syms;
	uint32_t n, k;

	if (!ctp_is_guard(ev->kind) || !ev->cond.id)
		return CTP_NONE;
	syms = term_syms(c->ts, ev->cond);
	if (syms->n != 1)
		return CTP_NONE;
	n = term_sym_number(c->ts, syms->at[0]);
	k = n < g->f->access_of.n && g->f->access_of.at[n] ? g->f->access_of.at[n] - 1 : CTP_NONE;
	if (k == CTP_NONE || c->accesses.at[k].cell != g->cell ||
		value_if(g, syms->at[0], g->busy, ev->cond))
		return CTP_NONE;
	return k;
}

static bool is_taken_under(const struct flag *g, uint32_t e, uint64_t lock)
{
	const struct facts *f = g->f;
	uint32_t region = facts_exclusive(f, e, lock), begin;

	if (region == CTP_NONE)
		return false;
	begin = f->c->regions.at[region].begin;
	if (f->objects.at[facts_lock(f, begin)].ordered)
		return false;
	for (uint32_t i = e; i-- > begin + 1 && e - i < NEAR;) {
		uint32_t k = guarded_read(g, i), r = k == CTP_NONE ? k : f->access_event.at[k];

		if (k != CTP_NONE && r > begin &&
			ctp_at(f->c, r)->thread == ctp_at(f->c, e)->thread)
			return true;
	}
	return false;
}

/* the guard behind an event that is false if the event read `busy` */
static uint32_t guard_behind(const struct flag *g, uint32_t access)
{
	const struct facts *f = g->f;
	uint32_t e = f->access_event.at[access];
	const struct ctp_thread *t = &f->c->threads.at[ctp_at(f->c, e)->thread];

	for (uint32_t i = e + 1; i < t->first + t->n && i - e < NEAR; i++)
		if (guarded_read(g, i) == access)
			return i;
	return CTP_NONE;
}

enum put { PUT_OTHER, PUT_FREE, PUT_BUSY };

static enum put what_is_put(struct flag *g, uint32_t access)
{
	const struct ctp *c = g->f->c;
	const struct ctp_access *a = &c->accesses.at[access];
	const struct term_syms *syms = term_syms(c->ts, a->value);
	term_t sym = TERM_NONE;
	u128 v;

	if (syms->n) {
		if (syms->n > 1 || syms->at[0].id != a->sym.id)
			return PUT_OTHER;
		sym = syms->at[0];
	}
	v = value_if(g, sym, g->free, a->value) & g->mask;
	if (v == g->free)
		return sym.id ? PUT_OTHER : PUT_FREE;
	if (!g->has_busy) {
		g->busy = v;
		g->has_busy = true;
	}
	if (v != g->busy || (value_if(g, sym, g->busy, a->value) & g->mask) != v)
		return PUT_OTHER;
	return PUT_BUSY;
}

static bool reads_too(const struct facts *f, uint32_t access)
{
	const struct ctp_access *a = &f->c->accesses.at[access];

	return ctp_at(f->c, f->access_event.at[access])->kind == CTP_RMW && a->sym.id &&
	       term_op(f->c->ts, a->sym) == TERM_SYM;
}

/* All writes are constants, and all acquisitions have one form: the first one. CTP_NONE: no flag */
static uint32_t looks_like_flag(struct flag *g)
{
	struct facts *f = g->f;
	uint32_t take = CTP_NONE;

	for (uint32_t i = f->cell_first.at[g->cell]; i < f->cell_first.at[g->cell + 1]; i++) {
		uint32_t k = f->cell_writes.at[i];
		enum put put = what_is_put(g, k);

		if (put == PUT_OTHER)
			return CTP_NONE;
		if (put == PUT_FREE)
			continue;
		if (take == CTP_NONE)
			g->in_one = reads_too(f, take = k);
		else if (g->in_one != reads_too(f, k))
			return CTP_NONE;
	}
	return take;
}

static bool is_always_taken_under(struct flag *g, uint64_t lock)
{
	const struct facts *f = g->f;

	for (uint32_t i = f->cell_first.at[g->cell]; i < f->cell_first.at[g->cell + 1]; i++) {
		uint32_t k = f->cell_writes.at[i];

		if (what_is_put(g, k) == PUT_BUSY &&
			!is_taken_under(g, f->access_event.at[k], lock))
			return false;
	}
	return true;
}

static bool is_taken_under_lock(struct flag *g, uint32_t take)
{
	const struct facts *f = g->f;
	uint32_t e = f->access_event.at[take];

	for (uint32_t h = f->held_at.at[e]; h != CTP_NONE; h = f->held.at[h].next)
		if (is_always_taken_under(g, f->c->regions.at[f->held.at[h].region].object))
			return true;
	return false;
}

/* Begins or ends a section; false: the thread releases what it has not acquired, or acquires it
 * twice. */
static bool add_flag_write(struct flag *g, uint32_t access, uint32_t *mine)
{
	struct facts *f = g->f;
	uint32_t e = f->access_event.at[access], begin = e;

	if (what_is_put(g, access) == PUT_FREE) {
		if (!*mine || f->derived.at[*mine - 1].begin >= e)
			return false;
		f->derived.at[*mine - 1].end = e;
		*mine = 0;
		return true;
	}
	if (*mine)
		return false;
	if (g->in_one)
		begin = guard_behind(g, access);
	if (begin != CTP_NONE) { /* otherwise it did not acquire the flag, or that is not known */
		begin_section(f, UINT64_MAX - g->cell, ctp_at(f->c, e)->thread, begin);
		*mine = f->derived.n;
	}
	return true;
}

static void find_flag(struct facts *f, struct term_assign *as, uint32_t cell)
{
	const struct ctp_cell *cl = &f->c->cells.at[cell];
	struct flag g = {.f = f, .as = as, .cell = cell};
	uint32_t first = f->derived.n, take;
	struct vec_u32 open = {0};
	bool ok = true;

	if (!cl->known || cl->size > 8)
		return;
	g.mask = ((u128)1 << (8 * cl->size)) - 1;
	g.free = cl->initial & g.mask;
	take = looks_like_flag(&g);
	if (take == CTP_NONE || (!g.in_one && !is_taken_under_lock(&g, take)))
		return;
	vec_resize(&open, f->c->threads.n);
	for (uint32_t i = f->cell_first.at[cell]; ok && i < f->cell_first.at[cell + 1]; i++) {
		uint32_t k = f->cell_writes.at[i];

		ok = add_flag_write(&g, k, &open.at[ctp_at(f->c, f->access_event.at[k])->thread]);
	}
	if (!ok)
		f->derived.n = first;
	vec_release(&open);
}

/* -- sections by event -- */

/* Keeps sections such that an event begins or ends at most one. */
static void keep_sections(struct facts *f)
{
	uint32_t kept = 0;

	vec_resize(&f->derived_of, f->c->events.n);
	vec_each (&f->derived, i) {
		struct ctp_region s = f->derived.at[i];

		if (f->derived_of.at[s.begin] || (s.end != CTP_NONE && f->derived_of.at[s.end]))
			continue;
		f->derived.at[kept++] = s;
		f->derived_of.at[s.begin] = kept;
		if (s.end != CTP_NONE)
			f->derived_of.at[s.end] = kept;
	}
	f->derived.n = kept;
}

static void place_sections(struct facts *f)
{
	vec_resize(&f->derived_at, f->c->events.n);
	vec_each (&f->c->threads, t) {
		uint32_t first = f->c->threads.at[t].first, top = CTP_NONE;

		for (uint32_t e = first; e < first + f->c->threads.at[t].n; e++) {
			uint32_t s = f->derived_of.at[e];

			f->derived_at.at[e] = top;
			if (s && f->derived.at[s - 1].begin == e)
				facts_hold(f, &top, f->c->regions.n + s - 1);
			else if (s)
				facts_give_back(f, &top, f->c->regions.n + s - 1);
		}
		vec_push(&f->derived_end, top);
	}
}

void facts_derive_sections(struct facts *f, bool values)
{
	struct term_assign as;

	if (f->wrong || f->merged)
		return;
	vec_clear(&f->derived);
	vec_clear(&f->derived_of);
	vec_clear(&f->derived_at);
	vec_clear(&f->derived_end);
	vec_each (&f->objects, i)
		if (f->objects.at[i].semaphore && !f->objects.at[i].ordered &&
			f->objects.at[i].initial == 1)
			find_semaphore(f, i);
	term_assign_init(&as, f->c->ts);
	for (uint32_t i = 0; values && i < f->c->cells.n; i++)
		find_flag(f, &as, i);
	term_assign_release(&as);
	if (!f->derived.n)
		return;
	keep_sections(f);
	place_sections(f);
}
