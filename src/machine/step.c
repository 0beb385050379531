/*
 * The effect of each instruction. The careful mode executes frames here, one instruction at a time;
 * the fast mode calls step_insn() for instructions without a handler.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/search.h"
#include "machine/code.h"
#include "machine/extension.h"
#include "machine/guard.h"
#include "machine/lent.h"
#include "machine/shadow.h"
#include "facts/op_terms.h"
#include "facts/opaque.h"

#include <string.h>

struct ctx { /* the current instruction */
	struct machine *m;
	struct thread *t;
	struct frame *f;
	const struct ir_func *fn;
	const struct ir_insn *in;
};

static struct opnd get_reg(const struct ctx *c, ir_ref r)
{
	return frame_get(c->m, c->t, c->f, r);
}

static void set_reg(const struct ctx *c, uint32_t reg, struct opnd o)
{
	frame_set(c->m, c->t, c->f, reg, o);
}

/* Sets a register. Undefined bits or a term make a fast frame careful first. */
static void set_maybe_undefined(const struct ctx *c, uint32_t reg, struct opnd o)
{
	if ((val_u128(o.u) || o.t.id) && !c->f->careful)
		frame_make_careful(c->m, c->t, c->f, (uint32_t)(c->in - c->fn->insns.at));
	set_reg(c, reg, o);
}

static bool is_undefined(struct opnd o)
{
	return val_u128(o.u) != 0;
}

/* The address operand, which may be a term. STEP_STOP after a fault: it has undefined bits. */
static enum step get_pointer(const struct ctx *c, ir_ref r, struct opnd *o)
{
	*o = get_reg(c, r);
	if (is_undefined(*o))
		return fault_unknown(c->m, c->t, "an uninitialized pointer is dereferenced");
	return STEP_NEXT;
}

/* The address operand as a number: a term is concretized. */
static enum step get_address(const struct ctx *c, ir_ref r, uint64_t *a)
{
	struct opnd o;
	struct val v;

	if (get_pointer(c, r, &o))
		return STEP_STOP;
	if (opnd_value(c->m, c->t, o, 64, "an address", SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	*a = v.lo;
	return STEP_NEXT;
}

/* ---- registers ----------------------------------------------------------------------------- */

static enum step fault_division(const struct ctx *c, bool zero)
{
	return fault_plain(c->m, c->t, zero ? FAULT_DIVISION : FAULT_DIVISION_OVERFLOW,
		zero ? "integer division by zero" : "the quotient does not fit (INT_MIN / -1)", 0);
}

static bool is_division(const struct ir_insn *in)
{
	return in->op == IR_UDIV || in->op == IR_SDIV || in->op == IR_UREM || in->op == IR_SREM;
}

/* Decides whether a division of terms faults. STEP_NEXT: it does not fault on this path. */
static enum step decide_division(const struct ctx *c, const term_t *a)
{
	struct terms *ts = c->m->ts;
	uint32_t bits = ir_type_bits(c->in->type);
	bool is_signed = c->in->op == IR_SDIV || c->in->op == IR_SREM, bad;
	term_t least = term_const(ts, bits, (u128)1 << (bits - 1));

	if (path_decide(c->m, c->t, term_eq(ts, a[1], term_const(ts, bits, 0)), &bad) != STEP_NEXT)
		return STEP_STOP;
	if (bad)
		return fault_division(c, true);
	if (!is_signed)
		return STEP_NEXT;
	if (path_decide(c->m, c->t,
		    term_and(ts, term_eq(ts, a[0], least),
			    term_eq(ts, a[1], term_const(ts, bits, ~(u128)0))),
		    &bad) != STEP_NEXT)
		return STEP_STOP;
	return bad ? fault_division(c, false) : STEP_NEXT;
}

/* Undefined bits of the result if some operands are terms: a term can have any value. */
static void shadow_terms(const struct ctx *c, struct opnd *a, int n, struct opnd *out)
{
	bool any = false;

	for (int i = 0; i < n; i++) {
		any |= is_undefined(a[i]);
		if (a[i].t.id)
			a[i].v = val_of(c->in->op == IR_AND ? ~(u128)0 : 0);
	}
	if (any)
		shadow_op(c->in, a, out);
}

static enum step stop_unsupported(const struct ctx *c)
{
	return stop_unknown(c->m, c->t, STOP_UNSUPPORTED, "'%s' on type '%s'",
		ir_ops[c->in->op].name, ir_type_name(c->in->type));
}

static enum step set_results(const struct ctx *c, const struct opnd *out)
{
	set_reg(c, c->in->dst, out[0]);
	if (ir_ops[c->in->op].shape == IR_S_OVF)
		set_reg(c, c->in->dst + 1, out[1]);
	return STEP_NEXT;
}

/* An operation with a term among its operands. An operation that terms do not support is computed
 * on concretized values. */
static enum step step_pure_terms(const struct ctx *c, struct opnd *a, int n)
{
	struct opnd out[2] = {0};
	term_t args[3], res[2] = {0};
	struct val v[3], r[2] = {0};

	for (int i = 0; i < n; i++)
		args[i] = opnd_term(c->m, a[i], ir_type_bits(ir_ref_type(c->fn, c->in->arg[i])));
	if (is_division(c->in)) {
		if (decide_division(c, args) != STEP_NEXT)
			return STEP_STOP;
		res[0] = c->m->symbolic_ops->divide(c->m, c->in->op, args[0], args[1]);
	}
	if (!res[0].id && !ops_term(c->m->ts, c->in, args, res))
		res[0] = ops_float(c->m->ts, c->in, args);
	if (!res[0].id)
		res[0] = opaque_result(c->m, c->in, args, n);
	if (res[0].id) {
		shadow_terms(c, a, n, out);
		for (int i = 0; i < 2; i++)
			if (res[i].id) {
				struct opnd o = opnd_of_term(c->m, res[i]);

				out[i].v = o.v;
				out[i].t = o.t;
			}
	} else {
		for (int i = 0; i < n; i++)
			if (opnd_value(c->m, c->t, a[i],
				    ir_type_bits(ir_ref_type(c->fn, c->in->arg[i])),
				    ir_ops[c->in->op].name, 0, &v[i]) != STEP_NEXT)
				return STEP_STOP;
		if (eval_op(c->in, v, r) != EVAL_OK)
			return stop_unsupported(c);
		out[0].v = r[0];
		out[1].v = r[1];
	}
	return set_results(c, out);
}

static enum step step_pure(const struct ctx *c)
{
	struct opnd a[3] = {0}, out[2] = {0};
	struct val v[3], r[2] = {0};
	bool terms = false;
	enum eval_status st;
	int n = 0;

	for (; n < 3; n++) {
		enum ir_shape s = ir_ops[c->in->op].shape;

		if ((n == 1 && (s == IR_S_UN || s == IR_S_CONV)) ||
			(n == 2 && s != IR_S_TERN && s != IR_S_SELECT))
			break;
		a[n] = get_reg(c, c->in->arg[n]);
		v[n] = a[n].v;
		terms |= a[n].t.id != 0;
	}
	if (unlikely(terms))
		return step_pure_terms(c, a, n);
	st = eval_op(c->in, v, r);
	if (st == EVAL_DIV_ZERO || st == EVAL_DIV_OVERFLOW) {
		if (is_undefined(a[1]))
			return fault_unknown(c->m, c->t, "the divisor is uninitialized");
		return fault_division(c, st == EVAL_DIV_ZERO);
	}
	if (st == EVAL_UNSUPPORTED)
		return stop_unsupported(c);
	if (c->f->careful)
		shadow_op(c->in, a, out);
	out[0].v = r[0];
	out[1].v = r[1];
	return set_results(c, out);
}

static enum step step_padd(const struct ctx *c)
{
	struct opnd o = get_reg(c, c->in->arg[0]), k = {0};

	if (c->in->arg[1] != IR_NONE) {
		k = get_reg(c, c->in->arg[1]);
		o.u.lo |= k.u.lo;
	}
	if (unlikely(o.t.id || k.t.id)) {
		k = c->m->symbolic_ops->address(c->m, o, k,
			c->in->arg[1] != IR_NONE ? c->in->arg[2] : 0, (uint64_t)c->in->imm);
		o.v = k.v;
		o.t = k.t;
	} else {
		o.v.lo += (uint64_t)c->in->imm;
		if (c->in->arg[1] != IR_NONE)
			o.v.lo += k.v.lo * c->in->arg[2];
	}
	if (o.u.lo)
		o.u.lo |= -o.u.lo;
	set_reg(c, c->in->dst, o);
	return STEP_NEXT;
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum step load_value(const struct ctx *c, ir_type type, struct opnd addr, struct opnd *o)
{
	uint32_t n = ir_type_bytes(type);
	uint64_t a = addr.v.lo, bad = a;
	enum mem_status st;

	*o = (struct opnd){0};
	if (addr.t.id)
		return c->m->symbolic_ops->load(c->m, c->t, addr, type, o);
	st = mem_read(&c->m->mem, a, &o->v, (uint8_t *)&o->u, n, &bad);
	if (st == MEM_SYM || (st == MEM_INVALID && has_regions(c->m)))
		return c->m->symbolic_ops->load(c->m, c->t, addr, type, o);
	if (st == MEM_INVALID)
		return fault_memory(c->m, c->t, a, n, false, st, bad);
	if (st == MEM_UNDEF && c->m->opt->trust)
		o->u = (struct val){0};
	else if (st == MEM_UNDEF) {
		c->t->unknown_addr = a;
		c->t->unknown_at = (struct stack_entry){c->f->func,
			c->f->code->model ? IR_NONE : (uint32_t)(c->in - c->fn->insns.at)};
	}
	o->v = val_of(val_u128(o->v) & bits_mask(ir_type_bits(type)));
	o->u = val_of(val_u128(o->u) & bits_mask(ir_type_bits(type)));
	return STEP_NEXT;
}

static enum step store_value(const struct ctx *c, ir_type type, struct opnd addr, struct opnd o)
{
	uint32_t n = ir_type_bytes(type);
	uint64_t a = addr.v.lo, bad = a;
	enum mem_status st;

	if (addr.t.id || o.t.id)
		return c->m->symbolic_ops->store(c->m, c->t, addr, type, o);
	st = mem_write(
		&c->m->mem, a, &o.v, is_undefined(o) ? (const uint8_t *)&o.u : NULL, n, &bad);
	if (st == MEM_INVALID && has_regions(c->m))
		return c->m->symbolic_ops->store(c->m, c->t, addr, type, o);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, a, n, true, st, bad);
}

static enum step step_load(const struct ctx *c)
{
	struct opnd o, a;

	if (get_pointer(c, c->in->arg[0], &a) || load_value(c, c->in->type, a, &o))
		return STEP_STOP;
	set_maybe_undefined(c, c->in->dst, o);
	return STEP_NEXT;
}

static enum step step_store(const struct ctx *c)
{
	struct opnd a;

	if (get_pointer(c, c->in->arg[0], &a))
		return STEP_STOP;
	return store_value(c, c->in->type2, a, get_reg(c, c->in->arg[1]));
}

static enum step step_rmw(const struct ctx *c)
{
	struct opnd old, arg = get_reg(c, c->in->arg[1]), out = {0}, a;
	uint32_t bits = ir_type_bits(c->in->type);
	term_t neu = TERM_NONE;

	if (get_pointer(c, c->in->arg[0], &a) || load_value(c, c->in->type, a, &old))
		return STEP_STOP;
	if (old.t.id || arg.t.id)
		neu = ops_rmw(
			c->m->ts, c->in, opnd_term(c->m, old, bits), opnd_term(c->m, arg, bits));
	if (neu.id)
		out = opnd_of_term(c->m, neu);
	else if (opnd_concretize(c->m, c->t, &old, bits) || opnd_concretize(c->m, c->t, &arg, bits))
		return STEP_STOP;
	else if (eval_rmw(c->in, old.v, arg.v, &out.v) != EVAL_OK)
		return stop_unknown(c->m, c->t, STOP_UNSUPPORTED, "'%s' on type '%s'",
			ir_ops[c->in->op].name, ir_type_name(c->in->type));
	if (c->in->op == IR_RMW_XCHG)
		out.u = arg.u;
	else if (is_undefined(old) || is_undefined(arg))
		out = (struct opnd){.v = out.v, .u = val_of(bits_mask(bits))};
	if (store_value(c, c->in->type, a, out))
		return STEP_STOP;
	set_maybe_undefined(c, c->in->dst, old);
	return STEP_NEXT;
}

static enum step step_cas(const struct ctx *c)
{
	struct opnd old, want = get_reg(c, c->in->arg[1]), neu = get_reg(c, c->in->arg[2]), a;
	uint32_t bits = ir_type_bits(c->in->type);
	bool same;

	if (get_pointer(c, c->in->arg[0], &a) || load_value(c, c->in->type, a, &old))
		return STEP_STOP;
	if (is_undefined(old) || is_undefined(want))
		return fault_unknown(
			c->m, c->t, "an atomic compare-and-exchange compares uninitialized bits");
	same = val_u128(old.v) == val_u128(want.v);
	if ((old.t.id || want.t.id) &&
		path_decide(c->m, c->t,
			term_eq(c->m->ts, opnd_term(c->m, old, bits), opnd_term(c->m, want, bits)),
			&same) != STEP_NEXT)
		return STEP_STOP;
	if (same && store_value(c, c->in->type, a, neu))
		return STEP_STOP;
	set_maybe_undefined(c, c->in->dst, old);
	set_reg(c, c->in->dst + 1, (struct opnd){.v = {same, 0}});
	return STEP_NEXT;
}

/* Whether the thread gives way before a block operation, if every access is a scheduling point. */
static bool bulk_gives_way(const struct ctx *c)
{
	struct machine *m = c->m;
	struct thread *t = c->t;

	if (!m->opt->pick || m->opt->switches != EXEC_SWITCH_ACCESS || c->f->code->model ||
		!(call_shares(m, t, get_reg(c, c->in->arg[0])) ||
			(c->in->op != IR_MEMSET && call_shares(m, t, get_reg(c, c->in->arg[1])))))
		return false;
	if (!t->resumed && sched_yields(m))
		return t->resumed = true;
	t->resumed = false;
	return false;
}

static enum step step_bulk(const struct ctx *c)
{
	struct opnd n = get_reg(c, c->in->arg[2]), byte;
	uint64_t to, from, bad = 0;
	enum mem_status st;
	bool w = true;

	if (bulk_gives_way(c))
		return STEP_AGAIN;
	if (is_undefined(n))
		return fault_unknown(
			c->m, c->t, "the length of a block operation is uninitialized");
	if (c->m->sym)
		return c->m->symbolic_ops->bulk(
			c->m, c->t, c->in, get_reg(c, c->in->arg[0]), get_reg(c, c->in->arg[1]), n);
	if (!n.v.lo)
		return STEP_NEXT;
	if (get_address(c, c->in->arg[0], &to))
		return STEP_STOP;
	if (c->in->op == IR_MEMSET) {
		byte = get_reg(c, c->in->arg[1]);
		st = mem_set(&c->m->mem, to, (uint8_t)byte.v.lo, n.v.lo, &bad);
		if (st != MEM_OK)
			return fault_memory(c->m, c->t, to, n.v.lo, true, st, bad);
		if (is_undefined(byte))
			mem_forget(&c->m->mem, to, n.v.lo);
		return STEP_NEXT;
	}
	if (get_address(c, c->in->arg[1], &from))
		return STEP_STOP;
	if (c->in->op == IR_MEMCPY && to != from && to < from + n.v.lo && from < to + n.v.lo)
		return fault_plain(c->m, c->t, FAULT_COPY_OVERLAP,
			"source and destination of memcpy overlap", to);
	st = mem_move(&c->m->mem, to, from, n.v.lo, &bad, &w);
	return st == MEM_OK ? STEP_NEXT
			    : fault_memory(c->m, c->t, w ? to : from, n.v.lo, w, st, bad);
}

static enum step step_alloca(const struct ctx *c)
{
	const struct ir_local *l = &c->fn->locals.at[c->in->imm];
	struct opnd n = get_reg(c, c->in->arg[0]);
	uint64_t a, bytes;

	if (is_undefined(n))
		return fault_unknown(c->m, c->t, "the size of a stack array is uninitialized");
	if (opnd_concretize(c->m, c->t, &n, 64))
		return STEP_STOP;
	if (__builtin_mul_overflow(n.v.lo, l->size, &bytes))
		bytes = UINT64_MAX;
	a = stack_alloc(c->m, c->t, bytes, l->align, (uint32_t)c->in->imm);
	if (!a)
		return STEP_STOP;
	set_reg(c, c->in->dst, (struct opnd){.v = {a, 0}});
	return STEP_NEXT;
}

/* Makes a variable uninitialized at the start and end of its lifetime: outside of it the compiler
 * may use its memory for another variable. The end has no effect if other threads access it: what
 * they do then is reported at the end of the function, where the real program shows it. */
static enum step step_life(const struct ctx *c)
{
	struct opnd o = get_reg(c, c->in->arg[0]);

	for (uint32_t i = c->t->vars.n; i-- > c->f->nvars;) {
		struct stack_var *v = &c->t->vars.at[i];

		if (v->base == o.v.lo && c->in->op == IR_LIFE_END &&
			lent_any(c->m, c->t, v->base, v->size))
			break;
		if (v->base == o.v.lo) {
			mem_forget(&c->m->mem, v->base, v->size);
			break;
		}
	}
	return STEP_NEXT;
}

static enum step step_va(const struct ctx *c)
{
	uint64_t to, from, bad;
	enum mem_status st;
	bool w;

	if (get_address(c, c->in->arg[0], &to))
		return STEP_STOP;
	if (c->in->op == IR_VA_START)
		return va_start_step(c->m, c->t, to);
	if (c->in->op == IR_VA_END)
		return STEP_NEXT;
	if (get_address(c, c->in->arg[1], &from))
		return STEP_STOP;
	st = mem_move(&c->m->mem, to, from, 24, &bad, &w);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, w ? to : from, 24, w, st, bad);
}

/* A saved stack pointer: the number of live variables in the high half, the offset in the low. */
static enum step step_stack(const struct ctx *c)
{
	uint64_t a;

	if (c->in->op == IR_STACKSAVE) {
		a = (uint64_t)c->t->vars.n << 32 | (c->t->sp - c->t->stack);
		set_reg(c, c->in->dst, (struct opnd){.v = {a, 0}});
		return STEP_NEXT;
	}
	a = get_reg(c, c->in->arg[0]).v.lo;
	stack_cut(c->m, c->t, (uint32_t)(a >> 32), c->t->stack + (uint32_t)a);
	return STEP_NEXT;
}

static enum step step_ptr0(const struct ctx *c)
{
	uint64_t v;

	switch (c->in->op) {
	case IR_FRAMEADDR: v = c->f->sp; break;
	case IR_CYCLES: v = sched_now(c->m, 1); break;
	default: return step_stack(c);
	}
	set_reg(c, c->in->dst, (struct opnd){.v = {v, 0}});
	return STEP_NEXT;
}

/* ---- control, careful mode only ------------------------------------------------------------ */

enum { FEW_UNDEFINED = 32 };

static uint32_t reg_of_slot(const struct ctx *c, uint32_t slot)
{
	return upper_bound(1, MAX(c->fn->regs.n, 1u), r, c->f->code->slot[r], slot) - 1;
}

/* The live registers with undefined bits or terms, rising. Returns their number; regs gets the
 * first FEW_UNDEFINED of them. Undefined bits and terms of dead registers are cleared: they have no
 * effect but would keep the frame careful. */
static uint32_t live_undefined(const struct ctx *c, uint32_t block, uint32_t *regs)
{
	const struct bitset *live = code_live(c->m, c->f->code, block);
	const uint64_t *shadow = c->t->shadow + c->f->base;
	const uint32_t *terms = c->t->terms ? c->t->terms + c->f->base : NULL;
	uint32_t n = 0, last = IR_NONE;

	for (uint32_t s = 0; s < c->f->code->const_first; s++) {
		uint32_t r;

		if (likely(!shadow[s] && !(terms && terms[s])))
			continue;
		r = reg_of_slot(c, s);
		if (r == last)
			continue;
		last = r;
		if (!bitset_has(live, r)) {
			set_reg(c, r, (struct opnd){.v = get_reg(c, r).v});
			continue;
		}
		if (n < FEW_UNDEFINED)
			regs[n] = r;
		n++;
	}
	return n;
}

/* Switches to the fast mode if the block does not access registers with undefined bits or terms. */
static void choose_mode(const struct ctx *c, uint32_t block)
{
	uint32_t regs[FEW_UNDEFINED], n = c->f->nundefined ? live_undefined(c, block, regs) : 0;
	const struct guard *g;

	if (c->m->slow)
		return;
	if (!n) {
		frame_make_fast(c->m, c->f, block);
		return;
	}
	if (n > FEW_UNDEFINED || c->m->follow)
		return;
	g = guard_get(c->m, c->f->func, regs, n);
	if (g && !g->touched[block]) {
		c->f->code = &g->code;
		frame_make_fast(c->m, c->f, block);
	}
}

static enum step take_edge(const struct ctx *c, uint32_t edge)
{
	const struct ir_edge *e = &c->fn->edges.at[edge];
	const uint32_t *pair = c->fn->extra.at + e->copies;
	struct opnd few[16], *tmp = e->ncopies > 16 ? xcalloc(e->ncopies, sizeof *tmp) : few;

	for (uint32_t i = 0; i < e->ncopies; i++)
		tmp[i] = get_reg(c, pair[2 * i + 1]);
	for (uint32_t i = 0; i < e->ncopies; i++)
		set_reg(c, pair[2 * i], tmp[i]);
	if (tmp != few)
		free(tmp);
	cover_mark(c->m, c->f->func, 1 + edge);
	c->f->pc = c->fn->blocks.at[e->to].first;
	choose_mode(c, e->to);
	if (c->f->careful && c->m->follow)
		c->m->follow_ops->block(c->m, c->t, e->to);
	return STEP_JUMPED;
}

enum step step_edge(struct machine *m, struct thread *t, uint32_t edge)
{
	struct frame *f = top(t);
	struct ctx c = {m, t, f, frame_func(m, f), &frame_func(m, f)->insns.at[f->pc]};

	return take_edge(&c, edge);
}

/* exec_options.branch may reject the path here. */
static enum step choose_edge(const struct ctx *c, uint32_t edge)
{
	const struct exec_options *o = c->m->opt;

	if (unlikely(o->branch) && !c->f->code->model) {
		if (!o->branch(o->branch_ctx, c->m, c->t, edge))
			return stop_unknown(c->m, c->t, STOP_ASSUMPTION, "the path was rejected");
		c->m->branches += !o->max_branches;
	}
	return take_edge(c, edge);
}

static enum step step_cbr(const struct ctx *c)
{
	struct opnd o = get_reg(c, c->in->arg[0]);

	if (is_undefined(o))
		return fault_unknown(c->m, c->t, "a branch depends on an uninitialized value");
	if (o.t.id) {
		bool truth;

		if (path_decide(c->m, c->t, o.t, &truth) != STEP_NEXT)
			return STEP_STOP;
		o.v.lo = truth;
	}
	if (unlikely(c->m->opt->max_branches) && !c->f->code->model &&
		c->m->branches++ >= c->m->opt->max_branches)
		return stop_unknown(c->m, c->t, STOP_BUDGET,
			"the limit of %llu branches is reached",
			(unsigned long long)c->m->opt->max_branches);
	return choose_edge(c, c->in->arg[o.v.lo & 1 ? 1 : 2]);
}

/* Decides edge by edge: whether the value is one of those of the edge. */
static enum step step_switch_term(const struct ctx *c, term_t v)
{
	const uint32_t *x = c->fn->extra.at + c->in->arg[1];
	struct terms *ts = c->m->ts;
	uint32_t n = c->in->arg[2], bits = term_width(ts, v);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t edge = x[2 + 2 * i];
		term_t any = term_bool(ts, false);
		bool seen = false, truth;

		for (uint32_t k = 0; k < n; k++) {
			const struct ir_const *value = ir_const(c->fn, x[1 + 2 * k]);

			if (x[2 + 2 * k] != edge)
				continue;
			seen |= k < i;
			any = term_or(ts, any,
				term_eq(ts, v,
					term_const(ts, bits, val_u128(code_const(c->m, value)))));
		}
		if (seen || edge == x[0])
			continue;
		if (path_decide(c->m, c->t, any, &truth) != STEP_NEXT)
			return STEP_STOP;
		if (truth)
			return choose_edge(c, edge);
	}
	return choose_edge(c, x[0]);
}

static enum step step_switch(const struct ctx *c)
{
	const uint32_t *x = c->fn->extra.at + c->in->arg[1];
	struct opnd o = get_reg(c, c->in->arg[0]);
	uint32_t edge = x[0];

	if (is_undefined(o))
		return fault_unknown(c->m, c->t, "a switch depends on an uninitialized value");
	if (o.t.id)
		return step_switch_term(c, o.t);
	for (uint32_t i = 0; i < c->in->arg[2]; i++)
		if (val_u128(code_const(c->m, ir_const(c->fn, x[1 + 2 * i]))) == val_u128(o.v)) {
			edge = x[2 + 2 * i];
			break;
		}
	return choose_edge(c, edge);
}

static enum step step_ibr(const struct ctx *c)
{
	uint64_t a;

	if (get_address(c, c->in->arg[0], &a))
		return STEP_STOP;
	for (uint32_t i = 0; i < c->in->arg[2]; i++) {
		uint32_t e = c->fn->extra.at[c->in->arg[1] + i];

		if (block_addr(c->f->func, c->fn->edges.at[e].to) == a)
			return take_edge(c, e);
	}
	return fault_plain(
		c->m, c->t, FAULT_WILD_GOTO, "computed goto to an address that is not a label", a);
}

static enum step step_ret(const struct ctx *c)
{
	struct opnd vals[16];

	BUG_ON(c->in->arg[2] > ARRAY_SIZE(vals));
	for (uint32_t i = 0; i < c->in->arg[2]; i++)
		vals[i] = get_reg(c, c->fn->extra.at[c->in->arg[1] + i]);
	return call_return(c->m, c->t, vals, c->in->arg[2]);
}

/* ---- dispatch ------------------------------------------------------------------------------ */

enum step step_insn(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct frame *f = top(t);
	struct ctx c = {m, t, f, frame_func(m, f), in};
	bool mine = false;

	if (unlikely(m->follow)) {
		enum step st = m->follow_ops->insn(m, t, in, &mine);

		if (mine)
			return st;
	}
	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
	case IR_S_OVF: return step_pure(&c);
	case IR_S_ALLOCA: return step_alloca(&c);
	case IR_S_PADD: return step_padd(&c);
	case IR_S_LOAD: return step_load(&c);
	case IR_S_STORE: return step_store(&c);
	case IR_S_RMW: return step_rmw(&c);
	case IR_S_CAS: return step_cas(&c);
	case IR_S_FENCE: return STEP_NEXT;
	case IR_S_BULK: return step_bulk(&c);
	case IR_S_VA: return step_va(&c);
	case IR_S_PTR0: return step_ptr0(&c);
	case IR_S_PTR1: return step_stack(&c);
	case IR_S_LIFE: return step_life(&c);
	case IR_S_CALL: return call_step(m, t, in);
	case IR_S_ASM:
		return stop_unknown(m, t, STOP_UNSUPPORTED, "%s '%s'",
			opaque_is_intrinsic(m->p, in) ? "intrinsic" : "inline assembler",
			ir_str(m->p, in->arg[0]));
	case IR_S_STOP:
		return stop_unknown(m, t, STOP_UNSUPPORTED, "%s", ir_str(m->p, (uint32_t)in->imm));
	case IR_S_BR: return take_edge(&c, in->arg[0]);
	case IR_S_CBR: return step_cbr(&c);
	case IR_S_SWITCH: return step_switch(&c);
	case IR_S_IBR: return step_ibr(&c);
	case IR_S_RET: return step_ret(&c);
	case IR_S_NONE:
		if (in->op == IR_PAUSE)
			return STEP_SWITCH;
		if (in->op == IR_TRAP)
			return fault_plain(
				m, t, FAULT_TRAP, "the program traps (__builtin_trap)", 0);
		return fault_plain(m, t, FAULT_UNREACHABLE,
			"execution reaches code that the compiler assumed to be unreachable "
			"(undefined behaviour)",
			0);
	}
	BUG("shape");
}

/* whether the instruction is a scheduling point; both modes have the same scheduling points */
static bool switch_point(
	struct machine *m, struct thread *t, struct frame *f, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;

	uint64_t a, n;

	if (f->code->model || m->follow || m->nlive < 2)
		return false;
	if (lent_change(m, t, in, &a, &n))
		return true;
	if (s != IR_S_LOAD && s != IR_S_STORE && s != IR_S_RMW && s != IR_S_CAS)
		return false;
	if ((s == IR_S_LOAD || s == IR_S_STORE) && m->opt->switches != EXEC_SWITCH_ACCESS &&
		!ir_order(in->flags) && !(in->flags & IR_F_VOLATILE))
		return false;
	return !stack_is_private(m, t, opnd_base(m, frame_get(m, t, f, in->arg[0])));
}

enum step step_run(struct machine *m, struct thread *t)
{
	struct frame *f = top(t);
	const struct ir_insn *in;
	enum step st;

	while (f->careful) {
		in = &frame_func(m, f)->insns.at[f->pc];
		if (switch_point(m, t, f, in) && !t->resumed && sched_yields(m)) {
			t->resumed = true;
			return STEP_AGAIN;
		}
		if (unlikely(m->opt->pause) && m->opt->pause(m->opt->pause_ctx, m, t, in))
			return STEP_AGAIN;
		if (ir_ops[in->op].shape != IR_S_CALL && ir_ops[in->op].shape != IR_S_BULK)
			t->resumed = false;
		m->instructions++;
		m->fuel--;
		if (unlikely(m->opt->observe))
			m->opt->observe(m->opt->observe_ctx, m, t, in);
		st = step_insn(m, t, in);
		if (st == STEP_NEXT || st == STEP_SWITCH)
			f->pc++;
		if (st > STEP_JUMPED)
			return st;
		f = top(t);
		if (m->fuel < 0 && !f->code->model)
			return STEP_SWITCH;
		if (m->fuel < 0 && m->opt->pick) /* no switch in a model, but the caller has budgets */
			return STEP_JUMPED;
	}
	return STEP_JUMPED;
}
