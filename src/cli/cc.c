/* `heddle cc`: heddle-cc under another name. */
#include "cli/command.h"

#include "base/diag.h"
#include "cc/driver.h"

static int cc_run(void *args, int argc, char **argv)
{
	(void)args;
	diag_set_program("heddle-cc");
	argv[0] = "heddle-cc";
	return cc_main(argc, argv);
}

const struct command cmd_cc = {
	.synopsis = "[compiler options] FILE...",
	.about = "Compiles and links like clang, whose options it takes, and keeps the\n"
		 "program's bitcode and the recipe of its link inside the executable for the\n"
		 "other commands. 'heddle-cc' is the same as one word: make CC=heddle-cc.",
	.max = -1,
	.run = cc_run,
};
