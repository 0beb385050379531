#include "ir/validate_internal.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/dom.h"
#include "ir/words.h"

#include <string.h>

/*
 * Validation of one function in passes, each of which relies on the earlier ones: the tables, the
 * layout of blocks, the ids and the types of every instruction, the definitions, the uses.
 */
struct func_check {
	struct checker *c;
	const struct ir_func *f;
	struct cfg cfg;
	struct dom dom;
	/* by register: the block that defines it (BLK_NONE: none), and the index of the first
	 * instruction of that block that may use it */
	uint32_t *def_block, *def_from;
	uint32_t *stamp;      /* by register: the last edge that copied into it, plus one */
	uint32_t *first_edge; /* by block: the first edge into it, plus one */
	uint32_t use_block, use_at;
	int rc;
};

static bool is_int(ir_type t)
{
	return t >= 1 && t < IR_PTR;
}

/* is it a type that floating-point operations take? */
static bool is_float(ir_type t)
{
	return t >= IR_F32 && t <= IR_F80;
}

static bool is_value(ir_type t)
{
	return t != IR_VOID && t < IR_NTYPES;
}

static int fail_type(struct checker *c, const char *what, ir_type is, ir_type wanted)
{
	return check_fail(c, "%s is %s, not %s", what, ir_type_name(is), ir_type_name(wanted));
}

/* ---- tables and layout ------------------------------------------------------------------- */

static int check_head(struct checker *c, const struct ir_func *f)
{
	uint32_t known = IR_FN_EXTERN | IR_FN_VARARG;

	for (size_t i = 0; i < ARRAY_SIZE(ir_func_words); i++)
		known |= ir_func_words[i].bit;
	CHECK(c, check_str(c, f->name), "function %u: no string %u", c->func, f->name);
	CHECK(c, f->pos < c->p->positions.n, "no position !%u", f->pos);
	CHECK(c, check_str(c, f->abi) && check_str(c, f->attrs) && check_str(c, f->section),
		"no string for its signature, attributes or section");
	CHECK(c, !(f->flags & ~known), "unknown flags 0x%x", f->flags);
	for (uint32_t i = 0; i < f->nret; i++)
		CHECK(c, is_value(f->ret[i]), "result %u is %s", i, ir_type_name(f->ret[i]));
	for (uint32_t i = 0; i < f->nparams; i++) {
		CHECK(c, is_value(f->params[i].type), "parameter %u is %s", i,
			ir_type_name(f->params[i].type));
		CHECK(c, !f->params[i].byval || f->params[i].type == IR_PTR,
			"parameter %u is byval but no pointer", i);
	}
	if (f->flags & IR_FN_EXTERN)
		CHECK(c, !f->blocks.n && !f->insns.n, "extern function with a body");
	else
		CHECK(c, f->blocks.n, "function without blocks");
	return 0;
}

static int check_tables(struct checker *c, const struct ir_func *f)
{
	const struct ir_program *p = c->p;

	CHECK(c, f->regs.n >= f->nparams && f->regs.n < IR_CONST_BIT,
		"%u registers for %u parameters", f->regs.n, f->nparams);
	vec_each (&f->regs, i) {
		const struct ir_reg *r = &f->regs.at[i];

		CHECK(c, r->type < IR_NTYPES && check_str(c, r->name) && r->dtype < p->dtypes.n,
			"register %u: bad type, name or source type", i);
		if (i < f->nparams && r->type != f->params[i].type)
			return fail_type(c, "register of a parameter", r->type, f->params[i].type);
	}
	vec_each (&f->locals, i) {
		const struct ir_local *l = &f->locals.at[i];

		CHECK(c, check_str(c, l->name) && l->dtype < p->dtypes.n && l->pos < p->positions.n,
			"local l%u: bad name, source type or position", i);
		CHECK(c, !(l->align & (l->align - 1)), "local l%u: alignment %u", i, l->align);
	}
	return 0;
}

static int check_consts(struct checker *c, const struct ir_func *f)
{
	vec_each (&f->consts, i) {
		const struct ir_const *k = &f->consts.at[i];
		uint32_t bits;

		CHECK(c, is_value(k->type), "constant %u is %s", i, ir_type_name(k->type));
		if (k->kind == IR_C_UNDEF)
			continue;
		if (k->kind != IR_C_BITS) {
			CHECK(c, k->type == IR_PTR, "constant %u: address of type %s", i,
				ir_type_name(k->type));
			if (check_address(c, k->kind, k->id, (int64_t)k->lo))
				return -1;
			continue;
		}
		bits = ir_type_bits(k->type);
		CHECK(c, bits > 64 ? bits == 128 || !(k->hi >> (bits - 64))
				   : !k->hi && (bits == 64 || !(k->lo >> bits)),
			"constant %u: bits past the width of %s", i, ir_type_name(k->type));
	}
	return 0;
}

static int check_notes(struct checker *c, const struct ir_func *f)
{
	uint64_t next = 0;

	vec_each (&f->notes, i) {
		const struct ir_note *n = &f->notes.at[i];

		CHECK(c, n->insn >= next && n->insn < f->insns.n,
			"note on instruction %u out of order or out of range", n->insn);
		CHECK(c, check_str(c, n->abi) && check_str(c, n->constraints) &&
				check_str(c, n->inexact),
			"note on instruction %u: no string", n->insn);
		CHECK(c, !ir_op_is_terminator(f->insns.at[n->insn].op),
			"note on instruction %u, a terminator", n->insn);
		next = n->insn + 1ull;
	}
	return 0;
}

static int check_layout(struct checker *c, const struct ir_func *f)
{
	uint64_t next = 0;

	vec_each (&f->blocks, b) {
		const struct ir_block *blk = &f->blocks.at[b];

		CHECK(c, blk->n, "b%u is empty: a block has at least its terminator", b);
		CHECK(c, blk->first == next && blk->n <= f->insns.n - blk->first,
			"b%u: instructions [%u, +%u) out of order or out of range", b, blk->first,
			blk->n);
		next += blk->n;
	}
	CHECK(c, next == f->insns.n, "instructions after the last block");
	vec_each (&f->blocks, b) {
		const struct ir_block *blk = &f->blocks.at[b];

		for (c->insn = blk->first; c->insn < next && c->insn < blk->first + blk->n;
			c->insn++) {
			CHECK(c, f->insns.at[c->insn].op < IR_NOPS, "unknown operation %u",
				f->insns.at[c->insn].op);
			CHECK(c, ir_op_is_terminator(f->insns.at[c->insn].op) ==
					(c->insn == blk->first + blk->n - 1),
				"a block has one terminator, at its end");
		}
	}
	c->insn = IR_NONE;
	return 0;
}

/* ---- ids --------------------------------------------------------------------------------- */

static bool ref_in_range(const struct ir_func *f, ir_ref r)
{
	return ir_is_reg(r) ? r < f->regs.n
			    : r != IR_NONE && (r & ~IR_CONST_BIT) < f->consts.n;
}

static void use_in_range(void *ctx, ir_ref r)
{
	struct func_check *k = ctx;

	if (!k->rc && !ref_in_range(k->f, r))
		k->rc = check_fail(k->c, "no operand %s %u", ir_is_reg(r) ? "register" : "constant",
			r & ~IR_CONST_BIT);
}

/* the number of words of extra[] that the instruction has */
static uint64_t extra_words(const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_CALL: return 2ull * in->arg[2];
	case IR_S_SWITCH: return 1 + 2ull * in->arg[2];
	case IR_S_ASM:
	case IR_S_IBR:
	case IR_S_RET: return in->arg[2];
	default: return 0;
	}
}

/* the number of operands in arg[0 ..] that must be present */
static unsigned operands_needed(const struct ir_insn *in)
{
	unsigned n = 0;

	if (in->op == IR_PADD || in->op == IR_VA_START || in->op == IR_VA_END)
		return 1;
	while (n < 3 && ir_insn_arg_type(in, n))
		n++;
	return n;
}

static int check_results(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;
	bool free_count = s == IR_S_CALL || s == IR_S_ASM;
	bool none = s == IR_S_STORE || s == IR_S_FENCE || s == IR_S_BULK || s == IR_S_VA ||
		s == IR_S_PTR1 || s == IR_S_LIFE || s == IR_S_STOP || s == IR_S_NONE ||
		ir_op_is_terminator(in->op);

	if (free_count)
		CHECK(c, in->imm >= 0 && in->imm < UINT32_MAX, "%ld results", in->imm);
	if (none || (free_count && !in->imm)) {
		CHECK(c, in->dst == IR_NONE && in->type == IR_VOID, "a result where there is none");
		return 0;
	}
	CHECK(c, in->dst < f->regs.n && ir_insn_ndst(in) <= f->regs.n - in->dst,
		"no result register %u", in->dst);
	return 0;
}

static int check_edge_ids(struct func_check *k, const struct ir_insn *in, uint8_t *used)
{
	const struct ir_func *f = k->f;
	struct checker *c = k->c;

	for (uint32_t i = 0, n = ir_insn_nedges(in); i < n; i++) {
		uint32_t id = ir_insn_edge(f, in, i);
		const struct ir_edge *e;

		CHECK(c, id < f->edges.n, "no edge %u", id);
		CHECK(c, !used[id], "edge %u leaves two places", id);
		used[id] = 1;
		e = &f->edges.at[id];
		CHECK(c, e->to && e->to < f->blocks.n, "edge to block %u", e->to);
		CHECK(c, (uint64_t)e->copies + 2ull * e->ncopies <= f->extra.n,
			"copies out of range");
		for (uint32_t j = 0; j < e->ncopies; j++) {
			uint32_t dst = f->extra.at[e->copies + 2 * j];

			CHECK(c, dst < f->regs.n, "copy into register %u", dst);
			CHECK(c, ref_in_range(f, f->extra.at[e->copies + 2 * j + 1]),
				"copy into register %u: no such source", dst);
		}
	}
	return 0;
}

static int check_ids(struct func_check *k, const struct ir_insn *in, uint8_t *used)
{
	const struct ir_func *f = k->f;
	struct checker *c = k->c;
	enum ir_shape s = ir_ops[in->op].shape;
	uint64_t words = extra_words(in);

	CHECK(c, in->pos < c->p->positions.n, "no position !%u", in->pos);
	CHECK(c, in->type < IR_NTYPES && in->type2 < IR_NTYPES, "unknown type");
	CHECK(c, !words || in->arg[1] + words <= f->extra.n, "operand list out of range");
	for (unsigned i = 0, n = operands_needed(in); i < n; i++)
		CHECK(c, in->arg[i] != IR_NONE, "operand %u is missing", i + 1);
	ir_insn_each_use(f, in, use_in_range, k);
	if (k->rc || check_results(c, f, in) || check_edge_ids(k, in, used))
		return -1;
	if (s == IR_S_ALLOCA)
		CHECK(c, in->imm >= 0 && in->imm < f->locals.n, "no local l%ld", in->imm);
	if (s == IR_S_ASM)
		CHECK(c, check_str(c, in->arg[0]), "no string %u", in->arg[0]);
	if (s == IR_S_STOP)
		CHECK(c, in->imm >= 0 && in->imm < c->p->strs.n, "no string %ld", in->imm);
	if (s == IR_S_SWITCH)
		for (uint32_t i = 0; i < in->arg[2]; i++)
			CHECK(c, ref_in_range(f, f->extra.at[in->arg[1] + 1 + 2 * i]),
				"case %u: no such constant", i);
	return 0;
}

/* ---- types ------------------------------------------------------------------------------- */

static bool conversion_fits(const struct ir_insn *in)
{
	ir_type to = in->type, from = in->type2;

	switch (in->op) {
	case IR_TRUNC: return is_int(to) && is_int(from) && to < from;
	case IR_ZEXT:
	case IR_SEXT: return is_int(to) && is_int(from) && to > from;
	case IR_FPTRUNC: return is_float(to) && is_float(from) && to < from;
	case IR_FPEXT: return is_float(to) && is_float(from) && to > from;
	case IR_FPTOUI:
	case IR_FPTOSI: return is_int(to) && is_float(from);
	case IR_UITOFP:
	case IR_SITOFP: return is_float(to) && is_int(from);
	case IR_PTRTOINT: return is_int(to) && from == IR_PTR;
	case IR_INTTOPTR: return to == IR_PTR && is_int(from);
	default: return is_value(to) && is_value(from) && ir_type_bits(to) == ir_type_bits(from);
	}
}

/* is the operation defined on these types? */
static bool types_fit(const struct ir_insn *in)
{
	ir_type t = in->type, t2 = in->type2;

	switch (in->op) {
	case IR_ADD ... IR_SSUBSAT:
	case IR_CTPOP ... IR_CTTZ:
	case IR_BITREV:
	case IR_ABS:
	case IR_FSHL:
	case IR_FSHR:
	case IR_UADDO ... IR_SMULO: return is_int(t);
	case IR_BSWAP: return is_int(t) && t % 8 == 0;
	case IR_FADD ... IR_FMAX:
	case IR_FNEG ... IR_FROUNDEVEN:
	case IR_FMA: return is_float(t);
	case IR_EQ ... IR_SLE: return t == 1 && (is_int(t2) || t2 == IR_PTR);
	case IR_FOEQ ... IR_FUNE: return t == 1 && is_float(t2);
	case IR_TRUNC ... IR_INTTOPTR: return conversion_fits(in);
	case IR_ALLOCA:
	case IR_PADD:
	case IR_STACKSAVE:
	case IR_FRAMEADDR: return t == IR_PTR;
	case IR_CYCLES: return t == 64;
	case IR_RMW_ADD ... IR_RMW_UMIN: return is_int(t);
	case IR_RMW_FADD:
	case IR_RMW_FSUB: return is_float(t);
	case IR_CAS: return is_int(t) || t == IR_PTR;
	case IR_STORE: return is_value(t2);
	case IR_SWITCH: return is_int(t2);
	default: return in->dst == IR_NONE || is_value(t);
	}
}

static int check_orders(struct checker *c, const struct ir_insn *in)
{
	enum { NONE = 1 << IR_O_NONE, UNORDERED = 1 << IR_O_UNORDERED, RELAXED = 1 << IR_O_RELAXED,
		ACQUIRE = 1 << IR_O_ACQUIRE, RELEASE = 1 << IR_O_RELEASE, ACQREL = 1 << IR_O_ACQREL,
		SEQCST = 1 << IR_O_SEQCST };
	unsigned order = ir_order(in->flags), fail = in->flags >> IR_F_FAIL_SHIFT & IR_F_ORDER;
	unsigned may = NONE, may_fail = NONE;

	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: may = NONE | UNORDERED | RELAXED | ACQUIRE | SEQCST; break;
	case IR_S_STORE: may = NONE | UNORDERED | RELAXED | RELEASE | SEQCST; break;
	case IR_S_RMW: may = RELAXED | ACQUIRE | RELEASE | ACQREL | SEQCST; break;
	case IR_S_CAS:
		may = RELAXED | ACQUIRE | RELEASE | ACQREL | SEQCST;
		may_fail = RELAXED | ACQUIRE | SEQCST;
		break;
	case IR_S_FENCE:
		may = ACQUIRE | RELEASE | ACQREL | SEQCST;
		if (in->flags & IR_F_COMPILER)
			may |= NONE | RELAXED | UNORDERED;
		break;
	default: break;
	}
	CHECK(c, may >> order & 1 && may_fail >> fail & 1, "memory order not allowed here");
	return 0;
}

static int check_call(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	const uint32_t *x = in->arg[2] ? f->extra.at + in->arg[1] : NULL;
	const struct ir_const *callee;
	const struct ir_func *to;

	for (uint32_t i = 0; i < in->arg[2]; i++)
		CHECK(c, !x[2 * i + 1] || ir_ref_type(f, x[2 * i]) == IR_PTR,
			"argument %u is byval but no pointer", i + 1);
	callee = ir_is_const(in->arg[0]) ? ir_const(f, in->arg[0]) : NULL;
	if (!callee || callee->kind != IR_C_FUNC)
		return 0;
	to = &c->p->funcs.at[callee->id];
	if (!(to->flags & IR_FN_LOCAL) || to->flags & IR_FN_VARARG || to->nparams != in->arg[2])
		return 0;
	for (uint32_t i = 0; i < in->arg[2]; i++)
		if (ir_ref_type(f, x[2 * i]) != to->params[i].type)
			return 0;
	for (uint32_t i = 0; i < in->arg[2]; i++)
		CHECK(c, x[2 * i + 1] == to->params[i].byval,
			"argument %u: byval %u, but the callee has byval %lu", i + 1, x[2 * i + 1],
			to->params[i].byval);
	CHECK(c, !in->imm || !to->nret || in->imm == to->nret, "%ld results of a callee with %u",
		in->imm, to->nret);
	return 0;
}

static int check_ret(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	CHECK(c, in->arg[2] == f->nret, "%u values returned, %u declared", in->arg[2], f->nret);
	for (uint32_t i = 0; i < f->nret; i++) {
		ir_type t = ir_ref_type(f, f->extra.at[in->arg[1] + i]);

		if (t != f->ret[i])
			return fail_type(c, "returned value", t, f->ret[i]);
	}
	return 0;
}

static int check_cases(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	struct map seen = {0};
	int rc = 0;

	for (uint32_t i = 0; i < in->arg[2] && !rc; i++) {
		ir_ref r = f->extra.at[in->arg[1] + 1 + 2 * i];
		const struct ir_const *k = ir_is_const(r) ? ir_const(f, r) : NULL;
		uint64_t *slot;

		if (!k || k->kind != IR_C_BITS || k->type != in->type2) {
			rc = check_fail(c, "case %u is no constant of type %s", i + 1,
				ir_type_name(in->type2));
			break;
		}
		slot = map_put(&seen, k->lo ^ hash_u64(k->hi));
		/* different wide constants may have the same key: compare with all before */
		for (uint32_t j = *slot ? 0 : i; j < i && !rc; j++) {
			const struct ir_const *o = ir_const(f, f->extra.at[in->arg[1] + 1 + 2 * j]);

			if (o->lo == k->lo && o->hi == k->hi)
				rc = check_fail(c, "cases %u and %u are the same", j + 1, i + 1);
		}
		*slot = 1;
	}
	map_release(&seen);
	return rc;
}

static int check_result_types(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;

	if (in->dst == IR_NONE)
		return 0;
	if (f->regs.at[in->dst].type != in->type)
		return fail_type(c, "result register", f->regs.at[in->dst].type, in->type);
	if ((s == IR_S_OVF || s == IR_S_CAS) && f->regs.at[in->dst + 1].type != 1)
		return fail_type(c, "second result", f->regs.at[in->dst + 1].type, 1);
	for (uint32_t i = 0, n = ir_insn_ndst(in); i < n; i++)
		CHECK(c, is_value(f->regs.at[in->dst + i].type), "result %u is void", i + 1);
	return 0;
}

static int check_types(struct checker *c, const struct ir_func *f, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;
	char what[] = "operand 1";

	CHECK(c, types_fit(in), "no '%s' on these types", ir_ops[in->op].name);
	if (check_result_types(c, f, in) || check_orders(c, in))
		return -1;
	for (unsigned i = 0; i < 3; i++) {
		ir_type want = ir_insn_arg_type(in, i), is;

		if (!want || in->arg[i] == IR_NONE)
			continue;
		what[sizeof what - 2] = (char)('1' + i);
		is = ir_ref_type(f, in->arg[i]);
		/* the count of an alloca may have any integer type */
		if (is != want && !(s == IR_S_ALLOCA && is_int(is)))
			return fail_type(c, what, is, want);
	}
	if (s == IR_S_LOAD || s == IR_S_STORE || s == IR_S_RMW)
		CHECK(c, in->imm >= 0 && !(in->imm & (in->imm - 1)), "alignment %ld", in->imm);
	if (in->op == IR_VA_START || in->op == IR_VA_END)
		CHECK(c, in->arg[1] == IR_NONE, "a second operand");
	if (s == IR_S_LIFE)
		CHECK(c, in->imm >= -1, "size %ld", in->imm);
	switch (s) {
	case IR_S_CALL: return check_call(c, f, in);
	case IR_S_RET: return check_ret(c, f, in);
	case IR_S_SWITCH: return check_cases(c, f, in);
	default: return 0;
	}
}

/* ---- definitions and uses ---------------------------------------------------------------- */

static int define_register(struct func_check *k, uint32_t r, uint32_t block, uint32_t from)
{
	CHECK(k->c, k->def_block[r] == BLK_NONE, "register %%r%u is defined twice", r);
	k->def_block[r] = block;
	k->def_from[r] = from;
	return 0;
}

/* The first edge into a block defines the registers; the others must copy into the same ones. */
static int check_copies(struct func_check *k, uint32_t id)
{
	const struct ir_func *f = k->f;
	const struct ir_edge *e = &f->edges.at[id];
	uint32_t *first = &k->first_edge[e->to];
	struct checker *c = k->c;

	if (!*first)
		*first = id + 1;
	CHECK(c, e->ncopies == f->edges.at[*first - 1].ncopies,
		"edges into b%u copy into different registers", e->to);
	for (uint32_t i = 0; i < e->ncopies; i++) {
		uint32_t dst = f->extra.at[e->copies + 2 * i];
		ir_type t = f->regs.at[dst].type,
			from = ir_ref_type(f, f->extra.at[e->copies + 2 * i + 1]);

		CHECK(c, k->stamp[dst] != id + 1, "two copies into %%r%u on one edge", dst);
		k->stamp[dst] = id + 1;
		if (*first == id + 1) {
			CHECK(c, is_value(t), "copy into %%r%u, which is void", dst);
			if (define_register(k, dst, e->to, f->blocks.at[e->to].first))
				return -1;
		} else {
			CHECK(c, k->def_block[dst] == e->to &&
					k->def_from[dst] == f->blocks.at[e->to].first,
				"edges into b%u copy into different registers", e->to);
		}
		if (from != t)
			return fail_type(c, "source of a copy", from, t);
	}
	return 0;
}

static int check_definitions(struct func_check *k)
{
	const struct ir_func *f = k->f;
	struct checker *c = k->c;

	for (uint32_t i = 0; i < f->nparams; i++)
		if (define_register(k, i, 0, 0))
			return -1;
	vec_each (&f->blocks, b) {
		const struct ir_block *blk = &f->blocks.at[b];
		const struct ir_insn *t = ir_terminator(f, b);

		for (c->insn = blk->first; c->insn < blk->first + blk->n; c->insn++) {
			const struct ir_insn *in = &f->insns.at[c->insn];

			for (uint32_t i = 0, n = in->dst == IR_NONE ? 0 : ir_insn_ndst(in); i < n;
				i++)
				if (define_register(k, in->dst + i, b, c->insn + 1))
					return -1;
		}
		c->insn = blk->first + blk->n - 1;
		for (uint32_t i = 0, n = ir_insn_nedges(t); i < n; i++)
			if (check_copies(k, ir_insn_edge(f, t, i)))
				return -1;
	}
	c->insn = IR_NONE;
	return 0;
}

static void check_use(void *ctx, ir_ref r)
{
	struct func_check *k = ctx;
	uint32_t def;

	if (k->rc || !ir_is_reg(r))
		return;
	def = k->def_block[r];
	if (def == BLK_NONE)
		k->rc = check_fail(k->c, "register %%r%u has no definition", r);
	else if (!cfg_reachable(&k->cfg, k->use_block))
		return;
	else if (def == k->use_block ? k->def_from[r] > k->use_at
				     : !dominates(&k->dom, def, k->use_block))
		k->rc = check_fail(k->c, "register %%r%u is not defined on every path to here", r);
}

static int check_uses(struct func_check *k)
{
	const struct ir_func *f = k->f;
	struct checker *c = k->c;

	vec_each (&f->blocks, b) {
		const struct ir_block *blk = &f->blocks.at[b];
		const struct ir_insn *t = ir_terminator(f, b);

		k->use_block = b;
		for (c->insn = blk->first; c->insn < blk->first + blk->n; c->insn++) {
			k->use_at = c->insn;
			ir_insn_each_use(f, &f->insns.at[c->insn], check_use, k);
			if (k->rc)
				return -1;
		}
		c->insn = k->use_at;
		for (uint32_t i = 0, n = ir_insn_nedges(t); i < n; i++) {
			const struct ir_edge *e = &f->edges.at[ir_insn_edge(f, t, i)];

			for (uint32_t j = 0; j < e->ncopies && !k->rc; j++)
				check_use(k, f->extra.at[e->copies + 2 * j + 1]);
		}
		if (k->rc)
			return -1;
	}
	c->insn = IR_NONE;
	return 0;
}

/* ---- the passes -------------------------------------------------------------------------- */

static int check_instructions(struct func_check *k)
{
	const struct ir_func *f = k->f;
	struct checker *c = k->c;
	uint8_t *used = xcalloc(f->edges.n + 1, 1);
	int rc = 0;

	for (c->insn = 0; c->insn < f->insns.n && !rc; c->insn++) {
		c->in_range = false;
		rc = check_ids(k, &f->insns.at[c->insn], used);
		c->in_range = !rc;
		if (!rc)
			rc = check_types(c, f, &f->insns.at[c->insn]);
	}
	free(used);
	c->insn = IR_NONE;
	return rc;
}

static int check_data_flow(struct func_check *k)
{
	const struct ir_func *f = k->f;
	int rc;

	k->def_block = xmalloc((f->regs.n + 1) * sizeof *k->def_block);
	memset(k->def_block, 0xff, f->regs.n * sizeof *k->def_block);
	k->def_from = xcalloc(f->regs.n + 1, sizeof *k->def_from);
	k->stamp = xcalloc(f->regs.n + 1, sizeof *k->stamp);
	k->first_edge = xcalloc(f->blocks.n + 1, sizeof *k->first_edge);
	rc = check_definitions(k);
	if (!rc) {
		cfg_init(&k->cfg, f);
		dom_init(&k->dom, &k->cfg);
		rc = check_uses(k);
		dom_release(&k->dom);
		cfg_release(&k->cfg);
	}
	free(k->def_block);
	free(k->def_from);
	free(k->stamp);
	free(k->first_edge);
	return rc;
}

int check_func(struct checker *c, uint32_t func)
{
	const struct ir_func *f = &c->p->funcs.at[func];
	struct func_check k = {.c = c, .f = f};
	int rc;

	c->func = func;
	c->insn = IR_NONE;
	c->in_range = false;
	rc = check_head(c, f);
	if (!rc && !(f->flags & IR_FN_EXTERN))
		rc = check_tables(c, f) || check_consts(c, f) || check_layout(c, f) ||
				check_notes(c, f) || check_instructions(&k) || check_data_flow(&k)
			? -1
			: 0;
	c->func = IR_NONE;
	return rc;
}
