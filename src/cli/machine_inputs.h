/* --sym and --stub, for the commands that execute programs symbolically. */
#ifndef HEDDLE_CLI_MACHINE_INPUTS_H
#define HEDDLE_CLI_MACHINE_INPUTS_H

#include "base/opt.h"
#include "cli/stubs.h"
#include "explore/inputs.h"

struct machine_inputs_args {
	struct opt_list sym, stubs;
};

/* The options; S has a field `machine` of this type. */
#define MACHINE_INPUTS_SYM(S)                                                                      \
	OPT_LIST(0, "sym", S, machine.sym, "INPUT",                                                \
		"make an input symbolic: argv[K]:N, stdin:N, file:PATH:N,\n"                       \
		"env:NAME:N (up to N bytes each), or syscall; may be repeated.\n"                  \
		"The bytes of heddle_input() are always symbolic")
#define MACHINE_INPUTS_STUB(S)                                                                     \
	OPT_LIST(0, "stub", S, machine.stubs, "NAME=VALUE",                                        \
		"calls of NAME, a function without a model, return VALUE; may be\n"                \
		"repeated")

struct machine_inputs {
	struct inputs inputs;
	struct stubs stubs;
};

/* -1 after error_(). Lifetime: machine_inputs_release(), also after an error; it frees the lists of
 * the arguments, too. */
int machine_inputs_parse(const struct machine_inputs_args *a, struct machine_inputs *out);
void machine_inputs_release(struct machine_inputs_args *a, struct machine_inputs *in);

#endif
