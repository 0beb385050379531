#include "cover/executor.h"

#include "base/base.h"
#include "cover/output.h"
#include "symbolic/summary.h"
#include "world/world.h"

#include <stdlib.h>

static int make_machine(struct executor *x)
{
	x->m = inputs_machine(x->opt.inputs, x->facts->p, x->opt.argc, x->opt.argv, x->opt.envp,
		&x->eo, &x->res, &x->sym, x->ts);
	if (!x->m)
		return -1;
	summaries_install(x->m);
	output_install(x->m);
	x->m->slow = true;
	return 0;
}

struct executor *executor_new(const struct cover_facts *facts, const struct executor_options *opt)
{
	struct executor *x = xcalloc(1, sizeof *x);
	struct ask_options ao = {.seconds = opt->solver_seconds};

	x->facts = facts;
	x->opt = *opt;
	x->ts = terms_new();
	x->ask = ask_new(x->ts, &ao);
	ask_until(x->ask, opt->limits.deadline);
	x->sym = (struct sym){.ask = x->ask, .ops = &path_sym_ops, .ctx = &x->run};
	x->eo = (struct exec_options){.stubs = opt->stubs, .nstubs = opt->nstubs};
	path_hooks(&x->eo, &x->run);
	x->run.facts = facts;
	x->run.limits = &x->opt.limits;
	if (make_machine(x)) {
		executor_free(x);
		return NULL;
	}
	x->run.m = x->m;
	x->entry = machine_save(x->m);
	return x;
}

bool executor_run(
	struct executor *x, struct saved *from, const struct vec_u32 *constraint, struct path *out)
{
	machine_restore(x->m, from);
	vec_each (constraint, i)
		if (!sym_assume(x->m, (term_t){constraint->at[i]}))
			return false;
	path_execute(&x->run, out);
	return true;
}

struct testcase *executor_example(struct executor *x)
{
	struct testcase tc = {0}, *copy = NULL;
	struct term_assign model;

	term_assign_init(&model, x->ts);
	if (ask_model(x->ask, x->sym.path.at, x->sym.path.n, &model) == ASK_YES) {
		inputs_take(x->opt.inputs, x->m, &model, &tc);
		copy = testcase_copy(&tc);
		testcase_release(&tc);
	}
	term_assign_release(&model);
	return copy;
}

void executor_free(struct executor *x)
{
	if (x->entry)
		saved_free(x->entry);
	if (x->m) {
		world_free(x->m->world);
		machine_free(x->m);
	}
	map_release(&x->run.frames);
	vec_release(&x->run.threads);
	sym_release(&x->sym);
	exec_result_release(&x->res);
	ask_free(x->ask);
	terms_free(x->ts);
	free(x);
}
