/*
 * Join, detach and cancel under a schedule. A thread counts as ended when none of its code of the
 * program is left to run; the join of the library then hardly waits.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include "runtime/enforce/region.h"
#include "runtime/enforce/sync_wrappers.h"
#include "runtime/sync_records.h"

/* ---- join --------------------------------------------------------------------------------- */

static bool join_ready(struct controlled *t)
{
	return t->cancelled || t->target->state == THREAD_ENDED;
}

/* Waits until the thread has ended: 0, or the error that the library would return. */
static int wait_for_end(struct log_ctl *ctl, uint64_t self, uint64_t deadline)
{
	struct controlled *target = thread_of_self(self);
	bool waited = false;
	if (!target || target == me || target->detached)
		return 0;
	if (target->joined)
		return EINVAL;
	if (deadline == BAD_DEADLINE)
		return EINVAL;
	me->target = target;
	for (;;) {
		me->cancelled = target->joined = false;
		pthread_testcancel();
		target->joined = true;
		if (target->state == THREAD_ENDED)
			return 0;
		if (!waited)
			put_blocked(ctl);
		waited = true;
		if (!wait_until(LOG_S_JOIN, NULL, join_ready, deadline)) {
			target->joined = false;
			return ETIMEDOUT;
		}
	}
}

#define JOIN(NAME, P, A, TO, DEADLINE, RESULT)                                                     \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_JOIN, NULL);                                                          \
		uint32_t number = thread_number(thread);                                           \
		ctl->native = 1;                                                                   \
		int r = in_control() ? wait_for_end(ctl, (uint64_t)thread, DEADLINE) : 0;          \
		struct controlled *target = thread_of_self((uint64_t)thread);                      \
		r = r ? RESULT : NAME A;                                                           \
		if (!r && target)                                                                  \
			region_stack_left(target);                                                 \
		regain_token();                                                                    \
		passed();                                                                          \
		put_join(ctl, r, number, TO, sizeof(*TO));                                         \
		return r;                                                                          \
	}

JOIN(pthread_join, (pthread_t thread, void **to), (thread, to), to, NO_DEADLINE, r)
JOIN(pthread_timedjoin_np, (pthread_t thread, void **to, const struct timespec *until),
	(thread, to, until), to, deadline_of(CLOCK_REALTIME, until), r)
JOIN(thrd_join, (thrd_t thread, int *to), (thread, to), to, NO_DEADLINE, thrd_error)

WRAP(int, pthread_tryjoin_np)(pthread_t thread, void **to)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_tryjoin_np(thread, to);
	arrive(LOG_S_JOIN, NULL);
	uint32_t number = thread_number(thread);
	struct controlled *target = in_control() ? thread_of_self((uint64_t)thread) : NULL;
	ctl->native = 1;
	int r = target && target->state == THREAD_ENDED && !target->detached
			? pthread_join(thread, to)
			: pthread_tryjoin_np(thread, to);
	passed();
	put_join(ctl, r, number, to, sizeof(*to));
	return r;
}

/* ---- detach, cancel -----------------------------------------------------------------------------
 */

static void mark_detached(uint64_t self, int r)
{
	struct controlled *target = control.shared && !r ? thread_of_self(self) : NULL;
	if (target)
		target->detached = true;
}

#define DETACH(NAME, TYPE)                                                                         \
	WRAP(int, NAME)(TYPE thread)                                                               \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME(thread);                                                       \
		arrive(LOG_S_DETACH, NULL);                                                        \
		uint32_t number = thread_number(thread);                                           \
		int r = NAME(thread);                                                              \
		mark_detached((uint64_t)thread, r);                                                \
		passed();                                                                          \
		put_thread_sync(ctl, LOG_S_DETACH, r, number);                                     \
		return r;                                                                          \
	}

DETACH(pthread_detach, pthread_t)
DETACH(thrd_detach, thrd_t)

WRAP(int, pthread_cancel)(pthread_t thread)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_cancel(thread);
	arrive(LOG_S_CANCEL, NULL);
	uint32_t number = thread_number(thread);
	struct controlled *target = in_control() ? thread_of_self((uint64_t)thread) : NULL;
	passed();
	ctl->native = 1; /* the thread may be this one, and end here */
	int r = pthread_cancel(thread);
	if (target && !r)
		target->cancelled = true;
	put_thread_sync(ctl, LOG_S_CANCEL, r, number);
	ctl->native = 0;
	return r;
}
