#include "trace/collect.h"

#include "base/base.h"
#include "base/map.h"
#include "log/words.h"
#include "trace/trace_validate.h"

#include <stdlib.h>
#include <string.h>

struct open_local { /* a variable of a function that has not returned */
	uint64_t frame;        /* follow_frame() */
	uint32_t serial, born; /* as in struct live_local */
};
struct open_locals { /* a VEC */
	struct open_local *at;
	uint32_t n, cap;
};

struct collector {
	struct collected *c;
	const struct ir_program *p;
	struct map by_id; /* thread number in the log -> number of trace_thread() + 1 */
	struct open_locals *open; /* by thread */
};

enum { MAX_STACK = 64 };

/* ---- one event ------------------------------------------------------------------------------ */

static uint64_t start_routine(const struct follow_event *e, const char *callee)
{
	uint32_t arg = callee && !strcmp(callee, "thrd_create") ? 1 : 2;

	return e->args && arg < e->nargs ? e->args[arg].lo : 0;
}

/* Name of the function called; NULL if it is not one of the program's. */
static const char *callee_name(const struct collector *c, const struct follow_event *e)
{
	return e->callee < c->p->funcs.n ? ir_func_name(c->p, e->callee) : NULL;
}

static uint32_t thread_here(const struct collector *c, uint32_t id)
{
	return (uint32_t)map_get_or(&c->by_id, id, 0) - 1;
}

static stack_id intern_stack(struct sync_thread *t, const struct follow *f)
{
	struct follow_frame frames[MAX_STACK];
	struct stack_entry entries[MAX_STACK];
	uint32_t n = MIN(follow_stack(f, frames, MAX_STACK), (uint32_t)MAX_STACK);

	for (uint32_t i = 0; i < n; i++)
		entries[i] = (struct stack_entry){frames[i].func, frames[i].insn};
	return n ? stacks_intern(&t->stacks, entries, n) : (stack_id){0};
}

static void add_sync(struct collector *c, struct sync_thread *t, const struct follow *f,
	const struct follow_event *e)
{
	const char *callee = callee_name(c, e);
	struct sync_event s = {.index = e->index,
		.object = e->object,
		.value = e->sync_value,
		.tsc = e->tsc,
		.result = e->sync->result,
		.seq = e->sync->seq,
		.seq2 = e->seq2,
		.extra = e->extra,
		.func = e->func,
		.insn = e->insn,
		.stack = intern_stack(t, f),
		.flags = e->sync->flags,
		.kind = e->sync->kind};

	switch (s.kind) {
	case LOG_S_CREATE:
		s.value = start_routine(e, callee);
		/* fallthrough */
	case LOG_S_JOIN:
	case LOG_S_DETACH:
	case LOG_S_CANCEL: s.extra = thread_here(c, s.extra); break;
	case LOG_S_MUTEX_INIT:
		if (callee && !strcmp(callee, "pthread_mutex_consistent"))
			s.flags |= SYNC_CONSISTENT;
		break;
	case LOG_S_SEM_INIT:
		if (e->nargs > 1 && e->args[1].lo)
			s.flags |= SYNC_SHARED;
		break;
	case LOG_S_SEM_OPEN: s.object = e->sync_value; break;
	case LOG_S_ALLOC:
		s.object = e->sync_value;
		s.value = follow_alloc_size(callee, e->args, e->nargs);
		break;
	}
	vec_push(&t->events, s);
}

/* Notes the variables of functions that have returned, after the first `events` events. */
static void leave_frames(
	struct collector *c, uint32_t thread, const struct follow *f, uint32_t events)
{
	struct open_locals *o = &c->open[thread];

	while (o->n && !follow_in_frame(f, vec_last(o).frame)) {
		struct open_local l = vec_pop(o);

		if (l.born != events)
			*map_put(&c->c->locals[thread].left, l.serial) = (uint64_t)events + 1;
	}
}

static void add_local(
	struct collector *c, uint32_t thread, const struct follow *f, const struct follow_event *e)
{
	struct live_locals *ll = &c->c->locals[thread];
	uint32_t events = c->c->h.threads.at[thread].events.n;

	leave_frames(c, thread, f, events);
	vec_push(&c->open[thread], (struct open_local){follow_frame(f), ll->serial, events});
	live_locals_add(ll, e->addr, e->size, e->func, e->local, events);
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct collector *c = ctx;
	struct sync_thread *t = &c->c->h.threads.at[thread];

	if (e->kind != FOLLOW_LOCAL)
		leave_frames(c, thread, f, t->events.n);
	switch (e->kind) {
	case FOLLOW_SYNC: add_sync(c, t, f, e); break;
	case FOLLOW_LOCAL: add_local(c, thread, f, e); break;
	case FOLLOW_BEGIN:
	case FOLLOW_END:
		vec_push(&t->events,
			(struct sync_event){.index = e->index,
				.tsc = e->tsc,
				.func = e->func,
				.insn = e->insn,
				.kind = e->kind == FOLLOW_BEGIN ? SYNC_BEGIN : SYNC_END});
		break;
	}
}

/* ---- code outside the trace that may use the objects ---------------------------------------- */

static bool is_primitive(const char *name)
{
	const struct log_sync_fn *fn = log_sync_find(name);

	return fn && fn->kind >= LOG_S_MUTEX_INIT && fn->kind <= LOG_S_ONCE;
}

struct use {
	const struct collector *c;
	const struct ir_func *f;
	bool found;
};

static void look_at_use(void *ctx, ir_ref r)
{
	struct use *u = ctx;

	if (ir_is_const(r) && ir_const(u->f, r)->kind == IR_C_FUNC)
		u->found |= is_primitive(ir_func_name(u->c->p, ir_const(u->f, r)->id));
}

/* Whether the function uses the address of a synchronization function other than by calling it. */
static bool takes_address(const struct collector *c, const struct ir_func *f)
{
	struct use u = {.c = c, .f = f};

	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (in->op != IR_CALL) {
			ir_insn_each_use(f, in, look_at_use, &u);
			continue;
		}
		for (uint32_t k = 0; k < in->arg[2]; k++)
			look_at_use(&u, f->extra.at[in->arg[1] + 2 * k]);
	}
	vec_each (&f->edges, i)
		for (uint32_t k = 0; k < f->edges.at[i].ncopies; k++)
			look_at_use(&u, f->extra.at[f->edges.at[i].copies + 2 * k + 1]);
	return u.found;
}

/* Whether the program takes the address of a synchronization function. Code outside the trace may
 * get the pointer, and its calls are not recorded. */
static bool address_is_taken(const struct collector *c)
{
	vec_each (&c->p->funcs, i)
		if (takes_address(c, &c->p->funcs.at[i]))
			return true;
	vec_each (&c->p->globals, g) {
		const struct ir_global *gl = &c->p->globals.at[g];

		vec_each (&gl->relocs, i)
			if (gl->relocs.at[i].kind == IR_C_FUNC &&
				is_primitive(ir_func_name(c->p, gl->relocs.at[i].id)))
				return true;
	}
	return false;
}

static enum sync_fate fate_of(const struct trace *t, const struct trace_thread *th)
{
	if (!th->followed)
		return SYNC_DARK;
	if (th->result.status == FOLLOW_DONE)
		return SYNC_COMPLETE;
	return th->result.status == FOLLOW_CUT && !trace_gap(t) ? SYNC_CUT : SYNC_DARK;
}

/* ---- all threads ---------------------------------------------------------------------------- */

static void init_threads(struct collector *c, const struct trace *t)
{
	uint32_t n = trace_nthreads(t);

	history_init(&c->c->h, n);
	c->c->locals = xcalloc((size_t)n + 1, sizeof *c->c->locals);
	c->open = xcalloc((size_t)n + 1, sizeof *c->open);
	for (uint32_t i = 0; i < n; i++)
		*map_put(&c->by_id, trace_thread(t, i)->id) = i + 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_thread *th = trace_thread(t, i);
		struct sync_thread *s = &c->c->h.threads.at[i];

		s->kind = th->kind;
		s->parent = th->parent == LOG_NONE ? LOG_NONE : thread_here(c, th->parent);
		s->stack_lo = th->stack_lo;
		s->stack_hi = th->stack_hi;
	}
}

static void release_collector(struct collector *c)
{
	vec_each (&c->c->h.threads, i)
		vec_release(&c->open[i]);
	free(c->open);
	map_release(&c->by_id);
}

int collect(struct collected *out, struct trace *t, uint32_t jobs)
{
	const struct store_meta *meta = trace_meta(t);
	struct collector c = {.c = out, .p = trace_program(t)};
	struct trace_observer o = {
		.kinds = FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_LOCAL) |
			 FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END),
		.event = on_event,
		.ctx = &c,
	};

	*out = (struct collected){0};
	init_threads(&c, t);
	out->h.foreign = meta->exclude.n || meta->open || meta->forks || meta->lost || meta->dropped ||
			 trace_gap(t) || address_is_taken(&c);
	if (trace_follow(t, &o, NULL, jobs)) {
		release_collector(&c);
		collect_release(out);
		return -1;
	}
	vec_each (&out->h.threads, i) {
		out->h.threads.at[i].fate = fate_of(t, trace_thread(t, i));
		live_locals_end(&out->locals[i]);
	}
	if (trace_validate_history(t, &out->h)) {
		release_collector(&c);
		collect_release(out);
		return -1;
	}
	sync_order_build(&out->o, &out->h);
	generations_build(&out->g, &out->o, out->locals);
	release_collector(&c);
	return 0;
}

void collect_release(struct collected *c)
{
	if (c->g.by_serial)
		generations_release(&c->g);
	sync_order_release(&c->o);
	vec_each (&c->h.threads, i)
		live_locals_release(&c->locals[i]);
	free(c->locals);
	history_release(&c->h);
	*c = (struct collected){0};
}
