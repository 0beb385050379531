/*
 * `heddle help`: the manual page when it is installed beside the program, else the short help.
 * With --mdoc it prints the parts of the manual that come from tables; the build puts them into
 * docs/man/NAME.1.in.
 */
#include "cli/command.h"

#include "base/diag.h"

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
		"print the tables of the manual page as mdoc(7) source"),
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

static void mdoc_commands(struct strbuf *out)
{
	strbuf_adds(out, ".Bl -tag -width completion\n");
	for (int i = 0; i < NCOMMANDS; i++) {
		strbuf_addf(out, ".It Xr heddle-%s 1\n", commands[i].name);
		mdoc_text(out, commands[i].help);
	}
	strbuf_adds(out, ".El\n");
}

static void mdoc_exit_codes(struct strbuf *out)
{
	strbuf_adds(out, ".Bl -tag -width 999\n");
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
	if (a->mdoc && e) {
		if (e->cmd->opts)
			mdoc_options(&b, e->cmd->opts);
	} else if (a->mdoc) {
		mdoc_commands(&b);
		strbuf_adds(&b, ".Sh EXIT STATUS\n");
		mdoc_exit_codes(&b);
	} else {
		try_man(e ? e->name : NULL);
		if (e)
			command_help(&b, e);
		else
			commands_help(&b);
	}
	fputs(b.n ? b.s : "", stdout);
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
