#include "export/export.h"

#include "base/diag.h"
#include "export/export_internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/TargetMachine.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* what clang gives a module for x86-64 */
#define DATA_LAYOUT                                                                                \
	"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

/* ---- errors ------------------------------------------------------------------------------ */

static void report(struct exporter *x, uint32_t func, uint32_t insn, const char *fmt, va_list ap)
{
	const struct ir_func *f = &x->p->funcs.at[func];
	uint32_t pos = insn == IR_NONE ? f->pos : f->insns.at[insn].pos;
	struct strbuf b = {0};

	x->errors++;
	strbuf_vaddf(&b, fmt, ap);
	error_at(ir_diag_pos(x->p, pos ? pos : f->pos), "cannot export '%s': %s",
		ir_func_name(x->p, func), b.s);
	strbuf_release(&b);
}

int fail_func(struct exporter *x, uint32_t func, uint32_t insn, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(x, func, insn, fmt, ap);
	va_end(ap);
	return -1;
}

LLVMValueRef fail_insn(struct body *o, ir_type t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(o->x, o->id, o->insn, fmt, ap);
	va_end(ap);
	return t == IR_VOID ? NULL : LLVMGetUndef(o->x->types[t]);
}

/* ---- the module -------------------------------------------------------------------------- */

static void make_types(struct exporter *x)
{
	x->types[IR_VOID] = LLVMVoidTypeInContext(x->ctx);
	for (unsigned i = 1; i <= 128; i++)
		x->types[i] = LLVMIntTypeInContext(x->ctx, i);
	x->types[IR_PTR] = LLVMPointerTypeInContext(x->ctx, 0);
	x->types[IR_F32] = LLVMFloatTypeInContext(x->ctx);
	x->types[IR_F64] = LLVMDoubleTypeInContext(x->ctx);
	x->types[IR_F80] = LLVMX86FP80TypeInContext(x->ctx);
	x->types[IR_F16] = LLVMHalfTypeInContext(x->ctx);
	x->types[IR_F128] = LLVMFP128TypeInContext(x->ctx);
}

/* A module that LLVM refuses is our mistake, but no reason to lose the user's work. */
static int verify(struct exporter *x)
{
	char *why = NULL;
	int rc = 0;

	if (LLVMVerifyModule(x->mod, LLVMReturnStatusAction, &why))
		rc = error_(
			"the exported program is not valid: %.*s", (int)strcspn(why, "\n"), why);
	LLVMDisposeMessage(why);
	return rc;
}

static int make_module(struct exporter *x, const char *name)
{
	char *triple = LLVMGetDefaultTargetTriple();

	make_types(x);
	LLVMSetTarget(x->mod, triple);
	LLVMDisposeMessage(triple);
	LLVMSetDataLayout(x->mod, DATA_LAYOUT);
	LLVMSetSourceFileName(x->mod, name, strlen(name));
	debug_begin(x, name);
	export_declare(x);
	if (!x->errors) {
		export_globals(x);
		vec_each (&x->p->funcs, i)
			if (export_has_body(&x->p->funcs.at[i]))
				export_func(x, i);
		export_tables(x);
	}
	debug_end(x);
	return x->errors ? -1 : verify(x);
}

int export_bitcode(const struct ir_program *p, const char *name, struct strbuf *out)
{
	struct exporter x = {.p = p};
	LLVMMemoryBufferRef buf;
	int rc;

	arena_init(&x.arena);
	x.ctx = LLVMContextCreate();
	x.mod = LLVMModuleCreateWithNameInContext(name, x.ctx);
	x.b = LLVMCreateBuilderInContext(x.ctx);
	x.funcs = xcalloc(p->funcs.n + 1, sizeof *x.funcs);
	x.globals = xcalloc(p->globals.n + 1, sizeof *x.globals);
	x.blocks = xcalloc(p->funcs.n + 1, sizeof *x.blocks);
	rc = make_module(&x, name);
	if (!rc) {
		buf = LLVMWriteBitcodeToMemoryBuffer(x.mod);
		strbuf_add(out, LLVMGetBufferStart(buf), LLVMGetBufferSize(buf));
		LLVMDisposeMemoryBuffer(buf);
	}
	free(x.funcs);
	free(x.globals);
	free(x.blocks);
	vec_each (&x.scratch, i)
		LLVMDisposeModule(x.scratch.at[i]);
	vec_release(&x.scratch);
	map_release(&x.protos);
	arena_release(&x.arena);
	LLVMDisposeBuilder(x.b);
	LLVMDisposeModule(x.mod);
	LLVMContextDispose(x.ctx);
	return rc;
}
