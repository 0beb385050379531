#include "facts/plan_private.h"

#include "base/base.h"
#include "base/vec.h"
#include "facts/defs.h"

#include <stdlib.h>

struct origin { /* of a register: it points to offset `at` of the variable of an alloca */
	uint32_t insn; /* the alloca; IR_NONE: the register does not point into a variable */
	int64_t at;
};

struct search {
	const struct ir_func *f;
	uint32_t *def;     /* by register: the alloca or padd that defines it, or IR_NONE */
	struct origin *of; /* by register */
	struct bitset known; /* registers whose `of` is computed */
	uint64_t *size;    /* by instruction: bytes of the variable of an alloca */
	bool *told;        /* by instruction: the variable of the alloca is not private */
};

/* ---- origins of addresses -------------------------------------------------------------------- */

static bool variable_size(const struct search *s, const struct ir_insn *in, uint64_t *size)
{
	int64_t count;

	return defs_constant(s->f, in->arg[0], &count) && count > 0 &&
	       !__builtin_mul_overflow(s->f->locals.at[in->imm].size, (uint64_t)count, size);
}

/* the register to which this one adds a constant, or IR_NONE */
static ir_ref step_back(const struct search *s, uint32_t reg, int64_t *bytes)
{
	const struct ir_insn *in;
	ir_ref base;

	if (s->def[reg] == IR_NONE)
		return IR_NONE;
	in = &s->f->insns.at[s->def[reg]];
	if (in->op != IR_PADD || !defs_adds_constant(s->f, in, &base, bytes) || !ir_is_reg(base))
		return IR_NONE;
	return base;
}

static struct origin origin_of(struct search *s, uint32_t reg)
{
	struct origin none = {IR_NONE, 0}, o;
	uint32_t r = reg, insn;
	int64_t sum = 0, bytes;
	ir_ref base;

	for (uint32_t n = 0; !bitset_has(&s->known, r); n++) {
		if ((base = step_back(s, r, &bytes)) == IR_NONE)
			break;
		/* more steps than registers: a cycle, which unreachable code may have */
		if (n == s->f->regs.n || __builtin_add_overflow(sum, bytes, &sum))
			return none;
		r = base;
	}
	insn = s->def[r];
	if (bitset_has(&s->known, r))
		o = s->of[r];
	else if (insn != IR_NONE && s->f->insns.at[insn].op == IR_ALLOCA &&
		variable_size(s, &s->f->insns.at[insn], &s->size[insn]))
		o = (struct origin){insn, 0};
	else
		o = none;
	if (o.insn != IR_NONE && __builtin_add_overflow(o.at, sum, &o.at))
		o = none;
	return o;
}

static void find_origins(struct search *s)
{
	const struct ir_func *f = s->f;

	vec_each (&f->regs, r) {
		s->def[r] = IR_NONE;
		s->of[r].insn = IR_NONE;
	}
	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_ALLOCA || f->insns.at[i].op == IR_PADD)
			s->def[f->insns.at[i].dst] = i;
	vec_each (&f->regs, r)
		if (s->def[r] != IR_NONE) {
			s->of[r] = origin_of(s, r);
			bitset_add(&s->known, r);
		}
}

/* ---- uses of addresses ----------------------------------------------------------------------- */

static void mark_told(void *ctx, ir_ref r)
{
	struct search *s = ctx;

	if (r != IR_NONE && ir_is_reg(r) && s->of[r].insn != IR_NONE)
		s->told[s->of[r].insn] = true;
}

/* an access to n bytes at the operand: they must be inside the variable */
static void check_use(struct search *s, ir_ref r, uint64_t n)
{
	uint64_t size;
	struct origin o;

	if (!ir_is_reg(r) || s->of[r].insn == IR_NONE)
		return;
	o = s->of[r];
	size = s->size[o.insn];
	if (o.at < 0 || n > size || (uint64_t)o.at > size - n)
		s->told[o.insn] = true;
}

static void use_block(struct search *s, const struct ir_insn *in)
{
	int64_t n;

	if (!defs_constant(s->f, in->arg[2], &n) || n < 0) {
		ir_insn_each_use(s->f, in, mark_told, s);
		return;
	}
	check_use(s, in->arg[0], (uint64_t)n);
	if (in->op != IR_MEMSET)
		check_use(s, in->arg[1], (uint64_t)n);
}

static void look_at(struct search *s, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_PADD:
		if (s->of[in->dst].insn == IR_NONE)
			ir_insn_each_use(s->f, in, mark_told, s);
		break;
	case IR_S_LOAD: check_use(s, in->arg[0], ir_type_bytes(in->type)); break;
	case IR_S_STORE:
		mark_told(s, in->arg[1]);
		check_use(s, in->arg[0], ir_type_bytes(in->type2));
		break;
	case IR_S_BULK: use_block(s, in); break;
	case IR_S_LIFE: break;
	default: ir_insn_each_use(s->f, in, mark_told, s);
	}
}

static void find_uses(struct search *s)
{
	const struct ir_func *f = s->f;

	vec_each (&f->insns, i)
		look_at(s, &f->insns.at[i]);
	vec_each (&f->edges, e)
		for (uint32_t k = 0; k < f->edges.at[e].ncopies; k++)
			mark_told(s, f->extra.at[f->edges.at[e].copies + 2 * k + 1]);
}

void plan_private_init(struct plan_private *pv, const struct ir_func *f, bool none)
{
	struct search s = {.f = f};

	*pv = (struct plan_private){0};
	if (none || !f->locals.n)
		return;
	s.def = xmalloc((f->regs.n + 1) * sizeof *s.def);
	s.of = xmalloc((f->regs.n + 1) * sizeof *s.of);
	s.size = xcalloc(f->insns.n + 1, sizeof *s.size);
	s.told = xcalloc(f->insns.n + 1, sizeof *s.told);
	find_origins(&s);
	find_uses(&s);
	vec_each (&f->regs, r)
		if (s.of[r].insn != IR_NONE && !s.told[s.of[r].insn]) {
			bitset_add(&pv->regs, r);
			bitset_add(&pv->insns, s.of[r].insn);
		}
	bitset_release(&s.known);
	free(s.def);
	free(s.of);
	free(s.size);
	free(s.told);
}

void plan_private_release(struct plan_private *pv)
{
	bitset_release(&pv->insns);
	bitset_release(&pv->regs);
}
