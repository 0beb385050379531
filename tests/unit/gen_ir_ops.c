#include "gen_ir_internal.h"

/* ---- operands ---------------------------------------------------------------------------- */

ir_type gen_int_type(struct gen *g)
{
	static const ir_type common[] = {1, 8, 16, 32, 32, 64, 64, 128};

	return rng_chance(&g->r, 80) ? common[rng_below(&g->r, ARRAY_SIZE(common))]
				     : (ir_type)(1 + rng_below(&g->r, 128));
}

static ir_type gen_float_type(struct gen *g)
{
	return (ir_type)(IR_F32 + rng_below(&g->r, 3));
}

ir_type gen_type(struct gen *g)
{
	return rng_chance(&g->r, 80) ? gen_int_type(g) : gen_float_type(g);
}

ir_ref gen_int(struct gen *g, ir_type t, uint64_t v)
{
	return gen_add_const(g->f, (struct ir_const){.kind = IR_C_BITS, .type = t,
		.lo = t < 64 ? v & ((1ull << t) - 1) : v});
}

ir_ref gen_address(struct gen *g, uint8_t kind, uint32_t id, int64_t addend)
{
	return gen_add_const(g->f, (struct ir_const){.kind = kind, .type = IR_PTR, .id = id,
		.lo = (uint64_t)addend});
}

static uint64_t interesting(struct gen *g)
{
	switch (rng_below(&g->r, 5)) {
	case 0: return rng_below(&g->r, 10);
	case 1: return UINT64_MAX - rng_below(&g->r, 5);
	case 2: return 1ull << rng_below(&g->r, 64);
	case 3: return (1ull << rng_below(&g->r, 64)) - 1;
	default: return rng_u64(&g->r);
	}
}

static ir_ref float_const(struct gen *g, ir_type t)
{
	struct ir_const c = {.kind = IR_C_BITS, .type = t};
	static const double some[] = {
		0.0, -0.0, 1.0, -1.5, 0.1, 1e30, -3e-30, 123456.75, 4294967296.0};
	double d = some[rng_below(&g->r, ARRAY_SIZE(some))];
	long double x = d;
	float f = (float)d;

	if (t == IR_F32) {
		__builtin_memcpy(&c.lo, &f, sizeof f);
	} else if (t == IR_F64) {
		__builtin_memcpy(&c.lo, &d, sizeof d);
	} else {
		__builtin_memcpy(&c.lo, &x, 8);
		__builtin_memcpy(&c.hi, (char *)&x + 8, 2);
	}
	return gen_add_const(g->f, c);
}

ir_ref gen_const(struct gen *g, ir_type t)
{
	uint32_t bits = ir_type_bits(t);
	struct ir_const c = {.kind = IR_C_BITS, .type = t, .lo = interesting(g)};

	if (t >= IR_F32 && t <= IR_F80)
		return float_const(g, t);
	if (bits < 64)
		c.lo &= (1ull << bits) - 1;
	if (bits > 64)
		c.hi = (rng_chance(&g->r, 50) ? interesting(g) : c.lo >> 63 ? UINT64_MAX : 0) >>
			(128 - bits);
	return gen_add_const(g->f, c);
}

ir_ref gen_operand(struct gen *g, ir_type t)
{
	if (rng_chance(&g->r, 80))
		for (uint32_t tries = 0; tries < 30 && g->pool.n; tries++) {
			uint32_t r =
				g->pool.at[g->pool.n - 1 - rng_below(&g->r, MIN(g->pool.n, 40u))];

			if (g->f->regs.at[r].type == t)
				return r;
		}
	if (gen_exotic(g) && rng_chance(&g->r, 5))
		return gen_add_const(g->f, (struct ir_const){.kind = IR_C_UNDEF, .type = t});
	if (t == 1 && rng_chance(&g->r, 80)) { /* a branch should be open */
		ir_ref a = gen_operand(g, 64), b = gen_operand(g, 64);

		return gen_value(g, (struct ir_insn){.op = IR_ULT, .type = 1, .type2 = 64,
			.arg = {a, b}});
	}
	return gen_const(g, t);
}

static ir_ref bin(struct gen *g, enum ir_op op, ir_type t, ir_ref a, ir_ref b)
{
	return gen_value(g, (struct ir_insn){.op = (uint8_t)op, .type = t, .arg = {a, b}});
}

static ir_ref conv(struct gen *g, enum ir_op op, ir_type to, ir_type from, ir_ref a)
{
	return gen_value(
		g, (struct ir_insn){.op = (uint8_t)op, .type = to, .type2 = from, .arg = {a}});
}

ir_ref gen_to_i64(struct gen *g, ir_ref r)
{
	ir_type t = ir_ref_type(g->f, r);

	if (t == IR_F80) {
		r = conv(g, IR_FPTRUNC, IR_F64, IR_F80, r);
		t = IR_F64;
	}
	if (t == IR_PTR)
		return conv(g, IR_PTRTOINT, 64, t, r);
	if (ir_type_is_float(t)) {
		r = conv(g, IR_BITCAST, (ir_type)ir_type_bits(t), t, r);
		t = (ir_type)ir_type_bits(t);
	}
	if (t < 64)
		return conv(g, rng_chance(&g->r, 50) ? IR_ZEXT : IR_SEXT, 64, t, r);
	return t > 64 ? conv(g, IR_TRUNC, 64, t, r) : r;
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static void step_int(struct gen *g)
{
	enum ir_op op = IR_ADD + rng_below(&g->r, IR_SSUBSAT - IR_ADD + 1);
	ir_type t = gen_int_type(g);
	ir_ref a, b;

	/* a divisor from 1 to 63: nothing faults; a shift by less than the width */
	if (op >= IR_UDIV && op <= IR_SREM && t < 8)
		t = 32;
	a = gen_operand(g, t);
	b = gen_operand(g, t);
	if (op >= IR_UDIV && op <= IR_SREM) {
		b = bin(g, IR_AND, t, b, gen_int(g, t, 63));
		b = bin(g, IR_OR, t, b, gen_int(g, t, 1));
	} else if (op >= IR_SHL && op <= IR_ASHR) {
		b = gen_int(g, t, rng_below(&g->r, t));
	}
	bin(g, op, t, a, b);
}

static void step_compare(struct gen *g)
{
	bool is_float = rng_chance(&g->r, 25);
	enum ir_op op = is_float ? IR_FOEQ + rng_below(&g->r, IR_FUNE - IR_FOEQ + 1)
				 : IR_EQ + rng_below(&g->r, IR_SLE - IR_EQ + 1);
	ir_type t = is_float ? gen_float_type(g) : gen_int_type(g);
	ir_ref a = gen_operand(g, t), b = gen_operand(g, t);

	gen_value(g, (struct ir_insn){.op = (uint8_t)op, .type = 1, .type2 = t, .arg = {a, b}});
}

static void step_unary(struct gen *g)
{
	enum ir_op op = IR_COPY + rng_below(&g->r, IR_FROUNDEVEN - IR_COPY + 1);
	ir_type t = op >= IR_FNEG   ? gen_float_type(g)
		    : op < IR_CTPOP ? gen_type(g)
				    : gen_int_type(g);
	ir_ref a;

	if (op == IR_BSWAP)
		t = (ir_type)(16 << rng_below(&g->r, 3));
	a = gen_operand(g, t);
	gen_value(g, (struct ir_insn){.op = (uint8_t)op, .type = t, .arg = {a}});
}

static void step_three(struct gen *g)
{
	uint32_t which = rng_below(&g->r, 4);
	ir_type t = which == 0 ? gen_float_type(g) : which < 3 ? gen_int_type(g) : gen_type(g);
	enum ir_op op = which == 0   ? IR_FMA
			: which == 1 ? IR_FSHL
			: which == 2 ? IR_FSHR
				     : IR_SELECT;
	ir_ref a = gen_operand(g, op == IR_SELECT ? 1 : t), b = gen_operand(g, t);
	ir_ref c = gen_operand(g, t);

	gen_value(g, (struct ir_insn){.op = (uint8_t)op, .type = t, .arg = {a, b, c}});
}

static void step_float(struct gen *g)
{
	ir_type t = gen_float_type(g);
	ir_ref a = gen_operand(g, t), b = gen_operand(g, t);

	bin(g, IR_FADD + rng_below(&g->r, IR_FMAX - IR_FADD + 1), t, a, b);
}

static void step_convert(struct gen *g)
{
	ir_type t = gen_int_type(g), f = gen_float_type(g);
	ir_type narrow = (ir_type)(1 + rng_below(&g->r, 60)),
		wide = (ir_type)(61 + rng_below(&g->r, 68));
	bool other = rng_chance(&g->r, 50);

	switch (rng_below(&g->r, 8)) {
	case 0: conv(g, IR_TRUNC, narrow, wide, gen_operand(g, wide)); break;
	case 1: conv(g, IR_ZEXT, wide, narrow, gen_operand(g, narrow)); break;
	case 2: conv(g, IR_SEXT, wide, narrow, gen_operand(g, narrow)); break;
	case 3: conv(g, other ? IR_FPTOSI : IR_FPTOUI, t, f, gen_operand(g, f)); break;
	case 4: conv(g, other ? IR_SITOFP : IR_UITOFP, f, t, gen_operand(g, t)); break;
	case 5: conv(g, IR_FPEXT, IR_F80, IR_F32, gen_operand(g, IR_F32)); break;
	case 6: conv(g, IR_FPTRUNC, IR_F32, IR_F64, gen_operand(g, IR_F64)); break;
	default: conv(g, IR_BITCAST, 64, IR_F64, gen_operand(g, IR_F64)); break;
	}
}

static void step_overflow(struct gen *g)
{
	ir_type t = gen_int_type(g);
	ir_ref a = gen_operand(g, t), b = gen_operand(g, t);
	uint32_t dst = gen_reg(g, t), flag = gen_reg(g, 1);

	gen_emit(g, (struct ir_insn){.op = (uint8_t)(IR_UADDO + rng_below(&g->r, 6)), .type = t,
		.dst = dst, .arg = {a, b}});
	vec_push(&g->pool, dst);
	vec_push(&g->pool, flag);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* a pointer to GEN_OBJECT readable and writable bytes */
static ir_ref pick_object(struct gen *g)
{
	ir_ref at;

	switch (rng_below(&g->r, 4)) {
	case 0: return gen_address(g, IR_C_GLOBAL, g->data + rng_below(&g->r, g->ndata), 0);
	case 1: /* through the table */
		at = gen_value(g, (struct ir_insn){.op = IR_LOAD, .type = IR_PTR, .imm = 8,
			.arg = {gen_address(g, IR_C_GLOBAL, g->table, 8 * rng_below(&g->r, 4))}});
		g->pool.n--;
		return at;
	default: return g->objects.at[rng_below(&g->r, g->objects.n)];
	}
}

/* Inside an object, by an index at run time; at least 16 bytes follow. Aligned to `step`, of which
 * 3 times fit before them. */
static ir_ref pick_place(struct gen *g, uint32_t step)
{
	ir_ref obj = pick_object(g), i = gen_operand(g, 64), at;

	i = bin(g, IR_AND, 64, i, gen_int(g, 64, 3));
	at = gen_value(g, (struct ir_insn){.op = IR_PADD, .type = IR_PTR, .arg = {obj, i, step},
		.imm = rng_chance(&g->r, 50) ? step : 0});
	g->pool.n--;
	return at;
}

static void step_access(struct gen *g)
{
	ir_type t = gen_type(g);
	ir_ref at = pick_place(g, 1 + rng_below(&g->r, 8));

	if (rng_chance(&g->r, 50)) {
		gen_value(g, (struct ir_insn){.op = IR_LOAD, .type = t, .arg = {at}, .imm = 1,
			.flags = rng_chance(&g->r, 10) ? IR_F_VOLATILE : 0});
		return;
	}
	gen_emit(g, (struct ir_insn){.op = IR_STORE, .type2 = t, .dst = IR_NONE,
		.arg = {at, gen_operand(g, t)}, .imm = 1});
}

static void step_atomic(struct gen *g)
{
	static const uint8_t orders[] = {IR_O_RELAXED, IR_O_ACQUIRE, IR_O_RELEASE, IR_O_ACQREL,
		IR_O_SEQCST};
	ir_type t = (ir_type)(8 << rng_below(&g->r, 4));
	ir_ref at = pick_place(g, 8), a = gen_operand(g, t), b = gen_operand(g, t);
	uint16_t order = orders[rng_below(&g->r, ARRAY_SIZE(orders))];
	uint32_t dst;

	if (rng_chance(&g->r, 70)) {
		gen_value(g, (struct ir_insn){.op = (uint8_t)(IR_RMW_XCHG +
				rng_below(&g->r, IR_RMW_UMIN - IR_RMW_XCHG + 1)),
			.type = t, .flags = order, .arg = {at, a}, .imm = t / 8});
		return;
	}
	dst = gen_reg(g, t);
	vec_push(&g->pool, dst);
	vec_push(&g->pool, gen_reg(g, 1));
	gen_emit(g, (struct ir_insn){.op = IR_CAS, .type = t, .dst = dst, .arg = {at, a, b},
		.flags = (uint16_t)(order | IR_O_RELAXED << IR_F_FAIL_SHIFT)});
}

static void step_bulk(struct gen *g)
{
	ir_ref to = pick_object(g), from = pick_object(g);
	ir_ref len = gen_int(g, 64, rng_below(&g->r, GEN_OBJECT + 1)), n;

	if (rng_chance(&g->r, 40)) { /* a length known at run time */
		n = gen_operand(g, 64);
		len = bin(g, IR_AND, 64, n, gen_int(g, 64, GEN_OBJECT - 1));
	}
	if (rng_chance(&g->r, 50))
		gen_emit(g, (struct ir_insn){.op = IR_MEMSET, .dst = IR_NONE,
			.arg = {to, gen_operand(g, 8), len}});
	else /* the two may be the same object */
		gen_emit(g,
			(struct ir_insn){.op = IR_MEMMOVE, .dst = IR_NONE, .arg = {to, from, len}});
}

/* ---- calls ------------------------------------------------------------------------------- */

static void emit_call(struct gen *g, ir_ref callee, const struct ir_func *to, const uint32_t *args)
{
	struct ir_insn in = {.op = IR_CALL, .dst = IR_NONE, .imm = to->nret};

	in.arg[0] = callee;
	in.arg[1] = g->f->extra.n;
	in.arg[2] = to->nparams;
	for (uint32_t i = 0; i < to->nparams; i++) {
		vec_push(&g->f->extra, args[i]);
		vec_push(&g->f->extra, (uint32_t)to->params[i].byval);
	}
	for (uint32_t i = 0; i < to->nret; i++) {
		uint32_t r = gen_reg(g, to->ret[i]);

		if (!i) {
			in.dst = r;
			in.type = to->ret[i];
		}
		vec_push(&g->pool, r);
	}
	gen_emit(g, in);
}

/* Only to later functions, outside loops, twice: the whole program ends soon. */
static void step_call(struct gen *g)
{
	uint32_t last = g->leafs + 1, to, args[8];
	ir_ref callee;

	if (g->loop_depth || g->calls == 2 || g->func >= g->leafs)
		return;
	g->calls++;
	if (rng_chance(&g->r, 30)) {
		uint64_t slot = rng_below(&g->r, 2);

		args[0] = gen_operand(g, 64);
		callee = gen_value(g, (struct ir_insn){.op = IR_LOAD, .type = IR_PTR, .imm = 8,
			.arg = {gen_address(g, IR_C_GLOBAL, g->leaf_table, 8 * (int64_t)slot)}});
		g->pool.n--;
		emit_call(g, callee, &g->p->funcs.at[g->leafs], args);
		return;
	}
	to = g->func + 1 + rng_below(&g->r, last - g->func);
	for (uint32_t i = 0; i < g->p->funcs.at[to].nparams; i++)
		args[i] = g->p->funcs.at[to].params[i].type == IR_PTR
			? pick_object(g)
			: gen_operand(g, g->p->funcs.at[to].params[i].type);
	emit_call(g, gen_address(g, IR_C_FUNC, to, 0), &g->p->funcs.at[to], args);
}

void gen_step(struct gen *g)
{
	static void (*const steps[])(struct gen *) = {step_int, step_int, step_int, step_compare,
		step_compare, step_unary, step_three, step_float, step_convert, step_overflow,
		step_access, step_access, step_access, step_atomic, step_bulk, step_call};

	steps[rng_below(&g->r, ARRAY_SIZE(steps))](g);
}
