#include "facts/flow.h"

#include "base/base.h"
#include "base/bitset.h"

uint32_t flow_add_object(struct flow *fl, enum pts_memory memory, uint32_t align,
	struct pts_object o)
{
	vec_push(&fl->objects, o);
	return pts_add_object(&fl->sys, memory, o.size, align);
}

uint32_t flow_pointer(struct flow *fl, uint32_t object, struct offs at)
{
	uint32_t node = pts_add_node(&fl->sys);

	pts_addr(&fl->sys, node, object, at);
	return node;
}

static uint32_t constant_node(struct flow *fl, const struct ir_const *c)
{
	bool func = c->kind == IR_C_FUNC;
	uint32_t object = func ? fl->func_object[c->id] : fl->global_object[c->id];
	int64_t addend = func ? 0 : (int64_t)c->lo;
	uint64_t *slot;

	if (addend != (int32_t)addend)
		return flow_pointer(fl, object, offs_exact(addend));
	slot = map_put(&fl->constants, flow_key(object, (uint32_t)addend));
	if (!*slot)
		*slot = flow_pointer(fl, object, offs_exact(addend));
	return (uint32_t)*slot;
}

uint32_t flow_node(struct flow *fl, uint32_t func, ir_ref r)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	const struct ir_const *c;

	if (r == IR_NONE)
		return 0;
	if (ir_is_reg(r)) /* or a slot: slots have the numbers after the registers */
		return r < f->regs.n && f->regs.at[r].type == 1 ? 0 : fl->funcs[func].regs + r;
	c = ir_const(f, r);
	return c->kind == IR_C_GLOBAL || c->kind == IR_C_FUNC ? constant_node(fl, c) : 0;
}

/* ---- objects ------------------------------------------------------------------------------- */

static void add_globals(struct flow *fl, bool open)
{
	const struct ir_program *p = fl->p;

	fl->global_object = arena_array(&fl->arena, uint32_t, p->globals.n + 1);
	vec_each (&p->globals, g) {
		const struct ir_global *gl = &p->globals.at[g];
		bool outside = gl->flags & (IR_G_EXTERN | IR_G_MODEL) ||
			       (open && !(gl->flags & IR_G_LOCAL));
		enum pts_memory memory = PTS_PLAIN;

		if ((gl->flags & (IR_G_CONST | IR_G_EXTERN)) == IR_G_CONST)
			memory = gl->relocs.n ? PTS_READONLY : PTS_TEXT;
		fl->global_object[g] = flow_add_object(fl, memory, gl->align,
			(struct pts_object){.kind = PTS_K_GLOBAL, .func = IR_NONE, .insn = IR_NONE,
				.id = g, .dtype = gl->dtype,
				.size = gl->flags & IR_G_EXTERN || !gl->size ? UINT64_MAX
									     : gl->size});
		if (outside)
			pts_addr(&fl->sys, fl->sys.escaped, fl->global_object[g], OFFS_ANY);
	}
}

static void add_functions(struct flow *fl, bool open, const struct bitset *exposed)
{
	const struct ir_program *p = fl->p;

	fl->func_object = arena_array(&fl->arena, uint32_t, p->funcs.n + 1);
	vec_each (&p->funcs, f) {
		fl->func_object[f] = flow_add_object(fl, PTS_CODE, 1,
			(struct pts_object){.kind = PTS_K_FUNC, .func = f, .insn = IR_NONE, .id = f,
				.size = 1});
		if (!fl->defs[f].f)
			continue;
		if ((open && !(p->funcs.at[f].flags & IR_FN_LOCAL)) ||
			(exposed && bitset_has(exposed, f)))
			pts_addr(&fl->sys, fl->sys.escaped, fl->func_object[f], OFFS_ZERO);
	}
}

static void add_initial_contents(struct flow *fl)
{
	vec_each (&fl->p->globals, g) {
		const struct ir_global *gl = &fl->p->globals.at[g];
		uint32_t object = fl->global_object[g];

		vec_each (&gl->relocs, i) {
			const struct ir_reloc *r = &gl->relocs.at[i];
			bool func = r->kind == IR_C_FUNC;

			if (r->kind == IR_C_BLOCK)
				continue;
			pts_init(&fl->sys, object, offs_exact((int64_t)r->offset),
				func ? fl->func_object[r->id] : fl->global_object[r->id],
				offs_exact(func ? 0 : r->addend));
		}
	}
}

/* ---- functions ----------------------------------------------------------------------------- */

static void add_local(struct flow *fl, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	const struct ir_insn *in = &f->insns.at[insn];
	uint32_t local = (uint32_t)in->imm, object, slot = fl->defs[func].slot_of[local];
	const struct ir_local *l = &f->locals.at[local];
	uint64_t size = UINT64_MAX;
	int64_t count;

	if (defs_constant(f, in->arg[0], &count) && count > 0 &&
		__builtin_mul_overflow(l->size, (uint64_t)count, &size))
		size = UINT64_MAX;
	object = flow_add_object(fl, PTS_PLAIN, l->align,
		(struct pts_object){.kind = PTS_K_LOCAL, .func = func, .insn = insn, .id = local,
			.dtype = l->dtype, .size = size});
	*map_put(&fl->local_at, flow_key(func, local)) = object;
	if (slot != IR_NONE)
		*map_put(&fl->slot_at, object) = flow_node(fl, func, slot);
}

static void add_locals(struct flow *fl, uint32_t func)
{
	const struct ir_func *f = &fl->p->funcs.at[func];

	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_ALLOCA)
			add_local(fl, func, i);
}

static void add_byval(struct flow *fl, uint32_t func)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	uint32_t object;

	for (uint32_t i = 0; i < f->nparams; i++) {
		if (!f->params[i].byval)
			continue;
		object = flow_add_object(fl, PTS_PLAIN, 8,
			(struct pts_object){.kind = PTS_K_BYVAL, .func = func, .insn = IR_NONE,
				.id = i, .size = f->params[i].byval});
		*map_put(&fl->local_at, flow_key(func, IR_CONST_BIT | i)) = object;
		pts_addr(&fl->sys, fl->funcs[func].regs + i, object, OFFS_ZERO);
	}
}

static void add_function_nodes(struct flow *fl, uint32_t func)
{
	const struct ir_func *f = &fl->p->funcs.at[func];
	struct flow_func *ff = &fl->funcs[func];

	/* regs is never 0, which would mean that the function is not analysed */
	ff->regs = fl->sys.nnodes;
	fl->sys.nnodes += fl->defs[func].n + 1;
	ff->rets = fl->sys.nnodes;
	fl->sys.nnodes += f->nret;
	add_locals(fl, func);
	add_byval(fl, func);
	if (f->flags & IR_FN_VARARG)
		ff->varargs = flow_pointer(fl,
			flow_add_object(fl, PTS_PLAIN, 8,
				(struct pts_object){.kind = PTS_K_VARARGS, .func = func,
					.insn = IR_NONE, .size = UINT64_MAX}),
			OFFS_ANY);
}

static void add_body(struct flow *fl, uint32_t func)
{
	const struct ir_func *f = &fl->p->funcs.at[func];

	vec_each (&f->insns, i)
		flow_insn(fl, func, i);
	vec_each (&f->edges, e)
		for (uint32_t i = 0; i < f->edges.at[e].ncopies; i++) {
			const uint32_t *copy = &f->extra.at[f->edges.at[e].copies + 2 * i];

			pts_copy(&fl->sys, flow_node(fl, func, copy[0]),
				flow_node(fl, func, copy[1]));
		}
}

/* ---- the start of the program --------------------------------------------------------------- */

/* passes argv and envp to main or to a constructor */
static void start_function(struct flow *fl, uint32_t func, uint32_t vector)
{
	const struct ir_func *f = &fl->p->funcs.at[func];

	if (!fl->funcs[func].regs)
		return;
	for (uint32_t i = 1; i < MIN(f->nparams, 3); i++)
		pts_copy(&fl->sys, fl->funcs[func].regs + i, vector);
	flow_wrapper_default(fl, func);
}

static void add_start(struct flow *fl, uint32_t main_)
{
	struct pts_object o = {
		.kind = PTS_K_ARGS, .func = IR_NONE, .insn = IR_NONE, .size = UINT64_MAX};
	uint32_t vector = flow_pointer(fl, flow_add_object(fl, PTS_PLAIN, 16, o), OFFS_ZERO);
	uint32_t elem = pts_add_node(&fl->sys), strings;

	o.id = 1;
	strings = flow_pointer(fl, flow_add_object(fl, PTS_PLAIN, 16, o), OFFS_ANY);
	pts_move(&fl->sys, elem, vector, (struct pts_xform){.kind = PTS_INDEX, .c = 8});
	pts_store(&fl->sys, elem, strings, 8);
	if (main_ != IR_NONE)
		start_function(fl, main_, vector);
	vec_each (&fl->p->ctors, i)
		start_function(fl, fl->p->ctors.at[i].func, vector);
}

/* wrappers without a direct caller also allocate objects */
static void add_lonely_wrappers(struct flow *fl)
{
	struct bitset called = {0};

	vec_each (&fl->bounds, i)
		if (fl->bounds.at[i].func != IR_NONE)
			bitset_add(&called, fl->bounds.at[i].func);
	vec_each (&fl->p->funcs, f)
		if (!bitset_has(&called, f))
			flow_wrapper_default(fl, f);
	bitset_release(&called);
}

static bool has_body(const struct ir_func *f)
{
	return !(f->flags & (IR_FN_EXTERN | IR_FN_MODEL));
}

static void find_defs(struct flow *fl, const struct bitset *unknown)
{
	const struct ir_program *p = fl->p;

	fl->defs = xcalloc(p->funcs.n + 1, sizeof *fl->defs);
	vec_each (&p->funcs, f)
		if (has_body(&p->funcs.at[f]) && !(unknown && bitset_has(unknown, f)))
			defs_init(&fl->defs[f], &p->funcs.at[f]);
}

/* every symbol in the body of an unknown function escapes */
static void add_mentioned(struct flow *fl, const struct ir_func *f)
{
	vec_each (&f->consts, i) {
		const struct ir_const *c = &f->consts.at[i];

		if (c->kind == IR_C_GLOBAL)
			pts_addr(&fl->sys, fl->sys.escaped, fl->global_object[c->id], OFFS_ANY);
		else if (c->kind == IR_C_FUNC)
			pts_addr(&fl->sys, fl->sys.escaped, fl->func_object[c->id], OFFS_ZERO);
	}
}

static void add_unknown(struct flow *fl, const struct bitset *unknown)
{
	bitset_each (unknown, f)
		if (has_body(&fl->p->funcs.at[f]))
			add_mentioned(fl, &fl->p->funcs.at[f]);
}

static void release_defs(struct flow *fl)
{
	vec_each (&fl->p->funcs, f)
		defs_release(&fl->defs[f]);
	free(fl->defs);
	fl->defs = NULL;
}

void flow_init(struct flow *fl, const struct ir_program *p, const struct points_to_options *opt)
{
	uint32_t main_ = ir_find_func(p, "main");
	bool open = opt->open || main_ == IR_NONE ||
		    p->funcs.at[main_].flags & (IR_FN_EXTERN | IR_FN_MODEL);

	*fl = (struct flow){.p = p};
	arena_init(&fl->arena);
	pts_system_init(&fl->sys);
	fl->sys.bind = flow_bind;
	fl->sys.ctx = fl;
	if (opt->max_offsets)
		fl->sys.max_offsets = opt->max_offsets;
	vec_push(&fl->objects, (struct pts_object){.kind = PTS_K_EXTERNAL, .func = IR_NONE,
		.insn = IR_NONE, .size = UINT64_MAX});
	vec_push(&fl->sites, (struct flow_site){.func = IR_NONE, .insn = IR_NONE});
	for (int i = 0; i < NPOOLS; i++)
		fl->pools[i] = pts_add_node(&fl->sys);
	for (int i = 0; i < NPOOLS; i++)
		if (i != POOL_SPECIFIC)
			vec_push(&fl->shared, fl->pools[i]);
	fl->funcs = arena_array(&fl->arena, struct flow_func, p->funcs.n + 1);
	fl->direct_only = opt->direct_only;
	fl->externs = externs_resolve(&fl->arena, p);
	if (opt->unknown)
		bitset_each (opt->unknown, f)
			fl->externs[f] = NULL;
	find_defs(fl, opt->unknown);
	fl->wrappers = wrappers_find(&fl->arena, p, fl->defs, fl->externs);
	add_globals(fl, open);
	add_functions(fl, open, opt->exposed);
	if (opt->unknown)
		add_unknown(fl, opt->unknown);
	vec_each (&p->funcs, f)
		if (fl->defs[f].f)
			add_function_nodes(fl, f);
	add_initial_contents(fl);
	vec_each (&p->funcs, f)
		if (fl->defs[f].f)
			add_body(fl, f);
	add_start(fl, main_);
	add_lonely_wrappers(fl);
	release_defs(fl);
}

void flow_release(struct flow *fl)
{
	pts_system_release(&fl->sys);
	arena_release(&fl->arena);
	vec_release(&fl->objects);
	vec_release(&fl->sites);
	vec_release(&fl->args);
	vec_release(&fl->bounds);
	vec_release(&fl->shared);
	map_release(&fl->bound);
	map_release(&fl->constants);
	map_release(&fl->heap_at);
	map_release(&fl->site_at);
	map_release(&fl->library_at);
	map_release(&fl->local_at);
	map_release(&fl->slot_at);
}
