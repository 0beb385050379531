/* Scenarios of one thread, and of synchronization. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "target.h"
#include "traced.h"

static void must(bool ok)
{
	if (!ok)
		_exit(99);
}

void scenario_values(void)
{
	for (uint64_t i = 0; i < 100000; i++) {
		value(i);
		if (i % 1000 == 0)
			NATIVE((void)0);
	}
}

void scenario_bulk(void)
{
	static uint8_t from[200000], to[200000];
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + (i >> 8));
	bulk(to, from, 10);
	bulk(to, from, sizeof(from));
	must(!memcmp(to, from, sizeof(from)));
	memcpy(to, from, sizeof(from));
	bulk(to + 100, to, sizeof(to) - 100); /* overlaps upwards, over chunks */
	must(!memcmp(to + 100, from, sizeof(to) - 100));
	memcpy(to, from, sizeof(from));
	bulk(to, to + 3, sizeof(to) - 3); /* downwards */
	must(!memcmp(to, from + 3, sizeof(to) - 3));
	value(1);
}

void scenario_heap(void)
{
	errno = 77;
	char *p = __heddle_malloc(100);
	strcpy(p, "hello");
	void *hole = __heddle_malloc(100);
	char *q = __heddle_realloc(p, 100000);
	must(q != p && !strcmp(q, "hello"));
	must(__heddle_realloc(q, 99990) == q);
	__heddle_free(NULL);
	__heddle_free(q);
	__heddle_free(hole);
	void *aligned;
	must(!__heddle_posix_memalign(&aligned, 64, 100));
	__heddle_free(aligned);
	must(errno == 77);
	must(!__heddle_malloc(SIZE_MAX / 2) && errno == ENOMEM);
}

void scenario_locks(void)
{
	static pthread_mutex_t m, r;
	static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
	static pthread_spinlock_t spin;
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	must(!__heddle_pthread_mutex_init(&m, NULL));
	must(!__heddle_pthread_mutex_init(&r, &a));
	__heddle_pthread_mutex_lock(&m);
	must(__heddle_pthread_mutex_trylock(&m) == EBUSY);
	struct timespec past = {0};
	must(__heddle_pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
	__heddle_pthread_mutex_unlock(&m);
	__heddle_pthread_mutex_lock(&r);
	__heddle_pthread_mutex_lock(&r);
	__heddle_pthread_mutex_unlock(&r);
	__heddle_pthread_mutex_unlock(&r);
	__heddle_pthread_rwlock_rdlock(&rw);
	must(__heddle_pthread_rwlock_trywrlock(&rw) == EBUSY);
	__heddle_pthread_rwlock_unlock(&rw);
	__heddle_pthread_spin_init(&spin, 0);
	__heddle_pthread_spin_lock(&spin);
	__heddle_pthread_spin_unlock(&spin);
	__heddle_pthread_mutex_destroy(&m);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static bool ready;

THREAD(10, waiter)
{
	__heddle_pthread_mutex_lock(&mutex);
	while (!ready)
		__heddle_pthread_cond_wait(&cond, &mutex);
	__heddle_pthread_mutex_unlock(&mutex);
	__heddle_pthread_barrier_wait(&barrier);
	__heddle_sem_post(&sem);
	return arg;
}

void scenario_waits(void)
{
	pthread_t t;
	__heddle_pthread_barrier_init(&barrier, NULL, 2);
	__heddle_sem_init(&sem, 0, 0);
	must(__heddle_sem_trywait(&sem) == -1 && errno == EAGAIN);
	__heddle_pthread_create(&t, NULL, waiter, NULL);
	NATIVE(usleep(20000));
	__heddle_pthread_mutex_lock(&mutex);
	struct timespec past = {0};
	must(__heddle_pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
	ready = true;
	__heddle_pthread_cond_signal(&cond);
	__heddle_pthread_mutex_unlock(&mutex);
	__heddle_pthread_barrier_wait(&barrier);
	__heddle_sem_wait(&sem);
	__heddle_pthread_join(t, NULL);
	must(__heddle_sem_open("/no/such", O_CREAT, 0600, 1u) == SEM_FAILED);
}

static pthread_once_t once_inner = PTHREAD_ONCE_INIT, once_outer = PTHREAD_ONCE_INIT;
THUNK0(20, inner)
{
	value(20);
}
THUNK0(21, outer)
{
	__heddle_pthread_once(&once_inner, inner);
	value(21);
}
void scenario_once(void)
{
	__heddle_pthread_once(&once_outer, outer);
	__heddle_pthread_once(&once_outer, outer);
	__heddle_pthread_once(&once_inner, inner);
}

static sigjmp_buf buf;
static int compare(const void *a, const void *b)
{
	__heddle_callback(30, (uint64_t[2]){(uint64_t)a, (uint64_t)b}, 2);
	LONGJMP(buf, 7);
}
void scenario_jumps(void)
{
	int a[2] = {2, 1};
	int r = SETJMP(buf);
	if (r == 0)
		LONGJMP(buf, 5);
	value((uint64_t)r);
	if (r == 5)
		NATIVE(qsort(a, 2, sizeof(a[0]), compare));
	value(1);
}

THREAD(40, called_by_native)
{
	value(40);
	NATIVE((void)0);
	return arg;
}
void scenario_foreign(void)
{
	pthread_t t;
	NATIVE(pthread_create(&t, NULL, called_by_native, NULL));
	__heddle_pthread_join(t, NULL);
}

static void vararg_function(void)
{
	if (__heddle_ctl->native)
		__heddle_vararg_callback();
	for (int i = 0; i < 100000; i++)
		value(1);
}
void scenario_vararg(void)
{
	value(1);
	NATIVE(vararg_function());
	value(2);
}

/* As images do that log everything: what a frame needs stands at the start of each chunk, and after
 * a call that began another. */
static void value_with_state(uint64_t v)
{
	struct log_ctl *ctl = __heddle_ctl;
	uint8_t *cur = ctl->cur;
	if (ctl->end - cur < 9)
		cur = __heddle_refill_state(cur, 9, 5, 6, &v, 1);
	ctl->cur = cur + 9;
	cur[0] = VALUE;
	__builtin_memcpy(cur + 1, &v, 8);
}

void scenario_state(void)
{
	uint64_t word = 3;
	for (uint64_t i = 0; i < 20000; i++) {
		value_with_state(i);
		uint32_t chunks = __heddle_ctl->chunks;
		if (i % 3 == 0)
			__heddle_free(__heddle_malloc(16));
		if (__heddle_ctl->chunks != chunks)
			__heddle_state(5, 7, &word, 1);
	}
}

static ucontext_t here, there;
static int ran_there;
static void in_context(int a, int b)
{
	ran_there = a + b;
}
void scenario_context(void)
{
	static char stack[65536];
	value(1);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	__heddle_makecontext(&there, (void (*)(void))(void *)in_context, 2, 3, 4);
	__heddle_swapcontext(&here, &there);
	must(ran_there == 7);
}

void scenario_environment(void)
{
	must(!getenv("HEDDLE_LOG_FD") && !strcmp(environ[0], "FIRST=1") &&
		!strcmp(environ[1], "HEDDLE_OPTIONS=other=1") && !strcmp(environ[2], "LAST=2") &&
		!environ[3]);
	char path[64];
	for (int fd = 3; fd < 64; fd++) { /* the memory file is closed */
		char link[64] = "";
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		must(readlink(path, link, sizeof(link) - 1) < 0 || !strstr(link, "memfd:"));
	}
}
