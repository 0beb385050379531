/*
 * Records of synchronization operations, and the wrappers that never wait: shared by the recording
 * and the enforcing runtime, whose other wrappers are in sync_*.c and enforce/sync_*.c.
 */
#ifndef HEDDLE_RUNTIME_SYNC_RECORDS_H
#define HEDDLE_RUNTIME_SYNC_RECORDS_H

#include <pthread.h>
#include "runtime/runtime.h"

/* Start and end of a wait at a condition variable. The thread counts as native in between. */
void put_cond_wait(struct log_ctl *ctl, const void *cond, const void *mutex);
void put_cond_woken(struct log_ctl *ctl, int result, const void *cond, const void *mutex);
/* An operation on the thread of that number (LOG_NONE: unknown). */
void put_thread_sync(struct log_ctl *ctl, uint8_t kind, int result, uint32_t number);
/* A join; the n bytes at `to` (NULL: none) are the result of the thread. The caller is not native
 * afterwards. */
void put_join(struct log_ctl *ctl, int result, uint32_t number, const void *to, uint64_t n);
/* Before pthread_once, call_once; native afterwards. */
void put_once_begin(struct log_ctl *ctl);
/* After them; ran: this thread has run the routine. Not native afterwards. */
void put_once(struct log_ctl *ctl, int result, const void *object, bool ran);
/* posix_memalign, with the block in *to unless it failed. */
void put_alloc_to(struct log_ctl *ctl, int result, void *const *to);
/* realloc of `old`: its start; and its end, with `copied` bytes in the new block unless it is at the
 * same address. */
void put_realloc_start(struct log_ctl *ctl, const void *old);
void put_realloc_end(struct log_ctl *ctl, uint64_t old, const void *p, uint64_t copied);
/* The sequence number of a block; 0 for a null pointer. */
static inline uint32_t block_seq(const void *p)
{
	return p ? seq_of(p) : 0;
}
/* The kind of a new mutex, as LOG_S_MUTEX_INIT has it. attr may be NULL. */
uint32_t mutex_kind(const pthread_mutexattr_t *attr);

#endif
