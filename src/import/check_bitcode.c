#include "import/check_bitcode.h"

#include "base/base.h"
#include "base/cache.h"
#include "base/child.h"
#include "base/sha256.h"
#include "config.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct checking {
	const void *data;
	size_t n;
};

/* ---- in the child ------------------------------------------------------------------------ */

/* Global, because LLVM's handler of fatal errors gets no context pointer. */
static int report_fd;

static void report_reason(const char *text)
{
	(void)!write(report_fd, text, strlen(text));
}

static void on_fatal(const char *reason)
{
	report_reason(reason);
	_exit(1);
}

/* Reports LLVM's first error. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	bool *told = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || *told)
		return;
	*told = true;
	text = LLVMGetDiagInfoDescription(info);
	report_reason(text);
	LLVMDisposeMessage(text);
}

/* The end of the process frees everything. */
static int read_and_verify(void *ctx, int fd)
{
	const struct checking *c = ctx;
	LLVMContextRef context = LLVMContextCreate();
	LLVMMemoryBufferRef buf =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(c->data, c->n, "bitcode");
	LLVMModuleRef m = NULL;
	char *broken = NULL;
	bool told = false;

	report_fd = fd;
	LLVMInstallFatalErrorHandler(on_fatal);
	LLVMContextSetDiagnosticHandler(context, on_diagnostic, &told);
	if (LLVMParseBitcodeInContext2(context, buf, &m))
		return -1;
	if (!LLVMVerifyModule(m, LLVMReturnStatusAction, &broken))
		return 0;
	report_reason(broken);
	return -1;
}

/* ---- in the caller ----------------------------------------------------------------------- */

/* ---- bitcode that was accepted before ---------------------------------------------------- */

/* The name of an empty file in the cache, which says that LLVM accepted the bitcode. */
static char *name_of(const void *data, size_t n)
{
	char key[SHA256_HEX];
	struct sha256 h;

	sha256_init(&h);
	sha256_add_part(&h, HEDDLE_LLVM_VERSION, strlen(HEDDLE_LLVM_VERSION));
	sha256_add_part(&h, data, n);
	sha256_end(&h, key);
	return xasprintf("valid-%s", key);
}

/* The cache, or -1: then each bitcode is checked again. */
static int open_cache(void)
{
	char *path, *why;
	int fd = cache_open(&path, &why);

	free(path);
	free(why);
	return fd;
}

static void remember(int cache, const char *name)
{
	int fd = openat(cache, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

static bool ask_child(const void *data, size_t n, struct strbuf *why)
{
	struct checking c = {data, n};
	/* about 100 times the normal time and 10 times the normal memory: after that the reader
	 * does not terminate */
	struct child_call call = {.work = read_and_verify,
		.ctx = &c,
		.seconds = 10 + (unsigned)MIN(n >> 17, (size_t)3600),
		.memory = (1ull << 30) + 300 * (uint64_t)n,
		.quiet = true}; /* LLVM prints some messages without calling a handler */
	struct strbuf death = {0};
	bool ok = !child_run(&call, why, &death);

	if (death.n) {
		strbuf_clear(why);
		strbuf_addf(why, "damaged so that LLVM cannot read it: %s", death.s);
	}
	strbuf_release(&death);
	return ok;
}

bool check_bitcode(const void *data, size_t n, struct strbuf *why)
{
	int cache = open_cache();
	char *name = cache < 0 ? NULL : name_of(data, n);
	bool ok = name && !faccessat(cache, name, F_OK, 0);

	if (!ok) {
		ok = ask_child(data, n, why);
		if (ok && name)
			remember(cache, name);
	}
	if (cache >= 0)
		close(cache);
	free(name);
	return ok;
}
