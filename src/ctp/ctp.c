#include "ctp/ctp.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/search.h"
#include "ir/ir.h"
#include "trace/check.h"
#include "trace/collect.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
#define CTP(id, text) text,
#include "ctp/ctp.def"
};
_Static_assert(ARRAY_SIZE(kind_names) == CTP_NKINDS, "one name for each kind");

const char *ctp_kind_name(enum ctp_kind k)
{
	return kind_names[k];
}

struct ctp *ctp_new(void)
{
	struct ctp *c = xcalloc(1, sizeof *c);

	c->ts = terms_new();
	c->names = ctp_names_new();
	arena_init(&c->arena);
	return c;
}

void ctp_free(const struct ctp *program)
{
	struct ctp *c = (struct ctp *)program; /* it ends: const no more */

	if (!c)
		return;
	ctp_names_free(c->names);
	vec_release(&c->events);
	vec_release(&c->accesses);
	vec_release(&c->regions);
	vec_release(&c->cells);
	vec_release(&c->blocks);
	vec_release(&c->objects);
	vec_release(&c->threads);
	vec_release(&c->order);
	vec_release(&c->before);
	vec_each (&c->limits, i)
		free(c->limits.at[i]);
	vec_release(&c->limits);
	if (c->sync && !c->shared_sync) {
		collect_release(c->sync);
		free(c->sync);
	}
	if (!c->shared_terms)
		terms_free(c->ts);
	arena_release(&c->arena);
	free(c);
}

uint64_t ctp_thread_name(const struct ctp *c, uint32_t thread)
{
	const struct ctp_thread *t = &c->threads.at[thread];

	return t->parent == CTP_NONE ? 1 : hash_u64(ctp_thread_name(c, t->parent) + t->nth + 1);
}

static int compare_object(const void *x, const void *y)
{
	const struct ctp_object *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void ctp_sort_objects(struct ctp *c)
{
	if (c->objects.n)
		qsort(c->objects.at, c->objects.n, sizeof *c->objects.at, compare_object);
}

const struct ctp_object *ctp_object(const struct ctp *c, uint64_t addr)
{
	uint32_t at;

	return search_find(0u, c->objects.n, i, c->objects.at[i].addr, addr, &at) ? &c->objects.at[at]
										  : NULL;
}

/* ---- invariants ----------------------------------------------------------------------------- */

static bool is_event(const struct ctp *c, uint32_t e)
{
	return e == CTP_NONE || e < c->events.n;
}

static const char *wrong_access(const struct ctp *c, const struct ctp_access *a)
{
	const struct ctp_cell *cell;

	if (a->cell >= c->cells.n)
		return "an access of a cell that does not exist";
	cell = &c->cells.at[a->cell];
	if (!cell->size || cell->size > 16)
		return "a cell of more than 16 bytes, or none";
	if (a->sym.id && term_width(c->ts, a->sym) != 8 * cell->size)
		return "a symbol that is not as wide as its cell";
	if (a->sym.id && term_op(c->ts, a->sym) != TERM_SYM)
		return "what was read is not a symbol";
	if (a->value.id && term_width(c->ts, a->value) != 8 * cell->size)
		return "a value that is not as wide as its cell";
	return NULL;
}

static const char *wrong_data(const struct ctp *c, const struct ctp_event *e)
{
	bool reads = false, writes = false;

	if (!e->n)
		return "an access without a cell";
	if (e->first > c->accesses.n || e->n > c->accesses.n - e->first)
		return "an event whose accesses do not exist";
	for (uint32_t i = 0; i < e->n; i++) {
		const struct ctp_access *a = &c->accesses.at[e->first + i];
		const char *why = wrong_access(c, a);

		if (why)
			return why;
		reads |= a->sym.id != 0;
		writes |= a->value.id != 0;
	}
	if (reads != (e->kind != CTP_WRITE) || writes != (e->kind != CTP_READ))
		return "an access that does not do what its kind says";
	return NULL;
}

static const char *wrong_event(const struct ctp *c, uint32_t k)
{
	const struct ctp_event *e = ctp_at(c, k);

	if (e->kind >= CTP_NKINDS)
		return "an event of no kind";
	if (ctp_is_access(e->kind))
		return wrong_data(c, e);
	if (e->n && !ctp_has_state(e->kind))
		return "accesses of an event that is none";
	for (uint32_t i = 0; i < e->n; i++) {
		const char *why = e->first + i < c->accesses.n
					  ? wrong_access(c, &c->accesses.at[e->first + i])
					  : "an event whose accesses do not exist";

		if (why)
			return why;
	}
	if (ctp_is_guard(e->kind) && (!e->cond.id || term_width(c->ts, e->cond) != 1))
		return "a guard without a condition of one bit";
	if (e->region != CTP_NONE && e->region >= c->regions.n)
		return "a region that does not exist";
	if (e->block != CTP_NONE && e->block >= c->blocks.n)
		return "a block that does not exist";
	if (ctp_has_peer(e->kind) && ctp_peer(e) != CTP_NONE && ctp_peer(e) >= c->threads.n)
		return "a thread that does not exist";
	if ((ctp_has_wait(e->kind) && !is_event(c, ctp_wait(e))) ||
		(e->kind == CTP_ONCE && !is_event(c, ctp_runner(e))))
		return "an event that belongs to one that does not exist";
	return NULL;
}

static const char *wrong_thread(const struct ctp *c, uint32_t t)
{
	const struct ctp_thread *th = &c->threads.at[t];
	uint64_t point = 0;

	if (th->first > c->events.n || th->n > c->events.n - th->first)
		return "a thread whose events do not exist";
	for (uint32_t e = th->first; e < th->first + th->n; e++) {
		if (ctp_at(c, e)->thread != t)
			return "an event among those of another thread";
		if (ctp_at(c, e)->point < point)
			return "points of a thread that fall";
		if ((ctp_at(c, e)->flags & CTP_PENDING) && e + 1 != th->first + th->n)
			return "an event after one that is under way";
		point = ctp_at(c, e)->point;
	}
	if (!is_event(c, th->create) || !is_event(c, th->begin) || !is_event(c, th->end))
		return "a thread whose beginning or end does not exist";
	if (th->parent != CTP_NONE && th->parent >= c->threads.n)
		return "a thread whose parent does not exist";
	return NULL;
}

static const char *wrong_region(const struct ctp *c, uint32_t r)
{
	const struct ctp_region *g = &c->regions.at[r];

	if (!is_event(c, g->begin) || !is_event(c, g->end))
		return "a region whose ends do not exist";
	if (g->begin != CTP_NONE && ctp_at(c, g->begin)->thread != g->thread)
		return "a region that another thread begins";
	if (g->begin != CTP_NONE && g->end != CTP_NONE && !g->foreign && g->end <= g->begin)
		return "a region that ends before it begins";
	return NULL;
}

/* The order has each event once, except pending ones, and respects program order. If it is not
 * exact, threads may be missing: alternatives of other runs (merge.h). */
static const char *wrong_order(const struct ctp *c)
{
	uint32_t *next = xcalloc(c->threads.n + 1, sizeof *next);
	const char *why = NULL;

	for (uint32_t i = 0; i < c->order.n && !why; i++) {
		uint32_t e = c->order.at[i];

		if (e >= c->events.n || ctp_at(c, e)->rank != i)
			why = "an event whose place in the order is another";
		else if (e != c->threads.at[ctp_at(c, e)->thread].first +
				      next[ctp_at(c, e)->thread]++)
			why = "an order that is not that of a thread";
	}
	for (uint32_t t = 0; t < c->threads.n && !why; t++) {
		const struct ctp_thread *th = &c->threads.at[t];
		bool pending = th->n && (ctp_at(c, th->first + th->n - 1)->flags & CTP_PENDING);

		if (next[t] + pending != th->n && (c->order_exact || next[t]))
			why = "an order that lacks events";
	}
	free(next);
	return why;
}

const char *ctp_wrong(const struct ctp *c)
{
	const char *why;
	uint32_t n = 0, accesses = 0;

	vec_each (&c->threads, t) {
		if (c->threads.at[t].first != n)
			return "threads that do not follow each other";
		n += c->threads.at[t].n;
		if ((why = wrong_thread(c, t)))
			return why;
	}
	if (n != c->events.n)
		return "events of no thread";
	vec_each (&c->events, e) {
		if ((why = wrong_event(c, e)))
			return why;
		accesses += ctp_at(c, e)->n;
	}
	if (accesses != c->accesses.n)
		return "accesses of no event";
	vec_each (&c->regions, r)
		if ((why = wrong_region(c, r)))
			return why;
	for (uint32_t i = 1; i < c->objects.n; i++)
		if (c->objects.at[i - 1].addr >= c->objects.at[i].addr)
			return "objects that are not in the order of their addresses";
	return wrong_order(c);
}

const struct ctp *ctp_finish(struct ctp *c)
{
#ifndef NDEBUG
	const char *why = ctp_wrong(c);

	if (why)
		BUG("the trace program has %s", why);
#endif
	return c;
}

/* ---- printing ------------------------------------------------------------------------------- */

static void print_u128(struct strbuf *out, u128 v)
{
	if (v >> 64)
		strbuf_addf(out, "0x%llx%016llx", (unsigned long long)(v >> 64),
			(unsigned long long)v);
	else
		strbuf_addf(out, "%llu", (unsigned long long)v);
}

static void print_access(const struct ctp *c, const struct ctp_access *a, struct strbuf *out)
{
	strbuf_addf(out, " c%u", a->cell);
	if (a->sym.id) {
		strbuf_addf(out, " %s(", term_name(c->ts, a->sym));
		print_u128(out, a->seen);
		strbuf_addc(out, ')');
	}
	if (a->value.id) {
		strbuf_adds(out, " := ");
		term_print(out, c->ts, a->value);
		strbuf_addc(out, '(');
		print_u128(out, a->put);
		strbuf_addc(out, ')');
	}
}

static void print_flags(uint16_t flags, struct strbuf *out)
{
	static const struct {
		uint16_t bit;
		const char *text;
	} words[] = {{CTP_ATOMIC, " atomic"}, {CTP_TIMED, " timed"}, {CTP_RECURSIVE, " recursive"},
		{CTP_ERRORCHECK, " errorcheck"}, {CTP_TRIED, " tried"}, {CTP_PENDING, " pending"},
		{CTP_NATIVE_USE, " native"}, {CTP_BASE_KNOWN, " base"}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (flags & words[i].bit)
			strbuf_adds(out, words[i].text);
}

static void print_place(const struct ctp *c, const struct ctp_event *e, struct strbuf *out)
{
	const struct ir_program *p = c->trace ? trace_program(c->trace) : NULL;
	struct diag_pos pos;

	if (!p || e->func >= p->funcs.n || e->insn >= p->funcs.at[e->func].insns.n)
		return;
	pos = ir_diag_pos(p, p->funcs.at[e->func].insns.at[e->insn].pos);
	if (pos.file)
		strbuf_addf(out, " @%s:%u", strrchr(pos.file, '/') ? strrchr(pos.file, '/') + 1
								   : pos.file, pos.line);
}

static void print_event(const struct ctp *c, uint32_t k, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(c, k);

	strbuf_addf(out, "e%u t%u p%llu %s", k, e->thread, (unsigned long long)e->point,
		ctp_kind_name(e->kind));
	print_flags(e->flags, out);
	for (uint32_t i = 0; i < e->n; i++)
		print_access(c, &c->accesses.at[e->first + i], out);
	if (e->kind >= CTP_LOCK && e->kind <= CTP_DESTROY && ctp_object(c, e->object))
		strbuf_addf(out, " o%u", (unsigned)(ctp_object(c, e->object) - c->objects.at));
	if (ctp_has_mutex(e->kind) && ctp_object(c, ctp_mutex(e)))
		strbuf_addf(out, " o%u", (unsigned)(ctp_object(c, ctp_mutex(e)) - c->objects.at));
	if (e->region != CTP_NONE)
		strbuf_addf(out, " r%u", e->region);
	if (e->block != CTP_NONE)
		strbuf_addf(out, " b%u", e->block);
	if (ctp_has_peer(e->kind) && ctp_peer(e) != CTP_NONE)
		strbuf_addf(out, " t%u", ctp_peer(e));
	if (ctp_has_wait(e->kind) && ctp_wait(e) != CTP_NONE)
		strbuf_addf(out, " e%u", ctp_wait(e));
	if (e->kind == CTP_ONCE && ctp_runner(e) != CTP_NONE)
		strbuf_addf(out, " e%u", ctp_runner(e));
	if (ctp_has_round(e->kind))
		strbuf_addf(out, " round %u", ctp_round(e));
	if (e->operand.id) {
		strbuf_adds(out, " address ");
		term_print(out, c->ts, e->operand);
	}
	if (e->cond.id) {
		strbuf_addc(out, ' ');
		term_print(out, c->ts, e->cond);
	}
	print_place(c, e, out);
	strbuf_addc(out, '\n');
}

void ctp_print(const struct ctp *c, struct strbuf *out)
{
	vec_each (&c->cells, i) {
		const struct ctp_cell *x = &c->cells.at[i];

		strbuf_addf(out, "c%u 0x%llx+%u", i, (unsigned long long)x->addr, x->size);
		if (x->known) {
			strbuf_adds(out, " = ");
			print_u128(out, x->initial);
		}
		strbuf_addc(out, '\n');
	}
	vec_each (&c->objects, i)
		strbuf_addf(out, "o%u 0x%llx %s %lld\n", i,
			(unsigned long long)c->objects.at[i].addr,
			check_primitive_names[c->objects.at[i].kind],
			(long long)c->objects.at[i].initial);
	vec_each (&c->events, e)
		print_event(c, e, out);
	vec_each (&c->limits, i)
		strbuf_addf(out, "limit: %s\n", c->limits.at[i]);
}

bool ctp_writes(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	if (e->kind != CTP_RMW)
		return e->kind == CTP_WRITE;
	for (uint32_t i = 0; i < e->n; i++)
		if (c->accesses.at[e->first + i].value.id)
			return true;
	return false;
}
