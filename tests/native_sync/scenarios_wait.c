/* Condition variables, semaphores, barriers: nobody is woken too early, nobody sleeps for ever. */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;

static struct timespec after(clockid_t clock, uint64_t ns)
{
	uint64_t t = __heddle_now(clock) + ns;

	return (struct timespec){(time_t)(t / 1000000000), (long)(t % 1000000000)};
}

static void lock(void)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
}

static void unlock(void)
{
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

/* ---- a bounded buffer with single signals -------------------------------------------------- */

enum { PRODUCERS = 3, CONSUMERS = 3, ITEMS = 8, ROOM = 2 };
static int buffer[ROOM], used, sum;

static void *produce(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		lock();
		while (used == ROOM)
			CHECK(pthread_cond_wait(&other, &mutex) == 0);
		buffer[used++] = (int)(intptr_t)arg + i;
		step();
		CHECK(pthread_cond_signal(&cond) == 0);
		unlock();
	}
	return NULL;
}

static void *consume(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		lock();
		while (!used)
			CHECK(pthread_cond_wait(&cond, &mutex) == 0);
		sum += buffer[--used];
		step();
		unlock();
		CHECK(pthread_cond_signal(&other) == 0);
	}
	return NULL;
}

static void bounded_buffer(void)
{
	pthread_t t[PRODUCERS + CONSUMERS];
	int expected = 0;

	for (intptr_t i = 0; i < PRODUCERS; i++) {
		pthread_create(&t[i], NULL, produce, (void *)(100 * i));
		expected += ITEMS * (int)(100 * i) + ITEMS * (ITEMS - 1) / 2;
	}
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&t[PRODUCERS + i], NULL, consume, NULL);
	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(sum == expected && used == 0);
	CHECK(pthread_cond_destroy(&cond) == 0 && pthread_cond_destroy(&other) == 0);
}

/* ---- signals belong to those who waited ---------------------------------------------------- */

static int waiting, woken, late_woken;

static void *wait_without_loop(void *arg)
{
	(void)arg;
	lock();
	waiting++;
	CHECK(pthread_cond_wait(&cond, &mutex) == 0);
	woken++;
	unlock();
	return NULL;
}

static void *wait_late(void *arg)
{
	(void)arg;
	lock();
	CHECK(pthread_cond_wait(&cond, &mutex) == 0);
	late_woken++;
	unlock();
	return NULL;
}

static void await_waiters(int n)
{
	for (;;) {
		lock();
		if (waiting == n)
			return;
		unlock();
	}
}

static void signal_wakes_who_waited(void)
{
	pthread_t early, late;

	pthread_create(&early, NULL, wait_without_loop, NULL);
	await_waiters(1);
	CHECK(pthread_cond_signal(&cond) == 0);
	unlock();
	pthread_create(&late, NULL, wait_late, NULL);
	CHECK(pthread_join(early, NULL) == 0);
	CHECK(woken == 1 && late_woken == 0);
}

static void one_signal_wakes_one(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, wait_without_loop, NULL);
	await_waiters(3);
	CHECK(pthread_cond_signal(&cond) == 0);
	unlock();
	for (int i = 0; i < 200; i++)
		step();
	CHECK(woken == 1);
	CHECK(pthread_cond_broadcast(&cond) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(woken == 3);
}

static void broadcast_then_destroy(void)
{
	pthread_cond_t *c = malloc(sizeof(*c));
	pthread_t t[3];

	*c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	cond = *c;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, wait_without_loop, NULL);
	await_waiters(3);
	CHECK(pthread_cond_broadcast(&cond) == 0);
	CHECK(pthread_cond_destroy(&cond) == 0);
	memset(&cond, 0xa5, sizeof(cond)); /* as if freed and used for something else */
	unlock();
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(woken == 3);
	free(c);
}

/* Two wait for a short time, one signal comes: it must not be lost on a waiter that timed out. */
static int timed_out;

static void *wait_timed(void *arg)
{
	struct timespec soon = after(CLOCK_REALTIME, 1000 * (uint64_t)(intptr_t)arg);
	int err;

	lock();
	err = pthread_cond_timedwait(&cond, &mutex, &soon);
	CHECK(err == 0 || err == ETIMEDOUT);
	err ? timed_out++ : woken++;
	unlock();
	return NULL;
}

static void *wait_for_ever(void *arg)
{
	(void)arg;
	lock();
	waiting++;
	CHECK(pthread_cond_wait(&cond, &mutex) == 0);
	late_woken++;
	unlock();
	return NULL;
}

static void timed_out_waiter_eats_no_signal(void)
{
	pthread_t timed, forever;
	bool stays;

	pthread_create(&timed, NULL, wait_timed, (void *)40);
	pthread_create(&forever, NULL, wait_for_ever, NULL);
	await_waiters(1);
	CHECK(pthread_cond_signal(&cond) == 0);
	unlock();
	CHECK(pthread_join(timed, NULL) == 0);
	for (int i = 0; i < 300; i++)
		step();
	lock();
	CHECK(woken + late_woken == 1);
	stays = !late_woken;
	unlock();
	if (stays)
		CHECK(pthread_cond_signal(&cond) == 0);
	CHECK(pthread_join(forever, NULL) == 0);
}

static void timedwait_answers(void)
{
	struct timespec bad = {0, 1000000000}, past = {1, 0}, mono;
	pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	pthread_condattr_t a;
	clockid_t clock;

	CHECK(pthread_condattr_init(&a) == 0);
	CHECK(pthread_condattr_setclock(&a, CLOCK_BOOTTIME) == EINVAL);
	CHECK(pthread_condattr_setclock(&a, CLOCK_MONOTONIC) == 0);
	CHECK(pthread_condattr_getclock(&a, &clock) == 0 && clock == CLOCK_MONOTONIC);
	CHECK(pthread_cond_init(&other, &a) == 0);
	lock();
	CHECK(pthread_cond_timedwait(&cond, &mutex, &bad) == EINVAL);
	CHECK(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
	mono = after(CLOCK_MONOTONIC, 7000000);
	CHECK(pthread_cond_timedwait(&other, &mutex, &mono) == ETIMEDOUT);
	CHECK(__heddle_now(CLOCK_MONOTONIC) >= (uint64_t)mono.tv_sec * 1000000000 +
		(uint64_t)mono.tv_nsec);
	mono = after(CLOCK_MONOTONIC, 7000000);
	CHECK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &mono) == ETIMEDOUT);
	unlock();
	CHECK(pthread_cond_timedwait(&cond, &e, &past) == EPERM);
}

/* ---- semaphores ---------------------------------------------------------------------------- */

static sem_t sem, done;
static int holding;

static void *sem_rounds(void *arg)
{
	(void)arg;
	for (int i = 0; i < 6; i++) {
		struct timespec soon = after(CLOCK_REALTIME, 3000);

		if (chance(3) ? sem_trywait(&sem) : chance(3) ? sem_timedwait(&sem, &soon) : -1)
			CHECK(sem_wait(&sem) == 0);
		CHECK(++holding <= 2);
		step();
		holding--;
		CHECK(sem_post(&sem) == 0);
	}
	CHECK(sem_post(&done) == 0);
	return NULL;
}

static void semaphore_counts(void)
{
	pthread_t t;
	int value;

	CHECK(sem_init(&sem, 0, 2) == 0); /* done is zeroed: a semaphore of value 0 */
	for (int i = 0; i < 4; i++) {
		CHECK(pthread_create(&t, NULL, sem_rounds, NULL) == 0);
		CHECK(pthread_detach(t) == 0);
	}
	for (int i = 0; i < 4; i++)
		CHECK(sem_wait(&done) == 0);
	CHECK(sem_getvalue(&sem, &value) == 0 && value == 2);
	CHECK(sem_destroy(&sem) == 0);
}

static void semaphore_answers(void)
{
	struct timespec past = {0, 0}, bad = {0, 1000000000};

	CHECK(sem_init(&sem, 0, 1u << 31) == -1 && errno == EINVAL);
	CHECK(sem_init(&sem, 0, (1u << 31) - 1) == 0);
	CHECK(sem_post(&sem) == -1 && errno == EOVERFLOW);
	CHECK(sem_init(&sem, 0, 0) == 0);
	CHECK(sem_trywait(&sem) == -1 && errno == EAGAIN);
	CHECK(sem_timedwait(&sem, &past) == -1 && errno == ETIMEDOUT);
	CHECK(sem_timedwait(&sem, &bad) == -1 && errno == EINVAL);
	CHECK(sem_clockwait(&sem, 7, &past) == -1 && errno == EINVAL);
}

static void named_semaphores(void)
{
	sem_t *a, *b;

	CHECK(sem_open("", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
	CHECK(sem_open("a/b", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
	CHECK(sem_open("/x", 0) == SEM_FAILED && errno == ENOENT);
	a = sem_open("/x", O_CREAT | O_EXCL, 0600, 1);
	CHECK(a != SEM_FAILED);
	CHECK(sem_open("x", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	b = sem_open("//x", O_CREAT, 0600, 9);
	CHECK(a == b && sem_wait(b) == 0 && sem_trywait(a) == -1);
	CHECK(sem_close(a) == 0);
	CHECK(sem_unlink("/x") == 0 && sem_post(b) == 0);
	CHECK(sem_unlink("/x") == -1 && errno == ENOENT);
	CHECK(sem_close(b) == 0);
	CHECK(sem_close(&sem) == -1 && errno == EINVAL);
	CHECK(sem_open("/x", 0) == SEM_FAILED && errno == ENOENT);
}

/* ---- barriers ------------------------------------------------------------------------------ */

enum { PARTIES = 4, PHASES = 5 };
static pthread_barrier_t *barrier;
static int at_phase[PARTIES], serial[PHASES];

static void *phases(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int p = 0; p < PHASES; p++) {
		at_phase[me] = p;
		step();
		int r = pthread_barrier_wait(barrier);
		CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
		serial[p] += r == PTHREAD_BARRIER_SERIAL_THREAD;
		for (int i = 0; i < PARTIES; i++)
			CHECK(at_phase[i] == p || at_phase[i] == p + 1);
	}
	return NULL;
}

static void barrier_phases(void)
{
	pthread_t t[PARTIES];
	pthread_barrier_t b;

	barrier = &b;
	CHECK(pthread_barrier_init(&b, NULL, 0) == EINVAL);
	CHECK(pthread_barrier_init(&b, NULL, PARTIES) == 0);
	for (intptr_t i = 0; i < PARTIES; i++)
		pthread_create(&t[i], NULL, phases, (void *)i);
	for (int i = 0; i < PARTIES; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	for (int p = 0; p < PHASES; p++)
		CHECK(serial[p] == 1);
	CHECK(pthread_barrier_destroy(&b) == 0);
}

static void *meet_and_destroy(void *arg)
{
	(void)arg;
	if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
		CHECK(pthread_barrier_destroy(barrier) == 0);
		memset(barrier, 0xa5, sizeof(*barrier));
	}
	return NULL;
}

static void barrier_destroyed_by_the_last(void)
{
	pthread_t t[PARTIES];
	pthread_barrier_t b;

	barrier = &b;
	CHECK(pthread_barrier_init(&b, NULL, PARTIES) == 0);
	for (int i = 0; i < PARTIES; i++)
		pthread_create(&t[i], NULL, meet_and_destroy, NULL);
	for (int i = 0; i < PARTIES; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
}

/* ---- hangs are seen ------------------------------------------------------------------------ */

static bool flag;

static void *signal_without_lock(void *arg)
{
	(void)arg;
	flag = true;
	CHECK(pthread_cond_signal(&cond) == 0);
	return NULL;
}

static void lost_wake_up(void)
{
	pthread_t t;

	pthread_create(&t, NULL, signal_without_lock, NULL);
	lock();
	if (!flag) {
		step(); /* the signal may come here */
		CHECK(pthread_cond_wait(&cond, &mutex) == 0);
	}
	unlock();
	CHECK(pthread_join(t, NULL) == 0);
}

static void *other_order(void *arg)
{
	pthread_mutex_t *m = arg;

	pthread_mutex_lock(&m[1]);
	pthread_mutex_lock(&m[0]);
	pthread_mutex_unlock(&m[0]);
	pthread_mutex_unlock(&m[1]);
	return NULL;
}

static void two_locks_in_two_orders(void)
{
	pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
	pthread_t t;

	pthread_create(&t, NULL, other_order, m);
	pthread_mutex_lock(&m[0]);
	pthread_mutex_lock(&m[1]);
	pthread_mutex_unlock(&m[1]);
	pthread_mutex_unlock(&m[0]);
	pthread_join(t, NULL);
}

static void *arrive(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

static void barrier_missing_one(void)
{
	pthread_barrier_t b;
	pthread_t t;

	pthread_barrier_init(&b, NULL, 3);
	pthread_create(&t, NULL, arrive, &b);
	pthread_barrier_wait(&b);
}

const struct scenario wait_scenarios[] = {
	ALWAYS(bounded_buffer, OUTCOME_RETURN),
	ALWAYS(signal_wakes_who_waited, OUTCOME_RETURN),
	ALWAYS(one_signal_wakes_one, OUTCOME_RETURN),
	ALWAYS(broadcast_then_destroy, OUTCOME_RETURN),
	ALWAYS(timed_out_waiter_eats_no_signal, OUTCOME_RETURN),
	ALWAYS(timedwait_answers, OUTCOME_RETURN),
	ALWAYS(semaphore_counts, OUTCOME_RETURN),
	ALWAYS(semaphore_answers, OUTCOME_RETURN),
	ALWAYS(named_semaphores, OUTCOME_RETURN),
	ALWAYS(barrier_phases, OUTCOME_RETURN),
	ALWAYS(barrier_destroyed_by_the_last, OUTCOME_RETURN),
	SOMETIMES(lost_wake_up, OUTCOME_DEADLOCK),
	SOMETIMES(two_locks_in_two_orders, OUTCOME_DEADLOCK),
	ALWAYS(barrier_missing_one, OUTCOME_DEADLOCK),
	{0},
};
