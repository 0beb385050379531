#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ctp_random.h"
#include "model/model_internal.h"

#include "trace/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTEXES = 2, A_MUTEX = 0x100, A_RWLOCK = 0x200, A_COND = 0x300, A_SEM = 0x400,
	A_BARRIER = 0x500, A_ONCE = 0x600, MAX_MADE = 40,
	SEM_CELL = 1 /* with making.counts */ };

struct made {
	struct ctp_event ev;
	struct ctp_access acc[2];
	uint32_t n;
};

struct making {
	struct rng *r;
	struct ctp *c;
	uint32_t threads;
	struct {
		struct made at[MAX_MADE];
		uint32_t n;
		bool started, ended, waiting, joined[RANDOM_THREADS];
		uint32_t entered;      /* barrier: its round + 1 while inside */
		uint32_t wait;         /* number of its WAIT */
		uint32_t held[8], nheld; /* regions */
		term_t syms[2 * MAX_MADE];
		uint32_t nsyms;
	} t[RANDOM_THREADS];
	struct { uint32_t thread, n; } order[4 * MAX_MADE];
	uint32_t norder;
	u128 cell[RANDOM_CELLS];
	bool known[RANDOM_CELLS];
	int64_t sem;
	uint32_t round, inside;
	uint32_t woken; /* threads that a signal reached, as bits */
	bool block_freed, block_made, destroyed;
	uint32_t once_thread, once_n;
	struct term_assign as;
	bool odd, conditions, rich;
	bool block_used, initialized;
	bool counts; /* the value of the semaphore is a cell */
};

static struct made *add(struct making *m, uint32_t t, enum ctp_kind k)
{
	struct made *x = &m->t[t].at[m->t[t].n++];

	*x = (struct made){.ev = {.kind = k, .thread = t, .link.none = CTP_NONE, .region = CTP_NONE,
		.block = CTP_NONE, .func = UINT32_MAX, .insn = UINT32_MAX}};
	m->order[m->norder].thread = t;
	m->order[m->norder++].n = m->t[t].n - 1;
	return x;
}

static term_t byte(struct making *m, u128 v)
{
	return term_const(m->c->ts, 8, v);
}

/* a term over what the thread read */
static term_t some_term(struct making *m, uint32_t t)
{
	term_t a = byte(m, rng_below(m->r, 3));

	for (int i = 0; i < 2 && m->t[t].nsyms; i++) {
		term_t s = m->t[t].syms[rng_below(m->r, m->t[t].nsyms)];

		switch (rng_below(m->r, 4)) {
		case 0: a = term_add(m->c->ts, a, s); break;
		case 1: a = s; break;
		case 2: a = term_xor(m->c->ts, a, s); break;
		default: break;
		}
	}
	return a;
}

static void read_cell(struct making *m, uint32_t t, struct ctp_access *a)
{
	a->sym = term_fresh(m->c->ts, "r", 8);
	a->seen = m->cell[a->cell];
	term_assign_set(&m->as, a->sym, a->seen);
	m->t[t].syms[m->t[t].nsyms++] = a->sym;
}

static void write_cell(struct making *m, uint32_t t, struct ctp_access *a)
{
	a->value = a->sym.id && rng_chance(m->r, 70) ? term_add(m->c->ts, a->sym, byte(m, 1))
						     : some_term(m, t);
	a->put = term_value(&m->as, a->value);
}

/* an access to a cell, or to two that lie side by side: an int against one of its bytes */
static void access(struct making *m, uint32_t t, uint32_t cell, uint32_t cells, bool reads, bool writes)
{
	struct made *x = add(m, t, reads && writes ? CTP_RMW : reads ? CTP_READ : CTP_WRITE);

	x->n = cells;
	for (uint32_t i = 0; i < cells; i++) {
		x->acc[i].cell = cell + i;
		if (reads)
			read_cell(m, t, &x->acc[i]);
	}
	for (uint32_t i = 0; writes && i < cells; i++)
		write_cell(m, t, &x->acc[i]);
	for (uint32_t i = 0; writes && i < cells; i++) {
		m->cell[cell + i] = x->acc[i].put;
		m->known[cell + i] = true;
	}
	if (cell == 0 && m->block_made) {
		x->ev.block = 0;
		m->block_used = true;
	}
}

static bool cell_usable(struct making *m, uint32_t cell, bool reads)
{
	if (cell == SEM_CELL && m->counts)
		return false;
	if (cell == 0 && m->block_freed)
		return false;
	return !reads || m->known[cell];
}

static uint32_t region_new(struct making *m, uint64_t object, uint32_t t, bool shared)
{
	vec_push(&m->c->regions, (struct ctp_region){.object = object, .thread = t,
		.begin = CTP_NONE, .end = CTP_NONE, .shared = shared});
	return m->c->regions.n - 1;
}

/* open regions of an object; of shared ones only the exclusive matter to readers */
static uint32_t open_regions(struct making *m, uint64_t object, bool exclusive_only, uint32_t not_of)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < m->threads; t++)
		for (uint32_t i = 0; i < m->t[t].nheld; i++) {
			const struct ctp_region *r = &m->c->regions.at[m->t[t].held[i]];

			n += r->object == object && t != not_of && !(exclusive_only && r->shared);
		}
	return n;
}

static bool holds_alone(const struct making *m, uint32_t t, uint64_t object)
{
	for (uint32_t i = 0; i < m->t[t].nheld; i++)
		if (m->c->regions.at[m->t[t].held[i]].object == object &&
			!m->c->regions.at[m->t[t].held[i]].shared)
			return true;
	return false;
}

/* a recursive lock, taken and given back inside of its critical section */
static void add_inner_level(struct making *m, uint32_t t, uint64_t object)
{
	static const enum ctp_kind kinds[] = {CTP_LOCK, CTP_UNLOCK};

	for (uint32_t i = 0; i < 2; i++) {
		struct made *x = add(m, t, kinds[i]);

		x->ev.object = object;
		x->ev.flags = CTP_RECURSIVE;
	}
}

/* INIT of the second mutex, or ALLOC of the block, if nothing used them before */
static void begin_life(struct making *m, uint32_t t)
{
	if (!m->initialized) {
		add(m, t, CTP_INIT)->ev.object = A_MUTEX + 1;
		m->initialized = true;
	} else if (!m->block_used && m->block_made) {
		add(m, t, CTP_ALLOC)->ev.block = 0;
		m->block_used = true;
	}
}

static void take(struct making *m, uint32_t t, enum ctp_kind k, uint64_t object)
{
	struct made *x;
	uint32_t r;

	if (m->t[t].nheld == 8 || (object == A_MUTEX + 1 && m->destroyed))
		return;
	if (object == A_MUTEX + 1)
		m->initialized = true; /* it is too late for an INIT */
	if (m->rich && k == CTP_LOCK && holds_alone(m, t, object) && rng_chance(m->r, 60)) {
		add_inner_level(m, t, object);
		return;
	}
	if (open_regions(m, object, k == CTP_RDLOCK, CTP_NONE)) {
		bool exclusive = open_regions(m, object, true, t);

		if (open_regions(m, object, false, t) && (exclusive || k == CTP_LOCK) &&
			rng_chance(m->r, 40)) {
			x = add(m, t, CTP_TRYFAIL);
			x->ev.object = object;
		}
		return;
	}
	r = region_new(m, object, t, k == CTP_RDLOCK);
	x = add(m, t, k);
	x->ev.object = object;
	x->ev.region = r;
	m->t[t].held[m->t[t].nheld++] = r;
}

static uint32_t let_go(struct making *m, uint32_t t, uint32_t i)
{
	uint32_t r = m->t[t].held[i];

	memmove(&m->t[t].held[i], &m->t[t].held[i + 1],
		(m->t[t].nheld - i - 1) * sizeof m->t[t].held[0]);
	m->t[t].nheld--;
	return r;
}

static void give(struct making *m, uint32_t t)
{
	uint32_t of = t, r;
	struct made *x;

	if (m->odd && rng_chance(m->r, 10))
		of = rng_below(m->r, m->threads);
	if (!m->t[of].nheld || m->t[of].waiting)
		return;
	r = let_go(m, of, rng_below(m->r, m->t[of].nheld));
	x = add(m, t, m->c->regions.at[r].shared ? CTP_RDUNLOCK : CTP_UNLOCK);
	x->ev.object = m->c->regions.at[r].object;
	x->ev.region = r;
	m->c->regions.at[r].foreign = of != t;
}

static void cond_wait(struct making *m, uint32_t t)
{
	for (uint32_t i = 0; i < m->t[t].nheld; i++) {
		uint32_t r = m->t[t].held[i];
		struct made *x;

		if (m->c->regions.at[r].object != A_MUTEX)
			continue;
		let_go(m, t, i);
		x = add(m, t, CTP_WAIT);
		x->ev.object = A_COND;
		x->ev.of.mutex = A_MUTEX;
		x->ev.region = r;
		m->t[t].waiting = true;
		m->t[t].wait = m->t[t].n - 1;
		m->woken &= ~(1u << t);
		return;
	}
}

static void wake(struct making *m, uint32_t t)
{
	bool woken = m->woken >> t & 1;
	struct made *x;

	if (open_regions(m, A_MUTEX, false, CTP_NONE) || (!woken && !rng_chance(m->r, 15)))
		return;
	x = add(m, t, woken ? CTP_WOKEN : CTP_TIMEOUT);
	x->ev.object = A_COND;
	x->ev.of.mutex = A_MUTEX;
	x->ev.link.wait = m->t[t].wait;
	x->ev.region = region_new(m, A_MUTEX, t, false);
	m->t[t].held[m->t[t].nheld++] = x->ev.region;
	m->t[t].waiting = false;
}

static void notify(struct making *m, uint32_t t)
{
	bool all = rng_chance(m->r, 30);
	struct made *x = add(m, t, all ? CTP_BROADCAST : CTP_SIGNAL);
	uint32_t first = rng_below(m->r, m->threads);

	x->ev.object = A_COND;
	for (uint32_t i = 0; i < m->threads; i++) {
		uint32_t o = (first + i) % m->threads;

		if (m->t[o].waiting && !(m->woken >> o & 1)) {
			m->woken |= 1u << o;
			if (!all)
				return;
		}
	}
}

/* the operation reads the value of the semaphore, and adds to it */
static void count(struct making *m, uint32_t t, struct made *x, int by)
{
	x->n = 1;
	x->acc[0].cell = SEM_CELL;
	x->acc[0].sym = term_fresh(m->c->ts, "s", 8);
	x->acc[0].seen = m->cell[SEM_CELL];
	term_assign_set(&m->as, x->acc[0].sym, x->acc[0].seen);
	m->t[t].syms[m->t[t].nsyms++] = x->acc[0].sym;
	if (!by)
		return;
	x->acc[0].value = term_add(m->c->ts, x->acc[0].sym, byte(m, (uint8_t)by));
	x->acc[0].put = m->cell[SEM_CELL] = term_value(&m->as, x->acc[0].value);
}

static void semaphore(struct making *m, uint32_t t)
{
	bool wants = rng_chance(m->r, 55), looks = m->counts && rng_chance(m->r, 40);
	struct made *x = add(m, t,
		looks ? CTP_STATE : !wants ? CTP_SEM_POST : m->sem ? CTP_SEM_WAIT : CTP_SEM_FAIL);
	int by = x->ev.kind == CTP_SEM_POST ? 1 : x->ev.kind == CTP_SEM_WAIT ? -1 : 0;

	x->ev.object = A_SEM;
	m->sem += by;
	if (m->counts && x->ev.kind != CTP_SEM_FAIL)
		count(m, t, x, by);
}

/* a barrier of two */
static void barrier(struct making *m, uint32_t t)
{
	struct made *x = add(m, t, CTP_BARRIER_ENTER);

	x->ev.object = A_BARRIER;
	x->ev.link.round = m->round;
	m->t[t].entered = m->round + 1;
	if (++m->inside == 2) {
		m->inside = 0;
		m->round++;
	}
}

static void leave(struct making *m, uint32_t t)
{
	struct made *x;

	if (m->t[t].entered > m->round)
		return;
	x = add(m, t, CTP_BARRIER_LEAVE);
	x->ev.object = A_BARRIER;
	x->ev.link.round = m->t[t].entered - 1;
	m->t[t].entered = 0;
}

static void guard(struct making *m, uint32_t t)
{
	static const enum ctp_kind kinds[] = {CTP_BRANCH, CTP_ASSERT, CTP_FIX};
	term_t a = some_term(m, t), b = some_term(m, t), cond;
	struct made *x;

	cond = rng_chance(m->r, 50) ? term_eq(m->c->ts, a, b) : term_ult(m->c->ts, a, b);
	if (!term_value(&m->as, cond))
		cond = term_not(m->c->ts, cond);
	x = add(m, t, kinds[rng_below(m->r, 3)]);
	x->ev.cond = cond;
}

static void life(struct making *m, uint32_t t)
{
	struct made *x;

	switch (rng_below(m->r, 3)) {
	case 0:
		if (m->block_freed || !m->block_made)
			return;
		x = add(m, t, CTP_FREE);
		x->ev.block = 0;
		m->block_freed = m->block_used = true;
		break;
	case 1:
		if (m->destroyed || open_regions(m, A_MUTEX + 1, false, CTP_NONE))
			return;
		x = add(m, t, CTP_DESTROY);
		x->ev.object = A_MUTEX + 1;
		m->destroyed = m->initialized = true;
		break;
	default:
		x = add(m, t, CTP_ONCE);
		x->ev.object = A_ONCE;
		if (m->once_thread == CTP_NONE) {
			m->once_thread = t;
			m->once_n = m->t[t].n - 1;
		}
		break;
	}
}

static void thread_action(struct making *m, uint32_t t)
{
	uint32_t cell = rng_below(m->r, RANDOM_CELLS), kind = rng_below(m->r, 100), o;
	bool reads = kind < 25 || (kind >= 40 && kind < 48);

	if (m->t[t].waiting) {
		wake(m, t);
	} else if (m->rich && !m->t[t].entered && rng_chance(m->r, 5)) {
		begin_life(m, t);
	} else if (m->conditions) {
		kind < 30   ? take(m, t, CTP_LOCK, A_MUTEX)
		: kind < 50 ? give(m, t)
		: kind < 75 ? cond_wait(m, t)
			    : notify(m, t);
	} else if (m->t[t].entered) {
		leave(m, t);
	} else if (kind < 48) {
		uint32_t cells = m->rich && cell + 1 < RANDOM_CELLS && rng_chance(m->r, 40) ? 2 : 1;

		if (cell_usable(m, cell, reads) && (cells == 1 || cell_usable(m, cell + 1, reads)))
			access(m, t, cell, cells, reads, kind >= 25);
	} else if (kind < 60) {
		if (m->t[t].nsyms)
			guard(m, t);
	} else if (kind < 68) {
		take(m, t, CTP_LOCK, A_MUTEX + rng_below(m->r, MUTEXES));
	} else if (kind < 73) {
		take(m, t, rng_chance(m->r, 60) ? CTP_RDLOCK : CTP_LOCK, A_RWLOCK);
	} else if (kind < 84) {
		give(m, t);
	} else if (kind < 87) {
		cond_wait(m, t);
	} else if (kind < 90) {
		notify(m, t);
	} else if (kind < 93) {
		semaphore(m, t);
	} else if (kind < 95) {
		barrier(m, t);
	} else if (kind < 97) {
		life(m, t);
	} else {
		o = rng_below(m->r, m->threads);
		if (o != t && m->t[o].ended && !m->t[t].joined[o]) {
			add(m, t, CTP_JOIN)->ev.link.peer = o;
			m->t[t].joined[o] = true;
		} else if (o != t && o && m->t[o].started && !m->t[o].ended) {
			add(m, t, CTP_JOINFAIL)->ev.link.peer = o;
		} else if (o == t && t && !m->t[t].nheld) {
			add(m, t, CTP_END);
			m->t[t].ended = true;
		}
	}
}

static void start_thread(struct making *m, uint32_t by, uint32_t t)
{
	add(m, by, CTP_CREATE)->ev.link.peer = t;
	m->t[t].started = true;
	m->c->threads.at[t].parent = by;
	m->c->threads.at[t].create = m->t[by].n - 1; /* a number until all is laid out */
}

/* numbers of events in threads become indices */
static void lay_out(struct making *m)
{
	struct ctp *c = m->c;
	uint32_t first[RANDOM_THREADS + 1] = {0};

	for (uint32_t t = 0; t < m->threads; t++)
		first[t + 1] = first[t] + m->t[t].n;
	for (uint32_t t = 0; t < m->threads; t++) {
		struct ctp_thread *th = &c->threads.at[t];

		th->first = first[t];
		th->n = m->t[t].n;
		th->begin = CTP_NONE;
		th->end = m->t[t].ended ? first[t + 1] - 1 : CTP_NONE;
		if (th->create != CTP_NONE)
			th->create += first[th->parent];
		for (uint32_t i = 0; i < m->t[t].n; i++) {
			struct made *x = &m->t[t].at[i];

			x->ev.first = c->accesses.n;
			x->ev.n = x->n;
			x->ev.index = x->ev.point = i;
			for (uint32_t k = 0; k < x->n; k++)
				vec_push(&c->accesses, x->acc[k]);
			if (x->ev.kind == CTP_WOKEN || x->ev.kind == CTP_TIMEOUT)
				x->ev.link.wait += first[t];
			if (x->ev.kind == CTP_ONCE)
				x->ev.link.runner = first[m->once_thread] + m->once_n;
			if (x->ev.kind == CTP_FREE)
				c->blocks.at[0].free = first[t] + i;
			if (x->ev.kind == CTP_ALLOC)
				c->blocks.at[0].alloc = first[t] + i;
			if (x->ev.region != CTP_NONE) {
				struct ctp_region *r = &c->regions.at[x->ev.region];
				bool begins = r->begin == CTP_NONE && x->ev.kind != CTP_UNLOCK &&
					      x->ev.kind != CTP_RDUNLOCK && x->ev.kind != CTP_WAIT;

				*(begins ? &r->begin : &r->end) = first[t] + i;
			}
			vec_push(&c->events, x->ev);
		}
	}
	for (uint32_t i = 0; i < m->norder; i++) {
		uint32_t e = first[m->order[i].thread] + m->order[i].n;

		c->events.at[e].rank = i;
		vec_push(&c->order, e);
	}
}

struct ctp *ctp_random(struct rng *r, const struct ctp_random_options *opt)
{
	struct making *m = xcalloc(1, sizeof *m);
	struct ctp *c = xcalloc(1, sizeof *c);

	*m = (struct making){.r = r, .c = c, .threads = 2 + rng_below(r, RANDOM_THREADS - 1),
		.once_thread = CTP_NONE, .odd = opt->odd, .conditions = opt->conditions, .rich = opt->rich,
		.sem = rng_below(r, 3)};
	m->counts = rng_chance(r, 40);
	c->ts = terms_new();
	c->order_exact = true;
	term_assign_init(&m->as, c->ts);
	for (uint32_t i = 0; i < RANDOM_CELLS; i++) {
		m->known[i] = !rng_chance(r, 15);
		m->cell[i] = m->known[i] ? rng_below(r, 3) : 0;
		if (m->counts && i == SEM_CELL) {
			m->known[i] = true;
			m->cell[i] = (u128)m->sem;
		}
		vec_push(&c->cells, (struct ctp_cell){.addr = i, .size = 1, .initial = m->cell[i],
			.known = m->known[i]});
	}
	vec_push(&c->objects, (struct ctp_object){.addr = A_SEM, .kind = CHECK_SEM,
		.initial = opt->odd && !m->counts && rng_chance(r, 30) ? -1 : m->sem});
	vec_push(&c->blocks, (struct ctp_block){.alloc = CTP_NONE, .free = CTP_NONE});
	for (uint32_t t = 0; t < m->threads; t++)
		vec_push(&c->threads, (struct ctp_thread){.id = t, .parent = CTP_NONE,
			.create = CTP_NONE, .begin = CTP_NONE, .end = CTP_NONE});
	m->t[0].started = true;
	for (uint32_t t = 1; t < m->threads; t++)
		m->t[t].started = rng_chance(r, 60);
	m->block_made = rng_chance(r, 30);
	for (uint32_t tries = 0; m->norder < opt->events && tries < 40 * opt->events; tries++) {
		uint32_t t = rng_below(r, m->threads), o = rng_below(r, m->threads);

		if (!m->t[t].started || m->t[t].ended || m->t[t].n + 2 >= MAX_MADE)
			continue;
		if (!m->t[o].started && rng_chance(r, 30) && !m->t[t].waiting && !m->t[t].entered)
			start_thread(m, t, o);
		else
			thread_action(m, t);
	}
	lay_out(m);
	term_assign_release(&m->as);
	free(m);
	return c;
}

/* barriers and once belong to one run (merge.h) */
static bool mixes(const struct ctp *c, uint32_t t)
{
	for (uint32_t i = 0; i < c->threads.at[t].n; i++) {
		uint8_t k = ctp_at(c, c->threads.at[t].first + i)->kind;

		if (k == CTP_BARRIER_ENTER || k == CTP_ONCE)
			return true;
	}
	return !c->threads.at[t].n;
}

bool ctp_random_merge(struct rng *r, struct ctp *c)
{
	uint32_t a = rng_below(r, c->threads.n), b = rng_below(r, c->threads.n), n = 0;

	if (a >= b || mixes(c, a) || mixes(c, b) ||
		(c->threads.at[a].create == CTP_NONE) != (c->threads.at[b].create == CTP_NONE))
		return false;
	vec_each (&c->events, e) { /* what b alone did for others nobody would have done */
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_CREATE && ev->thread == b)
			return false;
		if (ev->kind == CTP_JOIN && (ctp_peer(ev) == a || ctp_peer(ev) == b) &&
			(c->threads.at[a].end == CTP_NONE || c->threads.at[b].end == CTP_NONE))
			return false;
	}
	c->threads.at[a].alt = c->threads.at[b].alt = a + 1;
	c->order_exact = false;
	vec_each (&c->order, i) {
		struct ctp_event *ev = &c->events.at[c->order.at[i]];

		if (ctp_has_peer(ev->kind) && ctp_peer(ev) == b)
			ev->link.peer = a;
		ev->rank = ev->thread == b ? UINT32_MAX : n;
		if (ev->thread != b)
			c->order.at[n++] = c->order.at[i];
	}
	c->order.n = n;
	return true;
}

void ctp_random_free(struct ctp *c)
{
	terms_free(c->ts);
	vec_release(&c->events);
	vec_release(&c->accesses);
	vec_release(&c->regions);
	vec_release(&c->cells);
	vec_release(&c->blocks);
	vec_release(&c->objects);
	vec_release(&c->threads);
	vec_release(&c->order);
	free(c);
}

static struct atom random_atom(struct rng *r, const struct ctp *c)
{
	static const uint8_t kinds[] = {ATOM_RUN, ATOM_AT, ATOM_BEFORE, ATOM_HOLDS};
	struct atom a = {.kind = kinds[rng_below(r, 4)], .negated = rng_chance(r, 15)};

	a.a = rng_below(r, c->events.n);
	a.b = rng_below(r, c->events.n);
	if (a.kind == ATOM_HOLDS) {
		struct vec_u32 reads = {0};

		vec_each (&c->accesses, k)
			if (c->accesses.at[k].sym.id)
				vec_push(&reads, k);
		if (!reads.n) {
			a.kind = ATOM_RUN;
		} else {
			const struct ctp_access *x = &c->accesses.at[reads.at[rng_below(r, reads.n)]];
			const struct ctp_access *y = &c->accesses.at[reads.at[rng_below(r, reads.n)]];
			term_t k = term_const(c->ts, 8, rng_below(r, 4));

			a.term = rng_chance(r, 70) ? term_eq(c->ts, x->sym, k)
						   : term_ult(c->ts, x->sym, y->sym);
		}
		vec_release(&reads);
	}
	return a;
}

void ctp_random_sleepers(struct rng *r, const struct ctp *c, struct query *q)
{
	struct vec_u32 woken = {0};

	query_clear(q);
	if (rng_chance(r, 60))
		query_run(q, rng_below(r, c->events.n));
	vec_each (&c->events, e)
		if (ctp_at(c, e)->kind == CTP_WOKEN)
			vec_push(&woken, e);
	for (uint32_t i = 1 + rng_below(r, 2); i-- > 0 && woken.n;)
		query_asleep(q, woken.at[rng_below(r, woken.n)]);
	vec_release(&woken);
}

/* The reads of the thread from e on, and some term of one or two of them; TERM_NONE: it has none. */
static term_t random_round(struct rng *r, const struct ctp *c, uint32_t e)
{
	const struct ctp_thread *th = &c->threads.at[ctp_at(c, e)->thread];
	struct vec_u32 reads = {0};
	term_t t = TERM_NONE;

	for (uint32_t i = rng_chance(r, 80) ? e : th->first; i < th->first + th->n; i++)
		for (uint32_t k = ctp_at(c, i)->first; k < ctp_at(c, i)->first + ctp_at(c, i)->n; k++)
			if (c->accesses.at[k].sym.id)
				vec_push(&reads, k);
	for (uint32_t n = 1 + rng_below(r, 3); n-- > 0 && reads.n;) {
		const struct ctp_access *a = &c->accesses.at[reads.at[rng_below(r, reads.n)]];
		term_t one = term_eq(c->ts, a->sym, term_const(c->ts, 8, rng_below(r, 4)));

		t = t.id ? term_and(c->ts, t, one) : one;
	}
	vec_release(&reads);
	return t;
}

void ctp_random_spinners(struct rng *r, const struct ctp *c, struct query *q)
{
	query_clear(q);
	if (rng_chance(r, 60))
		query_run(q, rng_below(r, c->events.n));
	for (uint32_t i = 1 + rng_below(r, 2); i-- > 0;) {
		uint32_t e = rng_below(r, c->events.n);
		term_t t = random_round(r, c, e);

		if (t.id)
			query_spins(q, e, t);
	}
}

void ctp_random_query(struct rng *r, const struct ctp *c, struct query *q)
{
	uint32_t clauses = 1 + rng_below(r, 4);

	query_clear(q);
	for (uint32_t i = 0; i < clauses; i++) {
		uint32_t atoms = rng_chance(r, 80) ? 1 : 2 + rng_below(r, 2);

		for (uint32_t k = 0; k < atoms; k++)
			query_add(q, random_atom(r, c));
		query_end_clause(q);
	}
}

static void print_term(const struct ctp *c, const char *what, term_t t)
{
	struct strbuf sb = {0};

	if (!t.id)
		return;
	term_print(&sb, c->ts, t);
	fprintf(stderr, " %s %s", what, sb.s);
	strbuf_release(&sb);
}

void ctp_random_print(const struct ctp *c, const struct query *q)
{
	static const char *const kinds[] = {
#define CTP(id, text) text,
#include "ctp/ctp.def"
	};
	static const char *const atoms[] = {"run", "at", "asleep", "before", "holds", "spins"};
	uint32_t i = 0;

	vec_each (&c->cells, k)
		fprintf(stderr, "cell %u = %d\n", k,
			c->cells.at[k].known ? (int)c->cells.at[k].initial : -1);
	fprintf(stderr, "semaphore %d\n", (int)c->objects.at[0].initial);
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		fprintf(stderr, "%3u thread %u rank %2u %s", e, ev->thread, ev->rank, kinds[ev->kind]);
		if (ev->object)
			fprintf(stderr, " %#lx %#lx", ev->object,
				ctp_has_mutex(ev->kind) ? ctp_mutex(ev) : 0);
		if (ev->link.none != CTP_NONE)
			fprintf(stderr, " link %u", ev->link.none);
		if (ev->region != CTP_NONE)
			fprintf(stderr, " region %u%s", ev->region,
				c->regions.at[ev->region].foreign ? " foreign" : "");
		if (ev->block != CTP_NONE)
			fprintf(stderr, " block");
		print_term(c, "if", ev->cond);
		for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
			fprintf(stderr, " cell %u", c->accesses.at[k].cell);
			print_term(c, "gets", c->accesses.at[k].sym);
			print_term(c, "puts", c->accesses.at[k].value);
		}
		fputc('\n', stderr);
	}
	vec_each (&c->threads, t)
		fprintf(stderr, "thread %u: create %d\n", t, (int)c->threads.at[t].create);
	for (uint32_t k = 0; q && k < q->clauses.n; k++) {
		fprintf(stderr, "query:");
		for (; i < q->clauses.at[k]; i++) {
			const struct atom *a = &q->atoms.at[i];

			fprintf(stderr, " %s%s %u %u", a->negated ? "not " : "", atoms[a->kind], a->a,
				a->b);
			if (a->kind == ATOM_HOLDS || a->kind == ATOM_SPINS)
				print_term(c, "", a->term);
		}
		fprintf(stderr, "\n");
	}
}

struct model *model_alone(const struct ctp *c, enum model_kind kind, uint32_t from, uint32_t to)
{
	struct facts *f = facts_new(c);
	struct mhb *mhb = mhb_of(f);

	facts_derive_sections(f, kind != MODEL_CONTROL);
	return model_of(f, mhb, lemmas_new(f, mhb), sim_new(f, kind), kind, from, to);
}

void model_alone_free(struct model *m)
{
	struct model was;

	if (!m)
		return;
	was = *m;
	model_free(m);
	sim_free(was.sim);
	lemmas_free(was.lemmas);
	mhb_free(was.mhb);
	facts_free(was.f);
}
