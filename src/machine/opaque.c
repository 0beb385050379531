/* Results of operations and functions of <math.h> that terms do not have, as symbols (extension.h). */
#include "machine/extension.h"

#include "base/base.h"
#include "machine/code.h"

term_t opaque_result(struct machine *m, const struct ir_insn *in, const term_t *args, int n)
{
	struct symbolic_operation op = {.name = ir_ops[in->op].name,
		.in = in,
		.n = (uint32_t)n,
		.bits = ir_type_bits(in->type)};
	struct val v[3] = {0}, r[2] = {0};

	for (int i = 0; i < n; i++)
		if (term_width(m->ts, args[i]) > 64)
			return TERM_NONE;
	if (ir_ops[in->op].shape == IR_S_OVF || eval_op(in, v, r) != EVAL_OK)
		return TERM_NONE; /* not supported */
	return m->symbolic_ops->opaque(m, &op, args);
}

bool opaque_call(struct machine *m, const struct frame *f, uint32_t func, const struct ir_insn *in,
	const struct opnd *args, uint32_t n, term_t *out)
{
	const struct ir_func *fn = frame_func(m, f);
	struct symbolic_operation op = {.name = ir_func_name(m->p, func),
		.fn = m->builtins[func],
		.n = n,
		.bits = ir_type_bits(in->type)};
	bool terms = false;
	term_t a[3];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t bits = ir_type_bits(ir_ref_type(fn, fn->extra.at[in->arg[1] + 2 * i]));

		if (i >= ARRAY_SIZE(a) || bits > 64 || args[i].u.lo || args[i].u.hi)
			return false;
		terms |= args[i].t.id != 0;
		a[i] = opnd_term(m, args[i], bits);
	}
	if (!terms || !op.bits || math_find(op.name) != op.fn)
		return false;
	*out = m->symbolic_ops->opaque(m, &op, a);
	return out->id;
}
