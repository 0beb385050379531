#include "ir/abi.h"

void ir_abi_type(struct strbuf *out, ir_type t)
{
	switch (t) {
	case IR_F32: strbuf_adds(out, "float"); break;
	case IR_F64: strbuf_adds(out, "double"); break;
	case IR_F80: strbuf_adds(out, "x86_fp80"); break;
	case IR_F16: strbuf_adds(out, "half"); break;
	case IR_F128: strbuf_adds(out, "fp128"); break;
	default: strbuf_adds(out, ir_type_name(t));
	}
}

/* void, T or { T, U }; the k-th type is type_at(ctx, k) */
static void add_results(struct strbuf *out, uint32_t n,
	ir_type (*type_at)(const void *ctx, uint32_t k), const void *ctx)
{
	if (!n)
		strbuf_adds(out, "void");
	if (n > 1)
		strbuf_adds(out, "{ ");
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			strbuf_adds(out, ", ");
		ir_abi_type(out, type_at(ctx, i));
	}
	if (n > 1)
		strbuf_adds(out, " }");
	strbuf_adds(out, " @_(");
}

static void add_param(struct strbuf *out, ir_type t, uint64_t byval)
{
	ir_abi_type(out, t);
	if (byval)
		strbuf_addf(out, " byval([%lu x i8]) align 8", byval);
}

static ir_type func_result(const void *ctx, uint32_t k)
{
	const struct ir_func *f = ctx;

	return f->ret[k];
}

void ir_abi_func(struct strbuf *out, const struct ir_program *p, const struct ir_func *f)
{
	if (f->abi) {
		strbuf_adds(out, ir_str(p, f->abi));
		return;
	}
	add_results(out, f->nret, func_result, f);
	for (uint32_t i = 0; i < f->nparams; i++) {
		if (i)
			strbuf_adds(out, ", ");
		add_param(out, f->params[i].type, f->params[i].byval);
	}
	if (f->flags & IR_FN_VARARG)
		strbuf_adds(out, f->nparams ? ", ..." : "...");
	strbuf_addc(out, ')');
}

static ir_type reg_result(const void *ctx, uint32_t k)
{
	const struct ir_reg *first = ctx;

	return first[k].type;
}

void ir_abi_call_default(struct strbuf *out, const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in)
{
	uint32_t callee = ir_callee(f, in);

	if (callee != IR_NONE) {
		ir_abi_func(out, p, &p->funcs.at[callee]);
		return;
	}
	add_results(out, ir_insn_ndst(in), reg_result,
		in->dst == IR_NONE ? NULL : &f->regs.at[in->dst]);
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		const uint32_t *arg = &f->extra.at[in->arg[1] + 2 * i];

		if (i)
			strbuf_adds(out, ", ");
		add_param(out, ir_ref_type(f, arg[0]), arg[1]);
	}
	strbuf_addc(out, ')');
}

void ir_abi_call(
	struct strbuf *out, const struct ir_program *p, const struct ir_func *f, uint32_t insn)
{
	const struct ir_note *n = ir_note(f, insn);

	if (n && n->abi)
		strbuf_adds(out, ir_str(p, n->abi));
	else
		ir_abi_call_default(out, p, f, &f->insns.at[insn]);
}
