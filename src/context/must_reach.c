/* Registers as terms: must-reach definitions (paper 001, 2.3). context_internal.h has the proof. */
#include "context/context_internal.h"

#include "base/map.h"
#include "base/vec.h"
#include "facts/defs.h"
#include "facts/op_terms.h"

#include <string.h>

enum { MAX_NESTING = 400 };
#define BUSY UINT64_MAX

/* ---- definitions of symbols -------------------------------------------------------------------
 */

/* The block of the frame's function that sets the symbol; BLK_NONE: it is set before the frame was
 * created, or never changes. */
static uint32_t find_setting_block(struct context *c, uint32_t frame, const struct symbol *s)
{
	struct shape *sh = code_shape(&c->code, frame_at(c, frame)->func);
	uint32_t at = s->frame;

	if (at == IR_NONE)
		return BLK_NONE;
	for (uint32_t up = frame; up != IR_NONE; up = frame_at(c, up)->parent)
		if (up == at && up != frame)
			return BLK_NONE;
	if (at == frame)
		return sh->set_in[s->is.reg];
	for (; at != IR_NONE && frame_at(c, at)->kind == FRAME_RETURNED;
		at = frame_at(c, at)->parent)
		if (frame_at(c, at)->parent == frame)
			return sh->block_of[frame_at(c, at)->call];
	return BLK_NONE; /* of another thread, or of an earlier call of an outer frame */
}

/* Are all symbols of the term set before the block is entered for the last time, and outside of the
 * loop? LOOP_NONE: anywhere. */
static bool is_set_before(
	struct context *c, uint32_t frame, term_t t, uint32_t block, uint32_t loop)
{
	const struct term_syms *syms = term_syms(c->ts, t);
	struct shape *s = code_shape(&c->code, frame_at(c, frame)->func);
	uint32_t at;

	for (uint32_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = symbol_get(c, syms->at[i]);

		if (!sym)
			return false;
		at = find_setting_block(c, frame, sym);
		if (at == BLK_NONE)
			continue;
		if (at == block || !dominates(&s->dom, at, block) ||
			(loop != LOOP_NONE && loop_contains(&s->loops, loop, at)))
			return false;
	}
	return true;
}

bool reach_same_in_loop(struct context *c, uint32_t frame, term_t t, uint32_t loop)
{
	const struct shape *s = code_shape(&c->code, frame_at(c, frame)->func);

	return is_set_before(c, frame, t, s->loops.at.at[loop].header, loop);
}

bool reach_is_set(struct context *c, uint32_t func, uint32_t reg, uint32_t insn)
{
	struct shape *s = code_shape(&c->code, func);
	uint32_t b = s->block_of[insn];

	if (s->set_in[reg] == BLK_NONE)
		return false;
	if (s->set_by[reg] != IR_NONE)
		return code_dominates(&c->code, func, s->set_by[reg], insn);
	return dominates(&s->dom, s->set_in[reg], b);
}

/* ---- constants ------------------------------------------------------------------------------- */

static term_t make_constant(struct context *c, uint32_t frame, const struct ir_const *k)
{
	const struct frame *fr = frame_at(c, frame);
	unsigned bits = ir_type_bits(k->type);

	switch ((enum ir_const_kind)k->kind) {
	case IR_C_BITS: return term_const(c->ts, bits, (u128)k->hi << 64 | k->lo);
	case IR_C_GLOBAL:
		if (c->p->globals.at[k->id].flags & IR_G_TLS && fr->owner == IR_NONE)
			break;
		return term_add(
			c->ts, symbol_global(c, k->id, fr->owner), term_const(c->ts, 64, k->lo));
	case IR_C_FUNC: return symbol_func(c, k->id);
	case IR_C_UNDEF:
	case IR_C_BLOCK: break;
	}
	return TERM_NONE;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static term_t resize_term(struct context *c, term_t t, unsigned bits)
{
	unsigned w = term_width(c->ts, t);

	return w == bits ? t : w > bits ? term_trunc(c->ts, t, bits) : term_zext(c->ts, t, bits);
}

/* Argument i of the call; TERM_NONE if it is not known. */
static term_t get_argument(
	struct context *c, uint32_t frame, uint32_t insn, uint32_t i, unsigned bits)
{
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	const struct ir_insn *in = &f->insns.at[insn];

	if (i >= in->arg[2] || f->extra.at[in->arg[1] + 2 * i + 1])
		return TERM_NONE;
	if (ir_is_const(f->extra.at[in->arg[1] + 2 * i]) &&
		!make_constant(c, frame, ir_const(f, f->extra.at[in->arg[1] + 2 * i])).id)
		return TERM_NONE;
	return resize_term(c, reach_ref(c, frame, f->extra.at[in->arg[1] + 2 * i]), bits);
}

/* Adds the argument of one more call to *all. False if the calls differ, or the value may change.
 * */
static bool agree_on_argument(
	struct context *c, struct site at, uint32_t i, unsigned bits, term_t *all)
{
	term_t t = get_argument(c, frame_lone(c, at.func, at.insn), at.insn, i, bits);

	if (!t.id || !term_is_fixed(c, t) || (all->id && !term_same(*all, t)))
		return false;
	*all = t;
	return true;
}

static uint32_t get_start_argument(const struct context *c, struct site at)
{
	return strcmp(ir_func_name(c->p, code_direct(&c->code, at.func, at.insn)), "thrd_create")
		       ? 3
		       : 2;
}

static term_t get_common_argument(
	struct context *c, uint32_t func, uint32_t reg, unsigned bits, bool started)
{
	const struct code *k = &c->code;
	term_t all = TERM_NONE;

	if (points_to_outside(c->pt, points_to_of_func(c->pt, func)) || k->callbacks[func].n ||
		func == ir_find_func(c->p, "main"))
		return TERM_NONE;
	for (uint32_t i = k->calls.caller_at[func]; !started && i < k->calls.caller_at[func + 1];
		i++) {
		const struct call_site *s = &k->calls.sites.at[k->calls.callers[i]];

		if (code_known(k, s->func) &&
			!agree_on_argument(c, (struct site){s->func, s->insn}, reg, bits, &all))
			return TERM_NONE;
	}
	vec_each (&k->starts[func], i)
		if (reg || !agree_on_argument(c, k->starts[func].at[i],
				   get_start_argument(c, k->starts[func].at[i]), bits, &all))
			return TERM_NONE;
	return all;
}

static term_t get_parameter(struct context *c, uint32_t frame, uint32_t reg)
{
	struct frame fr = *frame_at(c, frame);
	const struct ir_func *f = code_func(&c->code, fr.func);
	unsigned bits = ir_type_bits(f->params[reg].type);
	bool started = fr.kind == FRAME_LISTED && fr.parent == IR_NONE &&
		       c->threads.at[fr.owner].id && c->threads.at[fr.owner].complete;

	term_t t;

	if (f->params[reg].byval)
		return TERM_NONE;
	if (fr.parent != IR_NONE)
		return get_argument(c, fr.parent, fr.call, reg, bits);
	t = get_common_argument(c, fr.func, reg, bits, started);
	if (!t.id && started && !reg)
		t = numbers_argument(c, fr.owner);
	return t.id ? resize_term(c, t, bits) : t;
}

/* ---- copies on edges ------------------------------------------------------------------------- */

static ir_ref get_copied(const struct ir_func *f, uint32_t edge, uint32_t reg)
{
	const struct ir_edge *e = &f->edges.at[edge];

	for (uint32_t i = 0; i < e->ncopies; i++)
		if (f->extra.at[e->copies + 2 * i] == reg)
			return f->extra.at[e->copies + 2 * i + 1];
	return IR_NONE;
}

/* The value that all edges copy, if it is set before the block; else TERM_NONE. */
static term_t get_merged(struct context *c, uint32_t frame, uint32_t reg)
{
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	uint32_t b = s->set_in[reg];
	term_t all = TERM_NONE, own = symbol_register(c, frame, reg), t;

	for (uint32_t i = s->cfg.pred_at[b]; i < s->cfg.pred_at[b + 1]; i++) {
		ir_ref from;

		if (!cfg_reachable(&s->cfg, s->cfg.pred[i]))
			continue;
		from = get_copied(f, s->cfg.succ_edge[s->cfg.pred_succ[i]], reg);
		if (from == reg)
			continue;
		if (from == IR_NONE ||
			(ir_is_const(from) && !make_constant(c, frame, ir_const(f, from)).id))
			return TERM_NONE;
		t = reach_ref(c, frame, from);
		if (term_same(t, own))
			continue;
		if ((all.id && !term_same(all, t)) || !is_set_before(c, frame, t, b, LOOP_NONE))
			return TERM_NONE;
		all = t;
	}
	return all;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A heap block that is not freed, allocated by a call of constant size that is executed at most
 * once. The allocation is assumed to succeed. */
static term_t get_allocated(struct context *c, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = code_func(&c->code, func);
	uint32_t callee = code_direct(&c->code, func, insn);
	const char *name;
	int64_t a, b = 1;

	if (callee == IR_NONE || code_known(&c->code, callee))
		return TERM_NONE;
	name = ir_func_name(c->p, callee);
	if (strcmp(name, "malloc") && strcmp(name, "calloc"))
		return TERM_NONE;
	if (!defs_constant(f, code_arg(&c->code, func, insn, 0), &a) ||
		(name[0] == 'c' && !defs_constant(f, code_arg(&c->code, func, insn, 1), &b)))
		return TERM_NONE;
	if (a < 0 || b < 0 || a > 1 << 28 || b > 1 << 28 || a * b > 1 << 28 ||
		!code_once(&c->code, func, insn) || memory_freed(c, func, f->insns.at[insn].dst))
		return TERM_NONE;
	return symbol_heap(c, func, insn);
}

static term_t get_returned(struct context *c, uint32_t frame, uint32_t insn, uint32_t k)
{
	uint32_t func = frame_at(c, frame)->func, callee = code_callee(&c->code, func, insn), v;
	unsigned bits = ir_type_bits(code_func(&c->code, func)
			->regs.at[code_func(&c->code, func)->insns.at[insn].dst + k]
			.type);
	const struct ir_func *f;
	struct shape *s;
	term_t all = TERM_NONE, t;

	if (callee == IR_NONE)
		return k ? TERM_NONE : get_allocated(c, func, insn);
	v = frame_returned(c, frame, insn, callee);
	if (v == IR_NONE || k >= code_func(&c->code, callee)->nret)
		return TERM_NONE;
	f = code_func(&c->code, callee);
	s = code_shape(&c->code, callee);
	vec_each (&f->blocks, b) {
		const struct ir_insn *in = ir_terminator(f, b);
		ir_ref r;

		if (in->op != IR_RET || !cfg_reachable(&s->cfg, b))
			continue;
		r = f->extra.at[in->arg[1] + k];
		if (ir_is_const(r) && !make_constant(c, v, ir_const(f, r)).id)
			return TERM_NONE;
		t = reach_ref(c, v, r);
		if (all.id && !term_same(all, t))
			return TERM_NONE;
		all = t;
	}
	return all.id ? resize_term(c, all, bits) : all;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_undefined(const struct ir_func *f, ir_ref r)
{
	return r != IR_NONE && ir_is_const(r) && ir_const(f, r)->kind != IR_C_BITS &&
	       ir_const(f, r)->kind != IR_C_GLOBAL && ir_const(f, r)->kind != IR_C_FUNC;
}

static term_t apply_operation(
	struct context *c, uint32_t frame, const struct ir_insn *in, uint32_t k)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	term_t a[3] = {{0}}, out[2];

	for (unsigned i = 0; i < 3; i++) {
		if (ir_insn_arg_type(in, i) == IR_VOID || in->arg[i] == IR_NONE)
			continue;
		if (is_undefined(f, in->arg[i]))
			return TERM_NONE;
		a[i] = reach_ref(c, frame, in->arg[i]);
	}
	return ops_term(c->ts, in, a, out) ? out[k] : TERM_NONE;
}

static term_t make_address(struct context *c, uint32_t frame, const struct ir_insn *in)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	term_t t, index;

	if (is_undefined(f, in->arg[0]) || is_undefined(f, in->arg[1]))
		return TERM_NONE;
	t = reach_ref(c, frame, in->arg[0]);
	if (in->arg[1] != IR_NONE) {
		index = reach_ref(c, frame, in->arg[1]);
		t = term_add(c->ts, t, term_mul(c->ts, index, term_const(c->ts, 64, in->arg[2])));
	}
	return term_add(c->ts, t, term_const(c->ts, 64, (uint64_t)in->imm));
}

/* The address of a local variable of a given frame. Variables of returned frames do not exist any
 * more, and those of hidden frames have no symbol. */
static term_t get_variable(struct context *c, uint32_t frame, uint32_t insn)
{
	const struct frame *fr = frame_at(c, frame);
	const struct ir_insn *in = &code_func(&c->code, fr->func)->insns.at[insn];

	if (fr->kind != FRAME_LISTED || fr->hidden ||
		code_shape(&c->code, fr->func)->block_of[insn] ||
		(in->arg[0] != IR_NONE && !ir_is_const(in->arg[0])))
		return TERM_NONE;
	return symbol_local(c, frame, (uint32_t)in->imm);
}

static term_t compute_insn(struct context *c, uint32_t frame, uint32_t insn, uint32_t reg)
{
	const struct ir_insn *in = &code_func(&c->code, frame_at(c, frame)->func)->insns.at[insn];

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
	case IR_S_OVF: return apply_operation(c, frame, in, reg - in->dst);
	case IR_S_PADD: return make_address(c, frame, in);
	case IR_S_ALLOCA: return get_variable(c, frame, insn);
	case IR_S_LOAD: return memory_load(c, frame, insn);
	case IR_S_CALL: return get_returned(c, frame, insn, reg - in->dst);
	default: return TERM_NONE;
	}
}

static term_t compute_register(struct context *c, uint32_t frame, uint32_t reg)
{
	uint32_t func = frame_at(c, frame)->func;
	struct shape *s = code_shape(&c->code, func);

	if (s->twice || s->set_in[reg] == BLK_NONE || !cfg_reachable(&s->cfg, s->set_in[reg]))
		return TERM_NONE;
	if (reg < code_func(&c->code, func)->nparams)
		return get_parameter(c, frame, reg);
	return s->set_by[reg] == IR_NONE ? get_merged(c, frame, reg)
					 : compute_insn(c, frame, s->set_by[reg], reg);
}

static term_t reach_register(struct context *c, uint32_t frame, uint32_t reg)
{
	uint64_t known = map_get_or(&frame_at(c, frame)->terms, reg, 0);
	term_t t = TERM_NONE;

	if (known && known != BUSY)
		return (term_t){(uint32_t)known};
	if (!known && c->nesting < MAX_NESTING) {
		*map_put(&frame_at(c, frame)->terms, reg) = BUSY;
		c->nesting++;
		t = compute_register(c, frame, reg);
		c->nesting--;
		if (!t.id)
			t = symbol_register(c, frame, reg);
		*map_put(&frame_at(c, frame)->terms, reg) = t.id;
		return t;
	}
	return symbol_register(c, frame, reg);
}

term_t reach_ref(struct context *c, uint32_t frame, ir_ref r)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	term_t t;

	if (ir_is_reg(r))
		return reach_register(c, frame, r);
	t = make_constant(c, frame, ir_const(f, r));
	return t.id ? t : symbol_undefined(c, ir_type_bits(ir_const(f, r)->type));
}
