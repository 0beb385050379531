/*
 * The whitelist of the model: decides for each operation of a recorded run whether the model knows
 * what the operation does in another order. What is not on the list adds a limit that names the
 * operation and its place, so that no claim is made about orders that the model does not know.
 *
 * An operation counts only if another thread can be alive beside it: the order of all others is the
 * same in every schedule.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct modelled_op { /* an operation of the run */
	const struct sync_event *s;
	const char *name; /* of the function that was called; NULL: unknown */
	bool ok, robust;
};

/* ---- names and places ----------------------------------------------------------------------- */

static const struct ir_insn *insn_at(const struct ir_program *p, uint32_t func, uint32_t insn)
{
	const struct ir_func *fn = func < p->funcs.n ? &p->funcs.at[func] : NULL;

	return fn && insn < fn->insns.n ? &fn->insns.at[insn] : NULL;
}

/* The function that the instruction calls by its name; NULL. */
static const char *called_name(const struct ir_program *p, uint32_t func, uint32_t insn)
{
	const struct ir_insn *in = insn_at(p, func, insn);
	uint32_t callee = in ? ir_callee(&p->funcs.at[func], in) : IR_NONE;

	return callee == IR_NONE ? NULL : ir_func_name(p, callee);
}

static void add_place(const struct ir_program *p, uint32_t func, uint32_t insn, struct strbuf *out)
{
	const struct ir_insn *in = insn_at(p, func, insn);
	struct diag_pos pos = in ? ir_diag_pos(p, in->pos) : (struct diag_pos){0};
	const char *slash = pos.file ? strrchr(pos.file, '/') : NULL;

	if (pos.file)
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : pos.file, pos.line);
	else
		strbuf_addf(out, "in '%s'", func < p->funcs.n ? ir_func_name(p, func) : "?");
}

/* ---- the list ------------------------------------------------------------------------------- */

static bool is_called(const struct modelled_op *o, const char *name)
{
	return o->name && !strcmp(o->name, name);
}

static const char *const failed = "it failed, which is assumed as recorded";

bool modelled_join_fails(int result)
{
	return result == EBUSY || result == ETIMEDOUT;
}

/* A thread whose number is not known may be one that a library created. */
static const char *check_join(const struct modelled_op *o)
{
	if (o->s->extra == LOG_NONE && !(is_called(o, "pthread_join") && o->ok))
		return "the thread that it joins is not known";
	return o->ok || modelled_join_fails(o->s->result) ? NULL : failed;
}

/* EBUSY and ETIMEDOUT are those of POSIX; the results of threads.h have the same numbers as errors
 * that no lock returns. */
static const char *check_lock(const struct modelled_op *o)
{
	bool c11 = o->name && !strncmp(o->name, "mtx_", 4);

	if (o->robust && o->s->result == ENOTRECOVERABLE)
		return NULL;
	if (o->ok || (c11 ? o->s->result != 0 : o->s->result == EBUSY || o->s->result == ETIMEDOUT))
		return NULL;
	/* the thread itself holds the lock */
	return o->s->result == EDEADLK && !c11 ? NULL : failed;
}

/* A thread that does not hold the mutex gets EPERM, whatever other threads do. */
static const char *check_unlock(const struct modelled_op *o)
{
	return o->ok || o->s->result == EPERM ? NULL : failed;
}

static const char *check_sem_wait(const struct modelled_op *o)
{
	return o->ok || !is_called(o, "sem_wait") ? NULL : failed;
}

/* NULL: the model knows the operation. Else completes "OPERATION was not reordered: …". Each kind
 * of log/sync.def has a case, so that a new kind is not forgotten. */
static const char *find_gap(const struct modelled_op *o)
{
	if (o->s->kind == SYNC_BEGIN || o->s->kind == SYNC_END)
		return NULL;
	switch ((enum log_sync_kind)o->s->kind) {
	case LOG_S_JOIN: return check_join(o);
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK: return check_lock(o);
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK: return check_lock(o);
	case LOG_S_UNLOCK: return check_unlock(o);
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT: return check_sem_wait(o);
	case LOG_S_MUTEX_INIT: /* or pthread_mutex_consistent() */
		return o->ok || o->robust ? NULL : failed;
	case LOG_S_CREATE:
	case LOG_S_DETACH:
	case LOG_S_MUTEX_DESTROY:
	case LOG_S_RW_INIT:
	case LOG_S_RW_DESTROY:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_INIT:
	case LOG_S_SPIN_DESTROY:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_COND_WAIT:
	case LOG_S_COND_WOKEN:
		return o->robust ? "a wait with a robust mutex is not modelled"
		       : o->ok   ? NULL
				 : failed;
	case LOG_S_COND_INIT:
	case LOG_S_COND_DESTROY:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST:
	case LOG_S_SEM_INIT:
	case LOG_S_SEM_POST:
	case LOG_S_SEM_VALUE:
	case LOG_S_BARRIER_INIT:
	case LOG_S_BARRIER_DESTROY:
	case LOG_S_BARRIER_ENTER:
	case LOG_S_BARRIER_LEAVE:
	case LOG_S_ONCE_BEGIN:
	case LOG_S_ONCE: return o->ok ? NULL : failed;
	case LOG_S_SEM_DESTROY:
		if (is_called(o, "sem_close"))
			return "the uses of a named semaphore by other threads are not known";
		return o->ok ? NULL : failed;
	case LOG_S_SEM_OPEN: return "the state of a named semaphore is assumed as recorded";
	case LOG_S_CANCEL: return "the cancellation of threads is not modelled";
	case LOG_S_FORK: return "the processes that the program forks are not modelled";
	case LOG_S_EXEC: return "it ends all threads, which is not modelled";
	case LOG_S_SIGACTION: return "the handling of signals is not modelled";
	case LOG_S_RAISE: return "the delivery of signals is not modelled";
	case LOG_S_EXIT:
	case LOG_S_ALLOC: /* a failure for lack of memory does not depend on the order */
	case LOG_S_REALLOC:
	case LOG_S_FREE:
	case LOG_S_PROCESS_EXIT:
	case LOG_S_USER_ATOMIC_BEGIN:
	case LOG_S_USER_ATOMIC_END:
	case LOG_S_USER_EPOCH:
	case LOG_S_USER_ASSERT:
	case LOG_S_USER_ASSUME:
	case LOG_S_USER_INPUT: return NULL;
	case LOG_S_STOPPER:
	case LOG_NSYNC: break;
	}
	return "it is not modelled";
}

/* ---- threads beside an operation ------------------------------------------------------------ */

static void find_lives(struct extractor *x)
{
	const struct history *h = &x->sync->h;
	const struct sync_order *o = &x->sync->o;

	x->lives = xcalloc(h->threads.n + 1, sizeof *x->lives);
	vec_each (&h->threads, t)
		x->lives[t] = (struct life){UINT32_MAX, UINT32_MAX};
	vec_each (&h->threads, t)
		vec_each (&h->threads.at[t].events, i) {
			const struct sync_event *s = &h->threads.at[t].events.at[i];
			bool join = s->kind == LOG_S_JOIN;

			if ((!join && s->kind != LOG_S_CREATE) || !sync_succeeded(s) ||
				s->extra >= h->threads.n)
				continue;
			if (join)
				x->lives[s->extra].joined = sync_order_first(o, t, i);
			else
				x->lives[s->extra].created = sync_order_first(o, t, i);
		}
}

/* Whether no other thread is alive at the event of the stream, in any schedule: every thread that
 * was created before it has been joined. */
static bool is_alone(const struct extractor *x, uint32_t stream, uint32_t event)
{
	const struct history *h = &x->sync->h;
	uint32_t rank = event < h->threads.at[stream].events.n
				? sync_order_first(&x->sync->o, stream, event)
				: UINT32_MAX - 1;

	if (h->threads.at[stream].kind != LOG_T_MAIN)
		return false;
	vec_each (&h->threads, t) {
		if (t == stream)
			continue;
		if (h->threads.at[t].kind == LOG_T_FOREIGN)
			return false;
		if (x->lives[t].created < rank && x->lives[t].joined > rank)
			return false;
	}
	return true;
}

/* ---- all operations ------------------------------------------------------------------------- */

static uint64_t sync_mutex(const struct sync_event *s)
{
	return s->kind == LOG_S_COND_WAIT || s->kind == LOG_S_COND_WOKEN ? s->value : s->object;
}

void modelled_gap(
	struct extractor *x, uint32_t func, uint32_t insn, const char *name, const char *why)
{
	struct strbuf at = {0};

	add_place(x->p, func, insn, &at);
	extract_limit(x, "'%s' (%s) was not reordered: %s", name, at.s, why);
	strbuf_release(&at);
}

static void check_op(struct extractor *x, uint32_t stream, uint32_t event)
{
	const struct sync_event *s = &x->sync->h.threads.at[stream].events.at[event];
	struct modelled_op o = {.s = s,
		.name = called_name(x->p, s->func, s->insn),
		.ok = sync_succeeded(s),
		.robust = map_get(&x->robust, sync_mutex(s)) != NULL};
	const char *why = find_gap(&o);

	if (why && (s->kind == LOG_S_FORK || !is_alone(x, stream, event)))
		modelled_gap(x, s->func, s->insn, o.name ? o.name : sync_kind_name(s->kind), why);
}

/* A reader-writer lock that prefers writers lets new readers wait, which the model does not know.
 * The kind of a lock is not recorded, so the call that chooses it counts, or its initial value
 * (modelled_rwlock()). */
static void check_preference(struct extractor *x)
{
	vec_each (&x->p->funcs, i)
		if (!strcmp(ir_func_name(x->p, i), "pthread_rwlockattr_setkind_np"))
			extract_limit(x,
				"reader-writer locks that prefer writers are not modelled: "
				"the program calls 'pthread_rwlockattr_setkind_np'");
}

void modelled_rwlock(struct extractor *x, const struct follow *f, uint64_t lock)
{
	unsigned kind = 0;

	if (follow_memory(
		    f, lock + offsetof(pthread_rwlock_t, __data.__flags), &kind, sizeof kind) &&
		kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
		extract_limit(x,
			"reader-writer locks that prefer writers are not modelled: 0x%llx is "
			"one",
			(unsigned long long)lock);
}

void modelled_check(struct extractor *x)
{
	const struct history *h = &x->sync->h;

	find_lives(x);
	vec_each (&h->threads, t)
		vec_each (&h->threads.at[t].events, i) {
			const struct sync_event *s = &h->threads.at[t].events.at[i];

			if (s->kind == LOG_S_MUTEX_INIT && s->extra & 16)
				*map_put(&x->robust, s->object) = 1;
		}
	vec_each (&h->threads, t)
		vec_each (&h->threads.at[t].events, i)
			check_op(x, t, i);
	check_preference(x);
}

void modelled_call(struct extractor *x, uint32_t func, uint32_t insn, const char *name)
{
	const struct tracer *tr = x->tr;
	struct strbuf at = {0};

	if (is_alone(x, tr->stream, tr->touched->events))
		return;
	add_place(x->p, func, insn, &at);
	extract_limit(x, "calls of '%s' (%s), about which nothing is known, were not reordered",
		name, at.s);
	strbuf_release(&at);
}

uint16_t modelled_traits(const char *name)
{
	static const char *const maps[] = {"mmap", "mmap64", "mremap", "shmat"};
	static const char *const alarms[] = {"alarm", "ualarm", "setitimer", "timer_settime"};
	uint16_t traits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		traits |= !strcmp(name, maps[i]) ? FUNC_MAPS : 0;
	for (size_t i = 0; i < ARRAY_SIZE(alarms); i++)
		traits |= !strcmp(name, alarms[i]) ? FUNC_ALARMS : 0;
	return traits;
}

/* Memory that mmap() makes for the process alone is like any other. */
static bool is_private(const struct extractor *x, const char *name)
{
	const struct tracer *tr = x->tr;

	if (strncmp(name, "mmap", 4) || tr->arg_vals.n < 4)
		return false;
	return !((uint64_t)tr->arg_vals.at[3] & MAP_SHARED) ||
	       ((uint64_t)tr->arg_vals.at[3] & MAP_ANONYMOUS);
}

void modelled_effects(struct extractor *x, uint32_t func, uint32_t insn, uint16_t traits)
{
	const char *name = x->tr->callee < x->p->funcs.n ? ir_func_name(x->p, x->tr->callee) : "";

	if ((traits & FUNC_MAPS) && !is_private(x, name))
		modelled_gap(x, func, insn, name,
			"other addresses or a file may have the same contents as its memory");
	if (traits & FUNC_ALARMS)
		modelled_gap(x, func, insn, name, "the delivery of signals is not modelled");
}
