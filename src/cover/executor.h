/*
 * The machine that executes the paths of all epochs, with its terms and its solver. Lifetime: heap,
 * executor_free(); the facts must live longer.
 */
#ifndef HEDDLE_COVER_EXECUTOR_H
#define HEDDLE_COVER_EXECUTOR_H

#include "base/vec.h"
#include "cover/path.h"
#include "explore/inputs.h"
#include "machine/save.h"

struct executor_options {
	struct inputs *inputs;
	int argc;
	char *const *argv;
	char *const *envp;
	const struct exec_stub *stubs;
	uint32_t nstubs;
	double solver_seconds;
	struct path_limits limits;
};

struct executor {
	const struct cover_facts *facts;
	struct executor_options opt;
	struct terms *ts;
	struct ask *ask;
	struct sym sym;
	struct exec_options eo;
	struct exec_result res;
	struct machine *m;
	struct saved *entry; /* at the program's entry */
	struct path_run run;
};

/* NULL after error_(). */
struct executor *executor_new(const struct cover_facts *facts, const struct executor_options *opt);
void executor_free(struct executor *x);
/* Executes one path from the saved state under the constraint, conditions by their ids; false if
 * they contradict each other. The machine stays at the end of the path. */
bool executor_run(
	struct executor *x, struct saved *from, const struct vec_u32 *constraint, struct path *out);
/* The inputs of the path that the machine is at the end of; NULL: the solver gave none. */
struct testcase *executor_example(struct executor *x);

#endif
