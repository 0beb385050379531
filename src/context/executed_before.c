/*
 * The instructions that may have been executed before the context, and by which threads: the part
 * of the program on paths from its start to the places (CFG_0 of paper 001, 2.3). For a frame of
 * the context these are the instructions from which its place is reachable; for a function that was
 * called or started on the way, all its instructions. Threads that are not in the context may have
 * executed any prefix.
 */
#include "context/context_internal.h"

#include "base/arena.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

struct mark {
	struct context *c;
	struct before *b;
	struct vec_u32 work;     /* functions with a grown `all` */
	VEC(struct site) points; /* callers of an incomplete stack, still to be marked */
	struct map seen;         /* function << 32 | instruction -> threads */
	uint64_t by;             /* threads of the current call */
};

static void mark_all(struct mark *m, uint32_t func, uint64_t by)
{
	if (!code_known(&m->c->code, func) || !(by & ~m->b->all[func]))
		return;
	m->b->all[func] |= by;
	vec_push(&m->work, func);
}

static void mark_callee(void *ctx, uint32_t callee)
{
	struct mark *m = ctx;

	mark_all(m, callee, m->by);
}

/* The number of threads of the context that were created with the function. */
static uint32_t count_listed_starts(const struct context *c, uint32_t func)
{
	uint32_t n = 0;

	vec_each (&c->threads, i)
		n += c->threads.at[i].id && c->threads.at[i].complete &&
		     c->threads.at[i].stack.at[0].func == func;
	return n;
}

static void mark_thread_start(void *ctx, uint32_t callee)
{
	struct mark *m = ctx;

	if (code_starts(&m->c->code, callee) > count_listed_starts(m->c, callee))
		mark_all(m, callee, BY_OTHERS);
}

static void mark_later_callback(void *ctx, uint32_t callee)
{
	struct mark *m = ctx;

	mark_all(m, callee, m->by | BY_OTHERS);
}

/* The call was executed by these threads. */
static void mark_call(struct mark *m, uint32_t func, uint32_t insn, uint64_t by)
{
	const struct code *k = &m->c->code;

	m->by = by;
	points_to_callees(m->c->pt, func, insn, mark_callee, m);
	if (code_sync(k, func, insn) == LOG_S_CREATE)
		points_to_callbacks(m->c->pt, func, insn, mark_thread_start, m);
	else if (code_calls_at_once(k, func, insn))
		points_to_callbacks(m->c->pt, func, insn, mark_callee, m);
	else
		code_each_callback(k, func, insn, mark_later_callback, m);
}

static void mark_insn(struct mark *m, uint32_t func, uint32_t insn, uint64_t by)
{
	const struct ir_func *f = code_func(&m->c->code, func);

	if (!m->b->part[func])
		m->b->part[func] = arena_array(&m->c->code.arena, uint64_t, f->insns.n + 1);
	m->b->part[func][insn] |= by;
	if (f->insns.at[insn].op == IR_CALL)
		mark_call(m, func, insn, by);
}

/* Marks all instructions from which the instruction is reachable; with setjmp, the whole function.
 * */
static void mark_leading(struct mark *m, uint32_t func, uint32_t insn, uint64_t by)
{
	struct shape *s = code_shape(&m->c->code, func);
	const struct ir_func *f = code_func(&m->c->code, func);
	struct vec_u32 work = {0};
	struct bitset seen = {0};
	uint32_t b = s->block_of[insn];

	if (s->twice) {
		mark_all(m, func, by);
		return;
	}
	for (uint32_t i = f->blocks.at[b].first; i < insn; i++)
		mark_insn(m, func, i, by);
	vec_push(&work, b);
	while (work.n) {
		b = vec_pop(&work);
		for (uint32_t i = s->cfg.pred_at[b]; i < s->cfg.pred_at[b + 1]; i++) {
			struct ir_block pb = f->blocks.at[s->cfg.pred[i]];

			if (!bitset_add(&seen, s->cfg.pred[i]))
				continue;
			vec_push(&work, s->cfg.pred[i]);
			for (uint32_t k = pb.first; k < pb.first + pb.n; k++)
				mark_insn(m, func, k, by);
		}
	}
	vec_release(&work);
	bitset_release(&seen);
}

static void mark_called_functions(struct mark *m)
{
	while (m->work.n) {
		uint32_t func = vec_pop(&m->work);
		const struct ir_func *f = code_func(&m->c->code, func);

		vec_each (&f->insns, i)
			if (f->insns.at[i].op == IR_CALL)
				mark_call(m, func, i, m->b->all[func]);
	}
}

static void add_point(struct mark *m, struct site at, uint64_t by)
{
	uint64_t *seen = map_put(&m->seen, (uint64_t)at.func << 32 | at.insn);

	if (!(by & ~*seen))
		return;
	*seen |= by;
	vec_push(&m->points, at);
}

/* May the function be called by code outside, at an exit, or as a handler? */
static bool is_called_any_time(const struct context *c, uint32_t func)
{
	vec_each (&c->p->dtors, i)
		if (c->p->dtors.at[i].func == func)
			return true;
	return points_to_outside(c->pt, points_to_of_func(c->pt, func)) ||
	       bitset_has(&c->code.later, func);
}

/* Marks all that may have led to a call of the function, transitively. */
static void mark_callers(struct mark *m, uint32_t func, uint64_t by)
{
	const struct code *k = &m->c->code;
	const struct callgraph *g = &k->calls;

	add_point(m, (struct site){IR_NONE, func}, by);
	while (m->points.n) {
		struct site at = vec_pop(&m->points);
		uint32_t f = at.func == IR_NONE ? at.insn : at.func;

		if (is_called_any_time(m->c, f))
			vec_each (&m->c->p->funcs, g)
				mark_all(m, g, by);
		if (at.func != IR_NONE)
			mark_leading(m, at.func, at.insn, by);
		for (uint32_t i = g->caller_at[f]; i < g->caller_at[f + 1]; i++) {
			const struct call_site *s = &g->sites.at[g->callers[i]];

			if (code_known(k, s->func))
				add_point(m, (struct site){s->func, s->insn}, by);
		}
		vec_each (&k->callbacks[f], i)
			add_point(m, k->callbacks[f].at[i], by);
	}
}

static void mark_thread(struct mark *m, uint32_t thread)
{
	const struct context_thread *t = &m->c->threads.at[thread];
	uint64_t by = 1ull << thread;

	vec_each (&t->stack, i)
		mark_leading(m, t->stack.at[i].func, t->stack.at[i].insn, by);
	if (t->waiting) /* the thread is inside the call */
		mark_insn(m, vec_last(&t->stack).func, vec_last(&t->stack).insn, by);
	if (!t->complete)
		mark_callers(m, t->stack.at[0].func, by);
}

/* Marks constructors, and all code of the main thread if it is not in the context. */
static void mark_start(struct mark *m)
{
	const struct ir_program *p = m->c->p;
	uint32_t main_ = ir_find_func(p, "main");
	uint64_t by = BY_OTHERS;

	vec_each (&m->c->threads, i)
		if (!m->c->threads.at[i].id)
			by = 1ull << i;
	vec_each (&p->ctors, i)
		mark_all(m, p->ctors.at[i].func, by);
	if (by != BY_OTHERS)
		return;
	if (main_ != IR_NONE)
		mark_all(m, main_, by);
	vec_each (&p->dtors, i)
		mark_all(m, p->dtors.at[i].func, by);
}

static bool writes_memory(const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_CAS:
	case IR_S_BULK:
	case IR_S_VA:
	case IR_S_LIFE:
	case IR_S_CALL: return true;
	default: return false;
	}
}

uint64_t before_by(const struct context *c, uint32_t func, uint32_t insn)
{
	return c->before.all[func] | (c->before.part[func] ? c->before.part[func][insn] : 0);
}

void before_init(struct context *c)
{
	struct mark m = {.c = c, .b = &c->before};
	uint64_t by;

	c->before.all = arena_array(&c->code.arena, uint64_t, c->p->funcs.n + 1);
	c->before.part = arena_array(&c->code.arena, uint64_t *, c->p->funcs.n + 1);
	mark_start(&m);
	vec_each (&c->threads, i) {
		map_clear(&m.seen);
		mark_thread(&m, i);
	}
	mark_called_functions(&m);
	vec_each (&c->p->funcs, f) {
		const struct ir_func *fn = &c->p->funcs.at[f];

		if (code_known(&c->code, f) && (c->before.all[f] || c->before.part[f]))
			vec_each (&fn->insns, i)
				if (writes_memory(&fn->insns.at[i]) && (by = before_by(c, f, i)))
					vec_push(&c->before.writers, (struct writer){f, i, by});
	}
	vec_release(&m.work);
	vec_release(&m.points);
	map_release(&m.seen);
}

void before_release(struct context *c)
{
	vec_release(&c->before.writers);
}
