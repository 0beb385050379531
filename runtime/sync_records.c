#include "runtime/sync_records.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>
#include "runtime/enforce.h"

_Atomic uint32_t rt_seq[1 << SEQ_BITS];

/* ---- records ---------------------------------------------------------------------------- */

void put_cond_wait(struct log_ctl *ctl, const void *cond, const void *mutex)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_COND_WAIT,
				   .flags = LOG_F_MORE | LOG_F_VALUE | LOG_F_EXTRA,
				   .seq = seq_of(cond),
				   .seq2 = seq_of(mutex),
				   .value = (uint64_t)mutex});
	ctl->native = 1;
}

void put_cond_woken(struct log_ctl *ctl, int result, const void *cond, const void *mutex)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_COND_WOKEN,
				   .result = result,
				   .flags = LOG_F_VALUE | LOG_F_EXTRA,
				   .seq = seq_of(cond),
				   .seq2 = seq_of(mutex),
				   .value = (uint64_t)mutex});
	ctl->native = 0;
}

void put_thread_sync(struct log_ctl *ctl, uint8_t kind, int result, uint32_t number)
{
	put_sync_more(ctl,
		&(struct sync_more){
			.kind = kind, .flags = LOG_F_EXTRA, .result = result, .extra = number});
}

void put_join(struct log_ctl *ctl, int result, uint32_t number, const void *to, uint64_t n)
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

void put_once_begin(struct log_ctl *ctl)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ONCE_BEGIN, .flags = LOG_F_MORE});
	ctl->native = 1;
}

void put_once(struct log_ctl *ctl, int result, const void *object, bool ran)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ONCE,
				   .flags = LOG_F_EXTRA,
				   .result = result,
				   .seq = seq_of(object),
				   .extra = ran});
	ctl->native = 0;
}

void put_alloc_to(struct log_ctl *ctl, int result, void *const *to)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
				   .result = result,
				   .flags = LOG_F_VALUE | (result ? 0 : LOG_F_ITEMS),
				   .seq = result ? 0 : block_seq(*to),
				   .value = result ? 0 : (uint64_t)*to});
	if (!result) {
		put_item(ctl, LOG_ITEM_WRITE, to, sizeof(*to));
		put_items_end(ctl);
	}
}

void put_realloc_start(struct log_ctl *ctl, const void *old)
{
	put_sync_more(
		ctl, &(struct sync_more){
			     .kind = LOG_S_REALLOC, .flags = LOG_F_MORE, .seq = block_seq(old)});
}

void put_realloc_end(struct log_ctl *ctl, uint64_t old, const void *p, uint64_t copied)
{
	bool items = p && (uint64_t)p != old && copied;
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
				   .flags = LOG_F_VALUE | (items ? LOG_F_ITEMS : 0),
				   .seq = block_seq(p),
				   .value = (uint64_t)p});
	if (items) {
		put_item(ctl, LOG_ITEM_WRITE, p, copied);
		put_items_end(ctl);
	}
}

uint32_t mutex_kind(const pthread_mutexattr_t *attr)
{
	int type = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED;
	if (!attr)
		return 0;
	pthread_mutexattr_gettype(attr, &type);
	pthread_mutexattr_getrobust(attr, &robust);
	return (type == PTHREAD_MUTEX_RECURSIVE            ? 1
		       : type == PTHREAD_MUTEX_ERRORCHECK  ? 2
		       : type == PTHREAD_MUTEX_ADAPTIVE_NP ? 3
							   : 0) |
	       (robust == PTHREAD_MUTEX_ROBUST ? 16 : 0);
}

/* ---- wrappers that never wait ----------------------------------------------------------- */

WRAP(sem_t *, sem_open)(const char *name, int flags, ...)
{
	struct log_ctl *ctl = __heddle_ctl;
	sem_t *s;
	uint32_t native = ctl->native;
	if (!native)
		enforce_point(LOG_S_SEM_OPEN, NULL);
	ctl->native = 1;
	if (flags & O_CREAT) {
		va_list ap;
		va_start(ap, flags);
		mode_t mode = va_arg(ap, mode_t);
		unsigned value = va_arg(ap, unsigned);
		va_end(ap);
		s = sem_open(name, flags, mode, value);
	} else {
		s = sem_open(name, flags);
	}
	if (!native) {
		int count = 0;
		bool ok = s != SEM_FAILED && !sem_getvalue(s, &count);
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_SEM_OPEN,
					   .flags = LOG_F_VALUE | (ok ? LOG_F_EXTRA : 0),
					   .result = s == SEM_FAILED ? -1 : 0,
					   .seq = s == SEM_FAILED ? 0 : seq_of(s),
					   .extra = (uint32_t)count,
					   .value = (uint64_t)s});
	}
	ctl->native = native;
	return s;
}

WRAP(int, sem_getvalue)(sem_t *s, int *value)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return sem_getvalue(s, value);
	enforce_point(LOG_S_SEM_VALUE, s);
	int r = sem_getvalue(s, value);
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_SEM_VALUE,
				   .flags = r ? 0 : LOG_F_ITEMS,
				   .result = r,
				   .seq = seq_of(s)});
	if (!r) {
		put_item(ctl, LOG_ITEM_WRITE, value, sizeof(*value));
		put_items_end(ctl);
	}
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
