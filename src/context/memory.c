/*
 * Contents of memory: definitions that must reach a point (paper 001, 3.2 and 4.4). The search goes
 * backwards from the point along the dominator tree: to the immediate dominator if no block in
 * between may write the location; into called functions, from their returns; and from the entry of
 * a frame to the call that created it. It applies to locations that no other thread changes in
 * between: thread-local ones, ones that no other thread writes, and ones that are written in the
 * early phase only (facts/phase.h). For *shared* locations it stays in the interference-free region
 * (interference_free.c).
 *
 * A location that is written in the early phase only has one value since the end of that phase. If
 * the value is not known it is a symbol, which is the same for every thread that loads it.
 */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/defs.h"
#include "facts/op_terms.h"

#include <string.h>

enum { MAX_WALKS = 120 };

/* ---- locations ------------------------------------------------------------------------------- */

static uint32_t find_heap_object(struct context *c, uint32_t func, uint32_t reg)
{
	struct pts_locs locs = {0};
	uint32_t object = IR_NONE;

	points_to_get(c->pt, func, reg, &locs);
	if (locs.list.n == 1 &&
		points_to_object(c->pt, locs.list.at[0].object)->kind == PTS_K_HEAP &&
		offs_is_exact(locs.list.at[0].at) && !locs.list.at[0].at.at)
		object = locs.list.at[0].object;
	pts_locs_release(&locs);
	return object;
}

struct freed {
	struct context *c;
	uint32_t object;
	bool hit;
};

static void test_freed(
	void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width, enum write_kind kind)
{
	struct freed *f = ctx;
	struct pts_locs locs = {0};

	(void)insn, (void)width;
	if (kind != WRITE_FREED)
		return;
	points_to_get(f->c->pt, func, at, &locs);
	f->hit |= !locs.list.n;
	vec_each (&locs.list, i)
		f->hit |= locs.list.at[i].object == f->object;
	pts_locs_release(&locs);
}

bool memory_freed(struct context *c, uint32_t func, uint32_t reg)
{
	struct freed f = {c, find_heap_object(c, func, reg), false};

	if (f.object == IR_NONE || bitset_has(&c->code.outside, f.object))
		return true;
	for (uint32_t i = 0; i < c->before.writers.n && !f.hit; i++)
		writes_each(&c->code.writes, c->before.writers.at[i].func,
			c->before.writers.at[i].insn, test_freed, &f);
	return f.hit;
}

bool memory_object(struct context *c, const struct symbol *s, uint32_t *object)
{
	*object = IR_NONE;
	switch (s->is.kind) {
	case CONTEXT_GLOBAL:
		*object = points_to_of_global(c->pt, s->is.id);
		return !(c->p->globals.at[s->is.id].flags & (IR_G_EXTERN | IR_G_MODEL));
	case CONTEXT_LOCAL:
		*object = points_to_of_local(c->pt, s->is.func, s->is.id);
		return *object != IR_NONE;
	case CONTEXT_HEAP:
		*object = find_heap_object(
			c, s->is.func, code_func(&c->code, s->is.func)->insns.at[s->is.insn].dst);
		return *object != IR_NONE;
	case CONTEXT_VALUE: return true;
	case CONTEXT_FUNC:
	case CONTEXT_THREAD: break;
	}
	return false;
}

/* can code outside write through the operand's targets? */
static bool pointer_outside(struct context *c, uint32_t func, ir_ref ref)
{
	struct pts_locs locs = {0};
	bool hit;

	points_to_get(c->pt, func, ref, &locs);
	hit = !locs.list.n;
	vec_each (&locs.list, i)
		hit |= bitset_has(&c->code.outside, locs.list.at[i].object) ||
		       locs.list.at[i].object == PTS_EXTERNAL;
	pts_locs_release(&locs);
	return hit;
}

static bool constant_global(const struct context *c, term_t base)
{
	const struct symbol *s = symbol_get(c, base);

	return s && s->is.kind == CONTEXT_GLOBAL && c->p->globals.at[s->is.id].flags & IR_G_CONST &&
	       !(c->p->globals.at[s->is.id].flags & (IR_G_EXTERN | IR_G_WEAK));
}

struct location *memory_place(struct context *c, struct location want)
{
	uint64_t h = hash_u64((uint64_t)want.base.id << 32 | want.size) ^
		     hash_u64((uint64_t)want.offset);
	uint64_t *at = map_put(&c->location_at, h);
	struct location *l = *at ? c->locations.at[*at - 1] : NULL;

	if (l && term_same(l->base, want.base) && l->offset == want.offset && l->size == want.size)
		return l;
	l = xmalloc(sizeof *l);
	*l = want;
	vec_push(&c->locations, l);
	*map_put(&c->location_at, h) = c->locations.n;
	return l;
}

struct location *memory_at(struct context *c, uint32_t frame, ir_ref address, uint32_t size)
{
	struct location want = {.size = size, .func = frame_at(c, frame)->func, .ref = address};
	term_t t = reach_ref(c, frame, address);
	const struct symbol *s;

	if (!size || size > 16 || !term_split(c->ts, t, &want.base, &want.offset) ||
		!(s = symbol_get(c, want.base)) || !memory_object(c, s, &want.object))
		return NULL;
	if (s->is.kind == CONTEXT_VALUE && s->frame == IR_NONE)
		return NULL;
	if (!constant_global(c, want.base) &&
		(want.object == IR_NONE ? pointer_outside(c, want.func, address)
					: bitset_has(&c->code.outside, want.object)))
		return NULL;
	return memory_place(c, want);
}

/* ---- initial contents ------------------------------------------------------------------------ */

static term_t get_relocated(struct context *c, const struct ir_global *g, uint64_t at,
	uint32_t size, uint32_t owner, bool *any)
{
	vec_each (&g->relocs, i) {
		struct ir_reloc r = g->relocs.at[i];

		if (r.offset + 8 <= at || r.offset >= at + size)
			continue;
		*any = true;
		if (r.offset != at || size != 8)
			return TERM_NONE;
		if (r.kind == IR_C_FUNC)
			return symbol_func(c, r.id);
		if (r.kind != IR_C_GLOBAL || c->p->globals.at[r.id].flags & IR_G_TLS)
			return TERM_NONE;
		return term_add(c->ts, symbol_global(c, r.id, owner),
			term_const(c->ts, 64, (uint64_t)r.addend));
	}
	return TERM_NONE;
}

/* The initial bytes of a global as a term; TERM_NONE if the location is not inside it. */
static term_t memory_initial(struct context *c, const struct location *l)
{
	const struct symbol *s = symbol_get(c, l->base);
	const struct ir_global *g = &c->p->globals.at[s->is.id];
	bool any = false;
	u128 v = 0;
	term_t t;

	if (g->flags & (IR_G_EXTERN | IR_G_WEAK) || l->offset < 0 ||
		(uint64_t)l->offset + l->size > g->size)
		return TERM_NONE;
	t = get_relocated(c, g, (uint64_t)l->offset, l->size, s->is.thread, &any);
	if (any)
		return t;
	for (uint32_t i = 0; i < l->size && g->init; i++)
		v |= (u128)g->init[l->offset + i] << (8 * i);
	return term_const(c->ts, 8 * l->size, v);
}

/* ---- definitions by one instruction -----------------------------------------------------------
 */

static term_t find_definition(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, bool shared);

/* The bytes of a value of the type in memory. */
static term_t to_memory(struct context *c, term_t v, ir_type type)
{
	return term_zext(c->ts, v, 8 * ir_type_bytes(type));
}

/* Is the location in the `size` bytes at the operand? *from: its offset in them. */
static bool is_inside(struct context *c, uint32_t frame, ir_ref address, uint64_t size,
	const struct location *l, uint64_t *from)
{
	term_t base;
	int64_t offset;

	if (!term_split(c->ts, reach_ref(c, frame, address), &base, &offset) ||
		!term_same(base, l->base))
		return false;
	*from = (uint64_t)l->offset - (uint64_t)offset;
	return l->offset >= offset && *from + l->size <= size;
}

static bool is_exactly(
	struct context *c, uint32_t frame, ir_ref address, uint32_t size, const struct location *l)
{
	uint64_t from;

	return size == l->size && is_inside(c, frame, address, size, l, &from) && !from;
}

static term_t get_stored(
	struct context *c, uint32_t frame, const struct ir_insn *in, const struct location *l)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	uint32_t bytes = ir_type_bytes(in->type2);
	uint64_t from;

	if (!is_inside(c, frame, in->arg[0], bytes, l, &from) ||
		(ir_is_const(in->arg[1]) && ir_const(f, in->arg[1])->kind == IR_C_UNDEF))
		return TERM_NONE;
	return term_extract(c->ts, to_memory(c, reach_ref(c, frame, in->arg[1]), in->type2),
		8 * (unsigned)from, 8 * l->size);
}

static term_t get_memset(
	struct context *c, uint32_t frame, const struct ir_insn *in, const struct location *l)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	term_t byte, all;
	uint64_t from;
	int64_t n;

	if (in->op != IR_MEMSET || !defs_constant(f, in->arg[2], &n) || n <= 0 ||
		!is_inside(c, frame, in->arg[0], (uint64_t)n, l, &from))
		return TERM_NONE;
	byte = all = reach_ref(c, frame, in->arg[1]);
	for (uint32_t i = 1; i < l->size; i++)
		all = term_concat(c->ts, all, byte);
	return all;
}

static term_t get_rmw_result(
	struct context *c, uint32_t frame, const struct ir_insn *in, const struct location *l)
{
	if (!is_exactly(c, frame, in->arg[0], ir_type_bytes(in->type), l) ||
		ir_type_bits(in->type) != 8 * l->size)
		return TERM_NONE;
	return ops_rmw(c->ts, in, reach_ref(c, frame, in->dst), reach_ref(c, frame, in->arg[1]));
}

/* The contents after a call, if they are the same at all returns of the callee. */
static term_t get_after_call(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, bool shared)
{
	uint32_t callee = code_callee(&c->code, frame_at(c, frame)->func, insn), v;
	const struct ir_func *f;
	struct shape *s;
	term_t all = TERM_NONE, t;

	if (callee == IR_NONE || (v = frame_returned(c, frame, insn, callee)) == IR_NONE)
		return TERM_NONE;
	f = code_func(&c->code, callee);
	s = code_shape(&c->code, callee);
	vec_each (&f->blocks, b) {
		if (ir_terminator(f, b)->op != IR_RET || !cfg_reachable(&s->cfg, b))
			continue;
		t = find_definition(c, v, f->blocks.at[b].first + f->blocks.at[b].n - 1, l, shared);
		if (!t.id || (all.id && !term_same(all, t)))
			return TERM_NONE;
		all = t;
	}
	return all;
}

/* A new block of calloc has zeros. */
static term_t get_callocated(
	struct context *c, uint32_t func, uint32_t insn, const struct location *l)
{
	const struct symbol *s = symbol_get(c, l->base);
	uint32_t callee = code_direct(&c->code, func, insn);
	int64_t n, size;

	if (s->is.kind != CONTEXT_HEAP || s->is.func != func || s->is.insn != insn ||
		strcmp(ir_func_name(c->p, callee), "calloc"))
		return TERM_NONE;
	if (!defs_constant(code_func(&c->code, func), code_arg(&c->code, func, insn, 0), &n) ||
		!defs_constant(
			code_func(&c->code, func), code_arg(&c->code, func, insn, 1), &size) ||
		l->offset < 0 || l->offset + l->size > n * size)
		return TERM_NONE;
	return term_const(c->ts, 8 * l->size, 0);
}

static bool creates_object(
	struct context *c, uint32_t frame, uint32_t insn, const struct location *l)
{
	const struct symbol *s = symbol_get(c, l->base);
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_insn *in = &code_func(&c->code, func)->insns.at[insn];

	if (s->is.kind == CONTEXT_LOCAL)
		return in->op == IR_ALLOCA && s->is.func == func && s->is.id == (uint32_t)in->imm;
	return s->is.kind == CONTEXT_HEAP && s->is.func == func && s->is.insn == insn;
}

/* The contents after the instruction, which is on every path. *on: the instruction does not write
 * the location, so the search goes on before it. */
static term_t get_defined(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, bool shared, bool *on)
{
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_insn *in = &code_func(&c->code, func)->insns.at[insn];
	term_t t = TERM_NONE;

	*on = false;
	if (shared && regions_end(c, func, insn))
		return in->op == IR_CALL ? get_after_call(c, frame, insn, l, shared) : TERM_NONE;
	switch (ir_ops[in->op].shape) {
	case IR_S_STORE: t = get_stored(c, frame, in, l); break;
	case IR_S_BULK: t = get_memset(c, frame, in, l); break;
	case IR_S_RMW: t = get_rmw_result(c, frame, in, l); break;
	case IR_S_LOAD:
		if (!is_exactly(c, frame, in->arg[0], ir_type_bytes(in->type), l) ||
			ir_type_bits(in->type) != 8 * l->size) {
			*on = true;
			return TERM_NONE;
		}
		return reach_ref(c, frame, in->dst);
	case IR_S_CALL:
		if (creates_object(c, frame, insn, l))
			return get_callocated(c, func, insn, l);
		if (writes_insn(c, func, insn, l))
			return get_after_call(c, frame, insn, l, shared);
		*on = true;
		return TERM_NONE;
	case IR_S_ALLOCA: *on = !creates_object(c, frame, insn, l); return TERM_NONE;
	default: break;
	}
	if (!t.id)
		*on = !writes_insn(c, func, insn, l);
	return t;
}

/* ---- backward search ------------------------------------------------------------------------- */

static bool is_written_by_constructors(struct context *c, struct location *l)
{
	vec_each (&c->p->ctors, i)
		if (!code_known(&c->code, c->p->ctors.at[i].func) ||
			writes_called(c, c->p->ctors.at[i].func, l))
			return true;
	return false;
}

static term_t get_at_entry(struct context *c, uint32_t frame, struct location *l, bool shared)
{
	struct frame fr = *frame_at(c, frame);
	const struct symbol *s = symbol_get(c, l->base);
	bool main_ = fr.func == ir_find_func(c->p, "main") && code_uncalled(&c->code, fr.func);

	if (fr.parent != IR_NONE)
		return find_definition(c, fr.parent, fr.call, l, shared);
	if (s->is.kind != CONTEXT_GLOBAL || shared)
		return TERM_NONE;
	if (fr.kind == FRAME_LISTED && c->threads.at[fr.owner].id)
		/* thread-local variables of a new thread have their initial bytes */
		return c->threads.at[fr.owner].complete && s->is.thread == fr.owner
			       ? memory_initial(c, l)
			       : TERM_NONE;
	/* the start of the program */
	if (!main_ || is_written_by_constructors(c, l))
		return TERM_NONE;
	return memory_initial(c, l);
}

/* May the location change on a path from the end of block `top` to the start of block b that does
 * not pass `top`? `shared`: also by another thread. */
static bool may_change_between(
	struct context *c, uint32_t func, uint32_t top, uint32_t b, struct location *l, bool shared)
{
	struct shape *s = code_shape(&c->code, func);
	struct vec_u32 work = {0};
	struct bitset seen = {0};
	bool hit = false;

	vec_push(&work, b);
	while (work.n && !hit) {
		b = vec_pop(&work);
		for (uint32_t i = s->cfg.pred_at[b]; i < s->cfg.pred_at[b + 1] && !hit; i++) {
			uint32_t from = s->cfg.pred[i];

			if (from == top || !cfg_reachable(&s->cfg, from) ||
				!bitset_add(&seen, from))
				continue;
			hit = writes_block(c, func, from, l) ||
			      (shared && regions_end_block(c, func, from));
			vec_push(&work, from);
		}
	}
	vec_release(&work);
	bitset_release(&seen);
	return hit;
}

static term_t search_backwards(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, bool shared)
{
	uint32_t func = frame_at(c, frame)->func, b;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	term_t t;
	bool on;

	b = s->block_of[insn];
	for (;;) {
		while (insn > f->blocks.at[b].first) {
			t = get_defined(c, frame, --insn, l, shared, &on);
			if (!on)
				return t;
		}
		if (!b)
			return get_at_entry(c, frame, l, shared);
		if (may_change_between(c, func, s->dom.idom[b], b, l, shared))
			return TERM_NONE;
		b = s->dom.idom[b];
		insn = f->blocks.at[b].first + f->blocks.at[b].n;
	}
}

static term_t find_definition(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, bool shared)
{
	struct shape *s = code_shape(&c->code, frame_at(c, frame)->func);
	term_t t;

	if (s->twice || !cfg_reachable(&s->cfg, s->block_of[insn]) || c->nesting >= MAX_WALKS)
		return TERM_NONE;
	c->nesting++;
	t = search_backwards(c, frame, insn, l, shared);
	BUG_ON(!c->nesting);
	c->nesting--;
	return t;
}

/* ---- since the early phase ------------------------------------------------------------------- */

/* Is the early phase over whenever the frame is before the instruction? */
static bool is_late(struct context *c, uint32_t frame, uint32_t insn)
{
	struct frame fr = *frame_at(c, frame);
	const struct bitset *ends = &c->code.phase.ends[fr.func];
	bool here = fr.kind == FRAME_LISTED && insn == fr.insn;

	if (!bitset_has(&c->code.mains, fr.func) ||
		(fr.owner != IR_NONE && c->threads.at[fr.owner].id))
		return true;
	if (here && c->threads.n > 1)
		return true; /* other threads exist */
	if (code_shape(&c->code, fr.func)->twice)
		return false;
	bitset_each (ends, e)
		if (code_dominates(&c->code, fr.func, e, insn))
			return true;
	return fr.parent != IR_NONE && is_late(c, fr.parent, fr.call);
}

/* The innermost frame of the main thread, if it is in the context. */
static uint32_t get_main_frame(const struct context *c)
{
	vec_each (&c->threads, t)
		if (!c->threads.at[t].id)
			return frame_of(c, t, c->threads.at[t].stack.n - 1);
	return IR_NONE;
}

/* If they are the same at all ends of the phase. */
term_t memory_at_phase_end(struct context *c, struct location *l)
{
	term_t all = TERM_NONE, t;
	uint32_t n = 0;

	vec_each (&c->p->funcs, f)
		bitset_each (&c->code.phase.ends[f], e) {
			if (!before_by(c, f, e))
				continue;
			t = find_definition(c, frame_lone(c, f, e), e, l, false);
			if (!t.id || !term_is_fixed(c, t) || (n++ && !term_same(t, all)))
				return TERM_NONE;
			all = t;
		}
	return all;
}

static term_t get_kept(struct context *c, uint32_t func, uint32_t insn, struct location *l)
{
	uint32_t m = get_main_frame(c);

	if (l->kept.id || l->busy)
		return l->kept;
	l->busy = true;
	l->kept = memory_at_phase_end(c, l);
	if (!l->kept.id && m != IR_NONE && is_late(c, m, frame_at(c, m)->insn))
		l->kept = find_definition(c, m, frame_at(c, m)->insn, l, false);
	if (!l->kept.id && insn != IR_NONE)
		l->kept = symbol_loaded(c, l, func, insn);
	l->busy = false;
	return l->kept;
}

/* ---- shared locations ------------------------------------------------------------------------ */

/* Is the thread inside the call at its place? Then the call has released already. */
static bool is_in_call(struct context *c, uint32_t frame, uint32_t insn)
{
	struct frame fr = *frame_at(c, frame);

	return fr.kind == FRAME_LISTED && insn == fr.insn && c->threads.at[fr.owner].waiting &&
	       fr.depth + 1 == c->threads.at[fr.owner].stack.n;
}

static term_t get_without_interference(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l)
{
	if (!regions_apply(c, l) ||
		(is_in_call(c, frame, insn) && regions_end(c, frame_at(c, frame)->func, insn)))
		return TERM_NONE;
	return find_definition(c, frame, insn, l, true);
}

/* ---- interface ------------------------------------------------------------------------------- */

static term_t get_value(
	struct context *c, uint32_t frame, uint32_t insn, struct location *l, uint32_t load)
{
	struct frame fr = *frame_at(c, frame);
	term_t t = TERM_NONE;

	if (constant_global(c, l->base))
		return memory_initial(c, l);
	if (fr.owner == IR_NONE ? writes_early(c, l) : writes_own(c, fr.owner, l))
		t = find_definition(c, frame, insn, l, false);
	else if (fr.owner != IR_NONE)
		t = get_without_interference(c, frame, insn, l);
	if (!t.id && writes_early(c, l) && is_late(c, frame, insn))
		t = get_kept(c, fr.func, load, l);
	return t;
}

term_t memory_value(struct context *c, uint32_t frame, uint32_t insn, struct location *l)
{
	return get_value(c, frame, insn, l, IR_NONE);
}

term_t memory_load(struct context *c, uint32_t frame, uint32_t insn)
{
	const struct ir_insn *in = &code_func(&c->code, frame_at(c, frame)->func)->insns.at[insn];
	struct location *l;
	term_t t;

	if (in->flags & IR_F_VOLATILE)
		return TERM_NONE;
	l = memory_at(c, frame, in->arg[0], ir_type_bytes(in->type));
	if (!l)
		return TERM_NONE;
	t = get_value(c, frame, insn, l, insn);
	return t.id ? term_trunc(c->ts, t, ir_type_bits(in->type)) : t;
}

void memory_release(struct context *c)
{
	vec_each (&c->locations, i) {
		map_release(&c->locations.at[i]->dirty);
		map_release(&c->locations.at[i]->writes);
		free(c->locations.at[i]);
	}
	vec_release(&c->locations);
	map_release(&c->location_at);
}
