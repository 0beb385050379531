/*
 * The fast mode: threaded code over known registers. A handler leaves special cases (an address
 * that the fast path does not support, a zero divisor) to step_insn().
 */
#include "machine/code.h"
#include "base/base.h"
#include "base/search.h"
#include "log/format.h"
#include "machine/extension.h"
#include "machine/lent.h"

#include <math.h>
#include <string.h>

static inline double f64(uint64_t v)
{
	double x;

	memcpy(&x, &v, 8);
	return x;
}

static inline float f32(uint64_t v)
{
	uint32_t b = (uint32_t)v;
	float x;

	memcpy(&x, &b, 4);
	return x;
}

static inline uint64_t of64(double x)
{
	uint64_t v;

	memcpy(&v, &x, 8);
	return v;
}

static inline uint64_t of32(float x)
{
	uint32_t v;

	memcpy(&v, &x, 4);
	return v;
}

static uint32_t find_case(const struct code_switch *sw, uint64_t v)
{
	uint64_t k;

	if (sw->dense)
		return v - sw->low < sw->n ? sw->target[v - sw->low] : sw->otherwise;
	return search_find(0, sw->n, i, sw->value[i], v, &k) ? sw->target[k] : sw->otherwise;
}

/* Executes a generic instruction of the top frame. STEP_NEXT only if the frame remains fast. */
static enum step run_generic(struct machine *m, struct thread *t, const struct cinsn *ip)
{
	struct frame *f = top(t);
	const struct ir_insn *in = &frame_func(m, f)->insns.at[ip->ir];
	uint32_t depth = t->frames.n;
	enum step st;

	f->ip = ip;
	st = step_insn(m, t, in);
	if (st == STEP_STOP)
		return st;
	if (t->state == THREAD_DONE)
		return st;
	f = &t->frames.at[depth - 1];
	switch (st) {
	case STEP_NEXT:
		if (!f->careful)
			return STEP_NEXT;
		f->pc++;
		return STEP_JUMPED;
	case STEP_SWITCH:
		if (f->careful)
			f->pc++;
		else
			f->ip = ip + 1;
		return st;
	case STEP_AGAIN:
		f->ip = ip;
		return st;
	default: return st;
	}
}

static enum step run_return(struct machine *m, struct thread *t, uint64_t v, uint32_t n)
{
	struct opnd o = {.v = {v, 0}};

	return call_return(m, t, &o, n);
}

#define A          r[ip->a]
#define B          r[ip->b]
#define C          r[ip->c]
#define D          r[ip->dst]
#define IMM        ((uint64_t)ip->imm)
#define NEXT       goto *labels[(++ip)->op]
#define DISPATCH   goto *labels[ip->op]
#define OP(id)     l_##id

/* handlers for the five forms of an operation */
#define INT_OP(id, e32, e64, ew)                                                                   \
	OP(id##32) : { uint32_t a = (uint32_t)A, b = (uint32_t)B; D = (uint32_t)(e32); NEXT; }     \
	OP(id##64) : { uint64_t a = A, b = B; D = (e64); NEXT; }                                   \
	OP(id##I32) : { uint32_t a = (uint32_t)A, b = (uint32_t)ip->imm; D = (uint32_t)(e32); NEXT; } \
	OP(id##I64) : { uint64_t a = A, b = IMM; D = (e64); NEXT; }                                \
	OP(id##W) : { uint64_t a = A, b = B; D = (ew) & IMM; NEXT; }

#define TAKE(d)                                                                                    \
	do {                                                                                       \
		fuel -= ip->aux;                                                                   \
		ip += (int32_t)(d);                                                                \
		if (unlikely(fuel < 0))                                                            \
			goto out_of_fuel;                                                          \
		DISPATCH;                                                                          \
	} while (0)

#define CMP_OP(id, rel)                                                                            \
	OP(id) : { D = A rel B; NEXT; }                                                            \
	OP(id##I) : { D = A rel IMM; NEXT; }                                                       \
	OP(BR_##id) : { bool k = A rel B; D = k; TAKE(k ? ip->c : (uint32_t)ip->imm); }            \
	OP(BR_##id##I) : { bool k = A rel ip->b; D = k; TAKE(k ? ip->c : (uint32_t)ip->imm); }

#define SEXT(x, sh) ((int64_t)((x) << (sh)) >> (sh))
#define SCMP_OP(id, rel)                                                                           \
	OP(id) : { D = SEXT(A, ip->aux) rel SEXT(B, ip->aux); NEXT; }                              \
	OP(id##I) : { D = SEXT(A, ip->aux) rel ip->imm; NEXT; }                                    \
	OP(BR_##id) : {                                                                            \
		unsigned sh = (unsigned)(IMM >> 32);                                               \
		bool k = SEXT(A, sh) rel SEXT(B, sh);                                              \
		D = k;                                                                             \
		TAKE(k ? ip->c : (uint32_t)ip->imm);                                               \
	}                                                                                          \
	OP(BR_##id##I) : {                                                                         \
		bool k = SEXT(A, (unsigned)(IMM >> 32)) rel (int32_t)ip->b;                        \
		D = k;                                                                             \
		TAKE(k ? ip->c : (uint32_t)ip->imm);                                               \
	}

#define FLOAT_OP(id, op)                                                                           \
	OP(id##F32) : { D = of32(f32(A) op f32(B)); NEXT; }                                        \
	OP(id##F64) : { D = of64(f64(A) op f64(B)); NEXT; }
#define FCMP_OP(id, op)                                                                            \
	OP(id##F32) : { D = f32(A) op f32(B); NEXT; }                                              \
	OP(id##F64) : { D = f64(A) op f64(B); NEXT; }

#define LOAD_OP(bits)                                                                              \
	OP(LD##bits) : {                                                                           \
		uint##bits##_t v;                                                                  \
		if (unlikely(!mem_load_fast(mem, A, &v, bits / 8)))                                \
			goto slow;                                                                 \
		D = v;                                                                             \
		NEXT;                                                                              \
	}                                                                                          \
	OP(LDR##bits) : {                                                                          \
		uint##bits##_t v;                                                                  \
		uint64_t a = C = A + IMM;                                                          \
		if (unlikely(!mem_load_fast(mem, a, &v, bits / 8)))                                \
			goto slow;                                                                 \
		D = v;                                                                             \
		NEXT;                                                                              \
	}                                                                                          \
	OP(LDX##bits) : {                                                                          \
		uint##bits##_t v;                                                                  \
		uint64_t a = C = A + B * ip->aux + IMM;                                            \
		if (unlikely(!mem_load_fast(mem, a, &v, bits / 8)))                                \
			goto slow;                                                                 \
		D = v;                                                                             \
		NEXT;                                                                              \
	}
#define STORE_OP(bits)                                                                             \
	OP(ST##bits) : {                                                                           \
		uint##bits##_t v = (uint##bits##_t)B;                                              \
		if (unlikely(!mem_store_fast(mem, A, &v, bits / 8)))                               \
			goto slow;                                                                 \
		NEXT;                                                                              \
	}                                                                                          \
	OP(STR##bits) : {                                                                          \
		uint##bits##_t v = (uint##bits##_t)B;                                              \
		uint64_t a = A + IMM;                                                              \
		D = a;                                                                             \
		if (unlikely(!mem_store_fast(mem, a, &v, bits / 8)))                               \
			goto slow;                                                                 \
		NEXT;                                                                              \
	}                                                                                          \
	OP(STX##bits) : {                                                                          \
		uint##bits##_t v = (uint##bits##_t)C;                                              \
		uint64_t a = A + B * ip->aux + IMM;                                                \
		D = a;                                                                             \
		if (unlikely(!mem_store_fast(mem, a, &v, bits / 8)))                               \
			goto slow;                                                                 \
		NEXT;                                                                              \
	}
/* A load whose value is in the log. The end of the current piece is a special case. */
#define FOLLOW_LOAD_OP(bits)                                                                       \
	OP(FLD##bits) : {                                                                          \
		uint##bits##_t v;                                                                  \
		if (unlikely(m->log.end - m->log.at < bits / 8))                           \
			goto slow;                                                                 \
		memcpy(&v, m->log.at, bits / 8);                                               \
		m->log.at += bits / 8;                                                         \
		m->log.hash += A * ip->aux;                                                    \
		D = v;                                                                             \
		NEXT;                                                                              \
	}
#define FOLLOW_STORE_OP(bits)                                                                      \
	OP(FST##bits) : {                                                                          \
		uint##bits##_t v = (uint##bits##_t)B;                                              \
		if (unlikely(!mem_store_fast(mem, A, &v, bits / 8)))                               \
			goto slow;                                                                 \
		m->log.hash += A * ip->aux;                                                    \
		NEXT;                                                                              \
	}
#define DIV_OP(id, type, signed_, bits, op)                                                        \
	OP(id##bits) : {                                                                           \
		type a = (type)A, b = (type)B;                                                     \
		if (unlikely(!b || (signed_ && b == (type)-1)))                                    \
			goto slow;                                                                 \
		D = (uint##bits##_t)(a op b);                                                      \
		NEXT;                                                                              \
	}

/* whether the caller takes the result without conversion (code_call_fits) */
#define IS_FAST_CALL(f)                                                                            \
	(!(f)->careful && ((f)->ip[-1].op == C_CALL || (f)->ip[-1].op == C_CALLI))

/* before the loop is left: updates the counters of the machine */
#define SAVE                                                                                       \
	do {                                                                                       \
		m->instructions += (uint64_t)(m->fuel - fuel);                                     \
		m->fuel = fuel;                                                                    \
	} while (0)
#define RELOAD                                                                                     \
	do {                                                                                       \
		f = top(t);                                                                        \
		r = t->slots + f->base;                                                            \
		ip = f->ip;                                                                        \
	} while (0)

enum step interp_run(struct machine *m, struct thread *t)
{
	static const void *const labels[] = {
#define COP(id) [C_##id] = &&l_##id,
#include "machine/cops.def"
#undef COP
	};
	struct mem *const mem = &m->mem;
	struct frame *f;
	uint64_t *r;
	const struct cinsn *ip;
	int64_t fuel = m->fuel;
	enum step st;

	RELOAD;
	DISPATCH;

	/* clang-format off */
	OP(GENERIC): slow: {
		SAVE;
		st = run_generic(m, t, ip);
		if (likely(st == STEP_NEXT)) {
			r = t->slots + f->base;
			fuel = m->fuel;
			NEXT;
		}
		if (st != STEP_JUMPED || top(t)->careful)
			return st;
		fuel = m->fuel;
		RELOAD;
		DISPATCH;
	}
	OP(ENTER_CAREFUL): {
		fuel -= ip->aux;
		SAVE;
		frame_make_careful(m, t, f, ip->ir);
		return STEP_JUMPED;
	}
	OP(EDGE_CAREFUL): {
		fuel -= ip->aux;
		SAVE;
		frame_make_careful(m, t, f, ip->ir);
		return step_edge(m, t, ip->c);
	}
	OP(SWITCH_POINT): {
		uint64_t a = A;

		if (t->resumed || m->nlive < 2 || stack_is_private(m, t, a)) {
			t->resumed = false;
			NEXT;
		}
		if (!sched_yields(m))
			NEXT;
		SAVE;
		t->resumed = true;
		f->ip = ip;
		return STEP_AGAIN;
	}
	OP(STACK_POINT): {
		uint64_t a, n;

		if (t->resumed || m->nlive < 2 ||
			!lent_change(m, t, &frame_func(m, f)->insns.at[ip->ir], &a, &n)) {
			t->resumed = false;
			NEXT;
		}
		if (!sched_yields(m))
			NEXT;
		SAVE;
		t->resumed = true;
		f->ip = ip;
		return STEP_AGAIN;
	}
	OP(COVER): { code_cover(m, f->code, (uint32_t)(ip - f->code->ins)); DISPATCH; }
	OP(COUNT): { fuel -= ip->aux; NEXT; }
	OP(MOV): { D = A; NEXT; }
	OP(MOV2): { D = A; r[ip->b] = C; NEXT; }
	OP(MOVI): { D = IMM; NEXT; }
	INT_OP(ADD, a + b, a + b, a + b)
	INT_OP(SUB, a - b, a - b, a - b)
	INT_OP(MUL, a * b, a * b, a * b)
	INT_OP(AND, a & b, a & b, a & b)
	INT_OP(OR, a | b, a | b, a | b)
	INT_OP(XOR, a ^ b, a ^ b, a ^ b)
	INT_OP(SHL, b < 32 ? a << b : 0, b < 64 ? a << b : 0, b < ip->aux ? a << b : 0)
	INT_OP(LSHR, b < 32 ? a >> b : 0, b < 64 ? a >> b : 0, b < ip->aux ? a >> b : 0)
	INT_OP(ASHR, (uint32_t)((int32_t)a >> (b < 32 ? b : 31)),
		(uint64_t)((int64_t)a >> (b < 64 ? b : 63)),
		(uint64_t)(SEXT(a, 64 - ip->aux) >> (b < 64 ? b : 63)))
	DIV_OP(UDIV, uint32_t, false, 32, /)
	DIV_OP(UDIV, uint64_t, false, 64, /)
	DIV_OP(UREM, uint32_t, false, 32, %)
	DIV_OP(UREM, uint64_t, false, 64, %)
	DIV_OP(SDIV, int32_t, true, 32, /)
	DIV_OP(SDIV, int64_t, true, 64, /)
	DIV_OP(SREM, int32_t, true, 32, %)
	DIV_OP(SREM, int64_t, true, 64, %)
	OP(TRUNC): { D = A & IMM; NEXT; }
	OP(SEXT): { D = (uint64_t)SEXT(A, ip->aux) & IMM; NEXT; }
	OP(SELECT): { D = A ? B : C; NEXT; }
	CMP_OP(EQ, ==)
	CMP_OP(NE, !=)
	CMP_OP(ULT, <)
	CMP_OP(ULE, <=)
	SCMP_OP(SLT, <)
	SCMP_OP(SLE, <=)
	FLOAT_OP(FADD, +)
	FLOAT_OP(FSUB, -)
	FLOAT_OP(FMUL, *)
	FLOAT_OP(FDIV, /)
	FCMP_OP(FOEQ, ==)
	FCMP_OP(FUNE, !=)
	FCMP_OP(FOLT, <)
	FCMP_OP(FOLE, <=)
	OP(FNEGF32): { D = A ^ 0x80000000u; NEXT; }
	OP(FNEGF64): { D = A ^ 0x8000000000000000u; NEXT; }
	OP(FABSF64): { D = A & 0x7fffffffffffffffu; NEXT; }
	OP(FSQRTF64): { D = of64(sqrt(f64(A))); NEXT; }
	OP(FEXT): { D = of64(f32(A)); NEXT; }
	OP(FCUT): { D = of32((float)f64(A)); NEXT; }
	OP(I32TOF64): { D = of64((int32_t)A); NEXT; }
	OP(I64TOF64): { D = of64((double)(int64_t)A); NEXT; }
	OP(F64TOI32): {
		double x = f64(A);

		if (!(x > -2147483649.0 && x < 2147483648.0))
			goto slow;
		D = (uint32_t)(int32_t)x;
		NEXT;
	}
	OP(F64TOI64): {
		double x = f64(A);

		if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0))
			goto slow;
		D = (uint64_t)(int64_t)x;
		NEXT;
	}
	OP(PADDI): { D = A + IMM; NEXT; }
	OP(PADDX): { D = A + B * ip->c + IMM; NEXT; }
	LOAD_OP(8)
	LOAD_OP(16)
	LOAD_OP(32)
	LOAD_OP(64)
	STORE_OP(8)
	STORE_OP(16)
	STORE_OP(32)
	STORE_OP(64)
	OP(JMP): { TAKE(ip->c); }
	OP(CBR): { TAKE(A & 1 ? ip->c : (uint32_t)ip->imm); }
	OP(SWITCH): { TAKE(find_case((const void *)(uintptr_t)ip->imm, A)); }
	OP(CALLI): {
		struct code_call *call = (void *)(uintptr_t)ip->imm;

		if (unlikely(A != call->addr || !call->code) &&
			!code_call_bind(m, f->func, ip->ir, call, A))
			goto slow;
		goto call;
	}
	OP(CALL): call: {
		struct code_call *call = (void *)(uintptr_t)ip->imm;
		struct frame *callee;
		uint64_t *args;

		if (unlikely(!call->code)) {
			if (m->summarized && m->summarized[call->func])
				goto slow;
			call->code = code_get(m, call->func);
		}
		f->ip = ip;
		callee = frame_open(m, t, call->code);
		if (unlikely(!callee)) {
			SAVE;
			return STEP_STOP;
		}
		f = callee - 1;
		f->ip = ip + 1;
		r = t->slots + f->base;
		args = t->slots + callee->base;
		for (uint32_t i = 0; i < call->nargs; i++)
			args[i] = r[call->args[i]];
		f = callee;
		r = args;
		ip = f->ip;
		DISPATCH;
	}
	OP(RET0): {
		fuel -= ip->aux;
		f->ip = ip;
		if (likely(!f->entered && !f->alone && IS_FAST_CALL(f - 1))) {
			frame_pop(m, t);
			RELOAD;
			DISPATCH;
		}
		SAVE;
		st = run_return(m, t, 0, 0);
		if (st != STEP_JUMPED || top(t)->careful)
			return st;
		RELOAD;
		DISPATCH;
	}
	OP(RET1): {
		uint64_t v = A;
		struct frame *caller;

		fuel -= ip->aux;
		f->ip = ip;
		if (unlikely(f->entered || f->alone))
			goto slow_return;
		caller = f - 1;
		if (unlikely(!IS_FAST_CALL(caller)))
			goto slow_return;
		frame_pop(m, t);
		f = caller;
		r = t->slots + f->base;
		ip = f->ip;
		r[ip[-1].dst] = v;
		DISPATCH;
	slow_return:
		SAVE;
		st = run_return(m, t, v, 1);
		if (st != STEP_JUMPED || top(t)->careful)
			return st;
		RELOAD;
		DISPATCH;
	}
	OP(RETG): {
		fuel -= ip->aux;
		SAVE;
		f->ip = ip;
		st = step_insn(m, t, &frame_func(m, f)->insns.at[ip->ir]);
		if (st != STEP_JUMPED || top(t)->careful)
			return st;
		fuel = m->fuel;
		RELOAD;
		DISPATCH;
	}
	FOLLOW_LOAD_OP(8)
	FOLLOW_LOAD_OP(16)
	FOLLOW_LOAD_OP(32)
	FOLLOW_LOAD_OP(64)
	FOLLOW_STORE_OP(8)
	FOLLOW_STORE_OP(16)
	FOLLOW_STORE_OP(32)
	FOLLOW_STORE_OP(64)
	OP(FHASH): {
		m->log.hash = m->log.hash * LOG_HASH_MUL + IMM;
		NEXT;
	}
	OP(FBRANCH): {
		SAVE;
		f->ip = ip;
		m->follow_ops->branch(m, t, ip->ir);
		NEXT;
	}
	/* clang-format on */

out_of_fuel:
	SAVE;
	f->ip = ip;
	if (f->code->model) { /* a model is not interrupted: its slice is extended */
		m->fuel = fuel = 100;
		DISPATCH;
	}
	return STEP_SWITCH;
}
