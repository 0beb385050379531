#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "pts_watch.h"

#include "machine/machine.h"

#include <stdlib.h>

struct place {
	enum { NOWHERE, OBJECT, PASSED } kind; /* PASSED: copies of arguments, by value or variable */
	uint32_t object;
	int64_t offset;
};

static const struct place nowhere = {.kind = NOWHERE};

static struct place in_heap(struct pts_watch *w, struct machine *m, uint64_t a)
{
	struct heap_block *b = heap_find(&m->heap, a);
	struct pts_frame frames[64];
	const struct stack_entry *e;
	uint32_t n;

	if (!b || a < b->base || a >= b->base + b->size || !b->alloc_stack.id)
		return nowhere;
	n = stacks_get(&m->stacks, b->alloc_stack, &e);
	if (!n)
		return nowhere;
	n = MIN(n, ARRAY_SIZE(frames));
	for (uint32_t i = 0; i < n; i++)
		frames[i] = (struct pts_frame){e[i].func, e[i].insn};
	return (struct place){OBJECT, points_to_of_allocation(w->pt, frames, n),
		(int64_t)(a - b->base)};
}

static struct place in_stack(struct pts_watch *w, struct machine *m, uint64_t a)
{
	uint64_t k = (a - ADDR_STACK) / STACK_STRIDE;
	const struct thread *t = k < m->threads.n ? m->threads.at[k] : NULL;

	for (uint32_t i = t ? t->vars.n : 0; i-- > 0;) {
		struct stack_var v = t->vars.at[i];

		if (a < v.base || a >= v.base + v.size)
			continue;
		if (v.local == IR_NONE)
			return (struct place){.kind = PASSED};
		if (!points_to_knows(w->pt, v.func))
			return nowhere;
		return (struct place){OBJECT, points_to_of_local(w->pt, v.func, v.local),
			(int64_t)(a - v.base)};
	}
	return nowhere;
}

static struct place in_global(struct pts_watch *w, uint32_t g, uint64_t base, uint64_t a)
{
	const struct ir_global *gl = &w->p->globals.at[g];

	if (a < base || a >= base + gl->size || gl->flags & IR_G_MODEL)
		return nowhere;
	return (struct place){OBJECT, points_to_of_global(w->pt, g), (int64_t)(a - base)};
}

static struct place in_tls(struct pts_watch *w, struct machine *m, uint64_t a)
{
	uint64_t base = ADDR_TLS + (a - ADDR_TLS) / TLS_STRIDE * TLS_STRIDE;
	struct place at = nowhere;

	vec_each (&w->p->globals, g)
		if ((w->p->globals.at[g].flags & (IR_G_TLS | IR_G_EXTERN)) == IR_G_TLS &&
			at.kind == NOWHERE)
			at = in_global(w, g, base + m->globals.addr[g], a);
	return at;
}

static struct place locate(struct pts_watch *w, struct machine *m, uint64_t a)
{
	uint32_t id;

	if (a >= ADDR_FUNC && a < ADDR_BLOCK) {
		id = func_at(w->p, a);
		return id == IR_NONE ? nowhere
				     : (struct place){OBJECT, points_to_of_func(w->pt, id), 0};
	}
	if (a >= ADDR_CONST && a < ADDR_HEAP) {
		id = globals_find(&m->globals, m->p, a);
		return id == IR_NONE ? nowhere : in_global(w, id, m->globals.addr[id], a);
	}
	if (a >= ADDR_HEAP && a < ADDR_STACK)
		return in_heap(w, m, a);
	if (a >= ADDR_STACK && a < ADDR_TLS)
		return in_stack(w, m, a);
	return a >= ADDR_TLS && a < ADDR_END ? in_tls(w, m, a) : nowhere;
}

static void miss(struct pts_watch *w, uint32_t func, uint32_t insn, ir_ref r, struct place at)
{
	struct diag_pos pos = ir_diag_pos(w->p, w->p->funcs.at[func].insns.at[insn].pos);
	struct strbuf b = {0};

	w->missed++;
	if (at.kind == PASSED)
		strbuf_adds(&b, "a copied argument");
	else
		strbuf_addf(&b, "object %u of kind %u", at.object,
			points_to_object(w->pt, at.object)->kind);
	strbuf_addf(&w->misses, "%s:%u: in '%s', instruction %u: operand %u points to %s, offset %lld\n",
		pos.file ? pos.file : "?", pos.line, ir_func_name(w->p, func), insn, r, b.s,
		(long long)at.offset);
	strbuf_release(&b);
}

static bool points_to_kind(struct pts_watch *w, uint32_t func, ir_ref r, unsigned kinds)
{
	struct pts_locs l = {0};
	bool found = false;

	points_to_get(w->pt, func, r, &l);
	vec_each (&l.list, i)
		found |= kinds >> points_to_object(w->pt, l.list.at[i].object)->kind & 1;
	pts_locs_release(&l);
	return found;
}

static bool expected(struct pts_watch *w, uint32_t func, ir_ref r, struct place at)
{
	if (at.kind == PASSED)
		return points_to_kind(w, func, r,
			1 << PTS_K_BYVAL | 1 << PTS_K_VARARGS | 1 << PTS_K_EXTERNAL);
	/* memory that a library function made for itself */
	if (at.object == PTS_EXTERNAL)
		return points_to_kind(w, func, r,
			1 << PTS_K_LIBRARY | 1 << PTS_K_ARGS | 1 << PTS_K_EXTERNAL);
	return points_to_covers(w->pt, func, r, at.object, at.offset);
}

/* the operand's value, if it is an address of something, must be expected. Only an access says for
 * sure what a stack address means: dead variables leave theirs behind. */
static void check(struct pts_watch *w, struct machine *m, struct thread *t, ir_ref r, bool access)
{
	struct frame *f = top(t);
	struct opnd o = frame_get(m, t, f, r);
	uint64_t key = hash_u64(o.v.lo) ^ hash_u64((uint64_t)f->func << 32 | r) ^ f->pc * 2 ^ access;
	uint64_t *seen = map_put(&w->seen, key), bad;
	struct place at;

	if ((*seen)++ || o.u.lo || (access && !mem_valid(&m->mem, o.v.lo, 1, &bad)))
		return;
	if (!access && o.v.lo >= ADDR_STACK && o.v.lo < ADDR_TLS)
		return;
	at = locate(w, m, o.v.lo);
	if (at.kind == NOWHERE)
		return;
	w->checked++;
	if (!expected(w, f->func, r, at))
		miss(w, f->func, f->pc, r, at);
}

struct wanted {
	uint32_t func;
	bool found;
};

static void want(void *ctx, uint32_t callee)
{
	struct wanted *wa = ctx;

	wa->found |= callee == wa->func;
}

static void check_call(struct pts_watch *w, struct machine *m, struct thread *t,
	const struct ir_insn *in)
{
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	struct wanted wa = {func_at(w->p, frame_get(m, t, f, in->arg[0]).v.lo), false};
	ir_ref r;

	if (wa.func != IR_NONE) {
		points_to_callees(w->pt, f->func, f->pc, want, &wa);
		w->checked++;
		if (!wa.found)
			miss(w, f->func, f->pc, in->arg[0],
				(struct place){OBJECT, points_to_of_func(w->pt, wa.func), 0});
	}
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		r = fn->extra.at[in->arg[1] + 2 * i];
		if (ir_is_reg(r) && ir_ref_type(fn, r) == IR_PTR)
			check(w, m, t, r, false);
	}
}

static void observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct pts_watch *w = ctx;
	struct frame *f = top(t);

	if (!points_to_knows(w->pt, f->func))
		return;
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
	case IR_S_RMW:
	case IR_S_CAS: check(w, m, t, in->arg[0], true); break;
	case IR_S_STORE:
		check(w, m, t, in->arg[0], true);
		if (in->type2 == IR_PTR)
			check(w, m, t, in->arg[1], false);
		break;
	case IR_S_BULK:
		if (!frame_get(m, t, f, in->arg[2]).v.lo)
			break;
		check(w, m, t, in->arg[0], true);
		if (in->op != IR_MEMSET)
			check(w, m, t, in->arg[1], true);
		break;
	case IR_S_CALL: check_call(w, m, t, in); break;
	default: break;
	}
}

enum exec_fate pts_watch_run(struct pts_watch *w, const struct ir_program *p, const struct points_to *pt,
	uint64_t seed, uint64_t max_instructions)
{
	char name[] = "program";
	char *argv[] = {name, NULL};
	struct exec_options opt = {.seed = seed, .slow = true, .observe = observe,
		.observe_ctx = w, .max_instructions = max_instructions};
	struct exec_result res;

	w->p = p;
	w->pt = pt;
	if (exec_run(p, 1, argv, &opt, &res))
		return EXEC_STOPPED;
	exec_result_release(&res);
	return res.fate;
}

void pts_watch_release(struct pts_watch *w)
{
	map_release(&w->seen);
	strbuf_release(&w->misses);
}
