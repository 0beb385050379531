#include "import/asm.h"

#include <stdlib.h>
#include <string.h>

/* ---- registers and operands -------------------------------------------------------------- */

int asm_register(const char *s, size_t n)
{
	static const char *const names[ASM_REGS] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

	if (n == 3 && (s[0] == 'r' || s[0] == 'e') && (s[1] < '0' || s[1] > '9')) {
		s++;
		n--;
	}
	if (n == 2 && s[1] == 'l') /* al, bl, cl, dl */
		for (int i = 0; i < 4; i++)
			if (names[i][0] == s[0])
				return i;
	for (int i = 0; n == 2 && i < 8; i++)
		if (!memcmp(names[i], s, 2))
			return i;
	if (n >= 2 && s[0] == 'r' && s[1] >= '0' && s[1] <= '9') {
		int k = atoi(s + 1);

		return k >= 8 && k < ASM_REGS ? k : -1;
	}
	return -1;
}

enum arg_kind { A_OPERAND, A_IMMEDIATE, A_REGISTER, A_INDIRECT, A_STACK };

struct arg {
	enum arg_kind kind;
	int n;         /* operand or register */
	char modifier; /* of an operand: b, w, k, q */
	int64_t imm;   /* or displacement */
};

struct stmt {
	struct asm_state *st;
	const char *name;
	unsigned width; /* bits, 0: unknown */
	int op;         /* from the table of mnemonics */
	struct arg arg[3];
	unsigned n;
};

static unsigned suffix_width(char c)
{
	switch (c) {
	case 'b': return 8;
	case 'w': return 16;
	case 'l':
	case 'k': return 32;
	case 'q': return 64;
	default: return 0;
	}
}

/* operand k, or the output that it is tied to */
static struct asm_operand *operand_of(struct asm_state *st, int k)
{
	if (k < 0 || k >= (int)st->ops.n)
		return NULL;
	while (st->ops.at[k].same_as >= 0)
		k = st->ops.at[k].same_as;
	return &st->ops.at[k];
}

/* the operand that is bound to the register, or NULL */
static struct asm_operand *operand_in(struct asm_state *st, int reg)
{
	vec_each (&st->ops, i)
		if (st->ops.at[i].reg == reg)
			return operand_of(st, (int)i);
	return NULL;
}

static unsigned arg_width(struct asm_state *st, const struct arg *a)
{
	struct asm_operand *op = a->kind == A_OPERAND ? operand_of(st, a->n) : NULL;

	if (a->modifier)
		return suffix_width(a->modifier);
	return op && op->type ? ir_type_bits(op->type) : 0;
}

/* The address of a memory argument; false if it is not one. */
static bool address_of(struct asm_state *st, const struct arg *a, ir_ref *addr)
{
	struct asm_operand *op = operand_of(st, a->n);

	if (a->kind == A_OPERAND && op && op->memory) {
		*addr = op->value;
		return true;
	}
	if (a->kind != A_INDIRECT || !op || op->memory || op->value == IR_NONE ||
		ref_type(st->fn, op->value) != IR_PTR)
		return false;
	*addr = emit_offset(st->fn, op->value, a->imm, 0);
	return true;
}

static bool is_memory(struct asm_state *st, const struct arg *a)
{
	struct asm_operand *op = a->kind == A_OPERAND ? operand_of(st, a->n) : NULL;

	return a->kind == A_INDIRECT || (op && op->memory);
}

static bool is_movable(ir_type t)
{
	return t && (t <= 64 || t == IR_PTR);
}

static bool read_arg(struct asm_state *st, const struct arg *a, unsigned w, ir_ref *out)
{
	struct asm_operand *op = NULL;
	ir_ref v = IR_NONE;

	if (a->kind == A_IMMEDIATE) {
		*out = k_int(st->fn, (ir_type)w, (uint64_t)a->imm);
		return true;
	}
	if (is_memory(st, a)) {
		if (!address_of(st, a, &v))
			return false;
		*out = emit_load(st->fn, (ir_type)w, v, IR_F_VOLATILE, 1);
		return true;
	}
	if (a->kind == A_OPERAND)
		op = operand_of(st, a->n);
	else if (a->kind == A_REGISTER)
		op = operand_in(st, a->n);
	if (op)
		v = op->value;
	else if (a->kind == A_REGISTER)
		v = st->scratch[a->n];
	if (v == IR_NONE || !is_movable(ref_type(st->fn, v)))
		return false;
	*out = emit_resize(st->fn, (ir_type)w, emit_to_int(st->fn, v), false);
	return true;
}

/* A 32-bit write clears the upper half of a register, a narrower one keeps the rest. */
static ir_ref merge_register(struct fn *fn, ir_type t, ir_ref old, unsigned w, ir_ref v)
{
	ir_ref keep;

	if (w >= t || w >= 32 || old == IR_NONE)
		return emit_resize(fn, t, v, false);
	keep = emit_bin(fn, IR_AND, old, k_int(fn, t, ~(((uint64_t)1 << w) - 1)));
	return emit_bin(fn, IR_OR, keep, emit_resize(fn, t, v, false));
}

static bool write_arg(struct asm_state *st, const struct arg *a, unsigned w, ir_ref v)
{
	struct asm_operand *op = NULL;
	ir_ref old = IR_NONE;
	ir_type t;

	if (is_memory(st, a)) {
		if (!address_of(st, a, &old))
			return false;
		emit_store(st->fn, old, v, IR_F_VOLATILE, 1);
		return true;
	}
	if (a->kind == A_OPERAND)
		op = operand_of(st, a->n);
	else if (a->kind == A_REGISTER)
		op = operand_in(st, a->n);
	if (!op) {
		if (a->kind != A_REGISTER || a->n == 4)
			return false;
		st->scratch[a->n] = merge_register(st->fn, 64, st->scratch[a->n], w, v);
		return true;
	}
	if (!op->direct || !is_movable(op->type))
		return false;
	t = (ir_type)ir_type_bits(op->type);
	if (op->value != IR_NONE)
		old = emit_to_int(st->fn, op->value);
	op->value = emit_from_int(st->fn, op->type, merge_register(st->fn, t, old, w, v));
	return true;
}

static struct arg reg_arg(int reg)
{
	return (struct arg){.kind = A_REGISTER, .n = reg};
}

/* ---- flags ------------------------------------------------------------------------------- */

static void set_flags(struct asm_state *st, int op, ir_ref old, ir_ref src, ir_ref result)
{
	st->flags = (struct asm_flags){op, old, src, result, IR_NONE, false};
}

void asm_lose_flags(struct asm_state *st, ir_ref zero)
{
	st->flags = (struct asm_flags){-1, IR_NONE, IR_NONE, IR_NONE, zero, false};
}

static ir_ref flag_result(struct asm_state *st)
{
	struct asm_flags *f = &st->flags;

	if (f->result == IR_NONE)
		f->result = emit_bin(st->fn, (enum ir_op)f->op, f->old, f->src);
	return f->result;
}

static ir_ref flag_zero(struct asm_state *st)
{
	ir_ref r;

	if (st->flags.zero != IR_NONE || st->flags.op < 0)
		return st->flags.zero;
	r = flag_result(st);
	return st->flags.zero = emit_cmp(st->fn, IR_EQ, r, k_int(st->fn, ref_type(st->fn, r), 0));
}

static ir_ref flag_carry(struct asm_state *st)
{
	if (st->flags.no_carry)
		return IR_NONE;
	switch (st->flags.op) {
	case IR_ADD: return emit_cmp(st->fn, IR_ULT, flag_result(st), st->flags.old);
	case IR_SUB: return emit_cmp(st->fn, IR_ULT, st->flags.old, st->flags.src);
	case IR_AND:
	case IR_OR:
	case IR_XOR: return k_int(st->fn, 1, 0);
	default: return IR_NONE;
	}
}

static ir_ref flag_not(struct asm_state *st, ir_ref r)
{
	return r == IR_NONE ? r : emit_bin(st->fn, IR_XOR, r, k_int(st->fn, 1, 1));
}

static ir_ref flag_sign(struct asm_state *st)
{
	ir_ref r;

	if (st->flags.op < 0)
		return IR_NONE;
	r = flag_result(st);
	return emit_cmp(st->fn, IR_SLT, r, k_int(st->fn, ref_type(st->fn, r), 0));
}

/* an order of the operands; known only after a comparison or subtraction */
static ir_ref flag_order(struct asm_state *st, enum ir_op op, bool swap)
{
	if (st->flags.op != IR_SUB || st->flags.no_carry)
		return IR_NONE;
	return swap ? emit_cmp(st->fn, op, st->flags.src, st->flags.old)
		    : emit_cmp(st->fn, op, st->flags.old, st->flags.src);
}

ir_ref asm_condition(struct asm_state *st, const char *name)
{
	static const struct {
		const char *name;
		char kind; /* z, c, s: a flag; l, L, g, G, a, B: an order */
		bool negate;
	} table[] = {{"e", 'z', false}, {"z", 'z', false}, {"ne", 'z', true}, {"nz", 'z', true},
		{"c", 'c', false}, {"b", 'c', false}, {"nae", 'c', false}, {"nc", 'c', true},
		{"ae", 'c', true}, {"nb", 'c', true}, {"s", 's', false}, {"ns", 's', true},
		{"a", 'a', false}, {"nbe", 'a', false}, {"be", 'a', true}, {"na", 'a', true},
		{"l", 'l', false}, {"nge", 'l', false}, {"ge", 'l', true}, {"nl", 'l', true},
		{"g", 'g', false}, {"nle", 'g', false}, {"le", 'g', true}, {"ng", 'g', true}};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		ir_ref r;

		if (strcmp(table[i].name, name))
			continue;
		switch (table[i].kind) {
		case 'z': r = flag_zero(st); break;
		case 'c': r = flag_carry(st); break;
		case 's': r = flag_sign(st); break;
		case 'a': r = flag_order(st, IR_ULT, true); break;
		case 'l': r = flag_order(st, IR_SLT, false); break;
		default: r = flag_order(st, IR_SLT, true); break;
		}
		return table[i].negate ? flag_not(st, r) : r;
	}
	return IR_NONE;
}

/* ---- instructions ------------------------------------------------------------------------ */

static ir_ref emit_atomic(struct asm_state *st, enum ir_op op, ir_ref addr, ir_ref v)
{
	struct ir_insn *in = emit_def(st->fn, op, ref_type(st->fn, v));

	in->arg[0] = addr;
	in->arg[1] = v;
	in->flags = IR_O_SEQCST;
	in->imm = ir_type_bytes(in->type);
	return in->dst;
}

static int atomic_op(int op)
{
	switch (op) {
	case IR_ADD: return IR_RMW_ADD;
	case IR_SUB: return IR_RMW_SUB;
	case IR_AND: return IR_RMW_AND;
	case IR_OR: return IR_RMW_OR;
	case IR_XOR: return IR_RMW_XOR;
	default: return -1;
	}
}

/* dst = dst op src; sets the flags */
static bool emit_arith(struct stmt *s, const struct arg *dst, ir_ref src)
{
	struct asm_state *st = s->st;
	ir_ref old, addr, result;

	if (st->lock) {
		if (!address_of(st, dst, &addr) || atomic_op(s->op) < 0)
			return false;
		old = emit_atomic(st, (enum ir_op)atomic_op(s->op), addr, src);
		set_flags(st, s->op, old, src, IR_NONE);
		return true;
	}
	if (!read_arg(st, dst, s->width, &old))
		return false;
	result = emit_bin(st->fn, (enum ir_op)s->op, old, src);
	set_flags(st, s->op, old, src, result);
	return write_arg(st, dst, s->width, result);
}

static bool do_arith(struct stmt *s)
{
	ir_ref src;

	/* "lock; addl $0,(%rsp)" is the old full fence */
	if (s->n == 2 && s->arg[1].kind == A_STACK) {
		if (!s->st->lock || s->arg[0].kind != A_IMMEDIATE || s->arg[0].imm ||
			(s->op != IR_ADD && s->op != IR_OR))
			return false;
		emit(s->st->fn, IR_FENCE, IR_VOID)->flags = IR_O_SEQCST;
		return true;
	}
	return s->n == 2 && s->width && read_arg(s->st, &s->arg[0], s->width, &src) &&
	       emit_arith(s, &s->arg[1], src);
}

static bool do_inc(struct stmt *s)
{
	if (s->n != 1 || !s->width ||
		!emit_arith(s, &s->arg[0], k_int(s->st->fn, (ir_type)s->width, 1)))
		return false;
	s->st->flags.no_carry = true;
	return true;
}

/* add or subtract with the carry of the statement before */
static bool do_carry(struct stmt *s)
{
	struct asm_state *st = s->st;
	ir_ref cf, src, old, r;

	if (s->n != 2 || !s->width || st->lock)
		return false;
	cf = flag_carry(st);
	if (cf == IR_NONE || !read_arg(st, &s->arg[0], s->width, &src) ||
		!read_arg(st, &s->arg[1], s->width, &old))
		return false;
	r = emit_bin(st->fn, (enum ir_op)s->op, old, src);
	r = emit_bin(
		st->fn, (enum ir_op)s->op, r, emit_resize(st->fn, (ir_type)s->width, cf, false));
	asm_lose_flags(st, IR_NONE);
	return write_arg(st, &s->arg[1], s->width, r);
}

static bool do_compare(struct stmt *s)
{
	ir_ref src, dst;

	if (s->n != 2 || !s->width || s->st->lock || !read_arg(s->st, &s->arg[0], s->width, &src) ||
		!read_arg(s->st, &s->arg[1], s->width, &dst))
		return false;
	set_flags(s->st, s->op, dst, src, IR_NONE);
	return true;
}

static bool do_xadd(struct stmt *s)
{
	struct asm_state *st = s->st;
	ir_ref addr, src, old;

	if (s->n != 2 || !s->width || !st->lock || !address_of(st, &s->arg[1], &addr) ||
		!read_arg(st, &s->arg[0], s->width, &src))
		return false;
	old = emit_atomic(st, IR_RMW_ADD, addr, src);
	set_flags(st, IR_ADD, old, src, IR_NONE);
	return write_arg(st, &s->arg[0], s->width, old);
}

static bool do_xchg(struct stmt *s)
{
	unsigned m = s->n == 2 && is_memory(s->st, &s->arg[0]) ? 0 : 1;
	ir_ref addr, v;

	if (s->n != 2 || !s->width || !address_of(s->st, &s->arg[m], &addr) ||
		!read_arg(s->st, &s->arg[1 - m], s->width, &v))
		return false;
	return write_arg(s->st, &s->arg[1 - m], s->width, emit_atomic(s->st, IR_RMW_XCHG, addr, v));
}

static bool do_cmpxchg(struct stmt *s)
{
	struct asm_state *st = s->st;
	struct arg ax = reg_arg(0);
	ir_ref addr, v, expected;
	struct ir_insn *in;
	uint32_t old;

	if (s->n != 2 || !s->width || !st->lock || !address_of(st, &s->arg[1], &addr) ||
		!read_arg(st, &s->arg[0], s->width, &v) || !read_arg(st, &ax, s->width, &expected))
		return false;
	in = emit_def(st->fn, IR_CAS, (ir_type)s->width);
	in->arg[0] = addr;
	in->arg[1] = expected;
	in->arg[2] = v;
	in->flags = IR_O_SEQCST | IR_O_SEQCST << IR_F_FAIL_SHIFT;
	in->imm = s->width / 8;
	old = in->dst;
	asm_lose_flags(st, reg_new(st->fn, 1));
	return write_arg(st, &ax, s->width, old);
}

static bool do_mov(struct stmt *s)
{
	ir_ref v;

	return s->n == 2 && s->width && !s->st->lock && read_arg(s->st, &s->arg[0], s->width, &v) &&
	       write_arg(s->st, &s->arg[1], s->width, v);
}

static bool do_unary(struct stmt *s)
{
	ir_ref v;

	return s->n == 1 && s->width >= 16 && !s->st->lock &&
	       read_arg(s->st, &s->arg[0], s->width, &v) &&
	       write_arg(s->st, &s->arg[0], s->width, emit_un(s->st->fn, (enum ir_op)s->op, v));
}

/* shifts and rotations by a constant less than the width; the flags become unknown */
static bool do_shift(struct stmt *s)
{
	struct fn *fn = s->st->fn;
	ir_ref v, k;

	if (s->n != 2 || !s->width || s->st->lock || s->arg[0].kind != A_IMMEDIATE ||
		s->arg[0].imm < 0 || s->arg[0].imm >= s->width ||
		!read_arg(s->st, &s->arg[1], s->width, &v))
		return false;
	k = k_int(fn, (ir_type)s->width, (uint64_t)s->arg[0].imm);
	v = s->op == IR_FSHL || s->op == IR_FSHR ? emit_tern(fn, (enum ir_op)s->op, v, v, k)
						 : emit_bin(fn, (enum ir_op)s->op, v, k);
	asm_lose_flags(s->st, IR_NONE);
	return write_arg(s->st, &s->arg[1], s->width, v);
}

/* rdx:rax = rax * src */
static bool do_mul(struct stmt *s)
{
	struct asm_state *st = s->st;
	struct arg ax = reg_arg(0), dx = reg_arg(2);
	ir_type wide = (ir_type)(2 * s->width);
	ir_ref a, b, r;

	if (s->n != 1 || s->width < 32 || !read_arg(st, &ax, s->width, &a) ||
		!read_arg(st, &s->arg[0], s->width, &b))
		return false;
	r = emit_bin(st->fn, IR_MUL, emit_resize(st->fn, wide, a, s->op == IR_SEXT),
		emit_resize(st->fn, wide, b, s->op == IR_SEXT));
	asm_lose_flags(st, IR_NONE);
	a = emit_resize(st->fn, (ir_type)s->width, r, false);
	r = emit_bin(st->fn, IR_LSHR, r, k_int(st->fn, wide, s->width));
	return write_arg(st, &ax, s->width, a) &&
	       write_arg(st, &dx, s->width, emit_resize(st->fn, (ir_type)s->width, r, false));
}

static bool do_bit_scan(struct stmt *s)
{
	struct fn *fn = s->st->fn;
	ir_ref v;

	if (s->n != 2 || s->width < 16 || !read_arg(s->st, &s->arg[0], s->width, &v))
		return false;
	v = emit_un(fn, (enum ir_op)s->op, v);
	if (s->op == IR_CTLZ) /* bsr counts from the other end */
		v = emit_bin(fn, IR_SUB, k_int(fn, (ir_type)s->width, s->width - 1), v);
	asm_lose_flags(s->st, IR_NONE);
	return write_arg(s->st, &s->arg[1], s->width, v);
}

static bool do_set(struct stmt *s)
{
	ir_ref r = asm_condition(s->st, s->name + 3);

	return r != IR_NONE && s->n == 1 &&
	       write_arg(s->st, &s->arg[0], 8, emit_resize(s->st->fn, 8, r, false));
}

static bool do_rdtsc(struct stmt *s)
{
	struct fn *fn = s->st->fn;
	struct arg ax = reg_arg(0), dx = reg_arg(2);
	ir_ref t = emit_def(fn, IR_CYCLES, 64)->dst, high;

	high = emit_bin(fn, IR_LSHR, t, k_int(fn, 64, 32));
	return !s->n && write_arg(s->st, &ax, 32, emit_resize(fn, 32, t, false)) &&
	       write_arg(s->st, &dx, 32, emit_resize(fn, 32, high, false));
}

static bool do_fence(struct stmt *s)
{
	emit(s->st->fn, IR_FENCE, IR_VOID)->flags = (uint16_t)s->op;
	return !s->n;
}

static bool do_plain(struct stmt *s)
{
	emit(s->st->fn, (enum ir_op)s->op, IR_VOID);
	return true;
}

static bool do_nop(struct stmt *s)
{
	if (s->st->rep)
		emit(s->st->fn, IR_PAUSE, IR_VOID);
	return true;
}

static const struct {
	const char *name; /* without the suffix of the width */
	bool (*run)(struct stmt *s);
	int op;
} mnemonics[] = {
	{"nop", do_nop, 0},
	{"pause", do_plain, IR_PAUSE},
	{"ud2", do_plain, IR_TRAP},
	{"int3", do_plain, IR_TRAP},
	{"hlt", do_plain, IR_TRAP},
	{"mfence", do_fence, IR_O_SEQCST},
	{"lfence", do_fence, IR_O_ACQUIRE},
	{"sfence", do_fence, IR_O_RELEASE},
	{"rdtsc", do_rdtsc, 0},
	{"mov", do_mov, 0},
	{"add", do_arith, IR_ADD},
	{"sub", do_arith, IR_SUB},
	{"and", do_arith, IR_AND},
	{"or", do_arith, IR_OR},
	{"xor", do_arith, IR_XOR},
	{"inc", do_inc, IR_ADD},
	{"dec", do_inc, IR_SUB},
	{"adc", do_carry, IR_ADD},
	{"sbb", do_carry, IR_SUB},
	{"cmp", do_compare, IR_SUB},
	{"test", do_compare, IR_AND},
	{"xadd", do_xadd, 0},
	{"xchg", do_xchg, 0},
	{"cmpxchg", do_cmpxchg, 0},
	{"bswap", do_unary, IR_BSWAP},
	{"shl", do_shift, IR_SHL},
	{"sal", do_shift, IR_SHL},
	{"shr", do_shift, IR_LSHR},
	{"sar", do_shift, IR_ASHR},
	{"rol", do_shift, IR_FSHL},
	{"ror", do_shift, IR_FSHR},
	{"mul", do_mul, IR_ZEXT},
	{"imul", do_mul, IR_SEXT},
	{"bsf", do_bit_scan, IR_CTTZ},
	{"bsr", do_bit_scan, IR_CTLZ},
	{"tzcnt", do_bit_scan, IR_CTTZ},
	{"popcnt", do_bit_scan, IR_CTPOP},
};

/* ---- parsing ----------------------------------------------------------------------------- */

static const char *skip_blank(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* "0" or "{0:w}" after a dollar sign */
static const char *parse_operand(const char *s, struct arg *a)
{
	bool brace = *s == '{';
	char *end;

	a->n = (int)strtol(s + brace, &end, 10);
	if (end == s + brace)
		return NULL;
	s = end;
	if (!brace)
		return s;
	if (*s == ':') {
		a->modifier = s[1];
		if (!suffix_width(a->modifier))
			return NULL;
		s += 2;
	}
	return *s == '}' ? s + 1 : NULL;
}

/* $$imm, $operand, %register, disp($operand), disp(%rsp) */
static const char *parse_arg(const char *s, struct arg *a)
{
	size_t len;
	char *end;

	*a = (struct arg){0};
	if (s[0] == '$' && s[1] == '$') {
		a->kind = A_IMMEDIATE;
		a->imm = strtoll(s + 2, &end, 0);
		return end == s + 2 ? NULL : end;
	}
	if (s[0] == '$') {
		a->kind = A_OPERAND;
		return parse_operand(s + 1, a);
	}
	if (s[0] == '%') {
		len = strcspn(s + 1, " \t,)");
		a->kind = A_REGISTER;
		a->n = asm_register(s + 1, len);
		return a->n < 0 ? NULL : s + 1 + len;
	}
	a->imm = strtoll(s, &end, 0);
	if (end[0] != '(')
		return NULL;
	s = end + 1;
	if (!strncmp(s, "%rsp)", 5)) {
		a->kind = A_STACK;
		return s + 5;
	}
	a->kind = A_INDIRECT;
	s = *s == '$' ? parse_operand(s + 1, a) : NULL;
	return s && *s == ')' ? s + 1 : NULL;
}

static bool parse_args(const char *s, struct stmt *st)
{
	for (s = skip_blank(s); *s; s = skip_blank(s)) {
		if (st->n == ARRAY_SIZE(st->arg))
			return false;
		s = parse_arg(s, &st->arg[st->n++]);
		if (!s)
			return false;
		s = skip_blank(s);
		if (*s == ',')
			s++;
		else if (*s)
			return false;
	}
	return true;
}

static bool emit_named(struct stmt *s, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(mnemonics); i++) {
		size_t k = strlen(mnemonics[i].name);

		if (strncmp(mnemonics[i].name, name, k) ||
			(n != k && (n != k + 1 || !suffix_width(name[k]))))
			continue;
		s->op = mnemonics[i].op;
		if (n > k)
			s->width = suffix_width(name[k]);
		/* prefer the width of a register: a memory operand may be wider than the access */
		for (unsigned a = 0; a < s->n && !s->width; a++)
			if (!is_memory(s->st, &s->arg[a]))
				s->width = arg_width(s->st, &s->arg[a]);
		for (unsigned a = 0; a < s->n && !s->width; a++)
			s->width = arg_width(s->st, &s->arg[a]);
		if (s->width != 8 && s->width != 16 && s->width != 32 && s->width != 64)
			s->width = 0;
		return mnemonics[i].run(s);
	}
	s->name = name;
	return !strncmp(name, "set", 3) && do_set(s);
}

static bool is_alignment(const char *s)
{
	return !strcmp(s, ".p2align") || !strcmp(s, ".balign") || !strcmp(s, ".align");
}

bool asm_statement(struct asm_state *st, const char *text, size_t n)
{
	char buf[128], *s = buf, *end;
	struct stmt stmt = {.st = st};
	bool ok;

	if (n >= sizeof buf)
		return false;
	memcpy(buf, text, n);
	buf[n] = 0;
	for (;;) {
		s += strspn(s, " \t");
		if (!*s) /* empty, or only prefixes, which belong to the next statement */
			return true;
		end = s + strcspn(s, " \t");
		if (end - s == 4 && !memcmp(s, "lock", 4))
			st->lock = true;
		else if (end - s == 3 && !memcmp(s, "rep", 3))
			st->rep = true;
		else
			break;
		s = end;
	}
	if (*end)
		*end++ = 0;
	if (is_alignment(s)) /* alignment of code has no effect */
		return !st->lock && !st->rep;
	ok = parse_args(end, &stmt) && emit_named(&stmt, s);
	st->lock = st->rep = false;
	return ok;
}
