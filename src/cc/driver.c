#include "cc/driver.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cc/args.h"
#include "cc/compile.h"
#include "cc/link.h"
#include "object/spawn.h"
#include "object/tools.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum task { TASK_PASS, TASK_COMPILE, TASK_LINK };

static bool has_missing_input(const struct cc_args *a)
{
	vec_each (&a->at, i)
		if (a->at.at[i].input && strcmp(a->at.at[i].text, "-") &&
			access(a->at.at[i].text, R_OK))
			return true;
	return false;
}

static enum task task_of(const struct cc_args *a)
{
	if ((a->traits & (CC_PASS | CC_SHARED)) || !a->ninputs || a->other || has_missing_input(a))
		return TASK_PASS;
	if (a->traits & CC_COMPILE)
		return a->nsources ? TASK_COMPILE : TASK_PASS;
	return TASK_LINK;
}

static int exec_compiler(const char *clang, char **argv)
{
	fflush(NULL);
	execv(clang, argv);
	error_("cannot run '%s': %s", clang, strerror(errno));
	return 1;
}

/* Two compilers read the same source: copies stdin to a file for both. -1 if no input is stdin. */
static int copy_stdin(const struct cc_args *a)
{
	struct strbuf text = {0};
	int fd;

	if (!a->from_stdin)
		return -1;
	fd = memory_file("stdin");
	if (!strbuf_read_fd(&text, 0))
		file_write_fd(fd, text.s, text.n);
	lseek(fd, 0, SEEK_SET);
	strbuf_release(&text);
	return fd;
}

static int run_task(const struct cc_args *a, const char *clang, char **argv)
{
	enum task task = task_of(a);
	int input, status;

	if (task == TASK_PASS)
		return exec_compiler(clang, argv);
	input = copy_stdin(a);
	status = task == TASK_COMPILE ? cc_compile(a, clang, argv, input)
				      : cc_link(a, clang, argv, input);
	if (input >= 0)
		close(input);
	return status;
}

int cc_main(int argc, char **argv)
{
	struct cc_args args;
	char *clang;
	int status = 1;

	diag_set_program("heddle-cc");
	clang = tool_clang();
	if (!clang)
		return 1;
	if (!cc_args_parse(&args, argc, argv)) {
		argv[0] = clang;
		status = run_task(&args, clang, argv);
	}
	cc_args_release(&args);
	free(clang);
	return status;
}
