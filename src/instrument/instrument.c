#include "instrument/instrument_internal.h"

#include "base/strbuf.h"
#include "import/watch.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures and constants --------------------------------------------------------------- */

void it_fail(struct instrumenter *it, const char *fmt, ...)
{
	struct strbuf b = {0};
	va_list ap;

	if (it->wrong)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	it->wrong = strbuf_detach(&b);
}

LLVMTypeRef it_int(struct instrumenter *it, uint32_t bits)
{
	return LLVMIntTypeInContext(it->c, bits);
}

LLVMValueRef it_k64(struct instrumenter *it, uint64_t v)
{
	return LLVMConstInt(it->i64, v, false);
}

LLVMValueRef it_k32(struct instrumenter *it, uint32_t v)
{
	return LLVMConstInt(it->i32, v, false);
}

/* ---- scalars of a value ------------------------------------------------------------------ */

/* v may be NULL: then only the offsets are computed. */
static void split_value(struct instrumenter *it, LLVMTypeRef t, LLVMValueRef v, uint64_t offset,
	struct scalars *out);

static void split_wide(struct instrumenter *it, LLVMTypeRef t, LLVMValueRef v, uint64_t offset,
	struct scalars *out)
{
	uint32_t bits = LLVMGetIntTypeWidth(t);

	for (uint32_t at = 0; at < bits; at += 64) {
		LLVMValueRef x = v;

		if (v) {
			x = LLVMBuildLShr(it->b, v, LLVMConstInt(t, at, false), "");
			x = LLVMBuildTrunc(it->b, x, it_int(it, MIN(bits - at, 64u)), "");
		}
		vec_push(&out->v, x);
		vec_push(&out->offset, offset + at / 8);
	}
}

static void split_vector(struct instrumenter *it, LLVMTypeRef t, LLVMValueRef v, uint64_t offset,
	struct scalars *out)
{
	unsigned n = LLVMGetVectorSize(t);
	uint64_t bits = LLVMSizeOfTypeInBits(it->td, LLVMGetElementType(t));

	for (unsigned i = 0; i < n; i++) {
		vec_push(&out->v, v ? LLVMBuildExtractElement(it->b, v, it_k32(it, i), "") : NULL);
		vec_push(&out->offset, offset + i * bits / 8);
	}
}

static void split_aggregate(struct instrumenter *it, LLVMTypeRef t, LLVMValueRef v, uint64_t offset,
	struct scalars *out)
{
	bool is_struct = LLVMGetTypeKind(t) == LLVMStructTypeKind;
	unsigned n = is_struct ? LLVMCountStructElementTypes(t) : (unsigned)LLVMGetArrayLength2(t);

	for (unsigned i = 0; i < n; i++) {
		LLVMTypeRef e = is_struct ? LLVMStructGetTypeAtIndex(t, i) : LLVMGetElementType(t);
		uint64_t at = is_struct ? LLVMOffsetOfElement(it->td, t, i)
					: i * LLVMABISizeOfType(it->td, e);

		split_value(
			it, e, v ? LLVMBuildExtractValue(it->b, v, i, "") : NULL, offset + at, out);
	}
}

static void split_value(struct instrumenter *it, LLVMTypeRef t, LLVMValueRef v, uint64_t offset,
	struct scalars *out)
{
	switch (LLVMGetTypeKind(t)) {
	case LLVMVoidTypeKind: return;
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind: split_aggregate(it, t, v, offset, out); return;
	case LLVMVectorTypeKind: split_vector(it, t, v, offset, out); return;
	case LLVMIntegerTypeKind:
		if (LLVMGetIntTypeWidth(t) > 128) {
			split_wide(it, t, v, offset, out);
			return;
		}
		break;
	default: break;
	}
	vec_push(&out->v, v);
	vec_push(&out->offset, offset);
}

void scalars_of(struct instrumenter *it, LLVMValueRef v, struct scalars *out)
{
	split_value(it, LLVMTypeOf(v), v, 0, out);
}

void scalars_release(struct scalars *s)
{
	vec_release(&s->v);
	vec_release(&s->offset);
}

uint64_t scalar_offset(struct instrumenter *it, LLVMTypeRef t, uint32_t lane)
{
	struct scalars s = {0};
	uint64_t offset;

	if (!lane)
		return 0;
	split_value(it, t, NULL, 0, &s);
	BUG_ON(lane >= s.offset.n);
	offset = s.offset.at[lane];
	scalars_release(&s);
	return offset;
}

LLVMValueRef it_bits(struct instrumenter *it, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	uint32_t bits;

	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(it->b, v, it->i64, "");
	bits = (uint32_t)LLVMSizeOfTypeInBits(it->td, t);
	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind)
		v = LLVMBuildBitCast(it->b, v, it_int(it, bits), "");
	if (bits % 8)
		v = LLVMBuildZExt(it->b, v, it_int(it, ALIGN_UP(bits, 8)), "");
	return v;
}

LLVMValueRef it_word(struct instrumenter *it, LLVMValueRef v)
{
	uint32_t bits;

	v = it_bits(it, v);
	bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	if (bits < 64)
		return LLVMBuildZExt(it->b, v, it->i64, "");
	return bits > 64 ? LLVMBuildTrunc(it->b, v, it->i64, "") : v;
}

/* ---- callbacks of the importer ------------------------------------------------------------ */

static struct isym *func_at(struct instrumenter *it, uint32_t id)
{
	if (it->funcs.n <= id)
		vec_resize(&it->funcs, id + 1);
	return &it->funcs.at[id];
}

static void on_symbol(void *ctx, LLVMValueRef v, uint8_t kind, uint32_t id)
{
	struct instrumenter *it = ctx;

	if (kind == IR_C_FUNC) {
		func_at(it, id)->v = v;
		*map_put(&it->by_value, map_ptr(v)) = id + 1;
		return;
	}
	if (it->globals.n <= id)
		vec_resize(&it->globals, id + 1);
	it->globals.at[id] = v;
}

static void on_block(void *ctx, uint32_t func, uint32_t block, LLVMBasicBlockRef bb)
{
	struct isym *s = func_at(ctx, func);

	BUG_ON(block != s->blocks.n);
	vec_push(&s->blocks, bb);
}

static void on_insns(void *ctx, uint32_t func, LLVMValueRef v, uint32_t first, uint32_t n)
{
	struct isym *s = func_at(ctx, func);

	BUG_ON(first != s->origin.n);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->origin, v);
}

/* A register can be in several values; its home is the first, which defines it. */
static void on_value(void *ctx, uint32_t func, LLVMValueRef v, const ir_ref *lanes, uint32_t n)
{
	struct isym *s = func_at(ctx, func);

	vec_push(&s->values, (struct ivalue){v, s->lanes.n, n});
	for (uint32_t i = 0; i < n; i++) {
		vec_push(&s->lanes, lanes[i]);
		if (!ir_is_reg(lanes[i]))
			continue;
		if (s->homes.n <= lanes[i])
			vec_resize(&s->homes, lanes[i] + 1);
		if (!s->homes.at[lanes[i]].v)
			s->homes.at[lanes[i]] = (struct home){v, i};
	}
}

/* ---- the module --------------------------------------------------------------------------- */

static void init_instrumenter(struct instrumenter *it, LLVMModuleRef m)
{
	*it = (struct instrumenter){.m = m, .c = LLVMGetModuleContext(m)};
	it->td = LLVMGetModuleDataLayout(m);
	it->b = LLVMCreateBuilderInContext(it->c);
	it->i1 = LLVMInt1TypeInContext(it->c);
	it->i8 = LLVMInt8TypeInContext(it->c);
	it->i32 = LLVMInt32TypeInContext(it->c);
	it->i64 = LLVMInt64TypeInContext(it->c);
	it->ptr = LLVMPointerTypeInContext(it->c, 0);
	it->void_ = LLVMVoidTypeInContext(it->c);
}

static void release_instrumenter(struct instrumenter *it)
{
	LLVMDisposeBuilder(it->b);
	vec_each (&it->funcs, i) {
		vec_release(&it->funcs.at[i].origin);
		vec_release(&it->funcs.at[i].homes);
		vec_release(&it->funcs.at[i].values);
		vec_release(&it->funcs.at[i].lanes);
		vec_release(&it->funcs.at[i].blocks);
	}
	vec_release(&it->funcs);
	vec_release(&it->globals);
	map_release(&it->by_value);
	if (it->pl)
		plan_free(it->pl);
	ir_program_free(it->p);
}

static void read_program(struct instrumenter *it, const char *name)
{
	struct import_watch watch = {.ctx = it,
		.symbol = on_symbol,
		.block = on_block,
		.insns = on_insns,
		.value = on_value};

	it->p = ir_program_new();
	if (import_watched(it->p, name, it->m, 0, &watch)) {
		it_fail(it, "the module cannot be imported");
		return;
	}
	BUG_ON(it->funcs.n > it->p->funcs.n || it->globals.n > it->p->globals.n);
	vec_resize(&it->funcs, it->p->funcs.n);
	vec_resize(&it->globals, it->p->globals.n);
	vec_each (&it->funcs, i) {
		it->funcs.at[i].entry = it->funcs.at[i].v;
		BUG_ON(it->funcs.at[i].homes.n > it->p->funcs.at[i].regs.n);
		vec_resize(&it->funcs.at[i].homes, it->p->funcs.at[i].regs.n);
	}
}

static bool is_traced(const struct instrumenter *it, uint32_t id)
{
	return it->pl->funcs[id].traced && it->funcs.at[id].blocks.n;
}

static bool is_naked(LLVMValueRef f)
{
	return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMGetEnumAttributeKindForName("naked", 5));
}

/* Naked functions have no frame for instrumented code. The dynamic linker calls the resolvers of
 * ifuncs before thread-local memory exists. */
static void exclude_special(struct instrumenter *it)
{
	LLVMValueRef v = LLVMGetFirstGlobalIFunc(it->m);

	for (; v; v = LLVMGetNextGlobalIFunc(v)) {
		uint64_t id = map_get_or(&it->by_value, map_ptr(LLVMGetGlobalIFuncResolver(v)), 0);

		if (id)
			vec_clear(&it->funcs.at[id - 1].blocks);
	}
	vec_each (&it->funcs, i)
		if (is_traced(it, i) && is_naked(it->funcs.at[i].v))
			vec_clear(&it->funcs.at[i].blocks);
}

static void transform_module(struct instrumenter *it, bool points)
{
	hooks_declare(it);
	if (points) {
		point_declare(it);
		replace_enforced_functions(it);
	}
	exclude_special(it);
	replace_sync_functions(it);
	vec_each (&it->funcs, i)
		if (is_traced(it, i))
			thunk_make(it, i);
	vec_each (&it->funcs, i)
		if (is_traced(it, i) && !it->wrong)
			ifn_run(it, i);
	vec_each (&it->funcs, i)
		if (is_traced(it, i))
			exact_function(it, i);
}

static void verify_module(struct instrumenter *it)
{
	char *text = NULL;

	if (LLVMVerifyModule(it->m, LLVMReturnStatusAction, &text))
		it_fail(it, "invalid after instrumentation: %.*s", (int)strcspn(text, "\n"), text);
	LLVMDisposeMessage(text);
}

char *instrument_module(LLVMModuleRef m, const char *name, const struct instrument *opt)
{
	struct instrumenter it;

	init_instrumenter(&it, m);
	read_program(&it, name);
	if (!it.wrong) {
		it.pl = plan_new(it.p, &opt->plan, opt->open);
		transform_module(&it, opt->points);
	}
	if (!it.wrong) {
		table_make(&it, opt->plan.whole);
		verify_module(&it);
	}
	release_instrumenter(&it);
	return it.wrong;
}
