/*
 * Extraction for several runs in one model (merge.h): the start argument and the result of a thread
 * go through cells, like other data that threads exchange. In the model of one run the argument is
 * a constant, and the result a term over symbols of the thread that returns it. In a merged model
 * the other thread may execute another alternative, so neither holds.
 *
 * The addresses of the cells are outside of user memory and depend on the thread's name only.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"

enum { RESULT_BYTES = 8, START_BYTES = 16, STRIDE = 32 };
#define CELLS_AT 0xffff800000000000ull

struct inserter {
	struct extractor *x;
	struct ctp *c;
	VEC(struct ctp_event) events;
	struct vec_u32 rank;
	uint32_t *to;              /* by old event: its new index */
	uint32_t *start, *result; /* by thread: cells */
};

static uint32_t new_cell(struct inserter *in, uint32_t thread, uint32_t size)
{
	uint64_t place = ctp_thread_name(in->c, thread) & 0xffffffffff;
	struct ctp_cell cell = {.addr = CELLS_AT + place * STRIDE + (size == START_BYTES ? 16 : 0),
		.size = size};

	vec_push(&in->c->cells, cell);
	return in->c->cells.n - 1;
}

static void put(struct inserter *in, struct ctp_event e)
{
	vec_push(&in->events, e);
	vec_push(&in->rank, 0);
}

static void put_access(struct inserter *in, const struct ctp_event *beside, uint64_t point,
	struct ctp_access a)
{
	bool write = a.value.id != 0;
	const struct ctp_cell *cell = &in->c->cells.at[a.cell];
	struct ctp_event e = {.kind = write ? CTP_WRITE : CTP_READ,
		.flags = CTP_ATOMIC | CTP_NATIVE_USE | (write ? CTP_WROTE : CTP_HAD_READ),
		.thread = beside->thread,
		.func = beside->func,
		.insn = beside->insn,
		.stack = beside->stack,
		.point = point,
		.index = beside->index,
		.first = in->c->accesses.n,
		.n = 1,
		.region = CTP_NONE,
		.block = CTP_NONE,
		.at = cell->addr,
		.size = cell->size,
		.link.none = CTP_NONE,
		.rank = UINT32_MAX};

	vec_push(&in->c->accesses, a);
	put(in, e);
}

/* Function (high half) and argument (low half) of the new thread. */
static u128 start_of(const struct ctp_event *create)
{
	return (u128)ctp_start(create)->function << 64 | ctp_start(create)->argument;
}

static const struct ctp_event *create_of(const struct inserter *in, uint32_t thread)
{
	vec_each (&in->c->events, e) {
		const struct ctp_event *ev = ctp_at(in->c, e);

		if (ev->kind == CTP_CREATE && ctp_peer(ev) == thread)
			return ev;
	}
	return NULL;
}

static void before(struct inserter *in, const struct ctp_event *e)
{
	struct terms *ts = in->x->ts;

	if (e->kind == CTP_CREATE && ctp_peer(e) != CTP_NONE) {
		u128 v = start_of(e);

		put_access(in, e, e->point,
			(struct ctp_access){.cell = in->start[ctp_peer(e)],
				.value = term_const(ts, 8 * START_BYTES, v),
				.put = v});
	} else if (e->kind == CTP_END) {
		const struct result *r = &in->x->results.at[e->thread];
		uint64_t v = (uint64_t)r->own;

		put_access(in, e, e->point,
			(struct ctp_access){.cell = in->result[e->thread],
				.value = r->term.id ? term_zext(ts, r->term, 64)
						    : term_const(ts, 64, v),
				.put = v});
	}
}

/* Emits the read of the start argument and function, and a FIX of the value. */
static void put_start(struct inserter *in, const struct ctp_event *begin)
{
	const struct ctp_event *create = create_of(in, begin->thread);
	struct terms *ts = in->x->ts;
	struct ctp_access a = {.cell = in->start[begin->thread],
		.sym = term_fresh(ts, "start", 8 * START_BYTES)};
	struct ctp_event fix;

	if (!create)
		return;
	a.seen = start_of(create);
	put_access(in, begin, begin->point, a);
	fix = vec_last(&in->events);
	fix.kind = CTP_FIX;
	fix.flags = 0;
	fix.first = fix.n = 0;
	fix.of.decided = hash_u64((uint64_t)a.seen ^ hash_u64((uint64_t)(a.seen >> 64)));
	fix.at = fix.size = 0;
	fix.cond = term_eq(ts, a.sym, term_const(ts, 8 * START_BYTES, a.seen));
	put(in, fix);
}

static void after(struct inserter *in, const struct ctp_event *e)
{
	if (e->kind == CTP_BEGIN) {
		put_start(in, e);
	} else if (e->kind == CTP_JOIN && ctp_peer(e) != CTP_NONE && !(e->flags & CTP_PENDING)) {
		struct result *r = &in->x->results.at[ctp_peer(e)];

		if (r->sym.id)
			put_access(in, e, e->point + 1,
				(struct ctp_access){.cell = in->result[ctp_peer(e)],
					.sym = r->sym,
					.seen = r->value});
		r->sym = TERM_NONE; /* a thread is joined once */
	}
}

static void insert(struct inserter *in)
{
	struct ctp *c = in->c;

	vec_each (&c->threads, t) {
		struct ctp_thread *th = &c->threads.at[t];
		uint32_t first = in->events.n;

		for (uint32_t e = th->first; e < th->first + th->n; e++) {
			before(in, ctp_at(c, e));
			in->to[e] = in->events.n;
			vec_push(&in->events, *ctp_at(c, e));
			vec_push(&in->rank, in->x->rank.at[e]);
			after(in, ctp_at(c, e));
		}
		th->first = first;
		th->n = in->events.n - first;
	}
}

void merge_cells(struct extractor *x)
{
	struct ctp *c = x->c;
	struct inserter in = {.x = x,
		.c = c,
		.to = xcalloc(c->events.n + 1, sizeof *in.to),
		.start = xcalloc(c->threads.n + 1, sizeof *in.start),
		.result = xcalloc(c->threads.n + 1, sizeof *in.result)};

	vec_each (&c->threads, t) {
		in.start[t] = new_cell(&in, t, START_BYTES);
		in.result[t] = new_cell(&in, t, RESULT_BYTES);
	}
	insert(&in);
	vec_each (&x->late, i)
		x->late.at[i] = (struct late_fix){
			in.to[x->late.at[i].read], in.to[x->late.at[i].fix]};
	vec_release(&c->events);
	vec_release(&x->rank);
	c->events.at = in.events.at;
	c->events.n = in.events.n;
	c->events.cap = in.events.cap;
	x->rank = in.rank;
	free(in.to);
	free(in.start);
	free(in.result);
}
