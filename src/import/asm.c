#include "import/importer.h"

struct lanes asm_opaque(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	const struct layout *l = layout_of_value(fn->im, call);
	unsigned n = LLVMGetNumArgOperands(call);
	VEC(uint32_t) args = {0};
	struct ir_insn *in;
	struct lanes out;
	const char *s;
	size_t len;

	for (unsigned i = 0; i < n; i++) {
		struct lanes a = fn_use(fn, LLVMGetOperand(call, i));

		for (uint32_t k = 0; k < a.n; k++)
			vec_push(&args, lane(fn, a, k));
	}
	s = LLVMGetInlineAsmAsmString(callee, &len);
	out = lanes_new(fn, l->n);
	in = emit(fn, IR_ASM, l->n ? l->leaf[0].type : IR_VOID);
	in->arg[0] = str_id(fn->im, s, len);
	in->arg[1] = fn->f.extra.n;
	in->arg[2] = args.n;
	in->imm = l->n;
	in->flags = LLVMGetInlineAsmHasSideEffects(callee) ? IR_F_SIDE : 0;
	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i, reg_new(fn, l->leaf[i].type));
	if (l->n)
		in->dst = lane(fn, out, 0);
	vec_each (&args, i)
		vec_push(&fn->f.extra, args.at[i]);
	vec_release(&args);
	return out;
}

struct lanes asm_call(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	return asm_opaque(fn, call, callee);
}
