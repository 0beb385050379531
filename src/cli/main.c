#include "cli/command.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/diag.h"
#include "cc/worker_main.h"
#include "cli/recording.h"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*fill_fn)(struct strbuf *out, const struct command_entry *e);

static int show_help(fill_fn fill, const struct command_entry *e)
{
	struct strbuf b = {0};

	fill(&b, e);
	fputs(b.s, stdout);
	strbuf_release(&b);
	return STATUS_NOTHING;
}

static void fill_commands(struct strbuf *out, const struct command_entry *e)
{
	(void)e;
	commands_help(out);
}

static int wrong_operands(const struct command_entry *e, int n, char **argv)
{
	if (n < e->cmd->min)
		error_("missing operand (usage: 'heddle %s %s'; 'heddle %s -h' shows more)",
			e->name, e->cmd->synopsis, e->name);
	else
		error_("unexpected '%s' ('heddle %s -h' shows the usage)", argv[e->cmd->max],
			e->name);
	return STATUS_USAGE;
}

static int run_command(const struct command_entry *e, int argc, char **argv)
{
	const struct command *cmd = e->cmd;
	void *args;
	int first, status;

	if (!cmd->opts)
		return cmd->run(NULL, argc, argv);
	args = xcalloc(1, cmd->args_size);
	first = opt_parse(cmd->opts, args, argc, argv, cmd->opt_flags);
	if (first == OPT_HELP)
		status = show_help(command_help, e);
	else if (first == OPT_ERROR)
		status = STATUS_USAGE;
	else if (argc - first < cmd->min || (cmd->max >= 0 && argc - first > cmd->max))
		status = wrong_operands(e, argc - first, argv + first);
	else
		status = cmd->run(args, argc - first, argv + first);
	free(args);
	return status;
}

/* Flushes standard output: a failed write, as to a full disk, makes the command fail. */
static int finish_output(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		error_("cannot write to standard output");
		return STATUS_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	const struct command_entry *e;

	debug_enable(getenv("HEDDLE_LOG"));
	if (argc < 2) {
		error_("no command ('heddle --help' lists them)");
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return finish_output(show_help(fill_commands, NULL));
	if (!strcmp(argv[1], "--version")) {
		printf("heddle %s (LLVM %s)\n", HEDDLE_VERSION, HEDDLE_LLVM_VERSION);
		return finish_output(STATUS_NOTHING);
	}
	if (!strcmp(argv[1], WORKER_COMMAND)) /* for heddle-cc, not for users */
		return worker_main();
	if (!strcmp(argv[1], SELF_COMMAND)) /* for programs that record themselves */
		return record_self(argc - 2, argv + 2);
	if (argv[1][0] == '-') {
		error_("unknown option '%s' ('heddle --help' lists commands)", argv[1]);
		return STATUS_USAGE;
	}
	e = command_find(argv[1]);
	return e ? finish_output(run_command(e, argc - 1, argv + 1)) : STATUS_USAGE;
}
