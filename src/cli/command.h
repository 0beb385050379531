/*
 * A command of `heddle`. commands.def lists all commands. main.c parses the options by the
 * command's table into a zeroed struct of args_size bytes, checks the number of operands, and calls
 * run(). Only this room converts results to exit codes (exits.def).
 */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

#include "base/opt.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum exit_code {
#define EXIT_CODE(id, status, meaning) STATUS_##id = status,
#include "cli/exits.def"
#undef EXIT_CODE
};

struct command {
	const char *synopsis;   /* the text after "heddle NAME" */
	const char *about;      /* sentences for -h, lines of at most 79 columns */
	const struct opt *opts; /* NULL: run() gets the whole command line; argv[0] is the name */
	unsigned opt_flags;     /* of opt_parse() */
	size_t args_size;       /* of the struct that opts fill, in bytes */
	bool lists_faults;      /* -h and the manual list the faults that it predicts */
	int min, max;           /* number of operands; max < 0: any number */
	/* argv: the operands, NULL at the end. run() frees lists that the options own. Returns the
	 * exit code. */
	int (*run)(void *args, int argc, char **argv);
};

#define COMMAND(name, help) extern const struct command cmd_##name;
#include "cli/commands.def"
#undef COMMAND

struct command_entry {
	const char *name, *help;
	const struct command *cmd;
};
enum {
#define COMMAND(name, help) COMMAND_##name,
#include "cli/commands.def"
#undef COMMAND
	NCOMMANDS
};
extern const struct command_entry commands[NCOMMANDS];

struct exit_code_entry {
	const char *meaning;
	int status;
};
enum {
	NEXIT_CODES = 0
#define EXIT_CODE(id, status, meaning) +1
#include "cli/exits.def"
#undef EXIT_CODE
};
extern const struct exit_code_entry exit_codes[NEXIT_CODES];

/* The command of that name; NULL after error_() that suggests the nearest name. */
const struct command_entry *command_find(const char *name);
/* `heddle --help` and `heddle NAME -h` */
void commands_help(struct strbuf *out);
void command_help(struct strbuf *out, const struct command_entry *e);

/* The directory of this program's file, without a final slash; free it. NULL: not known. */
char *self_directory(void);

#endif
