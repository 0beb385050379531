#include "gen_start.h"

#include "gen_ir.h"

static uint32_t add_func(struct ir_program *p, const char *name, uint32_t flags)
{
	struct ir_func *f = vec_add(&p->funcs);

	f->name = intern_str(&p->strs, name);
	f->flags = flags;
	*map_put(&p->func_by_name, f->name) = p->funcs.n - 1;
	return p->funcs.n - 1;
}

static struct ir_insn *add_insn(struct ir_func *f, enum ir_op op, ir_type type)
{
	struct ir_insn *in = vec_add(&f->insns);

	in->op = (uint8_t)op;
	in->type = type;
	in->dst = IR_NONE;
	in->arg[0] = in->arg[1] = in->arg[2] = IR_NONE;
	if (type) {
		vec_push(&f->regs, (struct ir_reg){.type = type});
		in->dst = f->regs.n - 1;
	}
	return in;
}

static ir_ref konst(struct ir_func *f, uint8_t kind, ir_type type, uint32_t id)
{
	return gen_add_const(f, (struct ir_const){.kind = kind, .type = type, .id = id});
}

static void add_call(struct ir_func *f, uint32_t callee, ir_type ret, const ir_ref *args, uint32_t n)
{
	struct ir_insn *in = add_insn(f, IR_CALL, ret);

	in->arg[0] = konst(f, IR_C_FUNC, IR_PTR, callee);
	in->arg[1] = f->extra.n;
	in->arg[2] = n;
	in->imm = ret != IR_VOID;
	for (uint32_t i = 0; i < n; i++) {
		vec_push(&f->extra, args[i]);
		vec_push(&f->extra, 0);
	}
}

void gen_start(struct ir_program *p)
{
	uint32_t exit_ = add_func(p, "__heddle_exit", IR_FN_EXTERN | IR_FN_NORETURN);
	uint32_t start = add_func(p, "__heddle_start", 0);
	struct ir_func *f = &p->funcs.at[start];
	ir_ref args[2] = {konst(f, IR_C_BITS, 32, 0), konst(f, IR_C_BITS, IR_PTR, 0)};
	struct ir_insn *in;

	p->funcs.at[exit_].nparams = 1;
	p->funcs.at[exit_].params = arena_new(&p->arena, struct ir_param);
	p->funcs.at[exit_].params[0].type = 32;
	vec_push(&f->blocks, (struct ir_block){0});
	add_call(f, ir_find_func(p, "main"), 32, args, 2); /* %0 */
	in = add_insn(f, IR_LOAD, 64);                     /* %1 */
	in->arg[0] = konst(f, IR_C_GLOBAL, IR_PTR, ir_find_global(p, "checksum"));
	in->imm = 8;
	in = add_insn(f, IR_LSHR, 64); /* %2 */
	in->arg[0] = 1;
	in->arg[1] = gen_add_const(f, (struct ir_const){.kind = IR_C_BITS, .type = 64, .lo = 32});
	in = add_insn(f, IR_XOR, 64); /* %3 */
	in->arg[0] = 1;
	in->arg[1] = 2;
	in = add_insn(f, IR_TRUNC, 32); /* %4 */
	in->type2 = 64;
	in->arg[0] = 3;
	add_call(f, exit_, IR_VOID, (ir_ref[]){4}, 1);
	add_insn(f, IR_UNREACHABLE, IR_VOID);
	f->blocks.at[0].n = f->insns.n;
}
