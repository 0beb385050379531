/*
 * The thread models' record of a thread, and blocking. All data is in the program's own memory (the
 * objects of the user, and one record for each thread), so a forked state has its own copy.
 *
 * How the models block: a model that waits for a condition (lock free, count above zero, thread
 * ended) tests it again in a loop after every wake-up, because another thread may have run first.
 * Where the notification itself is the condition (condition variables, barriers) there is no loop:
 * the object may be gone when the waiter runs again. Only waits on condition variables may end
 * without a notification, if the exploration asks for it.
 *
 * The record of an ended thread is kept, so that the use of a stale pthread_t is reported.
 */
#ifndef HEDDLE_MODEL_THREAD_H
#define HEDDLE_MODEL_THREAD_H

#include "model.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

/* Value of the state field of a destroyed object; no initializer has it. */
#define MODEL_DESTROYED 0x64656164u

/* Bit for each processor the program sees: as many as sysconf(_SC_NPROCESSORS_ONLN) says. */
#define MODEL_PROCESSORS 0xfull

struct model_specific; /* pthread_key.c */
struct model_once {    /* a running initialization; in pthread_once's frame */
	struct model_once *outer;
	pthread_once_t *control;
};
struct model_held { /* read locks held on one rwlock */
	const pthread_rwlock_t *lock;
	unsigned count;
};

struct model_thread {
	unsigned id; /* the machine's; pthread_t is id + 1, so that 0 names no thread */
	void *(*start)(void *);
	int (*start_c11)(void *); /* instead of start, for thrd_create */
	void *arg;
	void *result;
	bool detached;
	bool ended;
	bool joined;
	struct model_thread *joiner; /* the thread that waits for this one's end, or has; or NULL */
	int cancel_state, cancel_type;
	bool cancel_asked;
	bool cancel_awaits; /* blocked at a cancellation point with cancellation enabled */
	bool cancel_woken;  /* the wake-up was pthread_cancel's */
	__pthread_unwind_buf_t *cleanup; /* innermost; linked by __pad[0] */
	struct model_once *once;
	pthread_mutex_t *robust; /* robust mutexes held; linked by __list.__next */
	struct model_held *held;
	unsigned nheld, held_cap;
	struct model_specific *specific;
	unsigned nspecific;
	char name[16];
	char end_name[32]; /* "the end of thread T1": the reason of threads that wait for it */
	sigset_t blocked; /* the signal mask */
	sigset_t opened; /* signals that it did not block at some time beside other threads */
	uint64_t affinity; /* bit for each processor */
};

/* ---- threads: pthread_thread.c ----------------------------------------------------------- */

struct model_thread *__m_self(void);
/* NULL if the handle never named a thread. Joined and detached threads keep their records. */
struct model_thread *__m_thread(pthread_t handle);
/* The same for a function that POSIX leaves undefined on a thread whose lifetime is over: such a
 * handle is a fault. */
struct model_thread *__m_live_thread(pthread_t handle);
/* Runs the cleanup handlers that are left, then ends the thread; t->result is already set. */
_Noreturn void __m_unwind(struct model_thread *t);
int __m_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
	int (*start_c11)(void *), void *arg);
/* Returns the detach state, the only attribute with an effect, in *detached. The result is 0, or
 * the error of pthread_create for a policy that needs privileges (pthread_attr.c). */
int __m_attr_check(const pthread_attr_t *attr, bool *detached);
/* Steps of a thread's end, in this order. */
void __m_once_abandon(struct model_thread *t);
void __m_specific_destroy(struct model_thread *t);
void __m_robust_release(struct model_thread *t);

/* ---- scheduling as an unprivileged process sees it: sched.c ------------------------------- */

/* 0, EINVAL or EPERM: whether a thread may be given that policy and priority */
int __m_sched_check(int policy, int priority);
/* processor sets as bits, both ways */
uint64_t __m_cpus_get(size_t size, const cpu_set_t *set);
void __m_cpus_put(uint64_t bits, size_t size, cpu_set_t *set);

/* ---- blocking and time: thread_wait.c ---------------------------------------------------- */

struct model_timeout {
	clockid_t clock;
	const struct timespec *at; /* absolute */
};
enum model_wake { MODEL_WOKEN, MODEL_TIMED_OUT, MODEL_CANCELLED, MODEL_SPURIOUS };

/* 0, or EINVAL for a clock that cannot be waited on or a wrong tv_nsec. */
int __m_timeout_check(const struct model_timeout *timeout);
/* Blocks on q; timeout NULL is for ever. Only a cancellable wait returns MODEL_CANCELLED: the
 * caller restores its object and calls __m_testcancel(). */
enum model_wake __m_wait(void *q, const char *why, const struct model_timeout *timeout,
	bool cancellable);
/* The same at a condition variable, cancellable; may also return MODEL_SPURIOUS. */
enum model_wake __m_wait_condition(void *q, const char *why, const struct model_timeout *timeout);
/* Sleeps that many ns of virtual time; a cancellation point. */
void __m_sleep(uint64_t ns, const char *why);
/* Every function that POSIX calls a cancellation point calls this first. */
void __m_testcancel(void);

/* ---- mutexes, for condition variables: pthread_mutex.c ----------------------------------- */

/* Without a switch point of their own. `why` names the operation of a blocked thread in reports. */
int __m_mutex_lock(pthread_mutex_t *m, const struct model_timeout *timeout, const char *why);
int __m_mutex_unlock(pthread_mutex_t *m);

#endif
