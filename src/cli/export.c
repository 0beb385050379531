/* `heddle export`: writes the program back as LLVM bitcode. */
#include "cli/command.h"

#include "base/diag.h"
#include "cli/load_program.h"
#include "cli/write_output.h"
#include "export/export.h"

struct export_args {
	const char *output;
};

static const struct opt export_opts[] = {
	OPT_STRING('o', "output", struct export_args, output, "FILE", "where to write the bitcode"),
	OPT_END,
};

static int export_run(void *args, int argc, char **argv)
{
	const struct export_args *a = args;
	struct ir_program *p;
	struct strbuf b = {0};
	int rc;

	(void)argc;
	if (!a->output) {
		error_("'heddle export' needs a name for the bitcode (give -o FILE)");
		return STATUS_USAGE;
	}
	p = load_program(argv[0], 0);
	if (!p)
		return STATUS_FAILED;
	rc = export_bitcode(p, argv[0], &b);
	if (!rc)
		rc = write_output(a->output, &b);
	strbuf_release(&b);
	ir_program_free(p);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_export = {
	.synopsis = "PROGRAM -o FILE",
	.about = "Writes the program as LLVM bitcode, made from heddle's IR. The bitcode can be\n"
		 "compiled and linked with the libraries of the program, or read by any LLVM\n"
		 "tool. PROGRAM is an executable built by heddle-cc, bitcode, or textual IR.\n"
		 "What the IR does not express exactly is an error that names its place.",
	.opts = export_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct export_args),
	.min = 1,
	.max = 1,
	.run = export_run,
};
