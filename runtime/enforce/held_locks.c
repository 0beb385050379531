/*
 * The locks that threads hold, by object and thread, and the state of a mutex of glibc. Few locks
 * are held at a time, so one list is enough.
 */
#include <linux/futex.h>
#include <pthread.h>
#include "runtime/enforce/control.h"

enum { MAX_HELD = 1 << 14 };
static struct held {
	const volatile void *object;
	struct controlled *by;
	uint32_t times;
	bool recursive;
} held[MAX_HELD];
static uint32_t nheld;

static struct held *find_held(const volatile void *object, const struct controlled *by)
{
	for (uint32_t i = nheld; i--;)
		if (held[i].object == object && held[i].by == by)
			return &held[i];
	return NULL;
}

void held_take(const volatile void *object, bool recursive)
{
	if (!control.shared)
		return;
	control_lock();
	struct held *h = find_held(object, me);
	if (h)
		h->times++;
	else if (nheld < MAX_HELD)
		held[nheld++] = (struct held){object, me, 1, recursive};
	control_unlock();
}

bool held_give(const volatile void *object)
{
	if (!control.shared)
		return true;
	control_lock();
	struct held *h = find_held(object, me);
	if (h && !--h->times)
		*h = held[--nheld];
	control_unlock();
	return h;
}

struct controlled *held_by(const volatile void *object, struct controlled *rather)
{
	if (find_held(object, rather))
		return rather;
	for (uint32_t i = nheld; i--;)
		if (held[i].object == object)
			return held[i].by;
	return NULL;
}

void held_drop(struct controlled *t)
{
	for (uint32_t i = nheld; i--;) {
		if (held[i].by != t)
			continue;
		if (held[i].recursive)
			misuse(SCHED_END_HOLDING, held[i].object);
		held[i] = held[--nheld];
	}
}

/* ---- mutexes ------------------------------------------------------------------------------ */

bool mutex_is_free(const volatile void *mutex)
{
	const volatile pthread_mutex_t *m = mutex;
	uint32_t word = (uint32_t)m->__data.__lock;
	if (m->__data.__kind & 64) /* PTHREAD_PRIO_PROTECT: the ceiling is in the upper bits */
		word &= 0x7ffff;
	return !word || (word & FUTEX_OWNER_DIED);
}

struct controlled *mutex_owner(const volatile void *mutex)
{
	const volatile pthread_mutex_t *m = mutex;
	return m->__data.__owner ? thread_of_tid((uint32_t)m->__data.__owner) : NULL;
}

/* ---- waiting ------------------------------------------------------------------------------ */

struct controlled *holder_of(const struct controlled *t)
{
	if (t->in_wait)
		return cond_woken(t) ? mutex_owner(t->mutex) : NULL;
	switch (t->wait_kind) {
	case LOG_S_LOCK: return mutex_owner(t->object);
	case LOG_S_JOIN: return t->target;
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_ONCE: return held_by(t->object, (struct controlled *)t);
	default: return NULL;
	}
}

bool waited_for(const volatile void *object)
{
	for (const struct controlled *t = control.alive; t; t = t->next)
		if (t->state == THREAD_BLOCKED && t->object == object)
			return true;
	return false;
}

/* ---- destroyed ---------------------------------------------------------------------------- */

#define DESTROYED 0xd357c0ded357c0deull

void mark_destroyed(void *object)
{
	if (control.shared)
		__builtin_memcpy(object, &(uint64_t){DESTROYED}, 8);
}

void check_destroyed(void *object)
{
	uint64_t word;
	__builtin_memcpy(&word, object, 8);
	if (likely(word != DESTROYED) || !control.shared)
		return;
	misuse(SCHED_USE_DESTROYED, object);
	__builtin_memcpy(object, &(uint64_t){0}, 8);
}
