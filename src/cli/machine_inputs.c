#include "cli/machine_inputs.h"

#include "base/vec.h"

int machine_inputs_parse(const struct machine_inputs_args *a, struct machine_inputs *out)
{
	*out = (struct machine_inputs){0};
	inputs_init(&out->inputs);
	vec_each (&a->sym, i)
		if (inputs_add(&out->inputs, a->sym.at[i]))
			return -1;
	return stubs_parse(&a->stubs, &out->stubs);
}

void machine_inputs_release(struct machine_inputs_args *a, struct machine_inputs *in)
{
	stubs_release(&in->stubs);
	inputs_release(&in->inputs);
	vec_release(&a->sym);
	vec_release(&a->stubs);
}
