#include "facts/spin_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "log/effects.h"
#include "log/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- calls ----------------------------------------------------------------------------------- */

static enum spin_call classify_call(const char *name)
{
	static const char *const time[] = {"sched_yield", "thrd_yield", "pthread_yield", "sleep",
		"usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"};
	const struct log_sync_fn *sync = log_sync_find(name);

	for (size_t i = 0; i < ARRAY_SIZE(time); i++)
		if (!strcmp(name, time[i]))
			return SPIN_CALL_TIME;
	if (!sync)
		return SPIN_CALL_OTHER;
	switch (sync->kind) {
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_SEM_TRYWAIT: return SPIN_CALL_TRY;
	case LOG_S_SEM_WAIT: return sync->timed ? SPIN_CALL_TRY : SPIN_CALL_OTHER;
	case LOG_S_LOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK: return sync->timed ? SPIN_CALL_TRY : SPIN_CALL_LOCK;
	case LOG_S_UNLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_RW_UNLOCK: return SPIN_CALL_UNLOCK;
	case LOG_S_COND_WAIT: return sync->timed ? SPIN_CALL_TIMED_WAIT : SPIN_CALL_WAIT;
	default: return SPIN_CALL_OTHER;
	}
}

/* Does the operation fail while another thread holds a lock? */
static bool sees_holder(const char *name)
{
	const struct log_sync_fn *sync = log_sync_find(name);

	if (!sync)
		return false;
	switch (sync->kind) {
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK: return true;
	case LOG_S_LOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK: return sync->timed;
	default: return false;
	}
}

/* Does the code of the program, not of a model, name such an operation? */
static bool uses_tries(const struct ir_program *p)
{
	struct bitset ops = {0};
	bool used = false;

	vec_each (&p->funcs, f)
		if (p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL) &&
			sees_holder(ir_func_name(p, f)))
			bitset_add(&ops, f);
	vec_each (&p->funcs, f)
		vec_each (&p->funcs.at[f].consts, k) {
			const struct ir_const *c = &p->funcs.at[f].consts.at[k];

			used |= !(p->funcs.at[f].flags & IR_FN_MODEL) && c->kind == IR_C_FUNC &&
				bitset_has(&ops, c->id);
		}
	vec_each (&p->globals, g)
		vec_each (&p->globals.at[g].relocs, k)
			used |= p->globals.at[g].relocs.at[k].kind == IR_C_FUNC &&
				bitset_has(&ops, p->globals.at[g].relocs.at[k].id);
	bitset_release(&ops);
	return used;
}

struct spins *spins_new(const struct ir_program *p)
{
	struct spins *s = xcalloc(1, sizeof *s);

	s->p = p;
	s->funcs = xcalloc(p->funcs.n + 1, sizeof *s->funcs);
	s->calls = xcalloc(p->funcs.n + 1, 1);
	for (uint32_t f = 0; f < p->funcs.n; f++)
		if (p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL))
			s->calls[f] = classify_call(ir_func_name(p, f));
	s->tries = uses_tries(p);
	return s;
}

void spins_free(struct spins *s)
{
	if (!s)
		return;
	for (uint32_t f = 0; f < s->p->funcs.n; f++) {
		struct spin_func *sf = s->funcs[f];

		if (!sf)
			continue;
		cfg_release(&sf->cfg);
		loops_release(&sf->loops);
		dom_release(&sf->dom);
		free(sf->local);
		free(sf->base);
		free(sf->found);
		free(sf);
	}
	free(s->funcs);
	free(s->calls);
	free(s);
}

/* ---- variables on the stack ------------------------------------------------------------------ */

struct locals {
	struct spins *s;
	struct spin_func *sf;
	const struct ir_func *fn;
	uint8_t *bits;   /* by register: width of its loads and stores; 0 = none yet */
	uint8_t *loaded; /* by register: it is loaded */
};

static uint32_t base_of(const struct locals *l, ir_ref r)
{
	return r != IR_NONE && ir_is_reg(r) ? l->sf->base[r] : IR_NONE;
}

static void mark_escaped(void *ctx, ir_ref r)
{
	struct locals *l = ctx;
	uint32_t b = base_of(l, r);

	if (b != IR_NONE)
		l->sf->local[b] = SPIN_ESCAPED;
}

static void mark_sink(struct locals *l, uint32_t b)
{
	if (b != IR_NONE && l->sf->local[b] == SPIN_SCALAR)
		l->sf->local[b] = SPIN_SINK;
}

/* A load or store through an address; a variable that is accessed in parts is not SPIN_SCALAR. */
static void used_as_memory(struct locals *l, ir_ref r, ir_type type, bool load)
{
	uint32_t b = base_of(l, r), bits = ir_type_bits(type);

	if (b == IR_NONE)
		return;
	l->loaded[b] |= load;
	if (r != b || (l->bits[b] && l->bits[b] != bits))
		mark_sink(l, b);
	l->bits[b] = (uint8_t)bits;
}

/* The function that only passes time and that the instruction calls, or IR_NONE. */
static uint32_t time_callee(const struct spins *s, const struct ir_func *fn, const struct ir_insn *in)
{
	uint32_t callee = ir_callee(fn, in);

	return callee != IR_NONE && s->calls[callee] == SPIN_CALL_TIME ? callee : IR_NONE;
}

static void use_in_call(struct locals *l, const struct ir_insn *in)
{
	const uint32_t *ex = l->fn->extra.at + in->arg[1];
	bool time = time_callee(l->s, l->fn, in) != IR_NONE;

	if (!time)
		mark_escaped(l, in->arg[0]);
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		if (time)
			mark_sink(l, base_of(l, ex[2 * i]));
		else
			mark_escaped(l, ex[2 * i]);
	}
}

static void note_use(struct locals *l, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: used_as_memory(l, in->arg[0], in->type, true); break;
	case IR_S_STORE:
		used_as_memory(l, in->arg[0], in->type2, false);
		mark_escaped(l, in->arg[1]);
		break;
	case IR_S_LIFE: break;
	case IR_S_PADD:
		if (in->arg[1] != IR_NONE)
			mark_escaped(l, in->arg[0]);
		else
			mark_sink(l, base_of(l, in->arg[0]));
		break;
	case IR_S_BULK:
		mark_sink(l, base_of(l, in->arg[0]));
		mark_escaped(l, in->arg[1]);
		break;
	case IR_S_CALL: use_in_call(l, in); break;
	default: ir_insn_each_use(l->fn, in, mark_escaped, l); break;
	}
}

static void find_bases(struct locals *l)
{
	bool more = true;

	for (uint32_t i = 0; i < l->fn->regs.n; i++)
		l->sf->base[i] = IR_NONE;
	vec_each (&l->fn->insns, i) {
		const struct ir_insn *in = &l->fn->insns.at[i];

		if (in->op == IR_ALLOCA) {
			l->sf->base[in->dst] = in->dst;
			l->sf->local[in->dst] = SPIN_SCALAR;
		}
	}
	while (more) {
		more = false;
		vec_each (&l->fn->insns, i) {
			const struct ir_insn *in = &l->fn->insns.at[i];
			uint32_t b = in->op == IR_PADD ? base_of(l, in->arg[0]) : IR_NONE;

			if (b != IR_NONE && l->sf->base[in->dst] == IR_NONE) {
				l->sf->base[in->dst] = b;
				more = true;
			}
		}
	}
}

static void find_locals(struct spins *s, struct spin_func *sf, const struct ir_func *fn)
{
	struct locals l = {.s = s, .sf = sf, .fn = fn};

	l.bits = xcalloc(fn->regs.n + 1, 1);
	l.loaded = xcalloc(fn->regs.n + 1, 1);
	find_bases(&l);
	vec_each (&fn->insns, i)
		note_use(&l, &fn->insns.at[i]);
	vec_each (&fn->edges, i)
		for (uint32_t k = 0; k < fn->edges.at[i].ncopies; k++)
			mark_escaped(&l, fn->extra.at[fn->edges.at[i].copies + 2 * k + 1]);
	for (uint32_t r = 0; r < fn->regs.n; r++)
		if (sf->local[r] == SPIN_SINK && l.loaded[r])
			sf->local[r] = SPIN_ESCAPED;
	free(l.bits);
	free(l.loaded);
}

struct spin_func *spin_func(struct spins *s, uint32_t func)
{
	const struct ir_func *fn = &s->p->funcs.at[func];
	struct spin_func *sf = s->funcs[func];

	if (sf)
		return sf;
	sf = s->funcs[func] = xcalloc(1, sizeof *sf);
	cfg_init(&sf->cfg, fn);
	loops_init(&sf->loops, &sf->cfg);
	dom_init(&sf->dom, &sf->cfg);
	sf->local = xcalloc(fn->regs.n + 1, 1);
	sf->base = xcalloc(fn->regs.n + 1, sizeof *sf->base);
	find_locals(s, sf, fn);
	sf->found = xcalloc(sf->loops.at.n + 1, sizeof *sf->found);
	vec_each (&sf->loops.at, i)
		sf->found[i].header = BLK_NONE;
	return sf;
}

bool spin_passes_time(struct spins *s, uint32_t func, const struct ir_insn *in)
{
	const struct ir_func *fn = &s->p->funcs.at[func];
	const struct spin_func *sf = spin_func(s, func);
	uint32_t callee = time_callee(s, fn, in), writes;

	if (callee == IR_NONE)
		return false;
	writes = effects_writes(effects_find(ir_func_name(s->p, callee)).number).args;
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		ir_ref r = fn->extra.at[in->arg[1] + 2 * i];
		const struct ir_const *k = ir_is_const(r) ? ir_const(fn, r) : NULL;
		uint32_t base = k ? IR_NONE : sf->base[r];
		bool null = k && k->kind == IR_C_BITS && !k->lo;

		if (writes >> i & 1 && !null && (base == IR_NONE || sf->local[base] != SPIN_SINK))
			return false;
	}
	return true;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool in_range(const struct spins *s, uint32_t func, uint32_t insn)
{
	return func < s->p->funcs.n && s->p->funcs.at[func].blocks.n &&
	       insn < s->p->funcs.at[func].insns.n;
}

static void ways_out(const struct spin_func *sf, const struct ir_func *fn, uint32_t loop,
	const struct ir_insn *in, struct spin *out)
{
	uint32_t n = ir_op_is_terminator(in->op) ? ir_insn_nedges(in) : 0;

	for (uint32_t k = 0; k < n; k++)
		out->leaves |= !loop_contains(
			&sf->loops, loop, fn->edges.at[ir_insn_edge(fn, in, k)].to);
	if (in->op == IR_CBR)
		out->stays_if =
			loop_contains(&sf->loops, loop, fn->edges.at[in->arg[1]].to);
}

static struct spin *spin_at(struct spins *s, uint32_t func, uint32_t loop)
{
	struct spin_func *sf = spin_func(s, func);
	struct spin *found = &sf->found[loop];

	if (found->header == BLK_NONE) {
		*found = spin_round(s, func, loop);
		found->header = sf->loops.at.at[loop].header;
	}
	return found;
}

struct spin spin_of(struct spins *s, uint32_t func, uint32_t insn)
{
	struct spin none = {.kind = SPIN_NONE, .header = BLK_NONE};
	const struct ir_func *fn;
	struct spin_func *sf;

	if (!in_range(s, func, insn))
		return none;
	fn = &s->p->funcs.at[func];
	sf = spin_func(s, func);
	for (uint32_t l = sf->loops.of[cfg_block_of(fn, insn)]; l != LOOP_NONE;
		l = sf->loops.at.at[l].parent) {
		struct spin *found = spin_at(s, func, l);

		if (found->kind != SPIN_NONE) {
			struct spin out = *found;

			ways_out(sf, fn, l, &fn->insns.at[insn], &out);
			return out;
		}
	}
	return none;
}

/* Does the block dominate a write to memory other than private variables of the function? */
static bool writes_behind(const struct spin_func *sf, const struct ir_func *fn, uint32_t block)
{
	for (uint32_t b = 0; b < fn->blocks.n; b++) {
		const struct ir_block *k = &fn->blocks.at[b];

		if (!dominates(&sf->dom, block, b))
			continue;
		for (uint32_t i = k->first; i < k->first + k->n; i++) {
			const struct ir_insn *in = &fn->insns.at[i];
			uint32_t base = ir_is_reg(in->arg[0]) && in->op == IR_STORE
						? sf->base[in->arg[0]]
						: IR_NONE;

			if (ir_ops[in->op].shape == IR_S_RMW || ir_ops[in->op].shape == IR_S_CAS ||
				(in->op == IR_STORE &&
					(base == IR_NONE || sf->local[base] == SPIN_ESCAPED)))
				return true;
		}
	}
	return false;
}

bool spin_decides(struct spins *s, uint32_t func, uint32_t insn, struct spin *out)
{
	const struct ir_func *fn;
	struct spin_func *sf;

	if (!in_range(s, func, insn) || s->p->funcs.at[func].insns.at[insn].op != IR_CBR)
		return false;
	fn = &s->p->funcs.at[func];
	sf = spin_func(s, func);
	for (uint32_t way = 1; way <= 2; way++) {
		uint32_t here = fn->edges.at[fn->insns.at[insn].arg[way]].to;
		uint32_t there = fn->edges.at[fn->insns.at[insn].arg[3 - way]].to;

		vec_each (&sf->loops.at, l) {
			uint32_t h = sf->loops.at.at[l].header;

			if (!dominates(&sf->dom, here, h) || dominates(&sf->dom, there, h) ||
				spin_at(s, func, l)->kind != SPIN_READ ||
				!writes_behind(sf, fn, there))
				continue;
			*out = *spin_at(s, func, l);
			return true;
		}
	}
	return false;
}

bool spin_inside(struct spins *s, uint32_t func, uint32_t header, uint32_t insn)
{
	struct spin_func *sf;

	if (!in_range(s, func, insn))
		return false;
	sf = spin_func(s, func);
	vec_each (&sf->loops.at, l)
		if (sf->loops.at.at[l].header == header)
			return loop_contains(
				&sf->loops, l, cfg_block_of(&s->p->funcs.at[func], insn));
	return false;
}
