#include "gen_ir_internal.h"

/* ---- operands ---------------------------------------------------------------------------- */

/* any type that a register can have */
static ir_type any_type(struct gen *g)
{
	return rng_chance(&g->r, 60) ? gen_int_type(g) : (ir_type)(IR_PTR + rng_below(&g->r, 6));
}

static ir_ref any(struct gen *g, ir_type t)
{
	struct ir_program *p = g->p;
	int64_t addend = rng_chance(&g->r, 60) ? 0 : (int64_t)rng_wide(&g->r);

	if (t != IR_PTR || rng_chance(&g->r, 50))
		return gen_operand(g, t);
	switch (rng_below(&g->r, 4)) {
	case 0: return gen_address(g, IR_C_FUNC, rng_below(&g->r, p->funcs.n), 0);
	case 1: return gen_address(g, IR_C_BLOCK, g->func, 0);
	default: return gen_address(g, IR_C_GLOBAL, rng_below(&g->r, p->globals.n), addend);
	}
}

/* `n` results of these types; the first one's register */
static uint32_t results(struct gen *g, const ir_type *t, uint32_t n)
{
	uint32_t first = IR_NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = gen_reg(g, t[i]);

		vec_push(&g->pool, r);
		if (!i)
			first = r;
	}
	return first;
}

/* ---- one instruction of any operation ---------------------------------------------------- */

static ir_type type_for(struct gen *g, enum ir_op op)
{
	switch (op) {
	case IR_ADD ... IR_SSUBSAT:
	case IR_CTPOP ... IR_CTTZ:
	case IR_BITREV:
	case IR_ABS:
	case IR_FSHL:
	case IR_FSHR:
	case IR_UADDO ... IR_SMULO:
	case IR_RMW_ADD ... IR_RMW_UMIN: return gen_int_type(g);
	case IR_BSWAP: return 48;
	case IR_FADD ... IR_FMAX:
	case IR_FNEG ... IR_FROUNDEVEN:
	case IR_FMA:
	case IR_RMW_FADD:
	case IR_RMW_FSUB: return (ir_type)(IR_F32 + rng_below(&g->r, 3));
	case IR_EQ ... IR_FUNE: return 1;
	case IR_ALLOCA:
	case IR_PADD:
	case IR_STACKSAVE:
	case IR_FRAMEADDR: return IR_PTR;
	case IR_CYCLES: return 64;
	case IR_CAS: return rng_chance(&g->r, 30) ? IR_PTR : gen_int_type(g);
	default: return any_type(g);
	}
}

static void set_conversion(struct gen *g, struct ir_insn *in)
{
	ir_type i = gen_int_type(g), f = (ir_type)(IR_F32 + rng_below(&g->r, 3));

	switch (in->op) {
	case IR_TRUNC: in->type = (ir_type)(1 + rng_below(&g->r, 50)); in->type2 = 90; break;
	case IR_ZEXT:
	case IR_SEXT: in->type = 90; in->type2 = (ir_type)(1 + rng_below(&g->r, 50)); break;
	case IR_FPTRUNC: in->type = IR_F32; in->type2 = IR_F80; break;
	case IR_FPEXT: in->type = IR_F64; in->type2 = IR_F32; break;
	case IR_FPTOUI:
	case IR_FPTOSI: in->type = i; in->type2 = f; break;
	case IR_UITOFP:
	case IR_SITOFP: in->type = f; in->type2 = i; break;
	case IR_PTRTOINT: in->type = i; in->type2 = IR_PTR; break;
	case IR_INTTOPTR: in->type = IR_PTR; in->type2 = i; break;
	default: in->type = IR_F16; in->type2 = 16;
	}
}

static uint16_t flags_for(struct gen *g, enum ir_op op)
{
	static const uint16_t load[] = {
		0, 0, IR_O_UNORDERED, IR_O_RELAXED, IR_O_ACQUIRE, IR_O_SEQCST};
	static const uint16_t store[] = {
		0, 0, IR_O_UNORDERED, IR_O_RELAXED, IR_O_RELEASE, IR_O_SEQCST};
	static const uint16_t rmw[] = {
		IR_O_RELAXED, IR_O_ACQUIRE, IR_O_RELEASE, IR_O_ACQREL, IR_O_SEQCST};
	uint16_t any = (uint16_t)(rng_u64(&g->r) & rng_u64(&g->r) & ~(uint64_t)077), k;

	k = (uint16_t)rng_below(&g->r, 5);
	switch (ir_ops[op].shape) {
	case IR_S_LOAD: return any | load[k + 1];
	case IR_S_STORE: return any | store[k + 1];
	case IR_S_RMW: return any | rmw[k];
	case IR_S_CAS: return any | rmw[k] | IR_O_ACQUIRE << IR_F_FAIL_SHIFT;
	case IR_S_FENCE: return k ? rmw[k] : IR_F_COMPILER;
	default: return any;
	}
}

static void fill_list(struct gen *g, struct ir_insn *in, bool call)
{
	uint32_t n = rng_below(&g->r, 5), words[10], k = 0;
	ir_type types[3];

	for (uint32_t i = 0; i < n; i++) {
		ir_type t = any_type(g);

		words[k++] = any(g, t);
		if (call)
			words[k++] =
				t == IR_PTR && rng_chance(&g->r, 30) ? rng_below(&g->r, 100) : 0;
	}
	in->arg[1] = g->f->extra.n;
	in->arg[2] = n;
	for (uint32_t i = 0; i < k; i++)
		vec_push(&g->f->extra, words[i]);
	in->imm = rng_below(&g->r, 4);
	for (uint32_t i = 0; i < in->imm; i++)
		types[i] = any_type(g);
	in->dst = results(g, types, (uint32_t)in->imm);
	in->type = in->imm ? types[0] : IR_VOID;
}

static bool calls_local(const struct gen *g, ir_ref callee)
{
	const struct ir_const *c = ir_is_const(callee) ? ir_const(g->f, callee) : NULL;

	return c && c->kind == IR_C_FUNC && g->p->funcs.at[c->id].flags & IR_FN_LOCAL;
}

static void any_insn(struct gen *g, enum ir_op op)
{
	struct ir_insn in = {.op = (uint8_t)op, .dst = IR_NONE, .arg = {IR_NONE, IR_NONE, IR_NONE}};
	enum ir_shape s = ir_ops[op].shape;
	ir_type two[2];

	in.flags = flags_for(g, op);
	if (s == IR_S_CONV)
		set_conversion(g, &in);
	else if (s != IR_S_STORE && s != IR_S_FENCE && s != IR_S_BULK && s != IR_S_VA &&
		s != IR_S_PTR1 && s != IR_S_LIFE && s != IR_S_CALL && s != IR_S_ASM &&
		s != IR_S_STOP && s != IR_S_NONE)
		in.type = type_for(g, op);
	if (s == IR_S_CMP)
		in.type2 = op >= IR_FOEQ           ? IR_F64
			   : rng_chance(&g->r, 30) ? IR_PTR
						   : gen_int_type(g);
	if (s == IR_S_STORE)
		in.type2 = any_type(g);
	for (unsigned i = 0; i < 3 && ir_insn_arg_type(&in, i); i++)
		in.arg[i] = any(g, ir_insn_arg_type(&in, i));
	if (s == IR_S_VA && op != IR_VA_COPY)
		in.arg[1] = IR_NONE;
	if (s == IR_S_PADD) {
		in.arg[2] = (uint32_t)rng_wide(&g->r);
		in.imm = (int64_t)rng_wide(&g->r);
		if (rng_chance(&g->r, 50))
			in.imm = ~in.imm;
		if (rng_chance(&g->r, 30))
			in.arg[1] = IR_NONE;
	} else if (s == IR_S_LOAD || s == IR_S_STORE || s == IR_S_RMW) {
		in.imm = 1 << rng_below(&g->r, 5);
	} else if (s == IR_S_LIFE) {
		in.imm = (int64_t)rng_below(&g->r, 3) - 1;
	} else if (s == IR_S_ALLOCA) {
		in.imm = rng_below(&g->r, g->f->locals.n);
	} else if (s == IR_S_STOP) {
		in.imm = gen_str(g, "reason ");
	} else if (s == IR_S_CALL || s == IR_S_ASM) {
		if (s == IR_S_ASM)
			in.arg[0] = gen_str(g, "mov $0, ");
		else if (calls_local(g, in.arg[0])) /* with these arguments that would be wrong */
			in.arg[0] = gen_address(g, IR_C_GLOBAL, g->table, 0);
		fill_list(g, &in, s == IR_S_CALL);
	}
	if (s != IR_S_CALL && s != IR_S_ASM && in.type) {
		two[0] = in.type;
		two[1] = 1;
		in.dst = results(g, two, s == IR_S_OVF || s == IR_S_CAS ? 2 : 1);
	}
	gen_emit(g, in);
}

/* a block that nothing leads to */
static void dead_block(struct gen *g)
{
	uint32_t back = g->cur, pool = g->pool.n, e;

	g->cur = gen_block(g);
	any_insn(g, (enum ir_op)rng_below(&g->r, IR_BR));
	if (rng_chance(&g->r, 50)) {
		e = gen_edge(g, g->cur);
		gen_emit(g, (struct ir_insn){.op = IR_BR, .dst = IR_NONE, .arg = {e}});
	} else {
		gen_emit(g, (struct ir_insn){.op = IR_UNREACHABLE, .dst = IR_NONE});
	}
	g->cur = back;
	g->pool.n = pool;
}

/* Notes on any instructions of the program. */
void gen_exotic_notes(struct gen *g)
{
	vec_each (&g->p->funcs, k) {
		struct ir_func *f = &g->p->funcs.at[k];

		for (uint32_t i = rng_below(&g->r, 9); i < f->insns.n;
			i += 1 + rng_below(&g->r, 9)) {
			struct ir_note n = {.insn = i};

			if (ir_op_is_terminator(f->insns.at[i].op))
				continue;
			n.abi = rng_chance(&g->r, 50) ? gen_str(g, "abi") : 0;
			n.constraints = rng_chance(&g->r, 50) ? gen_str(g, "constraints") : 0;
			n.inexact = n.abi || n.constraints ? 0 : gen_str(g, "inexact");
			vec_push(&f->notes, n);
		}
	}
	if (rng_chance(&g->r, 20))
		vec_push(&g->p->asms, gen_str(g, "asm"));
}

void gen_exotic_step(struct gen *g)
{
	if (rng_chance(&g->r, 5))
		dead_block(g);
	any_insn(g, (enum ir_op)rng_below(&g->r, IR_BR));
}

/* ---- tables ------------------------------------------------------------------------------ */

void gen_exotic_types(struct gen *g)
{
	uint32_t n = rng_below(&g->r, 12), first = g->p->dtypes.n;

	for (uint32_t i = 0; i < n; i++) {
		struct ir_dtype d = {.kind = (uint8_t)rng_below(&g->r, IR_D_FUNC + 1)};
		uint32_t nfields = rng_below(&g->r, 4);

		if (rng_chance(&g->r, 70))
			d.name = gen_str(g, "t");
		/* by value only what is older; pointers may go round */
		d.elem = rng_below(&g->r, d.kind == IR_D_PTR ? first + n : first + i);
		d.size = rng_below(&g->r, 3) ? rng_wide(&g->r) : 0;
		d.count = rng_below(&g->r, 3);
		for (uint32_t k = 0; k < nfields; k++) {
			struct ir_field f = {.bit_offset = 32 * k};

			f.name = rng_chance(&g->r, 80) ? gen_str(g, "field") : 0;
			f.dtype = rng_below(&g->r, first + i);
			vec_push(&d.fields, f);
		}
		vec_push(&g->p->dtypes, d);
	}
}

static void add_extern_func(struct gen *g)
{
	struct ir_func *f = vec_add(&g->p->funcs);

	f->name = gen_str(g, "ext");
	f->flags = IR_FN_EXTERN | (rng_below(&g->r, 256) << 1);
	f->abi = rng_chance(&g->r, 20) ? gen_str(g, "abi") : 0;
	f->attrs = rng_chance(&g->r, 20) ? gen_str(g, "attrs") : 0;
	f->section = rng_chance(&g->r, 20) ? gen_str(g, "section") : 0;
	f->nparams = rng_below(&g->r, 3);
	f->params = arena_array(&g->p->arena, struct ir_param, f->nparams);
	for (uint32_t i = 0; i < f->nparams; i++) {
		f->params[i].type = any_type(g);
		if (f->params[i].type == IR_PTR)
			f->params[i].byval = rng_below(&g->r, 2) * 24;
	}
	f->nret = rng_below(&g->r, 3);
	f->ret = arena_array(&g->p->arena, ir_type, f->nret);
	for (uint32_t i = 0; i < f->nret; i++)
		f->ret[i] = any_type(g);
}

static void add_odd_global(struct gen *g)
{
	static const uint64_t sizes[] = {0, 1, 7, 16, 33, 200, 1ull << 40, UINT64_MAX};
	struct ir_global *gl = vec_add(&g->p->globals);

	gl->name = rng_chance(&g->r, 90) ? gen_str(g, "ext") : 0; /* twins of functions, too */
	gl->flags = rng_below(&g->r, 512);
	gl->section = rng_chance(&g->r, 20) ? gen_str(g, "section") : 0;
	gl->size = sizes[rng_below(&g->r, ARRAY_SIZE(sizes))];
	gl->align = 1u << rng_below(&g->r, 8);
	if (gl->flags & IR_G_EXTERN || gl->size > 200)
		return;
	if (rng_chance(&g->r, 70)) {
		gl->init = arena_alloc(&g->p->arena, gl->size);
		for (uint64_t i = 0; i < gl->size; i++)
			if (!rng_chance(&g->r, 60))
				i += rng_below(&g->r, 40);
			else
				gl->init[i] = (uint8_t)rng_u64(&g->r);
	}
	for (uint64_t at = rng_below(&g->r, 40); at + 8 <= gl->size;
		at += 8 + rng_below(&g->r, 30)) {
		bool func = rng_chance(&g->r, 40);
		struct ir_reloc r = {.offset = at, .kind = func ? IR_C_FUNC : IR_C_GLOBAL};

		r.id = rng_below(&g->r, func ? g->p->funcs.n : g->p->globals.n);
		r.addend = func ? 0 : (int64_t)rng_below(&g->r, 9) - 4;
		vec_push(&gl->relocs, r);
	}
}

void gen_exotic_symbols(struct gen *g)
{
	struct ir_program *p = g->p;

	for (uint32_t n = rng_below(&g->r, 6); n > 0; n--)
		add_extern_func(g);
	for (uint32_t n = rng_below(&g->r, 8); n > 0; n--)
		add_odd_global(g);
	for (uint32_t n = rng_below(&g->r, 3); n > 0; n--) {
		struct ir_alias a = {.name = gen_str(g, "alias"), .kind = IR_C_GLOBAL};

		a.id = rng_below(&g->r, p->globals.n);
		a.addend = (int64_t)rng_below(&g->r, 20) - 10;
		if (rng_chance(&g->r, 50)) {
			a.kind = IR_C_FUNC;
			a.id = rng_below(&g->r, p->funcs.n);
			a.addend = 0;
		}
		vec_push(&p->aliases, a);
	}
	for (uint32_t n = rng_below(&g->r, 4); n > 0; n--) {
		struct ir_ctor c = {.func = rng_below(&g->r, p->funcs.n)};

		c.priority = (int32_t)rng_u64(&g->r);
		if (rng_chance(&g->r, 50))
			vec_push(&p->ctors, c);
		else
			vec_push(&p->dtors, c);
	}
}
