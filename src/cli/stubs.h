/* --stub NAME=VALUE, for the commands that run programs on the machine. */
#ifndef HEDDLE_CLI_STUBS_H
#define HEDDLE_CLI_STUBS_H

#include "base/opt.h"
#include "machine/exec.h"

struct stubs {
	struct exec_stub *at;
	uint32_t n, cap;
};

/* Parses the values of --stub. -1 after error_(). Lifetime: stubs_release(), also after an
 * error. */
int stubs_parse(const struct opt_list *list, struct stubs *out);
void stubs_release(struct stubs *s);

#endif
