/*
 * `heddle completion`: completion scripts for three shells, generated from the tables of commands
 * and options, so that the scripts agree with the binary.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static const struct opt completion_opts[] = {OPT_END};

/* The words of a choice, separated by blanks. */
static void add_words(struct strbuf *out, const char *words)
{
	for (; *words; words++)
		strbuf_addc(out, *words == '|' ? ' ' : *words);
}

static void add_command_names(struct strbuf *out)
{
	for (int i = 0; i < NCOMMANDS; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", commands[i].name);
}

/* The first line of the help, without characters that are special inside single quotes or zsh. */
static void add_first_line(struct strbuf *out, const char *help)
{
	for (; *help && *help != '\n'; help++)
		if (*help != '\'' && *help != '[' && *help != ']' && *help != ':')
			strbuf_addc(out, *help);
}

/* The possible operands of the command, separated by blanks; false if the operand is a file. */
static bool add_operands(struct strbuf *out, const struct command_entry *e)
{
	if (e->cmd == &cmd_help)
		add_command_names(out);
	else if (e->cmd == &cmd_completion)
		add_words(out, e->cmd->synopsis);
	else
		return false;
	return true;
}

/* ---- bash -------------------------------------------------------------------------------- */

static void bash_command(struct strbuf *out, const struct command_entry *e)
{
	strbuf_addf(out, "\t%s)\n\t\twords=\"", e->name);
	add_operands(out, e);
	strbuf_adds(out, "\" opts=\"--help");
	for (const struct opt *o = e->cmd->opts; o && o->kind; o++)
		strbuf_addf(out, " --%s%s", o->name, o->value ? "=" : "");
	strbuf_adds(out, "\"\n\t\tcase $prev in\n");
	for (const struct opt *o = e->cmd->opts; o && o->kind; o++) {
		if (o->kind != OPT_K_CHOICE)
			continue;
		strbuf_addf(out, "\t\t--%s) words=\"", o->name);
		add_words(out, o->value);
		strbuf_adds(out, "\"; opts= ;;\n");
	}
	strbuf_adds(out, "\t\tesac ;;\n");
}

static void bash_script(struct strbuf *out)
{
	strbuf_adds(out, "# bash completion for heddle\n"
			 "_heddle()\n{\n"
			 "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
			 "\tlocal words= opts=\n"
			 "\tif [[ $cur == = ]]; then cur=; fi\n"
			 "\tif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
			 "\tif ((COMP_CWORD == 1)); then\n"
			 "\t\tCOMPREPLY=($(compgen -W '");
	add_command_names(out);
	strbuf_adds(out, " --help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
			 "\tcase ${COMP_WORDS[1]} in\n");
	for (int i = 0; i < NCOMMANDS; i++)
		bash_command(out, &commands[i]);
	strbuf_adds(out, "\tesac\n"
			 "\tif [[ $cur == -* ]]; then words=$opts; fi\n"
			 "\tif [[ $words ]]; then\n"
			 "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			 "\t\tif [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi\n"
			 "\telse\n\t\tcompopt -o default\n\t\tCOMPREPLY=()\n\tfi\n}\n"
			 "complete -F _heddle heddle\n");
}

/* ---- zsh --------------------------------------------------------------------------------- */

static void zsh_command(struct strbuf *out, const struct command_entry *e)
{
	struct strbuf words = {0};

	strbuf_addf(out, "\t%s)\n\t\t_arguments -S '(-h --help)'{-h,--help}'[show help]'", e->name);
	for (const struct opt *o = e->cmd->opts; o && o->kind; o++) {
		strbuf_addf(out, " \\\n\t\t\t'%s--%s%s[", o->kind == OPT_K_LIST ? "*" : "", o->name,
			o->value ? "=" : "");
		add_first_line(out, o->help);
		strbuf_addc(out, ']');
		if (o->kind == OPT_K_CHOICE) {
			strbuf_adds(out, ":value:(");
			add_words(out, o->value);
			strbuf_addc(out, ')');
		} else if (o->value) {
			strbuf_addf(
				out, ":%s:%s", o->value, !strcmp(o->value, "FILE") ? "_files" : "");
		}
		strbuf_addc(out, '\'');
	}
	if (add_operands(&words, e))
		strbuf_addf(out, " \\\n\t\t\t'1:word:(%s)'", words.s);
	else if (e->cmd->max)
		strbuf_adds(out, " \\\n\t\t\t'*:file:_files'");
	strbuf_adds(out, " ;;\n");
	strbuf_release(&words);
}

static void zsh_script(struct strbuf *out)
{
	strbuf_adds(out, "#compdef heddle\n"
			 "local -a commands\n"
			 "commands=(\n");
	for (int i = 0; i < NCOMMANDS; i++) {
		strbuf_addf(out, "\t'%s:", commands[i].name);
		add_first_line(out, commands[i].help);
		strbuf_adds(out, "'\n");
	}
	strbuf_adds(out, ")\n"
			 "if ((CURRENT == 2)); then\n"
			 "\t_describe command commands\n"
			 "\treturn\n"
			 "fi\n"
			 "shift words\n"
			 "((CURRENT--))\n"
			 "case $words[1] in\n");
	for (int i = 0; i < NCOMMANDS; i++)
		zsh_command(out, &commands[i]);
	strbuf_adds(out, "esac\n");
}

/* ---- fish -------------------------------------------------------------------------------- */

static void fish_command(struct strbuf *out, const struct command_entry *e)
{
	struct strbuf words = {0};

	strbuf_addf(out, "complete -c heddle -n __fish_use_subcommand -f -a %s -d '", e->name);
	add_first_line(out, e->help);
	strbuf_adds(out, "'\n");
	for (const struct opt *o = e->cmd->opts; o && o->kind; o++) {
		strbuf_addf(out, "complete -c heddle -n '__fish_seen_subcommand_from %s'", e->name);
		if (o->letter)
			strbuf_addf(out, " -s %c", o->letter);
		strbuf_addf(out, " -l %s%s -d '", o->name, o->value ? " -r" : "");
		add_first_line(out, o->help);
		strbuf_addc(out, '\'');
		if (o->kind == OPT_K_CHOICE) {
			strbuf_adds(out, " -a '");
			add_words(out, o->value);
			strbuf_addc(out, '\'');
		}
		strbuf_addc(out, '\n');
	}
	if (add_operands(&words, e))
		strbuf_addf(out,
			"complete -c heddle -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
			e->name, words.s);
	strbuf_release(&words);
}

static void fish_script(struct strbuf *out)
{
	strbuf_adds(out, "# fish completion for heddle\n");
	for (int i = 0; i < NCOMMANDS; i++)
		fish_command(out, &commands[i]);
}

/* ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*fill)(struct strbuf *out);
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

static int completion_run(void *args, int argc, char **argv)
{
	(void)args, (void)argc;
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		struct strbuf b = {0};

		if (strcmp(shells[i].name, argv[0]))
			continue;
		shells[i].fill(&b);
		fputs(b.s, stdout);
		strbuf_release(&b);
		return STATUS_NOTHING;
	}
	error_("unknown shell '%s' (bash, zsh or fish)", argv[0]);
	return STATUS_USAGE;
}

const struct command cmd_completion = {
	.synopsis = "bash|zsh|fish",
	.about = "Prints a completion script. 'make install' installs the scripts of all shells;\n"
		 "to use one without installing: eval \"$(heddle completion bash)\"",
	.opts = completion_opts,
	.min = 1,
	.max = 1,
	.run = completion_run,
};
