/*
 * Symbolic execution of one round of a loop, from its header along all paths to the header or out
 * of the loop. A path is a struct way (spin_way.h). Inner loops are not executed: the registers and
 * variables that they write get new symbols. Calls of functions of the program are executed.
 *
 * Each load from memory other than SPIN_SCALAR variables gives a new symbol, so that the paths
 * over-approximate those of the program: a property that holds on all of them holds for the loop.
 */
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/spin_way.h"

enum { MAX_WAYS = 256, MAX_STEPS = 20000 };

/* ---- the end of a round ---------------------------------------------------------------------- */

/* On a path to the header, an update must write the value that it read, or be a test-and-set whose
 * old value is not 0. */
static void check_update(struct round *r, struct way *w, const struct way_update *u)
{
	term_t zero = term_const(r->ts, term_width(r->ts, u->old), 0);
	u128 put;

	r->updates = true;
	if (!u->put.id) {
		r->none = true;
		return;
	}
	if (!way_possible(r, w, term_ne(r->ts, u->old, u->put)))
		return;
	if (!u->exchange || !term_is_const(r->ts, u->put, &put) || !put ||
		way_possible(r, w, term_eq(r->ts, u->old, zero)))
		r->none = true;
	else if (u->global == IR_NONE || !spin_only_value(r->s->p, u->global, (uint64_t)put))
		r->doubt = true;
}

/* Marks the register or variable if its value may differ from that at the header */
static void check_handed(struct round *r, struct way *w, uint32_t reg, term_t now, term_t before)
{
	if (now.id != before.id && way_possible(r, w, term_ne(r->ts, now, before)))
		bitset_add(&r->handed, reg);
}

/* The path reaches the header again, by the edge. */
static void check_next_round(struct round *r, struct way *w, const struct ir_edge *e)
{
	const uint32_t *pair = r->fn->extra.at + e->copies;

	vec_each (&w->held, i)
		r->none |= w->held.at[i].n != 0;
	vec_each (&w->updates, i)
		check_update(r, w, &w->updates.at[i]);
	vec_each (&w->tries, i) {
		term_t zero = term_const(r->ts, term_width(r->ts, w->tries.at[i]), 0);

		r->tries = true;
		r->none |= way_possible(r, w, term_eq(r->ts, w->tries.at[i], zero));
	}
	for (uint32_t i = 0; i < e->ncopies; i++) {
		uint32_t dst = pair[2 * i];

		check_handed(r, w, dst, way_value(r, w, pair[2 * i + 1]),
			way_at_head(r, dst, 'r', ir_type_bits(r->fn->regs.at[dst].type)));
	}
	vec_each (&w->vars, i) {
		const struct way_variable *v = &w->vars.at[i];

		if (v->frame == 1)
			check_handed(r, w, v->reg, v->value,
				way_at_head(r, v->reg, 'm', term_width(r->ts, v->value)));
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
static void check_leaving(struct round *r, struct way *w)
{
	for (uint32_t reg = 0; reg < r->fn->regs.n; reg++) {
		const struct way_variable *v = NULL;

		if (r->sf->local[reg] != SPIN_SCALAR || !loaded_outside(r, reg))
			continue;
		vec_each (&w->vars, i)
			if (w->vars.at[i].frame == 1 && w->vars.at[i].reg == reg)
				v = &w->vars.at[i];
		if (!v || v->value.id == way_at_head(r, reg, 'm', term_width(r->ts, v->value)).id)
			bitset_add(&r->exposed, reg);
	}
}

/* ---- control --------------------------------------------------------------------------------- */

static void execute_path(struct round *r, struct way *w);

/* Checks a block of an inner loop: false if it has effects that others can see, or an operation
 * that is not handled. */
static bool pass_block(struct round *r, struct way *w, uint32_t block)
{
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	const struct ir_block *b = &fn->blocks.at[block];

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct ir_insn *in = &fn->insns.at[i];
		uint32_t base = IR_NONE;

		switch (ir_ops[in->op].shape) {
		case IR_S_LOAD:
			base = ir_is_reg(in->arg[0]) ? in->arg[0] : IR_NONE;
			if (base != IR_NONE && sf->local[base] == SPIN_SCALAR)
				way_reads(r, w, way_variable(r, w, base, ir_type_bits(in->type)));
			else
				r->reads = true;
			break;
		case IR_S_STORE:
			base = ir_is_reg(in->arg[0]) ? sf->base[in->arg[0]] : IR_NONE;
			if (base == IR_NONE || sf->local[base] == SPIN_ESCAPED)
				return false;
			break;
		case IR_S_CALL:
			if (!spin_passes_time(r->s, way_top(w)->func, in))
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
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	const struct ir_block *b = &fn->blocks.at[block];

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct ir_insn *in = &fn->insns.at[i];

		if (in->dst != IR_NONE && ir_insn_ndst(in))
			way_forget(r, w, in);
		if (in->op == IR_STORE && ir_is_reg(in->arg[0]) &&
			sf->local[in->arg[0]] == SPIN_SCALAR) {
			struct way_variable *v =
				way_variable(r, w, in->arg[0], ir_type_bits(in->type2));

			v->value = term_fresh(r->ts, "f", term_width(r->ts, v->value));
		}
	}
	for (uint32_t k = 0; k < ir_insn_nedges(ir_terminator(fn, block)); k++) {
		const struct ir_edge *e =
			&fn->edges.at[ir_insn_edge(fn, ir_terminator(fn, block), k)];

		for (uint32_t c = 0; c < e->ncopies; c++) {
			uint32_t dst = fn->extra.at[e->copies + 2 * c];

			way_top(w)->regs.at[dst] =
				term_fresh(r->ts, "p", ir_type_bits(fn->regs.at[dst].type));
		}
	}
}

static void follow_edge(struct round *r, struct way *w, uint32_t edge);

static void pass_loop(struct round *r, struct way *w, const struct loops *loops, uint32_t inner)
{
	const struct spin_func *sf = spin_func(r->s, way_top(w)->func);
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

		follow_edge(r, &c, sf->cfg.succ_edge[exits.at[i]]);
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
	const struct loops *l = &spin_func(r->s, way_top(w)->func)->loops;
	uint32_t at = loop_at(l, block);

	if (w->frames.n == 1 && at == r->loop)
		return LOOP_NONE;
	return at;
}

static void follow_edge(struct round *r, struct way *w, uint32_t edge)
{
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	const struct ir_edge *e = &fn->edges.at[edge];
	const uint32_t *pair = fn->extra.at + e->copies;
	VEC(term_t) vals = {0};
	uint32_t inner;

	if (w->frames.n == 1 && e->to == r->header) {
		r->ways++;
		check_next_round(r, w, e);
		return;
	}
	if (w->frames.n == 1 && !loop_contains(&r->sf->loops, r->loop, e->to)) {
		r->ways++;
		check_leaving(r, w);
		return;
	}
	for (uint32_t i = 0; i < e->ncopies; i++)
		vec_push(&vals, way_value(r, w, pair[2 * i + 1]));
	for (uint32_t i = 0; i < e->ncopies; i++)
		way_top(w)->regs.at[pair[2 * i]] = vals.at[i];
	vec_release(&vals);
	way_top(w)->block = e->to;
	way_top(w)->at = fn->blocks.at[e->to].first;
	inner = loop_to_pass(r, w, e->to);
	if (inner != LOOP_NONE)
		pass_loop(r, w, &spin_func(r->s, way_top(w)->func)->loops, inner);
	else
		execute_path(r, w);
}

/* The condition for the k-th edge of a switch; 0 is the default. */
static term_t case_cond(struct round *r, struct way *w, const struct ir_insn *in, uint32_t k)
{
	const uint32_t *ex = r->s->p->funcs.at[way_top(w)->func].extra.at + in->arg[1];
	term_t on = way_value(r, w, in->arg[0]), none = term_bool(r->ts, true);

	if (k)
		return term_eq(r->ts, on, way_value(r, w, ex[1 + 2 * (k - 1)]));
	for (uint32_t i = 0; i < in->arg[2]; i++)
		none = term_and(r->ts, none, term_ne(r->ts, on, way_value(r, w, ex[1 + 2 * i])));
	return none;
}

/* Continues with a copy of the path for each edge that is not trivially impossible */
static void split_path(struct round *r, struct way *w, const struct ir_insn *in)
{
	const struct ir_func *fn = &r->s->p->funcs.at[way_top(w)->func];
	uint32_t n = ir_insn_nedges(in);

	for (uint32_t k = 0; k < n && !r->none; k++) {
		term_t c = term_bool(r->ts, true);
		struct way next;
		u128 v;

		if (in->op == IR_CBR)
			c = k ? term_not(r->ts, way_value(r, w, in->arg[0]))
			      : way_value(r, w, in->arg[0]);
		else if (in->op == IR_SWITCH)
			c = case_cond(r, w, in, k);
		c = term_and(r->ts, w->cond, c);
		if (term_is_const(r->ts, c, &v) && !v)
			continue;
		next = way_copy(w);
		next.cond = c;
		follow_edge(r, &next, ir_insn_edge(fn, in, k));
		way_release(&next);
		r->none |= r->ways > MAX_WAYS;
	}
}

/* Executes one instruction; false if the path has ended, or split_path() or follow_edge() has
 * executed the rest. */
static bool step_path(struct round *r, struct way *w, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_BR: follow_edge(r, w, in->arg[0]); return false;
	case IR_S_CBR:
	case IR_S_SWITCH:
	case IR_S_IBR: split_path(r, w, in); return false;
	case IR_S_RET:
		if (w->frames.n == 1)
			return false;
		way_leave(r, w, in);
		return true;
	case IR_S_NONE: return in->op == IR_PAUSE;
	default: return way_execute(r, w, in);
	}
}

static void execute_path(struct round *r, struct way *w)
{
	while (!r->none) {
		const struct ir_insn *in =
			&r->s->p->funcs.at[way_top(w)->func].insns.at[way_top(w)->at++];

		if (++r->steps > MAX_STEPS) {
			r->none = true;
			return;
		}
		if (!step_path(r, w, in))
			return;
	}
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void execute_round(struct round *r)
{
	struct way w = {.cond = term_bool(r->ts, true)};

	r->ways = r->steps = 0;
	bitset_clear(&r->handed);
	way_enter(r, &w, r->func, r->header);
	execute_path(r, &w);
	way_release(&w);
}

/* The constant that the edge copies into the register, or TERM_NONE. */
static term_t constant_on_edge(const struct round *r, const struct ir_edge *e, uint32_t reg)
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
static term_t constant_in_memory(const struct round *r, uint32_t block, uint32_t reg)
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
static bool fix_at_header(struct round *r, uint32_t reg)
{
	const struct cfg *c = &r->sf->cfg;
	term_t all = TERM_NONE;

	for (uint32_t i = c->pred_at[r->header]; i < c->pred_at[r->header + 1]; i++) {
		uint32_t from = c->pred[i];
		term_t t;

		if (loop_contains(&r->sf->loops, r->loop, from) || !cfg_reachable(c, from))
			continue;
		t = r->sf->local[reg] == SPIN_SCALAR
			    ? constant_in_memory(r, from, reg)
			    : constant_on_edge(
				      r, &r->fn->edges.at[c->succ_edge[c->pred_succ[i]]], reg);
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
		r->none |= !fix_at_header(r, reg);
	}
	if (r->none || !again)
		return;
	execute_round(r);
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
		execute_round(&r);
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
