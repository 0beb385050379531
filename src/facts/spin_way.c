#include "facts/spin_way.h"

#include "facts/op_terms.h"
#include "smt/solve.h"

#include <stdio.h>

enum { MAX_DEPTH = 6 };
enum { MAX_CONFLICTS = 5000, MAX_GATES = 200000 }; /* of one solver query */

/* ---- paths ----------------------------------------------------------------------------------- */

void way_release(struct way *w)
{
	vec_each (&w->frames, i)
		vec_release(&w->frames.at[i].regs);
	vec_release(&w->frames);
	vec_release(&w->vars);
	vec_release(&w->updates);
	vec_release(&w->tries);
	vec_release(&w->held);
}

struct way way_copy(const struct way *w)
{
	struct way c = {.cond = w->cond};

	vec_each (&w->frames, i) {
		const struct way_frame *f = &w->frames.at[i];
		struct way_frame *g = vec_add(&c.frames);

		*g = (struct way_frame){.func = f->func, .block = f->block, .at = f->at};
		vec_each (&f->regs, r)
			vec_push(&g->regs, f->regs.at[r]);
	}
	vec_each (&w->vars, i)
		vec_push(&c.vars, w->vars.at[i]);
	vec_each (&w->updates, i)
		vec_push(&c.updates, w->updates.at[i]);
	vec_each (&w->tries, i)
		vec_push(&c.tries, w->tries.at[i]);
	vec_each (&w->held, i)
		vec_push(&c.held, w->held.at[i]);
	return c;
}

void way_enter(const struct round *r, struct way *w, uint32_t func, uint32_t block)
{
	const struct ir_func *fn = &r->s->p->funcs.at[func];
	struct way_frame *f = vec_add(&w->frames);

	*f = (struct way_frame){.func = func, .block = block, .at = fn->blocks.at[block].first};
	vec_resize(&f->regs, fn->regs.n);
}

/* ---- values ---------------------------------------------------------------------------------- */

term_t way_at_head(struct round *r, uint32_t reg, char what, unsigned bits)
{
	uint64_t *known = map_get(&r->fixed, reg);
	char name[32];

	if (known)
		return (term_t){(uint32_t)*known};
	snprintf(name, sizeof name, "%c%u.%u", what, reg, bits);
	return term_sym(r->ts, name, bits);
}

term_t way_value(struct round *r, struct way *w, ir_ref ref)
{
	struct way_frame *f = way_top(w);
	const struct ir_func *fn = &r->s->p->funcs.at[f->func];
	unsigned bits = ir_type_bits(ir_ref_type(fn, ref));
	const struct ir_const *k;
	term_t *t;

	if (ir_is_reg(ref)) {
		t = &f->regs.at[ref];
		if (!t->id)
			*t = w->frames.n == 1 ? way_at_head(r, ref, 'r', bits)
					      : term_fresh(r->ts, "u", bits);
		return *t;
	}
	k = ir_const(fn, ref);
	if (k->kind == IR_C_BITS)
		return term_const(r->ts, bits, (u128)k->hi << 64 | k->lo);
	if (k->kind == IR_C_GLOBAL) { /* the same address each time */
		char name[48];

		snprintf(name, sizeof name, "g%u.%llu", k->id, (unsigned long long)k->lo);
		return term_sym(r->ts, name, bits);
	}
	return term_fresh(r->ts, "k", bits);
}

void way_forget(struct round *r, struct way *w, const struct ir_insn *in)
{
	struct way_frame *f = way_top(w);
	const struct ir_func *fn = &r->s->p->funcs.at[f->func];

	for (uint32_t i = 0, n = ir_insn_ndst(in); i < n; i++)
		f->regs.at[in->dst + i] =
			term_fresh(r->ts, "v", ir_type_bits(fn->regs.at[in->dst + i].type));
}

struct way_variable *way_variable(struct round *r, struct way *w, uint32_t reg, unsigned bits)
{
	vec_each (&w->vars, i)
		if (w->vars.at[i].frame == w->frames.n && w->vars.at[i].reg == reg)
			return &w->vars.at[i];
	vec_push(&w->vars, (struct way_variable){w->frames.n, reg,
				   w->frames.n == 1 ? way_at_head(r, reg, 'm', bits)
						    : term_fresh(r->ts, "l", bits)});
	return &vec_last(&w->vars);
}

void way_reads(struct round *r, struct way *w, const struct way_variable *v)
{
	if (w->frames.n == 1 &&
		v->value.id == way_at_head(r, v->reg, 'm', term_width(r->ts, v->value)).id)
		bitset_add(&r->exposed, v->reg);
}

bool way_possible(struct round *r, const struct way *w, term_t t)
{
	struct solve_limits lim = {.conflicts = MAX_CONFLICTS, .gates = MAX_GATES, .eager = true};

	return solve_term(r->ts, term_and(r->ts, w->cond, t), &lim) != SAT_UNSAT;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void execute_load(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
	ir_ref at = in->arg[0];

	if (ir_is_reg(at) && sf->local[at] == SPIN_SCALAR) {
		struct way_variable *v = way_variable(r, w, at, ir_type_bits(in->type));

		way_reads(r, w, v);
		way_top(w)->regs.at[in->dst] = v->value;
		return;
	}
	r->reads = true;
	way_forget(r, w, in);
}

static void execute_store(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
	ir_ref at = in->arg[0];
	uint32_t base = ir_is_reg(at) ? sf->base[at] : IR_NONE;

	if (base == IR_NONE || sf->local[base] == SPIN_ESCAPED) {
		r->none = true;
	} else if (sf->local[base] == SPIN_SCALAR) {
		term_t t = way_value(r, w, in->arg[1]);

		way_variable(r, w, base, term_width(r->ts, t))->value = t;
	}
}

static void end_lifetime(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
	ir_ref at = in->arg[0];

	if (!ir_is_reg(at) || sf->local[at] != SPIN_SCALAR)
		return;
	vec_each (&w->vars, i) /* its lifetime starts or ends: the value is undefined */
		if (w->vars.at[i].frame == w->frames.n && w->vars.at[i].reg == at)
			w->vars.at[i].value =
				term_fresh(r->ts, "d", term_width(r->ts, w->vars.at[i].value));
}

static uint32_t whole_global(const struct round *r, const struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	const struct ir_const *k = ir_is_const(in->arg[0]) ? ir_const(fn, in->arg[0]) : NULL;

	return k && k->kind == IR_C_GLOBAL && !k->lo &&
			       r->s->p->globals.at[k->id].size == ir_type_bytes(in->type)
		       ? k->id
		       : IR_NONE;
}

static void execute_update(struct round *r, struct way *w, const struct ir_insn *in)
{
	struct way_update u = {.exchange = in->op == IR_RMW_XCHG, .global = whole_global(r, w, in)};
	struct way_frame *f;

	r->reads = true;
	way_forget(r, w, in);
	f = way_top(w);
	u.old = f->regs.at[in->dst];
	if (in->op == IR_CAS) {
		term_t same = term_eq(r->ts, u.old, way_value(r, w, in->arg[1]));

		if (in->flags & IR_F_WEAK)
			same = term_and(r->ts, same, term_fresh(r->ts, "w", 1));
		f->regs.at[in->dst + 1] = same;
		u.put = term_ite(r->ts, same, way_value(r, w, in->arg[2]), u.old);
	} else {
		u.put = ops_rmw(r->ts, in, u.old, way_value(r, w, in->arg[1]));
	}
	vec_push(&w->updates, u);
}

static void execute_operation(struct round *r, struct way *w, const struct ir_insn *in)
{
	enum ir_shape shape = ir_ops[in->op].shape;
	uint32_t n = shape == IR_S_UN || shape == IR_S_CONV       ? 1
		     : shape == IR_S_TERN || shape == IR_S_SELECT ? 3
								  : 2;
	term_t a[3] = {{0}}, out[2];

	for (uint32_t i = 0; i < n; i++)
		a[i] = way_value(r, w, in->arg[i]);
	if (!ops_term(r->ts, in, a, out)) {
		way_forget(r, w, in);
		return;
	}
	way_top(w)->regs.at[in->dst] = out[0];
	if (shape == IR_S_OVF)
		way_top(w)->regs.at[in->dst + 1] = out[1];
}

/* Address arithmetic. A field of an object has the same address each time. */
static void add_offset(struct round *r, struct way *w, const struct ir_insn *in)
{
	term_t base;

	way_forget(r, w, in);
	if (in->arg[1] != IR_NONE)
		return;
	base = way_value(r, w, in->arg[0]);
	way_top(w)->regs.at[in->dst] = term_add(
		r->ts, base, term_const(r->ts, term_width(r->ts, base), (uint64_t)in->imm));
}

/* Executes a call of a function of the program: pushes a frame. */
static void call_function(struct round *r, struct way *w, const struct ir_insn *in, uint32_t callee)
{
	const struct ir_func *to = &r->s->p->funcs.at[callee];
	const uint32_t *ex = r->s->p->funcs.at[way_top(w)->func].extra.at + in->arg[1];
	VEC(term_t) args = {0};

	if (!to->blocks.n || w->frames.n >= MAX_DEPTH || to->flags & IR_FN_VARARG) {
		r->none = true;
		return;
	}
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		vec_push(&args, way_value(r, w, ex[2 * i]));
		r->none |= ex[2 * i + 1] != 0;
	}
	way_enter(r, w, callee, 0);
	for (uint32_t i = 0; i < to->nparams && i < args.n; i++)
		if (term_width(r->ts, args.at[i]) == ir_type_bits(to->params[i].type))
			way_top(w)->regs.at[i] = args.at[i];
	vec_release(&args);
}

static void count_lock(struct round *r, struct way *w, const struct ir_insn *in, int32_t n)
{
	const uint32_t *ex = r->s->p->funcs.at[way_top(w)->func].extra.at + in->arg[1];
	term_t lock = in->arg[2] ? way_value(r, w, ex[0]) : TERM_NONE;

	r->locks = true;
	vec_each (&w->held, i)
		if (w->held.at[i].lock.id == lock.id) {
			w->held.at[i].n += n;
			return;
		}
	vec_push(&w->held, (struct held){lock, n});
}

static void execute_call(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	uint32_t callee = ir_callee(fn, in);

	if (callee == IR_NONE) {
		r->none = true;
		return;
	}
	switch ((enum spin_call)r->s->calls[callee]) {
	case SPIN_CALL_TIME:
		r->none |= !spin_passes_time(r->s, way_top(w)->func, in);
		way_forget(r, w, in);
		break;
	case SPIN_CALL_TRY:
		way_forget(r, w, in);
		if (in->dst == IR_NONE)
			r->none = true;
		else
			vec_push(&w->tries, way_top(w)->regs.at[in->dst]);
		break;
	case SPIN_CALL_LOCK:
	case SPIN_CALL_UNLOCK:
		count_lock(r, w, in, r->s->calls[callee] == SPIN_CALL_LOCK ? 1 : -1);
		way_forget(r, w, in);
		break;
	case SPIN_CALL_WAIT:
		way_forget(r, w, in);
		r->waits = true;
		break;
	case SPIN_CALL_TIMED_WAIT:
		way_forget(r, w, in);
		r->timed = true;
		break;
	case SPIN_CALL_OTHER: call_function(r, w, in, callee); break;
	}
}

void way_leave(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func], *to;
	const uint32_t *ex = fn->extra.at + in->arg[1];
	const struct ir_insn *back;
	VEC(term_t) rets = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->arg[2]; i++)
		vec_push(&rets, way_value(r, w, ex[i]));
	vec_each (&w->vars, i)
		if (w->vars.at[i].frame != w->frames.n)
			w->vars.at[n++] = w->vars.at[i];
	w->vars.n = n;
	vec_release(&way_top(w)->regs);
	w->frames.n--;
	to = &r->s->p->funcs.at[way_top(w)->func];
	back = &to->insns.at[way_top(w)->at - 1];
	way_forget(r, w, back);
	for (uint32_t i = 0; i < ir_insn_ndst(back) && i < rets.n; i++)
		if (term_width(r->ts, rets.at[i]) == ir_type_bits(to->regs.at[back->dst + i].type))
			way_top(w)->regs.at[back->dst + i] = rets.at[i];
	vec_release(&rets);
}

bool way_execute(struct round *r, struct way *w, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
	case IR_S_OVF: execute_operation(r, w, in); return true;
	case IR_S_PADD: add_offset(r, w, in); return true;
	case IR_S_LOAD: execute_load(r, w, in); return true;
	case IR_S_STORE: execute_store(r, w, in); return true;
	case IR_S_RMW:
	case IR_S_CAS: execute_update(r, w, in); return true;
	case IR_S_FENCE: return true;
	case IR_S_LIFE: end_lifetime(r, w, in); return true;
	case IR_S_CALL: execute_call(r, w, in); return true;
	case IR_S_ALLOCA: /* allowed only in called functions */
		r->none |= w->frames.n == 1;
		way_forget(r, w, in);
		return true;
	case IR_S_BULK: {
		const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
		uint32_t base = ir_is_reg(in->arg[0]) ? sf->base[in->arg[0]] : IR_NONE;

		r->none |= base == IR_NONE || sf->local[base] != SPIN_SINK;
		return true;
	}
	default: r->none = true; return false;
	}
}
