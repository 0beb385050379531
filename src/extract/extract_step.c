/* Extraction of instructions: computes the shadows of registers and makes guards. */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/opaque.h"

/* ---- operands ------------------------------------------------------------------------------- */

term_t step_shadow(const struct extractor *x, ir_ref r)
{
	return r != IR_NONE && ir_is_reg(r) ? shadow_reg(&x->tr->frames, r) : TERM_NONE;
}

term_t step_term(
	const struct extractor *x, const struct follow *f, const struct ir_func *fn, ir_ref r)
{
	term_t t = step_shadow(x, r);

	return t.id ? t : term_const(x->ts, ir_type_bits(ir_ref_type(fn, r)), step_value(f, r));
}

void step_set(struct extractor *x, uint32_t reg, term_t t)
{
	u128 v;

	if (t.id && term_is_const(x->ts, t, &v))
		t = TERM_NONE;
	if (t.id || shadow_top(&x->tr->frames)->nshadows)
		shadow_set_reg(&x->tr->frames, reg, t);
}

static void clear_results(struct extractor *x, const struct ir_insn *in)
{
	uint32_t n = ir_insn_ndst(in);

	for (uint32_t i = 0; i < n; i++)
		step_set(x, in->dst + i, TERM_NONE);
}

struct here { /* the current instruction */
	struct extractor *x;
	struct follow *f;
	const struct ir_func *fn;
	const struct ir_insn *in;
	uint32_t func, insn;
};

static void fix_operand(const struct here *h, ir_ref r)
{
	term_t t = step_shadow(h->x, r);

	if (t.id)
		extract_fix(h->x, h->f, h->func, h->insn, t, step_value(h->f, r));
}

/* ---- registers ------------------------------------------------------------------------------ */

static uint32_t n_operands(enum ir_shape s)
{
	switch (s) {
	case IR_S_UN:
	case IR_S_CONV: return 1;
	case IR_S_TERN:
	case IR_S_SELECT: return 3;
	default: return 2;
	}
}

static bool is_division(uint8_t op)
{
	return op == IR_UDIV || op == IR_SDIV || op == IR_UREM || op == IR_SREM;
}

/* Guards against a trap: the divisor is not zero; a signed quotient does not overflow. */
static void guard_divisor(const struct here *h, const term_t *a)
{
	struct terms *ts = h->x->ts;
	uint32_t bits = ir_type_bits(h->in->type);
	term_t zero = term_const(ts, bits, 0), least, minus;
	struct ctp_event *e = NULL;

	if (step_shadow(h->x, h->in->arg[1]).id)
		e = extract_guard(
			h->x, CTP_DIVISOR, h->f, h->func, h->insn, term_ne(ts, a[1], zero));
	if (e)
		e->operand = a[1];
	if (h->in->op != IR_SDIV && h->in->op != IR_SREM)
		return;
	least = term_eq(ts, a[0], term_const(ts, bits, (u128)1 << (bits - 1)));
	minus = term_eq(ts, a[1], term_const(ts, bits, ~(u128)0));
	extract_guard(
		h->x, CTP_FIX, h->f, h->func, h->insn, term_not(ts, term_and(ts, least, minus)));
}

static void step_pure(const struct here *h)
{
	uint32_t n = n_operands(ir_ops[h->in->op].shape);
	term_t a[3] = {{0}}, out[2];
	bool any = false;

	if (!shadow_top(&h->x->tr->frames)->nshadows)
		return;
	for (uint32_t i = 0; i < n; i++)
		any |= step_shadow(h->x, h->in->arg[i]).id != 0;
	if (!any) {
		clear_results(h->x, h->in);
		return;
	}
	if (h->in->op == IR_SELECT && !step_shadow(h->x, h->in->arg[0]).id) {
		bool c = step_value(h->f, h->in->arg[0]) & 1;

		step_set(h->x, h->in->dst, step_shadow(h->x, h->in->arg[c ? 1 : 2]));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		a[i] = step_term(h->x, h->f, h->fn, h->in->arg[i]);
	if (is_division(h->in->op))
		guard_divisor(h, a);
	if (!ops_term(h->x->ts, h->in, a, out))
		for (uint32_t i = 0; i < n; i++)
			fix_operand(h, h->in->arg[i]);
	step_set(h->x, h->in->dst, out[0]);
	if (ir_ops[h->in->op].shape == IR_S_OVF)
		step_set(h->x, h->in->dst + 1, out[1]);
}

static void step_padd(const struct here *h)
{
	struct extractor *x = h->x;
	struct terms *ts = x->ts;
	term_t base = step_shadow(x, h->in->arg[0]), index = step_shadow(x, h->in->arg[1]), sum;
	uint64_t from, *known;

	if (!base.id && !index.id) {
		clear_results(x, h->in);
		return;
	}
	known = base.id ? map_get(&x->tr->bases, base.id) : NULL;
	from = known ? *known : (uint64_t)step_value(h->f, h->in->arg[0]);
	sum = term_add(ts, step_term(x, h->f, h->fn, h->in->arg[0]),
		term_const(ts, 64, (uint64_t)h->in->imm));
	if (h->in->arg[1] != IR_NONE)
		sum = term_add(ts, sum,
			term_mul(ts, step_term(x, h->f, h->fn, h->in->arg[1]),
				term_const(ts, 64, h->in->arg[2])));
	step_set(x, h->in->dst, sum);
	if (!base.id || known)
		*map_put(&x->tr->bases, sum.id) = from;
}

/* ---- memory --------------------------------------------------------------------------------- */

void step_address(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn, ir_ref r,
	uint64_t size)
{
	term_t t = step_shadow(x, r);
	uint64_t at, *base;
	struct ctp_event *e;

	if (!t.id)
		return;
	at = (uint64_t)step_value(f, r);
	e = extract_guard(
		x, CTP_DEREF, f, func, insn, term_eq(x->ts, t, term_const(x->ts, 64, at)));
	if (!e)
		return;
	base = map_get(&x->tr->bases, t.id);
	e->operand = t;
	e->at = at;
	e->size = size;
	e->block = extract_block(x, base ? *base : at);
	if (base) {
		e->flags |= CTP_BASE_KNOWN;
		e->of.base = *base;
	}
}

/* An access to memory of one thread: builds the event that the re-execution does not report. */
static void own_access(const struct here *h, bool logged)
{
	const struct ir_insn *in = h->in;
	bool store = in->op == IR_STORE;
	struct follow_event e = {.kind = store ? FOLLOW_WRITE : FOLLOW_READ,
		.func = h->func,
		.insn = h->insn,
		.addr = (uint64_t)step_value(h->f, in->arg[0]),
		.size = ir_type_bytes(store ? in->type2 : in->type)};
	bool quiet = !shadow_any(&h->x->tr->mem, e.addr, e.size);

	if (quiet &&
		(store ? !step_shadow(h->x, in->arg[1]).id : ir_ops[in->op].shape == IR_S_LOAD)) {
		clear_results(h->x, in);
		return;
	}
	follow_memory(h->f, e.addr, &e.old, (uint32_t)e.size);
	e.value = e.old;
	if (store) {
		e.value = follow_reg(h->f, in->arg[1]);
	} else if (ir_ops[in->op].shape == IR_S_RMW) {
		e.kind = FOLLOW_RMW;
		eval_rmw(in, e.old, follow_reg(h->f, in->arg[1]), &e.value);
	} else if (ir_ops[in->op].shape == IR_S_CAS) {
		bool same = val_u128(e.old) == step_value(h->f, in->arg[1]);

		e.kind = same ? FOLLOW_RMW : FOLLOW_CAS_FAIL;
		e.value = same ? follow_reg(h->f, in->arg[2]) : e.old;
	}
	data_access(h->x, h->f, &e, logged);
}

static void step_access(const struct here *h)
{
	const struct plan_insn *pi = &h->x->pl->funcs[h->func].insn[h->insn];
	bool store = h->in->op == IR_STORE;

	step_address(h->x, h->f, h->func, h->insn, h->in->arg[0],
		ir_type_bytes(store ? h->in->type2 : h->in->type));
	if (!(pi->flags & PLAN_F_EVENT))
		own_access(h, pi->what == PLAN_VALUES);
}

/* ---- control -------------------------------------------------------------------------------- */

static void take_edge(const struct here *h, uint32_t edge)
{
	const struct ir_edge *e = &h->fn->edges.at[edge];
	const uint32_t *pair = h->fn->extra.at + e->copies;
	term_t few[16], *tmp = few;

	if (!shadow_top(&h->x->tr->frames)->nshadows)
		return;
	if (e->ncopies > ARRAY_SIZE(few))
		tmp = xcalloc(e->ncopies, sizeof *tmp);
	for (uint32_t i = 0; i < e->ncopies; i++)
		tmp[i] = step_shadow(h->x, pair[2 * i + 1]);
	for (uint32_t i = 0; i < e->ncopies; i++)
		step_set(h->x, pair[2 * i], tmp[i]);
	if (tmp != few)
		free(tmp);
}

static void step_branch(const struct here *h)
{
	term_t t = step_shadow(h->x, h->in->arg[0]);
	bool yes = step_value(h->f, h->in->arg[0]) & 1;
	uint32_t other = h->fn->edges.at[h->in->arg[yes ? 2 : 1]].to;

	struct ctp_event *e = NULL;

	if (t.id)
		e = extract_guard(h->x,
			fails_block(&h->x->fails, h->func, other) ? CTP_ASSERT : CTP_BRANCH, h->f,
			h->func, h->insn, yes ? t : term_not(h->x->ts, t));
	if (e)
		e->of.decided = yes;
	take_edge(h, h->in->arg[yes ? 1 : 2]);
}

/* Makes a guard with one of several outcomes, which depends on the value of t. */
static void decided_value(
	const struct here *h, enum ctp_kind kind, term_t t, u128 value, term_t cond)
{
	struct ctp_event *e = extract_guard(h->x, kind, h->f, h->func, h->insn, cond);

	if (!e)
		return;
	e->operand = t;
	e->of.decided = (uint64_t)value;
}

/* Whether all edges of a switch but this one lead to a failure. */
static bool others_fail(const struct here *h, uint32_t taken)
{
	uint32_t to = h->fn->edges.at[taken].to, others = 0, n = ir_insn_nedges(h->in);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t b = h->fn->edges.at[ir_insn_edge(h->fn, h->in, k)].to;

		if (b == to)
			continue;
		if (!fails_block(&h->x->fails, h->func, b))
			return false;
		others++;
	}
	return others > 0;
}

static void step_switch(const struct here *h)
{
	const uint32_t *ex = h->fn->extra.at + h->in->arg[1];
	struct terms *ts = h->x->ts;
	term_t t = step_shadow(h->x, h->in->arg[0]), cond = term_bool(ts, true);
	u128 v = step_value(h->f, h->in->arg[0]);
	uint32_t taken = ex[0];

	for (uint32_t i = 0; i < h->in->arg[2]; i++)
		if (step_value(h->f, ex[1 + 2 * i]) == v) {
			taken = ex[2 + 2 * i];
			break;
		}
	if (t.id) {
		uint32_t bits = ir_type_bits(h->in->type2);
		term_t any = term_bool(ts, false);

		/* any: one of the cases of the taken edge; cond: no case of another edge */
		for (uint32_t i = 0; i < h->in->arg[2]; i++) {
			term_t c = term_eq(
				ts, t, term_const(ts, bits, step_value(h->f, ex[1 + 2 * i])));

			if (ex[2 + 2 * i] == taken)
				any = term_or(ts, any, c);
			else
				cond = term_and(ts, cond, term_not(ts, c));
		}
		decided_value(h, others_fail(h, taken) ? CTP_ASSERT : CTP_BRANCH, t, v,
			taken == ex[0] ? cond : any);
	}
	take_edge(h, taken);
}

/* Makes a guard whose condition is that the value is as recorded. */
static void decided_by_equality(const struct here *h, enum ctp_kind kind, ir_ref r)
{
	term_t t = step_shadow(h->x, r);
	u128 v = step_value(h->f, r);

	if (t.id)
		decided_value(h, kind, t, v,
			term_eq(h->x->ts, t, term_const(h->x->ts, term_width(h->x->ts, t), v)));
}

static void computed_goto(const struct here *h)
{
	decided_by_equality(h, CTP_BRANCH, h->in->arg[0]);
	/* fixes the copies of all edges, because the taken edge is not determined */
	for (uint32_t i = 0; i < h->in->arg[2]; i++) {
		const struct ir_edge *e = &h->fn->edges.at[h->fn->extra.at[h->in->arg[1] + i]];

		for (uint32_t k = 0; k < e->ncopies; k++)
			fix_operand(h, h->fn->extra.at[e->copies + 2 * k + 1]);
		for (uint32_t k = 0; k < e->ncopies; k++)
			step_set(h->x, h->fn->extra.at[e->copies + 2 * k], TERM_NONE);
	}
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint32_t call_target(const struct here *h)
{
	ir_ref r = h->in->arg[0];

	if (ir_callee(h->fn, h->in) != IR_NONE)
		return ir_callee(h->fn, h->in);
	decided_by_equality(h, CTP_CALL, r);
	return follow_func_at(trace_snapshot(h->x->t), (uint64_t)step_value(h->f, r));
}

static void call_outside(const struct here *h, uint32_t callee, uint16_t traits)
{
	struct extractor *x = h->x;
	const uint32_t *ex = h->fn->extra.at + h->in->arg[1];
	uint8_t how = x->pl->funcs[h->func].insn[h->insn].call;

	x->tr->prints = (traits & FUNC_PRINTS) && extract_unused(x, h->func, h->in) &&
			!hidden_sends(x);
	if (traits & FUNC_EXITS) {
		x->results.at[x->tr->thread].term = step_shadow(x, ex[0]);
		x->results.at[x->tr->thread].own = step_value(h->f, ex[0]);
	} else if (!x->tr->prints && !(traits & FUNC_TELLS)) {
		for (uint32_t i = 0; i < h->in->arg[2]; i++)
			if (!(traits & FUNC_FREES) || i)
				fix_operand(h, ex[2 * i]);
	}
	if (!(traits & FUNC_SYNC) && (how == CALL_UNKNOWN || how == CALL_INDIRECT))
		modelled_call(x, h->func, h->insn,
			callee < x->p->funcs.n ? ir_func_name(x->p, callee)
					       : "an unknown function");
	modelled_effects(x, h->func, h->insn, traits);
	hidden_call(x, h->f, h->func, h->insn);
	x->tr->versioned = traits & FUNC_VERSION;
	if (traits & FUNC_FAILS)
		extract_event(x, CTP_FAIL, h->f, h->func, h->insn);
	clear_results(x, h->in);
}

static void step_call(const struct here *h)
{
	struct extractor *x = h->x;
	struct tracer *tr = x->tr;
	const uint32_t *ex = h->fn->extra.at + h->in->arg[1];
	uint32_t callee = call_target(h);

	shadow_top(&tr->frames)->call = h->insn;
	tr->callee = callee;
	tr->prints = false;
	tr->joined = tr->value_event = CTP_NONE;
	tr->into_program = callee < x->p->funcs.n && x->pl->funcs[callee].traced;
	vec_clear(&tr->args);
	vec_clear(&tr->arg_vals);
	vec_clear(&tr->rets);
	for (uint32_t i = 0; i < h->in->arg[2]; i++) {
		vec_push(&tr->args, step_shadow(x, ex[2 * i]));
		vec_push(&tr->arg_vals, step_value(h->f, ex[2 * i]));
		if (tr->into_program && (i >= x->p->funcs.at[callee].nparams || ex[2 * i + 1]))
			fix_operand(h, ex[2 * i]);
	}
	if (!tr->into_program)
		call_outside(h, callee, callee < x->p->funcs.n ? x->traits[callee] : 0);
}

/* The result of main() is the exit status of the process, as the argument of exit() is. */
static void fix_status(const struct here *h, ir_ref result)
{
	struct terms *ts = h->x->ts;
	term_t t = step_shadow(h->x, result);

	if (t.id)
		extract_fix(h->x, h->f, h->func, h->insn,
			term_width(ts, t) > 8 ? term_trunc(ts, t, 8) : t,
			step_value(h->f, result) & 0xff);
}

static void step_ret(const struct here *h)
{
	struct tracer *tr = h->x->tr;
	const uint32_t *ex = h->fn->extra.at + h->in->arg[1];

	vec_clear(&tr->rets);
	for (uint32_t i = 0; i < h->in->arg[2]; i++) {
		vec_push(&tr->rets, step_shadow(h->x, ex[i]));
		if (shadow_top(&tr->frames)->entered && tr->frames.at.n > 1)
			fix_operand(h, ex[i]);
	}
	/* the start function of a thread: its result goes to the thread that joins it */
	if (tr->frames.at.n == 1 && tr->rets.n) {
		h->x->results.at[tr->thread].term = tr->rets.at[0];
		h->x->results.at[tr->thread].own = step_value(h->f, ex[0]);
	}
	if (tr->frames.at.n == 1 && tr->rets.n && !tr->thread)
		fix_status(h, ex[0]);
}

static term_t fit_width(struct terms *ts, term_t t, uint32_t bits)
{
	if (!t.id)
		return t;
	return term_width(ts, t) > bits ? term_trunc(ts, t, bits) : term_zext(ts, t, bits);
}

static void enter_byval(struct extractor *x, struct follow *f, uint32_t i, uint64_t size)
{
	struct tracer *tr = x->tr;
	uint64_t to = (uint64_t)step_value(f, i), from = (uint64_t)tr->arg_vals.at[i];

	if (cells_maybe(&x->cells, from, size))
		extract_limit(x, "structures passed by value are assumed as recorded");
	shadow_clear(&tr->mem, to, size);
	if (shadow_any(&tr->mem, from, size))
		for (uint64_t k = 0; k < size; k++)
			shadow_put(&tr->mem, to + k, shadow_get(&tr->mem, from + k));
}

void step_enter(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	const struct ir_func *fn = &x->p->funcs.at[e->callee];

	shadow_push(&tr->frames, e->callee, fn->regs.n);
	shadow_top(&tr->frames)->entered = !tr->into_program;
	for (uint32_t i = 0; tr->into_program && i < fn->nparams && i < tr->args.n; i++) {
		if (fn->params[i].byval)
			enter_byval(x, f, i, fn->params[i].byval);
		else
			step_set(x, i,
				fit_width(x->ts, tr->args.at[i], ir_type_bits(fn->params[i].type)));
	}
	tr->into_program = false;
}

void step_local(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	uint32_t gen = generation_of_local(&x->sync->g, tr->stream, tr->touched->locals.serial);
	uint32_t block = gen ? extract_block_of(x, gen) : CTP_NONE;

	shadow_clear(&tr->mem, e->addr, e->size);
	if (block != CTP_NONE)
		vec_push(&tr->own, (struct own_variable){follow_stack(f, NULL, 0), block});
}

/* The variables of the function that returns are gone. */
static void leave_variables(struct extractor *x, struct follow *f)
{
	struct tracer *tr = x->tr;
	uint32_t depth = follow_stack(f, NULL, 0);

	while (tr->own.n && vec_last(&tr->own).depth >= depth) {
		uint32_t block = vec_pop(&tr->own).block;
		struct ctp_event *ev;

		if (!tr->on || tr->cut)
			continue;
		ev = extract_event(x, CTP_FREE, f, tr->func, tr->insn);
		ev->flags |= CTP_RETURN;
		ev->block = block;
		ev->at = x->c->blocks.at[block].addr;
		ev->size = x->c->blocks.at[block].size;
	}
}

void step_leave(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	const struct ir_func *fn;
	const struct ir_insn *in;
	bool entered;

	(void)e;
	leave_variables(x, f);
	if (!tr->on || tr->cut || !tr->frames.at.n)
		return;
	entered = shadow_top(&tr->frames)->entered;
	shadow_pop(&tr->frames);
	if (entered || !tr->frames.at.n)
		return;
	fn = &x->p->funcs.at[shadow_top(&tr->frames)->func];
	in = &fn->insns.at[shadow_top(&tr->frames)->call];
	for (uint32_t i = 0; in->op == IR_CALL && i < (uint32_t)in->imm; i++)
		step_set(x, in->dst + i,
			i < tr->rets.n ? fit_width(x->ts, tr->rets.at[i],
						 ir_type_bits(fn->regs.at[in->dst + i].type))
				       : TERM_NONE);
	vec_clear(&tr->rets);
}

/* ---- dispatch ------------------------------------------------------------------------------- */

/* Adjusts the frames to the call stack, which changes without an event if the extraction begins in
 * the middle of a thread, and by longjmp(). */
static void match_frames(struct extractor *x, const struct follow *f)
{
	enum { MANY = 256 };
	struct shadow_frames *s = &x->tr->frames;
	struct follow_frame at[MANY];
	uint32_t n = follow_stack(f, NULL, 0);

	while (s->at.n > n)
		shadow_pop(s);
	if (likely(s->at.n == n))
		return;
	follow_stack(f, at, MANY);
	while (s->at.n < n) {
		uint32_t k = n - 1 - s->at.n;
		bool first = !s->at.n;
		struct follow_frame fr = at[MIN(k, (uint32_t)MANY - 1)];

		shadow_push(s, fr.func, x->p->funcs.at[fr.func].regs.n);
		shadow_top(s)->call = fr.insn;
		shadow_top(s)->entered = first;
	}
}

/* Drops the shadow of the last load if the value from the log differs from the shadow's value: code
 * outside of the model wrote the memory. */
static void settle_doubt(struct extractor *x, const struct follow *f)
{
	struct tracer *tr = x->tr;

	if (tr->doubt_reg == IR_NONE)
		return;
	if (step_value(f, tr->doubt_reg) != tr->doubt_value)
		step_set(x, tr->doubt_reg, TERM_NONE);
	tr->doubt_reg = IR_NONE;
}

/* An instruction that is not translated: its results are those of the recorded run, for the same
 * operands. */
static void step_opaque(const struct here *h)
{
	bool intrinsic = opaque_is_intrinsic(h->x->p, h->in);

	if (opaque_accesses_memory(h->x->p, h->fn, h->in))
		extract_limit(h->x, "memory that %s'%s' accesses is assumed as recorded",
			intrinsic ? "" : "inline assembler ", ir_str(h->x->p, h->in->arg[0]));
	for (uint32_t i = 0; i < h->in->arg[2]; i++)
		fix_operand(h, h->fn->extra.at[h->in->arg[1] + i]);
	clear_results(h->x, h->in);
}

static void dispatch_insn(const struct here *h)
{
	const struct ir_insn *in = h->in;

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
	case IR_S_OVF: step_pure(h); break;
	case IR_S_PADD: step_padd(h); break;
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_CAS: step_access(h); break;
	case IR_S_BULK: data_bulk_begins(h->x, h->f, h->func, h->insn); break;
	case IR_S_VA:
		if (in->op != IR_VA_END)
			shadow_clear(&h->x->tr->mem, (uint64_t)step_value(h->f, in->arg[0]), 24);
		break;
	case IR_S_CALL: step_call(h); break;
	case IR_S_ASM: step_opaque(h); break;
	case IR_S_BR: take_edge(h, in->arg[0]); break;
	case IR_S_CBR: step_branch(h); break;
	case IR_S_SWITCH: step_switch(h); break;
	case IR_S_IBR: computed_goto(h); break;
	case IR_S_RET: step_ret(h); break;
	case IR_S_ALLOCA:
		fix_operand(h, in->arg[0]);
		clear_results(h->x, in);
		break;
	case IR_S_PTR0: clear_results(h->x, in); break;
	default: break;
	}
}

/* A call before the first thread: makes no event, but the objects that it opens are noted. */
static void note_early_call(const struct here *h)
{
	struct tracer *tr = h->x->tr;
	const uint32_t *ex = h->fn->extra.at + h->in->arg[1];
	uint16_t traits;

	tr->callee = ir_callee(h->fn, h->in);
	if (tr->callee >= h->x->p->funcs.n)
		return;
	traits = h->x->traits[tr->callee] & (FUNC_MAPS | FUNC_ALARMS);
	if (!traits && !h->x->hidden[tr->callee])
		return;
	vec_clear(&tr->arg_vals);
	for (uint32_t i = 0; i < h->in->arg[2]; i++)
		vec_push(&tr->arg_vals, step_value(h->f, ex[2 * i]));
	modelled_effects(h->x, h->func, h->insn, traits);
	hidden_call(h->x, h->f, h->func, h->insn);
}

void step_insn_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn)
{
	struct tracer *tr = x->tr;
	const struct ir_func *fn = &x->p->funcs.at[func];
	struct here h = {x, f, fn, &fn->insns.at[insn], func, insn};

	tr->insns++;
	tr->at = tr->points;
	tr->func = func;
	tr->insn = insn;
	tr->blocked = LOG_NSYNC;
	tr->touched->func = func;
	tr->touched->insn = insn;
	if (tr->on && !tr->cut) {
		match_frames(x, f);
		settle_doubt(x, f);
		dispatch_insn(&h);
	}
	if (!tr->on && h.in->op == IR_CALL)
		note_early_call(&h);
	if (x->pl->funcs[func].insn[insn].flags & PLAN_F_EVENT)
		tr->points++;
}
