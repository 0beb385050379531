/*
 * Wrappers for condition variables, barriers, semaphores and once, in which threads wait. A thread
 * counts as native inside those that can be cancelled or call code of the program.
 */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include "runtime/sync_records.h"
#include "runtime/sync_wrappers.h"

/* ---- condition variables ---------------------------------------------------------------- */

#define WAIT(NAME, P, A, C, M)                                                                     \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		put_cond_wait(ctl, C, M);                                                               \
		int r = NAME A;                                                                    \
		put_cond_woken(ctl, r, C, M);                                                           \
		return r;                                                                          \
	}

WAIT(pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), c, m)
WAIT(pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t),
	(c, m, t), c, m)
WAIT(pthread_cond_clockwait,
	(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t),
	(c, m, clock, t), c, m)
WAIT(cnd_wait, (cnd_t *c, mtx_t *m), (c, m), c, m)
WAIT(cnd_timedwait, (cnd_t *c, mtx_t *m, const struct timespec *t), (c, m, t), c, m)

#define WAKE(NAME, KIND, TYPE)                                                                     \
	WRAP(int, NAME)(TYPE * c)                                                                  \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME(c);                                                            \
		uint32_t seq = seq_of(c);                                                          \
		int r = NAME(c);                                                                   \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,                       \
					   .result = r,                                            \
					   .flags = LOG_F_EXTRA,                                   \
					   .seq = seq,                                             \
					   .seq2 = seq_of(c)});                                    \
		return r;                                                                          \
	}

WAKE(pthread_cond_signal, COND_SIGNAL, pthread_cond_t)
WAKE(pthread_cond_broadcast, COND_BROADCAST, pthread_cond_t)
WAKE(cnd_signal, COND_SIGNAL, cnd_t)
WAKE(cnd_broadcast, COND_BROADCAST, cnd_t)

RELEASE(pthread_cond_destroy, COND_DESTROY, (pthread_cond_t *c), (c), c)
RELEASE_VOID(cnd_destroy, COND_DESTROY, (cnd_t *c), (c), c, (void)0, (void)0)

/* ---- barriers --------------------------------------------------------------------------- */

ACQUIRE_EXTRA(pthread_barrier_init, BARRIER_INIT,
	(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned count), (b, a, count), b,
	(void)0, (void)0, count)
RELEASE(pthread_barrier_destroy, BARRIER_DESTROY, (pthread_barrier_t *b), (b), b)

WRAP(int, pthread_barrier_wait)(pthread_barrier_t *b)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_barrier_wait(b);
	put_sync_more(
		ctl, &(struct sync_more){
			     .kind = LOG_S_BARRIER_ENTER, .flags = LOG_F_MORE, .seq = seq_of(b)});
	int r = pthread_barrier_wait(b);
	put_sync(ctl, LOG_S_BARRIER_LEAVE, r, seq_of(b));
	return r;
}

/* ---- semaphores ------------------------------------------------------------------------- */

RELEASE(sem_destroy, SEM_DESTROY, (sem_t *s), (s), s)
RELEASE(sem_post, SEM_POST, (sem_t *s), (s), s)
ACQUIRE(sem_trywait, SEM_TRYWAIT, (sem_t *s), (s), s)

static bool sem_is_empty(sem_t *s)
{
	int value;
	return !sem_getvalue(s, &value) && value <= 0;
}

ACQUIRE_CANCEL(sem_wait, SEM_WAIT, (sem_t *s), (s), s, sem_is_empty(s))
ACQUIRE_CANCEL(
	sem_timedwait, SEM_WAIT, (sem_t *s, const struct timespec *t), (s, t), s, sem_is_empty(s))
ACQUIRE_CANCEL(sem_clockwait, SEM_WAIT, (sem_t *s, clockid_t clock, const struct timespec *t),
	(s, clock, t), s, sem_is_empty(s))

/* ---- once ------------------------------------------------------------------------------- */

/* The routine that this thread would run, and whether it has run. Set before each use: a routine may
 * call once itself, or be left by a jump. */
static __thread void (*once_routine)(void) __attribute__((tls_model("initial-exec")));
static __thread bool once_ran __attribute__((tls_model("initial-exec")));

static void run_once(void)
{
	once_routine();
	once_ran = true;
}

WRAP(int, pthread_once)(pthread_once_t *once, void (*routine)(void))
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_once(once, routine);
	put_once_begin(ctl);
	once_routine = routine;
	once_ran = false;
	int r = pthread_once(once, run_once);
	put_once(ctl, r, once, once_ran);
	once_ran = false;
	return r;
}

WRAP(void, call_once)(once_flag *once, void (*routine)(void))
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native) {
		call_once(once, routine);
		return;
	}
	put_once_begin(ctl);
	once_routine = routine;
	once_ran = false;
	call_once(once, run_once);
	put_once(ctl, 0, once, once_ran);
	once_ran = false;
}
