/*
 * The counts that barriers may have been initialized with (B_cnts of paper 001, 4.4): those of
 * every call of pthread_barrier_init that may have been executed before the context and may have
 * this barrier as its argument.
 */
#include "context/context_internal.h"

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

struct init { /* one such call, with terms over the registers of a frame */
	uint32_t frame, insn;
	term_t barrier, count; /* TERM_NONE: not known there */
};

struct inits {
	struct context *c;
	VEC(struct init) list;
	struct map done; /* frames */
};

/* ---- the calls ------------------------------------------------------------------------------- */

/* elsewhere: the call is not on every path to the place, so its registers may have changed since */
static void add_init(struct inits *all, uint32_t frame, uint32_t insn, bool elsewhere)
{
	struct context *c = all->c;
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	ir_ref at = code_arg(&c->code, func, insn, 0), n = code_arg(&c->code, func, insn, 2);
	struct init i = {frame, insn, TERM_NONE, TERM_NONE};

	if (at == IR_NONE || n == IR_NONE)
		return;
	i.barrier = reach_ref(c, frame, at);
	if (ir_is_reg(n) || ir_const(f, n)->kind == IR_C_BITS)
		i.count = reach_ref(c, frame, n);
	if (elsewhere) {
		if (!term_is_fixed(c, i.barrier))
			i.barrier = TERM_NONE;
		if (i.count.id && !term_is_fixed(c, i.count))
			i.count = TERM_NONE;
	}
	vec_push(&all->list, i);
}

/* Adds the calls on every path to the place, and those in functions that were called and returned.
 * */
static void add_frame_inits(struct inits *all, uint32_t frame, uint32_t place, struct map *seen)
{
	struct context *c = all->c;
	uint32_t func = frame_at(c, frame)->func, callee, v;
	const struct ir_func *f = code_func(&c->code, func);

	if (code_shape(&c->code, func)->twice)
		return;
	vec_each (&f->insns, i) {
		if (f->insns.at[i].op != IR_CALL ||
			(place != IR_NONE && !code_dominates(&c->code, func, i, place)))
			continue;
		if (code_sync(&c->code, func, i) == LOG_S_BARRIER_INIT &&
			code_once(&c->code, func, i)) {
			(*map_put(seen, (uint64_t)func << 32 | i))++;
			add_init(all, frame, i, false);
		}
		callee = code_callee(&c->code, func, i);
		if (callee != IR_NONE && (v = frame_returned(c, frame, i, callee)) != IR_NONE &&
			!(*map_put(&all->done, v))++)
			add_frame_inits(all, v, IR_NONE, seen);
	}
}

static void find_inits(struct inits *all)
{
	struct context *c = all->c;
	struct map seen = {0};

	vec_each (&c->threads, t)
		vec_each (&c->threads.at[t].stack, k)
			add_frame_inits(
				all, frame_of(c, t, k), c->threads.at[t].stack.at[k].insn, &seen);
	vec_each (&c->p->funcs, f) {
		const struct ir_func *fn = &c->p->funcs.at[f];

		for (uint32_t i = 0; code_known(&c->code, f) && i < fn->insns.n; i++)
			if (fn->insns.at[i].op == IR_CALL && before_by(c, f, i) &&
				code_sync(&c->code, f, i) == LOG_S_BARRIER_INIT &&
				!map_get_or(&seen, (uint64_t)f << 32 | i, 0))
				add_init(all, frame_lone(c, f, i), i, true);
	}
	map_release(&seen);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* May both calls have the same barrier? */
static bool may_alias(struct context *c, const struct init *i, const struct init *other)
{
	uint32_t f = frame_at(c, i->frame)->func, g = frame_at(c, other->frame)->func;

	if (i->barrier.id && other->barrier.id && term_same(i->barrier, other->barrier))
		return true;
	return points_to_may_alias(c->pt, f, code_arg(&c->code, f, i->insn, 0), 1, g,
		code_arg(&c->code, g, other->insn, 0), 1);
}

static bool is_listed(const struct context *c, term_t barrier)
{
	vec_each (&c->barriers, i)
		if (term_same(c->barriers.at[i].barrier, barrier))
			return true;
	return false;
}

static void add_count(struct context_barrier *b, term_t count)
{
	vec_each (&b->counts, i)
		if (term_same(b->counts.at[i], count))
			return;
	vec_push(&b->counts, count);
}

static void add_barrier(struct inits *all, const struct init *i)
{
	struct context *c = all->c;
	struct context_barrier b = {.barrier = i->barrier};
	bool known = true;

	if (!i->barrier.id || is_listed(c, i->barrier))
		return;
	vec_each (&all->list, k) {
		const struct init *other = &all->list.at[k];

		if (!may_alias(c, i, other))
			continue;
		known = known && other->count.id;
		if (known)
			add_count(&b, other->count);
	}
	if (!known)
		vec_clear(&b.counts);
	vec_push(&c->barriers, b);
}

/* Is the barrier not reachable by code outside, which may initialize it at any time? */
static bool is_inside(struct context *c, const struct init *i)
{
	uint32_t func = frame_at(c, i->frame)->func;
	struct pts_locs locs = {0};
	bool yes = true;

	points_to_get(c->pt, func, code_arg(&c->code, func, i->insn, 0), &locs);
	vec_each (&locs.list, k)
		yes = yes && !bitset_has(&c->code.outside, locs.list.at[k].object);
	pts_locs_release(&locs);
	return yes;
}

void barrier_counts_init(struct context *c)
{
	struct inits all = {.c = c};

	find_inits(&all);
	vec_each (&all.list, i)
		if (is_inside(c, &all.list.at[i]))
			add_barrier(&all, &all.list.at[i]);
	vec_release(&all.list);
	map_release(&all.done);
}
