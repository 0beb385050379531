/*
 * Join, detach, cancel, and ending oneself, by turns. A thread counts as ended when nothing of the
 * program is left of it; the library's join then hardly waits.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include "runtime/enforce/region.h"
#include "runtime/enforce/shape.h"

static void put_other(struct log_ctl *ctl, uint8_t kind, int result, uint32_t number)
{
	put_sync_more(ctl,
		&(struct sync_more){
			.kind = kind, .flags = LOG_F_EXTRA, .result = result, .extra = number});
}

static void put_join(struct log_ctl *ctl, int result, uint32_t number, const void *to, uint64_t n)
{
	bool items = !result && to;
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_JOIN,
				   .result = result,
				   .flags = LOG_F_EXTRA | (items ? LOG_F_ITEMS : 0),
				   .extra = number});
	if (items) {
		put_item(ctl, LOG_ITEM_WRITE, to, n);
		put_items_end(ctl);
	}
	ctl->native = 0;
}

/* ---- join --------------------------------------------------------------------------------- */

static bool join_ready(struct controlled *t)
{
	return t->cancelled || t->target->state == THREAD_ENDED;
}

/* Until the thread has ended: 0, or why the library would not wait for it (or not any longer). */
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
		regain_turn();                                                                     \
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

/* ---- the rest ----------------------------------------------------------------------------- */

static void detached(uint64_t self, int r)
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
		detached((uint64_t)thread, r);                                                     \
		passed();                                                                          \
		put_other(ctl, LOG_S_DETACH, r, number);                                           \
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
	put_other(ctl, LOG_S_CANCEL, r, number);
	ctl->native = 0;
	return r;
}

static void put_exit(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return;
	enforce_point(LOG_S_EXIT, NULL);
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_EXIT, .flags = LOG_F_MORE});
	ctl->native = 1;
}

WRAP(_Noreturn void, pthread_exit)(void *result)
{
	put_exit();
	pthread_exit(result);
}

WRAP(_Noreturn void, thrd_exit)(int result)
{
	put_exit();
	thrd_exit(result);
}
