/* Threads: ends, results, cancellation, once, keys, C11 names, atomic library calls. */
#include "shim.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;

/* ---- join, detach, the last thread --------------------------------------------------------- */

static void *times_two(void *arg)
{
	step();
	if ((intptr_t)arg % 2)
		pthread_exit((void *)(2 * (intptr_t)arg));
	return (void *)(2 * (intptr_t)arg);
}

static void join_gives_results(void)
{
	enum { N = 100 };
	pthread_t t[N];
	void *r;

	for (intptr_t i = 0; i < N; i++)
		CHECK(pthread_create(&t[i], NULL, times_two, (void *)i) == 0 && t[i]);
	for (intptr_t i = N; i-- > 0;)
		CHECK(pthread_join(t[i], &r) == 0 && (intptr_t)r == 2 * i);
}

static void *join_main(void *arg)
{
	int err = pthread_join(main_thread, NULL);

	(void)arg;
	CHECK(err == EDEADLK || err == 0);
	return (void *)(intptr_t)err;
}

static void join_answers(void)
{
	struct timespec past = {0, 0}, bad = {0, -1};
	pthread_t t;
	void *r;

	main_thread = pthread_self();
	CHECK(pthread_equal(main_thread, pthread_self()));
	CHECK(pthread_join(main_thread, NULL) == EDEADLK);
	pthread_mutex_lock(&mutex);
	pthread_create(&t, NULL, times_two, (void *)4);
	int err = pthread_tryjoin_np(t, &r);
	CHECK(err == EBUSY || err == 0);
	if (err) {
		CHECK(pthread_timedjoin_np(t, &r, &bad) == EINVAL);
		err = pthread_timedjoin_np(t, &r, &past);
		CHECK(err == ETIMEDOUT || err == 0);
	}
	if (err)
		CHECK(pthread_clockjoin_np(t, &r, CLOCK_MONOTONIC, NULL) == 0);
	CHECK((intptr_t)r == 8);
}

/* Each joins the other: one of them is told so, the other gets its result. */
static void mutual_join(void)
{
	pthread_t t;
	int err;

	main_thread = pthread_self();
	pthread_create(&t, NULL, join_main, NULL);
	err = pthread_join(t, NULL);
	CHECK(err == 0 || err == EDEADLK);
	if (err)
		pthread_exit(NULL);
}

static int ran;

static void *count_run(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++)
		step();
	ran++;
	return NULL;
}

static void *last_one(void *arg)
{
	(void)arg;
	while (ran < 4)
		step();
	return NULL;
}

static void main_exits_first(void)
{
	pthread_attr_t a;
	pthread_t t;
	int state;
	size_t size;

	CHECK(pthread_attr_init(&a) == 0);
	CHECK(pthread_attr_setdetachstate(&a, 9) == EINVAL);
	CHECK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) == 0);
	CHECK(pthread_attr_getdetachstate(&a, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
	CHECK(pthread_attr_setstacksize(&a, 100) == EINVAL);
	CHECK(pthread_attr_setstacksize(&a, 1 << 20) == 0);
	CHECK(pthread_attr_getstacksize(&a, &size) == 0 && size == 1 << 20);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&t, &a, count_run, NULL) == 0);
	CHECK(pthread_create(&t, &a, last_one, NULL) == 0);
	pthread_exit(NULL);
}

/* ---- cancellation -------------------------------------------------------------------------- */

static int handled[4], nhandled;
static sem_t never;

static void handler(void *arg)
{
	handled[nhandled++] = (int)(intptr_t)arg;
}

static void unlock_handler(void *arg)
{
	CHECK(pthread_mutex_unlock(arg) == 0); /* so the mutex was taken again */
	handler((void *)1);
}

static void *cancelled_in_cond(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(handler, (void *)2);
	pthread_cleanup_push(unlock_handler, &mutex);
	pthread_cleanup_push(handler, (void *)9);
	pthread_cleanup_pop(0);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_in_cond_wait(void)
{
	pthread_t t;
	void *r;

	pthread_create(&t, NULL, cancelled_in_cond, NULL);
	CHECK(pthread_cancel(t) == 0);
	CHECK(pthread_join(t, &r) == 0 && r == PTHREAD_CANCELED);
	CHECK(nhandled == 2 && handled[0] == 1 && handled[1] == 2);
	CHECK(pthread_mutex_trylock(&mutex) == 0);
	CHECK(pthread_cond_destroy(&cond) == 0); /* the waiter is gone */
}

/* One signal, one cancellation, two waiters: the cancelled thread takes no signal with it. */
static int signalled;

static void *wait_once(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock_handler, &mutex);
	ran++;
	CHECK(pthread_cond_wait(&cond, &mutex) == 0);
	signalled++;
	pthread_cleanup_pop(0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return NULL;
}

static void cancelled_waiter_eats_no_signal(void)
{
	pthread_t t[2];
	void *r[2];

	pthread_create(&t[0], NULL, wait_once, NULL);
	pthread_create(&t[1], NULL, wait_once, NULL);
	for (;;) {
		pthread_mutex_lock(&mutex);
		if (ran == 2)
			break;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	if (chance(2)) {
		CHECK(pthread_cancel(t[0]) == 0);
		CHECK(pthread_cond_signal(&cond) == 0);
	} else {
		CHECK(pthread_cond_signal(&cond) == 0);
		CHECK(pthread_cancel(t[0]) == 0);
	}
	CHECK(pthread_join(t[0], &r[0]) == 0);
	if (r[0] != PTHREAD_CANCELED) /* it got the signal; the request stayed pending */
		CHECK(pthread_cond_signal(&cond) == 0);
	CHECK(pthread_join(t[1], &r[1]) == 0 && r[1] == NULL);
	CHECK(signalled == (r[0] == PTHREAD_CANCELED ? 1 : 2));
}

static void *cancelled_somewhere(void *arg)
{
	int old;

	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
	CHECK(old == PTHREAD_CANCEL_ENABLE);
	for (int i = 0; i < 20; i++)
		pthread_testcancel();
	ran++;
	CHECK(pthread_setcancelstate(old, NULL) == 0);
	switch ((intptr_t)arg) {
	case 0: sem_wait(&never); break;
	case 1: pthread_join(main_thread, NULL); break;
	case 2: thrd_sleep(&(struct timespec){1000000, 0}, NULL); break;
	default:
		for (;;)
			pthread_testcancel();
	}
	CHECK(false);
	return NULL;
}

static void cancel_at_every_point(void)
{
	pthread_t t[4];
	void *r;

	main_thread = pthread_self();
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, cancelled_somewhere, (void *)i);
	for (int i = 0; i < 4; i++) {
		CHECK(pthread_cancel(t[i]) == 0);
		CHECK(pthread_join(t[i], &r) == 0 && r == PTHREAD_CANCELED);
	}
	CHECK(ran == 4);
	CHECK(sem_destroy(&never) == 0);
	CHECK(pthread_setcancelstate(7, NULL) == EINVAL);
	CHECK(pthread_setcanceltype(7, NULL) == EINVAL);
}

static void *spin_asynchronously(void *arg)
{
	(void)arg;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	ran = 1;
	for (;;)
		step();
	return NULL;
}

static void asynchronous_cancellation(void)
{
	pthread_t t;

	pthread_create(&t, NULL, spin_asynchronously, NULL);
	while (!ran)
		step();
	pthread_cancel(t);
}

/* ---- once ---------------------------------------------------------------------------------- */

static pthread_once_t control = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int initialized, attempts;

static void init_inner(void)
{
	step();
	attempts++;
}

static void init(void)
{
	step();
	pthread_once(&inner, init_inner);
	step();
	initialized++;
}

static void *need_init(void *arg)
{
	(void)arg;
	CHECK(pthread_once(&control, init) == 0);
	CHECK(initialized == 1 && attempts == 1);
	return NULL;
}

static void once_by_many(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, need_init, NULL);
	need_init(NULL);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
}

static void init_or_exit(void)
{
	step();
	if (++attempts < 3)
		pthread_exit(NULL);
	initialized = 1;
}

static void *try_init(void *arg)
{
	(void)arg;
	pthread_cleanup_push(handler, NULL);
	CHECK(pthread_once(&control, init_or_exit) == 0);
	CHECK(initialized);
	pthread_cleanup_pop(0);
	return NULL;
}

static void once_left_by_exit_is_run_again(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, try_init, NULL);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(attempts == 3 && initialized && nhandled == 2);
}

/* ---- thread-specific data ------------------------------------------------------------------ */

static pthread_key_t key[3];
static int destroyed[3];

static void destroy0(void *value)
{
	destroyed[0] += (int)(intptr_t)value;
}

static void destroy_again(void *value)
{
	destroyed[1]++;
	CHECK(pthread_getspecific(key[1]) == NULL);
	CHECK(pthread_setspecific(key[1], value) == 0); /* for ever: cut off after 4 rounds */
}

static void *use_keys(void *arg)
{
	for (int i = 0; i < 3; i++)
		CHECK(pthread_getspecific(key[i]) == NULL);
	CHECK(pthread_setspecific(key[0], arg) == 0);
	CHECK(pthread_setspecific(key[2], arg) == 0);
	step();
	CHECK(pthread_getspecific(key[0]) == arg);
	if ((intptr_t)arg == 1)
		CHECK(pthread_setspecific(key[1], arg) == 0);
	return NULL;
}

static void keys_and_destructors(void)
{
	pthread_t t[3];

	CHECK(pthread_setspecific(0, &t) == EINVAL && pthread_key_delete(0) == EINVAL);
	CHECK(pthread_key_create(&key[0], destroy0) == 0);
	CHECK(pthread_key_create(&key[1], destroy_again) == 0);
	CHECK(pthread_key_create(&key[2], NULL) == 0);
	CHECK(pthread_setspecific(key[0], &t) == 0); /* main's are not destroyed by return */
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, use_keys, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(destroyed[0] == 6 && destroyed[1] == 4);
	CHECK(pthread_getspecific(key[0]) == &t);
	CHECK(pthread_key_delete(key[0]) == 0);
	CHECK(pthread_key_create(&key[1], NULL) == 0);
	CHECK(pthread_getspecific(key[1]) == NULL); /* the index is used again, the value is not */
}

/* ---- C11 ----------------------------------------------------------------------------------- */

static mtx_t c11_mutex;
static cnd_t c11_cond;
static once_flag c11_once = ONCE_FLAG_INIT;
static int c11_ready;

static void c11_init(void)
{
	initialized++;
}

static int c11_start(void *arg)
{
	call_once(&c11_once, c11_init);
	CHECK(mtx_lock(&c11_mutex) == thrd_success);
	while (!c11_ready)
		CHECK(cnd_wait(&c11_cond, &c11_mutex) == thrd_success);
	CHECK(mtx_lock(&c11_mutex) == thrd_success);
	CHECK(mtx_unlock(&c11_mutex) == thrd_success);
	CHECK(mtx_unlock(&c11_mutex) == thrd_success);
	if ((intptr_t)arg == 1)
		thrd_exit(-7);
	return (int)(intptr_t)arg;
}

static void c11_threads(void)
{
	thrd_t t[3];
	int r;

	CHECK(mtx_init(&c11_mutex, mtx_timed | mtx_recursive) == thrd_success);
	CHECK(cnd_init(&c11_cond) == thrd_success);
	for (intptr_t i = 0; i < 3; i++)
		CHECK(thrd_create(&t[i], c11_start, (void *)i) == thrd_success);
	CHECK(mtx_lock(&c11_mutex) == thrd_success);
	c11_ready = 1;
	CHECK(cnd_broadcast(&c11_cond) == thrd_success);
	CHECK(mtx_unlock(&c11_mutex) == thrd_success);
	for (int i = 0; i < 3; i++)
		CHECK(thrd_join(t[i], &r) == thrd_success && r == (i == 1 ? -7 : i));
	CHECK(initialized == 1);
	CHECK(thrd_sleep(&(struct timespec){0, 1000000000}, NULL) == -2);
	mtx_destroy(&c11_mutex);
	cnd_destroy(&c11_cond);
}

/* ---- atomic library calls ------------------------------------------------------------------ */

#ifdef __clang__
#pragma clang diagnostic ignored "-Watomic-alignment" /* calls of the library are the point */
#endif

struct triple {
	int a, b, c;
};
static struct triple shared;
static unsigned __int128 wide;

static void *add_triples(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		struct triple old, new;
		__atomic_load(&shared, &old, __ATOMIC_SEQ_CST);
		do {
			CHECK(old.b == 2 * old.a && old.c == 3 * old.a);
			new = (struct triple){old.a + 1, old.b + 2, old.c + 3};
			step();
		} while (!__atomic_compare_exchange(&shared, &old,
			&new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
		__atomic_fetch_add(&wide, ((unsigned __int128)1 << 64) + 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void atomic_library_calls(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add_triples, NULL);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	CHECK(shared.c == 90);
	CHECK(wide == ((unsigned __int128)30 << 64) + 30);
	wide = 5;
	CHECK(__atomic_exchange_n(&wide, 6, __ATOMIC_SEQ_CST) == 5);
	CHECK(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) == 6);
}

/* ---- what may be asked of a thread --------------------------------------------------------- */

static void questions(void)
{
	struct sched_param p = {0};
	char name[16];
	cpu_set_t set;
	int policy;

	CHECK(pthread_getname_np(pthread_self(), name, 3) == ERANGE);
	CHECK(pthread_getname_np(pthread_self(), name, 16) == 0 && !strcmp(name, "scenario"));
	CHECK(pthread_setname_np(pthread_self(), "0123456789abcdef") == ERANGE);
	CHECK(pthread_setname_np(pthread_self(), "0123456789abcde") == 0);
	CHECK(pthread_getname_np(pthread_self(), name, 16) == 0 && strlen(name) == 15);
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	CHECK(CPU_COUNT(&set) == 4);
	CPU_ZERO(&set);
	CHECK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == EINVAL);
	CPU_SET(2, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
	CHECK(pthread_getschedparam(pthread_self(), &policy, &p) == 0 && policy == SCHED_OTHER);
	CHECK(sched_get_priority_max(SCHED_FIFO) == 99 && sched_get_priority_min(SCHED_RR) == 1);
	p.sched_priority = 1;
	CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p) == EINVAL);
	CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p) == EPERM);
	CHECK(pthread_kill(pthread_self(), 0) == 0);
}

const struct scenario thread_scenarios[] = {
	ALWAYS(join_gives_results, OUTCOME_RETURN),
	ALWAYS(join_answers, OUTCOME_RETURN),
	ALWAYS(mutual_join, OUTCOME_RETURN),
	ALWAYS(main_exits_first, OUTCOME_RETURN),
	ALWAYS(cancel_in_cond_wait, OUTCOME_RETURN),
	ALWAYS(cancelled_waiter_eats_no_signal, OUTCOME_RETURN),
	ALWAYS(cancel_at_every_point, OUTCOME_RETURN),
	ALWAYS(asynchronous_cancellation, OUTCOME_UNMODELLED),
	ALWAYS(once_by_many, OUTCOME_RETURN),
	ALWAYS(once_left_by_exit_is_run_again, OUTCOME_RETURN),
	ALWAYS(keys_and_destructors, OUTCOME_RETURN),
	ALWAYS(c11_threads, OUTCOME_RETURN),
	ALWAYS(atomic_library_calls, OUTCOME_RETURN),
	ALWAYS(questions, OUTCOME_RETURN),
	{0},
};
