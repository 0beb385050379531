/*
 * Symbolic execution of one round of a loop, from its header along all paths to the header or out
 * of the loop. A path is a struct way. Inner loops are not executed: the registers and variables
 * that they write get new symbols. Calls of functions of the program are executed.
 *
 * Each load from memory other than SPIN_SCALAR variables gives a new symbol, so that the paths
 * over-approximate those of the program: a property that holds on all of them holds for the loop.
 */
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/op_terms.h"
#include "facts/spin_internal.h"
#include "smt/solve.h"

#include <stdio.h>

enum { MAX_WAYS = 256, MAX_STEPS = 20000, MAX_DEPTH = 6 };
enum { MAX_CONFLICTS = 5000, MAX_GATES = 200000 }; /* of one solver query */

struct update { /* an atomic update of memory that others can access */
	term_t old, put; /* the value before and after; put is TERM_NONE if there is no term */
	bool exchange;
	uint32_t global; /* the global of which it updates all bytes, or IR_NONE */
};

struct frame {
	uint32_t func;
	uint32_t block, at; /* the next instruction */
	VEC(term_t) regs;   /* TERM_NONE: not defined in this round yet */
};

struct variable { /* a SPIN_SCALAR variable of a frame */
	uint32_t frame, reg; /* depth of the frame, from 1; register of the alloca */
	term_t value;
};

struct way { /* a path through the round */
	VEC(struct frame) frames;
	VEC(struct variable) vars;
	VEC(struct update) updates;
	VEC(term_t) tries; /* results of try operations */
	term_t cond;   /* path condition */
	VEC(struct held {
		term_t lock; /* its address */
		int32_t n;   /* lock operations minus unlock operations */
	}) held;
};

struct round {
	struct spins *s;
	struct spin_func *sf;
	const struct ir_func *fn;
	uint32_t func, loop, header;
	struct terms *ts;
	uint32_t ways, steps; /* paths that ended, instructions that were executed */
	/* results */
	bool none;  /* the loop does more than wait, or a limit was reached */
	bool reads, updates, tries, waits, timed, locks; /* the round has such operations */
	bool doubt; /* an exchange may change the value: spin.sure is false */
	struct bitset handed;  /* registers and variables (by the register of the alloca) that a
				  round changes for the next round */
	struct bitset exposed; /* variables whose value at the header is read, in the round or after
				  the loop */
	struct map fixed;      /* register or variable -> term: the constant that it has at the
				  header */
};

/* ---- paths ----------------------------------------------------------------------------------- */

static void way_release(struct way *w)
{
	vec_each (&w->frames, i)
		vec_release(&w->frames.at[i].regs);
	vec_release(&w->frames);
	vec_release(&w->vars);
	vec_release(&w->updates);
	vec_release(&w->tries);
	vec_release(&w->held);
}

static struct way way_copy(const struct way *w)
{
	struct way c = {.cond = w->cond};

	vec_each (&w->frames, i) {
		const struct frame *f = &w->frames.at[i];
		struct frame *g = vec_add(&c.frames);

		*g = (struct frame){.func = f->func, .block = f->block, .at = f->at};
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

static struct frame *top(struct way *w)
{
	return &vec_last(&w->frames);
}

static void enter(const struct round *r, struct way *w, uint32_t func, uint32_t block)
{
	const struct ir_func *fn = &r->s->p->funcs.at[func];
	struct frame *f = vec_add(&w->frames);

	*f = (struct frame){.func = func, .block = block, .at = fn->blocks.at[block].first};
	vec_resize(&f->regs, fn->regs.n);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The value of a register ('r') or variable ('m') at the header: its symbol, or its constant. */
static term_t at_head(struct round *r, uint32_t reg, char what, unsigned bits)
{
	uint64_t *known = map_get(&r->fixed, reg);
	char name[32];

	if (known)
		return (term_t){(uint32_t)*known};
	snprintf(name, sizeof name, "%c%u.%u", what, reg, bits);
	return term_sym(r->ts, name, bits);
}

static term_t value(struct round *r, struct way *w, ir_ref ref)
{
	struct frame *f = top(w);
	const struct ir_func *fn = &r->s->p->funcs.at[f->func];
	unsigned bits = ir_type_bits(ir_ref_type(fn, ref));
	const struct ir_const *k;
	term_t *t;

	if (ir_is_reg(ref)) {
		t = &f->regs.at[ref];
		if (!t->id)
			*t = w->frames.n == 1 ? at_head(r, ref, 'r', bits)
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

/* gives new symbols to the results of the instruction */
static void open(struct round *r, struct way *w, const struct ir_insn *in)
{
	struct frame *f = top(w);
	const struct ir_func *fn = &r->s->p->funcs.at[f->func];

	for (uint32_t i = 0, n = ir_insn_ndst(in); i < n; i++)
		f->regs.at[in->dst + i] =
			term_fresh(r->ts, "v", ir_type_bits(fn->regs.at[in->dst + i].type));
}

static struct variable *variable(struct round *r, struct way *w, uint32_t reg, unsigned bits)
{
	vec_each (&w->vars, i)
		if (w->vars.at[i].frame == w->frames.n && w->vars.at[i].reg == reg)
			return &w->vars.at[i];
	vec_push(&w->vars,
		(struct variable){w->frames.n, reg, w->frames.n == 1
							    ? at_head(r, reg, 'm', bits)
							    : term_fresh(r->ts, "l", bits)});
	return &vec_last(&w->vars);
}

/* The variable is read: marks it as exposed if it has not been written since the header. */
static void looks_at(struct round *r, struct way *w, const struct variable *v)
{
	if (w->frames.n == 1 &&
		v->value.id == at_head(r, v->reg, 'm', term_width(r->ts, v->value)).id)
		bitset_add(&r->exposed, v->reg);
}

/* Is the path possible if t holds? True if the solver does not decide it. The limits are of work, not
 * of time, so that the same program always has the same spin loops. */
static bool possible(struct round *r, const struct way *w, term_t t)
{
	struct solve_limits lim = {.conflicts = MAX_CONFLICTS, .gates = MAX_GATES, .eager = true};
	term_t both = term_and(r->ts, w->cond, t);
	struct solve *q;
	bool yes;
	u128 v;

	if (term_is_const(r->ts, both, &v))
		return v;
	q = solve_new(r->ts);
	solve_assert(q, both);
	yes = solve_check(q, NULL, 0, &lim) != SAT_UNSAT;
	solve_free(q);
	return yes;
}

/* ---- the end of a round ---------------------------------------------------------------------- */

/* On a path to the header, an update must write the value that it read, or be a test-and-set whose
 * old value is not 0. */
static void check_update(struct round *r, struct way *w, const struct update *u)
{
	term_t zero = term_const(r->ts, term_width(r->ts, u->old), 0);
	u128 put;

	r->updates = true;
	if (!u->put.id) {
		r->none = true;
		return;
	}
	if (!possible(r, w, term_ne(r->ts, u->old, u->put)))
		return;
	if (!u->exchange || !term_is_const(r->ts, u->put, &put) || !put ||
		possible(r, w, term_eq(r->ts, u->old, zero)))
		r->none = true;
	else if (u->global == IR_NONE || !spin_only_value(r->s->p, u->global, (uint64_t)put))
		r->doubt = true;
}

/* marks the register or variable if its value may differ from that at the header */
static void check_handed(struct round *r, struct way *w, uint32_t reg, term_t now, term_t before)
{
	if (now.id != before.id && possible(r, w, term_ne(r->ts, now, before)))
		bitset_add(&r->handed, reg);
}

/* the path reaches the header again, by the edge */
static void goes_on(struct round *r, struct way *w, const struct ir_edge *e)
{
	const uint32_t *pair = r->fn->extra.at + e->copies;

	vec_each (&w->held, i)
		r->none |= w->held.at[i].n != 0;
	vec_each (&w->updates, i)
		check_update(r, w, &w->updates.at[i]);
	vec_each (&w->tries, i) {
		term_t zero = term_const(r->ts, term_width(r->ts, w->tries.at[i]), 0);

		r->tries = true;
		r->none |= possible(r, w, term_eq(r->ts, w->tries.at[i], zero));
	}
	for (uint32_t i = 0; i < e->ncopies; i++) {
		uint32_t dst = pair[2 * i];

		check_handed(r, w, dst, value(r, w, pair[2 * i + 1]),
			at_head(r, dst, 'r', ir_type_bits(r->fn->regs.at[dst].type)));
	}
	vec_each (&w->vars, i) {
		const struct variable *v = &w->vars.at[i];

		if (v->frame == 1)
			check_handed(r, w, v->reg, v->value,
				at_head(r, v->reg, 'm', term_width(r->ts, v->value)));
	}
}

static bool loaded_outside(const struct round *r, uint32_t reg)
{
	for (uint32_t b = 0; b < r->fn->blocks.n; b++) {
		const struct ir_block *k = &r->fn->blocks.at[b];

		if (loop_contains(&r->sf->loops, r->loop, b))
			continue;
		for (uint32_t i = k->first; i < k->first + k->n; i++)
			if (r->fn->insns.at[i].op == IR_LOAD && r->fn->insns.at[i].arg[0] == reg)
				return true;
	}
	return false;
}

/* The path leaves the loop: variables that are loaded after it and that this round did not write
 * have the values of an earlier round. */
static void ends(struct round *r, struct way *w)
{
	for (uint32_t reg = 0; reg < r->fn->regs.n; reg++) {
		const struct variable *v = NULL;

		if (r->sf->local[reg] != SPIN_SCALAR || !loaded_outside(r, reg))
			continue;
		vec_each (&w->vars, i)
			if (w->vars.at[i].frame == 1 && w->vars.at[i].reg == reg)
				v = &w->vars.at[i];
		if (!v || v->value.id == at_head(r, reg, 'm', term_width(r->ts, v->value)).id)
			bitset_add(&r->exposed, reg);
	}
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void load(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
	ir_ref at = in->arg[0];

	if (ir_is_reg(at) && sf->local[at] == SPIN_SCALAR) {
		struct variable *v = variable(r, w, at, ir_type_bits(in->type));

		looks_at(r, w, v);
		top(w)->regs.at[in->dst] = v->value;
		return;
	}
	r->reads = true;
	open(r, w, in);
}

static void store(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
	ir_ref at = in->arg[0];
	uint32_t base = ir_is_reg(at) ? sf->base[at] : IR_NONE;

	if (base == IR_NONE || sf->local[base] == SPIN_ESCAPED) {
		r->none = true;
	} else if (sf->local[base] == SPIN_SCALAR) {
		term_t t = value(r, w, in->arg[1]);

		variable(r, w, base, term_width(r->ts, t))->value = t;
	}
}

static void lives(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
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
	const struct ir_func *fn = &r->s->p->funcs.at[vec_last(&w->frames).func];
	const struct ir_const *k = ir_is_const(in->arg[0]) ? ir_const(fn, in->arg[0]) : NULL;

	return k && k->kind == IR_C_GLOBAL && !k->lo &&
			       r->s->p->globals.at[k->id].size == ir_type_bytes(in->type)
		       ? k->id
		       : IR_NONE;
}

static void modify(struct round *r, struct way *w, const struct ir_insn *in)
{
	struct update u = {.exchange = in->op == IR_RMW_XCHG, .global = whole_global(r, w, in)};
	struct frame *f;

	r->reads = true;
	open(r, w, in);
	f = top(w);
	u.old = f->regs.at[in->dst];
	if (in->op == IR_CAS) {
		term_t same = term_eq(r->ts, u.old, value(r, w, in->arg[1]));

		if (in->flags & IR_F_WEAK)
			same = term_and(r->ts, same, term_fresh(r->ts, "w", 1));
		f->regs.at[in->dst + 1] = same;
		u.put = term_ite(r->ts, same, value(r, w, in->arg[2]), u.old);
	} else {
		u.put = ops_rmw(r->ts, in, u.old, value(r, w, in->arg[1]));
	}
	vec_push(&w->updates, u);
}

static void pure(struct round *r, struct way *w, const struct ir_insn *in)
{
	enum ir_shape shape = ir_ops[in->op].shape;
	uint32_t n = shape == IR_S_UN || shape == IR_S_CONV		? 1
		     : shape == IR_S_TERN || shape == IR_S_SELECT ? 3
								  : 2;
	term_t a[3] = {{0}}, out[2];

	for (uint32_t i = 0; i < n; i++)
		a[i] = value(r, w, in->arg[i]);
	if (!ops_term(r->ts, in, a, out)) {
		open(r, w, in);
		return;
	}
	top(w)->regs.at[in->dst] = out[0];
	if (shape == IR_S_OVF)
		top(w)->regs.at[in->dst + 1] = out[1];
}

/* Address arithmetic. A field of an object has the same address each time. */
static void add_offset(struct round *r, struct way *w, const struct ir_insn *in)
{
	term_t base;

	open(r, w, in);
	if (in->arg[1] != IR_NONE)
		return;
	base = value(r, w, in->arg[0]);
	top(w)->regs.at[in->dst] =
		term_add(r->ts, base, term_const(r->ts, term_width(r->ts, base), (uint64_t)in->imm));
}

/* executes a call of a function of the program: pushes a frame */
static void into(struct round *r, struct way *w, const struct ir_insn *in, uint32_t callee)
{
	const struct ir_func *to = &r->s->p->funcs.at[callee];
	const uint32_t *ex = r->s->p->funcs.at[top(w)->func].extra.at + in->arg[1];
	VEC(term_t) args = {0};

	if (!to->blocks.n || w->frames.n >= MAX_DEPTH || to->flags & IR_FN_VARARG) {
		r->none = true;
		return;
	}
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		vec_push(&args, value(r, w, ex[2 * i]));
		r->none |= ex[2 * i + 1] != 0;
	}
	enter(r, w, callee, 0);
	for (uint32_t i = 0; i < to->nparams && i < args.n; i++)
		if (term_width(r->ts, args.at[i]) == ir_type_bits(to->params[i].type))
			top(w)->regs.at[i] = args.at[i];
	vec_release(&args);
}

static void count_lock(struct round *r, struct way *w, const struct ir_insn *in, int32_t n)
{
	const uint32_t *ex = r->s->p->funcs.at[top(w)->func].extra.at + in->arg[1];
	term_t lock = in->arg[2] ? value(r, w, ex[0]) : TERM_NONE;

	r->locks = true;
	vec_each (&w->held, i)
		if (w->held.at[i].lock.id == lock.id) {
			w->held.at[i].n += n;
			return;
		}
	vec_push(&w->held, (struct held){lock, n});
}

static void call(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func];
	uint32_t callee = ir_is_const(in->arg[0]) && ir_const(fn, in->arg[0])->kind == IR_C_FUNC
				  ? ir_const(fn, in->arg[0])->id
				  : IR_NONE;

	if (callee == IR_NONE) {
		r->none = true;
		return;
	}
	switch ((enum spin_call)r->s->calls[callee]) {
	case SPIN_CALL_TIME:
		r->none |= !spin_passes_time(r->s, top(w)->func, in);
		open(r, w, in);
		break;
	case SPIN_CALL_TRY:
		open(r, w, in);
		if (in->dst == IR_NONE)
			r->none = true;
		else
			vec_push(&w->tries, top(w)->regs.at[in->dst]);
		break;
	case SPIN_CALL_LOCK:
	case SPIN_CALL_UNLOCK:
		count_lock(r, w, in, r->s->calls[callee] == SPIN_CALL_LOCK ? 1 : -1);
		open(r, w, in);
		break;
	case SPIN_CALL_WAIT:
		open(r, w, in);
		r->waits = true;
		break;
	case SPIN_CALL_TIMED_WAIT:
		open(r, w, in);
		r->timed = true;
		break;
	case SPIN_CALL_OTHER: into(r, w, in, callee); break;
	}
}

/* executes a return: pops the frame */
static void leave(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func], *to;
	const uint32_t *ex = fn->extra.at + in->arg[1];
	const struct ir_insn *back;
	VEC(term_t) rets = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->arg[2]; i++)
		vec_push(&rets, value(r, w, ex[i]));
	vec_each (&w->vars, i)
		if (w->vars.at[i].frame != w->frames.n)
			w->vars.at[n++] = w->vars.at[i];
	w->vars.n = n;
	vec_release(&top(w)->regs);
	w->frames.n--;
	to = &r->s->p->funcs.at[top(w)->func];
	back = &to->insns.at[top(w)->at - 1];
	open(r, w, back);
	for (uint32_t i = 0; i < ir_insn_ndst(back) && i < rets.n; i++)
		if (term_width(r->ts, rets.at[i]) == ir_type_bits(to->regs.at[back->dst + i].type))
			top(w)->regs.at[back->dst + i] = rets.at[i];
	vec_release(&rets);
}

/* ---- control --------------------------------------------------------------------------------- */

static void walk(struct round *r, struct way *w);

/* Checks a block of an inner loop: false if it has effects that others can see, or an operation
 * that is not handled. */
static bool pass_block(struct round *r, struct way *w, uint32_t block)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func];
	const struct ir_block *b = &fn->blocks.at[block];

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct ir_insn *in = &fn->insns.at[i];
		uint32_t base = IR_NONE;

		switch (ir_ops[in->op].shape) {
		case IR_S_LOAD:
			base = ir_is_reg(in->arg[0]) ? in->arg[0] : IR_NONE;
			if (base != IR_NONE && sf->local[base] == SPIN_SCALAR)
				looks_at(r, w, variable(r, w, base, ir_type_bits(in->type)));
			else
				r->reads = true;
			break;
		case IR_S_STORE:
			base = ir_is_reg(in->arg[0]) ? sf->base[in->arg[0]] : IR_NONE;
			if (base == IR_NONE || sf->local[base] == SPIN_ESCAPED)
				return false;
			break;
		case IR_S_CALL:
			if (!spin_passes_time(r->s, top(w)->func, in))
				return false;
			break;
		case IR_S_RMW:
		case IR_S_CAS:
		case IR_S_BULK:
		case IR_S_VA:
		case IR_S_ASM:
		case IR_S_STOP:
		case IR_S_ALLOCA:
		case IR_S_PTR0:
		case IR_S_PTR1: return false;
		default: break;
		}
	}
	return true;
}

/* Gives new symbols to the registers and variables that a block of an inner loop writes. */
static void forget_block(struct round *r, struct way *w, uint32_t block)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func];
	const struct ir_block *b = &fn->blocks.at[block];

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct ir_insn *in = &fn->insns.at[i];

		if (in->dst != IR_NONE && ir_insn_ndst(in))
			open(r, w, in);
		if (in->op == IR_STORE && ir_is_reg(in->arg[0]) &&
			sf->local[in->arg[0]] == SPIN_SCALAR) {
			struct variable *v =
				variable(r, w, in->arg[0], ir_type_bits(in->type2));

			v->value = term_fresh(r->ts, "f", term_width(r->ts, v->value));
		}
	}
	for (uint32_t k = 0; k < ir_insn_nedges(ir_terminator(fn, block)); k++) {
		const struct ir_edge *e =
			&fn->edges.at[ir_insn_edge(fn, ir_terminator(fn, block), k)];

		for (uint32_t c = 0; c < e->ncopies; c++) {
			uint32_t dst = fn->extra.at[e->copies + 2 * c];

			top(w)->regs.at[dst] =
				term_fresh(r->ts, "p", ir_type_bits(fn->regs.at[dst].type));
		}
	}
}

static void go(struct round *r, struct way *w, uint32_t edge);

static void pass_loop(struct round *r, struct way *w, const struct loops *loops, uint32_t inner)
{
	const struct spin_func *sf = spin_func(r->s, top(w)->func);
	const struct loop *l = &loops->at.at[inner];
	struct vec_u32 exits = {0};

	for (uint32_t i = 0; i < l->n && !r->none; i++)
		r->none |= !pass_block(r, w, loops->blocks[l->first + i]);
	r->none |= l->irreducible;
	if (r->none)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		forget_block(r, w, loops->blocks[l->first + i]);
	loop_exits(loops, &sf->cfg, inner, &exits);
	vec_each (&exits, i) {
		struct way c = way_copy(w);

		go(r, &c, sf->cfg.succ_edge[exits.at[i]]);
		way_release(&c);
	}
	vec_release(&exits);
}

/* The loop whose header is the block, or LOOP_NONE. */
static uint32_t loop_at(const struct loops *l, uint32_t block)
{
	return l->of[block] != LOOP_NONE && l->at.at[l->of[block]].header == block ? l->of[block]
										   : LOOP_NONE;
}

/* The inner loop whose header is the block, or LOOP_NONE. */
static uint32_t loop_to_pass(const struct round *r, const struct way *w, uint32_t block)
{
	const struct loops *l = &spin_func(r->s, vec_last(&w->frames).func)->loops;
	uint32_t at = loop_at(l, block);

	if (w->frames.n == 1 && at == r->loop)
		return LOOP_NONE;
	return at;
}

static void go(struct round *r, struct way *w, uint32_t edge)
{
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func];
	const struct ir_edge *e = &fn->edges.at[edge];
	const uint32_t *pair = fn->extra.at + e->copies;
	VEC(term_t) vals = {0};
	uint32_t inner;

	if (w->frames.n == 1 && e->to == r->header) {
		r->ways++;
		goes_on(r, w, e);
		return;
	}
	if (w->frames.n == 1 && !loop_contains(&r->sf->loops, r->loop, e->to)) {
		r->ways++;
		ends(r, w);
		return;
	}
	for (uint32_t i = 0; i < e->ncopies; i++)
		vec_push(&vals, value(r, w, pair[2 * i + 1]));
	for (uint32_t i = 0; i < e->ncopies; i++)
		top(w)->regs.at[pair[2 * i]] = vals.at[i];
	vec_release(&vals);
	top(w)->block = e->to;
	top(w)->at = fn->blocks.at[e->to].first;
	inner = loop_to_pass(r, w, e->to);
	if (inner != LOOP_NONE)
		pass_loop(r, w, &spin_func(r->s, top(w)->func)->loops, inner);
	else
		walk(r, w);
}

/* The condition for the k-th edge of a switch; 0 is the default. */
static term_t case_cond(struct round *r, struct way *w, const struct ir_insn *in, uint32_t k)
{
	const uint32_t *ex = r->s->p->funcs.at[top(w)->func].extra.at + in->arg[1];
	term_t on = value(r, w, in->arg[0]), none = term_bool(r->ts, true);

	if (k)
		return term_eq(r->ts, on, value(r, w, ex[1 + 2 * (k - 1)]));
	for (uint32_t i = 0; i < in->arg[2]; i++)
		none = term_and(r->ts, none, term_ne(r->ts, on, value(r, w, ex[1 + 2 * i])));
	return none;
}

/* continues with a copy of the path for each edge that is not trivially impossible */
static void part(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[top(w)->func];
	uint32_t n = ir_insn_nedges(in);

	for (uint32_t k = 0; k < n && !r->none; k++) {
		term_t c = term_bool(r->ts, true);
		struct way next;
		u128 v;

		if (in->op == IR_CBR)
			c = k ? term_not(r->ts, value(r, w, in->arg[0])) : value(r, w, in->arg[0]);
		else if (in->op == IR_SWITCH)
			c = case_cond(r, w, in, k);
		c = term_and(r->ts, w->cond, c);
		if (term_is_const(r->ts, c, &v) && !v)
			continue;
		next = way_copy(w);
		next.cond = c;
		go(r, &next, ir_insn_edge(fn, in, k));
		way_release(&next);
		r->none |= r->ways > MAX_WAYS;
	}
}

/* Executes one instruction; false if the path has ended, or part() or go() has executed the
 * rest. */
static bool step(struct round *r, struct way *w, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
	case IR_S_OVF: pure(r, w, in); return true;
	case IR_S_PADD: add_offset(r, w, in); return true;
	case IR_S_LOAD: load(r, w, in); return true;
	case IR_S_STORE: store(r, w, in); return true;
	case IR_S_RMW:
	case IR_S_CAS: modify(r, w, in); return true;
	case IR_S_FENCE: return true;
	case IR_S_LIFE: lives(r, w, in); return true;
	case IR_S_CALL: call(r, w, in); return true;
	case IR_S_ALLOCA: /* allowed only in called functions */
		r->none |= w->frames.n == 1;
		open(r, w, in);
		return true;
	case IR_S_BULK: {
		const struct spin_func *sf = spin_func(r->s, top(w)->func);
		uint32_t base = ir_is_reg(in->arg[0]) ? sf->base[in->arg[0]] : IR_NONE;

		r->none |= base == IR_NONE || sf->local[base] != SPIN_SINK;
		return true;
	}
	case IR_S_NONE: return in->op == IR_PAUSE;
	case IR_S_BR: go(r, w, in->arg[0]); return false;
	case IR_S_CBR:
	case IR_S_SWITCH:
	case IR_S_IBR: part(r, w, in); return false;
	case IR_S_RET:
		if (w->frames.n == 1)
			return false;
		leave(r, w, in);
		return true;
	default: r->none = true; return false;
	}
}

static void walk(struct round *r, struct way *w)
{
	while (!r->none) {
		const struct ir_insn *in =
			&r->s->p->funcs.at[top(w)->func].insns.at[top(w)->at++];

		if (++r->steps > MAX_STEPS) {
			r->none = true;
			return;
		}
		if (!step(r, w, in))
			return;
	}
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void all_ways(struct round *r)
{
	struct way w = {.cond = term_bool(r->ts, true)};

	r->ways = r->steps = 0;
	bitset_clear(&r->handed);
	enter(r, &w, r->func, r->header);
	walk(r, &w);
	way_release(&w);
}

/* The constant that the edge copies into the register, or TERM_NONE. */
static term_t given(const struct round *r, const struct ir_edge *e, uint32_t reg)
{
	for (uint32_t i = 0; i < e->ncopies; i++) {
		ir_ref src = r->fn->extra.at[e->copies + 2 * i + 1];
		const struct ir_const *k = ir_is_const(src) ? ir_const(r->fn, src) : NULL;

		if (r->fn->extra.at[e->copies + 2 * i] == reg && k && k->kind == IR_C_BITS)
			return term_const(r->ts, ir_type_bits(r->fn->regs.at[reg].type),
				(u128)k->hi << 64 | k->lo);
	}
	return TERM_NONE;
}

/* The constant of the last store to the variable before the end of the block, found by going back
 * through blocks with one predecessor; or TERM_NONE. */
static term_t stored(const struct round *r, uint32_t block, uint32_t reg)
{
	const struct cfg *c = &r->sf->cfg;

	for (uint32_t n = 0; n < 64; n++) {
		const struct ir_block *b = &r->fn->blocks.at[block];

		for (uint32_t i = b->first + b->n; i-- > b->first;) {
			const struct ir_insn *in = &r->fn->insns.at[i];
			const struct ir_const *k;

			if (in->op == IR_LIFE_START && in->arg[0] == reg)
				return TERM_NONE;
			if (in->op != IR_STORE || in->arg[0] != reg)
				continue;
			k = ir_is_const(in->arg[1]) ? ir_const(r->fn, in->arg[1]) : NULL;
			return k && k->kind == IR_C_BITS
				       ? term_const(r->ts, ir_type_bits(in->type2),
						 (u128)k->hi << 64 | k->lo)
				       : TERM_NONE;
		}
		if (c->pred_at[block + 1] - c->pred_at[block] != 1)
			return TERM_NONE;
		block = c->pred[c->pred_at[block]];
	}
	return TERM_NONE;
}

/* If the register or variable has the same constant on all edges into the loop, fixes its value at
 * the header; else returns false. */
static bool fix(struct round *r, uint32_t reg)
{
	const struct cfg *c = &r->sf->cfg;
	term_t all = TERM_NONE;

	for (uint32_t i = c->pred_at[r->header]; i < c->pred_at[r->header + 1]; i++) {
		uint32_t from = c->pred[i];
		term_t t;

		if (loop_contains(&r->sf->loops, r->loop, from) || !cfg_reachable(c, from))
			continue;
		t = r->sf->local[reg] == SPIN_SCALAR
			    ? stored(r, from, reg)
			    : given(r, &r->fn->edges.at[c->succ_edge[c->pred_succ[i]]], reg);
		if (!t.id || (all.id && all.id != t.id))
			return false;
		all = t;
	}
	if (all.id)
		*map_put(&r->fixed, reg) = all.id;
	return all.id;
}

/* Registers and exposed variables that a round changes must have a constant value when the loop is
 * entered. The round is executed again with these constants, and must not change them then. */
static void settle_handed(struct round *r)
{
	bool again = false;

	bitset_each (&r->handed, reg) {
		if ((r->sf->local[reg] == SPIN_SCALAR && !bitset_has(&r->exposed, reg)) ||
			spin_only_counts(r->s, r->func, reg))
			continue;
		again = true;
		r->none |= !fix(r, reg);
	}
	if (r->none || !again)
		return;
	all_ways(r);
	bitset_each (&r->handed, reg)
		r->none |= (r->sf->local[reg] != SPIN_SCALAR || bitset_has(&r->exposed, reg)) &&
			   !spin_only_counts(r->s, r->func, reg);
}

static uint32_t exits_of(const struct round *r)
{
	struct vec_u32 exits = {0};
	struct bitset blocks = {0};
	uint32_t n = 0;

	loop_exits(&r->sf->loops, &r->sf->cfg, r->loop, &exits);
	vec_each (&exits, i)
		n += bitset_add(&blocks, cfg_source(&r->sf->cfg, exits.at[i]));
	vec_release(&exits);
	bitset_release(&blocks);
	return n;
}

static enum spin_kind kind_of(const struct round *r)
{
	if (r->none || !(r->reads || r->tries))
		return SPIN_NONE;
	if (r->waits || r->timed)
		return SPIN_COND;
	return r->tries ? SPIN_TRY : r->updates ? SPIN_UPDATE : SPIN_READ;
}

struct spin spin_round(struct spins *s, uint32_t func, uint32_t loop)
{
	struct spin_func *sf = spin_func(s, func);
	struct round r = {.s = s,
		.sf = sf,
		.fn = &s->p->funcs.at[func],
		.func = func,
		.loop = loop,
		.header = sf->loops.at.at[loop].header,
		.ts = terms_new()};
	struct spin out = {.kind = SPIN_NONE, .exits = exits_of(&r)};

	if (!sf->loops.at.at[loop].irreducible && out.exits) {
		all_ways(&r);
		if (!r.none)
			settle_handed(&r);
		out.kind = kind_of(&r);
		out.locks = r.locks;
		out.timed = r.timed && !r.waits && !r.tries;
		out.sure = out.kind != SPIN_NONE && (out.kind != SPIN_COND || out.timed) &&
			   !r.doubt && !((r.locks || r.timed) && s->tries);
	}
	bitset_release(&r.handed);
	bitset_release(&r.exposed);
	map_release(&r.fixed);
	terms_free(r.ts);
	return out;
}
