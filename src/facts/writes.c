#include "facts/writes.h"

#include "base/base.h"
#include "facts/defs.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

struct asked { /* the current instruction, and the arguments of writes_each() */
	const struct writes *w;
	uint32_t func, insn;
	writes_fn fn;
	void *ctx;
};

static ir_ref call_arg(const struct asked *a, uint32_t n)
{
	const struct ir_func *f = &a->w->p->funcs.at[a->func];
	const struct ir_insn *in = &f->insns.at[a->insn];

	return n < in->arg[2] ? f->extra.at[in->arg[1] + 2 * n] : IR_NONE;
}

static void arg_written(const struct asked *a, uint32_t n, uint32_t width, enum write_kind kind)
{
	ir_ref r = call_arg(a, n);

	if (r != IR_NONE)
		a->fn(a->ctx, a->func, a->insn, r, width, kind);
}

static uint32_t block_length(const struct ir_func *f, ir_ref r)
{
	int64_t k;

	return defs_constant(f, r, &k) && k >= 0 && k < WRITES_ALL ? (uint32_t)k : WRITES_ALL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* size of the object of a synchronization operation, which the operation changes without logging */
static uint32_t sync_size(enum log_sync_kind k)
{
	switch (k) {
	case LOG_S_MUTEX_INIT:
	case LOG_S_MUTEX_DESTROY:
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_UNLOCK: return sizeof(pthread_mutex_t);
	case LOG_S_SPIN_INIT:
	case LOG_S_SPIN_DESTROY:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_SPIN_UNLOCK: return sizeof(pthread_spinlock_t);
	case LOG_S_COND_INIT:
	case LOG_S_COND_DESTROY:
	case LOG_S_COND_WAIT:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST: return sizeof(pthread_cond_t);
	case LOG_S_SEM_INIT:
	case LOG_S_SEM_DESTROY:
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_SEM_POST: return sizeof(sem_t);
	case LOG_S_BARRIER_INIT:
	case LOG_S_BARRIER_DESTROY:
	case LOG_S_BARRIER_ENTER: return sizeof(pthread_barrier_t);
	case LOG_S_ONCE: return sizeof(pthread_once_t);
	default: return sizeof(pthread_rwlock_t); /* the largest */
	}
}

static void sync_writes(const struct asked *a, const struct native *n)
{
	switch ((enum log_sync_kind)n->sync) {
	case LOG_S_CREATE: arg_written(a, 0, sizeof(pthread_t), WRITE_PLAIN); break;
	case LOG_S_JOIN: arg_written(a, 1, sizeof(void *), WRITE_PLAIN); break;
	case LOG_S_SEM_VALUE: arg_written(a, 1, sizeof(int), WRITE_PLAIN); break;
	case LOG_S_ALLOC: arg_written(a, 0, sizeof(void *), WRITE_PLAIN); break;
	case LOG_S_SIGACTION: arg_written(a, 2, sizeof(struct sigaction), WRITE_PLAIN); break;
	case LOG_S_USER_INPUT: arg_written(a, 0, WRITES_ALL, WRITE_PLAIN); break;
	case LOG_S_REALLOC: /* the new block: see class_of_heap() */
	case LOG_S_FREE: arg_written(a, 0, WRITES_ALL, WRITE_FREED); break;
	case LOG_S_COND_WAIT: arg_written(a, 1, sizeof(pthread_mutex_t), WRITE_QUIET); /* fall through */
	default:
		if (n->object >= 0)
			arg_written(a, (uint32_t)n->object, sync_size(n->sync), WRITE_QUIET);
	}
}

/* the bytes of a constant string; NULL if the operand is not one */
static const char *constant_text(const struct asked *a, ir_ref r, uint64_t *n)
{
	const struct ir_func *f = &a->w->p->funcs.at[a->func];
	const struct ir_global *g;
	const struct ir_const *c;

	if (!ir_is_const(r) || (c = ir_const(f, r))->kind != IR_C_GLOBAL)
		return NULL;
	g = &a->w->p->globals.at[c->id];
	if (!(g->flags & IR_G_CONST) || g->flags & IR_G_EXTERN || !g->init || c->lo >= g->size)
		return NULL;
	*n = g->size - c->lo;
	return (const char *)g->init + c->lo;
}

/* Has the format a %n? True for an unknown format. */
static bool format_writes(const struct asked *a, uint32_t arg)
{
	const char *s, *end;
	uint64_t n;

	s = constant_text(a, call_arg(a, arg), &n);
	if (!s)
		return true;
	for (end = s + n; s < end && *s; s++) {
		if (*s != '%')
			continue;
		while (++s < end && *s && strchr("0123456789 '+-#.*$hlqLjztI", *s))
			;
		if (s == end || !*s || *s == 'n')
			return true;
	}
	return false;
}

static void effect_writes(const struct asked *a, const struct native *n)
{
	const struct ir_insn *in = &a->w->p->funcs.at[a->func].insns.at[a->insn];
	struct effects_writes w = effects_writes(n->effect);
	bool formatted = w.format >= 0 && format_writes(a, (uint32_t)w.format);

	for (uint32_t i = 0; i < in->arg[2]; i++) {
		if (n->flags & EFFECTS_MIDWAY)
			arg_written(a, i, WRITES_ALL, WRITE_QUIET);
		if (w.deep)
			arg_written(a, i, WRITES_ALL, WRITE_DEEP);
		else if (w.args >> MIN(i, 31) & 1 || (formatted && (int64_t)i > w.format))
			arg_written(a, i, WRITES_ALL, WRITE_PLAIN);
	}
}

static void call_writes(void *ctx, uint32_t callee)
{
	const struct asked *a = ctx;
	const struct native *n = &a->w->natives[callee];

	switch ((enum plan_call)n->call) {
	case CALL_SYNC: sync_writes(a, n); break;
	case CALL_EFFECT: effect_writes(a, n); break;
	case CALL_SETJMP: arg_written(a, 0, sizeof(sigjmp_buf), WRITE_QUIET); break;
	default: break;
	}
}

/* ---- instructions ---------------------------------------------------------------------------- */

void writes_each(const struct writes *w, uint32_t func, uint32_t insn, writes_fn fn, void *ctx)
{
	struct asked a = {w, func, insn, fn, ctx};
	const struct ir_func *f = &w->p->funcs.at[func];
	const struct ir_insn *in = &f->insns.at[insn];
	uint32_t width = 24; /* of a va_list */

	switch (ir_ops[in->op].shape) {
	case IR_S_CALL: points_to_callees(w->pt, func, insn, call_writes, &a); return;
	case IR_S_STORE: width = MAX(ir_type_bytes(in->type2), 1); break;
	case IR_S_RMW:
	case IR_S_CAS: width = MAX(ir_type_bytes(in->type), 1); break;
	case IR_S_BULK: width = block_length(f, in->arg[2]); break;
	case IR_S_VA: break;
	default: return;
	}
	fn(ctx, func, insn, in->arg[0], width, WRITE_PLAIN);
}
