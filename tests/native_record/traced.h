/*
 * Code as the instrumenter would leave it, by hand: what the programs of this folder are made of.
 * Values are self-describing here, so that streams can be read without re-execution: one is the
 * byte VALUE and 8 bytes; bulk bytes are BULK, their number (8 bytes), and the bytes.
 */
#ifndef TESTS_NATIVE_RECORD_TRACED_H
#define TESTS_NATIVE_RECORD_TRACED_H

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>
#include "runtime/hooks.h"

enum { VALUE = 0x80, BULK = 0x81 };

static inline uint8_t *reserve(uint64_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	uint8_t *cur = ctl->cur;
	if ((uint64_t)(ctl->end - cur) < n)
		cur = __heddle_refill(cur, n);
	*(uint8_t *volatile *)&ctl->cur = cur + n;
	return cur;
}

static inline void tagged(uint8_t tag, uint64_t v)
{
	uint8_t *at = reserve(9);
	at[0] = tag;
	__builtin_memcpy(at + 1, &v, 8);
}

static inline void value(uint64_t v)
{
	__heddle_ctl->hash = __heddle_ctl->hash * LOG_HASH_MUL + v;
	tagged(VALUE, v);
}

static inline void bulk(void *to, const void *from, uint64_t n)
{
	tagged(BULK, n);
	__heddle_copy(to, from, n);
}

/* A function TYPE NAME(PARAM) that native code may call; its body comes after the macro. */
#define THUNK(ID, NAME, PARAM, WORD)                                                               \
	static void NAME##_body PARAM;                                                             \
	static void NAME PARAM                                                                     \
	{                                                                                          \
		if (!__heddle_ctl->native) {                                                       \
			NAME##_body(WORD);                                                         \
			return;                                                                    \
		}                                                                                  \
		__heddle_callback(ID, (uint64_t[1]){(uint64_t)WORD}, 1);                           \
		NAME##_body(WORD);                                                                 \
		__heddle_callback_end();                                                           \
	}                                                                                          \
	static void NAME##_body PARAM
#define THUNK0(ID, NAME)                                                                           \
	static void NAME##_body(void);                                                             \
	static void NAME(void)                                                                     \
	{                                                                                          \
		if (!__heddle_ctl->native) {                                                       \
			NAME##_body();                                                             \
			return;                                                                    \
		}                                                                                  \
		__heddle_callback(ID, NULL, 0);                                                    \
		NAME##_body();                                                                     \
		__heddle_callback_end();                                                           \
	}                                                                                          \
	static void NAME##_body(void)
#define THREAD(ID, NAME)                                                                           \
	static void *NAME##_body(void *arg);                                                       \
	static void *NAME(void *arg)                                                               \
	{                                                                                          \
		__heddle_callback(ID, (uint64_t[1]){(uint64_t)arg}, 1);                            \
		void *r = NAME##_body(arg);                                                        \
		__heddle_callback_end();                                                           \
		return r;                                                                          \
	}                                                                                          \
	static void *NAME##_body(void *arg)

/* A native call. */
#define NATIVE(CALL)                                                                               \
	do {                                                                                       \
		__heddle_ctl->native = 1;                                                          \
		CALL;                                                                              \
		__heddle_return();                                                                 \
	} while (0)
#define SETJMP(BUF)                                                                                \
	({                                                                                         \
		int r_ = sigsetjmp(BUF, 1);                                                        \
		__heddle_setjmp(BUF, r_);                                                          \
		r_;                                                                                \
	})
#define LONGJMP(BUF, N)                                                                            \
	do {                                                                                       \
		__heddle_ctl->native = 1;                                                          \
		siglongjmp(BUF, N);                                                                \
	} while (0)

#define HEDDLE(type, name) HOOK type __heddle_##name
HEDDLE(int, pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
HEDDLE(int, pthread_join)(pthread_t, void **);
HEDDLE(int, pthread_detach)(pthread_t);
HEDDLE(int, pthread_cancel)(pthread_t);
HEDDLE(_Noreturn void, pthread_exit)(void *);
HEDDLE(int, thrd_create)(thrd_t *, thrd_start_t, void *);
HEDDLE(int, thrd_join)(thrd_t, int *);
HEDDLE(int, pthread_mutex_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
HEDDLE(int, pthread_mutex_lock)(pthread_mutex_t *);
HEDDLE(int, pthread_mutex_trylock)(pthread_mutex_t *);
HEDDLE(int, pthread_mutex_timedlock)(pthread_mutex_t *, const struct timespec *);
HEDDLE(int, pthread_mutex_unlock)(pthread_mutex_t *);
HEDDLE(int, pthread_mutex_consistent)(pthread_mutex_t *);
HEDDLE(int, pthread_mutex_destroy)(pthread_mutex_t *);
HEDDLE(int, pthread_rwlock_rdlock)(pthread_rwlock_t *);
HEDDLE(int, pthread_rwlock_trywrlock)(pthread_rwlock_t *);
HEDDLE(int, pthread_rwlock_unlock)(pthread_rwlock_t *);
HEDDLE(int, pthread_spin_init)(pthread_spinlock_t *, int);
HEDDLE(int, pthread_spin_lock)(pthread_spinlock_t *);
HEDDLE(int, pthread_spin_unlock)(pthread_spinlock_t *);
HEDDLE(int, pthread_cond_wait)(pthread_cond_t *, pthread_mutex_t *);
HEDDLE(int, pthread_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
HEDDLE(int, pthread_cond_signal)(pthread_cond_t *);
HEDDLE(int, pthread_barrier_init)(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
HEDDLE(int, pthread_barrier_wait)(pthread_barrier_t *);
HEDDLE(int, sem_init)(sem_t *, int, unsigned);
HEDDLE(int, sem_wait)(sem_t *);
HEDDLE(int, sem_trywait)(sem_t *);
HEDDLE(int, sem_post)(sem_t *);
HEDDLE(sem_t *, sem_open)(const char *, int, ...);
HEDDLE(int, pthread_once)(pthread_once_t *, void (*)(void));
HEDDLE(void *, malloc)(size_t);
HEDDLE(void *, realloc)(void *, size_t);
HEDDLE(int, posix_memalign)(void **, size_t, size_t);
HEDDLE(void, free)(void *);
HEDDLE(pid_t, fork)(void);
HEDDLE(pid_t, vfork)(void);
HEDDLE(int, execv)(const char *, char *const *);
HEDDLE(int, execl)(const char *, const char *, ...);
HEDDLE(_Noreturn void, exit)(int);
HEDDLE(_Noreturn void, _exit)(int);
HEDDLE(_Noreturn void, quick_exit)(int);
HEDDLE(_Noreturn void, abort)(void);
HEDDLE(int, sigaction)(int, const struct sigaction *, struct sigaction *);
HEDDLE(sighandler_t, signal)(int, sighandler_t);
HEDDLE(int, raise)(int);
HEDDLE(int, swapcontext)(ucontext_t *, const ucontext_t *);
HEDDLE(void, makecontext)(ucontext_t *, void (*)(void), int, ...);

#endif
