/*
 * Any bytes as bitcode: an error and -1, or a program that is valid.
 *
 * LLVM's reader dies of some inputs. The importer survives that once, to say so; here each input
 * first gets a process of its own, and only what LLVM can read is tried in this one.
 */
#include "base/base.h"
#include "base/diag.h"
#include "import/import.h"
#include "ir/validate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void look_for_damage(void *ctx, const char *message)
{
	bool *damaged = ctx;

	*damaged |= strstr(message, "LLVM cannot read it") || strstr(message, "is not valid LLVM");
}

/* true if LLVM could not read it */
static bool try(const uint8_t *data, size_t n)
{
	struct ir_program *p = ir_program_new();
	bool damaged = false;
	int ok;

	diag_set_sink(look_for_damage, &damaged);
	ok = !import_bitcode(p, "fuzz", data, n, 0);
	diag_set_sink(NULL, NULL);
	if (ok && ir_validate(p))
		BUG("an imported program is not valid");
	if (!damaged)
		ir_program_free(p);
	return damaged;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return 0;
	if (!child)
		_exit(try(data, n));
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		abort();
	if (!WEXITSTATUS(status))
		try(data, n);
	return 0;
}
