#include "import/asm.h"

#include <stdlib.h>
#include <string.h>

/* ---- constraints ------------------------------------------------------------------------- */

static void parse_codes(struct asm_operand *op, const char *s, size_t n)
{
	if (n > 4 && !memcmp(s, "{@cc", 4)) {
		n = MIN(n - 5, sizeof op->cond - 1);
		memcpy(op->cond, s + 4, n);
	} else if (n > 2 && s[0] == '{') {
		op->reg = asm_register(s + 1, n - 2);
	} else if (n && s[0] >= '0' && s[0] <= '9') {
		op->same_as = atoi(s);
	}
}

/* Parses one constraint; -1 if it is not supported. */
static int parse_constraint(struct asm_state *st, const char *s, size_t n)
{
	struct asm_operand op = {.same_as = -1, .reg = -1, .value = IR_NONE};
	bool output = false;

	if (n && *s == '~') {
		st->memory_clobber |= n == 9 && !memcmp(s, "~{memory}", 9);
		return 0;
	}
	for (; n && strchr("=+*&%", *s); s++, n--) {
		output |= *s == '=';
		op.memory |= *s == '*';
		if (*s == '+')
			return -1;
	}
	if (n && *s == '!')
		return -1;
	op.direct = output && !op.memory;
	parse_codes(&op, s, n);
	if (op.same_as >= (int)st->ops.n)
		return -1;
	vec_push(&st->ops, op);
	return 0;
}

static int parse_constraints(struct asm_state *st, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		const char *stop = comma ? comma : end;

		if (parse_constraint(st, s, (size_t)(stop - s)))
			return -1;
		s = stop + (comma != NULL);
	}
	return 0;
}

static ir_type element_type(struct fn *fn, LLVMValueRef call, unsigned arg)
{
	static const char name[] = "elementtype";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);
	const struct layout *l = a ? layout_of(fn->im, LLVMGetTypeAttributeValue(a)) : NULL;

	return l && l->ok && l->n == 1 ? l->leaf[0].type : IR_VOID;
}

/* Assigns to each direct output its leaves of the call's result; -1 if they do not match. */
static int bind_results(struct asm_state *st, LLVMValueRef call)
{
	LLVMTypeRef type = LLVMTypeOf(call), t;
	const struct layout *all = layout_of(st->fn->im, type);
	uint32_t n = 0, k = 0, first = 0;

	vec_each (&st->ops, i)
		n += st->ops.at[i].direct;
	if (n > 1 && (LLVMGetTypeKind(type) != LLVMStructTypeKind ||
			     LLVMCountStructElementTypes(type) != n))
		return -1;
	vec_each (&st->ops, i) {
		struct asm_operand *op = &st->ops.at[i];

		if (!op->direct)
			continue;
		t = n > 1 ? LLVMStructGetTypeAtIndex(type, k++) : type;
		op->first = first;
		op->n = layout_of(st->fn->im, t)->n;
		op->type = op->n == 1 ? layout_of(st->fn->im, t)->leaf[0].type : IR_VOID;
		first += op->n;
	}
	return first == all->n ? 0 : -1;
}

static bool same_types(
	struct asm_state *st, LLVMValueRef call, const struct asm_operand *out, struct lanes in)
{
	const struct layout *l = layout_of_value(st->fn->im, call);

	for (uint32_t i = 0; i < out->n && i < in.n; i++)
		if (l->leaf[out->first + i].type != ref_type(st->fn, lane(st->fn, in, i)))
			return false;
	return out->n == in.n;
}

/* Assigns the arguments, in order, to inputs and memory operands; -1 if they do not match. */
static int bind_arguments(struct asm_state *st, LLVMValueRef call)
{
	unsigned nargs = LLVMGetNumArgOperands(call), arg = 0;

	if (bind_results(st, call))
		return -1;
	vec_each (&st->ops, i) {
		struct asm_operand *op = &st->ops.at[i], *out;

		if (op->direct)
			continue;
		if (arg >= nargs)
			return -1;
		op->lanes = fn_use(st->fn, LLVMGetOperand(call, arg));
		if (op->lanes.n == 1) {
			op->value = lane(st->fn, op->lanes, 0);
			op->type = op->memory ? element_type(st->fn, call, arg)
					      : ref_type(st->fn, op->value);
		}
		arg++;
		if (op->same_as < 0)
			continue;
		out = &st->ops.at[op->same_as];
		if (!out->direct || op->memory || !same_types(st, call, out, op->lanes))
			return -1;
		out->value = op->value;
		out->lanes = op->lanes;
	}
	return arg == nargs ? 0 : -1;
}

/* ---- the template ------------------------------------------------------------------------ */

static bool run_statements(struct asm_state *st, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *stop = s;

		while (stop < end && *stop != ';' && *stop != '\n' && *stop != '#')
			stop++;
		if (!asm_statement(st, s, (size_t)(stop - s)))
			return false;
		if (stop < end && *stop == '#') /* comment up to the end of the line */
			while (stop < end && *stop != '\n')
				stop++;
		s = stop + 1;
	}
	return !st->lock && !st->rep;
}

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\n", s[i]))
			return false;
	return true;
}

static bool set_results(struct asm_state *st, LLVMValueRef call, struct lanes *out)
{
	struct fn *fn = st->fn;

	*out = lanes_undef(fn, layout_of_value(fn->im, call));
	vec_each (&st->ops, i) {
		struct asm_operand *op = &st->ops.at[i];

		if (!op->direct)
			continue;
		if (op->cond[0]) {
			ir_ref flag = asm_condition(st, op->cond);

			if (flag == IR_NONE || !op->type || op->type > 64)
				return false;
			op->value = emit_resize(fn, op->type, flag, false);
		}
		if (op->n == 1 && op->value != IR_NONE)
			lane_set(fn, *out, op->first, op->value);
		for (uint32_t k = 0; op->n > 1 && k < op->lanes.n; k++)
			lane_set(fn, *out, op->first + k, lane(fn, op->lanes, k));
	}
	return true;
}

/* Translates the template; false if a part of it is not supported. */
static bool translate_asm(
	struct asm_state *st, LLVMValueRef call, LLVMValueRef callee, struct lanes *out)
{
	const char *s;
	size_t n;

	if (LLVMGetInlineAsmDialect(callee) != LLVMInlineAsmDialectATT)
		return false;
	s = LLVMGetInlineAsmConstraintString(callee, &n);
	if (parse_constraints(st, s, n) || bind_arguments(st, call))
		return false;
	s = LLVMGetInlineAsmAsmString(callee, &n);
	if (is_blank(s, n) && st->memory_clobber)
		emit(st->fn, IR_FENCE, IR_VOID)->flags = IR_O_SEQCST | IR_F_COMPILER;
	return run_statements(st, s, n) && set_results(st, call, out) && !st->fn->reason;
}

/* Emits the template as one `asm` instruction. */
static struct lanes emit_template(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	size_t n;
	const char *s = LLVMGetInlineAsmAsmString(callee, &n);

	return emit_opaque(
		fn, call, s, n, LLVMGetInlineAsmHasSideEffects(callee) ? IR_F_SIDE : 0);
}

struct lanes asm_call(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	struct asm_state st = {.fn = fn};
	struct mark m = fn_mark(fn);
	struct lanes out;
	bool ok;

	asm_lose_flags(&st, IR_NONE);
	for (int i = 0; i < ASM_REGS; i++)
		st.scratch[i] = IR_NONE;
	ok = translate_asm(&st, call, callee, &out);
	vec_release(&st.ops);
	if (ok)
		return out;
	fn_rollback(fn, m);
	fn->reason = 0;
	return emit_template(fn, call, callee);
}
