/*
 * Wrappers for what one thread does to another: join, detach, cancel, and ending itself. The number
 * of the other is looked up while its pthread_t is valid: before it is joined.
 */
#include <pthread.h>
#include <threads.h>
#include "runtime/runtime.h"

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

WRAP(int, pthread_join)(pthread_t thread, void **result)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_join(thread, result);
	uint32_t number = thread_number(thread);
	put_blocked(ctl); /* until it ends: nobody knows how long */
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
	put_other(ctl, LOG_S_DETACH, r, number);
	return r;
}

WRAP(int, thrd_detach)(thrd_t thread)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return thrd_detach(thread);
	uint32_t number = thread_number(thread);
	int r = thrd_detach(thread);
	put_other(ctl, LOG_S_DETACH, r, number);
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
	put_other(ctl, LOG_S_CANCEL, r, number);
	ctl->native = 0;
	return r;
}

static void put_exit(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return;
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
