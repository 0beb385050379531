/*
 * What each instruction does. The careful gear runs frames here, one instruction at a time; the
 * fast gear comes here for the instructions that it has no handler for.
 */
#include "exec/code.h"
#include "exec/following.h"
#include "exec/shadow.h"

#include <string.h>

struct ctx { /* the instruction at hand */
	struct machine *m;
	struct thread *t;
	struct frame *f;
	const struct ir_func *fn;
	const struct ir_insn *in;
};

static struct opnd get(const struct ctx *c, ir_ref r)
{
	return frame_get(c->m, c->t, c->f, r);
}

static void set(const struct ctx *c, uint32_t reg, struct opnd o)
{
	frame_set(c->m, c->t, c->f, reg, o);
}

/* In the fast gear a result with unknown bits makes the frame careful first. */
static void set_maybe_unknown(const struct ctx *c, uint32_t reg, struct opnd o)
{
	if (val_u128(o.u) && !c->f->careful)
		frame_make_careful(c->m, c->t, c->f, (uint32_t)(c->in - c->fn->insns.at));
	set(c, reg, o);
}

static bool unknown(struct opnd o)
{
	return val_u128(o.u) != 0;
}

/* the address operand; STEP_STOP if it is not known */
static enum step address(const struct ctx *c, ir_ref r, uint64_t *a)
{
	struct opnd o = get(c, r);

	if (unknown(o))
		return fault_unknown(c->m, c->t, "an uninitialized pointer is followed");
	*a = o.v.lo;
	return STEP_NEXT;
}

/* ---- registers ----------------------------------------------------------------------------- */

static enum step step_pure(const struct ctx *c)
{
	struct opnd a[3] = {0}, out[2] = {0};
	struct val v[3], r[2] = {0};
	enum eval_status st;
	int n = 0;

	for (; n < 3; n++) {
		enum ir_shape s = ir_ops[c->in->op].shape;

		if ((n == 1 && (s == IR_S_UN || s == IR_S_CONV)) ||
			(n == 2 && s != IR_S_TERN && s != IR_S_SELECT))
			break;
		a[n] = get(c, c->in->arg[n]);
		v[n] = a[n].v;
	}
	st = eval_op(c->in, v, r);
	if (st == EVAL_DIV_ZERO || st == EVAL_DIV_OVERFLOW) {
		if (unknown(a[1]))
			return fault_unknown(c->m, c->t, "the divisor is uninitialized");
		return fault_plain(c->m, c->t,
			st == EVAL_DIV_ZERO ? "division-by-zero" : "division-overflow",
			st == EVAL_DIV_ZERO ? "integer division by zero"
					    : "the quotient does not fit (INT_MIN / -1)",
			0);
	}
	if (st == EVAL_UNSUPPORTED)
		return stop_unknown(c->m, c->t, "unsupported instruction",
			"'%s' on type '%s'", ir_ops[c->in->op].name, ir_type_name(c->in->type));
	if (c->f->careful)
		shadow_op(c->in, a, out);
	out[0].v = r[0];
	out[1].v = r[1];
	set(c, c->in->dst, out[0]);
	if (ir_ops[c->in->op].shape == IR_S_OVF)
		set(c, c->in->dst + 1, out[1]);
	return STEP_NEXT;
}

static enum step step_padd(const struct ctx *c)
{
	struct opnd o = get(c, c->in->arg[0]), k;

	o.v.lo += (uint64_t)c->in->imm;
	if (c->in->arg[1] != IR_NONE) {
		k = get(c, c->in->arg[1]);
		o.v.lo += k.v.lo * c->in->arg[2];
		o.u.lo |= k.u.lo;
	}
	if (o.u.lo)
		o.u.lo |= -o.u.lo;
	set(c, c->in->dst, o);
	return STEP_NEXT;
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum step load(const struct ctx *c, ir_type type, uint64_t a, struct opnd *o)
{
	uint32_t n = ir_type_bytes(type);
	uint64_t bad = a;
	enum mem_status st;

	*o = (struct opnd){0};
	st = mem_read(&c->m->mem, a, &o->v, (uint8_t *)&o->u, n, &bad);
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

static enum step store(const struct ctx *c, ir_type type, uint64_t a, struct opnd o)
{
	uint32_t n = ir_type_bytes(type);
	uint64_t bad = a;
	enum mem_status st;

	st = mem_write(&c->m->mem, a, &o.v, unknown(o) ? (const uint8_t *)&o.u : NULL, n, &bad);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, a, n, true, st, bad);
}

static enum step step_load(const struct ctx *c)
{
	struct opnd o;
	uint64_t a;

	if (address(c, c->in->arg[0], &a) || load(c, c->in->type, a, &o))
		return STEP_STOP;
	set_maybe_unknown(c, c->in->dst, o);
	return STEP_NEXT;
}

static enum step step_store(const struct ctx *c)
{
	uint64_t a;

	if (address(c, c->in->arg[0], &a))
		return STEP_STOP;
	return store(c, c->in->type2, a, get(c, c->in->arg[1]));
}

static enum step step_rmw(const struct ctx *c)
{
	struct opnd old, arg = get(c, c->in->arg[1]), out = {0};
	uint64_t a;

	if (address(c, c->in->arg[0], &a) || load(c, c->in->type, a, &old))
		return STEP_STOP;
	if (eval_rmw(c->in, old.v, arg.v, &out.v) != EVAL_OK)
		return stop_unknown(c->m, c->t, "unsupported instruction", "'%s' on type '%s'",
			ir_ops[c->in->op].name, ir_type_name(c->in->type));
	if (c->in->op == IR_RMW_XCHG)
		out.u = arg.u;
	else if (unknown(old) || unknown(arg))
		out.u = val_of(bits_mask(ir_type_bits(c->in->type)));
	if (store(c, c->in->type, a, out))
		return STEP_STOP;
	set_maybe_unknown(c, c->in->dst, old);
	return STEP_NEXT;
}

static enum step step_cas(const struct ctx *c)
{
	struct opnd old, want = get(c, c->in->arg[1]), neu = get(c, c->in->arg[2]);
	uint64_t a;
	bool same;

	if (address(c, c->in->arg[0], &a) || load(c, c->in->type, a, &old))
		return STEP_STOP;
	if (unknown(old) || unknown(want))
		return fault_unknown(c->m, c->t, "an atomic compare-and-exchange compares uninitialized bits");
	same = val_u128(old.v) == val_u128(want.v);
	if (same && store(c, c->in->type, a, neu))
		return STEP_STOP;
	set_maybe_unknown(c, c->in->dst, old);
	set(c, c->in->dst + 1, (struct opnd){.v = {same, 0}});
	return STEP_NEXT;
}

static enum step step_bulk(const struct ctx *c)
{
	struct opnd n = get(c, c->in->arg[2]), byte;
	uint64_t to, from, bad = 0;
	enum mem_status st;
	bool w = true;

	if (unknown(n))
		return fault_unknown(c->m, c->t, "the length of a block operation is uninitialized");
	if (!n.v.lo)
		return STEP_NEXT;
	if (address(c, c->in->arg[0], &to))
		return STEP_STOP;
	if (c->in->op == IR_MEMSET) {
		byte = get(c, c->in->arg[1]);
		st = mem_set(&c->m->mem, to, (uint8_t)byte.v.lo, n.v.lo, &bad);
		if (st != MEM_OK)
			return fault_memory(c->m, c->t, to, n.v.lo, true, st, bad);
		if (unknown(byte))
			mem_forget(&c->m->mem, to, n.v.lo);
		return STEP_NEXT;
	}
	if (address(c, c->in->arg[1], &from))
		return STEP_STOP;
	if (c->in->op == IR_MEMCPY && to != from && to < from + n.v.lo && from < to + n.v.lo)
		return fault_plain(c->m, c->t, "memcpy-overlap",
			"source and destination of memcpy overlap", to);
	st = mem_move(&c->m->mem, to, from, n.v.lo, &bad, &w);
	return st == MEM_OK ? STEP_NEXT
			    : fault_memory(c->m, c->t, w ? to : from, n.v.lo, w, st, bad);
}

static enum step step_alloca(const struct ctx *c)
{
	const struct ir_local *l = &c->fn->locals.at[c->in->imm];
	struct opnd n = get(c, c->in->arg[0]);
	uint64_t a, bytes;

	if (unknown(n))
		return fault_unknown(c->m, c->t, "the size of a stack array is uninitialized");
	if (__builtin_mul_overflow(n.v.lo, l->size, &bytes))
		bytes = UINT64_MAX;
	a = stack_alloc(c->m, c->t, bytes, l->align, (uint32_t)c->in->imm);
	if (!a)
		return STEP_STOP;
	set(c, c->in->dst, (struct opnd){.v = {a, 0}});
	return STEP_NEXT;
}

/* Between its end and its start a variable's bytes are not initialized: the compiler may put
 * another variable there. */
static enum step step_life(const struct ctx *c)
{
	struct opnd o = get(c, c->in->arg[0]);

	for (uint32_t i = c->t->vars.n; i-- > c->f->nvars;) {
		struct stack_var *v = &c->t->vars.at[i];

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

	if (address(c, c->in->arg[0], &to))
		return STEP_STOP;
	if (c->in->op == IR_VA_START)
		return va_start_step(c->m, c->t, to);
	if (c->in->op == IR_VA_END)
		return STEP_NEXT;
	if (address(c, c->in->arg[1], &from))
		return STEP_STOP;
	st = mem_move(&c->m->mem, to, from, 24, &bad, &w);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, w ? to : from, 24, w, st, bad);
}

/* A saved stack pointer is the number of live variables and the address, packed. */
static enum step step_stack(const struct ctx *c)
{
	uint64_t a;

	if (c->in->op == IR_STACKSAVE) {
		a = (uint64_t)c->t->vars.n << 32 | (c->t->sp - c->t->stack);
		set(c, c->in->dst, (struct opnd){.v = {a, 0}});
		return STEP_NEXT;
	}
	a = get(c, c->in->arg[0]).v.lo;
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
	set(c, c->in->dst, (struct opnd){.v = {v, 0}});
	return STEP_NEXT;
}

/* ---- control, careful gear only ------------------------------------------------------------ */

/* A dead register's unknown bits matter to nobody, and would keep the frame careful. */
static void forget_dead(const struct ctx *c, uint32_t block)
{
	const struct bitset *live = code_live(c->m, c->f->code, block);

	vec_each (&c->fn->regs, r) {
		struct opnd o;

		if (bitset_has(live, r))
			continue;
		o = get(c, r);
		if (unknown(o))
			set(c, r, (struct opnd){.v = o.v});
	}
}

static enum step take_edge(const struct ctx *c, uint32_t edge)
{
	const struct ir_edge *e = &c->fn->edges.at[edge];
	const uint32_t *pair = c->fn->extra.at + e->copies;
	struct opnd few[16], *tmp = e->ncopies > 16 ? xcalloc(e->ncopies, sizeof *tmp) : few;

	for (uint32_t i = 0; i < e->ncopies; i++)
		tmp[i] = get(c, pair[2 * i + 1]);
	for (uint32_t i = 0; i < e->ncopies; i++)
		set(c, pair[2 * i], tmp[i]);
	if (tmp != few)
		free(tmp);
	c->f->pc = c->fn->blocks.at[e->to].first;
	if (c->f->nunknown)
		forget_dead(c, e->to);
	if (!c->f->nunknown && !c->m->slow)
		frame_make_fast(c->m, c->f, e->to);
	else if (c->m->follow)
		follow_block(c->m, c->t, e->to);
	return STEP_JUMPED;
}

enum step step_edge(struct machine *m, struct thread *t, uint32_t edge)
{
	struct frame *f = top(t);
	struct ctx c = {m, t, f, frame_func(m, f), &frame_func(m, f)->insns.at[f->pc]};

	return take_edge(&c, edge);
}

static enum step step_cbr(const struct ctx *c)
{
	struct opnd o = get(c, c->in->arg[0]);

	if (unknown(o))
		return fault_unknown(c->m, c->t, "a branch depends on an uninitialized value");
	return take_edge(c, c->in->arg[o.v.lo & 1 ? 1 : 2]);
}

static enum step step_switch(const struct ctx *c)
{
	const uint32_t *x = c->fn->extra.at + c->in->arg[1];
	struct opnd o = get(c, c->in->arg[0]);
	uint32_t edge = x[0];

	if (unknown(o))
		return fault_unknown(c->m, c->t, "a switch depends on an uninitialized value");
	for (uint32_t i = 0; i < c->in->arg[2]; i++)
		if (val_u128(code_const(c->m, ir_const(c->fn, x[1 + 2 * i]))) == val_u128(o.v)) {
			edge = x[2 + 2 * i];
			break;
		}
	return take_edge(c, edge);
}

static enum step step_ibr(const struct ctx *c)
{
	uint64_t a;

	if (address(c, c->in->arg[0], &a))
		return STEP_STOP;
	for (uint32_t i = 0; i < c->in->arg[2]; i++) {
		uint32_t e = c->fn->extra.at[c->in->arg[1] + i];

		if (block_addr(c->f->func, c->fn->edges.at[e].to) == a)
			return take_edge(c, e);
	}
	return fault_plain(c->m, c->t, "wild-goto", "computed goto to something that is no label", a);
}

static enum step step_ret(const struct ctx *c)
{
	struct opnd vals[16];

	BUG_ON(c->in->arg[2] > ARRAY_SIZE(vals));
	for (uint32_t i = 0; i < c->in->arg[2]; i++)
		vals[i] = get(c, c->fn->extra.at[c->in->arg[1] + i]);
	return call_return(c->m, c->t, vals, c->in->arg[2]);
}

/* ---- dispatch ------------------------------------------------------------------------------ */

enum step step_insn(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct frame *f = top(t);
	struct ctx c = {m, t, f, frame_func(m, f), in};
	bool mine = false;

	if (unlikely(m->follow)) {
		enum step st = follow_insn(m, t, in, &mine);

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
		return stop_unknown(m, t, "unsupported instruction", "inline assembly '%s'",
			ir_str(m->p, in->arg[0]));
	case IR_S_STOP:
		return stop_unknown(m, t, "unsupported instruction", "%s",
			ir_str(m->p, (uint32_t)in->imm));
	case IR_S_BR: return take_edge(&c, in->arg[0]);
	case IR_S_CBR: return step_cbr(&c);
	case IR_S_SWITCH: return step_switch(&c);
	case IR_S_IBR: return step_ibr(&c);
	case IR_S_RET: return step_ret(&c);
	case IR_S_NONE:
		if (in->op == IR_PAUSE)
			return STEP_SWITCH;
		if (in->op == IR_TRAP)
			return fault_plain(m, t, "trap", "the program traps (__builtin_trap)", 0);
		return fault_plain(m, t, "unreachable",
			"execution reaches what the compiler took to be unreachable "
			"(undefined behaviour)",
			0);
	}
	BUG("shape");
}

/* whether other threads may run before the instruction */
static bool switch_point(const struct machine *m, const struct frame *f, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;

	if (f->code->model || m->follow)
		return false;
	if (s == IR_S_RMW || s == IR_S_CAS)
		return true;
	if (s != IR_S_LOAD && s != IR_S_STORE)
		return false;
	return m->opt->switches == EXEC_SWITCH_ACCESS || ir_order(in->flags) ||
	       (in->flags & IR_F_VOLATILE);
}

enum step step_run(struct machine *m, struct thread *t)
{
	struct frame *f = top(t);
	const struct ir_insn *in;
	enum step st;

	while (f->careful) {
		in = &frame_func(m, f)->insns.at[f->pc];
		if (switch_point(m, f, in) && !t->resumed && sched_yields(m)) {
			t->resumed = true;
			return STEP_AGAIN;
		}
		if (unlikely(m->opt->pause) && m->opt->pause(m->opt->pause_ctx, m, t, in))
			return STEP_AGAIN;
		if (ir_ops[in->op].shape != IR_S_CALL)
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
	}
	return STEP_JUMPED;
}
