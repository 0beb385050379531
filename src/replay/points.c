#include "replay/points.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "log/words.h"

#include <stdlib.h>
#include <unistd.h>

struct reader {
	struct points *ps;
	const struct plan *pl;
	struct map by_id; /* id of a thread in the log -> index in ps->threads, plus 1 */
	bool *is_sync;    /* by function: listed in log/sync.def */
};

/* ---- collecting the points ------------------------------------------------------------------- */

/* enum follow_kind of an access, from its instruction. */
static uint8_t kind_of(const struct ir_insn *in, const struct plan_insn *pi)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: return FOLLOW_READ;
	case IR_S_RMW:
	case IR_S_CAS: return FOLLOW_RMW;
	case IR_S_BULK: return pi->flags & PLAN_F_WRITE ? FOLLOW_WRITE : FOLLOW_READ;
	default: return FOLLOW_WRITE;
	}
}

static void on_insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn)
{
	const struct reader *r = ctx;
	const struct plan_insn *pi = &r->pl->funcs[func].insn[insn];
	struct points_thread *t = &r->ps->threads.at[thread];

	(void)f;
	if (pi->flags & PLAN_F_EVENT)
		vec_push(&t->at, (struct point){func, insn,
					 kind_of(&r->ps->p->funcs.at[func].insns.at[insn], pi), 0});
}

/* The record of a finished operation replaces the BLOCKED record of its start. */
static void add_sync(struct points_thread *t, const struct follow_event *e, uint8_t sync)
{
	if (t->at.n && vec_last(&t->at).kind == FOLLOW_BLOCKED)
		t->at.n--;
	vec_push(&t->at, (struct point){e->func, e->insn, e->kind, sync});
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	const struct reader *r = ctx;
	struct points_thread *t = &r->ps->threads.at[thread];
	uint32_t child;

	(void)f;
	if (e->kind == FOLLOW_ENTER) {
		if (t->routine == IR_NONE)
			t->routine = e->callee;
		return;
	}
	if (e->callee >= r->ps->p->funcs.n || !r->is_sync[e->callee])
		return; /* a call from native code has no point */
	add_sync(t, e, e->kind == FOLLOW_SYNC ? e->sync->kind : 0);
	child = (uint32_t)map_get_or(&r->by_id, e->extra, 0);
	if (e->kind == FOLLOW_SYNC && e->sync->kind == LOG_S_CREATE && !e->sync->result && child)
		vec_push(&t->children, child - 1);
}

/* A thread whose run ended inside a wait with two points stands before the second one. */
static void add_unfinished(struct points_thread *t)
{
	struct point p;

	if (!t->at.n)
		return;
	p = vec_last(&t->at);
	if (p.kind == FOLLOW_SYNC && (p.sync == LOG_S_COND_WAIT || p.sync == LOG_S_BARRIER_ENTER)) {
		p.kind = FOLLOW_BLOCKED;
		vec_push(&t->at, p);
	}
}

struct points *points_read(const char *dir)
{
	struct trace *t = trace_open(dir);
	struct reader r = {0};
	struct trace_observer o = {.kinds = FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_BLOCKED) |
					    FOLLOW_BIT(FOLLOW_ENTER),
		.event = on_event,
		.insn = on_insn,
		.ctx = &r};
	struct points *ps;

	if (!t)
		return NULL;
	ps = xcalloc(1, sizeof *ps);
	r.ps = ps;
	r.pl = trace_plan(t);
	ps->t = t;
	ps->p = trace_program(t);
	names_init(&ps->names, ps->p);
	r.is_sync = xcalloc(ps->p->funcs.n + 1, 1);
	vec_each (&ps->p->funcs, f)
		r.is_sync[f] = log_sync_find(ir_func_name(ps->p, f));
	vec_resize(&ps->threads, trace_nthreads(t));
	vec_each (&ps->threads, i) {
		ps->threads.at[i].routine = IR_NONE;
		*map_put(&r.by_id, trace_thread(t, i)->id) = i + 1;
	}
	trace_follow(t, &o, NULL, (uint32_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1));
	vec_each (&ps->threads, i)
		add_unfinished(&ps->threads.at[i]);
	map_release(&r.by_id);
	free(r.is_sync);
	return ps;
}

void points_free(struct points *ps)
{
	if (!ps)
		return;
	vec_each (&ps->threads, i) {
		vec_release(&ps->threads.at[i].at);
		vec_release(&ps->threads.at[i].children);
	}
	vec_release(&ps->threads);
	names_release(&ps->names);
	trace_close(ps->t);
	free(ps);
}

/* ---- access to the points -------------------------------------------------------------------- */

uint32_t points_find(const struct points *ps, const struct finding *f, uint32_t thread)
{
	const struct finding_thread *t;
	uint32_t parent;

	if (thread >= f->threads.n)
		return UINT32_MAX;
	t = &f->threads.at[thread];
	if (t->parent == UINT32_MAX) {
		vec_each (&ps->threads, i)
			if (trace_thread(ps->t, i)->kind == LOG_T_MAIN)
				return i;
		return UINT32_MAX;
	}
	parent = t->parent < thread ? points_find(ps, f, t->parent) : UINT32_MAX;
	if (parent == UINT32_MAX || t->nth >= ps->threads.at[parent].children.n)
		return UINT32_MAX;
	return ps->threads.at[parent].children.at[t->nth];
}

const struct ir_pos *points_pos(const struct points *ps, const struct point *p)
{
	const struct ir_func *f;

	if (p->func >= ps->p->funcs.n)
		return &ps->p->positions.at[0];
	f = &ps->p->funcs.at[p->func];
	return &ps->p->positions.at[p->insn < f->insns.n ? f->insns.at[p->insn].pos : 0];
}

const char *points_object(struct points *ps, const struct point *p)
{
	if (p->func >= ps->p->funcs.n)
		return NULL;
	return names_of(&ps->names, p->func, p->insn)->to.text;
}

const char *points_routine(const struct points *ps, uint32_t thread)
{
	uint32_t func = ps->threads.at[thread].routine;

	return func < ps->p->funcs.n ? ir_func_name(ps->p, func) : NULL;
}

void points_place(const struct points *ps, const struct point *p, struct finding_place *out)
{
	const struct ir_pos *pos = points_pos(ps, p);

	*out = (struct finding_place){.line = pos->line, .col = pos->col};
	if (pos->file)
		out->file = xstrdup(ir_str(ps->p, pos->file));
	if (pos->func)
		out->function = xstrdup(ir_str(ps->p, pos->func));
	else if (p->func < ps->p->funcs.n)
		out->function = xstrdup(ir_func_name(ps->p, p->func));
}

/* The same verbs as in explanations (explain/explain_steps.c): map_place() compares them. */
static const char *const sync_verbs[LOG_NSYNC] = {
	[LOG_S_CREATE] = "starts",
	[LOG_S_JOIN] = "joins",
	[LOG_S_LOCK] = "locks",
	[LOG_S_TRYLOCK] = "locks",
	[LOG_S_UNLOCK] = "unlocks",
	[LOG_S_RDLOCK] = "locks",
	[LOG_S_WRLOCK] = "locks",
	[LOG_S_TRYRDLOCK] = "locks",
	[LOG_S_TRYWRLOCK] = "locks",
	[LOG_S_RW_UNLOCK] = "unlocks",
	[LOG_S_SPIN_LOCK] = "locks",
	[LOG_S_SPIN_TRYLOCK] = "locks",
	[LOG_S_SPIN_UNLOCK] = "unlocks",
	[LOG_S_COND_WAIT] = "waits on",
	[LOG_S_COND_WOKEN] = "is woken on",
	[LOG_S_COND_SIGNAL] = "signals",
	[LOG_S_COND_BROADCAST] = "wakes all on",
	[LOG_S_SEM_WAIT] = "takes semaphore",
	[LOG_S_SEM_POST] = "posts semaphore",
	[LOG_S_SEM_VALUE] = "reads the value of semaphore",
	[LOG_S_BARRIER_ENTER] = "enters barrier",
	[LOG_S_BARRIER_LEAVE] = "leaves barrier",
	[LOG_S_ONCE] = "returns from once",
	[LOG_S_ALLOC] = "allocates",
	[LOG_S_FREE] = "frees",
};

const char *points_verb(const struct point *p)
{
	switch (p->kind) {
	case FOLLOW_READ: return "reads";
	case FOLLOW_WRITE: return "writes";
	case FOLLOW_RMW: return "updates";
	case FOLLOW_SYNC: return sync_verbs[p->sync] ? sync_verbs[p->sync] : log_sync_text(p->sync);
	default: return "waits for";
	}
}

bool points_may_wait(const struct point *p)
{
	if (p->kind != FOLLOW_SYNC)
		return p->kind == FOLLOW_BLOCKED;
	switch (p->sync) {
	case LOG_S_LOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_COND_WOKEN:
	case LOG_S_SEM_WAIT:
	case LOG_S_BARRIER_LEAVE:
	case LOG_S_ONCE_BEGIN:
	case LOG_S_JOIN: return true;
	default: return false;
	}
}
