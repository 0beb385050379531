/* Names and descriptions for the output of a trace: data, objects, threads, outcomes. */
#include "base/search.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/view.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

uint32_t view_thread_id(const struct view *v, uint32_t thread)
{
	return thread < trace_nthreads(v->t) ? trace_thread(v->t, thread)->id : thread;
}

void view_pad_to(struct strbuf *b, size_t column)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += (b->s[i] & 0xc0) != 0x80;
	do
		strbuf_addc(b, ' ');
	while (++n < column);
}

/* ---- data ----------------------------------------------------------------------------------- */

static const struct global_at *global_of(const struct view *v, uint64_t addr)
{
	uint32_t k = upper_bound(0, v->globals.n, i, v->globals.at[i].addr, addr);
	const struct global_at *g = k ? &v->globals.at[k - 1] : NULL;

	return g && addr - g->addr < g->size ? g : NULL;
}

uint32_t view_generation(const struct view *v, uint32_t thread, uint32_t events, uint64_t addr)
{
	const struct sync_order *o = &v->c.o;
	uint32_t n = v->c.h.threads.at[thread].events.n;

	if (global_of(v, addr))
		return 0;
	return generation_at(&v->c.g, addr,
		events && events <= n ? sync_order_first(o, thread, events - 1) : 0,
		events < n ? sync_order_last(o, thread, events) : o->n);
}

static const struct sync_event *alloc_event(const struct view *v, const struct generation *g)
{
	return &v->c.h.threads.at[g->thread].events.at[g->event];
}

/* The debug type of a heap block's contents: that of the pointer which gets its address; 0. */
static uint32_t block_type(struct view *v, const struct sync_event *e)
{
	return names_pointee(v->p, names_of(&v->names, e->func, e->insn)->to.dtype);
}

static void heap_data(struct strbuf *out, struct view *v, const struct generation *g, uint64_t addr,
	uint64_t size)
{
	const struct sync_event *e = alloc_event(v, g);
	uint32_t dtype = block_type(v, e);
	uint64_t each = dtype ? v->p->dtypes.at[names_strip(v->p, dtype)].size : 0,
		 off = addr - g->base;
	const char *var = names_of(&v->names, e->func, e->insn)->to.text;

	if (each && var && off / each < g->size / each) {
		strbuf_addf(out, "%s", var);
		if (g->size >= 2 * each)
			strbuf_addf(out, "[%" PRIu64 "]", off / each);
		else
			strbuf_adds(out, "->");
		size_t at = out->n;
		names_path(out, v->p, dtype, off % each, size);
		if (g->size < 2 * each && out->n > at &&
			out->s[at] == '.') { /* "->" replaces the dot */
			memmove(out->s + at, out->s + at + 1, out->n - at);
			out->n--;
		} else if (g->size < 2 * each && out->n == at) {
			out->n -= 2;
			out->s[out->n] = 0;
		}
		return;
	}
	strbuf_adds(out, "block from ");
	names_pos(out, v->p, e->func, e->insn);
	if (off)
		strbuf_addf(out, "+%" PRIu64, off);
}

static void local_data(struct strbuf *out, struct view *v, const struct generation *g,
	uint64_t addr, uint64_t size)
{
	const struct ir_func *f = &v->p->funcs.at[g->func];
	const struct ir_local *l = &f->locals.at[g->local];

	if (l->name) {
		strbuf_adds(out, ir_str(v->p, l->name));
		names_path(out, v->p, l->dtype, addr - g->base, size);
	} else {
		strbuf_addf(out, "a variable of '%s'", ir_str(v->p, f->name));
	}
}

void view_data(struct strbuf *out, struct view *v, uint64_t addr, uint64_t size, uint32_t gen)
{
	const struct global_at *g = global_of(v, addr);

	if (g) {
		const struct ir_global *gl = &v->p->globals.at[g->global];

		strbuf_adds(out, ir_str(v->p, gl->name));
		names_path(out, v->p, gl->dtype, addr - g->addr, size);
	} else if (gen && v->c.g.at.at[gen].kind == GEN_HEAP) {
		heap_data(out, v, &v->c.g.at.at[gen], addr, size);
	} else if (gen && v->c.g.at.at[gen].kind == GEN_LOCAL) {
		local_data(out, v, &v->c.g.at.at[gen], addr, size);
	} else {
		strbuf_addf(out, "0x%" PRIx64, addr);
	}
}

static const char *callee_of(const struct view *v, const struct sync_event *e)
{
	const struct ir_func *f = e->func < v->p->funcs.n ? &v->p->funcs.at[e->func] : NULL;
	const struct ir_insn *in = f && e->insn < f->insns.n ? &f->insns.at[e->insn] : NULL;

	if (!in || in->op != IR_CALL || !ir_is_const(in->arg[0]) ||
		ir_const(f, in->arg[0])->kind != IR_C_FUNC)
		return sync_kind_name(e->kind);
	return ir_func_name(v->p, ir_const(f, in->arg[0])->id);
}

void view_object(struct strbuf *out, struct view *v, uint64_t addr, uint32_t gen)
{
	const struct global_at *ga = global_of(v, addr);
	const struct generation *g = &v->c.g.at.at[gen];

	if (ga) {
		const struct ir_global *gl = &v->p->globals.at[ga->global];

		strbuf_addf(
			out, "global '%s' of %" PRIu64 " bytes", ir_str(v->p, gl->name), ga->size);
	} else if (!gen || g->kind == GEN_LIBRARY) {
		strbuf_adds(out, "memory that the program did not allocate");
	} else if (g->kind == GEN_HEAP) {
		const struct sync_event *e = alloc_event(v, g);

		strbuf_addf(out, "heap block of %" PRIu64 " bytes from %s at ", g->size,
			callee_of(v, e));
		names_place(out, v->p, e->func, e->insn);
	} else if (g->kind == GEN_LOCAL) {
		strbuf_addf(out, "variable of '%s' on the stack of thread %u",
			ir_func_name(v->p, g->func), view_thread_id(v, g->thread));
	} else {
		strbuf_addf(out, "stack of thread %u", view_thread_id(v, g->thread));
	}
}

void view_sync_object(struct strbuf *out, struct view *v, uint32_t thread, uint32_t event)
{
	const struct sync_event *e = &v->c.h.threads.at[thread].events.at[event];
	const char *text = names_of(&v->names, e->func, e->insn)->to.text;
	uint32_t gen;

	if (!e->object)
		return;
	gen = view_generation(v, thread, event + 1, e->object);
	/* The source names a heap or local object only by a pointer ('*p'): prefer its own name. */
	if (global_of(v, e->object) || !text ||
		(*text == '*' && gen && v->c.g.at.at[gen].kind != GEN_STACK))
		view_data(out, v, e->object, UINT64_MAX, gen);
	else
		strbuf_adds(out, text);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* The outermost function of the thread's call stack at its first synchronization event. */
static uint32_t bottom_function(const struct view *v, uint32_t thread)
{
	const struct sync_thread *th = &v->c.h.threads.at[thread];
	const struct stack_entry *e;
	uint32_t n;

	vec_each (&th->events, i)
		if (th->events.at[i].stack.id &&
			(n = stacks_get(&th->stacks, th->events.at[i].stack, &e)))
			return e[n - 1].func;
	return IR_NONE;
}

void view_thread_name(struct strbuf *out, struct view *v, uint32_t thread)
{
	const struct trace_thread *th = trace_thread(v->t, thread);
	const struct sync_thread *parent;
	uint32_t func = IR_NONE;

	switch (th->kind) {
	case LOG_T_MAIN: strbuf_adds(out, "main"); return;
	case LOG_T_FOREIGN: strbuf_adds(out, "thread of a library"); return;
	case LOG_T_SIGNAL: strbuf_addf(out, "handler of SIG%s", sigabbrev_np(th->signo)); return;
	}
	if (v->c.h.threads.at[thread].parent < v->c.h.threads.n) {
		parent = &v->c.h.threads.at[v->c.h.threads.at[thread].parent];
		vec_each (&parent->events, i)
			if (parent->events.at[i].kind == LOG_S_CREATE &&
				parent->events.at[i].extra == thread)
				func = follow_func_at(
					trace_snapshot(v->t), parent->events.at[i].value);
	}
	if (func == IR_NONE)
		func = bottom_function(v, thread);
	strbuf_adds(out, func < v->p->funcs.n ? ir_func_name(v->p, func) : "thread");
}

bool view_thread_fate(struct strbuf *out, const struct view *v, uint32_t thread)
{
	const struct trace_thread *th = trace_thread(v->t, thread);
	const struct follow_result *r = &th->result;
	const char *reason = r->reason.n ? r->reason.s : "unknown reason";

	if (!th->followed) {
		strbuf_adds(out, "not re-executed: the main thread's memory is not known");
		return false;
	}
	switch (r->status) {
	case FOLLOW_DONE: strbuf_adds(out, "re-executed exactly: all hashes equal"); return true;
	case FOLLOW_CUT:
		strbuf_adds(out, "re-executed to the end of its log");
		if (strstr(reason, " in '"))
			strbuf_addf(
				out, ", %.*s", (int)(strrchr(reason, '\'') - reason + 1), reason);
		return true;
	case FOLLOW_STOPPED: strbuf_addf(out, "recorded in part: %s", reason); return false;
	case FOLLOW_DIVERGED: strbuf_addf(out, "re-execution diverged: %s", reason); return false;
	case FOLLOW_BAD: strbuf_addf(out, "log damaged: %s", reason); return false;
	}
	return false;
}

void view_fate(struct strbuf *out, const struct view *v)
{
	const struct store_meta *m = trace_meta(v->t);

	if (!m->complete)
		strbuf_adds(out, "unknown: the recording was interrupted");
	else if (WIFSIGNALED(m->status))
		strbuf_addf(out, "killed by SIG%s", sigabbrev_np(WTERMSIG(m->status)));
	else
		strbuf_addf(out, "exit status %d", WEXITSTATUS(m->status));
}

void view_finding(struct strbuf *out, struct view *v, const struct check_finding *f)
{
	const struct sync_event *e = &v->c.h.threads.at[f->at.thread].events.at[f->at.event];
	size_t n;

	names_pos(out, v->p, e->func, e->insn);
	strbuf_addf(
		out, ": thread %u, %s", view_thread_id(v, f->at.thread), sync_kind_name(e->kind));
	n = out->n;
	strbuf_adds(out, " of '");
	view_sync_object(out, v, f->at.thread, f->at.event);
	if (out->n == n + 5) {
		out->n = n;
		out->s[n] = 0;
	} else {
		strbuf_addc(out, '\'');
	}
	strbuf_addf(out, ": %s", f->what);
}
