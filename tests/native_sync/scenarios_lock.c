/* Locks: mutual exclusion and the answers of every kind of lock, under random schedules. */
#include "shim.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 6 };

static struct timespec after(clockid_t clock, uint64_t ns)
{
	uint64_t t = __heddle_now(clock) + ns;

	return (struct timespec){(time_t)(t / 1000000000), (long)(t % 1000000000)};
}

static void run_threads(void *(*start)(void *))
{
	pthread_t t[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&t[i], NULL, start, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
}

/* ---- mutexes ------------------------------------------------------------------------------ */

static pthread_mutex_t mutex;
static int inside, total;

static void critical_section(void)
{
	CHECK(inside == 0);
	inside++;
	step();
	CHECK(inside == 1);
	int was = total;
	step();
	total = was + 1;
	inside--;
}

static void *lock_rounds(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		critical_section();
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

static void exclusion(pthread_mutex_t initial)
{
	mutex = initial;
	run_threads(lock_rounds);
	CHECK(total == THREADS * ROUNDS);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

static void normal_excludes(void)
{
	exclusion((pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER);
}

static void recursive_excludes(void)
{
	exclusion((pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP);
}

static void errorcheck_excludes(void)
{
	exclusion((pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP);
}

static void adaptive_excludes(void)
{
	exclusion((pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP);
}

static void *mixed_rounds(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec soon = after(CLOCK_MONOTONIC, chance(2) ? 3000 : 3000000);
		int err = chance(2) ? pthread_mutex_trylock(&mutex) :
			pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon);
		CHECK(err == 0 || err == EBUSY || err == ETIMEDOUT);
		if (err)
			CHECK(pthread_mutex_lock(&mutex) == 0);
		critical_section();
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

static void mixed_ways_exclude(void)
{
	run_threads(mixed_rounds);
	CHECK(total == THREADS * ROUNDS);
}

static void *recursive_rounds(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		CHECK(pthread_mutex_lock(&mutex) == 0);
		CHECK(pthread_mutex_trylock(&mutex) == 0);
		CHECK(pthread_mutex_unlock(&mutex) == 0);
		critical_section();
		CHECK(pthread_mutex_unlock(&mutex) == 0);
		critical_section();
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

static void recursive_counts(void)
{
	pthread_mutexattr_t a;
	int type;

	CHECK(pthread_mutexattr_init(&a) == 0);
	CHECK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE) == 0);
	CHECK(pthread_mutexattr_gettype(&a, &type) == 0 && type == PTHREAD_MUTEX_RECURSIVE);
	CHECK(pthread_mutex_init(&mutex, &a) == 0);
	run_threads(recursive_rounds);
	CHECK(total == 2 * THREADS * ROUNDS);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
}

static void *others_mutex(void *arg)
{
	struct timespec soon = after(CLOCK_REALTIME, 1000000), bad = {0, 1000000000};

	CHECK(pthread_mutex_trylock(arg) == EBUSY);
	CHECK(pthread_mutex_unlock(arg) == EPERM);
	CHECK(pthread_mutex_timedlock(arg, &bad) == EINVAL);
	CHECK(pthread_mutex_clocklock(arg, CLOCK_BOOTTIME, &soon) == EINVAL);
	CHECK(pthread_mutex_timedlock(arg, &soon) == ETIMEDOUT);
	CHECK(__heddle_now(CLOCK_REALTIME) >= (uint64_t)soon.tv_sec * 1000000000 +
		(uint64_t)soon.tv_nsec);
	return NULL;
}

static void errorcheck_answers(void)
{
	pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	struct timespec past = {0, 0}, bad = {0, -1};
	pthread_t t;

	CHECK(pthread_mutex_unlock(&m) == EPERM);
	CHECK(pthread_mutex_timedlock(&m, &bad) == 0); /* not looked at: the mutex is free */
	CHECK(pthread_mutex_lock(&m) == EDEADLK);
	CHECK(pthread_mutex_timedlock(&m, &past) == EDEADLK);
	CHECK(pthread_mutex_trylock(&m) == EBUSY);
	pthread_create(&t, NULL, others_mutex, &m);
	pthread_join(t, NULL);
	CHECK(pthread_mutex_unlock(&m) == 0);
}

static void normal_timedlock_of_own_mutex_times_out(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	struct timespec soon = after(CLOCK_REALTIME, 5000000);

	CHECK(pthread_mutex_lock(&m) == 0);
	CHECK(pthread_mutex_trylock(&m) == EBUSY);
	CHECK(pthread_mutex_timedlock(&m, &soon) == ETIMEDOUT);
	CHECK(pthread_mutex_unlock(&m) == 0);
}

/* ---- robust mutexes ----------------------------------------------------------------------- */

static void make_robust(void)
{
	pthread_mutexattr_t a;
	int robust;

	pthread_mutexattr_init(&a);
	CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
	CHECK(pthread_mutexattr_getrobust(&a, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
	CHECK(pthread_mutex_init(&mutex, &a) == 0);
}

static void *die_with_mutex(void *arg)
{
	int err = pthread_mutex_lock(&mutex);

	(void)arg;
	CHECK(err == 0 || err == EOWNERDEAD);
	if (err)
		CHECK(pthread_mutex_consistent(&mutex) == 0);
	return NULL;
}

static void robust_survives_its_owners(void)
{
	make_robust();
	run_threads(die_with_mutex);
	CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	CHECK(pthread_mutex_consistent(&mutex) == 0);
	CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
}

static void *expect_not_recoverable(void *arg)
{
	int err = pthread_mutex_lock(&mutex);

	(void)arg;
	CHECK(err == ENOTRECOVERABLE || err == EOWNERDEAD);
	if (err == EOWNERDEAD)
		CHECK(pthread_mutex_unlock(&mutex) == 0); /* without making it consistent */
	return NULL;
}

static void robust_given_up_is_not_recoverable(void)
{
	pthread_t t;

	make_robust();
	pthread_create(&t, NULL, die_with_mutex, NULL);
	pthread_join(t, NULL);
	run_threads(expect_not_recoverable);
	CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

/* ---- spin locks --------------------------------------------------------------------------- */

static pthread_spinlock_t spin;

static void *spin_rounds(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		if (!chance(2) || pthread_spin_trylock(&spin) == EBUSY)
			CHECK(pthread_spin_lock(&spin) == 0);
		critical_section();
		CHECK(pthread_spin_unlock(&spin) == 0);
	}
	return NULL;
}

static void spin_excludes(void)
{
	CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	run_threads(spin_rounds);
	CHECK(total == THREADS * ROUNDS);
	CHECK(pthread_spin_destroy(&spin) == 0);
}

/* ---- read-write locks --------------------------------------------------------------------- */

static pthread_rwlock_t rw;
static int readers, writers, together;

static void reads(void)
{
	CHECK(writers == 0);
	readers++;
	if (readers > together)
		together = readers;
	step();
	CHECK(writers == 0);
	readers--;
}

static void writes(void)
{
	CHECK(readers == 0 && writers == 0);
	writers++;
	step();
	CHECK(readers == 0 && writers == 1);
	total++;
	writers--;
}

static void *rw_rounds(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec soon = after(CLOCK_REALTIME, chance(2) ? 2000 : 2000000);
		bool write = (i + (intptr_t)arg) % 3 == 0;
		int err;

		switch ((int)(__heddle_now(CLOCK_MONOTONIC) / 1000 % 3)) {
		case 0:
			err = write ? pthread_rwlock_trywrlock(&rw) : pthread_rwlock_tryrdlock(&rw);
			break;
		case 1:
			err = write ? pthread_rwlock_timedwrlock(&rw, &soon) :
				pthread_rwlock_timedrdlock(&rw, &soon);
			break;
		default: err = EBUSY; break;
		}
		CHECK(err == 0 || err == EBUSY || err == ETIMEDOUT);
		if (err)
			CHECK((write ? pthread_rwlock_wrlock(&rw) :
				pthread_rwlock_rdlock(&rw)) == 0);
		write ? writes() : reads();
		CHECK(pthread_rwlock_unlock(&rw) == 0);
	}
	return NULL;
}

static void rwlock_excludes(void)
{
	run_threads(rw_rounds);
	CHECK(total == THREADS * ROUNDS / 3);
	CHECK(pthread_rwlock_destroy(&rw) == 0);
}

static void rwlock_preferring_writers_excludes(void)
{
	pthread_rwlockattr_t a;
	int kind;

	CHECK(pthread_rwlockattr_init(&a) == 0);
	CHECK(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
	CHECK(pthread_rwlockattr_getkind_np(&a, &kind) == 0);
	CHECK(pthread_rwlock_init(&rw, &a) == 0);
	rwlock_excludes();
}

static void rwlock_answers(void)
{
	struct timespec past = {0, 0}, bad = {0, 1000000000};

	CHECK(pthread_rwlock_timedrdlock(&rw, &bad) == EINVAL);
	CHECK(pthread_rwlock_wrlock(&rw) == 0);
	CHECK(pthread_rwlock_wrlock(&rw) == EDEADLK);
	CHECK(pthread_rwlock_rdlock(&rw) == EDEADLK);
	CHECK(pthread_rwlock_tryrdlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_timedwrlock(&rw, &past) == EDEADLK);
	CHECK(pthread_rwlock_unlock(&rw) == 0);
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_timedwrlock(&rw, &past) == ETIMEDOUT);
	CHECK(pthread_rwlock_clockwrlock(&rw, 7, &past) == EINVAL);
	CHECK(pthread_rwlock_unlock(&rw) == 0);
	CHECK(pthread_rwlock_unlock(&rw) == 0);
}

static void *give_up_writing(void *arg)
{
	struct timespec soon = after(CLOCK_REALTIME, 100000);

	(void)arg;
	CHECK(pthread_rwlock_timedwrlock(&rw, &soon) == ETIMEDOUT);
	return NULL;
}

static void *read_once(void *arg)
{
	(void)arg;
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	reads();
	CHECK(pthread_rwlock_unlock(&rw) == 0);
	return NULL;
}

/* A reader that stood back for a writer must not sleep on when the writer gives up. */
static void writer_giving_up_wakes_readers(void)
{
	pthread_t w, r;

	rw = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	pthread_create(&w, NULL, give_up_writing, NULL);
	pthread_create(&r, NULL, read_once, NULL);
	pthread_join(r, NULL);
	pthread_join(w, NULL);
	CHECK(pthread_rwlock_unlock(&rw) == 0);
}

static void *read_while_others_read(void *arg)
{
	(void)arg;
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	readers++;
	while (readers < THREADS)
		step();
	CHECK(pthread_rwlock_unlock(&rw) == 0);
	return NULL;
}

/* ... also those that the writer kept out */
static void all_readers_together(void)
{
	pthread_t t[THREADS];

	CHECK(pthread_rwlock_wrlock(&rw) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&t[i], NULL, read_while_others_read, NULL) == 0);
	for (int i = 0; i < 50; i++)
		step();
	CHECK(readers == 0);
	CHECK(pthread_rwlock_unlock(&rw) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(readers == THREADS);
}

const struct scenario lock_scenarios[] = {
	ALWAYS(normal_excludes, OUTCOME_RETURN),
	ALWAYS(recursive_excludes, OUTCOME_RETURN),
	ALWAYS(errorcheck_excludes, OUTCOME_RETURN),
	ALWAYS(adaptive_excludes, OUTCOME_RETURN),
	ALWAYS(mixed_ways_exclude, OUTCOME_RETURN),
	ALWAYS(recursive_counts, OUTCOME_RETURN),
	ALWAYS(errorcheck_answers, OUTCOME_RETURN),
	ALWAYS(normal_timedlock_of_own_mutex_times_out, OUTCOME_RETURN),
	ALWAYS(robust_survives_its_owners, OUTCOME_RETURN),
	ALWAYS(robust_given_up_is_not_recoverable, OUTCOME_RETURN),
	ALWAYS(spin_excludes, OUTCOME_RETURN),
	ALWAYS(rwlock_excludes, OUTCOME_RETURN),
	ALWAYS(rwlock_preferring_writers_excludes, OUTCOME_RETURN),
	ALWAYS(rwlock_answers, OUTCOME_RETURN),
	ALWAYS(writer_giving_up_wakes_readers, OUTCOME_RETURN),
	ALWAYS(all_readers_together, OUTCOME_RETURN),
	{0},
};
