/*
 * Conditions that hold at the places: branches that were taken on every path to the place, and
 * invariants of loop counters. context_internal.h has the proof that they hold for current values.
 */
#include "context/context_internal.h"

#include "base/map.h"
#include "base/vec.h"

void conditions_add(struct context *c, term_t t)
{
	u128 k;

	if (term_is_const(c->ts, t, &k) && k)
		return; /* "false" is kept: the context is unreachable */
	vec_each (&c->holds, i)
		if (term_same(c->holds.at[i], t))
			return;
	vec_push(&c->holds, t);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* The value of the switch if it takes the edge, which is the only one to its block. */
static void add_case_condition(
	struct context *c, uint32_t frame, const struct ir_insn *in, uint32_t edge, bool fixed)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	term_t v = reach_ref(c, frame, in->arg[0]);

	for (uint32_t k = 0; k < in->arg[2] && (!fixed || term_is_fixed(c, v)); k++) {
		term_t eq =
			term_eq(c->ts, v, reach_ref(c, frame, f->extra.at[in->arg[1] + 1 + 2 * k]));

		if (edge == f->extra.at[in->arg[1]])
			conditions_add(c, term_not(c->ts, eq));
		else if (edge == f->extra.at[in->arg[1] + 2 + 2 * k])
			conditions_add(c, eq);
	}
}

/* True if exactly one edge enters the block. */
static bool get_only_edge(const struct shape *s, uint32_t b, uint32_t *from, uint32_t *edge)
{
	uint32_t n = 0;

	for (uint32_t i = s->cfg.pred_at[b]; i < s->cfg.pred_at[b + 1]; i++)
		if (cfg_reachable(&s->cfg, s->cfg.pred[i])) {
			*from = s->cfg.pred[i];
			*edge = s->cfg.succ_edge[s->cfg.pred_succ[i]];
			n++;
		}
	return n == 1;
}

static void add_edge_condition(
	struct context *c, uint32_t frame, uint32_t from, uint32_t edge, bool fixed)
{
	const struct ir_func *f = code_func(&c->code, frame_at(c, frame)->func);
	const struct ir_insn *in = ir_terminator(f, from);

	if (in->op == IR_SWITCH) {
		add_case_condition(c, frame, in, edge, fixed);
	} else if (in->op == IR_CBR && ir_is_reg(in->arg[0])) {
		term_t t = reach_ref(c, frame, in->arg[0]);

		if (!fixed || term_is_fixed(c, t))
			conditions_add(c, edge == in->arg[1] ? t : term_not(c->ts, t));
	}
}

/* Adds the conditions of branches on every path to the instruction. `fixed`: the instruction was
 * executed, but its registers may have changed since; only terms that never change are used. */
static void add_branch_conditions(struct context *c, uint32_t frame, uint32_t insn, bool fixed)
{
	struct shape *s = code_shape(&c->code, frame_at(c, frame)->func);
	uint32_t b = s->block_of[insn], from, edge;

	if (s->twice || !cfg_reachable(&s->cfg, b))
		return;
	for (; b; b = s->dom.idom[b])
		if (get_only_edge(s, b, &from, &edge))
			add_edge_condition(c, frame, from, edge, fixed);
}

/* The thread exists, so the branches before the call that created it were taken. */
static void add_start_conditions(struct context *c, uint32_t thread)
{
	const struct context_thread *t = &c->threads.at[thread];
	const struct vec_site *starts = &c->code.starts[t->stack.at[0].func];
	uint32_t frame, insn;

	if (!t->id || !t->complete || starts->n != 1)
		return;
	insn = starts->at[0].insn;
	frame = frame_lone(c, starts->at[0].func, insn);
	while (frame != IR_NONE) {
		add_branch_conditions(c, frame, insn, true);
		insn = frame_at(c, frame)->call;
		frame = frame_at(c, frame)->parent;
	}
}

/* ---- counters -------------------------------------------------------------------------------- */

struct counter {
	uint32_t frame, reg, loop;
	term_t start; /* when the loop is entered */
	term_t by;    /* the step */
	int64_t step; /* its value; 0: not a constant */
	term_t bound; /* each round with a step has i < bound (i > bound if step is negative) */
	bool bounded, is_signed;
	uint32_t guard; /* the block that compares with the bound */
};

static ir_ref get_copied(const struct ir_func *f, uint32_t edge, uint32_t reg)
{
	const struct ir_edge *e = &f->edges.at[edge];

	for (uint32_t i = 0; i < e->ncopies; i++)
		if (f->extra.at[e->copies + 2 * i] == reg)
			return f->extra.at[e->copies + 2 * i + 1];
	return IR_NONE;
}

/* The operand that one instruction adds to reg, or (*down) subtracts from it, to get r; IR_NONE. */
static ir_ref get_step(
	const struct ir_func *f, const struct shape *s, ir_ref r, uint32_t reg, bool *down)
{
	const struct ir_insn *in;

	if (!ir_is_reg(r) || s->set_by[r] == IR_NONE)
		return IR_NONE;
	in = &f->insns.at[s->set_by[r]];
	*down = in->op == IR_SUB;
	if ((in->op == IR_ADD || in->op == IR_SUB) && in->arg[0] == reg)
		return in->arg[1];
	return in->op == IR_ADD && in->arg[1] == reg ? in->arg[0] : IR_NONE;
}

/* The step as a term that has the same value in every round; TERM_NONE. A register that is set in
 * the loop may not be set yet at the place, so its term must be one that never changes, such as the
 * contents of a variable since the early phase: the loop cannot write it, because code that may be
 * executed after a thread was created is late. */
static term_t make_step(struct context *c, const struct counter *k, ir_ref step)
{
	uint32_t func = frame_at(c, k->frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	term_t t;

	if (ir_is_const(step) && ir_const(f, step)->kind != IR_C_BITS)
		return TERM_NONE;
	t = reach_ref(c, k->frame, step);
	if (term_is_fixed(c, t))
		return t;
	return ir_is_reg(step) && s->set_in[step] != BLK_NONE &&
			       !loop_contains(&s->loops, k->loop, s->set_in[step]) &&
			       reach_same_in_loop(c, k->frame, t, k->loop)
		       ? t
		       : TERM_NONE;
}

/* Is the value that a latch copies the counter plus a step, the same as that of other latches? */
static bool find_step(struct context *c, struct counter *k, ir_ref copied)
{
	uint32_t func = frame_at(c, k->frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	bool down;
	ir_ref step = get_step(f, s, copied, k->reg, &down);
	__int128 signed_step;
	unsigned unused;
	term_t t;
	u128 v;

	if (step == IR_NONE || !(t = make_step(c, k, step)).id)
		return false;
	if (down)
		t = term_neg(c->ts, t);
	if (k->by.id && !term_same(k->by, t))
		return false;
	unused = 128 - term_width(c->ts, t);
	k->by = t;
	k->step = 0;
	if (!term_is_const(c->ts, t, &v))
		return true;
	signed_step = (__int128)(v << unused) >> unused;
	k->step = (int64_t)signed_step;
	return k->step == signed_step && k->step && k->step != INT64_MIN;
}

/* Finds the counter's start and step: all edges into the loop have one value, all latches one step.
 * */
static bool find_steps(struct context *c, struct counter *k)
{
	uint32_t func = frame_at(c, k->frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	uint32_t h = s->loops.at.at[k->loop].header;
	term_t t;

	for (uint32_t i = s->cfg.pred_at[h]; i < s->cfg.pred_at[h + 1]; i++) {
		ir_ref r;

		if (!cfg_reachable(&s->cfg, s->cfg.pred[i]))
			continue;
		r = get_copied(f, s->cfg.succ_edge[s->cfg.pred_succ[i]], k->reg);
		if (loop_contains(&s->loops, k->loop, s->cfg.pred[i])) {
			if (!find_step(c, k, r))
				return false;
			continue;
		}
		if (r == IR_NONE || (ir_is_const(r) && ir_const(f, r)->kind != IR_C_BITS))
			return false;
		t = reach_ref(c, k->frame, r);
		if (k->start.id && !term_same(k->start, t))
			return false;
		k->start = t;
	}
	return k->by.id && k->start.id && reach_same_in_loop(c, k->frame, k->start, k->loop);
}

/* Is the edge to block `to` of the loop on every path to a step? */
static bool guards_steps(struct context *c, struct counter *k, uint32_t to)
{
	struct shape *s = code_shape(&c->code, frame_at(c, k->frame)->func);
	struct vec_u32 latches = {0};
	uint32_t from, edge;
	bool all = get_only_edge(s, to, &from, &edge);

	loop_latches(&s->loops, &s->cfg, k->loop, &latches);
	vec_each (&latches, i)
		all = all && dominates(&s->dom, to, latches.at[i]);
	vec_release(&latches);
	return all;
}

/* Is the comparison i < bound on that edge (bound < i if step is negative)? */
static bool is_guard(struct context *c, struct counter *k, const struct ir_insn *cmp, bool taken)
{
	bool down = k->step < 0, or_equal = cmp->op == IR_ULE || cmp->op == IR_SLE;
	ir_ref low = cmp->arg[0], high = cmp->arg[1], bound;

	if (cmp->op != IR_SLT && cmp->op != IR_SLE && cmp->op != IR_ULT && cmp->op != IR_ULE)
		return false;
	if (!taken) { /* not (a < b) is b <= a */
		low = cmp->arg[1];
		high = cmp->arg[0];
		or_equal = !or_equal;
	}
	if (or_equal || (down ? high : low) != k->reg)
		return false;
	bound = down ? low : high;
	if (ir_is_const(bound) &&
		ir_const(code_func(&c->code, frame_at(c, k->frame)->func), bound)->kind !=
			IR_C_BITS)
		return false;
	k->bound = reach_ref(c, k->frame, bound);
	k->is_signed = cmp->op == IR_SLT || cmp->op == IR_SLE;
	return reach_same_in_loop(c, k->frame, k->bound, k->loop);
}

static void find_bound(struct context *c, struct counter *k)
{
	uint32_t func = frame_at(c, k->frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);
	const struct loop *l = &s->loops.at.at[k->loop];

	for (uint32_t i = l->first; i < l->first + l->n && !k->bounded; i++) {
		const struct ir_insn *in = ir_terminator(f, s->loops.blocks[i]);

		if (in->op != IR_CBR || !ir_is_reg(in->arg[0]) || s->set_by[in->arg[0]] == IR_NONE)
			continue;
		k->guard = s->loops.blocks[i];
		for (uint32_t e = 1; e <= 2 && !k->bounded; e++)
			k->bounded = guards_steps(c, k, f->edges.at[in->arg[e]].to) &&
				     is_guard(c, k, &f->insns.at[s->set_by[in->arg[0]]], e == 1);
	}
}

bool conditions_find_counter(
	struct context *c, uint32_t frame, uint32_t reg, struct loop_counter *out)
{
	struct shape *s = code_shape(&c->code, frame_at(c, frame)->func);
	struct counter k = {.frame = frame, .reg = reg};
	uint32_t b = s->set_in[reg];

	if (s->twice || b == BLK_NONE || s->set_by[reg] != IR_NONE || s->loops.of[b] == LOOP_NONE)
		return false;
	k.loop = s->loops.of[b];
	if (s->loops.at.at[k.loop].header != b || s->loops.at.at[k.loop].irreducible ||
		!find_steps(c, &k))
		return false;
	if (k.step) /* a bound is above or below, by the sign of the step */
		find_bound(c, &k);
	*out = (struct loop_counter){k.loop, k.start, k.by, k.step, k.bounded ? k.bound : TERM_NONE,
		k.is_signed, k.bounded && k.guard == b};
	return true;
}

/* The counter does not wrap around: its step is 1, or the bound is a constant far from the largest
 * value. */
static bool never_wraps(struct context *c, const struct loop_counter *k, unsigned width)
{
	u128 max = term_mask(width) >> k->is_signed, v;
	uint64_t by = k->step < 0 ? (uint64_t)-k->step : (uint64_t)k->step;

	if (!k->bound.id)
		return false;
	if (by == 1)
		return true;
	if (!term_is_const(c->ts, k->bound, &v) || k->step < 0 || width > 64)
		return false;
	if (k->is_signed && v >> (width - 1))
		return true; /* negative: far from the largest value */
	return v <= max - (by - 1);
}

static term_t make_less_equal(struct context *c, bool is_signed, term_t a, term_t b)
{
	return is_signed ? term_sle(c->ts, a, b) : term_ule(c->ts, a, b);
}

static void add_counter_conditions(struct context *c, uint32_t frame, uint32_t reg)
{
	struct loop_counter k;
	term_t i, far;
	unsigned width;
	uint64_t by;

	if (!conditions_find_counter(c, frame, reg, &k) || !k.step)
		return;
	i = reach_ref(c, frame, reg);
	width = term_width(c->ts, i);
	by = k.step < 0 ? (uint64_t)-k.step : (uint64_t)k.step;
	far = k.step < 0 ? term_sub(c->ts, k.start, i) : term_sub(c->ts, i, k.start);
	if (by > 1 && !(by & (by - 1)) &&
		by <= term_mask(width)) /* holds also after wrapping around */
		conditions_add(
			c, term_eq(c->ts, term_and(c->ts, far, term_const(c->ts, width, by - 1)),
				   term_const(c->ts, width, 0)));
	if (!never_wraps(c, &k, width))
		return;
	conditions_add(c, k.step < 0 ? make_less_equal(c, k.is_signed, i, k.start)
				     : make_less_equal(c, k.is_signed, k.start, i));
	if (by > 1 && by & (by - 1))
		conditions_add(
			c, term_eq(c->ts, term_urem(c->ts, far, term_const(c->ts, width, by)),
				   term_const(c->ts, width, 0)));
	if (by == 1 && k.step > 0) /* it stops at the bound unless it starts above it */
		conditions_add(
			c, term_implies(c->ts, make_less_equal(c, k.is_signed, k.start, k.bound),
				   make_less_equal(c, k.is_signed, i, k.bound)));
	else if (by == 1)
		conditions_add(
			c, term_implies(c->ts, make_less_equal(c, k.is_signed, k.bound, k.start),
				   make_less_equal(c, k.is_signed, k.bound, i)));
}

/* Counters of one loop step together: with i, which steps by one, i - start is the number of rounds
 * (or its negative), and j - start is that number times the step of j. This holds modulo 2^width. */
static void add_common_rounds(
	struct context *c, uint32_t frame, uint32_t i, const struct loop_counter *one, uint32_t j)
{
	struct terms *ts = c->ts;
	term_t a = reach_ref(c, frame, i), b = reach_ref(c, frame, j), rounds;
	struct loop_counter k;

	if (i == j || !conditions_find_counter(c, frame, j, &k) || k.loop != one->loop ||
		term_width(ts, a) != term_width(ts, b))
		return;
	rounds = one->step < 0 ? term_sub(ts, one->start, a) : term_sub(ts, a, one->start);
	conditions_add(c, term_eq(ts, b, term_add(ts, k.start, term_mul(ts, rounds, k.by))));
}

static bool is_counter_type(const struct ir_func *f, uint32_t reg)
{
	return f->regs.at[reg].type <= 64 && f->regs.at[reg].type > 1;
}

static void add_counters(struct context *c, uint32_t frame)
{
	struct frame fr = *frame_at(c, frame);
	const struct ir_func *f = code_func(&c->code, fr.func);
	struct map related = {0}; /* loops */
	struct loop_counter k;

	vec_each (&f->regs, r)
		if (is_counter_type(f, r) && reach_is_set(c, fr.func, r, fr.insn))
			add_counter_conditions(c, frame, r);
	vec_each (&f->regs, r) {
		if (!is_counter_type(f, r) || !reach_is_set(c, fr.func, r, fr.insn) ||
			!conditions_find_counter(c, frame, r, &k) || (k.step != 1 && k.step != -1) ||
			map_get(&related, k.loop))
			continue;
		*map_put(&related, k.loop) = 1;
		vec_each (&f->regs, j)
			if (is_counter_type(f, j) && reach_is_set(c, fr.func, j, fr.insn))
				add_common_rounds(c, frame, r, &k, j);
	}
	map_release(&related);
}

void conditions_init(struct context *c)
{
	uint32_t n = c->frames.n;

	for (uint32_t i = 0; i < n; i++) {
		struct frame fr = *frame_at(c, i);
		struct shape *s = code_shape(&c->code, fr.func);

		if (fr.kind != FRAME_LISTED || s->twice ||
			!cfg_reachable(&s->cfg, s->block_of[fr.insn]))
			continue;
		add_branch_conditions(c, i, fr.insn, false);
		add_counters(c, i);
	}
	vec_each (&c->threads, t)
		add_start_conditions(c, t);
}
