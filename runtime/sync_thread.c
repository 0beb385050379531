/*
 * Wrappers for join, detach and cancel. The number of the other thread is looked up while its
 * pthread_t is valid: before it is joined.
 */
#include <pthread.h>
#include <threads.h>
#include "runtime/sync_records.h"

WRAP(int, pthread_join)(pthread_t thread, void **result)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_join(thread, result);
	uint32_t number = thread_number(thread);
	put_blocked(ctl); /* until the thread ends */
	ctl->native = 1;
	int r = pthread_join(thread, result);
	put_join(ctl, r, number, result, sizeof(*result));
	return r;
}

WRAP(int, pthread_tryjoin_np)(pthread_t thread, void **result)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_tryjoin_np(thread, result);
	uint32_t number = thread_number(thread);
	ctl->native = 1;
	int r = pthread_tryjoin_np(thread, result);
	put_join(ctl, r, number, result, sizeof(*result));
	return r;
}

WRAP(int, pthread_timedjoin_np)(pthread_t thread, void **result, const struct timespec *until)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_timedjoin_np(thread, result, until);
	uint32_t number = thread_number(thread);
	ctl->native = 1;
	int r = pthread_timedjoin_np(thread, result, until);
	put_join(ctl, r, number, result, sizeof(*result));
	return r;
}

WRAP(int, thrd_join)(thrd_t thread, int *result)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return thrd_join(thread, result);
	uint32_t number = thread_number(thread);
	put_blocked(ctl);
	ctl->native = 1;
	int r = thrd_join(thread, result);
	put_join(ctl, r, number, result, sizeof(*result));
	return r;
}

WRAP(int, pthread_detach)(pthread_t thread)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_detach(thread);
	uint32_t number = thread_number(thread);
	int r = pthread_detach(thread);
	put_thread_sync(ctl, LOG_S_DETACH, r, number);
	return r;
}

WRAP(int, thrd_detach)(thrd_t thread)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return thrd_detach(thread);
	uint32_t number = thread_number(thread);
	int r = thrd_detach(thread);
	put_thread_sync(ctl, LOG_S_DETACH, r, number);
	return r;
}

WRAP(int, pthread_cancel)(pthread_t thread)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_cancel(thread);
	uint32_t number = thread_number(thread);
	ctl->native = 1; /* the thread may be this one, and end here */
	int r = pthread_cancel(thread);
	put_thread_sync(ctl, LOG_S_CANCEL, r, number);
	ctl->native = 0;
	return r;
}
