#include "llvm_text.h"

#include "config.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char target[] =
	"target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
	"n8:16:32:64-S128\"\n"
	"target triple = \"x86_64-pc-linux-gnu\"\n";

static bool run_passes(LLVMModuleRef m, const char *passes)
{
	LLVMPassBuilderOptionsRef opts = LLVMCreatePassBuilderOptions();
	LLVMErrorRef err = passes ? LLVMRunPasses(m, passes, NULL, opts) : NULL;
	bool ok = !err;

	if (err) {
		char *s = LLVMGetErrorMessage(err);

		fprintf(stderr, "%s\n", s);
		LLVMDisposeErrorMessage(s);
	}
	LLVMDisposePassBuilderOptions(opts);
	return ok;
}

static bool finish(LLVMContextRef ctx, LLVMModuleRef m, const char *passes, struct strbuf *out)
{
	LLVMMemoryBufferRef buf;
	bool ok = run_passes(m, passes);

	if (ok) {
		buf = LLVMWriteBitcodeToMemoryBuffer(m);
		strbuf_add(out, LLVMGetBufferStart(buf), LLVMGetBufferSize(buf));
		LLVMDisposeMemoryBuffer(buf);
	}
	LLVMDisposeModule(m);
	LLVMContextDispose(ctx);
	return ok;
}

bool llvm_assemble(struct strbuf *out, const char *text, const char *passes)
{
	LLVMContextRef ctx = LLVMContextCreate();
	char *whole = xasprintf("%s%s", strstr(text, "target ") ? "" : target, text), *msg = NULL;
	LLVMModuleRef m;
	bool failed;

	/* the parser takes the buffer */
	failed = LLVMParseIRInContext(ctx,
		LLVMCreateMemoryBufferWithMemoryRangeCopy(whole, strlen(whole), "test"), &m, &msg);
	free(whole);
	if (!failed)
		return finish(ctx, m, passes, out);
	fprintf(stderr, "%s\n", msg);
	LLVMDisposeMessage(msg);
	LLVMContextDispose(ctx);
	return false;
}

static bool read_bitcode(const char *path, struct strbuf *raw, const char *command)
{
	bool ok = !system(command) && !strbuf_read_file(raw, path);

	if (!ok)
		fprintf(stderr, "'%s' failed\n", command);
	unlink(path);
	return ok;
}

bool llvm_compile(struct strbuf *out, const char *path, const char *passes)
{
	char bc[] = "/tmp/heddle-test-XXXXXX", *command;
	struct strbuf raw = {0};
	LLVMMemoryBufferRef buf;
	LLVMContextRef ctx;
	LLVMModuleRef m;
	int fd = mkstemp(bc);
	bool ok;

	if (fd < 0)
		return false;
	close(fd);
	command = xasprintf("%s -w -g -O1 -Xclang -disable-llvm-passes -c -emit-llvm -o %s %s",
		HEDDLE_CLANG, bc, path);
	ok = read_bitcode(bc, &raw, command);
	free(command);
	if (ok && passes) {
		ctx = LLVMContextCreate();
		buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(raw.s, raw.n, path);
		ok = !LLVMParseBitcodeInContext2(ctx, buf, &m) && finish(ctx, m, passes, out);
		LLVMDisposeMemoryBuffer(buf);
	} else if (ok) {
		strbuf_add(out, raw.s, raw.n);
	}
	strbuf_release(&raw);
	return ok;
}
