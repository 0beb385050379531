#include "import/intrinsic.h"

#include <string.h>

#define HANDLER(f)                                                                                 \
	static struct lanes f(struct fn *fn, LLVMValueRef call, const struct intrinsic *in)

static ir_ref first_lane_of_arg(struct fn *fn, LLVMValueRef call, unsigned i)
{
	return fn_use1(fn, LLVMGetOperand(call, i));
}

/* ---- operations, lane by lane ------------------------------------------------------------ */

HANDLER(unary)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(call, 0)), out = lanes_new(fn, a.n);

	if (a.n && !fn_computable(fn, lane(fn, a, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i, emit_un(fn, (enum ir_op)in->op, lane(fn, a, i)));
	return out;
}

HANDLER(binary)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(call, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(call, 1)), out = lanes_new(fn, a.n);

	if (a.n && !fn_computable(fn, lane(fn, a, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i,
			emit_bin(fn, (enum ir_op)in->op, lane(fn, a, i), lane(fn, b, i)));
	return out;
}

HANDLER(ternary)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(call, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(call, 1));
	struct lanes c = fn_use(fn, LLVMGetOperand(call, 2)), out = lanes_new(fn, a.n);

	if (a.n && !fn_computable(fn, lane(fn, a, 0)))
		return lanes_none();
	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i,
			emit_tern(fn, (enum ir_op)in->op, lane(fn, a, i), lane(fn, b, i),
				lane(fn, c, i)));
	return out;
}

/* the struct of two vectors: all results, then all overflow bits */
HANDLER(overflow)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(call, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(call, 1)), out = lanes_new(fn, 2 * a.n);

	for (uint32_t i = 0; i < a.n; i++) {
		lane_set(fn, out, i,
			emit_bin(fn, (enum ir_op)in->op, lane(fn, a, i), lane(fn, b, i)));
		lane_set(fn, out, a.n + i, reg_new(fn, 1));
	}
	return out;
}

/* three-way comparison: (a > b) - (a < b) */
HANDLER(three_way)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes a = fn_use(fn, LLVMGetOperand(call, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(call, 1)), out = lanes_new(fn, a.n);

	for (uint32_t i = 0; i < a.n; i++) {
		ir_type t = l->leaf[i].type;
		ir_ref x = lane(fn, a, i), y = lane(fn, b, i);
		ir_ref gt = emit_cmp(fn, (enum ir_op)in->op, y, x);
		ir_ref lt = emit_cmp(fn, (enum ir_op)in->op, x, y);

		lane_set(fn, out, i,
			emit_bin(fn, IR_SUB, emit_resize(fn, t, gt, false),
				emit_resize(fn, t, lt, false)));
	}
	return out;
}

/* ---- constants, copies and hints --------------------------------------------------------- */

HANDLER(drop)
{
	(void)call;
	(void)in;
	return lanes_undef(fn, layout_of_value(fn->im, call));
}

HANDLER(first_operand)
{
	(void)in;
	return fn_use(fn, LLVMGetOperand(call, 0));
}

HANDLER(number)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes out = lanes_new(fn, l->n);

	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i, k_bits(fn, l->leaf[i].type, (uint64_t)in->op, 0));
	return out;
}

/* the size is unknown: the largest number, or 0 if the second operand requests a lower bound */
HANDLER(object_size)
{
	uint64_t min = 0;

	(void)in;
	k_value(fn, first_lane_of_arg(fn, call, 1), &min);
	return lanes1(fn,
		k_bits(fn, layout_of_value(fn->im, call)->leaf[0].type, min ? 0 : UINT64_MAX, 0));
}

HANDLER(debug)
{
	debug_call(fn, call, in->op);
	return lanes_none();
}

/* ---- memory ------------------------------------------------------------------------------ */

HANDLER(bulk)
{
	ir_ref to = first_lane_of_arg(fn, call, 0), from = first_lane_of_arg(fn, call, 1);
	ir_ref n = emit_resize(fn, 64, first_lane_of_arg(fn, call, 2), false);
	uint64_t vol = 0;
	struct ir_insn *insn;

	for (unsigned i = 0; i < 2; i++) {
		LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, i));

		if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(t))
			return unsupported(fn, "access through a segment register");
	}
	k_value(fn, first_lane_of_arg(fn, call, 3), &vol);
	insn = emit(fn, (enum ir_op)in->op, IR_VOID);
	insn->arg[0] = to;
	insn->arg[1] = from;
	insn->arg[2] = n;
	insn->flags = vol ? IR_F_VOLATILE : 0;
	return lanes_none();
}

/* operands: size and address; since LLVM 22 only the address */
HANDLER(lifetime)
{
	unsigned last = LLVMGetNumArgOperands(call) - 1;
	ir_ref addr = first_lane_of_arg(fn, call, last);
	uint64_t size = UINT64_MAX;
	struct ir_insn *insn;

	if (last)
		k_value(fn, first_lane_of_arg(fn, call, 0), &size);
	if (!ir_is_reg(addr))
		return lanes_none();
	insn = emit(fn, (enum ir_op)in->op, IR_VOID);
	insn->arg[0] = addr;
	insn->imm = (int64_t)size;
	return lanes_none();
}

HANDLER(va)
{
	ir_ref a = first_lane_of_arg(fn, call, 0), b = IR_NONE;
	struct ir_insn *insn;

	if (in->op == IR_VA_COPY)
		b = first_lane_of_arg(fn, call, 1);
	insn = emit(fn, (enum ir_op)in->op, IR_VOID);
	insn->arg[0] = a;
	insn->arg[1] = b;
	return lanes_none();
}

/* p + ((p & mask) - p): so the result points into the same object as p */
HANDLER(pointer_mask)
{
	ir_ref p = first_lane_of_arg(fn, call, 0), m = first_lane_of_arg(fn, call, 1), i;

	(void)in;
	i = emit_conv(fn, IR_PTRTOINT, 64, p);
	m = emit_bin(fn, IR_AND, i, emit_resize(fn, 64, m, false));
	return lanes1(fn, emit_padd(fn, p, emit_bin(fn, IR_SUB, m, i), 1, 0, 0));
}

HANDLER(x86_fence)
{
	(void)call;
	emit(fn, IR_FENCE, IR_VOID)->flags = (uint16_t)in->op;
	return lanes_none();
}

/* ---- the machine ------------------------------------------------------------------------- */

HANDLER(no_operand)
{
	ir_type t = layout_of_value(fn->im, call)->leaf[0].type;

	return lanes1(fn, emit_def(fn, (enum ir_op)in->op, t)->dst);
}

HANDLER(inexact)
{
	ir_type t = layout_of_value(fn->im, call)->leaf[0].type;
	ir_ref r = emit_un(fn, IR_COPY, k_int(fn, t, (uint64_t)in->op));

	abi_inexact(fn, in->text);
	return lanes1(fn, r);
}

HANDLER(frame_address)
{
	uint64_t level = 0;
	ir_ref r;

	(void)in;
	if (k_value(fn, first_lane_of_arg(fn, call, 0), &level) && level) {
		r = emit_un(fn, IR_COPY, k_int(fn, IR_PTR, 0));
		abi_inexact(fn, "address of a caller's stack frame");
		return lanes1(fn, r);
	}
	return lanes1(fn, emit_def(fn, IR_FRAMEADDR, IR_PTR)->dst);
}

HANDLER(one_operand)
{
	ir_ref a = first_lane_of_arg(fn, call, 0);

	emit(fn, (enum ir_op)in->op, IR_VOID)->arg[0] = a;
	return lanes_none();
}

HANDLER(plain)
{
	(void)call;
	emit(fn, (enum ir_op)in->op, IR_VOID);
	return lanes_none();
}

HANDLER(debug_trap)
{
	plain(fn, call, in);
	abi_inexact(fn, "breakpoint");
	return lanes_none();
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct intrinsic table[] = {
	{"llvm.dbg.declare", debug, true, NULL},
	{"llvm.dbg.value", debug, false, NULL},
	{"llvm.dbg.assign", drop, 0, NULL},
	{"llvm.dbg.label", drop, 0, NULL},

	{"llvm.ctpop", unary, IR_CTPOP, NULL},
	{"llvm.ctlz", unary, IR_CTLZ, NULL},
	{"llvm.cttz", unary, IR_CTTZ, NULL},
	{"llvm.bswap", unary, IR_BSWAP, NULL},
	{"llvm.bitreverse", unary, IR_BITREV, NULL},
	{"llvm.abs", unary, IR_ABS, NULL},
	{"llvm.smin", binary, IR_SMIN, NULL},
	{"llvm.smax", binary, IR_SMAX, NULL},
	{"llvm.umin", binary, IR_UMIN, NULL},
	{"llvm.umax", binary, IR_UMAX, NULL},
	{"llvm.uadd.sat", binary, IR_UADDSAT, NULL},
	{"llvm.sadd.sat", binary, IR_SADDSAT, NULL},
	{"llvm.usub.sat", binary, IR_USUBSAT, NULL},
	{"llvm.ssub.sat", binary, IR_SSUBSAT, NULL},
	{"llvm.fshl", ternary, IR_FSHL, NULL},
	{"llvm.fshr", ternary, IR_FSHR, NULL},
	{"llvm.uadd.with.overflow", overflow, IR_UADDO, NULL},
	{"llvm.sadd.with.overflow", overflow, IR_SADDO, NULL},
	{"llvm.usub.with.overflow", overflow, IR_USUBO, NULL},
	{"llvm.ssub.with.overflow", overflow, IR_SSUBO, NULL},
	{"llvm.umul.with.overflow", overflow, IR_UMULO, NULL},
	{"llvm.smul.with.overflow", overflow, IR_SMULO, NULL},
	{"llvm.scmp", three_way, IR_SLT, NULL},
	{"llvm.ucmp", three_way, IR_ULT, NULL},

	{"llvm.memcpy", bulk, IR_MEMCPY, NULL},
	{"llvm.memcpy.inline", bulk, IR_MEMCPY, NULL},
	{"llvm.memmove", bulk, IR_MEMMOVE, NULL},
	{"llvm.memset", bulk, IR_MEMSET, NULL},
	{"llvm.memset.inline", bulk, IR_MEMSET, NULL},
	{"llvm.lifetime.start", lifetime, IR_LIFE_START, NULL},
	{"llvm.lifetime.end", lifetime, IR_LIFE_END, NULL},
	{"llvm.va_start", va, IR_VA_START, NULL},
	{"llvm.va_end", va, IR_VA_END, NULL},
	{"llvm.va_copy", va, IR_VA_COPY, NULL},
	{"llvm.stacksave", no_operand, IR_STACKSAVE, NULL},
	{"llvm.stackrestore", one_operand, IR_STACKRESTORE, NULL},
	{"llvm.frameaddress", frame_address, 0, NULL},
	{"llvm.returnaddress", inexact, 0, "return address"},
	{"llvm.readcyclecounter", no_operand, IR_CYCLES, NULL},
	{"llvm.readsteadycounter", no_operand, IR_CYCLES, NULL},
	{"llvm.x86.rdtsc", no_operand, IR_CYCLES, NULL},
	{"llvm.trap", plain, IR_TRAP, NULL},
	{"llvm.debugtrap", debug_trap, IR_TRAP, NULL},
	{"llvm.ubsantrap", plain, IR_TRAP, NULL},
	{"llvm.x86.sse2.pause", plain, IR_PAUSE, NULL},
	{"llvm.x86.sse2.mfence", x86_fence, IR_O_SEQCST, NULL},
	{"llvm.x86.sse2.lfence", x86_fence, IR_O_ACQUIRE, NULL},
	{"llvm.x86.sse.sfence", x86_fence, IR_O_RELEASE, NULL},

	{"llvm.expect", first_operand, 0, NULL},
	{"llvm.expect.with.probability", first_operand, 0, NULL},
	{"llvm.annotation", first_operand, 0, NULL},
	{"llvm.ptr.annotation", first_operand, 0, NULL},
	{"llvm.ssa.copy", first_operand, 0, NULL},
	{"llvm.arithmetic.fence", first_operand, 0, NULL},
	{"llvm.launder.invariant.group", first_operand, 0, NULL},
	{"llvm.strip.invariant.group", first_operand, 0, NULL},
	{"llvm.preserve.array.access.index", first_operand, 0, NULL},
	{"llvm.threadlocal.address", first_operand, 0, NULL},
	{"llvm.ptrmask", pointer_mask, 0, NULL},
	{"llvm.objectsize", object_size, 0, NULL},
	{"llvm.is.constant", number, 0, NULL},
	{"llvm.get.rounding", inexact, 1, "rounding mode"},
	{"llvm.get.dynamic.area.offset", number, 0, NULL},
	{"llvm.allow.runtime.check", number, 1, NULL},
	{"llvm.allow.ubsan.check", number, 1, NULL},
	{"llvm.assume", drop, 0, NULL},
	{"llvm.prefetch", drop, 0, NULL},
	{"llvm.donothing", drop, 0, NULL},
	{"llvm.sideeffect", drop, 0, NULL},
	{"llvm.var.annotation", drop, 0, NULL},
	{"llvm.invariant.start", drop, 0, NULL},
	{"llvm.invariant.end", drop, 0, NULL},
	{"llvm.experimental.noalias.scope.decl", drop, 0, NULL},
	{"llvm.pseudoprobe", drop, 0, NULL},
	{"llvm.clear_cache", drop, 0, NULL},
	{"llvm.fake.use", drop, 0, NULL},
	{"llvm.instrprof.increment", drop, 0, NULL},
	{"llvm.instrprof.increment.step", drop, 0, NULL},
	{"llvm.instrprof.value.profile", drop, 0, NULL},
	{"llvm.instrprof.cover", drop, 0, NULL},
	{"llvm.instrprof.timestamp", drop, 0, NULL},

	{"llvm.fma", ternary, IR_FMA, NULL},
	{"llvm.fmuladd", math_muladd, 0, NULL},
	{"llvm.sqrt", unary, IR_FSQRT, NULL},
	{"llvm.fabs", unary, IR_FABS, NULL},
	{"llvm.floor", unary, IR_FFLOOR, NULL},
	{"llvm.ceil", unary, IR_FCEIL, NULL},
	{"llvm.trunc", unary, IR_FTRUNC, NULL},
	{"llvm.rint", unary, IR_FRINT, NULL},
	{"llvm.nearbyint", unary, IR_FNEARBYINT, NULL},
	{"llvm.round", unary, IR_FROUND, NULL},
	{"llvm.roundeven", unary, IR_FROUNDEVEN, NULL},
	{"llvm.canonicalize", first_operand, 0, NULL},
	{"llvm.copysign", binary, IR_FCOPYSIGN, NULL},
	{"llvm.minnum", binary, IR_FMIN, NULL},
	{"llvm.maxnum", binary, IR_FMAX, NULL},
	{"llvm.minimumnum", binary, IR_FMIN, NULL},
	{"llvm.maximumnum", binary, IR_FMAX, NULL},
	{"llvm.minimum", math_minimum, false, NULL},
	{"llvm.maximum", math_minimum, true, NULL},
	{"llvm.is.fpclass", math_fpclass, 0, NULL},
	{"llvm.fptosi.sat", math_to_int_sat, true, NULL},
	{"llvm.fptoui.sat", math_to_int_sat, false, NULL},
	{"llvm.sincos", math_sincos, 0, NULL},
	{"llvm.modf", math_modf, 0, NULL},
	{"llvm.powi", math_powi, 0, NULL},
	{"llvm.sin", math_library, 1, "sin"},
	{"llvm.cos", math_library, 1, "cos"},
	{"llvm.tan", math_library, 1, "tan"},
	{"llvm.asin", math_library, 1, "asin"},
	{"llvm.acos", math_library, 1, "acos"},
	{"llvm.atan", math_library, 1, "atan"},
	{"llvm.atan2", math_library, 2, "atan2"},
	{"llvm.sinh", math_library, 1, "sinh"},
	{"llvm.cosh", math_library, 1, "cosh"},
	{"llvm.tanh", math_library, 1, "tanh"},
	{"llvm.pow", math_library, 2, "pow"},
	{"llvm.exp", math_library, 1, "exp"},
	{"llvm.exp2", math_library, 1, "exp2"},
	{"llvm.exp10", math_library, 1, "exp10"},
	{"llvm.log", math_library, 1, "log"},
	{"llvm.log2", math_library, 1, "log2"},
	{"llvm.log10", math_library, 1, "log10"},
	{"llvm.ldexp", math_library, 2, "ldexp"},
	{"llvm.lround", math_library, 1, "lround"},
	{"llvm.llround", math_library, 1, "llround"},
	{"llvm.lrint", math_library, 1, "lrint"},
	{"llvm.llrint", math_library, 1, "llrint"},

	{"llvm.experimental.constrained.fadd", binary, IR_FADD, NULL},
	{"llvm.experimental.constrained.fsub", binary, IR_FSUB, NULL},
	{"llvm.experimental.constrained.fmul", binary, IR_FMUL, NULL},
	{"llvm.experimental.constrained.fdiv", binary, IR_FDIV, NULL},
	{"llvm.experimental.constrained.frem", binary, IR_FREM, NULL},
	{"llvm.experimental.constrained.fma", ternary, IR_FMA, NULL},
	{"llvm.experimental.constrained.fmuladd", math_muladd, 0, NULL},
	{"llvm.experimental.constrained.sqrt", unary, IR_FSQRT, NULL},
	{"llvm.experimental.constrained.floor", unary, IR_FFLOOR, NULL},
	{"llvm.experimental.constrained.ceil", unary, IR_FCEIL, NULL},
	{"llvm.experimental.constrained.trunc", unary, IR_FTRUNC, NULL},
	{"llvm.experimental.constrained.rint", unary, IR_FRINT, NULL},
	{"llvm.experimental.constrained.nearbyint", unary, IR_FNEARBYINT, NULL},
	{"llvm.experimental.constrained.round", unary, IR_FROUND, NULL},
	{"llvm.experimental.constrained.roundeven", unary, IR_FROUNDEVEN, NULL},
	{"llvm.experimental.constrained.minnum", binary, IR_FMIN, NULL},
	{"llvm.experimental.constrained.maxnum", binary, IR_FMAX, NULL},
	{"llvm.experimental.constrained.minimum", math_minimum, false, NULL},
	{"llvm.experimental.constrained.maximum", math_minimum, true, NULL},
	{"llvm.experimental.constrained.fptosi", math_constrained_cast, IR_FPTOSI, NULL},
	{"llvm.experimental.constrained.fptoui", math_constrained_cast, IR_FPTOUI, NULL},
	{"llvm.experimental.constrained.sitofp", math_constrained_cast, IR_SITOFP, NULL},
	{"llvm.experimental.constrained.uitofp", math_constrained_cast, IR_UITOFP, NULL},
	{"llvm.experimental.constrained.fptrunc", math_constrained_cast, IR_FPTRUNC, NULL},
	{"llvm.experimental.constrained.fpext", math_constrained_cast, IR_FPEXT, NULL},
	{"llvm.experimental.constrained.fcmp", math_constrained_cmp, 0, NULL},
	{"llvm.experimental.constrained.fcmps", math_constrained_cmp, 0, NULL},
	{"llvm.experimental.constrained.sin", math_library, 1, "sin"},
	{"llvm.experimental.constrained.cos", math_library, 1, "cos"},
	{"llvm.experimental.constrained.tan", math_library, 1, "tan"},
	{"llvm.experimental.constrained.pow", math_library, 2, "pow"},
	{"llvm.experimental.constrained.powi", math_powi, 0, NULL},
	{"llvm.experimental.constrained.exp", math_library, 1, "exp"},
	{"llvm.experimental.constrained.exp2", math_library, 1, "exp2"},
	{"llvm.experimental.constrained.log", math_library, 1, "log"},
	{"llvm.experimental.constrained.log2", math_library, 1, "log2"},
	{"llvm.experimental.constrained.log10", math_library, 1, "log10"},
	{"llvm.experimental.constrained.ldexp", math_library, 2, "ldexp"},
	{"llvm.experimental.constrained.lround", math_library, 1, "lround"},
	{"llvm.experimental.constrained.llround", math_library, 1, "llround"},
	{"llvm.experimental.constrained.lrint", math_library, 1, "lrint"},
	{"llvm.experimental.constrained.llrint", math_library, 1, "llrint"},

	{"llvm.vector.reduce.add", vec_reduce, IR_ADD, NULL},
	{"llvm.vector.reduce.mul", vec_reduce, IR_MUL, NULL},
	{"llvm.vector.reduce.and", vec_reduce, IR_AND, NULL},
	{"llvm.vector.reduce.or", vec_reduce, IR_OR, NULL},
	{"llvm.vector.reduce.xor", vec_reduce, IR_XOR, NULL},
	{"llvm.vector.reduce.smin", vec_reduce, IR_SMIN, NULL},
	{"llvm.vector.reduce.smax", vec_reduce, IR_SMAX, NULL},
	{"llvm.vector.reduce.umin", vec_reduce, IR_UMIN, NULL},
	{"llvm.vector.reduce.umax", vec_reduce, IR_UMAX, NULL},
	{"llvm.vector.reduce.fmin", vec_reduce, IR_FMIN, NULL},
	{"llvm.vector.reduce.fmax", vec_reduce, IR_FMAX, NULL},
	{"llvm.vector.reduce.fadd", vec_reduce_float, IR_FADD, NULL},
	{"llvm.vector.reduce.fmul", vec_reduce_float, IR_FMUL, NULL},
	{"llvm.vector.reverse", vec_reverse, 0, NULL},
	{"llvm.experimental.vector.reverse", vec_reverse, 0, NULL},
	{"llvm.vector.extract", vec_subvector, false, NULL},
	{"llvm.vector.insert", vec_subvector, true, NULL},
	{"llvm.x86.sse.movmsk.ps", vec_movmsk, 0, NULL},
	{"llvm.x86.sse2.movmsk.pd", vec_movmsk, 0, NULL},
	{"llvm.x86.sse2.pmovmskb.128", vec_movmsk, 0, NULL},
	{"llvm.x86.sse2.pslli.w", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.psll.w", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.pslli.d", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.psll.d", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.pslli.q", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.psll.q", x86_shift, IR_SHL, NULL},
	{"llvm.x86.sse2.psrli.w", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrl.w", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrli.d", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrl.d", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrli.q", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrl.q", x86_shift, IR_LSHR, NULL},
	{"llvm.x86.sse2.psrai.w", x86_shift, IR_ASHR, NULL},
	{"llvm.x86.sse2.psra.w", x86_shift, IR_ASHR, NULL},
	{"llvm.x86.sse2.psrai.d", x86_shift, IR_ASHR, NULL},
	{"llvm.x86.sse2.psra.d", x86_shift, IR_ASHR, NULL},
	{"llvm.x86.sse2.packsswb.128", x86_pack, true, NULL},
	{"llvm.x86.sse2.packssdw.128", x86_pack, true, NULL},
	{"llvm.x86.sse2.packuswb.128", x86_pack, false, NULL},
	{"llvm.x86.sse2.pmadd.wd", x86_pmadd, 0, NULL},
	{"llvm.x86.sse2.pmulh.w", x86_pmulh, true, NULL},
	{"llvm.x86.sse2.pmulhu.w", x86_pmulh, false, NULL},
	{"llvm.x86.sse2.pavg.b", x86_pavg, 0, NULL},
	{"llvm.x86.sse2.pavg.w", x86_pavg, 0, NULL},
	{"llvm.x86.sse2.psad.bw", x86_psad, 0, NULL},
	{"llvm.x86.sse.min.ps", x86_minmax, false, NULL},
	{"llvm.x86.sse.min.ss", x86_minmax, false, "s"},
	{"llvm.x86.sse.max.ps", x86_minmax, true, NULL},
	{"llvm.x86.sse.max.ss", x86_minmax, true, "s"},
	{"llvm.x86.sse.cmp.ps", x86_cmp, 0, NULL},
	{"llvm.x86.sse.cmp.ss", x86_cmp, 0, "s"},
	{"llvm.x86.sse.comieq.ss", x86_comi, LLVMRealOEQ, NULL},
	{"llvm.x86.sse.comilt.ss", x86_comi, LLVMRealOLT, NULL},
	{"llvm.x86.sse.comile.ss", x86_comi, LLVMRealOLE, NULL},
	{"llvm.x86.sse.comigt.ss", x86_comi, LLVMRealOGT, NULL},
	{"llvm.x86.sse.comige.ss", x86_comi, LLVMRealOGE, NULL},
	{"llvm.x86.sse.comineq.ss", x86_comi, LLVMRealUNE, NULL},
	{"llvm.x86.sse.ucomieq.ss", x86_comi, LLVMRealOEQ, NULL},
	{"llvm.x86.sse.ucomilt.ss", x86_comi, LLVMRealOLT, NULL},
	{"llvm.x86.sse.ucomile.ss", x86_comi, LLVMRealOLE, NULL},
	{"llvm.x86.sse.ucomigt.ss", x86_comi, LLVMRealOGT, NULL},
	{"llvm.x86.sse.ucomige.ss", x86_comi, LLVMRealOGE, NULL},
	{"llvm.x86.sse.ucomineq.ss", x86_comi, LLVMRealUNE, NULL},
	{"llvm.x86.sse2.min.pd", x86_minmax, false, NULL},
	{"llvm.x86.sse2.min.sd", x86_minmax, false, "s"},
	{"llvm.x86.sse2.max.pd", x86_minmax, true, NULL},
	{"llvm.x86.sse2.max.sd", x86_minmax, true, "s"},
	{"llvm.x86.sse2.cmp.pd", x86_cmp, 0, NULL},
	{"llvm.x86.sse2.cmp.sd", x86_cmp, 0, "s"},
	{"llvm.x86.sse2.comieq.sd", x86_comi, LLVMRealOEQ, NULL},
	{"llvm.x86.sse2.comilt.sd", x86_comi, LLVMRealOLT, NULL},
	{"llvm.x86.sse2.comile.sd", x86_comi, LLVMRealOLE, NULL},
	{"llvm.x86.sse2.comigt.sd", x86_comi, LLVMRealOGT, NULL},
	{"llvm.x86.sse2.comige.sd", x86_comi, LLVMRealOGE, NULL},
	{"llvm.x86.sse2.comineq.sd", x86_comi, LLVMRealUNE, NULL},
	{"llvm.x86.sse2.ucomieq.sd", x86_comi, LLVMRealOEQ, NULL},
	{"llvm.x86.sse2.ucomilt.sd", x86_comi, LLVMRealOLT, NULL},
	{"llvm.x86.sse2.ucomile.sd", x86_comi, LLVMRealOLE, NULL},
	{"llvm.x86.sse2.ucomigt.sd", x86_comi, LLVMRealOGT, NULL},
	{"llvm.x86.sse2.ucomige.sd", x86_comi, LLVMRealOGE, NULL},
	{"llvm.x86.sse2.ucomineq.sd", x86_comi, LLVMRealUNE, NULL},
	{"llvm.x86.sse.cvttss2si", x86_to_int, false, NULL},
	{"llvm.x86.sse.cvttss2si64", x86_to_int, false, NULL},
	{"llvm.x86.sse.cvtss2si", x86_to_int, true, NULL},
	{"llvm.x86.sse.cvtss2si64", x86_to_int, true, NULL},
	{"llvm.x86.sse2.cvttsd2si", x86_to_int, false, NULL},
	{"llvm.x86.sse2.cvttsd2si64", x86_to_int, false, NULL},
	{"llvm.x86.sse2.cvtsd2si", x86_to_int, true, NULL},
	{"llvm.x86.sse2.cvtsd2si64", x86_to_int, true, NULL},
	{"llvm.x86.sse2.cvttps2dq", x86_to_int, false, NULL},
	{"llvm.x86.sse2.cvtps2dq", x86_to_int, true, NULL},
	{"llvm.x86.sse2.clflush", drop, 0, NULL},
};

void intrinsics_init(struct importer *im)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		unsigned id = LLVMLookupIntrinsicID(table[i].name, strlen(table[i].name));

		if (id) /* 0: this version of LLVM does not have it */
			*map_put(&im->intrinsics, id) = map_ptr(&table[i]);
	}
}

/* Handlers work lane by lane, which is wrong for the limbs of a wide integer. */
static bool has_wide_operand(LLVMValueRef call)
{
	unsigned n = LLVMGetNumArgOperands(call);

	for (unsigned i = 0; i < n; i++)
		if (type_is_wide(LLVMTypeOf(LLVMGetOperand(call, i))))
			return true;
	return type_is_wide(LLVMTypeOf(call));
}

/* Intrinsics of x86 that change more than their results and memory: control, the address space. */
static bool is_special(const char *name)
{
	static const char *const special[] = {"int", "seh.", "xbegin", "xend", "xabort", "flags.",
		"wrfsbase", "wrgsbase", "sse.ldmxcsr", "fxrstor", "xrstor"};

	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (!strncmp(name, special[i], strlen(special[i])))
			return true;
	return false;
}

static bool has_no_effects(LLVMValueRef callee)
{
	static const char name[] = "memory";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAttributeRef a =
		LLVMGetEnumAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);

	return a && !LLVMGetEnumAttributeValue(a);
}

/* Whether the results, and the memory that its pointers lead to, are all that the call changes. */
static bool is_opaque(LLVMValueRef call, LLVMValueRef callee, const char *name)
{
	static const char x86[] = "llvm.x86.";
	unsigned n = LLVMGetNumArgOperands(call);

	for (unsigned i = 0; i < n; i++)
		switch (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i)))) {
		case LLVMMetadataTypeKind:
		case LLVMTokenTypeKind:
		case LLVMLabelTypeKind: return false;
		default: break;
		}
	if (has_wide_operand(call))
		return false;
	if (!strncmp(name, x86, sizeof x86 - 1))
		return !is_special(name + sizeof x86 - 1);
	return has_no_effects(callee);
}

struct lanes intrinsic_call(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	uint64_t *slot = map_get(&fn->im->intrinsics, LLVMGetIntrinsicID(callee));
	size_t n;
	const char *name = LLVMGetValueName2(callee, &n);
	struct mark m = fn_mark(fn);
	struct lanes out;

	if (slot && !has_wide_operand(call)) {
		const struct intrinsic *in = (const struct intrinsic *)(uintptr_t)*slot;

		out = in->run(fn, call, in);
		if (!fn->reason)
			return out;
	}
	if (!is_opaque(call, callee, name))
		return unsupported(fn, "intrinsic '%.*s'", (int)n, name);
	fn_rollback(fn, m);
	fn->reason = 0;
	return emit_opaque(fn, call, name, n, 0);
}
