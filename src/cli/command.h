/*
 * A command of the command line. commands.def names them all; main.c parses the options by the
 * command's table into a zeroed struct of its own, checks the number of operands, and calls run().
 * Only this room turns results into exit codes (exits.def).
 */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

#include "base/opt.h"
#include "base/strbuf.h"

enum exit_code {
#define EXIT_CODE(id, status, meaning) STATUS_##id = status,
#include "cli/exits.def"
#undef EXIT_CODE
};

struct command {
	const char *synopsis;   /* what follows "heddle NAME" */
	const char *about;      /* sentences for -h, lines of at most 79 columns */
	const struct opt *opts; /* NULL: run() gets the whole command line, argv[0] the name */
	unsigned opt_flags;     /* of opt_parse() */
	size_t args_size;       /* of the struct that opts fill */
	int min, max;           /* operands; max < 0 = any number */
	/* argv are the operands and end in NULL; free what the options hold */
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

/* NULL after error_() with the nearest name */
const struct command_entry *command_find(const char *name);
/* `heddle --help` and `heddle NAME -h` */
void commands_help(struct strbuf *out);
void command_help(struct strbuf *out, const struct command_entry *e);

/* The directory of this program's file, without the slash; free it. NULL if it is not known. */
char *self_directory(void);

#endif
