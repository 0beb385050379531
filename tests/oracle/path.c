#include "path.h"

static void add(struct path *p, const struct path_item *it)
{
	vec_push(&p->items, *it);
}

static void access_item(struct paths *ps, struct path *p, const struct follow_event *e)
{
	const struct plan_insn *pi = &trace_plan(ps->trace)->funcs[e->func].insn[e->insn];
	struct path_item it = {.kind = PATH_ACCESS,
		.func = e->func,
		.insn = e->insn,
		.addr = e->addr,
		.index = e->index,
		.failed = e->kind == FOLLOW_CAS_FAIL};
	struct path_item *last = p->items.n ? &vec_last(&p->items) : NULL;

	if (!(pi->flags & PLAN_F_EVENT))
		return;
	/* a copy is told twice, its source first */
	if (last && last->kind == PATH_ACCESS && last->index == e->index && last->func == e->func &&
		last->insn == e->insn && e->kind == FOLLOW_WRITE) {
		last->from = last->addr;
		last->addr = e->addr;
		return;
	}
	add(p, &it);
}

static void sync_item(struct path *p, const struct follow_event *e)
{
	struct path_item it = {.kind = PATH_SYNC,
		.sync = e->sync->kind,
		.func = e->func,
		.insn = e->insn,
		.result = e->sync->result,
		.extra = e->extra,
		.more = e->sync->flags & LOG_F_MORE,
		.addr = e->object,
		.index = e->index};

	if (it.sync == LOG_S_ALLOC)
		it.addr = e->sync_value;
	if (it.sync == LOG_S_COND_WAIT || it.sync == LOG_S_COND_WOKEN)
		it.from = e->sync_value;
	add(p, &it);
}

static void event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct paths *ps = ctx;
	struct path *p = &ps->of.at[thread];
	struct path_item it = {.kind = PATH_BRANCH,
		.func = e->func,
		.insn = e->insn,
		.taken = e->taken,
		.index = e->index};

	(void)f;
	switch (e->kind) {
	case FOLLOW_BRANCH: add(p, &it); break;
	case FOLLOW_SYNC: sync_item(p, e); break;
	default: access_item(ps, p, e);
	}
}

static void insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t at)
{
	struct paths *ps = ctx;
	const struct ir_insn *in = &trace_program(ps->trace)->funcs.at[func].insns.at[at];
	struct path_item it = {.func = func, .insn = at};

	if (path_is_call(in))
		it.kind = PATH_CALL;
	else if (path_is_deref(in, &trace_plan(ps->trace)->funcs[func].insn[at]))
		it.kind = PATH_DEREF;
	else
		return;
	it.addr = follow_reg(f, in->arg[0]).lo;
	add(&ps->of.at[thread], &it);
}

int paths_init(struct paths *p, struct trace *t)
{
	struct trace_observer o = {
		.kinds = FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) |
			 FOLLOW_BIT(FOLLOW_RMW) | FOLLOW_BIT(FOLLOW_CAS_FAIL) |
			 FOLLOW_BIT(FOLLOW_BRANCH) | FOLLOW_BIT(FOLLOW_SYNC),
		.event = event,
		.insn = insn,
		.ctx = p,
	};

	*p = (struct paths){.trace = t};
	vec_resize(&p->of, trace_nthreads(t));
	return trace_follow(t, &o, NULL, 1);
}

void paths_release(struct paths *p)
{
	vec_each (&p->of, i)
		vec_release(&p->of.at[i].items);
	vec_release(&p->of);
}

uint32_t paths_thread(const struct paths *p, uint32_t id)
{
	for (uint32_t i = 0; i < trace_nthreads(p->trace); i++)
		if (trace_thread(p->trace, i)->id == id)
			return i;
	return LOG_NONE;
}
