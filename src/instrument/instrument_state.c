#include "instrument/instrument_internal.h"

#include "log/format.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Images of kind "record-window", whose log can be read from the middle (log/format.h, LOG_STATE):
 * the live registers are logged where a piece of the log begins in a function, and where a call
 * returns after a piece began. They are arguments of a function that is always inlined, one for
 * each number of words, so that they are stored into memory only on the rare path.
 */

enum { FIXED = 4 }; /* arguments before the words */

typedef VEC(LLVMValueRef) values_t;

/* ---- the words --------------------------------------------------------------------------- */

static void push_words(struct ifn *fn, uint32_t reg, values_t *out)
{
	struct instrumenter *it = fn->it;
	LLVMTypeRef wide = it_int(it, 128);
	LLVMValueRef v = ifn_reg(fn, reg);

	if (!v) {
		it_fail(it, "'%s': a live register is not in the bitcode",
			ir_func_name(it->p, fn->id));
		v = it_k64(it, 0);
	}
	vec_push(out, it_word(it, v));
	if (ir_type_bits(fn->f->regs.at[reg].type) <= 64)
		return;
	v = LLVMBuildZExtOrBitCast(it->b, it_bits(it, v), wide, "");
	v = LLVMBuildLShr(it->b, v, LLVMConstInt(wide, 64, false), "");
	vec_push(out, LLVMBuildTrunc(it->b, v, it->i64, ""));
}

static void live_words(struct ifn *fn, uint32_t insn, bool after, values_t *out)
{
	struct vec_u32 live = {0};

	plan_live(fn->f, &fn->live, insn, after, &live);
	vec_each (&live, i)
		push_words(fn, live.at[i], out);
	vec_release(&live);
}

/* ---- the functions ----------------------------------------------------------------------- */

/* The function "heddle.KIND.N", which `make` defines at the first use. */
static LLVMValueRef find_by_count(struct instrumenter *it, const char *kind, uint32_t n,
	LLVMValueRef (*make)(struct instrumenter *it, const char *name, uint32_t n))
{
	LLVMBuilderRef b = it->b;
	LLVMValueRef f;
	char name[64];

	snprintf(name, sizeof name, "heddle.%s.%u", kind, n);
	f = LLVMGetNamedFunction(it->m, name);
	if (f)
		return f;
	it->b = LLVMCreateBuilderInContext(it->c);
	f = make(it, name, n);
	LLVMDisposeBuilder(it->b);
	it->b = b;
	return f;
}

/* Parameters: the fixed ones, then n words. */
static LLVMValueRef define_words(struct instrumenter *it, const char *name, LLVMTypeRef ret,
	const LLVMTypeRef *fixed, uint32_t nfixed, uint32_t n)
{
	LLVMTypeRef *types = xcalloc(nfixed + n + 1, sizeof *types);
	LLVMValueRef f;

	for (uint32_t i = 0; i < nfixed + n; i++)
		types[i] = i < nfixed ? fixed[i] : it->i64;
	f = it_define(it, name, ret, types, nfixed + n);
	free(types);
	return f;
}

static LLVMValueRef store_words(struct instrumenter *it, LLVMValueRef f, uint32_t first, uint32_t n)
{
	LLVMValueRef array = LLVMBuildAlloca(it->b, LLVMArrayType2(it->i64, n), "");

	for (uint32_t i = 0; i < n; i++)
		LLVMBuildStore(it->b, LLVMGetParam(f, first + i), it_offset(it, array, 8 * i));
	return array;
}

/* refill(cursor, need, function, instruction, words…) */
static LLVMValueRef make_refill(struct instrumenter *it, const char *name, uint32_t n)
{
	LLVMTypeRef fixed[] = {it->ptr, it->i64, it->i32, it->i32};
	LLVMTypeRef hook[] = {it->ptr, it->i64, it->i32, it->i32, it->ptr, it->i32};
	LLVMValueRef f = define_words(it, name, it->ptr, fixed, FIXED, n), args[6];

	it_slow(it, f);
	for (unsigned i = 0; i < FIXED; i++)
		args[i] = LLVMGetParam(f, i);
	args[4] = store_words(it, f, FIXED, n);
	args[5] = it_k32(it, n);
	LLVMBuildRet(it->b,
		it_call(it, it_declare(it, "__heddle_refill_state", it->ptr, hook, 6), args, 6));
	return f;
}

/* state(function, instruction, words…) */
static LLVMValueRef make_state(struct instrumenter *it, const char *name, uint32_t n)
{
	LLVMTypeRef fixed[] = {it->i32, it->i32};
	LLVMTypeRef hook[] = {it->i32, it->i32, it->ptr, it->i32};
	LLVMValueRef f = define_words(it, name, it->void_, fixed, 2, n), args[4];

	it_slow(it, f);
	args[0] = LLVMGetParam(f, 0);
	args[1] = LLVMGetParam(f, 1);
	args[2] = store_words(it, f, 2, n);
	args[3] = it_k32(it, n);
	it_call(it, it_declare(it, "__heddle_state", it->void_, hook, 4), args, 4);
	LLVMBuildRetVoid(it->b);
	return f;
}

/* reserve(control, hash, cursor, need, function, instruction, words…) */
static LLVMValueRef make_reserve(struct instrumenter *it, const char *name, uint32_t n)
{
	LLVMTypeRef fixed[] = {it->ptr, it->i64, it->ptr, it->i64, it->i32, it->i32};
	LLVMValueRef refill = find_by_count(it, "refill", n, make_refill);
	LLVMValueRef f = define_words(it, name, it->ptr, fixed, 6, n);
	LLVMValueRef *p = xcalloc(n + 6, sizeof *p);
	struct it_reserve r;

	LLVMGetParams(f, p);
	it_inline(it, f);
	it_reserve_begin(it, f, p[0], p[2], p[3], &r);
	own_store(it, OWN_HASH, p[1], own_field(it, OWN_HASH, p[0]));
	it_reserve_end(it, it_call_slow(it, refill, p + 2, n + FIXED), &r);
	free(p);
	return f;
}

/* back(control, chunks before, function, instruction, words…) */
static LLVMValueRef make_back(struct instrumenter *it, const char *name, uint32_t n)
{
	LLVMTypeRef fixed[] = {it->ptr, it->i32, it->i32, it->i32};
	LLVMValueRef state = find_by_count(it, "state", n, make_state);
	LLVMValueRef f = define_words(it, name, it->void_, fixed, FIXED, n), now;
	LLVMValueRef *p = xcalloc(n + FIXED, sizeof *p);
	LLVMBasicBlockRef done;

	LLVMGetParams(f, p);
	it_inline(it, f);
	now = own_load(it, OWN_CHUNKS, it->i32, own_field(it, OWN_CHUNKS, p[0]));
	done = it_if_rarely(it, f, LLVMBuildICmp(it->b, LLVMIntNE, now, p[1], ""));
	it_call_slow(it, state, p + 2, n + 2);
	LLVMBuildBr(it->b, done);
	LLVMPositionBuilderAtEnd(it->b, done);
	LLVMBuildRetVoid(it->b);
	free(p);
	return f;
}

/* ---- calls of these functions
 * ----------------------------------------------------------------------- */

LLVMValueRef state_reserve(struct ifn *fn, uint32_t n, uint32_t insn)
{
	struct instrumenter *it = fn->it;
	values_t args = {0};
	LLVMValueRef next;

	vec_push(&args, ifn_ctl(fn));
	vec_push(&args, LLVMBuildLoad2(it->b, it->i64, fn->hash, ""));
	vec_push(&args, LLVMBuildLoad2(it->b, it->ptr, fn->cur, ""));
	vec_push(&args, it_k64(it, n));
	vec_push(&args, it_k32(it, fn->id));
	vec_push(&args, it_k32(it, insn));
	live_words(fn, insn == LOG_NONE ? 0 : insn, false, &args);
	next = it_call(it, find_by_count(it, "reserve", args.n - 6, make_reserve), args.at, args.n);
	vec_release(&args);
	return next;
}

void state_before_call(struct ifn *fn)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef v;

	if (!it->pl->whole)
		return;
	v = own_load(it, OWN_CHUNKS, it->i32, own_field(it, OWN_CHUNKS, ifn_ctl(fn)));
	LLVMSetVolatile(LLVMBuildStore(it->b, v, fn->chunks), fn->jumps);
}

void state_after_call(struct ifn *fn, uint32_t insn)
{
	struct instrumenter *it = fn->it;
	values_t args = {0};
	LLVMValueRef v;

	if (!it->pl->whole)
		return;
	v = LLVMBuildLoad2(it->b, it->i32, fn->chunks, "");
	LLVMSetVolatile(v, fn->jumps);
	vec_push(&args, own_load(it, OWN_CTL, it->ptr, it->h.ctl));
	vec_push(&args, v);
	vec_push(&args, it_k32(it, fn->id));
	vec_push(&args, it_k32(it, insn));
	live_words(fn, insn, true, &args);
	it_call(it, find_by_count(it, "back", args.n - FIXED, make_back), args.at, args.n);
	vec_release(&args);
}
