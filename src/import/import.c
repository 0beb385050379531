#include "base/diag.h"
#include "import/check_bitcode.h"
#include "import/import_internal.h"

#include "base/strbuf.h"

#include <llvm-c/BitReader.h>

#include <stdlib.h>
#include <string.h>

/* ---- reading the module ------------------------------------------------------------------ */

/* Keeps the text of LLVM's first error for our message. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct strbuf *b = ctx;
	char *s;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || b->n)
		return;
	s = LLVMGetDiagInfoDescription(info);
	strbuf_adds(b, s);
	LLVMDisposeMessage(s);
}

static void one_line(struct strbuf *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->s[i] == '\n') {
			b->n = i;
			b->s[i] = 0;
		}
}

/* "… (Producer: 'LLVM22.1.8' Reader: 'LLVM 19.1.7')" */
static bool from_newer_llvm(const char *message)
{
	const char *s = strstr(message, "Producer: 'LLVM");

	return s && atoi(s + strlen("Producer: 'LLVM")) > LLVM_VERSION_MAJOR;
}

static int refuse_module(struct importer *im, struct strbuf *why)
{
	one_line(why);
	if (why->n && from_newer_llvm(why->s))
		return error_("'%s' was made by a newer LLVM than %d: %s (build it with clang %d)",
			im->name, LLVM_VERSION_MAJOR, why->s, LLVM_VERSION_MAJOR);
	return error_("'%s' is not valid LLVM bitcode: %s (build it again)", im->name,
		why->n ? why->s : "cannot be read");
}

/* A child process has accepted the bitcode; only the models, which are heddle's own, need no check.
 */
static int read_module(struct importer *im, const void *data, size_t n, struct strbuf *why)
{
	/* The child checks the same copy: the file of the data may change meanwhile. */
	LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, n, im->name);

	if (!(im->flags & IMPORT_MODEL) && !check_bitcode(LLVMGetBufferStart(buf), n, why)) {
		LLVMDisposeMemoryBuffer(buf);
		return refuse_module(im, why);
	}
	strbuf_clear(why);
	if (im->flags & IMPORT_NEEDED) {
		needed_read(im, buf);
	} else {
		if (LLVMParseBitcodeInContext2(im->ctx, buf, &im->mod))
			im->mod = NULL;
		LLVMDisposeMemoryBuffer(buf);
	}
	if (!im->mod)
		return refuse_module(im, why);
	compat_use_dbg_calls(im->mod);
	return 0;
}

static int check_target(struct importer *im)
{
	const char *triple = LLVMGetTarget(im->mod);
	const char *layout = LLVMGetDataLayoutStr(im->mod);

	if (strncmp(triple, "x86_64-", 7) || !strstr(triple, "linux") || strstr(triple, "gnux32"))
		return error_("'%s' was built for '%s' (only x86_64 Linux is supported)", im->name,
			*triple ? triple : "no target");
	if (layout[0] != 'e' || LLVMPointerSize(im->td) != 8)
		return error_("'%s' has the unsupported data layout '%s'", im->name, layout);
	return 0;
}

/* ---- constructors ------------------------------------------------------------------------ */

typedef VEC(struct ir_ctor) ctors_t;

static void collect_ctors(struct importer *im, const char *name, ctors_t *out)
{
	LLVMValueRef list = LLVMGetNamedGlobal(im->mod, name), init, entry;
	struct ir_const prio, func;
	uint64_t n;

	init = list ? LLVMGetInitializer(list) : NULL;
	if (!init || LLVMGetTypeKind(LLVMTypeOf(init)) != LLVMArrayTypeKind)
		return;
	n = LLVMGetArrayLength2(LLVMTypeOf(init));
	for (uint64_t i = 0; i < n; i++) {
		entry = LLVMGetAggregateElement(init, (unsigned)i);
		if (!entry || !LLVMGetAggregateElement(entry, 1) ||
			!const_eval(im, LLVMGetAggregateElement(entry, 0), &prio) ||
			!const_eval(im, LLVMGetAggregateElement(entry, 1), &func) ||
			func.kind != IR_C_FUNC)
			continue;
		vec_push(out, (struct ir_ctor){func.id, (int32_t)prio.lo});
	}
}

static void sort_ctors(struct ir_ctor *at, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct ir_ctor c = at[i];
		uint32_t k = i;

		for (; k && at[k - 1].priority > c.priority; k--)
			at[k] = at[k - 1];
		at[k] = c;
	}
}

static void reverse_ctors(struct ir_ctor *at, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		struct ir_ctor c = at[i];

		at[i] = at[n - 1 - i];
		at[n - 1 - i] = c;
	}
}

/* Constructors run by ascending priority, those of one priority in the order of the modules;
 * destructors in the reverse order. */
static void import_ctors(struct importer *im)
{
	struct ir_program *p = im->p;
	ctors_t ctors = {0}, dtors = {0};

	collect_ctors(im, "llvm.global_ctors", &ctors);
	vec_each (&ctors, i)
		vec_push(&p->ctors, ctors.at[i]);
	sort_ctors(p->ctors.at, p->ctors.n);
	collect_ctors(im, "llvm.global_dtors", &dtors);
	reverse_ctors(p->dtors.at, p->dtors.n);
	vec_each (&dtors, i)
		vec_push(&p->dtors, dtors.at[i]);
	sort_ctors(p->dtors.at, p->dtors.n);
	reverse_ctors(p->dtors.at, p->dtors.n);
	vec_release(&ctors);
	vec_release(&dtors);
}

/* ---- the module -------------------------------------------------------------------------- */

static unsigned attr_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void warn_module_asm(struct importer *im)
{
	size_t n;

	LLVMGetModuleInlineAsm(im->mod, &n);
	if (n)
		warn_("'%s' has assembler outside of functions: its symbols are not analysed",
			im->name);
}

static void import_module(struct importer *im)
{
	uint32_t f = 0, g = 0;

	im->attrs.byval = attr_kind("byval");
	im->attrs.noreturn = attr_kind("noreturn");
	im->attrs.returns_twice = attr_kind("returns_twice");
	debug_init(im);
	intrinsics_init(im);
	warn_module_asm(im);
	if (im->flags & IMPORT_NEEDED)
		sym_define_needed(im);
	else
		sym_define_all(im);
	if (!(im->flags & IMPORT_MODEL))
		abi_module(im);
	import_ctors(im);
	while (!im->failed && (f < im->funcs.n || g < im->globals.n)) {
		for (; f < im->funcs.n; f++)
			func_import(im, im->funcs.at[f].v, im->funcs.at[f].id);
		for (; g < im->globals.n && !im->failed; g++)
			global_import(im, im->globals.at[g].v, im->globals.at[g].id);
	}
	if (!im->failed)
		sym_apply_redirects(im);
}

static void importer_release(struct importer *im)
{
	map_each (&im->blocks, i)
		blocks_release((struct blocks *)(uintptr_t)im->blocks.slots[i].val);
	map_release(&im->layouts);
	map_release(&im->syms);
	map_release(&im->wide);
	map_release(&im->intrinsics);
	map_release(&im->blocks);
	map_release(&im->positions);
	map_release(&im->files);
	map_release(&im->comp_dirs);
	map_release(&im->scopes);
	map_release(&im->dtypes);
	map_release(&im->vars);
	if (im->flags & IMPORT_NEEDED)
		intern_release(&im->optional);
	vec_release(&im->funcs);
	vec_release(&im->globals);
	vec_release(&im->redirects);
	arena_release(&im->arena);
	if (im->mod)
		LLVMDisposeModule(im->mod);
	if (im->ctx)
		LLVMContextDispose(im->ctx);
}

static void tell_symbols(struct importer *im)
{
	map_each (&im->syms, i) {
		const struct map_slot *slot = &im->syms.slots[i];
		const struct sym *s = (const struct sym *)(uintptr_t)slot->val;
		LLVMValueRef v = (LLVMValueRef)(uintptr_t)slot->key;

		if (s && LLVMGetValueKind(v) != LLVMGlobalAliasValueKind)
			im->watch->symbol(im->watch->ctx, v, s->kind, s->id);
	}
}

int import_watched(struct ir_program *p, const char *name, LLVMModuleRef m, unsigned flags,
	const struct import_watch *watch)
{
	struct importer im = {.p = p, .name = name, .flags = flags, .watch = watch, .mod = m};
	int err;

	im.ctx = LLVMGetModuleContext(m);
	im.td = LLVMGetModuleDataLayout(m);
	compat_use_dbg_calls(m);
	err = check_target(&im);
	if (!err) {
		import_module(&im);
		err = im.failed ? -1 : 0;
	}
	/* an empty program has no externs that an alias could replace */
	BUG_ON(!err && im.redirects.n);
	if (!err && watch->symbol)
		tell_symbols(&im);
	im.mod = NULL;
	im.ctx = NULL;
	importer_release(&im);
	return err;
}

int import_bitcode(
	struct ir_program *p, const char *name, const void *data, size_t n, unsigned flags)
{
	struct importer im = {.p = p, .name = name, .flags = flags};
	struct strbuf why = {0};
	int err;

	im.ctx = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(im.ctx, on_diagnostic, &why);
	err = read_module(&im, data, n, &why);
	if (!err) {
		im.td = LLVMGetModuleDataLayout(im.mod);
		err = check_target(&im);
	}
	if (!err) {
		import_module(&im);
		err = im.failed ? -1 : 0;
	}
	importer_release(&im);
	strbuf_release(&why);
	return err;
}
