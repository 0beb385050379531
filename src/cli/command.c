#include "cli/command.h"

#include "base/diag.h"
#include "base/path.h"
#include "log/faults.h"

#include <stdlib.h>
#include <string.h>

const struct command_entry commands[NCOMMANDS] = {
#define COMMAND(name, help) {#name, help, &cmd_##name},
#include "cli/commands.def"
#undef COMMAND
};

const struct exit_code_entry exit_codes[NEXIT_CODES] = {
#define EXIT_CODE(id, status, meaning) {meaning, status},
#include "cli/exits.def"
#undef EXIT_CODE
};

const struct command_entry *command_find(const char *name)
{
	struct opt_nearest ne;

	opt_nearest_init(&ne, name);
	for (int i = 0; i < NCOMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		opt_nearest_offer(&ne, commands[i].name);
	}
	if (ne.best)
		error_("unknown command '%s' (did you mean '%s'?)", name, ne.best);
	else
		error_("unknown command '%s' ('heddle --help' lists them)", name);
	return NULL;
}

void commands_help(struct strbuf *out)
{
	strbuf_adds(out,
		"usage: heddle COMMAND [options] [--] [program args...]\n\n"
		"For multithreaded C programs: build with 'heddle-cc' in the place of 'cc', then\n"
		"run the result under schedules of your choice.\n\n"
		"commands:\n");
	for (int i = 0; i < NCOMMANDS; i++)
		strbuf_addf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
	strbuf_adds(out,
		"\n'heddle COMMAND -h' shows the options of a command, 'heddle help COMMAND'"
		" its manual.\n\nexit codes:\n");
	for (int i = 0; i < NEXIT_CODES; i++)
		strbuf_addf(out, "  %3d  %s\n", exit_codes[i].status, exit_codes[i].meaning);
	strbuf_adds(out, "\nenvironment:\n"
			 "  HEDDLE_LOG=ROOM[,ROOM...]  print the steps of these parts of heddle to stderr\n");
}

void command_help(struct strbuf *out, const struct command_entry *e)
{
	strbuf_addf(out, "usage: heddle %s%s%s\n\n%s\n", e->name, *e->cmd->synopsis ? " " : "",
		e->cmd->synopsis, e->cmd->about);
	if (e->cmd->opts) {
		strbuf_adds(out, "\noptions:\n");
		opt_help(out, e->cmd->opts);
	}
	if (!e->cmd->lists_faults)
		return;
	strbuf_adds(out, "\nkinds of findings, for --only and --no:\n");
	for (int i = 0; i < NPREDICTED; i++)
		strbuf_addf(out, "  %-15s %s\n", fault_words[i].word, fault_words[i].about);
}

char *self_directory(void)
{
	char *self = path_self(), *dir = self ? path_dir(self) : NULL;

	free(self);
	return dir;
}
