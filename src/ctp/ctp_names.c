#include "ctp/ctp_names.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "trace/check.h"
#include "trace/collect.h"
#include "trace/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct global_span {
	uint64_t addr, size;
	uint32_t global;
};

struct ctp_names {
	struct names names;
	bool ready;                      /* names and globals are filled */
	VEC(struct global_span) globals; /* by rising address */
	struct map places; /* function, instruction, flags of the name -> place_hash() */
};

struct ctp_names *ctp_names_new(void)
{
	return xcalloc(1, sizeof(struct ctp_names));
}

void ctp_names_free(struct ctp_names *n)
{
	if (!n)
		return;
	if (n->ready)
		names_release(&n->names);
	vec_release(&n->globals);
	map_release(&n->places);
	free(n);
}

static int by_address(const void *x, const void *y)
{
	const struct global_span *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Fills the cache at its first use; NULL if there is no program to take names from. */
static struct ctp_names *ready(const struct ctp *c)
{
	struct ctp_names *n = c->names;
	const struct ir_program *p;
	const struct follow_snapshot *s;

	if (!n || !c->trace)
		return NULL;
	if (n->ready)
		return n;
	p = trace_program(c->trace);
	names_init(&n->names, p);
	s = trace_snapshot(c->trace);
	for (uint32_t g = 0; s && g < p->globals.n; g++) {
		uint64_t addr = follow_global_addr(s, g);

		if (addr && p->globals.at[g].size)
			vec_push(&n->globals, (struct global_span){addr, p->globals.at[g].size, g});
	}
	if (n->globals.n)
		qsort(n->globals.at, n->globals.n, sizeof *n->globals.at, by_address);
	n->ready = true;
	return n;
}

static const struct global_span *global_at(const struct ctp_names *n, uint64_t addr)
{
	uint32_t lo = upper_bound(0u, n->globals.n, i, n->globals.at[i].addr, addr);

	return lo && addr - n->globals.at[lo - 1].addr < n->globals.at[lo - 1].size
		       ? &n->globals.at[lo - 1]
		       : NULL;
}

/* ---- data ----------------------------------------------------------------------------------- */

static void name_heap(struct strbuf *out, const struct ctp *c, struct ctp_names *n,
	const struct generation *g, uint64_t addr)
{
	const struct sync_event *e = &c->sync->h.threads.at[g->thread].events.at[g->event];

	strbuf_adds(out, "block from ");
	names_pos(out, n->names.p, e->func, e->insn);
	if (addr != g->base)
		strbuf_addf(out, "+%" PRIu64, addr - g->base);
}

/* Appends the name of the object and a path through its type. */
static void name_data(
	struct strbuf *out, const struct ctp *c, uint64_t addr, uint64_t size, uint32_t gen)
{
	struct ctp_names *n = ready(c);
	const struct global_span *ga = n ? global_at(n, addr) : NULL;
	const struct generation *g =
		n && gen && c->sync && gen < c->sync->g.at.n ? &c->sync->g.at.at[gen] : NULL;

	if (ga) {
		const struct ir_global *gl = &n->names.p->globals.at[ga->global];

		strbuf_adds(out, ir_str(n->names.p, gl->name));
		names_path(out, n->names.p, gl->dtype, addr - ga->addr, size);
	} else if (g && g->kind == GEN_HEAP) {
		name_heap(out, c, n, g, addr);
	} else if (g && g->kind == GEN_LOCAL) {
		const struct ir_func *f = &n->names.p->funcs.at[g->func];
		const struct ir_local *l = &f->locals.at[g->local];

		if (l->name) {
			strbuf_adds(out, ir_str(n->names.p, l->name));
			names_path(out, n->names.p, l->dtype, addr - g->base, size);
		} else {
			strbuf_addf(out, "a variable of '%s'", ir_str(n->names.p, f->name));
		}
	} else {
		strbuf_addf(out, "0x%" PRIx64, addr);
	}
}

void ctp_name_data(const struct ctp *c, uint64_t addr, uint64_t size, struct strbuf *out)
{
	uint32_t gen = 0;

	vec_each (&c->blocks, i)
		if (addr - c->blocks.at[i].addr < c->blocks.at[i].size)
			gen = c->blocks.at[i].gen;
	name_data(out, c, addr, size, gen);
}

static const char *name_by_insn(const struct ctp *c, const struct ctp_event *e)
{
	struct ctp_names *n = ready(c);
	const struct ir_program *p = n ? n->names.p : NULL;
	const struct insn_names *in;

	if (!n || e->func >= p->funcs.n || e->insn >= p->funcs.at[e->func].insns.n)
		return NULL;
	in = names_of(&n->names, e->func, e->insn);
	if (e->flags & CTP_NATIVE_USE)
		return NULL; /* in->to names the destination of the call's result */
	return ir_ops[p->funcs.at[e->func].insns.at[e->insn].op].shape == IR_S_BULK &&
			       e->kind == CTP_READ
		       ? in->from.text
		       : in->to.text;
}

void ctp_name_access(const struct ctp *c, uint32_t event, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(c, event);
	const char *text = name_by_insn(c, e);
	const struct ctp_cell *cell =
		e->n && ctp_is_access(e->kind) ? &c->cells.at[c->accesses.at[e->first].cell] : NULL;
	uint64_t addr = e->at || !cell ? e->at : cell->addr;
	struct ctp_names *n = ready(c);

	if (text && !(*text == '*' && n && global_at(n, addr)))
		strbuf_adds(out, text);
	else
		name_data(out, c, addr,
			e->size ? e->size
			: cell  ? cell->size
				: 1,
			cell ? cell->gen : 0);
}

bool ctp_global_at(const struct ctp *c, uint64_t addr, uint64_t *first, uint64_t *size)
{
	struct ctp_names *n = ready(c);
	const struct global_span *g = n ? global_at(n, addr) : NULL;

	if (!g)
		return false;
	*first = g->addr;
	*size = g->size;
	return true;
}

void ctp_name_object(const struct ctp *c, uint64_t object, struct strbuf *out)
{
	const struct ctp_object *o = ctp_object(c, object);
	struct ctp_names *n = ready(c);
	const char *text = NULL;

	if (o && o->kind < CHECK_NPRIMITIVES)
		strbuf_addf(out, "%s ", check_primitive_names[o->kind]);
	strbuf_addc(out, '\'');
	if (o && n && !global_at(n, object) && o->func < n->names.p->funcs.n &&
		o->insn < n->names.p->funcs.at[o->func].insns.n)
		text = names_of(&n->names, o->func, o->insn)->to.text;
	if (text)
		strbuf_adds(out, text);
	else
		name_data(out, c, object, UINT64_MAX, o ? o->gen : 0);
	strbuf_addc(out, '\'');
}

/* ---- places --------------------------------------------------------------------------------- */

static const struct ir_pos *position(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_program *p = c->trace ? trace_program(c->trace) : NULL;
	uint32_t pos = 0;

	if (!p || e->func >= p->funcs.n)
		return NULL;
	if (e->insn < p->funcs.at[e->func].insns.n)
		pos = p->funcs.at[e->func].insns.at[e->insn].pos;
	if (!pos || !p->positions.at[pos].line)
		pos = p->funcs.at[e->func].pos;
	return pos ? &p->positions.at[pos] : NULL;
}

static const char *function_name(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_program *p = c->trace ? trace_program(c->trace) : NULL;
	const struct ir_pos *pos = position(c, e);

	if (!p || e->func >= p->funcs.n)
		return NULL;
	return pos && pos->func ? ir_str(p, pos->func) : ir_func_name(p, e->func);
}

struct ctp_source ctp_source_of(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);
	const struct ir_pos *pos = position(c, e);
	struct ctp_source s = {.function = function_name(c, e)};

	if (pos && pos->file) {
		s.file = ir_str(trace_program(c->trace), pos->file);
		s.line = pos->line;
		s.col = pos->col;
	}
	return s;
}

/* Hash of line, function and name of the data, so that the load and the store of one `x++` have the
 * same hash. */
static uint64_t place_hash(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_pos *pos = position(c, e);
	uint64_t h;

	if (!c->trace)
		return hash_mix(hash_mix(1, e->func), e->insn);
	h = hash_mix_str(2, function_name(c, e));
	if (pos)
		h = hash_mix(hash_mix_str(h, pos->file ? ir_str(trace_program(c->trace), pos->file) : NULL),
			pos->line);
	return hash_mix_str(h, name_by_insn(c, e));
}

uint64_t ctp_names_hash(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	if (!c->trace)
		return hash_mix(3, e->func);
	return hash_mix_str(hash_mix_str(4, function_name(c, e)), name_by_insn(c, e));
}

uint64_t ctp_places_hash(const struct ctp *c, const uint32_t *events, uint32_t n)
{
	struct map *kept = c->names ? &c->names->places : NULL;
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++) {
		const struct ctp_event *e = ctp_at(c, events[i]);
		uint64_t key = ((uint64_t)e->func << 32 | e->insn) ^
			       (uint64_t)(e->kind == CTP_READ) << 63 ^
			       (uint64_t)!!(e->flags & CTP_NATIVE_USE) << 62,
			 *at = kept ? map_get(kept, key) : NULL, one;

		one = at ? *at : place_hash(c, e);
		if (kept && !at)
			*map_put(kept, key) = one;
		h = hash_mix(h, one);
	}
	return h;
}
