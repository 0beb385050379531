#include "ir/parse_internal.h"

#include "base/arena.h"
#include "base/hash.h"

#include <string.h>

/* ---- registers and constants ------------------------------------------------------------- */

/* The register of the current token; adds it to the function if it is new. */
static uint32_t parse_reg(struct parser *ps)
{
	uint64_t r = ps->lx.t.lo;
	char buf[48];

	if (ps->lx.t.kind != TOK_REG) {
		lex_fail(&ps->lx, "expected a register, not %s", lex_describe(&ps->lx, buf));
		return 0;
	}
	if (r >= ps->f->regs.n) {
		/* the number of registers is limited by the length of the text */
		if (r - ps->f->regs.n >= ps->regs_left) {
			lex_fail(&ps->lx, "register number %lu out of proportion", r);
			return 0;
		}
		ps->regs_left -= r + 1 - ps->f->regs.n;
		vec_resize(&ps->f->regs, (uint32_t)r + 1);
	}
	lex_next(&ps->lx);
	return (uint32_t)r;
}

/* %name.7:i32 $3 */
static uint32_t parse_def(struct parser *ps)
{
	uint32_t name = 0, r;

	if (ps->lx.t.kind == TOK_REG && ps->lx.t.n)
		name = intern_strn(&ps->p->strs, ps->lx.t.s, ps->lx.t.n);
	r = parse_reg(ps);
	parse_char(ps, ':');
	if (ps->lx.failed)
		return 0;
	ps->f->regs.at[r] = (struct ir_reg){.type = parse_type(ps), .name = name};
	ps->f->regs.at[r].dtype = parse_opt_dtype(ps);
	return r;
}

static ir_ref add_const(struct parser *ps, struct ir_const c)
{
	uint64_t words[] = {
		ps->func, (uint64_t)c.kind << 40 | (uint64_t)c.type << 32 | c.id, c.lo, c.hi};
	uint64_t *slot = map_put(&ps->consts, hash_bytes(words, sizeof words));

	if (*slot && *slot <= ps->f->consts.n) {
		const struct ir_const *k = &ps->f->consts.at[*slot - 1];

		if (k->kind == c.kind && k->type == c.type && k->id == c.id && k->lo == c.lo &&
			k->hi == c.hi)
			return IR_CONST_BIT | (uint32_t)(*slot - 1);
	}
	vec_push(&ps->f->consts, c);
	*slot = ps->f->consts.n;
	return IR_CONST_BIT | (ps->f->consts.n - 1);
}

/* The bits of a literal in the width of the type; a decimal literal may have a sign. */
static struct ir_const parse_literal(struct parser *ps, const struct token *t, ir_type type)
{
	struct ir_const c = {.kind = IR_C_BITS, .type = type, .lo = t->lo, .hi = t->hi};
	uint32_t bits = ir_type_bits(type);
	uint64_t lo_mask = bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
	uint64_t hi_mask = bits <= 64 ? 0 : UINT64_MAX >> (128 - bits);
	bool fits;

	if (t->neg) {
		fits = bits > 64 || c.lo <= 1ull << (bits - 1);
		c.hi = c.lo ? hi_mask : 0;
		c.lo = -c.lo & lo_mask;
	} else {
		fits = !(c.lo & ~lo_mask) && !(c.hi & ~hi_mask);
	}
	if (!fits)
		lex_fail_at(&ps->lx, t->line, t->col, "number does not fit in '%s'",
			ir_type_name(type));
	return c;
}

static bool is_word(const struct token *t, const char *word)
{
	return t->kind == TOK_WORD && t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

/* The constant of the given type that a single token denotes. */
static ir_ref token_const(struct parser *ps, const struct token *t, ir_type type)
{
	struct ir_const c = {.kind = IR_C_BITS, .type = type};

	if (!type)
		lex_fail_at(&ps->lx, t->line, t->col, "expected an operand with its type");
	else if (t->kind == TOK_INT)
		c = parse_literal(ps, t, type);
	else if (is_word(t, "undef"))
		c.kind = IR_C_UNDEF;
	else if (type != IR_PTR || !is_word(t, "null"))
		lex_fail_at(&ps->lx, t->line, t->col, "expected a register or a constant");
	return add_const(ps, c);
}

static ir_ref parse_const(struct parser *ps, ir_type type)
{
	struct ir_const c = {.type = type ? type : IR_PTR};
	int64_t addend = 0;
	ir_ref r;

	if (ps->lx.t.kind == TOK_SYM) {
		parse_address(ps, &c.kind, &c.id, &addend);
		c.lo = (uint64_t)addend;
		return add_const(ps, c);
	}
	r = token_const(ps, &ps->lx.t, type);
	lex_next(&ps->lx);
	return r;
}

/* An operand; a constant has the expected type unless the text has another one. */
static ir_ref parse_ref(struct parser *ps, ir_type expected)
{
	const struct token *t = &ps->lx.t;
	int type;

	if (t->kind == TOK_REG)
		return parse_reg(ps);
	type = t->kind == TOK_WORD ? ir_type_parse(t->s, t->n) : -1;
	if (type > 0) {
		expected = (ir_type)type;
		lex_next(&ps->lx);
	}
	return parse_const(ps, expected);
}

/* The source of a copy. The type of the destination may be known only later, from the label of the
 * target block; a constant without a type of its own is kept in `untyped` until then. */
static ir_ref parse_copy_source(struct parser *ps, ir_type type)
{
	const struct token *t = &ps->lx.t;

	if (type || (t->kind != TOK_INT && !is_word(t, "undef") && !is_word(t, "null")))
		return parse_ref(ps, type);
	vec_push(&ps->untyped, (struct parse_untyped){ps->f->extra.n, *t});
	lex_next(&ps->lx);
	return IR_NONE;
}

static void type_copies(struct parser *ps)
{
	vec_each (&ps->untyped, i) {
		const struct parse_untyped *u = &ps->untyped.at[i];
		uint32_t dst = ps->f->extra.at[u->extra - 1];

		ps->f->extra.at[u->extra] = token_const(ps, &u->t, ps->f->regs.at[dst].type);
	}
	vec_clear(&ps->untyped);
}

/* b3, b3(%r7=%r5, %r8=0): the id of a new edge */
static uint32_t parse_edge(struct parser *ps)
{
	struct ir_edge e = {.to = parse_numbered(ps, 'b'), .copies = ps->f->extra.n};

	if (parse_try_char(ps, '(')) {
		do {
			uint32_t dst = parse_reg(ps);
			ir_type type = ps->f->regs.n ? ps->f->regs.at[dst].type : IR_VOID;
			ir_ref src;

			vec_push(&ps->f->extra, dst);
			parse_char(ps, '=');
			src = parse_copy_source(ps, type);
			vec_push(&ps->f->extra, src);
			e.ncopies++;
		} while (parse_try_char(ps, ','));
		parse_char(ps, ')');
	}
	vec_push(&ps->f->edges, e);
	return ps->f->edges.n - 1;
}

/* ---- operands by shape ------------------------------------------------------------------- */

static void parse_args(struct parser *ps, struct ir_insn *in)
{
	for (unsigned i = 0; i < 3 && ir_insn_arg_type(in, i); i++) {
		if (i && in->op != IR_VA_COPY && ir_ops[in->op].shape == IR_S_VA)
			break;
		if (i)
			parse_char(ps, ',');
		in->arg[i] = parse_ref(ps, ir_insn_arg_type(in, i));
	}
}

static void parse_align(struct parser *ps, struct ir_insn *in, ir_type t)
{
	in->imm = ir_type_bytes(t);
	if (parse_try_char(ps, ',')) {
		parse_word(ps, "align");
		in->imm = parse_i64(ps);
	}
}

/* p, p + i * 8, p + i * 8 - 4, p + 16 */
static void parse_padd(struct parser *ps, struct ir_insn *in)
{
	bool minus;

	in->arg[0] = parse_ref(ps, IR_PTR);
	in->arg[1] = IR_NONE;
	if (parse_try_char(ps, '+')) {
		struct token number = ps->lx.t;

		in->arg[1] = parse_ref(ps, 64);
		if (!parse_try_char(ps, '*')) {
			/* there is no scale, so the operand is the offset and not an index */
			if (number.kind != TOK_INT || number.lo > INT64_MAX)
				lex_fail(&ps->lx, "expected '* scale' after an index");
			in->imm = (int64_t)number.lo;
			in->arg[1] = IR_NONE;
			return;
		}
		in->arg[2] = parse_u32(ps);
	}
	minus = ps->lx.t.kind == '-';
	if (!parse_try_char(ps, '+') && !parse_try_char(ps, '-'))
		return;
	ps->lx.t.neg = minus && ps->lx.t.kind == TOK_INT;
	in->imm = parse_i64(ps);
}

static void parse_alloca(struct parser *ps, struct ir_insn *in)
{
	in->imm = parse_numbered(ps, 'l');
	if (parse_try_char(ps, '*'))
		in->arg[0] = parse_ref(ps, 64);
	else
		in->arg[0] =
			add_const(ps, (struct ir_const){.kind = IR_C_BITS, .type = 64, .lo = 1});
}

/* (i32 1, %r2, byval 24 %r3); an operand of asm has one word in extra[], an argument two */
static void parse_arguments(struct parser *ps, struct ir_insn *in)
{
	bool is_call = in->op == IR_CALL;

	in->arg[1] = ps->f->extra.n;
	in->arg[2] = 0;
	parse_char(ps, '(');
	if (parse_try_char(ps, ')'))
		return;
	do {
		uint32_t byval = is_call && parse_try_word(ps, "byval") ? parse_u32(ps) : 0;

		vec_push(&ps->f->extra, parse_ref(ps, IR_VOID));
		if (is_call)
			vec_push(&ps->f->extra, byval);
		in->arg[2]++;
	} while (parse_try_char(ps, ','));
	parse_char(ps, ')');
}

/* moves ps->list to extra[] as the list of the instruction */
static void take_list(struct parser *ps, struct ir_insn *in)
{
	in->arg[1] = ps->f->extra.n;
	vec_each (&ps->list, i)
		vec_push(&ps->f->extra, ps->list.at[i]);
}

static void parse_switch(struct parser *ps, struct ir_insn *in)
{
	vec_clear(&ps->list);
	in->arg[0] = parse_ref(ps, in->type2);
	parse_char(ps, ',');
	vec_push(&ps->list, parse_edge(ps));
	parse_char(ps, '[');
	in->arg[2] = 0;
	while (ps->lx.t.kind != ']' && ps->lx.t.kind != TOK_END) {
		if (in->arg[2])
			parse_char(ps, ',');
		vec_push(&ps->list, parse_ref(ps, in->type2));
		parse_char(ps, ':');
		vec_push(&ps->list, parse_edge(ps));
		in->arg[2]++;
	}
	parse_char(ps, ']');
	take_list(ps, in);
}

static void parse_ibr(struct parser *ps, struct ir_insn *in)
{
	vec_clear(&ps->list);
	parse_args(ps, in);
	parse_char(ps, '[');
	while (ps->lx.t.kind != ']' && ps->lx.t.kind != TOK_END) {
		if (ps->list.n)
			parse_char(ps, ',');
		vec_push(&ps->list, parse_edge(ps));
	}
	parse_char(ps, ']');
	in->arg[2] = ps->list.n;
	take_list(ps, in);
}

static void parse_ret(struct parser *ps, struct ir_insn *in)
{
	in->arg[1] = ps->f->extra.n;
	in->arg[2] = 0;
	if (ps->lx.t.nl || ps->lx.t.kind == TOK_POS)
		return;
	do {
		vec_push(&ps->f->extra, parse_ref(ps, IR_VOID));
		in->arg[2]++;
	} while (parse_try_char(ps, ','));
}

static void parse_operands(struct parser *ps, struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_PADD: parse_padd(ps, in); break;
	case IR_S_ALLOCA: parse_alloca(ps, in); break;
	case IR_S_LOAD:
	case IR_S_RMW:
		parse_args(ps, in);
		parse_align(ps, in, in->type);
		break;
	case IR_S_STORE:
		parse_args(ps, in);
		parse_align(ps, in, in->type2);
		break;
	case IR_S_LIFE:
		parse_args(ps, in);
		in->imm = parse_try_char(ps, ',') ? parse_i64(ps) : -1;
		break;
	case IR_S_CALL:
		parse_args(ps, in);
		parse_arguments(ps, in);
		break;
	case IR_S_ASM:
		in->arg[0] = parse_string(ps);
		parse_arguments(ps, in);
		break;
	case IR_S_STOP: in->imm = parse_string(ps); break;
	case IR_S_BR: in->arg[0] = parse_edge(ps); break;
	case IR_S_CBR:
		parse_args(ps, in);
		parse_char(ps, ',');
		in->arg[1] = parse_edge(ps);
		parse_char(ps, ',');
		in->arg[2] = parse_edge(ps);
		break;
	case IR_S_SWITCH: parse_switch(ps, in); break;
	case IR_S_IBR: parse_ibr(ps, in); break;
	case IR_S_RET: parse_ret(ps, in); break;
	default: parse_args(ps, in);
	}
}

/* ---- instructions ------------------------------------------------------------------------ */

static int find_op(struct parser *ps, const char *s, size_t n)
{
	uint32_t op = (uint32_t)map_get_or(&ps->ops, hash_bytes(s, n), 0);

	if (!op || strlen(ir_ops[op - 1].name) != n || memcmp(ir_ops[op - 1].name, s, n))
		return -1;
	return (int)op - 1;
}

static bool has_type2(enum ir_shape s)
{
	return s == IR_S_CMP || s == IR_S_CONV || s == IR_S_STORE || s == IR_S_SWITCH;
}

/* add, rmw.add, slt.i32 */
static void parse_op(struct parser *ps, struct ir_insn *in)
{
	const struct token *t = &ps->lx.t;
	const char *dot;
	int op, type = -1;
	char buf[48];

	if (t->kind != TOK_WORD) {
		lex_fail(&ps->lx, "expected an operation, not %s", lex_describe(&ps->lx, buf));
		return;
	}
	op = find_op(ps, t->s, t->n);
	if (op < 0 && (dot = memrchr(t->s, '.', t->n))) {
		op = find_op(ps, t->s, (size_t)(dot - t->s));
		type = ir_type_parse(dot + 1, t->n - (size_t)(dot + 1 - t->s));
		if (op >= 0 && (type < 0 || !has_type2(ir_ops[op].shape)))
			op = -1;
	}
	if (op < 0)
		lex_fail(&ps->lx, "unknown operation '%.*s'", (int)MIN(t->n, (size_t)40), t->s);
	else if (has_type2(ir_ops[op].shape) && type < 0)
		lex_fail(&ps->lx, "'%s' needs the type of its operands (as in '%s.i32')",
			ir_ops[op].name, ir_ops[op].name);
	if (ps->lx.failed)
		return;
	in->op = (uint8_t)op;
	in->type2 = type < 0 ? IR_VOID : (ir_type)type;
	lex_next(&ps->lx);
}

/* a memory order, of success or of failure; false if the word is not one */
static bool parse_order(struct parser *ps, uint16_t *flags)
{
	const struct token *t = &ps->lx.t;
	bool fail = t->n > 5 && !memcmp(t->s, "fail.", 5);
	size_t skip = fail ? 5 : 0;

	for (uint16_t o = 1; o < ARRAY_SIZE(ir_order_words); o++)
		if (strlen(ir_order_words[o]) == t->n - skip &&
			!memcmp(ir_order_words[o], t->s + skip, t->n - skip)) {
			unsigned shift = fail ? IR_F_FAIL_SHIFT : 0;

			*flags &= (uint16_t)~(IR_F_ORDER << shift);
			*flags |= (uint16_t)(o << shift);
			lex_next(&ps->lx);
			return true;
		}
	return false;
}

static void parse_flags(struct parser *ps, struct ir_insn *in)
{
	while (ps->lx.t.kind == TOK_WORD && !ps->lx.t.nl) {
		uint32_t bits = parse_words(ps, ir_insn_words, ARRAY_SIZE(ir_insn_words));

		in->flags |= (uint16_t)bits;
		if (!bits && !parse_order(ps, &in->flags))
			break;
	}
}

/* %r7:i32, %r8:i1 = ; returns the number of results */
static uint32_t parse_results(struct parser *ps, struct ir_insn *in)
{
	uint32_t n = 0, r;

	if (ps->lx.t.kind != TOK_REG)
		return 0;
	do {
		r = parse_def(ps);
		if (!n)
			in->dst = r;
		else if (r != in->dst + n)
			lex_fail(&ps->lx, "results must be numbered one after the other");
		n++;
	} while (parse_try_char(ps, ','));
	parse_char(ps, '=');
	if (!ps->lx.failed)
		in->type = ps->f->regs.at[in->dst].type;
	return n;
}

/* The note on the instruction that is added next. */
static void parse_note(struct parser *ps)
{
	struct ir_note n = {.insn = ps->f->insns.n};

	if (ps->lx.t.nl)
		return;
	n.abi = parse_opt_text(ps, "abi");
	n.constraints = parse_opt_text(ps, "constraints");
	n.inexact = parse_opt_text(ps, "inexact");
	if (n.abi || n.constraints || n.inexact)
		vec_push(&ps->f->notes, n);
}

static void parse_insn(struct parser *ps)
{
	struct ir_insn in = {.dst = IR_NONE, .arg = {IR_NONE, IR_NONE, IR_NONE}};
	struct place here = parse_here(ps);
	uint32_t nresults = parse_results(ps, &in);
	enum ir_shape s;

	parse_op(ps, &in);
	if (ps->lx.failed)
		return;
	s = ir_ops[in.op].shape;
	if (s == IR_S_CALL || s == IR_S_ASM)
		in.imm = nresults;
	else if (nresults > 1 || s == IR_S_OVF || s == IR_S_CAS)
		if ((s != IR_S_OVF && s != IR_S_CAS) || nresults != 2)
			lex_fail(&ps->lx, "wrong number of results for '%s'", ir_ops[in.op].name);
	parse_flags(ps, &in);
	parse_operands(ps, &in);
	parse_note(ps);
	in.pos = parse_opt_pos(ps);
	parse_line_end(ps);
	vec_push(&ps->f->insns, in);
	vec_push(&ps->insn_places, here);
}

/* ---- functions --------------------------------------------------------------------------- */

static void parse_params(struct parser *ps, bool is_extern)
{
	struct ir_func *f = ps->f;
	VEC(struct ir_param) params = {0};

	parse_char(ps, '(');
	while (ps->lx.t.kind != ')' && ps->lx.t.kind != TOK_END) {
		struct ir_param prm = {0};

		if (params.n)
			parse_char(ps, ',');
		if (parse_try_char(ps, TOK_ELLIPSIS)) {
			f->flags |= IR_FN_VARARG;
			break;
		}
		if (is_extern) {
			prm.type = parse_type(ps);
		} else {
			if (ps->lx.t.kind == TOK_REG && ps->lx.t.lo != params.n)
				lex_fail(&ps->lx, "parameter %u must be register %u", params.n,
					params.n);
			parse_def(ps);
			if (!ps->lx.failed)
				prm.type = f->regs.at[params.n].type;
		}
		if (parse_try_word(ps, "byval"))
			prm.byval = parse_u64(ps);
		vec_push(&params, prm);
	}
	parse_char(ps, ')');
	f->nparams = params.n;
	f->params = arena_memdup(&ps->p->arena, params.at, params.n * sizeof *params.at);
	vec_release(&params);
}

static void parse_result_types(struct parser *ps)
{
	VEC(ir_type) ret = {0};

	if (!parse_try_char(ps, TOK_ARROW))
		return;
	do
		vec_push(&ret, parse_type(ps));
	while (parse_try_char(ps, ','));
	ps->f->nret = ret.n;
	ps->f->ret = arena_memdup(&ps->p->arena, ret.at, ret.n * sizeof *ret.at);
	vec_release(&ret);
}

/* l0 "name" $3 size 8 align 8 !5 */
static void parse_local(struct parser *ps)
{
	struct ir_local l = {0};

	if (parse_numbered(ps, 'l') != ps->f->locals.n)
		lex_fail(&ps->lx, "locals must be numbered one after the other");
	if (ps->lx.t.kind == TOK_STR)
		l.name = parse_string(ps);
	l.dtype = parse_opt_dtype(ps);
	parse_word(ps, "size");
	l.size = parse_u64(ps);
	parse_word(ps, "align");
	l.align = parse_u32(ps);
	l.pos = parse_opt_pos(ps);
	parse_line_end(ps);
	vec_push(&ps->f->locals, l);
}

/* b3: or b3(%r7:i32, %x.8:ptr): */
static void parse_label(struct parser *ps)
{
	if (parse_numbered(ps, 'b') != ps->f->blocks.n)
		lex_fail(&ps->lx, "expected block 'b%u'", ps->f->blocks.n);
	if (parse_try_char(ps, '(')) {
		do
			parse_def(ps);
		while (parse_try_char(ps, ','));
		parse_char(ps, ')');
	}
	parse_char(ps, ':');
}

static void parse_body(struct parser *ps)
{
	struct ir_func *f = ps->f;

	parse_char(ps, '{');
	while (parse_try_word(ps, "local"))
		parse_local(ps);
	while (parse_at_numbered(ps, 'b')) {
		uint32_t first = f->insns.n;

		parse_label(ps);
		while (ps->lx.t.kind != '}' && ps->lx.t.kind != TOK_END &&
			!parse_at_numbered(ps, 'b'))
			parse_insn(ps);
		vec_push(&f->blocks, (struct ir_block){first, f->insns.n - first});
	}
	parse_char(ps, '}');
}

void parse_func(struct parser *ps, bool is_extern)
{
	struct ir_program *p = ps->p;
	uint32_t sym;

	vec_push(&ps->func_places, parse_here(ps));
	vec_push(&ps->first_insn, ps->insn_places.n);
	sym = parse_bare_symbol(ps);
	if (ps->lx.failed)
		return;
	ps->func = p->funcs.n;
	ps->f = vec_add(&p->funcs);
	ps->f->name = ps->syms.at[sym].name;
	parse_define(ps, sym, IR_C_FUNC, ps->func);
	parse_params(ps, is_extern);
	parse_result_types(ps);
	ps->f->flags |= is_extern ? IR_FN_EXTERN : 0;
	ps->f->flags |= parse_words(ps, ir_func_words, ARRAY_SIZE(ir_func_words));
	ps->f->abi = parse_opt_text(ps, "abi");
	ps->f->attrs = parse_opt_text(ps, "attrs");
	ps->f->section = parse_opt_text(ps, "section");
	ps->f->pos = parse_opt_pos(ps);
	if (!is_extern)
		parse_body(ps);
	if (!ps->lx.failed)
		type_copies(ps);
}
