/* Constraints of calls: arguments, results and allocations, for each pair of site and callee. */
#include "facts/flow.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

/* ---- heap objects -------------------------------------------------------------------------- */

/* the declared target type of the pointer that receives the allocation */
static uint32_t get_target_type(const struct ir_program *p, const struct ir_func *f, uint32_t reg)
{
	uint32_t t = reg < f->regs.n ? f->regs.at[reg].dtype : 0;

	while (p->dtypes.at[t].kind == IR_D_TYPEDEF || p->dtypes.at[t].kind == IR_D_CV)
		t = p->dtypes.at[t].elem;
	return p->dtypes.at[t].kind == IR_D_PTR ? p->dtypes.at[t].elem : 0;
}

static uint32_t heap_object(struct flow *fl, struct pts_object o)
{
	uint64_t *slot = map_put(&fl->heap_at, flow_key(o.func, o.insn));

	o.kind = PTS_K_HEAP;
	if (!*slot)
		*slot = flow_add_object(fl, PTS_PLAIN, 16, o);
	return (uint32_t)*slot;
}

uint32_t flow_heap(struct flow *fl, uint32_t site, uint32_t func, uint64_t size)
{
	struct flow_site s = fl->sites.at[site];
	const struct ir_func *f = &fl->p->funcs.at[s.func];
	const struct ir_insn *in = &f->insns.at[s.insn];

	/* an indirect call may reach several allocators, with different sizes */
	if (ir_callee(f, in) == IR_NONE)
		size = UINT64_MAX;
	return heap_object(fl, (struct pts_object){.func = s.func,
				       .insn = s.insn,
				       .id = func,
				       .dtype = get_target_type(fl->p, f, in->dst),
				       .size = size});
}

/* Adds the object to the results of the allocating calls inside the wrapper. */
static void flow_wrapper_gets(struct flow *fl, uint32_t func, uint32_t object)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	const struct wrapper *w = &fl->wrappers[func];
	uint32_t callee;

	for (uint32_t i = 0; i < w->ncalls; i++) {
		const struct ir_insn *in = &f->insns.at[w->calls[i]];

		pts_addr(&fl->sys, flow_node(fl, func, in->dst), object, OFFS_ZERO);
		callee = ir_callee(f, in);
		if (fl->wrappers[callee].is)
			flow_wrapper_gets(fl, callee, object);
	}
}

void flow_wrapper_default(struct flow *fl, uint32_t func)
{
	struct pts_object o = {
		.func = func, .insn = IR_NONE, .id = func, .size = UINT64_MAX};

	if (fl->wrappers[func].is && !map_get(&fl->heap_at, flow_key(func, IR_NONE)))
		flow_wrapper_gets(fl, func, heap_object(fl, o));
}

/* Adds the object that the wrapper allocates at this call. If the caller is a wrapper that returns
 * the result, the object belongs to the callers of that wrapper instead. */
static void wrapper_called(struct flow *fl, uint32_t site, uint32_t func)
{
	const struct wrapper *w = &fl->wrappers[func];
	struct flow_site s = fl->sites.at[site];
	uint64_t size = UINT64_MAX;
	uint32_t object;
	int64_t k;

	if (wrapper_returns_call(&fl->wrappers[s.func], s.insn))
		return;
	if (w->size_param < s.nargs) {
		const struct ir_func *f = &fl->p->funcs.at[s.func];
		const struct ir_insn *in = &f->insns.at[s.insn];

		if (defs_constant(f, f->extra.at[in->arg[1] + 2 * w->size_param], &k))
			size = (uint64_t)k;
	}
	object = flow_heap(fl, site, func, size);
	pts_addr(&fl->sys, s.result, object, OFFS_ZERO);
	flow_wrapper_gets(fl, func, object);
}

/* ---- arguments and results ----------------------------------------------------------------- */

static uint32_t byval_object(struct flow *fl, uint32_t func, uint32_t param)
{
	return (uint32_t)*map_get(&fl->local_at, flow_key(func, IR_CONST_BIT | param));
}

static void pass_argument(struct flow *fl, uint32_t func, uint32_t i, struct flow_arg arg)
{
	const struct ir_param *param = &fl->p->funcs.at[func].params[i];

	if (param->byval)
		pts_fetch(&fl->sys, byval_object(fl, func, i), arg.node,
			(uint32_t)MIN(param->byval, PTS_ALL));
	else
		pts_copy(&fl->sys, fl->funcs[func].regs + i, arg.node);
}

/* an argument without a parameter may be anywhere in the variable arguments */
static void pass_variable(struct flow *fl, uint32_t func, struct flow_arg arg)
{
	uint32_t area = fl->funcs[func].varargs, bytes, n = (uint32_t)MIN(arg.byval, PTS_ALL);

	if (!area || !arg.node)
		return;
	if (!n) {
		pts_store(&fl->sys, area, arg.node, 8);
		return;
	}
	bytes = flow_add_object(fl, PTS_IN_FLIGHT, 1,
		(struct pts_object){.kind = PTS_K_FLIGHT, .func = func, .insn = IR_NONE,
			.size = UINT64_MAX});
	pts_fetch(&fl->sys, bytes, arg.node, n);
	pts_put(&fl->sys, area, bytes, n);
}

static void enter_callee(struct flow *fl, uint32_t site, uint32_t func)
{
	struct flow_site s = fl->sites.at[site];
	const struct ir_func *f = &fl->p->funcs.at[func];

	for (uint32_t i = 0; i < s.nargs; i++)
		if (i < f->nparams)
			pass_argument(fl, func, i, fl->args.at[s.args + i]);
		else
			pass_variable(fl, func, fl->args.at[s.args + i]);
	if (fl->wrappers[func].is && !s.callback) {
		wrapper_called(fl, site, func);
		return;
	}
	flow_wrapper_default(fl, func);
	for (uint32_t i = 0; i < MIN(s.nresults, f->nret); i++)
		pts_copy(&fl->sys, s.result + i, fl->funcs[func].rets + i);
}

/* code outside calls the function with any pointers that it has */
static void enter_from_outside(struct flow *fl, uint32_t func)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	struct flow_arg any = {.node = fl->sys.external};

	for (uint32_t i = 0; i < f->nparams; i++)
		pass_argument(fl, func, i, any);
	pass_variable(fl, func, any);
	flow_wrapper_default(fl, func);
	for (uint32_t i = 0; i < f->nret; i++)
		pts_copy(&fl->sys, fl->sys.escaped, fl->funcs[func].rets + i);
}

/* Can the value be a whole pointer? Assumes that code outside returns pointers neither in pieces
 * nor as floats. */
static bool whole_pointer(ir_type t)
{
	return t == IR_PTR || (t >= 64 && t <= 128);
}

void flow_unknown(struct flow *fl, uint32_t site)
{
	struct flow_site s = fl->sites.at[site];
	const struct ir_func *f = &fl->p->funcs.at[s.func];
	uint32_t reg = s.callback ? IR_NONE : f->insns.at[s.insn].dst;

	for (uint32_t i = 0; i < s.nargs; i++)
		pts_copy(&fl->sys, fl->sys.escaped, fl->args.at[s.args + i].node);
	for (uint32_t i = 0; i < s.nresults; i++)
		if (s.callback || whole_pointer(f->regs.at[reg + i].type))
			pts_copy(&fl->sys, s.result + i, fl->sys.external);
}

/* ---- sites and callees --------------------------------------------------------------------- */

static bool called_directly(const struct flow *fl, uint32_t site, uint32_t func)
{
	const struct flow_site *s = &fl->sites.at[site];
	const struct ir_func *f = &fl->p->funcs.at[s->func];

	return !s->callback && ir_callee(f, &f->insns.at[s->insn]) == func;
}

static void bind_func(struct flow *fl, uint32_t site, uint32_t func)
{
	uint64_t *seen = map_put(&fl->bound, flow_key(site, func));

	if ((*seen)++)
		return;
	vec_push(&fl->bounds, (struct flow_bound){site, func});
	if (func == IR_NONE) {
		if (site)
			flow_unknown(fl, site);
	} else if (fl->funcs[func].regs) {
		if (site)
			enter_callee(fl, site, func);
		else
			enter_from_outside(fl, func);
	} else if (site) {
		if (fl->externs[func])
			flow_extern(fl, site, func);
		if (!fl->externs[func] || (fl->direct_only && !called_directly(fl, site, func)))
			flow_unknown(fl, site);
	}
}

void flow_bind(void *ctx, uint32_t site, uint32_t object)
{
	struct flow *fl = ctx;

	bind_func(fl, site, object == PTS_EXTERNAL ? IR_NONE : fl->objects.at[object].id);
}

static uint32_t add_site(struct flow *fl, struct flow_site s)
{
	uint64_t *first;

	vec_push(&fl->sites, s);
	first = map_put(&fl->site_at, flow_key(s.func, s.insn));
	if (!*first)
		*first = fl->sites.n - 1;
	return fl->sites.n - 1;
}

void flow_call(struct flow *fl, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	const struct ir_insn *in = &f->insns.at[insn];
	struct flow_site s = {.func = func, .insn = insn, .args = fl->args.n, .nargs = in->arg[2]};
	uint32_t callee = ir_callee(f, in), site;

	for (uint32_t i = 0; i < in->arg[2]; i++) {
		const uint32_t *arg = &f->extra.at[in->arg[1] + 2 * i];

		vec_push(&fl->args, (struct flow_arg){flow_node(fl, func, arg[0]), arg[1]});
	}
	s.nresults = (uint32_t)in->imm;
	if (s.nresults)
		s.result = fl->funcs[func].regs + in->dst;
	site = add_site(fl, s);
	if (callee != IR_NONE)
		bind_func(fl, site, callee);
	else
		pts_call(&fl->sys, site, flow_node(fl, func, in->arg[0]));
}

void flow_callback(struct flow *fl, uint32_t site, uint32_t target, const uint32_t *args,
	uint32_t nargs, uint32_t result)
{
	struct flow_site s = {.func = fl->sites.at[site].func, .insn = fl->sites.at[site].insn,
		.args = fl->args.n, .nargs = nargs, .result = result, .nresults = result != 0,
		.callback = true};

	if (!target)
		return;
	for (uint32_t i = 0; i < nargs; i++)
		vec_push(&fl->args, (struct flow_arg){.node = args[i]});
	pts_call(&fl->sys, add_site(fl, s), target);
}
