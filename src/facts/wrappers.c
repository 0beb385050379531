#include "facts/wrappers.h"

#include "base/bitset.h"
#include "base/vec.h"

#include <stdlib.h>

struct trace {
	const struct defs *d;
	struct bitset seen;
	VEC(uint32_t) work, calls;
};

/* null or undefined */
static bool no_object(const struct ir_func *f, ir_ref r)
{
	uint8_t kind = ir_const(f, r)->kind;

	return kind == IR_C_BITS || kind == IR_C_UNDEF;
}

static bool trace_ref(struct trace *t, ir_ref r)
{
	if (ir_is_const(r))
		return no_object(t->d->f, r);
	if (bitset_add(&t->seen, r))
		vec_push(&t->work, r);
	return true;
}

/* adds the sources of the value to the work list; false if the value may not be an allocation */
static bool trace_value(struct trace *t, uint32_t v)
{
	const struct defs *d = t->d;
	const struct ir_insn *in;

	for (uint32_t i = d->at[v]; i < d->at[v + 1]; i++)
		if (d->flows[i].moved || !trace_ref(t, d->flows[i].from))
			return false;
	if (d->at[v] < d->at[v + 1] || v >= d->f->regs.n)
		return true;
	in = defs_insn(d, v);
	if (!in || in->imm != 1 || ir_callee(d->f, in) == IR_NONE)
		return false;
	vec_push(&t->calls, d->insn[v]);
	return true;
}

static bool trace_returns(struct trace *t)
{
	const struct ir_func *f = t->d->f;

	if (f->nret != 1 || f->ret[0] != IR_PTR)
		return false;
	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_RET && !trace_ref(t, f->extra.at[f->insns.at[i].arg[1]]))
			return false;
	while (t->work.n)
		if (!trace_value(t, vec_pop(&t->work)))
			return false;
	return t->calls.n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* the argument of the allocator that is the size in bytes */
static ir_ref size_argument(const struct ir_func *f, const struct ir_insn *in,
	const struct extern_summary *s, const struct wrapper *callee)
{
	uint32_t n = IR_NONE;

	if (!s)
		n = callee->size_param;
	else
		for (const struct extern_effect *e = s->effects; e->op; e++)
			if (e->op == X_SET && e->src.kind == X_FRESH && e->src.n != NO_ARG)
				n = e->src.n;
	return n < in->arg[2] ? f->extra.at[in->arg[1] + 2 * n] : IR_NONE;
}

static bool decide_wrapper(struct wrapper *all, uint32_t func, const struct ir_program *p,
	const struct extern_summary *const *externs)
{
	struct wrapper *w = &all[func];
	const struct ir_func *f = &p->funcs.at[func];
	const struct ir_insn *in;
	uint32_t callee;
	ir_ref size = IR_NONE;

	for (uint32_t i = 0; i < w->ncalls; i++) {
		in = &f->insns.at[w->calls[i]];
		callee = ir_callee(f, in);
		if (!all[callee].is && !extern_allocates(externs[callee]))
			return false;
		size = size_argument(f, in, externs[callee], &all[callee]);
	}
	w->is = true;
	if (w->ncalls == 1 && size != IR_NONE && ir_is_reg(size) && size < f->nparams)
		w->size_param = size;
	return true;
}

struct wrapper *wrappers_find(struct arena *a, const struct ir_program *p, const struct defs *defs,
	const struct extern_summary *const *externs)
{
	struct wrapper *all = arena_array(a, struct wrapper, p->funcs.n + 1);
	bool changed;

	vec_each (&p->funcs, f) {
		struct trace t = {.d = &defs[f]};

		all[f].size_param = IR_NONE;
		if (defs[f].f && trace_returns(&t)) {
			qsort(t.calls.at, t.calls.n, sizeof *t.calls.at, by_number);
			all[f].calls = arena_memdup(a, t.calls.at, t.calls.n * sizeof *t.calls.at);
			all[f].ncalls = t.calls.n;
		}
		bitset_release(&t.seen);
		vec_release(&t.work);
		vec_release(&t.calls);
	}
	/* fixpoint from the allocators: functions that return only results of each other are not
	 * wrappers */
	do {
		changed = false;
		vec_each (&p->funcs, f)
			if (all[f].ncalls && !all[f].is)
				changed |= decide_wrapper(all, f, p, externs);
	} while (changed);
	return all;
}

bool wrapper_returns_call(const struct wrapper *w, uint32_t insn)
{
	return w->is &&
	       bsearch(&insn, w->calls, w->ncalls, sizeof *w->calls, by_number) != NULL;
}
