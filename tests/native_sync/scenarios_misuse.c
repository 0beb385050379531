/* What POSIX leaves undefined is reported, and as what it is. */
#include "shim.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static sem_t sem;
static int started;

static pthread_t start(void *(*run)(void *))
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, run, NULL) == 0);
	return t;
}

static void *lock_for_ever(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	pthread_rwlock_rdlock(&rw);
	pthread_spin_lock(&spin);
	started = 1;
	for (;;)
		step();
	return NULL;
}

static void other_holds(void)
{
	pthread_spin_init(&spin, 0);
	start(lock_for_ever);
	while (!started)
		step();
}

static void mutex_locked_twice(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
}

static void mutex_unlocked_by_another(void)
{
	other_holds();
	pthread_mutex_unlock(&mutex);
}

static void mutex_unlocked_twice(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void mutex_destroyed_locked(void)
{
	other_holds();
	pthread_mutex_destroy(&mutex);
}

static void mutex_used_after_destroy(void)
{
	pthread_mutex_destroy(&mutex);
	pthread_mutex_lock(&mutex);
}

static void mutex_made_again(void)
{
	pthread_mutex_destroy(&mutex);
	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
}

static void mutex_of_garbage(void)
{
	mutex.__data.__kind = 77;
	pthread_mutex_lock(&mutex);
}

static void mutex_with_ceiling(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);
	pthread_mutex_init(&mutex, &a);
}

static void *wait_on_cond(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	started = 1;
	pthread_cond_wait(&cond, &mutex);
	return NULL;
}

static void other_waits(void)
{
	start(wait_on_cond);
	for (;;) {
		pthread_mutex_lock(&mutex);
		if (started)
			return;
		pthread_mutex_unlock(&mutex);
	}
}

static void cond_destroyed_with_waiter(void)
{
	other_waits();
	pthread_cond_destroy(&cond);
}

static void cond_with_two_mutexes(void)
{
	pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

	other_waits();
	pthread_mutex_lock(&second);
	pthread_cond_wait(&cond, &second);
}

static void cond_wait_without_mutex(void)
{
	pthread_cond_wait(&cond, &mutex);
}

static void cond_used_after_destroy(void)
{
	pthread_cond_destroy(&cond);
	pthread_cond_signal(&cond);
}

static void rwlock_unlocked_by_another(void)
{
	other_holds();
	pthread_rwlock_unlock(&rw);
}

static void rwlock_unlocked_free(void)
{
	pthread_rwlock_unlock(&rw);
}

static void rwlock_upgraded(void)
{
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_wrlock(&rw);
}

static void rwlock_destroyed_held(void)
{
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_destroy(&rw);
}

static void rwlock_used_after_destroy(void)
{
	pthread_rwlock_destroy(&rw);
	pthread_rwlock_rdlock(&rw);
}

static void spin_locked_twice(void)
{
	pthread_spin_init(&spin, 0);
	pthread_spin_lock(&spin);
	pthread_spin_lock(&spin);
}

static void spin_unlocked_by_another(void)
{
	other_holds();
	pthread_spin_unlock(&spin);
}

static void spin_never_made(void)
{
	pthread_spin_lock(&spin);
}

static void spin_used_after_destroy(void)
{
	pthread_spin_init(&spin, 0);
	pthread_spin_destroy(&spin);
	pthread_spin_trylock(&spin);
}

static void *arrive(void *arg)
{
	(void)arg;
	started = 1;
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void barrier_destroyed_with_waiter(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	start(arrive);
	for (int i = 0; i < 1000; i++) /* long enough to arrive */
		step();
	pthread_barrier_destroy(&barrier);
}

static void barrier_never_made(void)
{
	pthread_barrier_wait(&barrier);
}

static void barrier_used_after_destroy(void)
{
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_destroy(&barrier);
	pthread_barrier_wait(&barrier);
}

static void *wait_on_sem(void *arg)
{
	(void)arg;
	sem_wait(&sem);
	return NULL;
}

static void sem_destroyed_with_waiter(void)
{
	start(wait_on_sem);
	for (int i = 0; i < 1000; i++)
		step();
	sem_destroy(&sem);
}

static void sem_used_after_destroy(void)
{
	sem_destroy(&sem);
	sem_post(&sem);
}

static void init_itself(void)
{
	pthread_once(&control, init_itself);
}

static void once_in_itself(void)
{
	pthread_once(&control, init_itself);
}

static void *nothing(void *arg)
{
	return arg;
}

static void joined_twice(void)
{
	pthread_t t = start(nothing);

	pthread_join(t, NULL);
	pthread_join(t, NULL);
}

static void detached_and_joined(void)
{
	pthread_t t = start(nothing);

	pthread_detach(t);
	pthread_join(t, NULL);
}

static void detached_twice(void)
{
	pthread_t t = start(nothing);

	pthread_detach(t);
	pthread_detach(t);
}

static void joined_nobody(void)
{
	pthread_join(12345, NULL);
}

static void joined_zero(void)
{
	pthread_join(0, NULL);
}

static void killed_itself(void)
{
	pthread_kill(pthread_self(), 15);
}

static void killed_another(void)
{
	other_holds();
	pthread_kill(pthread_self() + 1, 10);
}

const struct scenario misuse_scenarios[] = {
	ALWAYS(mutex_locked_twice, FAULT(DOUBLE_LOCK)),
	ALWAYS(mutex_unlocked_by_another, FAULT(FOREIGN_UNLOCK)),
	ALWAYS(mutex_unlocked_twice, FAULT(DOUBLE_UNLOCK)),
	ALWAYS(mutex_destroyed_locked, FAULT(DESTROY)),
	ALWAYS(mutex_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(mutex_made_again, OUTCOME_RETURN),
	ALWAYS(mutex_of_garbage, FAULT(BAD_ARGUMENT)),
	ALWAYS(mutex_with_ceiling, OUTCOME_UNMODELLED),
	ALWAYS(cond_destroyed_with_waiter, FAULT(DESTROY)),
	ALWAYS(cond_with_two_mutexes, FAULT(BAD_ARGUMENT)),
	ALWAYS(cond_wait_without_mutex, FAULT(DOUBLE_UNLOCK)),
	ALWAYS(cond_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(rwlock_unlocked_by_another, FAULT(FOREIGN_UNLOCK)),
	ALWAYS(rwlock_unlocked_free, FAULT(DOUBLE_UNLOCK)),
	ALWAYS(rwlock_upgraded, FAULT(DOUBLE_LOCK)),
	ALWAYS(rwlock_destroyed_held, FAULT(DESTROY)),
	ALWAYS(rwlock_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(spin_locked_twice, FAULT(DOUBLE_LOCK)),
	ALWAYS(spin_unlocked_by_another, FAULT(FOREIGN_UNLOCK)),
	ALWAYS(spin_never_made, FAULT(BAD_ARGUMENT)),
	ALWAYS(spin_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(barrier_destroyed_with_waiter, FAULT(DESTROY)),
	ALWAYS(barrier_never_made, FAULT(BAD_ARGUMENT)),
	ALWAYS(barrier_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(sem_destroyed_with_waiter, FAULT(DESTROY)),
	ALWAYS(sem_used_after_destroy, FAULT(USE_DESTROYED)),
	ALWAYS(once_in_itself, FAULT(DOUBLE_LOCK)),
	ALWAYS(joined_twice, FAULT(BAD_ARGUMENT)),
	ALWAYS(detached_and_joined, FAULT(BAD_ARGUMENT)),
	ALWAYS(detached_twice, FAULT(BAD_ARGUMENT)),
	ALWAYS(joined_nobody, FAULT(BAD_ARGUMENT)),
	ALWAYS(joined_zero, FAULT(BAD_ARGUMENT)),
	ALWAYS(killed_itself, FAULT(FATAL_SIGNAL)),
	ALWAYS(killed_another, OUTCOME_UNMODELLED),
	{0},
};
