/* `heddle dump`: prints the program in the textual form of the IR. */
#include "cli/command.h"

#include "base/diag.h"
#include "base/vec.h"
#include "cli/load_program.h"
#include "ir/text.h"

#include <stdio.h>
#include <string.h>

struct dump_args {
	bool ir, models;
};

static const struct opt dump_opts[] = {
	OPT_FLAG(0, "ir", struct dump_args, ir, "print the IR (the default, and the only form)"),
	OPT_FLAG(0, "models", struct dump_args, models,
		"include the models of the library functions that the program calls"),
	OPT_END,
};

/* Prints all functions of that name: several static functions can share it. */
static int dump_function(struct strbuf *out, const struct ir_program *p, const char *name)
{
	struct opt_nearest ne;
	bool found = false;

	opt_nearest_init(&ne, name);
	vec_each (&p->funcs, f) {
		if (!strcmp(ir_func_name(p, f), name)) {
			ir_print_func(out, p, f, true);
			found = true;
		} else {
			opt_nearest_offer(&ne, ir_func_name(p, f));
		}
	}
	if (found)
		return 0;
	if (ne.best)
		return error_("no function '%s' (did you mean '%s'?)", name, ne.best);
	return error_("no function '%s'", name);
}

static int dump_run(void *args, int argc, char **argv)
{
	const struct dump_args *a = args;
	struct ir_program *p = load_program(argv[0], a->models ? LOAD_MODELS : 0);
	struct strbuf b = {0};
	int rc = 0;

	if (!p)
		return STATUS_FAILED;
	if (argc > 1)
		rc = dump_function(&b, p, argv[1]);
	else
		ir_print(&b, p);
	fwrite(b.s, 1, b.n, stdout);
	strbuf_release(&b);
	ir_program_free(p);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_dump = {
	.synopsis = "[--ir] [--models] PROGRAM [FUNCTION]",
	.about = "Prints the program, or one function of it, in the textual form of heddle's\n"
		 "IR. The whole program can be read back: 'heddle exec' and 'heddle dump' take\n"
		 "such a file instead of an executable. One function is printed for\n"
		 "reading, with comments.",
	.opts = dump_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct dump_args),
	.min = 1,
	.max = 2,
	.run = dump_run,
};
