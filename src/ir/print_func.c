#include "ir/print_internal.h"

#include "base/vec.h"
#include "ir/text.h"

#include <string.h>

/* column of the comments in the readable form */
enum { COMMENT_COLUMN = 56 };

/* ---- operands ---------------------------------------------------------------------------- */

static bool plain_reg_name(const char *s)
{
	for (const char *c = s; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && *c != '_' &&
			!(*c >= '0' && *c <= '9' && c > s))
			return false;
	return *s;
}

static void print_reg(struct printer *pr, uint32_t r)
{
	const struct ir_func *f = pr->f;
	uint32_t name = r < f->regs.n ? f->regs.at[r].name : 0;

	strbuf_addc(pr->out, '%');
	if (name && name < pr->p->strs.n) {
		const char *s = ir_str(pr->p, name);

		if (plain_reg_name(s))
			strbuf_adds(pr->out, s);
		else
			print_quoted(pr, s);
		strbuf_addc(pr->out, '.');
	} else {
		strbuf_addc(pr->out, 'r');
	}
	print_u64(pr, r);
}

/* a register at its definition, with its type */
static void print_def(struct printer *pr, uint32_t r)
{
	print_reg(pr, r);
	strbuf_addc(pr->out, ':');
	if (r >= pr->f->regs.n) {
		strbuf_addc(pr->out, '?');
		return;
	}
	strbuf_adds(pr->out, ir_type_name(pr->f->regs.at[r].type));
	print_dtype_ref(pr, pr->f->regs.at[r].dtype);
}

static void note_decimal(struct printer *pr, const struct ir_const *c)
{
	struct strbuf *b = &pr->notes;
	long double x = 0;
	double d;
	float s;

	if (b->n)
		strbuf_adds(b, ", ");
	if (c->type == IR_F32) {
		memcpy(&s, &c->lo, sizeof s);
		strbuf_addf(b, "%.9g", (double)s);
	} else if (c->type == IR_F64) {
		memcpy(&d, &c->lo, sizeof d);
		strbuf_addf(b, "%.17g", d);
	} else {
		memcpy(&x, &c->lo, 8);
		memcpy((char *)&x + 8, &c->hi, 2);
		strbuf_addf(b, "%.21Lg", x);
	}
}

static void print_hex(struct printer *pr, const struct ir_const *c)
{
	uint32_t digits = (ir_type_bits(c->type) + 3) / 4;

	if (ir_type_is_float(c->type) && digits > 16)
		strbuf_addf(pr->out, "0x%0*lx%016lx", (int)digits - 16, c->hi, c->lo);
	else if (ir_type_is_float(c->type))
		strbuf_addf(pr->out, "0x%0*lx", (int)digits, c->lo);
	else if (c->hi)
		strbuf_addf(pr->out, "0x%lx%016lx", c->hi, c->lo);
	else
		strbuf_addf(pr->out, "0x%lx", c->lo);
}

static void print_bits(struct printer *pr, const struct ir_const *c)
{
	uint32_t bits = ir_type_bits(c->type);
	int64_t v = (int64_t)c->lo;
	bool fits = true; /* the value fits in an int64_t with its sign */

	if (c->type == IR_PTR && !c->lo) {
		strbuf_adds(pr->out, "null");
		return;
	}
	if (bits > 64) {
		/* the upper half of a small negative number is all ones up to the width */
		uint64_t ones = UINT64_MAX >> (128 - bits);

		fits = c->hi == (v < 0 ? ones : 0);
	} else if (bits > 1) {
		v = (int64_t)(c->lo << (64 - bits)) >> (64 - bits);
	}
	if (c->type < IR_PTR && fits && v == (int32_t)v)
		print_i64(pr, v);
	else
		print_hex(pr, c);
	if (pr->readable && c->type >= IR_F32 && c->type <= IR_F80)
		note_decimal(pr, c);
}

static void print_const(struct printer *pr, const struct ir_const *c)
{
	switch (c->kind) {
	case IR_C_BITS: print_bits(pr, c); break;
	case IR_C_UNDEF: strbuf_adds(pr->out, "undef"); break;
	default: print_address(pr, c->kind, c->id, c->kind == IR_C_FUNC ? 0 : (int64_t)c->lo);
	}
}

/* An operand; a constant is printed with its type if that is not the expected one. */
static void print_ref(struct printer *pr, ir_ref r, ir_type expected)
{
	const struct ir_const *c;

	if (r == IR_NONE) {
		strbuf_adds(pr->out, "?");
	} else if (ir_is_reg(r)) {
		print_reg(pr, r);
	} else if ((r & ~IR_CONST_BIT) >= pr->f->consts.n) {
		strbuf_addf(pr->out, "?c%u", r & ~IR_CONST_BIT);
	} else {
		c = ir_const(pr->f, r);
		/* if no type is expected, the parser reads an address as a pointer */
		if (expected == IR_VOID && c->type == IR_PTR && c->kind >= IR_C_GLOBAL)
			expected = IR_PTR;
		if (c->type != expected)
			strbuf_addf(pr->out, "%s ", ir_type_name(c->type));
		print_const(pr, c);
	}
}

static void print_edge(struct printer *pr, uint32_t e)
{
	const struct ir_func *f = pr->f;
	const struct ir_edge *ed;

	if (e >= f->edges.n || (uint64_t)f->edges.at[e].copies + 2ull * f->edges.at[e].ncopies >
			f->extra.n) {
		strbuf_addf(pr->out, "?e%u", e);
		return;
	}
	ed = &f->edges.at[e];
	strbuf_addc(pr->out, 'b');
	print_u64(pr, ed->to);
	for (uint32_t i = 0; i < ed->ncopies; i++) {
		uint32_t dst = f->extra.at[ed->copies + 2 * i];

		strbuf_adds(pr->out, i ? ", " : "(");
		print_reg(pr, dst);
		strbuf_addc(pr->out, '=');
		print_ref(pr, f->extra.at[ed->copies + 2 * i + 1],
			dst < f->regs.n ? f->regs.at[dst].type : IR_VOID);
	}
	if (ed->ncopies)
		strbuf_addc(pr->out, ')');
}

/* ---- instructions ------------------------------------------------------------------------ */

static void print_padd(struct printer *pr, const struct ir_insn *in)
{
	print_ref(pr, in->arg[0], IR_PTR);
	if (in->arg[1] != IR_NONE) {
		strbuf_adds(pr->out, " + ");
		print_ref(pr, in->arg[1], 64);
		strbuf_adds(pr->out, " * ");
		print_u64(pr, in->arg[2]);
	}
	if (in->imm) {
		strbuf_adds(pr->out, in->imm < 0 ? " - " : " + ");
		print_u64(pr, in->imm < 0 ? -(uint64_t)in->imm : (uint64_t)in->imm);
	}
}

static void print_alloca(struct printer *pr, const struct ir_insn *in)
{
	const struct ir_const *one = ir_is_const(in->arg[0]) ? ir_const(pr->f, in->arg[0]) : NULL;

	strbuf_addc(pr->out, 'l');
	print_u64(pr, (uint64_t)in->imm);
	if (one && one->kind == IR_C_BITS && one->type == 64 && one->lo == 1)
		return;
	strbuf_adds(pr->out, " * ");
	print_ref(pr, in->arg[0], 64);
}

static void print_align(struct printer *pr, const struct ir_insn *in, ir_type t)
{
	if (in->imm == (int64_t)ir_type_bytes(t))
		return;
	strbuf_adds(pr->out, ", align ");
	print_i64(pr, in->imm);
}

static void print_arguments(struct printer *pr, const struct ir_insn *in)
{
	const uint32_t *x = in->arg[2] ? pr->f->extra.at + in->arg[1] : NULL;

	strbuf_addc(pr->out, '(');
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		if (i)
			strbuf_adds(pr->out, ", ");
		if (ir_ops[in->op].shape == IR_S_ASM) {
			print_ref(pr, x[i], IR_VOID);
			continue;
		}
		if (x[2 * i + 1]) {
			strbuf_adds(pr->out, "byval ");
			print_u64(pr, x[2 * i + 1]);
			strbuf_addc(pr->out, ' ');
		}
		print_ref(pr, x[2 * i], IR_VOID);
	}
	strbuf_addc(pr->out, ')');
}

static void print_switch(struct printer *pr, const struct ir_insn *in)
{
	const uint32_t *x = pr->f->extra.at + in->arg[1];

	print_ref(pr, in->arg[0], in->type2);
	strbuf_adds(pr->out, ", ");
	print_edge(pr, x[0]);
	strbuf_adds(pr->out, " [");
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		if (i)
			strbuf_adds(pr->out, ", ");
		print_ref(pr, x[1 + 2 * i], in->type2);
		strbuf_adds(pr->out, ": ");
		print_edge(pr, x[2 + 2 * i]);
	}
	strbuf_addc(pr->out, ']');
}

static void print_list(struct printer *pr, const struct ir_insn *in)
{
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		uint32_t x = pr->f->extra.at[in->arg[1] + i];

		if (i)
			strbuf_adds(pr->out, ", ");
		if (in->op == IR_IBR)
			print_edge(pr, x);
		else
			print_ref(pr, x, IR_VOID);
	}
}

/* the operands in arg[] that the shape has, separated by commas */
static void print_args(struct printer *pr, const struct ir_insn *in)
{
	for (unsigned i = 0; i < 3 && ir_insn_arg_type(in, i) && in->arg[i] != IR_NONE; i++) {
		if (i)
			strbuf_adds(pr->out, ", ");
		print_ref(pr, in->arg[i], ir_insn_arg_type(in, i));
	}
}

static const char *string_or_mark(const struct printer *pr, uint64_t id)
{
	return id < pr->p->strs.n ? ir_str(pr->p, (uint32_t)id) : "?";
}

static void print_operands(struct printer *pr, const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_PADD: print_padd(pr, in); break;
	case IR_S_ALLOCA: print_alloca(pr, in); break;
	case IR_S_LOAD:
	case IR_S_RMW:
		print_args(pr, in);
		print_align(pr, in, in->type);
		break;
	case IR_S_STORE:
		print_args(pr, in);
		print_align(pr, in, in->type2);
		break;
	case IR_S_LIFE:
		print_args(pr, in);
		if (in->imm != -1) {
			strbuf_adds(pr->out, ", ");
			print_i64(pr, in->imm);
		}
		break;
	case IR_S_CALL:
		print_args(pr, in);
		print_arguments(pr, in);
		break;
	case IR_S_ASM:
		print_quoted(pr, string_or_mark(pr, in->arg[0]));
		strbuf_addc(pr->out, ' ');
		print_arguments(pr, in);
		break;
	case IR_S_STOP: print_quoted(pr, string_or_mark(pr, (uint64_t)in->imm)); break;
	case IR_S_BR: print_edge(pr, in->arg[0]); break;
	case IR_S_CBR:
		print_args(pr, in);
		strbuf_adds(pr->out, ", ");
		print_edge(pr, in->arg[1]);
		strbuf_adds(pr->out, ", ");
		print_edge(pr, in->arg[2]);
		break;
	case IR_S_SWITCH: print_switch(pr, in); break;
	case IR_S_IBR:
		print_args(pr, in);
		strbuf_adds(pr->out, " [");
		print_list(pr, in);
		strbuf_addc(pr->out, ']');
		break;
	case IR_S_RET: print_list(pr, in); break;
	default: print_args(pr, in);
	}
}

static void print_flags(struct printer *pr, uint16_t flags)
{
	uint32_t order = ir_order(flags), fail = flags >> IR_F_FAIL_SHIFT & IR_F_ORDER;

	if (order) {
		strbuf_addc(pr->out, ' ');
		strbuf_adds(
			pr->out, order < ARRAY_SIZE(ir_order_words) ? ir_order_words[order] : "?");
	}
	if (fail) {
		strbuf_adds(pr->out, " fail.");
		strbuf_adds(
			pr->out, fail < ARRAY_SIZE(ir_order_words) ? ir_order_words[fail] : "?");
	}
	print_words(pr, ir_insn_words, ARRAY_SIZE(ir_insn_words), flags);
}

static void print_insn(struct printer *pr, const struct ir_insn *in)
{
	size_t before;

	if (in->op >= IR_NOPS) {
		strbuf_addf(pr->out, "?op%u", in->op);
		return;
	}
	if (in->dst != IR_NONE) {
		for (uint32_t i = 0, n = ir_insn_ndst(in); i < n; i++) {
			if (i)
				strbuf_adds(pr->out, ", ");
			print_def(pr, in->dst + i);
		}
		strbuf_adds(pr->out, " = ");
	}
	strbuf_adds(pr->out, ir_ops[in->op].name);
	switch (ir_ops[in->op].shape) {
	case IR_S_CMP:
	case IR_S_CONV:
	case IR_S_STORE:
	case IR_S_SWITCH:
		strbuf_addc(pr->out, '.');
		strbuf_adds(pr->out, ir_type_name(in->type2));
		break;
	default: break;
	}
	print_flags(pr, in->flags);
	strbuf_addc(pr->out, ' ');
	before = pr->out->n;
	print_operands(pr, in);
	if (pr->out->n == before)
		pr->out->s[--pr->out->n] = 0;
}

/* ---- functions --------------------------------------------------------------------------- */

/* "file:line:col" and the places at which it was inlined */
static void print_place(struct printer *pr, uint32_t pos)
{
	const struct ir_program *p = pr->p;

	for (const char *sep = "";; sep = ", inlined at ") {
		const struct ir_pos *at = &p->positions.at[pos];

		strbuf_addf(pr->out, "%s%s:%u:%u", sep, ir_str(p, at->file), at->line, at->col);
		if (at->inlined_at && at->func)
			strbuf_addf(pr->out, " in %s", ir_str(p, at->func));
		/* only positions with lower ids, so that the loop ends even for an invalid table */
		if (!at->inlined_at || at->inlined_at >= pos)
			break;
		pos = at->inlined_at;
	}
}

/* Ends a line that began at `start`; the readable form has a comment there. */
static void end_line(struct printer *pr, size_t start, uint32_t pos)
{
	bool known = pos && pos < pr->p->positions.n;

	if (pr->readable && (known || pr->notes.n)) {
		size_t column = pr->out->n - start + 7; /* the line begins with a tab */

		do
			strbuf_addc(pr->out, ' ');
		while (++column < COMMENT_COLUMN);
		strbuf_adds(pr->out, "; ");
		if (pr->notes.n)
			strbuf_adds(pr->out, pr->notes.s);
		if (pr->notes.n && known)
			strbuf_adds(pr->out, "  ");
		if (known)
			print_place(pr, pos);
		strbuf_clear(&pr->notes);
	} else {
		print_pos_ref(pr, pos);
	}
	strbuf_addc(pr->out, '\n');
}

static void print_head(struct printer *pr, uint32_t func)
{
	const struct ir_func *f = pr->f;
	bool body = !(f->flags & IR_FN_EXTERN);

	strbuf_adds(pr->out, body ? "func " : "extern func ");
	print_symbol(pr, IR_C_FUNC, func);
	strbuf_addc(pr->out, '(');
	for (uint32_t i = 0; i < f->nparams; i++) {
		if (i)
			strbuf_adds(pr->out, ", ");
		if (body)
			print_def(pr, i);
		else
			strbuf_adds(pr->out, ir_type_name(f->params[i].type));
		if (f->params[i].byval)
			strbuf_addf(pr->out, " byval %lu", f->params[i].byval);
	}
	if (f->flags & IR_FN_VARARG)
		strbuf_adds(pr->out, f->nparams ? ", ..." : "...");
	strbuf_addc(pr->out, ')');
	for (uint32_t i = 0; i < f->nret; i++)
		strbuf_addf(pr->out, "%s %s", i ? "," : " ->", ir_type_name(f->ret[i]));
	print_words(pr, ir_func_words, ARRAY_SIZE(ir_func_words), f->flags);
	print_worded(pr, "abi", f->abi);
	print_worded(pr, "attrs", f->attrs);
	print_worded(pr, "section", f->section);
	print_pos_ref(pr, f->pos);
	strbuf_adds(pr->out, body ? " {\n" : "\n");
}

static void print_locals(struct printer *pr)
{
	vec_each (&pr->f->locals, i) {
		const struct ir_local *l = &pr->f->locals.at[i];
		size_t start = pr->out->n;

		strbuf_addf(pr->out, "\tlocal l%u", i);
		if (l->name) {
			strbuf_addc(pr->out, ' ');
			print_quoted(pr, ir_str(pr->p, l->name));
		}
		print_dtype_ref(pr, l->dtype);
		strbuf_addf(pr->out, " size %lu align %u", l->size, l->align);
		end_line(pr, start, l->pos);
	}
}

/* b3(%x.7:i32, %r8:ptr): the registers that the edges into it define, in the first edge's order */
static void print_label(struct printer *pr, uint32_t b, uint32_t first_edge)
{
	const struct ir_edge *e = first_edge == IR_NONE ? NULL : &pr->f->edges.at[first_edge];

	strbuf_addc(pr->out, 'b');
	print_u64(pr, b);
	for (uint32_t i = 0; e && i < e->ncopies; i++) {
		strbuf_adds(pr->out, i ? ", " : "(");
		print_def(pr, pr->f->extra.at[e->copies + 2 * i]);
	}
	strbuf_adds(pr->out, e && e->ncopies ? "):\n" : ":\n");
}

static void print_note(struct printer *pr, const struct ir_note *n)
{
	if (!n)
		return;
	print_worded(pr, "abi", n->abi);
	print_worded(pr, "constraints", n->constraints);
	print_worded(pr, "inexact", n->inexact);
}

static void print_body(struct printer *pr)
{
	const struct ir_func *f = pr->f;
	uint32_t *first_edge = xmalloc((f->blocks.n + 1) * sizeof *first_edge);

	memset(first_edge, 0xff, f->blocks.n * sizeof *first_edge);
	vec_each (&f->blocks, b) {
		const struct ir_insn *t = ir_terminator(f, b);

		for (uint32_t k = 0, n = ir_insn_nedges(t); k < n; k++) {
			uint32_t e = ir_insn_edge(f, t, k), to = f->edges.at[e].to;

			if (to < f->blocks.n && first_edge[to] == IR_NONE)
				first_edge[to] = e;
		}
	}
	vec_each (&f->blocks, b) {
		const struct ir_block *blk = &f->blocks.at[b];

		print_label(pr, b, first_edge[b]);
		for (uint32_t i = blk->first; i < blk->first + blk->n; i++) {
			size_t start = pr->out->n;

			strbuf_addc(pr->out, '\t');
			print_insn(pr, &f->insns.at[i]);
			print_note(pr, ir_note(f, i));
			end_line(pr, start, f->insns.at[i].pos);
		}
	}
	free(first_edge);
}

void print_func(struct printer *pr, uint32_t func)
{
	const struct ir_func *f = pr->f = &pr->p->funcs.at[func];

	if (pr->readable && f->pos && f->pos < pr->p->positions.n) {
		strbuf_adds(pr->out, "; ");
		print_place(pr, f->pos);
		strbuf_addc(pr->out, '\n');
	}
	print_head(pr, func);
	if (f->flags & IR_FN_EXTERN)
		return;
	print_locals(pr);
	print_body(pr);
	strbuf_adds(pr->out, "}\n");
}

void ir_print_func(struct strbuf *out, const struct ir_program *p, uint32_t func, bool readable)
{
	struct printer pr = {.out = out, .p = p, .readable = readable};

	print_number_twins(&pr);
	print_func(&pr, func);
	free(pr.twins);
	strbuf_release(&pr.notes);
}

void ir_print_insn(struct strbuf *out, const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in)
{
	struct printer pr = {.out = out, .p = p, .f = f};

	print_insn(&pr, in);
}
