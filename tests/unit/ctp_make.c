#include "base/vec.h"
#include "ctp_make.h"

#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

enum { OBJECTS = 0x10000, CELLS = 0x20000 };

void ctp_make_init(struct ctp_make *m, uint32_t nthreads)
{
	memset(m, 0, sizeof *m);
	m->c = ctp_new();
	if (!m->c->ts)
		m->c->ts = terms_new();
	m->nthreads = nthreads;
	for (uint32_t t = 0; t < nthreads; t++)
		vec_push(&m->c->threads, (struct ctp_thread){.id = t,
						 .parent = CTP_NONE,
						 .create = CTP_NONE,
						 .begin = CTP_NONE,
						 .end = CTP_NONE,
						 .start_func = IR_NONE});
	make(m, 0, CTP_BEGIN, 0);
}

void ctp_make_release(struct ctp_make *m)
{
	vec_release(&m->log);
	vec_release(&m->at);
}

struct ctp_event *make_event(struct ctp_make *m, uint32_t handle)
{
	return &m->log.at[handle];
}

uint32_t make(struct ctp_make *m, uint32_t thread, enum ctp_kind kind, uint32_t place)
{
	vec_push(&m->log, (struct ctp_event){.kind = kind,
				  .thread = thread,
				  .func = 1,
				  .insn = place,
				  .link.none = CTP_NONE,
				  .region = CTP_NONE,
				  .block = CTP_NONE});
	return m->log.n - 1;
}

static void cell_made(struct ctp_make *m, uint32_t cell)
{
	while (m->c->cells.n <= cell)
		vec_push(&m->c->cells, (struct ctp_cell){.addr = CELLS + 4 * m->c->cells.n,
					       .size = 4,
					       .known = true});
}

static uint32_t access(struct ctp_make *m, uint32_t thread, enum ctp_kind kind, uint32_t place,
	struct ctp_access a)
{
	uint32_t h = make(m, thread, kind, place);

	cell_made(m, a.cell);
	m->log.at[h].first = m->c->accesses.n;
	m->log.at[h].n = 1;
	m->log.at[h].at = CELLS + 4 * a.cell;
	m->log.at[h].size = 4;
	vec_push(&m->c->accesses, a);
	return h;
}

uint32_t make_read(
	struct ctp_make *m, uint32_t thread, uint32_t cell, uint32_t seen, uint32_t place)
{
	char name[16];

	snprintf(name, sizeof name, "r%u", m->names++);
	return access(m, thread, CTP_READ, place,
		(struct ctp_access){.cell = cell, .sym = term_sym(m->c->ts, name, 32), .seen = seen});
}

uint32_t make_write(struct ctp_make *m, uint32_t thread, uint32_t cell, term_t value, uint32_t put,
	uint32_t place)
{
	return access(m, thread, CTP_WRITE, place,
		(struct ctp_access){.cell = cell, .value = value, .put = put});
}

term_t make_sym(struct ctp_make *m, uint32_t handle)
{
	return m->c->accesses.at[m->log.at[handle].first].sym;
}

term_t make_const(struct ctp_make *m, uint32_t value)
{
	return term_const(m->c->ts, 32, value);
}

uint32_t make_guard(
	struct ctp_make *m, uint32_t thread, enum ctp_kind kind, term_t cond, uint32_t place)
{
	uint32_t h = make(m, thread, kind, place);

	m->log.at[h].cond = cond;
	return h;
}

uint32_t make_sync(
	struct ctp_make *m, uint32_t thread, enum ctp_kind kind, uint32_t object, uint32_t place)
{
	uint32_t h = make(m, thread, kind, place);

	m->log.at[h].object = OBJECTS + 64 * object;
	return h;
}

uint32_t make_wait(
	struct ctp_make *m, uint32_t thread, uint32_t cond, uint32_t mutex, uint32_t place)
{
	uint32_t h = make_sync(m, thread, CTP_WAIT, cond, place);

	m->log.at[h].of.mutex = OBJECTS + 64 * mutex;
	return h;
}

uint32_t make_woken(struct ctp_make *m, uint32_t wait, uint32_t place)
{
	uint32_t h = make(m, m->log.at[wait].thread, CTP_WOKEN, place);

	m->log.at[h].object = m->log.at[wait].object;
	m->log.at[h].of.mutex = m->log.at[wait].of.mutex;
	m->log.at[h].link.wait = wait;
	return h;
}

void make_object(
	struct ctp_make *m, uint32_t object, uint8_t primitive, uint8_t type, int64_t initial)
{
	vec_push(&m->c->objects, (struct ctp_object){.addr = OBJECTS + 64 * object,
					 .kind = primitive,
					 .type = type,
					 .initial = initial,
					 .func = IR_NONE,
					 .insn = IR_NONE});
}

void make_create(struct ctp_make *m, uint32_t thread, uint32_t child)
{
	uint32_t h = make(m, thread, CTP_CREATE, 1000 + child), nth = 0;

	m->log.at[h].link.peer = child;
	for (uint32_t t = 0; t < m->nthreads; t++)
		nth += m->c->threads.at[t].parent == thread;
	m->c->threads.at[child].nth = nth;
	m->c->threads.at[child].parent = thread;
	make(m, child, CTP_BEGIN, 0);
}

void make_end(struct ctp_make *m, uint32_t thread)
{
	make(m, thread, CTP_END, 0);
}

uint32_t make_join(struct ctp_make *m, uint32_t thread, uint32_t child)
{
	uint32_t h = make(m, thread, CTP_JOIN, 2000 + child);

	m->log.at[h].link.peer = child;
	return h;
}

uint32_t make_block(struct ctp_make *m, uint64_t addr, uint64_t size)
{
	vec_push(&m->c->blocks, (struct ctp_block){.addr = addr,
					.size = size,
					.alloc = CTP_NONE,
					.free = CTP_NONE});
	return m->c->blocks.n - 1;
}

/* ---- by thread --------------------------------------------------------------------------------- */

static uint32_t open_region(struct ctp *c, uint64_t object, uint32_t thread, bool *foreign)
{
	uint32_t other = CTP_NONE;

	for (uint32_t i = c->regions.n; i--;) {
		const struct ctp_region *r = &c->regions.at[i];

		if (r->object != object || r->end != CTP_NONE)
			continue;
		if (r->thread == thread)
			return *foreign = false, i;
		other = i;
	}
	*foreign = other != CTP_NONE;
	return other;
}

static void region_of(struct ctp *c, uint32_t e)
{
	struct ctp_event *ev = &c->events.at[e];
	uint64_t object = ev->kind == CTP_WAIT || ev->kind == CTP_WOKEN ? ctp_mutex(ev) : ev->object;
	bool foreign;

	switch (ev->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_WOKEN:
		if (ev->flags & (CTP_RECURSIVE | CTP_PENDING))
			return;
		ev->region = c->regions.n;
		vec_push(&c->regions, (struct ctp_region){.object = object,
						.thread = ev->thread,
						.begin = e,
						.end = CTP_NONE,
						.shared = ev->kind == CTP_RDLOCK});
		return;
	case CTP_UNLOCK:
	case CTP_RDUNLOCK:
	case CTP_WAIT:
		if (ev->flags & CTP_RECURSIVE)
			return;
		ev->region = open_region(c, object, ev->thread, &foreign);
		if (ev->region == CTP_NONE) {
			ev->region = c->regions.n;
			vec_push(&c->regions, (struct ctp_region){.object = object,
							.thread = ev->thread,
							.begin = CTP_NONE});
		}
		c->regions.at[ev->region].end = e;
		c->regions.at[ev->region].foreign = foreign;
		return;
	default: return;
	}
}

static void number(struct ctp_make *m)
{
	struct ctp *c = m->c;

	vec_resize(&m->at, m->log.n);
	for (uint32_t t = 0; t < m->nthreads; t++) {
		uint64_t point = 0;

		c->threads.at[t].first = c->events.n;
		vec_each (&m->log, h) {
			struct ctp_event e = m->log.at[h];

			if (e.thread != t)
				continue;
			m->at.at[h] = c->events.n;
			e.point = ctp_is_guard(e.kind) || e.kind == CTP_BEGIN || e.kind == CTP_END
					  ? point
					  : point++;
			e.index = c->events.n - c->threads.at[t].first;
			e.rank = e.flags & CTP_PENDING ? UINT32_MAX : h;
			vec_push(&c->events, e);
		}
		c->threads.at[t].n = c->events.n - c->threads.at[t].first;
	}
}

struct ctp *ctp_made(struct ctp_make *m)
{
	struct ctp *c = m->c;

	number(m);
	vec_each (&m->log, h) {
		uint32_t e = m->at.at[h];
		struct ctp_event *ev = &c->events.at[e];

		if (!(ev->flags & CTP_PENDING)) {
			ev->rank = c->order.n;
			vec_push(&c->order, e);
		}
		switch (ev->kind) {
		case CTP_BEGIN: c->threads.at[ev->thread].begin = e; break;
		case CTP_END: c->threads.at[ev->thread].end = e; break;
		case CTP_CREATE: c->threads.at[ctp_peer(ev)].create = e; break;
		case CTP_WOKEN: ev->link.wait = m->at.at[ctp_wait(ev)]; break;
		case CTP_ALLOC: c->blocks.at[ev->block].alloc = e; break;
		case CTP_FREE:
			if (ev->block != CTP_NONE)
				c->blocks.at[ev->block].free = e;
			break;
		default: break;
		}
		region_of(c, e);
	}
	c->order_exact = true;
	return c;
}
