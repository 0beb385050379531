#include "bitcode/module.h"

#include "base/base.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

struct first_error {
	char *text; /* NULL = none since module_error() */
};

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct first_error *e = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || e->text)
		return;
	text = LLVMGetDiagInfoDescription(info);
	e->text = xstrndup(text, strcspn(text, "\n"));
	LLVMDisposeMessage(text);
}

LLVMContextRef module_context_new(void)
{
	LLVMContextRef c = LLVMContextCreate();

	LLVMContextSetDiagnosticHandler(c, on_diagnostic, xcalloc(1, sizeof(struct first_error)));
	return c;
}

void module_context_free(LLVMContextRef c)
{
	struct first_error *e = LLVMContextGetDiagnosticContext(c);

	LLVMContextDispose(c);
	free(e->text);
	free(e);
}

char *module_error(LLVMContextRef c, const char *what)
{
	struct first_error *e = LLVMContextGetDiagnosticContext(c);
	char *text = e->text ? xasprintf("%s: %s", what, e->text) : xstrdup(what);

	free(e->text);
	e->text = NULL;
	return text;
}

LLVMModuleRef module_read(
	LLVMContextRef c, const char *name, const void *data, size_t n, char **why)
{
	LLVMMemoryBufferRef mb = LLVMCreateMemoryBufferWithMemoryRange(data, n, name, false);
	LLVMModuleRef m = NULL;

	if (LLVMParseBitcodeInContext2(c, mb, &m)) {
		*why = module_error(c, "unreadable bitcode");
		m = NULL;
	}
	LLVMDisposeMemoryBuffer(mb);
	return m;
}

void module_free(LLVMModuleRef m)
{
	LLVMDisposeModule(m);
}

void module_write(LLVMModuleRef m, struct strbuf *out)
{
	LLVMMemoryBufferRef mb = LLVMWriteBitcodeToMemoryBuffer(m);

	strbuf_add(out, LLVMGetBufferStart(mb), LLVMGetBufferSize(mb));
	LLVMDisposeMemoryBuffer(mb);
}

void module_each_extern(LLVMModuleRef m, void (*fn)(const char *name))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
			strncmp(LLVMGetValueName(f), "llvm.", 5))
			fn(LLVMGetValueName(f));
}
