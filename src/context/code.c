/* The program as the analyses of a context use it: flow graphs, definitions of registers, calls. */
#include "context/context_internal.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "facts/calls.h"

#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

static void find_definitions(struct shape *s, const struct ir_func *f)
{
	vec_each (&f->regs, r)
		s->set_by[r] = IR_NONE, s->set_in[r] = r < f->nparams ? 0 : BLK_NONE;
	vec_each (&f->blocks, b)
		for (uint32_t i = f->blocks.at[b].first;
			i < f->blocks.at[b].first + f->blocks.at[b].n; i++) {
			const struct ir_insn *in = &f->insns.at[i];

			s->block_of[i] = b;
			s->twice |= in->op == IR_CALL && in->flags & IR_F_TWICE;
			for (uint32_t k = 0; k < ir_insn_ndst(in); k++) {
				s->set_by[in->dst + k] = i;
				s->set_in[in->dst + k] = b;
			}
		}
	vec_each (&f->edges, e)
		for (uint32_t i = 0; i < f->edges.at[e].ncopies; i++)
			s->set_in[f->extra.at[f->edges.at[e].copies + 2 * i]] = f->edges.at[e].to;
}

static void find_setjmp(struct code *k, struct shape *s, uint32_t func)
{
	const struct ir_func *f = code_func(k, func);

	vec_each (&f->insns, i) {
		uint32_t callee = ir_callee(f, &f->insns.at[i]);

		s->twice |= callee != IR_NONE && (k->natives[callee].call == CALL_SETJMP ||
							 code_func(k, callee)->flags & IR_FN_TWICE);
	}
}

struct shape *code_shape(struct code *k, uint32_t func)
{
	const struct ir_func *f = code_func(k, func);
	struct shape *s = k->shapes[func];

	if (s)
		return s;
	BUG_ON(!f->blocks.n);
	s = k->shapes[func] = arena_new(&k->arena, struct shape);
	cfg_init(&s->cfg, f);
	dom_init(&s->dom, &s->cfg);
	loops_init(&s->loops, &s->cfg);
	s->block_of = arena_array(&k->arena, uint32_t, f->insns.n + 1);
	s->set_by = arena_array(&k->arena, uint32_t, f->regs.n + 1);
	s->set_in = arena_array(&k->arena, uint32_t, f->regs.n + 1);
	find_definitions(s, f);
	find_setjmp(k, s, func);
	return s;
}

bool code_dominates(struct code *k, uint32_t func, uint32_t a, uint32_t b)
{
	struct shape *s = code_shape(k, func);
	uint32_t x = s->block_of[a], y = s->block_of[b];

	return x == y ? a < b && cfg_reachable(&s->cfg, x) : dominates(&s->dom, x, y);
}

/* ---- calls ----------------------------------------------------------------------------------- */

uint32_t code_direct(const struct code *k, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = code_func(k, func);

	return ir_callee(f, &f->insns.at[insn]);
}

struct only {
	const struct code *k;
	uint32_t callee, n;
};

static void count_callee(void *ctx, uint32_t callee)
{
	struct only *o = ctx;

	o->n += callee != o->callee;
	o->callee = callee;
}

uint32_t code_callee(const struct code *k, uint32_t func, uint32_t insn)
{
	struct only o = {k, IR_NONE, 0};

	if (points_to_callees(k->pt, func, insn, count_callee, &o) || o.n != 1)
		return IR_NONE;
	return code_known(k, o.callee) ? o.callee : IR_NONE;
}

ir_ref code_arg(const struct code *k, uint32_t func, uint32_t insn, uint32_t i)
{
	const struct ir_func *f = code_func(k, func);
	const struct ir_insn *in = &f->insns.at[insn];

	return i < in->arg[2] ? f->extra.at[in->arg[1] + 2 * i] : IR_NONE;
}

int code_sync(const struct code *k, uint32_t func, uint32_t insn)
{
	uint32_t callee = code_direct(k, func, insn);

	return callee != IR_NONE && k->natives[callee].call == CALL_SYNC ? k->natives[callee].sync
									 : -1;
}

bool code_calls_at_once(const struct code *k, uint32_t func, uint32_t insn)
{
	uint32_t callee = code_direct(k, func, insn);
	const struct native *n = callee == IR_NONE ? NULL : &k->natives[callee];

	return n && (n->flags & EFFECTS_MIDWAY || (n->call == CALL_SYNC && n->sync == LOG_S_ONCE));
}

void code_each_callback(const struct code *k, uint32_t func, uint32_t insn,
	void (*add)(void *ctx, uint32_t callee), void *ctx)
{
	uint32_t callee = code_direct(k, func, insn);
	const struct native *n = callee == IR_NONE ? NULL : &k->natives[callee];

	points_to_callbacks(k->pt, func, insn, add, ctx);
	if (n && n->call != CALL_TRACED && n->call != CALL_PURE && n->unknown)
		points_to_each_outside(k->pt, add, ctx);
}

struct closing {
	const struct code *k;
	struct bitset *out;
	struct vec_u32 work;
};

static void add_to_closure(void *ctx, uint32_t callee)
{
	struct closing *cl = ctx;

	if (code_known(cl->k, callee) && bitset_add(cl->out, callee))
		vec_push(&cl->work, callee);
}

static void close_call(struct closing *cl, uint32_t func, uint32_t insn)
{
	points_to_callees(cl->k->pt, func, insn, add_to_closure, cl);
	if (code_sync(cl->k, func, insn) != LOG_S_CREATE)
		code_each_callback(cl->k, func, insn, add_to_closure, cl);
}

static void close_all(struct closing *cl)
{
	while (cl->work.n) {
		uint32_t func = vec_pop(&cl->work);
		const struct ir_func *f = code_func(cl->k, func);

		vec_each (&f->insns, i)
			if (f->insns.at[i].op == IR_CALL)
				close_call(cl, func, i);
	}
	vec_release(&cl->work);
}

void code_closure(const struct code *k, uint32_t func, struct bitset *out)
{
	struct closing cl = {.k = k, .out = out};

	add_to_closure(&cl, func);
	close_all(&cl);
}

void code_called(const struct code *k, uint32_t func, uint32_t insn, struct bitset *out)
{
	struct closing cl = {.k = k, .out = out};

	close_call(&cl, func, insn);
	close_all(&cl);
}

struct handed { /* a call that passes functions to the library */
	struct code *k;
	struct site at;
	bool starts, later;
};

static void add_callback(void *ctx, uint32_t callee)
{
	struct handed *t = ctx;

	vec_push(t->starts ? &t->k->starts[callee] : &t->k->callbacks[callee], t->at);
	if (t->later)
		bitset_add(&t->k->later, callee);
}

struct called {
	const struct code *k;
	bool native, unknown, create;
};

static void classify_callee(void *ctx, uint32_t callee)
{
	struct called *d = ctx;
	const struct native *n = &d->k->natives[callee];

	d->native |= n->call != CALL_TRACED;
	d->unknown |= n->call != CALL_TRACED && n->call != CALL_PURE && n->unknown;
	d->create |= n->call == CALL_SYNC && n->sync == LOG_S_CREATE;
}

/* Adds all objects that are reachable from the operand to k->outside. */
static void add_outside_objects(struct code *k, uint32_t func, ir_ref r)
{
	struct pts_locs locs = {0};
	struct vec_u32 work = {0};

	points_to_get(k->pt, func, r, &locs);
	do {
		vec_each (&locs.list, i)
			if (bitset_add(&k->outside, locs.list.at[i].object))
				vec_push(&work, locs.list.at[i].object);
		vec_clear(&locs.list);
		if (work.n)
			points_to_contents(k->pt, vec_pop(&work), &locs);
	} while (locs.list.n || work.n);
	vec_release(&work);
	pts_locs_release(&locs);
}

static void collect_call(struct code *k, uint32_t func, uint32_t insn)
{
	const struct ir_insn *in = &code_func(k, func)->insns.at[insn];
	bool indirect = code_direct(k, func, insn) == IR_NONE;
	struct called d = {k, false, false, false};
	struct handed t = {k, {func, insn}, false, false};
	bool other;

	other = points_to_callees(k->pt, func, insn, classify_callee, &d);
	d.unknown |= other || (indirect && d.native);
	t.starts = d.create && !indirect;
	t.later = !t.starts && (indirect || !code_calls_at_once(k, func, insn));
	if (d.native || d.unknown)
		code_each_callback(k, func, insn, add_callback, &t);
	for (uint32_t i = 0; d.unknown && i < in->arg[2]; i++)
		add_outside_objects(k, func, code_arg(k, func, insn, i));
}

static void collect_calls(struct code *k)
{
	vec_each (&k->p->funcs, f)
		if (code_known(k, f))
			vec_each (&k->p->funcs.at[f].insns, i)
				if (k->p->funcs.at[f].insns.at[i].op == IR_CALL)
					collect_call(k, f, i);
}

/* ---- at most once ---------------------------------------------------------------------------- */

static bool has_other_entry(const struct code *k, uint32_t func)
{
	vec_each (&k->p->ctors, i)
		if (k->p->ctors.at[i].func == func)
			return true;
	vec_each (&k->p->dtors, i)
		if (k->p->dtors.at[i].func == func)
			return true;
	return points_to_outside(k->pt, points_to_of_func(k->pt, func)) || k->callbacks[func].n ||
	       !code_known(k, func) || k->recursive[func];
}

bool code_uncalled(const struct code *k, uint32_t func)
{
	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++)
		if (code_known(k, k->calls.sites.at[k->calls.callers[i]].func))
			return false;
	return !has_other_entry(k, func) && !k->starts[func].n;
}

static bool compute_once(struct code *k, uint32_t func)
{
	struct site from = {IR_NONE, IR_NONE};
	uint32_t n = 0;

	if (has_other_entry(k, func))
		return false;
	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++) {
		const struct call_site *s = &k->calls.sites.at[k->calls.callers[i]];

		if (!code_known(k, s->func))
			continue;
		from = (struct site){s->func, s->insn};
		n++;
	}
	if (k->starts[func].n)
		from = k->starts[func].at[0];
	n += k->starts[func].n;
	if (func == ir_find_func(k->p, "main"))
		return n == 0;
	return n == 0 || (n == 1 && code_once(k, from.func, from.insn));
}

bool code_once(struct code *k, uint32_t func, uint32_t insn)
{
	struct shape *s = code_shape(k, func);

	if (s->twice || s->loops.of[s->block_of[insn]] != LOOP_NONE)
		return false;
	if (!k->once[func]) {
		k->once[func] = 1; /* a cycle of calls is not once */
		k->once[func] = 1 + compute_once(k, func);
	}
	return k->once[func] == 2;
}

uint32_t code_starts(struct code *k, uint32_t func)
{
	if (points_to_outside(k->pt, points_to_of_func(k->pt, func)) || bitset_has(&k->later, func))
		return UINT32_MAX;
	vec_each (&k->starts[func], i)
		if (!code_once(k, k->starts[func].at[i].func, k->starts[func].at[i].insn))
			return UINT32_MAX;
	return k->starts[func].n;
}

/* ---- functions of the main thread and of others ----------------------------------------------- */

struct mains {
	struct code *k;
	struct vec_u32 work;
};

static void add_main_func(void *ctx, uint32_t func)
{
	struct mains *m = ctx;

	if (code_known(m->k, func) && bitset_add(&m->k->mains, func))
		vec_push(&m->work, func);
}

static void find_thread_funcs(struct code *k)
{
	struct mains m = {.k = k};
	uint32_t main_ = ir_find_func(k->p, "main");

	if (main_ != IR_NONE)
		add_main_func(&m, main_);
	vec_each (&k->p->ctors, i)
		add_main_func(&m, k->p->ctors.at[i].func);
	vec_each (&k->p->dtors, i)
		add_main_func(&m, k->p->dtors.at[i].func);
	vec_each (&k->p->funcs, f)
		if (bitset_has(&k->later, f) ||
			points_to_outside(k->pt, points_to_of_func(k->pt, f)))
			add_main_func(&m, f);
	while (m.work.n) {
		uint32_t f = vec_pop(&m.work);
		const struct ir_func *fn = code_func(k, f);

		vec_each (&fn->insns, i)
			if (fn->insns.at[i].op == IR_CALL) {
				points_to_callees(k->pt, f, i, add_main_func, &m);
				if (code_sync(k, f, i) != LOG_S_CREATE)
					points_to_callbacks(k->pt, f, i, add_main_func, &m);
			}
	}
	vec_release(&m.work);
	vec_each (&k->p->funcs, f)
		if (k->starts[f].n || bitset_has(&k->later, f) ||
			points_to_outside(k->pt, points_to_of_func(k->pt, f)))
			code_closure(k, f, &k->threads);
}

/* ---- recursion ------------------------------------------------------------------------------- */

struct edges {
	const struct code *k;
	struct vec_u32 to;
	uint32_t from;
};

static void add_edge(void *ctx, uint32_t callee)
{
	struct edges *e = ctx;

	if (!code_known(e->k, callee))
		return;
	e->k->recursive[e->from] |= callee == e->from;
	vec_push(&e->to, callee);
}

/* Over the functions of the program only: models call functions through pointers. */
static void find_recursive(struct code *k)
{
	uint32_t n = k->p->funcs.n, *at = xcalloc(n + 1, sizeof *at),
		 *comp = xcalloc(n + 1, sizeof *comp);
	uint32_t *size = xcalloc(n + 1, sizeof *size);
	struct edges e = {.k = k};

	for (uint32_t f = 0; f < n; f++) {
		const struct ir_func *fn = code_func(k, f);

		e.from = f;
		for (uint32_t i = 0; code_known(k, f) && i < fn->insns.n; i++)
			if (fn->insns.at[i].op == IR_CALL) {
				points_to_callees(k->pt, f, i, add_edge, &e);
				if (code_sync(k, f, i) != LOG_S_CREATE)
					points_to_callbacks(k->pt, f, i, add_edge, &e);
			}
		at[f + 1] = e.to.n;
	}
	graph_scc(&(struct graph){n, at, e.to.at}, comp);
	for (uint32_t f = 0; f < n; f++)
		size[comp[f]]++;
	for (uint32_t f = 0; f < n; f++)
		k->recursive[f] |= size[comp[f]] > 1;
	vec_release(&e.to);
	free(at);
	free(comp);
	free(size);
}

/* ---- init and release ------------------------------------------------------------------------ */

static bool is_allocator(void *ctx, uint32_t func)
{
	const struct code *k = ctx;

	return k->natives[func].heap && !k->natives[func].unknown;
}

/* Is the object created by code outside the program, or written by it at any time? */
static bool is_foreign(struct code *k, uint32_t object)
{
	switch ((enum pts_kind)points_to_object(k->pt, object)->kind) {
	case PTS_K_GLOBAL:
	case PTS_K_LOCAL:
	case PTS_K_FUNC: return points_to_outside(k->pt, object);
	case PTS_K_HEAP:
		return points_to_outside(k->pt, object) ||
		       !points_to_allocated_by(k->pt, object, is_allocator, k);
	default: return true;
	}
}

static void share_all_objects(struct code *k)
{
	for (uint32_t o = 0; o < points_to_nobjects(k->pt); o++)
		bitset_add(&k->escape.shared, o);
}

void code_init(struct code *k, const struct ir_program *p, const struct points_to *pt)
{
	uint32_t n = p->funcs.n + 1;
	bool *traced;

	*k = (struct code){.p = p, .pt = pt};
	arena_init(&k->arena);
	traced = arena_array(&k->arena, bool, n);
	k->plan = (struct plan){.p = p, .pt = (struct points_to *)pt};
	k->plan.funcs = arena_array(&k->arena, struct plan_func, n);
	vec_each (&p->funcs, f)
		traced[f] = k->plan.funcs[f].traced =
			p->funcs.at[f].insns.n &&
			!(p->funcs.at[f].flags & (IR_FN_MODEL | IR_FN_EXTERN)) &&
			points_to_knows(pt, f);
	k->shapes = arena_array(&k->arena, struct shape *, n);
	k->starts = arena_array(&k->arena, struct vec_site, n);
	k->callbacks = arena_array(&k->arena, struct vec_site, n);
	k->once = arena_array(&k->arena, uint8_t, n);
	k->recursive = arena_array(&k->arena, bool, n);
	calls_init(&k->calls, p, pt);
	k->natives = natives_resolve(&k->arena, p, traced);
	phase_init(&k->phase, &k->plan, k->natives);
	escape_init(&k->escape, p, pt);
	if (k->phase.handlers) /* a signal handler accesses variables of the thread it interrupts */
		share_all_objects(k);
	k->writes = (struct writes){p, pt, k->natives};
	for (uint32_t o = 0; o < points_to_nobjects(pt); o++)
		if (is_foreign(k, o))
			bitset_add(&k->outside, o);
	collect_calls(k);
	find_recursive(k);
	find_thread_funcs(k);
}

void code_release(struct code *k)
{
	vec_each (&k->p->funcs, f) {
		if (k->shapes[f]) {
			cfg_release(&k->shapes[f]->cfg);
			dom_release(&k->shapes[f]->dom);
			loops_release(&k->shapes[f]->loops);
		}
		vec_release(&k->starts[f]);
		vec_release(&k->callbacks[f]);
	}
	callgraph_release(&k->calls);
	phase_release(&k->phase);
	escape_release(&k->escape);
	bitset_release(&k->outside);
	bitset_release(&k->later);
	bitset_release(&k->mains);
	bitset_release(&k->threads);
	arena_release(&k->arena);
}
