/*
 * `heddle help`: shows the manual page if it is installed with the program, else the short help.
 * With --mdoc it prints the part of the manual page that comes from the tables, up to the end of
 * DESCRIPTION; the build appends docs/man/NAME.mdoc, which has the rest.
 */
#include "cli/command.h"

#include "base/base.h"
#include "log/faults.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct help_args {
	bool mdoc;
};

static const struct opt help_opts[] = {
	OPT_FLAG(0, "mdoc", struct help_args, mdoc,
		"print the generated part of the manual page, as mdoc(7) source"),
	OPT_END,
};

/* Text in mdoc: a line must not begin with a control character, and a backslash is \e. */
static void mdoc_text(struct strbuf *out, const char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			strbuf_adds(out, "\\&");
		if (*s == '\\')
			strbuf_adds(out, "\\e");
		else if (*s == '-')
			strbuf_adds(out, "\\-");
		else
			strbuf_addc(out, *s);
		start = *s == '\n';
	}
	strbuf_addc(out, '\n');
}

static void mdoc_options(struct strbuf *out, const struct opt *opts)
{
	strbuf_adds(out, ".Bl -tag -width Ds\n");
	for (const struct opt *o = opts; o->kind; o++) {
		strbuf_adds(out, ".It");
		if (o->letter)
			strbuf_addf(out, " Fl %c ,", o->letter);
		strbuf_addf(out, " Fl \\-%s", o->name);
		if (o->value)
			strbuf_addf(out, " Ns = Ns Ar %s", o->value);
		strbuf_addc(out, '\n');
		mdoc_text(out, o->help);
	}
	strbuf_adds(out, ".It Fl h , Fl \\-help\nshow this help\n.El\n");
}

static void mdoc_faults(struct strbuf *out)
{
	strbuf_adds(out, ".Ss Kinds of findings\n.Fl \\-only\nand\n.Fl \\-no\ntake these words:\n"
			 ".Bl -tag -width use-after-free -compact\n");
	for (int i = 0; i < NPREDICTED; i++) {
		strbuf_addf(out, ".It Cm %s\n", fault_words[i].word);
		mdoc_text(out, fault_words[i].about);
	}
	strbuf_adds(out, ".El\n");
}

static void mdoc_page(struct strbuf *out, const char *dashed, const char *name, const char *help,
	const char *synopsis)
{
	strbuf_adds(out, ".Dd $Mdocdate$\n.Dt ");
	for (const char *s = dashed; *s; s++)
		strbuf_addc(out, (char)toupper((unsigned char)*s));
	strbuf_addf(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", dashed);
	mdoc_text(out, help);
	strbuf_addf(out, ".Sh SYNOPSIS\n.Nm %s\n", name);
	if (*synopsis)
		mdoc_text(out, synopsis);
	strbuf_adds(out, ".Sh DESCRIPTION\n");
}

static void mdoc_command(struct strbuf *out, const struct command_entry *e)
{
	char *dashed = xasprintf("heddle-%s", e->name), *name = xasprintf("heddle %s", e->name);

	mdoc_page(out, dashed, name, e->help, e->cmd->synopsis);
	mdoc_text(out, e->cmd->about);
	if (e->cmd->opts) {
		strbuf_adds(out, ".Pp\n");
		mdoc_options(out, e->cmd->opts);
	}
	if (e->cmd->lists_faults)
		mdoc_faults(out);
	free(dashed);
	free(name);
}

static void mdoc_heddle(struct strbuf *out)
{
	mdoc_page(out, "heddle", "heddle", "run multithreaded C programs under chosen schedules",
		"COMMAND [options] [--] [program args...]");
	strbuf_adds(out, "The commands are\n.Bl -tag -width completion\n");
	for (int i = 0; i < NCOMMANDS; i++) {
		strbuf_addf(out, ".It Xr heddle-%s 1\n", commands[i].name);
		mdoc_text(out, commands[i].help);
	}
	strbuf_adds(out, ".El\n.Sh EXIT STATUS\n.Bl -tag -width 999\n");
	for (int i = 0; i < NEXIT_CODES; i++) {
		strbuf_addf(out, ".It %d\n", exit_codes[i].status);
		mdoc_text(out, exit_codes[i].meaning);
	}
	strbuf_adds(out, ".El\n");
}

/* Replaces this process if the manual can be shown; returns if not. */
static void try_man(const char *name)
{
	char *dir = self_directory();
	char *page = xasprintf("%s/../share/man/man1/heddle%s%s.1", dir ? dir : "", name ? "-" : "",
		name ? name : "");

	if (dir && !access(page, R_OK) && isatty(1))
		execlp("man", "man", page, (char *)NULL);
	free(page);
	free(dir);
}

static int help_run(void *args, int argc, char **argv)
{
	const struct help_args *a = args;
	const struct command_entry *e = argc ? command_find(argv[0]) : NULL;
	struct strbuf b = {0};

	if (argc && !e)
		return STATUS_USAGE;
	if (!a->mdoc)
		try_man(e ? e->name : NULL);
	if (e)
		(a->mdoc ? mdoc_command : command_help)(&b, e);
	else
		(a->mdoc ? mdoc_heddle : commands_help)(&b);
	fputs(b.s, stdout);
	strbuf_release(&b);
	return STATUS_NOTHING;
}

const struct command cmd_help = {
	.synopsis = "[COMMAND]",
	.about = "Shows the manual page of a command if it is installed, else its short help.",
	.opts = help_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct help_args),
	.max = 1,
	.run = help_run,
};
