/* Values that only count: they decide nothing and are not stored where others can see them. */
#include "facts/spin_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"

struct flow {
	struct spins *s;
	const struct spin_func *sf;
	const struct ir_func *fn;
	uint32_t func;
	struct bitset from; /* registers, and variables by the register of the alloca */
	bool tainted; /* the instruction at hand uses one of them */
	bool more, other;
};

static void check_use(void *ctx, ir_ref r)
{
	struct flow *f = ctx;

	f->tainted |= r != IR_NONE && ir_is_reg(r) && bitset_has(&f->from, r);
}

static void taint_register(struct flow *f, uint32_t reg)
{
	f->more |= bitset_add(&f->from, reg);
}

static bool is_variable(const struct flow *f, ir_ref r)
{
	return ir_is_reg(r) && f->sf->local[r] == SPIN_SCALAR;
}

/* Follows the values through one instruction. Address arithmetic, branches, returns and all other
 * instructions are uses that matter. */
static void follow_insn(struct flow *f, const struct ir_insn *in)
{
	f->tainted = false;
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
		check_use(f, in->arg[0]);
		if (f->tainted && is_variable(f, in->arg[0]))
			taint_register(f, in->dst);
		else
			f->other |= f->tainted;
		return;
	case IR_S_STORE:
		f->other |= !is_variable(f, in->arg[0]) && ir_is_reg(in->arg[0]) &&
			    bitset_has(&f->from, in->arg[0]);
		check_use(f, in->arg[1]);
		if (f->tainted && is_variable(f, in->arg[0]))
			taint_register(f, in->arg[0]);
		else
			f->other |= f->tainted;
		return;
	case IR_S_LIFE: return;
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_CONV:
	case IR_S_SELECT:
		ir_insn_each_use(f->fn, in, check_use, f);
		if (f->tainted)
			taint_register(f, in->dst);
		f->other |= f->tainted && (in->op == IR_SDIV || in->op == IR_UDIV ||
						  in->op == IR_SREM || in->op == IR_UREM);
		return;
	case IR_S_CALL:
		ir_insn_each_use(f->fn, in, check_use, f);
		f->other |= f->tainted && !spin_passes_time(f->s, f->func, in);
		return;
	default:
		ir_insn_each_use(f->fn, in, check_use, f);
		f->other |= f->tainted;
		return;
	}
}

static void follow_copies(struct flow *f)
{
	vec_each (&f->fn->edges, i)
		for (uint32_t k = 0; k < f->fn->edges.at[i].ncopies; k++) {
			const uint32_t *pair = f->fn->extra.at + f->fn->edges.at[i].copies + 2 * k;

			if (ir_is_reg(pair[1]) && bitset_has(&f->from, pair[1]))
				taint_register(f, pair[0]);
		}
}

bool spin_only_counts(struct spins *s, uint32_t func, uint32_t reg)
{
	struct flow f = {
		.s = s, .sf = spin_func(s, func), .fn = &s->p->funcs.at[func], .func = func, .more = true};

	bitset_add(&f.from, reg);
	while (f.more && !f.other) {
		f.more = false;
		vec_each (&f.fn->insns, i)
			follow_insn(&f, &f.fn->insns.at[i]);
		follow_copies(&f);
	}
	bitset_release(&f.from);
	return !f.other;
}
